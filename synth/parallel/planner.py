"""Decides: shared-nothing with a checked key, or locks with the reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from synth.graph.nodes import ChainGraph
from synth.parallel.accesses import Access
from synth.parallel.analysis import Analysis, analyze
from synth.parallel.choose import Configuration, Support, configure, find_support
from synth.parallel.differences import find_differences
from synth.parallel.interfaces import Planned, plan_interfaces
from synth.parallel.nic import Nic, check_cores
from synth.parallel.objects import plan_objects
from synth.parallel.plan import Plan, Share
from synth.parallel.reason import find_reason
from synth.parallel.relations import Arrival, Modes, Relation, relate
from synth.parallel.rss_check import confirm
from synth.parallel.shares import Choices, find_choices, share_values
from synth.parallel.terms import Owned
from synth.parallel.words import describe


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to take the tables with chosen values, and what must meet then."""

    modes: Modes
    relations: tuple[Relation, ...]
    arrivals: tuple[Arrival, ...]


@dataclass(frozen=True, slots=True)
class Success:
    """A configuration that keeps what must meet together, checked by the solver: `questions` times."""

    support: Support
    planned: Planned
    shares: tuple[Share, ...]
    questions: int


def plan(graph: ChainGraph, nic: Nic, *, cores: int) -> Plan:
    """Return how a chain can run on some cores.

    Raises:
        UserError: the NIC has not so many queues.
    """
    check_cores(nic, cores)
    analysis = analyze(graph)
    choices = find_choices(graph)
    attempts: list[Attempt] = []
    failures: list[str] = []
    for modes in _modes(analysis):
        attempt = Attempt(modes, *relate(analysis.model, modes))
        attempts.append(attempt)
        made = _try(graph, nic, cores, analysis, attempt, choices)
        if isinstance(made, Success):
            return _shared_nothing(graph, nic, cores, analysis, attempt, made)
        failures.append(made)
    return _locks(graph, nic, cores, analysis, attempts, failures)


def _modes(analysis: Analysis) -> Iterator[Modes]:
    """Yield the ways to take chosen values, the plainest first."""
    chosen, guarded = frozenset(analysis.model.chosen), frozenset(analysis.guarded)
    let_off = frozenset((table, unit) for table in guarded for unit in analysis.units)
    yield Modes()
    if guarded:
        yield Modes(interchangeable=let_off, core_aware=chosen - guarded)
    if chosen:
        yield Modes(core_aware=chosen)


NO_KEY = ""
"""Why an attempt failed: what must meet cannot be served by any hash; `reason.py` says more."""


def _try(
    graph: ChainGraph, nic: Nic, cores: int, analysis: Analysis, attempt: Attempt, choices: Choices
) -> Success | str:
    """Return a checked configuration, or why there is none."""
    support = find_support(attempt.relations, analysis.units)
    if support is None:
        return NO_KEY
    found: Configuration | None = configure(attempt.relations, analysis.units, support, nic)
    if found is None:
        return f"no key of {nic.title}, nor of software RSS, serves all of them"
    questions = confirm(attempt.relations, found)
    if questions is None:
        return "the solver does not confirm the key"
    planned = plan_interfaces(graph, attempt.relations, support, found, nic, cores)
    tables = {interface.name: interface.table for interface in planned.interfaces}
    shares = share_values(choices, attempt.arrivals, found, tables, cores)
    if shares is None:
        return "a core would have no value to choose from"
    return Success(support, planned, shares, questions)


def _shared_nothing(
    graph: ChainGraph, nic: Nic, cores: int, analysis: Analysis, attempt: Attempt, made: Success
) -> Plan:
    roles = {interface: tuple(by_role) for interface, by_role in made.support.items()}
    interfaces = made.planned.interfaces
    return Plan(
        chain=graph.name,
        nic=nic.title,
        cores=cores,
        strategy="shared-nothing",
        summary=_summary(attempt),
        interfaces=interfaces,
        objects=plan_objects(graph, analysis.model.written, (), attempt.relations, interfaces, cores),
        shares=made.shares,
        meetings=describe(attempt.relations, roles),
        differences=tuple(find_differences(graph, analysis, attempt.modes)),
        warnings=made.planned.warnings,
        checked=made.questions,
    )


def _summary(attempt: Attempt) -> str:
    if not attempt.relations:
        return "no packet needs what another one left: any key will do"
    if attempt.arrivals:
        return "state is split; chosen values bring replies to the core that chose them (core-aware)"
    if attempt.modes.interchangeable:
        return "state is split; a reply that fails the test of its flow may miss as well (interchangeable)"
    return "state is split: every packet finds its state on the core that its hash names"


def _locks(
    graph: ChainGraph,
    nic: Nic,
    cores: int,
    analysis: Analysis,
    attempts: Sequence[Attempt],
    failures: Sequence[str],
) -> Plan:
    """Lock what no key serves; what one serves all the same is split (in the plainest way to take values)."""
    why_not = next((failure for failure in failures if failure != NO_KEY), NO_KEY)
    last, plainest = attempts[-1], attempts[0]
    locked = _objects_that_meet(analysis, plainest.modes) if why_not else _unserved(analysis, plainest.modes)
    rest = _try_rest(graph, nic, cores, analysis, plainest, locked)
    if rest is None:
        locked = _objects_that_meet(analysis, plainest.modes)
        rest = _try_rest(graph, nic, cores, analysis, plainest, locked)
    assert rest is not None, "without anything that must meet, any key will do"
    attempt, made = rest
    reason = None if why_not else find_reason(last.relations, analysis.units)
    names = sorted({unit.interface for relation in last.relations for unit in relation.units})
    unserved = list(locked) if reason is None else [name for one in reason.meetings for name in one.objects]
    no_hash = f"no hash of header fields keeps {', '.join(dict.fromkeys(unserved))} on one core"
    return Plan(
        chain=graph.name,
        nic=nic.title,
        cores=cores,
        strategy="locks",
        summary=why_not or f"{no_hash} for packets of {' and '.join(names)}",
        interfaces=made.planned.interfaces,
        objects=plan_objects(
            graph, analysis.model.written, locked, attempt.relations, made.planned.interfaces, cores
        ),
        shares=tuple(share for share in made.shares if share.table not in locked),
        meetings=describe(attempt.relations, {}),
        differences=tuple(find_differences(graph, analysis, attempt.modes, locked=locked)),
        warnings=made.planned.warnings,
        reason=reason,
        checked=made.questions,
    )


def _objects_that_meet(analysis: Analysis, modes: Modes) -> tuple[str, ...]:
    """Return the objects that ask for meetings, also where another asks for the same ones."""
    return tuple(name for name in sorted(analysis.model.written) if relate(analysis.model, modes, (name,))[0])


def _unserved(analysis: Analysis, modes: Modes) -> tuple[str, ...]:
    """Return the objects to lock so that a key serves the others: greedily, each kept that still can be."""
    kept: list[Relation] = []
    locked = []
    for name in _objects_that_meet(analysis, modes):
        own, _ = relate(analysis.model, modes, (name,))
        if find_support([*kept, *own], analysis.units) is None:
            locked.append(name)
        else:
            kept += own
    return _with_dependents(locked, analysis)


def _with_dependents(locked: Sequence[str], analysis: Analysis) -> tuple[str, ...]:
    """Add the objects whose places are told by entries, or chosen values, of what is locked.

    Such a packet counts as the one that made the entry, as long as that one's table keeps both on one core.
    """
    found = dict.fromkeys(locked)
    is_growing = True
    while is_growing:
        more = {
            access.object: None
            for access in analysis.model.accesses
            if access.object not in found and not found.keys().isdisjoint(_rests_on(access))
        }
        found |= more
        is_growing = bool(more)
    return tuple(name for name in found if name in analysis.model.written)


def _rests_on(access: Access) -> frozenset[str]:
    """Return the tables that tell an access where it goes."""
    return access.through | {term.table for _, term in access.columns if isinstance(term, Owned)}


def _try_rest(
    graph: ChainGraph, nic: Nic, cores: int, analysis: Analysis, attempt: Attempt, locked: Sequence[str]
) -> tuple[Attempt, Success] | None:
    # Anew, since a relation names only the first of the objects that ask for it.
    split = analysis.model.written - frozenset(locked)
    relations, arrivals = relate(analysis.model, attempt.modes, split)
    rest = replace(attempt, relations=relations, arrivals=arrivals)
    choices = {table: choice for table, choice in find_choices(graph).items() if table not in locked}
    made = _try(graph, nic, cores, analysis, rest, choices)
    return (rest, made) if isinstance(made, Success) else None
