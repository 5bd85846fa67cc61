"""Which backend works with which values: the registry, discovery by the type of a tensor, and conversion."""

from __future__ import annotations

import importlib
import importlib.util
import os
import warnings
from typing import Any

import numpy as np

from .base import Backend
from .context import default_backend, precision, set_global_default_backend

_FILE = "_backend.py"

BACKENDS: list[Backend] = []
"""The registered backends, in order. Starts as [NUMPY]; others are appended at first use or by `detect_backends()`."""


class NoBackendFound(ValueError):
    """No registered backend can work with the values, or none has the name asked for."""


def register(backend: Backend) -> None:
    """Appends a backend to `BACKENDS` unless one of its name is there."""
    if all(known.name != backend.name for known in BACKENDS):
        BACKENDS.append(backend)


def choose_backend(*values: Any, prefer_default: bool = False) -> Backend:
    """The backend to use for these values.

    The default backend, if it can work with all of them and one is its own (or `prefer_default`). Otherwise the first
    registered one that can and that one value belongs to, else the first one that can.

    Args:
        *values: Tensors, numbers, sequences, networks.
        prefer_default: Also choose the default backend when none of the values is its own.

    Raises:
        NoBackendFound: Naming the types of the values and the registered backends.

    Example:
        >>> choose_backend(np.ones(3), 1.0)
        numpy
    """
    for value in values:
        _discover(value)
    default = default_backend()
    able = [backend for backend in _in_order(default) if all(_can_use(backend, value) for value in values)]
    if default in able and prefer_default:
        return default
    for backend in able:
        if any(_owns(backend, value) for value in values):
            return backend
    if able:
        return able[0]
    kinds = ", ".join(_describe(value) for value in values)
    names = ", ".join(backend.name for backend in BACKENDS)
    raise NoBackendFound(f"No backend can work with values of types ({kinds}). Registered backends: {names}.")


def _in_order(default: Backend) -> list[Backend]:
    return [default, *(backend for backend in BACKENDS if backend is not default)]


def _owns(backend: Backend, value: Any) -> bool:
    if isinstance(value, np.bool_):  # what comparisons give: a number like Python's bool, nobody's own
        return False
    return backend.is_tensor(value, only_native=True) or _is_module(backend, value)


def _can_use(backend: Backend, value: Any) -> bool:
    return backend.is_tensor(value) or _is_module(backend, value)


def _is_module(backend: Backend, value: Any) -> bool:
    return backend.supports("is_module") and backend.is_module(value)


def _describe(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{type(value).__name__} of {value.dtype}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} of {', '.join(dict.fromkeys(map(_describe, value)))}"
    return f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")


_seen_types: set[type] = set()


def _discover(value: Any) -> None:
    """Imports the backend of the library that a value comes from, found by the root modules of its type."""
    if isinstance(value, (tuple, list)):
        for entry in value:
            _discover(entry)
    if isinstance(value, np.ndarray):  # not remembered: the next array may hold something else
        if value.dtype == object:
            get_backend("sympy")
        return
    kind = type(value)
    if kind in _seen_types:
        return
    # the classes it derives from count too; a class that is made on the way may have no module at all
    roots = {(base.__module__ or "").partition(".")[0] for base in kind.__mro__}
    for name in roots.intersection(known_names()):
        get_backend(name)
    _seen_types.add(kind)


def known_names() -> list[str]:
    """Names of the backends that this package has a file for, 'numpy' first and 'sympy' last, installed or not.

    Example:
        >>> known_names()[0], known_names()[-1]
        ('numpy', 'sympy')
    """
    names = [file.removesuffix(_FILE) for file in os.listdir(os.path.dirname(__file__)) if file.endswith(_FILE)]
    return sorted(names, key=lambda name: (name != "numpy", name == "sympy", name))


def is_installed(name: str) -> bool:
    """Whether the library of a backend is installed. Nothing is imported to find out.

    Example:
        >>> is_installed('numpy')
        True
    """
    return importlib.util.find_spec(name) is not None


def get_backend(name: str | Backend) -> Backend:
    """The backend of a name, imported if need be.

    Args:
        name: Such as 'numpy' or 'sympy'; a backend is returned as it is.

    Raises:
        NoBackendFound: For an unknown name, listing the known ones.
        MissingLibrary: When its library is not installed, with the pip command.

    Example:
        >>> get_backend('numpy')
        numpy
    """
    if isinstance(name, Backend):
        return name
    for backend in BACKENDS:
        if backend.name == name:
            return backend
    if name in known_names():
        module = importlib.import_module(f"{__package__}.{name}_backend")
        backend = getattr(module, name.upper())
        register(backend)
        return backend
    known = dict.fromkeys([*known_names(), *(backend.name for backend in BACKENDS)])
    raise NoBackendFound(f"Unknown backend {name!r}. Known: {', '.join(known)}.")


def use(name: str | Backend) -> Backend:
    """Makes a backend the global default and returns it.

    Example:
        >>> use('numpy')
        numpy
    """
    backend = get_backend(name)
    set_global_default_backend(backend)
    return backend


def detect_backends() -> list[Backend]:
    """Registers every backend whose library is installed and returns `BACKENDS`.

    Warns:
        RuntimeWarning: For a library that is installed but cannot be imported; the others are registered all the same.

    Example:
        >>> detect_backends()[0]
        numpy
    """
    for name in known_names():
        if is_installed(name):
            try:
                get_backend(name)
            except Exception as error:  # whatever the start of a broken library raises
                text = f"{name} is installed, but could not be loaded and is left out: {type(error).__name__}: {error}"
                warnings.warn(text, RuntimeWarning, stacklevel=2)
    return BACKENDS


def convert(tensor: Any, backend: Backend | str | None = None, use_dlpack: bool = True) -> Any:
    """The same values as a tensor of another backend, in the same precision. Breaks differentiation.

    Whether memory is shared follows from who may write to it, not from where it happens to lie:

    | from, to | memory |
    | --- | --- |
    | numpy to torch, torch to numpy | shared, on the CPU; an array that is read-only or runs backwards is copied |
    | jax to numpy | shared, and read-only |
    | all others | copied; the copy is complete when `convert` returns |

    Args:
        tensor: A tensor, number or sequence.
        backend: Default: the current default backend.
        use_dlpack: Share memory as in the table; False: always copy.

    Returns:
        `tensor` itself when it belongs to the backend already.

    Raises:
        TypeError: For a value that is not known yet because its function is being compiled, and for types that NumPy
            does not have, such as bfloat16.

    Example:
        >>> convert(np.ones(2), 'sympy')
        array([1, 1], dtype=object)
    """
    target = default_backend() if backend is None else get_backend(backend)
    if target.is_tensor(tensor, only_native=True):
        return tensor
    source = choose_backend(tensor)
    if not source.is_tensor(tensor, only_native=True):
        return target.as_tensor(tensor)
    with precision(None):  # every value keeps the precision it has
        values = source.numpy(tensor)
        return target.adopt(values if use_dlpack else np.array(values))
