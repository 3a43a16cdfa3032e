"""Vectors, counters and count-min sketches over integers."""

from synth.graph.nodes import Sketch, Vector
from synth.net.crc32c import crc32c

Row = tuple[int, ...]

COUNTER_MASK = (1 << 64) - 1
SKETCH_LIMIT = (1 << 32) - 1


class IntegerVector:
    def __init__(self, vector: Vector) -> None:
        self.cells: list[Row] = [vector.initial] * vector.size

    def read(self, index: int) -> Row:
        return self.cells[index]

    def write(self, index: int, values: Row) -> None:
        self.cells[index] = values


class IntegerCounter:
    """64 bits, wrapping."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0

    def add(self, amount: int) -> None:
        self.value = (self.value + amount) & COUNTER_MASK


class IntegerSketch:
    """Rows of 32-bit counters that stop at their largest value."""

    def __init__(self, sketch: Sketch) -> None:
        self._columns = sketch.columns
        self._sizes = tuple((column.width + 7) // 8 for column in sketch.key)
        self._counters = [[0] * sketch.columns for _ in range(sketch.rows)]

    def add(self, key: Row, amount: int) -> None:
        for row, column in self._cells(key):
            row[column] = min(row[column] + amount, SKETCH_LIMIT)

    def estimate(self, key: Row) -> int:
        return min(row[column] for row, column in self._cells(key))

    def _cells(self, key: Row) -> list[tuple[list[int], int]]:
        text = b"".join(scalar.to_bytes(size, "big") for scalar, size in zip(key, self._sizes, strict=True))
        columns = (crc32c(text + bytes((row,))) % self._columns for row in range(len(self._counters)))
        return list(zip(self._counters, columns, strict=True))
