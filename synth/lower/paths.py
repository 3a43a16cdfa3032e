"""Where lowering stands: an open block, what names stand for there, and what was emitted on the way.

Ways part at a fork and meet at a join. They meet only when they have emitted to the same sides: a
handler's end delivers a fixed list, so ways with other lists stay apart to the end.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from synth.diagnostics.spans import Span
from synth.graph.nodes import Branch, Edge, Jump, Op, Type, Value
from synth.lower.builder import Builder, OpenBlock
from synth.lower.scalars import Binding, Known, Row, Scalar, Static


@dataclass(frozen=True, slots=True)
class Emission:
    """A packet handed to a side: by name, or (`side` None) by a computed index into the sides."""

    side: str | None
    packet: Scalar
    index: Scalar | None = None

    @property
    def row(self) -> Row:
        """The scalars of the emission."""
        return (self.packet,) if self.index is None else (self.packet, self.index)

    def with_row(self, row: Row) -> "Emission":
        """Return the emission with other scalars."""
        return Emission(self.side, row[0], row[1] if self.index is not None else None)


@dataclass(slots=True)
class Path:
    """One way through a handler, at the place where the next statement is lowered. Changes as it goes."""

    builder: Builder
    block: OpenBlock
    names: dict[str, Binding]
    emissions: tuple[Emission, ...] = ()

    def become(self, other: "Path") -> None:
        """Go on where another path stands."""
        self.block, self.names, self.emissions = other.block, other.names, other.emissions

    def copy(self) -> "Path":
        """Return a path at the same place."""
        return Path(self.builder, self.block, dict(self.names), self.emissions)

    def append(
        self,
        operation: Callable[..., Op],
        results: Sequence[Type],
        span: Span,
        hint: str = "",
        **fields: object,
    ) -> tuple[Value, ...]:
        """Add an operation and return its results. Known scalars among `fields` become constants."""
        return self.builder.append(self.block, operation, results, span, hint, **fields)

    def use(self, scalar: Scalar, span: Span) -> Value:
        """Return a scalar as a value that can be used here."""
        return self.builder.use(self.block, scalar, span)


Arrival = tuple[Path, Row]
"""A path with the row that it brings."""


def fork(
    path: Path, condition: Scalar, names: tuple[str, str], span: Span
) -> tuple[Path | None, Path | None]:
    """Part a path by a condition. Where the condition is known, only one way is left: the same block."""
    if isinstance(condition, Known):
        return (path.copy(), None) if condition.value else (None, path.copy())
    then, otherwise = split(path, condition, names, span)
    return then, otherwise


def split(path: Path, condition: Scalar, names: tuple[str, str], span: Span) -> tuple[Path, Path]:
    """Part a path by a condition, even by a known one."""
    value = path.use(condition, span)
    then, otherwise = path.copy(), path.copy()
    then.block, otherwise.block = (path.builder.open(name, (), span) for name in names)
    path.block.terminator = Branch(
        condition=value, then=Edge(then.block.name), otherwise=Edge(otherwise.block.name), span=span
    )
    return then, otherwise


def join(arrivals: Sequence[Arrival], name: str, span: Span) -> list[Arrival]:
    """Let paths meet: one path for each list of sides emitted to, in the order of arrival."""
    groups: dict[tuple[str | None, ...], list[Arrival]] = {}
    for path, row in arrivals:
        groups.setdefault(tuple(emission.side for emission in path.emissions), []).append((path, row))
    return [_meet(group, name, span) for group in groups.values()]


def join_one(arrivals: Sequence[Arrival], name: str, span: Span) -> Arrival:
    """Let paths meet that have emitted to the same sides, as all paths within an expression have."""
    (arrival,) = join(arrivals, name, span)
    return arrival


def _meet(group: list[Arrival], name: str, span: Span) -> Arrival:
    if len(group) == 1:
        return group[0]
    first = group[0][0]
    shared = [key for key in first.names if all(key in path.names for path, _ in group)]
    rows = [_flatten(path, row, shared) for path, row in group]
    apart = [at for at, scalars in enumerate(zip(*rows, strict=True)) if len(set(scalars)) > 1]
    block = first.builder.open(name, [rows[0][at].type for at in apart], span)
    merged = list(rows[0])
    for at, parameter in zip(apart, block.parameters, strict=True):
        merged[at] = parameter
        _inherit(first.builder, parameter, [scalars[at] for scalars in rows])
    for (path, _), scalars in zip(group, rows, strict=True):
        arguments = tuple(path.use(scalars[at], span) for at in apart)
        path.block.terminator = Jump(to=Edge(block.name, arguments), span=span)
    return _unflatten(block, group[0], shared, tuple(merged))


def _inherit(builder: Builder, parameter: Value, sources: list[Scalar]) -> None:
    """Give a block's parameter the bound and, where they agree, the name of what it may be."""
    builder.bound(parameter, max(builder.most(source) for source in sources))
    hints = {builder.hint(source) for source in sources if isinstance(source, Value)}
    if len(hints) == 1 and "" not in hints:
        builder.name((parameter,), tuple(hints))


def _flatten(path: Path, row: Row, shared: Sequence[str]) -> Row:
    """Return all scalars that two paths may differ in."""
    scalars = list(row)
    for key in shared:
        binding = path.names[key]
        scalars += () if isinstance(binding, Static) else binding
    for emission in path.emissions:
        scalars += emission.row
    return tuple(scalars)


def _unflatten(block: OpenBlock, like: Arrival, shared: Sequence[str], scalars: Row) -> Arrival:
    """Return the path in the block where others have met, with their scalars in the order of `_flatten`."""
    path, row = like
    met = path.copy()
    met.block = block
    rest = iter(scalars[len(row) :])
    met.names = {key: _refill(path.names[key], rest) for key in shared}
    met.emissions = tuple(
        emission.with_row(tuple(islice(rest, len(emission.row)))) for emission in path.emissions
    )
    return met, scalars[: len(row)]


def _refill(binding: Binding, scalars: Iterator[Scalar]) -> Binding:
    return binding if isinstance(binding, Static) else tuple(islice(scalars, len(binding)))
