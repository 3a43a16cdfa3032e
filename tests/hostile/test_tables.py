"""Static tables swapped for wrong ones: refused with a message, whatever is in them; never believed."""

import json
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.differential.harness import write_inputs
from tests.frames import Frame, ip
from tests.hostile.forms import INTERFACES, Forms, build_forms
from tests.traffic import Arrival

# Each index is in range because a `u4` is: so every table that is ever loaded must hold only those.
INDEXED = f"""
record item {{
    at: u4
    flag: bool
    station: mac
    side: side
}}
nf n(items: list<item>, routes: routes<item>) {{
    vector v: u32[16] = 7
    ring pick of items by at slots 7
    from inside (pkt: ipv4) {{
        let first = items.at(0) or drop none
        v[first.at] = v[first.at] +% 1
        let hop = routes.lookup(pkt.ipv4.dst) or drop no_route
        v[hop.at] = 1
        let picked = pick.pick(hash(pkt.ipv4.src))
        v[picked.at] = 2
        pkt.eth.dst = picked.station
        if hop.flag {{ emit outside }} else {{ emit hop.side }}
    }}
    from inside (pkt) {{ drop other }}
    from outside (pkt) {{ emit inside }}
}}
chain hostile {{
{INTERFACES}
    x = n(
        items: [
            {{ at: 3, flag: true, station: 02:00:00:00:00:09, side: inside }},
            {{ at: 5, flag: false, station: 02:00:00:00:00:08, side: outside }}
        ],
        routes: {{ a: {{ at: 1, flag: false, station: 02:00:00:00:00:09, side: outside }}, 10.0.0.0/8: a }}
    )
    lan <-> x <-> wan
}}
"""
CRASHED = 99


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    forms = build_forms(INDEXED, tmp_path_factory.mktemp("indexed"))
    arrivals = [Arrival("lan", at, Frame(at, ip("10.0.0.2")).encode()) for at in range(9)]
    forms.assert_all_agree(arrivals)
    write_inputs(forms.graph, arrivals, forms.folder / "in")
    return forms


def embedded(forms: Forms, table: str) -> bytes:
    return (forms.binaries[0].parent / "src" / "tables" / f"{table}.bin").read_bytes()


def run(forms: Forms, binary: Path, tables: Path) -> subprocess.CompletedProcess[str]:
    command = (
        binary, "--replay", "--json", "--in", f"lan={forms.folder / 'in' / 'in_lan.pcap'}",
        "--out-dir", forms.folder / "out", "--tables", tables,
    )  # fmt: skip
    sanitizers = dict.fromkeys(("ASAN_OPTIONS", "UBSAN_OPTIONS"), f"exitcode={CRASHED}")
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env={**os.environ, **sanitizers}
    )


def wrong(data: bytes) -> Iterator[bytes]:
    """Yield what can become of a table: cut, longer, full of ones, other counts, single bytes changed."""
    yield from (data[:size] for size in (0, 3, len(data) - 1))
    yield from (data + b"\0", b"\xff" * len(data), bytes(len(data)))
    for rows, columns in ((0xFFFFFFFF, 0xFFFFFFFF), (0x20000000, 8), (0, 4)):
        yield struct.pack("<II", rows, columns) + data[8:]
    for at in range(4, len(data), 12):
        yield data[:at] + bytes((data[at] ^ 0xFF,)) + data[at + 1 :]


@pytest.mark.parametrize("table", ["x.items", "x.pick", "x.routes"])
def test_whatever_a_table_holds_nothing_outside_of_it_is_touched(
    indexed: Forms, table: str, tmp_path: Path
) -> None:
    codes = set()
    for number, content in enumerate(wrong(embedded(indexed, table))):
        (tmp_path / f"{table}.bin").write_bytes(content)
        done = run(indexed, indexed.binaries[number % 2], tmp_path)
        assert done.returncode in (0, 1), (content.hex(), done.stderr)
        assert done.returncode == 0 or f"error: {table}: " in done.stderr
        codes.add(done.returncode)
    assert 1 in codes


def test_a_scalar_beyond_its_column_is_told(indexed: Forms, tmp_path: Path) -> None:
    # A `u4`, a truth value, a side of an NF that has two.
    scalars = (
        ("x.items", 8, 16),
        ("x.items", 16, 2),
        ("x.items", 32, 2),
        ("x.routes", 16, 16),
        ("x.routes", 40, 2),
    )
    for table, at, large in scalars:
        content = embedded(indexed, table)
        (tmp_path / f"{table}.bin").write_bytes(content[:at] + bytes((large,)) + content[at + 1 :])
        for binary in indexed.binaries:
            done = run(indexed, binary, tmp_path)
            assert (done.returncode, done.stdout) == (1, "")
            assert f"error: {table}: a scalar is too large for its column" in done.stderr
        (tmp_path / f"{table}.bin").unlink()


def test_a_table_that_is_no_file_is_told_and_not_waited_for(indexed: Forms, tmp_path: Path) -> None:
    place = tmp_path / "x.items.bin"
    for make in (os.mkfifo, Path.mkdir, lambda path: path.symlink_to(path.name)):
        make(place)
        done = run(indexed, indexed.binaries[0], tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert f"error: cannot read {place}: " in done.stderr
        place.rmdir() if place.is_dir() else place.unlink()


def test_a_right_table_is_taken(indexed: Forms, tmp_path: Path) -> None:
    content = embedded(indexed, "x.routes")
    (tmp_path / "x.routes.bin").write_bytes(content[:8] + content[8:].replace(b"\x0a", b"\x0b", 1))
    for binary in indexed.binaries:
        done = run(indexed, binary, tmp_path)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["drops"] == {"x.no_route": 9}
