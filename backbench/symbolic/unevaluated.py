"""Expressions as written: SymPy's own evaluation is switched off in a block."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import sympy

_LOCK = threading.RLock()


@contextmanager
def unevaluated() -> Iterator[None]:
    """`sympy.evaluate(False)`, one thread at a time: the switch is per thread, but SymPy's cache of results is not."""
    with _LOCK, sympy.evaluate(False):
        yield
