"""Lists of records from YAML files, for example the backends of a load balancer.

    - address: 200.0.0.2
      weight: 2
    - address: 200.0.0.3

Each item has the members of the record, written as in a chain file; members with defaults may be
left out. When only one member has no default, an item may be that member's value alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from synth.diagnostics.diagnostic import Diagnostic
from synth.diagnostics.suggest import did_you_mean
from synth.language.errors.files import MissingKey, RepeatedRecord, UnknownKey, WrongShape, WrongValue
from synth.language.files.scalars import describe_type, parse_scalar
from synth.language.files.source import FileReference, Report
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
from synth.language.types import Record
from synth.language.values import ListValue, Scalars


def load_records(
    reference: FileReference,
    record: Record,
    report: Report,
    *,
    defaults: Mapping[str, Scalars],
    sides: Sequence[str] = (),
) -> ListValue | None:
    """Read a list of records; None when anything in the file is wrong, all of which is reported.

    An item that repeats an earlier one is kept, with a warning.

    Args:
        reference: the file.
        record: its members are scalars: a YAML file has no place for rows inside rows.
        report: where mistakes go.
        defaults: scalars of the members that may be left out.
        sides: names for members of type side.
    """
    found: list[Diagnostic] = []
    rows = _read_rows(reference, record, found.append, defaults=defaults, sides=sides)
    for diagnostic in found:
        report(diagnostic)
    return None if any(each.severity == "error" for each in found) else ListValue(rows)


def _read_rows(
    reference: FileReference,
    record: Record,
    report: Report,
    *,
    defaults: Mapping[str, Scalars],
    sides: Sequence[str],
) -> tuple[Scalars, ...]:
    root = load_yaml(reference, report)
    if root is None:
        return ()
    if not isinstance(root, SequenceNode):
        expected = f"a list of {record.name} records, each after a `-`"
        span = span_of(root, reference.shown)
        report(WrongShape(span=span, found=describe_node(root), expected=expected))
        return ()
    reader = _Reader(reference.shown, record, report, defaults, sides)
    rows: list[Scalars] = []
    lines: dict[Scalars, int] = {}
    for item in root.value:
        row = reader.read(item)
        if row is None:
            continue
        rows.append(row)
        line = lines.setdefault(row, item.start_mark.line + 1)
        if line != item.start_mark.line + 1:
            report(RepeatedRecord(span=span_of(item, reference.shown), what=record.name, line=line))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class _Reader:
    shown: str
    record: Record
    report: Report
    defaults: Mapping[str, Scalars]
    sides: Sequence[str]

    def read(self, item: Node) -> Scalars | None:
        """Return the scalars of one item, or None when it is wrong."""
        match item:
            case MappingNode():
                return self._read_mapping(item)
            case ScalarNode() if self._lone_member() is not None:
                return self._read_lone(item)
            case _:
                span = span_of(item, self.shown)
                self.report(
                    WrongShape(span=span, found=describe_node(item), expected=f"a {self.record.name} record")
                )
                return None

    def _lone_member(self) -> str | None:
        needed = [name for name, _ in self.record.members if name not in self.defaults]
        return needed[0] if len(needed) == 1 else None

    def _read_lone(self, item: ScalarNode) -> Scalars | None:
        lone = self._lone_member()
        return self._join({name: self._read_member(name, item) for name in (lone,) if name is not None})

    def _read_mapping(self, item: MappingNode) -> Scalars | None:
        names = tuple(name for name, _ in self.record.members)
        given: dict[str, Scalars | None] = {}
        is_right = True
        for key, value in read_entries(item, self.shown, self.report):
            if key.value in names:
                given[key.value] = self._read_member(key.value, value)
            else:
                is_right = False
                self._report_unknown(key, names)
        for name in names:
            if name not in given and name not in self.defaults:
                is_right = False
                self._report_missing(item, name)
        return self._join(given) if is_right else None

    def _join(self, given: Mapping[str, Scalars | None]) -> Scalars | None:
        """Return the row of all members, or None when one was wrong."""
        row: list[int] = []
        for name, _ in self.record.members:
            member = given[name] if name in given else self.defaults[name]
            if member is None:
                return None
            row.extend(member)
        return tuple(row)

    def _read_member(self, name: str, node: Node) -> Scalars | None:
        of = dict(self.record.members)[name]
        expected = describe_type(of, self.sides)
        span = span_of(node, self.shown)
        if not isinstance(node, ScalarNode):
            self.report(WrongShape(span=span, found=describe_node(node), expected=expected))
            return None
        scalar = parse_scalar(node.value, of, self.sides)
        if scalar is None:
            self.report(WrongValue(span=span, key=name, found=node.value, expected=expected))
            return None
        return (scalar,)

    def _report_unknown(self, key: ScalarNode, names: Sequence[str]) -> None:
        self.report(
            UnknownKey(
                span=span_of(key, self.shown),
                what=f"record {self.record.name}",
                key=key.value,
                expected=" or ".join(names),
                hint=did_you_mean(key.value, names),
            )
        )

    def _report_missing(self, item: MappingNode, name: str) -> None:
        kind = describe_type(dict(self.record.members)[name], self.sides)
        self.report(MissingKey(span=span_of(item, self.shown), what=self.record.name, key=name, kind=kind))
