"""Checks of numbers: output of functions that users write, and settings of solvers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kido import _core
from kido.typing import FloatArray

__all__ = [
    "checked_array",
    "checked_number",
    "checked_weights",
    "real_array",
    "require_count",
    "require_nonnegative",
    "require_positive",
]


def checked_number(part: str, got: object) -> float:
    """`got` as a float. Raises TypeError or ValueError that name the part it came from."""
    if type(got) is float:
        return got
    array = _as_floats(part, (), got)
    if array.shape != ():
        raise ValueError(f"{part}: expected a number, got shape {array.shape}")
    return float(array)


def checked_array(part: str, got: object, shape: tuple[int, ...]) -> FloatArray:
    """`got` as an array of this `shape`, -1 being any length. Raises TypeError or ValueError."""
    if type(got) is np.ndarray and got.dtype == np.float64 and got.shape == shape and got.flags.carray:
        return got
    array = _as_floats(part, shape, got)
    if array.shape != shape and not _fits(array.shape, shape):
        raise ValueError(f"{part}: expected shape {_text(shape)}, got {array.shape}")
    return array


def checked_weights(name: str, weights: Sequence[float]) -> tuple[float, ...]:
    """Weights as numbers that are finite and not negative."""
    array = checked_array(name, weights, (-1,))
    for i, weight in enumerate(array.tolist()):
        require_nonnegative(f"{name}[{i}]", weight)
    return tuple(array.tolist())


def require_positive(name: str, value: float) -> None:
    """Raises TypeError or ValueError unless `value` is a finite number above zero."""
    if not (_is_number(name, value) and math.isfinite(value) and value > 0):
        raise ValueError(f"{name}: expected a finite number above 0, got {value!r}")


def require_nonnegative(name: str, value: float) -> None:
    """Raises TypeError or ValueError unless `value` is a finite number from zero up."""
    if not (_is_number(name, value) and math.isfinite(value) and value >= 0):
        raise ValueError(f"{name}: expected a finite number, 0 or above, got {value!r}")


def require_count(name: str, value: int, least: int) -> None:
    """Raises TypeError or ValueError unless `value` is a whole number, `least` or above."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name}: expected a whole number, got {value!r}")
    if value < least:
        raise ValueError(f"{name}: expected {least} or above, got {value}")


def _is_number(name: str, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name}: expected a number, got {value!r}")
    return True


def real_array(part: str, got: object, expected: str = "real numbers") -> FloatArray:
    """`got` as C-contiguous float64 array of any shape; not a copy where it is one already.

    Raises TypeError or ValueError, naming the part, for strings, complex numbers, masked entries, and others
    that are no real numbers.
    """
    try:
        if got is None:
            raise TypeError("None is no number")
        return _core.real_array(got)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{part}: expected {expected}, got {_core.brief(got)}") from error


def _as_floats(part: str, shape: tuple[int, ...], got: object) -> FloatArray:
    return real_array(part, got, f"numbers of shape {_text(shape)}" if shape else "a number")


def _fits(got: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return len(got) == len(wanted) and all(w in (-1, g) for g, w in zip(got, wanted, strict=True))


def _text(shape: tuple[int, ...]) -> str:
    return str(shape).replace("-1", "k")
