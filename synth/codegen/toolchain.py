"""The adapter for the C toolchain: compiler, linker and pkg-config."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from synth.codegen.errors import ToolchainError

_SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer")
_LIBRARIES = ("libdpdk", "libpcap")


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """How one build compiles and links.

    Attributes:
        cc: the C compiler's command.
        version: what it says about itself and the machine that it compiles for.
        flags: for all units.
        chain_flags: what generated units are compiled with besides: they are plain C11.
        runtime_flags: the same for the runtime and the hosts, which include DPDK's headers.
        libraries: for the linker.
    """

    cc: str
    version: str
    flags: tuple[str, ...]
    chain_flags: tuple[str, ...]
    runtime_flags: tuple[str, ...]
    libraries: tuple[str, ...]

    def compile_command(self, unit: str, *, is_runtime: bool) -> tuple[str, ...]:
        """Return the command that compiles a unit in a source directory, but for where to."""
        own = self.runtime_flags if is_runtime else self.chain_flags
        return (self.cc, *own, *self.flags, "-I.", "-c", unit)

    def link_command(self, objects: Sequence[Path], target: Path) -> tuple[str, ...]:
        """Return the command that links objects to a binary."""
        sanitizers = tuple(flag for flag in self.flags if flag in _SANITIZERS)
        return (self.cc, *sanitizers, "-o", str(target), *map(str, objects), *self.libraries)


def find_toolchain(cc: str, march: str, *, sanitize: bool) -> Toolchain:
    """Return the toolchain on this machine.

    Raises:
        ToolchainError: compiler, pkg-config or DPDK's development files are missing.
    """
    dpdk = pkg_config("--cflags", *_LIBRARIES)
    return Toolchain(
        cc=cc,
        version=_version(cc, march),
        flags=("-O2", "-g", f"-march={march}", *(_SANITIZERS if sanitize else ())),
        # Hidden: a handler called `sem_post` must not take the place of the C library's for its own callers.
        chain_flags=("-std=c11", "-fvisibility=hidden"),
        runtime_flags=("-std=gnu11", *(_foreign(flag) for flag in dpdk if not flag.startswith("-march="))),
        libraries=(*pkg_config("--libs", *_LIBRARIES), "-lm"),
    )


def _version(cc: str, march: str) -> str:
    """Return what a compiler says about itself; what is wrong with it or the machine is told without that."""
    run((cc, "--version"), hint=f"apt-get install {cc}")
    probe = ("-E", "-x", "c", "/dev/null")
    run((cc, f"-march={march}", *probe))
    return run((cc, f"-march={march}", "-v", *probe))


def _foreign(flag: str) -> str:
    """Let the compiler pass over warnings in DPDK's headers."""
    return f"-isystem{flag[2:]}" if flag.startswith("-I") else flag


def pkg_config(*arguments: str) -> tuple[str, ...]:
    """Return what pkg-config prints, as words."""
    return tuple(
        run(("pkg-config", *arguments), hint="apt-get install pkg-config libdpdk-dev libpcap-dev").split()
    )


def run(command: Sequence[str], directory: Path = Path("/"), *, hint: str = "") -> str:
    """Run a command of the toolchain in a directory, and return all it prints.

    Raises:
        ToolchainError: it failed or is missing; `hint` is a command that may mend that.
    """
    advice = f"\nto mend it: {hint}" if hint else ""
    if shutil.which(command[0]) is None:
        raise ToolchainError(command, f"`{command[0]}` is not installed{advice}")
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    printed = done.stdout + done.stderr
    if done.returncode != 0:
        raise ToolchainError(command, printed.strip() + advice)
    return printed
