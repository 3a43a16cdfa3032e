"""Names of a chain that already mean something in C, in the runtime, in libraries or beside each other."""

import re
import subprocess
from pathlib import Path

import pytest

from synth import codegen
from synth.codegen.foreign_names import runtime_words
from synth.synthesis import synthesize
from tests.hostile.forms import INTERFACES, load_text

# Instance, its two sides, and a table; their names are joined by `_` in C.
EVIL = (
    ("packet", "emit", "parse", "head"), ("core", "process", "tick", "state"),
    ("sem", "post", "wait", "open"), ("uint64", "t", "w", "q"), ("hash", "bytes", "end", "scalar"),
    ("pcap", "open", "close", "x"),
    ("host", "fail", "report", "x"), ("aligned", "alloc", "b", "x"), ("table", "rules_list_x", "b", "x"),
    ("INT8", "MAX", "MIN", "C"), ("replay", "main", "b", "x"), ("x_t", "find", "hash_unique", "y"),
    ("y", "t_is_live", "t_clear", "t"), ("counter", "names", "is_drop", "x"), ("size", "t", "b", "q"),
    ("from", "lan", "wan", "x"), ("unix", "main", "linux", "errno"), ("int", "default", "case", "static"),
    ("NULL", "EOF", "TRUE", "x"), ("rte", "exit", "panic", "ring"), ("log", "choice", "b", "x"),
)  # fmt: skip
LOCALS = (
    "asm", "bool", "burst", "default", "divide", "errno", "hash32", "int", "linux", "list_row", "load16",
    "main", "packet", "packet_ipv4_ttl", "state", "stdin", "tables", "typeof", "uint8_t", "unix",
    "PACKET_H", "UINT32_MAX",
)  # fmt: skip


def nf(number: int, first: str, second: str, table: str) -> str:
    """Return an NF; the table `t_is` beside `t` has functions that begin as those of `t` do."""
    other = "t_is" if table == "t" else "t8"
    return f"""
nf n{number} {{
    sides {first}, {second}
    table {table} {{
        key      inside: ipv4
        unique   vlan_inner: u16
        value    max: u32 = 3
        timer    tcp = 5s
        timer    version = 6s
        capacity 4
    }}
    table {other} {{
        key      k: ipv4
        capacity 2
    }}
    counter cnt
    from {first} (pkt: ipv4) {{
        let packet_ipv4_src = pkt.ipv4.src
        let {table}_find = pkt.ipv4.ttl
        let e = {table}.find(inside: packet_ipv4_src)
             or {table}.insert(inside: packet_ipv4_src, vlan_inner: choose 1..9) or drop full
        touch e.version
        let f = {other}.find(k: pkt.ipv4.src) or {other}.insert(k: pkt.ipv4.src) or drop also_full
        pkt.ipv4.ttl = {table}_find -% 1
        pkt.ipv4.id = u16({table}_find)
        pkt.ipv4.src = packet_ipv4_src
        count cnt by u64(e.vlan_inner)
        emit {second}
    }}
    from {first} (pkt) {{ drop why }}
    from {second} (pkt) {{ emit {first} }}
}}
"""


def chain() -> str:
    nfs = "".join(nf(at, *names) for at, (_, *names) in enumerate(EVIL))
    instances = "".join(f"    {one[0]} = n{at}()\n" for at, one in enumerate(EVIL))
    row = " <-> ".join(("lan", *(one[0] for one in EVIL), "wan"))
    return f"{nfs}\nchain main {{\n{INTERFACES}{instances}    {row}\n}}\n"


def locals_chain() -> str:
    lines = "".join(f"    let {name} = pkt.ipv4.ttl *% {at + 3}\n" for at, name in enumerate(LOCALS))
    total = " ^ ".join(LOCALS)
    return f"""nf n {{
    vector last: u8[256]
    from inside (pkt: ipv4) {{
{lines}    pkt.ipv4.ttl = {total}
    last[unix] = {total}
    let whole = last[packet] / (errno | 1)
    pkt.ipv4.id = u16(whole) *% 3
    last[linux] = u8({total})
    emit outside
    }}
    from inside (pkt) {{ drop other }}
    from outside (pkt) {{ emit inside }}
}}
chain hostile {{
{INTERFACES}    x = n()
    lan <-> x <-> wan
}}
"""


@pytest.mark.parametrize("is_synthesized", [False, True], ids=["written", "synthesized"])
@pytest.mark.parametrize("make", [chain, locals_chain])
def test_no_name_of_a_chain_gets_in_the_way_of_its_c(make, is_synthesized, tmp_path: Path) -> None:
    graph = load_text(make(), tmp_path)
    graph = synthesize(graph).graph if is_synthesized else graph
    tree = codegen.emit(graph, is_synthesized=is_synthesized)
    for path, content in tree.files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    units = [unit for unit in tree.units if unit.endswith(".c")]
    for standard in ("c11", "gnu11"):
        command = ("gcc", f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I.", *units)
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    functions = re.findall(r"^void (\w+)\(", tree.files["chain.h"].decode(), re.MULTILINE)
    assert functions
    assert not set(functions) & runtime_words(), "what is linked with the runtime has names of its own"


def test_plain_names_stay_as_they_are(tmp_path: Path) -> None:
    graph = load_text(f"use nf: napt\nchain c {{\n{INTERFACES}    nat = napt(public: 192.0.2.1)\n"
                      "    lan <-> nat <-> wan\n}\n", tmp_path)  # fmt: skip
    files = codegen.emit(graph).files
    assert {"nat.c", "nat_bindings.h"} <= files.keys()
    assert b"void nat_inside(" in files["chain.h"]
