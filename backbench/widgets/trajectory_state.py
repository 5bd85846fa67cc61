"""The state of a `TrajectoryView`: what may be chosen, and what is said when it may not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from numbers import Real
from typing import Any

import traitlets

from .formats import parse_count, parse_number
from .guard import LOCK
from .trajectory_page import LARGEST, check_point
from .trajectory_problems import LABELS, PROBLEMS, Field, Problem
from .view import View

MOST_ITERATIONS = 100_000
MOST_CONDITION = 1e6
DEFAULT_METHODS = ("CG", "GD")


def check_condition(value: Any) -> float:
    """A condition number.

    Raises:
        TraitError: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 1 <= float(value) <= MOST_CONDITION:
        raise traitlets.TraitError(f"condition is {value!r:.80}, expected a number from 1 to {MOST_CONDITION:,.0f}.")
    return float(value)


def as_list(methods: Sequence[str] | str) -> list[str]:
    """Names of methods, or a single one, as a list."""
    return [methods] if isinstance(methods, str) else list(methods)


class TrajectoryState(View):
    """The traits that a user sets, of which everything that is shown follows.

    Attributes:
        problem, condition, methods, x0, max_iter, step: As the arguments of `TrajectoryView`.
        problems: What can be chosen: dicts with `name`, `label`, `kind`, `methods`, `has_condition`.
        complaints: By field, what was wrong with the text typed there.
    """

    STATE = ("problem", "condition", "methods", "x0", "max_iter", "step", "backend", "precision", "device")

    problem = traitlets.Unicode("quadratic").tag(sync=True)
    condition = traitlets.Float(10.0, min=1.0, max=MOST_CONDITION).tag(sync=True)
    methods: traitlets.List[str] = traitlets.List(traitlets.Unicode()).tag(sync=True)
    x0 = traitlets.Any().tag(sync=True)  # a list of two floats; tensors and tuples become that
    max_iter = traitlets.Int(500, min=1, max=MOST_ITERATIONS).tag(sync=True)
    step = traitlets.Int(-1).tag(sync=True)

    problems: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    complaints = traitlets.Dict().tag(sync=True)

    _own: Problem | None = None
    _runs: list[Any]
    _kept: list[Any]
    _is_made = False  # by the constructor, which gives a start and methods
    _ready = False  # to solve

    def _named(self, name: str, condition: float) -> Problem:
        if self._own is not None and name == self._own.name:
            return self._own
        if name not in PROBLEMS:
            known = ", ".join([*PROBLEMS, *([self._own.name] if self._own else [])])
            raise traitlets.TraitError(
                f"TrajectoryView has no problem {name!r}. Known: {known}, or a function f(b, x)."
            )
        return PROBLEMS[name](condition)

    @property
    def _problem(self) -> Problem:
        return self._named(self.problem, self.condition)

    @staticmethod
    def _default_methods(problem: Problem) -> list[str]:
        found = [method for method in DEFAULT_METHODS if method in problem.methods]
        return found if isinstance(problem, Field) or len(found) > 1 else list(problem.methods[:2])

    def _offer(self) -> list[dict[str, Any]]:
        """What the page offers; only the problems' own facts, none of them is solved."""
        named = {name: PROBLEMS[name](10.0) for name in PROBLEMS}
        labels = dict(LABELS)
        if self._own is not None:
            named[self._own.name], labels[self._own.name] = self._own, self._own.label
        return [
            {
                "name": name,
                "label": labels[name],
                "kind": "field" if isinstance(problem, Field) else "plane",
                "methods": list(problem.methods),
                "has_condition": name == "quadratic",
            }
            for name, problem in named.items()
        ]

    @traitlets.validate("problem")
    def _check_problem(self, proposal: Any) -> str:
        self._named(proposal.value, 10.0)
        return str(proposal.value)

    @traitlets.validate("condition")
    def _check_condition(self, proposal: Any) -> float:
        return check_condition(proposal.value)

    @traitlets.validate("max_iter")
    def _check_max_iter(self, proposal: Any) -> int:
        if isinstance(proposal.value, bool):
            raise traitlets.TraitError(f"max_iter is {proposal.value}, expected a whole number from 1.")
        return int(proposal.value)

    @traitlets.validate("x0")
    def _check_x0(self, proposal: Any) -> list[float]:
        try:
            return check_point(proposal.value)
        except (TypeError, ValueError) as problem:
            raise traitlets.TraitError(str(problem)) from None

    @traitlets.validate("methods")
    def _check_methods(self, proposal: Any) -> list[str]:
        known = {method for name in PROBLEMS for method in PROBLEMS[name](10.0).methods}
        unknown = [method for method in proposal.value if method not in known]
        if unknown:
            raise traitlets.TraitError(
                f"TrajectoryView has no method {unknown[0]!r}. Known: {', '.join(sorted(known))}."
            )
        return list(dict.fromkeys(proposal.value))

    @traitlets.observe("problem")
    def _enter_problem(self, change: Any) -> None:
        """Another problem has a start and methods of its own; the runs of the old one mean nothing on its picture."""
        if not self._is_made:
            return
        problem = self._problem
        self._runs, self._kept = [], []
        with self.hold_sync():
            self.x0 = list(problem.start[:2]) if not isinstance(problem, Field) else self.x0
            fitting = [method for method in self.methods if method in problem.methods]
            self.methods = fitting or self._default_methods(problem)
            self.step = -1
            self.complaints = {}

    def enter(self, field: str, text: str) -> None:
        """Do what a text field does: take the number, or say beside the field why it is none.

        Args:
            field: `x0_0`, `x0_1`, `max_iter` or `condition`.
            text: What was typed.

        Example:
            >>> from backbench.widgets import TrajectoryView
            >>> view = TrajectoryView()
            >>> view.enter("condition", "0.5")
            >>> view.complaints["condition"]
            'From 1 to 1e6. Still using 10.'
        """
        try:
            if field == "max_iter":
                count = parse_count(text)
                if not 1 <= count <= MOST_ITERATIONS:
                    raise ValueError(f"From 1 to {MOST_ITERATIONS:,}.")
                self.withdraw(field)
                self.max_iter = count
                return
            value = parse_number(text)
            if field == "condition":
                if not 1 <= value <= MOST_CONDITION:
                    raise ValueError("From 1 to 1e6.")
                self.withdraw(field)
                self.condition = value
                return
            if not abs(value) <= LARGEST:
                raise ValueError("A start is a finite number, at most 1e6.")
        except ValueError as problem:
            current = {"max_iter": self.max_iter, "condition": self.condition}.get(field)
            used = current if current is not None else self.x0[int(field[-1])]
            self._complain(field, f"{problem} Still using {used:g}.")
            return
        self.withdraw(field)
        position = int(field[-1])
        self.x0 = [value if i == position else old for i, old in enumerate(self.x0)]

    def withdraw(self, field: str) -> None:
        """Take back the complaint about a field."""
        self.complaints = {other: sentence for other, sentence in self.complaints.items() if other != field}

    def _complain(self, field: str, sentence: str) -> None:
        self.complaints = {**self.complaints, field: sentence}

    def _put(self, state: dict[str, Any]) -> None:
        # in order: a problem brings a start and methods of its own
        ordered = sorted(state, key=self.STATE.index)
        with LOCK, self._waiting():
            before, runs = self.state, (self._runs, self._kept, self.complaints)
            try:
                for name in ordered:
                    setattr(self, name, state[name])
            except Exception:
                for name in self.STATE:
                    setattr(self, name, before[name])
                self._runs, self._kept, self.complaints = runs
                raise

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """In the block nothing is solved; after it, what is wanted by then."""
        ready, self._ready = self._ready, False
        try:
            yield
        finally:
            self._ready = ready
            self._refresh()

    def _refresh(self, change: object = None) -> None:
        """Solve what is wanted."""
        raise NotImplementedError
