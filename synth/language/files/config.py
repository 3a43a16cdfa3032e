"""Parameters from outside the chain file: a YAML file (`--config`) and single ones (`--set`).

    nat:                          # an instance: its parameters
      public: 203.0.113.1
      ports: 1024..2047
    site: 7                       # a parameter of the chain itself

Values are kept as they are written; whoever knows the parameter's type reads them as in a chain file.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from synth.diagnostics.spans import NOWHERE, Span
from synth.language.errors.files import SettingSyntax, WrongShape
from synth.language.files.source import FileReference, Report, line_start
from synth.language.files.words import stretch
from synth.language.files.yaml_nodes import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    describe_node,
    load_yaml,
    read_entries,
    span_of,
)

_NAME = re.compile(r"[a-zA-Z_]\w*(\.[a-zA-Z_]\w*)*", re.ASCII)

SET_FILE = "--set"
"""What the spans of `--set` name as their file; the line is the number of the option, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawText:
    """A value as written. `is_quoted`: it stood in quotes (which are gone), so it is a string."""

    text: str
    is_quoted: bool
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawList:
    items: tuple["RawValue", ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawMap:
    entries: tuple[tuple[RawText, "RawValue"], ...]
    span: Span = field(default=NOWHERE, compare=False)


RawValue = RawText | RawList | RawMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One parameter that is given.

    `instance` is the instance's dotted name, or empty for a parameter of the chain itself. Nothing here has
    looked whether an instance of that name exists, or has such a parameter.
    """

    instance: str
    parameter: RawText
    value: RawValue


def load_config(reference: FileReference, instances: Collection[str], report: Report) -> tuple[Setting, ...]:
    """Read a `--config` file; report what is wrong with its form.

    A key that names one of the instances (dotted, or a mapping in a mapping) holds its parameters;
    any other key is a parameter of the chain.
    """
    root = load_yaml(reference, report)
    if root is None:
        return ()
    reader = _Reader(reference.shown, instances, report)
    return tuple(reader.read_settings("", root))


def parse_overrides(texts: Sequence[str], report: Report) -> tuple[Setting, ...]:
    """Parse `--set` options, `NAME=VALUE` or `INSTANCE.NAME=VALUE`; report those that are neither."""
    settings: list[Setting] = []
    for number, text in enumerate(texts, 1):
        start = line_start(SET_FILE, number)
        name, equals, value = text.partition("=")
        instance, _, parameter = name.rpartition(".")
        if not equals or not _NAME.fullmatch(name) or not value:
            report(SettingSyntax(span=stretch(start, 0, max(len(text), 1)), found=text))
            continue
        value_span = stretch(start, len(name) + 1, len(text))
        name_span = stretch(start, len(name) - len(parameter), len(name))
        settings.append(
            Setting(
                instance=instance,
                parameter=RawText(text=parameter, is_quoted=False, span=name_span),
                value=RawText(text=value, is_quoted=False, span=value_span),
            )
        )
    return tuple(settings)


@dataclass(frozen=True, slots=True)
class _Reader:
    shown: str
    instances: Collection[str]
    report: Report

    def read_settings(self, owner: str, node: Node) -> Iterator[Setting]:
        """Yield the settings of a mapping that belongs to an instance, or to the chain (no owner)."""
        if not isinstance(node, MappingNode):
            expected = "a mapping from instances to their parameters"
            if owner:
                expected = f"a mapping from {owner}'s parameters to their values"
            self._report_shape(node, expected)
            return
        for key, value in read_entries(node, self.shown, self.report):
            name = f"{owner}.{key.value}" if owner else key.value
            if self._is_instance(name):
                yield from self.read_settings(name, value)
            else:
                yield Setting(instance=owner, parameter=self._read_text(key), value=self._read(value))

    def _is_instance(self, name: str) -> bool:
        return any(known == name or known.startswith(f"{name}.") for known in self.instances)

    def _read(self, node: Node) -> RawValue:
        span = span_of(node, self.shown)
        match node:
            case SequenceNode():
                return RawList(items=tuple(self._read(item) for item in node.value), span=span)
            case MappingNode():
                entries = read_entries(node, self.shown, self.report)
                return RawMap(
                    entries=tuple((self._read_text(key), self._read(value)) for key, value in entries),
                    span=span,
                )
            case _:
                return self._read_text(node)

    def _read_text(self, node: Node) -> RawText:
        is_quoted = isinstance(node, ScalarNode) and node.style in ("'", '"')
        return RawText(text=node.value, is_quoted=is_quoted, span=span_of(node, self.shown))

    def _report_shape(self, node: Node, expected: str) -> None:
        span = span_of(node, self.shown)
        self.report(WrongShape(span=span, found=describe_node(node), expected=expected))
