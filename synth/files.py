"""Files that appear whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def replace_file(path: Path, content: str | bytes) -> None:
    """Write a file under another name, then give it its own; keeps the mode of an old one. Text is UTF-8.

    A link is followed: what it points to is replaced.

    Raises:
        OSError: the file cannot be written there.
    """
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
        Path(name).replace(target)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def replace_directory(path: Path, made: Path) -> None:
    """Put a directory that was made elsewhere on the same file system in the place of another."""
    shutil.rmtree(path, ignore_errors=True)
    made.replace(path)


@contextmanager
def made_directory(path: Path) -> Iterator[None]:
    """Make a directory for the block; when that fails, take away again what was made and is empty.

    Raises:
        OSError: the directory cannot be made.
    """
    made = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise
