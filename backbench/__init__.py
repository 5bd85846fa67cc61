"""backbench: one piece of array code on numbers and on symbols, and the differences on screen.

Every name is loaded when it is first used (PEP 562), so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from .backend.jax_backend import JAX
    from .backend.sympy_backend import SYMPY, exact
    from .backend.torch_backend import TORCH
    from .comparison import Comparison, compare
    from .solve.result import SolveResult, Status, Trajectory
    from .symbolic.program import Program
    from .symbolic.trace import compile

__all__ = [
    "BACKENDS",
    "JAX",
    "NUMPY",
    "SYMPY",
    "TENSORFLOW",
    "TORCH",
    "Backend",
    "Comparison",
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
    "compare",
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

_ELSEWHERE = {
    "JAX": "backend.jax_backend",
    "TENSORFLOW": "backend.tensorflow_backend",
    "TORCH": "backend.torch_backend",
    "SYMPY": "backend.sympy_backend",
    "exact": "backend.sympy_backend",
    "Comparison": "comparison",
    "compare": "comparison",
    "SolveResult": "solve.result",
    "Status": "solve.result",
    "Trajectory": "solve.result",
    "Program": "symbolic.program",
    "compile": "symbolic.trace",
}
"""Where the names are that do not come from `backend`."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("backbench")
        except PackageNotFoundError:
            return "0+not.installed"
    if name not in __all__:
        raise AttributeError(f"module 'backbench' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_ELSEWHERE.get(name, 'backend')}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
