"""New unknowns, named by where they come from.

A walk behind a cut may be done again when the cut has become weaker. An unknown that comes from the
same place of the same walk must then be the same term, or nothing would be the same at two arrivals.

Why one name for one place is right. Think of one packet's run, and of the unknowns as variables that it
assigns when it passes a place. Where it is, all that the walk holds there (facts, values) must be true
of the variables as they are then. So a variable may be assigned again only where nothing that is held
speaks of it as it was:

- Between two cuts no place is passed twice with the same work still to do (blocks have an order there, and
  the deliveries that wait are part of the place), so within one walk each variable is assigned once.
- Behind a cut, the variables of that cut's scope are assigned anew. What a cut holds is from its *first*
  arrival, which came before any walk behind that cut, so none of it speaks of variables of the cut's own
  scope; and whatever speaks of variables of other scopes was checked at the arrival, as they were then.
- Deliveries that wait while others run behind a cut go on with the variables as they were at the cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import z3


@dataclass(slots=True)
class Unknowns:
    """All unknowns so far. `scope` is where the current walk started: an interface or a cut."""

    scope: str = ""
    _made: dict[object, Any] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)

    def at(self, place: object, hint: str, like: Any, *, because: Sequence[Any] = ()) -> Any:
        """Return the unknown of a place in this walk, with the sort of `like`.

        `because` are terms that tell unknowns of one place apart.
        """
        key = (self.scope, place, hint, tuple(term.get_id() for term in because))
        if key not in self._made:
            # Terms are kept alive, or Z3 may give their identity to others.
            self._kept += because
            self._made[key] = z3.Const(f"{hint}!{len(self._made)}", like.sort())
        return self._made[key]
