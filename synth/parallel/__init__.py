"""Decides how a chain runs on several cores: `plan(graph, nic, cores=n)`."""

from synth.parallel.nic import Nic, load_nic, nic_names
from synth.parallel.plan import Plan
from synth.parallel.planner import plan

__all__ = ["Nic", "Plan", "load_nic", "nic_names", "plan"]
