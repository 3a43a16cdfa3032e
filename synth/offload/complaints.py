"""What can be wrong when a chain and a switch are brought together."""

from dataclasses import dataclass
from typing import Any

from synth.diagnostics.diagnostic import Diagnostic, UserError
from synth.diagnostics.spans import Span


@dataclass(frozen=True, kw_only=True)
class NotEnoughTags(Diagnostic):
    """Each interface needs a tag of its own."""

    code = "E822"
    title = "{switch} has fewer tags than the chain has interfaces ({needed})"
    help = "widen `first_tag` and `last_tag`"

    switch: str
    needed: int


@dataclass(frozen=True, kw_only=True)
class TableTooSmall(Diagnostic):
    """Not even the entries that send everything to the server fit."""

    code = "E823"
    title = "the table of {switch} is too small for this chain: {capacity} entries"
    help = "it takes two for each interface and one more, even when the server does everything"

    switch: str
    capacity: int


@dataclass(frozen=True, kw_only=True)
class UnknownPort(Diagnostic):
    """The description names a port for an interface that the chain lacks."""

    code = "E824"
    title = "`{name}` of `ports` is no interface of the chain; it has {known}"

    switch: str
    name: str
    known: str


@dataclass(frozen=True, kw_only=True)
class PortGivenTwice(Diagnostic):
    """Two cables cannot be in one port."""

    code = "E825"
    title = "port {port} of {switch} is given twice"

    switch: str
    port: int


def refuse(switch: str, kind: type[Diagnostic], **facts: Any) -> UserError:
    """Return an error about a switch description."""
    facts = {"span": Span("--switch", 1, 1, 1, 1), "switch": switch, **facts}
    return UserError((kind(**facts),))
