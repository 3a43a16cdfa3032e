"""Random NFs of the language: parameters, state, functions, handlers that end on every way."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from synth.net.fields import FIELDS
from synth.net.kinds import HEADERS, UNIVERSE
from tests.random_expressions import (
    Function,
    Kinds,
    Scope,
    State,
    Table,
    cell,
    expression,
    narrowing,
    parts_of,
    pattern,
    splitting_pattern,
)
from tests.random_state import Lines, declarations, indent, parameters

LOCAL_TYPES = (
    "u8", "u16", "u16", "u32", "u64", "u13", "bool", "ipv4", "ipv6", "mac", "flow", "flow6", "(ipv4, u16)",
    "(u8, bool)", "side", "backend",
)  # fmt: skip
DROPS = ("odd", "even", "low", "high", "gone", "full")
DEPTH = 2


@dataclass(frozen=True)
class Nf:
    """A random NF. `arguments` is what an instance gives it; each call makes new ones."""

    name: str
    text: str
    sides: tuple[str, ...]
    arguments: Callable[[], str]


@dataclass(frozen=True)
class Limits:
    """What keeps chains small: emissions on one way through a handler, and where they may go."""

    emissions: int = 2
    may_return: bool = False
    """Whether a packet may leave on the side on which it came."""
    has_lookups: bool = True
    """Whether NFs may have rule sets and routing tables."""


def functions(random: Random, fresh: list[int]) -> tuple[list[Function], Lines]:
    """Return pure functions, each calling only earlier ones."""
    made: list[Function] = []
    lines: Lines = []
    for _ in range(random.randint(0, 3)):
        scope = Scope(random, fresh, State(), list(made), is_pure=True)
        parameters = tuple(
            random.choice(("u8", "u16", "u32", "bool", "ipv4", "flow")) for _ in range(random.randint(1, 3))
        )
        result = random.choice(("u8", "u16", "u32", "u64", "u13"))
        names = [scope.name("a") for _ in parameters]
        scope.values += list(zip(names, parameters, strict=True))
        function = Function(scope.name("f"), parameters, result)
        declared = ", ".join(f"{name}: {of}" for name, of in zip(names, parameters, strict=True))
        body: Lines = []
        for _ in range(random.randint(0, 2)):
            body += _let_value(scope, [of for of in LOCAL_TYPES if of not in ("side", "backend")])
        body.append(f"return {expression(scope, result, DEPTH)}")
        lines += [f"fn {function.name}({declared}) -> {result} {{", *indent(body), "}", ""]
        made.append(function)
    return made, lines


def nf(random: Random, fresh: list[int], known: list[Function], limits: Limits) -> Nf:
    """Return an NF of two or three sides."""
    scope = Scope(random, fresh, State(), known)
    scope.sides = tuple(scope.name("side") for _ in range(random.choice((2, 2, 2, 3))))
    given = parameters(scope, has_lookups=limits.has_lookups)
    name = scope.name("nf")
    lines = [f"sides {', '.join(scope.sides)}", "", *declarations(scope), ""]
    lines += _handlers(scope, limits)
    declared = ", ".join(text for _, text, _ in given)
    text = "\n".join([f"nf {name}({declared}) {{" if declared else f"nf {name} {{", *indent(lines), "}", ""])

    def arguments() -> str:
        return ", ".join(f"{parameter}: {make()}" for parameter, _, make in given)

    return Nf(name, text, scope.sides, arguments)


# ---------------------------------------------------------------- handlers


def _handlers(scope: Scope, limits: Limits) -> Lines:
    random = scope.random
    left: dict[str, Kinds] = dict.fromkeys(scope.sides, UNIVERSE)
    lines: Lines = []
    for _ in range(random.randint(1, 4)):
        sides = tuple(random.sample(scope.sides, random.randint(1, len(scope.sides))))
        text, kinds = pattern(random)
        if all(left[side] & kinds and left[side] - kinds for side in sides):
            lines += _handler(scope, sides, text, kinds, limits)
            left |= {side: left[side] - kinds for side in sides}
    # One for each side: a catch-all of all sides could emit on none of them.
    for side in scope.sides:
        lines += _handler(scope, (side,), "", UNIVERSE, limits)
    return lines


def _handler(scope: Scope, sides: tuple[str, ...], text: str, kinds: Kinds, limits: Limits) -> Lines:
    inner = scope.child()
    packet = inner.name("pkt")
    inner.packets[packet] = kinds
    body = _Body(packet, sides, limits).ending(inner, DEPTH)
    names = "any" if len(sides) == len(scope.sides) and scope.random.random() < 0.5 else ", ".join(sides)
    return [
        f"from {names} ({packet}: {text}) {{" if text else f"from {names} ({packet}) {{",
        *indent(body),
        "}",
    ]


def _let_value(scope: Scope, types: list[str] | tuple[str, ...]) -> Lines:
    of = scope.random.choice(types)
    text, name = expression(scope, of, DEPTH), scope.name("n")
    scope.values.append((name, of))
    return [f"let {name} = {text}"]


@dataclass(frozen=True)
class _Body:
    """Makes the statements of a handler. The scope that is handed in follows them."""

    packet: str
    sides: tuple[str, ...]
    limits: Limits

    # ------------------------------------------------ ends

    def ending(self, scope: Scope, depth: int) -> Lines:
        """Return statements that end on every way: in a drop, or after an emission."""
        random = scope.random
        lines = self.some(scope, depth, random.randint(0, 4 if depth == DEPTH else 2))
        pick = random.random()
        if depth > 0 and pick < 0.3:
            return [*lines, *self._split(scope, depth, self.ending)]
        if scope.surely and pick < 0.6:
            return lines
        if pick < 0.36 or not self._may_emit(scope):
            return [*lines, f"drop {random.choice(DROPS)}"]
        lines += self._emit(scope)
        if random.random() < 0.3:
            lines += self.some(scope, 0, 1)
        if self._may_emit(scope) and random.random() < 0.3:
            lines += self._emit(scope)
        if random.random() < 0.1:
            lines.append(f"drop {random.choice(DROPS)}")
        return lines

    def _split(self, scope: Scope, depth: int, end: Callable[[Scope, int], Lines]) -> Lines:
        """Return an `if` or a `match` of which each way is made by `end`."""
        if scope.random.random() < 0.4:
            return self._match(scope, depth, end)
        then, otherwise, text = self._ways(scope, depth)
        lines = [
            f"if {text} {{",
            *indent(end(then, depth - 1)),
            "} else {",
            *indent(end(otherwise, depth - 1)),
            "}",
        ]
        self._merge(scope, (then, otherwise))
        return lines

    def _ways(self, scope: Scope, depth: int) -> tuple[Scope, Scope, str]:
        """Return the scopes in which a condition holds and does not, and the condition."""
        packet = scope.random.choice(list(scope.packets))
        text, if_true, if_false = narrowing(scope, packet, scope.packets[packet], depth)
        return scope.narrowed(packet, if_true), scope.narrowed(packet, if_false), text

    def _match(self, scope: Scope, depth: int, end: Callable[[Scope, int], Lines]) -> Lines:
        packet = scope.random.choice(list(scope.packets))
        left = scope.packets[packet]
        lines, ways = [f"match {packet} {{"], []
        for _ in range(scope.random.randint(1, 2)):
            found = splitting_pattern(scope.random, left)
            if found is None:
                continue
            text, kinds = found
            ways.append(scope.narrowed(packet, left & kinds))
            lines += [f"    {text} {{", *indent(indent(end(ways[-1], depth - 1))), "    }"]
            left -= kinds
        ways.append(scope.narrowed(packet, left))
        lines += ["    else {", *indent(indent(end(ways[-1], depth - 1))), "    }", "}"]
        self._merge(scope, ways)
        return lines

    def _merge(self, scope: Scope, ways: "tuple[Scope, ...] | list[Scope]") -> None:
        for way in ways:
            scope.lose(way)
        for packet in scope.packets:
            scope.packets[packet] = frozenset().union(*(way.packets[packet] for way in ways))
        scope.emitted = max(way.emitted for way in ways)
        scope.surely = min(way.surely for way in ways)

    def _may_emit(self, scope: Scope) -> bool:
        return scope.emitted < self.limits.emissions and bool(self._targets(scope))

    def _targets(self, scope: Scope) -> list[str]:
        if self.limits.may_return:
            return list(scope.sides)
        return [side for side in scope.sides if side not in self.sides]

    def _emit(self, scope: Scope) -> Lines:
        random = scope.random
        room = self.limits.emissions - scope.emitted
        if len(scope.sides) - 1 <= room and random.random() < 0.25:
            count, target = len(scope.sides) - 1, "others"
        else:
            count = 1
            known = scope.named("side") if self.limits.may_return else []
            target = random.choice((*self._targets(scope), *known))
        scope.emitted += count
        scope.surely += count
        packet = random.choice(list(scope.packets))
        return [
            f"emit {target}"
            if packet == self.packet and random.random() < 0.8
            else f"emit {target}: {packet}"
        ]

    # ------------------------------------------------ statements

    def some(self, scope: Scope, depth: int, count: int) -> Lines:
        """Return statements after which the handler goes on."""
        lines: Lines = []
        for _ in range(count):
            lines += scope.random.choice(self._MAKERS)(self, scope, depth)
        return lines

    def _let(self, scope: Scope, _: int) -> Lines:
        return _let_value(scope, LOCAL_TYPES)

    def _copy(self, scope: Scope, _: int) -> Lines:
        packet, name = scope.random.choice(list(scope.packets)), scope.name("copy")
        scope.packets[name] = scope.packets[packet]
        return [f"let {name} = {packet}"]

    def _write(self, scope: Scope, _: int) -> Lines:
        random = scope.random
        packet = random.choice(list(scope.packets))
        present = {header for header in HEADERS if all(kind.has(header) for kind in scope.packets[packet])}
        known = random.choice(
            [known for known in FIELDS.values() if known.is_writable and known.header in present]
        )
        of = f"u{known.width}" if known.kind == "uint" else known.kind
        return [f"{packet}.{known.path} = {expression(scope, of, DEPTH)}"]

    def _if(self, scope: Scope, depth: int) -> Lines:
        """Return an `if` of which at most one way ends the handler."""
        if depth == 0:
            return self._let(scope, depth)
        random = scope.random
        if random.random() < 0.3:
            return self._split(scope, depth, self._going_on)
        then, otherwise, text = self._ways(scope, depth)
        if random.random() < 0.5:
            body = [*self._going_on(then, 0), f"drop {random.choice(DROPS)}"]
            scope.packets = otherwise.packets
            return [f"if {text} {{", *indent(body), "}"]
        lines = [f"if {text} {{", *indent(self._going_on(then, depth - 1)), "}"]
        self._merge(scope, (then, otherwise))
        return lines

    def _going_on(self, scope: Scope, depth: int) -> Lines:
        return self.some(scope, depth, scope.random.randint(0, 2))

    def _emission(self, scope: Scope, _: int) -> Lines:
        return self._emit(scope) if self._may_emit(scope) and scope.random.random() < 0.5 else []

    def _find(self, scope: Scope, depth: int) -> Lines:
        """Return a lookup, perhaps with an insertion when there is nothing."""
        if not scope.state.tables:
            return self._write(scope, depth)
        random = scope.random
        table = random.choice(scope.state.tables)
        by = table.unique if table.unique is not None and random.random() < 0.4 else table.key
        name = scope.name("e")
        found = f"{table.name}.find({by[0]}: {expression(scope, by[1], 1)})"
        inserted = _insertion(scope, table)
        options = random.choice(([found], [found, inserted], [found, inserted], [inserted]))
        lines = [f"let {name} = {options[0]}", *(f"    or {option}" for option in options[1:])]
        if random.random() < 0.6:
            lines.append(f"    or drop {random.choice(DROPS)}")
        else:
            lines[-1] += " or {"
            lines += [*indent(self._giving_entry(scope, table)), "}"]
        scope.entries.append((name, table))
        return lines

    def _giving_entry(self, scope: Scope, table: Table) -> Lines:
        """Return the body of a block that gives an entry, or ends the handler."""
        inner = scope.child()
        lines = self.some(inner, 0, 1)
        if scope.random.random() < 0.3:
            lines += self.ending(inner, 0)
        else:
            name = inner.name("e")
            lines += [
                f"let {name} = {_insertion(inner, table)} or drop {scope.random.choice(DROPS)}",
                f"give {name}",
            ]
        scope.lose(inner)
        scope.emitted = max(scope.emitted, inner.emitted)
        return lines

    def _attempt(self, scope: Scope, depth: int) -> Lines:
        """Return a value that may be absent, with what stands for it then."""
        random, state = scope.random, scope.state
        options: list[tuple[str, str]] = []
        options += [
            ("bool", f"{name}.decide({packet})") for name in state.rules for packet in self._ipv4(scope)
        ]
        options += [("hop", f"{name}.lookup({expression(scope, 'ipv4', 1)})") for name in state.routes]
        options += [
            ("backend", f"{name}.at({expression(scope, random.choice(('u8', 'u16')), 1)})")
            for name in state.lists
        ]
        options += [
            ("backend", f"{name}.find(address: {expression(scope, 'ipv4', 1)})") for name in state.lists
        ]
        options += [(of, f"{name}.at({expression(scope, 'u8', 1)})") for name, of, _ in state.vectors]
        if not options:
            return self._let(scope, depth)
        of, text = random.choice(options)
        name = scope.name("n")
        pick = random.random()
        if pick < 0.4:
            lines = [f"let {name} = {text} or drop {random.choice(DROPS)}"]
        elif pick < 0.7:
            lines = [f"let {name} = {text} or {expression(scope, of, 1)}"]
        else:
            inner = scope.child()
            body = self.some(inner, 0, 1)
            lines = [f"let {name} = {text} or {{", *indent([*body, f"give {expression(inner, of, 1)}"]), "}"]
            scope.lose(inner)
            scope.emitted = max(scope.emitted, inner.emitted)
        scope.values.append((name, of))
        return lines

    def _ipv4(self, scope: Scope) -> list[str]:
        return [name for name, kinds in scope.packets.items() if all(kind.has("ipv4") for kind in kinds)]

    def _learn(self, scope: Scope, depth: int) -> Lines:
        """Return an insertion for its effect alone."""
        if not scope.state.tables:
            return self._write(scope, depth)
        table = scope.random.choice(scope.state.tables)
        text = _insertion(scope, table)
        if scope.random.random() < 0.3:
            return [f"{text} or drop {scope.random.choice(DROPS)}"]
        inner = scope.child()
        lines = [f"{text} or {{", *indent(self._going_on(inner, 0)), "}"]
        self._merge(scope, (inner, scope.child()))
        return lines

    def _use_entry(self, scope: Scope, depth: int) -> Lines:
        if not scope.entries:
            return self._find(scope, depth)
        random = scope.random
        name, table = random.choice(scope.entries)
        if table.timers and random.random() < 0.5:
            return [f"touch {name}.{random.choice(table.timers)}"]
        if table.values and random.random() < 0.8:
            column, of = random.choice(table.values)
            return [f"{name}.{column} = {expression(scope, of, DEPTH)}"]
        scope.removed.add(table.name)
        scope.lose(scope.child())
        return [f"remove {name}"]

    def _use_state(self, scope: Scope, depth: int) -> Lines:
        random, state = scope.random, scope.state
        made: list[str] = [f"count {name}" for name in state.counters]
        made += [
            f"count {name} by {expression(scope, random.choice(('u8', 'u32', 'u64')), 1)}"
            for name in state.counters
        ]
        made += [
            f"{cell(scope, name, size, 1)} = {expression(scope, of, DEPTH)}"
            for name, of, size in state.vectors
        ]
        made += [f"{name}.add({expression(scope, key, 1)})" for name, key in state.sketches]
        made += [
            f"{name}.add({expression(scope, key, 1)}, {expression(scope, 'u32', 1)})"
            for name, key in state.sketches
        ]
        return [random.choice(made)] if made else self._write(scope, depth)

    _MAKERS = (
        _let, _let, _copy, _write, _write, _write, _if, _if, _if, _emission, _find, _find, _attempt, _attempt,
        _learn, _use_entry, _use_entry, _use_entry, _use_entry, _use_state, _use_state, _use_state,
    )  # fmt: skip


def _insertion(scope: Scope, table: Table) -> str:
    random = scope.random
    given = [f"{table.key[0]}: {expression(scope, table.key[1], 1)}"]
    if table.unique is not None:
        given.append(f"{table.unique[0]}: {_unique(scope, table)}")
    for name, of in table.values:
        if name not in table.defaults or random.random() < 0.5:
            given.append(f"{name}: {expression(scope, of, 1)}")
    return f"{table.name}.insert({', '.join(given)})"


def _unique(scope: Scope, table: Table) -> str:
    """Return a unique key, its first part chosen where the table chooses."""
    assert table.unique is not None
    of = table.unique[1]
    if not table.choice:
        return expression(scope, of, 1)
    rest = [expression(scope, part, 1) for _, part in parts_of(of)[1:]]
    return f"(choose {table.choice}, {', '.join(rest)})" if rest else f"choose {table.choice}"
