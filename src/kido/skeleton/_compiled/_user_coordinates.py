"""Between the dofs of a tree with user joints and those of the native tree, in which they are free joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kido.description import JointType
from kido.math import so3_log
from kido.skeleton._joints._user_joint import UserJoint
from kido.typing import FloatArray

__all__ = ["NativeMotion", "UserCoordinates", "apply"]


@dataclass(frozen=True)
class NativeMotion:
    """Positions, velocities and accelerations (..., native dofs), as far as they were given; projection G."""

    arrays: tuple[FloatArray, ...]
    G: FloatArray

    @property
    def q(self) -> FloatArray:
        """Positions (..., native dofs) [rad, m]."""
        return self.arrays[0]

    @property
    def v(self) -> FloatArray:
        """Velocities (..., native dofs) [rad/s, m/s]; they were given."""
        return self.arrays[1]

    @property
    def a(self) -> FloatArray:
        """Accelerations (..., native dofs) [rad/s^2, m/s^2]; they were given."""
        return self.arrays[2]

    def project(self, forces: FloatArray) -> FloatArray:
        """Generalized forces (..., num_dofs) of native ones (..., native dofs) [N m, N]."""
        return apply(np.swapaxes(self.G, -1, -2), forces)


class UserCoordinates:
    """Which dofs are whose: `parts` of the user joints, all others in the same order on both sides.

    The twist of a user joint is S v, its acceleration S a + dS v; G is the matrix of all these S, and of ones
    for the dofs of other joints, so that native velocities are G v.
    """

    def __init__(self, kinds: Sequence[JointType], users: dict[int, UserJoint]) -> None:
        """`kinds` of the native joints; user joints by the index of the joint."""
        self.parts: dict[int, tuple[UserJoint, slice, slice]] = {}
        self.ranges: list[range] = []
        narrow: list[int] = []
        wide: list[int] = []
        own = native = 0
        for index, kind in enumerate(kinds):
            joint = users.get(index)
            count = kind.num_dofs if joint is None else joint.num_dofs
            if joint is None:
                narrow += range(own, own + count)
                wide += range(native, native + count)
            else:
                self.parts[index] = (joint, slice(own, own + count), slice(native, native + 6))
            self.ranges.append(range(own, own + count))
            own += count
            native += kind.num_dofs
        self.narrow, self.wide = np.array(narrow, dtype=int), np.array(wide, dtype=int)
        self.num_dofs, self.num_native = own, native

    def motion(self, q: FloatArray, v: FloatArray | None = None, a: FloatArray | None = None) -> NativeMotion:
        """The same motion of the native tree; q, v and a (..., num_dofs)."""
        arrays = [self.positions(q)]
        G = self.projection(q)
        if v is not None:
            arrays.append(apply(G, v))
        if v is not None and a is not None:
            arrays.append(apply(G, a) + apply(self.projection_rate(q, v), v))
        return NativeMotion(tuple(arrays), G)

    def positions(self, q: FloatArray) -> FloatArray:
        """Native positions (..., native dofs) [rad, m]."""
        wide = self.plain(q)
        for joint, part, place in self.parts.values():
            for sample in np.ndindex(q.shape[:-1]):
                T = joint._pose_at(q[sample][part])
                wide[(*sample, place)] = np.concatenate([so3_log(T[:3, :3]), T[:3, 3]])
        return wide

    def projection(self, q: FloatArray) -> FloatArray:
        """G (..., native dofs, num_dofs)."""
        G = np.zeros((*q.shape[:-1], self.num_native, self.num_dofs))
        G[..., self.wide, self.narrow] = 1.0
        for joint, part, place in self.parts.values():
            for sample in np.ndindex(q.shape[:-1]):
                G[(*sample, place, part)] = joint._jacobian_at(q[sample][part])
        return G

    def projection_rate(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """dG/dt (..., native dofs, num_dofs)."""
        own, rate = np.broadcast_arrays(q, v)
        dG = np.zeros((*own.shape[:-1], self.num_native, self.num_dofs))
        for joint, part, place in self.parts.values():
            for sample in np.ndindex(own.shape[:-1]):
                dG[(*sample, place, part)] = joint._jacobian_rate_at(own[sample][part], rate[sample][part])
        return dG

    def plain(self, own: FloatArray) -> FloatArray:
        """Numbers (..., native dofs) of the dofs that both trees have, zeros for those of user joints."""
        wide = np.zeros((*own.shape[:-1], self.num_native))
        wide[..., self.wide] = own[..., self.narrow]
        return wide


def apply(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    """Matrices (..., m, n) times vectors (..., n)."""
    return np.asarray((matrix @ vector[..., None])[..., 0])
