"""The backends that compute with numbers."""

from __future__ import annotations

import pytest

from backbench import Backend, get_backend
from backbench.backend import is_installed

NUMERIC = ("numpy", "torch", "jax", "tensorflow")


@pytest.fixture(params=NUMERIC)
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each library in turn; one that is not installed is skipped."""
    name = request.param
    if not is_installed(name):
        pytest.skip(f"{name} is not installed: pip install 'backbench[{name}]'")
    return get_backend(name)
