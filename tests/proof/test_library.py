"""Each NF of the library: its synthesized graph is proved, alone and within two chains."""

from pathlib import Path

import pytest

from synth.language.checker import check_file
from synth.lower import lower
from synth.proof.validate import prove
from synth.synthesis import synthesize
from tests.proof.chains import CHAINS

LIBRARY = sorted(path.stem for path in (CHAINS / "nf").glob("*.chain"))
HOPS = (
    "routes: { east: { side: SECOND, mac: 02:00:00:00:0b:01, source: 02:00:00:00:00:02 }, 0.0.0.0/0: east }"
)
BACKENDS = "service: 203.0.113.10, backends: [{ address: 10.0.0.2 }, { address: 10.0.0.3 }]"
ARGUMENTS = {
    "acl": 'rules: ["deny tcp dport 25", "permit any"]',
    "bridge_static": "stations: [{ address: 02:00:00:00:0a:01, side: first }]",
    "cgnat": "public: 203.0.113.1",
    "load_balancer": BACKENDS,
    "load_balancer_round_robin": BACKENDS,
    "napt": "public: 203.0.113.1",
    "napt_per_flow": "public: 203.0.113.1",
    "napt_per_server": "public: 203.0.113.1",
    "router": HOPS.replace("SECOND", "second"),
}
"""What must be given to an NF."""
SIDES = {
    "bridge_static": ("first", "second", "third"),
    "bridge": ("first", "second", "third"),
    "load_balancer": ("clients", "servers"),
    "load_balancer_round_robin": ("clients", "servers"),
    "mirror": ("inside", "outside", "monitor"),
    "router": ("first", "second"),
}
"""The sides of an NF whose sides are not `inside, outside`; a third gets an interface of its own."""
CHAIN = """
use nf: {names}

chain {name} {{
    interface lan {{ mac 02:00:00:00:00:01 }}
    interface wan {{ mac 02:00:00:00:00:02 }}
    {instances}
    nf = {nf}({arguments})
    {wires}
}}
"""
THIRD = "interface third { mac 02:00:00:00:00:03 }\n    third <-> nf."
AROUND = {
    "alone": ((), "lan <-> FIRST", "SECOND <-> wan"),
    "behind a list and a NAT": (
        ('acl = acl(rules: ["permit udp", "deny ip"])', "napt = napt(public: 203.0.113.2)"),
        "lan <-> acl <-> napt <-> FIRST",
        "SECOND <-> wan",
    ),
    "before a firewall and a policer": (
        ("firewall = firewall()", "policer = policer()"),
        "lan <-> FIRST",
        "SECOND <-> firewall <-> policer <-> wan",
    ),
}  # fmt: skip


OPTIONS = (
    ("cgnat", "preserve: true"),
    ("cgnat", "preserve: true, strict_parity: true"),
    ("load_balancer", "by_client: true"),
    ("router", "address: 203.0.113.254"),
)


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("name", LIBRARY)
def test_a_library_nf_is_proved(name: str, around: str, tmp_path: Path) -> None:
    assert_proved(write_chain(tmp_path / "chain.chain", name, around))


def assert_proved(path: Path) -> None:
    """Fail unless a chain's synthesized graph is proved, with no question left open."""
    typed = check_file(path).chain
    assert typed is not None
    written = lower(typed)
    proof = prove(written, synthesize(written).graph)
    assert proof.is_proved, proof.failures
    assert proof.unknown == 0


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_a_library_nf_is_proved_with_its_options(name: str, options: str, tmp_path: Path) -> None:
    assert_proved(write_chain(tmp_path / "chain.chain", name, "alone", options))


def write_chain(path: Path, nf: str, around: str, options: str = "") -> Path:
    """Write a chain of an NF with others before and behind it."""
    instances, before, behind = AROUND[around]
    first, second, *others = SIDES.get(nf, ("inside", "outside"))
    wires = [before.replace("FIRST", f"nf.{first}"), behind.replace("SECOND", f"nf.{second}")]
    wires += [THIRD + third for third in others]
    names = dict.fromkeys([nf, *(instance.split(" = ")[0] for instance in instances)])
    path.write_text(
        CHAIN.format(
            names=", ".join(names),
            name=path.stem,
            instances="\n    ".join(instances),
            nf=nf,
            arguments=", ".join(filter(None, (ARGUMENTS.get(nf), options))),
            wires="\n    ".join(wires),
        )
    )
    return path
