"""Materials, and things that stand around in several scenes."""

from __future__ import annotations

import colorsys

import numpy as np

from kido.description import Material
from kido.shape import Shape, Surface
from kido.skeleton import ShapeNode, Skeleton, WeldJoint
from kido.typing import ArrayLike, FloatArray

__all__ = [
    "BRASS",
    "BRICK",
    "DARK",
    "ORANGE",
    "STEEL",
    "TEAL",
    "WOOD",
    "between",
    "fixed",
    "material",
    "painted",
    "placed",
    "rainbow",
    "thrown",
]


def material(name: str, red: float, green: float, blue: float) -> Material:
    """An opaque color."""
    return Material(name, (red, green, blue, 1.0))


DARK = material("dark", 0.24, 0.26, 0.29)
STEEL = material("steel", 0.66, 0.69, 0.72)
BRASS = material("brass", 0.80, 0.62, 0.27)
WOOD = material("wood", 0.72, 0.53, 0.34)
BRICK = material("brick", 0.72, 0.33, 0.24)
ORANGE = material("orange", 0.95, 0.52, 0.16)
TEAL = material("teal", 0.13, 0.55, 0.56)

_SURFACE = Surface()


def rainbow(share: float, *, saturation: float = 0.62, value: float = 0.9) -> Material:
    """A color by its place between red (0) and violet (1)."""
    return material(f"rainbow {share:.3f}", *colorsys.hsv_to_rgb(0.83 * share, saturation, value))


def painted(skeleton: Skeleton, color: Material) -> Skeleton:
    """A skeleton, all its shapes in one color."""
    for node in skeleton.nodes(ShapeNode):
        node.material = color
    return skeleton


def placed(skeleton: Skeleton, position: ArrayLike, rotation: ArrayLike = (0.0, 0.0, 0.0)) -> Skeleton:
    """A rigid body that moves freely, at a position (3,) [m], turned by a rotation vector (3,) [rad]."""
    skeleton.positions = [*np.asarray(rotation, dtype=float), *np.asarray(position, dtype=float)]
    return skeleton


def fixed(
    name: str,
    shape: Shape,
    position: ArrayLike = (0.0, 0.0, 0.0),
    color: Material = WOOD,
    *,
    transform: FloatArray | None = None,
    surface: Surface = _SURFACE,
) -> Skeleton:
    """A shape that stands still, at a position (3,) or pose (4, 4) [m]."""
    place = np.eye(4) if transform is None else np.array(transform)
    if transform is None:
        place[:3, 3] = np.asarray(position)
    made = Skeleton(name)
    body = made.add_body(name, joint=WeldJoint(f"{name}_joint", T_parent_joint=place))
    ShapeNode(body, name, shape, material=color, surface=surface)
    made.mobile = False
    return made


def between(start: ArrayLike, end: ArrayLike) -> FloatArray:
    """A pose (4, 4) halfway between two points (3,) [m], its z axis from one to the other."""
    first, last = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    z = (last - first) / np.linalg.norm(last - first)
    x = np.cross((0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0), z)
    T = np.eye(4)
    T[:3, 0] = x / np.linalg.norm(x)
    T[:3, 1], T[:3, 2] = np.cross(z, T[:3, 0]), z
    T[:3, 3] = 0.5 * (first + last)
    return T


def thrown(body: Skeleton, start: ArrayLike, velocity: ArrayLike) -> None:
    """Put a rigid body at a position (3,) [m], with a velocity (3,) [m/s]."""
    placed(body, start)
    body.velocities = [0.0, 0.0, 0.0, *np.asarray(velocity, dtype=float)]
