"""The translational joint of a plane."""

from __future__ import annotations

from kido.description import JointType
from kido.skeleton._joints._axis_joint import PlaneJoint

__all__ = ["TranslationalJoint2D"]


class TranslationalJoint2D(PlaneJoint, joint_type=JointType.TRANSLATIONAL2D):
    """Translation by `q[0]` and `q[1]` [m] along two axes."""

    __slots__ = ()
