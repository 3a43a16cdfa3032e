"""The source file of each NF: one function for each side on which it receives."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from synth.codegen.function import function_body
from synth.codegen.layout import If, Line, Return, Statement, lay_out
from synth.codegen.memos import Memos
from synth.codegen.regions import Region
from synth.codegen.stages import decided_in_bursts
from synth.codegen.state import States
from synth.codegen.symbols import Symbols
from synth.codegen.templates import render
from synth.codegen.uses import Site
from synth.graph.nodes import ChainGraph, Deliver
from synth.graph.walk import edges

_HEADERS = (
    ("arithmetic.h", r"\b(divide|remainder_of|shift_left|shift_right|add_overflows|mul_overflows)\("),
    ("fields.h", r"\bpacket_(?!has_|parse\b|emit\b|leave\b|draft\b|next_head\b)\w+\(|\b(IPV4|MAC)\("),
    ("runtime/hash.h", r"\bhash(8|16|32|48|64|_scalar|_end)\("),
    ("runtime/sketch.h", r"\bsketch_(add|estimate)\("),
    (
        "runtime/static_tables.h",
        r"\b(rules_(decide|recall)|routes_(lookup|recall)|list_row|list_row_with|ring_pick)\(",
    ),
    ("flow.h", r"\bstruct flow\b"),
    ("runtime/token_bucket.h", r"\btoken_bucket_\w+\("),
    ("state.h", r"\b(state|tables)->"),
)
"""Headers, by what a function's text uses of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A handler's function as the templates print it; `verdicts`: the rule sets that were decided before."""

    name: str
    signature: str
    verdicts: tuple[str, ...]
    comment: str
    body: str


def functions_of(
    graph: ChainGraph, regions: Mapping[str, Region], symbols: Symbols, memos: Memos, *, is_synthesized: bool
) -> dict[str, Function]:
    """Return each handler's function, by its block. `memos`: none, unless the chain is synthesized."""
    states = States(graph.states)
    called = {
        edge.block
        for block in graph.blocks
        if isinstance(block.terminator, Deliver)
        for edge in edges(block.terminator)
    }
    return {
        block: _function(
            region,
            symbols,
            states,
            memos,
            is_synthesized=is_synthesized,
            verdicts=decided_in_bursts(region) if is_synthesized and block not in called else {},
        )
        for block, region in regions.items()
    }


def nf_files(
    graph: ChainGraph, made: Mapping[str, Function], symbols: Symbols, tables: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each NF's file. `tables`: the C names of the keyed tables."""
    by_nf: dict[str, list[Function]] = {}
    for handler in graph.handlers:
        by_nf.setdefault(handler.nf, []).append(made[handler.block])
    for nf, functions in by_nf.items():
        path = f"{symbols.files[nf]}.c"
        includes = includes_of([function.body for function in functions], tables)
        yield path, render("nf.c", file=path, nf=nf, chain=graph.name, includes=includes, functions=functions)


def _function(
    region: Region,
    symbols: Symbols,
    states: States,
    memos: Memos,
    *,
    is_synthesized: bool,
    verdicts: Mapping[Site, str],
) -> Function:
    handler = region.handler
    found = function_body(
        region, symbols, states, keeps_received=is_synthesized, verdicts=verdicts, memos=memos
    )
    text = lay_out(found.statements)
    unused = [Line(f"(void){name};") for name in found.unused]
    parse = [] if is_synthesized else [Line("packet_parse(packet);")]
    start = lay_out([*unused, *_locals(text), *_flow(text), *_budget(region, symbols), *parse])
    body = "\n\n".join(part for part in (start, text) if part)
    if not re.search(r"\bpacket\b", body):
        body = f"    (void)packet;\n{body}"
    name = symbols.functions[handler.block]
    parameters = ", ".join(("struct burst *burst", "struct packet *packet", *found.parameters))
    return Function(
        name=name,
        verdicts=tuple(symbols.states[rules] for rules in dict.fromkeys(verdicts.values())),
        signature=f"void {name}({parameters})",
        comment=f"A packet that arrives at `{handler.nf}` on its side `{handler.side}`.",
        body=body,
    )


def _locals(text: str) -> Iterator[Line]:
    if re.search(r"\bstate\b(->|,)", text):
        yield Line("struct core_state *const state = burst->state;")
    if re.search(r"\btables->", text):
        yield Line("const struct core_tables *const tables = burst->tables;")


def _flow(text: str) -> Iterator[Line]:
    if "&flow->" in text:
        yield Line("struct flow *const flow = burst->flow;")


def _budget(region: Region, symbols: Symbols) -> Iterator[Statement]:
    handler = region.handler
    if handler.budget is not None:
        dropped = Line(f"drop(burst, {symbols.counters[f'{handler.nf}.chain_loop']});")
        visits = f"packet->visits[{symbols.visits[handler.block]}]"
        yield If(f"++{visits} > {handler.budget}", (dropped, Return()))


def includes_of(bodies: Iterable[str], tables: Sequence[str]) -> list[str]:
    """Return the headers that functions need."""
    text = "\n".join(bodies)
    found = {header for header, use in _HEADERS if re.search(use, text)}
    known = set(tables)
    found |= {
        f"{table}.h" for word in set(re.findall(r"\w+", text)) for table in _starts(word) if table in known
    }
    return ["chain.h", *sorted(found, key=lambda header: ("/" in header, header))]


def _starts(word: str) -> Iterator[str]:
    """Yield what of a word stands in front of each underscore in it."""
    return (word[:at] for at, letter in enumerate(word) if letter == "_")
