"""From text to the syntax tree: what each spelling becomes, where it stands, what documents it."""

import pytest

from synth.diagnostics.spans import Span
from synth.language import syntax
from synth.language.parser import parse_file, parse_text
from synth.language.syntax import (
    Binary,
    Choose,
    Conditional,
    Contains,
    Expr,
    IsKind,
    Literal,
    MapValue,
    Member,
    Name,
    NamedType,
    PatternAll,
    PatternAny,
    PatternName,
    PatternNot,
    Reference,
    Tuple,
    Unary,
)  # fmt: skip
from synth.resources import chains_folder

UNITS = (
    "ns", "us", "ms", "s", "min", "h", "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", "pps",
    "B", "kB", "MB", "GB", "KiB", "MiB", "GiB",
)  # fmt: skip


def expression(text: str) -> Expr:
    (let,) = statements(f"let x = {text}")
    assert isinstance(let, syntax.Let)
    assert let.value.alternatives == ()
    return let.value.value


def statements(text: str) -> tuple[syntax.Statement, ...]:
    (nf,) = parse_text(f"nf a {{ from b (p) {{\n{text}\n}} }}", "test.chain").items
    assert isinstance(nf, syntax.Nf)
    (handler,) = nf.items
    assert isinstance(handler, syntax.Handler)
    return handler.body.statements


def ref(text: str) -> Reference:
    return Reference(name=Name(text=text))


@pytest.mark.parametrize(
    ("text", "token"),
    [
        *((f"15{unit}", "QUANTITY") for unit in UNITS),
        ("0", "INTEGER"),
        ("65535", "INTEGER"),
        ("0x1F", "INTEGER"),
        ("0b101", "INTEGER"),
        ("1024..65535", "RANGE"),
        ("0x400..0xffff", "RANGE"),
        ("10.0.0.1", "IPV4"),
        ("10.0.0.0/8", "PREFIX4"),
        ("02:00:00:00:00:01", "MAC"),
        ("aa:bb:cc:dd:ee:ff", "MAC"),
        ("2001:db8::1", "IPV6"),
        ("::", "IPV6"),
        ("::ffff:192.0.2.1", "IPV6"),
        ("1:2:3:4:5:6:7:8", "IPV6"),
        ("2001:db8::/32", "PREFIX6"),
        ("::/0", "PREFIX6"),
        ('"edge.rules"', "STRING"),
        ('"// no comment"', "STRING"),
        ("true", "TRUE"),
        ("false", "FALSE"),
        ("1.5ms", "QUANTITY"),
    ],
)
def test_each_literal_is_one_token_with_its_own_name(text: str, token: str) -> None:
    assert expression(text) == Literal(token=token, text=text)


@pytest.mark.parametrize(
    "text", ["١٢", "12abc", "0x", "0b12", "10.0.0.1.5", "10.0.0", "1.5", "8mbit/s", "5 s"]
)
def test_what_only_begins_like_a_number_is_refused(text: str) -> None:
    with pytest.raises(Exception, match=r"number|place|expected"):
        expression(text)


def test_a_tuple_position_is_a_member_whatever_follows() -> None:
    inner = Member(operand=ref("b"), member=Name(text="outside"))
    assert expression("b.outside.0") == Member(operand=inner, member=Name(text="0"))
    first = Member(operand=inner, member=Name(text="0"))
    assert expression("b.outside.0.1") == Member(operand=first, member=Name(text="1"))
    two = Literal(token="INTEGER", text="2")
    assert expression("b.outside.0 * 2") == Binary(op="*", left=first, right=two)


def test_nested_type_arguments_close_with_two_signs_and_shifts_still_shift() -> None:
    (record,) = parse_text("record r { a: list<range<u16>> }", "t").items
    assert isinstance(record, syntax.Record)
    inner = NamedType(name=Name(text="range"), argument=NamedType(name=Name(text="u16"), argument=None))
    assert record.fields[0].type == NamedType(name=Name(text="list"), argument=inner)
    assert expression("a >> b") == Binary(op=">>", left=ref("a"), right=ref("b"))
    assert expression("a << b") == Binary(op="<<", left=ref("a"), right=ref("b"))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a || b && c", "a || (b && c)"),
        ("a == b && c", "(a == b) && c"),
        ("a & b == c", "(a & b) == c"),
        ("a | b ^ c & d", "a | (b ^ (c & d))"),
        ("a & b << c", "a & (b << c)"),
        ("a << b + c", "a << (b + c)"),
        ("a + b * c", "a + (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a / b / c", "(a / b) / c"),
        ("a +% b -% c *% d", "(a +% b) -% (c *% d)"),
        ("!a.b", "!(a.b)"),
        ("~a + b", "(~a) + b"),
        ("choose a.b", "choose (a.b)"),
        ("a in b || c", "(a in b) || c"),
        ("a is tcp || b", "(a is tcp) || b"),
        ("if a then b else c || d", "if a then b else (c || d)"),
        ("((a))", "a"),
    ],
)
def test_operators_bind_as_the_reference_says(text: str, same: str) -> None:
    assert expression(text) == expression(same)


def test_each_kind_of_expression_has_its_node() -> None:
    a, b = ref("a"), ref("b")
    tcp, udp, arp = (PatternName(name=name) for name in ("tcp", "udp", "arp"))
    assert expression("(a, b)") == Tuple(items=(a, b))
    assert expression("!a") == Unary(op="!", operand=a)
    assert expression("choose a") == Choose(operand=a)
    assert expression("a in b") == Contains(item=a, container=b)
    assert expression("if a then b else a") == Conditional(condition=a, then=b, otherwise=a)
    pattern = PatternAny(parts=(PatternAll(parts=(tcp, PatternNot(inner=udp))), arp))
    assert expression("a is tcp & !udp | arp") == IsKind(operand=a, pattern=pattern)


def test_a_value_may_be_a_list_or_a_map_with_addresses_as_keys() -> None:
    call = expression("f(x: [1, [2],], {west: 1, 10.0.0.0/8: 2, fd00::1: 3})")
    assert isinstance(call, syntax.Call)
    first, second = call.arguments
    assert first.name == Name(text="x")
    assert isinstance(first.value, syntax.ListValue)
    assert len(first.value.items) == 2
    assert isinstance(second.value, MapValue)
    keys = [entry.key for entry in second.value.entries]
    prefix, address = Literal(token="PREFIX4", text="10.0.0.0/8"), Literal(token="IPV6", text="fd00::1")
    assert keys == [Name(text="west"), prefix, address]


def test_the_alternatives_of_a_fallible_operation_stand_in_their_order() -> None:
    (let,) = statements("let x = a.find(k) or a.at(0)\n or { give b }\n or drop none")
    assert isinstance(let, syntax.Let)
    kinds = [type(each) for each in let.value.alternatives]
    assert kinds == [syntax.Call, syntax.Block, syntax.Drop]


def test_words_of_other_lists_are_names_where_they_mean_nothing() -> None:
    names = "key unique value timer capacity weight mac address rate burst rows columns use nf chain side"
    lines = [f"let {name} = 1; {name} = {name} + 1; touch {name}.{name}" for name in names.split()]
    assert len(statements(";".join(lines))) == 3 * len(lines)


def test_a_keyword_needs_its_end() -> None:
    with pytest.raises(Exception, match="nfoo"):
        parse_text("nfoo {}", "t")
    (let,) = statements("let iffy = orange")
    assert isinstance(let, syntax.Let)
    assert (let.name, let.value.value) == (Name(text="iffy"), ref("orange"))


def test_spans_run_from_the_first_character_to_behind_the_last() -> None:
    file = parse_text("// first\nnf a {\n\tfrom b (p) { drop cc }\n}\n", "x/y.chain")
    (nf,) = file.items
    assert nf.span == Span("x/y.chain", 2, 1, 4, 2)
    assert isinstance(nf, syntax.Nf)
    assert nf.name.span == Span("x/y.chain", 2, 4, 2, 5)
    (handler,) = nf.items
    assert isinstance(handler, syntax.Handler)
    assert handler.span == Span("x/y.chain", 3, 2, 3, 24)
    (drop,) = handler.body.statements
    assert drop.span == Span("x/y.chain", 3, 15, 3, 22)


def test_equal_text_at_other_places_gives_equal_trees() -> None:
    assert parse_text("nf a { sides x }", "one") == parse_text("\n\nnf a {\n  sides x;\n}", "one")


def test_windows_line_ends_are_blanks() -> None:
    text = "/// Doc.\r\nnf a {\r\n    sides x\r\n    counter c\r\n}\r\n"
    assert parse_text(text, "t") == parse_text(text.replace("\r", ""), "t")


def test_doc_comments_document_what_stands_directly_below() -> None:
    text = """
/// One.
///   Indented.
///
/// Two.
nf a(
    /// The limit.
    limit: u32,
    /// Not directly above.

    other: u32,
) {}

//// No documentation.
nf b {}

/// A record.
record r {}

/// A function.
fn f() -> u8 { return 1 }

// Plain.
/// Below a plain one.
chain c {}
nf d {} /// Behind.
nf e {}
"""
    items = parse_text(text, "t").items
    docs = [item.doc for item in items if not isinstance(item, syntax.Use)]
    head = "One.\n  Indented.\n\nTwo."
    assert docs == [head, "", "A record.", "A function.", "Below a plain one.", "", ""]
    assert isinstance(items[0], syntax.Nf)
    assert [parameter.doc for parameter in items[0].parameters] == ["The limit.", ""]


def test_use_takes_a_folder_of_the_library_or_a_file() -> None:
    folder, file, _ = parse_text('use nf: acl, router\nuse "edge.chain": edge\nnf a {}', "t").items
    assert isinstance(folder, syntax.Use)
    assert isinstance(file, syntax.Use)
    assert (folder.origin.text, folder.is_file) == ("nf", False)
    assert (file.origin.text, file.is_file) == ("edge.chain", True)
    assert [name.text for name in folder.names] == ["acl", "router"]


def test_wires_keep_their_endpoints_and_arrows() -> None:
    (chain,) = parse_text("chain c { a <-> b.left\n -> c.in }", "t").items
    assert isinstance(chain, syntax.Chain)
    (wire,) = chain.items
    assert isinstance(wire, syntax.Wire)
    assert wire.arrows == ("<->", "->")
    assert [(end.owner.text, end.side and end.side.text) for end in wire.endpoints] == [
        ("a", None), ("b", "left"), ("c", "in"),
    ]  # fmt: skip


def test_every_file_of_the_library_and_the_examples_parses() -> None:
    paths = sorted(chains_folder().rglob("*.chain"))
    assert len(paths) >= 5
    for path in paths:
        assert parse_file(path).path == str(path)
