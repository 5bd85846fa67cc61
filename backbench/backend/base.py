"""`Backend`: the whole contract as one class, with identity, devices and registration."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, ClassVar

from .context import context_device, enter_backend, get_precision, leave_backend
from .contract.arithmetic import Arithmetic
from .contract.arrangement import Arrangement
from .contract.autodiff import Autodiff
from .contract.creation import Creation
from .contract.elementwise import Elementwise
from .contract.linalg import LinearAlgebra
from .contract.neural import Neural
from .contract.reductions import Reductions
from .contract.solving import Solving
from .contract.sparse import Sparse
from .contract.transcendental import Transcendental
from .contract.values import Values
from .devices import ComputeDevice
from .dtypes import DType
from .features import is_supported, lacking


class Backend(
    Values,
    Creation,
    Arithmetic,
    Transcendental,
    Elementwise,
    Reductions,
    Arrangement,
    LinearAlgebra,
    Sparse,
    Autodiff,
    Solving,
    Neural,
):
    """A library of array operations behind one set of names. `with backend:` makes it the default inside the block.

    Subclasses override what their library offers (see `ArrayBackend`), and list what they lack, with the reason.

    Args:
        name: The name users know it by.
        default_device: Where new tensors are made.

    Example:
        >>> from backbench import NUMPY, default_backend
        >>> with NUMPY as b:
        ...     default_backend() is b
        True
    """

    lacks: ClassVar[Mapping[str, str]] = {}
    """Operations that a class inherits but does not offer: name -> reason."""

    approximate: ClassVar[frozenset[str]] = frozenset()
    """Operations that are offered by approximation only, such as gradients by finite differences."""

    def __init__(self, name: str, default_device: ComputeDevice | None = None) -> None:
        self._name = name
        self._default_device = default_device

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, reason in cls.__dict__.get("lacks", {}).items():
            setattr(cls, name, lacking(getattr(cls, name), reason))
        for name, method in vars(cls).items():
            if inspect.isfunction(method) and not method.__doc__:
                method.__doc__ = getattr(getattr(Backend, name, None), "__doc__", None)

    @property
    def name(self) -> str:
        """The name, such as 'numpy'."""
        return self._name

    def __repr__(self) -> str:
        return self._name

    def __enter__(self) -> Backend:
        enter_backend(self)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        leave_backend(self)

    def supports(self, feature: str | Callable[..., Any]) -> bool:
        """Whether a call of the method would not raise `UnsupportedOperation`.

        Args:
            feature: Name of a method, or the method itself, such as `Backend.fft`.

        Raises:
            ValueError: When there is no such method.

        Example:
            >>> b.supports('exp'), b.supports('jit_compile')
            (True, False)
        """
        name = feature if isinstance(feature, str) else getattr(feature, "__name__", repr(feature))
        function = getattr(feature, "__func__", feature)  # of a bound method
        is_ours = isinstance(feature, str) or any(vars(c).get(name) is function for c in type(self).__mro__)
        if name.startswith("_") or not inspect.isfunction(getattr(Backend, name, None)) or not is_ours:
            raise ValueError(f"'{name}' is not a method of Backend.")
        return is_supported(type(self), name)

    def prefers_channels_last(self) -> bool:
        """Whether the library computes faster with the channels as the last axis."""
        return False

    @property
    def precision(self) -> int | None:
        """Bits of new floats; `None` when results keep the precision of their inputs."""
        return get_precision()

    @property
    def widest(self) -> int:
        """Bits of the widest floats and integers that the library has."""
        return 64

    @property
    def float_type(self) -> DType:
        """Type of new floating point tensors."""
        return DType(float, get_precision() or 32)

    @property
    def complex_type(self) -> DType:
        """Type of new complex tensors: two floats of the current precision, at least float32."""
        return DType(complex, max(64, 2 * (get_precision() or 32)))

    @property
    def as_registered(self) -> Backend:
        """The registered backend of this name.

        Raises:
            RuntimeError: When there is none.
        """
        from .choice import BACKENDS

        for backend in BACKENDS:
            if backend.name == self.name:
                return backend
        raise RuntimeError(f"No backend named '{self.name}' is registered: append it to backbench.BACKENDS.")

    def list_devices(self, device_type: str | None = None) -> list[ComputeDevice]:
        """The devices this backend can use, all or of one type ('CPU', 'GPU', 'TPU').

        Example:
            >>> [device.device_type for device in b.list_devices()]
            ['CPU']
        """
        devices = self._devices()
        return devices if device_type is None else [device for device in devices if device.device_type == device_type]

    def _devices(self) -> list[ComputeDevice]:
        """All devices of the library, the default one first."""
        raise NotImplementedError

    def get_default_device(self) -> ComputeDevice:
        """Where new tensors are made.

        Example:
            >>> b.get_default_device().name
            'CPU'
        """
        if (device := context_device(self)) is not None:
            return device
        if self._default_device is None:
            self._default_device = self._devices()[0]
        return self._default_device

    def set_default_device(self, device: ComputeDevice | str) -> bool:
        """Chooses where new tensors are made.

        Args:
            device: One of `list_devices()`, or a device type, which means the first one of it.

        Returns:
            Whether it was set. If there is no such device, a RuntimeWarning tells.

        Raises:
            ValueError: For the device of another backend.

        Example:
            >>> b.set_default_device('CPU')
            True
        """
        if isinstance(device, ComputeDevice):
            if device.backend is not self:
                raise ValueError(f"{device!r} is no device of backend '{self.name}'. See {self.name}.list_devices().")
            self._default_device = device
            return True
        if not isinstance(device, str):
            raise TypeError(
                f"{self.name}.set_default_device takes a ComputeDevice or a type such as 'CPU', not {device!r}."
            )
        found = self.list_devices(device)
        if not found:
            kinds = ", ".join(sorted({known.device_type for known in self.list_devices()}))
            message = f"Backend '{self.name}' has no device of type '{device}'; it has {kinds}. The default stays."
            warnings.warn(message, RuntimeWarning, stacklevel=2)
            return False
        self._default_device = found[0]
        return True

    def seed(self, seed: int) -> None:
        """Starts the random numbers of this backend anew."""
        raise NotImplementedError

    def call(self, f: Callable[..., Any], *args: Any, name: str | None = None) -> Any:
        """f(*args), visible to the profiler as one call.

        Example:
            >>> b.call(max, 1, 2, name='larger')
            2
        """
        return f(*args)

    def block_until_ready(self, values: Any) -> Any:
        """Waits for pending computations and returns the values.

        Example:
            >>> b.block_until_ready([1])
            [1]
        """
        return values
