"""Live views for JupyterLab. This is the only part of backbench that knows ipywidgets and anywidget."""

from .softmax_view import SoftmaxView

__all__ = ["SoftmaxView"]
