"""Stages of long work, as whoever watches them sees them."""

from collections.abc import Callable
from contextlib import AbstractContextManager

Stage = Callable[[str], AbstractContextManager[None]]
"""Called with a stage's name; the block that it guards is the stage."""
