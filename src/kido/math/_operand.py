"""Arguments of kido.math: checked arrays with leading batch axes, and the call of a native kernel on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kido.typing import ArrayLike, FloatArray, RotationLike, SupportsAsMatrix, TransformLike

__all__ = ["Operand", "apply", "finite", "numbers", "rotation_vector", "twist", "vector"]

LARGEST_ANGLE = 1e150
"""Largest component of a rotation vector [rad]: beyond, its square would overflow."""


class Operand(NamedTuple):
    """A float64 array (..., *core) and the name of the argument it came by."""

    name: str
    array: FloatArray
    core: tuple[int, ...]

    @property
    def batch(self) -> tuple[int, ...]:
        """The leading axes."""
        return self.array.shape[: self.array.ndim - len(self.core)]

    def rows(self, batch: tuple[int, ...]) -> FloatArray:
        """C-contiguous (1, width) where one row serves all, else (rows of `batch`, width)."""
        array, width = self.array, int(np.prod(self.core, dtype=int))
        if array.size == width:
            return np.ascontiguousarray(array).reshape(1, width)
        if self.batch != batch:
            array = np.broadcast_to(array, batch + self.core)
        return np.ascontiguousarray(array).reshape(-1, width)


def numbers(name: str, value: ArrayLike | SupportsAsMatrix, core: tuple[int, ...], unit: str = "") -> Operand:
    """`value` as float64 (..., *core), not checked for finiteness.

    Raises TypeError for what are not real numbers, ValueError for another shape.
    """
    in_unit = f" [{unit}]" if unit else ""
    expected = "(..., " + ", ".join(map(str, core)) + ")" if core else "(...)"
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        array: FloatArray = value
    else:
        array = _converted(name, value, f"{expected}{in_unit}")
    if array.ndim < len(core) or array.shape[array.ndim - len(core) :] != core:
        raise ValueError(f"{name}: expected shape {expected}{in_unit}, got {array.shape}")
    return Operand(name, array, core)


def _converted(name: str, value: ArrayLike | SupportsAsMatrix, expected: str) -> FloatArray:
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biufO":
            raise TypeError(f"{array.dtype} is not a real number type")
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: expected real numbers of shape {expected}, got {value!r}") from error


def finite(operand: Operand, unit: str = "") -> Operand:
    """The operand itself; raises ValueError if it holds NaN or infinity."""
    if not np.isfinite(operand.array).all():
        in_unit = f" [{unit}]" if unit else ""
        raise ValueError(f"{operand.name}: expected finite numbers{in_unit}, got {_first_bad(operand.array)}")
    return operand


def _first_bad(array: FloatArray) -> str:
    index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0]) if array.ndim else ()
    return f"{array[index]} at index {index}" if array.ndim else str(array)


def vector(name: str, value: ArrayLike, core: tuple[int, ...], unit: str) -> Operand:
    """Finite numbers of shape (..., *core)."""
    return finite(numbers(name, value, core, unit), unit)


def rotation_vector(name: str, value: ArrayLike) -> Operand:
    """Rotation vectors (..., 3) [rad]; raises ValueError for components beyond 1e150 as well."""
    operand = vector(name, value, (3,), "rad")
    _refuse_endless(name, operand.array)
    return operand


def twist(name: str, value: ArrayLike) -> Operand:
    """Twists (..., 6), angular first [rad, m]; the angular part as a rotation vector."""
    operand = vector(name, value, (6,), "rad, m")
    _refuse_endless(name, operand.array[..., :3])
    return operand


def _refuse_endless(name: str, angles: FloatArray) -> None:
    largest = float(np.abs(angles).max(initial=0.0))
    if largest > LARGEST_ANGLE:
        raise ValueError(f"{name}: expected angles of at most {LARGEST_ANGLE:g} [rad], got {largest:g}")


def matrix_of(value: RotationLike | TransformLike) -> ArrayLike:
    """The array of a matrix given as such, or by an object that has `as_matrix`, as SciPy's rotations do."""
    as_matrix = getattr(value, "as_matrix", None)
    return as_matrix() if callable(as_matrix) else value  # type: ignore[return-value]


def apply(kernel: Callable[..., None], core: tuple[int, ...], *operands: Operand) -> FloatArray:
    """Result (..., *core) of a native kernel on operands whose leading axes broadcast.

    Raises ValueError if they do not.
    """
    batch = operands[0].batch if len(operands) == 1 else _common_batch(operands)
    out = np.empty(batch + core)
    kernel(*(operand.rows(batch) for operand in operands), out.reshape(-1, int(np.prod(core, dtype=int))))
    return out


def _common_batch(operands: tuple[Operand, ...]) -> tuple[int, ...]:
    batches = [operand.batch for operand in operands]
    try:
        return np.broadcast_shapes(*batches)
    except ValueError as error:
        names = ", ".join(operand.name for operand in operands)
        got = ", ".join(map(str, batches))
        raise ValueError(f"{names}: expected leading shapes that broadcast, got {got}") from error
