"""`SoftmaxView`: softmax as formulas, numbers and code, live."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import ipywidgets
import traitlets

from ..backend import NUMPY
from ..backend.formulations import Formulation
from .assets import css, esm
from .following import SYMBOLIC, Follows
from .formats import format_number, parse_count, parse_number
from .guard import LOCK, shows_errors
from .softmax_numbers import FORMULATIONS, Measurement, measure
from .softmax_page import draw, formula_html, python_lines, python_source, static_html
from .view import View

FEWEST, MOST = 2, 64
DEFAULT = (1.0, 2.0, 0.5)


class Inputs(traitlets.TraitType[tuple[float, ...], Any]):
    """The inputs of softmax: anything with 2 to 64 numbers in it, kept as a tuple of floats."""

    def validate(self, view: Any, value: Any) -> tuple[float, ...]:
        """Read the numbers; called by traitlets before the value is compared with the old one."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise traitlets.TraitError(f"SoftmaxView takes a list of numbers, not {value!r}.")
        try:
            numbers = tuple(parse_number(number) for number in value)
        except ValueError as problem:
            raise traitlets.TraitError(str(problem)) from None
        if not FEWEST <= len(numbers) <= MOST:
            raise traitlets.TraitError(f"SoftmaxView takes {FEWEST} to {MOST} numbers, not {len(numbers)}.")
        return numbers


class SoftmaxView(View):
    """Softmax of a few inputs, seen at once as formulas, as numbers at three precisions, and as generated Python.

    The state is in the traits below, all of which may be set from Python as well as from the page. Everything shown
    follows from them; setting a trait to the value it has computes nothing.

    Attributes:
        values: The inputs, 2 to 64 numbers, infinities and NaN included; text such as `"1e4"` is read as a number.
        formulation: `"plain"`, `"shifted"` (by the maximum) or `"pairwise"` (differences only).
        precision: 16, 32 or 64: the precision that is emphasised; the other two stand beside it. `"exact"`, with the
            backend sympy, emphasises the true values; the floats beside them are then those of numpy.
        entry: The output whose formula is shown, or None for the whole program.
        backend, device: Where the numbers are computed, see `Follows`.

    Args:
        bar: A `BackendBar` to follow from the beginning.

    Raises:
        MissingLibrary: The library of the backend is not installed.
        traitlets.TraitError: A value is no number, there are too few or too many, or a trait cannot have that value.
        TypeError: An argument is unknown.

    Example:
        >>> view = SoftmaxView(values=[0.0, 0.0, "-inf"], precision=32)
        >>> view.measurement.columns[32].outputs
        array([0.5, 0.5, 0. ], dtype=float32)
        >>> SoftmaxView(**view.state).state == view.state
        True
    """

    _esm = esm("common.js", "backend_bar.js", "softmax_inputs.js", "softmax_numbers.js", "softmax_view.js")
    _css = css("common.css", "backend_bar.css", "softmax_view.css", "softmax_numbers.css")

    STATE = ("values", "formulation", "precision", "entry", "backend", "device")

    # JSON has no NaN and no infinities: the page sends and gets them as text.
    values = Inputs(DEFAULT).tag(sync=True, to_json=lambda values, view: _as_text(values))
    formulation = traitlets.Enum(FORMULATIONS, "shifted").tag(sync=True)
    entry = traitlets.Int(None, allow_none=True).tag(sync=True)

    # What the page shows; each follows from the state above. The formulas are a widget of their own, because
    # HTMLMath reaches the MathJax of whichever notebook shows it.
    formula = traitlets.Instance(ipywidgets.HTMLMath, ()).tag(sync=True, **ipywidgets.widget_serialization)
    drawing = traitlets.Dict().tag(sync=True)
    source = traitlets.Unicode().tag(sync=True)
    code = traitlets.Unicode().tag(sync=True)
    complaints = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        values: Iterable[float | str] = DEFAULT,
        formulation: Formulation = "shifted",
        precision: int | str = 64,
        entry: int | None = None,
        *,
        backend: str = "numpy",
        device: str = "",
        bar: Follows | None = None,
        **widget: Any,
    ) -> None:
        self._refuse_unknown(widget)
        self._measurement: Measurement | None = None
        self._measured: tuple[Any, ...] = ()
        self._drawn: tuple[Any, ...] = ()
        self._kept: tuple[float, ...] = ()
        state = {"values": values, "formulation": formulation, "precision": precision, "entry": entry}
        super().__init__(**state, backend=backend, device=device, **widget)
        if bar is not None:
            self.follow(bar)
        self.on_msg(self._on_message)
        self._refresh()

    @property
    def measurement(self) -> Measurement:
        """The numbers behind the view: outputs and errors at every precision, and the 50-digit values."""
        with LOCK:
            wanted = (self.values, self.formulation, *self._place)
            if self._measurement is None or self._measured != wanted:
                with NUMPY if self.backend == SYMBOLIC else self.entered():
                    self._measurement = measure(self.values, self.formulation)
                self._measured = wanted
            return self._measurement

    @property
    def _place(self) -> tuple[str, str]:
        """Backend and device of the floats."""
        return ("numpy", "") if self.backend == SYMBOLIC else (self.backend, self.device)

    def _read_state(self) -> dict[str, Any]:
        """The state as a plain dict: printable, JSON, and taken back by the setter and by the constructor.

        Example:
            >>> view = SoftmaxView(values=[0, "-inf"], entry=1)
            >>> view.state == {"values": [0.0, "-inf"], "formulation": "shifted", "precision": 64, "entry": 1,
            ...                "backend": "numpy", "device": ""}
            True
        """
        return super()._read_state() | {"values": _as_text(self.values)}

    def enter(self, unit: int, text: str) -> None:
        """Do what the text field of a unit does: take the number, or say beside the field why it is none.

        Args:
            unit: The unit, from 0.
            text: What was typed.

        Raises:
            IndexError: There is no such unit.

        Example:
            >>> view = SoftmaxView(values=[1, 2])
            >>> view.enter(0, "many")
            >>> view.values, view.complaints["0"]
            ((1.0, 2.0), '“many” is not a number. Try 1.5, 1e4, -inf or nan. Still using 1.')
        """
        if not 0 <= unit < len(self.values):
            raise IndexError(f"SoftmaxView.enter: there is no unit {unit}; there are {len(self.values)}, from 0.")
        try:
            value = parse_number(text)
        except ValueError as problem:
            self._complain(str(unit), f"{problem} Still using {format_number(self.values[unit])}.")
            return
        self.withdraw(str(unit))
        self.values = (*self.values[:unit], value, *self.values[unit + 1 :])

    def resize(self, units: int | str) -> None:
        """Do what the field `Units` does: change the number of units, or say why it cannot be that.

        The first units keep their values; one that comes back has the value that it had, a new one is 0.

        Args:
            units: The number of units, also as it was typed.

        Example:
            >>> view = SoftmaxView(values=[1, 2, 3])
            >>> view.resize(2)
            >>> view.resize("4")
            >>> view.values
            (1.0, 2.0, 3.0, 0.0)
            >>> view.resize("2.5")
            >>> view.complaints["units"]
            '“2.5” is not a whole number. From 2 to 64 units. Still showing 4.'
        """
        try:
            count, problem = parse_count(units), ""
        except ValueError as error:
            count, problem = 0, f"{error} "
        if not FEWEST <= count <= MOST:
            self._complain("units", f"{problem}From {FEWEST} to {MOST} units. Still showing {len(self.values)}.")
            return
        self.withdraw("units")
        self.values = (*self.values, *self._kept[len(self.values) :], *[0.0] * count)[:count]

    def withdraw(self, field: str) -> None:
        """Take back the complaint about a field: a unit's number as text, or `units`.

        Example:
            >>> view = SoftmaxView(values=[1, 2])
            >>> view.enter(0, "many")
            >>> view.withdraw("0")
            >>> view.complaints
            {}
        """
        self.complaints = {other: sentence for other, sentence in self.complaints.items() if other != field}

    def _complain(self, field: str, sentence: str) -> None:
        self.complaints = {**self.complaints, field: sentence}

    def to_png(self) -> bytes:
        r"""Draw the outputs of all three precisions with matplotlib, for places without JavaScript.

        Returns:
            The bytes of a PNG file.

        Example:
            >>> SoftmaxView(values=[1, 2]).to_png()[:4]
            b'\x89PNG'
        """
        from ..plot import plot_softmax

        measurement = self.measurement
        outputs = {bits: column.outputs for bits, column in measurement.columns.items()}
        exact = [float(y) for y in measurement.exact]
        return plot_softmax(exact, outputs, self.precision, f"softmax, {self.formulation}").to_png()

    @traitlets.observe(*STATE)
    @shows_errors
    def _refresh(self, change: object = None) -> None:
        """Bring what is shown in line with the state, in one message to the page."""
        units = len(self.values)
        if self.entry is not None and not 0 <= self.entry < units:
            self.entry = None
        wanted = tuple(getattr(self, name) for name in self.STATE)
        if wanted == self._drawn:
            return
        before = self._kept
        self._kept = (*self.values, *before[units:])
        with self.hold_sync():
            self._withdraw_outdated(before)
            self.drawing = draw(self.measurement, self.precision)
            self.code = python_lines(**super()._read_state())
            self.source = python_source(self.formulation, units)
            self.formula.value = formula_html(self.formulation, units, self.entry)
        self._drawn = wanted

    def _withdraw_outdated(self, before: tuple[float, ...]) -> None:
        """Complaints end with “Still using …”: those about other values than `before`, or another number, are over."""
        changed = {i for i, (old, new) in enumerate(zip(before, self.values, strict=False)) if (old,) != (new,)}
        there = {str(i) for i in range(len(self.values)) if i not in changed}
        if self._drawn and len(self._drawn[0]) == len(self.values):
            there.add("units")
        self.complaints = {field: sentence for field, sentence in self.complaints.items() if field in there}

    @shows_errors
    def _obey(self, content: dict[str, Any]) -> None:
        if "withdraw" in content:
            self.withdraw(content["withdraw"])
        elif "units" in content:
            self.resize(content["units"])
        elif content["unit"] < len(self.values):  # the line may be gone before what was typed in it arrives
            self.enter(content["unit"], content["text"])
        self._refresh()

    def _accept(self, sync_data: dict[str, Any]) -> None:
        super()._accept(sync_data)
        self._refresh()

    def _static_html(self) -> str:
        return static_html(self.measurement, self.precision)


def _as_text(values: Sequence[float]) -> list[float | str]:
    """Finite numbers as they are, the others as text: what JSON and `repr` can both carry."""
    return [value if math.isfinite(value) else format_number(value) for value in values]
