"""Draw a graph with Graphviz: a cluster for each NF, a box for each block, interfaces at the ends.

Beside each operation stands the number of its source line; the file is named once, with the NF.
"""

import shutil
import subprocess
from collections.abc import Iterable, Iterator

from synth.diagnostics.spans import NOWHERE
from synth.graph.errors import GraphvizError
from synth.graph.nodes import (
    Block,
    Branch,
    ChainGraph,
    Deliver,
    Edge,
    Exit,
    Handler,
    Jump,
    Op,
)
from synth.graph.text import print_action, print_definition, print_value
from synth.graph.walk import reachable
from synth.resources import shown_path

_HEAD = (
    '  graph [fontname="Helvetica", rankdir=TB, compound=true]',
    '  node [fontname="Courier", fontsize=9, shape=box, style=filled, fillcolor=white]',
    '  edge [fontname="Helvetica", fontsize=9]',
)

_DROP_COLOUR = "mistyrose"
_ENTRY_COLOUR = "lightyellow"


def to_dot(graph: ChainGraph) -> str:
    """Return the graph in Graphviz's language. The same graph gives the same text."""
    lines = [f"digraph {_quote(graph.name)} {{", *_HEAD, *_interfaces(graph)]
    for nf in dict.fromkeys(handler.nf for handler in graph.handlers):
        lines += _cluster(graph, nf)
    lines += [f"  {line}" for block in graph.blocks for line in _ways_out(block)]
    return "\n".join([*lines, "}", ""])


def to_svg(graph: ChainGraph) -> str:
    """Return the graph as SVG.

    Raises:
        GraphvizError: `dot` is not installed, or failed.
    """
    if shutil.which("dot") is None:
        raise GraphvizError("drawing needs `dot` of Graphviz: apt-get install graphviz")
    command = ["dot", "-Tsvg"]
    ended = subprocess.run(command, input=to_dot(graph), capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise GraphvizError(f"`{' '.join(command)}` failed: {ended.stderr.strip()}")
    return ended.stdout


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _label(lines: Iterable[str]) -> str:
    """Return a box's text, its lines to the left."""
    return '"' + "".join(_quote(line)[1:-1] + "\\l" for line in lines) + '"'


def _interfaces(graph: ChainGraph) -> Iterator[str]:
    """Yield two nodes for each interface, for what comes in and for what leaves."""
    shape = "shape=cds, fillcolor=lightblue"
    for interface in graph.interfaces:
        yield f"  {_quote(f'in {interface.name}')} [label={_quote(interface.name)}, {shape}]"
        yield f"  {_quote(f'out {interface.name}')} [label={_quote(interface.name)}, {shape}]"
        if interface.entry is not None:
            yield f"  {_quote(f'in {interface.name}')} -> {_quote(interface.entry)} [style=bold]"


def _cluster(graph: ChainGraph, nf: str) -> Iterator[str]:
    entries = {handler.block: handler for handler in graph.handlers if handler.nf == nf}
    others = {handler.block for handler in graph.handlers} - set(entries)
    own = reachable((block for block in graph.blocks if block.name not in others), entries)
    blocks = [block for block in graph.blocks if block.name in own]
    files = dict.fromkeys(shown_path(block.span.file) for block in blocks if block.span != NOWHERE)
    title = f"{nf}  {', '.join(files)}".strip()
    yield f"  subgraph {_quote(f'cluster {nf}')} {{"
    yield f"    label={_quote(title)}; style=rounded; color=gray"
    for block in blocks:
        yield f"    {_box(block, entries.get(block.name))}"
    yield "  }"


def _box(block: Block, handler: Handler | None) -> str:
    budget = "" if handler is None or handler.budget is None else f"  at most {handler.budget} visits"
    parameters = ", ".join(map(print_definition, block.parameters))
    lines = [f"{block.name}({parameters}){budget}", *_numbered(block)]
    colour = "white" if handler is None else _ENTRY_COLOUR
    if isinstance(block.terminator, Deliver) and block.terminator.drop is not None:
        lines.append(f"drop {block.terminator.drop}")
        colour = _DROP_COLOUR
    return f"{_quote(block.name)} [label={_label(lines)}, fillcolor={colour}]"


def _numbered(block: Block) -> Iterator[str]:
    """Yield the operations; a line number stands where it is another than before."""
    before = 0
    for op in block.operations:
        number = "" if op.span.line == before else str(op.span.line)
        before = op.span.line
        yield f"{number:>4}  {_operation(op)}"


def _operation(op: Op) -> str:
    results = ", ".join(map(print_value, op.results))
    return f"{results} = {print_action(op)}" if results else print_action(op)


def _ways_out(block: Block) -> Iterator[str]:
    match block.terminator:
        case Jump(to=to):
            yield _arrow(block, to.block, _arguments(to))
        case Branch(condition=condition, then=then, otherwise=otherwise):
            name = print_value(condition)
            yield _arrow(block, then.block, f"{name} {_arguments(then)}".strip())
            yield _arrow(
                block, otherwise.block, f"not {name} {_arguments(otherwise)}".strip(), "style=dashed"
            )
        case Deliver(emissions=emissions):
            for number, emission in enumerate(emissions, start=1):
                order = f"{number}. " if len(emissions) > 1 else ""
                yield _emission(block, emission, order)


def _emission(block: Block, emission: Exit | Edge, order: str) -> str:
    if isinstance(emission, Exit):
        label = f"{order}{print_value(emission.packet)}"
        return _arrow(block, f"out {emission.interface}", label, "style=bold")
    return _arrow(block, emission.block, f"{order}{_arguments(emission)}", "style=bold")


def _arguments(edge: Edge) -> str:
    return ", ".join(map(print_value, edge.arguments))


def _arrow(block: Block, to: str, label: str, style: str = "") -> str:
    attributes = ", ".join(part for part in (f"label={_quote(label)}" if label else "", style) if part)
    return f"{_quote(block.name)} -> {_quote(to)}" + (f" [{attributes}]" if attributes else "")
