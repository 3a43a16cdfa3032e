"""Example chains as the parser reads them: goldens to be read, one line for each name and value."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pytest

from synth.diagnostics.spans import Span
from synth.language.parser import parse_file
from tests.conftest import REPOSITORY, Golden

EXAMPLES = ("isp/isp_chain", "motivating/napt_firewall_lb", "routers/router_2", "napts/napt_2")


def lines(name: str, value: object, depth: int = 0) -> Iterator[str]:
    """Show a node as an outline: what is empty is left out, and so are the places."""
    start = f"{'  ' * depth}{name}"
    if isinstance(value, tuple):
        for part in value:
            yield from lines(f"{name} -", part, depth)
    elif is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        parts = {key: part for key, part in parts.items() if is_shown(part)}
        leaves = [f"{key}={part!r}" for key, part in parts.items() if is_leaf(part)]
        yield f"{start} {type(value).__name__}({', '.join(leaves)})"
        for key, part in parts.items():
            if not is_leaf(part):
                yield from lines(key, part, depth + 1)
    else:
        yield f"{start} {value!r}"


def is_leaf(part: object) -> bool:
    return not (is_dataclass(part) or isinstance(part, tuple))


def is_shown(part: object) -> bool:
    return not isinstance(part, Span) and part not in (None, (), "")


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_read_as_reviewed(example: str, golden: Golden) -> None:
    path = REPOSITORY / "chains" / f"{example}.chain"
    text = "\n".join(lines("file", parse_file(path))) + "\n"
    golden(REPOSITORY / "tests" / "goldens" / f"{path.stem}.tree", text.replace(str(REPOSITORY), ""))
