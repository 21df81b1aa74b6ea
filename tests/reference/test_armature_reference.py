"""Armature of real and of random robots against MuJoCo and Pinocchio."""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from _mujoco_model import mujoco_model
from _pinocchio_map import Array, Pair, pair
from _random_trees import assert_near

import kido
from _robots import robot_files
from kido.errors import ModelWarning

EXACT = 1e-11
SOLVED = 1e-9

ROBOTS = pytest.mark.parametrize(
    ("name", "root"),
    [
        ("panda_description/urdf/panda.urdf", "fixed"),
        ("ur_description/urdf/ur5_robot.urdf", "fixed"),
        ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "free"),
        ("go2_description/urdf/go2.urdf", "free"),
        ("talos_data/robots/talos_reduced.urdf", "free"),
    ],
)


def geared(name: str, root: str) -> kido.Tree:
    """A robot with random armature in all dofs but those of a free root, and none in every fourth."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        skeleton = kido.load(robot_files()[name], root=root)
    rng = np.random.default_rng(7)
    armature = rng.uniform(0.01, 2.0, skeleton.num_dofs)
    armature[::4] = 0.0
    armature[: 6 * (root == "free")] = 0.0
    skeleton.armature = armature
    return skeleton.tree


def pinocchio_pair(name: str, root: str) -> Pair:
    tree, model = geared(name, root), pair(name, root).model.copy()
    both = Pair(tree, model)
    model.armature = both.dof_map @ tree.armature
    return both


@ROBOTS
def test_dynamics_are_those_of_pinocchio(name: str, root: str) -> None:
    both = pinocchio_pair(name, root)
    tree, model, data = both.tree, both.model, both.data
    state = both.state(3)
    q, v, a = state.q, state.v, state.a
    assert_near(tree.mass_matrix(q), both.mass_matrix(state), EXACT)
    tau = pin.rnea(model, data, state.pin_q, state.pin_v, state.pin_a)
    assert_near(tree.inverse_dynamics(q, v, a), both.forces(tau), EXACT)
    ddq = pin.aba(model, data, state.pin_q, state.pin_v, state.pin_a)
    assert_near(tree.forward_dynamics(q, v, a), both.forces(ddq), SOLVED)
    upper = np.triu(pin.computeMinverse(model, data, state.pin_q))
    inverse = both.matrix(upper + np.triu(upper, 1).T)
    assert_near(tree.inverse_mass_matrix(q), inverse, SOLVED)
    energy = pin.computeKineticEnergy(model, data, state.pin_q, state.pin_v)
    assert_near(tree.kinetic_energy(q, v), energy, EXACT)


@ROBOTS
def test_derivatives_are_those_of_pinocchio(name: str, root: str) -> None:
    both = pinocchio_pair(name, root)
    tree, model, data = both.tree, both.model, both.data
    state = both.state(4)
    by_q, by_v, by_a = pin.computeRNEADerivatives(model, data, state.pin_q, state.pin_v, state.pin_a)
    upper = np.triu(by_a)
    expected = [both.matrix(x) for x in (by_q, by_v, upper + np.triu(upper, 1).T)]
    got = tree.inverse_dynamics_derivatives(state.q, state.v, state.a)
    for mine, theirs in zip(got, expected, strict=True):
        assert_near(mine, theirs, EXACT)
    pin.computeABADerivatives(model, data, state.pin_q, state.pin_v, state.pin_a)
    upper = np.triu(data.Minv)
    expected = [both.matrix(x) for x in (data.ddq_dq, data.ddq_dv, upper + np.triu(upper, 1).T)]
    got = tree.forward_dynamics_derivatives(state.q, state.v, state.a)
    for mine, theirs in zip(got, expected, strict=True):
        assert_near(mine, theirs, SOLVED)


# ---- MuJoCo


class MujocoTwin:
    """A model of MuJoCo whose joints are kido's, dof by dof; numbers go over in MuJoCo's order.

    Only hinges, slides and balls: these have the same velocities in both.
    """

    def __init__(self, tree: kido.Tree, model: mujoco.MjModel, seed: int) -> None:
        self.tree, self.model, self.data = tree, model, mujoco.MjData(model)
        n = tree.num_dofs
        assert model.nv == n
        self.q, self.v, self.a = np.random.default_rng(seed).uniform(-1.0, 1.0, (3, n))
        self.order = np.zeros(n, dtype=int)  # kido's dof of each of MuJoCo's
        for name in tree.joint_names:
            dofs = list(tree.joint_dofs(name))
            if not dofs:
                continue
            joint = model.joint(name)
            first, at = joint.dofadr[0], joint.qposadr[0]
            self.order[first : first + len(dofs)] = dofs
            if len(dofs) == 1:
                self.data.qpos[at] = self.q[dofs[0]]
            else:
                mujoco.mju_axisAngle2Quat(
                    self.data.qpos[at : at + 4],
                    self.q[dofs] / np.linalg.norm(self.q[dofs]),
                    np.linalg.norm(self.q[dofs]),
                )
        model.dof_armature[:] = tree.armature[self.order]
        self.data.qvel[:] = self.v[self.order]
        mujoco.mj_forward(model, self.data)

    def in_kidos_order(self, numbers: Array) -> Array:
        result = np.zeros(len(numbers))
        result[self.order] = numbers
        return result

    def check(self) -> None:
        tree, model, data, n = self.tree, self.model, self.data, self.tree.num_dofs
        mass = np.zeros((n, n))
        mujoco.mj_fullM(model, data, mass)
        expected = np.zeros((n, n))
        expected[np.ix_(self.order, self.order)] = mass
        assert_near(tree.mass_matrix(self.q), expected, EXACT)
        mujoco.mj_energyVel(model, data)
        assert_near(tree.kinetic_energy(self.q, self.v), data.energy[1], EXACT)
        data.qfrc_applied[:] = self.a[self.order]
        mujoco.mj_forward(model, data)
        got = tree.forward_dynamics(self.q, self.v, self.a)
        assert_near(got, self.in_kidos_order(data.qacc), SOLVED)
        data.qacc[:] = self.a[self.order]
        mujoco.mj_inverse(model, data)
        got = tree.inverse_dynamics(self.q, self.v, self.a)
        assert_near(got, self.in_kidos_order(data.qfrc_inverse), SOLVED)


@pytest.mark.parametrize(
    "name",
    [
        "panda_description/urdf/panda.urdf",
        "ur_description/urdf/ur5_robot.urdf",
        "g1_description/urdf/g1_29dof_rev_1_0.urdf",
        "go2_description/urdf/go2.urdf",
    ],
)
def test_dynamics_of_robots_are_those_of_mujoco(name: str) -> None:
    MujocoTwin(geared(name, "fixed"), mujoco_model(robot_files()[name], "fixed"), 1).check()


def random_mechanism(seed: int) -> tuple[kido.Tree, mujoco.MjModel]:
    """Twelve bodies on hinges, slides and balls, with branches, and armature in two of three joints."""
    rng = np.random.default_rng(seed)
    kinds = {"hinge": kido.RevoluteJoint, "slide": kido.PrismaticJoint, "ball": kido.BallJoint}
    skeleton, spec = kido.Skeleton("random"), mujoco.MjSpec()
    bodies = [spec.worldbody]
    for i in range(12):
        kind = str(rng.choice(list(kinds)))
        parent = max(-1, i - 1 - int(rng.integers(3)))
        place, axis = rng.uniform(-0.3, 0.3, 3), rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        mass, com, moment = rng.uniform(0.5, 2.0), rng.uniform(-0.1, 0.1, 3), rng.uniform(0.02, 0.03, 3)
        options = {} if kind == "ball" else {"axis": axis}
        joint = kinds[kind](f"joint{i}", T_parent_joint=place, **options)
        joint.armature = rng.uniform(0.0, 1.5, joint.num_dofs) * (i % 3 > 0)
        skeleton.add_body(
            f"body{i}",
            None if parent < 0 else skeleton.body(f"body{parent}"),
            joint,
            inertia=kido.Inertia(mass, com, np.diag(moment)),
        )
        body = bodies[parent + 1].add_body(name=f"body{i}", pos=place)
        body.mass, body.ipos, body.inertia, body.explicitinertial = mass, com, moment, True
        made = {"hinge": mujoco.mjtJoint.mjJNT_HINGE, "slide": mujoco.mjtJoint.mjJNT_SLIDE}
        body.add_joint(name=f"joint{i}", type=made.get(kind, mujoco.mjtJoint.mjJNT_BALL), axis=axis)
        bodies.append(body)
    return skeleton.tree, spec.compile()


@pytest.mark.parametrize("seed", range(5))
def test_dynamics_of_random_mechanisms_are_those_of_mujoco(seed: int) -> None:
    MujocoTwin(*random_mechanism(seed), seed).check()
