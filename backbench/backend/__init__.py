"""The engine: one set of array operations on numbers of several libraries and on symbols."""

from .base import Backend
from .choice import (
    BACKENDS,
    NoBackendFound,
    choose_backend,
    convert,
    detect_backends,
    get_backend,
    is_installed,
    known_names,
    register,
    use,
)
from .context import (
    context_backend,
    default_backend,
    get_precision,
    precision,
    set_global_default_backend,
    set_global_precision,
)
from .devices import ComputeDevice
from .dtypes import DType, combine_types
from .features import MissingLibrary, UnsupportedOperation
from .formulations import softmax
from .functions import with_gradient
from .numpy_backend import NUMPY

register(NUMPY)
set_global_default_backend(NUMPY)

__all__ = [
    "BACKENDS",
    "NUMPY",
    "Backend",
    "ComputeDevice",
    "DType",
    "MissingLibrary",
    "NoBackendFound",
    "UnsupportedOperation",
    "choose_backend",
    "combine_types",
    "context_backend",
    "convert",
    "default_backend",
    "detect_backends",
    "get_backend",
    "get_precision",
    "is_installed",
    "known_names",
    "precision",
    "set_global_default_backend",
    "set_global_precision",
    "softmax",
    "use",
    "with_gradient",
]
