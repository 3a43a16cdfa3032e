"""Chains for the tests of plans, read, synthesized, planned: every NF of the library between interfaces."""

import re
import tempfile
from functools import cache
from pathlib import Path

from synth.driver import Source, load
from synth.graph.nodes import ChainGraph
from synth.parallel import Plan, load_nic, plan
from synth.synthesis import synthesize

CHAINS = Path(__file__).resolve().parents[2] / "chains"
NFS = tuple(sorted(path.stem for path in (CHAINS / "nf").glob("*.chain")))
COMPLETE = tuple(
    path
    for path in sorted(CHAINS.glob("*/*.chain"))
    if path.parent.name != "nf" and not re.search(r"(napt|router)_([3-9]|10)$|_(713|8550)$", path.stem)
)
"""Complete chains; of the series of routers and NATs the first two, of the ISP chains the smallest."""

ARGUMENTS = {
    "public": "203.0.113.1",
    "service": "203.0.113.10",
    "backends": "[{ address: 10.0.0.2 }, { address: 10.0.0.3 }]",
    "stations": "[{ address: 02:00:00:00:0a:01, side: lan }, { address: 02:00:00:00:0b:01, side: wan }]",
    "rules": '["permit any"]',
    "routes": "routes: {\n        up: { side: wan, mac: 02:00:00:00:20:01, source: 02:00:00:00:00:02 },"
    "\n        10.0.0.0/8: { side: lan, mac: 02:00:00:00:10:01, source: 02:00:00:00:00:01 },"
    "\n        0.0.0.0/0: up\n    }",
}


def chain_of(name: str) -> str:
    """Return a chain of one NF of the library: its first side is lan, its second wan, a third one tap."""
    text = (CHAINS / "nf" / f"{name}.chain").read_text()
    head = re.search(rf"^nf {name}\b(.*?)\{{\n    sides ([^\n]*)", text, re.DOTALL | re.MULTILINE)
    assert head is not None
    required = re.findall(r"^ {4}(\w+): [^=\n]*$", head[1], re.MULTILINE)
    sides = ["lan", "wan"] if head[2].strip() == "any" else head[2].split(", ")
    interfaces = ["lan", "wan", "tap"][: len(sides)]
    given = ", ".join(f"{one}: {ARGUMENTS[one].removeprefix('routes: ')}" for one in required)
    lines = [f"use nf: {name}", f"chain one_{name} {{"]
    lines += [
        f"    interface {one} {{ mac 02:00:00:00:00:0{place} }}" for place, one in enumerate(interfaces)
    ]
    lines.append(f"    nf = {name}({given})")
    lines += [f"    {one} <-> nf.{side}" for one, side in zip(interfaces, sides, strict=True)]
    return "\n".join([*lines, "}"])


@cache
def graph_of(text: str) -> ChainGraph:
    """Return the synthesized graph of a chain given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "test.chain"
        path.write_text(text)
        return synthesize(load(Source(path=path)).graph).graph


@cache
def graph_at(path: Path) -> ChainGraph:
    """Return the synthesized graph of a chain's file."""
    return synthesize(load(Source(path=path)).graph).graph


@cache
def plan_nf(name: str, nic: str = "e810", cores: int = 4) -> Plan:
    """Return the plan of one NF of the library."""
    return plan(graph_of(chain_of(name)), load_nic(nic), cores=cores)


@cache
def plan_text(text: str, nic: str = "e810", cores: int = 4) -> Plan:
    """Return the plan of a chain given as text."""
    return plan(graph_of(text), load_nic(nic), cores=cores)
