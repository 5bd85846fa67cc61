"""`compare`: one function on many backends and precisions, each result held against one of 50 digits."""

from .comparing import compare
from .result import Cell, Comparison

__all__ = ["Cell", "Comparison", "compare"]
