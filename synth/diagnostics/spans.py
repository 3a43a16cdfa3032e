"""Places in source files."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open stretch of a source file. Lines and columns count from 1, offsets from 0.

    `file` is the path as the user would write it; the text itself is looked up by it when a
    diagnostic is rendered.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def is_whole_file(self) -> bool:
        """Tell whether this stands for the file as a whole: nothing, at its very start."""
        return (self.line, self.column, self.end_line, self.end_column) == (1, 1, 1, 1)

    def holds(self, other: "Span") -> bool:
        """Tell whether another stretch lies in this one."""
        return (
            self.file == other.file
            and (self.line, self.column) <= (other.line, other.column)
            and (other.end_line, other.end_column) <= (self.end_line, self.end_column)
        )

    def to(self, other: "Span") -> "Span":
        """Return the stretch from the start of this span to the end of another."""
        return Span(self.file, self.line, self.column, other.end_line, other.end_column)


NOWHERE = Span("<none>", 1, 1, 1, 1)


def whole_file(path: Path) -> Span:
    """Return the place that stands for a file as a whole."""
    return Span(str(path), 1, 1, 1, 1)
