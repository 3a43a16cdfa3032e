"""Computes static expressions: capacities, lifetimes, rates, defaults and arguments.

Arithmetic is as in a handler, except that what would drop a packet there is an error here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from synth.diagnostics.spans import Span
from synth.language import typed
from synth.language.types import Record, Tuple, scalars
from synth.language.values import ListValue, PrefixValue, RangeValue, Scalars, Value


class StaticError(Exception):
    """A static expression has no value. Never leaves `synth.language`, save for a bug of ours."""

    def __init__(self, span: Span, reason: str) -> None:
        super().__init__(reason)
        self.span = span
        self.reason = reason


class UnknownParameterError(StaticError):
    """A parameter has no value, since the chain that has it is only checked and not built."""


@dataclass(frozen=True, slots=True)
class Environment:
    """What names stand for: parameters, sides by position, and the locals of functions."""

    arguments: Mapping[str, Value]
    sides: Sequence[str] = ()
    locals: Mapping[str, Scalars] = field(default_factory=dict)


def evaluate(expression: typed.Expr, arguments: Mapping[str, Value], sides: Sequence[str] = ()) -> Value:
    """Return the value of a static expression, in the unit of its type.

    Raises:
        StaticError: arithmetic leaves the type's range, divides by zero, or the expression is not static.
    """
    return _evaluate(expression, Environment(arguments, sides))


def evaluate_integer(expression: typed.Expr, arguments: Mapping[str, Value]) -> int:
    """Return the value of a static expression that is one scalar.

    Raises:
        StaticError: as `evaluate`.
    """
    return _row(expression, Environment(arguments))[0]


def _row(expression: typed.Expr, env: Environment) -> Scalars:
    value = _evaluate(expression, env)
    if not isinstance(value, tuple):
        raise StaticError(expression.span, "it is no value of scalars")
    return value


def _number(expression: typed.Expr, env: Environment) -> int:
    return _row(expression, env)[0]


def _evaluate(expression: typed.Expr, env: Environment) -> Value:
    match expression:
        case typed.Constant(value=value):
            return value
        case typed.Parameter(name=name):
            return _argument(env, name, expression.span)
        case typed.Local(name=name):
            return env.locals[name]
        case typed.SideName(side=side):
            return (env.sides.index(side),)
        case typed.Binary():
            return (_binary(expression, env),)
        case typed.Logic(op=op, left=left, right=right):
            first = _number(left, env)
            return (_number(right, env) if bool(first) == (op == "&&") else first,)
        case typed.Unary(op=op, operand=operand):
            width = scalars(expression.type)[0].width
            return (1 - _number(operand, env) if op == "!" else _number(operand, env) ^ (2**width - 1),)
        case typed.Conditional(condition=condition, then=then, otherwise=otherwise):
            return _evaluate(then if _number(condition, env) else otherwise, env)
        case typed.Convert(operand=operand):
            return (_fit(expression, _number(operand, env)),)
        case typed.Build(members=members):
            return tuple(scalar for member in members for scalar in _row(member, env))
        case typed.Member(operand=operand, index=index):
            return _member(operand, index, env)
        case typed.Contains(item=item, container=container):
            return (int(_contains(_number(item, env), _evaluate(container, env))),)
        case typed.Reverse(operand=operand):
            src, dst, sport, dport, protocol = _row(operand, env)
            return (dst, src, dport, sport, protocol)
        case typed.Call(function=function, arguments=arguments):
            return _call(function, [_row(argument, env) for argument in arguments])
        case typed.StaticSize(parameter=parameter):
            return (_fit(expression, size_of(_argument(env, parameter, expression.span))),)
        case typed.RangeBound(parameter=parameter, bound=bound):
            value = _argument(env, parameter, expression.span)
            assert isinstance(value, RangeValue)
            return (value.low if bound == "low" else value.high,)
        case _:
            raise StaticError(expression.span, "it is not static")


def _argument(env: Environment, name: str, span: Span) -> Value:
    if name not in env.arguments:
        raise UnknownParameterError(span, f"`{name}` is not known")
    return env.arguments[name]


def size_of(value: Value) -> int:
    """Return how many members a range or list holds."""
    match value:
        case RangeValue():
            return value.size
        case ListValue(rows=rows):
            return len(rows)
        case _:
            raise AssertionError(f"{value} has no size")


def _fit(expression: typed.Expr, value: int) -> int:
    width = scalars(expression.type)[0].width
    if value >> width:
        raise StaticError(expression.span, f"{value} does not fit into {width} bits")
    return value


def _binary(expression: typed.Binary, env: Environment) -> int:
    left, right = _row(expression.left, env), _row(expression.right, env)
    if expression.op == "==":
        return int(left == right)
    if expression.op == "!=":
        return int(left != right)
    return _compute(expression, left[0], right[0])


def _compute(expression: typed.Binary, left: int, right: int) -> int:
    width = scalars(expression.type)[0].width
    match expression.op:
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case ">":
            return int(left > right)
        case ">=":
            return int(left >= right)
        case "+" | "*":
            return _fit(expression, left + right if expression.op == "+" else left * right)
        case "-":
            if right > left:
                raise StaticError(expression.span, f"{left} - {right} is below zero")
            return left - right
        case "/" | "%":
            if right == 0:
                raise StaticError(expression.span, "it divides by zero")
            return left // right if expression.op == "/" else left % right
        case "+%":
            return (left + right) % (1 << width)
        case "-%":
            return (left - right) % (1 << width)
        case "*%":
            return (left * right) % (1 << width)
        case "&":
            return left & right
        case "|":
            return left | right
        case "^":
            return left ^ right
        case "<<":
            return (left << right) % (1 << width) if right < width else 0
        case ">>":
            return left >> right
        case "==" | "!=":
            raise AssertionError("equality takes whole rows")
        case _:
            assert_never(expression.op)


def _member(operand: typed.Expr, index: int, env: Environment) -> Scalars:
    match operand.type:
        case Record(members=members):
            types = tuple(member for _, member in members)
        case Tuple(items=items):
            types = items
        case _:
            raise AssertionError(f"{operand.type} has no members")
    start = sum(len(scalars(member)) for member in types[:index])
    return _row(operand, env)[start : start + len(scalars(types[index]))]


def _contains(item: int, container: Value) -> bool:
    match container:
        case PrefixValue():
            return item & container.mask == container.address
        case RangeValue(low, high):
            return low <= item <= high
        case _:
            raise AssertionError(f"{container} contains nothing")


def _call(function: typed.TypedFunction, arguments: Sequence[Scalars]) -> Value:
    names = [name for name, _ in function.parameters]
    env = Environment({}, (), dict(zip(names, arguments, strict=True)))
    for let in function.lets:
        assert not isinstance(let.value, typed.Fallback)
        env = Environment({}, (), {**env.locals, let.name: _row(let.value, env)})
    return _evaluate(function.value, env)
