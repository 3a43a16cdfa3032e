"""What cannot be shown is not built: the chain as written is, and whoever asked is told."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from synth.cli.commands import cli
from synth.cli.exits import SOLVER, guarded
from synth.driver import BuildOptions, Source, build
from synth.proof import product
from tests.proof.chains import CHAINS

CHAIN = CHAINS / "routers" / "router_2.chain"


@pytest.fixture(autouse=True)
def _gives_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product, "MAX_PAIRS", 40)


def sources(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_the_chain_as_written_is_built_and_the_report_says_why(tmp_path: Path):
    reports = [
        build(
            Source(path=CHAIN),
            tmp_path / name,
            BuildOptions(source_only=True, as_written=as_written),
            stage=lambda _: nullcontext(),
        )
        for name, as_written in (("unproved", False), ("written", True))
    ]
    assert sources(tmp_path / "unproved" / "src") == sources(tmp_path / "written" / "src")
    assert reports[0].form == "as written, since the synthesized chain is not proved"
    assert "Not proved:" in reports[0].text()
    assert "the walk grew past its bound" in reports[0].text()
    assert reports[1].proof is None


def test_synth_prove_ends_with_the_solvers_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    command = ["prove", str(CHAIN), "-o", str(tmp_path / "found")]
    assert guarded(lambda: cli.main(command, standalone_mode=False)) == SOLVER
    printed = capsys.readouterr().out
    assert "NOT shown: step from interface" in printed
    assert printed.splitlines()[-1].startswith("not proved: ")
    assert not (tmp_path / "found").exists()
