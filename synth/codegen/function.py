"""One handler as the statements of its C function.

Control flow is recovered along the dominator tree: what a block dominates stands inside or behind
its `if`, a join behind the test that dominates it. An arm that ends early becomes a guard and the
other goes on beside it. `goto` is left for joins that are not what follows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from synth.codegen.layout import (
    Assign,
    Declare,
    Goto,
    If,
    Label,
    Line,
    Return,
    Statement,
    has_end,
    without_last_return,
)
from synth.codegen.memos import Memos
from synth.codegen.names import Namespace
from synth.codegen.regions import Region
from synth.codegen.scope import Scope, split_parameters
from synth.codegen.state import States
from synth.codegen.statements import Statements
from synth.codegen.symbols import Symbols
from synth.codegen.tidy import tidied
from synth.codegen.uses import Site, find_uses
from synth.codegen.variables import share_variables
from synth.graph.nodes import Block, Branch, Deliver, Edge, Exit, Jump, Packet, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A handler's function, but for the start that all have.

    `parameters` are those behind `burst` and `packet`; nothing needs the `unused` ones.
    """

    parameters: tuple[str, ...]
    unused: tuple[str, ...]
    statements: tuple[Statement, ...]


def function_body(
    region: Region,
    symbols: Symbols,
    states: States,
    *,
    keeps_received: bool,
    verdicts: Mapping[Site, str],
    memos: Memos,
) -> Body:
    """Return what a handler's function consists of.

    Args:
        region: the handler's blocks.
        symbols: the names in the chain.
        states: its state objects.
        keeps_received: packets that are given to functions are never written to, only drafts of them.
        verdicts: which rule sets were decided before, by the place of the operation.
        memos: which lookups are remembered in the packet's flow entry.
    """
    uses = find_uses(region)
    variables = share_variables(region, uses, keeps_received=keeps_received)
    scope = Scope(
        region,
        uses,
        variables,
        symbols,
        states,
        keeps_received=keeps_received,
        verdicts=verdicts,
        memos=memos,
    )
    decided = (f"const struct verdict *{symbols.states[name]}" for name in dict.fromkeys(verdicts.values()))
    parameters, unused = (*scope.parameters(), *decided), tuple(scope.unused_parameters())
    statements = _Writer(scope).sequence(region.handler.block, None)
    return Body(parameters=parameters, unused=unused, statements=without_last_return(tidied(statements)))


class _Writer:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.region = scope.region
        self.statements = Statements(scope)
        self.labels: dict[str, str] = {}
        self.label_names = Namespace()
        self.sizes = _dominated_blocks(scope.region)
        self.homes: dict[str, list[Value]] = {}
        for root, home in scope.variables.homes.items():
            self.homes.setdefault(home, []).append(root)

    def sequence(self, name: str, follow: str | None) -> list[Statement]:
        """Write a block and all that it dominates; `follow` is the block whose text comes next."""
        written: list[Statement] = []
        pending: list[list[str]] = []
        current: str | None = name
        while current is not None:
            pending.append(list(self.region.joins_below(current)))
            following = next((joins[0] for joins in reversed(pending) if joins), follow)
            current = self._block(self.region.blocks[current], following, written)
            if current is None:
                current = _next_join(pending)
                if current is not None and current in self.labels:
                    written.append(Label(self.labels[current]))
        return written

    def _block(self, block: Block, follow: str | None, written: list[Statement]) -> str | None:
        """Write one block; return the block that stands right behind it, if there is one."""
        for index, op in enumerate(block.operations):
            written.extend(self.statements.of(op, Site(block.name, index)))
        written.extend(self._declarations(block.name))
        match block.terminator:
            case Jump(to=to):
                return self._go(to, follow, written)
            case Branch() as branch:
                return self._branch(branch, follow, written)
            case Deliver() as deliver:
                written.extend(self._deliver(deliver))
                return None

    def _declarations(self, name: str) -> Iterator[Declare | Line]:
        """Declare what is assigned on the ways into a join that this block dominates."""
        for value in self.homes.get(name, ()):
            is_own_packet = isinstance(value.type, Packet) and self.scope.is_own(value)
            if value in self.scope.uses.sites and not self.scope.is_declared(value) and not is_own_packet:
                name = self.scope.declare(value, "value")
                yield Declare(self.scope.c_type(value), name, is_once=value not in self.scope.variables.roots)
                yield from map(Line, self.scope.declare_head(value))

    # ---- ways on

    def _go(self, edge: Edge, follow: str | None, written: list[Statement]) -> str | None:
        """Follow an edge: assign the parameters, and return the block if it is written here."""
        written.extend(self._assignments(edge))
        if len(self.region.predecessors[edge.block]) == 1:
            return edge.block
        if edge.block != follow:
            written.append(Goto(self._label(edge.block)))
        return None

    def _assignments(self, edge: Edge) -> Iterator[Line | Assign]:
        scope = self.scope
        for parameter, argument in zip(
            self.region.blocks[edge.block].parameters, edge.arguments, strict=True
        ):
            source = scope.uses.base(argument) if isinstance(parameter.type, Packet) else argument
            if parameter not in scope.uses.sites or scope.variables.root(parameter) == scope.variables.root(
                source
            ):
                continue
            if isinstance(parameter.type, Packet):
                yield from map(Line, self.statements.copy_packet(parameter, argument))
            else:
                yield Assign(scope.name(parameter), scope.text(argument))

    def _label(self, block: str) -> str:
        if block not in self.labels:
            self.labels[block] = self.label_names.fresh(block.rpartition(".")[2])
        return self.labels[block]

    def _arm(self, edge: Edge, follow: str | None) -> list[Statement]:
        written: list[Statement] = []
        target = self._go(edge, follow, written)
        return written if target is None else written + self.sequence(target, follow)

    def _branch(self, branch: Branch, follow: str | None, written: list[Statement]) -> str | None:
        """Write a test. The smaller arm is written first, so that a long handler nests no deeper."""
        is_then_first = self._weight(branch.then) <= self._weight(branch.otherwise)
        small, large = (branch.then, branch.otherwise) if is_then_first else (branch.otherwise, branch.then)
        if_small = self.scope.condition(branch.condition, negated=not is_then_first)
        if_large = self.scope.condition(branch.condition, negated=is_then_first)
        first = self._arm(small, follow)
        if has_end(first):
            written.append(If(if_small, tuple(first), span=branch.span))
            return self._go(large, follow, written)
        second = self._arm(large, follow)
        if has_end(second) or not first:
            written.extend([If(if_large, tuple(second), span=branch.span)] if second else [])
            written.extend(first)
        elif not second:
            written.append(If(if_small, tuple(first), span=branch.span))
        else:
            then, otherwise = (first, second) if is_then_first else (second, first)
            condition = if_small if is_then_first else if_large
            written.append(If(condition, tuple(then), tuple(otherwise), span=branch.span))
        return None

    def _weight(self, edge: Edge) -> tuple[int, bool]:
        if len(self.region.predecessors[edge.block]) > 1:
            return 0, False
        terminator = self.region.blocks[edge.block].terminator
        return self.sizes[edge.block], not (isinstance(terminator, Deliver) and terminator.drop is not None)

    # ---- ends

    def _deliver(self, deliver: Deliver) -> Iterator[Statement]:
        generated = len(deliver.emissions) - (deliver.drop is None)
        if generated:
            yield Line(f"burst->generated += {generated};", deliver.span)
        if deliver.drop is not None:
            yield Line(f"drop(burst, {self.scope.symbols.counters[deliver.drop]});", deliver.span)
        for number, emission in enumerate(deliver.emissions):
            yield from self._emit(emission, deliver.emissions[number + 1 :], deliver)
        yield Return()

    def _emit(
        self, emission: Exit | Edge, later: tuple[Exit | Edge, ...], deliver: Deliver
    ) -> Iterator[Line]:
        """Hand a packet over. What a later emission needs is kept from the NFs behind this one."""
        scope = self.scope
        if isinstance(emission, Exit):
            interface = scope.symbols.interfaces[emission.interface]
            function = "packet_leave" if scope.leaves(emission.packet) else "packet_emit"
            leaving = scope.packet(emission.packet)
            yield Line(f"{function}({leaving}, {interface}, burst->out);", deliver.span)
            return
        packet, others = split_parameters(emission.arguments)
        pointer = "packet" if packet is None else scope.packet(packet)
        later_packets = {scope.variables.root(value) for other in later for value in _packets_of(other)}
        if packet is None or scope.variables.root(packet) in later_packets:
            name = scope.namespace.fresh("handed")
            content = "*packet" if packet is None or scope.is_own(packet) else scope.name(packet)
            yield Line(f"struct packet {name} = {content};", deliver.span)
            pointer = f"&{name}"
        arguments = ["burst", pointer, *map(scope.argument, others)]
        yield Line(f"{scope.symbols.functions[emission.block]}({', '.join(arguments)});", deliver.span)


def _packets_of(emission: Exit | Edge) -> tuple[Value, ...]:
    values = (emission.packet,) if isinstance(emission, Exit) else emission.arguments
    return tuple(value for value in values if isinstance(value.type, Packet))


def _next_join(pending: list[list[str]]) -> str | None:
    while pending:
        if pending[-1]:
            return pending[-1].pop(0)
        pending.pop()
    return None


def _dominated_blocks(region: Region) -> Mapping[str, int]:
    """Return how many blocks each block dominates, itself included."""
    sizes = dict.fromkeys(region.blocks, 1)
    for name in reversed(region.blocks):
        if name in region.dominators:
            sizes[region.dominators[name]] += sizes[name]
    return sizes
