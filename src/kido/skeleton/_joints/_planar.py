"""The planar joint."""

from __future__ import annotations

import numpy as np

from kido.description import JointType
from kido.math import so3_exp
from kido.skeleton._joints._axis_joint import PlaneJoint
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only

__all__ = ["PlanarJoint"]


class PlanarJoint(PlaneJoint, joint_type=JointType.PLANAR):
    """Translation by `q[0]` and `q[1]` [m] along two axes, then rotation by `q[2]` [rad] about their cross
    product."""

    __slots__ = ()

    @property
    def rotation_axis(self) -> FloatArray:
        """Unit normal (3,) of the plane."""
        first, second = self._axes()
        return read_only(np.cross(first, second))

    def transform_of(self, positions: ArrayLike) -> FloatArray:
        """Transform (4, 4) [m] that positions (3,) [m, m, rad] give."""
        q = frozen_array("positions", positions, (3,), "m, m, rad")
        first, second = self._axes()
        T = np.eye(4)
        T[:3, :3] = so3_exp(self.rotation_axis * q[2])
        T[:3, 3] = first * q[0] + second * q[1]
        return T
