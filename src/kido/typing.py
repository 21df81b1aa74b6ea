"""Types that cross kido's interface: aliases of arrays, and read-only copies of them."""

from __future__ import annotations

import math
from os import PathLike as OsPathLike
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kido import _core

__all__ = [
    "ArrayLike",
    "FloatArray",
    "PathLike",
    "RotationLike",
    "SupportsAsMatrix",
    "TransformLike",
    "frozen_array",
    "frozen_color",
    "frozen_direction",
    "read_only",
]

FloatArray: TypeAlias = NDArray[np.float64]
"""Array of float64."""

PathLike: TypeAlias = str | OsPathLike[str]
"""Path of a file or folder."""


_UNIT_ROUNDING = 1e-15
_SHORT = 16
"""Numbers of an array that messages show whole."""


class SupportsAsMatrix(Protocol):
    """An object that turns itself into a matrix, as SciPy's Rotation and RigidTransform do."""

    def as_matrix(self) -> NDArray[Any]:
        """Matrix of the rotation (..., 3, 3) or transform (..., 4, 4)."""
        ...


RotationLike: TypeAlias = ArrayLike | SupportsAsMatrix
"""Rotation matrix (..., 3, 3) or SciPy Rotation."""

TransformLike: TypeAlias = ArrayLike | SupportsAsMatrix
"""Transform matrix (..., 4, 4) or SciPy RigidTransform."""


def frozen_array(
    name: str, value: ArrayLike, shape: tuple[int, ...] | None, unit: str = "", *, finite: bool = True
) -> FloatArray:
    """Read-only float64 copy of `value`, of the given `shape`; -1 is any length, None any shape.

    `name` and `unit` appear in the messages. `finite` also refuses infinity; NaN is always refused.
    Raises TypeError for what are not real numbers (text, complex numbers), ValueError for masked elements,
    another shape or non-finite numbers.
    """
    try:
        frozen = _core.frozen_numbers(value, not finite)
        array = _core.real_array(value) if frozen is None else frozen
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        of_shape = "" if shape is None else f" of shape {_shape_text(shape)}"
        expected = f"expected numbers{of_shape}{_in_unit(unit)}"
        raise kind(f"{name}: {expected}, got {_core.brief(value)}") from error
    if shape is not None and array.shape != shape and not _fits(array.shape, shape):
        raise ValueError(f"{name}: expected shape {_shape_text(shape)}{_in_unit(unit)}, got {array.shape}")
    if frozen is None:
        allowed = "finite numbers" if finite else "numbers, not NaN"
        raise ValueError(f"{name}: expected {allowed}{_in_unit(unit)}, got {_unfit(array, finite)}")
    return frozen


def _in_unit(unit: str) -> str:
    return f" [{unit}]" if unit else ""


def _unfit(array: FloatArray, finite: bool) -> str:
    """Short arrays as they are, of long ones the first number that is refused, and where it stands."""
    if array.size <= _SHORT:
        return _core.brief(array.tolist())
    refused = ~np.isfinite(array) if finite else np.isnan(array)
    place = np.unravel_index(int(refused.argmax()), array.shape)
    return f"{array[place]} at {[int(i) for i in place]}"


def read_only(array: FloatArray) -> FloatArray:
    """The same `array` (...), in whatever unit, which nobody can write into any more."""
    array.setflags(write=False)
    return array


def frozen_direction(name: str, value: ArrayLike) -> FloatArray:
    """Read-only unit vector (3,) along `value` (3,); a vector of unit length is kept bit for bit.

    Raises ValueError for the zero vector, another shape or non-finite numbers.
    """
    vector = frozen_array(name, value, (3,))
    if abs(math.hypot(*vector.tolist()) - 1.0) < _UNIT_ROUNDING:
        return vector
    largest = float(np.abs(vector).max())
    if largest == 0.0:
        raise ValueError(f"{name}: expected a nonzero vector, got {vector.tolist()}")
    scaled = vector / largest
    return frozen_array(name, scaled / math.hypot(*scaled), (3,))


def frozen_color(name: str, value: ArrayLike) -> FloatArray:
    """Read-only copy of a color (4,): red, green, blue, opacity, dimensionless.

    Raises ValueError for numbers that are not in [0, 1], or another shape.
    """
    color = frozen_array(name, value, (4,))
    if not ((color >= 0.0) & (color <= 1.0)).all():
        raise ValueError(f"{name}: expected numbers in [0, 1], got {color.tolist()}")
    return color


def _fits(got: tuple[int, ...], expected: tuple[int, ...]) -> bool:
    if len(got) != len(expected):
        return False
    for length, allowed in zip(got, expected, strict=True):
        if length != allowed and allowed != -1:
            return False
    return True


def _shape_text(shape: tuple[int, ...]) -> str:
    return str(shape).replace("-1", "n")


def __dir__() -> list[str]:
    return sorted(__all__)
