"""The one evaluator in both domains: what Z3's paths say of a packet is what the interpreter does with it."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import pytest
import z3

from synth.graph.domains.integers import Integers, received
from synth.graph.evaluator.evaluate import evaluate
from synth.graph.evaluator.path import Path
from synth.graph.evaluator.program import prepare
from synth.graph.nodes import ChainGraph, Column
from synth.graph.states.integer_state import IntegerState, initial_state
from synth.graph.states.keyed_table import Entry
from synth.net.fields import FIELDS
from synth.net.frame import Frame as Admitted
from synth.net.frame import admit
from synth.net.kinds import HEADERS, UNIVERSE
from synth.proof.z3_domain import (
    SymbolicPacket,
    Z3Domain,
    crc32c_term,
    packet_laws,
    symbolic_packet,
)
from synth.proof.z3_state import Z3State, starting_state, unknown_state
from synth.proof.z3_table import SymbolicChoice, Z3Table
from tests.frames import ICMP, TCP, UDP, Frame, ip
from tests.graph.evaluator_graphs import FLOOD_AND_LOOP, LOOKUPS, NAT, graph_of

SECOND = 1_000_000_000
Binding = tuple[z3.ExprRef, z3.ExprRef]


@dataclass(slots=True)
class Bindings:
    """What the unknowns are in one concrete run."""

    pairs: list[Binding] = field(default_factory=list)

    def bind(self, unknown: z3.ExprRef, value: int) -> None:
        sort = unknown.sort()
        known = z3.BoolVal(bool(value)) if z3.is_bool(unknown) else sort.cast(value)
        self.pairs.append((unknown, known))

    def bind_packet(self, symbolic: SymbolicPacket, frame: Admitted) -> None:
        integers, packet = Integers(), received(frame)
        for header in HEADERS:
            self.bind(symbolic.has[header], header in frame.present)
        for path, described in FIELDS.items():
            is_there = described.header in frame.present
            self.bind(symbolic.fields[path], integers.read(path)(packet) if is_there else 0)
        self.bind(symbolic.length, len(frame.data))

    def values(self, terms: Sequence[z3.ExprRef]) -> list[int]:
        """Return what terms are under the bindings: all at once, as each substitution walks all pairs."""
        if not terms:
            return []
        pack = z3.Function("pack", *(term.sort() for term in terms), z3.BoolSort())
        packed = z3.simplify(z3.substitute(pack(*terms), *self.pairs))
        return [known_value(packed.arg(number)) for number in range(len(terms))]

    def value(self, term: z3.ExprRef) -> int:
        return self.values([term])[0]

    def choose(self, choice: SymbolicChoice, sent: int | None) -> None:
        """Give a choice the port that the interpreter sent, if it could be chosen, or the lowest free one."""
        candidates = range(choice.low, choice.high + 1)
        are_free = self.values([choice.is_free(z3.BitVecVal(candidate, 16)) for candidate in candidates])
        free = [candidate for candidate, is_free in zip(candidates, are_free, strict=True) if is_free]
        self.bind(choice.exists, bool(free))
        self.bind(choice.value, sent if sent in free else (free or [0])[0])
        assert self.value(choice.law)


def known_value(term: z3.ExprRef) -> int:
    if z3.is_bool(term):
        assert z3.is_true(term) or z3.is_false(term), term
        return int(z3.is_true(term))
    return term.as_long()


def admitted(data: bytes) -> Admitted:
    frame = admit(data)
    assert isinstance(frame, Admitted)
    return frame


class Both:
    """A graph run over integers and over Z3 terms, packet by packet, on the same concrete packets."""

    def __init__(self, graph: ChainGraph) -> None:
        self.integer_program = prepare(graph, Integers())
        self.integer_state: IntegerState = initial_state(graph.states)
        self.z3_program = prepare(graph, Z3Domain(hash_function=crc32c_term))
        self.z3_state: Z3State = starting_state(graph.states, crc32c_term)
        self.bindings = Bindings()
        self.choices: set[str] = set()
        self.packets = 0
        self.taken: set[int] = set()

    def receive(self, interface: str, frame: Admitted, now: int) -> Path:
        """Run a packet through both, and compare what leaves and what is counted."""
        live = {name: len(table.live(now)) for name, table in self.integer_state.tables.items()}
        (concrete,) = evaluate(
            self.integer_program,
            self.integer_state,
            None,
            interface=interface,
            packet=received(frame),
            now=now,
        )
        symbolic, time = symbolic_packet(f"p{self.packets}"), z3.Int(f"now{self.packets}")
        self.packets += 1
        self.bindings.bind_packet(symbolic, frame)
        self.bindings.bind(time, now)
        for name, table in self.z3_state.tables.items():
            table.live_count = z3.IntVal(live[name])  # a ghost: that time changes it is said from outside
        paths = evaluate(self.z3_program, self.z3_state, (), interface=interface, packet=symbolic, now=time)
        sent = [packet.writes.get("l4.sport") for _, packet in concrete.emissions]
        fitting = [path for path in paths if self.is_taken(path, sent[0] if sent else None)]
        assert len(fitting) == 1
        self.bind_choices(fitting[0], sent[0] if sent else None)
        self.taken.add(paths.index(fitting[0]))
        self.z3_state = fitting[0].state
        self.compare(concrete, fitting[0])
        return concrete

    def bind_choices(self, path: Path, sent: int | None) -> None:
        for choice in path.state.choices:
            if choice.value.decl().name() not in self.choices:
                self.choices.add(choice.value.decl().name())
                self.bindings.choose(choice, sent)

    def is_taken(self, path: Path, sent: int | None) -> bool:
        """Tell whether the path's condition holds; choices of other paths must not stay bound."""
        pairs, choices = list(self.bindings.pairs), set(self.choices)
        self.bind_choices(path, sent)
        holds = all(self.bindings.values(path.condition))
        self.bindings.pairs, self.choices = pairs, choices
        return holds

    def compare(self, concrete: Path, taken: Path) -> None:
        assert taken.drops == concrete.drops
        assert taken.generated == concrete.generated
        assert [name for name, _ in taken.emissions] == [name for name, _ in concrete.emissions]
        for (_, symbolic), (_, packet) in zip(taken.emissions, concrete.emissions, strict=True):
            assert symbolic.writes.keys() == packet.writes.keys()
            assert self.bindings.values(list(symbolic.writes.values())) == list(packet.writes.values())

    def compare_state(self, now: int) -> None:
        """Compare all state objects: what the packets so far have left."""
        value, state = self.bindings.value, self.z3_state
        for name, counter in self.integer_state.counters.items():
            assert value(state.counters[name].added) == counter.value
        for name, table in self.integer_state.tables.items():
            for entry in table.live(now):
                self.compare_entry(state.tables[name], entry, now)
        for name, vector in self.integer_state.vectors.items():
            indices = [z3.BitVecVal(index, 32) for index in range(len(vector.cells))]
            terms = [term for index in indices for term in state.vectors[name].read(index)]
            assert self.bindings.values(terms) == [int(scalar) for cell in vector.cells for scalar in cell]
        for name, bucket in self.integer_state.buckets.items():
            assert value(state.buckets[name].tokens) == bucket._tokens

    def compare_entry(self, model: Z3Table, entry: Entry, now: int) -> None:
        shape = model.shape
        key = tuple(
            z3.BitVecVal(part, column.width) for part, column in zip(entry.key, shape.key, strict=True)
        )
        plain = [column.name for column in shape.values if isinstance(column, Column)]
        terms = [
            model.is_live(key, z3.IntVal(now)),
            model.touched.read(key),
            *model.unique_of(key),
            *model.owner_of(model.unique_of(key)),
            *(model.read(key, name) for name in plain),
            *(tokens.read(key) for tokens in model.tokens.values()),
        ]
        tokens = [bucket._tokens for bucket in entry.buckets.values()]
        expected = [1, entry.touched, *entry.unique, *entry.key, *map(int, entry.values), *tokens]
        assert self.bindings.values(terms) == expected


def random_frame(source: random.Random, **fixed: int) -> Frame:
    values = {
        "src": ip("10.0.0.5") + source.randrange(5),
        "dst": source.choice(
            (ip("198.51.100.9"), ip("198.51.100.8"), ip("198.51.7.7"), ip("203.0.113.1"), 1)
        ),
        "protocol": source.choice((TCP, TCP, UDP, UDP, ICMP, 47)),
        "sport": source.choice((40000, 53)),
        "dport": source.choice((8, 53, 85, 5000, 5001, 5002)),
        "flags": source.choice((0x10, 0x02, 0x11, 0x14)),
        "fragment": source.choice((0, 0, 0, 0, 0x4000, 0x2000, 0x2001)),
    }
    vlans = source.choice(((), (), (5,), (5, 6), (5, 6, 7)))
    return Frame(**(values | fixed), vlans=vlans, options=b"\1" * source.choice((0, 4)))


@pytest.mark.parametrize("seed", range(2))
def test_lookups_mean_the_same_in_both_domains(seed: int, full: bool) -> None:
    source = random.Random(seed)
    taken = set()
    for _ in range(60 if full else 8):
        both, now = Both(graph_of(LOOKUPS)), 0
        for _ in range(3):
            now += source.choice((0, SECOND // 20, SECOND, SECOND))
            both.receive("a", admitted(random_frame(source).encode()), now)
        both.compare_state(now)
        taken |= both.taken
    assert len(taken) >= 5


@pytest.mark.parametrize("ports", ["5000..5003", "5000..5001"])
def test_a_nat_means_the_same_in_both_domains(ports: str, full: bool) -> None:
    source = random.Random(ports)
    taken, drops = set(), set()
    for _ in range(60 if full else 6):
        both, now = Both(graph_of(NAT.replace("5000..5003", ports))), 0
        for _ in range(6):
            now += source.choice((0, SECOND, 5 * SECOND, 30 * SECOND))
            interface = source.choice(("lan", "lan", "wan"))
            fixed = {"protocol": TCP} if source.random() < 0.7 else {}
            drops |= both.receive(
                interface, admitted(random_frame(source, **fixed).encode()), now
            ).drops.keys()
        both.compare_state(now)
        taken |= both.taken
    assert len(taken) >= 6
    assert drops >= {"nat.no_binding", "nat.no_port", "nat.not_translated"}


def test_deliveries_mean_the_same_in_both_domains() -> None:
    source = random.Random(7)
    both = Both(graph_of(FLOOD_AND_LOOP))
    for eth_src in (0x20, 0xF8, 0xE0, 0xFF_FF_FF_FF_FF_FF, 2**47):
        both.receive("a", admitted(random_frame(source, eth_src=eth_src).encode()), 0)
    both.compare_state(0)
    assert len(both.taken) >= 3


# ---------------------------------------------------------------- what Z3 itself says of the paths


def is_unsatisfiable(*terms: z3.ExprRef) -> bool:
    solver = z3.Solver()
    solver.add(*terms)
    return solver.check() == z3.unsat


def symbolic_run(text: str, interface: str, domain: Z3Domain) -> list[Path]:
    graph, packet = graph_of(text), symbolic_packet("packet")
    program = prepare(graph, domain)
    return evaluate(
        program,
        unknown_state(graph.states),
        packet_laws(packet),
        interface=interface,
        packet=packet,
        now=z3.Int("now"),
    )


@pytest.mark.parametrize(("text", "interface"), [(NAT, "lan"), (NAT, "wan"), (LOOKUPS, "a")])
def test_paths_exclude_each_other_and_leave_nothing_out(text: str, interface: str) -> None:
    paths = symbolic_run(text, interface, Z3Domain())
    conditions = [z3.And(*path.condition) for path in paths]
    laws = packet_laws(symbolic_packet("packet"))
    assert is_unsatisfiable(*laws, z3.Not(z3.Or(*conditions)))
    for one, other in combinations(conditions, 2):
        assert is_unsatisfiable(one, other)


def test_pruning_takes_away_impossible_paths_only() -> None:
    # A packet that has no `l4` cannot have `tcp`, and FIN decides before RST is asked.
    text = NAT.replace("has %pkt.1 l4", "has %pkt.1 udp")
    everything = symbolic_run(text, "lan", Z3Domain())
    pruned = symbolic_run(text, "lan", Z3Domain(prune=lambda path: is_unsatisfiable(*path)))
    possible = [path for path in everything if not is_unsatisfiable(*path.condition)]
    assert len(everything) > len(pruned) == len(possible)
    assert [path.drops for path in pruned] == [path.drops for path in possible]


def test_a_solver_that_never_knows_prunes_nothing() -> None:
    everything = symbolic_run(NAT, "lan", Z3Domain())
    assert len(symbolic_run(NAT, "lan", Z3Domain(prune=lambda _: False))) == len(everything)


@pytest.mark.parametrize("seed", range(5))
def test_the_laws_of_packets_hold_for_admitted_frames(seed: int) -> None:
    source, symbolic = random.Random(seed), symbolic_packet("packet")
    for _ in range(20):
        bindings = Bindings()
        bindings.bind_packet(symbolic, admitted(random_frame(source).encode()))
        assert all(bindings.value(law) for law in packet_laws(symbolic))


def test_each_kind_of_packet_is_possible_and_no_other() -> None:
    symbolic = symbolic_packet("packet")
    laws = packet_laws(symbolic)
    solver = z3.Solver()
    solver.add(*laws)
    found = set()
    while solver.check() == z3.sat:
        model = solver.model()
        row = tuple(z3.is_true(model.eval(symbolic.has[header], model_completion=True)) for header in HEADERS)
        found.add(row)
        solver.add(z3.Or(*(symbolic.has[h] != holds for h, holds in zip(HEADERS, row, strict=True))))
    assert found == {tuple(kind.has(header) for header in HEADERS) for kind in UNIVERSE}
