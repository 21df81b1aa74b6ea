"""The ball joint."""

from __future__ import annotations

from kido.description import JointType
from kido.math import as_rotation_matrix, so3_exp, so3_log
from kido.skeleton._joints._joint import Joint
from kido.typing import ArrayLike, FloatArray, RotationLike

__all__ = ["BallJoint"]


class BallJoint(Joint, joint_type=JointType.BALL):
    """Rotation exp(q) by a rotation vector q (3,) [rad]; the velocity is the angular velocity in child
    axes."""

    __slots__ = ()

    @staticmethod
    def positions_of(rotation: RotationLike) -> FloatArray:
        """Positions (3,) [rad] of a rotation (3, 3). Raises TypeError or ValueError."""
        return so3_log(as_rotation_matrix(rotation))

    @staticmethod
    def rotation_of(positions: ArrayLike) -> FloatArray:
        """Rotation (3, 3) of positions (3,) [rad]. Raises TypeError or ValueError."""
        return so3_exp(positions)
