"""Files that appear whole or not at all."""

import os
import shutil
import tempfile
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Write a text file under another name, then give it its own; keeps the mode of an old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def replace_directory(path: Path, made: Path) -> None:
    """Put a directory that was made elsewhere on the same file system in the place of another."""
    shutil.rmtree(path, ignore_errors=True)
    made.replace(path)
