"""What is refused before anything is made: requests that would fail late, or destroy something."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from synth.captures import read_capture
from synth.diagnostics.diagnostic import complain
from synth.diagnostics.spans import whole_file
from synth.diagnostics.suggest import did_you_mean
from synth.pipeline.complaints import (
    BinaryIsFolder,
    OverwritesCapture,
    OverwritesFolder,
    UnknownInterface,
)


def check_inputs(captures: Mapping[str, Path], *, source: Path, interfaces: Iterable[str]) -> None:
    """Check captures by interface.

    Raises:
        UserError: an interface is not the chain's, or a capture cannot be read.
    """
    known = list(interfaces)
    for name in captures:
        if name not in known:
            hint = did_you_mean(name, known)
            raise complain(
                UnknownInterface(span=whole_file(source), name=name, hint=hint, known=", ".join(known))
            )
    for path in captures.values():
        # What comes from a pipe can be read once only.
        if not (path.is_fifo() or path.is_char_device()):
            next(read_capture(path), None)


def check_captures(
    captures: Mapping[str, Path], out_dir: Path, *, source: Path, interfaces: Iterable[str]
) -> None:
    """Check what a run is given: the captures by interface, and where it writes `<interface>.pcap`.

    Raises:
        UserError: an interface is not the chain's, a capture cannot be read, or would be overwritten.
    """
    known = list(interfaces)
    written = {os.path.realpath(out_dir / f"{name}.pcap") for name in known}
    for name, path in captures.items():
        if name in known and os.path.realpath(path) in written:
            raise complain(OverwritesCapture(span=whole_file(path), folder=str(out_dir)))
    check_inputs(captures, source=source, interfaces=known)


def check_place(out_dir: Path, binary: str) -> None:
    """Check that a build may put `<binary>` and `src/` into a directory.

    Raises:
        UserError: they would take the place of something that is not synth's.
    """
    if binary == "src" or (out_dir / binary).is_dir():
        raise complain(BinaryIsFolder(span=whole_file(out_dir / binary), path=str(out_dir / binary)))
    sources = out_dir / "src"
    if sources.exists() and not (sources / "runtime" / "core.h").is_file():
        raise complain(OverwritesFolder(span=whole_file(sources), path=str(sources)))
