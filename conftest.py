"""Names that the examples in docstrings use without importing them."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _names_of_examples(doctest_namespace: dict[str, Any]) -> None:
    import numpy as np

    import backbench

    doctest_namespace.update(vars(backbench), np=np, b=backbench.NUMPY)
