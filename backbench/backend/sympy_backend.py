"""The SymPy backend: the same operations on expressions, as object arrays.

Numbers stay exact: `exact([0.1])` is 1/10, integers and integer-valued floats are integers, `div` makes rational
numbers. Types of numbers and the precision have no meaning for expressions: `cast` to floats leaves them as they are.
Only numbers that no double comes near are cut off: exp(exp(10**10)) is oo, 10 ** 10**10 is computed with floats.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import sympy

from . import sympy_arrays, sympy_values
from .array import ArrayBackend
from .base import Backend
from .choice import NoBackendFound, choose_backend, register
from .contract.reductions import Axis
from .contract.values import Tensor
from .devices import ComputeDevice, host_cpu
from .dtypes import DType
from .formulations import softmax
from .functions import FunctionWithGradient, as_outputs, exact_gradient
from .sympy_recording import bare, is_recorded, keeping_record, needing_no_value, recorded

_ORDER = "symbols have no order"
_NUMERIC = "it is an algorithm on numbers, not a formula"
_OBJECT = DType(object)


class SympyBackend(ArrayBackend):
    """Object arrays of SymPy expressions; comparisons give conditions such as x > 0."""

    xp = sympy_arrays
    lacks: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("argmax", "argmin", "sort", "argsort", "quantile"), _ORDER),
        **dict.fromkeys(("random_uniform", "random_normal", "seed"), "expressions are not random"),
        **dict.fromkeys(("to_dlpack", "from_dlpack"), "expressions cannot share the memory of numbers"),
        **dict.fromkeys(("jit_compile", "jit_compile_grad", "jit_compile_hessian"), "backbench.compile does that"),
        **dict.fromkeys(("conv", "fft", "ifft", "grid_sample", "minimize"), _NUMERIC),
        **dict.fromkeys(("batched_gather_nd", "scatter"), _NUMERIC),
        **dict.fromkeys(("sparse_coo_tensor", "csr_matrix", "csc_matrix", "coordinates"), "SymPy has no sparse arrays"),
        "stop_gradient": "an expression is what it depends on",
        "round": "SymPy has no function that rounds halves to even",
    }

    def __init__(self) -> None:
        super().__init__("sympy")

    def _devices(self) -> list[ComputeDevice]:
        return [host_cpu(self)]

    def is_module(self, obj: Any) -> bool:
        return False

    def is_tensor(self, x: Any, only_native: bool = False) -> bool:
        if only_native:
            are_ours = isinstance(x, np.ndarray) and x.dtype == object
            return are_ours and any(isinstance(entry, sympy.Basic) for entry in x.flat) and self.is_tensor(x)
        if isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "biufc":
            return True
        try:
            return _tensor(x) is not None
        except (TypeError, ValueError):  # as `as_tensor` would raise
            return False

    def as_tensor(self, x: Any, convert_external: bool = True) -> Tensor:
        if not convert_external and sympy_values.is_scalar(x):
            return x
        tensor = _tensor(x)
        if tensor is not None:
            return tensor
        try:
            return sympy_arrays.as_array(choose_backend(x).numpy(x))
        except NoBackendFound:
            raise TypeError(f"sympy.as_tensor: {type(x).__name__} is no tensor: {x!r:.80}.") from None

    def is_available(self, tensor: Tensor) -> bool:
        return not sympy_values.free_symbols(self.as_tensor(tensor).flat)

    def numpy(self, tensor: Tensor) -> np.ndarray:
        array = self.as_tensor(tensor)
        symbols = sympy_values.free_symbols(array.flat)
        if symbols:
            raise ValueError(
                f"sympy.numpy: the values depend on the symbols {', '.join(symbols)}. "
                "Put numbers in their place, or make a function of them with backbench.compile."
            )
        values = np.empty(array.shape, object)
        for index in np.ndindex(*array.shape):
            values[index] = sympy_values.to_number(array[index])
        kinds = set(map(type, values.flat))
        if kinds == {bool}:
            return values.astype(bool)
        if kinds == {int} and all(-(2**63) <= value < 2**63 for value in values.flat):
            return values.astype(np.int64)
        values = np.array([sympy_values.as_float(value) for value in values.flat], object).reshape(values.shape)
        return values.astype(np.complex128 if complex in kinds else np.float64)

    def copy(self, tensor: Tensor, only_mutable: bool = False) -> Tensor:
        return np.array(self.as_tensor(tensor))

    def dtype(self, array: Tensor) -> DType:
        return _OBJECT

    def cast(self, x: Tensor, dtype: DType) -> Tensor:
        if dtype.kind is bool:
            return sympy_arrays.as_conditions(x)
        if dtype.kind is int:
            return sympy_arrays.trunc(x)
        return sympy_arrays.as_array(x) if dtype.kind is object else sympy_arrays.as_numbers(x)

    def auto_cast(self, *tensors: Any) -> list:
        return list(map(self.as_tensor, tensors))

    def as_inexact(self, x: Any) -> Tensor:
        return sympy_arrays.as_numbers(self.as_tensor(x))

    def to_float(self, x: Tensor) -> Tensor:
        return np.array(self.as_inexact(x))

    def zeros(self, shape: Any, dtype: DType | None = None) -> Tensor:
        return np.full(shape, sympy.false if dtype and dtype.kind is bool else sympy.S.Zero, object)

    def ones(self, shape: Any, dtype: DType | None = None) -> Tensor:
        return np.full(shape, sympy.true if dtype and dtype.kind is bool else sympy.S.One, object)

    def zeros_like(self, tensor: Any) -> Tensor:
        return self.zeros(self.staticshape(tensor))

    def ones_like(self, tensor: Any) -> Tensor:
        return self.ones(self.staticshape(tensor))

    def range(self, start: Any, limit: Any = None, delta: Any = 1, dtype: DType = DType(int, 32)) -> Tensor:
        first, end = (0, start) if limit is None else (start, limit)
        return sympy_arrays.as_array(np.arange(*[self.numpy(v).item() for v in (first, end, delta)]))

    def linspace(self, start: Any, stop: Any, number: int) -> Tensor:
        return sympy_arrays.linspace(start, stop, number)

    def erf(self, x: Any) -> Tensor:
        return sympy_arrays.erf(self.as_tensor(x))

    def sub(self, a: Any, b: Any) -> Tensor:
        return sympy_arrays.subtract(*self.auto_cast(a, b))

    def select(self, x: Any, threshold: Any, below: Any, above: Any) -> Tensor:
        return sympy_arrays.select(*self.auto_cast(x, threshold, below, above))

    def sigmoid(self, x: Any) -> Tensor:
        return sympy_arrays.sigmoid(self.as_tensor(x))

    def softplus(self, x: Any) -> Tensor:
        return sympy_arrays.softplus(self.as_tensor(x))

    def std(self, x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        distance = self.sub(x, self.mean(x, axis, keepdims=True))
        return self.sqrt(self.mean(self.mul(distance, distance), axis, keepdims))

    def unstack(self, tensor: Any, axis: int = 0, keepdims: bool = False) -> tuple:
        return tuple(np.asarray(part, object) for part in super().unstack(tensor, axis, keepdims))

    def multi_slice(self, tensor: Any, slices: tuple) -> Tensor:
        return np.asarray(super().multi_slice(tensor, slices), object)

    def softmax(self, x: Any, axis: int) -> Tensor:
        return softmax(self, x, axis, "pairwise")

    def log_softmax(self, x: Any, axis: int) -> Tensor:
        shifted = self.sub(x, self.stabilizer(x, axis))
        return self.sub(shifted, self.log(self.sum(self.exp(shifted), axis, keepdims=True)))

    def logsumexp(self, x: Any, axis: int, keepdims: bool = False) -> Tensor:
        largest = self.stabilizer(x, axis)
        shift = self.where(self.isfinite(largest), largest, 0)  # inf - inf would be NaN
        result = self.add(shift, self.log(self.sum(self.exp(self.sub(x, shift)), axis, keepdims=True)))
        return result if keepdims else np.squeeze(result, axis)

    def linear_solve(
        self,
        method: str,
        lin: Any,
        y: Any,
        x0: Any,
        rtol: Any,
        atol: Any,
        max_iter: Any,
        trj: bool,
        *,
        preconditioner: Any = None,
        time_limit: float | None = None,
        callback: Callable[[Any], object] | None = None,
    ) -> Any:
        options = {"preconditioner": preconditioner, "time_limit": time_limit, "callback": callback}
        with sympy.evaluate(True):  # a solver compares numbers, which expressions as written are not
            return super().linear_solve(method, lin, y, x0, rtol, atol, max_iter, trj, **options)

    def functional_gradient(self, f: Callable[..., Any], wrt: tuple | list, get_output: bool) -> Callable[..., Any]:
        if isinstance(f, FunctionWithGradient):
            return exact_gradient(self, f, wrt, get_output)

        def gradient(*args: Any) -> tuple:
            values = [bare(self.as_tensor(arg)) for arg in args]
            with sympy.evaluate(True):  # derivatives as written would be full of zeros and ones
                variables = {i: sympy_arrays.variables(values[i].shape) for i in wrt}
                with needing_no_value("sympy.functional_gradient"):
                    results = as_outputs(f(*recorded([variables.get(i, v) for i, v in enumerate(values)])))
                outputs = [bare(self.as_tensor(result)) for result in results]
                put_in = {d: v for i in wrt for d, v in zip(variables[i].flat, values[i].flat, strict=True)}
                loss = self.sum(outputs[0])[()]
                slopes = [sympy_arrays.derivatives(loss, variables[i]) for i in wrt]
                found = tuple(sympy_arrays.substituted(e, put_in) for e in [*(outputs if get_output else ()), *slopes])
            return recorded(found) if is_recorded(args) else found

        return gradient


_EXPRESSIONS = (sympy.Basic, sympy.MatrixBase, sympy.NDimArray)


def _tensor(x: Any) -> Tensor | None:
    """Arrays, expressions, numbers and sequences of them as an array of expressions; None of what is none of these.

    Raises:
        TypeError: When there is something in it that is no number and no expression.
        ValueError: For ragged sequences.
    """
    if isinstance(x, tuple | list | range):
        return sympy_arrays.as_array(_without_arrays(x))
    is_ours = isinstance(x, (np.ndarray, np.generic, str, bytes, *_EXPRESSIONS)) or sympy_values.is_scalar(x)
    return sympy_arrays.as_array(x) if is_ours else None


def _without_arrays(x: Any) -> Any:
    """Nested sequences with arrays in them as nested lists; NumPy would not look into arrays of rank 0."""
    if isinstance(x, tuple | list | range):
        return [_without_arrays(entry) for entry in x]
    return x.tolist() if isinstance(x, np.ndarray) else x


def exact(values: Any) -> np.ndarray:
    """Numbers as exact rational numbers, by their shortest decimals: 0.1 becomes 1/10, another number than the float.

    Args:
        values: A number, an array or a nested sequence of numbers: int, float, Fraction, text such as '1/3' or '0.25'.

    Returns:
        Object array of SymPy numbers.

    Raises:
        TypeError: For what is no number.

    Example:
        >>> exact([0.1, 2, '1/3'])
        array([1/10, 2, 1/3], dtype=object)
    """
    array = values.astype(object) if isinstance(values, np.ndarray) and values.dtype.kind == "U" else np.asarray(values)
    if array.dtype.kind in "OU" or not isinstance(values, np.ndarray):
        array = np.asarray(values, object)
    result = np.empty(array.shape, object)
    for index in np.ndindex(*array.shape):
        result[index] = sympy_values.rational(array[index])
    return result


for _name, _method in inspect.getmembers(Backend, inspect.isfunction):
    if not _name.startswith("_"):
        setattr(SympyBackend, _name, keeping_record(getattr(SympyBackend, _name)))

SYMPY = SympyBackend()
register(SYMPY)
