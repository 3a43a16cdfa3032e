"""Parameters from outside: `--config` and `--set`, matched with a chain's instances."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar, assert_never

from synth.diagnostics.diagnostic import Note, UserError
from synth.diagnostics.reporter import Reporter
from synth.diagnostics.spans import Span
from synth.diagnostics.suggest import did_you_mean
from synth.language import syntax, typed
from synth.language.checker.plans import Plan
from synth.language.checker.words import backticks, quote
from synth.language.errors.values import UnknownSetting, WrongForm
from synth.language.files.config import (
    RawList,
    RawMap,
    RawText,
    RawValue,
    Setting,
    load_config,
    parse_overrides,
)
from synth.language.files.source import FileReference
from synth.language.parser import parse_text
from synth.language.units import UNITS

_Written = TypeVar("_Written", bound=syntax.Node)

_UNITS_HELP = f"units are {', '.join(UNITS)}"
_CONFIG_OPTION = Span("--config", 1, 1, 1, 1)


@dataclass(slots=True)
class Settings:
    """Values from outside by (instance, parameter); the owner of the chain's own is the empty text."""

    parameters: Mapping[str, Mapping[str, typed.NfParameter]]
    """What can be set: each instance's parameters, by name."""
    chain: str
    given: dict[tuple[str, str], tuple[Setting, syntax.ValueExpr]] = field(default_factory=dict)

    def take(self, instance: str, parameter: str) -> syntax.ValueExpr | None:
        """Return the value that is given from outside, if any."""
        found = self.given.get((instance, parameter))
        return None if found is None else found[1]

    def take_all(self, instance: str, parameters: Sequence[str]) -> dict[str, syntax.ValueExpr]:
        """Return the values that are given to an instance from outside."""
        values = {parameter: self.take(instance, parameter) for parameter in parameters}
        return {parameter: value for parameter, value in values.items() if value is not None}


def load_settings(reporter: Reporter, plan: Plan, config: Path | None, overrides: Sequence[str]) -> Settings:
    """Read the settings for a chain; report those that fit nothing. `--set` wins over `--config`."""
    settings = Settings(dict(_settable(plan, "")), plan.name)
    found: list[Setting] = []
    if config is not None:
        reference = FileReference(path=config, shown=str(config), span=_CONFIG_OPTION)
        found += load_config(reference, [name for name in settings.parameters if name], reporter.report)
    found += parse_overrides(overrides, reporter.report)
    for setting in found:
        if setting.parameter.text not in settings.parameters.get(setting.instance, ()):
            _report_unknown(reporter, settings, setting)
            continue
        _describe(reporter, setting, settings.parameters[setting.instance][setting.parameter.text])
        value = _to_syntax(reporter, setting.value)
        if value is not None:
            settings.given[setting.instance, setting.parameter.text] = (setting, value)
    return settings


def _settable(plan: Plan, prefix: str) -> Iterator[tuple[str, Mapping[str, typed.NfParameter]]]:
    """Yield every instance, dotted, with its parameters by name; the chain itself first."""
    yield prefix.removesuffix("."), {parameter.name: parameter for parameter in plan.parameters}
    for part in plan.parts.values():
        if isinstance(part.content, Plan):
            yield from _settable(part.content, f"{prefix}{part.name}.")
        elif part.content is not None:
            yield f"{prefix}{part.name}", {it.name: it for it in part.content.parameters}


def _describe(reporter: Reporter, setting: Setting, parameter: typed.NfParameter) -> None:
    """Say with everything that is wrong with a value which parameter it is for."""
    owner = f"{setting.instance}." if setting.instance else ""
    text = f"this value is for parameter `{owner}{parameter.name}`, which is of type {quote(parameter.type)}"
    reporter.describe(setting.value.span, Note(parameter.span, text))


def _report_unknown(reporter: Reporter, settings: Settings, setting: Setting) -> None:
    instance, parameter = setting.instance, setting.parameter.text
    if instance in settings.parameters:
        owner = f"`{instance}`" if instance else "the chain"
        known, what, name = tuple(settings.parameters[instance]), "parameter", parameter
    else:
        owner, what, name = "the chain", "instance", instance
        known = tuple(it for it in settings.parameters if it)
    dotted = [f"{owner}.{it}" for owner, names in settings.parameters.items() if owner for it in names]
    hint = did_you_mean(name, [*known, *(dotted if not instance else ())])
    if instance == settings.chain and parameter in settings.parameters[""]:
        hint = f": it is the chain's own name, so write `{parameter}=...`"
    reporter.report(
        UnknownSetting(
            span=setting.parameter.span, owner=owner, what=what, name=name,
            expected=backticks(known or dotted) or "nothing: the chain has no parameters",
            hint=hint,
        )
    )  # fmt: skip


# ---------------------------------------------------------------- values from outside as syntax


def _to_syntax(reporter: Reporter, value: RawValue) -> syntax.ValueExpr | None:
    """Return a value from outside as if it stood in a chain file, at its own place."""
    match value:
        case RawText():
            return _text_to_syntax(reporter, value)
        case RawList(items=items, span=span):
            found = [_to_syntax(reporter, item) for item in items]
            complete = tuple(item for item in found if item is not None)
            return syntax.ListValue(items=complete, span=span) if len(complete) == len(found) else None
        case RawMap(entries=entries, span=span):
            pairs = [(_to_key(key), _to_syntax(reporter, item)) for key, item in entries]
            known = tuple(
                syntax.MapEntry(key=key, value=item, span=key.span) for key, item in pairs if item is not None
            )
            return syntax.MapValue(entries=known, span=span) if len(known) == len(pairs) else None
        case _:
            assert_never(value)


def _to_key(key: RawText) -> syntax.Name | syntax.Literal:
    parsed = None if key.is_quoted else _parse_value(key.text)
    if isinstance(parsed, syntax.Literal):
        return replace(parsed, span=key.span)
    return syntax.Name(text=key.text, span=key.span)


def _text_to_syntax(reporter: Reporter, value: RawText) -> syntax.ValueExpr | None:
    if value.is_quoted:
        return syntax.Literal(token="STRING", text=f'"{value.text}"', span=value.span)  # noqa: S106
    parsed = _parse_value(value.text)
    if parsed is None and value.text.startswith(("permit ", "deny ")):
        # A rule without quotes; its place is what they would enclose.
        at = replace(value.span, column=max(value.span.column - 1, 1), end_column=value.span.end_column + 1)
        return syntax.Literal(token="STRING", text=f'"{value.text}"', span=at)  # noqa: S106
    if parsed is None:
        reporter.report(
            WrongForm(
                span=value.span, found=f"`{value.text}`", type="a value",
                expected=f"a value as in a chain file, such as 7, 10.0.0.1, 1..9, 8Mbit/s; {_UNITS_HELP}",
            )
        )  # fmt: skip
        return None
    return _move(parsed, value.span)


def _parse_value(text: str) -> syntax.ValueExpr | None:
    """Return a value that is written in the language, or None when it is not one."""
    try:
        file = parse_text(f"chain c {{ i = n(v: {text}\n) }}", "")
    except UserError:
        return None
    chain = file.items[0]
    if len(file.items) != 1 or not isinstance(chain, syntax.Chain) or len(chain.items) != 1:
        return None
    instance = chain.items[0]
    is_sole = isinstance(instance, syntax.Instance) and len(instance.arguments) == 1
    return instance.arguments[0].value if isinstance(instance, syntax.Instance) and is_sole else None


def _move(written: _Written, span: Span) -> _Written:
    """Return a value with all its nodes at one place."""
    parts: dict[str, Any] = {
        part.name: _move_part(getattr(written, part.name), span)
        for part in fields(written)
        if part.name != "span"
    }
    return replace(written, span=span, **parts)


def _move_part(part: object, span: Span) -> object:
    if isinstance(part, tuple):
        return tuple(_move_part(item, span) for item in part)
    return _move(part, span) if isinstance(part, syntax.Node) else part
