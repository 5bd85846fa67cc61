"""`Follows`: what every view has of a backend, a precision and a device of its own, and how it takes those of a bar."""

import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple, Self

import traitlets
from IPython import get_ipython

from ..backend import BACKENDS, Backend, MissingLibrary, get_backend, is_installed, known_names, precision
from ..backend.context import on_device
from .guard import LOCK

FLOATS = (16, 32, 64)
EXACT = "exact"
SYMBOLIC = "sympy"
CHOICE = ("backend", "precision", "device")


class Choice(NamedTuple):
    """Where something is computed; see the attributes of `Follows`."""

    backend: str
    precision: int | str
    device: str


@contextmanager
def entering(name: str, bits: int | str, device: str) -> Iterator[Backend]:
    """Enter a backend, a precision (not for `"exact"`) and a device by its name, empty for the default."""
    backend = get_backend(name)
    with ExitStack() as stack:
        stack.enter_context(backend)
        if isinstance(bits, int):
            stack.enter_context(precision(bits))
        default = backend.get_default_device()
        wanted = dict(zip(device_names(backend), backend.list_devices(), strict=True)).get(device, default)
        if wanted != default:
            stack.enter_context(on_device(wanted))
        yield backend


class MissingBackend(MissingLibrary, traitlets.TraitError):
    """The library of a backend is not installed. Also a TraitError: traitlets takes changes back for no other."""


class BackendName(traitlets.TraitType[str, Any]):
    """The name of a backend whose library is loaded when it is chosen, not before."""

    def validate(self, view: Any, value: Any) -> str:
        """Load the library; called by traitlets before anything is changed."""
        name = value.name if isinstance(value, Backend) else value
        names = backend_names()
        if name not in names:
            raise traitlets.TraitError(f"Unknown backend {name!r}. Known: {', '.join(names)}.")
        if not is_available(name):
            raise MissingBackend(name, name)
        try:
            get_backend(name)
        except Exception as problem:  # whatever it raises: a library that is there, but broken
            raise traitlets.TraitError(f"{name} is installed, but could not be loaded: {problem}") from problem
        return str(name)


class Follows(traitlets.HasTraits):
    """A view's own choice of backend, precision and device; it may follow that of another view.

    A view keeps them itself, since a callback of the page runs on a thread that does not see a cell's `with` blocks.

    Attributes:
        backend: Name of the backend: `"numpy"`, `"torch"`, `"jax"` or `"sympy"`. Loaded when it is chosen.
        precision: 16, 32 or 64; `"exact"` with `"sympy"` and only there. Going to sympy and back restores the number.
        device: Name of one of the backend's devices; empty for its default.
        backends: What can be chosen: dicts with `name`, `label`, `installed`, `precisions`, and `devices`, which are
            known once the library is loaded.
        alert: `{}`, or `message` and `command` after the page has asked for a library that is not installed.

    Raises:
        traitlets.TraitError: The backend is unknown, or has no such precision or device.
        MissingLibrary: The library of the backend is not installed.
    """

    backend = BackendName("numpy").tag(sync=True)
    precision: traitlets.Enum[Any] = traitlets.Enum((*FLOATS, EXACT), 64).tag(sync=True)
    device = traitlets.Unicode("").tag(sync=True)
    backends: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    alert = traitlets.Dict().tag(sync=True)

    _settled = "numpy"  # the backend that precision, device and options are in line with
    _bits = 64  # the precision to return to from sympy
    _unfollow: Callable[[], object] | None = None

    @traitlets.default("backends")
    def _first_backends(self) -> list[dict[str, Any]]:
        return backend_options()

    def follow(self, bar: "Follows") -> Self:
        """Take backend, precision and device from `bar`, now and whenever they change there.

        The view may still be changed alone, until the bar changes the next time. The bar does not keep the view alive;
        a view that is closed, or made by a cell that has run again since, no longer follows.

        Args:
            bar: A `BackendBar`, or any other view. The one that was followed before is not followed any more.

        Returns:
            The view itself.

        Raises:
            ValueError: The view is its own bar.
            TypeError: The bar is no view.

        Example:
            >>> from backbench.widgets import BackendBar, SoftmaxView
            >>> bar = BackendBar()
            >>> view = SoftmaxView([1, 2]).follow(bar)
            >>> bar.precision = 16
            >>> view.precision
            16
        """
        if not isinstance(bar, Follows):
            name = type(self).__name__
            raise TypeError(f"{name}.follow: a view follows a BackendBar or another view, not {bar!r:.80}.")
        if bar is self:
            raise ValueError(f"{type(self).__name__}.follow: a view cannot follow itself.")
        if self._unfollow is not None:
            self._unfollow()
        leader, follower, cell = weakref.ref(bar), weakref.ref(self), running_cell()

        def take(change: Any = None) -> None:
            view, followed = follower(), leader()
            if view is None or followed is None:
                return
            if is_outdated(cell) or getattr(view, "comm", True) is None:  # None once a widget is closed
                stop()  # once, also when the view is collected later
            else:
                view._take(followed)

        def unobserve() -> None:
            if followed := leader():
                followed.unobserve(take, CHOICE)

        bar.observe(take, CHOICE)
        stop = self._unfollow = weakref.finalize(self, unobserve)
        stop.atexit = False
        self._take(bar)
        return self

    def _take(self, bar: "Follows") -> None:
        with LOCK, self.hold_trait_notifications():
            for name in CHOICE:
                setattr(self, name, getattr(bar, name))

    @contextmanager
    def entered(self) -> Iterator[Backend]:
        """Enter the view's backend, precision and device for a block, on whichever thread it runs.

        Returns:
            The backend. With `"exact"` the precision stays as it is.

        Example:
            >>> from backbench.widgets import BackendBar
            >>> with BackendBar(precision=16).entered() as b:
            ...     print(b, b.zeros((2,)).dtype)
            numpy float16
        """
        with entering(*self.choice) as backend:
            yield backend

    @property
    def choice(self) -> Choice:
        """Backend, precision and device as they are now, to be entered later."""
        return Choice(self.backend, self.precision, self.device)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the page sends; a library that is not installed gives an alert, and the old backend stays."""
        name = sync_data.get("backend")
        missing = name in backend_names() and not is_available(name)
        if missing:
            sync_data = {key: value for key, value in sync_data.items() if key not in CHOICE}
            self.alert = {
                "message": f"{name} is not installed here. Still running on {self.backend}. "
                "To add it, run in a terminal:",
                "command": f"pip install 'backbench[{name}]'",
            }
        elif self.alert and not sync_data.keys().isdisjoint(CHOICE):
            self.alert = {}
        kept = missing
        try:
            super().set_state(sync_data)  # type: ignore[misc]  # of the widget that this is mixed into
        except traitlets.TraitError:
            kept = True
            raise
        finally:
            if kept:  # the page shows what it has asked for until it hears otherwise
                self.send_state(list(CHOICE))  # type: ignore[attr-defined]

    def notify_change(self, change: Any) -> None:
        """Bring precision and device in line with a new backend before anyone hears of a change."""
        if change.name == "precision" and change.new != EXACT:
            self._bits = change.new
        if self.backend != self._settled:
            self._settled = self.backend
            self.alert = {}  # it speaks of the backend before
            self.backends = backend_options()
            if self.backend == SYMBOLIC:
                self.precision = EXACT
            else:
                bits = self._bits if self.precision == EXACT else self.precision
                self.precision = min(bits, get_backend(self.backend).widest)
            if self.device not in ("", *device_names(get_backend(self.backend))):
                self.device = ""
        super().notify_change(change)

    @traitlets.validate("precision")
    def _check_precision(self, proposal: Any) -> int | str:
        value = proposal.value if proposal.value == EXACT else int(proposal.value)  # 64.0 is 64
        if self.backend != SYMBOLIC:
            offered = precisions_of(get_backend(self.backend))
            # for a backend that is new here, too wide a number is made fit by `notify_change`
            if value in offered or (value != EXACT and self._settled != self.backend):
                return value
            known = ", ".join(map(str, offered))
            raise traitlets.TraitError(f"{self.backend} has the precisions {known} here; 'exact' is that of sympy.")
        if value == EXACT:
            return value
        if self._settled == SYMBOLIC:
            raise traitlets.TraitError(f"sympy is always exact; for precision {value} choose another backend first.")
        self._bits = value  # a number given together with sympy is the one to return to
        return EXACT

    @traitlets.validate("device")
    def _check_device(self, proposal: Any) -> str:
        names = device_names(get_backend(self.backend))
        if proposal.value not in ("", *names):
            raise traitlets.TraitError(f"{self.backend} has no device {proposal.value!r}. It has {', '.join(names)}.")
        return str(proposal.value)


def backend_names() -> list[str]:
    """Names of all backends: those of backbench, then those that were registered by others."""
    names = known_names()
    return names + [backend.name for backend in BACKENDS if backend.name not in names]


def is_available(name: str) -> bool:
    """Whether a backend is loaded or can be. Nothing is imported to find out."""
    return any(backend.name == name for backend in BACKENDS) or is_installed(name)


def backend_options() -> list[dict[str, Any]]:
    """What the page offers: see `Follows.backends`. Nothing is imported.

    Example:
        >>> backend_options()[0]
        {'name': 'numpy', 'label': 'numpy', 'installed': True, 'precisions': [16, 32, 64], 'devices': ['CPU']}
    """
    loaded = {backend.name: backend for backend in BACKENDS}
    return [
        {
            "name": name,
            "label": name if is_available(name) else f"{name} (not installed)",
            "installed": is_available(name),
            "precisions": [EXACT] if name == SYMBOLIC else precisions_of(loaded.get(name)),
            "devices": device_names(loaded[name]) if name in loaded else [],
        }
        for name in backend_names()
    ]


def precisions_of(backend: Backend | None) -> list[int]:
    """Precisions of a backend that computes with floats; all of them while it is not loaded."""
    return [bits for bits in FLOATS if backend is None or bits <= backend.widest]


def device_names(backend: Backend) -> list[str]:
    """Names of a backend's devices, numbered where several have the same."""
    names = [device.name for device in backend.list_devices()]
    return [
        name if names.count(name) == 1 else f"{name} ({1 + names[:position].count(name)})"
        for position, name in enumerate(names)
    ]


Cell = tuple[str, int]  # its id, and how many cells had run when it ran

_latest_runs: dict[str, int] = {}


def running_cell() -> Cell | None:
    """The cell that runs now; None outside of a notebook, and in a front end that does not name its cells."""
    shell: Any = get_ipython()
    if getattr(shell, "kernel", None) is None:
        return None
    identity = shell.parent_header.get("metadata", {}).get("cellId")
    if not isinstance(identity, str):
        return None
    _latest_runs[identity] = shell.execution_count
    return identity, shell.execution_count


def is_outdated(cell: Cell | None) -> bool:
    """Whether a cell has run again since, and made other views."""
    return cell is not None and _latest_runs[cell[0]] != cell[1]
