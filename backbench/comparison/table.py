"""The table of a comparison, as plain text and as HTML."""

from __future__ import annotations

import textwrap
from html import escape
from typing import Any

import mpmath
import numpy as np

from ..number_formats import format_error, format_output, format_seconds, format_ulp
from .result import Cell, Comparison, precision_text
from .running import as_floats

_HEAD = ("backend", "precision", "type", "value", "largest error", "in ulp", "time")
_MOST_SHOWN = 3  # elements of an array
_DIGITS_IN_ARRAYS = 6
_LONGEST_FRACTION = 20  # characters
_TEXT_WIDTH = 110
_NOTE = "Time: the shortest of a few runs after one that is not counted."


def as_text(comparison: Comparison) -> str:
    """Columns for a terminal, and below them why cells could not run."""
    rows = [_HEAD, *(_row(cell) for cell in comparison.cells)]
    widths = [max(len(row[column]) for row in rows if len(row) == 7 or column < 2) for column in range(7)]
    lines = [_title(comparison), ""]
    for row in rows:
        line = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=False)).rstrip()
        indent = " " * (widths[0] + widths[1] + 4)
        lines += [line] if len(row) == 7 else textwrap.wrap(line, _TEXT_WIDTH, subsequent_indent=indent)
    return "\n".join([*lines, "", _NOTE])


def as_html(comparison: Comparison) -> str:
    """A table in the colours of the notebook, for its light and its dark theme."""
    left, right = 'style="text-align: left"', 'style="text-align: right; font-variant-numeric: tabular-nums"'
    styles = (left, left, left, left, right, right, right)
    head = "".join(f'<th scope="col" {style}>{text}</th>' for text, style in zip(_HEAD, styles, strict=True))
    body = []
    for cell in comparison.cells:
        backend, bits, *rest = map(escape, _row(cell))
        row = f'<th scope="row" {left}>{backend}</th><td {left}>{bits}</td>'
        if cell.error is not None:
            muted = "text-align: left; color: var(--jp-ui-font-color2, inherit); font-style: italic"
            row += f'<td colspan="5" style="{muted}">{rest[0]}</td>'
        else:
            row += "".join(f"<td {style}>{text}</td>" for text, style in zip(rest, styles[2:], strict=True))
        body.append(f"<tr>{row}</tr>")
    caption = f"{escape(_title(comparison))}<br><small>{_NOTE}</small>"
    return (
        '<table style="table-layout: auto; margin: 0; color: var(--jp-ui-font-color1, inherit)">'
        '<caption style="caption-side: top; text-align: left; color: inherit">'
        f"{caption}</caption><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    )


def _title(comparison: Comparison) -> str:
    title = f"{comparison.name}: error against {comparison.reference_name}"
    value = comparison.reference
    if isinstance(value, tuple) or value.ndim:
        return title
    return f"{title}, {mpmath.nstr(value.item(), 20)}"


def _row(cell: Cell) -> tuple[str, ...]:
    """Texts of the seven columns; of three, the last one a reason, where the cell could not run."""
    if cell.error is not None:
        return cell.backend, precision_text(cell.precision), f"cannot run: {cell.reason}"
    return (
        cell.backend,
        precision_text(cell.precision),
        cell.dtype,
        _value(cell),
        format_error(cell.max_absolute_error),
        format_ulp(cell.max_ulp_error),
        format_seconds(cell.seconds),
    )


def _value(cell: Cell) -> str:
    outputs, errors = (values if isinstance(values, tuple) else (values,) for values in (cell.value, cell.ulp_error))
    shown = ", ".join(map(_shortened, outputs))
    shown = f"({shown})" if isinstance(cell.value, tuple) else shown
    if sum(map(np.size, outputs)) < 2 or cell.max_ulp_error == 0:
        return shown
    worst = [np.where(np.isnan(error), np.inf, error) for error in errors]
    number = int(np.argmax([error.max(initial=-1) for error in worst]))
    index = np.unravel_index(int(worst[number].argmax()), worst[number].shape)
    place = f"output {number} " if isinstance(cell.value, tuple) else ""
    place += str([*map(int, index)]) if index else ""
    return f"{shown}; worst: {place.rstrip()} {_scalar(outputs[number][index])}"


def _shortened(values: np.ndarray) -> str:
    if values.ndim == 0:
        return _scalar(values[()])
    first = [_scalar(value, _DIGITS_IN_ARRAYS) for value in values.flat[:_MOST_SHOWN]]
    shape = "" if values.ndim == 1 else f"{values.shape} "
    return f"{shape}[{', '.join([*first, '…'] if values.size > _MOST_SHOWN else first)}]"


def _scalar(value: Any, digits: int | None = None) -> str:
    """A number with all the digits of its type, or fewer if asked for; fractions as they are while they are short."""
    if not isinstance(value, np.generic):
        text = str(value) if value.is_Rational or not value.is_finite else ""
        if 0 < len(text) <= _LONGEST_FRACTION:
            return text
        number = as_floats(np.array(value, object))[()]
        if np.isinf(number) and not value.is_infinite:
            return "> 1e308" if number > 0 else "< -1e308"
        return ("" if digits else "≈ ") + _scalar(number, digits)
    if not isinstance(value, np.floating):
        return str(value)
    return f"{value:.{digits}g}" if digits and np.isfinite(value) else format_output(value)
