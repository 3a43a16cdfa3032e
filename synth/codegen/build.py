"""Build a generated source tree into one binary."""

import os
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from synth.codegen.errors import NoCache
from synth.codegen.object_cache import cache_directory, cache_key, find, store
from synth.codegen.toolchain import Toolchain, find_toolchain, run
from synth.codegen.tree import SourceTree
from synth.diagnostics.diagnostic import Diagnostic
from synth.diagnostics.spans import whole_file

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltBinary:
    """A binary and the sources that it was made of; `warnings` are what the build could do without."""

    path: Path
    sources: Path
    warnings: tuple[Diagnostic, ...] = ()


def build(
    tree: SourceTree,
    out_dir: Path,
    *,
    name: str,
    march: str = "native",
    cc: str = "gcc",
    sanitize: bool = False,
    progress: Progress = lambda _: None,
) -> BuiltBinary:
    """Write `out_dir/src/`, compile it, link `out_dir/<name>`.

    Both appear at the end, whole, or not at all. `progress` gets a line for each longer step.

    Raises:
        ToolchainError: a compiler, linker or pkg-config failed or is missing.
        OSError: the directory cannot be written.
    """
    toolchain = find_toolchain(cc, march, sanitize=sanitize)
    cache = _Cache(cache_directory())
    out_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out_dir, prefix=".build-") as directory:
        place = Path(directory).resolve()  # commands run in the source directory
        write_sources(tree, place / "src")
        objects = _compile(tree, toolchain, place, cache, progress)
        progress(f"link {name}")
        run(toolchain.link_command(objects, place / "binary"), place)
        _replace(place / "src", out_dir / "src", place / "old")
        (place / "binary").replace(out_dir / name)
    return BuiltBinary(path=out_dir / name, sources=out_dir / "src", warnings=cache.warnings)


def write_sources(tree: SourceTree, directory: Path) -> None:
    """Write a source tree's files below a directory that does not exist yet."""
    for path, content in tree.files.items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


@dataclass(slots=True)
class _Cache:
    """The objects that are kept. When it cannot be written, that is told once, and the build goes on."""

    folder: Path
    warnings: tuple[Diagnostic, ...] = ()

    def keep(self, made: Path, kept: Path) -> None:
        try:
            store(made, kept)
        except OSError as error:
            self.warnings = (NoCache(span=whole_file(self.folder), reason=error.strerror or str(error)),)


def _compile(
    tree: SourceTree, toolchain: Toolchain, place: Path, cache: _Cache, progress: Progress
) -> list[Path]:
    """Compile all units, on all processors, and return the objects in the order of the units."""
    (place / "objects").mkdir()
    runtime = {path: content for path, content in tree.files.items() if path.startswith("runtime/")}
    units = [(unit, False) for unit in tree.units] + [(unit, True) for unit in tree.runtime_units]

    def compile_one(number: int) -> Path:
        unit, is_runtime = units[number]
        target = place / "objects" / f"{number}.o"
        command = toolchain.compile_command(unit, is_runtime=is_runtime)
        kept = cache.folder / cache_key(unit, command, toolchain.version, runtime)
        if is_runtime and find(kept):
            return kept
        progress(f"compile {unit}")
        # Debug information names the sources as they are seen from their own directory.
        run((*command, f"-ffile-prefix-map={place / 'src'}=.", "-o", str(target)), place / "src")
        if is_runtime:
            cache.keep(target, kept)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as workers:
        return list(workers.map(compile_one, range(len(units))))


def _replace(new: Path, old: Path, aside: Path) -> None:
    """Put a directory in the place of another."""
    if old.exists():
        old.rename(aside)
    try:
        new.rename(old)
    except OSError:
        if aside.exists():
            aside.rename(old)
        raise
    if aside.exists():
        shutil.rmtree(aside)
