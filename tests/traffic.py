"""Random traffic for tests."""

from synth.traffic.random_traffic import Arrival, Traffic

__all__ = ["Arrival", "Traffic"]
