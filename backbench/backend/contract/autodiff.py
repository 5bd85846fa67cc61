"""Differentiation, compilation and loops."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..features import optional
from ..functions import check_loop_values

if TYPE_CHECKING:
    from ..base import Backend

Function = Callable[..., Any]


class Autodiff:
    """Derivatives of functions of tensors."""

    @optional
    def functional_gradient(self, f: Function, wrt: tuple | list, get_output: bool) -> Function:
        """The gradient of the sum of f's loss.

        Args:
            f: Takes tensors and returns a scalar, a loss per example (batch,), or a tuple whose first entry is that.
            wrt: Indices of the arguments to differentiate by.
            get_output: Whether the function returned gives the outputs of f too, before the gradients.

        Returns:
            A function of the same arguments that returns a flat tuple (outputs..., gradients...). NumPy: central
            differences in float64 (approximate, and meaningless where f jumps) unless f has an exact gradient, see
            `with_gradient`. For a complex argument the gradient is ∂f/∂Re + i·∂f/∂Im on every library, so that
            x - rate·gradient descends.

        Raises:
            TypeError: When the loss is complex, or of whole numbers; on PyTorch and JAX when its value leaves the
                library on the way.

        Example:
            >>> loss, gradient = b.functional_gradient(lambda x: b.sum(x * x), (0,), get_output=True)([1., 3.])
            >>> gradient.round(4)
            array([2., 6.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def jacobian(self, f: Function, wrt: tuple | list, get_output: bool) -> Function:
        """Derivatives of all outputs by all inputs: output shape + input shape for each argument in `wrt`."""
        raise NotImplementedError

    @optional
    def hessian(self, f: Function, wrt: tuple | list, get_output: bool, get_gradient: bool) -> Function:
        """Second derivatives per example: (outputs?, gradients?, H), for several arguments nested tuples H[i][j]."""
        raise NotImplementedError

    @optional
    def custom_gradient(self, f: Function, gradient: Function) -> Function:
        """The function f with a gradient of its own: `gradient(*d_out)` gives the gradients of the inputs."""
        raise NotImplementedError

    @optional
    def gradients(self, y: Any, xs: tuple | list, grad_y: Any) -> tuple:
        """Gradients of y by xs, recorded with `record_gradients`."""
        raise NotImplementedError

    @optional
    def record_gradients(self, xs: tuple | list, persistent: bool = False) -> AbstractContextManager[None]:
        """Context manager: operations on xs in the block are recorded for `gradients`."""
        raise NotImplementedError

    @optional
    def jit_compile(self, f: Function) -> Function:
        """The function f, compiled by the library at its first call, and anew for other shapes, types and precisions.

        On JAX `functional_gradient` of it is compiled as well: operation by operation a gradient takes milliseconds
        there, compiled it takes microseconds. `minimize` gains the same.
        """
        raise NotImplementedError

    @optional
    def jit_compile_grad(self, f: Function, wrt: tuple | list, get_output: bool) -> Function:
        """`functional_gradient`, compiled."""
        raise NotImplementedError

    @optional
    def jit_compile_hessian(self, f: Function, wrt: tuple | list, get_output: bool, get_gradient: bool) -> Function:
        """`hessian`, compiled."""
        raise NotImplementedError

    def while_loop(self: Backend, loop: Function, values: tuple) -> tuple:
        """While any(values[0]): values = loop(*values).

        Args:
            loop: Maps the values to new values of the same shapes and types.
            values: The first one is the condition, a bool tensor of any shape.

        Example:
            >>> b.while_loop(lambda go, i: (i + 1 < 5, i + 1), (np.array(True), np.array(0)))[1]
            np.int64(5)
        """
        values = check_loop_values(self, values, None)
        while np.any(self.numpy(self.as_tensor(values[0]))):
            values = check_loop_values(self, loop(*values), values)
        return values
