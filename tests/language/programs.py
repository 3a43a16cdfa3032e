"""Random programs that the grammar takes, in random layouts: for properties of the front end.

They have no meaning; every construct, every operator and every place for a comment occurs.
"""

from collections.abc import Callable
from random import Random

Tokens = list[str]

APART = "<apart>"
"""Between two statements or items: the layout puts a line break or `;` here."""

NAMES = ("a", "b", "flow", "key", "value", "timer", "idle", "weight", "mac", "x1", "capacity", "table")
SIDES = ("inside", "outside", "lan", "interface")
TYPES = ("u8", "u16", "flow", "ipv4", "next_hop", "list<backend>", "list<range<u16>>")
LITERALS = (
    "0", "65535", "0x1F", "0b101", "60s", "1.5ms", "8Mbit/s", "20kB", "10.0.0.1", "10.0.0.0/8",
    "1024..65535", "02:00:00:00:00:01", "2001:db8::1", "2001:db8::/32", '"a // b { \\"', "true", "false",
)  # fmt: skip
BINARY = ("||", "&&", "|", "^", "&", "<<", ">>", "+", "-", "+%", "-%", "*", "*%", "/", "%")
COMPARE = ("==", "!=", "<", "<=", ">", ">=")


class Programs:
    """Draws tokens of each construct of the grammar."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def some(self, least: int, most: int, make: Callable[[], Tokens], between: str = "") -> Tokens:
        tokens: Tokens = []
        for index in range(self.random.randint(least, most)):
            tokens += [between] if index and between else []
            tokens += make()
        return tokens

    def maybe(self, make: Callable[[], Tokens]) -> Tokens:
        return make() if self.random.random() < 0.5 else []

    def name(self) -> Tokens:
        return [self.random.choice(NAMES)]

    def side(self) -> Tokens:
        return [self.random.choice(SIDES)]

    def type(self) -> Tokens:
        pick = self.random.random()
        if pick < 0.7:
            return [self.random.choice(TYPES)]
        if pick < 0.85:
            return ["(", *self.some(2, 3, self.type, ","), ")"]
        return ["packet", "(", *self.pattern(1), ")"]

    def pattern(self, depth: int) -> Tokens:
        pick = self.random.random()
        if depth == 0 or pick < 0.4:
            return [self.random.choice(("ipv4", "tcp", "udp", "fragment", "arp"))]
        if pick < 0.55:
            return ["!", *self.pattern_atom(depth - 1)]
        sign = self.random.choice("&|")
        return self.some(2, 3, lambda: self.pattern_atom(depth - 1), sign)

    def pattern_atom(self, depth: int) -> Tokens:
        return ["(", *self.pattern(depth), ")"]

    def expression(self, depth: int) -> Tokens:
        makers = (self.binary, self.comparison, self.unary, self.conditional, self.postfix, self.group)
        if depth == 0:
            return self.atom()
        return self.random.choice(makers)(depth - 1)

    def operand(self, depth: int) -> Tokens:
        return self.atom() if self.random.random() < 0.5 else self.group(depth)

    def group(self, depth: int) -> Tokens:
        return ["(", *self.expression(depth), ")"]

    def atom(self) -> Tokens:
        return [self.random.choice(LITERALS)] if self.random.random() < 0.5 else self.name()

    def binary(self, depth: int) -> Tokens:
        tokens = self.operand(depth)
        for _ in range(self.random.randint(1, 4)):
            tokens += [self.random.choice(BINARY), *self.operand(depth)]
        return tokens

    def comparison(self, depth: int) -> Tokens:
        left = self.operand(depth)
        pick = self.random.random()
        if pick < 0.2:
            return [*left, "is", *self.pattern(2)]
        if pick < 0.4:
            return [*left, "in", *self.operand(depth)]
        return [*left, self.random.choice(COMPARE), *self.operand(depth)]

    def unary(self, depth: int) -> Tokens:
        return [self.random.choice(("!", "~", "choose")), *self.operand(depth)]

    def conditional(self, depth: int) -> Tokens:
        parts = [self.expression(depth) for _ in range(3)]
        return ["if", *parts[0], "then", *parts[1], "else", *parts[2]]

    def postfix(self, depth: int) -> Tokens:
        pick = self.random.random()
        if pick < 0.2:
            return ["(", *self.some(2, 3, lambda: self.expression(depth), ","), ")"]
        start = self.name() if self.random.random() < 0.8 else self.group(depth)
        if pick < 0.5:
            return [*start, ".", self.random.choice((*NAMES, "0", "1"))]
        if pick < 0.65:
            return [*start, "[", *self.expression(depth), "]"]
        return [*start, *self.arguments(depth)]

    def arguments(self, depth: int) -> Tokens:
        inner = self.some(0, 4, lambda: self.argument(depth), ",")
        return ["(", *inner, *(self.maybe(lambda: [","]) if inner else []), ")"]

    def argument(self, depth: int) -> Tokens:
        return [*self.maybe(lambda: [*self.name(), ":"]), *self.value(depth)]

    def value(self, depth: int) -> Tokens:
        pick = self.random.random()
        if depth and pick < 0.15:
            return ["[", *self.some(0, 4, lambda: self.value(depth - 1), ","), "]"]
        if depth and pick < 0.3:
            return ["{", *self.some(0, 3, lambda: self.entry(depth - 1), ","), "}"]
        return self.expression(depth)

    def entry(self, depth: int) -> Tokens:
        keys = ("a", "b", "10.0.0.1", "10.0.0.0/8", "2001:db8::1", "2001:db8::/32")
        return [self.random.choice(keys), ":", *self.value(depth)]

    def place(self) -> Tokens:
        pick = self.random.random()
        if pick < 0.3:
            return self.name()
        if pick < 0.8:
            return [*self.place(), ".", *self.name()]
        return [*self.place(), "[", *self.expression(1), "]"]

    def fallible(self, depth: int) -> Tokens:
        return [*self.expression(2), *self.fallbacks(depth)]

    def fallbacks(self, depth: int) -> Tokens:
        tokens: Tokens = []
        for _ in range(self.random.choice((0, 0, 1, 2))):
            makers = [lambda: self.expression(2), lambda: ["drop", *self.name()]]
            makers += [lambda: self.block(depth - 1)] if depth else []
            tokens += ["or", *self.random.choice(makers)()]
        return tokens

    def block(self, depth: int) -> Tokens:
        return ["{", *self.some(0, 3, lambda: self.statement(depth), APART), "}"]

    def statement(self, depth: int) -> Tokens:
        simple = (
            lambda: ["let", *self.name(), "=", *self.fallible(depth)],
            lambda: [*self.place(), "=", *self.fallible(depth)],
            lambda: [*self.place(), *self.arguments(2), *self.fallbacks(depth)],
            lambda: ["touch", *self.place()],
            lambda: ["remove", *self.place()],
            lambda: ["count", *self.name(), *self.maybe(lambda: ["by", *self.expression(1)])],
            lambda: ["drop", *self.name()],
            lambda: ["give", *self.expression(2)],
            self.emit,
        )
        if depth and self.random.random() < 0.3:
            return self.random.choice((self.branch, self.match))(depth - 1)
        return self.random.choice(simple)()

    def emit(self) -> Tokens:
        side = ["others"] if self.random.random() < 0.3 else self.place()
        return ["emit", *side, *self.maybe(lambda: [":", *self.expression(1)])]

    def branch(self, depth: int) -> Tokens:
        tokens = ["if", *self.expression(2), *self.block(depth)]
        pick = self.random.random()
        if depth and pick < 0.3:
            return [*tokens, "else", *self.branch(depth - 1)]
        return [*tokens, "else", *self.block(depth)] if pick < 0.6 else tokens

    def match(self, depth: int) -> Tokens:
        cases = self.some(0, 3, lambda: [*self.pattern(2), *self.block(depth)], APART)
        otherwise = self.maybe(lambda: ["else", *self.block(depth)])
        apart = [APART] if cases and otherwise else []
        return ["match", *self.name(), "{", *cases, *apart, *otherwise, "}"]

    def parameters(self) -> Tokens:
        default = lambda: ["=", *self.value(2)]  # noqa: E731
        one = lambda: [*self.name(), ":", *self.type(), *self.maybe(default)]  # noqa: E731
        return ["(", *self.some(0, 3, one, ","), ")"]

    def table_item(self) -> Tokens:
        default = lambda: ["=", *self.expression(1)]  # noqa: E731
        makers = (
            lambda: ["key", *self.name(), ":", *self.type()],
            lambda: ["unique", *self.name(), ":", *self.type()],
            lambda: ["value", *self.name(), ":", *self.type(), *self.maybe(default)],
            lambda: ["timer", *self.name(), *self.maybe(default)],
            lambda: ["capacity", *self.expression(1)],
        )
        return self.random.choice(makers)()

    def state(self) -> Tokens:
        one = lambda: self.expression(1)  # noqa: E731
        default = lambda: ["=", *one()]  # noqa: E731
        makers = (
            lambda: ["table", *self.name(), "{", *self.some(0, 4, self.table_item, APART), "}"],
            lambda: ["vector", *self.name(), ":", *self.type(), "[", *one(), "]", *self.maybe(default)],
            lambda: ["counter", *self.name()],
            lambda: ["bucket", *self.name(), "{", "rate", *one(), "burst", *one(), "}"],
            lambda: [
                "sketch", *self.name(), "{", "key", *self.type(), "rows", *one(), "columns", *one(), "}",
            ],
            lambda: [
                "ring", *self.name(), "of", *self.name(), "by", *self.name(),
                *self.maybe(lambda: ["weight", *self.name()]), *self.maybe(lambda: ["slots", *one()]),
            ],
        )  # fmt: skip
        return self.random.choice(makers)()

    def handler(self) -> Tokens:
        sides = ["any"] if self.random.random() < 0.2 else self.some(1, 2, self.side, ",")
        pattern = self.maybe(lambda: [":", *self.pattern(2)])
        return ["from", *sides, "(", *self.name(), *pattern, ")", *self.block(2)]

    def sides(self) -> Tokens:
        return ["sides", *(["any"] if self.random.random() < 0.3 else self.some(1, 3, self.side, ","))]

    def nf_item(self) -> Tokens:
        return self.random.choice((self.sides, self.state, self.handler))()

    def chain_item(self) -> Tokens:
        end = lambda: [*self.name(), *self.maybe(lambda: [".", *self.side()])]  # noqa: E731
        part = lambda: self.random.choice(  # noqa: E731
            (["mac", "02:00:00:00:00:01"], ["address", "10.0.0.1/8"], ["address", "2001:db8::1/64"])
        )
        arrow = self.random.choice(("<->", "->"))
        makers = (
            self.sides,
            lambda: ["interface", *self.name(), "{", *self.some(0, 3, part), "}"],
            lambda: [*self.name(), "=", *self.name(), *self.arguments(2)],
            lambda: self.some(2, 6, end, arrow),
            lambda: ["budget", "4"],
        )
        tokens = self.random.choice(makers)()
        return ["first", "=", "napt", "(", ")"] if tokens[0] == "interface" and tokens[1] in "=." else tokens

    def origin(self) -> str:
        return self.random.choice(("nf", '"edge.chain"'))

    def item(self) -> Tokens:
        let = lambda: ["let", *self.name(), "=", *self.expression(2)]  # noqa: E731
        default = lambda: ["=", *self.expression(1)]  # noqa: E731
        field = lambda: [*self.name(), ":", *self.type(), *self.maybe(default)]  # noqa: E731
        lets = self.some(0, 2, let, APART)
        back = [*([APART] if lets else []), "return", *self.expression(2)]
        makers = (
            lambda: ["use", self.origin(), ":", *self.some(1, 3, self.name, ",")],
            lambda: ["record", *self.name(), "{", *self.some(0, 3, field, APART + ","), "}"],
            lambda: ["fn", *self.name(), *self.parameters(), "->", *self.type(), "{", *lets, *back, "}"],
            lambda: [
                "nf", *self.name(), *self.maybe(self.parameters), "{",
                *self.some(0, 4, self.nf_item, APART), "}",
            ],
            lambda: [
                "chain", *self.name(), *self.maybe(self.parameters), "{",
                *self.some(0, 4, self.chain_item, APART), "}",
            ],
        )  # fmt: skip
        return self.random.choice(makers)()


def random_program(seed: int) -> str:
    """Return a program that parses, laid out at random, with comments `c0`, `c1` and so on."""
    random = Random(seed)
    programs = Programs(random)
    tokens = [*programs.some(1, 3, programs.item, APART), APART, "nf", "last", "{", "}"]
    comments = 0
    text = ""
    for token in tokens:
        apart = token.startswith(APART)
        pick = random.random()
        if pick < 0.06 or (apart and pick < 0.15):
            slashes = random.choice(("//", "//", "///", "////"))
            text += f" {random.choice(('', chr(10), chr(10) * 3))}{slashes} c{comments}\n"
            comments += 1
        elif apart:
            text += random.choice(
                ("\n", "\n\n\n", ", " if "," in token else "; ", ",\n" if "," in token else ";;\n")
            )
        else:
            text += random.choice((" ", " ", " ", "  ", "\n", "\t", "\r\n"))
        text += "" if apart else token
    return text
