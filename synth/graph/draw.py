"""Draw a graph with Graphviz: a cluster for each NF, a box for each block, interfaces at the ends.

Beside each operation stands the number of its source line; the file is named once, with the NF. A
synthesized graph has no NFs any more: it is drawn beside the chain as written, and each of its blocks names
the file that it comes from.
"""

import shutil
import subprocess
from collections.abc import Iterable, Iterator
from typing import Literal

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
    lines = [f"digraph {_quote(graph.name)} {{", *_HEAD, *_whole(graph, "")]
    return "\n".join([*lines, "}", ""])


def to_dot_beside(written: ChainGraph, synthesized: ChainGraph) -> str:
    """Return a chain's two graphs side by side in Graphviz's language, each in a titled cluster.

    Nodes are named `written/BLOCK` and `synthesized/BLOCK`.
    """
    lines = [f"digraph {_quote(written.name)} {{", *_HEAD]
    lines += _titled(written, "written", _whole(written, "written/"))
    lines += _titled(synthesized, "synthesized", _without_nfs(synthesized, "synthesized/"))
    return "\n".join([*lines, "}", ""])


def _titled(graph: ChainGraph, form: str, lines: Iterable[str]) -> Iterator[str]:
    title = f"{graph.name}, {'as written' if form == 'written' else form}: {len(graph.blocks)} blocks"
    yield f"  subgraph {_quote(f'cluster {form}')} {{"
    yield f"    label={_quote(title)}; fontsize=20"
    yield from (f"  {line}" for line in lines)
    yield "  }"


def _whole(graph: ChainGraph, under: str) -> Iterator[str]:
    yield from _interfaces(graph, under)
    for nf in dict.fromkeys(handler.nf for handler in graph.handlers):
        yield from _cluster(graph, nf, under)
    yield from _all_ways(graph, under)


def _without_nfs(graph: ChainGraph, under: str) -> Iterator[str]:
    entries = {handler.block: handler for handler in graph.handlers}
    yield from _interfaces(graph, under)
    for block in graph.blocks:
        place = "" if block.span == NOWHERE else f"  // {shown_path(block.span.file)}"
        yield f"  {_box(block, entries.get(block.name), under, place)}"
    yield from _all_ways(graph, under)


def _all_ways(graph: ChainGraph, under: str) -> Iterator[str]:
    """Yield all edges: after all boxes, since Graphviz puts a node into the cluster that names it first."""
    for interface in graph.interfaces:
        if interface.entry is not None:
            yield f"  {_arrow(f'{under}in {interface.name}', under + interface.entry, '', 'style=bold')}"
    for block in graph.blocks:
        yield from (f"  {line}" for line in _ways_out(block, under))


Image = Literal["svg", "png", "pdf"]


def to_image(dot: str, form: Image) -> bytes:
    """Return a text in Graphviz's language as an image.

    Raises:
        GraphvizError: `dot` is not installed, or failed.
    """
    if shutil.which("dot") is None:
        raise GraphvizError("drawing needs `dot` of Graphviz: apt-get install graphviz")
    command = ["dot", f"-T{form}"]
    ended = subprocess.run(command, input=dot.encode(), capture_output=True, check=False)
    if ended.returncode != 0:
        raise GraphvizError(f"`{' '.join(command)}` failed: {ended.stderr.decode(errors='replace').strip()}")
    return ended.stdout


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _label(lines: Iterable[str]) -> str:
    """Return a box's text, its lines to the left."""
    return '"' + "".join(_quote(line)[1:-1] + "\\l" for line in lines) + '"'


def _interfaces(graph: ChainGraph, under: str) -> Iterator[str]:
    """Yield two nodes for each interface, for what comes in and for what leaves."""
    shape = "shape=cds, fillcolor=lightblue"
    for interface in graph.interfaces:
        received, sent = _quote(f"{under}in {interface.name}"), _quote(f"{under}out {interface.name}")
        yield f"  {received} [label={_quote(interface.name)}, {shape}]"
        yield f"  {sent} [label={_quote(interface.name)}, {shape}]"


def _cluster(graph: ChainGraph, nf: str, under: str) -> Iterator[str]:
    entries = {handler.block: handler for handler in graph.handlers if handler.nf == nf}
    others = {handler.block for handler in graph.handlers} - set(entries)
    own = reachable((block for block in graph.blocks if block.name not in others), entries)
    blocks = [block for block in graph.blocks if block.name in own - others]
    files = dict.fromkeys(shown_path(block.span.file) for block in blocks if block.span != NOWHERE)
    title = f"{nf}  {', '.join(files)}".strip()
    yield f"  subgraph {_quote(f'cluster {under}{nf}')} {{"
    yield f"    label={_quote(title)}; style=rounded; color=gray"
    for block in blocks:
        yield f"    {_box(block, entries.get(block.name), under)}"
    yield "  }"


def _box(block: Block, handler: Handler | None, under: str, place: str = "") -> str:
    budget = "" if handler is None or handler.budget is None else f"  at most {handler.budget} visits"
    parameters = ", ".join(map(print_definition, block.parameters))
    lines = [f"{block.name}({parameters}){budget}{place}", *_numbered(block)]
    colour = "white" if handler is None else _ENTRY_COLOUR
    if isinstance(block.terminator, Deliver) and block.terminator.drop is not None:
        lines.append(f"drop {block.terminator.drop}")
        colour = _DROP_COLOUR
    return f"{_quote(under + block.name)} [label={_label(lines)}, fillcolor={colour}]"


def _numbered(block: Block) -> Iterator[str]:
    """Yield the operations; a line number stands where it is another than before."""
    before = 0
    for op in block.operations:
        line = before if op.span == NOWHERE else op.span.line
        number = "" if line == before else str(line)
        before = line
        yield f"{number:>4}  {_operation(op)}"


def _operation(op: Op) -> str:
    results = ", ".join(map(print_value, op.results))
    return f"{results} = {print_action(op)}" if results else print_action(op)


def _ways_out(block: Block, under: str) -> Iterator[str]:
    start = under + block.name
    match block.terminator:
        case Jump(to=to):
            yield _arrow(start, under + to.block, _arguments(to))
        case Branch(condition=condition, then=then, otherwise=otherwise):
            name = print_value(condition)
            yield _arrow(start, under + then.block, f"{name} {_arguments(then)}".strip())
            yield _arrow(
                start,
                under + otherwise.block,
                f"not {name} {_arguments(otherwise)}".strip(),
                "style=dashed",
            )
        case Deliver(emissions=emissions):
            for number, emission in enumerate(emissions, start=1):
                order = f"{number}. " if len(emissions) > 1 else ""
                yield _emission(start, emission, order, under)


def _emission(start: str, emission: Exit | Edge, order: str, under: str) -> str:
    if isinstance(emission, Exit):
        label = f"{order}{print_value(emission.packet)}"
        return _arrow(start, f"{under}out {emission.interface}", label, "style=bold")
    return _arrow(start, under + emission.block, f"{order}{_arguments(emission)}", "style=bold")


def _arguments(edge: Edge) -> str:
    return ", ".join(map(print_value, edge.arguments))


def _arrow(start: str, to: str, label: str, style: str = "") -> str:
    attributes = ", ".join(part for part in (f"label={_quote(label)}" if label else "", style) if part)
    return f"{_quote(start)} -> {_quote(to)}" + (f" [{attributes}]" if attributes else "")
