"""Measure what a chain's binaries cost: instructions a packet, and rate beside testpmd's macswap."""

from synth.bench.measure import Bench, Figures, bench

__all__ = ["Bench", "Figures", "bench"]
