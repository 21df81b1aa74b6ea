"""Random states of a robot, in kido's coordinates, and the maps to the coordinates of other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

FloatArray = NDArray[np.float64]

ROOT = 6


@dataclass(frozen=True)
class States:
    """Positions, velocities, accelerations and generalized forces, each (samples, dofs) [SI].

    A free root has the first six dofs: position is a rotation vector and a translation, velocity the body
    twist with the angular part first.
    """

    q: FloatArray
    v: FloatArray
    a: FloatArray
    tau: FloatArray

    def __len__(self) -> int:
        return len(self.q)

    def first(self, samples: int) -> States:
        """The first so many of them."""
        return States(self.q[:samples], self.v[:samples], self.a[:samples], self.tau[:samples])


def draw(dofs: int, samples: int, seed: int = 0) -> States:
    """Independent uniform numbers in [-1, 1]."""
    rng = np.random.default_rng(seed)
    q, v, a, tau = (rng.uniform(-1.0, 1.0, (samples, dofs)) for _ in range(4))
    return States(q, v, a, tau)


@dataclass(frozen=True)
class Coordinates:
    """How a library orders dofs and which velocity it gives a free root.

    Velocities, accelerations and forces of the library are an orthogonal map of kido's; accelerations have
    a term of the velocities besides where the root's linear velocity stands in world axes.

    Attributes:
        order: for each of the library's dofs the index of the same dof in kido.
        free: whether the root is free; its dofs are the first six on both sides.
        linear_first: whether the root's linear velocity comes before the angular.
        world_angular, world_linear: whether that part stands in world axes, else in body axes.
    """

    order: Sequence[int]
    free: bool = False
    linear_first: bool = False
    world_angular: bool = False
    world_linear: bool = False

    def to_library(self, q: FloatArray, x: FloatArray) -> FloatArray:
        """A velocity or force (dofs, ...) of kido in the library's coordinates, at positions q (dofs,)."""
        y: FloatArray = x[np.asarray(self.order)]
        if self.free:
            y[:ROOT] = self._root(q) @ x[:ROOT]
        return y

    def to_kido(self, q: FloatArray, y: FloatArray) -> FloatArray:
        """A velocity or force (dofs, ...) of the library in kido's coordinates, at positions q (dofs,)."""
        x = np.empty_like(y)
        x[np.asarray(self.order)] = y
        if self.free:
            x[:ROOT] = self._root(q).T @ y[:ROOT]
        return x

    def velocities(self, states: States) -> FloatArray:
        """The states' velocities (samples, dofs) as the library has them."""
        return np.stack([self.to_library(q, v) for q, v in zip(states.q, states.v, strict=True)])

    def accelerations(self, states: States) -> FloatArray:
        """The states' accelerations (samples, dofs) as the library has them."""
        rows = zip(states.q, states.v, states.a, strict=True)
        return np.stack([self.to_library(q, a) + self._drift(q, v) for q, v, a in rows])

    def forces(self, states: States) -> FloatArray:
        """The states' generalized forces (samples, dofs) as the library has them."""
        return np.stack([self.to_library(q, tau) for q, tau in zip(states.q, states.tau, strict=True)])

    def joint_positions(self, states: States) -> FloatArray:
        """Positions (samples, joint dofs) of all but the root, in the library's order."""
        return states.q[:, np.asarray(self.order[ROOT * self.free :])]

    def kido_acceleration(self, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        """An acceleration (dofs,) of the library in kido's coordinates."""
        return self.to_kido(q, a - self._drift(q, v))

    def kido_matrix(self, q: FloatArray, matrix: FloatArray) -> FloatArray:
        """A mass matrix or its inverse or a derivative (dofs, dofs) of the library in kido's coordinates."""
        return self.to_kido(q, self.to_kido(q, matrix).T).T

    def kido_jacobian(self, q: FloatArray, angular: FloatArray, linear: FloatArray) -> FloatArray:
        """kido's Jacobian (6, dofs), from the library's angular and linear rows (3, dofs)."""
        return self.to_kido(q, np.vstack([angular, linear]).T).T

    def _root(self, q: FloatArray) -> FloatArray:
        rotation = Rotation.from_rotvec(q[:3]).as_matrix()
        angular, linear = (slice(3, 6), slice(0, 3)) if self.linear_first else (slice(0, 3), slice(3, 6))
        matrix = np.zeros((ROOT, ROOT))
        matrix[angular, 0:3] = rotation if self.world_angular else np.eye(3)
        matrix[linear, 3:6] = rotation if self.world_linear else np.eye(3)
        return matrix

    def _drift(self, q: FloatArray, v: FloatArray) -> FloatArray:
        drift = np.zeros(len(self.order))
        if self.free and self.world_linear:
            linear = slice(0, 3) if self.linear_first else slice(3, 6)
            drift[linear] = Rotation.from_rotvec(q[:3]).apply(np.cross(v[:3], v[3:6]))
        return drift


def root_quaternions(states: States) -> FloatArray:
    """Orientation (samples, 4) of the free root as x, y, z, w."""
    return np.asarray(Rotation.from_rotvec(states.q[:, :3]).as_quat())
