"""The revolute joint."""

from __future__ import annotations

from kido.description import JointType
from kido.skeleton._joints._axis_joint import OneAxisJoint

__all__ = ["RevoluteJoint"]


class RevoluteJoint(OneAxisJoint, joint_type=JointType.REVOLUTE):
    """Rotation by q [rad] about an axis."""

    __slots__ = ()
