"""One promotion table: bool < int < float < complex, floats in the current precision."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from backbench import NUMPY, DType, combine_types, precision
from backbench.backend.contract.transcendental import Transcendental

ARRAYS = {
    name: np.ones(2, name)
    for name in ("bool", "int8", "int32", "uint8", "float16", "float32", "float64", "complex64", "complex128")
}
BINARY = ["add", "mul", "maximum", "minimum"]


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_floats_get_the_precision_whatever_the_inputs(bits):
    with precision(bits):
        for a, b in itertools.product(ARRAYS.values(), repeat=2):
            result = NUMPY.add(a, b)
            if "c" in a.dtype.kind + b.dtype.kind:
                assert result.dtype == f"complex{max(64, 2 * bits)}"
            elif "f" in a.dtype.kind + b.dtype.kind:
                assert result.dtype == f"float{bits}"
            else:
                assert result.dtype.kind in "iub"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("float32", "float64", "float64"),
        ("float16", "float32", "float32"),
        ("float16", "int32", "float16"),
        ("bool", "float16", "float16"),
        ("float16", "complex64", "complex64"),
        ("float64", "complex64", "complex128"),
        ("bool", "int8", "int8"),
        ("int8", "int32", "int32"),
        ("uint8", "int8", "int16"),
        ("uint8", "bool", "uint8"),
    ],
)
def test_without_precision_the_widest_input_wins(a, b, expected):
    with precision(None):
        assert NUMPY.add(ARRAYS[a], ARRAYS[b]).dtype == expected
        assert NUMPY.mul(ARRAYS[b], ARRAYS[a]).dtype == expected


def test_python_numbers_have_a_kind_but_no_width():
    with precision(None):
        assert NUMPY.add(ARRAYS["float32"], 0.1).dtype == np.float32
        assert NUMPY.add(ARRAYS["float16"], 0.1).dtype == np.float16
        assert NUMPY.add(ARRAYS["int8"], 1).dtype == np.int8
        assert NUMPY.add(ARRAYS["float64"], 1j).dtype == np.complex128
        assert NUMPY.add(ARRAYS["float64"], 0.1)[0] == 1.1  # the number keeps all its digits
        assert NUMPY.add(ARRAYS["int32"], 0.5).dtype == np.float32
        assert NUMPY.add(ARRAYS["float32"], np.float64(1)).dtype == np.float64  # a NumPy scalar has a width
    assert NUMPY.add(ARRAYS["float32"], np.float64(1)).dtype == np.float32
    assert NUMPY.add(ARRAYS["bool"], 1).dtype == np.int64


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_joining_and_choosing_follow_the_table(bits):
    mixed = [np.ones(2, np.float32), np.ones(2, np.float64), np.ones(2, np.int64)]
    with precision(bits):
        results = [
            NUMPY.where(np.array([True, False]), mixed[0], mixed[1]),
            NUMPY.stack(mixed),
            NUMPY.concat(mixed, 0),
            NUMPY.clip(mixed[2], 0.5, mixed[1]),
            NUMPY.divide_no_nan(mixed[2], mixed[2]),
            NUMPY.einsum("i,i->i", mixed[0], mixed[1]),
            NUMPY.select(mixed[2], 0, 0, mixed[1]),
            NUMPY.tensordot(mixed[0], (0,), mixed[1], (0,)),
            *(getattr(NUMPY, name)(mixed[0], mixed[1]) for name in BINARY),
            *(
                getattr(NUMPY, name)(mixed[1])
                for name in ("exp", "abs", "sum", "mean", "std", "softplus", "floor", "erf", "sigmoid")
            ),
        ]
    assert {str(result.dtype) for result in results} == {f"float{bits}"}


def test_integers_become_floats_where_mathematics_leaves_them():
    seven, two = np.array([7, -7], np.int32), np.array([2, 2], np.int32)
    assert NUMPY.div(seven, two).dtype == NUMPY.sqrt(two).dtype == NUMPY.mean(two).dtype == np.float32
    np.testing.assert_array_equal(NUMPY.div(seven, two), [3.5, -3.5])
    np.testing.assert_array_equal(NUMPY.add(np.array([1, 2], np.int32), 0.5), [1.5, 2.5])
    assert NUMPY.exp(True).dtype == np.float32


def test_products_of_bools_and_integers_stay_exact():
    a = np.array([[True, False], [False, False]])
    b = np.array([[True, False], [True, True]])
    product = NUMPY.einsum("ij,jk->ik", a, b)
    assert product.dtype == bool
    np.testing.assert_array_equal(product, [[True, False], [False, False]])
    product = NUMPY.tensordot(np.array([16777217, 2]), (0,), np.array([1, 1]), (0,))
    assert product == 16777219 and product.dtype == np.int64


def test_sums_of_narrow_integers_do_not_overflow():
    for dtype in (np.int8, np.int32, bool):
        total = NUMPY.sum(np.ones(300, dtype))
        assert total == 300 and total.dtype == np.int64
    assert NUMPY.prod(np.full(40, 2, np.int32)) == 2**40
    assert NUMPY.cumsum(np.full(3, 100, np.int8), 0)[-1] == 300
    assert NUMPY.sum(np.ones(3, np.uint8)).dtype == np.uint64


def test_half_precision_adds_up_in_single():
    x = np.full(3, 40000, np.float16)
    with precision(None):
        assert NUMPY.mean(x) == 40000 and NUMPY.mean(x).dtype == np.float16
        assert NUMPY.std(x) == 0
        assert NUMPY.sum(np.ones(4096, np.float16)) == 4096  # in float16, adding 1 to 2048 changes nothing
        assert NUMPY.einsum("i,i->", np.ones(4096, np.float16), np.ones(4096, np.float16)) == 4096
        assert NUMPY.matmul(np.ones((1, 4096), np.float16), np.ones(4096, np.float16)) == [4096]
    assert NUMPY.sum(x).dtype == np.float32


def test_unsigned_and_signed():
    assert combine_types(DType(int, 32, signed=False), DType(int, 8), fp_precision=32) == DType(int, 64)
    with pytest.raises(TypeError, match="uint64"):
        NUMPY.add(np.ones(1, np.uint64), np.ones(1, np.int8))
    assert NUMPY.add(np.ones(1, np.uint64), 1.0).dtype == np.float32


def test_bools_have_no_difference_but_a_sum():
    assert NUMPY.add([True], [True]).dtype == bool
    with pytest.raises(TypeError, match="xor"):
        NUMPY.sub([True], [True])


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "int64", "uint16", "float16", "float64", "complex64", "complex128", "object"]
)
def test_numpy_types_there_and_back(dtype):
    assert DType.from_numpy(dtype).to_numpy() == np.dtype(dtype)
    assert DType.from_numpy(dtype).itemsize == np.dtype(dtype).itemsize


def test_types_are_values():
    assert (
        len({DType(float, 32), DType(float, 32), DType(float, 64), DType(int, 32), DType(int, 32, signed=False)}) == 4
    )
    assert DType(complex, 64).precision == 32 and DType(int, 64).precision is None
    for wrong in [(float, 80), (complex, 32), (int, 7), (dict, 8), (float, 0)]:
        with pytest.raises(ValueError, match="DType"):
            DType(*wrong)
    with pytest.raises(TypeError, match="datetime64"):
        DType.from_numpy("datetime64[s]")


@pytest.mark.parametrize(("dtype", "number"), [("int8", 300), ("uint8", -1), ("int64", 2**70), ("int32", -(2**31) - 1)])
def test_numbers_that_do_not_fit_are_an_error_not_another_number(dtype, number):
    for operation in ("add", "equal", "maximum", "mul"):
        with pytest.raises(OverflowError, match=r"does not fit|64 bits"):
            getattr(NUMPY, operation)(np.ones(1, dtype), number)
    with pytest.raises(OverflowError, match="Cast the tensor"):
        NUMPY.cast([number], DType.from_numpy(dtype))


UNARY = [name for name in vars(Transcendental) if not name.startswith("_")]


@pytest.mark.parametrize(
    "name", [*UNARY, "sigmoid", "softplus", "logsigmoid", "abs", "floor", "mean", "std", "quantile"]
)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_without_precision_functions_keep_the_type_of_their_input(name, dtype):
    arguments = (np.array([0.5, 1.0], dtype), *([0.5] if name == "quantile" else []))
    with precision(None):
        assert getattr(NUMPY, name)(*arguments).dtype == dtype
