"""The weld joint."""

from __future__ import annotations

from kido.description import JointType
from kido.skeleton._joints._joint import Joint

__all__ = ["WeldJoint"]


class WeldJoint(Joint, joint_type=JointType.WELD):
    """No motion."""

    __slots__ = ()
