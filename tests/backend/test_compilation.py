"""Functions that PyTorch and JAX compile: the same values as without, traced anew whenever something else is given."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from backbench import DType, get_backend, precision, with_gradient
from backbench.backend import is_installed


@pytest.fixture(params=["torch", "jax", "tensorflow"])
def compiler(request):
    if not is_installed(request.param):
        pytest.skip(f"{request.param} is not installed: pip install 'backbench[{request.param}]'")
    return get_backend(request.param)


def test_values_and_types_are_those_of_the_function_itself(compiler):
    b = compiler

    def f(x):
        return b.sum(b.mul(b.softmax(x, -1), b.log(x)))

    compiled = b.jit_compile(f)
    for bits in (32, 64, 32):
        with precision(bits):
            x = b.as_tensor([1.0, 2.0, 3.0])
            assert b.dtype(compiled(x)) == b.dtype(f(x)) == DType(float, bits)
            np.testing.assert_allclose(b.numpy(compiled(x)), b.numpy(f(x)), rtol=1e-6)


def test_more_signatures_than_the_library_likes(compiler, capfd):
    b = compiler
    compiled = b.jit_compile(lambda x: b.sum(b.exp(x)))
    for length in range(1, 12):
        assert float(compiled(b.zeros(length))) == length
    assert capfd.readouterr().err == ""


def test_arguments_that_are_no_tensors_are_told_apart_by_value_and_type(compiler):
    b = compiler
    compiled = b.jit_compile(lambda x, n: b.mul(x, n[0] if isinstance(n, list) else n))
    x = b.as_tensor(np.array([2, 3]))
    for n, expected in ((1, int), (1.0, float), (True, int), (3, int), ([4], int)):
        result = compiled(x, n)
        assert b.dtype(result).kind is expected
        factor = n[0] if isinstance(n, list) else n
        assert b.numpy(result).tolist() == [2 * factor, 3 * factor]


def test_tensors_within_arguments_are_no_constants(compiler):
    b = compiler
    compiled = b.jit_compile(lambda x, d: b.add(b.mul(x, d["w"]), d["pair"][0]))
    x, first = b.ones(3000), np.arange(3000.0)
    second = first.copy()
    second[1500] = -7  # where the text of an array has dots
    for weights in (first, second):
        result = compiled(x, {"w": b.as_tensor(weights), "pair": (1, [2])})
        np.testing.assert_array_equal(b.numpy(result), weights + 1)
    sign = b.jit_compile(lambda x, zero: b.div(x, b.mul(x, zero)))
    assert [float(sign(b.ones(1), zero)[0]) for zero in (0.0, -0.0, 0.0)] == [np.inf, -np.inf, np.inf]


def test_a_branch_of_python_is_never_frozen(compiler):
    b = compiler

    def branch(x):
        return b.mul(x, 2) if b.sum(x) > 0 else b.mul(x, 3)

    compiled = b.jit_compile(branch)
    if b.name != "torch":
        with pytest.raises(TypeError, match=r"branch needs a value.*where, select or while_loop"):
            compiled(b.ones(1))
    else:
        assert float(compiled(b.ones(1))[0]) == 2 and float(compiled(b.sub(0, b.ones(1)))[0]) == -3


def test_loops(compiler):
    b = compiler

    def double(x):
        go, i = b.as_tensor(True), b.as_tensor(0)
        return b.while_loop(lambda go, i, x: (b.less_than(i, 4), b.add(i, 1), b.mul(x, 2)), (go, i, x))[2]

    x = b.ones(2)
    assert b.numpy(double(x)).tolist() == b.numpy(b.jit_compile(double)(x)).tolist() == [32, 32]


def test_an_exact_gradient_is_used_in_compiled_functions_too(compiler):
    b = compiler
    f = with_gradient(lambda x: b.sum(b.mul(x, x)), lambda x: b.mul(x, 20))
    gradient = b.jit_compile(lambda x: b.functional_gradient(f, (0,), False)(x)[0])
    assert b.numpy(gradient(b.ones(2))).tolist() == [20, 20]


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})


@pytest.mark.parametrize("name", ["torch", "jax", "tensorflow"])
def test_without_the_library_everything_else_works(name):
    code = f"""
import sys
sys.modules[{name!r}] = None
import backbench
from backbench import NUMPY, MissingLibrary, get_backend
from backbench.backend import is_installed
assert NUMPY.sum([1, 2]) == 3 and not is_installed({name!r})
assert {name!r} not in [b.name for b in backbench.detect_backends()]
name = {name!r}
asks = [lambda: getattr(backbench, name.upper()), lambda: get_backend(name), lambda: backbench.convert([1.0], name)]
for ask in asks:
    try:
        ask()
    except MissingLibrary as error:
        assert "pip install 'backbench[{name}]'" in str(error), error
    else:
        raise AssertionError
"""
    done = run(code)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not is_installed("jax"), reason="pip install 'backbench[jax]'")
def test_jax_computes_in_64_bits_unless_told_not_to():
    look = "from backbench import JAX, precision\nimport jax\nprint(jax.config.jax_enable_x64)\n"
    assert run("import logging; logging.basicConfig(level=logging.INFO)\n" + look).stdout == "True\n"
    refused = run(look + "with precision(64): JAX.zeros(2)", BACKBENCH_JAX_X64="0")
    assert refused.stdout == "False\n" and "BACKBENCH_JAX_X64=0" in refused.stderr.splitlines()[-1]
    assert run(look + "JAX.zeros(2)", BACKBENCH_JAX_X64="0").returncode == 0


@pytest.mark.skipif(not is_installed("torch"), reason="pip install 'backbench[torch]'")
def test_compilation_by_pytorch_warns_of_nothing():
    code = """
import warnings
import numpy as np
warnings.simplefilter("error")
from backbench import TORCH as b
print(float(b.jit_compile(lambda x: b.sum(b.add(x, np.array([1, 2, 3]))))(np.ones(3))))
"""
    assert run(code).stdout == "9.0\n"


@pytest.mark.skipif(not is_installed("jax"), reason="pip install 'backbench[jax]'")
def test_without_64_bits_everything_else_works():
    code = """
import numpy as np
from backbench import JAX, DType, precision
from backbench.widgets import BackendBar, SoftmaxView
x = JAX.as_tensor([[1, 2], [3, 4]])
for value in (x, JAX.add([1, 2], 3), JAX.sum([1, 2]), JAX.add(np.arange(3), 1), JAX.where([True], 1, 2)):
    assert JAX.dtype(value) == DType(int, 32), value
assert JAX.add([1, 2], 3).tolist() == [4, 5] and JAX.sum(x).item() == 10
assert JAX.dtype(JAX.div([1], [2])) == DType(float, 32)
result = JAX.linear_solve('CG', [[4, 1], [1, 3]], [[1, 2]], [[0, 0]], 1e-5, 0, 50, False)
assert result.converged.all() and abs(float(result.x[0, 0]) - 1 / 11) < 1e-6
assert JAX.minimize('BFGS', lambda x: JAX.sum((x - 1) ** 2, -1), [[0, 0]], 1e-3, 50, False).converged.all()
for refused in (lambda: JAX.as_tensor(2**40), lambda: JAX.zeros(2, DType(int, 64)), lambda: JAX.to_int64([1])):
    try:
        refused()
    except TypeError as error:
        assert 'BACKBENCH_JAX_X64=0' in str(error)
    else:
        raise AssertionError(refused)
bar = BackendBar(precision=64)
view = SoftmaxView([1, 2], precision=64, bar=bar)
bar.backend = 'jax'
assert (bar.precision, view.precision, view.error) == (32, 32, {})
assert {o['name']: o['precisions'] for o in bar.backends}['jax'] == [16, 32]
try:
    bar.precision = 64
except Exception as error:
    assert 'jax has the precisions 16, 32 here' in str(error)
bar.backend = 'numpy'
bar.precision = 64
bar.state = {'backend': 'jax', 'precision': 64}
assert bar.precision == 32
"""
    done = run(code, BACKBENCH_JAX_X64="0")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not is_installed("jax"), reason="pip install 'backbench[jax]'")
def test_gradients_of_compiled_functions_are_compiled_too():
    jax = get_backend("jax")
    traces = []

    def f(x):
        traces.append(jax.is_available(x))
        return jax.sum(jax.mul(x, x), -1)

    compiled = jax.jit_compile(f)
    with precision(64):
        for _ in range(3):
            loss, slope = jax.functional_gradient(compiled, (0,), get_output=True)([[1.0, 3.0]])
            result = jax.minimize("BFGS", compiled, [[1.0, 3.0]], 1e-6, 50, False)
    assert traces == [False]
    assert loss.tolist() == [10] and slope.tolist() == [[2, 6]]
    np.testing.assert_allclose(np.asarray(result.x), 0, atol=1e-6)
    assert compiled.__name__ == "f"


@pytest.mark.skipif(not is_installed("jax"), reason="pip install 'backbench[jax]'")
def test_a_compiled_loop_that_changes_types_says_so():
    jax = get_backend("jax")

    def halve(n):
        return jax.while_loop(lambda go, n: (jax.less_than(1, n), jax.div(n, 2)), (jax.less_than(1, n), n))

    with pytest.raises(TypeError, match=r"jax.while_loop: .*cannot change types.*Cast"):
        jax.jit_compile(halve)(np.array(8))


@pytest.mark.skipif(not is_installed("jax"), reason="pip install 'backbench[jax]'")
def test_a_value_that_is_not_known_yet_says_so():
    jax = get_backend("jax")
    with pytest.raises(TypeError, match=r"not known yet.*is_available"):
        jax.jit_compile(jax.numpy)(jax.ones(2))
