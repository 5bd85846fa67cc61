"""The contract itself: names, signatures, documentation, and honest answers about what is missing."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from backbench import NUMPY, SYMPY, Backend, ComputeDevice, DType, UnsupportedOperation

SIGNATURES = dict(
    re.match(r"(\w+)\((.*)\)", line).groups()
    for line in Path(__file__).with_name("signatures.txt").read_text().splitlines()
)
BACKENDS = [NUMPY, SYMPY]
METHODS = {name: method for name, method in inspect.getmembers(Backend, inspect.isfunction) if not name.startswith("_")}


def parameters(method) -> str:
    signature = inspect.signature(method)
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values() if p.name != "self"]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))[1:-1]


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_those_of_the_document(name):
    assert parameters(getattr(Backend, name)) == SIGNATURES[name]


@pytest.mark.parametrize("backend", BACKENDS, ids=str)
@pytest.mark.parametrize("name", METHODS)
def test_overrides_keep_signature_and_documentation(backend, name):
    method = getattr(type(backend), name)
    assert parameters(method) == parameters(METHODS[name])
    assert inspect.getdoc(method)


@pytest.mark.parametrize("backend", BACKENDS, ids=str)
@pytest.mark.parametrize("name", METHODS)
def test_what_is_not_supported_says_so(backend, name):
    if backend.supports(name):
        assert backend.supports(getattr(Backend, name))
        return
    arguments = [None] * sum(
        p.default is p.empty and p.kind is not p.VAR_POSITIONAL
        for p in list(inspect.signature(METHODS[name]).parameters.values())[1:]
    )
    with pytest.raises(
        UnsupportedOperation, match=rf"Backend '{backend.name}' does not support '\w+': .+\. .+\."
    ) as raised:
        getattr(backend, name)(*arguments)
    assert isinstance(raised.value, NotImplementedError)


def test_supports_asks_for_methods_only():
    for wrong in ("nothing", "name", "_devices", "__init__", len, np.exp):
        with pytest.raises(ValueError, match="not a method of Backend"):
            NUMPY.supports(wrong)
    assert NUMPY.supports(Backend.softmax) and NUMPY.supports(NUMPY.exp) and not NUMPY.supports("jit_compile")


def test_a_way_out_is_named():
    with pytest.raises(UnsupportedOperation, match="numpy") as raised:
        SYMPY.random_normal((1,), DType(float, 64))
    assert raised.value.backend == "sympy" and "convert" in raised.value.way_out


def test_a_composite_is_supported_where_its_parts_are():
    class NoExponential(type(NUMPY)):
        lacks = MappingProxyType({"exp": "for the sake of this test"})

    backend = NoExponential()
    assert not backend.supports("exp") and not backend.supports("softmax") and not backend.supports("logsigmoid")
    assert backend.supports("clip")
    with pytest.raises(UnsupportedOperation, match="for the sake of this test"):
        backend.softmax([1.0], -1)


def test_devices():
    (device,) = NUMPY.list_devices()
    assert isinstance(device, ComputeDevice) and device.memory > 2**20 and device.processor_count >= 1
    assert "numpy CPU" in repr(device) and "GiB" in repr(device) and "\n" not in repr(device)
    assert NUMPY.list_devices("GPU") == [] and NUMPY.list_devices("CPU") == [device]
    assert NUMPY.set_default_device(device) and NUMPY.set_default_device("CPU")
    with pytest.warns(RuntimeWarning, match="no device of type 'GPU'"):
        assert NUMPY.set_default_device("GPU") is False
    assert NUMPY.get_default_device() == device
    with pytest.raises(TypeError, match="ComputeDevice"):
        NUMPY.set_default_device(None)
    with pytest.raises(ValueError, match="no device of backend 'sympy'"):
        SYMPY.set_default_device(device)


def test_calls_and_loops():
    assert NUMPY.call(lambda x, y: x - y, 3, 1) == 2
    x = np.ones(2)
    assert NUMPY.block_until_ready(x) is x
    go, i = NUMPY.while_loop(lambda go, i: (i < 4, i + np.array([1, 2])), (np.array([True, True]), np.array([0, 0])))
    assert not go.any() and i.tolist() == [5, 10]
