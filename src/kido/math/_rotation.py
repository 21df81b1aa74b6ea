"""Rotation and transform matrices: conversion, validity, and projection to the nearest rotation."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from kido import _core as _native
from kido.math._operand import Operand, apply, matrix_of, numbers, refuse_infinite, vector
from kido.typing import ArrayLike, FloatArray, RotationLike, TransformLike

__all__ = [
    "ROTATION_TOLERANCE",
    "as_rotation_matrix",
    "as_transform_matrix",
    "is_rotation",
    "is_transform",
    "nearest_rotation",
]

ROTATION_TOLERANCE = 1e-6
"""Largest entry of R^T R - 1 [-] up to which a matrix is taken as a rotation."""

_LAST_ROW = np.array([0.0, 0.0, 0.0, 1.0])


def as_rotation_matrix(rotation: RotationLike, name: str = "rotation") -> FloatArray:
    """Convert rotations, as SciPy's `Rotation`, to matrices.

    Args:
        rotation: matrix (..., 3, 3) [-], or a SciPy `Rotation`.
        name: what the error messages call it.

    Returns:
        (..., 3, 3) [-]; the given array itself where it is float64 and C-contiguous.

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, and matrices that are no rotations: an
            entry of R^T R - 1 beyond 1e-6, or a reflection.
    """
    return rotations(name, rotation).array


def as_transform_matrix(transform: TransformLike, name: str = "transform") -> FloatArray:
    """Convert rigid transforms, as SciPy's `RigidTransform`, to matrices.

    Args:
        transform: matrix (..., 4, 4) [-, m], or a SciPy `RigidTransform`.
        name: what the error messages call it.

    Returns:
        (..., 4, 4) [-, m]; the given array itself where it is float64 and C-contiguous.

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, for numbers that are not finite, for a last row other than 0, 0, 0, 1,
            and where the upper left 3x3 matrix is no rotation (see `as_rotation_matrix`).
    """
    return transforms(name, transform).array


def is_rotation(matrix: ArrayLike, tolerance: float = ROTATION_TOLERANCE) -> bool | NDArray[np.bool_]:
    """Test for rotation matrices: R^T R = 1 within the tolerance, and det R > 0.

    Args:
        matrix: (..., 3, 3) [-], any numbers.
        tolerance: largest entry of R^T R - 1 that is accepted [-].

    Returns:
        bool for one matrix, else an array of bool (...).

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape.
    """
    return _verdict(apply(_native.rotation_defect, (1,), numbers("matrix", matrix, (3, 3))), tolerance)


def is_transform(matrix: ArrayLike, tolerance: float = ROTATION_TOLERANCE) -> bool | NDArray[np.bool_]:
    """Test for rigid transforms: a rotation, a finite translation and the last row 0, 0, 0, 1.

    Args:
        matrix: (..., 4, 4) [-, m], any numbers.
        tolerance: largest entry of R^T R - 1, and largest error of the last row, that is accepted [-].

    Returns:
        bool for one matrix, else an array of bool (...).

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape.
    """
    return _verdict(apply(_native.transform_defect, (1,), numbers("matrix", matrix, (4, 4))), tolerance)


def _verdict(defects: FloatArray, tolerance: float) -> bool | NDArray[np.bool_]:
    good = defects[..., 0] <= tolerance
    return good if good.ndim else bool(good)


def nearest_rotation(matrix: ArrayLike) -> FloatArray:
    """The rotation nearest to a matrix in the Frobenius norm.

    By singular values: Umeyama, "Least-squares estimation of transformation parameters" (1991).

    Args:
        matrix: (..., 3, 3) [-], of rank 2 at least.

    Returns:
        (..., 3, 3) [-].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or a rank below 2, where no
            rotation is nearest.
    """
    array = vector("matrix", matrix, (3, 3), "-").array
    left, singular, right = np.linalg.svd(array)
    if not (singular[..., 1] > 1e-12 * singular[..., 0]).all():
        raise ValueError(f"matrix: expected rank 2 at least, got singular values {singular.tolist()}")
    mirrored = np.linalg.det(left) * np.linalg.det(right) < 0.0
    left[..., :, 2] *= np.where(mirrored, -1.0, 1.0)[..., np.newaxis]
    return np.asarray(left @ right)


def rotations(name: str, value: RotationLike) -> Operand:
    """Checked operand (..., 3, 3)."""
    operand = numbers(name, matrix_of(value), (3, 3), "-")
    bad = _native.first_bad_rotation(operand.rows(), ROTATION_TOLERANCE)
    if bad >= 0:
        refuse_infinite(name, operand.array)
        _refuse_rotation(name, operand.array.reshape(-1, 3, 3)[bad])
    return operand


def transforms(name: str, value: TransformLike) -> Operand:
    """Checked operand (..., 4, 4)."""
    operand = numbers(name, matrix_of(value), (4, 4), "-, m")
    bad = _native.first_bad_transform(operand.rows(), ROTATION_TOLERANCE)
    if bad >= 0:
        refuse_infinite(name, operand.array)
        matrix = operand.array.reshape(-1, 4, 4)[bad]
        if np.abs(matrix[3] - _LAST_ROW).max() > ROTATION_TOLERANCE:
            raise ValueError(f"{name}: expected the last row [0, 0, 0, 1], got {matrix[3].tolist()}")
        _refuse_rotation(name, matrix[:3, :3])
    return operand


def _refuse_rotation(name: str, matrix: FloatArray) -> NoReturn:
    if np.linalg.det(matrix) < 0.0:
        raise ValueError(f"{name}: expected a right-handed rotation, got a reflection {matrix.tolist()}")
    off = np.abs(matrix.T @ matrix - np.eye(3)).max()
    expected = f"expected a rotation, R^T R = 1 within {ROTATION_TOLERANCE:g}"
    raise ValueError(f"{name}: {expected}, got {off:.3g} off in {matrix.tolist()}")
