"""What a switch can do and how it is cabled, read from a YAML file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synth.diagnostics.diagnostic import Diagnostic, UserError
from synth.diagnostics.spans import Span
from synth.language.errors.files import WrongShape
from synth.language.files.source import FileReference
from synth.language.files.yaml_nodes import (
    MappingNode,
    Node,
    ScalarNode,
    describe_node,
    load_yaml,
    read_entries,
    span_of,
)

OPENFLOW_VERSIONS = ("1.3", "1.4")


@dataclass(frozen=True, kw_only=True)
class BadSwitch(Diagnostic):
    """A switch description says something that cannot be."""

    code = "E821"
    title = "{problem}"
    help = "openflow/switches/ovs.yaml is a complete description to start from"

    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """A switch in front of the server.

    Attributes:
        name: what it is called.
        openflow: the protocol version to speak, "1.3" or "1.4".
        address: where its controller port listens, as `tcp:127.0.0.1:6654`.
        table: the table that takes the entries.
        capacity: how many entries of ours the table may hold.
        ports: the port of each chain interface by name; those not named are numbered from 1 as the chain has
            them.
        server: the port that leads to the server; None: the one after the last interface.
        first_tag, last_tag: the VLAN ids that are ours between switch and server.
        can_match_tcp_flags: whether `tcp_flags` can be asked.
    """

    name: str
    openflow: str
    address: str
    table: int
    capacity: int
    ports: Mapping[str, int]
    server: int | None
    first_tag: int
    last_tag: int
    can_match_tcp_flags: bool


def read_switch(path: Path) -> Switch:
    """Read a switch description.

    Raises:
        UserError: it cannot be read, lacks something, or says what cannot be.
    """
    wrong: list[Diagnostic] = []
    place = Span("--switch", 1, 1, 1, 1)
    node = load_yaml(FileReference(path=path, shown=str(path), span=place), wrong.append)
    if wrong:
        raise UserError(tuple(wrong))
    start = Span(str(path), 1, 1, 1, 1)
    if not isinstance(node, MappingNode):
        raise UserError((BadSwitch(span=start, problem="a switch description is a mapping"),))
    reader = _Reader(str(path), wrong, dict(_named(node, str(path), wrong)))
    switch = reader.switch()
    if wrong:
        raise UserError(tuple(wrong))
    return switch


def _named(node: MappingNode, shown: str, wrong: list[Diagnostic]) -> Any:
    return ((key.value, (key, value)) for key, value in read_entries(node, shown, wrong.append))


_KNOWN = (
    "name", "openflow", "address", "table", "capacity", "ports", "server",
    "first_tag", "last_tag", "tcp_flags",
)  # fmt: skip


@dataclass(slots=True)
class _Reader:
    """Takes the entries one by one and notes what is wrong."""

    shown: str
    wrong: list[Diagnostic]
    entries: dict[str, tuple[ScalarNode, Node]]

    def switch(self) -> Switch:
        for name, (key, _) in self.entries.items():
            if name not in _KNOWN:
                self._refuse(key, f"a switch description has no `{name}`; it has {', '.join(_KNOWN)}")
        first, last = self._number("first_tag", 1, 4094, 100), self._number("last_tag", 1, 4094, 199)
        return Switch(
            name=self._word("name", self.shown),
            openflow=self._choice("openflow", OPENFLOW_VERSIONS, "1.3"),
            address=self._word("address", "tcp:127.0.0.1:6654"),
            table=self._number("table", 0, 253, 0),
            capacity=self._number("capacity", 1, 1 << 24, 10_000),
            ports=self._ports(),
            server=self._number("server", 1, 0xFEFF, 0) or None,
            first_tag=first,
            last_tag=last,
            can_match_tcp_flags=self._choice("tcp_flags", ("true", "false"), "false") == "true",
        )

    def _refuse(self, node: Node, problem: str) -> None:
        self.wrong.append(BadSwitch(span=span_of(node, self.shown), problem=problem))

    def _word(self, name: str, otherwise: str) -> str:
        if name not in self.entries:
            return otherwise
        node = self.entries[name][1]
        if not isinstance(node, ScalarNode):
            expected = "a word"
            self.wrong.append(
                WrongShape(span=span_of(node, self.shown), found=describe_node(node), expected=expected)
            )
            return otherwise
        return str(node.value)

    def _choice(self, name: str, known: tuple[str, ...], otherwise: str) -> str:
        word = self._word(name, otherwise)
        if word not in known:
            self._refuse(self.entries[name][1], f"`{name}` is one of {', '.join(known)}, not `{word}`")
        return word

    def _number(self, name: str, low: int, high: int, otherwise: int) -> int:
        return (
            otherwise if name not in self.entries else self._in_range(self.entries[name][1], name, low, high)
        )

    def _in_range(self, node: Node, name: str, low: int, high: int) -> int:
        text = node.value if isinstance(node, ScalarNode) else ""
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            self._refuse(node, f"`{name}` is a number from {low} to {high}")
            return low
        return int(text)

    def _ports(self) -> dict[str, int]:
        if "ports" not in self.entries:
            return {}
        node = self.entries["ports"][1]
        if not isinstance(node, MappingNode):
            self._refuse(node, "`ports` gives the port of each interface, as in `ports: {lan: 1, wan: 2}`")
            return {}
        found = read_entries(node, self.shown, self.wrong.append)
        return {key.value: self._in_range(value, key.value, 1, 0xFEFF) for key, value in found}
