"""Random parameters and state objects of NFs."""

from collections.abc import Callable
from random import Random

from tests.random_expressions import ADDRESSES, PREFIXES, Scope, Table, literal, width_of

Lines = list[str]

KEY_TYPES = (
    "flow",
    "flow",
    "flow6",
    "ipv6",
    "(ipv4, u16, u8)",
    "ipv4",
    "u16",
    "u8",
    "(u8, bool)",
    "(ipv4, mac)",
)
VALUE_TYPES = ("u8", "u16", "u32", "u64", "bool", "ipv4", "ipv6", "flow", "(u16, u8)", "side", "mac", "u13")
CELL_TYPES = ("u8", "u16", "u16", "u32", "u64", "bool", "ipv4", "ipv6", "(u16, u8)", "flow")


def indent(lines: Lines) -> Lines:
    return [f"    {line}" for line in lines]


Parameter = tuple[str, str, Callable[[], str]]


def parameters(scope: Scope, *, has_lookups: bool) -> list[Parameter]:
    """Return parameters: name, declaration, and what makes an argument."""
    random, state = scope.random, scope.state
    found: list[Parameter] = []

    def add(of: str, make: Callable[[], str], into: list[str] | None = None) -> None:
        name = scope.name("p")
        found.append((name, f"{name}: {of}", make))
        if into is None:
            scope.values.append((name, of))
        else:
            into.append(name)

    def maybe(chance: float, of: str, make: Callable[[], str], into: list[str] | None = None) -> None:
        if random.random() < chance:
            add(of, make, into)

    maybe(0.5, "u16", lambda: str(literal(random, 16)))
    maybe(0.4, "u8", lambda: str(literal(random, 8)))
    maybe(0.4, "bool", lambda: random.choice(("true", "false")))
    maybe(0.4, "ipv4", lambda: random.choice(ADDRESSES))
    maybe(0.3, "prefix", lambda: random.choice(PREFIXES), state.prefixes)
    maybe(0.3, "range<u16>", lambda: f"{random.randint(0, 80)}..{random.randint(81, 65535)}", state.ranges)
    lookups = 0.4 if has_lookups else 0
    maybe(lookups, "rules", lambda: _rules(random), state.rules)
    maybe(lookups, "routes<hop>", lambda: _routes(random, scope.sides), state.routes)
    maybe(0.4, "list<backend>", lambda: _backends(random), state.lists)
    return found


def _rules(random: Random) -> str:
    parts = ("", " src 10.0.0.0/8", " dst 203.0.113.0/24", " src 10.0.0.0/30 dst 198.51.100.9")
    ports = (
        " tcp{} dport 80",
        " udp{} sport 1024..65535",
        "{}",
        " icmp{}",
        " tcp{} flags 0x02/0x02",
        " 0x02/0xfe{}",
    )
    rules = {
        f'"{random.choice(("permit", "deny"))}{random.choice(ports).format(random.choice(parts)) or " any"}"'
        for _ in range(random.randint(1, 5))
    }
    return f"[{', '.join(sorted(rules))}]"


def _routes(random: Random, sides: tuple[str, ...]) -> str:
    def hop() -> str:
        if random.random() < 0.15:
            return "discard"
        gateway = f"02:00:00:00:00:0{random.randint(1, 9)}"
        return f"{{ out: {random.choice(sides)}, gateway: {gateway}, metric: {literal(random, 8)} }}"

    prefixes = random.sample(PREFIXES, random.randint(1, 4))
    return f"{{ {', '.join(f'{prefix}: {hop()}' for prefix in prefixes)} }}"


def _backends(random: Random) -> str:
    def backend(*, is_first: bool) -> str:
        weight, spare = random.randint(1 if is_first else 0, 4), random.choice(("true", "false"))
        return f"weight: {weight}, spare: {spare}"

    addresses = random.sample(ADDRESSES, random.randint(1, 4))
    records = [f"{{ address: {one}, {backend(is_first=not at)} }}" for at, one in enumerate(addresses)]
    return f"[{', '.join(records)}]"


def declarations(scope: Scope) -> Lines:
    """Return the declarations of state objects."""
    random, state = scope.random, scope.state
    lines: Lines = []
    for _ in range(random.choice((0, 1, 1, 2))):
        lines += _table(scope)
    for _ in range(random.choice((0, 1, 1))):
        name, of, size = scope.name("v"), random.choice(CELL_TYPES), random.choice((1, 3, 4, 8))
        state.vectors.append((name, of, size))
        initial = f" = {literal(random, width_of(of))}" if width_of(of) and random.random() < 0.5 else ""
        lines.append(f"vector {name}: {of}[{size}]{initial}")
    for _ in range(random.choice((0, 1, 2))):
        state.counters.append(scope.name("c"))
        lines.append(f"counter {state.counters[-1]}")
    if random.random() < 0.3:
        state.buckets.append(scope.name("b"))
        lines.append(f"bucket {state.buckets[-1]} {{ {_rate(random)} }}")
    if random.random() < 0.3:
        name, key = scope.name("s"), random.choice(("ipv4", "ipv6", "flow", "(ipv4, u16)"))
        state.sketches.append((name, key))
        lines.append(
            f"sketch {name} {{ key {key}; rows {random.randint(1, 3)}; columns {random.choice((1, 7, 64))} }}"
        )
    if state.lists and random.random() < 0.7:
        name, slots = scope.name("ring"), random.choice(("", " slots 7", " slots 13"))
        state.rings.append(name)
        weight = random.choice(("", " weight weight"))
        lines.append(f"ring {name} of {state.lists[0]} by address{weight}{slots}")
    return lines


def _rate(random: Random) -> str:
    rate, burst = random.choice(("8kbit/s", "1Mbit/s", "333bit/s")), random.choice(("200B", "1500B", "9kB"))
    return f"rate {rate}; burst {burst}"


def _table(scope: Scope) -> Lines:
    random = scope.random
    name, key = scope.name("t"), (scope.name("k"), random.choice(KEY_TYPES))
    lines = [f"key {key[0]}: {key[1]}"]
    unique, choice = None, ""
    if random.random() < 0.6:
        unique = (scope.name("u"), random.choice(("u16", "(u16, u8)", "flow", "u8", "(u16, ipv4)")))
        lines.append(f"unique {unique[0]}: {unique[1]}")
        if "u16" in unique[1] and random.random() < 0.8:
            low = random.randint(1000, 1002)
            choice = f"{low}..{low + random.choice((0, 1, 3, 200))}"
    values, defaults = [], set()
    for _ in range(random.randint(0, 3)):
        value = (scope.name("x"), random.choice(VALUE_TYPES))
        is_default = bool(width_of(value[1])) and random.random() < 0.4
        lines.append(
            f"value {value[0]}: {value[1]}"
            + (f" = {literal(random, width_of(value[1]))}" if is_default else "")
        )
        values.append(value)
        defaults |= {value[0]} if is_default else set()
    bucket = ""
    if random.random() < 0.25:
        bucket = scope.name("y")
        rate = _rate(random).replace("rate ", "rate: ").replace("; burst ", ", burst: ")
        lines.append(f"value {bucket}: bucket = bucket({rate})")
    timers = tuple(scope.name("timer") for _ in range(random.choice((0, 1, 1, 2))))
    lines += [f"timer {timer} = {random.choice(('1ms', '50ms', '2s', '60s'))}" for timer in timers]
    lines.append(f"capacity {random.choice((1, 2, 3, 8, 64))}")
    scope.state.tables.append(
        Table(name, key, unique, choice, tuple(values), frozenset(defaults), bucket, timers)
    )
    return [f"table {name} {{", *indent(lines), "}"]
