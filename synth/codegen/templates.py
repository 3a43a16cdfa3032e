"""The adapter for jinja2: skeletons of generated files."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  the output is C, and names are C identifiers
    )


def render(template: str, **view: object) -> str:
    """Fill a template of `templates/` (`<template>.j2`) with a view model's parts."""
    return _environment().get_template(f"{template}.j2").render(view)
