"""Things that stand around: the ground, and rigid bodies that move freely."""

from __future__ import annotations

from kido.description import shape_inertia
from kido.gallery._parts import ORANGE
from kido.shape import Box, Plane, Shape, Sphere, Surface
from kido.skeleton import FreeJoint, ShapeNode, Skeleton, WeldJoint
from kido.typing import ArrayLike
from kido.values import checked_positive

__all__ = ["ball", "box", "ground", "rigid_body"]

_DEFAULT = Surface()


def ground(
    *, normal: ArrayLike = (0.0, 0.0, 1.0), offset: float = 0.0, surface: Surface = _DEFAULT
) -> Skeleton:
    """The half space below a plane, fixed to the world.

    Args:
        normal: of the plane (3,), upwards.
        offset: of the plane from the origin, along the normal [m].
        surface: friction and restitution.

    Returns:
        The skeleton: body "ground", which does not move.

    Raises:
        TypeError, ValueError: naming the argument.
    """
    plane = Plane(normal, offset)
    made = Skeleton("ground")
    body = made.add_body("ground", joint=WeldJoint("ground_joint"))
    ShapeNode(body, "ground", plane, visual=False, surface=surface)
    made.mobile = False
    return made


def box(
    size: ArrayLike = (1.0, 1.0, 1.0), mass: float = 1.0, *, name: str = "box", surface: Surface = _DEFAULT
) -> Skeleton:
    """A box that moves freely.

    Args:
        size: of its edges (3,) [m].
        mass: [kg].
        name: of the skeleton and its body.
        surface: friction and restitution.

    Returns:
        The skeleton: one body on a free joint, its center at the origin.

    Raises:
        TypeError, ValueError: naming the argument.
    """
    return rigid_body(Box(size), mass, name=name, surface=surface)


def ball(
    radius: float = 0.5, mass: float = 1.0, *, name: str = "ball", surface: Surface = _DEFAULT
) -> Skeleton:
    """A solid sphere that moves freely; `radius` [m], the rest as of `box`."""
    return rigid_body(Sphere(radius), mass, name=name, surface=surface)


def rigid_body(
    shape: Shape, mass: float = 1.0, *, name: str = "rigid_body", surface: Surface = _DEFAULT
) -> Skeleton:
    """A body of one shape and uniform density that moves freely.

    Args:
        shape: which has a volume.
        mass: [kg].
        name: of the skeleton and its body.
        surface: friction and restitution.

    Returns:
        The skeleton: one body on a free joint, the shape's frame at the origin.

    Raises:
        TypeError, ValueError: naming the argument.
    """
    inertia = shape_inertia(shape, checked_positive("mass", mass, "kg"))
    made = Skeleton(name)
    body = made.add_body(name, joint=FreeJoint(f"{name}_joint"), inertia=inertia)
    ShapeNode(body, name, shape, material=ORANGE, surface=surface)
    return made
