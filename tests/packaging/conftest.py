"""Copies of the project for tests that install it."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def copy_of_project(repository: Path, tmp_path: Path) -> Path:
    """A copy of the project as a fresh clone would have it: no environment, no caches."""
    left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", ".ipynb_checkpoints")
    return Path(shutil.copytree(repository, tmp_path / "copy", ignore=left_out))
