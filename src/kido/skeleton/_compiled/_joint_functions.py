"""A user joint as a compiled tree knows it."""

from __future__ import annotations

import sys

import numpy as np

from kido.skeleton._joints._user_joint import UserJoint
from kido.typing import FloatArray

__all__ = ["JointFunctions"]


class JointFunctions:
    """The functions of a user joint, as it is now: what becomes of the joint later does not change them."""

    __slots__ = ("_joint", "num_dofs")

    def __init__(self, joint: UserJoint) -> None:
        """The functions of a copy of the joint."""
        copy = joint.copy()
        assert isinstance(copy, UserJoint)
        self._joint = copy
        self.num_dofs = copy.num_dofs

    def pose(self, q: FloatArray) -> FloatArray:
        """Pose (4, 4) [m] of the moving frame in the fixed frame, at q (num_dofs,)."""
        return self._joint._pose_at(q)

    def subspace(self, q: FloatArray) -> FloatArray:
        """Motion subspace (6, num_dofs) [rad/s, m/s per unit velocity], in axes of the moving frame."""
        return self._joint._jacobian_at(q)

    def subspace_rate(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Time derivative (6, num_dofs) of that, element by element [rad/s^2, m/s^2 per unit velocity]."""
        return self._joint._jacobian_rate_at(q, v)

    def content(self) -> bytes:
        """The joint's class and properties."""
        kind = type(self._joint)
        with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
            properties = repr(self._joint.properties)
        return repr((f"{kind.__module__}.{kind.__qualname__}", properties)).encode()
