"""What functions and constants of SymPy are called in NumPy."""

from __future__ import annotations

import sympy
from sympy import Basic, S
from sympy.codegen import cfunctions
from sympy.core.relational import Relational

FUNCTIONS: dict[type[Basic], str] = {
    sympy.exp: "exp",
    sympy.log: "log",
    cfunctions.log2: "log2",
    cfunctions.log10: "log10",
    cfunctions.log1p: "log1p",
    cfunctions.expm1: "expm1",
    sympy.sin: "sin",
    sympy.cos: "cos",
    sympy.tan: "tan",
    sympy.asin: "arcsin",
    sympy.acos: "arccos",
    sympy.atan: "arctan",
    sympy.atan2: "arctan2",
    sympy.sinh: "sinh",
    sympy.cosh: "cosh",
    sympy.tanh: "tanh",
    sympy.asinh: "arcsinh",
    sympy.acosh: "arccosh",
    sympy.atanh: "arctanh",
    sympy.Abs: "abs",
    sympy.sign: "sign",
    sympy.ceiling: "ceil",
    sympy.Mod: "mod",
    sympy.Heaviside: "heaviside",
    sympy.conjugate: "conj",
}
RECIPROCALS: dict[type[Basic], str] = {
    sympy.sec: "cos",
    sympy.csc: "sin",
    sympy.cot: "tan",
    sympy.sech: "cosh",
    sympy.csch: "sinh",
    sympy.coth: "tanh",
}
CONSTANTS: dict[Basic, str] = {
    S.Pi: "pi",
    S.Exp1: "e",
    S.EulerGamma: "euler_gamma",
    S.Infinity: "inf",
    S.NegativeInfinity: "inf",
    S.NaN: "nan",
    S.ComplexInfinity: "nan",
}
COMPARISONS: dict[type[Relational], tuple[str, str]] = {
    sympy.Gt: (">", "greater"),
    sympy.Ge: (">=", "greater_equal"),
    sympy.Lt: ("<", "less"),
    sympy.Le: ("<=", "less_equal"),
    sympy.Eq: ("==", "equal"),
    sympy.Ne: ("!=", "not_equal"),
}
