"""How a build runs on several cores, and with which strategy."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from synth.diagnostics.diagnostic import Diagnostic, complain
from synth.diagnostics.spans import Span
from synth.graph.nodes import ChainGraph, KeyedTable
from synth.parallel import Plan, load_nic, plan
from synth.parallel.plan import ObjectPlan

StrategyWish = Literal["auto", "shared-nothing", "locks"]
WISHES: tuple[StrategyWish, ...] = get_args(StrategyWish)


@dataclass(frozen=True, kw_only=True)
class NoStrategy(Diagnostic):
    """The strategy that was asked for cannot be had."""

    code = "E723"
    title = "chain {chain} cannot be {strategy} on {cores} cores: {reason}"
    help = "`synth plan` says more; `--strategy auto` takes what can be had"

    chain: str
    strategy: str
    cores: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class NoCoresBehindSwitch(Diagnostic):
    """A server behind a switch needs DPDK ports, which one core serves."""

    code = "E724"
    title = "behind a switch, a binary runs on one core, not on {cores}"
    help = "leave out `--cores`, or `--switch`"

    cores: int


def check_behind_switch(cores: int, span: Span) -> None:
    """Refuse several cores for a binary behind a switch.

    Raises:
        UserError: there are several.
    """
    if cores > 1:
        raise complain(NoCoresBehindSwitch(span=span, cores=cores))


def plan_build(graph: ChainGraph, *, cores: int, nic: str, strategy: StrategyWish, span: Span) -> Plan | None:
    """Return the plan for a binary, or None for one core.

    Raises:
        UserError: the strategy cannot be had, or the NIC is wrong or has not so many queues.
    """
    if cores == 1:
        return None
    found = plan(graph, load_nic(nic), cores=cores)
    if strategy == "shared-nothing" and found.strategy != "shared-nothing":
        raise complain(
            NoStrategy(span=span, chain=graph.name, strategy=strategy, cores=cores, reason=found.summary)
        )
    return lock_all(graph, found) if strategy == "locks" else found


def lock_all(graph: ChainGraph, found: Plan) -> Plan:
    """Return a plan in which cores share all that packets change."""
    capacities = {state.name: (state.capacity,) for state in graph.states if isinstance(state, KeyedTable)}

    def locked(one: ObjectPlan) -> ObjectPlan:
        whole = capacities.get(one.name, ())
        return replace(one, treatment="locked", by=(), capacities=whole) if one.treatment == "split" else one

    return replace(
        found,
        strategy="locks",
        summary="all that packets change is shared, behind a lock, as was asked for",
        objects=tuple(map(locked, found.objects)),
        shares=(),
        differences=(),
    )
