"""How each operation is written in the text form: one table for the printer and the parser.

A form is the operation's word and its parts, each `kind field`. Kinds: `value` (%b.12), `values`
(a list in parentheses), `slots` (the same, `_` where a value is to be chosen), `name` (dotted), `int`,
`choice` (` choose 0 from 1024..65535`, or nothing).
"""

from dataclasses import dataclass
from typing import get_args

from synth.graph import nodes
from synth.graph.nodes import Op


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write an operation. `fixed` are fields that the word itself settles."""

    word: str
    of: type[Op]
    parts: tuple[tuple[str, str], ...]
    fixed: tuple[tuple[str, str], ...] = ()


def _form(word: str, of: type[Op], *parts: str, op: str | None = None) -> Form:
    pairs = tuple((kind, field) for kind, field in (part.split(" ") for part in parts))
    return Form(word, of, pairs, () if op is None else (("op", op),))


FORMS: tuple[Form, ...] = (
    _form("constant", nodes.Constant, "int value"),
    *(_form(word, nodes.Unary, "value operand", op=word) for word in get_args(nodes.UnaryOp)),
    *(_form(word, nodes.Binary, "value left", "value right", op=word) for word in get_args(nodes.BinaryOp)),
    _form("select", nodes.Select, "value condition", "value then", "value otherwise"),
    _form("resize", nodes.Resize, "value operand"),
    _form("hash", nodes.Hash, "values operands"),
    _form("has", nodes.Has, "value packet", "name header"),
    _form("read", nodes.Read, "value packet", "name path"),
    _form("write", nodes.Write, "value packet", "name path", "value value"),
    _form("length", nodes.Length, "value packet"),
    _form("icmp_error", nodes.IcmpError, "value packet", "name error", "value source", "value mtu"),
    _form("find", nodes.Find, "name table", "name index", "values key"),
    _form(
        "insert", nodes.Insert, "name table", "values key", "slots unique", "values values", "choice choose"
    ),
    _form("entry_read", nodes.EntryRead, "name table", "value entry", "name column"),
    _form("entry_write", nodes.EntryWrite, "name table", "value entry", "name column", "value value"),
    _form("touch", nodes.Touch, "name table", "value entry", "name timer"),
    _form("remove", nodes.Remove, "name table", "value entry"),
    _form("vector_read", nodes.VectorRead, "name vector", "value index"),
    _form("vector_write", nodes.VectorWrite, "name vector", "value index", "values values"),
    _form("count", nodes.Count, "name counter", "value amount"),
    _form("take", nodes.BucketTake, "name bucket", "value amount"),
    _form("entry_take", nodes.BucketTake, "name table", "value entry", "name bucket", "value amount"),
    _form("sketch_add", nodes.SketchAdd, "name sketch", "values key", "value amount"),
    _form("estimate", nodes.SketchEstimate, "name sketch", "values key"),
    _form("decide", nodes.RulesDecide, "name rules", "value packet"),
    _form("lookup", nodes.RoutesLookup, "name routes", "value address"),
    _form("row", nodes.ListRead, "name list", "value index"),
    _form("row_with", nodes.ListFind, "name list", "int column", "value value"),
    _form("pick", nodes.RingPick, "name ring", "value hash"),
)

BY_WORD: dict[str, Form] = {form.word: form for form in FORMS}


def form_of(op: Op) -> Form:
    """Return the form in which an operation is written."""
    if isinstance(op, nodes.Unary | nodes.Binary):
        return BY_WORD[op.op]
    if isinstance(op, nodes.BucketTake):
        return BY_WORD["take" if op.table is None else "entry_take"]
    return _BY_TYPE[type(op)]


_BY_TYPE: dict[type[Op], Form] = {form.of: form for form in FORMS}
