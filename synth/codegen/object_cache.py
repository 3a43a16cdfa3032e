"""Compiled objects that do not depend on the chain, kept between builds by what they were made of."""

import hashlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_FORMAT = b"synth objects 1"


def cache_directory() -> Path:
    """Return the user's cache directory for objects (XDG Base Directory Specification).

    For a user without a home it is one in which nothing can be kept.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):
        home = os.path.expanduser("~")  # noqa: PTH111 - unlike Path.home(), it never fails
        base = f"{home}/.cache" if home.startswith("/") else os.devnull
    return Path(base) / "synth" / "objects"


def cache_key(unit: str, command: Sequence[str], compiler: str, files: Mapping[str, bytes]) -> str:
    """Return the name of an object: of the unit, how it is compiled, and all files that it may include."""
    digest = hashlib.sha256(_FORMAT)
    for part in (unit, *command, compiler):
        digest.update(part.encode() + b"\0")
    for path, content in sorted(files.items()):
        digest.update(path.encode() + b"\0" + hashlib.sha256(content).digest())
    return f"{digest.hexdigest()}.o"


def find(kept: Path) -> bool:
    """Tell whether an object is in the cache and can be read."""
    return os.access(kept, os.R_OK)


def store(made: Path, kept: Path) -> None:
    """Copy an object into the cache, whole or not at all, whoever else does so at the moment.

    Raises:
        OSError: the cache cannot be written.
    """
    kept.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=kept.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as part:
            part.write(made.read_bytes())
        Path(name).replace(kept)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
