"""Compiling the C runtime with its tests: strictly, under both compilers, with sanitizers."""

import functools
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

RUNTIME = Path(__file__).resolve().parents[2] / "synth" / "codegen" / "runtime"
HERE = Path(__file__).resolve().parent
COMPILERS = ("gcc", "clang")

STRICT = ("-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror")
SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@functools.cache
def pkg_config(kind: str, package: str) -> tuple[str, ...]:
    """Return a package's flags, without the machine that Debian's libdpdk.pc asks for."""
    command = ("pkg-config", kind, package)
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    flags = (flag for flag in text.split() if not flag.startswith("-march="))
    return tuple(f"-isystem{flag[2:]}" if flag.startswith("-I") else flag for flag in flags)


def compile_c(
    compiler: str,
    sources: Sequence[Path],
    target: Path,
    *,
    options: Sequence[str] = SANITIZED,
    march: str = "native",
    with_dpdk: bool = False,
) -> Path:
    """Compile and link C sources; a warning fails the test, with the compiler's words."""
    assert shutil.which(compiler), f"{compiler} is not installed: apt-get install {compiler}"
    march_flag = () if march == "" else (f"-march={march}",)
    headers = pkg_config("--cflags", "libdpdk") if with_dpdk else ()
    libraries = (*pkg_config("--libs", "libdpdk"), "-lpcap") if with_dpdk else ()
    command = (
        compiler, *STRICT, *options, *march_flag, *headers, f"-I{RUNTIME}",
        *map(str, sources), "-o", str(target), *libraries, "-pthread",
    )  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def runtime_units() -> list[Path]:
    """Return all compiled units of the runtime: a binary is these and a core."""
    return sorted(RUNTIME.glob("*.c"))
