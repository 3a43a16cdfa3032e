"""Why there is no key: a smallest set of relations that nothing serves, and what the rest could do."""

from collections.abc import Callable, Sequence

from synth.parallel.choose import constrained, find_support
from synth.parallel.plan import ROLES, Reason
from synth.parallel.relations import Relation
from synth.parallel.units import Unit
from synth.parallel.words import describe, place


def find_reason(relations: Sequence[Relation], units: Sequence[Unit]) -> Reason:
    """Return a smallest conflict among relations that cannot be served together."""

    def is_served(some: Sequence[Relation]) -> bool:
        return find_support(some, units) is not None

    core = _minimize(_group(relations), is_served)
    interfaces = dict.fromkeys(unit.interface for unit in constrained(core))
    return Reason(
        meetings=describe(core, dict.fromkeys(interfaces, ROLES)),
        example=(),
        hints=_hints(core, relations, is_served),
    )


def _group(relations: Sequence[Relation]) -> list[list[Relation]]:
    """Put the relations together that say the same of other kinds of packets: TCP's and UDP's."""
    found: dict[object, list[Relation]] = {}
    for relation in relations:
        same = (describe([relation], {})[0].when, relation.causes[0].object)
        found.setdefault(same, []).append(relation)
    return list(found.values())


def _minimize(
    groups: list[list[Relation]], is_served: Callable[[Sequence[Relation]], bool]
) -> list[Relation]:
    """Leave groups out, one after the other, as long as the rest still cannot be served."""
    core = list(groups)
    for group in groups:
        rest = [other for other in core if other is not group]
        if not is_served([relation for other in rest for relation in other]):
            core = rest
    return [relation for group in core for relation in group]


def _hints(
    core: Sequence[Relation], relations: Sequence[Relation], is_served: Callable[[Sequence[Relation]], bool]
) -> tuple[str, ...]:
    """Say which object, or which access to it, stands alone in the way."""
    hints: list[str] = []
    for name in dict.fromkeys(relation.causes[0].object for relation in core):
        rest = [relation for relation in relations if relation.causes[0].object != name]
        if is_served(rest):
            what = "the rest is shared-nothing" if rest else "nothing else is shared"
            hints.append(f"without {name}, {what}")
    for cause in dict.fromkeys(cause for relation in core for cause in relation.causes):
        same = (cause.object, cause.unit.interface, cause.how)
        rest = [
            relation
            for relation in relations
            if all((own.object, own.unit.interface, own.how) != same for own in relation.causes)
        ]
        if rest and is_served(rest):
            how = "" if cause.how == "cell" else f" by its {cause.how}"
            hints.append(
                f"if no packet of {cause.unit.interface} touched {cause.object}{how} ({place(cause.span)}), "
                "the rest is shared-nothing"
            )
    return tuple(dict.fromkeys(hints))
