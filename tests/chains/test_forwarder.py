"""Behaviour of the forwarder."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.chains.bench import put_between
from tests.chains.frames_of import ARP_FRAME, IPV6_FRAME, fragments, tcp, udp

FRAMES = {
    "udp": udp().encode(),
    "tcp in two tags": replace(tcp(), vlans=(5, 6)).encode(),
    "padded": replace(udp(), padding=b"\x11" * 12).encode(),
    "first fragment": fragments(udp())[0].encode(),
    "later fragment": fragments(udp())[1].encode(),
    "arp, broadcast": ARP_FRAME,
    "ipv6": IPV6_FRAME,
    "llc": bytes.fromhex("0180c2000000 020000000a01 0026") + bytes(46),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_of_every_kind_pass_unchanged_both_ways(tmp_path: Path, name: str) -> None:
    bench = put_between(tmp_path, "forwarder")
    assert bench.send("lan", FRAMES[name]) == [("wan", FRAMES[name])]
    assert bench.send("wan", FRAMES[name]) == [("lan", FRAMES[name])]
    assert bench.drops == {}
