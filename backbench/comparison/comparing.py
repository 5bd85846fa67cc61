"""`compare`: which calls to make, on what, and what to make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..backend import Backend, get_backend
from ..backend.choice import is_installed, known_names
from ..backend.functions import check_takes
from .result import EXACT, Cell, Comparison, Precision, precision_text
from .running import Run, as_numbers, name_of, precision_of, run
from .truth import fifty_digits, measured, values_of

PRECISIONS = (16, 32, 64, None, EXACT)


def compare(
    f: Callable[..., Any],
    *inputs: Any,
    backends: str | Backend | Iterable[str | Backend] | None = None,
    precisions: Precision | Iterable[Precision] = (16, 32, 64),
    reference: str | Backend | None = None,
    repeat: int = 5,
) -> Comparison:
    """Calls a function on many backends and precisions and measures the errors of what they return.

    Each cell of the comparison gets the same inputs, rounded to its precision; what that rounding does is part of its
    error. A cell that cannot run says why. Only when none can, the first error is raised.

    Args:
        f: f(b, *inputs), the backend first, as for `backbench.compile`. It returns real numbers: an array or a tuple of
            arrays.
        *inputs: Real numbers or arrays of any shape, also tensors of other libraries. NaN and ±inf are allowed.
        backends: Names or backends. Default: all that are installed.
        precisions: 16, 32, 64 or None (floats keep the precision of the inputs) for backends that compute with floats.
            SymPy always computes with one precision, 'exact': with the rational numbers that the inputs are, bit by
            bit.
        reference: Default: the values of f with 50 digits at the exact binary values of the inputs, where 0.1 is
            0.1000000000000000055511151231257827. For these f is called with symbols, which takes a while for more than
            a few hundred elements. Or a backend: what it returns at 64 bits (SymPy: exactly) then counts as true.
        repeat: How often a cell is run to find its time: the shortest of these runs, fewer if they take long. One run
            before them, in which JAX compiles, is not counted.

    Raises:
        TypeError: For inputs that are no real numbers.
        ValueError: For an unknown precision, and when there is no reference with 50 digits, because f does not work
            with symbols: choose a backend as reference then.
        NoBackendFound: For an unknown backend.

    Example:
        >>> import backbench
        >>> def relative_change(b, x):
        ...     return b.div(b.sub(b.add(1, x), 1), x)
        >>> comparison = backbench.compare(relative_change, 1e-4)
        >>> comparison['numpy', 16].value, comparison['numpy', 16].absolute_error
        (array(0., dtype=float16), array(1.))
        >>> comparison['sympy', 'exact'].value
        array(1, dtype=object)
    """
    check_takes("compare", f, len(inputs))
    if not isinstance(repeat, int) or repeat < 1:
        raise ValueError(f"compare: repeat is a whole number from 1, not {repeat!r}.")
    values = tuple(as_numbers(value, position) for position, value in enumerate(inputs))
    places = _places(_known(backends), precisions)
    truth = None if reference is None else _known(reference)[0]
    runs = [run(f, values, backend, bits, repeat) for backend, bits in places]
    _raise_if_all_failed(runs)
    exacts = fifty_digits(f, values) if truth is None else values_of(truth, f, values)
    cells = tuple(measured(each, exacts) for each in runs)
    _raise_if_all_failed(cells)
    name = getattr(f, "__name__", "f")
    return Comparison(
        name="f" if name == "<lambda>" else name,
        cells=cells,
        reference=exacts if any(each.returns_tuple for each in runs) else exacts[0],
        reference_name="50 digits" if truth is None else f"{name_of(truth)}, {precision_text(precision_of(truth))}",
    )


def _known(backends: str | Backend | Iterable[str | Backend] | None) -> list[str | Backend]:
    """The backends asked for, each once; their libraries may be missing.

    Raises:
        NoBackendFound: For a name that no backend has.
    """
    if backends is None:
        return [name for name in known_names() if is_installed(name)]
    asked_for = [backends] if isinstance(backends, str | Backend) else list(backends)
    names = known_names()
    found = [b if b in names else get_backend(b) for b in asked_for]
    return list({name_of(b): b for b in found}.values())


def _places(
    backends: Sequence[str | Backend], precisions: Precision | Iterable[Precision]
) -> list[tuple[str | Backend, Precision]]:
    are_many = isinstance(precisions, Iterable) and not isinstance(precisions, str)
    asked_for: list[Any] = list(precisions) if are_many else [precisions]  # type: ignore[arg-type]
    for bits in asked_for:
        if bits not in PRECISIONS or not isinstance(bits, int | str | None):
            raise ValueError(f"compare: precisions are 16, 32, 64, None and 'exact', not {bits!r}.")
    floats = [bits for bits in dict.fromkeys(asked_for) if bits != EXACT]
    places = [(b, bits) for b in backends for bits in ([EXACT] if precision_of(b) == EXACT else floats)]
    if not places:
        names = ", ".join(map(name_of, backends)) or "no backend"
        hint = "'exact' is for the backend 'sympy', the others take 16, 32, 64 or None"
        raise ValueError(f"compare: nothing to compare on {names} with precisions {asked_for}; {hint}.")
    return places


def _raise_if_all_failed(results: Sequence[Run | Cell]) -> None:
    first = results[0].error
    if first is not None and all(result.error is not None for result in results):
        raise first
