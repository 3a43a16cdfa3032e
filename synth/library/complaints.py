"""What can be wrong with a name that the library or a first chain is asked for."""

from dataclasses import dataclass

from synth.diagnostics.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class UnknownNetworkFunction(Diagnostic):
    """`synth nfs` was asked for a network function that the library does not have."""

    code = "E712"
    title = "the library has no network function `{name}`{hint}"
    help = "`synth nfs` lists them"

    name: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class BadName(Diagnostic):
    """A new chain needs a name that can stand in a `.chain` file."""

    code = "E713"
    title = "`{name}` cannot be a chain's name"
    help = "a name is a letter or `_`, then letters, digits and `_`, and no word of the language"

    name: str


@dataclass(frozen=True, kw_only=True)
class FileExists(Diagnostic):
    """`synth new` never overwrites."""

    code = "E714"
    title = "{path} exists already"
    help = "choose another name, or another directory with `--directory`"

    path: str


@dataclass(frozen=True, kw_only=True)
class NameTaken(Diagnostic):
    """A new chain uses the library, so it cannot have the name of one of its NFs."""

    code = "E715"
    title = "`{name}` is a network function of the library, a chain that uses it needs another name"

    name: str
