"""View model of the flow entry's header."""

from dataclasses import dataclass

from synth.codegen.memos import Memos
from synth.codegen.symbols import Symbols
from synth.graph.nodes import ChainGraph, KeyedTable, RouteTable, RuleTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Memo:
    """The memos of one object, as a member of `struct flow`."""

    type: str
    name: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowView:
    """A flow entry as `templates/flow.h.j2` prints it; `has_epoch`: it has memos of static tables."""

    chain: str
    memos: tuple[Memo, ...]
    has_epoch: bool


def flow_view(graph: ChainGraph, symbols: Symbols, memos: Memos) -> FlowView:
    """Return the view of a chain's flow entries: large members first, so that none is padded."""
    kinds = ((RuleTable, "struct rules_memo"), (RouteTable, "struct route_memo"), (KeyedTable, "uint32_t"))
    found = tuple(
        Memo(type=type_, name=symbols.states[state.name], count=memos.counts[state.name])
        for kind, type_ in kinds
        for state in graph.states
        if isinstance(state, kind) and state.name in memos.counts
    )
    return FlowView(
        chain=graph.name, memos=found, has_epoch=any(one.type.startswith("struct") for one in found)
    )
