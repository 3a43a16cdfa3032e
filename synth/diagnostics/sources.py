"""Reading the files that a person names, and their texts for diagnostics."""

import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from synth.diagnostics.diagnostic import Diagnostic


def load_sources(diagnostics: Iterable[Diagnostic]) -> dict[str, str]:
    """Return the text of each file that the diagnostics name; binary and unreadable ones are left out."""
    spans = [span for found in diagnostics for span in (found.span, *(n.span for n in found.notes))]
    texts: dict[str, str] = {}
    for name in dict.fromkeys(span.file for span in spans):
        try:
            content = read_file(Path(name))
        except OSError:
            continue
        if b"\0" not in content:  # a capture, say: it has no lines to quote
            texts[name] = content.decode("utf-8-sig", errors="replace")
    return texts


def read_file(path: Path) -> bytes:
    """Return the bytes of a file that a person named.

    Pipes and devices are refused: they may block or never end, and what can be read only once cannot be
    shown in a message.

    Raises:
        OSError: it cannot be read, with a reason that can be shown.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except ValueError as error:  # a name with a NUL
        raise OSError(errno.EINVAL, str(error)) from error
    try:
        _refuse_others(os.fstat(handle).st_mode)
    except OSError:
        os.close(handle)
        raise
    with os.fdopen(handle, "rb") as file:
        return file.read()


def _refuse_others(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, and no file")
