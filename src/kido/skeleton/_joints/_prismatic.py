"""The prismatic joint."""

from __future__ import annotations

from kido.description import JointType
from kido.skeleton._joints._axis_joint import OneAxisJoint

__all__ = ["PrismaticJoint"]


class PrismaticJoint(OneAxisJoint, joint_type=JointType.PRISMATIC):
    """Translation by q [m] along an axis."""

    __slots__ = ()
