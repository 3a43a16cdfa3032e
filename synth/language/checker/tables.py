"""Tables of the NF that is being checked, and the columns of their entries."""

from synth.language import typed
from synth.language.checker.scope import Scope, StateName
from synth.language.types import Type


def find_table(scope: Scope, name: str) -> typed.TableState | None:
    """Return a table of the NF by its name; None when its declaration is wrong."""
    known = scope.known.get(name)
    state = known.state if isinstance(known, StateName) else None
    return state if isinstance(state, typed.TableState) else None


def columns(table: typed.TableState) -> dict[str, Type | typed.Bucket]:
    """Return a table's key, unique and value columns with their types."""
    found: dict[str, Type | typed.Bucket] = dict([table.key])
    if table.unique is not None:
        found |= dict([table.unique])
    return found | {value.name: value.type for value in table.values}
