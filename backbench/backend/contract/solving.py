"""Solvers. The algorithms live in `backbench.solve`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..features import needs

if TYPE_CHECKING:
    from ...solve.result import SolveResult, Trajectory
    from ..base import Backend


class Solving:
    """Linear systems and minimization, a batch of independent examples at a time."""

    def linear_solve(
        self: Backend,
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
        callback: Callable[[SolveResult], object] | None = None,
    ) -> SolveResult | Trajectory:
        """Solves A·x = y for each example of a batch.

        An example has converged when the norm of its true residual y - A·x is at most max(rtol·‖y‖, atol).

        Args:
            method: 'CG', 'CG-adaptive' or 'auto'. All need a symmetric (Hermitian) positive definite A.
            lin: A: matrix (n, n), dense or sparse, one per example (batch, n, n), a list of matrices, or a callable
                that maps (batch, n) to (batch, n).
            y: Right-hand sides (batch, n), or a list of vectors (n,).
            x0: Start (batch, n); it is not written to.
            rtol: Relative tolerance, a number or (batch,).
            atol: Absolute tolerance, a number or (batch,).
            max_iter: Largest number of iterations, a number or (batch,).
            trj: True: all states from the first to the last one.
            preconditioner: Approximates the inverse of A: a matrix or a callable as `lin`.
            time_limit: Seconds after which the state reached is returned.
            callback: Called with the state of the batch after each step but the last one; when it raises StopIteration,
                the solve ends with the state reached.

        Returns:
            `SolveResult`, or with `trj` a `Trajectory`, which is a list of them.

        Raises:
            NotImplementedError: For an unknown method, naming the known ones.
            ValueError: For shapes that do not fit together.

        Example:
            >>> A, y = np.array([[4., 1], [1, 3]]), np.array([[1., 2]])
            >>> b.linear_solve('CG', A, y, b.zeros((1, 2)), 1e-5, 0, 50, False).iterations
            array([2], dtype=int32)
        """
        from ...solve.linear import linear_solve

        options = {"preconditioner": preconditioner, "time_limit": time_limit, "callback": callback}
        return linear_solve(self, method, lin, y, x0, rtol, atol, max_iter, trj, **options)

    def conjugate_gradient(
        self: Backend, lin: Any, y: Any, x0: Any, rtol: Any, atol: Any, max_iter: Any, trj: bool
    ) -> SolveResult | Trajectory:
        """`linear_solve` with the method of conjugate gradients.

        Source: J. R. Shewchuk, "An introduction to the conjugate gradient method without the agonizing pain" (1994).

        Example:
            >>> A, y = np.array([[4., 1], [1, 3]]), np.array([[1., 2]])
            >>> len(b.conjugate_gradient(A, y, b.zeros((1, 2)), 1e-5, 0, 50, True))
            3
        """
        return self.linear_solve("CG", lin, y, x0, rtol, atol, max_iter, trj)

    def conjugate_gradient_adaptive(
        self: Backend, lin: Any, y: Any, x0: Any, rtol: Any, atol: Any, max_iter: Any, trj: bool
    ) -> SolveResult | Trajectory:
        """`linear_solve` with conjugate gradients that compute step and direction anew from the current vectors.

        Source: M. R. Hestenes, E. Stiefel (1952), doi 10.6028/jres.049.044.

        Example:
            >>> A, y = np.array([[4., 1], [1, 3]]), np.array([[1., 2]])
            >>> b.conjugate_gradient_adaptive(A, y, b.zeros((1, 2)), 1e-5, 0, 50, False).converged
            array([ True])
        """
        return self.linear_solve("CG-adaptive", lin, y, x0, rtol, atol, max_iter, trj)

    @needs("functional_gradient")
    def minimize(
        self: Backend,
        method: str,
        f: Callable[..., Any],
        x0: Any,
        atol: Any,
        max_iter: Any,
        trj: bool,
        *,
        bounds: Any = None,
        callback: Callable[[SolveResult], object] | None = None,
        time_limit: float | None = None,
    ) -> SolveResult | Trajectory:
        """Minimizes f for each row of x0 independently.

        Args:
            method: 'GD', gradient descent with a step size that adapts, or a gradient method of
                `scipy.optimize.minimize`: 'CG', 'BFGS', 'L-BFGS-B', 'Newton-CG', 'TNC', 'SLSQP', 'trust-constr'.
            f: Maps points (batch, n) to losses (batch,), or to (their sum, losses). It is called once a round for the
                whole batch; a row must not feel the others. Libraries that differentiate do so; NumPy takes differences
                of f, 4n + 1 evaluations a round (one more with bounds, which it respects), unless f has an exact
                gradient, see `with_gradient`.
            x0: Start (batch, n); it is not written to.
            atol: 'GD' has converged when the norm of the gradient is at most this; scipy's methods take it as `tol`. A
                number or (batch,). A start at which the gradient is that small is returned as it is.
            max_iter: Largest number of iterations, a number or (batch,).
            trj: True: all states from the first to the last one.
            bounds: (n, 2), or pairs with None where there is none, for 'L-BFGS-B', 'TNC', 'SLSQP' and 'trust-constr',
                of which the last may look beyond them on its way. They are rounded to the type of x0.
            callback: Called with the state of the batch after each step but the last one; when it raises
                StopIteration, the solve ends with the state reached. f may raise it, too.
            time_limit: Seconds after which the state reached is returned.

        Returns:
            `SolveResult` whose `residual` is the loss (batch,) at x, or with `trj` a `Trajectory` of them. Losses fall
            from state to state, except with 'TNC', 'SLSQP' and 'trust-constr', which may climb in between. Where scipy
            ends by another test than that of the gradient, the message names it.

        Raises:
            NotImplementedError: For an unknown method, naming the known ones.
            ValueError: For shapes that do not fit together.

        Example:
            >>> f = with_gradient(lambda x: b.sum((x - 1) ** 2, -1), lambda x: 2 * (x - 1))
            >>> result = b.minimize('L-BFGS-B', f, np.array([[0., 3.], [5., 5.]]), 1e-6, 100, False)
            >>> result.x.round(3)
            array([[1., 1.],
                   [1., 1.]], dtype=float32)
        """
        from ...solve.minimization import minimize

        options = {"bounds": bounds, "callback": callback, "time_limit": time_limit}
        return minimize(self, method, f, x0, atol, max_iter, trj, **options)

    def linear(self: Backend, lin: Any, vector: Any) -> Any:
        """The product A·x for a batch of vectors.

        Args:
            lin: A callable, one matrix for the batch (dense or sparse), (batch, n, n), or a list of matrices, one per
                example.
            vector: (batch, n)

        Returns:
            (batch, rows)

        Example:
            >>> b.linear([np.eye(2), 2 * np.eye(2)], np.ones((2, 2)))
            array([[1., 1.],
                   [2., 2.]], dtype=float32)
        """
        if callable(lin):
            return lin(vector)
        if not isinstance(lin, (tuple, list)) or np.ndim(lin[0]) != 2:  # nested numbers are one matrix
            return self.matmul(lin, vector)
        vectors = self.unstack(self.as_tensor(vector))
        if len(lin) != len(vectors):
            raise ValueError(
                f"{self.name}.linear: {len(lin)} matrices for {len(vectors)} vectors. Give one per example."
            )
        return self.stack([self.matmul(matrix, x) for matrix, x in zip(lin, vectors, strict=True)])
