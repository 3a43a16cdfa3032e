"""What can be told apart from one core, in words."""

from collections.abc import Collection, Iterator

from synth.graph.nodes import ChainGraph, KeyedTable, Sketch, SketchEstimate
from synth.parallel.analysis import Analysis
from synth.parallel.relations import Modes


def find_differences(
    graph: ChainGraph, analysis: Analysis, modes: Modes, *, locked: Collection[str] = ()
) -> Iterator[str]:
    """Yield what differs from one core, object by object; what is locked does not differ."""
    split = analysis.model.written - frozenset(locked)
    for state in graph.states:
        if isinstance(state, KeyedTable) and state.name in split:
            yield f"{state.name}: each core has its share of the {state.capacity:,} entries, full by itself"
    for table, column in analysis.model.chosen.items():
        if table in split:
            yield f"{table}: each core chooses {column} from its own share of the values"
    for table in dict.fromkeys(table for table, _ in modes.interchangeable):
        names = sorted({name for guard in analysis.guarded[table] for name in guard.drops})
        yield f"{table}: what fails the test may be counted as any of {', '.join(names)}"
    estimates = {
        op.sketch for block in graph.blocks for op in block.operations if isinstance(op, SketchEstimate)
    }
    for state in graph.states:
        if isinstance(state, Sketch) and state.name in estimates & split:
            yield f"{state.name}: fewer keys share a core's sketch, so estimates may be lower, never too low"
