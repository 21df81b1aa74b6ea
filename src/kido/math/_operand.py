"""Arguments of kido.math: checked arrays with leading batch axes, and the call of a native kernel on them."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, prod
from typing import NamedTuple

import numpy as np

from kido import _core as _native
from kido.typing import ArrayLike, FloatArray, RotationLike, TransformLike

__all__ = [
    "LARGEST_ANGLE",
    "Operand",
    "apply",
    "matrix_of",
    "numbers",
    "refuse_infinite",
    "rotation_vector",
    "twist",
    "vector",
]

LARGEST_ANGLE = 1e150
"""Largest component of a rotation vector [rad]: beyond, its square would overflow."""


class Operand(NamedTuple):
    """A C-contiguous float64 array (..., *core) and the name of the argument it came by."""

    name: str
    array: FloatArray
    core: tuple[int, ...]

    @property
    def batch(self) -> tuple[int, ...]:
        """The leading axes."""
        return self.array.shape[: self.array.ndim - len(self.core)]

    def rows(self, batch: tuple[int, ...] | None = None) -> FloatArray:
        """(rows of `batch`, width), or (1, width) where one row serves all."""
        array, width = self.array, prod(self.core)
        if batch is not None and self.batch != batch and array.size != width:
            array = np.ascontiguousarray(np.broadcast_to(array, batch + self.core))
        return array.reshape(-1, width)


def numbers(name: str, value: ArrayLike, core: tuple[int, ...], unit: str = "") -> Operand:
    """`value` as float64 (..., *core), not checked for finiteness.

    Raises TypeError for what are not real numbers, ValueError for another shape.
    """
    if type(value) is np.ndarray and value.dtype == np.float64 and value.flags.c_contiguous:
        array: FloatArray = value
    else:
        array = _converted(name, value, core, unit)
    if array.ndim < len(core) or array.shape[array.ndim - len(core) :] != core:
        raise ValueError(f"{name}: expected shape {_shape_text(core)}{_in(unit)}, got {array.shape}")
    return Operand(name, array, core)


def _converted(name: str, value: ArrayLike, core: tuple[int, ...], unit: str) -> FloatArray:
    try:
        return _native.real_array(value)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        expected = f"expected real numbers of shape {_shape_text(core)}{_in(unit)}"
        raise kind(f"{name}: {expected}, got {_native.brief(value)}") from error


def _shape_text(core: tuple[int, ...]) -> str:
    return "(..., " + ", ".join(map(str, core)) + ")" if core else "(...)"


def _in(unit: str) -> str:
    return f" [{unit}]" if unit else ""


def vector(name: str, value: ArrayLike, core: tuple[int, ...], unit: str) -> Operand:
    """Finite numbers of shape (..., *core)."""
    operand = numbers(name, value, core, unit)
    if isnan(_native.largest_magnitude(operand.array)):
        refuse_infinite(name, operand.array, unit)
    return operand


def refuse_infinite(name: str, array: FloatArray, unit: str = "") -> None:
    """Raise ValueError that names the first number that is not finite, if there is one."""
    bad = ~np.isfinite(array)
    if bad.any():
        where = "" if array.ndim == 0 else f" at index {tuple(int(i) for i in np.argwhere(bad)[0])}"
        raise ValueError(f"{name}: expected finite numbers{_in(unit)}, got {array[bad][0]}{where}")


def rotation_vector(name: str, value: ArrayLike) -> Operand:
    """Rotation vectors (..., 3) [rad]; raises ValueError for components beyond 1e150 as well."""
    return _bounded(numbers(name, value, (3,), "rad"), "rad")


def twist(name: str, value: ArrayLike) -> Operand:
    """Twists (..., 6), angular first [rad, m], the angular part within the bound of `rotation_vector`."""
    return _bounded(numbers(name, value, (6,), "rad, m"), "rad, m")


def _bounded(operand: Operand, unit: str) -> Operand:
    if _native.largest_magnitude(operand.array) <= LARGEST_ANGLE:
        return operand
    refuse_infinite(operand.name, operand.array, unit)
    largest = np.abs(operand.array[..., :3]).max()
    if largest > LARGEST_ANGLE:
        expected = f"expected angles of at most {LARGEST_ANGLE:g} [rad]"
        raise ValueError(f"{operand.name}: {expected}, got {largest:g}")
    return operand


def matrix_of(value: RotationLike | TransformLike) -> ArrayLike:
    """The array of a matrix given as such, or by an object that has `as_matrix`, as SciPy's rotations do."""
    if isinstance(value, np.ndarray):
        return value
    as_matrix = getattr(value, "as_matrix", None)
    return as_matrix() if callable(as_matrix) else value  # type: ignore[return-value]


def apply(kernel: Callable[..., None], core: tuple[int, ...], *operands: Operand) -> FloatArray:
    """Result (..., *core) of a native kernel on operands whose leading axes broadcast.

    Raises ValueError if they do not.
    """
    batch = operands[0].batch if len(operands) == 1 else _common_batch(operands)
    out = np.empty(batch + core)
    kernel(*(operand.rows(batch) for operand in operands), out.reshape(-1, prod(core)))
    return out


def _common_batch(operands: tuple[Operand, ...]) -> tuple[int, ...]:
    batches = [operand.batch for operand in operands]
    try:
        return np.broadcast_shapes(*batches)
    except ValueError as error:
        names = ", ".join(operand.name for operand in operands)
        got = ", ".join(map(str, batches))
        raise ValueError(f"{names}: expected leading shapes that broadcast, got {got}") from error
