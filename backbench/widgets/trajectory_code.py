"""The lines of Python that do what a `TrajectoryView` shows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..backend import known_names
from .following import EXACT
from .trajectory_problems import Field, Plane, Problem
from .trajectory_runs import ATOL, RTOL


def python_lines(problem: Problem, state: dict[str, Any]) -> str:
    """The calls of the solvers for functions of two unknowns, and for all problems the same view again.

    On NumPy the view uses the exact gradients of its own problems, the calls use differences. In 64 bits that is hardly
    seen; in 16 and 32 bits rounding leads minimizers on ways of their own.

    Args:
        problem: What is solved.
        state: As `TrajectoryView.state`.

    Example:
        >>> from backbench.widgets.trajectory_problems import quadratic_problem
        >>> state = {"problem": "quadratic", "methods": ["CG"], "x0": [-2.0, 1.5], "precision": 64, "backend": "numpy",
        ...          "condition": 10.0, "max_iter": 500}
        >>> print(python_lines(quadratic_problem(10.0), state))
        from backbench import NUMPY, precision
        from backbench.widgets import TrajectoryView
        <BLANKLINE>
        A, y = [[6.76, -4.32], [-4.32, 4.24]], [[4.6, -2.2]]
        with precision(64):
            trajectories = {
                "CG": NUMPY.linear_solve("CG", A, y, [[-2.0, 1.5]], rtol=1e-06, atol=0, max_iter=500, trj=True),
            }
        view = TrajectoryView("quadratic", ["CG"], [-2.0, 1.5], 64, "numpy", condition=10.0, max_iter=500)
    """
    view = _view(problem, state)
    if isinstance(problem, Field):
        return f"from backbench.widgets import TrajectoryView\n\n{view}\ntrajectories = view.trajectories"
    assert isinstance(problem, Plane)
    name, exact = state["backend"], state["precision"] == EXACT
    is_ours = name in known_names()
    b = name.upper() if is_ours else "b"
    linear = [method for method in state["methods"] if problem.is_linear(method)]
    solvable = [method for method in state["methods"] if method in problem.methods and not exact]
    others = [method for method in solvable if method not in linear]
    x0 = f"[{_list(state['x0'])}]"
    start, rtol = (f"exact({x0})", 0) if exact else (x0, RTOL)
    f = _function(problem, b) if problem.python else "f"
    rest = f"max_iter={state['max_iter']}, trj=True"
    calls = {
        **{m: f'{b}.linear_solve("{m}", A, y, {start}, rtol={rtol}, atol=0, {rest})' for m in linear},
        **{m: f'{b}.minimize("{m}", {f}, {x0}, atol={ATOL}, {rest})' for m in others},
    }
    table = ["trajectories = {", *(f'    "{method}": {call},' for method, call in calls.items()), "}"]
    needed = ["with_gradient"] if f.startswith("with_gradient") and others else []
    imports = [*([b] if is_ours else ["get_backend"]), "exact" if exact else "precision", *needed]
    lines = [f"from backbench import {', '.join(imports)}", "from backbench.widgets import TrajectoryView", ""]
    if not is_ours:
        lines.append(f"b = get_backend({json.dumps(name)})")
    if linear and problem.y is not None:
        A, y = problem.matrix.tolist(), [problem.y.tolist()]
        lines.append(f"A, y = exact({A}), exact({y})" if exact else f"A, y = {A}, {y}")
    if others and not problem.python:
        lines += ["def f(x):", "    x1, x2 = x[:, 0], x[:, 1]", f"    return {problem.expression}", ""]
    lines += table if exact else [f"with precision({state['precision']}):", *(f"    {line}" for line in table)]
    return "\n".join([*lines, view])


def _function(problem: Plane, b: str) -> str:
    f = f"lambda x: {problem.python}({b}, x)"
    if problem.gradient is None or b != "NUMPY":  # the others differentiate
        return f
    return f"with_gradient({f}, lambda x: {_gradient_name(problem)}({b}, x))"


def _gradient_name(problem: Plane) -> str:
    name = getattr(problem.gradient, "__name__", "")
    return name if name.isidentifier() else "gradient"


def _view(problem: Problem, state: dict[str, Any]) -> str:
    bits, name = state["precision"], problem.python or json.dumps(state["problem"])
    arguments = [name, _list(state["methods"]), _list(state["x0"]), json.dumps(bits), json.dumps(state["backend"])]
    if state["problem"] == "quadratic":
        arguments.append(f"condition={state['condition']!r}")
    arguments.append(f"max_iter={state['max_iter']}")
    if state.get("device"):
        arguments.append(f"device={json.dumps(state['device'])}")
    if problem.python:
        assert isinstance(problem, Plane)
        arguments.append(f"domain={problem.domain}")
        if problem.gradient is not None:
            arguments.append(f"gradient={_gradient_name(problem)}")
    return f"view = TrajectoryView({', '.join(arguments)})"


def _list(entries: Iterable[Any]) -> str:
    """A list as people write it in Python: texts in double quotes."""
    return f"[{', '.join(json.dumps(entry) if isinstance(entry, str) else repr(entry) for entry in entries)}]"
