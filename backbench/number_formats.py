"""Computed numbers, their errors and times as people read them."""

import math

import numpy as np


def format_output(value: np.floating) -> str:
    """Write an output with the digits its precision has, and no more.

    Example:
        >>> [format_output(v) for v in (np.float16(0.665), np.float64(1) / 3, np.float32(4.2e-9), np.float64("nan"))]
        ['0.665', '0.3333333333333333', '4.2e-09', 'NaN']
    """
    if np.isnan(value):
        return "NaN"
    if not np.isfinite(value) or value == 0 or 1e-4 <= abs(float(value)) < 1e16:
        return np.format_float_positional(value, unique=True, trim="-")
    return np.format_float_scientific(value, unique=True, trim="-", exp_digits=2)


def format_error(value: float) -> str:
    """Write an error: two digits are all it needs.

    Example:
        >>> format_error(1.1102e-16), format_error(0.0), format_error(float("nan"))
        ('1.1e-16', '0', 'NaN')
    """
    if math.isnan(value):
        return "NaN"
    return "0" if value == 0 else f"{value:.1e}" if math.isfinite(value) else "inf"


def format_ulp(value: float) -> str:
    """Write an error in units in the last place.

    Example:
        >>> format_ulp(0.4712), format_ulp(9e15), format_ulp(7.6e-111), format_ulp(float("nan"))
        ('0.47', '9.0e15', '< 0.01', 'NaN')
    """
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "inf"
    if value < 0.01:
        return "< 0.01" if value else "0"
    if value < 1000:
        return f"{value:.2f}"
    return f"{value:.1e}".replace("e+0", "e").replace("e+", "e")


def format_seconds(value: float) -> str:
    """Write a time with its unit in three digits.

    Example:
        >>> [format_seconds(v) for v in (4.2e-7, 1.234e-5, 0.0999999, 12.0)]
        ['0.42 µs', '12.3 µs', '100 ms', '12 s']
    """
    units = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}
    unit = next((unit for unit, size in units.items() if float(f"{value / size:.3g}") < 1000), "s")
    return f"{value / units[unit]:.3g} {unit}"
