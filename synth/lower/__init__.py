"""From the typed chain to the chain graph, as written: nothing shared between NFs, nothing proved.

A layer of its own between `language` (which it reads) and `graph` (which it builds).
"""

from synth.lower.chain import lower

__all__ = ["lower"]
