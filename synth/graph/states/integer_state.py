"""All state objects of a chain over integers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from synth.graph.evaluator.domain import rows_by
from synth.graph.nodes import (
    Counter,
    KeyedTable,
    ListTable,
    Ring,
    RouteTable,
    RuleTable,
    Sketch,
    StateObject,
    TokenBucket,
    Vector,
)
from synth.graph.states.allocator import Chooser
from synth.graph.states.bucket import IntegerBucket
from synth.graph.states.cells import IntegerCounter, IntegerSketch, IntegerVector
from synth.graph.states.keyed_table import IntegerTable
from synth.graph.states.static_tables import (
    IntegerList,
    IntegerListBy,
    IntegerRing,
    IntegerRoutes,
    IntegerRules,
)

Rows = IntegerRoutes | IntegerList | IntegerListBy | IntegerRing


@dataclass(frozen=True, slots=True)
class IntegerState:
    """The interpreter's state, changed in place from packet to packet."""

    tables: Mapping[str, IntegerTable]
    vectors: Mapping[str, IntegerVector]
    counters: Mapping[str, IntegerCounter]
    buckets: Mapping[str, IntegerBucket]
    sketches: Mapping[str, IntegerSketch]
    rules: Mapping[str, IntegerRules]
    rows: Mapping[str, Rows]

    def fork(self) -> "IntegerState":
        """Integers never fork.

        Raises:
            NotImplementedError: always; an integer condition leaves one way to go on.
        """
        raise NotImplementedError("integers follow one path")


def initial_state(objects: Iterable[StateObject], choices: Chooser | None = None) -> IntegerState:
    """Return the state that a chain starts with. Without a chooser, `choose` takes the lowest free value."""
    objects = tuple(objects)
    return IntegerState(
        tables={o.name: IntegerTable(o, choices) for o in objects if isinstance(o, KeyedTable)},
        vectors={o.name: IntegerVector(o) for o in objects if isinstance(o, Vector)},
        counters={o.name: IntegerCounter() for o in objects if isinstance(o, Counter)},
        buckets={o.name: IntegerBucket(o.rate, o.burst) for o in objects if isinstance(o, TokenBucket)},
        sketches={o.name: IntegerSketch(o) for o in objects if isinstance(o, Sketch)},
        rules={o.name: IntegerRules(o) for o in objects if isinstance(o, RuleTable)},
        rows=_rows(objects),
    )


def _rows(objects: tuple[StateObject, ...]) -> dict[str, Rows]:
    lists = {item.name: item.rows for item in objects if isinstance(item, ListTable)}
    rows: dict[str, Rows] = {}
    for item in objects:
        match item:
            case RouteTable():
                rows[item.name] = IntegerRoutes(item)
            case ListTable():
                rows[item.name] = IntegerList(item)
                rows |= {rows_by(item.name, at): IntegerListBy(item, at) for at in range(len(item.columns))}
            case Ring():
                rows[item.name] = IntegerRing(item, lists[item.list])
            case _:
                pass
    return rows
