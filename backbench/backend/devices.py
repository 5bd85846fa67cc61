"""Devices that backends compute on."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .base import Backend


@dataclass(frozen=True)
class ComputeDevice:
    """A device of one backend.

    Args:
        backend: The backend that lists it.
        name: The library's name for it.
        device_type: 'CPU', 'GPU' or 'TPU'.
        memory: Bytes, -1 when not known.
        processor_count: -1 when not known.
        description: Further words of the library.
        ref: The library's own object for it.
    """

    backend: Backend
    name: str
    device_type: str
    memory: int
    processor_count: int
    description: str
    ref: Any = None

    def __repr__(self) -> str:
        memory = f"{self.memory / 2**30:.1f} GiB" if self.memory >= 0 else "memory unknown"
        processors = f"{self.processor_count} processors" if self.processor_count >= 0 else "processors unknown"
        text = f"{self.backend.name} {self.device_type} '{self.name}' | {memory} | {processors}"
        return f"{text} | {self.description}" if self.description else text


def host_cpu(backend: Backend, ref: Any = None) -> ComputeDevice:
    """The processor of this machine as a device of a backend.

    Args:
        backend: The backend that lists it.
        ref: Its library's own object for it.
    """
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else -1
    return ComputeDevice(backend, "CPU", "CPU", memory, os.cpu_count() or -1, "", ref)
