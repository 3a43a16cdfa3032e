"""Which core a packet goes to, by the plan: what the NIC and `steer()` in C compute, in Python."""

from collections.abc import Mapping

from synth.net.fields import FIELDS
from synth.net.kinds import Kind
from synth.net.toeplitz import toeplitz_hash
from synth.parallel.plan import InterfacePlan, KindSteering


def hash_input(steering: KindSteering, fields: Mapping[str, int]) -> bytes:
    """Return the hash's input for a packet with these header fields."""
    size = 8 * steering.input_bytes
    total = 0
    for one in steering.fields:
        total |= fields[one.path] << size - one.first_bit - FIELDS[one.path].width
    return total.to_bytes(steering.input_bytes, "big")


def core_of(interface: InterfacePlan, kind: Kind, fields: Mapping[str, int]) -> int | None:
    """Return the core of a packet, or None where any will do.

    `fields` are its header fields as received; those that the kind's steering does not name may be missing.
    """
    steering = interface.steering_of(kind)
    if steering.by == "nobody":
        return None
    found = toeplitz_hash(interface.key, hash_input(steering, fields))
    return interface.table[found & len(interface.table) - 1]
