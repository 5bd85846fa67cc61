"""The browser side of the views: plain ES modules and style sheets, shipped as they are written."""

from importlib.resources import files


def esm(*names: str) -> str:
    """Join the named files of `static/` into the text of one ES module.

    A widget's module reaches the page as text and has no address of its own, so it cannot import its neighbours.
    Joining them here lets the views share `common.js` without a build step.

    Args:
        names: File names in `backbench/widgets/static`, in the order in which they are needed.

    Returns:
        The text of the module.

    Example:
        >>> "export default" in esm("common.js", "softmax_view.js")
        True
    """
    return "\n".join(_text(name) for name in names)


def css(*names: str) -> str:
    """Join the named style sheets of `static/`.

    Example:
        >>> ".bb-view" in css("common.css")
        True
    """
    return "\n".join(_text(name) for name in names)


def _text(name: str) -> str:
    return files("backbench.widgets").joinpath("static", name).read_text(encoding="utf-8")
