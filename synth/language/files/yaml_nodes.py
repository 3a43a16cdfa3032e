"""YAML files as nodes with places. The one module that knows PyYAML."""

from collections.abc import Iterator

import yaml
from yaml.composer import ComposerError
from yaml.events import AliasEvent
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from synth.diagnostics.spans import Span
from synth.language.errors.files import RepeatedKey, WrongShape, YamlSyntax
from synth.language.files.source import FileReference, Report, line_start, read_text

__all__ = [
    "MappingNode",
    "Node",
    "ScalarNode",
    "SequenceNode",
    "describe_node",
    "load_yaml",
    "read_entries",
    "span_of",
]


class _Loader(yaml.SafeLoader):
    """Composes without aliases: with them a short file can stand for an endless one."""

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        """Compose the next node.

        Raises:
            ComposerError: when it is an alias.
        """
        if self.check_event(AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise ComposerError(None, None, "aliases have no use in these files", event.start_mark)
        return super().compose_node(parent, index)


def load_yaml(reference: FileReference, report: Report) -> Node | None:
    """Return a YAML file's only document as nodes; report, and return None, when that fails.

    An empty file gives None too. Nothing is constructed, so tags are harmless.
    """
    text = read_text(reference, report)
    if text is None:
        return None
    try:
        return yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        span = Span(reference.shown, line, column, line, column + 1)
        report(YamlSyntax(span=span, problem=error.problem or "it cannot be read"))
    except ReaderError as error:
        report(YamlSyntax(span=line_start(reference.shown, 1), problem=error.reason))
    except RecursionError:
        report(YamlSyntax(span=line_start(reference.shown, 1), problem="it is nested too deeply"))
    return None


def span_of(node: Node, shown: str) -> Span:
    """Return where a node stands; of one that takes several lines, its first line's start."""
    start, end = node.start_mark, node.end_mark
    if end.line == start.line:
        return Span(shown, start.line + 1, start.column + 1, end.line + 1, end.column + 1)
    return Span(shown, start.line + 1, start.column + 1, start.line + 1, start.column + 2)


def describe_node(node: Node) -> str:
    """Return what kind of thing a node is, for messages."""
    match node:
        case MappingNode():
            return "mapping"
        case SequenceNode():
            return "list"
        case _:
            return f"`{node.value}`"


def read_entries(node: MappingNode, shown: str, report: Report) -> Iterator[tuple[ScalarNode, Node]]:
    """Yield the keys and values of a mapping; report keys that are no words or stand twice."""
    first_lines: dict[str, int] = {}
    for key, value in node.value:
        if not isinstance(key, ScalarNode):
            report(WrongShape(span=span_of(key, shown), found=describe_node(key), expected="a name"))
        elif key.value in first_lines:
            report(RepeatedKey(span=span_of(key, shown), key=key.value, line=first_lines[key.value]))
        else:
            first_lines[key.value] = key.start_mark.line + 1
            yield key, value
