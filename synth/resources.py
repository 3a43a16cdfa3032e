"""Where the grammar and the library of chains are: in a checkout, an editable install or a wheel.

A wheel carries both folders as `synth/_data/` (hatchling's `force-include`); in a checkout, also
an editable one, they stand beside the package.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def grammar_folder() -> Path:
    """Return the folder that holds `chain.lark`."""
    return _folder("grammar")


def chains_folder() -> Path:
    """Return the folder of the NF library (`nf/`) and of the example chains."""
    return _folder("chains")


def shown_path(path: str) -> str:
    """Return what a file is called in output that must not depend on where the library is installed.

    A file of the library is `chains/...`; any other is what the user called it.
    """
    place, folder = Path(path), chains_folder()
    return f"chains/{place.relative_to(folder).as_posix()}" if place.is_relative_to(folder) else path


def _folder(name: str) -> Path:
    packaged = _PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name
