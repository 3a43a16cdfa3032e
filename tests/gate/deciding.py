"""Packets for which one rule of an ordered set decides: it matches, and no earlier one does."""

import random

from synth.graph.states.classifier import Header, matches
from synth.language.values import PrefixValue, RuleSetValue, RuleValue
from tests.frames import TCP, UDP, Frame

_TRIES = 60
_ACK = 0x10


def deciding_packets(rules: RuleSetValue, source: random.Random) -> tuple[list[Frame], list[Frame], int]:
    """Return denied and permitted packets, and the number of `deny` rules for which none was found.

    There is a packet for each `deny` rule that can decide, and for each of a hundred `permit` rules.
    """
    denying = [number for number, rule in enumerate(rules.rules) if not rule.permits]
    permitting = [number for number, rule in enumerate(rules.rules) if rule.permits]
    denied = [_packet_for(rules, number, source) for number in denying]
    permitted = [
        _packet_for(rules, number, source) for number in source.sample(permitting, min(100, len(permitting)))
    ]
    return [one for one in denied if one], [one for one in permitted if one], denied.count(None)


def _packet_for(rules: RuleSetValue, number: int, source: random.Random) -> Frame | None:
    for _ in range(_TRIES):
        frame = _inside(rules.rules[number], source)
        head = Header(frame.src, frame.dst, frame.protocol, frame.sport, frame.dport, _ACK << 8)
        if next(at for at, rule in enumerate(rules.rules) if matches(rule, head)) == number:
            return frame
    return None


def _inside(rule: RuleValue, source: random.Random) -> Frame:
    return Frame(
        _address(rule.src, source),
        _address(rule.dst, source),
        rule.protocol if rule.protocol_mask else source.choice((TCP, UDP)),
        sport=source.randint(rule.sport.low, rule.sport.high),
        dport=source.randint(rule.dport.low, rule.dport.high),
        flags=_ACK,
    )


def _address(prefix: PrefixValue, source: random.Random) -> int:
    return prefix.address | source.randrange(1 << (32 - prefix.length))
