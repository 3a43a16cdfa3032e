"""The canonical layout: what it looks like, and that it changes nothing but the layout."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.diagnostics.diagnostic import UserError
from synth.language.formatter import format_text
from synth.language.layout import WIDTH
from synth.language.parser import parse_text
from synth.library.starter import STARTER
from synth.resources import chains_folder
from tests.language.programs import random_program

LIBRARY = sorted(chains_folder().rglob("*.chain"))


def formatted(text: str) -> str:
    """Format, and hold the properties that every formatted text has."""
    result = format_text(text, "test.chain")
    assert parse_text(result, "test.chain") == parse_text(text, "test.chain")
    assert format_text(result, "test.chain") == result
    assert not re.search(r"\n\n\n|[ \t]\n", result)
    code = re.sub(r" *//.*", "", re.sub(r'"[^"\n]*"', "STRING", result))
    assert not re.search(r"\t|;|\r", code)
    return result


def comments_of(text: str) -> list[str]:
    return sorted(re.findall(r"\bc\d+\b", text))


def test_a_chain_reads_like_its_drawing() -> None:
    text = """use nf:acl,router
use nf : napt;
// Edge.
chain edge{interface lan{mac 02:00:00:00:00:01;address 10.0.0.1/8;}
acl=acl(rules:rules("edge.rules"));
router = router( routes : routes("edge.routes", ) )


lan<->acl <->
router
router.up->wan;budget 4 }
"""
    assert (
        formatted(text)
        == """use nf: acl, router
use nf: napt

// Edge.
chain edge {
    interface lan { mac 02:00:00:00:00:01  address 10.0.0.1/8 }
    acl    = acl(rules: rules("edge.rules"))
    router = router(routes: routes("edge.routes"))

    lan <-> acl <-> router
    router.up -> wan
    budget 4
}
"""
    )


def test_an_nf_has_its_table_in_columns_and_its_alternatives_below_each_other() -> None:
    text = """nf napt(public: ipv4, ports: range<u16>=1024..65535) { table bindings {
key inside: (ipv4,u16) // host
unique outside: u16; // port
timer idle = 120s; value seen: u32 = 0; capacity 2*ports.size }
from inside (pkt: ipv4&(tcp|udp)&!fragment) { let b = bindings.find(inside: source) or \
bindings.insert(inside: source, outside: choose ports) or drop no_port
if pkt.ipv4.ttl<=1 { drop expired } else if (a) { count seen by 2 }
emit outside }
from outside(pkt) {drop not_translated;} }
"""
    assert (
        formatted(text)
        == """nf napt(public: ipv4, ports: range<u16> = 1024..65535) {
    table bindings {
        key    inside: (ipv4, u16)  // host
        unique outside: u16         // port
        timer  idle = 120s
        value  seen: u32 = 0
        capacity 2 * ports.size
    }
    from inside (pkt: ipv4 & (tcp | udp) & !fragment) {
        let b = bindings.find(inside: source)
             or bindings.insert(inside: source, outside: choose ports)
             or drop no_port
        if pkt.ipv4.ttl <= 1 {
            drop expired
        } else if a {
            count seen by 2
        }
        emit outside
    }
    from outside (pkt) { drop not_translated }
}
"""
    )


def test_what_is_too_long_is_broken_at_its_commas_and_operators() -> None:
    words = [f"argument_number_{index}" for index in range(6)]
    text = "nf a { from b (p) { " + "; ".join((
        f"let fresh = table.insert({', '.join(words)}) or drop full",
        f"let total = {' + '.join(words)}",
        f"if {' && '.join(words)} {{ drop both }}",
        "let backend = backends.at(argument_number_1) or drop a_reason_that_is_so_long_that_it_needs_a_line",
    )) + " } }"  # fmt: skip
    assert (
        formatted(text)
        == """nf a {
    from b (p) {
        let fresh = table.insert(
            argument_number_0,
            argument_number_1,
            argument_number_2,
            argument_number_3,
            argument_number_4,
            argument_number_5
        ) or drop full
        let total = argument_number_0
            + argument_number_1
            + argument_number_2
            + argument_number_3
            + argument_number_4
            + argument_number_5
        if argument_number_0
            && argument_number_1
            && argument_number_2
            && argument_number_3
            && argument_number_4
            && argument_number_5 {
            drop both
        }
        let backend = backends.at(argument_number_1)
                   or drop a_reason_that_is_so_long_that_it_needs_a_line
    }
}
"""
    )


def test_comments_stay_where_they_were() -> None:
    text = """// c0: at the top

/// c1: documents a
nf a( // c2: behind the bracket
    x: u8, // c3: behind x
    /// c4: documents y
    y: u8
) { // c5: behind the brace

    // c6: above


    // c7: apart
    sides b // c8: behind
    from b (p) {
        // c9: alone in the block
    }
    from b (p) { drop q /* c10: in line */ }
    // c11: at the end
} // c12: behind the end
// c13: last
""".replace("/* c10: in line */", "// c10: in line\n")
    assert (
        formatted(text)
        == """// c0: at the top

/// c1: documents a
nf a(
    // c2: behind the bracket
    x: u8,  // c3: behind x
    /// c4: documents y
    y: u8
) {  // c5: behind the brace
    // c6: above

    // c7: apart
    sides b  // c8: behind
    from b (p) {
        // c9: alone in the block
    }
    from b (p) {
        drop q  // c10: in line
    }
    // c11: at the end
}  // c12: behind the end
// c13: last
"""
    )


def test_a_comment_within_an_expression_moves_above_its_statement() -> None:
    text = "nf a { from b (p) { drop c\nlet x = 1 + // c0\n 2 // c1\n} }"
    assert (
        formatted(text)
        == """nf a {
    from b (p) {
        drop c
        // c0
        let x = 1 + 2  // c1
    }
}
"""
    )


def test_a_moved_comment_documents_nothing() -> None:
    moved = formatted("nf /// c0\na(\n/// c1\nx: /// c2\nu8, y: u8) {}")
    assert comments_of(moved) == ["c0", "c1", "c2"]
    formatted("/// c0\n\nnf a {}\n/// c1\n")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("((a)) + (b * c)", "a + b * c"),
        ("(a + b) * c", "(a + b) * c"),
        ("a - (b - c)", "a - (b - c)"),
        ("a & 1 == 0", "(a & 1) == 0"),
        ("a || b && c", "a || (b && c)"),
        ("a | b & c", "a | (b & c)"),
        ("!(a.b)", "!a.b"),
        ("!(a && b)", "!(a && b)"),
        ("(a + b).c", "(a + b).c"),
        ("(10.0.0.1).x", "(10.0.0.1).x"),
        ("if (if a then b else c) then d else e", "if (if a then b else c) then d else e"),
        ("if a then b else (if c then d else e)", "if a then b else if c then d else e"),
        ("a is (tcp & (udp))", "a is tcp & udp"),
        ("a is (tcp | udp) & !arp", "a is (tcp | udp) & !arp"),
        ("f(x:1,)", "f(x: 1)"),
        ("f([ ], {}, {a:1})", "f([], {}, { a: 1 })"),
    ],
)
def test_brackets_stand_where_a_reader_needs_them(text: str, result: str) -> None:
    program = "nf a {\n    from b (p) { let x = %s }\n}\n"
    assert formatted(program % text) == program % result


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_the_library_and_the_examples_keep_their_meaning(path) -> None:
    text = path.read_text(encoding="utf-8")
    result = formatted(text)
    for line in result.splitlines():
        assert len(line) <= WIDTH or "//" in line or line.count(",") < 2


def test_what_does_not_parse_is_not_formatted() -> None:
    with pytest.raises(UserError):
        format_text("nf a {", "t")


def holds(seed: int) -> None:
    text = random_program(seed)
    assert comments_of(formatted(text)) == comments_of(text)


@settings(max_examples=100, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_random_programs_keep_their_meaning_and_their_comments(seed: int) -> None:
    holds(seed)


def test_many_more_random_programs_keep_their_meaning_and_their_comments(full: bool) -> None:
    for seed in range(5_000 if full else 100):
        holds(seed)


def test_the_chain_that_synth_new_writes_is_in_the_canonical_layout() -> None:
    text = STARTER.format(name="first")
    assert format_text(text, "first.chain") == text
