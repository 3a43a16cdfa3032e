"""Random expressions of the language, each of a wanted type, from what is in scope.

Integers always say their width (`u16(5)`), except the right operand of an operator now and then.
Headers are read only where the kinds that are left have them.
"""

from dataclasses import dataclass, field, replace
from random import Random

from synth.net.fields import ALIASES, FIELDS
from synth.net.kinds import HEADERS, UNIVERSE, Kind, kinds_with

Kinds = frozenset[Kind]

WIDTHS = (8, 8, 16, 16, 32, 32, 64, 6, 13, 48)
FLOW_KINDS = {
    "flow": kinds_with("ipv4") & (kinds_with("l4") | kinds_with("icmp_echo")),
    "flow6": kinds_with("ipv6") & (kinds_with("l4") | kinds_with("icmpv6_echo")),
}
WORDS = (*HEADERS[1:], "ipv4", "ipv4", "tcp", "udp", "l4", "l4", "icmp_echo", "fragment")
ADDRESSES6 = ("2001:db8::1", "2001:db8::2", "2001:db8::9", "fe80::1", "::", "ff02::1", "2001:db8:ffff::9")
ADDRESSES = ("10.0.0.1", "10.0.0.2", "10.0.0.9", "192.168.1.1", "203.0.113.1", "198.51.100.9", "0.0.0.0")
PREFIXES6 = ("2001:db8::/32", "2001:db8::/126", "::/0", "ff00::/8", "fe80::1/128", "2001:db8:ffff::/48")
PREFIXES = ("10.0.0.0/8", "10.0.0.0/30", "0.0.0.0/0", "192.168.1.1/32", "128.0.0.0/1", "203.0.113.0/24")
MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00")


@dataclass(frozen=True)
class Table:
    """A keyed table as declared: types by member name."""

    name: str
    key: tuple[str, str]
    unique: tuple[str, str] | None
    choice: str
    """The range from which the unique key's first part is chosen; empty: nothing is chosen."""
    values: tuple[tuple[str, str], ...]
    defaults: frozenset[str]
    bucket: str
    timers: tuple[str, ...]

    @property
    def columns(self) -> list[tuple[str, str]]:
        """The members that can be read."""
        return [self.key, *([self.unique] if self.unique else []), *self.values]


@dataclass(frozen=True)
class Function:
    name: str
    parameters: tuple[str, ...]
    result: str


@dataclass
class State:
    """The state and data of an NF, by name."""

    tables: list[Table] = field(default_factory=list)
    vectors: list[tuple[str, str, int]] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)
    buckets: list[str] = field(default_factory=list)
    sketches: list[tuple[str, str]] = field(default_factory=list)
    rings: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    routes: list[str] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)


RECORD = ("backend", (("address", "ipv4"), ("weight", "u16"), ("spare", "bool")))
HOP = ("hop", (("out", "side"), ("gateway", "mac"), ("metric", "u8")))
MEMBERS = {
    "backend": RECORD[1],
    "hop": HOP[1],
    "flow": (("src", "ipv4"), ("dst", "ipv4"), ("sport", "u16"), ("dport", "u16"), ("protocol", "u8")),
    "flow6": (("src", "ipv6"), ("dst", "ipv6"), ("sport", "u16"), ("dport", "u16"), ("protocol", "u8")),
}


def parts_of(of: str) -> tuple[tuple[str, str], ...]:
    """Return the members of a record or tuple type: names and types."""
    if of.startswith("("):
        return tuple((str(at), part.strip()) for at, part in enumerate(of[1:-1].split(",")))
    return MEMBERS.get(of, ())


@dataclass
class Scope:
    """What can be named at a place. A child is a copy: what it adds ends with its block."""

    random: Random
    fresh: list[int]
    state: State
    functions: list[Function]
    sides: tuple[str, ...] = ()
    values: list[tuple[str, str]] = field(default_factory=list)
    packets: dict[str, Kinds] = field(default_factory=dict)
    entries: list[tuple[str, Table]] = field(default_factory=list)
    removed: set[str] = field(default_factory=set)
    emitted: int = 0
    """The most emissions on a way to here."""
    surely: int = 0
    """The fewest."""
    is_pure: bool = False

    def child(self) -> "Scope":
        """Return the scope of a block within this one."""
        return replace(
            self,
            values=list(self.values),
            packets=dict(self.packets),
            entries=list(self.entries),
            removed=set(),
        )

    def name(self, prefix: str) -> str:
        """Return a name that nothing else has."""
        self.fresh[0] += 1
        return f"{prefix}{self.fresh[0]}"

    def narrowed(self, packet: str, kinds: Kinds) -> "Scope":
        """Return a child in which a packet is known to be of some kinds."""
        inner = self.child()
        inner.packets[packet] = self.packets[packet] & kinds
        return inner

    def lose(self, child: "Scope") -> None:
        """Forget the entries that a block may have removed."""
        self.removed |= child.removed
        self.entries = [entry for entry in self.entries if entry[1].name not in self.removed]

    def readable(self, of: str) -> list[str]:
        """Return the fields of this type that all remaining kinds of a packet have."""
        found = []
        for packet, kinds in self.packets.items():
            present = {header for header in HEADERS if all(kind.has(header) for kind in kinds)}
            for path, known in FIELDS.items():
                written = known.kind if known.kind != "uint" else f"u{known.width}"
                if written == of and known.header in present:
                    found.append(f"{packet}.{path}")
            for alias, path in ALIASES.items():
                if of == f"u{FIELDS[path].width}" and alias.split(".")[0] in present:
                    found.append(f"{packet}.{alias}")
        return found

    def named(self, of: str) -> list[str]:
        """Return names, their members, and members of entries that have a type."""
        found = [name for name, known in self.values if known == of]
        for name, known in self.values:
            found += [f"{name}.{member}" for member, part in parts_of(known) if part == of]
        for name, table in self.entries:
            for column, known in table.columns:
                found += [f"{name}.{column}"] if known == of else []
                found += [f"{name}.{column}.{member}" for member, part in parts_of(known) if part == of]
        return found


def pattern(random: Random, depth: int = 2) -> tuple[str, Kinds]:
    """Return a pattern and the kinds that it admits; never none and never all."""
    while True:
        text, kinds = _pattern(random, depth)
        if kinds and kinds != UNIVERSE:
            return text, kinds


def _pattern(random: Random, depth: int) -> tuple[str, Kinds]:
    pick = random.random()
    if depth == 0 or pick < 0.45:
        word = random.choice(WORDS)
        return word, kinds_with(word)
    if pick < 0.6:
        text, kinds = _pattern(random, depth - 1)
        return (f"!({text})" if " " in text else f"!{text}"), UNIVERSE - kinds
    parts = [_pattern(random, depth - 1) for _ in range(2)]
    is_and = pick < 0.85
    texts = [f"({text})" if " " in text else text for text, _ in parts]
    (_, left), (_, right) = parts
    return f" {'&' if is_and else '|'} ".join(texts), left & right if is_and else left | right


def splitting_pattern(random: Random, kinds: Kinds) -> tuple[str, Kinds] | None:
    """Return a pattern that some of the kinds fit and some do not."""
    for _ in range(20):
        text, admitted = pattern(random)
        if kinds & admitted and kinds - admitted:
            return text, admitted
    return None


def width_of(of: str) -> int:
    """Return the width of an integer type, or 0 for other types."""
    return int(of[1:]) if of[0] == "u" and of[1:].isdecimal() else 0


def expression(scope: Scope, of: str, depth: int) -> str:
    """Return an expression of a type."""
    random = scope.random
    if width_of(of):
        return _integer(scope, width_of(of), depth)
    if of == "bool":
        return condition(scope, depth)
    known = scope.named(of) + scope.readable(of)
    if known and random.random() < 0.7:
        return random.choice(known)
    if depth > 0 and random.random() < 0.2:
        then, otherwise = expression(scope, of, depth - 1), expression(scope, of, depth - 1)
        return f"(if {condition(scope, depth - 1)} then {then} else {otherwise})"
    match of:
        case "ipv4":
            return (
                f"ipv4({_integer(scope, 32, depth - 1)})"
                if depth > 0 and random.random() < 0.3
                else random.choice(ADDRESSES)
            )
        case "mac":
            return (
                f"mac({_integer(scope, 48, depth - 1)})"
                if depth > 0 and random.random() < 0.3
                else random.choice(MACS)
            )
        case "ipv6":
            return random.choice(ADDRESSES6)
        case "flow" | "flow6":
            return _flow(scope, of, depth)
        case "side":
            return random.choice((*scope.sides, *(f"{packet}.side" for packet in scope.packets)))
        case "size":
            return random.choice(("64B", "1500B", "2kB", f"size({_integer(scope, 16, depth - 1)})"))
        case _ if of in MEMBERS:
            parts = ", ".join(f"{name}: {expression(scope, part, depth - 1)}" for name, part in parts_of(of))
            return f"{of}({parts})"
        case _:
            return f"({', '.join(expression(scope, part, depth - 1) for _, part in parts_of(of))})"


def _flow(scope: Scope, of: str, depth: int) -> str:
    random = scope.random
    packets = [name for name, kinds in scope.packets.items() if kinds and kinds <= FLOW_KINDS[of]]
    if packets and random.random() < 0.7:
        made = f"flow({random.choice(packets)})"
    else:
        parts = ", ".join(f"{name}: {expression(scope, part, depth - 1)}" for name, part in MEMBERS[of])
        made = f"{of}({parts})"
    return f"reverse({made})" if random.random() < 0.3 else made


def literal(random: Random, width: int) -> int:
    """Return a number that fits, rather small or at an edge."""
    most = (1 << width) - 1
    return min(
        most, random.choice((0, 1, 2, 3, 5, 17, 80, 255, 1000, most, most - 1, random.randint(0, most)))
    )


def _integer(scope: Scope, width: int, depth: int) -> str:
    random, of = scope.random, f"u{width}"
    known = scope.named(of) + scope.readable(of)
    if depth <= 0 or random.random() < 0.35:
        if known and random.random() < 0.8:
            return random.choice(known)
        return f"{of}({literal(random, width)})"
    makers = [_arithmetic] * 5 + [_converted] * 3 + [_chosen, _shifted, _called, _measured, _measured]
    return random.choice(makers)(scope, width, depth - 1)


def _arithmetic(scope: Scope, width: int, depth: int) -> str:
    random = scope.random
    op = random.choice(("+", "-", "*", "/", "%", "+%", "-%", "*%", "+%", "-%", "&", "|", "^"))
    left = _integer(scope, width, depth)
    if random.random() < 0.4:
        least = 1 if op in ("/", "%") else 0
        return f"({left} {op} {max(least, literal(random, width))})"
    return f"({left} {op} {_integer_no_zero(scope, width, depth)})"


def _integer_no_zero(scope: Scope, width: int, depth: int) -> str:
    """Return an integer that is no literal zero: dividing by one is an error of the checker's."""
    text = _integer(scope, width, depth)
    return f"u{width}(1)" if text == f"u{width}(0)" else text


def _converted(scope: Scope, width: int, depth: int) -> str:
    random, of = scope.random, f"u{width}"
    pick = random.random()
    if pick < 0.15:
        return f"{of}({condition(scope, depth)})"
    if pick < 0.3 and width >= 32:
        return f"{of}({expression(scope, 'ipv4', depth)})"
    if pick < 0.4 and width >= 48:
        return f"{of}({expression(scope, 'mac', depth)})"
    other = random.choice([wide for wide in WIDTHS if wide != width])
    inner = _integer(scope, other, depth)
    if other > width and random.random() < 0.5:
        return f"{of}({inner} & {(1 << width) - 1})"
    return f"{of}({inner})"


def _chosen(scope: Scope, width: int, depth: int) -> str:
    then, otherwise = _integer(scope, width, depth), _integer(scope, width, depth)
    return f"(if {condition(scope, depth)} then {then} else {otherwise})"


def _shifted(scope: Scope, width: int, depth: int) -> str:
    random = scope.random
    if random.random() < 0.2:
        return f"(~{_integer(scope, width, depth)})"
    left, op = _integer(scope, width, depth), random.choice(("<<", ">>"))
    if random.random() < 0.5:
        return f"({left} {op} {random.randint(0, width - 1)})"
    # No literal: those are checked against the width.
    return f"({left} {op} ({_integer(scope, random.choice((8, 16)), depth)} +% 0))"


def _called(scope: Scope, width: int, depth: int) -> str:
    fitting = [function for function in scope.functions if function.result == f"u{width}"]
    if not fitting:
        return _arithmetic(scope, width, depth)
    function = scope.random.choice(fitting)
    arguments = ", ".join(expression(scope, of, depth) for of in function.parameters)
    return f"{function.name}({arguments})"


def _measured(scope: Scope, width: int, depth: int) -> str:
    """Return a number that state, a hash or the packet's length gives."""
    random, found = scope.random, []
    if width == 32:
        hashed = random.choice(("ipv4", "ipv6", "flow6", "u16", "flow", "(ipv4, u16)", "bool", "u13"))
        found.append(f"hash({expression(scope, hashed, depth)})")
        found += [f"{packet}.length" for packet in scope.packets]
        if not scope.is_pure:
            found += [
                f"{name}.estimate({expression(scope, key, depth)})" for name, key in scope.state.sketches
            ]
    if not scope.is_pure:
        found += [
            cell(scope, name, size, depth) for name, of, size in scope.state.vectors if of == f"u{width}"
        ]
        if width == 16:
            found += [f"{name}.pick({_integer(scope, 32, depth)}).weight" for name in scope.state.rings]
    return random.choice(found) if found else _arithmetic(scope, width, depth)


def cell(scope: Scope, vector: str, size: int, depth: int) -> str:
    """Return a cell of a vector, its index surely in range."""
    random = scope.random
    if random.random() < 0.4:
        return f"{vector}[{random.randrange(size)}]"
    return f"{vector}[{_integer(scope, random.choice((8, 16, 32)), depth)} % {size}]"


def condition(scope: Scope, depth: int) -> str:
    """Return a truth value."""
    random = scope.random
    known = scope.named("bool") + scope.readable("bool")
    if known and random.random() < 0.25:
        return random.choice(known)
    if depth <= 0:
        return random.choice(("true", "false", _comparison(scope, 0), _comparison(scope, 0)))
    makers = (
        [_comparison] * 4 + [_test_of_kind] * 2 + [_both, _either, _not, _membership, _membership, _taken]
    )
    return random.choice(makers)(scope, depth - 1)


def _comparison(scope: Scope, depth: int) -> str:
    random = scope.random
    of = random.choice(
        ("u8", "u16", "u32", "u16", "ipv4", "ipv6", "flow6", "mac", "flow", "(ipv4, u16)", "bool")
    )
    op = random.choice(("==", "!=", "<", "<=", ">", ">=") if width_of(of) else ("==", "!="))
    left = expression(scope, of, depth)
    if width_of(of) and random.random() < 0.4:
        return f"({left} {op} {literal(random, width_of(of))})"
    return f"({left} {op} {expression(scope, of, depth)})"


def _test_of_kind(scope: Scope, depth: int) -> str:
    packet = scope.random.choice(list(scope.packets)) if scope.packets else ""
    found = splitting_pattern(scope.random, scope.packets[packet]) if packet else None
    return f"({packet} is {found[0]})" if found is not None else _comparison(scope, depth)


def _both(scope: Scope, depth: int) -> str:
    """Return `a && b`; when the first part tests a packet, the second may read it accordingly."""
    random = scope.random
    packet = random.choice(list(scope.packets)) if scope.packets else ""
    found = splitting_pattern(random, scope.packets[packet]) if packet else None
    if found is None or random.random() < 0.3:
        return f"({condition(scope, depth)} && {condition(scope, depth)})"
    inner = scope.narrowed(packet, found[1])
    return f"({packet} is {found[0]} && {condition(inner, depth)})"


def narrowing(scope: Scope, packet: str, kinds: Kinds, depth: int) -> tuple[str, Kinds, Kinds]:
    """Return a condition, and what a packet of these kinds can be when it holds and when it does not.

    It says exactly what the checker finds out, since a test that is decided changes which ways there are.
    """
    random = scope.random
    found = splitting_pattern(random, kinds)
    pick = random.random()
    if found is None or pick < 0.3:
        # A comparison hides what its parts say of packets.
        return f"({condition(scope, depth)} == true)", kinds, kinds
    text, admitted = found
    left = (f"({packet} is {text})", kinds & admitted, kinds - admitted)
    if pick < 0.55 or depth <= 0:
        return left
    if pick < 0.7:
        return f"!{left[0]}", left[2], left[1]
    if pick < 0.85:
        inner = scope.narrowed(packet, left[1])
        right = narrowing(inner, packet, left[1], depth - 1)
        return f"({left[0]} && {right[0]})", right[1], left[2] | right[2]
    inner = scope.narrowed(packet, left[2])
    right = narrowing(inner, packet, left[2], depth - 1)
    return f"({left[0]} || {right[0]})", left[1] | right[1], right[2]


def _either(scope: Scope, depth: int) -> str:
    return f"({condition(scope, depth)} || {condition(scope, depth)})"


def _not(scope: Scope, depth: int) -> str:
    return f"!{condition(scope, depth)}"


def _membership(scope: Scope, depth: int) -> str:
    random = scope.random
    if random.random() < 0.5:
        if scope.random.random() < 0.3:
            return f"({expression(scope, 'ipv6', depth)} in {random.choice(PREFIXES6)})"
        prefixes = (*PREFIXES, *scope.state.prefixes)
        return f"({expression(scope, 'ipv4', depth)} in {random.choice(prefixes)})"
    low, high = sorted((literal(random, 16), literal(random, 16)))
    ranges = (f"{low}..{high}", *scope.state.ranges)
    return f"({_integer(scope, 16, depth)} in {random.choice(ranges)})"


def _taken(scope: Scope, depth: int) -> str:
    """Return whether a token bucket gave what was wanted."""
    buckets = [] if scope.is_pure else list(scope.state.buckets)
    buckets += [f"{name}.{table.bucket}" for name, table in scope.entries if table.bucket]
    if not buckets:
        return _comparison(scope, depth)
    amounts = [expression(scope, "size", depth), *(f"{packet}.length" for packet in scope.packets)]
    return f"{scope.random.choice(buckets)}.take({scope.random.choice(amounts)})"
