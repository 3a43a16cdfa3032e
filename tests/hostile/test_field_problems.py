"""The page of field problems names tests that exist, and all forty problems."""

import re

from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "field_problems.md").read_text(encoding="utf-8")


def test_every_test_that_the_page_names_exists() -> None:
    defined = {
        name
        for path in (REPOSITORY / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert named
    assert named - defined == set()


def test_all_forty_problems_have_a_line() -> None:
    assert [int(number) for number in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)] == list(range(1, 41))
