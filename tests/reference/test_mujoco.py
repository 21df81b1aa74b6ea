"""Arms, humanoids and quadrupeds against MuJoCo."""

from __future__ import annotations

from functools import cache

import mujoco
import numpy as np
import pytest
from _mujoco_model import mujoco_model
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import kido
from _robots import robot, robot_files

TOLERANCE = {"kinematics": 1e-12, "dynamics": 1e-11, "accelerations": 1e-9}
"""Largest difference, relative to the largest number of the reference."""

CASES = [
    ("panda_description/urdf/panda.urdf", "fixed"),
    ("ur_description/urdf/ur5_robot.urdf", "fixed"),
    ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "free"),
    ("go2_description/urdf/go2.urdf", "free"),
    ("a1_description/urdf/a1.urdf", "free"),
]
robots = pytest.mark.parametrize(("name", "root"), CASES)

Array = NDArray[np.float64]


class Twin:
    """A robot in kido and in MuJoCo at the same random state.

    The velocity of MuJoCo's free joint is linear in world axes, then angular in body axes; kido's is the
    twist in body axes. `rate` maps kido's velocities to MuJoCo's, `drift` is what turning axes add to its
    accelerations.
    """

    def __init__(self, name: str, root: str) -> None:
        self.tree: kido.Tree = robot(name, root)
        self.model = mujoco_model(robot_files()[name], root)
        self.data = mujoco.MjData(self.model)
        n = self.tree.num_dofs
        assert self.model.nv == n
        self.q, self.v, self.tau = np.random.default_rng(0).uniform(-1.0, 1.0, (3, n))
        self.rate, self.drift = np.zeros((n, n)), np.zeros(n)
        for joint in self.tree.joint_names:
            self._map(joint, list(self.tree.joint_dofs(joint)))
        self.data.qvel[:] = self.rate @ self.v
        mujoco.mj_forward(self.model, self.data)

    def _map(self, name: str, dofs: list[int]) -> None:
        if not dofs:
            return
        joint = self.model.joint(name)
        at, first = joint.qposadr[0], joint.dofadr[0]
        if len(dofs) == 1:
            self.data.qpos[at], self.rate[first, dofs[0]] = self.q[dofs[0]], 1.0
            return
        turn, twist = Rotation.from_rotvec(self.q[dofs[:3]]), self.v[dofs]
        self.data.qpos[at : at + 3] = self.q[dofs[3:]]
        self.data.qpos[at + 3 : at + 7] = turn.as_quat(scalar_first=True)
        self.rate[np.ix_(range(first, first + 3), dofs[3:])] = turn.as_matrix()
        self.rate[np.ix_(range(first + 3, first + 6), dofs[:3])] = np.eye(3)
        self.drift[first : first + 3] = turn.apply(np.cross(twist[:3], twist[3:]))

    def bodies(self) -> list[tuple[str, int]]:
        """Every body by name, with MuJoCo's number."""
        return [(name, self.model.body(name).id) for name in self.tree.body_names]

    def full_mass_matrix(self) -> Array:
        """MuJoCo's mass matrix in kido's velocities."""
        mass = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, mass)
        return np.asarray(self.rate.T @ mass @ self.rate)


@cache
def twin(name: str, root: str) -> Twin:
    return Twin(name, root)


def assert_close(got: Array, expected: Array, kind: str) -> None:
    __tracebackhide__ = True
    error = np.abs(got - expected).max() / max(1.0, np.abs(expected).max())
    assert error <= TOLERANCE[kind], f"relative error {error:.2e}"


@robots
def test_poses(name: str, root: str) -> None:
    both = twin(name, root)
    poses = both.tree.forward_kinematics(both.q)
    for pose, (_, number) in zip(poses, both.bodies(), strict=True):
        assert_close(pose[:3, 3], both.data.xpos[number], "kinematics")
        assert_close(pose[:3, :3], both.data.xmat[number].reshape(3, 3), "kinematics")


@robots
def test_jacobians_and_their_derivatives(name: str, root: str) -> None:
    both = twin(name, root)
    turn, shift, offset = (
        np.zeros((3, both.model.nv)),
        np.zeros((3, both.model.nv)),
        np.array([0.1, -0.2, 0.3]),
    )
    for body, number in both.bodies():
        T = both.tree.transform(both.q, body)
        point = T[:3, :3] @ offset + T[:3, 3]
        mujoco.mj_jac(both.model, both.data, shift, turn, point, number)
        expected = np.vstack([turn, shift]) @ both.rate
        assert_close(both.tree.jacobian(both.q, body, offset, "world"), expected, "kinematics")
        velocity = np.vstack([turn, shift]) @ both.data.qvel
        got = both.tree.velocity(both.q, both.v, body, offset=offset, frame="world")
        assert_close(got, velocity, "kinematics")
        mujoco.mj_jacDot(both.model, both.data, shift, turn, point, number)
        drift = np.vstack([turn, shift]) @ both.data.qvel + expected @ np.linalg.solve(both.rate, both.drift)
        got = both.tree.jacobian_derivative(both.q, both.v, body, offset, "world") @ both.v
        assert_close(got, drift, "kinematics")


@robots
def test_mass_matrix(name: str, root: str) -> None:
    both = twin(name, root)
    assert_close(both.tree.mass_matrix(both.q), both.full_mass_matrix(), "dynamics")


@robots
def test_bias_forces(name: str, root: str) -> None:
    """MuJoCo's are those at zero acceleration of its own velocities."""
    both = twin(name, root)
    mass = np.linalg.inv(both.rate).T @ both.full_mass_matrix() @ np.linalg.inv(both.rate)
    expected = both.rate.T @ (both.data.qfrc_bias + mass @ both.drift)
    assert_close(both.tree.bias_forces(both.q, both.v), expected, "dynamics")


@robots
def test_accelerations(name: str, root: str) -> None:
    both = twin(name, root)
    both.data.qfrc_applied[:] = np.linalg.solve(both.rate.T, both.tau)
    mujoco.mj_forward(both.model, both.data)
    expected = np.linalg.solve(both.rate, both.data.qacc - both.drift)
    assert_close(both.tree.forward_dynamics(both.q, both.v, both.tau), expected, "accelerations")


@robots
def test_energies_and_center_of_mass(name: str, root: str) -> None:
    """MuJoCo counts bodies that cannot move; kido does not."""
    both = twin(name, root)
    mujoco.mj_energyVel(both.model, both.data)
    assert_close(both.tree.kinetic_energy(both.q, both.v), both.data.energy[1], "dynamics")
    moving = [number for number in range(both.model.nbody) if both.model.body_weldid[number] != 0]
    masses = both.model.body_mass[moving]
    com = masses @ both.data.xipos[moving] / masses.sum()
    assert both.tree.total_mass == pytest.approx(masses.sum(), rel=1e-13)
    assert_close(both.tree.center_of_mass(both.q), com, "kinematics")
    assert_close(both.tree.potential_energy(both.q), 9.81 * masses.sum() * com[2], "dynamics")
