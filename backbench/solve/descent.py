"""Gradient descent with a step size for each example that follows the curvature along its way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .progress import Progress, Task, norms
from .result import SolveResult, Status

if TYPE_CHECKING:
    from ..backend.base import Backend

SHORT, LONG = 0.75, 0.25  # actual over predicted decrease: above SHORT a step is too short, below LONG too long
MOST_TRIALS = 20  # halvings, or doublings, in one step
MOST_HALVINGS = 100  # where f should still fall by more than it is rounded


def descend(task: Task) -> list[SolveResult]:
    """Makes steps x - rate·g whose actual decrease is about half of the predicted one, rate·‖g‖².

    Half is what the lowest point of a parabola gives. A trial that decreases the loss by less than a quarter of the
    prediction is too long, and the rate is halved; with more than three quarters it is too short, and the rate is
    doubled as long as that goes well. The best trial becomes the step, and its rate the first one of the next step.
    Examples have their own rates and do not wait for each other; one that has ended stays where it is.

    Source: the test of actual against predicted decrease is L. Armijo's (1966), doi 10.2140/pjm.1966.16.1, with the
    upper bound of A. A. Goldstein (1965), doi 10.1137/0303013.

    Args:
        task: Checked input.

    Returns:
        All states when recording, else the last one.
    """
    b, run = task.b, Progress(task)
    x, g = task.x0, run.start()
    run.keep(x)
    slope = run.gradient_norm
    rate, trials = 1 / np.fmax(1, run.gradient_norm), np.zeros(run.batch, int)  # the first step is at most 1 long
    growing, overflown = np.zeros(run.batch, bool), np.zeros(run.batch, bool)
    unit = float(np.finfo(task.dtype.to_numpy()).eps)
    best, best_loss = (x, g), np.full(run.batch, np.inf)  # of the trials of the step that is being made
    while np.count_nonzero(run.running):  # a tenth of the time of any()
        running = run.running.copy()
        step = b.cast(b.as_tensor((rate * running)[:, None]), task.dtype)
        trial = b.sub(x, b.mul(step, g))
        losses, gradient = run.evaluate(trial)
        predicted = rate * slope * slope  # in this order: the square alone may overflow
        ratio = (run.losses - losses) / predicted
        good = running & (ratio >= LONG) & (losses <= best_loss) & (losses > -np.inf)  # not for NaN
        best = _choose(b, good, (trial, gradient), best)
        best_loss = np.where(good, losses, best_loss)
        trials += running
        overflown |= ~np.isfinite(losses)

        too_many = trials > MOST_TRIALS
        fits = good & ((ratio <= SHORT) | too_many | (~growing & (trials > 1)))
        finished = fits | (running & growing & ~good)
        rate = rate * np.where(fits, 1.0, np.where(good, 2.0, 0.5))
        growing = (growing | good) & ~finished
        if np.count_nonzero(finished):
            new_slope = norms(b.numpy(best[1]))
            lost = finished & ~np.isfinite(new_slope)
            if np.count_nonzero(lost):  # a point with a loss, but without a gradient: the one before stays
                run.end(lost, Status.NON_FINITE)
                finished &= ~lost
            x, g = _choose(b, finished, best, (x, g))
            run.losses = np.where(finished, best_loss, run.losses)
            run.gradient_norm = slope = np.where(finished, new_slope, slope)
            best_loss = np.where(finished, np.inf, best_loss)
            trials[finished] = 0
            overflown[finished] = False
            run.iterations += finished
            run.end(finished & (run.gradient_norm <= task.atol), Status.CONVERGED)
            run.end(run.iterations >= task.max_iter, Status.MAX_ITERATIONS)
        if np.count_nonzero(stuck := running & too_many & ~finished & ~good):
            hidden = predicted <= unit * np.abs(run.losses)  # by rounding, if f did fall by so much
            stuck &= hidden | overflown | (trials > MOST_HALVINGS)
            run.end(stuck & ~overflown, Status.STAGNATED)
            run.end(stuck, Status.NON_FINITE)
        run.check_limits()
        has_moved = bool(np.count_nonzero(finished))
        if has_moved or not np.count_nonzero(run.running):
            run.keep(x, has_moved)
    return run.states


def _choose(b: Backend, flags: np.ndarray, yes: tuple[Any, Any], no: tuple[Any, Any]) -> tuple[Any, Any]:
    """Points and gradients: those of examples with a flag from `yes`, the others from `no`."""
    count = np.count_nonzero(flags)
    if count in (0, len(flags)):
        return yes if count else no
    flagged = b.as_tensor(flags[:, None])
    return b.where(flagged, yes[0], no[0]), b.where(flagged, yes[1], no[1])
