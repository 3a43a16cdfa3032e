"""What a split takes in the switch, for a person and for scripts."""

from collections.abc import Iterator, Mapping

from openflow.notation import entry_dict, entry_text
from synth.offload.classification import Classification
from synth.offload.split import InterfaceSplit, Split

MOST_LINES = 5
"""So many source lines are named as those that cause most entries."""


def rules_text(split: Split) -> str:
    """Return the tables as `ovs-ofctl` reads them; comments say what they take."""
    lines = [f"# {line}" for line in summary_lines(split)]
    lines += [entry_text(entry, split.switch.table) for entry in split.entries]
    return "\n".join(lines)


def summary_lines(split: Split) -> Iterator[str]:
    """Yield how many entries the table takes, why, and what is left to the server."""
    switch = split.switch
    yield (
        f"table {switch.table} of {switch.name}: {len(split.entries)} entries of at most {switch.capacity}; "
        f"tags of version {split.version}"
    )
    for one in split.interfaces:
        yield f"interface {one.name}, port {one.port}, tag {one.tag}: {one.entries} entries, {_share(one)}"
        for number, entries in _most_costly(one):
            assert isinstance(one.found, Classification)
            span = one.found.rules.rules.rules[number - 1].span
            yield f"  {entries} entries for {span.file}:{span.line}"
    for of in split.classes:
        yield f"class {of.what}, from {of.interface}: tag {of.tag}"
    yield f"the server is on port {split.server}"


def rules_dict(split: Split) -> Mapping[str, object]:
    """Return the object that `--json` prints."""
    return {
        "switch": split.switch.name,
        "table": split.switch.table,
        "version": split.version,
        "server": split.server,
        "interfaces": {
            one.name: {
                "port": one.port,
                "tag": one.tag,
                "entries": one.entries,
                "rules": one.kept,
                "left_to_server": None if isinstance(one.found, Classification) else one.found.why,
            }
            for one in split.interfaces
        },
        "classes": {of.name: {"tag": of.tag, "from": of.interface, "what": of.what} for of in split.classes},
        "entries": [entry_dict(entry) for entry in split.entries],
    }


def _share(one: InterfaceSplit) -> str:
    if not isinstance(one.found, Classification):
        return f"all left to the server: {one.found.why}"
    rules = len(one.found.rules.rules.rules)
    share = f"{one.kept} of {rules} rules of {one.found.rules.name}"
    if one.kept < rules:
        share += " (the table is full; the server decides the others)"
    return share


def _most_costly(one: InterfaceSplit) -> list[tuple[int, int]]:
    costs = sorted(one.costs.items(), key=lambda cost: (-cost[1], cost[0]))
    return [cost for cost in costs[:MOST_LINES] if cost[1] > 1]
