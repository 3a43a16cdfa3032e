"""Lists of records and configurations in YAML: what they mean, and what is said about wrong ones."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.diagnostics.diagnostic import Diagnostic
from synth.diagnostics.spans import Span
from synth.language.files.config import RawList, RawMap, RawText, Setting, load_config, parse_overrides
from synth.language.files.records import load_records
from synth.language.files.source import FileReference
from synth.language.types import Bool, Duration, Ipv4, Mac, Rate, Record, Side, Size, UInt

BACKEND = Record("backend", (("address", Ipv4()), ("weight", UInt(16)), ("mac", Mac())))
DEFAULTS = {"weight": (1,), "mac": (0,)}


def reference(path: Path, text: str | bytes | None) -> FileReference:
    if isinstance(text, str):
        path.write_text(text)
    elif text is not None:
        path.write_bytes(text)
    return FileReference(path=path, shown="b.yaml", span=Span("lb.chain", 5, 9, 5, 15))


def load(
    path: Path, text: str | bytes | None, record: Record = BACKEND
) -> tuple[tuple[tuple[int, ...], ...] | None, list[Diagnostic]]:
    found: list[Diagnostic] = []
    where = reference(path, text)
    rows = load_records(where, record, found.append, defaults=DEFAULTS, sides=("inside", "outside"))
    return None if rows is None else rows.rows, found


def test_records_take_their_members_by_name_and_defaults_for_the_rest(tmp_path: Path) -> None:
    rows, found = load(
        tmp_path / "b",
        "- address: 200.0.0.2\n  weight: 0x10\n"
        "- {mac: '02:00:00:00:00:01', address: 200.0.0.3}\n- 200.0.0.4\n",
    )
    assert found == []
    assert rows == ((0xC8000002, 16, 0), (0xC8000003, 1, 0x020000000001), (0xC8000004, 1, 0))


def test_every_scalar_type_is_written_as_in_a_chain_file(tmp_path: Path) -> None:
    members = (("on", Bool()), ("idle", Duration()), ("rate", Rate()), ("size", Size()), ("side", Side()))
    text = "- {on: true, idle: 1.5s, rate: 8Mbit/s, size: 20kB, side: outside}\n"
    rows, found = load(tmp_path / "b", text, Record("r", members))
    assert found == []
    assert rows == ((1, 1_500_000_000, 8_000_000, 20_000, 1),)


@pytest.mark.parametrize(
    ("text", "code", "place", "message", "label"),
    [
        ("- weight: 1\n", "E533", "1:3", "this backend lacks `address`", "`address: ...`, an IPv4"),
        ("- address: 1.2.3\n", "E534", "1:12", "`address` cannot be `1.2.3`", "an IPv4 address"),
        ("- address: 1.2.3.4\n  wieght: 2\n", "E532", "2:3", "has no `wieght`", "mean `weight`?"),
        ("- address: 1.2.3.4\n  weight: 65536\n", "E534", "2:11", "cannot be `65536`", "from 0 to 65535"),
        ("- address: 1.2.3.4\n  weight: 010\n", "E534", "2:11", "cannot be `010`", "from 0 to 65535"),
        ("- address: 1.2.3.4\n  address: 1.2.3.5\n", "E535", "2:3", "`address` is given twice", "in line 1"),
        ("- address: [1, 2]\n", "E531", "1:12", "unexpected list", "an IPv4 address"),
        ("- [1]\n", "E531", "1:3", "unexpected list", "a backend record"),
        ("address: 1.2.3.4\n", "E531", "1:1", "unexpected mapping", "a list of backend records"),
        ("- address: 1.2.3.4\n  ? [x]\n  : 1\n", "E531", "2:5", "unexpected list", "expected a name"),
        ("- {address: 1.2.3.4\n", "E530", "2:1", "this is not YAML", "found here"),
        ("- address: 1.2.3.4\n---\n- address: 1.2.3.5\n", "E530", "2:1", "this is not YAML", "found here"),
        ("- address: *other\n", "E530", "1:12", "this is not YAML", "found here"),
        ("- \x01\n", "E530", "1:1", "this is not YAML", "found here"),
    ],
)
def test_a_wrong_record_is_told_with_its_place(
    tmp_path: Path, text: str, code: str, place: str, message: str, label: str
) -> None:
    rows, (found,) = load(tmp_path / "b", text)
    assert (found.code, str(found.span)) == (code, f"b.yaml:{place}")
    assert message in found.message
    assert label in found.label_text
    assert rows is None


def test_a_file_that_would_never_end_is_refused(tmp_path: Path) -> None:
    for text in ("- &a\n  address: [*a]\n", "[" * 5000):
        rows, (found,) = load(tmp_path / "b", text)
        assert (rows, found.code) == (None, "E530")


@given(st.text(alphabet="-: ab[]{}'\"\n#&*!|>%@,?1.\t\x00\u2028", max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    with TemporaryDirectory() as folder:
        found: list[Diagnostic] = []
        where = reference(Path(folder) / "b", text)
        rows = load_records(where, BACKEND, found.append, defaults=DEFAULTS)
        load_config(where, ("a", "b.a"), found.append)
    assert (rows is None) <= bool(found)


def test_everything_wrong_is_reported_in_one_run(tmp_path: Path) -> None:
    rows, found = load(tmp_path / "b", "- address: x\n- 1.1.1.1\n- weight: y\n  color: red\n")
    assert [(d.code, d.span.line) for d in found] == [("E534", 1), ("E534", 3), ("E532", 4), ("E533", 3)]
    assert rows is None


def test_a_record_that_stands_twice_is_a_warning_and_is_kept(tmp_path: Path) -> None:
    rows, (found,) = load(tmp_path / "b", "- address: 1.1.1.1\n- 1.1.1.1\n")
    assert (found.code, found.severity, found.span.line) == ("W536", "warning", 2)
    assert rows == ((0x01010101, 1, 0), (0x01010101, 1, 0))


def test_an_empty_file_is_an_empty_list(tmp_path: Path) -> None:
    assert load(tmp_path / "b", "# none yet\n") == ((), [])


def test_a_missing_file_is_reported_where_it_is_named(tmp_path: Path) -> None:
    _, (found,) = load(tmp_path / "none", None)
    assert (found.code, str(found.span)) == ("E500", "lb.chain:5:9")


def text(value: str, *, is_quoted: bool = False) -> RawText:
    return RawText(text=value, is_quoted=is_quoted)


def test_a_configuration_gives_parameters_of_instances_and_of_the_chain(tmp_path: Path) -> None:
    found: list[Diagnostic] = []
    where = reference(
        tmp_path / "c",
        "nat:\n  public: 203.0.113.1\n  ports: 1024..2047\n"
        "edge.lb: {backends: [{address: 1.1.1.1}]}\nedge:\n  lb: {service: 1.1.1.2}\nname: 'x y'\n",
    )
    settings = load_config(where, ("nat", "edge.lb"), found.append)
    assert found == []
    backend = RawMap(entries=((text("address"), text("1.1.1.1")),))
    assert settings == (
        Setting(instance="nat", parameter=text("public"), value=text("203.0.113.1")),
        Setting(instance="nat", parameter=text("ports"), value=text("1024..2047")),
        Setting(instance="edge.lb", parameter=text("backends"), value=RawList(items=(backend,))),
        Setting(instance="edge.lb", parameter=text("service"), value=text("1.1.1.2")),
        Setting(instance="", parameter=text("name"), value=text("x y", is_quoted=True)),
    )
    assert str(settings[1].value.span) == "b.yaml:3:10"


def test_an_instance_without_a_mapping_is_told_with_its_place(tmp_path: Path) -> None:
    found: list[Diagnostic] = []
    assert load_config(reference(tmp_path / "c", "nat: 5\n"), ("nat",), found.append) == ()
    assert [(d.code, str(d.span)) for d in found] == [("E531", "b.yaml:1:6")]
    assert "nat's parameters" in found[0].label_text


def test_overrides_name_an_instance_and_a_parameter() -> None:
    found: list[Diagnostic] = []
    texts = ("nat.public=203.0.113.1", "edge.nat.ports=1..2", "site=7", "a.b=c=d")
    settings = parse_overrides(texts, found.append)
    assert found == []
    assert [(s.instance, s.parameter.text, s.value) for s in settings] == [
        ("nat", "public", text("203.0.113.1")),
        ("edge.nat", "ports", text("1..2")),
        ("", "site", text("7")),
        ("a", "b", text("c=d")),
    ]
    assert str(settings[1].value.span) == "--set:2:16"
    assert str(settings[1].parameter.span) == "--set:2:10"


@pytest.mark.parametrize("option", ["nat.public", "=5", "", "nat.public=", "nat..x=1", ".x=1", "n-at.x=1"])
def test_an_override_that_sets_nothing_is_told(option: str) -> None:
    found: list[Diagnostic] = []
    assert parse_overrides([option], found.append) == ()
    assert [(d.code, d.span.file) for d in found] == [("E540", "--set")]
