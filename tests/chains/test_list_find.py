"""`list.find(member: value)`: the first record of a list whose member is equal."""

from pathlib import Path

import pytest

from synth.diagnostics.diagnostic import UserError
from synth.language.checker import check_file
from tests.chains.bench import make_bench, on_both_engines
from tests.chains.frames_of import udp
from tests.chains.machines import Engine
from tests.frames import read_frame

CHAIN = """
record customer {
    ends: (ipv4, u16)
    port: u16
    is_known: bool
    mark: u8
}

nf marker(customers: list<customer>) {
    from inside (pkt: ipv4 & udp) {
        FIND
        pkt.ipv4.ttl = found.mark
        emit outside
    }
    from inside, outside (pkt) { drop other }
}

chain bench {
    interface lan { mac 02:00:00:00:00:01 }
    interface wan { mac 02:00:00:00:00:02 }
    nf = marker(customers: [
        { ends: (10.0.0.1, 1), port: 53, is_known: false, mark: 11 },
        { ends: (10.0.0.2, 2), port: 80, is_known: true, mark: 22 },
        { ends: (10.0.0.3, 3), port: 80, is_known: true, mark: 33 }
    ])
    lan <-> nf <-> wan
}
"""


@on_both_engines
@pytest.mark.parametrize(
    ("condition", "marks"),
    [
        ("port: pkt.l4.dport", {53: 11, 80: 22, 0: None, 65535: None}),
        ("is_known: pkt.l4.dport == 53", {53: 22, 80: 11}),
        ("mark: u8(pkt.l4.dport & 255)", {22: 22, 33: 33, 11 + 256: 11, 44: None}),
    ],
)
def test_the_first_record_with_an_equal_member_is_found_or_none(
    tmp_path: Path, engine: Engine, condition: str, marks: dict[int, int | None]
) -> None:
    text = CHAIN.replace("FIND", f"let found = customers.find({condition}) or drop unknown")
    bench = make_bench(tmp_path, text, engine=engine)
    sent = bench.send_all([("lan", udp(dport=port)) for port in marks])
    frames = [read_frame(data) for left in sent for _, data in left]
    assert [frame.ttl for frame in frames if frame is not None] == [
        m for m in marks.values() if m is not None
    ]
    unknown = list(marks.values()).count(None)
    assert bench.drops == ({"nf.unknown": unknown} if unknown else {})


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("port: 1, mark: 2", "E160"),
        ("ends: (10.0.0.1, 1)", "E102"),
        ("name: 1", "E102"),
        ("port: pkt.ipv4.src", "E150"),
    ],
    ids=["two members", "no scalar", "no member", "another type"],
)
def test_one_member_that_is_a_scalar_is_looked_for(tmp_path: Path, condition: str, code: str) -> None:
    path = tmp_path / "bench.chain"
    path.write_text(CHAIN.replace("FIND", f"let found = customers.find({condition}) or drop unknown"))
    with pytest.raises(UserError) as caught:
        check_file(path)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == [code]
