"""A second meaning of typed chains, straight from the tree: what lowering is tested against.

It shares nothing with `synth.lower` but the declarations of state objects and the budgets. It is plain and
slow: statements are executed, expressions are computed, a drop is an exception.
"""

from dataclasses import dataclass, field
from typing import Any

from synth.graph.domains.integers import FramePacket, Integers, received
from synth.graph.evaluator.domain import rows_by
from synth.graph.nodes import ChainGraph
from synth.graph.states.allocator import ChoiceLog
from synth.graph.states.integer_state import initial_state
from synth.language import typed, types
from synth.language.typed import Expr, Instance, TypedChain
from synth.language.values import ListValue, PrefixValue, RangeValue
from synth.lower.states import lower_states
from synth.net.crc32c import hash_scalars
from synth.net.frame import Rejected, admit

Row = tuple[Any, ...]
"""Integers; or one packet, entry, prefix or range."""

DOMAIN = Integers()


class DroppedError(Exception):
    """The handler drops its packet, for the reason that is the argument."""


class GivenError(Exception):
    """A block after `or` gives the value that is the argument."""


class EndedError(Exception):
    """A block after `or` has emitted and gives nothing: the handler ends."""


def width(of: types.Type) -> int:
    return types.scalars(of)[0].width


def size(of: types.Type) -> int:
    """Return how many values a value of a type takes in a row."""
    return 1 if isinstance(of, types.Packet | types.Entry) else len(types.scalars(of))


@dataclass
class Call:
    """One handler at work on one packet."""

    instance: Instance
    side: str
    names: dict[str, Row]
    emissions: list[tuple[int, FramePacket]] = field(default_factory=list)


class TreeWalker:
    """A typed chain at work. `graph` is asked for its budgets only."""

    def __init__(self, chain: TypedChain, graph: ChainGraph, choices: ChoiceLog | None = None) -> None:
        self.arrivals = {(wire.source.owner, wire.source.side): wire.target for wire in chain.wires}
        self.instances = {instance.name: instance for instance in chain.instances}
        states = tuple(state for instance in chain.instances for state in lower_states(instance))
        self.state = initial_state(states, choices)
        self.columns = {state.name: state for state in states}
        self.budgets = {handler.block: handler.budget for handler in graph.handlers}
        self.drops: dict[str, int] = {}
        self.generated = 0
        self.now = 0

    # ------------------------------------------------ packets

    def receive(self, interface: str, frame: bytes, now: int) -> list[tuple[str, bytes]]:
        """Take a frame, and return what leaves, in order."""
        self.now = max(self.now, now)
        self.out: list[tuple[str, bytes]] = []
        admitted = admit(frame)
        if isinstance(admitted, Rejected):
            self.drop(f"{interface}.{admitted.reason}")
        else:
            self.arrive(interface, "", received(admitted), {})
        return self.out

    def drop(self, name: str) -> None:
        self.drops[name] = self.drops.get(name, 0) + 1

    def arrive(self, owner: str, side: str, packet: FramePacket, visits: dict[str, int]) -> None:
        """Let a packet arrive where a wire leads."""
        target = self.arrivals[owner, side]
        if not target.side:
            self.out.append((target.owner, packet.render()))
            return
        place = f"{target.owner}.{target.side}"
        visits = {**visits, place: visits.get(place, 0) + 1}
        budget = self.budgets[place]
        if budget is not None and visits[place] > budget:
            self.drop(f"{target.owner}.chain_loop")
            return
        self.handle(self.instances[target.owner], target.side, packet, visits)

    def handle(self, instance: Instance, side: str, packet: FramePacket, visits: dict[str, int]) -> None:
        for handler in instance.nf.handlers:
            if (handler.sides is None or side in handler.sides) and self.fits(packet, handler.pattern):
                break
        else:
            raise AssertionError("no handler")
        call = Call(instance, side, {handler.packet: (packet,)})
        is_dropped = False
        try:
            self.run(call, handler.body)
        except EndedError:
            pass
        except DroppedError as drop:
            is_dropped = True
            self.drop(f"{instance.name}.{drop}")
        assert is_dropped or call.emissions
        self.generated += len(call.emissions) - (0 if is_dropped else 1)
        for index, emitted in call.emissions:
            self.arrive(instance.name, instance.sides[index], emitted, visits)

    def fits(self, packet: FramePacket, pattern: typed.Pattern) -> bool:
        match pattern:
            case typed.PatternName(header):
                return bool(DOMAIN.has(header)(packet))
            case typed.PatternNot(inner):
                return not self.fits(packet, inner)
            case typed.PatternAll(parts):
                return all(self.fits(packet, part) for part in parts)
            case typed.PatternAny(parts):
                return any(self.fits(packet, part) for part in parts)

    # ------------------------------------------------ statements

    def run(self, call: Call, block: typed.Block) -> None:
        for statement in block:
            self.execute(call, statement)

    def execute(self, call: Call, statement: typed.Statement) -> None:
        match statement:
            case typed.Let(name=name, value=value):
                call.names[name] = self.value(call, value)
            case typed.Perform(value=value):
                self.fallback(call, value, is_wanted=False)
            case typed.AssignField(packet=name, path=path, value=value):
                (number,) = self.value(call, value)
                call.names[name] = (DOMAIN.write(path)(call.names[name][0], number),)
            case typed.AssignEntry(entry=entry, table=table, name=name, value=value):
                row = self.value(call, value)
                (holder,) = self.compute(call, entry)
                for column, number in zip(self.member(call, table, name), row, strict=True):
                    self.state.tables[self.of(call, table)].write(holder, column, number)
            case typed.AssignVector(vector=vector, index=index, value=value):
                row = self.value(call, value)
                self.state.vectors[self.of(call, vector)].write(self.number(call, index), row)
            case typed.If(condition=condition, then=then, otherwise=otherwise):
                self.run(call, then if self.number(call, condition) else otherwise)
            case typed.Touch(entry=entry, table=table, timer=timer):
                self.state.tables[self.of(call, table)].touch(self.compute(call, entry)[0], timer, self.now)
            case typed.Remove(entry=entry, table=table):
                self.state.tables[self.of(call, table)].remove(self.compute(call, entry)[0])
            case typed.Count(counter=counter, amount=amount):
                self.state.counters[self.of(call, counter)].add(self.number(call, amount))
            case typed.SketchAdd(sketch=sketch, key=key, amount=amount):
                row = self.compute(call, key)
                self.state.sketches[self.of(call, sketch)].add(row, self.number(call, amount))
            case typed.Drop(reason=reason):
                raise DroppedError(reason)
            case typed.Emit(side=None, packet=packet):
                (emitted,) = self.compute(call, packet)
                others = (at for at, side in enumerate(call.instance.sides) if side != call.side)
                call.emissions += [(at, emitted) for at in others]
            case typed.Emit(side=side, packet=packet):
                assert side is not None
                call.emissions.append((self.number(call, side), self.compute(call, packet)[0]))
            case typed.Give(value=value):
                raise GivenError(self.compute(call, value))

    def value(self, call: Call, value: Expr | typed.Fallback) -> Row:
        if isinstance(value, typed.Fallback):
            return self.fallback(call, value, is_wanted=True)
        return self.compute(call, value)

    def fallback(self, call: Call, value: typed.Fallback, *, is_wanted: bool) -> Row:
        for option in value.options:
            found = self.attempt(call, option)
            if found is not None:
                return found
        if isinstance(value.otherwise, typed.Drop):
            raise DroppedError(value.otherwise.reason)
        assert value.otherwise is not None
        try:
            self.run(call, value.otherwise)
        except GivenError as given:
            (row,) = given.args
            return tuple(row)
        if is_wanted:
            raise EndedError
        return ()

    # ------------------------------------------------ expressions

    def of(self, call: Call, name: str) -> str:
        return f"{call.instance.name}.{name}"

    def argument(self, call: Call, name: str) -> Any:
        return dict(call.instance.arguments)[name]

    def number(self, call: Call, expr: Expr) -> Any:
        (number,) = self.compute(call, expr)
        return number

    def member(self, call: Call, table: str, name: str) -> list[str]:
        """Return the columns of a table's member: they come in the order of the declaration."""
        declared = next(state for state in call.instance.nf.states if state.name == table)
        assert isinstance(declared, typed.TableState)
        state: Any = self.columns[self.of(call, table)]
        columns = [column.name for column in (*state.key, *state.unique, *state.values)]
        parts = [declared.key, *([declared.unique] if declared.unique else [])]
        parts += [(value.name, value.type) for value in declared.values]  # type: ignore[misc]
        at = 0
        for member, of in parts:
            count = 1 if isinstance(of, typed.Bucket) else len(types.scalars(of))
            if member == name:
                return columns[at : at + count]
            at += count
        raise AssertionError(name)

    def attempt(self, call: Call, expr: Expr) -> Row | None:
        """Return a value, or None when it is absent."""
        match expr:
            case typed.Find(table=table, is_unique=is_unique, key=key):
                index = "unique" if is_unique else "key"
                found, entry = self.state.tables[self.of(call, table)].find(
                    index, self.compute(call, key), self.now  # type: ignore[arg-type]
                )  # fmt: skip
                return (entry,) if found else None
            case typed.Insert(table=table, key=key, unique=unique, values=values):
                row, choice = self.compute(call, key), None
                second: Row = ()
                if unique is not None:
                    second, choice = self.unique(call, unique)
                rest = tuple(number for value in values for number in self.compute(call, value))
                done, entry = self.state.tables[self.of(call, table)].insert(
                    row, second, rest, choice, self.now
                )
                return (entry,) if done else None
            case typed.Decide(rules=rules, packet=packet):
                matched, permits, _ = self.state.rules[self.of(call, rules)].decide(self.number(call, packet))
                return (permits,) if matched else None
            case typed.Lookup(routes=name, address=by) | typed.ListAt(list=name, index=by):
                found, *rest_of = self.state.rows[self.of(call, name)].look_up(self.number(call, by))
                return tuple(rest_of) if found else None
            case typed.ListFind(list=name, member=member, value=by):
                before = [scalar for _, of in expr.type.members[:member] for scalar in types.scalars(of)]
                rows = self.state.rows[rows_by(self.of(call, name), len(before))]
                found, *rest_of = rows.look_up(self.number(call, by))
                return tuple(rest_of) if found else None
            case typed.VectorAt(vector=vector, index=index):
                state: Any = self.columns[self.of(call, vector)]
                at = self.number(call, index)
                return self.state.vectors[state.name].read(at) if at < state.size else None
            case _:
                return self.compute(call, expr)

    def unique(self, call: Call, expr: Expr) -> tuple[Row, tuple[int, int, int] | None]:
        members = expr.members if isinstance(expr, typed.Build) else (expr,)
        row: Row = ()
        choice = None
        for member in members:
            if isinstance(member, typed.Choose):
                (container,) = self.compute(call, member.range)
                choice = (len(row), container.low, container.high)
                row += (None,)
            else:
                row += self.compute(call, member)
        return row, choice

    def compute(self, call: Call, expr: Expr) -> Row:
        match expr:
            case typed.Constant(value=value):
                return value if isinstance(value, tuple) else (value,)
            case typed.Parameter(name=name):
                held = self.argument(call, name)
                return held if isinstance(held, tuple) else (held,)
            case typed.Local(name=name):
                return call.names[name]
            case typed.ArrivalSide():
                return (call.instance.sides.index(call.side),)
            case typed.SideName(side=side):
                return (call.instance.sides.index(side),)
            case typed.StaticSize(parameter=name):
                held = self.argument(call, name)
                return (len(held.rows) if isinstance(held, ListValue) else held.size,)
            case typed.RangeBound(parameter=name, bound=bound):
                return (getattr(self.argument(call, name), bound),)
            case typed.Binary(left=left, right=right):
                return (self.binary(expr, self.compute(call, left), self.compute(call, right)),)
            case typed.Logic(op="&&", left=left, right=right):
                return (bool(self.number(call, left) and self.number(call, right)),)
            case typed.Logic(left=left, right=right):
                return (bool(self.number(call, left) or self.number(call, right)),)
            case typed.Unary(op="!", operand=operand):
                return (not self.number(call, operand),)
            case typed.Unary(operand=operand):
                return (self.number(call, operand) ^ (2 ** width(expr.type) - 1),)
            case typed.Conditional(condition=condition, then=then, otherwise=otherwise):
                return self.compute(call, then if self.number(call, condition) else otherwise)
            case typed.Convert(operand=operand):
                return (self.fit(int(self.number(call, operand)), expr.type),)
            case typed.Build(members=members):
                return tuple(number for member in members for number in self.compute(call, member))
            case typed.Member(operand=operand, index=index):
                return self.part(operand.type, self.compute(call, operand), index)
            case typed.Call(function=function, arguments=arguments):
                names = [name for name, _ in function.parameters]
                rows = [self.compute(call, argument) for argument in arguments]
                inner = Call(call.instance, call.side, dict(zip(names, rows, strict=True)))
                self.run(inner, function.lets)
                return self.compute(inner, function.value)
            case typed.Contains(item=item, container=container):
                return (self.contains(self.number(call, item), self.compute(call, container)[0]),)
            case typed.Reverse(operand=operand):
                src, dst, sport, dport, protocol = self.compute(call, operand)
                return dst, src, dport, sport, protocol
            case typed.HashOf(operand=operand):
                widths = [scalar.width for scalar in types.scalars(operand.type)]
                row = [int(number) for number in self.compute(call, operand)]
                return (hash_scalars(zip(row, widths, strict=True)),)
            case _:
                return self.look(call, expr)

    def look(self, call: Call, expr: Expr) -> Row:
        """Return what packets and state objects give."""
        match expr:
            case typed.FieldRead(packet=packet, path=path):
                return (DOMAIN.read(path)(self.number(call, packet)),)
            case typed.PacketLength(packet=packet):
                return (DOMAIN.length()(self.number(call, packet)),)
            case typed.IsKind(packet=packet, pattern=pattern):
                return (self.fits(self.number(call, packet), pattern),)
            case typed.FlowOf(packet=packet):
                held = self.number(call, packet)
                has_ports = DOMAIN.has("l4")(held)
                if DOMAIN.has("ipv6")(held):
                    return self.flow6(held)
                ports = ("l4.sport", "l4.dport") if has_ports else ("icmp_echo.id", "icmp_echo.id")
                return tuple(
                    DOMAIN.read(path)(held) for path in ("ipv4.src", "ipv4.dst", *ports, "ipv4.protocol")
                )
            case typed.EntryRead(entry=entry, table=table, name=name):
                (holder,) = self.compute(call, entry)
                state = self.state.tables[self.of(call, table)]
                return tuple(state.read(holder, column) for column in self.member(call, table, name))
            case typed.VectorRead(vector=vector, index=index):
                return self.state.vectors[self.of(call, vector)].read(self.number(call, index))
            case typed.BucketTake(bucket=bucket, amount=amount):
                return (self.state.buckets[self.of(call, bucket)].take(self.number(call, amount), self.now),)
            case typed.EntryBucketTake(entry=entry, table=table, name=name, amount=amount):
                (holder,) = self.compute(call, entry)
                (column,) = self.member(call, table, name)
                wanted = self.number(call, amount)
                return (self.state.tables[self.of(call, table)].take(holder, column, wanted, self.now),)
            case typed.SketchEstimate(sketch=sketch, key=key):
                return (self.state.sketches[self.of(call, sketch)].estimate(self.compute(call, key)),)
            case typed.RingPick(ring=ring, hash=hashed):
                return self.state.rows[self.of(call, ring)].look_up(self.number(call, hashed))
            case _:
                raise AssertionError(expr)

    def binary(self, expr: typed.Binary, left: Row, right: Row) -> int | bool:
        if expr.op in ("==", "!="):
            return (left == right) == (expr.op == "==")
        (one,), (other,) = left, right
        match expr.op:
            case "<":
                return bool(one < other)
            case "<=":
                return bool(one <= other)
            case ">":
                return bool(one > other)
            case ">=":
                return bool(one >= other)
            case "+" | "-" | "*":
                exact = {"+": one + other, "-": one - other, "*": one * other}[expr.op]
                return self.fit(exact, expr.type)
            case "/" | "%":
                if other == 0:
                    raise DroppedError("arithmetic")
                return int(one // other if expr.op == "/" else one % other)
            case "+%" | "-%" | "*%":
                exact = {"+%": one + other, "-%": one - other, "*%": one * other}[expr.op]
                return int(exact % 2 ** width(expr.type))
            case "<<":
                return int((one << min(other, 64)) % 2 ** width(expr.type))
            case ">>":
                return int(one >> min(other, 64))
            case "&":
                return int(one & other)
            case "|":
                return int(one | other)
            case "^":
                return int(one ^ other)
        raise AssertionError(expr.op)

    def fit(self, number: int, of: types.Type) -> int:
        if not 0 <= number < 2 ** width(of):
            raise DroppedError("arithmetic")
        return number

    def part(self, of: types.Type, row: Row, index: int) -> Row:
        parts = [part for _, part in of.members] if isinstance(of, types.Record) else list(of.items)  # type: ignore[union-attr]
        at = sum(size(part) for part in parts[:index])
        return row[at : at + size(parts[index])]

    def flow6(self, packet: FramePacket) -> tuple[int, ...]:
        l4 = packet.frame.kind.l4
        ports = ("icmpv6_echo.id", "icmpv6_echo.id") if l4 == "icmpv6_echo" else ("l4.sport", "l4.dport")
        row = tuple(DOMAIN.read(path)(packet) for path in ("ipv6.src", "ipv6.dst", *ports))
        return (*row, {"tcp": 6, "udp": 17, "icmpv6_echo": 58}[l4])

    def contains(self, item: int, container: PrefixValue | RangeValue) -> bool:
        if isinstance(container, RangeValue):
            return container.low <= item <= container.high
        shift = container.width - container.length
        return item >> shift == container.address >> shift
