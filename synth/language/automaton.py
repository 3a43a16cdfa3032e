"""The LR automaton without values: what could come next, without parsing it."""

from typing import Any


def can_follow(stack: list[int], terminal: str, conf: Any) -> bool:
    """Tell whether a terminal can follow a stack of states: run until it is shifted, or cannot be.

    `conf` is lark's `ParseConf`: its table maps states and symbols to a state to shift to, or to a
    rule to reduce by.
    """
    states = list(stack)
    while terminal in conf.states[states[-1]]:
        _, argument = conf.states[states[-1]][terminal]
        if isinstance(argument, int):
            return True
        length = len(argument.expansion)
        del states[len(states) - length :]
        states.append(conf.states[states[-1]][argument.origin.name][1])
        if terminal == "$END" and states[-1] == conf.end_state:
            return True
    return False
