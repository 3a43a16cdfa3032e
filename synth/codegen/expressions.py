"""Scalars as C expressions, with the arithmetic of `graph/nodes.py`.

A scalar of w bits is kept in the smallest unsigned C type that holds it, its upper bits zero. C
computes in `int` what is narrower, so such results are cast back.
"""

from dataclasses import dataclass

from synth.codegen.folding import mask_of, width_of
from synth.graph.nodes import Binary, Bits, Bool, Op, Type, Unary

ATOM, UNARY, PRODUCT, SUM, SHIFT, ORDER, EQUALITY, AND, XOR, OR, BOTH, EITHER, CHOICE = range(13)


@dataclass(frozen=True, slots=True)
class Expression:
    """C text and how tightly its outermost operator binds (0: most)."""

    text: str
    level: int = ATOM

    def within(self, level: int) -> str:
        """Return the text, in parentheses if it binds less tightly than `level`."""
        return self.text if self.level <= level else f"({self.text})"


def storage_bits(type_: Type) -> int:
    """Return the size of the C type that holds a scalar."""
    width = width_of(type_)
    return next(size for size in (8, 16, 32, 64, 128) if width <= size)


def c_type(type_: Type) -> str:
    """Return the C type that holds a scalar."""
    return "bool" if isinstance(type_, Bool) else f"uint{storage_bits(type_)}_t"


def literal(value: int, type_: Type, kind: str = "uint") -> Expression:
    """Return a constant; addresses as the macros of `fields.h`."""
    if isinstance(type_, Bool):
        return Expression("true" if value else "false")
    if kind == "ipv4":
        return Expression(f"IPV4({', '.join(str(value >> shift & 255) for shift in (24, 16, 8, 0))})")
    if kind == "ipv6":
        return Expression(f"IPV6({', '.join(f'{value >> at & 0xFFFF:#x}' for at in range(112, -1, -16))})")
    if kind == "mac":
        return Expression(f"MAC({', '.join(f'0x{value >> shift & 255:02x}' for shift in range(40, -1, -8))})")
    if value >= 1 << 64:
        return Expression(f"UINT128({value >> 64:#x}ull, {value & (1 << 64) - 1:#x}ull)")
    suffix = "" if value < 1 << 31 else "u" if value < 1 << 32 else "ull"
    return Expression(f"{value}{suffix}" if value < 1 << 32 else f"{value:#x}{suffix}")


def cast(expression: Expression, type_: Type) -> Expression:
    """Return an expression converted to the C type of a scalar."""
    return Expression(f"({c_type(type_)}){expression.within(UNARY)}", UNARY)


def fitted(expression: Expression, type_: Type) -> Expression:
    """Cut an arithmetic result to the width of its type."""
    if isinstance(type_, Bool):
        return expression
    if width_of(type_) != storage_bits(type_):
        mask = literal(mask_of(type_), type_).text
        expression = Expression(f"{expression.within(UNARY)} & {mask}", AND)
    return cast(expression, type_) if storage_bits(type_) < 32 else expression


def resized(operand: Expression, source: Type, target: Type) -> Expression:
    """Zero-extend or truncate."""
    if width_of(target) >= width_of(source) and c_type(source) == c_type(target):
        return operand
    if width_of(target) < width_of(source) and width_of(target) != storage_bits(target):
        operand = Expression(f"{operand.within(UNARY)} & {literal(mask_of(target), target).text}", AND)
    return cast(operand, target)


def unary(op: Unary, operand: Expression) -> Expression:
    if op.op == "not":
        return Expression(f"!{operand.within(UNARY)}", UNARY)
    return fitted(Expression(f"~{operand.within(UNARY)}", UNARY), op.results[0].type)


_COMPARISONS = {
    "eq": ("==", "!=", EQUALITY),
    "ne": ("!=", "==", EQUALITY),
    "lt": ("<", ">=", ORDER),
    "le": ("<=", ">", ORDER),
}


def is_comparison(op: Op) -> bool:
    """Tell whether an operation is `==`, `<` or the like."""
    return isinstance(op, Binary) and op.op in _COMPARISONS


def comparison(
    op: Binary, left: Expression, right: Expression, *, negated: bool = False
) -> Expression | None:
    """Return a comparison or its opposite; None if the operation is none."""
    if op.op not in _COMPARISONS:
        return None
    positive, negative, level = _COMPARISONS[op.op]
    return Expression(f"{left.within(SUM)} {negative if negated else positive} {right.within(SUM)}", level)


_OPERATORS = {
    "add": ("+", SUM),
    "sub": ("-", SUM),
    "mul": ("*", PRODUCT),
    "div": ("/", PRODUCT),
    "rem": ("%", PRODUCT),
}


def binary(op: Binary, left: Expression, right: Expression, constant: int | None) -> Expression:
    """Return a binary operation. `constant` is the right operand's value, when it is known.

    Where C's operator would not do for all operands, the result is a call of `arithmetic.h`.
    """
    compared = comparison(op, left, right)
    if compared is not None:
        return compared
    type_ = op.left.type
    match op.op:
        case "add" | "sub":
            return _arithmetic(op, left, right)
        case "mul":
            return _arithmetic(op, cast(left, Bits(32)) if storage_bits(type_) == 16 else left, right)
        case "div" | "rem" if constant:
            return _arithmetic(op, left, right)
        case "and" | "or" | "xor":
            return _logic(op, left, right) if isinstance(type_, Bool) else _bitwise(op, left, right)
        case "shl" | "shr" if constant is not None:
            return _shift(op, left, constant)
        case "add_overflows" if constant is not None:
            most = literal(mask_of(type_) - constant, type_)
            return Expression(f"{left.within(SUM)} > {most.text}", ORDER)
        case "sub_overflows":
            return Expression(f"{left.within(SUM)} < {right.within(SUM)}", ORDER)
        case _:
            return _call(op, left, right)


def _arithmetic(op: Binary, left: Expression, right: Expression) -> Expression:
    sign, level = _OPERATORS[op.op]
    return fitted(Expression(f"{left.within(PRODUCT)} {sign} {right.within(UNARY)}", level), op.left.type)


def _call(op: Binary, left: Expression, right: Expression) -> Expression:
    """Return a call of a function in `arithmetic.h`, which computes in 64 bits."""
    type_ = op.left.type
    width, most = str(width_of(type_)), literal(mask_of(type_), type_).text
    function, *more = {
        "div": ("divide", most),
        "rem": ("remainder_of",),
        "shl": ("shift_left", width),
        "shr": ("shift_right",),
        "add_overflows": ("add_overflows", most),
        "mul_overflows": ("mul_overflows", most),
    }[op.op]
    call = Expression(f"{function}({', '.join((left.text, right.text, *more))})")
    return call if isinstance(op.results[0].type, Bool) else resized(call, Bits(64), type_)


def _logic(op: Binary, left: Expression, right: Expression) -> Expression:
    sign, level, inner = {"and": ("&&", BOTH, OR), "or": ("||", EITHER, OR), "xor": ("!=", EQUALITY, SUM)}[
        op.op
    ]
    if level in (BOTH, EITHER) and left.level == level:
        inner = level
    return Expression(f"{left.within(inner)} {sign} {right.within(OR if level != EQUALITY else SUM)}", level)


def _bitwise(op: Binary, left: Expression, right: Expression) -> Expression:
    sign, level = {"and": ("&", AND), "or": ("|", OR), "xor": ("^", XOR)}[op.op]
    joined = Expression(f"{left.within(UNARY)} {sign} {right.within(UNARY)}", level)
    return cast(joined, op.left.type) if storage_bits(op.left.type) < 32 else joined


def _shift(op: Binary, left: Expression, amount: int) -> Expression:
    type_ = op.left.type
    if amount >= width_of(type_):
        return cast(Expression("0"), type_)
    sign = "<<" if op.op == "shl" else ">>"
    shifted = Expression(f"{left.within(UNARY)} {sign} {amount}", SHIFT)
    return fitted(shifted, type_)


def select(condition: Expression, then: Expression, otherwise: Expression, type_: Type) -> Expression:
    chosen = Expression(
        f"{condition.within(EITHER)} ? {then.within(EITHER)} : {otherwise.within(EITHER)}", CHOICE
    )
    return chosen if isinstance(type_, Bool) else cast(chosen, type_)


def hashed(operands: list[tuple[Expression, Type]]) -> Expression:
    """Return CRC-32C of scalars in whole bytes (`hash.h`), before `hash_end`."""
    text = "HASH_START"
    for operand, type_ in operands:
        size = (width_of(type_) + 7) // 8
        if size in (1, 2, 4, 6, 8, 16):
            text = f"hash{size * 8}({text}, {operand.text})"
        else:
            text = f"hash_scalar({text}, {operand.text}, {size})"
    return Expression(text)
