"""Default backend and precision: blocks are local to a thread or task, above them stands one global default.

A block lives in a `contextvars.ContextVar`, so a thread or an asyncio task does not see what another one has entered.
Threads start with an empty context: copy it (`contextvars.copy_context().run`) to hand a block on.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .base import Backend
    from .devices import ComputeDevice

PRECISIONS = (16, 32, 64, None)

_lock = threading.Lock()
_global_precision: int | None = 32
_global_backend: Backend | None = None
_precision_blocks: ContextVar[tuple[int | None, ...]] = ContextVar("backbench_precision", default=())
_backend_blocks: ContextVar[tuple[Backend, ...]] = ContextVar("backbench_backend", default=())
_device_blocks: ContextVar[tuple[ComputeDevice, ...]] = ContextVar("backbench_device", default=())


def _check_precision(bits: int | None) -> int | None:
    if bits not in PRECISIONS or not isinstance(bits, int | None):
        raise ValueError(f"Precision must be 16, 32, 64 or None, not {bits!r}.")
    return bits


def get_precision() -> int | None:
    """Bits of new floating point tensors and results; `None` when results keep the precision of their inputs.

    Example:
        >>> get_precision()
        32
    """
    blocks = _precision_blocks.get()
    return blocks[-1] if blocks else _global_precision


def set_global_precision(floating_point_bits: int | None) -> None:
    """Sets the precision for all threads; `with precision(bits):` overrides it locally.

    Args:
        floating_point_bits: 16, 32, 64, or `None`: new tensors are float32, results keep the precision of their inputs.
    """
    global _global_precision
    with _lock:
        _global_precision = _check_precision(floating_point_bits)


@contextmanager
def precision(floating_point_bits: int | None) -> Iterator[None]:
    """Context manager: the precision inside the block, also for a block that raises.

    Args:
        floating_point_bits: 16, 32, 64 or `None`, see `set_global_precision()`.

    Example:
        >>> with precision(64):
        ...     NUMPY.div(1, 3)
        np.float64(0.3333333333333333)
    """
    token = _precision_blocks.set((*_precision_blocks.get(), _check_precision(floating_point_bits)))
    try:
        yield
    finally:
        _precision_blocks.reset(token)


@contextmanager
def on_device(device: ComputeDevice) -> Iterator[None]:
    """Makes a device the default one of its backend, in the block.

    Example:
        >>> with on_device(NUMPY.list_devices()[0]):
        ...     NUMPY.get_default_device().name
        'CPU'
    """
    token = _device_blocks.set((*_device_blocks.get(), device))
    try:
        yield
    finally:
        _device_blocks.reset(token)


def context_device(backend: Backend) -> ComputeDevice | None:
    """The device of the inner-most `on_device` block of a backend, `None` outside of one."""
    for device in reversed(_device_blocks.get()):
        if device.backend is backend:
            return device
    return None


def default_backend() -> Backend:
    """The backend of the inner-most `with backend:` block, else the global default.

    Example:
        >>> default_backend()
        numpy
    """
    backend = context_backend() or _global_backend
    assert backend is not None  # the package registers NUMPY when it is imported
    return backend


def context_backend() -> Backend | None:
    """The backend of the inner-most `with backend:` block, `None` outside of one."""
    blocks = _backend_blocks.get()
    return blocks[-1] if blocks else None


def set_global_default_backend(backend: Backend) -> None:
    """Replaces the global default backend; `with backend:` overrides it locally.

    Args:
        backend: The backend itself; `use()` takes its name too.
    """
    from .base import Backend

    if not isinstance(backend, Backend):
        raise TypeError(f"Expected a Backend, got {backend!r}. By name: backbench.use('numpy').")
    global _global_backend
    with _lock:
        _global_backend = backend


def enter_backend(backend: Backend) -> None:
    """Begins a `with backend:` block."""
    _backend_blocks.set((*_backend_blocks.get(), backend))


def leave_backend(backend: Backend) -> None:
    """Ends the inner-most block of this backend; blocks in generators need not end in order."""
    blocks = _backend_blocks.get()
    inner = max(i for i, entered in enumerate(blocks) if entered is backend)
    _backend_blocks.set((*blocks[:inner], *blocks[inner + 1 :]))
