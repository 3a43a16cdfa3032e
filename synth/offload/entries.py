"""Flow entries: what a switch holds."""

from dataclasses import dataclass, field

from synth.diagnostics.spans import NOWHERE, Span
from synth.offload.matches import Match

COOKIE = 0x53594E54 << 32
COOKIE_MASK = 0xFFFFFFFF << 32
"""Entries whose cookie begins so are ours; no other entry is ever touched."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The packet ends here; the entry's counter is that of the chain's drop."""

    counter: str


@dataclass(frozen=True, slots=True)
class ToServer:
    """Put a VLAN tag (TPID 0x8100) in front of the others and send the packet to the server.

    The priority bits hold the version of the split.
    """

    tag: int
    version: int
    port: int


@dataclass(frozen=True, slots=True)
class ToInterface:
    """Take the outermost tag off and send the packet out."""

    port: int


Action = Drop | ToServer | ToInterface


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A flow entry. The highest priority that matches decides.

    `what` names the traffic class for people; `source` is the rule's line, if a rule asked for the entry.
    """

    priority: int
    match: Match
    action: Action
    cookie: int
    what: str
    source: Span = field(default=NOWHERE, compare=False)
