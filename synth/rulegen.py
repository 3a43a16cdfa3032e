"""Generates rule sets of an ISP's edge, in the sizes and shapes of the SNF experiments (PeerJ CS 2:e98).

    python -m synth.rulegen --rules 713 --seed 1 -o isp_713.rules

First come the denied private sources (RFC 1918), last a `deny any`; between them permitted services,
most of them a host, a protocol and a port, with some denied hosts among them. About a sixth of the
rules never decides, since an earlier rule covers it, as in sets that grew over years. Subscribers
have addresses of 100.64.0.0/10 (RFC 6598), servers of 198.18.0.0/15 (RFC 2544). An access list knows
no connections, so the set ends with rules for the replies to subscribers.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from itertools import islice
from pathlib import Path
from typing import TypeVar

from synth.net.addresses import print_ipv4

T = TypeVar("T")

HEAD = (
    "deny src 10.0.0.0/8",
    "deny src 172.16.0.0/12",
    "deny src 192.168.0.0/16",
)
FIRST = (
    "permit tcp dst 198.51.100.9 dport 80",
    "permit tcp dst 198.51.100.9 dport 443",
    "permit udp dst 198.51.100.9 dport 53",
    "permit icmp src 100.64.0.0/10",
)
REPLIES = (
    "permit tcp dst 100.64.0.0/10 flags 0x10/0x10",
    "permit udp sport 53 dst 100.64.0.0/10",
    "permit udp sport 123 dst 100.64.0.0/10",
    "permit udp sport 443 dst 100.64.0.0/10",
    "permit icmp dst 100.64.0.0/10",
)
LAST = ("deny any",)

_TCP_PORTS = (21, 22, 25, 80, 110, 143, 443, 465, 587, 993, 995, 1433, 1521, 1723, 3306, 3389, 5060, 8080)
_UDP_PORTS = (53, 123, 443)
_SUBSCRIBERS = 0x64400000  # 100.64.0.0
_HOSTS = 0xC6120000  # 198.18.0.0/16, each address at most once
_NETS = 0xC6130000  # 198.19.0.0/16, each /28 at most once


@dataclass(frozen=True, slots=True)
class Shape:
    """How many rules of which kind a set has. The rest are destination, protocol and port.

    Attributes:
        denied: denied hosts between the permits.
        covered: rules that an earlier one covers.
        traceroute: UDP to the ports of traceroute, `sport > 1024 and 33434 < dport < 33600`.
        replies: source, protocol and source port.
        sources: source and protocol.
        full: all five, with ranges of ports.
        nets: destination network and protocol.
    """

    denied: int
    covered: int
    traceroute: int
    replies: int
    sources: int
    full: int
    nets: int


SHAPES = {
    251: Shape(denied=0, covered=43, traceroute=12, replies=4, sources=4, full=4, nets=10),
    713: Shape(denied=2, covered=122, traceroute=30, replies=40, sources=30, full=20, nets=40),
    8550: Shape(denied=90, covered=1000, traceroute=200, replies=800, sources=650, full=400, nets=600),
}
"""The sets of the experiments. Other sizes take the proportions of the next smaller one."""


def generate_rules(count: int, seed: int) -> tuple[str, ...]:
    """Return so many rules, in the order in which they are tried.

    Raises:
        ValueError: for a size with no room for the shape, or for which the addresses do not suffice.
    """
    if not 50 <= count <= 30000:
        raise ValueError("a rule set of this shape has 50 to 30000 rules")
    return _Generator(count, seed).generate()


def shape_of(count: int) -> Shape:
    """Return the shape of a set of some size."""
    base = max((size for size in SHAPES if size <= count), default=min(SHAPES))
    shape = SHAPES[base]

    def scale(part: int) -> int:
        return part * count // base

    return Shape(
        denied=scale(shape.denied),
        covered=scale(shape.covered),
        traceroute=scale(shape.traceroute),
        replies=scale(shape.replies),
        sources=scale(shape.sources),
        full=scale(shape.full),
        nets=scale(shape.nets),
    )


class _Generator:
    """Draws with `Random.random` alone: only its sequence is the same in every Python version."""

    def __init__(self, count: int, seed: int) -> None:
        self._count = count
        self._shape = shape_of(count)
        self._random = random.Random(seed)
        self._hosts = (print_ipv4(_HOSTS + number) for number in self._draw_distinct(0x10000))
        self._nets = (print_ipv4(_NETS + (number << 4)) for number in self._draw_distinct(0x1000))

    def generate(self) -> tuple[str, ...]:
        """Return the rules."""
        shape = self._shape
        nets = tuple(islice(self._nets, shape.nets))
        rules = [f"permit {self._pick(('tcp', 'udp'))} dst {net}/28" for net in nets]
        for number, make in (
            (shape.traceroute, self._make_traceroute),
            (shape.replies, self._make_reply),
            (shape.sources, self._make_source),
            (shape.full, self._make_full),
        ):
            rules += [make() for _ in range(number)]
        fixed = len(HEAD) + len(FIRST) + len(REPLIES) + len(LAST)
        services = self._count - fixed - len(rules) - shape.denied - shape.covered
        rules += islice(self._make_services(), services)
        self._shuffle(rules)
        self._add_denied(rules, nets[: shape.denied])
        self._add_covered(rules, shape.covered)
        return (*HEAD, *FIRST, *rules, *REPLIES, *LAST)

    def _make_services(self) -> Iterator[str]:
        """Yield services: one to four of them on each host."""
        for host in self._hosts:
            for port in islice(self._draw_distinct(len(_TCP_PORTS)), 1 + self._below(4)):
                is_udp = self._below(10) == 0 and port < len(_UDP_PORTS)
                protocol, ports = ("udp", _UDP_PORTS) if is_udp else ("tcp", _TCP_PORTS)
                yield f"permit {protocol} dst {host} dport {ports[port]}"

    def _make_traceroute(self) -> str:
        return f"permit udp sport 1025..65535 dst {next(self._nets)}/28 dport 33435..33599"

    def _make_reply(self) -> str:
        return f"permit tcp src {next(self._hosts)} sport {self._pick(_TCP_PORTS)}"

    def _make_source(self) -> str:
        return f"permit {self._pick(('tcp', 'udp'))} src {next(self._hosts)}"

    def _make_full(self) -> str:
        low = 1024 + self._below(40000)
        ports = f"{low}..{low + 1 + self._below(2000)}"
        subscribers = f"{print_ipv4(_SUBSCRIBERS + (self._below(0x4000) << 8))}/24"
        protocol = self._pick(("tcp", "udp"))
        return f"permit {protocol} src {subscribers} sport 1024..65535 dst {next(self._hosts)} dport {ports}"

    def _add_denied(self, rules: list[str], nets: Sequence[str]) -> None:
        """Put a denied host before the rule that permits its network."""
        for net in nets:
            at = next(index for index, rule in enumerate(rules) if f" dst {net}/28" in rule)
            protocol = rules[at].split()[1]
            host = print_ipv4(int(IPv4Address(net)) + self._below(16))
            rules.insert(self._below(at + 1), f"deny {protocol} dst {host}")

    def _add_covered(self, rules: list[str], number: int) -> None:
        """Repeat permits further down: half of them as they are, half for one subscriber."""
        for original in [self._pick([rule for rule in rules if rule[0] == "p"]) for _ in range(number)]:
            verdict, protocol, *parts = original.split()
            if "src" not in parts and self._below(2):
                parts = ["src", print_ipv4(_SUBSCRIBERS + self._below(0x400000)), *parts]
            at = rules.index(original) + 1
            rules.insert(at + self._below(len(rules) - at + 1), " ".join((verdict, protocol, *parts)))

    def _draw_distinct(self, bound: int) -> Iterator[int]:
        """Yield the numbers below a bound, each once, in random order."""
        numbers = list(range(bound))
        self._shuffle(numbers)
        return iter(numbers)

    def _shuffle(self, items: list[T]) -> None:
        for last in range(len(items) - 1, 0, -1):
            other = self._below(last + 1)
            items[last], items[other] = items[other], items[last]

    def _pick(self, items: Sequence[T]) -> T:
        return items[self._below(len(items))]

    def _below(self, bound: int) -> int:
        return int(self._random.random() * bound)


def render_file(count: int, seed: int) -> str:
    """Return a rule file: the rules, below a comment that says how they were made."""
    rules = generate_rules(count, seed)
    denied = sum(rule.startswith("deny") for rule in rules)
    return "\n".join(
        (
            f"# {count} rules of an ISP's edge: {count - denied} permit, {denied} deny; first match decides.",
            f"# Generated: python -m synth.rulegen --rules {count} --seed {seed}",
            "",
            *rules,
            "",
        )
    )


def main() -> None:
    """Write a rule set to a file, or to the standard output."""
    parser = argparse.ArgumentParser(
        prog="python -m synth.rulegen", description="Generate an ISP's rule set."
    )
    parser.add_argument("--rules", type=int, default=251, help="how many (251, 713 and 8550 are the paper's)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same rules")
    parser.add_argument("-o", "--output", type=Path, help="the file to write")
    options = parser.parse_args()
    try:
        text = render_file(options.rules, options.seed)
    except ValueError as error:
        parser.error(str(error))
    if options.output is None:
        sys.stdout.write(text)
    else:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
