"""What the verifier accepts, and what it finds: each case is a sound graph with one fault."""

import pytest

from synth.graph.errors import InvalidGraph
from synth.graph.text import print_graph
from synth.graph.text_parser import parse_graph
from synth.graph.verify import verify
from synth.lower import lower
from tests.lower.hand_made import napt

SOUND = """chain sound

interface lan mac 02:00:00:00:00:01 entry nf.in
interface wan mac 02:00:00:00:00:02

table nf.t capacity 8 {
  key (k: u32)
  unique (u: u16, v: u8)
  value (x: u8, f: bool, tokens: bucket 8000 1500)
  timer idle 1000
}

vector nf.v size 4 (value: u16) initial (0)

counter nf.c

bucket nf.b rate 8000 burst 1500

sketch nf.s rows 2 columns 16 key (key: u32)

rules nf.rules {
  permit 0.0.0.0/0 0.0.0.0/0 protocol 0/0 sport 0..65535 dport 0..65535 flags 0x0/0x0
}

routes nf.routes (side: u8) {
  10.0.0.0/8 -> (1)
  0.0.0.0/0 -> discard
}

list nf.list (address: u32) {
  (1)
  (2)
}

ring nf.ring of nf.list {
  0 1 1
}

handler nf.in nf nf side in

drop nf.no
drop nf.odd

block nf.in(%pkt.0: packet):
  %1: bool = has %pkt.0 ipv4
  %2: bool = has %pkt.0 fragment
  %3: bool = not %2
  %4: bool = and %1 %3
  branch %4 -> nf.in.look() | nf.in.no()

block nf.in.no():
  deliver drop nf.no

block nf.in.look():
  %src.5: u32 = read %pkt.0 ipv4.src
  %6: u16 = constant 7
  %7: u8 = constant 9
  %8: bool, %e.9: entry nf.t = find nf.t key (%src.5)
  branch %8 -> nf.in.known(%e.9) | nf.in.new()

block nf.in.new():
  %10: bool = constant 1
  %11: bool, %e.12: entry nf.t = insert nf.t (%src.5) (_, %7) (%7, %10) choose 0 from 1..9
  branch %11 -> nf.in.known(%e.12) | nf.in.no()

block nf.in.known(%e.13: entry nf.t):
  touch nf.t %e.13 idle
  %x.14: u8 = entry_read nf.t %e.13 x
  entry_write nf.t %e.13 x %7
  %15: u64 = resize %x.14
  count nf.c %15
  %16: bool = take nf.b %15
  %17: bool = entry_take nf.t %e.13 tokens %15
  %18: u16 = vector_read nf.v %7
  vector_write nf.v %7 (%18)
  %19: u32 = resize %x.14
  sketch_add nf.s (%src.5) %19
  %20: u32 = estimate nf.s (%src.5)
  %21: bool, %22: bool, %23: u32 = decide nf.rules %pkt.0
  %24: bool, %side.25: u8 = lookup nf.routes %src.5
  %26: bool, %address.27: u32 = row nf.list %7
  %28: u32 = hash (%src.5, %7)
  %29: u32 = pick nf.ring %28
  %30: packet = write %pkt.0 ipv4.dst %29
  %31: bool = lt %19 %20
  %32: u32 = select %31 %19 %20
  branch %31 -> nf.in.out(%30) | nf.in.odd()

block nf.in.odd():
  remove nf.t %e.13
  deliver exit wan(%pkt.0) drop nf.odd

block nf.in.out(%33: packet):
  %34: u32 = length %33
  %35: u8 = read %33 ipv4.ttl
  deliver exit wan(%33), exit lan(%pkt.0)
"""


def test_sound_graphs_are_accepted() -> None:
    graph = parse_graph(SOUND)
    assert print_graph(graph) == SOUND
    verify(graph)
    verify(lower(napt()))


FAULTS = [
    # names
    ("interface wan", "interface lan", "interface `lan` exists 2 times"),
    ("counter nf.c", "counter nf.b", "state object `nf.b` exists 2 times"),
    ("block nf.in.no()", "block nf.in.out()", "block `nf.in.out` exists 2 times"),
    ("entry nf.in\n", "entry nf.in.no\n", "interface lan: `nf.in.no` is no handler"),
    ("handler nf.in nf nf", "handler nf.gone nf nf", "handler nf.gone: no such block"),
    ("exit wan(%pkt.0) drop", "exit dmz(%pkt.0) drop", "leaves on `dmz`, which does not exist"),
    ("| nf.in.odd()", "| nf.in.even()", "an edge to `nf.in.even`, which does not exist"),
    # operations
    ("ipv4.src", "ipv4.source", "no field `ipv4.source`"),
    ("has %pkt.0 fragment", "has %pkt.0 fragments", "no header `fragments`"),
    ("write %pkt.0 ipv4.dst", "write %pkt.0 ipv4.protocol", "`ipv4.protocol` cannot be written"),
    ("%6: u16 = constant 7", "%6: u16 = constant 65536", "65536 is no Bits(width=16)"),
    ("= and %1 %3", "= lt %1 %3", "operand: Bool() instead of bits"),
    ("= lt %19 %20", "= lt %19 %7", "operands: (Bits(width=32), Bits(width=8))"),
    ("= not %2", "= complement %2", "operand: Bool() instead of bits"),
    ("select %31 %19 %20", "select %31 %19 %7", "choices: (Bits(width=32), Bits(width=8))"),
    ("find nf.t key (%src.5)", "find nf.t unique (%src.5)", "key: (Bits(width=32)) instead of"),
    ("find nf.t key (%src.5)", "find nf.v key (%src.5)", "no keyed table `nf.v`"),
    ("(_, %7) (%7", "(%6, %7) (%7", "positions () of the unique key are open, but (0,) is chosen"),
    ("choose 0 from 1..9", "", "positions (0,) of the unique key are open, but () is chosen"),
    ("from 1..9", "from 1..65536", "a choice from 1..65536 does not fit `u`"),
    ("(%7, %10)", "(%7)", "values: (Bits(width=8)) instead of (Bits(width=8), Bool())"),
    ("touch nf.t %e.13 idle", "touch nf.t %e.13 busy", "no timer `busy`"),
    ("touch nf.t %e.13 idle", "touch nf.t %src.5 idle", "entry: (Bits(width=32)) instead of"),
    ("entry_read nf.t %e.13 x", "entry_read nf.t %e.13 tokens", "column `tokens`"),
    ("entry_write nf.t %e.13 x", "entry_write nf.t %e.13 k", "value column `k`"),
    ("count nf.c %15", "count nf.c %20", "amount: (Bits(width=32)) instead of (Bits(width=64))"),
    ("take nf.b %15", "take nf.c %15", "no bucket `nf.c`"),
    ("entry_take nf.t %e.13 tokens", "entry_take nf.t %e.13 x", "no bucket `x` in `nf.t`"),
    ("vector_read nf.v %7", "vector_read nf.v %1", "index: Bool() instead of bits"),
    ("vector_write nf.v %7 (%18)", "vector_write nf.v %7 ()", "values: () instead of (Bits(width=16))"),
    ("estimate nf.s (%src.5)", "estimate nf.s (%7)", "key: (Bits(width=8)) instead of"),
    ("decide nf.rules", "decide nf.routes", "no rule set `nf.routes`"),
    ("lookup nf.routes", "lookup nf.rules", "no routes `nf.rules`"),
    ("row nf.list", "row nf.ring", "no list `nf.ring`"),
    ("pick nf.ring %28", "pick nf.list %28", "no ring `nf.list`"),
    # state objects
    ("capacity 8", "capacity 0", "nf.t: 0 capacity"),
    ("unique (u: u16", "unique (k: u16", "nf.t: two columns `k`"),
    ("timer idle 1000", "timer idle 0", "nf.t: timer `idle` lives 0 ns"),
    ("initial (0)", "initial (65536)", "nf.v: row (65536,) does not fit the columns"),
    ("0.0.0.0/0 -> discard", "10.0.0.0/8 -> discard", "nf.routes: two routes of one prefix"),
    ("  0 1 1\n", "  0 1 2\n", "nf.ring: slots that are no rows of `nf.list`, or none"),
    ("ring nf.ring of nf.list", "ring nf.ring of nf.v", "nf.ring: no list `nf.v`"),
    # control flow
    ("nf.in.known(%e.9)", "nf.in.known(%src.5)", "for `nf.in.known`, which takes"),
    ("branch %4 ->", "branch %pkt.0 ->", "branches on Packet()"),
    ("  deliver drop nf.no\n", "  deliver\n", "delivers nothing and drops nothing"),
    ("deliver drop nf.no", "deliver nf.in.out(%pkt.0)", "delivers to `nf.in.out`, which is no handler"),
    ("exit lan(%pkt.0)\n", "exit lan(%34)\n", "Bits(width=32) leaves on `lan`"),
    ("%6: u16 = constant 7", "%7: u8 = constant 7", "value %7 is defined 2 times"),
    ("| nf.in.odd()", "| nf.in.no()", "nf.in.odd: cannot be reached"),
    ("deliver exit wan(%33), exit lan(%pkt.0)", "jump nf.in.look()", "nf.in.look: lies on a loop"),
    ("deliver drop nf.no", "deliver nf.in(%pkt.0)", "handler nf.in: lies on a cycle without a visit budget"),
    ("nf nf side in\n", "nf nf side in budget 0\n", "handler nf.in: a budget of 0"),
    ("drop nf.no\ndrop nf.odd", "drop nf.no", "the drops are ('nf.no', 'nf.odd'), but ('nf.no',) are listed"),
    ("%30: packet = write %pkt.0", "%30: packet = write %33", "uses %33 (Packet()), which is not defined"),
    ("remove nf.t %e.13", "remove nf.t %e.12", "uses %12 (Entry(table='nf.t')), which is not defined"),
    # headers
    ("read %pkt.0 ipv4.src", "read %pkt.0 arp.sender_ip", "`arp.sender_ip` of a packet that may have no arp"),
    ("%4: bool = and %1 %3", "%4: bool = or %1 %3", "accesses `ipv4.src` of a packet that may have no ipv4"),
    ("branch %4 -> nf.in.look() | nf.in.no()", "branch %4 -> nf.in.no() | nf.in.look()", "may have no ipv4"),
    ("read %33 ipv4.ttl", "read %33 icmp.type", "accesses `icmp.type` of a packet that may have no icmp"),
]


@pytest.mark.parametrize(("was", "fault", "found"), FAULTS, ids=[found for _, _, found in FAULTS])
def test_a_fault_is_found(was: str, fault: str, found: str) -> None:
    assert was in SOUND
    with pytest.raises(InvalidGraph) as raised:
        verify(parse_graph(SOUND.replace(was, fault, 1)))
    assert any(found in violation for violation in raised.value.violations), raised.value


def test_all_faults_are_listed_at_once() -> None:
    wrong = SOUND.replace("%pkt.0 fragment", "%pkt.0 flying").replace("timer idle 1000", "timer idle 0")
    wrong = wrong.replace("count nf.c %15", "count nf.c %20").replace("| nf.in.odd()", "| nf.in.even()")
    with pytest.raises(InvalidGraph) as raised:
        verify(parse_graph(wrong))
    assert len(raised.value.violations) == 4


TWO_HANDLERS = """chain two

interface lan mac 02:00:00:00:00:01 entry a.in

handler a.in nf a side in
handler b.in nf b side in

drop b.no

block a.in(%pkt.0: packet):
  %1: bool = has %pkt.0 ipv4
  branch %1 -> a.in.ipv4() | a.in.other()

block a.in.ipv4():
  deliver b.in(%pkt.0)

block a.in.other():
  deliver exit lan(%pkt.0)

block b.in(%pkt.2: packet):
  %ttl.3: u8 = read %pkt.2 ipv4.ttl
  deliver drop b.no
"""


def test_a_test_in_one_nf_holds_in_the_next() -> None:
    verify(parse_graph(TWO_HANDLERS))
    with pytest.raises(InvalidGraph, match="may have no ipv4"):
        verify(parse_graph(TWO_HANDLERS.replace("deliver exit lan(%pkt.0)", "deliver b.in(%pkt.0)")))


def test_a_value_is_not_handed_over_but_as_an_argument() -> None:
    wrong = TWO_HANDLERS.replace("read %pkt.2 ipv4.ttl", "read %pkt.0 ipv4.ttl")
    with pytest.raises(InvalidGraph, match=r"b\.in: uses %0"):
        verify(parse_graph(wrong))


def test_one_budget_on_a_cycle_is_enough() -> None:
    cycle = TWO_HANDLERS.replace("deliver drop b.no", "deliver a.in(%pkt.2)").replace(
        "drop b.no\n", "drop b.chain_loop\n"
    )
    with pytest.raises(InvalidGraph, match="the drops are"):
        verify(parse_graph(cycle))
    with pytest.raises(InvalidGraph, match="without a visit budget"):
        verify(parse_graph(cycle.replace("\ndrop b.chain_loop\n", "")))
    verify(parse_graph(cycle.replace("nf b side in", "nf b side in budget 2")))


def test_a_synthesized_graph_may_list_drops_that_are_no_longer_used() -> None:
    more = parse_graph(SOUND.replace("drop nf.odd\n", "drop nf.odd\ndrop nf.rare\n", 1))
    with pytest.raises(InvalidGraph, match="are listed"):
        verify(more)
    verify(more, is_synthesized=True)
    with pytest.raises(InvalidGraph, match="is not listed"):
        verify(parse_graph(SOUND.replace("drop nf.odd\n", "", 1)), is_synthesized=True)
