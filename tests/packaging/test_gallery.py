"""The pictures of docs/gallery are those that the code draws, and notebooks carry the ones they show."""

from __future__ import annotations

import base64
import re
import runpy
import struct
from pathlib import Path

import nbformat
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
GALLERY = REPOSITORY / "docs" / "gallery"
SCREENSHOTS = {"softmax_view.png"}


def size(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    return width, height


@pytest.mark.skipif(not GALLERY.is_dir(), reason="the gallery is part of the repository")
def test_the_gallery_is_what_is_drawn(tmp_path: Path) -> None:
    runpy.run_path(str(GALLERY / "make.py"))["main"](tmp_path)
    drawn = {path.name for path in tmp_path.iterdir()}
    assert drawn | SCREENSHOTS == {path.name for path in GALLERY.glob("*.png")}
    for name in drawn:
        assert size((tmp_path / name).read_bytes()) == size((GALLERY / name).read_bytes()), "run docs/gallery/make.py"


@pytest.mark.skipif(not GALLERY.is_dir(), reason="the gallery is part of the repository")
def test_notebooks_and_readme_show_pictures_of_the_gallery() -> None:
    shown = set(re.findall(r"\(docs/gallery/(\w+\.png)\)", (REPOSITORY / "README.md").read_text(encoding="utf-8")))
    for path in (REPOSITORY / "notebooks").glob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            names = re.findall(r"\(attachment:(\w+\.png)\)", cell.source)
            shown.update(names)
            assert set(names) == set(cell.get("attachments", {}))
            for name in names:
                png = base64.b64decode(cell.attachments[name]["image/png"])
                assert png == (GALLERY / name).read_bytes(), "run docs/gallery/make.py"
    assert {"trajectory_view.png", "comparison.png", "conjugate_gradients.png", "poisson.png"} <= shown
