"""Typed chains made by hand: what the checker would make of the source in each docstring."""

from synth.diagnostics.spans import Span
from synth.language.typed import (
    AssignField,
    Binary,
    Block,
    Build,
    Choose,
    Constant,
    Drop,
    Emit,
    Endpoint,
    EntryRead,
    Expr,
    Fallback,
    FieldRead,
    Find,
    Handler,
    If,
    Insert,
    Instance,
    Interface,
    Let,
    Local,
    Member,
    NfParameter,
    Parameter,
    Pattern,
    PatternAll,
    PatternAny,
    PatternName,
    PatternNot,
    SideName,
    State,
    Statement,
    StaticSize,
    TableState,
    Touch,
    TypedChain,
    TypedNf,
    Wire,
)
from synth.language.types import (
    Bool,
    Duration,
    Entry,
    Ipv4,
    Packet,
    Range,
    Side,
    Tuple,
    Type,
    UInt,
)
from synth.language.values import RangeValue, Value
from synth.lower.patterns import kinds_of

U8, U16, U32 = UInt(8), UInt(16), UInt(32)
ANY = PatternAll(())
IPV4 = PatternName("ipv4")
TCP_OR_UDP = PatternAll(
    (IPV4, PatternAny((PatternName("tcp"), PatternName("udp"))), PatternNot(PatternName("fragment")))
)


def at(line: int) -> Span:
    """Return a place in the imagined source."""
    return Span("hand.chain", line, 1, line, 2)


def packet(pattern: Pattern = ANY, name: str = "pkt") -> Local:
    return Local(type=Packet(kinds_of(pattern)), name=name)


def read(path: str, of: Type, pattern: Pattern = ANY) -> FieldRead:
    return FieldRead(type=of, packet=packet(pattern), path=path)


def number(value: int, of: Type = U16) -> Constant:
    return Constant(type=of, value=(value,))


def side(name: str) -> SideName:
    return SideName(type=Side(), side=name)


def emit(name: str, pattern: Pattern = ANY) -> Emit:
    return Emit(side=side(name), packet=packet(pattern), span=at(9))


def binary(op: str, left: Expr, right: Expr, of: Type) -> Binary:
    return Binary(type=of, op=op, left=left, right=right, span=at(5))  # type: ignore[arg-type]


def if_(condition: Expr, then: Block, otherwise: Block = ()) -> If:
    return If(condition=condition, then=then, otherwise=otherwise, span=at(6))


def handler(sides: tuple[str, ...] | None, pattern: Pattern, *body: Statement) -> Handler:
    return Handler(sides=sides, packet="pkt", pattern=pattern, body=body, span=at(3))


def nf(
    *handlers: Handler,
    parameters: tuple[tuple[str, Type], ...] = (),
    states: tuple[State, ...] = (),
    sides: tuple[str, ...] | None = ("inside", "outside"),
) -> TypedNf:
    return TypedNf(
        name="made",
        doc="",
        parameters=tuple(NfParameter(name=name, type=of, default=None, doc="") for name, of in parameters),
        sides=sides,
        states=states,
        handlers=handlers,
        span=at(1),
    )


def between(of: TypedNf, arguments: tuple[tuple[str, Value], ...] = (), name: str = "made") -> TypedChain:
    """Return the chain `lan <-> made <-> wan`."""
    instance = Instance(
        name=name, nf=of, arguments=arguments, sides=of.sides or ("inside", "outside"), span=at(20)
    )
    ends = (
        (Endpoint("lan"), Endpoint(name, "inside")),
        (Endpoint(name, "outside"), Endpoint("wan")),
    )
    return chain((instance,), (*ends, *((target, source) for source, target in ends)))


def chain(
    instances: tuple[Instance, ...], wires: tuple[tuple[Endpoint, Endpoint], ...], budget: int | None = None
) -> TypedChain:
    """Return a chain with the interfaces lan and wan."""
    return TypedChain(
        name="hand_made",
        interfaces=(
            Interface(name="lan", mac=0x020000000001, addresses=((0x0A000001, 8),)),
            Interface(name="wan", mac=0x020000000002, addresses=()),
        ),
        instances=instances,
        wires=tuple(Wire(source=source, target=target) for source, target in wires),
        budget=budget,
    )


def napt() -> TypedChain:
    """Return `chains/nf/napt.chain` without its second direction's filter, between two interfaces."""
    key, outside = Tuple((Ipv4(), U16, U8)), Tuple((U16, U8))
    entry = Local(type=Entry("bindings"), name="b")
    source = Local(type=key, name="source")
    protocol = read("ipv4.protocol", U8, TCP_OR_UDP)
    ports = Parameter(type=Range(U16), name="ports")
    fresh = Build(type=outside, members=(Choose(type=U16, range=ports), protocol))
    to_outside = handler(
        ("inside",),
        TCP_OR_UDP,
        Let(
            name="source",
            value=Build(
                type=key,
                members=(read("ipv4.src", Ipv4(), TCP_OR_UDP), read("l4.sport", U16, TCP_OR_UDP), protocol),
            ),
        ),
        Let(
            name="b",
            value=Fallback(
                type=Entry("bindings"),
                options=(
                    Find(type=Entry("bindings"), table="bindings", is_unique=False, key=source),
                    Insert(type=Entry("bindings"), table="bindings", key=source, unique=fresh, values=()),
                ),
                otherwise=Drop(reason="no_port"),
            ),
        ),
        Touch(entry=entry, table="bindings", timer="idle"),
        AssignField(packet="pkt", path="ipv4.src", value=Parameter(type=Ipv4(), name="public")),
        AssignField(packet="pkt", path="l4.sport", value=_part(entry, outside, "outside", 0, U16)),
        emit("outside", TCP_OR_UDP),
    )
    to_inside = handler(
        ("outside",),
        TCP_OR_UDP,
        if_(
            binary("!=", read("ipv4.dst", Ipv4(), TCP_OR_UDP), Parameter(type=Ipv4(), name="public"), Bool()),
            (Drop(reason="not_public"),),
        ),
        Let(
            name="b",
            value=Fallback(
                type=Entry("bindings"),
                options=(
                    Find(
                        type=Entry("bindings"),
                        table="bindings",
                        is_unique=True,
                        key=Build(type=outside, members=(read("l4.dport", U16, TCP_OR_UDP), protocol)),
                    ),
                ),
                otherwise=Drop(reason="no_binding"),
            ),
        ),
        AssignField(packet="pkt", path="ipv4.dst", value=_part(entry, key, "inside", 0, Ipv4())),
        AssignField(packet="pkt", path="l4.dport", value=_part(entry, key, "inside", 1, U16)),
        emit("inside", TCP_OR_UDP),
    )
    bindings = TableState(
        name="bindings",
        key=("inside", key),
        unique=("outside", outside),
        values=(),
        timers=(("idle", Parameter(type=Duration(), name="idle")),),
        capacity=binary("*", number(2, U32), StaticSize(type=U32, parameter="ports"), U32),
    )
    made = nf(
        to_outside,
        to_inside,
        handler(None, ANY, Drop(reason="not_translated")),
        parameters=(("public", Ipv4()), ("ports", Range(U16)), ("idle", Duration())),
        states=(bindings,),
    )
    arguments = (("public", (0xCB007101,)), ("ports", RangeValue(1024, 65535)), ("idle", (120 * 10**9,)))
    return between(made, arguments, "nat")


def _part(entry: Expr, of: Type, name: str, index: int, member: Type) -> Member:
    whole = EntryRead(type=of, entry=entry, table="bindings", name=name)
    return Member(type=member, operand=whole, index=index)
