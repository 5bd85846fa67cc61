"""backbench: one piece of array code on numbers and on symbols, and the differences on screen.

Names are loaded when they are first used: `import backbench` loads NumPy and nothing heavier.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .backend import (
    BACKENDS,
    NUMPY,
    Backend,
    ComputeDevice,
    DType,
    MissingLibrary,
    NoBackendFound,
    UnsupportedOperation,
    choose_backend,
    combine_types,
    context_backend,
    convert,
    default_backend,
    detect_backends,
    get_backend,
    get_precision,
    precision,
    set_global_default_backend,
    set_global_precision,
    softmax,
    use,
    with_gradient,
)

if TYPE_CHECKING:
    from .backend.sympy_backend import SYMPY, exact
    from .solve.result import SolveResult, Status, Trajectory
    from .symbolic.program import Program
    from .symbolic.trace import compile

_LAZY = {
    "SYMPY": "backend.sympy_backend",
    "exact": "backend.sympy_backend",
    "SolveResult": "solve.result",
    "Status": "solve.result",
    "Trajectory": "solve.result",
    "Program": "symbolic.program",
    "compile": "symbolic.trace",
}

__all__ = [
    "BACKENDS",
    "NUMPY",
    "SYMPY",
    "Backend",
    "ComputeDevice",
    "DType",
    "MissingLibrary",
    "NoBackendFound",
    "Program",
    "SolveResult",
    "Status",
    "Trajectory",
    "UnsupportedOperation",
    "choose_backend",
    "combine_types",
    "compile",
    "context_backend",
    "convert",
    "default_backend",
    "detect_backends",
    "exact",
    "get_backend",
    "get_precision",
    "precision",
    "set_global_default_backend",
    "set_global_precision",
    "softmax",
    "use",
    "with_gradient",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":  # asked for rarely, and importlib.metadata takes longer than this whole package
        from importlib.metadata import version

        return version("backbench")
    if name not in _LAZY:
        raise AttributeError(f"module 'backbench' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
