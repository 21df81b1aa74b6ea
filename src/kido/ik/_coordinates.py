"""Coordinates of joints: whole turns, rotation vectors, derivatives by velocities and by positions."""

from __future__ import annotations

import numpy as np

from kido.ik._query import IKQuery
from kido.ik._search._pose_problem import grouped
from kido.math import so3_exp, so3_left_jacobian
from kido.optimize import real_array
from kido.skeleton import DegreeOfFreedom
from kido.typing import ArrayLike, FloatArray

__all__ = ["jacobian_by_positions", "positions_gradient", "within_half_turn"]

_TURN = 2.0 * np.pi
_ROUNDING = 1e-9
"""A position beyond a limit by no more [rad, m] is put on it."""


def wrapped_into_limits(
    positions: ArrayLike, lower: ArrayLike, upper: ArrayLike, near: ArrayLike, turns: ArrayLike
) -> FloatArray:
    """Positions whose angles are shifted by whole turns into their limits, nearest to given ones.

    An angle that no turn brings within its limits is shifted to where it is least beyond them, and stays
    beyond. Positions beyond a limit by no more than 1e-9 [rad, m], as rounding leaves them, are put on it.

    Args:
        positions: (..., n) [rad, m].
        lower: lower limits (n,) [rad, m], -inf for none.
        upper: upper limits (n,) [rad, m], inf for none; not below the lower ones.
        near: positions (n,) [rad, m] that the result is to be near.
        turns: whether a position is an angle (n,), true or false.

    Returns:
        (..., n) [rad, m].

    Raises:
        ValueError: shapes that do not fit together.
    """
    q = np.array(real_array("positions", positions))
    low, high = real_array("lower", lower), real_array("upper", upper)
    start, is_angle = real_array("near", near), real_array("turns", turns) != 0.0
    named = {"lower": low, "upper": high, "near": start, "turns": is_angle}
    for name, value in named.items():
        if value.shape != q.shape[-1:]:
            raise ValueError(f"{name}: expected shape {q.shape[-1:]}, got {value.shape}")
    q += np.where(is_angle, _TURN * _turns(q, low, high, start), 0.0)
    clipped = _between(q, low, high)
    return np.where(np.abs(clipped - q) <= _ROUNDING, clipped, q)


def nearest_rotation_vector(vector: FloatArray, near: FloatArray) -> FloatArray:
    """The rotation vector (3,) of the same rotation that is nearest to a given one (3,) [rad]."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        length = float(np.linalg.norm(near))
        turns = np.rint(length / _TURN)
        return np.zeros(3) if turns == 0.0 else near * (turns * _TURN / length)
    axis = vector / angle
    return np.asarray(vector + axis * (_TURN * np.rint((axis @ near - angle) / _TURN)))


def _between(x: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    return np.minimum(np.maximum(x, low), high)


def _turns(q: FloatArray, low: FloatArray, high: FloatArray, start: FloatArray) -> FloatArray:
    """Whole turns (..., n) to add [-]."""
    fewest = np.ceil((low - _ROUNDING - q) / _TURN)
    most = np.floor((high + _ROUNDING - q) / _TURN)
    nearest = np.rint((start - q) / _TURN)
    inside = _between(nearest, fewest, most)
    fits = fewest <= most
    if fits.all():
        return inside
    # No turn lies between: `most` brings an angle below its limits, `fewest`, one turn more, above.
    below = low - (q + _TURN * most)
    above = q + _TURN * fewest - high
    outside = _between(nearest, most, fewest)
    outside = np.where(below < above - _ROUNDING, most, outside)
    outside = np.where(above < below - _ROUNDING, fewest, outside)
    return np.where(fits, inside, outside)


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
