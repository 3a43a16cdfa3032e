"""Wires of a chain declaration: endpoints become sides, and what is not wired is reported."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from synth.diagnostics.diagnostic import Note
from synth.diagnostics.reporter import Reporter
from synth.diagnostics.spans import Span
from synth.diagnostics.suggest import did_you_mean
from synth.language import syntax, typed
from synth.language.checker.plans import Part, emitting_sides, receiving_sides
from synth.language.checker.words import backticks
from synth.language.errors.wiring import (
    ArrivesNowhere,
    EmitsNowhere,
    InstanceUnwired,
    InterfaceUnwired,
    SideNotSaid,
    SideOfInterface,
    SideUnwired,
    UnknownEndpoint,
    UnknownSide,
    WiredTwice,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What the wires of a chain may name.

    `unknown` are instances whose NF is wrong: nothing is known of their sides.
    """

    reporter: Reporter
    interfaces: Mapping[str, Span]
    sides: Mapping[str, Span]
    parts: Mapping[str, Part]
    unknown: set[str] = field(default_factory=set)


def resolve_wires(board: Board, wires: list[syntax.Wire]) -> tuple[typed.Wire, ...]:
    """Return the wires in both directions, one by one; wrong ones are left out."""
    found: list[typed.Wire] = []
    for wire in wires:
        for position, arrow in enumerate(wire.arrows):
            left, right = wire.endpoints[position : position + 2]
            source = _resolve(board, left, has_wire_on_right=True)
            target = _resolve(board, right, has_wire_on_right=False)
            if source is None or target is None:
                continue
            span = left.span.to(right.span)
            found.append(typed.Wire(source=source, target=target, span=span))
            if arrow == "<->":
                found.append(typed.Wire(source=target, target=source, span=span))
    return tuple(found)


def _resolve(board: Board, endpoint: syntax.Endpoint, *, has_wire_on_right: bool) -> typed.Endpoint | None:
    """Return the side that a wire meets: of two, the first from the left and the second from the right."""
    name = endpoint.owner.text
    if name in board.unknown:
        return None
    if name in board.parts:
        return _resolve_part(board, endpoint, board.parts[name], has_wire_on_right=has_wire_on_right)
    if name not in board.interfaces and name not in board.sides:
        known = [*board.interfaces, *board.parts, *board.sides]
        hint = did_you_mean(name, known)
        board.reporter.report(UnknownEndpoint(span=endpoint.owner.span, name=name, hint=hint))
        return None
    is_interface = name in board.interfaces
    if endpoint.side is not None:
        what = "an interface" if is_interface else "a side of this chain"
        board.reporter.report(SideOfInterface(span=endpoint.side.span, owner=name, what=what))
        return None
    return typed.Endpoint(name) if is_interface else typed.Endpoint("", name)


def _resolve_part(
    board: Board, endpoint: syntax.Endpoint, part: Part, *, has_wire_on_right: bool
) -> typed.Endpoint | None:
    if endpoint.side is not None:
        if endpoint.side.text in part.sides:
            return typed.Endpoint(part.name, endpoint.side.text)
        board.reporter.report(
            UnknownSide(
                span=endpoint.side.span, owner=part.name, side=endpoint.side.text,
                expected=backticks(part.sides) or "an NF with sides",
                hint=did_you_mean(endpoint.side.text, part.sides),
            )
        )  # fmt: skip
        return None
    if len(part.sides) == 2 and not has_any_sides(part):
        return typed.Endpoint(part.name, part.sides[1 if has_wire_on_right else 0])
    dotted = [f"{part.name}.{side}" for side in part.sides] or [f"{part.name}.SIDE"]
    board.reporter.report(SideNotSaid(span=endpoint.span, owner=part.name, expected=backticks(dotted)))
    return None


def has_any_sides(part: Part) -> bool:
    """Tell whether the chain names the sides of a part."""
    return isinstance(part.content, typed.TypedNf) and part.content.sides is None


def show_endpoint(endpoint: typed.Endpoint) -> str:
    """Return an endpoint as it is written."""
    return ".".join(part for part in (endpoint.owner, endpoint.side) if part)


# ---------------------------------------------------------------- what must be wired


def check_wires(board: Board, wires: tuple[typed.Wire, ...], *, is_complete: bool) -> None:
    """Report what leaves two ways or none, and what is not wired.

    `is_complete`: no wire has been left out, so that what is missing is missing.
    """
    _check_sources(board, wires)
    if not is_complete:
        return
    wired = {end for wire in wires for end in (wire.source, wire.target)}
    for name, span in board.interfaces.items():
        if typed.Endpoint(name) not in wired:
            board.reporter.report(InterfaceUnwired(span=span, name=name))
    for name, span in board.sides.items():
        if typed.Endpoint("", name) not in wired:
            board.reporter.report(SideUnwired(span=span, endpoint=name))
    for part in board.parts.values():
        if part.content is None:
            continue
        _check_part(board, part, wires)


def _check_sources(board: Board, wires: tuple[typed.Wire, ...]) -> None:
    first: dict[typed.Endpoint, typed.Wire] = {}
    for wire in wires:
        earlier = first.setdefault(wire.source, wire)
        if earlier is not wire:
            note = Note(earlier.span, "it goes this way already")
            board.reporter.report(
                WiredTwice(span=wire.span, endpoint=show_endpoint(wire.source), notes=(note,))
            )


def _check_part(board: Board, part: Part, wires: tuple[typed.Wire, ...]) -> None:
    leaving = {wire.source.side for wire in wires if wire.source.owner == part.name}
    arriving = {wire.target.side for wire in wires if wire.target.owner == part.name}
    if not leaving and not arriving:
        board.reporter.report(InstanceUnwired(span=part.span, name=part.name))
        return
    taking = receiving_sides(part)
    emitting = emitting_sides(part, frozenset(arriving))
    for side in part.sides:
        endpoint = f"{part.name}.{side}"
        if side not in leaving and side in emitting:
            board.reporter.report(EmitsNowhere(span=part.span, endpoint=endpoint))
        elif side not in leaving and side not in arriving:
            board.reporter.report(SideUnwired(span=part.span, endpoint=endpoint))
        if side in arriving and side not in taking:
            wire = next(it for it in wires if it.target == typed.Endpoint(part.name, side))
            expected = backticks(taking) or "this one has none"
            board.reporter.report(ArrivesNowhere(span=wire.span, endpoint=endpoint, expected=expected))
