"""Derivatives by velocities of dofs and by their positions, which differ where joints are rotations."""

from __future__ import annotations

import numpy as np

from kido.ik._query import IKQuery
from kido.ik._search._pose_problem import grouped
from kido.ik._wrapping import nearest_rotation_vector
from kido.math import so3_exp, so3_left_jacobian
from kido.skeleton import DegreeOfFreedom
from kido.typing import FloatArray

__all__ = ["jacobian_by_positions", "positions_gradient", "within_half_turn"]


def positions_gradient(ik: IKQuery, velocities: FloatArray) -> FloatArray:
    """The change (k,) of positions against velocities (k,) that last a second [rad, m].

    Of the rotation vectors that stand for where a ball or free joint comes to, the one nearest to its
    position counts: a change across pi is as small as any other.
    """
    skeleton, indices = ik.node.skeleton, ik.dof_indices
    q = skeleton.positions
    v = np.zeros(len(q))
    v[indices] = velocities
    moved = skeleton.tree.integrate(q, -v, 1.0)
    for dof in ik.dofs:
        if grouped(dof) and dof.index_in_joint == 0:
            part = slice(dof.index, dof.index + 3)
            moved[part] = nearest_rotation_vector(moved[part], q[part])
    return np.asarray((q - moved)[indices])


def within_half_turn(
    dofs: tuple[DegreeOfFreedom, ...], positions: FloatArray, lower: FloatArray, upper: FloatArray
) -> FloatArray:
    """Positions (k,) with the shortest of the rotation vectors that stand for each rotation [rad, m].

    Near a whole turn a rotation vector says nothing about the way to others, so nothing should start there.
    Those that limits hold stay as they are.
    """
    q = positions.copy()
    for places in _rotations(dofs):
        if not (np.isfinite(lower[places]).any() or np.isfinite(upper[places]).any()):
            q[places] = nearest_rotation_vector(q[places], np.zeros(3))
    return q


def _rotations(dofs: tuple[DegreeOfFreedom, ...]) -> list[list[int]]:
    """The places of the three angles of each rotation."""
    places = {dof: i for i, dof in enumerate(dofs)}
    firsts = [dof for dof in dofs if grouped(dof) and dof.index_in_joint == 0]
    return [[places[dof.joint.dof(i)] for i in range(3)] for dof in firsts]


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
