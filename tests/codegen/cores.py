"""Generated cores, compiled with a small driver and run beside the interpreter."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from synth.codegen.build import write_sources
from synth.codegen.emit import emit
from synth.graph.nodes import ChainGraph
from synth.interpreter import Interpreter
from synth.traffic.random_traffic import Arrival

DRIVER = Path(__file__).parent / "driver.c"
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror")
LISTS = "runtime/lists.c"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreRun:
    """What the driver printed: emissions in order, counters, choices."""

    out: list[tuple[str, bytes]] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)
    choices: list[tuple[str, int]] = field(default_factory=list)
    generated: int = 0


def compile_core(
    graph: ChainGraph, folder: Path, *, flags: Sequence[str] = ("-O1", "-w"), is_synthesized: bool = False
) -> Path:
    """Compile a chain's core with the driver. The chain has no rule sets and no routes: those need DPDK."""
    tree = emit(graph, is_synthesized=is_synthesized)
    write_sources(tree, folder / "src")
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    command = ["gcc", "-std=c11", "-march=native", *flags, *sanitizers, "-I.", *tree.units]
    command += [unit for unit in tree.runtime_units if unit == LISTS]
    done = subprocess.run(
        [*command, str(DRIVER), "-o", "../core"],
        cwd=folder / "src",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "core"


def run_core(core: Path, arrivals: Sequence[Arrival]) -> CoreRun:
    """Feed arrivals to a compiled core."""
    lines = "".join(f"{one.interface} {one.time} {one.data.hex()}\n" for one in arrivals)
    done = subprocess.run([core], input=lines, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    run = CoreRun()
    generated = 0
    for line in done.stdout.splitlines():
        match line.split():
            case ["out", interface, data]:
                run.out.append((interface, bytes.fromhex(data)))
            case ["count", name, value]:
                run.counters[name] = int(value)
            case ["choice", table, value]:
                run.choices.append((table, int(value)))
            case ["generated", value]:
                generated = int(value)
    return CoreRun(out=run.out, counters=run.counters, choices=run.choices, generated=generated)


def assert_same_as_interpreter(graph: ChainGraph, core: Path, arrivals: Sequence[Arrival]) -> None:
    """Fail when a core and the interpreter differ in a frame or a counter."""
    native = run_core(core, arrivals)
    oracle = Interpreter(graph, native.choices)
    expected = [sent for one in arrivals for sent in oracle.receive(one.interface, one.data, one.time)]
    report = oracle.finish()
    assert native.out == expected
    assert native.generated == report.generated
    counted = {**report.drops, **report.counters}
    assert native.counters == {name: value for name, value in counted.items() if value}
