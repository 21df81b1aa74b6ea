"""Joints written in Python that move as revolute joints do."""

from __future__ import annotations

import numpy as np
from _poses import pose
from scipy.spatial.transform import Rotation

import kido
from kido.typing import FloatArray

__all__ = ["Hinge", "with_hinges"]


class Hinge(kido.UserJoint):
    """Turns about z, as a revolute joint does."""

    num_dofs = 1

    def transform_of(self, q: FloatArray) -> FloatArray:
        return pose(Rotation.from_rotvec([0.0, 0.0, q[0]]))

    def jacobian_of(self, q: FloatArray) -> FloatArray:
        return np.eye(6)[:, 2:3]

    def jacobian_derivative_of(self, q: FloatArray, v: FloatArray) -> FloatArray:
        return np.zeros((6, 1))


def with_hinges(robot: kido.Skeleton, *dofs: int) -> kido.Skeleton:
    """A copy whose revolute joints of some dofs are written in Python; it moves and is limited as before."""
    own = robot.clone()
    for dof in (own.dofs[i] for i in dofs):
        joint = dof.joint
        axis = np.asarray(joint.axis)  # type: ignore[attr-defined]
        turn = pose(Rotation.align_vectors(axis, [0.0, 0.0, 1.0])[0])
        hinge = Hinge(
            f"own {joint.name}",
            T_parent_joint=joint.T_parent_joint @ turn,
            T_child_joint=joint.T_child_joint @ turn,
        )
        lower, upper = dof.position_lower_limit, dof.position_upper_limit
        dof.child_body.change_parent_joint_type(hinge)
        hinge.position_lower_limits, hinge.position_upper_limits = [lower], [upper]
    own.positions = robot.positions
    return own
