"""`Comparison`: what `compare` found, cell by cell, as a table, a data frame and a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..backend import Backend, MissingLibrary, UnsupportedOperation

if TYPE_CHECKING:
    from pandas import DataFrame

    from ..plot import Picture

Precision = int | str | None
"""16, 32, 64, None (that of the inputs) or 'exact' (rational numbers and expressions of SymPy)."""

EXACT = "exact"


@dataclass(frozen=True, eq=False)
class Cell:
    """What one backend made of the call at one precision.

    Where the function returns several arrays, `value` and the two errors are tuples of arrays.

    Attributes:
        backend: Name of the backend.
        precision: 16, 32, 64, None (that of the inputs) or 'exact' (rational numbers and expressions of SymPy).
        dtype: Type of the value, such as 'float32', or 'exact'. Of several arrays the different types, with commas.
        value: ndarray; for 'exact' an object array of SymPy expressions.
        absolute_error: float64 array of |value - reference|: 0 where both are NaN or the same infinity, NaN where only
            one is NaN, inf where only one is infinite.
        ulp_error: The same in units in the last place of the value's type at the reference: 1 for integers and
            booleans, that of float64 for 'exact'.
        seconds: The shortest of the timed runs.
        error: What was raised, where the cell could not run.
    """

    backend: str
    precision: Precision
    dtype: str = ""
    value: Any = None
    absolute_error: Any = None
    ulp_error: Any = None
    seconds: float = math.nan
    error: Exception | None = None

    @property
    def reason(self) -> str:
        """Why there is no value; '' where there is one."""
        if self.error is None:
            return ""
        speaks_for_itself = isinstance(self.error, UnsupportedOperation | MissingLibrary)
        return str(self.error) if speaks_for_itself else f"{type(self.error).__name__}: {self.error}"

    @property
    def max_absolute_error(self) -> float:
        """The largest absolute error of all elements; NaN where one is NaN, and where the cell could not run."""
        return _largest(self.absolute_error)

    @property
    def max_ulp_error(self) -> float:
        """The largest error in ulp of all elements; NaN where one is NaN, and where the cell could not run."""
        return _largest(self.ulp_error)


def _largest(errors: Any) -> float:
    if errors is None:
        return math.nan
    arrays = errors if isinstance(errors, tuple) else (errors,)
    return float(np.max([np.max(array, initial=0) for array in arrays], initial=0))


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` found. Notebooks show it as a table; `comparison['numpy', 32]` is one cell of it.

    Attributes:
        name: The name of the function.
        cells: One for each backend and precision, in the order asked for.
        reference: The true values as object array of `mpmath.mpf`, or a tuple of them.
        reference_name: How the reference was computed.
    """

    name: str
    cells: tuple[Cell, ...]
    reference: Any
    reference_name: str

    def __getitem__(self, place: tuple[str | Backend, Precision]) -> Cell:
        for cell in self.cells:
            if isinstance(place, tuple) and place[1:] == (cell.precision,) and _name(place[0]) == cell.backend:
                return cell
        known = ", ".join(str((cell.backend, cell.precision)) for cell in self.cells)
        raise KeyError(f"There is no cell {place!r}. There are: {known}.")

    def __repr__(self) -> str:
        from .table import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from .table import as_html

        return as_html(self)

    def to_dataframe(self) -> DataFrame:
        """One row for each cell: backend, precision, dtype, value, largest errors, seconds, and why it did not run.

        Example:
            >>> table = compare(lambda b, x: b.sqrt(x), 2.0, backends='numpy').to_dataframe()
            >>> list(table['dtype'])
            ['float16', 'float32', 'float64']
        """
        import pandas as pd

        names = ("backend", "precision", "dtype", "value", "max_absolute_error", "max_ulp_error", "seconds", "reason")
        table = pd.DataFrame([{name: getattr(cell, name) for name in names} for cell in self.cells])
        return table.astype({"precision": object})

    def plot(self, error: Literal["ulp", "absolute"] = "ulp") -> Picture:
        """The largest error of each cell on a logarithmic axis, by precision and backend.

        Args:
            error: 'ulp' tells how well the digits of a type were used, 'absolute' how far the numbers are off.

        Raises:
            ValueError: For another word.

        Example:
            >>> compare(lambda b, x: b.sqrt(x), 2.0, backends='numpy').plot('absolute').axes[0].get_ylabel()
            'largest absolute error'
        """
        from ..plot import plot_comparison

        labels = {"ulp": "largest error (ulp)", "absolute": "largest absolute error"}
        if error not in labels:
            raise ValueError(f"plot: error is 'ulp' or 'absolute', not {error!r}.")
        errors: dict[str, dict[str, float | None]] = {}
        for cell in self.cells:
            largest = cell.max_ulp_error if error == "ulp" else cell.max_absolute_error
            errors.setdefault(cell.backend, {})[precision_text(cell.precision)] = None if cell.error else largest
        return plot_comparison(errors, labels[error], f"{self.name}: error against {self.reference_name}")


def precision_text(precision: Precision) -> str:
    """A precision in a word or two."""
    if precision is None:
        return "of inputs"
    return str(precision) if precision == EXACT else f"{precision} bits"


def _name(backend: Any) -> Any:
    return backend.name if isinstance(backend, Backend) else backend
