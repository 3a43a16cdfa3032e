"""The entry points of the checker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from synth.diagnostics.diagnostic import Diagnostic
from synth.language import syntax
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
    config: Mapping[str, object] | None = None,
    overrides: Sequence[str] = (),
    chain: str | None = None,
) -> CheckResult:
    """Check a `.chain` file and all that it uses, and build the typed chain.

    Args:
        path: the file, as the user names it; diagnostics show it so.
        config: parameters by instance name (or, for the chain's own, by their name): `--config`.
        overrides: `instance.parameter=value` or `parameter=value`, each from one `--set`.
        chain: which chain; by default the last one that no other chain of the file uses.

    Raises:
        UserError: with everything that is wrong, and the warnings, in source order.
    """
    raise NotImplementedError


def check_library_nf(path: str | Path) -> CheckResult:
    """Check a file of the NF library: everything that is declared there.

    Raises:
        UserError: as `check_file`.
    """
    raise NotImplementedError


def load_nfs(file: syntax.File) -> tuple[TypedNf, ...]:
    """Return the NFs that a file declares, with parameters, types, defaults and docs.

    Raises:
        UserError: as `check_file`.
    """
    raise NotImplementedError
