"""Compilation with Dynamo: one compiled function for each signature of the arguments."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import torch

from .context import default_backend, get_precision

COMPILER = "eager"
"""What `torch.compile` makes of a traced function: 'eager' runs its operations as they are; 'inductor' needs a C++
compiler and takes seconds, for functions that run long or often."""

_UNLIMITED = 10_000


def compiled_by_signature(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function f, traced anew for new shapes, types, devices, precisions and static arguments.

    Dynamo guards what it has traced, so that a branch of Python is not frozen. It would give up on a function that it
    had to trace eight times; the backend's own methods, which all compiled functions share, pass that limit soon. So
    each signature has a code object of its own, and the limit is lifted.
    """
    compiled: dict[Any, Callable[..., Any]] = {}

    @functools.wraps(f)
    def call(*args: Any) -> Any:
        key = (get_precision(), default_backend(), COMPILER, *map(_signature, args))
        if key not in compiled:
            compiled[key] = torch.compile(_with_own_code(f), backend=COMPILER, dynamic=False)
        with torch._dynamo.config.patch(recompile_limit=_UNLIMITED, accumulated_recompile_limit=_UNLIMITED):
            return compiled[key](*args)

    return call


def _with_own_code(f: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        return f(*args)

    code = run.__code__.replace(co_name=getattr(f, "__name__", "f"))
    return types.FunctionType(code, run.__globals__, code.co_name, closure=run.__closure__)


def _signature(x: Any) -> Any:
    if isinstance(x, torch.Tensor):
        return x.dtype, x.shape, x.device, x.layout, x.requires_grad
    if isinstance(x, (tuple, list)):
        return type(x), *map(_signature, x)
    if isinstance(x, dict):
        return dict, *((name, _signature(entry)) for name, entry in x.items())
    try:
        hash(x)
    except TypeError:  # such as an ndarray: told apart by what it is, guarded by Dynamo
        return type(x), getattr(x, "shape", None), str(getattr(x, "dtype", ""))
    return type(x), repr(x) if isinstance(x, float) else x  # 0.0 and -0.0 are equal, but not the same argument
