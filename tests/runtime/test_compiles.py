"""The runtime is real C that compiles alone."""

import subprocess

import pytest

from tests.runtime.compiling import RUNTIME, STRICT, pkg_config, runtime_units

# Templates and parts of other headers: they are compiled with those that include them.
PARTS = {
    "keyed_table.h", "keyed_table_unique.h", "keyed_table_choose.h",
    "packet_parse.h", "packet_in_head.h", "packet_in_frame.h", "packet_ipv6.h", "packet_icmp_error.h",
}  # fmt: skip


@pytest.mark.parametrize("unit", runtime_units(), ids=lambda unit: unit.name)
def test_each_unit_compiles_without_a_warning(compiler, unit, tmp_path):
    command = (compiler, *STRICT, "-O2", "-march=native", *pkg_config("--cflags", "libdpdk"), "-c", str(unit))
    done = subprocess.run(
        (*command, "-o", str(tmp_path / "unit.o")), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_each_header_compiles_alone(compiler, tmp_path):
    for header in sorted(RUNTIME.glob("*.h")):
        if header.name in PARTS:
            continue
        unit = tmp_path / "alone.c"
        unit.write_text(f'#include "{header.name}"\n')
        command = (
            compiler,
            *STRICT,
            "-march=native",
            *pkg_config("--cflags", "libdpdk"),
            f"-I{RUNTIME}",
            "-fsyntax-only",
            str(unit),
        )
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
