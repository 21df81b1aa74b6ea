"""Rotation and transform matrices as arguments: what is one, what comes nearest to one."""

from __future__ import annotations

import numpy as np

from kido._core import math as _native
from kido.math._operand import Operand, apply, finite, matrix_of, numbers
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
    """Rotation matrices of what stands for rotations.

    Args:
        rotation: matrix (..., 3, 3) [-], or a SciPy `Rotation`.
        name: what the error messages call it.

    Returns:
        (..., 3, 3) [-]; the given array itself where it is float64 already.

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, for numbers that are not finite, and for matrices that are no rotations:
            an entry of R^T R - 1 beyond 1e-6, or a reflection.
    """
    return rotations(name, rotation).array


def as_transform_matrix(transform: TransformLike, name: str = "transform") -> FloatArray:
    """Transform matrices of what stands for rigid transforms.

    Args:
        transform: matrix (..., 4, 4) [-, m], or a SciPy `RigidTransform`.
        name: what the error messages call it.

    Returns:
        (..., 4, 4) [-, m]; the given array itself where it is float64 already.

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, for numbers that are not finite, for a last row other than 0, 0, 0, 1,
            and where the upper left 3x3 matrix is no rotation (see `as_rotation_matrix`).
    """
    return transforms(name, transform).array


def is_rotation(matrix: ArrayLike, tolerance: float = ROTATION_TOLERANCE) -> bool | np.ndarray:
    """Whether matrices are right-handed and orthonormal.

    Args:
        matrix: (..., 3, 3) [-], any numbers.
        tolerance: largest entry of R^T R - 1 that is accepted [-].

    Returns:
        bool for one matrix, else an array of bool (...).

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape.
    """
    good = _is_rotation(numbers("matrix", matrix, (3, 3)).array, tolerance)
    return bool(good) if good.ndim == 0 else good


def is_transform(matrix: ArrayLike, tolerance: float = ROTATION_TOLERANCE) -> bool | np.ndarray:
    """Whether matrices are rigid transforms: a rotation, a finite translation and the last row 0, 0, 0, 1.

    Args:
        matrix: (..., 4, 4) [-, m], any numbers.
        tolerance: largest entry of R^T R - 1, and largest error of the last row, that is accepted [-].

    Returns:
        bool for one matrix, else an array of bool (...).

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape.
    """
    array = numbers("matrix", matrix, (4, 4)).array
    last = np.abs(array[..., 3, :] - _LAST_ROW).max(axis=-1) <= tolerance
    good = last & np.isfinite(array[..., :3, 3]).all(axis=-1) & _is_rotation(array[..., :3, :3], tolerance)
    return bool(good) if good.ndim == 0 else good


def nearest_rotation(matrix: ArrayLike) -> FloatArray:
    """The rotation nearest to a matrix in the Frobenius norm.

    By singular values: Umeyama, "Least-squares estimation of transformation parameters" (1991).

    Args:
        matrix: (..., 3, 3) [-], of rank 2 at least.

    Returns:
        (..., 3, 3) [-].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or a rank below 2, where no rotation is nearest.
    """
    array = finite(numbers("matrix", matrix, (3, 3))).array
    left, singular, right = np.linalg.svd(array)
    if not (singular[..., 1] > 1e-12 * singular[..., 0]).all():
        raise ValueError(f"matrix: expected rank 2 at least, got singular values {singular.tolist()}")
    mirrored = np.linalg.det(left) * np.linalg.det(right) < 0.0
    left[..., :, 2] *= np.where(mirrored, -1.0, 1.0)[..., np.newaxis]
    return np.asarray(left @ right)


def rotations(name: str, value: RotationLike) -> Operand:
    """Checked operand (..., 3, 3)."""
    operand = finite(numbers(name, matrix_of(value), (3, 3)))
    _refuse_other(name, operand.array)
    return operand


def transforms(name: str, value: TransformLike) -> Operand:
    """Checked operand (..., 4, 4)."""
    operand = finite(numbers(name, matrix_of(value), (4, 4)), "-, m")
    last = operand.array[..., 3, :]
    off = np.abs(last - _LAST_ROW).max(axis=-1, initial=0.0) > ROTATION_TOLERANCE
    if off.any():
        raise ValueError(f"{name}: expected the last row [0, 0, 0, 1], got {last[off][0].tolist()}")
    _refuse_other(f"rotation of {name}", operand.array[..., :3, :3])
    return operand


def _defects(array: FloatArray) -> FloatArray:
    return apply(_native.rotation_defect, (2,), Operand("matrix", array, (3, 3)))


def _is_rotation(array: FloatArray, tolerance: float) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        defect = _defects(array)
        return np.asarray((defect[..., 0] <= tolerance) & (defect[..., 1] > 0.0))


def _refuse_other(name: str, array: FloatArray) -> None:
    defect = _defects(array)
    worst = float(defect[..., 0].max(initial=0.0))
    if worst > ROTATION_TOLERANCE:
        raise ValueError(
            f"{name}: expected orthonormal axes, R^T R = 1 within {ROTATION_TOLERANCE:g}, got {worst:.3g} off"
        )
    if (defect[..., 1] < 0.0).any():
        raise ValueError(f"{name}: expected a right-handed rotation, got a reflection, determinant -1")
