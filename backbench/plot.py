"""Pictures by matplotlib: `Figure` objects that belong to their caller, never figures of pyplot.

pyplot keeps every figure that it makes until it is closed, and notebooks show the kept ones again. Nothing here uses
it. Loading matplotlib takes a while: import this module where a picture is asked for, not before.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

# Okabe and Ito's palette with a marker and a dash each, so that no one depends on the colour.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))
_MOST_MARKED = 25
_SMALLEST_TICK, _LARGEST_TICK = 1e-280, 1e280
_LEAST_ERROR, _MOST_ERROR = 1e-200, 1e200
# The colours, markers and dashes that SoftmaxView gives to each precision.
_STYLES = {16: ("#d55e00", "^", ":"), 32: ("#0072b2", "s", "--"), 64: ("#009e73", "o", "-")}


class Picture(Figure):
    r"""A figure on an Agg canvas that notebooks show as it is: none of their matplotlib settings is needed.

    Args:
        width: In inches.
        height: In inches.

    Example:
        >>> Picture(6.4, 4).to_png()[:4]
        b'\x89PNG'
    """

    def __init__(self, width: float, height: float) -> None:
        super().__init__(figsize=(width, height), dpi=120, layout="constrained")
        FigureCanvasAgg(self)

    def to_png(self) -> bytes:
        """The picture as the content of a PNG file."""
        file = io.BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()

    def _repr_png_(self) -> bytes:
        return self.to_png()


def for_log_axis(values: np.ndarray) -> np.ndarray:
    """The values with NaN for those that have no place on a logarithmic axis, or would make its ticks overflow.

    Example:
        >>> for_log_axis(np.array([1.0, 0.0, np.inf]))
        array([ 1., nan, nan])
    """
    return np.where((values > _SMALLEST_TICK) & (values < _LARGEST_TICK), values, np.nan)


def plot_convergence(
    residual_norm: np.ndarray, iterations: np.ndarray, title: str, label: str = "‖y - A·x‖"
) -> Picture:
    """Residual norms over the iterations on a logarithmic axis, a line for each example of a batch.

    An exact zero has no place on that axis; it is drawn as an open diamond on the lower edge.

    Args:
        residual_norm: (states, batch)
        iterations: (states, batch), growing along the states; examples that have ended repeat their last state.
        title: Above the picture.
        label: Of the vertical axis.

    Returns:
        A picture of 6.4 by 4 inches.

    Example:
        >>> figure = plot_convergence(np.array([[1.0], [0.1], [0.0]]), np.array([[0], [1], [2]]), 'CG')
        >>> figure.axes[0].get_yscale()
        'log'
    """
    figure = Picture(6.4, 4)
    axes = figure.add_subplot(title=title, xlabel="iterations", ylabel=label, yscale="log")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    batch = residual_norm.shape[1]
    at_zero: dict[str, Any] = {"marker": "D", "markerfacecolor": "none", "markersize": 8, "linestyle": "none"}
    for example in range(batch):
        changed = (np.diff(iterations[:, example]) != 0) | (np.diff(residual_norm[:, example]) != 0)
        alive = np.append(True, changed)
        steps, norms = iterations[alive, example], residual_norm[alive, example]
        color = COLORS[example % len(COLORS)]
        style = (example + example // len(COLORS)) % len(DASHES)
        axes.plot(
            steps,
            for_log_axis(norms),
            color=color,
            linestyle=DASHES[style],
            marker=MARKERS[style] if len(steps) <= _MOST_MARKED else None,
            label=f"example {example}",
        )
        zeros = steps[norms == 0]
        lower_edge = axes.get_xaxis_transform()
        axes.plot(zeros, np.zeros(len(zeros)), color=color, transform=lower_edge, clip_on=False, **at_zero)
    if (residual_norm == 0).any():
        axes.plot([], [], color="black", label="exactly 0", **at_zero)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    if batch <= 10 and (batch > 1 or (residual_norm == 0).any()):
        axes.legend(frameon=False)
    return figure


def plot_softmax(exact: Sequence[float], outputs: Mapping[int, np.ndarray], chosen: int | str, title: str) -> Picture:
    """Draw softmax by unit: a stem for each precision, the exact value as a level across them, a cross for NaN.

    Args:
        exact: The exact values, shape (units,).
        outputs: By precision (16, 32, 64), the computed values, shape (units,).
        chosen: The precision in bold in the legend, or 'exact'; with 12 units and more the only one drawn.
        title: What is drawn.

    Returns:
        A picture of 6.4 by 3 inches.

    Example:
        >>> figure = plot_softmax([0.5, 0.5], {64: np.array([0.5, 0.5])}, 64, "softmax")
        >>> figure.axes[0].get_title()
        'softmax'
    """
    figure = Picture(6.4, 3)
    axes = figure.add_subplot(title=title, xlabel="unit", ylabel="output")
    units = np.arange(len(exact))
    shown = [bits for bits in outputs if len(exact) < 12 or bits == chosen]
    axes.hlines(exact, units - 0.35, units + 0.35, color="black", linewidth=1.2, label="exact")
    shifts = np.linspace(-0.25, 0.25, len(shown)) if len(shown) > 1 else [0.0] * len(shown)
    for bits, shift in zip(shown, shifts, strict=True):
        color, marker, dash = _STYLES[bits]
        heights = np.asarray(outputs[bits], dtype=np.float64)
        lost = np.isnan(heights)
        axes.vlines((units + shift)[~lost], 0, heights[~lost], color=color, linestyle=dash)
        axes.plot((units + shift)[~lost], heights[~lost], marker, color=color, markersize=5, label=f"float{bits}")
        axes.plot((units + shift)[lost], np.zeros(lost.sum()), "x", color=color, markersize=7, clip_on=False)
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    if len(exact) <= 16:
        axes.set_xticks(units)
    for text in figure.legend(loc="outside lower center", ncols=4, frameon=False).get_texts():
        text.set_fontweight("bold" if text.get_text() in (f"float{chosen}", chosen) else "normal")
    return figure


def plot_comparison(errors: Mapping[str, Mapping[str, float | None]], ylabel: str, title: str) -> Picture:
    """Draw errors by precision, side by side for each backend, on a logarithmic axis.

    What has no place on that axis stands at its edges with its name: exact zeros below, inf and NaN above, and each
    number that is too small or too large for matplotlib's ticks.

    Args:
        errors: By backend, then by name of the precision; None where the backend could not run.
        ylabel: What the errors are, with their unit.
        title: Above the picture.

    Returns:
        A picture of 6.4 by 4 inches.

    Example:
        >>> figure = plot_comparison({'numpy': {'16 bits': 0.5, '32 bits': 0.0}}, 'error (ulp)', 'sum')
        >>> [text.get_text() for text in figure.axes[0].get_xticklabels()]
        ['16 bits', '32 bits']
    """
    figure = Picture(6.4, 4)
    axes = figure.add_subplot(ylabel=ylabel, yscale="log")
    axes.set_title(title, pad=14)
    found = [error for of_backend in errors.values() for error in of_backend.values() if error is not None]
    drawn = [error for error in found if _LEAST_ERROR < error < _MOST_ERROR] or [1.0]
    middle = math.sqrt(min(drawn) * max(drawn))  # at least two decades, so that 0.3 and 0.4 look alike
    axes.set_ylim(min(min(drawn) / 4, middle / 10), max(max(drawn) * 4, middle * 10))
    columns = list(dict.fromkeys(column for of_backend in errors.values() for column in of_backend))
    drawn_in = {column: [name for name in errors if column in errors[name]] for column in columns}
    at_edge = axes.get_xaxis_transform()
    for number, (backend, of_backend) in enumerate(errors.items()):
        color, marker = COLORS[number % len(COLORS)], MARKERS[number % len(MARKERS)]
        axes.plot([], [], marker, color=color, label=backend)
        for column, error in of_backend.items():
            beside = drawn_in[column]
            x = columns.index(column) + 0.16 * (beside.index(backend) - (len(beside) - 1) / 2)
            if error is None:
                axes.text(x, 0.04, "cannot run", color=color, transform=at_edge, rotation=90, ha="center", size=8)
            elif _LEAST_ERROR < error < _MOST_ERROR:
                axes.plot(x, error, marker, color=color, markersize=8)
            else:
                y, up = (0.0, 9) if error < 1 else (1.0, -16)
                word = f"{error:.0e}" if error and np.isfinite(error) else {0.0: "0", np.inf: "inf"}.get(error, "NaN")
                open_one: dict[str, Any] = {"marker": marker, "markerfacecolor": "none", "markersize": 8}
                axes.plot(x, y, color=color, transform=at_edge, clip_on=False, **open_one)
                axes.annotate(word, (x, y), (0, up), at_edge, "offset points", ha="center", size=8)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_xlim(-0.6, len(columns) - 0.4)
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=len(errors), frameon=False)
    return figure
