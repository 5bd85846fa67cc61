"""Solvers. The algorithms live in `backbench.solve`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..features import optional

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

        return linear_solve(
            self, method, lin, y, x0, rtol, atol, max_iter, trj, preconditioner=preconditioner, time_limit=time_limit
        )

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

    @optional
    def minimize(
        self,
        method: str,
        f: Callable[..., Any],
        x0: Any,
        atol: Any,
        max_iter: Any,
        trj: bool,
        *,
        bounds: Any = None,
        callback: Callable[..., Any] | None = None,
        time_limit: float | None = None,
    ) -> SolveResult | Trajectory:
        """Minimizes f for each row of x0 (batch, n) independently; f maps the whole batch to losses (batch,)."""
        raise NotImplementedError

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
