"""Numbers as people type and read them: parsing the text fields, printing values and errors."""

import math

import mpmath
import numpy as np

from ..number_formats import format_error, format_output, format_ulp

__all__ = [
    "NAN",
    "format_error",
    "format_exact",
    "format_number",
    "format_output",
    "format_ulp",
    "parse_count",
    "parse_number",
]

NAN = math.nan
"""The one NaN of the views: tuples compare their entries by identity first, so a repeated NaN counts as equal."""

_ALMOST_ZERO = mpmath.mpf("1e-9999")
_HELP = "Try 1.5, 1e4, -inf or nan."
_LONGEST = 16  # characters of a typed text that a complaint repeats
_SIGNS = str.maketrans({"−": "-", "∞": "inf"})  # as people paste them


def parse_number(text: str | float) -> float:
    """Read one number as a person would type it.

    Args:
        text: A number, or text such as `1.5`, `1e4`, `-inf`, `nan`.

    Returns:
        The float64 value.

    Raises:
        ValueError: The text is no number, or one too large for float64. The message is meant to be shown.

    Example:
        >>> parse_number(" 1e4 "), parse_number("-inf")
        (10000.0, -inf)
        >>> parse_number("1,5")
        Traceback (most recent call last):
        ...
        ValueError: “1,5” is not a number. Decimals take a point: 1.5.
    """
    if isinstance(text, bool) or not isinstance(text, str | int | float | np.integer | np.floating):
        raise ValueError(f"“{_clipped(str(text))}” is not a number. {_HELP}")
    if not isinstance(text, str):
        try:
            return _canonical(float(text))
        except OverflowError:
            raise ValueError(f"A whole number of {len(str(abs(text)))} digits is too large for float64.") from None
    shown, text = _clipped(text.strip()), text.strip().translate(_SIGNS)
    if not text:
        raise ValueError(f"The field is empty. {_HELP}")
    try:
        value = float(text)
    except ValueError:
        pointed = text.replace(",", ".")
        hint = f"Decimals take a point: {_clipped(pointed)}." if _is_float(pointed) else _HELP
        raise ValueError(f"“{shown}” is not a number. {hint}") from None
    if math.isinf(value) and "inf" not in text.lower():
        raise ValueError(f"“{shown}” is larger than float64 can hold. Type inf if you mean infinity.")
    return _canonical(value)


def parse_count(text: str | int) -> int:
    """Read a whole number as a person would type it.

    Raises:
        ValueError: The text is no whole number. The message is meant to be shown.

    Example:
        >>> parse_count(" 12 ")
        12
        >>> parse_count("2.5")
        Traceback (most recent call last):
        ...
        ValueError: “2.5” is not a whole number.
    """
    shown = str(text).strip()
    if not shown:
        raise ValueError("The field is empty.")
    if not _is_float(shown) or not float(shown).is_integer():
        raise ValueError(f"“{_clipped(shown)}” is not a whole number.")
    return int(float(shown))


def format_number(value: float) -> str:
    """Write an input so that it reads well and parses back to the same number.

    Example:
        >>> [format_number(v) for v in (1.0, 0.1, 1e4, 1e300, float("-inf"), float("nan"))]
        ['1', '0.1', '10000', '1e+300', '-inf', 'nan']
    """
    whole = math.isfinite(value) and value == int(value) and abs(value) < 1e16
    return str(int(value)) if whole else repr(float(value))


def format_exact(value: mpmath.mpf, digits: int = 18) -> str:
    """Write the leading digits of a 50-digit value; three dots say that more follow.

    NaN, in an exact value, means that there is none. Exponents of five digits and more say nothing but "almost 0".

    Example:
        >>> format_exact(mpmath.mpf("0.25")), format_exact(mpmath.mpf(1) / 3, 6), format_exact(mpmath.exp(-1e300))
        ('0.25', '0.333333…', '≈ 0, below 1e-9999')
    """
    if mpmath.isnan(value):
        return "no value"
    if 0 < value < _ALMOST_ZERO:
        return "≈ 0, below 1e-9999"
    # 45 of the 50 digits: the last ones carry the rounding of the computation
    mantissa, e, exponent = mpmath.nstr(value, 45, min_fixed=-5).removesuffix(".0").partition("e")
    room = 2 + digits - len(e + exponent)
    return (mantissa if len(mantissa) <= room else mantissa[:room] + "…") + e + exponent


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _canonical(value: float) -> float:
    return NAN if math.isnan(value) else value
