"""Roll, pitch and yaw of rotations, as files are to have them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

from kido.io._rotation import Rows, rpy_rows
from kido.typing import FloatArray

__all__ = ["roll_pitch_yaw"]

Row: TypeAlias = tuple[float, float, float]

_SHORT_DIGITS = range(1, 16)
_NEAR = 4.0
"""Units in the last place by which an angle may differ from the shorter number that a file had."""
_LEVEL = 1e-300


def roll_pitch_yaw(rotation: FloatArray) -> Row:
    """Angles [rad] of a rotation matrix (3, 3), those of which `rpy_rows` makes the nearest one.

    Of a matrix that `rpy_rows` made, the result has the same bits in nearly every case: short numbers
    are tried, and those beside the computed ones.
    """
    rows: list[list[float]] = rotation.tolist()
    best, least = (0.0, 0.0, 0.0), math.inf
    for angles in _candidates(rows):
        error = _difference(rpy_rows(*angles), rows)
        if error < least:
            best, least = angles, error
        if error == 0.0:
            break
    return best


def _candidates(rows: list[list[float]]) -> Iterator[Row]:
    first = _angles(rows)
    roll, pitch, yaw = first
    other = (_turned(roll), math.copysign(math.pi, pitch) - pitch, _turned(yaw))
    for angles in (first, other):
        yield _short(angles[0]), _short(angles[1]), _short(angles[2])
        yield angles
    for angles in (first, other):
        yield from product(*map(_around, angles))


def _angles(rows: list[list[float]]) -> Row:
    """Angles with a pitch within a quarter turn; yaw follows from roll, which is uncertain near its ends."""
    across = math.hypot(rows[2][1], rows[2][2])
    roll = math.atan2(rows[2][1], rows[2][2]) if across > _LEVEL else 0.0
    sr, cr = math.sin(roll), math.cos(roll)
    yaw = math.atan2(rows[0][2] * sr - rows[0][1] * cr, rows[1][1] * cr - rows[1][2] * sr)
    return roll, math.atan2(-rows[2][0], across), yaw


def _turned(angle: float) -> float:
    return angle - math.copysign(math.pi, angle)


def _short(angle: float) -> float:
    """The shortest decimal number within a few units in the last place."""
    margin = _NEAR * math.ulp(angle)
    for digits in _SHORT_DIGITS:
        rounded = float(f"{angle:.{digits}g}")
        if abs(rounded - angle) <= margin:
            return rounded
    return angle


def _around(angle: float) -> tuple[float, ...]:
    above, below = math.nextafter(angle, math.inf), math.nextafter(angle, -math.inf)
    far = math.nextafter(above, math.inf), math.nextafter(below, -math.inf)
    return tuple(dict.fromkeys((_short(angle), angle, above, below, *far)))


def _difference(some: Rows, rows: list[list[float]]) -> float:
    return max(abs(a - b) for x, y in zip(some, rows, strict=True) for a, b in zip(x, y, strict=True))
