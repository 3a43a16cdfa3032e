"""What a NIC can do, as its YAML file says: `nics/*.yaml`, or a file of the user's."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from synth.diagnostics.diagnostic import Diagnostic, UserError
from synth.diagnostics.spans import Span
from synth.diagnostics.suggest import did_you_mean
from synth.language.errors.files import WrongShape
from synth.language.files.source import FileReference, Report
from synth.language.files.yaml_nodes import (
    MappingNode,
    Node,
    SequenceNode,
    describe_node,
    load_yaml,
    read_entries,
    span_of,
)
from synth.parallel.plan import ROLES, Role
from synth.parallel.steering import Roles

FOLDER = Path(__file__).resolve().parent / "nics"
NUMBERS = ("key_bytes", "reta", "queues", "vlan_tags")
CLASSES = ("tcp", "udp", "other", "fragment")


@dataclass(frozen=True, slots=True, kw_only=True)
class Nic:
    """A NIC's receive-side scaling.

    `hashes`: for each class of packets the sets of fields that can be hashed, in the order of the hash's
    input; none: the NIC does not hash the class. `reta` is a power of two. `vlan_tags`: how many it looks
    behind.
    """

    name: str
    title: str
    key_bytes: int
    reta: int
    queues: int
    vlan_tags: int
    hashes: Mapping[str, tuple[Roles, ...]]

    @property
    def has_hash(self) -> bool:
        """Whether the NIC hashes anything."""
        return any(self.hashes.values())


@dataclass(frozen=True, kw_only=True)
class UnknownNic(Diagnostic):
    """`--nic` names neither a known NIC nor a file."""

    code = "E719"
    title = "there is no NIC `{name}`{hint}"
    help = "known are {known}; or give a YAML file that describes one"

    name: str
    hint: str
    known: str


@dataclass(frozen=True, kw_only=True)
class TooManyCores(Diagnostic):
    """Each core takes a queue of each interface; the NIC has fewer."""

    code = "E721"
    title = "{nic} has {queues} queues, not {cores}"
    help = "take `--cores {queues}` or fewer"

    nic: str
    queues: int
    cores: int


def check_cores(nic: Nic, cores: int) -> None:
    """Check that a NIC can serve so many cores.

    Raises:
        UserError: it has fewer queues, or fewer entries in its table.
    """
    most = min(nic.queues, nic.reta)
    if cores > most:
        span = Span("--cores", 1, 1, 1, 1)
        raise UserError((TooManyCores(span=span, nic=nic.title, queues=most, cores=cores),))


def nic_names() -> tuple[str, ...]:
    """Return the names of the NICs that are described."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


def load_nic(name: str) -> Nic:
    """Return a NIC by its name, or by the path of its description.

    Raises:
        UserError: there is no such NIC, or the file is wrong.
    """
    known = nic_names()
    path = FOLDER / f"{name}.yaml" if name in known else Path(name)
    span = Span("--nic", 1, 1, 1, 1)
    if not path.is_file():
        missing = UnknownNic(span=span, name=name, hint=did_you_mean(name, known), known=", ".join(known))
        raise UserError((missing,))
    wrong: list[Diagnostic] = []
    found = _read(FileReference(path=path, shown=str(path), span=span), wrong.append)
    if found is None or wrong:
        raise UserError(tuple(wrong) or (_shape(None, str(path), "a NIC's description"),))
    return found


def _read(reference: FileReference, report: Report) -> Nic | None:
    root, shown = load_yaml(reference, report), reference.shown
    if not isinstance(root, MappingNode):
        return None
    entries = {key.value: value for key, value in read_entries(root, shown, report)}
    for name in ("title", *NUMBERS, "hashes"):
        if name not in entries:
            report(_shape(root, shown, f"`{name}`"))
    numbers = {name: _number(entries.get(name), shown, report) for name in NUMBERS}
    reta, hashes = numbers["reta"], entries.get("hashes")
    if reta & (reta - 1) or not reta:
        report(_shape(entries.get("reta"), shown, "a power of two"))
    return Nic(
        name=reference.path.stem,
        title=getattr(entries.get("title"), "value", ""),
        key_bytes=numbers["key_bytes"],
        reta=reta,
        queues=numbers["queues"],
        vlan_tags=numbers["vlan_tags"],
        hashes=_hashes(hashes, shown, report),
    )


def _number(node: Node | None, shown: str, report: Report) -> int:
    text = str(getattr(node, "value", ""))
    if not text.isdecimal():
        report(_shape(node, shown, "a number"))
        return 0
    return int(text)


def _hashes(node: Node | None, shown: str, report: Report) -> dict[str, tuple[Roles, ...]]:
    if not isinstance(node, MappingNode):
        report(_shape(node, shown, "the fields that are hashed, by class of packets"))
        return {}
    found = {key.value: _sets(value, shown, report) for key, value in read_entries(node, shown, report)}
    for unknown in found.keys() - set(CLASSES):
        report(_shape(node, shown, f"classes {', '.join(CLASSES)}, not {unknown}"))
    return {name: found.get(name, ()) for name in CLASSES}


def _sets(node: Node, shown: str, report: Report) -> tuple[Roles, ...]:
    if not isinstance(node, SequenceNode):
        report(_shape(node, shown, "a list of field sets"))
        return ()
    return tuple(_set(item, shown, report) for item in node.value)


def _set(node: Node, shown: str, report: Report) -> Roles:
    names = [str(item.value) for item in node.value] if isinstance(node, SequenceNode) else []
    roles: list[Role] = [role for role in ROLES if role in names]
    if not names or list(roles) != names:
        report(_shape(node, shown, f"some of {', '.join(ROLES)}, in this order"))
    return tuple(roles)


def _shape(node: Node | None, shown: str, expected: str) -> Diagnostic:
    found = "end" if node is None else describe_node(node)
    span = Span(shown, 1, 1, 1, 1) if node is None else span_of(node, shown)
    return WrongShape(span=span, found=found, expected=expected)
