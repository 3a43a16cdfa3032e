"""Operations on keyed tables as C statements (`runtime/keyed_table.h`)."""

from collections.abc import Iterator, Sequence

from synth.codegen.layout import If, Line
from synth.codegen.scope import Scope
from synth.codegen.uses import Site
from synth.graph.nodes import BucketColumn, Column, EntryWrite, Find, Insert, KeyedTable, Remove, Touch, Value

TableOp = Find | Insert | EntryWrite | Touch | Remove


class TableStatements:
    """Writes the keyed table operations of one handler, in order."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._keys: dict[tuple[Site, str], str] = {}

    def of(self, op: TableOp, site: Site) -> Iterator[str | If]:
        """Yield an operation's statements."""
        scope = self._scope
        match op:
            case Find():
                yield from self._find(op, site)
            case Insert():
                yield from self._insert(op, site)
            case EntryWrite():
                yield f"{scope.member(op.entry, op.table, op.column)} = {scope.text(op.value)};"
            case Touch():
                timer = scope.symbols.members[op.table, op.timer]
                yield self._call("touch", op.table, scope.name(op.entry), timer, "burst->now") + ";"
            case Remove():
                yield self._call("remove", op.table, scope.name(op.entry)) + ";"

    def _call(self, function: str, table: str, *arguments: str) -> str:
        name = self._scope.symbols.states[table]
        return f"{name}_{function}({', '.join((self._scope.state(table), *arguments))})"

    def _find(self, op: Find, site: Site) -> Iterator[str]:
        key, made = self._key(op, op.index, site)
        yield from made
        memo = self._scope.memo(op, site)
        arguments = (f"&{key}", "burst->now") if memo is None else (memo, f"&{key}", "burst->now")
        function = "find" if memo is None else "recall"
        function += "" if op.index == "key" else "_unique"
        yield self._scope.assign(op.results[1], self._call(function, op.table, *arguments), "entry")

    def _key(self, op: Find | Insert, index: str, site: Site) -> tuple[str, list[str]]:
        """Return the name of a key struct and, where it is made, its declaration."""
        made_at = self._scope.uses.key_sites[site, index]
        if (made_at, index) in self._keys:
            return self._keys[made_at, index], []
        table = self._scope.states.table(op.table)
        columns = table.key if index == "key" else table.unique
        name, text = self._struct(table, index, columns, op.key, is_constant=True)
        self._keys[made_at, index] = name
        return name, [text]

    def _struct(
        self,
        table: KeyedTable,
        part: str,
        columns: Sequence[Column],
        scalars: Sequence[Value | None],
        *,
        is_constant: bool,
    ) -> tuple[str, str]:
        """Return the name and the declaration of a key, unique key or values of a table."""
        members = [
            f".{column.name} = {self._scope.text(scalar)}"
            for column, scalar in zip(columns, scalars, strict=True)
            if scalar is not None
        ]
        name = self._scope.namespace.fresh(part)
        type_ = f"{'const ' if is_constant else ''}struct {self._scope.symbols.states[table.name]}_{part}"
        return name, f"{type_} {name} = {{{', '.join(members) or '0'}}};"

    def _insert(self, op: Insert, site: Site) -> Iterator[str | If]:
        key, made = self._key(op, "key", site)
        yield from made
        table, arguments = self._scope.states.table(op.table), [f"&{key}"]
        unique = ""
        if table.unique:
            unique, text = self._struct(
                table, "unique", table.unique, op.unique, is_constant=op.choose is None
            )
            yield text
            arguments.append(f"&{unique}")
        if table.values:
            yield from self._values(op, table, arguments)
        if op.choose is None:
            yield self._inserted(op, self._call("insert", op.table, *arguments, "burst->now"))
        else:
            yield from self._insert_choosing(op, arguments, unique, op.choose)

    def _insert_choosing(
        self, op: Insert, arguments: list[str], unique: str, choose: tuple[int, int, int]
    ) -> Iterator[str | If]:
        position, low, high = choose
        names = self._scope.symbols
        member = self._scope.states.table(op.table).unique[position].name
        where = f"offsetof(struct {names.states[op.table]}_unique, {member})", f"sizeof {unique}.{member}"
        bounds = str(low), str(high)
        if op.table in names.ranged:
            own = f"state->ranges[{names.choices[op.table]}]"
            bounds = f"{own}.low", f"{own}.high"
        yield self._inserted(
            op, self._call("insert_choosing", op.table, *arguments, *where, *bounds, "burst->now")
        )
        log = Line(f"log_choice(state, {names.choices[op.table]}, {unique}.{member});", op.span)
        yield If(f"{self._scope.name(op.results[1])} != NULL", (log,), span=op.span)

    def _inserted(self, op: Insert, call: str) -> str:
        if op.results[1] in self._scope.uses.sites or op.choose is not None:
            return self._scope.assign(op.results[1], call, "entry")
        return f"{call};"

    def _values(self, op: Insert, table: KeyedTable, arguments: list[str]) -> Iterator[str]:
        columns = [column for column in table.values if isinstance(column, Column)]
        buckets = [column for column in table.values if isinstance(column, BucketColumn)]
        values, text = self._struct(table, "values", columns, op.values, is_constant=not buckets)
        yield text
        for bucket in buckets:
            yield f"token_bucket_start(&{values}.{bucket.name}, {bucket.burst}, burst->now);"
        arguments.append(f"&{values}")
