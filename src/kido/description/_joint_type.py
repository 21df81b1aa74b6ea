"""The kinds of joints."""

from __future__ import annotations

from enum import Enum

from kido.values import register

__all__ = ["EULER_ORDERS", "JointType"]

EULER_ORDERS = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
"""The twelve intrinsic sequences of axes that an Euler joint can have."""


@register
class JointType(str, Enum):
    """The motion T(q) between a joint's two frames.

    * weld: none.
    * revolute, prismatic: rotation about, translation along the axis.
    * screw: both, the translation being the pitch times the turns.
    * universal: R = Rot(axis0, q0) Rot(axis1, q1).
    * euler: R = R_first(q0) R_second(q1) R_third(q2), the axes as the order names them.
    * ball: R = exp(q).
    * planar: translation q0 axis0 + q1 axis1, then rotation q2 about axis0 x axis1.
    * translational: translation q along x, y, z.
    * translational2d: translation q0 axis0 + q1 axis1.
    * free: rotation exp(q[:3]) and translation q[3:], T(q) = [exp(q[:3]), q[3:]].
    """

    WELD = "weld"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    SCREW = "screw"
    UNIVERSAL = "universal"
    EULER = "euler"
    BALL = "ball"
    PLANAR = "planar"
    TRANSLATIONAL = "translational"
    TRANSLATIONAL2D = "translational2d"
    FREE = "free"

    def __str__(self) -> str:
        return self.value

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom."""
        return _COUNTS[self][0]

    @property
    def num_axes(self) -> int:
        """Number of axes (k, 3) that a joint of this type has."""
        return _COUNTS[self][1]


_COUNTS = {
    JointType.WELD: (0, 0),
    JointType.REVOLUTE: (1, 1),
    JointType.PRISMATIC: (1, 1),
    JointType.SCREW: (1, 1),
    JointType.UNIVERSAL: (2, 2),
    JointType.EULER: (3, 0),
    JointType.BALL: (3, 0),
    JointType.PLANAR: (3, 2),
    JointType.TRANSLATIONAL: (3, 0),
    JointType.TRANSLATIONAL2D: (2, 2),
    JointType.FREE: (6, 0),
}
