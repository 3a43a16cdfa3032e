"""Terms of which a state as tokens is made: versions, entries, and unknown functions by name."""

from collections.abc import Sequence
from typing import Any

import z3

from synth.proof.symbols import Term

VERSION = z3.DeclareSort("Version")
ENTRY = z3.DeclareSort("Entry")


def apply(name: str, arguments: Sequence[Term], result: Any) -> Any:
    """Apply the unknown function of this name to the arguments."""
    return z3.Function(name, *(argument.sort() for argument in arguments), result)(*arguments)


def scalar_sort(width: int, *, is_bool: bool) -> Any:
    """Return the sort of a scalar."""
    return z3.BoolSort() if is_bool else z3.BitVecSort(width)
