"""Look on while a prepared graph runs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from synth.graph.evaluator.domain import C, P, V
from synth.graph.evaluator.operations import Step
from synth.graph.evaluator.program import Program

Watcher = Callable[[str, Sequence[Any]], None]
"""Is told of each block that has been run: its name, and all values by slot as they are then."""


def watched(program: Program[V, P, C], watch: Watcher) -> Program[V, P, C]:
    """Return a program that does the same, and tells of each block behind its operations."""
    blocks = (replace(one, steps=(*one.steps, _telling(one.name, watch))) for one in program.blocks)
    return replace(program, blocks=tuple(blocks))


def _telling(block: str, watch: Watcher) -> Step:
    return lambda slots, path: watch(block, slots)  # noqa: ARG005 - a step takes both
