"""Names that the examples in docstrings use without importing them."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _names_of_examples(doctest_namespace: dict[str, Any]) -> None:
    import numpy as np

    import backbench

    names = {name: getattr(backbench, name) for name in backbench.__all__}
    doctest_namespace.update(names, np=np, b=backbench.NUMPY)
