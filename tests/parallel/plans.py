"""Chains for the tests of plans: read, synthesized, planned."""

from functools import cache
from pathlib import Path

from synth.driver import Source, load
from synth.graph.nodes import ChainGraph
from synth.parallel import Plan, load_nic, plan
from synth.synthesis import synthesize

NFS = Path(__file__).resolve().parent / "nfs"
CHAINS = Path(__file__).resolve().parents[2] / "chains"


@cache
def synthesized(path: Path) -> ChainGraph:
    return synthesize(load(Source(path=path)).graph).graph


@cache
def planned(path: Path, nic: str = "e810", cores: int = 4) -> Plan:
    return plan(synthesized(path), load_nic(nic), cores=cores)
