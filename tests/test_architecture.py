"""The doors between the rooms are those of docs/architecture.md."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "backbench"
ROW = re.compile(r"^\| `([^`]+)` \|([^|]*)\|([^|]*)\|$", re.MULTILINE)
DOORS = {
    room: (set(re.findall(r"`([^`]+)`", rooms)), set(re.findall(r"`([^`]+)`", libraries)))
    for room, rooms, libraries in ROW.findall((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
}
FILES = sorted(
    path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem not in ("__init__", "__main__")
)
AT_CALL_TIME_ONLY = {"scipy", "pandas", "matplotlib"}


def room_of(path: Path) -> str:
    name = path.relative_to(PACKAGE).as_posix()
    return name if name in DOORS else name.split("/")[0].removesuffix(".py")


def imports(source: str, folders: tuple[str, ...]) -> list[tuple[str, bool]]:
    """Absolute names that a file in `folders` imports, and whether the import runs when the file is loaded."""
    package = ("backbench", *folders)
    found = []

    def visit(node: ast.AST, at_load: bool) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            at_load = False
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            at_load = False
        if isinstance(node, ast.Import):
            found.extend((alias.name, at_load) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, [base, node.module]))
            found.extend((f"{module}.{alias.name}", at_load) for alias in node.names)
        for child in ast.iter_child_nodes(node):
            visit(child, at_load)

    visit(ast.parse(source), True)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_go_through_the_doors(path):
    room = room_of(path)
    assert room in DOORS, f"docs/architecture.md has no row for {room}"
    rooms, libraries = DOORS[room]
    for name, at_load in imports(path.read_text(encoding="utf-8"), path.relative_to(PACKAGE).parts[:-1]):
        parts = name.split(".")
        if parts[0] == "backbench":
            target = parts[1] if len(parts) > 1 else ""
            allowed = rooms | {room, room.split("/")[0]}
            assert target in allowed, f"{room} may not import {name}"
            assert not (at_load and target == "plot" != room), (
                f"plot loads matplotlib: {room} must import it when called"
            )
        elif parts[0] not in sys.stdlib_module_names:
            assert parts[0] in libraries, f"{room} may not import {parts[0]}"
            costly = at_load and room != "plot" and parts[0] in AT_CALL_TIME_ONLY
            assert not costly, f"{parts[0]} costs too much to load with {room}"


def test_imports_are_seen_wherever_they_stand():
    source = "from .. import widgets\ndef f():\n    import torch\nif TYPE_CHECKING:\n    from .base import Backend\n"
    expected = [("backbench.widgets", True), ("torch", False), ("backbench.backend.base.Backend", False)]
    assert imports(source, ("backend",)) == expected


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_files_stay_small(path):
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= 400
