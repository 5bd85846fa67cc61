"""What every callback of a view goes through: one lock, and errors that the user sees."""

import threading
import traceback
from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol

LOCK = threading.RLock()
"""Callbacks run on a thread of their own beside the cells, and may overlap. They share SymPy's caches and the traits of
the view, so one computes at a time. Re-entrant, because a callback that sets a trait starts the next one."""


class HasError(Protocol):
    """A view with a place for an error: `{}` or `{"message": ..., "traceback": ...}`."""

    error: dict[str, str]


def shows_errors(callback: Callable[..., None]) -> Callable[..., None]:
    """Make an exception in a callback visible in the view.

    Jupyter has no place for an exception in a widget's callback: it ends in a log that few people open, and the view
    stands still. Here it goes to the trait `error`, which the view shows until its next callback.
    """

    @wraps(callback)
    def guarded(view: HasError, *args: Any, **kwargs: Any) -> None:
        with LOCK:
            view.error = {}
            try:
                callback(view, *args, **kwargs)
            except Exception as error:
                view.error = {
                    "message": f"{type(error).__name__}: {error}",
                    "traceback": "".join(traceback.format_exception(error)),
                }

    return guarded
