"""Sentences that say what happened to the numbers and why: overflow, underflow, and where NaN comes from."""

import math
from collections.abc import Iterable

import numpy as np

from .formats import format_error, format_number, format_ulp
from .softmax_numbers import Column, Measurement


def summary(result: Measurement, chosen: int | str) -> str:
    """One line for the eye and for a screen reader: the outputs and the largest error of the chosen precision.

    Args:
        result: The measured softmax.
        chosen: A precision, or `"exact"` for the true values.

    Example:
        >>> from backbench.widgets.softmax_numbers import measure
        >>> summary(measure((0.0, 0.0), "shifted"), 64)
        'float64, shifted: 0.500, 0.500. Largest error 0 (0 ulp).'
    """
    reason = _no_value_because(np.asarray(result.values))
    no_value = f"Softmax has no value here because {reason}."
    if not isinstance(chosen, int):
        true_values = no_value if reason else _outputs_in_words(result.exact.astype(np.float64))
        return f"exact: {true_values} The columns of floats beside it are {result.backend}’s."
    column = result.columns[chosen]
    verdict = no_value if reason else _errors_in_words(column)
    place = "" if result.backend == "numpy" else f" on {result.backend}"
    return f"float{chosen}{place}, {result.formulation}: {_outputs_in_words(column.outputs)} {verdict}"


def explain(result: Measurement) -> list[str]:
    """Say what went wrong, in which precisions and why; or why nothing did.

    Args:
        result: The measured softmax.

    Returns:
        One or more sentences. Precisions to which the same happens share one.

    Example:
        >>> from backbench.widgets.softmax_numbers import measure
        >>> explain(measure((1e4, 1e4), "plain"))[0]
        'exp(10000) overflows float16, float32 and float64 (largest exponents 11.1, 88.7 and 709.8): inf/inf = NaN.'
    """
    x = np.asarray(result.values)
    if _no_value_because(x):
        return [_without_value(x, result.formulation), *_inputs_beyond(x, result.columns)]
    find_cause = {"plain": _plain_cause, "shifted": _shifted_cause, "pairwise": _pairwise_cause}[result.formulation]
    causes: dict[str, list[int]] = {}
    for bits in result.columns:
        cause = find_cause(x, _cast(x, bits))
        if cause is not None:
            causes.setdefault(cause, []).append(bits)
    # A zero that has a cause is explained by it; the others are too small.
    unexplained = [bits for bits in result.columns if all(bits not in precisions for precisions in causes.values())]
    sentences = [
        *_inputs_beyond(x, result.columns),
        *(_fill(cause, precisions) for cause, precisions in causes.items()),
    ]
    return sentences + _flushed_to_zero(result, unexplained) or [_all_is_well(x, result.formulation)]


def _no_value_because(x: np.ndarray) -> str | None:
    """Why softmax itself, in exact arithmetic, has no value at these inputs; None where it has one."""
    if np.isnan(x).any():
        return f"{_units(np.isnan(x))} NaN"
    if np.isposinf(x).any():
        return f"{_units(np.isposinf(x))} +inf"
    return "all inputs are -inf" if np.isneginf(x).all() else None


def _without_value(x: np.ndarray, formulation: str) -> str:
    """What a formulation makes of inputs at which softmax has no value, in any precision."""
    if np.isnan(x).any():
        return "Every output divides by a sum over all inputs, so all are NaN, rightly."
    infinite = np.isposinf(x)
    if not infinite.any():
        return {
            "plain": "Every exponential is 0, and 0/0 = NaN.",
            "shifted": "The maximum is -inf as well, and subtracting it gives -inf - (-inf) = NaN.",
            "pairwise": "The pairwise form subtracts them from each other: -inf - (-inf) = NaN.",
        }[formulation]
    if formulation == "shifted":
        return "The maximum is inf, and subtracting it gives inf - inf = NaN, which the sum brings to every output."
    others = "" if infinite.all() else " The other outputs are divided by inf and become 0."
    if formulation == "plain":
        return f"exp(inf) is inf, and inf/inf = NaN.{others}"
    if infinite.sum() == 1:
        return "The pairwise form never divides inf by inf: it gives 1, the limit when only this input grows."
    return f"The pairwise form subtracts them from each other: inf - inf = NaN.{others}"


# A cause is a sentence with places for the precisions to which it happens. It depends on the inputs `x` and on what the
# precision makes of them, `seen`.


def _plain_cause(x: np.ndarray, seen: np.ndarray) -> str | None:
    with np.errstate(over="ignore", under="ignore"):
        powers = np.exp(seen)
        total = powers.sum(dtype=np.promote_types(seen.dtype, np.float32)).astype(seen.dtype)
    largest = f"exp({format_number(x.max())})"
    if np.isposinf(powers).any():
        others = "" if np.isposinf(powers).all() else " The other outputs are divided by inf and become 0."
        return f"{largest} overflows {{floats}} (largest exponent{{s}} {{limits}}): inf/inf = NaN.{others}"
    if np.isposinf(total):
        return "No exponential overflows {floats}, but their sum does: each is divided by inf and becomes 0."
    if total == 0:
        return f"Even the largest exponential, {largest}, is 0 in {{floats}}: 0/0 = NaN."
    return None


def _shifted_cause(x: np.ndarray, seen: np.ndarray) -> str | None:
    if np.isfinite(seen.max()):
        return None
    return "The maximum itself is infinite in {floats}, and subtracting it gives inf - inf = NaN."


def _pairwise_cause(x: np.ndarray, seen: np.ndarray) -> str | None:
    for sign, infinite in (("inf", np.isposinf(seen)), ("-inf", np.isneginf(seen))):
        if infinite.sum() > 1:
            difference = "inf - inf" if sign == "inf" else "-inf - (-inf)"
            return f"{_units(infinite)} {sign} in {{floats}}, and the pairwise form subtracts them: {difference} = NaN."
    return None


def _fill(cause: str, precisions: list[int]) -> str:
    limits = _join(f"{np.log(float(np.finfo(f'float{bits}').max)):.1f}" for bits in precisions)
    return cause.format(floats=_floats(precisions), limits=limits, s="" if len(precisions) == 1 else "s")


def _inputs_beyond(x: np.ndarray, precisions: Iterable[int]) -> list[str]:
    """Finite inputs that a precision cannot hold."""
    beyond = {bits: np.isfinite(x) & ~np.isfinite(_cast(x, bits)) for bits in precisions}
    return [
        f"{_units(lost)} beyond the largest number of float{bits}, {float(np.finfo(f'float{bits}').max):.5g}, "
        "and therefore infinite in it."
        for bits, lost in beyond.items()
        if lost.any()
    ]


def _flushed_to_zero(result: Measurement, precisions: list[int]) -> list[str]:
    by_count: dict[tuple[int, bool], list[int]] = {}
    for bits in precisions:
        zeros = [y for y, output in zip(result.exact, result.columns[bits].outputs, strict=True) if output == 0 < y]
        smallest = float(np.finfo(f"float{bits}").smallest_subnormal)
        subnormal = sum(bool(y > smallest) for y in zeros)
        by_count.setdefault((subnormal, True), []).append(bits)
        by_count.setdefault((len(zeros) - subnormal, False), []).append(bits)
    sentences = []
    for (count, subnormal), lost in by_count.items():
        if count == 0:
            continue
        facts = [np.finfo(f"float{bits}") for bits in lost]
        subject = "1 output is" if count == 1 else f"{count} outputs are"
        if subnormal:
            limits = _join(f"{float(fact.smallest_normal):.1e}" for fact in facts)
            reason = f"{result.backend} makes results 0 that are below the smallest normal number, {limits}"
        else:
            limits = _join(f"{float(fact.smallest_subnormal):.1e}" for fact in facts)
            reason = f"too small for the smallest number there, {limits}"
        sentences.append(f"{subject} 0 in {_floats(lost)}: {reason}.")
    return sentences


def _all_is_well(x: np.ndarray, formulation: str) -> str:
    if formulation == "plain":
        return f"Nothing overflows: the largest exponential is exp({format_number(x.max())}) = {np.exp(x.max()):.3g}."
    if formulation == "shifted":
        return "Nothing overflows: the maximum is subtracted first, so the largest exponential is exp(0) = 1."
    return "Nothing goes wrong: only differences are exponentiated, and where one overflows, 1/inf = 0 is the limit."


def _outputs_in_words(outputs: np.ndarray) -> str:
    if len(outputs) <= 6:
        return ", ".join(_rounded(float(y)) for y in outputs) + "."
    if np.isnan(outputs).all():
        return f"all {len(outputs)} outputs are NaN."
    top = int(np.nanargmax(outputs))
    return f"the largest of {len(outputs)} outputs is {_rounded(float(outputs[top]))}, unit {top}."


def _rounded(y: float) -> str:
    if y == 0 or math.isnan(y):
        return "0" if y == 0 else "NaN"
    return f"{y:.3f}" if y >= 1e-3 else f"{y:.1e}"


def _errors_in_words(column: Column) -> str:
    lost = int(np.isnan(column.absolute).sum())
    if lost:
        return f"{lost} of {len(column.outputs)} outputs {'is' if lost == 1 else 'are'} lost to NaN."
    return f"Largest error {format_error(column.absolute.max())} ({format_ulp(column.ulp.max())} ulp)."


def _cast(x: np.ndarray, bits: int) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        return x.astype(f"float{bits}")


def _units(chosen: np.ndarray) -> str:
    """Name the chosen units, with the verb: `x_0 and x_2 are`."""
    names = [f"x_{i}" for i in np.flatnonzero(chosen)]
    if len(names) > 4:
        return f"{len(names)} inputs are"
    return f"{_join(names)} {'is' if len(names) == 1 else 'are'}"


def _floats(precisions: list[int]) -> str:
    return _join(f"float{bits}" for bits in precisions)


def _join(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
