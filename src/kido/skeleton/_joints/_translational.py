"""The translational joint."""

from __future__ import annotations

from kido.description import JointType
from kido.skeleton._joints._joint import Joint

__all__ = ["TranslationalJoint"]


class TranslationalJoint(Joint, joint_type=JointType.TRANSLATIONAL):
    """Translation by q [m] along x, y and z."""

    __slots__ = ()
