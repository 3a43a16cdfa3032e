"""The order of NFs in a chain, and between filters and rewriters."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.chains.bench import Bench, make_bench, on_both_engines
from tests.chains.frames_of import HOST, PUBLIC, udp
from tests.chains.machines import Engine


def chain_of(tmp_path: Path, order: str, engine: Engine) -> Bench:
    (tmp_path / "private.rules").write_text("deny src 10.0.0.0/8\npermit any\n")
    return make_bench(
        tmp_path,
        f"""
        use nf: acl, napt

        chain bench {{
            interface lan {{ mac 02:00:00:00:00:01 }}
            interface wan {{ mac 02:00:00:00:00:02 }}
            acl = acl(rules: rules("private.rules"))
            nat = napt(public: 203.0.113.1, ports: 5000..5099)
            lan <-> {order} <-> wan
        }}
        """,
        engine=engine,
    )


@on_both_engines
def test_a_filter_on_private_sources_before_the_napt_drops_everything(tmp_path: Path, engine: Engine) -> None:
    bench = chain_of(tmp_path, "acl <-> nat", engine)
    assert bench.send("lan", udp(src=HOST)) == []
    assert bench.drops == {"acl.denied": 1}


@on_both_engines
def test_the_same_filter_behind_the_napt_passes_everything(tmp_path: Path, engine: Engine) -> None:
    bench = chain_of(tmp_path, "nat <-> acl", engine)
    assert bench.passes("lan", udp(src=HOST)) == replace(udp(), src=PUBLIC, sport=5000).encode()
    bench.passes("wan", replace(udp(), src=PUBLIC, sport=5000).reply())
    assert bench.drops == {}


@pytest.mark.parametrize(("ttl", "drops"), [(1, "first.ttl_expired"), (2, "second.ttl_expired")])
def test_a_packet_dies_at_the_hop_where_its_ttl_ends(tmp_path: Path, ttl: int, drops: str) -> None:
    hop = "{ side: SIDE, mac: 02:00:00:00:a0:01, source: 02:00:00:00:00:01 }"
    (tmp_path / "all.routes").write_text("0.0.0.0/0 on\n")
    routes = f'routes: routes("all.routes", next_hops: {{ on: {hop.replace("SIDE", "east")} }})'
    bench = make_bench(
        tmp_path,
        f"""
        use nf: router

        chain bench {{
            interface lan {{ mac 02:00:00:00:00:01 }}
            interface wan {{ mac 02:00:00:00:00:02 }}
            first = router({routes})
            second = router({routes})
            lan <-> first.west
            first.east <-> second.west
            second.east <-> wan
            budget 1
        }}
        """,
    )
    assert bench.send("lan", replace(udp(), ttl=ttl)) == []
    assert bench.drops == {drops: 1}
