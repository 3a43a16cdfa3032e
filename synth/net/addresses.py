"""IPv4 and IPv6 addresses, prefixes and MAC addresses as text and as integers (host order)."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


def parse_ipv4(text: str) -> int | None:
    """Return the address of dotted-quad text, or None when it is not one."""
    try:
        return int(IPv4Address(text))
    except AddressValueError:
        return None


def print_ipv4(address: int) -> str:
    """Return an address as dotted quad."""
    return str(IPv4Address(address))


def parse_ipv6(text: str) -> int | None:
    """Return the 128 bits of an IPv6 address in any of its spellings (RFC 4291), or None when it is none.

    A zone (`%eth0`) is no part of an address in a packet, and refused.
    """
    try:
        return None if "%" in text else int(IPv6Address(text))
    except AddressValueError:
        return None


def print_ipv6(address: int) -> str:
    """Return an IPv6 address as RFC 5952 has it."""
    return str(IPv6Address(address))


def parse_mac(text: str) -> int | None:
    """Return the 48 bits of a MAC address with colons, or None when it is not one."""
    return int(text.replace(":", ""), 16) if _MAC.fullmatch(text) else None


def print_mac(mac: int) -> str:
    """Return a MAC address with colons and lower-case digits."""
    return mac.to_bytes(6, "big").hex(":")


def network_mask(length: int, width: int = 32) -> int:
    """Return the mask of a prefix length, from 0 to `width`, of addresses of `width` bits."""
    ones = (1 << width) - 1
    return ones ^ (ones >> length)
