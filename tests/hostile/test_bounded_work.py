"""No packet can cause work without end, and no chain can make the compiler count without end."""

from pathlib import Path

import pytest

from synth import codegen
from synth.diagnostics.diagnostic import UserError
from tests.hostile.forms import INTERFACES, load_text

FLOOD = "nf flood {\n    sides any\n    from any (pkt) { emit others }\n}\n"
SWITCH = """
nf switch {
    sides a, b, c
    from a (pkt: ipv4) { if pkt.ipv4.df { emit b } else { emit c } }
    from b (pkt: ipv4) { if pkt.ipv4.df { emit c } else { emit a } }
    from c (pkt: ipv4) { if pkt.ipv4.df { emit a } else { emit b } }
    from a, b, c (pkt) { drop other }
}
"""


def refusal(text: str, folder: Path) -> str:
    graph = load_text(text, folder)
    with pytest.raises(UserError) as error:
        codegen.emit(graph)
    (found,) = error.value.diagnostics
    assert found.code == "E601"
    return found.message


def test_a_flood_through_cycles_is_refused_at_once(tmp_path: Path) -> None:
    text = f"""{FLOOD}
chain hostile {{
{INTERFACES}
    x = flood()
    y = flood()
    lan <-> x.a
    wan <-> y.b
    x.c <-> y.c
    x.d <-> y.d
    x.e <-> y.e
    x.f <-> y.f
    budget 8
}}
"""
    assert refusal(text, tmp_path) == "one frame received on `lan` can cause more than 256 frames"


def test_a_flood_whose_copies_are_all_dropped_is_refused_too(tmp_path: Path) -> None:
    text = f"""{FLOOD}
chain hostile {{
{INTERFACES}
    x = flood()
    lan -> x.a
    x.a <-> x.b
    x.c <-> x.d
    x.e <-> x.f
    wan -> x.b
    budget 8
}}
"""
    message = "one frame received on `lan` can cause more than 4,096 copies of it, most of them dropped"
    assert refusal(text, tmp_path) == message


def test_a_mesh_that_never_copies_is_counted_at_once(tmp_path: Path) -> None:
    names = [f"s{number}" for number in range(24)]
    instances = "".join(f"    {name} = switch()\n" for name in names)
    ring = "".join(
        f"    {name}.b <-> {after}.c\n" for name, after in zip(names, (*names[1:], names[0]), strict=True)
    )
    pairs = "".join(f"    s{at}.a <-> s{at + 11}.a\n" for at in range(1, 12))
    text = (
        f"{SWITCH}\nchain hostile {{\n{INTERFACES}{instances}"
        f"    lan <-> s0.a\n    wan <-> s23.a\n{ring}{pairs}    budget 8\n}}\n"
    )
    assert b".emissions_per_frame = 1," in codegen.emit(load_text(text, tmp_path)).files["core.c"]


def test_a_copy_behind_six_hundred_nfs_is_counted(tmp_path: Path) -> None:
    many = [f"f{number}" for number in range(600)]
    instances = "".join(f"    {name} = forwarder()\n" for name in many)
    text = (
        f"use nf: forwarder\n{FLOOD}chain hostile {{\n{INTERFACES}"
        f"    interface spare {{ mac 02:00:00:00:00:03 }}\n{instances}"
        f"    x = flood()\n    lan <-> {' <-> '.join(many)} <-> x.a\n"
        "    x.b <-> wan\n    x.c <-> spare\n}\n"
    )
    assert b".emissions_per_frame = 2," in codegen.emit(load_text(text, tmp_path)).files["core.c"]
