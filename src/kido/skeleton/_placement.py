"""Poses at the entry of a skeleton."""

from __future__ import annotations

import numpy as np

from kido.math import as_transform_matrix
from kido.typing import FloatArray, TransformLike, frozen_array

__all__ = ["frozen_placement", "placement"]


def placement(name: str, value: TransformLike | None) -> FloatArray:
    """A pose (4, 4) [m] of a transform, of a translation (3,), or of None, which is the identity.

    Raises TypeError or ValueError, naming the argument.
    """
    T = np.eye(4)
    if value is None:
        return T
    if not hasattr(value, "as_matrix") and np.shape(value) == (3,):
        T[:3, 3] = frozen_array(name, value, (3,), "m")
        return T
    matrix = as_transform_matrix(value, name)
    if matrix.shape != (4, 4):
        raise ValueError(f"{name}: expected shape (4, 4) or (3,) [m], got {matrix.shape}")
    return matrix


def frozen_placement(name: str, value: TransformLike | None) -> FloatArray:
    """The same as a read-only array that nobody else has. Raises as `placement` does."""
    T = np.array(placement(name, value))
    T.flags.writeable = False
    return T
