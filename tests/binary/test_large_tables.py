"""Chains with 8,550 rules and with 82,377 routes: they build, run, and decide as the interpreter does."""

import random
from pathlib import Path

from synth.driver import Source, load
from synth.graph.nodes import RouteTable
from synth.language.values import RouteTableValue
from synth.traffic.frames import Frame
from synth.traffic.random_traffic import Arrival
from tests.binary.conftest import build
from tests.conftest import REPOSITORY
from tests.differential.harness import assert_interpreter_agrees, run_binary, write_inputs

INTERFACES = "".join(
    f"    interface {name} {{ mac 02:00:00:00:00:{number:02x} }}\n" for number, name in enumerate("abcdefgh")
)
HOPS = ",\n".join(
    f"            nh{number}: {{ side: {side}, mac: 02:00:00:00:01:{number:02x}, source: 02:00:00:00:00:00 }}"
    for number, side in enumerate("bcdefgh")
)
WIRES = "".join(f"    {name} <-> r.{name}\n" for name in "abcdefgh")
ROUTER = f"""\
use nf: router

chain backbone {{
{INTERFACES}
    r = router(routes: routes("rrc00_20000111.txt", next_hops: {{
{HOPS}
    }}))

{WIRES}}}
"""


def boundaries(routes: RouteTableValue) -> list[int]:
    """Return the first, the last and the neighbouring addresses of every 50th prefix (case C11)."""
    found: list[int] = []
    for route in routes.routes[::50]:
        first = route.prefix.address
        last = first | (0xFFFFFFFF >> route.prefix.length if route.prefix.length else 0xFFFFFFFF)
        found += [first, last, max(first - 1, 0), min(last + 1, 0xFFFFFFFF)]
    return found


def test_a_table_of_82377_prefixes_builds_and_routes_as_the_interpreter_does(
    shared_data: Path, tmp_path: Path
) -> None:
    lines = (shared_data / "routes" / "rrc00_20000111.txt").read_text().splitlines()
    # Some prefixes become drop entries, so that those are tried too.
    rows = [line if number % 97 else f"{line.split()[0]} discard" for number, line in enumerate(lines)]
    (tmp_path / "rrc00_20000111.txt").write_text("\n".join(rows) + "\n")
    source = tmp_path / "backbone.chain"
    source.write_text(ROUTER)
    built = build(source, tmp_path / "built")
    graph = load(Source(path=source)).graph
    (table,) = [state for state in graph.states if isinstance(state, RouteTable)]
    assert len(table.routes.routes) == 82_377
    pick = random.Random(5)
    addresses = boundaries(table.routes) + [pick.randrange(1 << 32) for _ in range(30_000)]
    arrivals = [
        Arrival("a", 1_000 * number, Frame(0x0A000001, address).encode())
        for number, address in enumerate(addresses)
    ]
    run = run_binary(built.binary, write_inputs(graph, arrivals, tmp_path), tmp_path / "out")
    assert_interpreter_agrees(graph, run, arrivals)
    assert run.result.report.drops["r.no_route"] > 1_000


def test_the_chain_of_8550_rules_builds_from_the_command_line(tmp_path: Path) -> None:
    built = build(REPOSITORY / "chains" / "isp" / "isp_chain_8550.chain", tmp_path)
    assert built.report["form"] == "synthesized and proved"
    assert built.binary.exists()
