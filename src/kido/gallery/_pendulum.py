"""Pendulums and chains. They hang along -z, and positive angles swing them towards x."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kido.gallery._parts import BLUE, ORANGE, ORIGIN, STEEL, Vector, add_link, ball, hinge, positive, rod
from kido.skeleton import BodyNode, Joint, RevoluteJoint, ShapeNode, Skeleton
from kido.typing import FloatArray

__all__ = ["chain", "double_pendulum", "pendulum"]

_TOWARDS_X: Vector = (0.0, -1.0, 0.0)
_HANGING = np.array(
    [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
)
"""Pose of a chain's joints: x down the chain, z along -y, so that turning about z swings towards x."""


def pendulum(length: float = 1.0, mass: float = 1.0, *, damping: float = 0.0) -> Skeleton:
    """A ball at the end of a massless rod.

    Args:
        length: from the pivot to the center of the ball [m].
        mass: of the ball, whose radius is a twelfth of the length [kg].
        damping: of the pivot [N m s/rad].

    Returns:
        The skeleton: body "bob", joint "pivot", which has one dof.

    Raises:
        ValueError: a length or mass that is not positive, a negative damping.
    """
    robot = Skeleton("pendulum")
    _add_bob(robot, "bob", None, "pivot", ORIGIN, length, mass, damping)
    return robot


def double_pendulum(
    lengths: tuple[float, float] = (1.0, 1.0),
    masses: tuple[float, float] = (1.0, 1.0),
    *,
    damping: float = 0.0,
) -> Skeleton:
    """A pendulum that hangs on another.

    Args:
        lengths: of the upper and the lower one, as in `pendulum` [m].
        masses: of the upper and the lower ball [kg].
        damping: of both pivots [N m s/rad].

    Returns:
        The skeleton: bodies "upper_bob" and "lower_bob", joints "upper_pivot" and "lower_pivot".

    Raises:
        ValueError: a length or mass that is not positive, a negative damping.
    """
    robot = Skeleton("double_pendulum")
    upper = _add_bob(robot, "upper_bob", None, "upper_pivot", ORIGIN, lengths[0], masses[0], damping)
    end = (0.0, 0.0, -lengths[0])
    _add_bob(robot, "lower_bob", upper, "lower_pivot", end, lengths[1], masses[1], damping)
    return robot


def chain(
    num_bodies: int = 10,
    joints: Callable[[str], Joint] | Sequence[Callable[[str], Joint]] = RevoluteJoint,
    *,
    length: float = 0.2,
    mass: float = 0.2,
    damping: float = 0.0,
) -> Skeleton:
    """Equal rods hanging from each other.

    Args:
        num_bodies: number of rods.
        joints: a type of joints, or anything that makes one from its name, as
            `functools.partial(RevoluteJoint, axis=(0, 1, 0))`; or several, taken in turn. The x axis of the
            joint frames points down the chain, their z axis along -y.
        length: of a rod, from joint to joint [m].
        mass: of a rod [kg].
        damping: of every dof [N m s/rad, N s/m].

    Returns:
        The skeleton: bodies "link_1", ..., joints "joint_1", ...

    Raises:
        TypeError: `joints` makes something else.
        ValueError: no body, no joint, a length or mass that is not positive, a negative damping.
    """
    if num_bodies < 1:
        raise ValueError(f"num_bodies: expected at least 1, got {num_bodies}")
    makers = tuple(joints) if isinstance(joints, Sequence) else (joints,)
    if not makers:
        raise ValueError("joints: expected at least one type of joints, got none")
    length, mass = positive("length", length, "m"), positive("mass", mass, "kg")
    robot = Skeleton("chain")
    parent: BodyNode | None = None
    for index in range(num_bodies):
        joint = makers[index % len(makers)](f"joint_{index + 1}")
        if not isinstance(joint, Joint):
            raise TypeError(f"joints: expected what makes a Joint, got one that makes {type(joint).__name__}")
        joint.T_child_joint = _HANGING
        joint.T_parent_joint = _HANGING if parent is None else _lowered(length)
        joint.damping = damping
        solid = rod(ORIGIN, (0.0, 0.0, -length), length / 12.0, (BLUE, ORANGE)[index % 2])
        parent = add_link(robot, f"link_{index + 1}", parent, joint, mass, solid)
    return robot


def _lowered(length: float) -> FloatArray:
    T = _HANGING.copy()
    T[2, 3] = -length
    return T


def _add_bob(
    robot: Skeleton,
    name: str,
    parent: BodyNode | None,
    joint_name: str,
    at: Vector,
    length: float,
    mass: float,
    damping: float,
) -> BodyNode:
    length = positive("length", length, "m")
    end = (0.0, 0.0, -length)
    joint = hinge(joint_name, _TOWARDS_X, at, damping=damping)
    bob = add_link(robot, name, parent, joint, positive("mass", mass, "kg"), ball(length / 12.0, end, ORANGE))
    stick = rod(ORIGIN, end, length / 60.0, STEEL)
    ShapeNode(bob, f"{name}_rod", stick.shape, stick.origin, material=stick.material, collision=False)
    return bob
