"""What rule sets answer without their idle rules, against Z3 on the evaluator's terms and on headers."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
import z3

from synth.graph.nodes import RuleTable
from synth.graph.states.classifier import Classifier, Header
from synth.language.values import PrefixValue, RangeValue, RuleSetValue, RuleValue
from synth.proof.declarations import compare_declarations
from synth.proof.rule_sets import Answers, compare_answers
from synth.proof.validate import prove
from synth.proof.z3_domain import symbolic_packet
from synth.proof.z3_static import Z3Rules
from synth.synthesis.idle_rules import find_idle
from tests.proof.chains import as_written, synthesized

PORTS = (RangeValue(0, 0xFFFF), RangeValue(0, 1023), RangeValue(53, 53), RangeValue(1024, 0xFFFF))
PROTOCOLS = ((0, 0), (6, 0xFF), (17, 0xFF), (1, 0xFF))


def random_rules(seed: int, count: int) -> RuleTable:
    draw = random.Random(seed)

    def prefix() -> PrefixValue:
        length = draw.choice((0, 1, 2, 3))
        return PrefixValue(draw.randrange(1 << length) << (32 - length), length)

    rules = []
    for _ in range(count):
        protocol, mask = draw.choice(PROTOCOLS)
        flags = draw.choice(((0, 0), (0x0200, 0x0200))) if protocol == 6 else (0, 0)
        has_ports = protocol in (0, 6, 17)
        sport, dport = (draw.choice(PORTS if has_ports else PORTS[:1]) for _ in range(2))
        permits = draw.random() < 0.5
        rules.append(RuleValue(permits, prefix(), prefix(), protocol, mask, sport, dport, *flags))
    return RuleTable(name="r", rules=RuleSetValue(tuple(rules)))


def answers_by_z3(table: RuleTable) -> Answers:
    packet = symbolic_packet("p")
    whole, live = (Z3Rules(one).decide(packet) for one in (replace(table, live=None), table))

    def is_same(place: int) -> bool:
        solver = z3.Solver()
        solver.add(whole[place] != live[place])
        return bool(solver.check() == z3.unsat)

    return Answers(matched=is_same(0), permits=is_same(1), index=is_same(2))


def without(table: RuleTable, idle: set[int]) -> RuleTable:
    return replace(table, live=tuple(n for n in range(len(table.rules.rules)) if n not in idle))


def claims(answers: Answers) -> Iterator[bool]:
    yield from (answers.matched, answers.permits, answers.index)


def test_whatever_rules_are_idle_what_is_said_to_be_alike_is_so():
    said = 0
    for seed in range(60):
        draw = random.Random(seed)
        table = random_rules(seed, 8)
        mutant = without(table, {draw.randrange(8) for _ in range(draw.choice((1, 1, 2, 3)))})
        found, right = compare_answers(mutant), answers_by_z3(mutant)
        assert all(is_so or not is_said for is_said, is_so in zip(claims(found), claims(right), strict=True))
        said += sum(claims(found))
    assert said >= 15


@pytest.mark.parametrize("is_only_verdict", [False, True])
def test_what_the_pass_leaves_out_is_proved_and_z3_agrees(is_only_verdict: bool):
    left_out = 0
    for seed in range(30):
        table = random_rules(seed, 12)
        idle = {one.number for one in find_idle(table.rules.rules, is_only_verdict=is_only_verdict)}
        if not idle:
            continue
        result = without(table, idle)
        found, right = compare_answers(result), answers_by_z3(result)
        assert found.permits
        assert right.permits
        assert is_only_verdict or found == Answers() == right
        left_out += len(idle)
    assert left_out >= 10


def test_a_live_rule_less_is_refused():
    """Of the ISP chain's 207 live rules each is needed: without it some packet is decided otherwise."""
    written, result = as_written("isp/isp_chain"), synthesized("isp/isp_chain")
    table = next(state for state in result.states if isinstance(state, RuleTable))
    assert table.live is not None
    assert prove(written, result).is_proved
    for number in table.live[:: len(table.live) // 8]:
        live = tuple(one for one in table.live if one != number)
        states = tuple(replace(s, live=live) if s == table else s for s in result.states)
        assert not prove(written, replace(result, states=states)).is_proved, number


def test_idle_rules_hide_no_other_change_of_the_table():
    written, result = as_written("isp/isp_chain"), synthesized("isp/isp_chain")
    table = next(state for state in result.states if isinstance(state, RuleTable))
    rules = replace(table.rules, rules=(*table.rules.rules[1::-1], *table.rules.rules[2:]))
    states = tuple(replace(s, rules=rules) if s == table else s for s in result.states)
    assert list(compare_declarations(written, replace(result, states=states)))
    # The other way round: what the chain as written leaves out is not to be taken as known.
    assert list(compare_declarations(result, replace(result, states=states)))


def test_the_interpreter_takes_the_live_rules_alone():
    table = random_rules(3, 10)
    some = Classifier(table.rules, (2, 5, 7))
    others = replace(table.rules, rules=tuple(table.rules.rules[n] for n in (2, 5, 7)))
    alone = Classifier(others)
    draw = random.Random(1)
    for _ in range(500):
        src, dst, port = (draw.randrange(1 << 32) for _ in range(3))
        header = Header(
            src,
            dst,
            draw.choice((6, 17)),
            port & 0xFFFF,
            draw.choice((53, 80, 5000)),
            draw.choice((None, 0x0200)),
        )
        found = alone.first_match(header)
        assert some.first_match(header) == (None if found is None else (2, 5, 7)[found])
