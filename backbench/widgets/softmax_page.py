"""What `SoftmaxView` sends to the page: formulas, the texts of the table, the chart's heights, and code."""

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any

import mpmath
import numpy as np

from ..backend.formulations import Formulation
from .formats import format_error, format_exact, format_number, format_output, format_ulp
from .softmax_numbers import Column, Measurement, softmax_program
from .softmax_story import explain, summary


def draw(result: Measurement, chosen: int | str) -> dict[str, Any]:
    """Everything the page draws after a change, ready to be put in place.

    Args:
        result: The measured softmax.
        chosen: The precision to emphasise, or `"exact"`.

    Returns:
        `precision`; `inputs` and `exact`, texts by unit; `columns`, by precision the texts `value`, `absolute` and
        `ulp` by unit; `heights`, for `exact` and each precision the numbers of the chart, None for NaN; `summary`;
        `story`.
    """
    return {
        "precision": chosen,
        "inputs": [format_number(x) for x in result.values],
        "exact": [format_exact(y) for y in result.exact],
        "columns": {str(bits): _texts(column, result.exact) for bits, column in result.columns.items()},
        "heights": {
            "exact": [_height(float(y)) for y in result.exact],
            **{str(bits): [_height(float(y)) for y in column.outputs] for bits, column in result.columns.items()},
        },
        "summary": summary(result, chosen),
        "story": explain(result),
    }


def _texts(column: Column, exact: np.ndarray) -> dict[str, list[str]]:
    """The texts of a column; where softmax has no value, there is none to be wrong against."""
    defined = [not mpmath.isnan(y) for y in exact]
    return {
        "value": [format_output(y) for y in column.outputs],
        "absolute": [format_error(error) if ok else "–" for error, ok in zip(column.absolute, defined, strict=True)],
        "ulp": [f"{format_ulp(error)} ulp" if ok else "" for error, ok in zip(column.ulp, defined, strict=True)],
    }


def _height(value: float) -> float | None:
    return value if math.isfinite(value) else None


@lru_cache(maxsize=64)
def formula_html(formulation: Formulation, units: int, entry: int | None) -> str:
    """The formulas of the program, or of one of its outputs, for MathJax."""
    return rf"\[{escape(softmax_program(formulation, units).to_latex(entry))}\]"


@lru_cache(maxsize=64)
def python_source(formulation: Formulation, units: int) -> str:
    """The program as Python code."""
    function: Any = softmax_program(formulation, units).to_python()  # a function, with its source as an attribute
    return str(function.source)


def python_lines(
    values: Sequence[float],
    formulation: str,
    precision: int | str,
    entry: int | None = None,
    backend: str = "numpy",
    device: str = "",
) -> str:
    """The lines of Python that compute the chosen column and open the same view.

    Example:
        >>> print(python_lines((1.0, float("-inf")), "plain", 16))
        import numpy as np
        from backbench import NUMPY, precision, softmax
        from backbench.widgets import SoftmaxView
        <BLANKLINE>
        x = [1.0, float("-inf")]
        with precision(16):
            y = softmax(NUMPY, np.array(x), formulation="plain")
        view = SoftmaxView(x, formulation="plain", precision=16)
    """
    numbers = ", ".join(repr(x) if math.isfinite(x) else f'float("{format_number(x)}")' for x in values)
    options = {"formulation": formulation, "precision": precision, "entry": entry, "device": device}
    shown = {name: value for name, value in options.items() if value not in (None, "")}
    if backend != "numpy":
        shown["backend"] = backend
    # as people write text in Python: json's quotes
    arguments = ", ".join(f"{name}={json.dumps(value)}" for name, value in shown.items())
    view = f"view = SoftmaxView(x, {arguments})"
    if not isinstance(precision, int):
        return f"""\
import numpy as np
from backbench import compile, softmax
from backbench.accuracy import reference
from backbench.widgets import SoftmaxView

x = [{numbers}]
y = reference(compile(softmax, {{"x": (len(x),)}}), np.array(x))
{view}"""
    names, computed_on = ("NUMPY, ", "NUMPY") if backend == "numpy" else ("", json.dumps(backend))
    return f"""\
import numpy as np
from backbench import {names}precision, softmax
from backbench.widgets import SoftmaxView

x = [{numbers}]
with precision({precision}):
    y = softmax({computed_on}, np.array(x), formulation="{formulation}")
{view}"""


def static_html(result: Measurement, chosen: int | str) -> str:
    """The view as a plain table, for places without JavaScript or a kernel."""
    heads = "".join(f"<th>float{bits}</th>" for bits in result.columns)
    rows = "".join(
        f"<tr><th>x_{i} = {format_number(x)}</th><td>{format_exact(y)}</td>"
        + "".join(f"<td>{format_output(column.outputs[i])}</td>" for column in result.columns.values())
        + "</tr>"
        for i, (x, y) in enumerate(zip(result.values, result.exact, strict=True))
    )
    place = "" if result.backend == "numpy" else f", on {escape(result.backend)}"
    sentences = " ".join([summary(result, chosen), *explain(result)])
    return (
        f"<table><caption>Softmax, {result.formulation}{place}. Run this cell to get the controls.</caption>"
        f"<thead><tr><th>input</th><th>exact</th>{heads}</tr></thead><tbody>{rows}</tbody></table><p>{escape(sentences)}</p>"
    )
