"""Transforms at the entry of a description."""

from __future__ import annotations

from typing import cast

import numpy as np

from kido.typing import ArrayLike, FloatArray, SupportsAsMatrix, TransformLike, frozen_array

__all__ = ["frozen_transform"]

_ORTHONORMALITY = 1e-6
_CERTAIN = 1e-9
_IDENTITY = frozen_array("identity", np.eye(4), (4, 4))


def frozen_transform(name: str, value: TransformLike | None) -> FloatArray:
    """Read-only (4, 4) copy of a matrix or SciPy RigidTransform; the identity for None.

    Raises ValueError if it is not a rigid transform: rotation orthonormal to 1e-6, last row 0 0 0 1.
    """
    if value is None:
        return _IDENTITY
    matrix = cast(SupportsAsMatrix, value).as_matrix() if hasattr(value, "as_matrix") else value
    transform = frozen_array(name, cast(ArrayLike, matrix), (4, 4))
    if _is_rigid(transform):
        return transform
    rotation = transform[:3, :3]
    if (transform[3] != (0.0, 0.0, 0.0, 1.0)).any():
        raise ValueError(f"{name}: expected a last row of 0 0 0 1, got {transform[3].tolist()}")
    off = np.abs(rotation @ rotation.T - np.eye(3)).max()
    if off > _ORTHONORMALITY or np.linalg.det(rotation) < 0.0:
        raise ValueError(f"{name}: expected a rotation, got {rotation.tolist()}")
    return transform


def _is_rigid(transform: FloatArray) -> bool:
    """Fast test that is True for matrices that are clearly rigid; others take the exact check."""
    (a, b, c, _), (d, e, f, _), (g, h, i, _), last = transform.tolist()
    off = max(
        abs(a * a + b * b + c * c - 1.0),
        abs(d * d + e * e + f * f - 1.0),
        abs(g * g + h * h + i * i - 1.0),
        abs(a * d + b * e + c * f),
        abs(a * g + b * h + c * i),
        abs(d * g + e * h + f * i),
    )
    determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return bool(off < _CERTAIN and determinant > 0.0 and last == [0.0, 0.0, 0.0, 1.0])
