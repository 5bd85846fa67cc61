"""Puts the notebooks into the wheel, where `backbench lab` finds them; hatchling runs this when it builds one."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ShippedNotebooks(BuildHookInterface[Any]):
    """The files of notebooks/ as backbench/notebooks/. An editable installation uses those of the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds them to what hatchling is about to put into the wheel."""
        if version != "editable":
            for notebook in sorted(Path(self.root, "notebooks").glob("*.ipynb")):
                build_data["force_include"][str(notebook)] = f"backbench/notebooks/{notebook.name}"
