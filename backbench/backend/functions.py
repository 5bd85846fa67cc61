"""Functions that carry their own gradient, and gradients by differences for libraries that cannot differentiate."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .base import Backend
    from .dtypes import DType

Function = Callable[..., Any]


class FunctionWithGradient:
    """A function and its exact gradient, see `with_gradient()`."""

    def __init__(self, f: Function, gradient: Function) -> None:
        functools.update_wrapper(self, f)
        self.f, self.gradient = f, gradient

    def __call__(self, *args: Any) -> Any:
        """The value of the function."""
        return self.f(*args)


def with_gradient(f: Function, gradient: Function) -> FunctionWithGradient:
    """Attaches an exact gradient to a function. All backends use it in place of their own differentiation.

    Args:
        f: Takes tensors and returns a scalar, a loss per example (batch,), or a tuple whose first entry is that.
        gradient: Takes the same tensors and returns the gradient of the sum of the loss: a tensor if f has one
            argument, else a tuple with one for each.

    Raises:
        TypeError: When one of them is no function.

    Example:
        >>> f = with_gradient(lambda x: b.sum(x ** 2, -1), lambda x: 2 * x)
        >>> b.functional_gradient(f, (0,), get_output=False)(np.array([[1., 2.]]))
        (array([[2., 4.]], dtype=float32),)
    """
    for name, function in (("f", f), ("gradient", gradient)):
        if not callable(function):
            raise TypeError(f"with_gradient: {name} is {function!r:.80}, expected a function.")
    return FunctionWithGradient(f, gradient)


def exact_gradient(b: Backend, f: FunctionWithGradient, wrt: tuple | list, get_output: bool) -> Function:
    """`Backend.functional_gradient` of a function with its own gradient."""

    def gradient(*args: Any) -> tuple:
        check_wrt(b, wrt, len(args))
        args = tuple(map(b.as_tensor, args))
        outputs = as_outputs(f(*_copies(b, args))) if get_output else ()
        each = as_outputs(f.gradient(*_copies(b, args)))
        if len(each) != len(args):
            raise ValueError(f"The gradient of {f!r} gave {len(each)} tensors for {len(args)} arguments.")
        return (*outputs, *(_as_slope(b, each[i], args[i]) for i in wrt))

    return gradient


def _copies(b: Backend, args: tuple) -> list:
    """What a function of the user's may write into."""
    return [b.copy(x, only_mutable=True) for x in args]


def _as_slope(b: Backend, slope: Any, x: Any) -> Any:
    """A gradient in the type that a result by x has."""
    slope = b.as_tensor(slope)
    dtype = b.dtype(x)
    if dtype.precision is not None and dtype.precision == b.precision and b.dtype(slope) == dtype:  # nearly always
        return slope
    if b.dtype(slope).kind not in (bool, int, float, complex) or dtype.kind not in (bool, int, float, complex):
        return slope
    wanted = b.common_type(x)
    wanted = b.float_type if wanted.kind in (bool, int) else wanted
    return slope if b.dtype(slope) == wanted else b.cast(slope, wanted)


def check_loss(name: str, dtype: DType) -> None:
    """Checks that what a function returned first can be differentiated.

    Args:
        name: Of the backend.
        dtype: Its type.

    Raises:
        TypeError: When it is complex, or not continuous.
    """
    if dtype.kind is complex:
        way_out = "Take real(x), imag(x) or abs(x) of it."
        raise TypeError(f"{name}.functional_gradient: the loss is complex, expected real numbers. {way_out}")
    if dtype.kind in (bool, int):
        reason = f"the loss has the type {dtype}, which changes in jumps only and has no gradient"
        raise TypeError(f"{name}.functional_gradient: {reason}. Return floats.")


def difference_gradient(b: Backend, f: Function, wrt: tuple | list, get_output: bool) -> Function:
    """`Backend.functional_gradient` by central differences of fourth order in float64.

    The step balances truncation (h^4) against rounding (eps / h), which leaves about 12 digits of a smooth function.
    Where f is not smooth, such as `divide_no_nan` at a divisor of 0, differences mean nothing.

    Source: B. Fornberg (1988), doi 10.1090/S0025-5718-1988-0935077-0, table 1.
    """
    from .context import precision

    def loss(args: list) -> float:
        with precision(64):
            output = b.as_tensor(as_outputs(f(*args))[0])
        check_loss(b.name, b.dtype(output))
        return float(np.sum(b.numpy(output)))

    def partials(args: tuple, position: int) -> np.ndarray:
        x = b.numpy(b.as_tensor(args[position]))
        is_complex = x.dtype.kind == "c"
        point = x.astype(np.complex128 if is_complex else np.float64)
        slopes = np.zeros_like(point)
        for index in np.ndindex(point.shape):
            step = np.finfo(np.float64).eps ** 0.2 * max(1.0, float(abs(point[index])))
            for direction in (1, 1j) if is_complex else (1,):
                value = {}
                for multiple in (-2, -1, 1, 2):
                    shifted = point.copy()
                    shifted[index] = point[index] + multiple * step * direction
                    others = _copies(b, args)
                    value[multiple] = loss([*others[:position], shifted, *others[position + 1 :]])
                slope = (8 * (value[1] - value[-1]) - (value[2] - value[-2])) / (12 * step)
                slopes[index] = slopes[index] + direction * slope
        return slopes

    def gradient(*args: Any) -> tuple:
        check_wrt(b, wrt, len(args))
        args = tuple(map(b.as_tensor, args))
        outputs = as_outputs(f(*_copies(b, args))) if get_output else ()
        types = [b.dtype(b.as_inexact(args[i])) for i in wrt]
        return (*outputs, *(b.cast(partials(args, i), dtype) for i, dtype in zip(wrt, types, strict=True)))

    return gradient


def check_loop_values(b: Backend, values: Any, before: tuple | None) -> tuple:
    """What a loop of `while_loop` gives, or starts with, as a tuple.

    Raises:
        TypeError: When it is none, is empty, or has more or fewer values than `before`, which is None at the start.
    """
    if not isinstance(values, (tuple, list)) or not values or (before is not None and len(values) != len(before)):
        expected = "a condition and the values" if before is None else f"{len(before)} values, the condition first"
        raise TypeError(f"{b.name}.while_loop: expected a tuple with {expected}, not {values!r:.80}.")
    return tuple(values)


def check_wrt(b: Backend, wrt: Any, given: int | None = None) -> None:
    """Checks the indices of the arguments to differentiate by, against the number of arguments once that is known.

    Raises:
        TypeError: When they are no sequence of integers.
        IndexError: When there is no such argument.
    """
    if not isinstance(wrt, (tuple, list)) or not all(type(i) is int for i in wrt):
        raise TypeError(f"{b.name}: wrt lists the indices of arguments, such as (0,), not {wrt!r}.")
    if any(i < 0 or (given is not None and i >= given) for i in wrt):
        arguments = "from 0" if given is None else f"from 0 to {given - 1}" if given else "nothing: there is none"
        raise IndexError(f"{b.name}: wrt = {wrt!r} names an argument that does not exist; they count {arguments}.")


def check_takes(function: str, f: Any, arguments: int) -> None:
    """Checks that f can be called with the backend and so many arguments, before anything else is done with it.

    Args:
        function: Whose argument f is, for the message.
        f: Anything.
        arguments: Beside the backend.

    Raises:
        TypeError: When it cannot.
    """
    name = getattr(f, "__name__", type(f).__name__)
    given = ", ".join(["b", *(["x"] if arguments == 1 else [f"x{i}" for i in range(arguments)])])
    if isinstance(f, np.ufunc):
        way_out = f"Write lambda {given}: b.{name}({given[3:]}), if b has it."
        raise TypeError(f"{function}: NumPy's {name} knows no other backend. {way_out}")
    if not callable(f):
        raise TypeError(f"{function}: f is {f!r:.80}, expected a function f({given}).")
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):  # of a builtin
        return
    try:
        signature.bind(*[None] * (arguments + 1))
    except TypeError as error:
        message = f"{function}: it calls f({given}), the backend first, but {name}{signature} does not take that."
        raise TypeError(message) from error


def as_outputs(result: Any) -> tuple:
    """What a function returned, as a tuple.

    Raises:
        TypeError: When it is None or empty.
    """
    if result is None or (isinstance(result, (tuple, list)) and not result):
        expected = "expected a tensor or a tuple of tensors: it may lack a `return`"
        raise TypeError(f"The function returned {result!r}, {expected}.")
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)
