"""`View`: what all views do alike: take a state, answer the page, and stand in for themselves where there is none."""

from collections.abc import Mapping
from typing import Any, ClassVar

import traitlets
from anywidget import AnyWidget

from .following import Follows
from .guard import LOCK, shows_errors


class View(Follows, AnyWidget):
    """A widget whose whole state is in the traits that `STATE` names.

    The page waits for an answer to all it sends, so that a kernel that is gone does not look like one that agrees.
    """

    STATE: ClassVar[tuple[str, ...]]

    error = traitlets.Dict().tag(sync=True)

    def _refuse_unknown(self, arguments: dict[str, Any]) -> None:
        """Raises a TypeError for arguments that neither the view nor a widget has."""
        unknown = arguments.keys() - set(self.trait_names())
        if unknown:
            name, known = type(self).__name__, ", ".join(self.STATE)
            raise TypeError(f"{name} has no {', '.join(sorted(unknown))}; it has {known} and layout.")

    @property
    def state(self) -> dict[str, Any]:
        """The state as a plain dict: printable, JSON, and taken back by the setter and by the constructor.

        Example:
            >>> from backbench.widgets import BackendBar
            >>> BackendBar().state
            {'backend': 'numpy', 'precision': 32, 'device': '', 'for_cells': False}
        """
        return self._read_state()

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        if not isinstance(state, Mapping):
            raise traitlets.TraitError(f"{type(self).__name__}.state is a dict, not {state!r:.80}.")
        unknown = state.keys() - set(self.STATE)
        if unknown:
            name, known = type(self).__name__, ", ".join(self.STATE)
            raise traitlets.TraitError(f"{name} has no {', '.join(sorted(unknown))}; it has {known}.")
        self._put(state)

    def _read_state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.STATE}

    def _put(self, state: dict[str, Any]) -> None:
        """Set the traits of a state, all of them or none."""
        with LOCK, self.hold_trait_notifications():
            for name, value in state.items():
                setattr(self, name, value)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the page sends; a value that cannot be is shown as an error and changes nothing."""
        self._take_state(sync_data)
        self.send({"answered": {}})

    @shows_errors
    def _take_state(self, sync_data: dict[str, Any]) -> None:
        self._accept(sync_data)

    def _accept(self, sync_data: dict[str, Any]) -> None:
        """Set the traits that the page has changed."""
        super().set_state(sync_data)

    def _on_message(self, view: object, content: dict[str, Any], buffers: object) -> None:
        self._obey(content)
        self.send({"answered": content})

    def _obey(self, content: dict[str, Any]) -> None:
        """Do what a message of the page asks for; guarded by `shows_errors`."""
        raise NotImplementedError

    def _static_html(self) -> str:
        """What is shown where there is no JavaScript or no kernel: an exported page, a viewer of notebooks."""
        raise NotImplementedError

    def __repr__(self) -> str:
        state = ", ".join(f"{name}={value!r}" for name, value in self.state.items() if value not in (None, ""))
        return f"{type(self).__name__}({state})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle: Any = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle
        return {**data, "text/html": self._static_html()}, metadata
