"""A side of an NF: its patterns are tested in order, and the first that fits takes the packet."""

from synth.graph.nodes import Value
from synth.language.typed import Handler
from synth.lower.context import BrokenTypedChain, Context
from synth.lower.paths import Path, split
from synth.lower.patterns import kinds_of, lower_pattern
from synth.lower.scalars import PACKET
from synth.lower.statements import lower_handler
from synth.net.kinds import UNIVERSE


def lower_side(context: Context) -> None:
    """Lower the handlers of the context's side into blocks that begin with the one named after it."""
    taken = _order(context)
    block = context.builder.open_entry(f"{context.instance.name}.{context.side}", (PACKET,), taken[0][1].span)
    context.builder.name(block.parameters, (taken[0][1].packet,))
    packet = block.parameters[0]
    path = Path(context.builder, block, {})
    for place, (number, handler) in enumerate(taken):
        here = path
        if place < len(taken) - 1:
            word = "handler" if place == len(taken) - 2 else "test"
            names = (f"handler{number}", f"{word}{taken[place + 1][0]}")
            here, path = _part(context, path, packet, handler, names)
        here.names = {handler.packet: (packet,)}
        lower_handler(context, here, handler.body, handler.span)


def _part(
    context: Context, path: Path, packet: Value, handler: Handler, names: tuple[str, str]
) -> tuple[Path, Path]:
    """Test a handler's pattern; return where it fits, and where it does not."""
    fits = lower_pattern(path, packet, handler.pattern, handler.span)
    labels = (context.block(names[0]), context.block(names[1]))
    return split(path, fits, labels, handler.span)


def _order(context: Context) -> list[tuple[int, Handler]]:
    """Return the side's handlers with their numbers, without those that no packet comes to.

    The last one needs no test: the patterns before it and its own admit every packet.
    """
    nf = context.instance.nf
    mine = [handler for handler in nf.handlers if handler.sides is None or context.side in handler.sides]
    left = UNIVERSE
    taken = []
    for number, handler in enumerate(mine, start=1):
        if left & kinds_of(handler.pattern):
            taken.append((number, handler))
        left -= kinds_of(handler.pattern)
    if left:
        raise BrokenTypedChain(f"{context.instance.name}.{context.side}: packets without a handler")
    return taken
