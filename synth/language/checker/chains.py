"""Chain declarations: interfaces, instances, wires and budgets; each is checked once."""

from synth.diagnostics.diagnostic import Note
from synth.diagnostics.spans import Span
from synth.language import syntax, typed
from synth.language.checker.literals import parse_prefix
from synth.language.checker.network_functions import check_nf
from synth.language.checker.parameters import check_parameters
from synth.language.checker.plans import MOST_INSTANCES, Part, Plan
from synth.language.checker.program import Program
from synth.language.checker.type_names import contains_side
from synth.language.checker.units import Declaration, Declared, Unit, describe_declaration, look_up
from synth.language.checker.wiring import Board, check_wires, resolve_wires
from synth.language.errors.names import ChainInItself, DuplicateName, TooLarge, WrongDeclaration
from synth.language.errors.types import NotAllowedHere, NotAValue
from synth.language.errors.values import GroupMac, Ipv6Literal, OutOfBounds
from synth.language.errors.wiring import InterfaceInside, InterfaceLacks, SameMac
from synth.language.numbers import parse_integer, shorten
from synth.net.addresses import parse_mac

_MOST_VISITS = 16


def _check_size(program: Program, item: syntax.Chain, parts: dict[str, Part]) -> int:
    """Return how many instances, nested chains too, a chain has; report when there are too many."""
    contents = [part.content for part in parts.values()]
    size = sum(content.size + 1 if isinstance(content, Plan) else 1 for content in contents)
    is_known = any(isinstance(content, Plan) and content.size > MOST_INSTANCES for content in contents)
    if size > MOST_INSTANCES and not is_known:
        program.reporter.report(
            TooLarge(
                span=item.name.span, what="chain", name=item.name.text, size=size, unit="instances",
                limit=MOST_INSTANCES,
            )
        )  # fmt: skip
    return min(size, MOST_INSTANCES + 1)


def check_chain(program: Program, declared: Declared) -> Plan:
    """Check a chain declaration, once, and return its plan."""
    item = declared.item
    assert isinstance(item, syntax.Chain)
    if id(item) not in program.plans:
        program.open.append(declared)
        program.plans[id(item)] = _check_chain(program, declared.unit, item)
        program.open.pop()
    return program.plans[id(item)]


def _check_chain(program: Program, unit: Unit, item: syntax.Chain) -> Plan:
    names: dict[str, Span] = {}
    sides = _check_sides(program, item, names)
    parameters = _check_parameters(program, unit, item, names)
    interfaces: dict[str, typed.Interface] = {}
    for written in item.items:
        if isinstance(written, syntax.Interface):
            interface = _check_interface(program, written)
            if _add_name(program, names, written.name, "name"):
                interfaces[interface.name] = interface
    _check_macs(program, tuple(interfaces.values()))
    parts = _check_parts(program, unit, item, names)
    board = Board(
        reporter=program.reporter,
        interfaces={name: interface.span for name, interface in interfaces.items()},
        sides=sides,
        parts={name: part for name, part in parts.items() if part.content is not None},
        unknown={name for name, part in parts.items() if part.content is None},
    )
    written_wires = [it for it in item.items if isinstance(it, syntax.Wire)]
    wires = resolve_wires(board, written_wires)
    expected = sum(1 + (arrow == "<->") for wire in written_wires for arrow in wire.arrows)
    check_wires(board, wires, is_complete=len(wires) == expected)
    budget = _check_budget(program, item)
    return Plan(
        name=item.name.text,
        unit=unit,
        item=item,
        parameters=parameters,
        sides=tuple(sides),
        interfaces=tuple(interfaces.values()),
        parts=parts,
        wires=wires,
        size=_check_size(program, item, parts),
        budget=None if budget is None else budget[0],
        budget_span=None if budget is None else budget[1],
    )


def _add_name(program: Program, names: dict[str, Span], name: syntax.Name, what: str) -> bool:
    earlier = names.setdefault(name.text, name.span)
    if earlier is name.span:
        return True
    note = Note(earlier, "it stands here")
    program.reporter.report(DuplicateName(span=name.span, what=what, name=name.text, notes=(note,)))
    return False


def _check_sides(program: Program, item: syntax.Chain, names: dict[str, Span]) -> dict[str, Span]:
    found: dict[str, Span] = {}
    written = [it for it in item.items if isinstance(it, syntax.Sides)]
    for again in written[1:]:
        note = Note(written[0].span, "they stand here")
        program.reporter.report(
            DuplicateName(span=again.span, what="sides of", name=item.name.text, notes=(note,))
        )
    for sides in written[:1]:
        if sides.names is None:
            program.reporter.report(
                NotAllowedHere(
                    span=sides.span, what="`sides any`", place="a chain", expected="names of sides"
                )
            )
        for name in sides.names or ():
            if _add_name(program, names, name, "name"):
                found[name.text] = name.span
    return found


def _check_parameters(
    program: Program, unit: Unit, item: syntax.Chain, names: dict[str, Span]
) -> tuple[typed.NfParameter, ...]:
    found: list[typed.NfParameter] = []
    first: dict[str, Span] = {}
    for written, parameter in zip(
        item.parameters, check_parameters(program, unit, item.parameters, ()), strict=True
    ):
        # Parameters are values and the rest are ends of wires, so that `lan: ipv4` beside an interface
        # `lan` would be clear to the checker, but not to a reader.
        if written.name.text in names and written.name.text not in first:
            _add_name(program, names, written.name, "name")
        if not _add_name(program, first, written.name, "parameter") or parameter is None:
            continue
        if contains_side(parameter.type):
            program.reporter.report(
                NotAValue(
                    span=written.type.span, found="a side", use="a parameter of a chain",
                    expected="a type without sides: those are an NF's own",
                )
            )  # fmt: skip
            continue
        found.append(parameter)
    return tuple(found)


# ---------------------------------------------------------------- interfaces, budgets


def _check_interface(program: Program, written: syntax.Interface) -> typed.Interface:
    macs = [it for it in written.items if isinstance(it, syntax.InterfaceMac)]
    addresses = [it for it in written.items if isinstance(it, syntax.InterfaceAddress)]
    name = written.name
    for again in macs[1:]:
        note = Note(macs[0].span, "it stands here")
        program.reporter.report(
            DuplicateName(span=again.span, what="the MAC address of", name=name.text, notes=(note,))
        )
    mac = 0
    if macs:
        mac = parse_mac(macs[0].value.text) or 0
        if mac >> 40 & 1:
            program.reporter.report(GroupMac(span=macs[0].value.span, text=macs[0].value.text))
    else:
        program.reporter.report(InterfaceLacks(span=name.span, name=name.text))
    found = [_check_address(program, it.value) for it in addresses]
    return typed.Interface(
        name=name.text, mac=mac, addresses=tuple(it for it in found if it is not None), span=name.span
    )


def _check_macs(program: Program, interfaces: tuple[typed.Interface, ...]) -> None:
    first: dict[int, typed.Interface] = {}
    for interface in interfaces:
        other = first.setdefault(interface.mac, interface)
        if other is not interface and interface.mac:
            note = Note(other.span, "it stands here first")
            program.reporter.report(
                SameMac(span=interface.span, name=interface.name, other=other.name, notes=(note,))
            )


def _check_address(program: Program, literal: syntax.Literal) -> tuple[int, int] | None:
    match literal:
        case syntax.Literal(token="PREFIX6"):
            program.reporter.report(Ipv6Literal(span=literal.span, text=shorten(literal.text)))
            return None
        case _:
            prefix = parse_prefix(literal, program.reporter, may_have_host_bits=True)
            return None if prefix is None else (prefix.address, prefix.length)


def _check_budget(program: Program, item: syntax.Chain) -> tuple[int, Span | None] | None:
    written = [it for it in item.items if isinstance(it, syntax.Budget)]
    for again in written[1:]:
        note = Note(written[0].span, "it stands here")
        program.reporter.report(
            DuplicateName(span=again.span, what="the budget of", name=item.name.text, notes=(note,))
        )
    if not written:
        return None
    literal = written[0].visits
    visits = parse_integer(literal.text)
    if not 1 <= visits <= _MOST_VISITS:
        program.reporter.report(
            OutOfBounds(
                span=literal.span, what="this budget", value=shorten(literal.text),
                expected=f"1 to {_MOST_VISITS} visits",
            )
        )  # fmt: skip
        return 1, None
    return visits, written[0].span


# ---------------------------------------------------------------- instances


def _check_parts(program: Program, unit: Unit, item: syntax.Chain, names: dict[str, Span]) -> dict[str, Part]:
    parts: dict[str, Part] = {}
    for written in item.items:
        if not isinstance(written, syntax.Instance):
            continue
        content = _find_content(program, unit, written)
        sides: tuple[str, ...] = ()
        if isinstance(content, Plan):
            sides = content.sides
        elif content is not None:
            sides = content.sides if content.sides is not None else _wired_sides(item, written.name.text)
        if _add_name(program, names, written.name, "name"):
            parts[written.name.text] = Part(
                name=written.name.text, content=content, sides=sides, arguments=written.arguments,
                span=written.name.span,
            )  # fmt: skip
    return parts


def _wired_sides(item: syntax.Chain, name: str) -> tuple[str, ...]:
    """Return the sides that the wires name behind an instance, in their order."""
    found: dict[str, None] = {}
    for wire in item.items:
        if isinstance(wire, syntax.Wire):
            for endpoint in wire.endpoints:
                if endpoint.owner.text == name and endpoint.side is not None:
                    found[endpoint.side.text] = None
    return tuple(found)


def _is_part(item: Declaration) -> bool:
    return isinstance(item, syntax.Nf | syntax.Chain)


def _find_content(program: Program, unit: Unit, written: syntax.Instance) -> typed.TypedNf | Plan | None:
    declared = look_up(unit, written.nf, program.reporter, _is_part, "NF")
    if declared is None:
        return None
    item = declared.item
    if isinstance(item, syntax.Nf):
        return check_nf(program, declared)
    if not isinstance(item, syntax.Chain):
        program.reporter.report(
            WrongDeclaration(
                span=written.nf.span, name=written.nf.text, found=describe_declaration(item),
                expected="an NF or a chain",
            )
        )  # fmt: skip
        return None
    cycle = program.cycle_to(item)
    if cycle is not None:
        program.reporter.report(ChainInItself(span=written.nf.span, cycle=cycle))
        return None
    if program.is_too_deep(written.nf.span):
        return None
    plan = check_chain(program, declared)
    if plan.interfaces:
        program.reporter.report(InterfaceInside(span=written.nf.span, name=plan.name))
        return None
    return plan
