"""Files that are no files, words and numbers that nobody means: told with a code, never waited for."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from synth.diagnostics.diagnostic import UserError
from synth.diagnostics.render import render
from synth.diagnostics.sources import load_sources
from synth.language.checker import check_file
from synth.language.parser import parse_file
from tests.hostile.forms import INTERFACES

NAPT = f"""use nf: napt
chain hostile(p: u16 = 5) {{
{INTERFACES}    nat = napt(public: 192.0.2.1)
    lan <-> nat <-> wan
}}
"""


def chain(nf: str) -> str:
    kind = nf.partition("(")[0]
    return f"use nf: {kind}\nchain hostile {{\n{INTERFACES}    x = {nf}\n    lan <-> x <-> wan\n}}\n"


def rules(name: str) -> str:
    return chain(f'acl(rules: rules("{name}"))')


def backends(name: str) -> str:
    return chain(f'load_balancer(service: 192.0.2.1, backends: yaml("{name}"))')


@contextmanager
def no_waiting(seconds: int = 20) -> Iterator[None]:
    """Fail when the block takes so long."""

    def fail(*_: object) -> None:
        raise AssertionError("this waits for something")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def complaint(do: Callable[[], object]) -> tuple[str, str]:
    """Return the code of the first thing that is wrong, and all that a person sees."""
    with no_waiting(), pytest.raises(UserError) as error:
        do()
    found = error.value.diagnostics
    with no_waiting():
        return found[0].code, render(found, load_sources(found), colour=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "there").mkdir()
    (tmp_path / "hostile.chain").write_text(NAPT)
    return tmp_path


ODD = {
    "pipe": "it is a pipe or a device, and no file",
    "/dev/zero": "it is a pipe or a device, and no file",
    "loop": "too many levels of symbolic links",
    "there": "it is a folder",
    "missing": "no such file",
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("make", [rules, backends])
def test_a_data_file_that_is_no_file_is_told(folder: Path, name: str, make: Callable[[str], str]) -> None:
    (folder / "hostile.chain").write_text(make(name))
    code, shown = complaint(lambda: check_file(folder / "hostile.chain"))
    assert code == "E500"
    assert ODD[name] in shown


@pytest.mark.parametrize("name", ODD)
def test_a_chain_a_used_file_and_a_configuration_that_are_no_files_are_told(folder: Path, name: str) -> None:
    main = folder / "hostile.chain"
    code, shown = complaint(lambda: parse_file(folder / name))
    assert (code, ODD[name] in shown) == ("E012", True)
    code, shown = complaint(lambda: check_file(folder / name))
    assert (code, ODD[name] in shown) == ("E012", True)
    code, shown = complaint(lambda: check_file(main, config=folder / name))
    assert (code, ODD[name] in shown) == ("E500", True)
    main.write_text(f'use "{name}": other\n{NAPT}')
    code, shown = complaint(lambda: check_file(main))
    assert (code, ODD[name] in shown) == ("E012", True)


def test_a_file_name_with_a_nul_is_told(folder: Path) -> None:
    (folder / "hostile.chain").write_text(rules("a\0b"))
    code, _ = complaint(lambda: check_file(folder / "hostile.chain"))
    assert code == "E500"


RULE_LINES = {
    "permit tcp dport " + "9" * 5000: "E505",
    "permit " + "9" * 5000: "E505",
    "permit tcp src 10.0.0.0/" + "9" * 5000: "E505",
    "permit tcp flags 0x" + "f" * 5000 + "/0x1": "E505",
    "permit tcp dport \u0668\u0660": "E502",  # Arabic digits
    "permit tcp src 10.0.0.0/\u0668": "E502",
    "permit tcp src \uff11\uff10.0.0.0/8": "E502",  # full-width digits
    "permit tcp dport 8_0": "E502",
    "permit tcp dport +80": "E502",
    "p" * 5_000_000: "E502",
    "permit any\0": "E502",
}


@pytest.mark.parametrize("line", RULE_LINES, ids=lambda line: ascii(line[:32]))
def test_a_rule_that_nobody_means_is_told_in_few_words(folder: Path, line: str) -> None:
    (folder / "odd.rules").write_text(line + "\n")
    (folder / "hostile.chain").write_text(rules("odd.rules"))
    code, shown = complaint(lambda: check_file(folder / "hostile.chain"))
    assert code == RULE_LINES[line]
    assert len(shown) < 2000


YAML_FILES = {
    "- address: 10.0.0.2\n  weight: " + "9" * 5000: "E534",
    "- address: 10.0.0.2\n  weight: \u0662": "E534",
    "- address: 10.0.0.\u0662": "E534",
    "[" * 20_000 + "]" * 20_000: "E530",
    "a: &a [x, x]\nb: [*a, *a]": "E530",
    "&a\n- *a": "E530",
    "- !!python/object/apply:os.system ['exit']": "E531",
    "- address: 10.0.0.2\n  address: 10.0.0.3": "E535",
}


@pytest.mark.parametrize("text", YAML_FILES, ids=lambda text: ascii(text[:32]))
def test_yaml_that_nobody_means_is_told_in_few_words(folder: Path, text: str) -> None:
    (folder / "odd.yaml").write_text(text + "\n")
    (folder / "hostile.chain").write_text(backends("odd.yaml"))
    code, shown = complaint(lambda: check_file(folder / "hostile.chain"))
    assert code == YAML_FILES[text]
    assert len(shown) < 2000


def test_a_route_length_in_arabic_digits_is_no_length(folder: Path) -> None:
    (folder / "odd.routes").write_text("10.0.0.0/\u0668 discard\n")
    (folder / "hostile.chain").write_text(
        f"use nf: router\nchain hostile {{\n{INTERFACES}"
        '    x = router(routes: routes("odd.routes", next_hops: {}))\n'
        "    lan <-> x.lan\n    x.wan <-> wan\n}\n"
    )
    code, _ = complaint(lambda: check_file(folder / "hostile.chain"))
    assert code == "E502"


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("begin", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_of_other_systems_are_read(
    folder: Path, ends: str, begin: str
) -> None:
    lines = ("permit tcp dport 80", "\tdeny\tany", "permit any")
    (folder / "odd.rules").write_bytes((begin + ends.join(lines)).encode())
    (folder / "hostile.chain").write_text(rules("odd.rules"))
    checked = check_file(folder / "hostile.chain")
    assert [one.code for one in checked.warnings] == ["W512"]
