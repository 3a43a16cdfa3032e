"""Small graphs, written by hand, that between them use every operation."""

from synth.graph.nodes import ChainGraph
from synth.graph.text_parser import parse_graph
from synth.graph.verify import verify

NAT = """
chain nat_chain

interface lan mac 02:00:00:00:00:01 entry nat.inside
interface wan mac 02:00:00:00:00:02 entry nat.outside

table nat.bindings capacity 3 {
  key (address: u32, port: u16, protocol: u8)
  unique (outside: u16, outside_protocol: u8)
  value (packets: u8, marked: bool, allowance: bucket 8000 200)
  timer idle 60000000000
  timer closing 5000000000
}
counter nat.bytes

handler nat.inside nf nat side inside
handler nat.outside nf nat side outside

drop nat.no_port
drop nat.over_rate
drop nat.no_binding
drop nat.not_translated

block nat.inside(%pkt.1: packet):
  %2: bool = has %pkt.1 ipv4
  %200: bool = has %pkt.1 l4
  %201: bool = and %2 %200
  branch %201 -> nat.inside.look() | nat.not_translated()

block nat.inside.look():
  %src.3: u32 = read %pkt.1 ipv4.src
  %sport.4: u16 = read %pkt.1 l4.sport
  %protocol.5: u8 = read %pkt.1 ipv4.protocol
  %found.6: bool, %b.7: entry nat.bindings = find nat.bindings key (%src.3, %sport.4, %protocol.5)
  branch %found.6 -> nat.inside.known(%b.7) | nat.inside.new()

block nat.inside.new():
  %none.8: u8 = constant 0
  %false.9: bool = constant 0
  %done.10: bool, %b.11: entry nat.bindings = insert nat.bindings (%src.3, %sport.4, %protocol.5) \
(_, %protocol.5) (%none.8, %false.9) choose 0 from 5000..5003
  branch %done.10 -> nat.inside.known(%b.11) | nat.inside.no_port()

block nat.inside.no_port():
  deliver drop nat.no_port

block nat.inside.known(%b.12: entry nat.bindings):
  %length.13: u32 = length %pkt.1
  %amount.14: u64 = resize %length.13
  count nat.bytes %amount.14
  %taken.15: bool = entry_take nat.bindings %b.12 allowance %amount.14
  branch %taken.15 -> nat.inside.send() | nat.inside.over_rate()

block nat.inside.over_rate():
  deliver drop nat.over_rate

block nat.inside.send():
  %packets.16: u8 = entry_read nat.bindings %b.12 packets
  %one.17: u8 = constant 1
  %more.18: u8 = add %packets.16 %one.17
  entry_write nat.bindings %b.12 packets %more.18
  %is_tcp.19: bool = has %pkt.1 tcp
  branch %is_tcp.19 -> nat.inside.tcp() | nat.inside.refresh()

block nat.inside.tcp():
  %fin.20: bool = read %pkt.1 tcp.fin
  entry_write nat.bindings %b.12 marked %fin.20
  branch %fin.20 -> nat.inside.closing() | nat.inside.reset()

block nat.inside.closing():
  touch nat.bindings %b.12 closing
  jump nat.inside.rewrite()

block nat.inside.reset():
  %rst.21: bool = read %pkt.1 tcp.rst
  branch %rst.21 -> nat.inside.forget() | nat.inside.refresh()

block nat.inside.forget():
  %last.22: u16 = entry_read nat.bindings %b.12 outside
  remove nat.bindings %b.12
  %pkt.23: packet = write %pkt.1 l4.sport %last.22
  deliver exit wan(%pkt.23)

block nat.inside.refresh():
  touch nat.bindings %b.12 idle
  jump nat.inside.rewrite()

block nat.inside.rewrite():
  %public.24: u32 = constant 3405803777
  %pkt.25: packet = write %pkt.1 ipv4.src %public.24
  %outside.26: u16 = entry_read nat.bindings %b.12 outside
  %pkt.27: packet = write %pkt.25 l4.sport %outside.26
  deliver exit wan(%pkt.27)

block nat.outside(%pkt.30: packet):
  %31: bool = has %pkt.30 ipv4
  %202: bool = has %pkt.30 l4
  %203: bool = and %31 %202
  branch %203 -> nat.outside.look() | nat.not_translated()

block nat.outside.look():
  %dport.32: u16 = read %pkt.30 l4.dport
  %protocol.33: u8 = read %pkt.30 ipv4.protocol
  %found.34: bool, %b.35: entry nat.bindings = find nat.bindings unique (%dport.32, %protocol.33)
  branch %found.34 -> nat.outside.known() | nat.outside.no_binding()

block nat.outside.no_binding():
  deliver drop nat.no_binding

block nat.outside.known():
  touch nat.bindings %b.35 idle
  %marked.36: bool = entry_read nat.bindings %b.35 marked
  %address.37: u32 = entry_read nat.bindings %b.35 address
  %port.38: u16 = entry_read nat.bindings %b.35 port
  %packets.39: u8 = entry_read nat.bindings %b.35 packets
  %pkt.40: packet = write %pkt.30 ipv4.dst %address.37
  %pkt.41: packet = write %pkt.40 l4.dport %port.38
  %zero.42: u8 = constant 0
  %shown.43: u8 = select %marked.36 %packets.39 %zero.42
  %pkt.44: packet = write %pkt.41 ipv4.ttl %shown.43
  deliver exit lan(%pkt.44)

block nat.not_translated():
  deliver drop nat.not_translated
"""

LOOKUPS = """
chain lookups

interface a mac 02:00:00:00:00:01 entry box.in
interface b mac 02:00:00:00:00:02

vector box.turn size 4 (count: u16, odd: bool) initial (7, 1)
bucket box.police rate 8000 burst 150
sketch box.seen rows 3 columns 5 key (src: u32)
rules box.rules {
  deny 10.0.0.0/8 0.0.0.0/0 protocol 6/255 sport 0..65535 dport 80..90 flags 0x0/0x0
  permit 10.0.0.0/8 198.51.100.0/24 protocol 0/0 sport 0..65535 dport 0..65535 flags 0x0/0x0
  deny 0.0.0.0/0 0.0.0.0/0 protocol 1/255 sport 0..65535 dport 0..65535 flags 0x800/0xff00
  permit 0.0.0.0/0 0.0.0.0/0 protocol 6/255 sport 0..65535 dport 0..65535 flags 0x200/0x1200
}
routes box.routes (side: u8, mac: u48) {
  0.0.0.0/0 -> (1, 1)
  198.51.0.0/16 -> (2, 2)
  198.51.100.0/24 -> discard
  198.51.100.9/32 -> (3, 3)
}
list box.backends (address: u32, weight: u16) {
  (3325256833, 1)
  (3325256834, 2)
  (3325256835, 3)
}
ring box.picks of box.backends {
  0 1 1 2 2 2 0
}

handler box.in nf box side in

drop box.not_ipv4
drop box.over_rate
drop box.denied
drop box.no_route
drop box.no_backend

block box.in(%pkt.1: packet):
  %2: bool = has %pkt.1 ipv4
  branch %2 -> box.police() | box.not_ipv4()

block box.not_ipv4():
  deliver drop box.not_ipv4

block box.police():
  %3: u32 = length %pkt.1
  %4: u64 = resize %3
  %5: bool = take box.police %4
  branch %5 -> box.rules() | box.over_rate()

block box.over_rate():
  deliver drop box.over_rate

block box.rules():
  %matched.6: bool, %permits.7: bool, %rule.8: u32 = decide box.rules %pkt.1
  %9: bool = not %matched.6
  %10: bool = or %permits.7 %9
  branch %10 -> box.route() | box.denied()

block box.denied():
  deliver drop box.denied

block box.route():
  %dst.11: u32 = read %pkt.1 ipv4.dst
  %found.12: bool, %side.13: u8, %mac.14: u48 = lookup box.routes %dst.11
  %pkt.15: packet = write %pkt.1 eth.dst %mac.14
  branch %found.12 -> box.pick() | box.no_route()

block box.no_route():
  deliver drop box.no_route

block box.pick():
  %src.16: u32 = read %pkt.15 ipv4.src
  %protocol.17: u8 = read %pkt.15 ipv4.protocol
  %df.18: bool = read %pkt.15 ipv4.df
  %hash.19: u32 = hash (%src.16, %protocol.17, %df.18)
  %address.20: u32, %weight.21: u16 = pick box.picks %hash.19
  %three.22: u32 = constant 3
  %masked.23: u32 = and %hash.19 %three.22
  %there.24: bool, %address.25: u32, %weight.26: u16 = row box.backends %masked.23
  %amount.27: u32 = resize %weight.21
  sketch_add box.seen (%src.16) %amount.27
  %seen.28: u32 = estimate box.seen (%src.16)
  branch %there.24 -> box.turn() | box.no_backend()

block box.no_backend():
  deliver drop box.no_backend

block box.turn():
  %count.29: u16, %odd.30: bool = vector_read box.turn %masked.23
  %more.31: u16 = add %count.29 %weight.26
  %flipped.32: bool = not %odd.30
  vector_write box.turn %masked.23 (%more.31, %flipped.32)
  %id.33: u16 = select %odd.30 %more.31 %weight.21
  %pkt.34: packet = write %pkt.15 ipv4.id %id.33
  %pkt.35: packet = write %pkt.34 ipv4.src %address.20
  %pkt.36: packet = write %pkt.35 ipv4.dst %seen.28
  deliver exit b(%pkt.36), exit a(%pkt.15)
"""

FLOOD_AND_LOOP = """
chain flood

interface a mac 02:00:00:00:00:01 entry hub.in
interface b mac 02:00:00:00:00:02

counter mark.seen

handler hub.in nf hub side in
handler mark.in nf mark side in budget 2

drop mark.chain_loop
drop mark.dead

block hub.in(%pkt.1: packet):
  %mac.2: u48 = constant 1
  %pkt.3: packet = write %pkt.1 eth.src %mac.2
  deliver mark.in(%pkt.3), exit b(%pkt.1), mark.in(%pkt.1)

block mark.in(%pkt.4: packet):
  %one.5: u64 = constant 1
  count mark.seen %one.5
  %src.6: u48 = read %pkt.4 eth.src
  %step.7: u48 = constant 16
  %next.8: u48 = add %src.6 %step.7
  %pkt.9: packet = write %pkt.4 eth.src %next.8
  %limit.10: u48 = constant 256
  %small.11: bool = lt %next.8 %limit.10
  branch %small.11 -> mark.again() | mark.dead()

block mark.again():
  deliver exit b(%pkt.9), mark.in(%pkt.9), exit a(%pkt.4)

block mark.dead():
  deliver exit a(%pkt.9) drop mark.dead
"""


def graph_of(text: str) -> ChainGraph:
    """Return a graph from its text, well formed."""
    graph = parse_graph(text)
    verify(graph)
    return graph
