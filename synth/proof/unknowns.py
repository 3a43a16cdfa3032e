"""New unknowns, named by where they come from.

A walk behind a cut may be done again when the cut has become weaker. An unknown that comes from the
same place of the same walk must then be the same term, or nothing would be the same at two arrivals.

Why one name for the same place of a walk that is done again, or entered again by one packet, is right:
between two cuts a packet passes each place at most once. What a cut keeps is the term of its *first* arrival,
which came before any walk behind that cut, so nothing that is kept at a cut has a name from behind it;
hence no two values of one state share a name unless they are one value.
"""

from dataclasses import dataclass, field
from typing import Any

import z3


@dataclass(slots=True)
class Unknowns:
    """All unknowns so far. `scope` is where the current walk started: an interface or a cut."""

    scope: str = ""
    _made: dict[object, Any] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)

    def at(self, place: object, hint: str, like: Any, *, because: tuple[Any, ...] = ()) -> Any:
        """Return the unknown of a place in this walk, with the sort of `like`.

        `because` are terms that tell unknowns of one place apart.
        """
        key = (self.scope, place, hint, tuple(term.get_id() for term in because))
        if key not in self._made:
            # Terms are kept alive, or Z3 may give their identity to others.
            self._kept += because
            self._made[key] = z3.Const(f"{hint}!{len(self._made)}", like.sort())
        return self._made[key]
