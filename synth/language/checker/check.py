"""The entry points of the checker."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from synth.diagnostics.diagnostic import Diagnostic
from synth.diagnostics.spans import Span
from synth.diagnostics.suggest import did_you_mean
from synth.language import syntax
from synth.language.checker.chains import check_chain
from synth.language.checker.elaborate import check_arguments, elaborate
from synth.language.checker.functions import check_function
from synth.language.checker.network_functions import check_nf
from synth.language.checker.plans import MOST_INSTANCES, Plan
from synth.language.checker.program import Program, create_program
from synth.language.checker.records import defaults_of
from synth.language.checker.settings import load_settings
from synth.language.checker.type_names import check_record
from synth.language.checker.units import Declaration, Declared, Unit
from synth.language.errors.names import UnknownName
from synth.language.errors.wiring import NoInterface, SidesOnTop
from synth.language.typed import TypedChain, TypedNf


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What a file without errors means.

    Attributes:
        chain: the chain to build; None for a library file, which has none.
        warnings: what should be looked at, in source order.
    """

    chain: TypedChain | None
    warnings: tuple[Diagnostic, ...]


def check_file(
    path: str | Path,
    *,
    config: Path | None = None,
    overrides: Sequence[str] = (),
    chain: str | None = None,
) -> CheckResult:
    """Check a `.chain` file and all that it uses, and build the typed chain.

    Args:
        path: the file, as the user names it; diagnostics show it so.
        config: a YAML file of parameters, by instance name; the chain's own by their name.
        overrides: `instance.parameter=value` or `parameter=value`, each from one `--set`; they win.
        chain: which chain; by default the last one that no other chain of the file uses.

    Raises:
        UserError: with everything that is wrong, and the warnings, in source order.
    """
    program = create_program()
    unit = program.loader.load(Path(path))
    built = None
    if unit is not None:
        plans = _check_declarations(program, unit)
        top = _choose_chain(program, unit, plans, chain)
        for plan in plans:
            if plan is not top:
                check_arguments(program, plan)
        if top is not None and top.size <= MOST_INSTANCES:
            settings = load_settings(program.reporter, top, config, overrides)
            built = elaborate(program, top, settings)
    program.reporter.raise_if_errors()
    return CheckResult(chain=built, warnings=program.reporter.diagnostics)


def check_library_nf(path: str | Path) -> CheckResult:
    """Check a file of the NF library: everything that is declared there.

    Raises:
        UserError: as `check_file`.
    """
    return check_file(path)


def load_nfs(file: syntax.File) -> tuple[TypedNf, ...]:
    """Return the NFs that a parsed file declares, with parameters, types, defaults and docs.

    Raises:
        UserError: as `check_file`.
    """
    program = create_program()
    unit = program.loader.resolve(file)
    _check_declarations(program, unit)
    found = [check_nf(program, Declared(unit, item)) for item in unit.own if isinstance(item, syntax.Nf)]
    program.reporter.raise_if_errors()
    return tuple(nf for nf in found if nf is not None)


def _check_declarations(program: Program, unit: Unit) -> list[Plan]:
    """Check everything that a file declares; return its chains."""
    return [plan for item in unit.own if (plan := _check_declaration(program, unit, item)) is not None]


def _check_declaration(program: Program, unit: Unit, item: Declaration) -> Plan | None:
    declared = Declared(unit, item)
    match item:
        case syntax.Record():
            record = check_record(program, declared)
            if record is not None:
                defaults_of(program, record)
        case syntax.Function():
            check_function(program, declared)
        case syntax.Nf():
            check_nf(program, declared)
        case syntax.Chain():
            return check_chain(program, declared)
    return None


def _choose_chain(program: Program, unit: Unit, plans: list[Plan], name: str | None) -> Plan | None:
    """Return the chain to build: the one that is named, or the last that is no part of another."""
    if name is not None:
        found = next((plan for plan in plans if plan.name == name), None)
        if found is None:
            start = Span(unit.file.path, 1, 1, 1, 1)
            hint = did_you_mean(name, [plan.name for plan in plans])
            program.reporter.report(UnknownName(span=start, what="chain", name=name, hint=hint))
        elif found.sides:
            program.reporter.report(SidesOnTop(span=found.item.name.span, name=name))
        return found
    used = {id(part.content) for plan in plans for part in plan.parts.values()}
    whole = [plan for plan in plans if id(plan) not in used and not plan.sides]
    if whole and not whole[-1].interfaces:
        program.reporter.report(NoInterface(span=whole[-1].item.name.span, name=whole[-1].name))
    return whole[-1] if whole else None
