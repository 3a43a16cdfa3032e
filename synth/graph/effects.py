"""What every operation does to state: the one table that passes, backends and the parallelizer share.

An operation touches at most one state object. Expiry is no effect of its own: whether an entry is
live depends on its object and on `now`, which is one value for a packet's whole way.
"""

from dataclasses import dataclass
from typing import Literal

from synth.graph import nodes
from synth.graph.nodes import Op
from synth.graph.walk import operands

Access = Literal["read", "write", "add"]
"""`add` neither reads nor orders: sums come out the same in any order (counters, sketches)."""


@dataclass(frozen=True, slots=True)
class Effect:
    """How an operation touches a state object, by the object's name in the graph."""

    object: str
    access: Access


@dataclass(frozen=True, slots=True)
class Touches:
    """A row of the table: the attribute that holds the object's name, and the access.

    Static tables are read like others: a table reload is a write from outside.
    """

    attribute: str
    access: Access


EFFECTS: dict[type[Op], Touches | None] = {
    nodes.Constant: None,
    nodes.Unary: None,
    nodes.Binary: None,
    nodes.Select: None,
    nodes.Resize: None,
    nodes.Hash: None,
    nodes.Has: None,
    nodes.Read: None,
    nodes.Write: None,
    nodes.Length: None,
    nodes.IcmpError: None,
    nodes.Find: Touches("table", "read"),
    nodes.Insert: Touches("table", "write"),
    nodes.EntryRead: Touches("table", "read"),
    nodes.EntryWrite: Touches("table", "write"),
    nodes.Touch: Touches("table", "write"),
    nodes.Remove: Touches("table", "write"),
    nodes.VectorRead: Touches("vector", "read"),
    nodes.VectorWrite: Touches("vector", "write"),
    nodes.Count: Touches("counter", "add"),
    nodes.BucketTake: Touches("bucket", "write"),
    nodes.SketchAdd: Touches("sketch", "add"),
    nodes.SketchEstimate: Touches("sketch", "read"),
    nodes.RulesDecide: Touches("rules", "read"),
    nodes.RoutesLookup: Touches("routes", "read"),
    nodes.ListRead: Touches("list", "read"),
    nodes.ListFind: Touches("list", "read"),
    nodes.RingPick: Touches("ring", "read"),
}
"""None: no state. A bucket that is a table's column counts as its table."""


def effect(op: Op) -> Effect | None:
    """Return what an operation does to state, or None."""
    row = EFFECTS[type(op)]
    if row is None:
        return None
    if isinstance(op, nodes.BucketTake) and op.table is not None:
        return Effect(op.table, row.access)
    return Effect(getattr(op, row.attribute), row.access)


def is_pure(op: Op) -> bool:
    """Tell whether an operation's results depend on its operands alone."""
    return EFFECTS[type(op)] is None


def has_no_write(op: Op) -> bool:
    """Tell whether an operation leaves all state as it was: it may go when its results are unused."""
    touched = EFFECTS[type(op)]
    return touched is None or touched.access == "read"


def _chooses(op: Op) -> bool:
    return isinstance(op, nodes.Insert) and op.choose is not None


def can_commute(first: Op, second: Op) -> bool:
    """Tell whether two neighbouring operations may change places.

    They may when neither uses what the other defines, and when they touch different objects, both
    only read, or both only add. Different keys of one table are a matter for proofs, not for this.
    Two insertions that choose stay in order whatever their tables: the log of choices is one sequence.
    """
    if _chooses(first) and _chooses(second):
        return False
    if set(operands(second)) & set(first.results) or set(operands(first)) & set(second.results):
        return False
    one, other = effect(first), effect(second)
    if one is None or other is None or one.object != other.object:
        return True
    return one.access == other.access and one.access in ("read", "add")
