"""Whether something is a matrix of scipy.sparse, found out without loading it."""

from __future__ import annotations

import sys
from typing import Any


def is_sparse(x: Any) -> bool:
    """Whether x is a matrix or array of scipy.sparse.

    Example:
        >>> is_sparse(np.eye(2))
        False
    """
    module = sys.modules.get("scipy.sparse")  # who has a sparse matrix has imported it
    return module is not None and module.issparse(x)
