"""Types that header fields and columns imply."""

from synth.graph.nodes import Bits, Bool, Column, KeyedTable, Type
from synth.net.fields import FIELDS


def field_type(path: str) -> Type:
    """Return the type of a header field's values."""
    field = FIELDS[path]
    return Bool() if field.kind == "bool" else Bits(field.width)


def column_type(column: Column) -> Type:
    """Return the type of a column's values."""
    return Bool() if column.is_bool else Bits(column.width)


def column_types(columns: tuple[Column, ...]) -> tuple[Type, ...]:
    """Return the types of the columns' values."""
    return tuple(column_type(column) for column in columns)


def plain_columns(table: KeyedTable) -> tuple[Column, ...]:
    """Return a table's value columns that are no buckets: those that an insertion fills."""
    return tuple(column for column in table.values if isinstance(column, Column))
