"""Code under construction in place of a block: it may grow into several blocks that test headers.

%8: packet = write %p.3 l4.sport %s.5        (the packet may have no ports)        becomes

%6: bool = has %p.3 l4
branch %6 -> b~1() | b~2(%p.3)
block b~1(): %7: packet = write %p.3 l4.sport %s.5   jump b~2(%7)
block b~2(%8: packet):
"""

from collections.abc import Callable

from synth.diagnostics.spans import Span
from synth.graph.nodes import Block, Bool, Branch, Constant, Edge, Has, Jump, Op, Terminator, Value
from synth.net.kinds import Kind
from synth.synthesis.ssa import Fresh

Kinds = frozenset[Kind]


class Code:
    """One block's code, open at its end. `kinds` of a packet are those that it may be of here."""

    def __init__(self, fresh: Fresh, name: str, parameters: tuple[Value, ...], span: Span) -> None:
        self._fresh = fresh
        self._origin = name
        self._name = name
        self._parameters = parameters
        self._span = span
        self._operations: list[Op] = []
        self.blocks: list[Block] = []

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added so far."""
        return not self._operations and not self.blocks

    def add(self, op: Op) -> None:
        """Add an operation."""
        self._operations.append(op)

    def close(self, terminator: Terminator) -> None:
        """End the block that is open."""
        self.blocks.append(
            Block(
                name=self._name,
                parameters=self._parameters,
                operations=tuple(self._operations),
                terminator=terminator,
                span=self._span,
            )
        )

    def where_present(
        self, packet: Value, header: str, kinds: Kinds, make: Callable[[], Value], otherwise: Value | None
    ) -> Value:
        """Return what `make` gives, for packets that have a header, and for others something else.

        Args:
            packet: whose header is asked for.
            header: a word of `kinds.HEADERS`.
            kinds: what the packet can be here; decides whether it must be asked at all.
            make: adds operations that need the header, and returns their value.
            otherwise: the value for other packets; None for zero, which nobody will look at.
        """
        if all(kind.has(header) for kind in kinds):
            return make()
        if not any(kind.has(header) for kind in kinds) and otherwise is not None:
            return otherwise
        test = self._fresh.value(Bool(), f"is_{header}")
        self.add(Has(packet=packet, header=header, results=(test,)))
        way, join = self._fresh.block(self._origin), self._fresh.block(self._origin)
        head, self._operations = self._operations, []
        made = make()
        inside, self._operations = self._operations, head
        if otherwise is None:
            otherwise = self._fresh.value(made.type)
            self.add(Constant(value=0, results=(otherwise,)))
        result = self._fresh.like(made)
        self.close(
            Branch(condition=test, then=Edge(way), otherwise=Edge(join, (otherwise,)), span=self._span)
        )
        self._name, self._parameters, self._operations = way, (), inside
        self.close(Jump(to=Edge(join, (made,)), span=self._span))
        self._name, self._parameters, self._operations = join, (result,), []
        return result
