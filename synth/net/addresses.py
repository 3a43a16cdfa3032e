"""IPv4 addresses, prefixes and MAC addresses as text and as integers (host order)."""

import re
from ipaddress import AddressValueError, IPv4Address

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


def parse_mac(text: str) -> int | None:
    """Return the 48 bits of a MAC address with colons, or None when it is not one."""
    return int(text.replace(":", ""), 16) if _MAC.fullmatch(text) else None


def print_mac(mac: int) -> str:
    """Return a MAC address with colons and lower-case digits."""
    return mac.to_bytes(6, "big").hex(":")


def network_mask(length: int) -> int:
    """Return the 32-bit mask of a prefix length from 0 to 32."""
    return 0xFFFFFFFF ^ (0xFFFFFFFF >> length)
