"""Motion of user joints: pose, motion subspace S and its time derivative dS, for all samples of a call."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from kido.typing import FloatArray

__all__ = ["JointMotion", "UserMotion"]

_NUMBERS = 24
_POSE, _SCREW, _RATE = slice(0, 12), slice(12, 18), slice(18, 24)
"""Numbers of a dof of a user joint: pose (rotation by columns, translation), column of S, column of dS."""


class JointMotion(Protocol):
    """Functions of a joint's own positions (k,) and velocities (k,), which check what they give."""

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom k."""

    def pose(self, q: FloatArray) -> FloatArray:
        """Pose (4, 4) [m] of the joint's moving frame in its fixed frame."""

    def subspace(self, q: FloatArray) -> FloatArray:
        """Motion subspace S (6, k) in axes of the moving frame [rad/s, m/s per unit velocity]."""

    def subspace_rate(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Time derivative (6, k) of S, element by element [rad/s^2, m/s^2 per unit velocity]."""

    def content(self) -> bytes:
        """Bytes that are the same for equal joints."""


class UserMotion:
    """The motion of all user joints of a tree, as native kernels take it.

    A joint with k dofs has k rows. The first has its pose, the others none; row i has column i of S and dS.
    """

    __slots__ = ("_rest", "_users")

    def __init__(self, users: Iterable[JointMotion], first_dofs: Sequence[int]) -> None:
        """User joints in the tree's order, and the first dof of each."""
        self._users: list[tuple[JointMotion, slice, slice]] = []
        row = 0
        for user, first in zip(users, first_dofs, strict=True):
            count = user.num_dofs
            self._users.append((user, slice(first, first + count), slice(row, row + count)))
            row += count
        self._rest = np.zeros((row, _NUMBERS))
        self._rest[:, [0, 4, 8]] = 1.0

    def __call__(self, q: FloatArray, v: FloatArray | None = None) -> FloatArray:
        """Numbers (..., rows * 24) at positions q (..., num_dofs) moving with v; rates are zero without v."""
        if v is not None and v.shape != q.shape:
            q, v = np.broadcast_arrays(q, v)
        motion = np.empty((math.prod(q.shape[:-1]), *self._rest.shape))
        motion[:] = self._rest
        positions = q.reshape(len(motion), -1)
        for numbers, own in zip(motion, positions, strict=True):
            self._set_positions(numbers, own)
        if v is not None:
            for numbers, own, rate in zip(motion, positions, v.reshape(positions.shape), strict=True):
                self._set_velocities(numbers, own, rate)
        return motion.reshape(*q.shape[:-1], self._rest.size)

    def _set_positions(self, motion: FloatArray, q: FloatArray) -> None:
        for user, dofs, rows in self._users:
            T = user.pose(q[dofs])
            motion[rows.start, _POSE] = T[:3].T.ravel()
            motion[rows, _SCREW] = user.subspace(q[dofs]).T

    def _set_velocities(self, motion: FloatArray, q: FloatArray, v: FloatArray) -> None:
        for user, dofs, rows in self._users:
            motion[rows, _RATE] = user.subspace_rate(q[dofs], v[dofs]).T
