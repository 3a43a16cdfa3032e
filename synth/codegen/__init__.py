"""Emit C for a chain graph, and build it into one binary.

`emit` is a pure function from the graph to source files; `build` writes them, compiles and links
them with DPDK. The C runtime that generated code includes stands in `runtime/`.
"""

from synth.codegen.build import BuiltBinary, build
from synth.codegen.emit import emit
from synth.codegen.errors import ToolchainError
from synth.codegen.tree import SourceTree

__all__ = ["BuiltBinary", "SourceTree", "ToolchainError", "build", "emit"]
