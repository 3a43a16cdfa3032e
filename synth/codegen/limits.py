"""What the language allows and the C runtime does not: found before anything is emitted."""

from collections.abc import Iterator

from synth.codegen.errors import NotInC
from synth.codegen.folding import width_of
from synth.diagnostics.diagnostic import UserError
from synth.graph.nodes import Bits, ChainGraph, KeyedTable, ListRead, RingPick, RoutesLookup, Sketch

MOST_TIMER_CLASSES = 8
MOST_ENTRIES = 1 << 30
MOST_SKETCH_ROWS = 256
MOST_ROW_BITS = 64
"""Static tables are data in words of so many bits."""


def check_limits(graph: ChainGraph) -> None:
    """Do nothing for a graph that C can express.

    Raises:
        UserError: with all that it cannot (E602).
    """
    found = (*_states(graph), *_values(graph))
    if found:
        raise UserError(found)


def _states(graph: ChainGraph) -> Iterator[NotInC]:
    for state in graph.states:
        match state:
            case KeyedTable(timers=timers, span=span) if len(timers) > MOST_TIMER_CLASSES:
                yield NotInC(span=span, what=f"a table with more than {MOST_TIMER_CLASSES} timers")
            case KeyedTable(capacity=capacity, span=span) if capacity > MOST_ENTRIES:
                yield NotInC(span=span, what=f"a table of {capacity:,} entries (at most {MOST_ENTRIES:,})")
            case Sketch(rows=rows, span=span) if rows > MOST_SKETCH_ROWS:
                yield NotInC(span=span, what=f"a sketch with more than {MOST_SKETCH_ROWS} rows")


def _values(graph: ChainGraph) -> Iterator[NotInC]:
    for block in graph.blocks:
        for op in block.operations:
            widths = [width_of(result.type) for result in op.results if isinstance(result.type, Bits)]
            is_row = isinstance(op, RoutesLookup | ListRead | RingPick)
            if is_row and max(widths, default=0) > MOST_ROW_BITS:
                yield NotInC(span=op.span, what=f"a value of {max(widths)} bits in a list or routing table")
