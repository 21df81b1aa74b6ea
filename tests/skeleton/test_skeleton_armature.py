"""Armature of skeletons: its property, and what it does to dynamics, impulses and energies."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from _moving_skeletons import add_wrenches, branched, with_springs
from _random_trees import assert_near

import kido
from kido.description import JointDescription, JointDynamics, LinkDescription, RobotDescription
from kido.errors import SingularMassError
from kido.skeleton import ActuatorType

EXACT = 1e-12
SOLVED = 1e-9


def geared(seed: int = 0) -> kido.Skeleton:
    """A moving skeleton of every joint with springs, dampers and wrenches, and armature in every dof."""
    s = add_wrenches(with_springs(branched(seed), seed), seed)
    s.armature = np.linspace(0.2, 1.0, s.num_dofs)
    s.commands = np.random.default_rng(seed).uniform(-2.0, 2.0, s.num_dofs)
    return s


def without(s: kido.Skeleton) -> kido.Skeleton:
    other = s.clone()
    other.armature = 0.0
    return other


# ---- the property


def test_it_is_zero_and_set_on_dofs_joints_and_skeletons_alike() -> None:
    s = branched()
    assert not s.armature.any()
    joint = next(joint for joint in s.joints if joint.num_dofs == 6)
    joint.armature = 0.5
    joint.dofs[1].armature = 0.25
    assert joint.armature.tolist() == [0.5, 0.25, 0.5, 0.5, 0.5, 0.5]
    assert s.dof(joint.dofs[1].index).armature == 0.25
    assert s.armature.sum() == 2.75 and np.array_equal(s.tree.armature, s.armature)
    s.armature = {joint.dofs[2].name: 0.125}
    assert joint.armature[2] == 0.125 and joint.armature[1] == 0.25
    with pytest.raises(ValueError, match="read-only"):
        s.armature[0] = 1.0
    assert kido.RevoluteJoint("hinge", armature=0.1).armature == [0.1]


WRONG: dict[str, Callable[[kido.Skeleton], None]] = {
    "negative": lambda s: setattr(s, "armature", -0.1),
    "NaN": lambda s: setattr(s, "armature", [np.nan] * s.num_dofs),
    "infinite": lambda s: setattr(s.dof(0), "armature", np.inf),
    "negative of a dof": lambda s: setattr(s.dof(0), "armature", -1e-12),
    "too many": lambda s: setattr(s, "armature", [0.1] * (s.num_dofs + 1)),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_numbers_are_refused_and_change_nothing(wrong: str) -> None:
    s = geared()
    before, mass = s.armature, s.mass_matrix
    with pytest.raises(ValueError, match="armature: expected"):
        WRONG[wrong](s)
    assert np.array_equal(s.armature, before) and s.mass_matrix is mass


def test_it_comes_from_the_description() -> None:
    armature = (0.1, 0.2, 0.3)
    joint = JointDescription("root", "ball", None, "body", dynamics=JointDynamics(armature=armature))
    link = LinkDescription("body", kido.Inertia(1.0))
    robot = RobotDescription("robot", [link], [joint])
    assert kido.Skeleton.from_description(robot).armature.tolist() == list(armature)
    assert kido.Tree.from_description(robot).armature.tolist() == list(armature)


def test_copies_pickles_values_and_edits_keep_it() -> None:
    s = geared()
    twins = [s.clone(), pickle.loads(pickle.dumps(s)), kido.Skeleton.from_properties(s.properties)]
    for twin in twins:
        assert np.array_equal(twin.armature, s.armature)
        twin.positions = s.positions
        assert np.array_equal(twin.mass_matrix, s.mass_matrix)
    twin.armature = 3.0
    assert not np.array_equal(twin.mass_matrix, s.mass_matrix)
    twin.properties = s.properties
    assert np.array_equal(twin.mass_matrix, s.mass_matrix)
    body = s.body("body3")
    name, own = body.parent_joint.name, body.parent_joint.armature
    split = body.split("part")
    assert np.array_equal(split.joint(name).armature, own)


# ---- dynamics


@pytest.mark.parametrize("seed", range(3))
def test_matrices_have_it_on_their_diagonals(seed: int) -> None:
    s = geared(seed)
    bare, rotors = without(s), np.diag(s.armature)
    assert_near(s.mass_matrix, bare.mass_matrix + rotors, EXACT)
    assert_near(s.augmented_mass_matrix, bare.augmented_mass_matrix + rotors, EXACT)
    assert_near(s.inverse_mass_matrix, np.linalg.inv(bare.mass_matrix + rotors), SOLVED)
    augmented = np.linalg.inv(bare.augmented_mass_matrix + rotors)
    assert_near(s.inverse_augmented_mass_matrix, augmented, SOLVED)
    for part in (s.body("body4"), s.body("body2")):
        mine, theirs = kido.Branch(part), kido.Branch(bare.body(part.name))
        block = np.diag(mine.armature)
        assert_near(mine.mass_matrix, theirs.mass_matrix + block, EXACT)
        energy = theirs.kinetic_energy + 0.5 * mine.velocities @ block @ mine.velocities
        assert_near(mine.kinetic_energy, energy, EXACT)


@pytest.mark.parametrize("seed", range(3))
def test_it_takes_force_in_proportion_to_acceleration_alone(seed: int) -> None:
    s = geared(seed)
    bare = without(s)
    for body in s.bodies:
        assert_near(s.transmitted_wrench(body), bare.transmitted_wrench(bare.body(body.name)), EXACT)
    for name in ("coriolis_and_gravity_forces", "gravity_forces", "external_forces", "spring_forces"):
        assert_near(getattr(s, name), getattr(bare, name), 0.0)
    for one in (s, bare):
        one.compute_inverse_dynamics(with_external_forces=True, with_damping_forces=True)
    assert_near(s.forces, bare.forces + s.armature * s.accelerations, EXACT)


@pytest.mark.parametrize("seed", range(3))
def test_forward_dynamics_solve_the_equation_of_motion_with_it(seed: int) -> None:
    s = geared(seed)
    s.compute_forward_dynamics()
    a, forces = s.accelerations, s.forces
    s.compute_inverse_dynamics(with_external_forces=True, with_damping_forces=True, with_spring_forces=True)
    assert_near(s.forces, forces, SOLVED)
    bare = without(s)
    bare.accelerations = a
    bare.compute_inverse_dynamics(
        with_external_forces=True, with_damping_forces=True, with_spring_forces=True
    )
    assert_near(bare.forces + s.armature * a, forces, SOLVED)


def test_what_a_prescribed_acceleration_takes_counts_it() -> None:
    s = geared(1)
    joint = next(joint for joint in s.joints if joint.num_dofs == 1)
    joint.actuator = ActuatorType.ACCELERATION
    joint.commands = 2.0
    s.compute_forward_dynamics()
    assert joint.accelerations == [2.0]
    with_rotor = joint.forces[0]
    a = s.accelerations
    bare = without(s)
    bare.accelerations = a
    bare.compute_inverse_dynamics(
        with_external_forces=True, with_damping_forces=True, with_spring_forces=True
    )
    assert with_rotor == pytest.approx(bare.joint(joint.name).forces[0] + 2.0 * joint.armature[0], rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_impulses_change_velocities_by_the_inverse_of_the_whole_mass_matrix(seed: int) -> None:
    s = geared(seed)
    bare = without(s)
    p = np.random.default_rng(seed).uniform(-1.0, 1.0, s.num_dofs)
    whole = bare.mass_matrix + np.diag(s.armature)
    assert_near(s.velocity_changes(p), np.linalg.solve(whole, p), SOLVED)
    kinetic = 0.5 * s.velocities @ whole @ s.velocities
    assert_near(s.kinetic_energy, kinetic, EXACT)
    assert_near(s.lagrangian, kinetic - bare.potential_energy, EXACT)
    assert_near(s.linear_momentum(), bare.linear_momentum(), 0.0)


def test_a_joint_that_moves_no_mass_can_be_driven_with_it() -> None:
    s = kido.Skeleton("bare")
    s.add_body("body", joint=kido.RevoluteJoint("hinge"), inertia=None)
    s.commands = [3.0]
    with pytest.raises(SingularMassError, match="hinge"):
        s.compute_forward_dynamics()
    s.armature = 0.5
    s.compute_forward_dynamics()
    assert s.accelerations == [6.0]
