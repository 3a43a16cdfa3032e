"""Rows of things with the comments between them: in brackets, or one below the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from synth.language import syntax
from synth.language.comments import Comment, Comments, Position, end_of, start_of
from synth.language.layout import HARD, INDENT, SOFT, Doc, Group, Line, Nest, Remark


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A part of a list: where it stands, and how its document is made.

    Documents are made in source order, because each takes its comments from the queue.

    Attributes:
        doc: the documentation of a declaration; None for what cannot have any.
        has_room: whether a blank line must stand before it.
    """

    start: Position
    end: Position
    build: Callable[[], Doc]
    doc: str | None = None
    has_room: bool = False


def item(tree: syntax.Node, build: Callable[[], Doc], *, doc: str | None = None) -> Item:
    """Return a node as a part of a list."""
    return Item(start=start_of(tree.span), end=end_of(tree.span), build=build, doc=doc)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Laid:
    """A part with its comments: those that were inside it, those above it, and the one behind."""

    item: Item
    strays: list[Comment]
    above: list[Comment]
    body: Doc
    behind: Comment | None


def _lay(items: Sequence[Item], end: Position, comments: Comments) -> list[_Laid]:
    laid = []
    limits = [*(other.start for other in items[1:]), end]
    for each, limit in zip(items, limits, strict=False):
        above = comments.take_before(each.start)
        body = each.build()
        strays = comments.take_before(each.end)
        behind = comments.take_behind(each.end, limit)
        laid.append(_Laid(item=each, strays=strays, above=above, body=body, behind=behind))
    return laid


def bracketed(
    brackets: str, items: Sequence[Item], end: Position, comments: Comments, *, edge: Line = SOFT
) -> Doc:
    """Return parts with commas between them: all on one line, or one on each.

    Args:
        brackets: the opening and the closing bracket.
        items: the parts.
        end: the place behind the closing bracket.
        comments: the queue.
        edge: what stands inside the brackets when they are on one line.
    """
    opening, closing = brackets[0], brackets[1]
    rows: list[Doc] = []
    laid = _lay(items, end, comments)
    for each in laid:
        comma = "," if each is not laid[-1] else ""
        above = [(line.text, HARD) for line in _lines_above(each, has_gaps=False)]
        rows += [Line() if rows else edge, *above, each.body, comma, *remark(each.behind)]
    rows += [(HARD, comment.text) for comment in comments.take_before(end)]
    if not rows:
        return brackets
    return Group((opening, Nest(INDENT, tuple(rows)), edge, closing))


def stacked(items: Sequence[Item], end: Position, comments: Comments) -> list[Doc]:
    """Return parts one below the other, each behind a line break.

    Blank lines between them stay, at most one in a row. `end` is the place behind the last one
    up to which comments belong to the list.
    """
    rows: list[Doc] = []
    previous: int | None = None
    for each in _lay(items, end, comments):
        lines = _lines_above(each, has_gaps=True)
        first = each.above[0].line if each.above else each.item.start[0]
        has_gap = previous is not None and (first - previous > 1 or each.item.has_room)
        for line in lines:
            rows += [(HARD, HARD) if has_gap else HARD, line.text]
            has_gap = line.has_gap_below
        rows += [(HARD, HARD) if has_gap else HARD, each.body, *remark(each.behind)]
        previous = each.item.end[0]
    for comment in comments.take_before(end):
        has_gap = previous is not None and comment.line - previous > 1
        rows += [(HARD, HARD) if has_gap else HARD, comment.text]
        previous = comment.line
    return rows


def remark(comment: Comment | None) -> list[Doc]:
    """Return the comment behind something, if there is one."""
    return [Remark(comment.text)] if comment else []


@dataclass(frozen=True, slots=True)
class _CommentLine:
    text: str
    has_gap_below: bool = False


def _lines_above(laid: _Laid, *, has_gaps: bool) -> list[_CommentLine]:
    """Return the comments above a part. What documented nothing must not begin to do so."""
    lines = [_CommentLine(_without_doc(comment.text)) for comment in laid.strays]
    below = [*(comment.line for comment in laid.above), laid.item.start[0]][1:]
    for comment, line in zip(laid.above, below, strict=True):
        text = comment.text if comment.is_alone else _without_doc(comment.text)
        lines.append(_CommentLine(text, has_gaps and line - comment.line > 1))
    if laid.item.doc is None:
        return lines
    documented = len(lines) - (laid.item.doc.count("\n") + 1 if laid.item.doc else 0)
    near = documented
    while near and not lines[near - 1].has_gap_below:
        near -= 1
    others = [_CommentLine(_without_doc(line.text)) for line in lines[near:documented]]
    return lines[:near] + others + lines[documented:]


def _without_doc(text: str) -> str:
    return text[1:] if text.startswith("///") and not text.startswith("////") else text
