"""A cam and its follower: a joint of one's own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kido.gallery._parts import DARK, ORANGE, ORIGIN, STEEL, add_link, block, drum, positive, rod
from kido.skeleton import ShapeNode, Skeleton, UserJoint, WeldJoint
from kido.typing import FloatArray

__all__ = ["CamJoint", "cam"]


class CamJoint(UserJoint):
    """A flat follower on an eccentric disk: lift eccentricity (1 - cos q) along z, q the disk's angle."""

    num_dofs: ClassVar[int] = 1

    @dataclass(frozen=True)
    class Properties:
        """`eccentricity`: distance of the disk's center from its axis [m]."""

        eccentricity: float = 0.02

        def __post_init__(self) -> None:
            positive("eccentricity", self.eccentricity, "m")

    properties: Properties

    def transform_of(self, q: FloatArray) -> FloatArray:
        """Pose (4, 4) [m] of the follower at angle q (1,) [rad]."""
        T = np.eye(4)
        T[2, 3] = self.properties.eccentricity * (1.0 - np.cos(q[0]))
        return T

    def jacobian_of(self, q: FloatArray) -> FloatArray:
        """Spatial velocity (6, 1) [rad/s, m/s] of the follower per angular velocity, at q (1,) [rad]."""
        return self._along_z(np.sin(q[0]))

    def jacobian_derivative_of(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Time derivative (6, 1) [rad/s^2, m/s^2] of the Jacobian, at q (1,) [rad] and v (1,) [rad/s]."""
        return self._along_z(np.cos(q[0]) * v[0])

    def _along_z(self, factor: float) -> FloatArray:
        column = np.zeros((6, 1))
        column[5] = self.properties.eccentricity * factor
        return column


def cam(eccentricity: float = 0.02) -> Skeleton:
    """A valve that a turning cam lifts; the cam's angle is the dof. It starts halfway up.

    The cam itself has no inertia, so none moves with the dof at 0 and pi, where the valve is at rest.

    Args:
        eccentricity: distance of the disk's center from its axis, half of the largest lift [m].

    Returns:
        The skeleton: bodies "guide" and "follower", joint "cam", a `CamJoint`.

    Raises:
        ValueError: an eccentricity that is not positive.
    """
    properties = CamJoint.Properties(eccentricity)
    e = eccentricity
    robot = Skeleton("cam")
    ends = [block((2.0 * e, 0.6 * e, e), (0.0, side * 0.65 * e, 6.0 * e), DARK) for side in (1.0, -1.0)]
    guide = add_link(robot, "guide", None, WeldJoint("mount"), 1.0, *ends)
    disk = drum((e, -0.4 * e, 0.0), (e, 0.4 * e, 0.0), 2.0 * e, ORANGE)  # as it stands at the start
    ShapeNode(guide, "disk", disk.shape, disk.origin, material=disk.material, collision=False)
    joint = CamJoint("cam", properties, T_parent_joint=(0.0, 0.0, e), initial_positions=math.pi / 2)
    joint.reset_positions()
    plate = block((4.0 * e, e, 0.2 * e), (0.0, 0.0, 0.1 * e), STEEL)
    add_link(robot, "follower", guide, joint, 0.3, plate, rod(ORIGIN, (0.0, 0.0, 8.0 * e), 0.3 * e, STEEL))
    return robot
