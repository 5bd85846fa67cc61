"""Differentiation, compilation and loops."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..features import needs, optional
from ..functions import as_outputs, check_loop_values

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
            TypeError: When the loss is complex, or of whole numbers, or when its value leaves a library that
                differentiates on the way.

        Example:
            >>> loss, gradient = b.functional_gradient(lambda x: b.sum(x * x), (0,), get_output=True)([1., 3.])
            >>> gradient.round(4)
            array([2., 6.], dtype=float32)
        """
        raise NotImplementedError

    @needs("functional_gradient", "reshape")
    def jacobian(self: Backend, f: Function, wrt: tuple | list, get_output: bool) -> Function:
        """Derivatives of each element of f's first output, found one after the other.

        Args:
            f: Takes tensors and returns a real tensor of any shape, or a tuple whose first entry is that.
            wrt: Indices of the arguments to differentiate by.
            get_output: Whether the function returned gives the outputs of f too, before the derivatives.

        Returns:
            A function of the same arguments that returns a flat tuple (outputs..., derivatives...), each of the shape
            of the output followed by that of the argument. NumPy: by differences, as `functional_gradient`.

        Example:
            >>> (J,) = b.jacobian(lambda x: b.mul(x, x), (0,), get_output=False)([1., 3.])
            >>> J.round(3)
            array([[2., 0.],
                   [0., 6.]], dtype=float32)
        """

        def derivatives(*args: Any) -> tuple:
            outputs = as_outputs(f(*map(self.as_tensor, args)))
            shape = self.staticshape(self.as_tensor(outputs[0]))

            def element(number: int) -> Function:
                return lambda *args: self.reshape(as_outputs(f(*args))[0], (-1,))[number]

            rows = [self.functional_gradient(element(i), wrt, False)(*args) for i in range(math.prod(shape))]
            found = []
            for position, argument in enumerate(wrt):
                inner = self.staticshape(self.as_tensor(args[argument]))
                slopes = [row[position] for row in rows] or [self.zeros((0, *inner))[:0]]
                joined = self.stack(slopes) if rows else self.zeros((0,))
                found.append(self.reshape(joined, (*shape, *inner)))
            return (*(outputs if get_output else ()), *found)

        return derivatives

    @needs("functional_gradient", "reshape")
    def hessian(self: Backend, f: Function, wrt: tuple | list, get_output: bool, get_gradient: bool) -> Function:
        """Second derivatives of a loss for each example of a batch.

        Args:
            f: Takes tensors (batch, ...) and returns losses (batch,), or a tuple whose first entry is that; the loss of
                an example must not depend on the others.
            wrt: Indices of the arguments to differentiate by.
            get_output: Whether the function returned gives the outputs of f, first.
            get_gradient: Whether it gives the gradients, next.

        Returns:
            A function of the same arguments that returns a flat tuple (outputs..., gradients..., H). For one argument x
            (batch, ...) H has the shape (batch, ..., ...); for several it is a tuple of tuples, H[i][j] of the shape
            (batch, shape of an example of i..., of j...). NumPy: by differences, as `functional_gradient`.

        Example:
            >>> f = lambda x: b.sum(b.pow(x, 3), -1)
            >>> (H,) = b.hessian(f, (0,), get_output=False, get_gradient=False)([[1., 2.]])
            >>> H.round(2)
            array([[[ 6.,  0.],
                    [ 0., 12.]]], dtype=float32)
        """

        def derivatives(*args: Any) -> tuple:
            shapes = [self.staticshape(self.as_tensor(args[i])) for i in wrt]
            if any(not shape or shape[0] != shapes[0][0] for shape in shapes):
                raise ValueError(f"{self.name}.hessian: arguments have the shapes {shapes}, expected (batch, ...).")

            def element(position: int, number: int) -> Function:
                def slope(*args: Any) -> Any:
                    gradient = self.functional_gradient(f, (wrt[position],), False)(*args)[0]
                    return self.reshape(gradient, (shapes[position][0], -1))[:, number]

                return slope

            found = []
            for i, outer in enumerate(shapes):
                count = math.prod(outer[1:])
                rows = [self.functional_gradient(element(i, k), wrt, False)(*args) for k in range(count)]
                found.append(
                    tuple(
                        self.reshape(self.stack([row[j] for row in rows], axis=1), (outer[0], *outer[1:], *inner[1:]))
                        for j, inner in enumerate(shapes)
                    )
                )
            values: tuple = ()
            if get_output or get_gradient:
                values = self.functional_gradient(f, wrt, get_output)(*args)
                values = values if get_gradient else values[: len(values) - len(wrt)]
            return (*values, found[0][0] if len(wrt) == 1 else tuple(found))

        return derivatives

    @optional
    def custom_gradient(self, f: Function, gradient: Function, *, with_inputs: bool = False) -> Function:
        """The function f with a gradient of its own, to be used within other functions.

        Args:
            f: Takes tensors and returns a tensor or a tuple of tensors.
            gradient: `gradient(*d_out)`, from the gradients of f's outputs, gives those of its inputs: a tensor if f
                has one argument, else a tuple.
            with_inputs: `gradient(inputs, outputs, *d_out)` instead, both tuples.

        Returns:
            A function of the same arguments. NumPy, which does not differentiate: its gradient is the custom one where
            `functional_gradient` is asked for that of the function itself.

        Example:
            >>> f = b.custom_gradient(lambda x: b.mul(x, x), lambda d: 10 * d)
            >>> b.functional_gradient(f, (0,), get_output=False)([1., 3.])[0]
            array([10., 10.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def gradients(self, y: Any, xs: tuple | list, grad_y: Any) -> tuple:
        """Gradients of y by xs, after a block of `record_gradients`.

        Args:
            y: A tensor that was computed in the block.
            xs: What was given to `record_gradients`, or some of it.
            grad_y: Gradient of y; None means ones.

        Returns:
            A tensor for each of `xs`, 0 where y does not depend on it.
        """
        raise NotImplementedError

    @optional
    def record_gradients(self, xs: tuple | list, persistent: bool = False) -> AbstractContextManager[None]:
        """Context manager: what is computed of xs in the block is recorded for `gradients`.

        Args:
            xs: Variables, see `variable`, or floating point tensors.
            persistent: Whether `gradients` may be asked for more than once.
        """
        raise NotImplementedError

    @optional
    def jit_compile(self, f: Function) -> Function:
        """The function f, compiled by the library at its first call, and anew for other shapes, types and precisions.

        On JAX `functional_gradient` of it is compiled as well: operation by operation a gradient takes milliseconds
        there, compiled it takes microseconds. `minimize` gains the same.
        """
        raise NotImplementedError

    @needs("jit_compile", "functional_gradient")
    def jit_compile_grad(self: Backend, f: Function, wrt: tuple | list, get_output: bool) -> Function:
        """`functional_gradient`, compiled."""
        return self.jit_compile(lambda *args: self.functional_gradient(f, wrt, get_output)(*args))

    @needs("jit_compile", "hessian")
    def jit_compile_hessian(
        self: Backend, f: Function, wrt: tuple | list, get_output: bool, get_gradient: bool
    ) -> Function:
        """`hessian`, compiled."""
        return self.jit_compile(lambda *args: self.hessian(f, wrt, get_output, get_gradient)(*args))

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
