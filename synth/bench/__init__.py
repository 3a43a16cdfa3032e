"""Measure what a chain's binaries cost: instructions a packet, and rate beside testpmd's macswap."""

from synth.bench.measure import Bench, bench
from synth.bench.traffic import BenchTraffic, NothingPasses, accepted_traffic

__all__ = ["Bench", "BenchTraffic", "NothingPasses", "accepted_traffic", "bench"]
