"""Conversion between libraries: values and types stay, and who shares memory is decided by rule."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from backbench import NUMPY, DType, NoBackendFound, choose_backend, context_backend, convert, get_backend, precision
from backbench.backend import is_installed

OTHERS = [
    pytest.param(name, marks=pytest.mark.skipif(not is_installed(name), reason=f"pip install 'backbench[{name}]'"))
    for name in ("torch", "jax", "tensorflow")
]
BOTH = pytest.mark.skipif(not (is_installed("torch") and is_installed("jax")), reason="needs PyTorch and JAX")


def layouts() -> dict[str, np.ndarray]:
    x = np.arange(12.0).reshape(3, 4)
    frozen = x.copy()
    frozen.flags.writeable = False
    return {
        "plain": x,
        "reversed": x[::-1, ::-1],
        "strided": x[:, ::2],
        "transposed": np.arange(6).reshape(2, 3).T,
        "broadcast": np.broadcast_to(np.array([1.0, 2.0]), (3, 2)),
        "frozen": frozen,
        "fortran": np.asfortranarray(x),
        "rank 0": np.array(2.5),
        "empty": np.zeros((0, 3)),
        "bool": np.array([True, False, True]),
        "half": np.float16([1, 2]),
        "complex": np.array([1 + 2j]),
        "bytes": np.uint8([1, 255]),
        "other byte order": np.array([1.0, 2.0], ">f8"),
        "field of records": np.array([(1, 2.5), (2, 3.5)], [("count", "i2"), ("value", "f8")])["value"],
        "part of complex": np.array([1 + 2j, 3 + 4j]).imag,
    }


@pytest.mark.skipif(not is_installed("torch"), reason="pip install 'backbench[torch]'")
def test_numpy_and_torch_share_both_ways_unless_told_not_to():
    torch = get_backend("torch")
    for x in (np.arange(3.0), torch.as_tensor([0.0, 1.0, 2.0])):
        target = "torch" if isinstance(x, np.ndarray) else "numpy"
        shared, copied = convert(x, target), convert(x, target, use_dlpack=False)
        x[1] = 7
        assert [float(shared[1]), float(copied[1])] == [7, 1]
        shared[2] = 9
        assert float(x[2]) == 9


@pytest.mark.parametrize("use_dlpack", [True, False])
@pytest.mark.parametrize("bits", [16, 64, None])
@pytest.mark.parametrize("layout", layouts())
@pytest.mark.parametrize("name", OTHERS)
def test_values_and_types_stay_there_and_back(name, layout, bits, use_dlpack):
    x = layouts()[layout]
    with precision(bits):
        there = convert(x, name, use_dlpack)
        back = convert(there, "numpy", use_dlpack)
    backend = get_backend(name)
    assert backend.is_tensor(there, only_native=True) and backend.staticshape(there) == x.shape
    assert backend.dtype(there) == NUMPY.dtype(x)
    np.testing.assert_array_equal(back, x)
    assert back.dtype == x.dtype.newbyteorder("=")


@pytest.mark.parametrize("name", OTHERS)
def test_layouts_that_libraries_refuse_do_not_end_the_process(name):
    code = f"""
import numpy as np
from backbench import convert, get_backend
b = get_backend({name!r})
for use_dlpack in (True, False):
    assert b.numpy(convert(np.arange(4.0)[::-1], b, use_dlpack)).tolist() == [3, 2, 1, 0]
    assert b.numpy(convert(np.broadcast_to([1.0, 2.0], (3, 2)), b, use_dlpack)).tolist() == [[1, 2]] * 3
try:
    b.from_dlpack(np.arange(4.0)[::-1])
except (ValueError, BufferError, RuntimeError) as error:
    print('refused:', error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def aligned(length: int, offset: int) -> np.ndarray:
    """Zeros that start `offset` bytes after an address that is a multiple of 64."""
    memory = np.zeros(length * 8 + 192, np.uint8)
    start = -memory.ctypes.data % 64 + offset
    return memory[start : start + length * 8].view(np.float64)


@pytest.mark.parametrize("length", [3, 1000, 100_000])
@pytest.mark.parametrize("name", OTHERS)
def test_memory_is_shared_by_rule_and_not_by_chance(name, length):
    """Wherever an array lies, a write to it afterwards is seen by PyTorch always and by JAX never."""
    backend = get_backend(name)
    for trial in range(100):
        x = aligned(length, offset=8 * (trial % 8))
        there, copied = convert(x, name), convert(x, name, use_dlpack=False)
        x[:] = 7
        seen, expected = float(backend.numpy(there)[-1]), 7 if name == "torch" else 0
        assert seen == expected, trial
        assert float(backend.numpy(copied)[-1]) == 0, trial
        back = convert(there, "numpy")
        assert back.flags.writeable == (name != "jax") and convert(there, "numpy", use_dlpack=False).flags.writeable


@BOTH
def test_pytorch_and_jax_copy_from_each_other():
    import torch

    for trial in range(100):
        x = torch.zeros(8 + trial)[trial % 8 :]
        there = convert(x, "jax")
        x[:] = 7
        assert float(there[0]) == 0
        back = convert(there, "torch")
        back[:] = 9
        assert float(there[0]) == 0


@pytest.mark.skipif(not is_installed("torch"), reason="pip install 'backbench[torch]'")
def test_writing_into_what_came_from_a_frozen_array_does_not_change_it():
    frozen = layouts()["frozen"]
    there = convert(frozen, "torch")
    there[:] = 7
    assert frozen[0, 0] == 0


@BOTH
@pytest.mark.parametrize("values", [[0.5, -1.0], [True, False]])
def test_all_six_directions(values):
    x = np.array(values)
    for first in ("torch", "jax", "tensorflow"):
        for second in ("torch", "jax", "tensorflow", "numpy"):
            result = convert(convert(x, first), second)
            backend = get_backend(second)
            assert backend.dtype(result) == NUMPY.dtype(x) and backend.numpy(result).tolist() == values


@BOTH
def test_gradients_are_left_behind():
    import torch

    x = torch.tensor([0.5, -1.0], requires_grad=True)
    assert convert(x, "numpy").tolist() == [0.5, -1.0] and convert(x, "jax").tolist() == [0.5, -1.0]
    assert convert(x, "torch") is x


@BOTH
def test_a_type_that_numpy_lacks_is_named():
    import jax.numpy as jnp
    import torch

    for x in (torch.ones(2, dtype=torch.bfloat16), jnp.ones(2, jnp.bfloat16)):
        with pytest.raises(TypeError, match="bfloat16"):
            convert(x, "numpy")


@pytest.mark.parametrize("name", OTHERS)
def test_dlpack_objects_go_both_ways(name):
    backend = get_backend(name)
    x = backend.as_tensor([1.0, 2.0])
    np.testing.assert_array_equal(np.from_dlpack(backend.to_dlpack(x)), backend.numpy(x))
    np.testing.assert_array_equal(backend.numpy(backend.from_dlpack(NUMPY.to_dlpack(np.array([3.0])))), [3])


def test_numbers_and_sequences_become_tensors():
    with precision(32):
        assert convert([0.5, 1]).dtype == np.float32 and NUMPY.dtype(convert(True)) == DType(bool)


def test_values_without_a_backend_are_named():
    for value in ("text", None, {}):
        with pytest.raises(NoBackendFound, match=type(value).__name__):
            choose_backend(value)
    for value in (np.bool_(True), True, 1.5):
        assert choose_backend(value) is NUMPY


@BOTH
def test_nested_blocks_are_left_by_an_exception():
    with pytest.raises(RuntimeError), get_backend("torch"), get_backend("jax"):
        assert context_backend().name == "jax" and choose_backend(1.5).name == "jax"
        raise RuntimeError
    assert context_backend() is None
