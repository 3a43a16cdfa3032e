"""From `.chain` text to the syntax tree. The only module that imports lark.

Errors do not end the run: the parser's stack is cut back to the innermost list (of statements,
of items) that is open, the broken statement is skipped, and parsing goes on there.
"""

import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

from synth.diagnostics.diagnostic import UserError
from synth.diagnostics.reporter import Reporter
from synth.diagnostics.spans import Span
from synth.language import syntax
from synth.language.automaton import can_follow
from synth.language.complaints import Piece, Stop, complain
from synth.language.errors.syntax import TooDeep, TooManyErrors
from synth.language.expected import describe
from synth.language.parse_tree import Branch, Leaf, ParseTree
from synth.language.resync import CONTINUATION_WORDS, is_top_level_word, next_place
from synth.language.source_file import read_text
from synth.language.tree_builder import build_file
from synth.language.tree_builder_context import STATEMENT_WORDS
from synth.resources import grammar_folder

MAX_DEPTH = 100
"""How deeply the rules of a file may nest, so that what reads syntax trees may recurse."""

MAX_ERRORS = 20
# Not every recovery is an error that is told; of a file that needs so many nothing more is.
_MAX_RECOVERIES = 200

# The parser's stack grows by fewer than this from one level of nesting to the next.
_STACK_PER_LEVEL = 12
# In a list of statements or items one of these may always come next.
_LIST_WORDS = frozenset({"LET", "FROM", "CAPACITY", "BUDGET", "ADDRESS"})


def parse_file(path: Path | str, at: Span | None = None) -> syntax.File:
    """Parse a file. `at` is the place that names it, if any: there a missing file is reported.

    Raises:
        UserError: the file cannot be read, is not UTF-8, or is not a chain file.
    """
    return parse_text(read_text(path, at), str(path))


def parse_text(text: str, path: str) -> syntax.File:
    """Parse the text of a file; `path` is how its spans name it.

    Raises:
        UserError: every syntax error found.
    """
    text = text.removeprefix("\ufeff")
    run = _Run(text, path)
    tree = run.parse()
    run.reporter.raise_if_errors()
    assert tree is not None
    return build_file(_convert(tree, path), text)


# ---------------------------------------------------------------- lark


class _WholeWords:
    """Makes the lexer read whole words everywhere: never `nf` and then `oo` in `nfoo`."""

    always_accept = ("NAME",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


@functools.cache
def _lark() -> Lark:
    grammar = (grammar_folder() / "chain.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True, postlex=_WholeWords())


@functools.cache
def _spellings() -> dict[str, str]:
    """Return the terminals that have one spelling, with it."""
    return {t.name: t.pattern.value for t in _lark().terminals if t.pattern.type == "str"}


def _spelled(terminals: Iterable[str]) -> frozenset[str]:
    return frozenset(_spellings().get(terminal, terminal) for terminal in terminals)


def _convert(tree: Tree[Token], path: str) -> Branch:
    """Turn lark's tree into ours, without recursion.

    Raises:
        UserError: it is too deep.
    """
    done: dict[int, ParseTree] = {}
    waiting: list[tuple[Tree[Token], int, bool]] = [(tree, 1, False)]
    while waiting:
        node, depth, has_children_done = waiting.pop()
        if depth > MAX_DEPTH:
            span = _tree_span(node, path)
            raise UserError((TooDeep(span=_first_line(span), limit=MAX_DEPTH),))
        if not has_children_done:
            waiting.append((node, depth, True))
            waiting += [(c, depth + 1, False) for c in node.children if isinstance(c, Tree)]
            continue
        children = tuple(
            done.pop(id(child)) if isinstance(child, Tree) else _leaf(child, path) if child else None
            for child in node.children
        )
        meta = node.meta
        start, end = (0, 0) if meta.empty else (meta.start_pos, meta.end_pos)
        done[id(node)] = Branch(
            rule=str(node.data), children=children, span=_tree_span(node, path), start=start, end=end
        )
    root = done[id(tree)]
    assert isinstance(root, Branch)
    return root


def _first_line(span: Span) -> Span:
    if span.line == span.end_line:
        return span
    return Span(span.file, span.line, span.column, span.line, span.column + 1)


def _tree_span(node: Tree[Token], path: str) -> Span:
    meta = node.meta
    if meta.empty:
        return Span(path, 1, 1, 1, 1)
    return Span(path, meta.line, meta.column, meta.end_line, meta.end_column)


def _leaf(token: Token, path: str) -> Leaf:
    span = Span(path, token.line or 1, token.column or 1, token.end_line or 1, token.end_column or 1)
    start, end = token.start_pos or 0, token.end_pos or 0
    return Leaf(kind=token.type, text=str(token), span=span, start=start, end=end)


# ---------------------------------------------------------------- one run


class _Run:
    """One parse of one text: lark's parser state, moved on and cut back by hand."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.reporter = Reporter()
        interactive: Any = _lark().parse_interactive(text)
        self._state = interactive.parser_state
        self._lexer = interactive.lexer_thread
        self._has_moved = True
        self._errors = 0
        self._recoveries = 0

    def parse(self) -> Tree[Token] | None:
        """Return the tree; after errors None, or what is left of the file."""
        while True:
            try:
                return self._advance()
            except UnexpectedInput as stop:
                if not self._recover(self._describe(stop)):
                    return None

    def _advance(self) -> Tree[Token] | None:
        for token in self._lexer.lex(self._state):
            self._feed(token)
            self._has_moved = True
            if len(self._state.state_stack) > MAX_DEPTH * _STACK_PER_LEVEL:
                self.reporter.report(TooDeep(span=_leaf(token, self.path).span, limit=MAX_DEPTH))
                return None
        tree: Tree[Token] = self._feed(Token("$END", "", len(self.text.rstrip())))
        return tree

    def _feed(self, token: Token) -> Any:
        """Feed the parser; when it refuses, its stacks are as they were before the token.

        (On an error lark leaves them reduced as far as the merged lookaheads of LALR let it.)
        """
        states, values = list(self._state.state_stack), list(self._state.value_stack)
        token = self._as_name(token)
        if self._is_out_of_place(token):
            raise UnexpectedToken(token, set())  # type: ignore[no-untyped-call]
        try:
            return self._state.feed_token(token, token.type == "$END")
        except UnexpectedToken:
            self._state.state_stack[:], self._state.value_stack[:] = states, values
            raise

    def _as_name(self, token: Token) -> Token:
        """Return a keyword as the name that it is where only a name can stand.

        (Behind `;` the lexer takes the keywords of all lists: LALR merges what can follow it.)
        """
        is_word = token.type in _spellings() and token.isalpha()
        if not is_word or self._can_come(token.type) or not self._can_come("NAME"):
            return token
        return Token.new_borrow_pos("NAME", str(token), token)

    def _can_come(self, terminal: str) -> bool:
        return bool(self._accepted(len(self._state.state_stack), (terminal,)))

    def _is_out_of_place(self, token: Token) -> bool:
        """Tell whether the grammar takes a word as a name that is meant as a keyword.

        That is a top-level item while a bracket is open, and a statement's word where an
        expression should be (unless it names an argument).
        """
        if token.type != "NAME":
            return False
        if is_top_level_word(self.text, token.start_pos or 0):
            return True
        is_expression = "CHOOSE" in self._state.parse_conf.states[self._state.position]
        following = self.text[token.end_pos :].lstrip()[:1] if token in STATEMENT_WORDS else ":"
        return is_expression and following != ":"

    def _recover(self, stop: Stop) -> bool:
        """Report the error and move on behind it. Returns false when nothing is left to parse."""
        # Right behind another error, punctuation that is out of place is a consequence of it.
        is_trusted = not stop.kind or stop.found.text[:1].isalpha()
        if (self._has_moved or is_trusted) and not self._report(stop):
            return False
        self._recoveries += 1
        if stop.kind == "$END" or self._recoveries > _MAX_RECOVERIES:
            return False
        kept = self._innermost_list()
        values = self._state.value_stack[kept - 1 :]
        start = stop.found.start
        if not stop.kind and self.text[start] == '"':
            start = (self.text + "\n").index("\n", start)  # what follows is no bracket, but string
        elif not values:
            start += max(len(stop.found.text), 1) if not stop.is_new_item else 0
        place = next_place(
            self.text,
            start,
            "".join(piece.text for piece in _open_brackets(values)),
            stop.openers - CONTINUATION_WORDS,
            is_new_line=bool(values),
        )
        if place.offset >= len(self.text):
            return False
        self._go_on(self._top_list() if place.is_top_level else kept, place.offset)
        return True

    def _report(self, stop: Stop) -> bool:
        found = complain(stop)
        self._errors += 1
        if self._errors > MAX_ERRORS:
            self.reporter.report(TooManyErrors(span=found.span, limit=MAX_ERRORS))
            return False
        self.reporter.report(found)
        return True

    def _go_on(self, kept: int, offset: int) -> None:
        del self._state.state_stack[kept:]
        del self._state.value_stack[kept - 1 :]
        counter = self._lexer.state.line_ctr
        counter.char_pos = offset
        counter.line = self.text.count("\n", 0, offset) + 1
        counter.line_start_pos = self.text.rfind("\n", 0, offset) + 1
        counter.column = offset - counter.line_start_pos + 1
        self._has_moved = False

    def _describe(self, error: UnexpectedInput) -> Stop:
        token = error.token if isinstance(error, UnexpectedToken) else None
        offset = error.pos_in_stream if token is None else token.start_pos
        offset = len(self.text) if offset is None else offset
        values = self._state.value_stack
        accepted = self._accepted(len(self._state.state_stack))
        kept = self._innermost_list()
        own = list(_tokens(values[kept - 1 :]))
        last = _last_token(values)
        return Stop(
            text=self.text,
            path=self.path,
            found=Piece(offset, str(token or "")),
            kind=token.type if token is not None else "",
            expected=describe(accepted, _spellings(), str(last or "")),
            accepted=_spelled(accepted),
            lone_word=_piece(own[0]) if len(own) == 1 and own[0].type == "NAME" else None,
            openers=_spelled(self._accepted(kept)),
            statement=_start(values[kept - 1 :], offset),
            brackets=tuple(_open_brackets(values)),
            is_new_item=is_top_level_word(self.text, offset) and kept > self._top_list(),
        )

    def _innermost_list(self) -> int:
        """Return how much of the stack to keep, so that a statement or an item can come next."""
        stack = self._state.state_stack
        for kept in range(len(stack), 1, -1):
            actions = self._state.parse_conf.states[stack[kept - 1]].keys()
            if actions & _LIST_WORDS and self._accepted(kept, ("RBRACE",)):
                return kept
            if self._accepted(kept, ("$END",)):
                return kept
        return 1

    def _top_list(self) -> int:
        """Return how much of the stack to keep, so that a top-level item can come next."""
        lengths = range(len(self._state.state_stack), 1, -1)
        return next((kept for kept in lengths if self._accepted(kept, ("$END",))), 1)

    def _accepted(self, kept: int, terminals: Iterable[str] | None = None) -> frozenset[str]:
        """Return the terminals that can follow the first `kept` states of the stack."""
        conf = self._state.parse_conf
        stack = self._state.state_stack[:kept]
        candidates = terminals or [name for name in conf.states[stack[-1]] if name.isupper()]
        return frozenset(name for name in candidates if can_follow(stack, name, conf))


def _tokens(values: Iterable[object]) -> Iterator[Token]:
    """Yield the tokens that make up values of the parser's stack, in order."""
    waiting = list(values)[::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Token):
            yield value
        elif isinstance(value, Tree):
            waiting += value.children[::-1]


def _start(values: list[object], otherwise: int) -> int:
    for value in values:
        if isinstance(value, Token):
            return value.start_pos or 0
        if isinstance(value, Tree) and not value.meta.empty:
            return int(value.meta.start_pos)
    return otherwise


def _last_token(values: list[object]) -> Token | None:
    return next((value for value in values[:-2:-1] if isinstance(value, Token)), None)


def _open_brackets(values: Iterable[object]) -> list[Piece]:
    """Return the brackets among unfinished values that are not closed there, outermost first."""
    found: list[Piece] = []
    for value in values:
        if isinstance(value, Token) and value in ("(", "[", "{"):
            found.append(_piece(value))
        elif isinstance(value, Token) and value in (")", "]", "}") and found:
            found.pop()
    return found


def _piece(token: Token) -> Piece:
    return Piece(token.start_pos or 0, str(token))
