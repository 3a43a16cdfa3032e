"""ICMP errors: their bytes."""

from dataclasses import replace

import pytest

from synth.net.checksum import words_sum
from synth.net.frame import Frame as Admitted
from synth.net.frame import admit
from synth.net.icmp import ICMP_ERRORS, can_be_reported, error_kind, icmp_error
from synth.net.kinds import UNIVERSE
from tests.frames import TCP, UDP, Frame, ip

HOST, SERVER, ROUTER = ip("10.0.0.5"), ip("198.51.100.9"), ip("10.0.0.1")
PLAIN = Frame(HOST, SERVER, UDP, 40000, 53, payload=b"abc")


def admitted(data: bytes) -> Admitted:
    found = admit(data)
    assert isinstance(found, Admitted)
    return found


@pytest.mark.parametrize("error", ICMP_ERRORS)
@pytest.mark.parametrize(
    "about",
    [PLAIN, replace(PLAIN, vlans=(7, 9)), replace(PLAIN, options=bytes(40)), Frame(HOST, SERVER, TCP, 1, 2)],
)
def test_an_error_goes_back_and_quotes_the_datagram(error: str, about: Frame) -> None:
    data = about.encode()
    frame, kind = admitted(data), ICMP_ERRORS[error]
    made = admitted(icmp_error(frame, data, kind, ROUTER, 1400 if kind.has_mtu else 0))
    assert made.kind == error_kind(frame.kind)
    assert made.data[:12] == data[6:12] + data[:6]
    assert made.data[12 : made.l3] == data[12 : frame.l3]
    header, icmp = made.data[made.l3 : made.l4], made.data[made.l4 :]
    assert words_sum(header) == words_sum(icmp) == 0
    assert header[12:20] == ROUTER.to_bytes(4, "big") + HOST.to_bytes(4, "big")
    assert icmp[:2] == bytes([kind.type, kind.code])
    assert int.from_bytes(icmp[4:8], "big") == (1400 if kind.has_mtu else 0)
    assert icmp[8:] == data[frame.l3 : frame.l3 + len(icmp) - 8]
    assert len(icmp) - 8 == int.from_bytes(data[frame.l3 + 2 : frame.l3 + 4], "big")


def test_no_more_than_576_bytes_are_sent_and_no_padding_is_quoted() -> None:
    long = replace(PLAIN, payload=bytes(1400)).encode()
    made = icmp_error(admitted(long), long, ICMP_ERRORS["time_exceeded"], ROUTER)
    assert len(made) == 14 + 576
    assert admitted(made).kind.l4 == "icmp_other"
    padded = PLAIN.encode() + b"\xff" * 20
    short = icmp_error(admitted(padded), padded, ICMP_ERRORS["time_exceeded"], ROUTER)
    assert len(short) == 14 + 28 + 20 + 8 + 3


def test_there_is_no_error_about_errors_and_later_fragments() -> None:
    reported = {(kind.l3, kind.l4, kind.fragment) for kind in UNIVERSE if can_be_reported(kind)}
    assert reported == {
        ("ipv4", l4, fragment)
        for l4 in ("none", "tcp", "udp", "icmp_echo")
        for fragment in ("whole", "first")
    }
