"""How good a key is: the rank of the hash rows that index the table, and what they depend on."""

from collections.abc import Sequence
from dataclasses import dataclass

from synth.parallel.choose import Configuration
from synth.parallel.nic import Nic
from synth.parallel.spread import low_bits, rank, read_bits
from synth.parallel.units import Unit


@dataclass(frozen=True, slots=True)
class Quality:
    """Of the packets of an interface that are bound to cores, those that a key spreads best.

    `rank`: that many bits of the table's index vary, of at most `most`. `top_only`: a field, and how many
    of its top bits alone decide the index. `is_software`: no kind is brought to its core by the NIC.
    """

    rank: int
    most: int
    top_only: tuple[str, int] | None
    is_software: bool


def judge(own: Sequence[Unit], bound: frozenset[Unit], found: Configuration, nic: Nic) -> Quality | None:
    """Return the quality of an interface's key, or None when nothing is bound to cores."""
    counted = [unit for unit in own if unit in bound]
    if not counted:
        return None
    main = max(counted, key=lambda unit: found.ranks[unit])
    hashing, key = found.steering.by_unit[main], found.keys[main.interface]
    reads = read_bits(hashing, key, main.kind, nic.reta)
    most = nic.reta.bit_length() - 1
    top_only = None
    if len(reads) == 1:
        ((path, (_, last)),) = reads.items()
        top_only = (path, last + 1) if last < most else None
    return Quality(
        rank=rank(low_bits(hashing, key, main.kind, nic.reta)),
        most=most,
        top_only=top_only,
        is_software=all(found.steering.by_unit[unit].by == "software" for unit in counted),
    )
