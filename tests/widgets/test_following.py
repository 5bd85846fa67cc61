"""What a view shares with the bar it follows, and how libraries are chosen."""

import gc
import subprocess
import sys
import threading
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
import traitlets

from backbench import NUMPY, MissingLibrary, default_backend, get_precision, precision
from backbench.widgets import BackendBar, SoftmaxView, following, softmax_view


@pytest.fixture
def without_torch(monkeypatch):
    """As where PyTorch is not installed."""
    monkeypatch.setattr(following, "BACKENDS", [NUMPY])
    monkeypatch.setattr(following, "is_installed", lambda name: name != "torch")


@pytest.fixture
def computed(monkeypatch):
    """The backends of all computations, in order."""
    backends = []
    measure = softmax_view.measure

    def counted(values, formulation):
        backends.append(default_backend().name)
        return measure(values, formulation)

    monkeypatch.setattr(softmax_view, "measure", counted)
    return backends


def test_a_view_takes_what_the_bar_has_and_may_still_be_changed_alone():
    bar = BackendBar(precision=16)
    view = SoftmaxView([1, 2], bar=bar)
    assert view.precision == 16
    view.precision = 64
    assert bar.precision == 16
    bar.precision = 32
    assert view.precision == 32
    bar.backend = "sympy"
    assert (view.backend, view.precision) == ("sympy", "exact")
    bar.backend = "numpy"
    assert (view.backend, view.precision) == ("numpy", 32)


def test_one_change_of_the_bar_computes_once(computed):
    pytest.importorskip("torch")
    bar = BackendBar()
    view = SoftmaxView([1, 2], bar=bar).follow(bar).follow(bar)
    computed.clear()
    bar.set_state({"backend": "torch"})
    bar.state = {"backend": "numpy", "precision": 16}
    bar.precision = 64
    view.state = {"backend": "torch", "precision": 16, "values": [3, 4]}
    assert computed == ["torch", "numpy", "torch"]


def test_views_that_follow_each_other_come_to_rest():
    first, second = BackendBar(precision=16), BackendBar(precision=32)
    first.follow(second)
    second.follow(first)
    first.precision = 64
    assert second.precision == 64
    second.backend = "sympy"
    assert first.precision == "exact"
    with pytest.raises(ValueError, match="cannot follow itself"):
        first.follow(first)


def test_the_last_bar_is_the_one_that_is_followed():
    old, new = BackendBar(), BackendBar()
    view = BackendBar(bar=old).follow(new)
    old.precision = 16
    assert view.precision == 32
    new.precision = 64
    assert view.precision == 64


def test_a_bar_keeps_no_closed_view_alive_and_does_not_change_it():
    bar = BackendBar()
    view = BackendBar(bar=bar)
    watch = weakref.ref(view)
    view.close()
    bar.precision = 16
    assert view.precision == 32
    del view
    gc.collect()
    assert watch() is None
    bar.precision = 64


@pytest.mark.parametrize(("runs", "followed"), [((3, 3), (16, 16)), ((3, 4), (32, 16))])
def test_only_the_views_of_the_last_run_of_a_cell_follow(monkeypatch, runs, followed):
    bar = BackendBar()
    views = []
    for run in runs:
        parent = {"metadata": {"cellId": f"cell of {runs}"}}
        shell = SimpleNamespace(kernel=object(), parent_header=parent, execution_count=run)
        monkeypatch.setattr(following, "get_ipython", lambda shell=shell: shell)
        views.append(BackendBar(bar=bar))
    bar.precision = 16
    assert tuple(view.precision for view in views) == followed


def test_the_backend_is_entered_on_any_thread():
    view = SoftmaxView([1, 2], precision=16)
    seen = []

    def work():
        with view.entered() as b:
            seen.append((b, default_backend(), get_precision(), b.zeros((1,)).dtype))
        seen.append(get_precision())

    with precision(64):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert seen == [(NUMPY, NUMPY, 16, np.float16), 32]
    view.backend = "sympy"
    with precision(64), view.entered() as b:
        assert (b.name, get_precision()) == ("sympy", 64)


def test_a_missing_library_asked_for_by_the_page_gives_an_alert_and_the_old_one_stays(without_torch, monkeypatch):
    bar = BackendBar(precision=16)
    view = SoftmaxView([1, 2], bar=bar)
    sent = []
    monkeypatch.setattr(bar, "_send", lambda message, buffers=None: sent.append(message))
    bar.comm = bar.comm or object()
    bar.set_state({"backend": "torch"})
    assert bar.state == {"backend": "numpy", "precision": 16, "device": "", "for_cells": False}
    assert bar.alert == {
        "message": "torch is not installed here. Still running on numpy. To add it, run in a terminal:",
        "command": "pip install 'backbench[torch]'",
    }
    assert bar.error == {} and view.backend == "numpy" and view.alert == {}
    assert any(message.get("state", {}).get("backend") == "numpy" for message in sent)
    assert [option["label"] for option in bar.backends if not option["installed"]] == ["torch (not installed)"]
    bar.set_state({"precision": 32})
    assert (bar.alert, view.precision) == ({}, 32)


def test_a_missing_library_asked_for_in_python_raises_and_changes_nothing(without_torch):
    bar = BackendBar()
    state = bar.state
    with pytest.raises(MissingLibrary, match=r"pip install 'backbench\[torch\]'"):
        bar.backend = "torch"
    with pytest.raises(MissingLibrary):
        bar.state = {"precision": 64, "backend": "torch"}
    assert bar.state == state
    with pytest.raises(MissingLibrary):
        SoftmaxView([1, 2], backend="torch")


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"backend": "fortran"}, r"Unknown backend 'fortran'. Known: numpy, .*sympy"),
        ({"backend": 3}, "Unknown backend 3"),
        ({"backend": ["numpy"]}, "Unknown backend"),
        ({"precision": 8}, "precision"),
        ({"precision": "exact"}, "'exact' is that of sympy"),
        ({"device": "abacus"}, "no device 'abacus'. It has CPU"),
        ({"precision": 64, "device": "abacus"}, "no device"),
    ],
)
def test_what_does_not_exist_is_refused_and_changes_nothing(wrong, reason):
    bar = BackendBar()
    state = bar.state
    with pytest.raises(traitlets.TraitError, match=reason):
        bar.state = wrong
    assert bar.state == state
    bar.set_state(wrong)
    assert "TraitError" in bar.error["message"]
    assert bar.state == state


def test_sympy_is_always_exact_and_the_number_comes_back():
    bar = BackendBar(precision=16)
    bar.backend = "sympy"
    with pytest.raises(traitlets.TraitError, match="sympy is always exact"):
        bar.precision = 64
    bar.backend = "numpy"
    assert bar.precision == 16
    both = BackendBar("sympy", 64)
    assert both.precision == "exact"
    both.backend = "numpy"
    assert both.precision == 64
    assert type(BackendBar(precision=16.0).precision) is int


def test_a_library_that_is_broken_says_so_and_the_old_one_stays(monkeypatch):
    def broken(name):
        raise OSError("libtorch.so: no such file")

    bar = BackendBar()
    monkeypatch.setattr(following, "get_backend", broken)
    with pytest.raises(traitlets.TraitError, match=r"sympy is installed, but could not be loaded: libtorch\.so"):
        bar.backend = "sympy"
    assert bar.backend == "numpy"


def test_libraries_are_loaded_when_they_are_chosen_not_when_a_bar_is_shown():
    code = (
        "import sys; from backbench.widgets import BackendBar; bar = BackendBar(); bar._repr_mimebundle_()\n"
        "assert not {'torch', 'jax', 'matplotlib'} & sys.modules.keys()\n"
        "devices = lambda: {option['name']: option['devices'] for option in bar.backends}\n"
        "print(devices()['sympy'], devices()['numpy']); bar.backend = 'sympy'; print(devices()['sympy'])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    assert printed.splitlines()[1] == "['CPU']"


def test_devices_of_the_same_name_are_told_apart(monkeypatch):
    device = NUMPY.list_devices()[0]
    monkeypatch.setattr(NUMPY, "list_devices", lambda: [device, device])
    assert following.device_names(NUMPY) == ["CPU (1)", "CPU (2)"]


def test_the_device_of_a_view_is_the_default_inside_it_only(monkeypatch):
    first, second = (following.get_backend("numpy").list_devices()[0] for _ in range(2))
    second = type(second)(NUMPY, "second", "CPU", -1, -1, "")
    monkeypatch.setattr(NUMPY, "list_devices", lambda kind=None: [first, second])
    bar = BackendBar(device="second")
    with bar.entered() as b:
        assert b.get_default_device() == second
    assert NUMPY.get_default_device() == first
    bar.backend = "sympy"
    assert bar.device == ""
