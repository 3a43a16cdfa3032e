"""The programs that are measured, with the same source and sink, and how to read their counts."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from synth.bench.traffic import PACKETS

BUFFERS = 4 * PACKETS
"""Packet buffers: more than the capture has packets, for the source keeps all of them."""

_MEMORY_MB = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Whether the EAL gets hugepages, and the CPUs: the first waits (testpmd), the second forwards."""

    has_hugepages: bool
    waiting_cpu: int
    forwarding_cpu: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A command that forwards until it is interrupted, and prints its counts every second.

    Attributes:
        name: in reports.
        command: the command with its arguments.
        counts: matches one line of the counts, with the packets received so far as its group.
        total: the same for what it prints at its end.
    """

    name: str
    command: tuple[str, ...]
    counts: re.Pattern[str]
    total: re.Pattern[str]


def chain_program(
    name: str, binary: Path, capture: Path, interfaces: Sequence[str], source: str, machine: Machine
) -> Program:
    """Return a chain's binary with the capture on its interface `source` and sinks on all others."""
    sinks = [one for one in interfaces if one != source]
    ports = [f"{source}=net_pcap0", *(f"{one}=net_null{number}" for number, one in enumerate(sinks))]
    arguments = [argument for port in ports for argument in ("--interface", port)]
    eal = _eal(
        machine,
        str(machine.forwarding_cpu),
        f"bench-{name.replace(chr(32), chr(95))}",
        capture,
        max(1, len(sinks)),
    )
    counts = re.compile(r" in (\d+) \+ generated")
    return Program(
        name=name,
        command=(str(binary), *arguments, "--stats", "1", "--buffers", str(BUFFERS), "--", *eal),
        counts=counts,
        total=counts,
    )


def macswap_program(capture: Path, machine: Machine) -> Program:
    """Return testpmd, exchanging MAC addresses."""
    cpus = f"{machine.waiting_cpu},{machine.forwarding_cpu}"
    eal = _eal(machine, cpus, "bench-macswap", capture, 1)
    lcore = ("--main-lcore", str(machine.waiting_cpu))
    options = (
        "--forward-mode=macswap", "--auto-start", "--no-flush-rx", "--nb-cores=1", "--burst=32",
        "--stats-period=1", f"--total-num-mbufs={BUFFERS}",
    )  # fmt: skip
    return Program(
        name="macswap",
        command=("dpdk-testpmd", *eal, *lcore, "--", *options),
        counts=re.compile(r"^  RX-packets: ([1-9]\d*) +RX-missed"),
        total=re.compile(r"RX-packets: (\d+) +RX-dropped: \d+ +RX-total"),
    )


def _eal(machine: Machine, cpus: str, prefix: str, capture: Path, sinks: int) -> tuple[str, ...]:
    """Return the arguments for the EAL. `no-rx`: a sink must not be a source of its own."""
    memory = () if machine.has_hugepages else ("--no-huge", "-m", str(_MEMORY_MB))
    devices = (
        f"net_pcap0,rx_pcap={capture},infinite_rx=1",
        *(f"net_null{number},size=64,no-rx=1" for number in range(sinks)),
    )
    vdevs = tuple(argument for device in devices for argument in ("--vdev", device))
    own = f"{prefix}-{os.getpid()}"  # two measurements at one time do not disturb each other's files
    return ("-l", cpus, *memory, "--no-pci", "--no-telemetry", "--file-prefix", own, *vdevs)
