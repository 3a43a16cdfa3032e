"""What can be wrong with a command's request when the files themselves are fine."""

from dataclasses import dataclass
from pathlib import Path

from synth.diagnostics.diagnostic import Diagnostic, UserError
from synth.diagnostics.spans import Span


@dataclass(frozen=True, kw_only=True)
class NoChain(Diagnostic):
    """The file declares network functions only, so there is nothing to build or run."""

    code = "E710"
    title = "there is no chain in this file"
    help = "`synth check` checks network functions alone; `synth new NAME` writes a chain to start from"


@dataclass(frozen=True, kw_only=True)
class UnknownInterface(Diagnostic):
    """A command names an interface that the chain does not have."""

    code = "E711"
    title = "the chain has no interface `{name}`{hint}"
    help = "its interfaces are {known}"

    name: str
    hint: str
    known: str


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


@dataclass(frozen=True, kw_only=True)
class OverwritesCapture(Diagnostic):
    """What leaves an interface would be written over a capture that is read."""

    code = "E716"
    title = "this capture would be overwritten by what leaves"
    help = "outputs are {folder}/<interface>.pcap; give another --out-dir"

    folder: str


@dataclass(frozen=True, kw_only=True)
class OverwritesFolder(Diagnostic):
    """The place of the generated sources is taken by something that synth did not make."""

    code = "E717"
    title = "{path} would be replaced, and it is not what an earlier build left"
    help = "give another directory with `-o`"

    path: str


@dataclass(frozen=True, kw_only=True)
class BinaryIsFolder(Diagnostic):
    """A binary has its chain's name, which is a folder's there."""

    code = "E718"
    title = "the binary cannot be {path}: that is a folder"
    help = "give another directory with `-o`, or the chain another name (not `src`)"

    path: str


def whole_file(path: Path) -> Span:
    """Return the place that stands for a file as a whole."""
    return Span(str(path), 1, 1, 1, 1)


def complain(found: Diagnostic) -> UserError:
    """Return the error that says one thing."""
    return UserError((found,))
