"""Armature of trees: what rotors add to the dynamics, by routes that know nothing of it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from _random_trees import Array, Robot, assert_near, build, every_joint, random_inertia

import kido
from kido.description import (
    Inertia,
    JointDescription,
    JointDynamics,
    JointType,
    LinkDescription,
    RobotDescription,
)
from kido.errors import DescriptionError, SingularMassError

EXACT = 1e-12
SOLVED = 1e-9


def with_armature(robot: RobotDescription, armature: Any) -> kido.Tree:
    """The robot with the same armature in all dofs, or with none."""
    joints = [
        JointDescription(
            j.name,
            j.type,
            j.parent,
            j.child,
            j.T_parent_joint,
            j.T_child_joint,
            j.axes,
            pitch=j.pitch,
            euler_order=j.euler_order,
            dynamics=JointDynamics(armature=armature),
        )
        for j in robot.joints
    ]
    return kido.Tree.from_description(RobotDescription(robot.name, robot.links, joints), gravity=(1, -2, -9))


def pair(seed: int = 0) -> tuple[Robot, kido.Tree, kido.Tree]:
    """A robot of every joint with 0.3 in all dofs, and without."""
    robot = every_joint(seed)
    return robot, with_armature(robot.description, 0.3), with_armature(robot.description, 0.0)


def test_a_tree_tells_the_armature_of_its_description() -> None:
    robot = every_joint()
    assert np.array_equal(robot.tree.armature, robot.armature)
    assert robot.tree.armature.any() and not robot.tree.armature.all()
    with pytest.raises(ValueError, match="read-only"):
        robot.tree.armature[0] = 1.0


def test_armature_makes_trees_differ_and_travels_with_them() -> None:
    _, geared, plain = pair()
    assert geared != plain and hash(geared) != hash(plain)
    copy = pickle.loads(pickle.dumps(geared))
    q, v, tau = np.random.default_rng(1).uniform(-1.0, 1.0, (3, geared.num_dofs))
    assert copy == geared and np.array_equal(copy.armature, geared.armature)
    assert np.array_equal(copy.forward_dynamics(q, v, tau), geared.forward_dynamics(q, v, tau))


@pytest.mark.parametrize("armature", [-1e-9, np.nan, np.inf, [0.1, -0.1]])
def test_a_description_refuses_armature_that_is_negative_or_not_finite(armature: Any) -> None:
    with pytest.raises((DescriptionError, ValueError), match="armature"):
        JointDynamics(armature=armature)


@pytest.mark.parametrize("leading", [(), (13,)])
def test_every_algorithm_differs_by_what_armature_adds(leading: tuple[int, ...]) -> None:
    robot, geared, plain = pair()
    n = geared.num_dofs
    q = np.broadcast_to(robot.positions(), (*leading, n))
    v, a = robot.rng.uniform(-1.0, 1.0, (2, *leading, n))
    assert_near(geared.mass_matrix(q), plain.mass_matrix(q) + 0.3 * np.eye(n), EXACT)
    assert_near(geared.inverse_dynamics(q, v, a), plain.inverse_dynamics(q, v, a) + 0.3 * a, EXACT)
    assert_near(geared.bias_forces(q, v), plain.bias_forces(q, v), 0.0)
    assert_near(geared.gravity_forces(q), plain.gravity_forces(q), 0.0)
    energy = plain.kinetic_energy(q, v) + 0.15 * (v * v).sum(axis=-1)
    assert_near(geared.kinetic_energy(q, v), energy, EXACT)
    for ask in ("momentum", "centroidal_momentum"):
        assert_near(getattr(geared, ask)(q, v), getattr(plain, ask)(q, v), 0.0)
    inverse = np.linalg.inv(plain.mass_matrix(q) + 0.3 * np.eye(n))
    assert_near(geared.inverse_mass_matrix(q), inverse, SOLVED)
    tau = geared.inverse_dynamics(q, v, a)
    assert_near(geared.forward_dynamics(q, v, tau), a, SOLVED)
    dq, dv, mass = geared.inverse_dynamics_derivatives(q, v, a)
    expected_q, expected_v, expected_mass = plain.inverse_dynamics_derivatives(q, v, a)
    assert_near(dq, expected_q, 0.0)
    assert_near(dv, expected_v, 0.0)
    assert_near(mass, expected_mass + 0.3 * np.eye(n), EXACT)
    by_q, by_v, by_tau = geared.forward_dynamics_derivatives(q, v, tau)
    assert_near(by_q, -inverse @ expected_q, SOLVED)
    assert_near(by_v, -inverse @ expected_v, SOLVED)
    assert_near(by_tau, inverse, SOLVED)


@pytest.mark.parametrize("leading", [(), (13,)])
def test_hybrid_dynamics_adds_it_to_what_is_given_besides(leading: tuple[int, ...]) -> None:
    robot, geared, plain = pair(2)
    n = geared.num_dofs
    q = np.broadcast_to(robot.positions(), (*leading, n))
    v, a, tau = robot.rng.uniform(-1.0, 1.0, (3, *leading, n))
    prescribed, added = np.arange(n) % 3 == 0, robot.rng.uniform(0.0, 1.0, n)
    for given in (None, added):
        both = 0.3 + (0.0 if given is None else given)
        got = geared.hybrid_dynamics(q, v, tau, a, prescribed=prescribed, added_inertia=given)
        expected = plain.hybrid_dynamics(q, v, tau, a, prescribed=prescribed, added_inertia=np.full(n, both))
        for x, y in zip(got, expected, strict=True):
            assert_near(x, y, SOLVED)
    accelerations, forces = geared.hybrid_dynamics(q, v, tau, a, prescribed=prescribed)
    assert_near(geared.inverse_dynamics(q, v, accelerations), forces, SOLVED)


def test_on_a_root_it_is_inertia_about_the_joint() -> None:
    """A rotor of the world's speeds one hinge up as a flywheel on its body would."""
    rng = np.random.default_rng(3)
    bare, rotor = random_inertia(rng), 0.7
    axis = np.array([0.6, 0.0, 0.8])
    heavier = Inertia(bare.mass, bare.com, bare.moment + rotor * np.eye(3))

    def tree(inertia: Inertia, armature: float) -> kido.Tree:
        links = [
            LinkDescription("arm", inertia),
            LinkDescription("hand", random_inertia(np.random.default_rng(4))),
        ]
        joints = [
            JointDescription(
                "hinge", "revolute", None, "arm", axes=axis, dynamics=JointDynamics(armature=armature)
            ),
            JointDescription("wrist", "ball", "arm", "hand"),
        ]
        return kido.Tree.from_description(RobotDescription("arm", links, joints))

    geared, flywheel = tree(bare, rotor), tree(heavier, 0.0)
    q, v, tau = rng.uniform(-1.0, 1.0, (3, 4))
    assert_near(geared.mass_matrix(q), flywheel.mass_matrix(q), EXACT)
    assert_near(geared.forward_dynamics(q, v, tau), flywheel.forward_dynamics(q, v, tau), EXACT)


def bare_leaf(armature: Array) -> kido.Tree:
    inertia = Inertia(1.0, (0.1, 0.2, 0.3), np.eye(3))
    links = [LinkDescription("arm", inertia), LinkDescription("tip"), LinkDescription("end")]
    joints = [
        JointDescription("shoulder", JointType.FREE, None, "arm"),
        JointDescription("elbow", JointType.BALL, "arm", "tip", dynamics=JointDynamics(armature=armature)),
        JointDescription(
            "wrist", "revolute", "tip", "end", axes=(0, 0, 1), dynamics=JointDynamics(armature=0.5)
        ),
    ]
    return kido.Tree.from_description(RobotDescription("bare", links, joints))


def test_a_joint_that_moves_no_mass_is_regular_where_all_its_dofs_have_armature() -> None:
    tree = bare_leaf(np.array([0.1, 0.2, 0.3]))
    q, v, a = np.random.default_rng(5).uniform(-1.0, 1.0, (3, tree.num_dofs))
    assert_near(tree.forward_dynamics(q, v, tree.inverse_dynamics(q, v, a)), a, SOLVED)


def test_where_one_has_none_the_error_names_that_joint_alone() -> None:
    tree = bare_leaf(np.array([0.1, 0.0, 0.3]))
    q = np.zeros(tree.num_dofs)
    with pytest.raises(SingularMassError) as caught:
        tree.forward_dynamics(q, q, q)
    assert caught.value.joints == ("elbow",)


def test_an_empty_tree_has_no_armature() -> None:
    tree = build([(JointType.WELD, "xyz")], [-1], [False], 0).tree
    assert tree.armature.shape == (0,)
