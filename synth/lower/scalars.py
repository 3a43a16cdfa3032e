"""What an expression becomes: a row of scalars, each an SSA value or known already."""

from dataclasses import dataclass, replace

from synth.graph.nodes import Bits, Bool, Column, Packet, Type, Value
from synth.language import types
from synth.language.values import PrefixValue, RangeValue
from synth.language.values import Value as StaticData

BOOL = Bool()
PACKET = Packet()


@dataclass(frozen=True, slots=True)
class Known:
    """A scalar that is known when the chain is lowered. It becomes a `constant` where it is used."""

    type: Bits | Bool
    value: int


Scalar = Value | Known
Row = tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Static:
    """Data that is no run-time value: a prefix, a range, or a table by its parameter's name."""

    value: StaticData
    parameter: str = ""

    def prefix(self) -> PrefixValue:
        """Return the data as a prefix."""
        if not isinstance(self.value, PrefixValue):
            raise TypeError(f"{self.value} is no prefix")
        return self.value

    def range(self) -> RangeValue:
        """Return the data as a range."""
        if not isinstance(self.value, RangeValue):
            raise TypeError(f"{self.value} is no range")
        return self.value


Binding = Row | Static
"""What a name stands for."""

TRUE = Known(BOOL, 1)
FALSE = Known(BOOL, 0)


def known_row(of: types.Type, row: tuple[int, ...]) -> Row:
    """Return the scalars of a constant."""
    return tuple(
        Known(graph_type(scalar), value) for scalar, value in zip(types.scalars(of), row, strict=True)
    )


def graph_type(scalar: types.Scalar) -> Bits | Bool:
    """Return the graph's type of a scalar of the language."""
    return BOOL if scalar.is_bool else Bits(scalar.width)


def bind(of: types.Type, value: StaticData, parameter: str = "") -> Binding:
    """Return what a name stands for that is bound to a value when the chain is built."""
    return known_row(of, value) if isinstance(value, tuple) else Static(value, parameter)


def width_of(of: Type) -> int:
    """Return the width of a scalar in bits; a truth value has one."""
    return of.width if isinstance(of, Bits) else 1


def columns_of(name: str, of: types.Type, sides: int | None = None) -> tuple[Column, ...]:
    """Return a column for each scalar of a type, named after the members that lead to it.

    `sides` is how many the NF has, for data that come from outside: no side's index may be beyond it.
    """
    match of:
        case types.Record(_, members):
            parts = members
        case types.Tuple(items):
            parts = tuple((str(position), item) for position, item in enumerate(items))
        case _:
            return tuple(
                Column(name, scalar.width, scalar.is_bool, sides if scalar.is_side else None)
                for scalar in types.scalars(of)
            )
    return tuple(
        column
        for member, part in parts
        for column in columns_of(f"{name}_{member}" if name else member, part, sides)
    )


def unique_columns(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the columns with a `_` behind those names that were taken before."""
    taken: set[str] = set()
    renamed = []
    for column in columns:
        name = column.name
        while name in taken:
            name += "_"
        taken.add(name)
        renamed.append(replace(column, name=name))
    return tuple(renamed)
