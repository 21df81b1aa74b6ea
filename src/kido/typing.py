"""Types that cross kido's interface: array aliases, and the base of immutable values that hold arrays."""

from __future__ import annotations

import math
from dataclasses import Field, fields
from os import PathLike as OsPathLike
from typing import Any, ClassVar, Protocol, TypeAlias

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
    "Value",
    "frozen_array",
    "frozen_direction",
]

FloatArray: TypeAlias = NDArray[np.float64]
"""Array of float64."""

PathLike: TypeAlias = str | OsPathLike[str]
"""Path of a file or folder."""


_UNIT_ROUNDING = 1e-15


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
    in_unit = f" [{unit}]" if unit else ""
    try:
        array = _core.real_array(value, copy=True)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        expected = f"expected numbers of shape {_shape_text(shape)}{in_unit}"
        raise kind(f"{name}: {expected}, got {_core.brief(value)}") from error
    if shape is not None and not _fits(array.shape, shape):
        raise ValueError(f"{name}: expected shape {_shape_text(shape)}{in_unit}, got {array.shape}")
    good = np.isfinite(array) if finite else ~np.isnan(array)
    if not good.all():
        wanted = "finite numbers" if finite else "numbers, not NaN"
        raise ValueError(f"{name}: expected {wanted}{in_unit}, got {_core.brief(array.tolist())}")
    array.flags.writeable = False
    return array


def frozen_direction(name: str, value: ArrayLike) -> FloatArray:
    """Read-only unit vector (3,) along `value` (3,); a vector of unit length is kept bit for bit.

    Raises ValueError for the zero vector, another shape or non-finite numbers.
    """
    vector = frozen_array(name, value, (3,))
    if abs(math.hypot(*vector) - 1.0) < _UNIT_ROUNDING:
        return vector
    largest = float(np.abs(vector).max())
    if largest == 0.0:
        raise ValueError(f"{name}: expected a nonzero vector, got {vector.tolist()}")
    scaled = vector / largest
    return frozen_array(name, scaled / math.hypot(*scaled), (3,))


def _fits(got: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return len(got) == len(wanted) and all(w in (-1, g) for g, w in zip(got, wanted, strict=True))


def _shape_text(shape: tuple[int, ...] | None) -> str:
    return "(...)" if shape is None else str(shape).replace("-1", "n")


class Value:
    """Base of frozen, slotted dataclasses that hold arrays: equal, hashed and pickled by their fields.

    A subclass is declared `@dataclass(frozen=True, slots=True, eq=False, init=False)`, sets its fields with
    `_assign` in its own `__init__`, and marks derived fields `field(init=False)`. Unpickling calls the
    constructor, so arrays stay read-only.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def _assign(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _values(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value) or type(other) is not type(self):
            return NotImplemented
        return all(map(_same, self._values().values(), other._values().values()))

    def __hash__(self) -> int:
        return hash((type(self), *map(_hashable, self._values().values())))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._values())


def _rebuild(cls: type[Value], values: dict[str, Any]) -> Value:
    return cls(**values)


def _same(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return bool(a == b)


def _hashable(value: object) -> object:
    return (value.shape, *value.ravel().tolist()) if isinstance(value, np.ndarray) else value
