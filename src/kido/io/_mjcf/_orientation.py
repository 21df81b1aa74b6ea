"""Poses: a position, and an orientation in one of the ways in which MJCF says it."""

from __future__ import annotations

import math

import numpy as np

from kido.io._mjcf._compiler import Compiler
from kido.io._mjcf._node import Node
from kido.typing import FloatArray

__all__ = [
    "ORIENTATIONS",
    "about_axis",
    "euler_rotation",
    "from_quaternion",
    "moved_by",
    "read_pose",
    "read_rotation",
    "towards_z",
]

ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
"""Attributes that give an orientation; an element has at most one, which replaces that of its defaults."""

_LEAST = 1e-14


def read_pose(node: Node, compiler: Compiler) -> FloatArray:
    """Pose (4, 4) of an element by pos and orientation [m]; raises ModelFileError."""
    pose = np.eye(4)
    pose[:3, 3] = node.numbers("pos", (0.0, 0.0, 0.0))
    pose[:3, :3] = read_rotation(node, compiler)
    return pose


def read_rotation(node: Node, compiler: Compiler) -> FloatArray:
    """Rotation (3, 3) of an element; the identity where it has none. Raises ModelFileError."""
    said = [name for name in ORIENTATIONS if node.has(name)]
    if len(said) > 1:
        raise node.error(f"expected one orientation, got {' and '.join(said)}")
    if not said:
        return np.eye(3)
    match said[0]:
        case "quat":
            return _nonzero(node, "quat", from_quaternion(node.floats("quat", 4, 4)))
        case "axisangle":
            *axis, angle = node.floats("axisangle", 4, 4)
            return _nonzero(node, "axisangle", about_axis(axis, compiler.radians(angle)))
        case "euler":
            return euler_rotation(node.floats("euler", 3, 3), compiler)
        case "xyaxes":
            return _axes(node)
    return _nonzero(node, "zaxis", towards_z(node.floats("zaxis", 3, 3)))


def from_quaternion(quaternion: tuple[float, ...] | FloatArray) -> FloatArray | None:
    """Rotation (3, 3) of a quaternion w, x, y, z of any length but zero, for which there is none."""
    length = math.sqrt(sum(part * part for part in quaternion))
    if not _LEAST < length < math.inf:
        return None
    w, x, y, z = (part / length for part in quaternion)
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def about_axis(axis: list[float] | tuple[float, ...] | FloatArray, angle: float) -> FloatArray | None:
    """Rotation (3, 3) about an axis of any length but zero [rad]."""
    length = math.sqrt(sum(part * part for part in axis))
    if not _LEAST < length < math.inf:
        return None
    half = 0.5 * angle
    return from_quaternion((math.cos(half), *(math.sin(half) * part / length for part in axis)))


def towards_z(direction: tuple[float, ...] | FloatArray) -> FloatArray | None:
    """The shortest rotation (3, 3) that turns z into a direction; about x where it is -z."""
    x, y, z = direction
    across = math.hypot(x, y)
    if math.hypot(across, z) < _LEAST:
        return None
    if across < _LEAST * abs(z) or across == 0.0:
        return about_axis((1.0, 0.0, 0.0), math.pi if z < 0.0 else 0.0)
    return about_axis((-y, x, 0.0), math.atan2(across, z))


def moved_by(x: float, y: float, z: float) -> FloatArray:
    """Translation (4, 4) [m]."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def euler_rotation(angles: tuple[float, ...], compiler: Compiler) -> FloatArray:
    """Rotations about axes of the turned frame (small letters) or of the one around it (capitals), (3, 3).

    The angles are in the unit of the file.
    """
    total = np.eye(3)
    for letter, angle in zip(compiler.eulerseq, angles, strict=True):
        axis = np.eye(3)["xyz".index(letter.lower())]
        turn = about_axis(axis, compiler.radians(angle))
        assert turn is not None  # the axis is a unit vector
        total = total @ turn if letter.islower() else turn @ total
    return total


def _axes(node: Node) -> FloatArray:
    """x as given, y made orthogonal to it, z across both."""
    numbers = np.array(node.floats("xyaxes", 6, 6))
    with np.errstate(over="ignore", invalid="ignore"):
        x = _unit(node, numbers[:3])
        y = _unit(node, numbers[3:] - (numbers[3:] @ x) * x)
    return np.column_stack([x, y, np.cross(x, y)])


def _unit(node: Node, direction: FloatArray) -> FloatArray:
    length = float(np.linalg.norm(direction))
    if not _LEAST < length < math.inf:
        raise node.error("xyaxes: expected two axes that are not parallel, nor zero", "xyaxes")
    return direction / length


def _nonzero(node: Node, attribute: str, rotation: FloatArray | None) -> FloatArray:
    if rotation is None:
        raise node.error(
            f"{attribute}: expected a nonzero vector, got {node.text(attribute)[:200]}", attribute
        )
    if not np.isfinite(rotation).all():
        raise node.error(f"{attribute}: expected numbers of a size that can be squared", attribute)
    return rotation
