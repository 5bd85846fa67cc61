"""Nodes that SymPy lacks: a choice that keeps NaN, and extrema that compare nothing as long as they are symbolic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from sympy import Add, Expr, Max, Min, Mul, Piecewise, Pow, S, StrictGreaterThan, sympify
from sympy.core.parameters import global_parameters


class Select(Expr):
    """`above` where x > threshold, `below` elsewhere, NaN where x is NaN.

    Args:
        x: What is compared.
        threshold: What it is compared with.
        below: The value for x <= threshold.
        above: The value for x > threshold.

    Example:
        >>> from sympy import Symbol
        >>> x = Symbol('x')
        >>> relu = Select(x, 0, 0, x)
        >>> relu.subs(x, 3), relu.subs(x, -3), relu.diff(x)
        (3, 0, Select(x, 0, 0, 1))
    """

    is_commutative = True

    def __new__(cls, x: Any, threshold: Any, below: Any, above: Any) -> Expr:  # noqa: D102 (see the class)
        x, threshold, below, above = map(sympify, (x, threshold, below, above))
        if global_parameters.evaluate:
            if x in (S.NaN, S.ComplexInfinity):
                return S.NaN
            if _is_real_number(x) and _is_real_number(threshold):
                taken = x > threshold
                if taken in (S.true, S.false):
                    return above if taken else below
        return super().__new__(cls, x, threshold, below, above)

    def _eval_derivative(self, symbol: Expr) -> Expr:
        # correct except at the threshold, where there need not be a derivative
        x, threshold, below, above = self.args
        below, above = below.diff(symbol), above.diff(symbol)
        return below if below == above else Select(x, threshold, below, above)

    def _eval_evalf(self, prec: int) -> Expr:
        return Select(*(arg._evalf(prec) for arg in self.args))

    def _eval_rewrite_as_Piecewise(self, x: Expr, threshold: Expr, below: Expr, above: Expr, **hints: Any) -> Expr:
        return Piecewise((above, StrictGreaterThan(x, threshold)), (below, True))

    def _latex(self, printer: Any) -> str:
        x, threshold, below, above = map(printer._print, self.args)
        return (
            rf"\begin{{cases}} {above} & \text{{for}}\: {x} > {threshold} \\ {below} & \text{{otherwise}} \end{{cases}}"
        )

    def _numpycode(self, printer: Any) -> str:
        x, threshold, below, above = map(printer._print, self.args)
        where, isnan = printer._module_format("numpy.where"), printer._module_format("numpy.isnan")
        return f"{where}({x} > {threshold}, {above}, {where}({isnan}({x}), {x}, {below}))"


class _Extremum(Expr):
    """What the largest and the smallest of several expressions have in common."""

    is_commutative = True
    identity: ClassVar[Expr]
    plain: ClassVar[type[Expr]]
    """SymPy's own node for the same function."""

    def __new__(cls, *args: Any) -> Expr:
        distinct = dict.fromkeys(cls._flatten(map(sympify, args)))
        if S.NaN in distinct:
            return S.NaN
        if global_parameters.evaluate:
            distinct = dict.fromkeys(cls._fold_numbers(distinct))
        if len(distinct) <= 1:
            return next(iter(distinct), cls.identity)
        return super().__new__(cls, *distinct)

    @classmethod
    def _beats(cls, a: Expr, b: Expr) -> Expr:
        raise NotImplementedError

    @classmethod
    def _flatten(cls, args: Iterable[Expr]) -> Iterable[Expr]:
        for arg in args:
            if isinstance(arg, cls):
                yield from arg.args
            elif arg is not cls.identity:
                yield arg

    @classmethod
    def _fold_numbers(cls, args: Iterable[Expr]) -> list[Expr]:
        """The arguments, with all comparable numbers among them replaced by the extreme one, in front."""
        best: Expr | None = None
        others = []
        for arg in args:
            if not _is_real_number(arg):
                others.append(arg)
            elif best is None or cls._beats(arg, best) == S.true:
                best = arg
            elif cls._beats(arg, best) != S.false:
                others.append(arg)
        return others if best is None else [best, *others]

    def _eval_derivative(self, symbol: Expr) -> Expr:
        # Where several arguments are extreme, the mean of their derivatives: the subgradient that also makes
        # |x| = max(x, -x) and log(1 + exp(x)) = max(x, 0) + ... come out right at 0.
        slopes = [arg.diff(symbol) for arg in self.args]
        if all(slope == slopes[0] for slope in slopes):
            return slopes[0]
        is_extreme = [self._is_reached_by(arg) for arg in self.args]
        weighted = Add(*(Mul(slope, weight) for slope, weight in zip(slopes, is_extreme, strict=True)))
        return Mul(weighted, Pow(Add(*is_extreme), S.NegativeOne))

    def _is_reached_by(self, arg: Expr) -> Expr:
        """1 where this argument is the extreme one, 0 elsewhere."""
        raise NotImplementedError

    def _eval_evalf(self, prec: int) -> Expr:
        return type(self)(*(arg._evalf(prec) for arg in self.args))

    def _eval_rewrite(self, rule: Any, args: Any, **hints: Any) -> Expr | None:
        if rule is self.plain:
            return self.plain(*args)
        return self.plain(*args).rewrite(rule) if rule is Piecewise else None

    def _latex(self, printer: Any) -> str:
        return rf"\{self.plain.__name__.lower()}\left({', '.join(map(printer._print, self.args))}\right)"

    def _numpycode(self, printer: Any) -> str:
        function = printer._module_format(f"numpy.{type(self).__name__.lower()}")
        codes = [printer._print(arg) for arg in self.args]
        while len(codes) > 1:  # in pairs: the parentheses stay shallow
            pairs = [f"{function}({a}, {b})" for a, b in zip(codes[::2], codes[1::2], strict=False)]
            codes = pairs + codes[2 * len(pairs) :]
        return codes[0]


class Maximum(_Extremum):
    """The largest of its arguments, NaN when one is NaN.

    Numbers among the arguments are compared, symbolic arguments are not: building it takes time proportional to their
    number, while `sympy.Max` compares every pair and needs seconds for a hundred.

    Args:
        *args: Expressions or numbers. Of none the maximum is -oo.

    Example:
        >>> from sympy import symbols
        >>> x, y = symbols('x y')
        >>> Maximum(1, x, Maximum(y, 3)), Maximum(x, y).subs({x: 1, y: 2})
        (Maximum(3, x, y), 2)
    """

    identity = S.NegativeInfinity
    plain = Max

    @classmethod
    def _beats(cls, a: Expr, b: Expr) -> Expr:
        return a > b

    def _is_reached_by(self, arg: Expr) -> Expr:
        return Select(self, arg, S.One, S.Zero)


class Minimum(_Extremum):
    """The smallest of its arguments, NaN when one is NaN; see `Maximum`.

    Args:
        *args: Expressions or numbers. Of none the minimum is oo.

    Example:
        >>> from sympy import symbols
        >>> x, y = symbols('x y')
        >>> Minimum(1, x, Minimum(y, 3)), Minimum(x, y).subs({x: 1, y: 2})
        (Minimum(1, x, y), 1)
    """

    identity = S.Infinity
    plain = Min

    @classmethod
    def _beats(cls, a: Expr, b: Expr) -> Expr:
        return a < b

    def _is_reached_by(self, arg: Expr) -> Expr:
        return Select(arg, self, S.One, S.Zero)


def _is_real_number(expression: Expr) -> bool:
    # `is_comparable` alone starts a search through the whole expression for whether it is real, with symbols too
    return bool(expression.is_number and expression.is_comparable)
