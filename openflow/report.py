"""What is on a switch, in the chain's words."""

from collections.abc import Iterable, Iterator, Mapping

from openflow.wire import Flow, flow_of
from synth.diagnostics.spans import NOWHERE
from synth.offload.entries import Entry
from synth.offload.split import Split

UNKNOWN = "an earlier split"


def named(split: Split, flows: Mapping[Flow, int]) -> Iterator[tuple[Flow, int, str, str]]:
    """Yield each flow with its packets, its class and its source line; those of other splits have neither."""
    known = {flow_of(entry): entry for entry in split.entries}
    for flow, packets in sorted(flows.items(), key=lambda item: (-item[0].priority, item[0].match)):
        entry = known.get(flow)
        yield (
            flow,
            packets,
            UNKNOWN if entry is None else entry.what,
            "" if entry is None else place_of(entry),
        )


def place_of(entry: Entry) -> str:
    """Return the source line that asked for an entry, or nothing."""
    return "" if entry.source == NOWHERE else f"{entry.source.file}:{entry.source.line}"


def flows_text(split: Split, flows: Mapping[Flow, int]) -> str:
    """Return the flows for a person: priority, match, packets, class, source line."""
    lines = []
    for flow, packets, what, place in named(split, flows):
        asked = " ".join(f"{name}={value:#x}/{mask:#x}" for name, value, mask in flow.match)
        lines.append(
            f"{flow.priority:>5} {asked or 'everything'}: {packets} packets, {what} {place}".rstrip()
        )
    return "\n".join(lines)


def statistics(split: Split, flows: Mapping[Flow, int]) -> Mapping[str, Mapping[str, int]]:
    """Return packets by class, and by source line those that are not 0."""
    classes: dict[str, int] = {}
    rules: dict[str, int] = {}
    for _, packets, what, place in named(split, flows):
        classes[what] = classes.get(what, 0) + packets
        if place and packets:
            rules[place] = rules.get(place, 0) + packets
    return {"classes": classes, "rules": dict(sorted(rules.items(), key=lambda item: -item[1]))}


def statistics_text(found: Mapping[str, Mapping[str, int]]) -> str:
    """Return statistics for a person."""
    rows: Iterable[tuple[str, int]] = [*found["classes"].items(), *found["rules"].items()]
    return "\n".join(f"{packets:>12,}  {name}" for name, packets in rows)
