"""Random chains as text that always checks: what differential tests run through interpreter and binary.

    chain = random_chain(7)
    (folder / "random.chain").write_text(chain.text)

The same seed gives the same text. Between them, chains use every construct of the language but files.
"""

from dataclasses import dataclass
from random import Random

from tests.random_nfs import Limits, Nf, functions, nf
from tests.random_state import indent

RECORDS = """record backend {
    address: ipv4
    weight: u16 = 1
    spare: bool = false
}

record hop {
    out: side
    gateway: mac
    metric: u8
}
"""


@dataclass(frozen=True)
class RandomChain:
    """A `.chain` file that stands alone, and the names of its interfaces."""

    seed: int
    text: str
    interfaces: tuple[str, ...]


def random_chain(seed: int, *, has_lookups: bool = True) -> RandomChain:
    """Return the chain of a seed: one to three NFs, without and (every fourth or so) with ways round.

    Without `has_lookups` there are no rule sets and no routing tables, whose C needs DPDK.
    """
    random = Random(seed)
    fresh = [0]
    may_return = random.random() < 0.25
    limits = Limits(emissions=1 if may_return else 2, may_return=may_return, has_lookups=has_lookups)
    known, lines = functions(random, fresh)
    nfs = [nf(random, fresh, known, limits) for _ in range(random.randint(1, 3))]
    instances = [random.choice(nfs) for _ in range(random.randint(1, 3))]
    used = [made for made in nfs if made in instances]
    body, interfaces = _chain(random, instances, may_return=may_return)
    parts = [RECORDS, "\n".join(lines), *(made.text for made in used), "\n".join(body)]
    return RandomChain(seed, "\n".join(part for part in parts if part) + "\n", interfaces)


def _chain(random: Random, instances: list[Nf], *, may_return: bool) -> tuple[list[str], tuple[str, ...]]:
    """Return a chain in which the instances form a row; their other sides meet interfaces."""
    lines: list[str] = []
    wires: list[str] = []
    interfaces: list[str] = []
    open_end = ""
    for number, made in enumerate(instances):
        name = f"i{number}"
        lines.append(f"{name} = {made.name}({made.arguments()})")
        sides = random.sample(made.sides, len(made.sides))
        if open_end:
            wires.append(f"{open_end} <-> {name}.{sides.pop()}")
        open_end = f"{name}.{sides.pop()}" if number < len(instances) - 1 else ""
        for side in sides:
            interfaces.append(f"eth{len(interfaces)}")
            wires.append(f"{interfaces[-1]} <-> {name}.{side}")
    declared = [
        f"interface {name} {{ mac 02:00:00:00:00:{at + 1:02x}; address 10.0.{at}.1/24 }}"
        for at, name in enumerate(interfaces)
    ]
    budget = [f"budget {random.randint(1, 3)}"] if may_return else []
    return ["chain random {", *indent([*declared, *lines, *wires, *budget]), "}"], tuple(interfaces)
