"""What the parser could have gone on with, in the words of a person.

The parser knows sets of terminals. A person wants to hear "a type" or "a statement".
"""

from collections.abc import Iterable, Mapping

_EXPRESSION = frozenset({"NAME", "INTEGER", "STRING", "QUANTITY", "LPAR", "CHOOSE", "UNARY"})
# What else an expression may begin with.
_LITERALS = frozenset({"MAC", "PREFIX4", "IPV4", "PREFIX6", "IPV6", "RANGE", "TRUE", "FALSE", "IF"})
_OPERATORS = frozenset(
    {"OR_OR", "AND_AND", "COMPARE", "IN", "IS", "PIPE", "CARET", "AMPERSAND", "SHIFT", "SUM"} | {"PRODUCT"}
)
_CALLS = frozenset({"LPAR", "DOT", "LSQB"})

# Tried in order: a set that is wholly there becomes its words, and what it takes along goes.
_GROUPS: tuple[tuple[frozenset[str], frozenset[str], str], ...] = (
    (_EXPRESSION | {"LSQB", "LBRACE"}, _LITERALS, "a value"),
    (_EXPRESSION, _LITERALS, "an expression"),
    (
        frozenset({"LET", "MATCH", "DROP", "EMIT", "GIVE", "NAME"}),
        frozenset({"IF", "TOUCH", "REMOVE", "COUNT"}),
        "a statement",
    ),
    (
        frozenset({"TABLE", "VECTOR", "COUNTER", "BUCKET", "SKETCH", "RING"}),
        frozenset(),
        "`table`, `vector`, `counter`, `bucket`, `sketch`, `ring`",
    ),
    (frozenset({"NAME", "LPAR", "PACKET"}), frozenset(), "a type"),
    (frozenset({"NAME", "LPAR", "BANG"}), frozenset(), "a pattern"),
    (frozenset({"IPV4", "PREFIX4"}), frozenset({"IPV6", "PREFIX6"}), "an address, a prefix"),
    (frozenset({"PREFIX4", "PREFIX6"}), frozenset(), "an address with its prefix length"),
    (
        frozenset({"USE", "RECORD", "FN", "NF", "CHAIN"}),
        frozenset({"$END"}),
        "`use`, `record`, `fn`, `nf`, `chain`",
    ),
)

_WORDS: Mapping[str, str] = {
    "NAME": "a name",
    "STRING": "a string",
    "MAC": "a MAC address",
    "INTEGER": "a whole number",
    "COMPARE": "a comparison",
    "ARROW": "`<->`, `->`",
    "$END": "the end of the file",
}

_NAMES_AFTER: Mapping[str, str] = {
    "nf": "the name of the nf",
    "chain": "the name of the chain",
    "fn": "the name of the function",
    "record": "the name of the record",
    "drop": "the reason of the drop",
    "touch": "a timer of an entry",
    "remove": "an entry",
    "count": "the name of a counter",
    "let": "a name",
    "match": "the name of the packet",
    "interface": "the name of the interface",
}


def describe(accepted: Iterable[str], keywords: Mapping[str, str], previous: str) -> str:
    """Say what could stand here: `a type`, `` `}` or a statement``.

    `keywords` maps the terminals with one spelling to it; `previous` is the token before.
    """
    left = set(accepted) - {"SEMICOLON"}
    phrases: list[str] = []
    continues = "COMPARE" in left or "AND_AND" in left
    if continues:
        left -= _OPERATORS | _CALLS
    if left == {"NAME"} and previous in _NAMES_AFTER:
        return _NAMES_AFTER[previous]
    for needed, taken, words in _GROUPS:
        if needed <= left:
            left -= needed | taken
            phrases.append(words)
    phrases += [_word(name, keywords) for name in sorted(left, key=lambda n: (n == "RBRACE", n))]
    if continues:
        phrases.append("an operator")
    return _either(", ".join(dict.fromkeys(phrases)).split(", "))


def _word(terminal: str, keywords: Mapping[str, str]) -> str:
    return _WORDS.get(terminal) or f"`{keywords.get(terminal, terminal.lower())}`"


def _either(phrases: list[str]) -> str:
    if len(phrases) < 2:
        return "".join(phrases) or "nothing more"
    return f"{', '.join(phrases[:-1])} or {phrases[-1]}"
