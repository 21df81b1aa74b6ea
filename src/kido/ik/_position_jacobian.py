"""Derivatives by velocities of dofs and by their positions, which differ where joints are rotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido.ik._search._pose_problem import grouped
from kido.math import so3_exp, so3_left_jacobian
from kido.skeleton import DegreeOfFreedom
from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["jacobian_by_positions", "positions_gradient"]


def positions_gradient(ik: InverseKinematics, velocities: FloatArray) -> FloatArray:
    """The change (k,) of positions against velocities (k,) that last a second [rad, m]."""
    skeleton, indices = ik.node.skeleton, ik.dof_indices
    q = skeleton.positions
    v = np.zeros(len(q))
    v[indices] = velocities
    return np.asarray((q - skeleton.tree.integrate(q, -v, 1.0))[indices])


def jacobian_by_positions(dofs: tuple[DegreeOfFreedom, ...], jacobian: FloatArray) -> FloatArray:
    """A derivative (m, k) by the velocities of dofs as one by their positions."""
    groups = [i for i, dof in enumerate(dofs) if grouped(dof) and dof.index_in_joint % 3 == 0]
    if not groups:
        return jacobian
    places = {dof: i for i, dof in enumerate(dofs)}
    J = jacobian.copy()
    for first in groups:
        dof = dofs[first]
        joint, begin = dof.joint, dof.index_in_joint
        columns = [places[joint.dof(begin + i)] for i in range(3)]
        rotation = joint.positions[:3]
        # velocities are in the moved frame: w = J_right(q) dq of a rotation, v = R^T dp of what turns with it
        rate = so3_left_jacobian(-rotation) if begin == 0 else so3_exp(rotation).T
        J[:, columns] = jacobian[:, columns] @ rate
    return J
