"""One robot in both libraries, and the maps between their positions and velocities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import kido
from _robots import robot, robot_files

ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
"""Pinocchio has the linear half of a spatial vector first; the permutation is its own inverse."""

FRAMES = {"world": pin.LOCAL_WORLD_ALIGNED, "body": pin.LOCAL, "spatial": pin.WORLD}

Array = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """One state in the numbers of both libraries."""

    q: Array
    v: Array
    a: Array
    pin_q: Array
    pin_v: Array
    pin_a: Array


class Pair:
    """A robot as `kido.Tree` and as `pin.Model`.

    Pinocchio orders sibling joints by name, has continuous joints as (cos, sin), the free joint as
    (translation, quaternion), and the linear half of spatial vectors first.
    """

    def __init__(self, tree: kido.Tree, model: pin.Model) -> None:
        self.tree = tree
        self.model = model
        self.data = model.createData()

    @cached_property
    def dof_map(self) -> Array:
        """P (nv, num_dofs): Pinocchio's velocities are P @ v; forces map the same way."""
        columns = np.zeros((self.model.nv, self.tree.num_dofs))
        for name in self.tree.joint_names:
            dofs = self.tree.joint_dofs(name)
            if len(dofs) == 0:
                continue
            first = self.model.joints[self.joint(name)].idx_v
            order = ANGULAR_FIRST if len(dofs) == 6 else range(len(dofs))
            for dof, row in zip(dofs, order, strict=True):
                columns[first + row, dof] = 1.0
        return columns

    @cached_property
    def body_frames(self) -> list[int]:
        """Pinocchio's frame of each body."""
        return [self.model.getFrameId(name, pin.FrameType.BODY) for name in self.tree.body_names]

    def joint(self, name: str) -> int:
        """Pinocchio's joint of a name; its free root is always called root_joint."""
        is_free = len(self.tree.joint_dofs(name)) == 6
        return int(self.model.getJointId("root_joint" if is_free else name))

    def positions(self, q: Array) -> Array:
        """Pinocchio's positions of q (num_dofs,)."""
        result = pin.neutral(self.model)
        for name in self.tree.joint_names:
            dofs = list(self.tree.joint_dofs(name))
            if not dofs:
                continue
            joint = self.model.joints[self.joint(name)]
            part = q[dofs]
            if len(dofs) == 6:
                part = np.concatenate([part[3:], Rotation.from_rotvec(part[:3]).as_quat()])
            elif joint.nq == 2:
                part = np.array([np.cos(part[0]), np.sin(part[0])])
            result[joint.idx_q : joint.idx_q + joint.nq] = part
        return result

    def state(self, seed: int) -> State:
        """A random state in both numbers."""
        rng = np.random.default_rng(seed)
        q, v, a = rng.uniform(-1.0, 1.0, (3, self.tree.num_dofs))
        return State(q, v, a, self.positions(q), self.dof_map @ v, self.dof_map @ a)

    def forces(self, pinocchio_forces: Array) -> Array:
        """Generalized forces (nv,) in kido's order."""
        return self.dof_map.T @ pinocchio_forces

    def matrix(self, pinocchio_matrix: Array) -> Array:
        """A matrix (nv, nv) in kido's order."""
        return self.dof_map.T @ pinocchio_matrix @ self.dof_map

    def columns(self, pinocchio_jacobian: Array) -> Array:
        """A Jacobian (6, nv) in kido's order of rows and columns."""
        return pinocchio_jacobian[ANGULAR_FIRST] @ self.dof_map

    def mass_matrix(self, state: State) -> Array:
        """Pinocchio's mass matrix in kido's order."""
        upper = np.triu(pin.crba(self.model, self.data, state.pin_q))
        return self.matrix(upper + np.triu(upper, 1).T)

    @cached_property
    def has_inverse(self) -> bool:
        """Whether every joint moves inertia: the mass matrix, scaled to a unit diagonal, is regular."""
        if self.tree.num_dofs == 0:
            return True
        mass = self.mass_matrix(self.state(0))
        scale = np.sqrt(np.diag(mass))
        return bool(scale.all()) and bool(np.linalg.cond(mass / np.outer(scale, scale)) < 1e12)


@cache
def pair(name: str, root: str) -> Pair:
    """A robot of example-robot-data in both libraries."""
    free = [pin.JointModelFreeFlyer()] if root == "free" else []
    return Pair(robot(name, root), pin.buildModelFromUrdf(str(robot_files()[name]), *free))


def spatial(vector: Array) -> Array:
    """A spatial vector of Pinocchio (6,), or of kido, in the other's order."""
    return np.asarray(vector)[ANGULAR_FIRST]
