"""Draws the pictures of this folder, and puts those that notebooks show into them: `python docs/gallery/make.py`."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NOTEBOOKS = HERE.parents[1] / "notebooks"


def trajectory_view() -> bytes:
    """Two minimizers in Rosenbrock's valley."""
    from backbench.widgets import TrajectoryView

    return TrajectoryView("rosenbrock", ["GD", "BFGS"], max_iter=200).to_png()


def conjugate_gradients() -> bytes:
    """What notebook 02 shows first."""
    from backbench.widgets import TrajectoryView

    return TrajectoryView("quadratic", ["CG", "GD"]).to_png()


def poisson() -> bytes:
    """The membrane of notebook 02, on its way."""
    from backbench.widgets import TrajectoryView

    return TrajectoryView("poisson", ["CG"], step=12).to_png()


def softmax() -> bytes:
    """Softmax of logits that are far apart."""
    from backbench.widgets import SoftmaxView

    return SoftmaxView([12.0, 10.5, 9.0], formulation="plain", precision=32).to_png()


def comparison() -> bytes:
    """The picture of notebook 01: on all libraries the precision decides."""
    from backbench import compare

    def relative_change(b: Any, x: Any) -> Any:
        return b.div(b.sub(b.add(1, x), 1), x)

    return compare(relative_change, 1e-4, repeat=1).plot().to_png()


PICTURES: dict[str, Callable[[], bytes]] = {
    f"{draw.__name__}.png": draw for draw in (trajectory_view, conjugate_gradients, poisson, softmax, comparison)
}


def attach(notebook: Path, pictures: Path) -> None:
    """Puts pictures into the cells of a notebook that show them as `attachment:NAME`."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        text = "".join(cell["source"])
        shown = [name for name in PICTURES if f"(attachment:{name})" in text]
        if shown:
            cell["attachments"] = {
                name: {"image/png": base64.b64encode((pictures / name).read_bytes()).decode()} for name in shown
            }
    notebook.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(folder: Path = HERE) -> None:
    """Draws all pictures into a folder."""
    for name, draw in PICTURES.items():
        (folder / name).write_bytes(draw())


if __name__ == "__main__":
    main()
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        attach(path, HERE)
