"""What can be wrong with types, calls and the flow of statements: E150 to E199."""

from dataclasses import dataclass

from synth.diagnostics.diagnostic import Diagnostic

# ---------------------------------------------------------------- types


@dataclass(frozen=True, kw_only=True)
class TypeMismatch(Diagnostic):
    code = "E150"
    title = "expected {expected}, found {found}"
    label = "this is {found}"
    help = "{advice}"

    expected: str
    found: str
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class CannotCompare(Diagnostic):
    code = "E151"
    title = "cannot compare {left} with {right}"
    label = "{left} `{op}` {right}"

    op: str
    left: str
    right: str


@dataclass(frozen=True, kw_only=True)
class WrongOperands(Diagnostic):
    code = "E152"
    title = "`{op}` does not take {left} and {right}"
    label = "expected {expected}"
    help = "{advice}"

    op: str
    left: str
    right: str
    expected: str
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class WidthMismatch(Diagnostic):
    code = "E153"
    title = "{left} and {right} differ in width, and nothing is widened silently"
    label = "expected two operands of one width"
    help = "{advice}"

    left: str
    right: str
    advice: str


@dataclass(frozen=True, kw_only=True)
class UnknownWidth(Diagnostic):
    code = "E154"
    title = "the width of this integer is not known"
    label = "nothing here says how wide it is"
    help = "say it: `u16({text})`, or another of u1 to u64"

    text: str


@dataclass(frozen=True, kw_only=True)
class NotAValue(Diagnostic):
    code = "E155"
    title = "{found} cannot be {use}"
    label = "expected {expected}"
    help = "{advice}"

    found: str
    use: str
    expected: str
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class WrongTypeArgument(Diagnostic):
    code = "E156"
    title = "`{type}` is no type"
    label = "expected {expected}"

    type: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class CannotConvert(Diagnostic):
    code = "E157"
    title = "{found} does not convert to {target}"
    label = "expected {expected}"

    found: str
    target: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class NoOrder(Diagnostic):
    code = "E158"
    title = "no {type} is before or behind another"
    label = "`{op}` compares integers and quantities"
    help = "compare with `==` or `!=`; addresses also with `address in 10.0.0.0/8`"

    op: str
    type: str


# ---------------------------------------------------------------- calls


@dataclass(frozen=True, kw_only=True)
class WrongArgumentCount(Diagnostic):
    code = "E160"
    title = "`{function}` takes {expected}, found {found}"
    label = "expected {expected}"

    function: str
    expected: str
    found: str


@dataclass(frozen=True, kw_only=True)
class MissingArgument(Diagnostic):
    code = "E161"
    title = "`{function}` needs `{name}`"
    label = "expected `{name}: ...`, {type}"

    function: str
    name: str
    type: str


@dataclass(frozen=True, kw_only=True)
class UnnamedArgument(Diagnostic):
    code = "E162"
    title = "the arguments of `{function}` are given by name"
    label = "expected {expected}"

    function: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class NotCallable(Diagnostic):
    code = "E163"
    title = "{what} cannot be called"
    label = "expected a function, a record or an operation"

    what: str


@dataclass(frozen=True, kw_only=True)
class NotIndexable(Diagnostic):
    code = "E164"
    title = "only vectors have an index in brackets"
    label = "{what} is not a vector"
    help = "{advice}"

    what: str
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class NotAllowedHere(Diagnostic):
    code = "E165"
    title = "{what} cannot stand in {place}"
    label = "expected {expected}"

    what: str
    place: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class NotAssignable(Diagnostic):
    code = "E166"
    title = "{what} cannot be assigned"
    label = "expected a field of a packet, a value of an entry, or a cell of a vector"
    help = "{advice}"

    what: str
    advice: str = ""


# ---------------------------------------------------------------- what may be absent


@dataclass(frozen=True, kw_only=True)
class NeedsOr(Diagnostic):
    code = "E170"
    title = "`{operation}` may give nothing, and nothing says what happens then"
    label = "expected `or` after it"
    help = "for example `or drop {reason}`"

    operation: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class NeverAbsent(Diagnostic):
    code = "E171"
    title = "what stands before this `or` is never absent"
    label = "this could never be used"
    help = "remove it"


@dataclass(frozen=True, kw_only=True)
class FallibleInside(Diagnostic):
    code = "E172"
    title = "`{operation}` may give nothing, so it cannot stand inside an expression"
    label = "expected a value that is always there"
    help = "bind it first: `let x = ... or drop {reason}`"

    operation: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class GiveOutside(Diagnostic):
    code = "E173"
    title = "`give` has nothing to give its value to"
    label = "expected only in the block after `or`, where a value is wanted"


@dataclass(frozen=True, kw_only=True)
class BlockGivesNothing(Diagnostic):
    code = "E174"
    title = "a way through this block ends without a value"
    label = "expected `give`, `drop` or `emit` before the block's end"


@dataclass(frozen=True, kw_only=True)
class UnusedResult(Diagnostic):
    code = "E175"
    title = "the result of `{function}` is not used"
    label = "this line does nothing"
    help = "bind it: `let x = ...`"

    function: str


# ---------------------------------------------------------------- ends of handlers


@dataclass(frozen=True, kw_only=True)
class MissingEnd(Diagnostic):
    code = "E180"
    title = "a packet can get through this handler without `emit` and without `drop`"
    label = "expected `emit SIDE` or `drop REASON` on every way"


@dataclass(frozen=True, kw_only=True)
class NeverRuns(Diagnostic):
    code = "E181"
    title = "this statement never runs"
    label = "every way has ended before it"


@dataclass(frozen=True, kw_only=True)
class NotStatic(Diagnostic):
    code = "E182"
    title = "{what} must be known when the chain is built"
    label = "expected only literals and parameters"

    what: str
