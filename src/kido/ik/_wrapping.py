"""Angles by whole turns: where limits let them be."""

from __future__ import annotations

import numpy as np

from kido.optimize import real_array
from kido.typing import ArrayLike, FloatArray

_TURN = 2.0 * np.pi
_ROUNDING = 1e-9
"""A position beyond a limit by no more [rad, m] is put on it."""


def wrapped_into_limits(
    positions: ArrayLike, lower: ArrayLike, upper: ArrayLike, near: ArrayLike, turns: ArrayLike
) -> FloatArray:
    """Positions whose angles are shifted by whole turns into their limits, nearest to given ones.

    An angle that no turn brings within its limits is shifted to where it is least beyond them, and stays
    beyond. Positions beyond a limit by no more than 1e-9 [rad, m], as rounding leaves them, are put on it.

    Args:
        positions: (..., n) [rad, m].
        lower: lower limits (n,) [rad, m], -inf for none.
        upper: upper limits (n,) [rad, m], inf for none; not below the lower ones.
        near: positions (n,) [rad, m] that the result is to be near.
        turns: whether a position is an angle (n,), true or false.

    Returns:
        (..., n) [rad, m].

    Raises:
        ValueError: shapes that do not fit together.
    """
    q = np.array(real_array("positions", positions))
    low, high = real_array("lower", lower), real_array("upper", upper)
    start, is_angle = real_array("near", near), real_array("turns", turns) != 0.0
    named = {"lower": low, "upper": high, "near": start, "turns": is_angle}
    for name, value in named.items():
        if value.shape != q.shape[-1:]:
            raise ValueError(f"{name}: expected shape {q.shape[-1:]}, got {value.shape}")
    q += np.where(is_angle, _TURN * _turns(q, low, high, start), 0.0)
    clipped = _between(q, low, high)
    return np.where(np.abs(clipped - q) <= _ROUNDING, clipped, q)


def nearest_rotation_vector(vector: FloatArray, near: FloatArray) -> FloatArray:
    """The rotation vector (3,) of the same rotation that is nearest to a given one (3,) [rad]."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        length = float(np.linalg.norm(near))
        turns = np.rint(length / _TURN)
        return np.zeros(3) if turns == 0.0 else near * (turns * _TURN / length)
    axis = vector / angle
    return np.asarray(vector + axis * (_TURN * np.rint((axis @ near - angle) / _TURN)))


def _between(x: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    return np.minimum(np.maximum(x, low), high)


def _turns(q: FloatArray, low: FloatArray, high: FloatArray, start: FloatArray) -> FloatArray:
    """Whole turns (..., n) to add [-]."""
    fewest = np.ceil((low - _ROUNDING - q) / _TURN)
    most = np.floor((high + _ROUNDING - q) / _TURN)
    nearest = np.rint((start - q) / _TURN)
    inside = _between(nearest, fewest, most)
    fits = fewest <= most
    if fits.all():
        return inside
    # No turn lies between: `most` brings an angle below its limits, `fewest`, one turn more, above.
    below = low - (q + _TURN * most)
    above = q + _TURN * fewest - high
    outside = _between(nearest, most, fewest)
    outside = np.where(below < above - _ROUNDING, most, outside)
    outside = np.where(above < below - _ROUNDING, fewest, outside)
    return np.where(fits, inside, outside)
