"""Transforms at the entry of a description."""

from __future__ import annotations

from typing import cast

import numpy as np

from kido.typing import ArrayLike, FloatArray, SupportsAsMatrix, TransformLike, frozen_array

__all__ = ["frozen_transform"]

_ORTHONORMALITY = 1e-6
_IDENTITY = frozen_array("identity", np.eye(4), (4, 4))


def frozen_transform(name: str, value: TransformLike | None) -> FloatArray:
    """Read-only (4, 4) copy of a matrix or SciPy RigidTransform; the identity for None.

    Raises ValueError if it is not a rigid transform: rotation orthonormal to 1e-6, last row 0 0 0 1.
    """
    if value is None:
        return _IDENTITY
    matrix = cast(SupportsAsMatrix, value).as_matrix() if hasattr(value, "as_matrix") else value
    transform = frozen_array(name, cast(ArrayLike, matrix), (4, 4))
    rotation = transform[:3, :3]
    if (transform[3] != (0.0, 0.0, 0.0, 1.0)).any():
        raise ValueError(f"{name}: expected a last row of 0 0 0 1, got {transform[3].tolist()}")
    off = np.abs(rotation @ rotation.T - np.eye(3)).max()
    if off > _ORTHONORMALITY or np.linalg.det(rotation) < 0.0:
        raise ValueError(f"{name}: expected a rotation, got {rotation.tolist()}")
    return transform
