"""`BackendBar`: backend, precision and device for all views that follow it."""

from html import escape
from typing import Any

import traitlets

from ..backend import set_global_precision, use
from .assets import css, esm
from .following import EXACT, FLOATS, Follows
from .guard import shows_errors
from .view import View


class BackendBar(View):
    """Backend, precision and device in one row; views that follow the bar take what is chosen there.

    Attributes:
        backend, precision, device: What is chosen, see `Follows`.
        for_cells: Whether the choice is also the default of the cells: that of `backbench.default_backend()` and
            `get_precision()`, for all threads. Switching it off leaves the last default; the device stays the view's.

    Raises:
        MissingLibrary: The library of the backend is not installed.
        traitlets.TraitError: The backend is unknown, or has no such precision or device.
        TypeError: An argument is unknown.

    Example:
        >>> from backbench.widgets import SoftmaxView
        >>> bar = BackendBar(precision=16)
        >>> view = SoftmaxView([1, 2], bar=bar)
        >>> bar.backend = "sympy"
        >>> view.precision
        'exact'
        >>> bar.backend = "numpy"
        >>> view.precision
        16
    """

    _esm = esm("common.js", "backend_bar.js", "backend_view.js")
    _css = css("common.css", "backend_bar.css")

    STATE = ("backend", "precision", "device", "for_cells")

    for_cells = traitlets.Bool(False).tag(sync=True)
    summary = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        backend: str = "numpy",
        precision: int | str = 32,
        *,
        device: str = "",
        for_cells: bool = False,
        bar: Follows | None = None,
        **widget: Any,
    ) -> None:
        self._refuse_unknown(widget)
        super().__init__(backend=backend, precision=precision, device=device, for_cells=for_cells, **widget)
        if bar is not None:
            self.follow(bar)
        self._refresh()

    def to_png(self) -> bytes:
        r"""Draw the choice with matplotlib, for places without JavaScript.

        Returns:
            The bytes of a PNG file.

        Example:
            >>> BackendBar().to_png()[:4]
            b'\x89PNG'
        """
        from ..plot import Picture

        rows = {
            "Backend": [(option["name"], option["label"]) for option in self.backends],
            "Precision": [(bits, in_words(bits)) for bits in (*FLOATS, EXACT)],
            "Device": [(self.device, self.device or "default")],
        }
        picture = Picture(6.4, 1.2)
        axes = picture.add_subplot(xlim=(0, 1), ylim=(len(rows) - 0.5, -0.5))
        axes.set_axis_off()
        for line, (title, choices) in enumerate(rows.items()):
            axes.text(0.0, line, title, va="center", color="#595959")
            for place, (value, label) in enumerate(choices):
                chosen = value in (self.backend, self.precision, self.device)
                style: Any = {"color": "white", "bbox": {"boxstyle": "round", "color": "#0072b2"}} if chosen else {}
                axes.text(0.16 + 0.84 * place / max(4, len(choices)), line, label, va="center", **style)
        return picture.to_png()

    @traitlets.observe(*STATE)
    @shows_errors
    def _refresh(self, change: object = None) -> None:
        where = f" on {self.device}" if self.device else ""
        self.summary = f"{self.backend}, {in_words(self.precision)}{where}."
        if self.for_cells:
            use(self.backend)
            if isinstance(self.precision, int):
                set_global_precision(self.precision)

    def _static_html(self) -> str:
        return f"<p>{escape(self.summary)} Run this cell to get the controls.</p>"


def in_words(precision: int | str) -> str:
    """A precision as people name it.

    Example:
        >>> in_words(16), in_words("exact")
        ('float16', 'exact')
    """
    return EXACT if precision == EXACT else f"float{precision}"
