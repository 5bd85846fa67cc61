"""From functions and expressions to a `Program`, and from there to formulas and Python code."""

from .program import Assignment, Block, Input, Output, Program
from .trace import compile

__all__ = ["Assignment", "Block", "Input", "Output", "Program", "compile"]
