"""`synth new`: a first chain."""

import re
from pathlib import Path

from synth.diagnostics.diagnostic import UserError, complain
from synth.diagnostics.spans import whole_file
from synth.files import replace_file
from synth.language.parser import parse_text
from synth.library.complaints import BadName, FileExists, NameTaken
from synth.library.describe import library

STARTER = """\
// {name}: hosts on `lan` reach the world on `wan` as one public address.
//
//     synth check {name}.chain
//     synth run {name}.chain --in lan=lan.pcap --out-dir out
//     synth build {name}.chain -o build
use nf: acl, napt

chain {name} {{
    interface lan {{ mac 02:00:00:00:00:01  address 10.0.0.1/24 }}
    interface wan {{ mac 02:00:00:00:00:02  address 203.0.113.1/24 }}

    acl = acl(rules: ["deny tcp dport 25", "permit any"])
    nat = napt(public: 203.0.113.1)

    lan <-> acl <-> nat <-> wan
}}
"""


def new_chain(name: str, directory: Path) -> Path:
    """Write `<name>.chain` to a directory and return its path.

    Raises:
        UserError: the name is none or taken, or the file exists.
    """
    path = directory / f"{name}.chain"
    text = STARTER.format(name=name)
    if not (re.fullmatch(r"\w+", name, re.ASCII) and _is_parsed(text)):
        raise complain(BadName(span=whole_file(path), name=name))
    if any(nf.name == name for nf in library()):
        raise complain(NameTaken(span=whole_file(path), name=name))
    if path.exists():
        raise complain(FileExists(span=whole_file(path), path=str(path)))
    replace_file(path, text)
    return path


def _is_parsed(text: str) -> bool:
    """Tell whether a text is a file of the language: a name can be one of its words."""
    try:
        parse_text(text, "")
    except UserError:
        return False
    return True
