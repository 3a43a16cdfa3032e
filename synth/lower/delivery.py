"""A handler's end: where each emission goes."""

from synth.diagnostics.spans import Span
from synth.graph.nodes import Bits, Deliver, Edge, Exit
from synth.language.types import SIDE_WIDTH
from synth.lower.context import BrokenTypedChain, Context
from synth.lower.folding import binary
from synth.lower.paths import Emission, Path, split
from synth.lower.scalars import Known, Scalar

NO_SIDE = "no_side"
"""The drop of a packet that would leave on a side from which no wire leads away."""


def emit_to(context: Context, path: Path, side: Scalar, packet: Scalar) -> None:
    """Remember an emission to a side that is given by its index."""
    if isinstance(side, Known):
        path.emissions += (Emission(context.instance.sides[side.value], packet),)
    else:
        path.emissions += (Emission(None, packet, side),)


def emit_to_others(context: Context, path: Path, packet: Scalar) -> None:
    """Remember an emission to each side but the packet's own, in the order of the sides."""
    others = (side for side in context.instance.sides if side != context.side and side in context.outputs)
    path.emissions += tuple(Emission(side, packet) for side in others)


def deliver(context: Context, path: Path, span: Span, drop: str | None = None) -> None:
    """End a path. `drop` is the reason when the handler's packet is dropped.

    A computed side is compared with the sides in turn, once for each computed emission. The last one needs no
    test when each side has a wire: the value is a side, for it comes from the NF's own text or from
    tables that were checked.
    """
    position = next((at for at, emission in enumerate(path.emissions) if emission.side is None), None)
    if position is None:
        _end(context, path, span, drop)
        return
    sides = [side for side in context.instance.sides if side in context.outputs]
    is_closed = len(sides) == len(context.instance.sides)
    compared = sides[:-1] if is_closed else sides
    for place, side in enumerate(compared):
        is_last_test = is_closed and place == len(compared) - 1
        names = (side, sides[-1] if is_last_test else "another")
        here, path = _compare(context, path, path.emissions[position], names, span)
        _deliver_settled(context, here, position, side, span, drop)
    if is_closed:
        _deliver_settled(context, path, position, sides[-1], span, drop)
    else:
        path.emissions = path.emissions[:position] + path.emissions[position + 1 :]
        deliver(context, path, span, drop or NO_SIDE)


def _deliver_settled(
    context: Context, path: Path, position: int, side: str, span: Span, drop: str | None
) -> None:
    """Deliver when it is known to which side the emission at a position goes."""
    settled = Emission(side, path.emissions[position].packet)
    path.emissions = (*path.emissions[:position], settled, *path.emissions[position + 1 :])
    deliver(context, path, span, drop)


def _compare(
    context: Context, path: Path, emission: Emission, names: tuple[str, str], span: Span
) -> tuple[Path, Path]:
    """Part the path by whether the emission goes to the side named first."""
    if emission.index is None:
        raise BrokenTypedChain(f"{context.instance.name}: an emission without a side")
    index = Known(Bits(SIDE_WIDTH), context.instance.sides.index(names[0]))
    is_this = binary(path, "eq", emission.index, index, span)
    labels = (context.block(f"to_{names[0]}"), context.block(f"to_{names[1]}"))
    return split(path, is_this, labels, span)


def _end(context: Context, path: Path, span: Span, drop: str | None) -> None:
    reason = drop if drop is not None or path.emissions else NO_SIDE
    path.block.terminator = Deliver(
        emissions=tuple(_hand_over(context, path, emission, span) for emission in path.emissions),
        drop=None if reason is None else context.object(reason),
        span=span,
    )


def _hand_over(context: Context, path: Path, emission: Emission, span: Span) -> Exit | Edge:
    packet = path.use(emission.packet, span)
    if emission.side is None or emission.side not in context.outputs:
        raise BrokenTypedChain(f"{context.instance.name}: no wire leads from `{emission.side}`")
    target = context.outputs[emission.side]
    return (
        Edge(f"{target.owner}.{target.side}", (packet,)) if target.side else Exit(target.owner, packet, span)
    )
