"""Fuzz a chain: its binary as written against its synthesized one, with packets that libFuzzer makes up.

python -m tests.fuzz.fuzzing chains/isp/isp_chain.chain --set nat.ports=1024..1039 --seconds 3600
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from synth import codegen
from synth.codegen.build import write_sources
from synth.codegen.toolchain import pkg_config
from synth.driver import Source, load
from synth.graph.nodes import ChainGraph
from synth.synthesis import synthesize
from synth.traffic.random_traffic import Arrival, Traffic

HERE = Path(__file__).resolve().parent
CHECKED = ("-O1", "-g", "-fno-sanitize-recover=all", "-march=native")
NOT_IN_A_CORE = ("main.c",)
SEED_PACKETS = 30
SEED_FILES = 20
MOST_BYTES = 8192
"""Longest input; some forty packets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuzzer:
    """A fuzzer that was built for a chain, and where it keeps what it found."""

    program: Path
    environment: dict[str, str]
    corpus: Path
    crashes: Path

    def run(self, seconds: int, seed: int = 1) -> subprocess.CompletedProcess[str]:
        """Fuzz for some seconds. Not 0: packets were found that show a fault, and are in `crashes`."""
        command = (
            str(self.program), f"-max_total_time={seconds}", f"-max_len={MOST_BYTES}", f"-seed={seed}",
            "-print_final_stats=1", "-timeout=10", f"-artifact_prefix={self.crashes}/", str(self.corpus),
        )  # fmt: skip
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)


def build_fuzzer(written: ChainGraph, synthesized: ChainGraph, folder: Path) -> Fuzzer:
    """Build both cores of a chain and the host, and write a corpus to begin with."""
    cores = {
        "AS_WRITTEN": _core(written, folder / "as_written", is_synthesized=False),
        "SYNTHESIZED": _core(synthesized, folder / "synthesized", is_synthesized=True),
    }
    program = folder / "fuzz"
    runtime = folder / "as_written" / "src" / "runtime"
    _compile("-fsanitize=fuzzer,address,undefined", f"-I{runtime}", str(HERE / "two_cores.c"), "-rdynamic",
             "-ldl", "-o", str(program))  # fmt: skip
    corpus, crashes = folder / "corpus", folder / "crashes"
    corpus.mkdir()
    crashes.mkdir()
    for number in range(SEED_FILES):
        (corpus / f"seed{number}").write_bytes(_input(written, number))
    environment = {**os.environ, **{name: str(path) for name, path in cores.items()}}
    return Fuzzer(program=program, environment=environment, corpus=corpus, crashes=crashes)


def _core(graph: ChainGraph, folder: Path, *, is_synthesized: bool) -> Path:
    """Build a chain's core as a shared library."""
    tree = codegen.emit(graph, is_synthesized=is_synthesized)
    folder.mkdir(parents=True)
    write_sources(tree, folder / "src")
    units = [unit for unit in (*tree.units, *tree.runtime_units) if Path(unit).name not in NOT_IN_A_CORE]
    library = folder / "core.so"
    _compile(
        "-std=gnu11", "-fPIC", "-shared", "-fsanitize=fuzzer-no-link,address,undefined", "-Wl,-Bsymbolic",
        *(flag for flag in pkg_config("--cflags", "libdpdk", "libpcap") if not flag.startswith("-march=")),
        "-I.", *units, *pkg_config("--libs", "libdpdk", "libpcap"), "-lm", "-o", str(library),
        directory=folder / "src",
    )  # fmt: skip
    return library


def _compile(*arguments: str, directory: Path = HERE) -> None:
    done = subprocess.run(
        ("clang", *CHECKED, *arguments), cwd=directory, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def _input(graph: ChainGraph, seed: int) -> bytes:
    traffic = Traffic(graph, seed)
    names = [interface.name for interface in graph.interfaces]
    return bytes([1]) + b"".join(_record(one, names) for one in traffic.random(SEED_PACKETS))


def _record(arrival: Arrival, names: Sequence[str]) -> bytes:
    head = bytes([0x80 | names.index(arrival.interface), 64 + arrival.time % 40])
    return head + len(arrival.data).to_bytes(2, "little") + arrival.data


@click.command()
@click.argument("chain", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--set", "overrides", multiple=True, metavar="NAME=VALUE", help="As in `synth build`.")
@click.option("--seconds", default=60, show_default=True, help="How long.")
@click.option("--seed", default=1, show_default=True, help="Of the fuzzer's random numbers.")
@click.option("--crashes", type=click.Path(path_type=Path), default=Path("out/crashes"), show_default=True,
              help="Where inputs go that show a fault.")  # fmt: skip
def main(chain: Path, overrides: tuple[str, ...], seconds: int, seed: int, crashes: Path) -> None:
    """Fuzz CHAIN. Small pools and tables (--set) let state run out, and inputs run faster."""
    with tempfile.TemporaryDirectory() as folder:
        written = load(Source(path=chain, overrides=overrides)).graph
        fuzzer = build_fuzzer(written, synthesize(written).graph, Path(folder) / "fuzz")
        done = fuzzer.run(seconds, seed)
        click.echo("\n".join(done.stderr.splitlines()[-30:]))
        if done.returncode != 0:
            shutil.copytree(fuzzer.crashes, crashes, dirs_exist_ok=True)
            click.echo(f"faults are in {crashes}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
