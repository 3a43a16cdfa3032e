"""The NF library as its files describe it, and a first chain that uses it."""
