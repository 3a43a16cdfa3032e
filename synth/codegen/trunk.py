"""The one cable between a switch and the server, as the core describes it to hosts."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Trunk:
    """Every frame has a VLAN tag: `tags` are VLAN ids by interface, `version` the priority bits."""

    version: int
    tags: Mapping[str, int]
