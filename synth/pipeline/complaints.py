"""What can be wrong with a command's request when the files themselves are fine."""

from dataclasses import dataclass

from synth.diagnostics.diagnostic import Diagnostic


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


@dataclass(frozen=True, kw_only=True)
class SplitNotProved(Diagnostic):
    """What is not proved is not built: a switch must not bypass the chain."""

    code = "E826"
    title = "switch and server together are not proved to be this chain: {failure}"
    help = "build it without --switch; --no-proof builds it all the same"

    failure: str
