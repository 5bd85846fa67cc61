"""What a backend can do and cannot do: facts that `Backend.supports()` and the errors are made of."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from .base import Backend

Method = TypeVar("Method", bound=Callable[..., Any])


class UnsupportedOperation(NotImplementedError):
    """A backend does not offer an operation. The message names both, the reason, and the way out."""

    def __init__(self, backend: str, operation: str, reason: str, way_out: str) -> None:
        super().__init__(f"Backend '{backend}' does not support '{operation}': {reason}. {way_out}")
        self.backend, self.operation, self.reason, self.way_out = backend, operation, reason, way_out


class MissingLibrary(ImportError):
    """A backend's library is not installed. The message gives the pip command."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed. Install it with: pip install 'backbench[{extra}]'", name=extra)


def optional(method: Method) -> Method:
    """Marks a method of the contract that has no body: backends offer it by overriding it."""
    return lacking(method, "it has no implementation here yet")


def lacking(method: Method, reason: str) -> Method:
    """A method with the name, signature and documentation of `method` that raises `UnsupportedOperation`."""

    @functools.wraps(method)
    def unsupported(self: Backend, *args: Any, **kwargs: Any) -> Any:
        raise UnsupportedOperation(self.name, method.__name__, reason, _way_out(method.__name__))

    unsupported.is_lacking = True  # type: ignore[attr-defined]
    return unsupported  # type: ignore[return-value]


def needs(*features: str) -> Callable[[Method], Method]:
    """Marks a method which is composed of others: it is supported where they are."""

    def mark(method: Method) -> Method:
        method.needs = features  # type: ignore[attr-defined]
        return method

    return mark


def is_supported(backend: type[Backend], feature: str) -> bool:
    """Whether calling the method `feature` on `backend` would not raise `UnsupportedOperation`."""
    method = getattr(backend, feature)
    if getattr(method, "is_lacking", False):
        return False
    return all(is_supported(backend, name) for name in getattr(method, "needs", ()))


def _way_out(operation: str) -> str:
    from .choice import BACKENDS

    able = [backend.name for backend in BACKENDS if backend.supports(operation)]
    if able:
        return f"These backends do: {', '.join(able)}; bring the values there with backbench.convert(x, backend)."
    return "No registered backend does; Backend.supports(name) tells beforehand."
