"""A packet sequence on which two graphs really differ, for a proof that failed."""

from synth.counterexample.report import Behaviour, Counterexample
from synth.counterexample.search import behave, find_counterexample

__all__ = ["Behaviour", "Counterexample", "behave", "find_counterexample"]
