"""The measurement: instructions a packet, and rates beside testpmd's macswap in the same run."""

import os
import statistics
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from synth import codegen
from synth.bench.programs import Machine, Program, chain_program, macswap_program
from synth.bench.running import measure_instructions, measure_rate
from synth.bench.traffic import BenchTraffic, NothingPasses, accepted_traffic
from synth.captures import CapturedPacket, write_capture
from synth.diagnostics.diagnostic import UserError
from synth.graph.nodes import ChainGraph

CALLGRIND_MARCH = "x86-64-v3"
"""What valgrind knows of a machine: no AVX-512."""

SECONDS = 4
MACSWAP, SYNTHESIZED, AS_WRITTEN = "macswap", "synthesized", "as written"
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One program's figures.

    Attributes:
        instructions: for each packet, source and sink included.
        rate: packets for each second on a CPU, the median of the rounds.
        share: of macswap's rate in the same round, the median of the rounds.
    """

    instructions: float
    rate: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What was measured, by program name."""

    chain: str
    traffic: BenchTraffic
    has_hugepages: bool
    rounds: int
    figures: Mapping[str, Figures]

    def as_dict(self) -> dict[str, object]:
        """Return the figures for scripts."""
        return {
            "chain": self.chain,
            "interface": self.traffic.interface,
            "flows": {"tcp": self.traffic.flows[6], "udp": self.traffic.flows[17]},
            "packets": len(self.traffic.frames),
            "leaving": self.traffic.leaving,
            "hugepages": self.has_hugepages,
            "rounds": self.rounds,
            "programs": {
                name: {
                    "instructions_per_packet": round(one.instructions, 1),
                    "packets_per_cpu_second": round(one.rate),
                    "share_of_macswap": round(one.share, 4),
                }
                for name, one in self.figures.items()
            },
        }

    def text(self) -> str:
        """Return the figures for people."""
        traffic = self.traffic
        flows = f"{traffic.flows[6]} TCP and {traffic.flows[17]} UDP flows"
        memory = "hugepages" if self.has_hugepages else "no hugepages"
        lines = [
            f"chain {self.chain}: {len(traffic.frames)} frames of 64 bytes on `{traffic.interface}`,",
            f"{flows}, {traffic.leaving:.1%} leave; {memory}, medians of {self.rounds} rounds",
            f"{'':<12} {'instr/packet':>12} {'Mpps':>8} {'of macswap':>11}",
        ]
        lines += [
            f"{name:<12} {one.instructions:>12.0f} {one.rate / 1e6:>8.2f} {one.share:>11.3f}"
            for name, one in self.figures.items()
        ]
        return "\n".join(lines)


def bench(written: ChainGraph, synthesized: ChainGraph, *, rounds: int, progress: Progress) -> Bench:
    """Measure both forms of a chain beside testpmd's macswap: same frames, same source, same sink.

    Raises:
        UserError: no traffic was found that the chain forwards (E720).
        ToolchainError: a compiler, DPDK, testpmd or valgrind is missing or failed.
    """
    progress("look for traffic that the chain forwards")
    traffic = accepted_traffic(written)
    if isinstance(traffic, NothingPasses):
        raise UserError((traffic,))
    machine = find_machine()
    with tempfile.TemporaryDirectory(prefix="synth-bench-") as name:
        folder = Path(name)
        capture = folder / "traffic.pcap"
        write_capture(capture, [CapturedPacket(number, frame) for number, frame in enumerate(traffic.frames)])
        instructions = _instructions(written, synthesized, traffic, capture, machine, progress)
        programs = _programs(written, synthesized, traffic, capture, machine, "native", progress)
        rates = _rates(programs, rounds, progress)
    return Bench(
        chain=written.name,
        traffic=traffic,
        has_hugepages=machine.has_hugepages,
        rounds=rounds,
        figures={
            one.name: Figures(
                instructions=instructions[one.name],
                rate=statistics.median(rates[one.name]),
                share=statistics.median(
                    mine / base for mine, base in zip(rates[one.name], rates[MACSWAP], strict=True)
                ),
            )
            for one in programs
        },
    )


def find_machine() -> Machine:
    """Return whether there are free hugepages, and two CPUs of this process (or one, twice)."""
    pages = Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages")
    free = int(pages.read_text(encoding="ascii")) if pages.exists() else 0
    cpus = sorted(os.sched_getaffinity(0))
    return Machine(has_hugepages=free >= 512, waiting_cpu=cpus[0], forwarding_cpu=cpus[-1])


def _programs(
    written: ChainGraph,
    synthesized: ChainGraph,
    traffic: BenchTraffic,
    capture: Path,
    machine: Machine,
    march: str,
    progress: Progress,
) -> list[Program]:
    folder, interfaces = capture.parent, [one.name for one in written.interfaces]
    programs = [macswap_program(capture, machine)]
    for name, graph, is_synthesized in ((SYNTHESIZED, synthesized, True), (AS_WRITTEN, written, False)):
        progress(f"build {name} for {march}")
        out = folder / march / name.replace(" ", "_")
        tree = codegen.emit(graph, is_synthesized=is_synthesized)
        binary = codegen.build(tree, out, name="chain", march=march).path
        programs.append(chain_program(name, binary, capture, interfaces, traffic.interface, machine))
    return programs


def _instructions(
    written: ChainGraph,
    synthesized: ChainGraph,
    traffic: BenchTraffic,
    capture: Path,
    machine: Machine,
    progress: Progress,
) -> dict[str, float]:
    without_hugepages = Machine(
        has_hugepages=False, waiting_cpu=machine.waiting_cpu, forwarding_cpu=machine.forwarding_cpu
    )
    programs = _programs(written, synthesized, traffic, capture, without_hugepages, CALLGRIND_MARCH, progress)
    found = {}
    for program in programs:
        progress(f"count the instructions of {program.name}")
        found[program.name] = measure_instructions(program, capture.parent)
    return found


def _rates(programs: list[Program], rounds: int, progress: Progress) -> dict[str, list[float]]:
    """Measure all programs in turn, round by round, so that what disturbs them disturbs all."""
    rates: dict[str, list[float]] = {program.name: [] for program in programs}
    for number in range(rounds):
        progress(f"round {number + 1} of {rounds}")
        for program in programs:
            rates[program.name].append(measure_rate(program, SECONDS))
    return rates
