"""`synth new`, `fmt`, `graph` and `nfs`: what they write and print."""

import json
from pathlib import Path

import pytest

from tests.cli.commands import below, environment, synth
from tests.conftest import REPOSITORY

LIBRARY = {path.stem for path in (REPOSITORY / "chains" / "nf").glob("*.chain")}


def test_a_new_chain_is_in_the_layout_and_is_never_overwritten(tmp_path: Path) -> None:
    made = synth("new", "edge", at=tmp_path)
    assert (made.code, made.out, made.err) == (0, "Wrote edge.chain. Next: synth check edge.chain\n", "")
    assert synth("fmt", "--check", "edge.chain", at=tmp_path).code == 0
    (tmp_path / "edge.chain").write_text("mine\n")
    again = synth("new", "edge", at=tmp_path)
    assert (again.code, again.out) == (1, "")
    assert "edge.chain exists already" in again.err
    assert (tmp_path / "edge.chain").read_text() == "mine\n"


@pytest.mark.parametrize(
    ("name", "code"), [("1st", "E713"), ("a/b", "E713"), ("ünï", "E713"), ("if", "E713"), ("acl", "E715")]
)
def test_a_name_that_would_not_check_is_refused(tmp_path: Path, name: str, code: str) -> None:
    made = synth("new", name, at=tmp_path)
    assert (made.code, made.out) == (1, "")
    assert f"error[{code}]" in made.err
    assert below(tmp_path) == set()


@pytest.mark.parametrize("name", ["chain", "nat"])
def test_a_name_that_means_something_elsewhere_checks(tmp_path: Path, name: str) -> None:
    assert synth("new", name, at=tmp_path).code == 0
    assert synth("check", f"{name}.chain", at=tmp_path).code == 0


def test_fmt_prints_checks_and_rewrites(work: Path) -> None:
    layout = (work / "edge.chain").read_text()
    odd = layout.replace("    lan <-> acl", "  lan  <->   acl")
    (work / "odd.chain").write_text(odd)
    (work / "link.chain").symlink_to("odd.chain")
    (work / "odd.chain").chmod(0o600)
    assert synth("fmt", "odd.chain", at=work).out == layout
    assert (work / "odd.chain").read_text() == odd
    checked = synth("fmt", "--check", "edge.chain", "odd.chain", at=work)
    assert (checked.code, checked.out, checked.err) == (1, "odd.chain\n", "")
    written = synth("fmt", "-w", "edge.chain", "link.chain", at=work)
    assert (written.code, written.out, written.err) == (0, "", "")
    assert (work / "odd.chain").read_text() == layout
    assert (work / "link.chain").is_symlink()
    assert (work / "odd.chain").stat().st_mode & 0o777 == 0o600
    assert synth("fmt", "--check", "edge.chain", "odd.chain", at=work).code == 0


def test_fmt_tells_of_all_wrong_files_and_then_rewrites_none(work: Path) -> None:
    odd = (work / "edge.chain").read_text().replace("    lan <-> acl", "  lan  <->   acl")
    (work / "odd.chain").write_text(odd)
    (work / "one.chain").write_text("chain {\n")
    (work / "two.chain").write_text("nf\n")
    ended = synth("fmt", "-w", "odd.chain", "one.chain", "two.chain", "three.chain", at=work)
    assert (ended.code, ended.out) == (1, "")
    for name in ("one.chain", "two.chain", "three.chain"):
        assert f"{name}:1:" in ended.err
    assert (work / "odd.chain").read_text() == odd


def test_a_graph_is_printed_drawn_and_written(work: Path) -> None:
    text = synth("graph", "edge.chain", at=work)
    assert text.code == 0
    assert text.out.startswith("chain edge\n")
    assert synth("graph", "edge.chain", "-o", "deep/edge.svg", at=work).code == 0
    assert "<svg" in (work / "deep" / "edge.svg").read_text()
    for name, magic in (("both.png", b"\x89PNG"), ("both.pdf", b"%PDF"), ("both.dot", b"digraph")):
        assert synth("graph", "edge.chain", "--stage", "synthesized", "-o", name, at=work).code == 0
        assert (work / name).read_bytes().startswith(magic)
    assert synth("graph", "edge.chain", "-o", "edge.txt", at=work).code == 0
    assert (work / "edge.txt").read_text() == text.out


def test_drawing_without_graphviz_is_exit_4_with_what_to_install_and_leaves_nothing(work: Path) -> None:
    before = below(work)
    drawn = synth("graph", "edge.chain", "-o", "new/edge.svg", at=work, environ=environment(PATH=str(work)))
    assert (drawn.code, drawn.out) == (4, "")
    assert "apt-get install graphviz" in drawn.err
    assert below(work) == before


def test_the_library_is_listed_and_each_nf_described(tmp_path: Path) -> None:
    listed = synth("nfs", at=tmp_path)
    assert {line.split()[0] for line in listed.out.splitlines()} == LIBRARY
    described = json.loads(synth("nfs", "--json", at=tmp_path).out)
    assert {one["name"] for one in described} == LIBRARY
    assert all(one["doc"] for one in described)
    assert all(parameter["doc"] for one in described for parameter in one["parameters"])
    napt = synth("nfs", "napt", at=tmp_path).out
    assert "public: ipv4    (must be given)" in napt
    assert "ports: range<u16> = 1024..65535" in napt
    assert "no_port " in napt
    unknown = synth("nfs", "nap", at=tmp_path)
    assert (unknown.code, unknown.out) == (1, "")
    assert "did you mean `napt`?" in unknown.err
