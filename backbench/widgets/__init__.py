"""Live views for JupyterLab. This is the only part of backbench that knows ipywidgets and anywidget."""

from .backend_bar import BackendBar
from .softmax_view import SoftmaxView
from .trajectory_view import TrajectoryView

__all__ = ["BackendBar", "SoftmaxView", "TrajectoryView"]
