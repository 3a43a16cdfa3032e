"""A code names one diagnostic, wherever in the project it is found."""

import pkgutil
from collections import Counter
from collections.abc import Iterator
from importlib import import_module

import synth
from synth.diagnostics.diagnostic import Diagnostic


def kinds(of: type[Diagnostic]) -> Iterator[type[Diagnostic]]:
    for kind in of.__subclasses__():
        yield from kinds(kind)
        if kind.__module__.startswith("synth.") and "code" in vars(kind):
            yield kind


def test_no_code_is_given_twice() -> None:
    for found in pkgutil.walk_packages(synth.__path__, "synth."):
        import_module(found.name)
    codes = Counter(kind.code for kind in set(kinds(Diagnostic)))
    assert len(codes) > 100
    assert [code for code, count in codes.items() if count > 1] == []
