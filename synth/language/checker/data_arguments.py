"""Rule sets and routing tables as arguments: inline, or from files."""

from collections.abc import Mapping
from dataclasses import dataclass

from synth.diagnostics.diagnostic import Note
from synth.diagnostics.suggest import did_you_mean
from synth.language import syntax
from synth.language.checker import arguments
from synth.language.checker.bindings import Bindings, inside_quotes, is_text, take_file
from synth.language.checker.literals import parse_prefix
from synth.language.checker.words import backticks
from synth.language.errors.names import DuplicateName
from synth.language.errors.values import PrefixGivenTwice, WrongChoice, WrongForm
from synth.language.files.routes import DISCARD, load_routes
from synth.language.files.rules import load_rules, parse_rules
from synth.language.types import Ipv4, Record, Routes, Rules
from synth.language.values import PrefixValue, RouteTableValue, RouteValue, Scalars, Value


@dataclass(frozen=True, slots=True)
class Hop:
    """A next hop: the scalars of its record, or None for `discard`."""

    row: Scalars | None


# ---------------------------------------------------------------- rules


def evaluate_rules(bindings: Bindings, written: syntax.ValueExpr) -> Value | None:
    """Return a rule set: a list of texts, or `rules("file", action: permit)`."""
    if isinstance(written, syntax.ListValue):
        return _inline_rules(bindings, written)
    call = take_file(bindings, written, "rules", ("action",))
    if call is None:
        forms = '`rules("FILE")`, or rules as texts: `["permit tcp dport 80"]`'
        return arguments.evaluate_reference(bindings, written, Rules(), forms)
    reference, named = call
    permits = _action(bindings, named.get("action"))
    if reference is None or permits is None:
        return None
    key = (reference.path, permits)
    cache = bindings.program.rule_files
    if key not in cache:
        cache[key] = load_rules(reference, bindings.report, permits=permits)
    return cache[key]


def _action(bindings: Bindings, written: syntax.ValueExpr | None) -> bool | None:
    if written is None:
        return True
    text = written.name.text if isinstance(written, syntax.Reference) else "this"
    if text in ("permit", "deny"):
        return text == "permit"
    hint = did_you_mean(text, ("permit", "deny"))
    bindings.report(
        WrongChoice(span=written.span, found=text, expected=backticks(("permit", "deny")), hint=hint)
    )
    return None


def _inline_rules(bindings: Bindings, written: syntax.ListValue) -> Value | None:
    lines = []
    for item in written.items:
        if not is_text(item):
            bindings.report(
                WrongForm(
                    span=item.span, found="this", type="a rule",
                    expected='a text, as `"permit tcp dst 10.0.0.0/8 dport 80"`',
                )
            )  # fmt: skip
            return None
        lines.append(inside_quotes(item))
    return parse_rules(lines, bindings.report)


# ---------------------------------------------------------------- routes


def evaluate_routes(bindings: Bindings, written: syntax.ValueExpr, record: Record) -> Value | None:
    """Return a routing table: a map from prefixes, or `routes("file", next_hops: { ... })`."""
    if isinstance(written, syntax.MapValue):
        return _inline_routes(bindings, written, record)
    call = take_file(bindings, written, "routes", ("next_hops",))
    if call is None:
        forms = f'`routes("FILE", next_hops: {{ ... }})`, or a map from prefixes to {record.name} records'
        return arguments.evaluate_reference(bindings, written, Routes(record), forms)
    reference, named = call
    hops_written = named.get("next_hops", syntax.MapValue(entries=(), span=written.span))
    if not isinstance(hops_written, syntax.MapValue):
        bindings.report(
            WrongForm(
                span=hops_written.span, found="this", type="a map of next hops",
                expected=f"`{{ NAME: {{ ... }} }}` with {record.name} records",
            )
        )  # fmt: skip
        return None
    hops = _next_hops(bindings, hops_written, record)
    if reference is None or hops is None:
        return None
    key = (reference.path, tuple(hops.items()))
    cache = bindings.program.route_files
    if key not in cache:
        cache[key] = load_routes(reference, hops, bindings.report)
    return cache[key]


def _next_hops(
    bindings: Bindings, written: syntax.MapValue, record: Record
) -> dict[str, Scalars | None] | None:
    hops: dict[str, Scalars | None] = {}
    is_right = True
    for entry in written.entries:
        found = _hop(bindings, entry.value, record, {})
        is_right = is_right and found is not None
        if entry.key.text in hops:
            bindings.report(DuplicateName(span=entry.key.span, what="next hop", name=entry.key.text))
            is_right = False
        hops[entry.key.text] = found.row if found is not None else None
    return hops if is_right else None


def _hop(
    bindings: Bindings,
    written: syntax.ValueExpr,
    record: Record,
    named: Mapping[str, Hop | None],
) -> Hop | None:
    """Return a next hop: a record, the name of one, or `discard`."""
    if isinstance(written, syntax.Reference):
        if written.name.text in named:
            return named[written.name.text]
        if written.name.text == DISCARD:
            return Hop(None)
    value = arguments.evaluate_argument(bindings, written, record)
    return Hop(value) if isinstance(value, tuple) else None


def _inline_routes(bindings: Bindings, written: syntax.MapValue, record: Record) -> Value | None:
    named: dict[str, Hop | None] = {}
    for entry in written.entries:
        if isinstance(entry.key, syntax.Name):
            if entry.key.text in named:
                bindings.report(DuplicateName(span=entry.key.span, what="next hop", name=entry.key.text))
            named[entry.key.text] = _hop(bindings, entry.value, record, named)
    routes: dict[PrefixValue, RouteValue] = {}
    is_right = all(hop is not None for hop in named.values())
    for entry in written.entries:
        if isinstance(entry.key, syntax.Name):
            continue
        prefix = _route_prefix(bindings, entry.key)
        hop = _hop(bindings, entry.value, record, named)
        if prefix is None or hop is None:
            is_right = False
        elif prefix in routes:
            note = Note(routes[prefix].span, "first given here")
            bindings.report(PrefixGivenTwice(span=entry.key.span, prefix=entry.key.text, notes=(note,)))
        else:
            routes[prefix] = RouteValue(prefix, hop.row, entry.key.span)
    return RouteTableValue(tuple(routes.values())) if is_right else None


def _route_prefix(bindings: Bindings, key: syntax.Literal) -> PrefixValue | None:
    match key:
        case syntax.Literal(token="PREFIX4"):
            return parse_prefix(key, bindings.program.reporter)
        case _:
            value = arguments.evaluate_argument(bindings, key, Ipv4())
            return PrefixValue(value[0], 32) if isinstance(value, tuple) else None
