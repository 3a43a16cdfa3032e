"""Blocks under construction, and the one place that makes values and operations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from synth.diagnostics.spans import Span
from synth.graph.nodes import Block, Constant, Op, Terminator, Type, Value
from synth.lower.scalars import Known, Row, Scalar, width_of


@dataclass(slots=True)
class OpenBlock:
    """A block that may still get operations. `constants` are those that it has defined already."""

    name: str
    parameters: tuple[Value, ...]
    span: Span
    is_entry: bool = False
    operations: list[Op] = field(default_factory=list)
    terminator: Terminator | None = None
    constants: dict[Known, Value] = field(default_factory=dict)


class Builder:
    """Makes the blocks of a graph, with names and numbers that `tidy` replaces."""

    def __init__(self) -> None:
        self._blocks: list[OpenBlock] = []
        self._next_id = 0
        self._bounds: dict[Value, int] = {}
        self._hints: dict[int, str] = {}
        self.wanted: dict[str, str] = {}

    def open(self, name: str, types: Sequence[Type], span: Span) -> OpenBlock:
        """Begin a block with parameters of these types.

        It goes by a name of its own for now; `wanted` says which name it should have in the end.
        """
        unique = f"{name}#{len(self._blocks)}"
        self.wanted[unique] = name
        return self._begin(OpenBlock(unique, self._parameters(types), span))

    def open_entry(self, name: str, types: Sequence[Type], span: Span) -> OpenBlock:
        """Begin a block that other handlers know by its name."""
        self.wanted[name] = name
        return self._begin(OpenBlock(name, self._parameters(types), span, is_entry=True))

    def _parameters(self, types: Sequence[Type]) -> tuple[Value, ...]:
        return tuple(self.fresh(of) for of in types)

    def _begin(self, block: OpenBlock) -> OpenBlock:
        self._blocks.append(block)
        return block

    def fresh(self, of: Type, hint: str = "") -> Value:
        """Return a new value."""
        self._next_id += 1
        return Value(self._next_id, of, hint)

    def append(
        self,
        block: OpenBlock,
        operation: Callable[..., Op],
        results: Sequence[Type],
        span: Span,
        hint: str = "",
        **fields: object,
    ) -> tuple[Value, ...]:
        """Add an operation and return its results. Known scalars among `fields` become constants."""
        used = {name: self._operand(block, content, span) for name, content in fields.items()}
        made = tuple(self.fresh(of, hint) for of in results)
        block.operations.append(operation(results=made, span=span, **used))
        return made

    def _operand(self, block: OpenBlock, content: object, span: Span) -> object:
        if isinstance(content, Known):
            return self.use(block, content, span)
        if isinstance(content, tuple):
            return tuple(self._operand(block, item, span) for item in content)
        return content

    def use(self, block: OpenBlock, scalar: Scalar, span: Span) -> Value:
        """Return a scalar as a value that can be used in a block."""
        if isinstance(scalar, Value):
            return scalar
        if scalar not in block.constants:
            made = self.fresh(scalar.type)
            block.operations.append(Constant(results=(made,), value=scalar.value, span=span))
            block.constants[scalar] = made
        return block.constants[scalar]

    def bound(self, value: Value, most: int) -> None:
        """Remember that a value is never more than `most`."""
        self._bounds[value] = most

    def most(self, scalar: Scalar) -> int:
        """Return the most that a scalar can be, as far as constants show."""
        if isinstance(scalar, Known):
            return scalar.value
        return self._bounds.get(scalar, (1 << width_of(scalar.type)) - 1)

    def name(self, row: Row, hints: Sequence[str]) -> None:
        """Give the values of a row their names, where they have none."""
        for scalar, hint in zip(row, hints, strict=True):
            if isinstance(scalar, Value) and not scalar.hint:
                self._hints.setdefault(scalar.id, hint)

    def hint(self, value: Value) -> str:
        """Return a value's name, or the empty string."""
        return value.hint or self._hints.get(value.id, "")

    def close(self) -> tuple[Block, ...]:
        """Return all blocks, in the order in which they were begun."""
        return tuple(_close(block) for block in self._blocks)


def _close(block: OpenBlock) -> Block:
    """Return a block. Where nobody else knows its name, its place is where its first operation stands."""
    if block.terminator is None:
        raise ValueError(f"block {block.name} has no end")
    first = block.operations[0] if block.operations else block.terminator
    return Block(
        name=block.name,
        parameters=block.parameters,
        operations=tuple(block.operations),
        terminator=block.terminator,
        span=block.span if block.is_entry else first.span,
    )
