"""The equation of motion: its matrices and vectors, forward and inverse dynamics with springs and dampers."""

from __future__ import annotations

import numpy as np
import pytest
from _moving_skeletons import add_wrenches, branched, set_moving, skeleton_of, spring_pull, with_springs
from _random_trees import Array, along, assert_near, rate

import kido
from kido.errors import SingularMassError

EXACT = 1e-12
SOLVED = 1e-9
DIFFERENCED = 1e-9

FLAGS = ("with_external_forces", "with_damping_forces", "with_spring_forces")

every_seed = pytest.mark.parametrize("seed", range(3))


def loaded(seed: int) -> kido.Skeleton:
    """A moving skeleton with springs, dampers, commands and external wrenches."""
    s = add_wrenches(with_springs(branched(seed), seed), seed)
    s.commands = np.random.default_rng(seed).uniform(-5.0, 5.0, s.num_dofs)
    return s


def mass_matrix(s: kido.Skeleton) -> Array:
    """The sum of J^T I J over the bodies, about their centers of mass, and the armature."""
    M = np.diag(s.armature)
    for body in s.bodies:
        J = s.jacobian(body, body.local_com)
        M += J[:3].T @ body.moment_of_inertia @ J[:3] + body.mass * J[3:].T @ J[3:]
    return M


def bias(s: kido.Skeleton, *, gravity: bool = True) -> Array:
    """C + G: the sum over the bodies of what their centers of mass take without accelerations."""
    s.accelerations = np.zeros(s.num_dofs)
    total = np.zeros(s.num_dofs)
    for body in s.bodies:
        J = s.jacobian(body, body.local_com, in_coordinates_of=kido.WORLD)
        R = body.transform()[:3, :3]
        moment = R @ body.moment_of_inertia @ R.T
        w = body.angular_velocity()
        pull = s.gravity if gravity and body.gravity_mode else np.zeros(3)
        torque = moment @ body.angular_acceleration() + np.cross(w, moment @ w)
        force = body.mass * (body.com_linear_acceleration() - pull)
        total += J.T @ np.concatenate([torque, force])
    return total


# ---- matrices


@every_seed
def test_the_mass_matrix_is_the_sum_of_what_the_bodies_contribute(seed: int) -> None:
    s = branched(seed)
    assert_near(s.mass_matrix, mass_matrix(s), EXACT)


@every_seed
def test_the_augmented_mass_matrix_adds_dampers_over_the_step_and_springs_over_its_square(seed: int) -> None:
    s = with_springs(branched(seed), seed)
    h = 0.03
    s.time_step = h
    expected = mass_matrix(s) + np.diag(h * s.damping + h * h * s.spring_stiffness)
    assert_near(s.augmented_mass_matrix, expected, EXACT)
    s.time_step = 2 * h
    expected += np.diag(h * s.damping + 3 * h * h * s.spring_stiffness)
    assert_near(s.augmented_mass_matrix, expected, EXACT)


@every_seed
def test_inverses_are_inverses_and_symmetric(seed: int) -> None:
    s = with_springs(branched(seed), seed)
    unit = np.eye(s.num_dofs)
    for matrix, inverse in (
        (s.mass_matrix, s.inverse_mass_matrix),
        (s.augmented_mass_matrix, s.inverse_augmented_mass_matrix),
    ):
        assert_near(matrix @ inverse, unit, SOLVED)
        assert_near(inverse, inverse.T, 0.0)


def test_a_dof_that_moves_no_mass_is_a_singular_mass_error_without_a_damper() -> None:
    s = kido.Skeleton("bare")
    s.add_body("body", joint=kido.RevoluteJoint("hinge"), inertia=None)
    with pytest.raises(SingularMassError):
        _ = s.inverse_augmented_mass_matrix
    before = s.accelerations
    with pytest.raises(SingularMassError):
        s.compute_forward_dynamics()
    assert (s.accelerations == before).all()
    s.damping = 2.0
    assert_near(s.inverse_augmented_mass_matrix, [[1.0 / (2.0 * s.time_step)]], EXACT)


# ---- forces


@every_seed
def test_coriolis_and_gravity_forces_are_what_the_bodies_take_without_accelerations(seed: int) -> None:
    s = branched(seed)
    assert_near(s.coriolis_and_gravity_forces, bias(s), EXACT)
    assert_near(s.coriolis_forces, bias(s, gravity=False), EXACT)
    assert_near(s.gravity_forces, bias(s) - bias(s, gravity=False), EXACT)


@every_seed
def test_gravity_forces_are_the_slope_of_the_potential_energy(seed: int) -> None:
    s = branched(seed)

    def energies(rows: Array) -> Array:
        result = []
        for row in rows:
            s.positions = row
            result.append(s.potential_energy)
        return np.array(result)

    q = s.positions
    slope = along(s.tree, q, energies)
    s.positions = q
    assert_near(s.gravity_forces, slope, DIFFERENCED)


@every_seed
def test_external_forces_are_the_work_of_the_wrenches_on_each_velocity(seed: int) -> None:
    s = add_wrenches(branched(seed), seed)
    power = []
    for unit in np.eye(s.num_dofs):
        s.velocities = unit
        power.append(sum(body.external_wrench @ body.spatial_velocity() for body in s.bodies))
    assert_near(s.external_forces, power, EXACT)


def test_constraint_forces_are_the_impulses_over_the_time_step() -> None:
    s = branched()
    impulses = np.arange(1.0, s.num_dofs + 1.0)
    s.constraint_impulses = impulses
    s.time_step = 0.02
    assert_near(s.constraint_forces, impulses / 0.02, EXACT)
    s.time_step = 0.04
    assert_near(s.constraint_forces, impulses / 0.04, EXACT)


def test_spring_and_damping_forces_pull_back_and_brake() -> None:
    s = kido.Skeleton("s")
    s.add_body(
        "slider", joint=kido.PrismaticJoint("slide", spring_stiffness=40.0, rest_positions=0.1, damping=3.0)
    )
    s.positions, s.velocities = [0.3], [2.0]
    assert_near(s.spring_forces, [-40.0 * 0.2], EXACT)
    assert_near(s.damping_forces, [-6.0], EXACT)
    assert_near(s.spring_displacements, [0.2], EXACT)


def test_the_spring_of_a_ball_joint_pulls_along_the_rotation_that_leads_back() -> None:
    s = kido.Skeleton("s")
    s.add_body("body", joint=kido.BallJoint("ball", spring_stiffness=5.0, rest_positions=[0.2, -0.1, 0.3]))
    s.positions = [0.5, 0.7, -0.4]
    rest, present = (kido.BallJoint.rotation_of(q) for q in ([0.2, -0.1, 0.3], s.positions))
    turn = kido.math.so3_log(rest.T @ present)
    assert_near(s.spring_displacements, turn, EXACT)
    assert_near(s.spring_forces, -5.0 * turn, EXACT)


@every_seed
def test_spring_forces_are_minus_the_gradient_of_the_energy_of_the_springs(seed: int) -> None:
    s = with_springs(branched(seed), seed)
    s.gravity = (0.0, 0.0, 0.0)
    q, forces, step = s.positions, np.array(s.spring_forces), 1e-6

    def energy(direction: Array) -> float:
        s.positions = s.tree.integrate(q, direction, step)
        return s.potential_energy

    slopes = [(energy(e) - energy(-e)) / (2.0 * step) for e in np.eye(s.num_dofs)]
    np.testing.assert_allclose(forces, -np.array(slopes), rtol=1e-6, atol=1e-6)
    assert_near(forces, spring_pull(s, q), SOLVED)


@pytest.mark.parametrize("kind", [kido.BallJoint, kido.FreeJoint])
def test_an_undamped_body_on_unequal_springs_keeps_its_energy(kind: type[kido.Joint]) -> None:
    s = kido.Skeleton("s", gravity=(0.0, 0.0, 0.0))
    inertia = kido.Inertia(2.0, (0.1, -0.2, 0.05), np.diag([0.3, 0.4, 0.5]))
    s.add_body("body", joint=kind("joint"), inertia=inertia)
    n = s.num_dofs
    s.spring_stiffness = np.linspace(5.0, 60.0, n)
    s.rest_positions = np.linspace(-0.3, 0.4, n)
    s.positions, s.velocities = np.linspace(0.9, -0.6, n), np.linspace(2.0, -1.0, n)
    start = s.kinetic_energy + s.potential_energy

    def rate(q: Array, v: Array) -> Array:
        pull = s.tree.spring_forces(q, s.rest_positions, s.spring_stiffness)
        return s.tree.forward_dynamics(q, v, pull)

    q, v, h = s.positions, s.velocities, 2e-3
    for _ in range(1500):  # explicit midpoint rule on the group
        middle = s.tree.integrate(q, v, 0.5 * h), v + 0.5 * h * rate(q, v)
        q, v = s.tree.integrate(q, middle[1], h), v + h * rate(*middle)
    s.positions, s.velocities = q, v
    assert abs(s.kinetic_energy + s.potential_energy - start) < 2e-3 * start


# ---- forward and inverse dynamics


@every_seed
def test_forward_dynamics_solves_the_equation_with_implicit_springs_and_dampers(seed: int) -> None:
    s = loaded(seed)
    s.compute_forward_dynamics()
    a, h, v = s.accelerations, s.time_step, s.velocities
    K, D = s.spring_stiffness, s.damping
    pull = spring_pull(s, s.tree.integrate(s.positions, v, h))
    external = sum(s.jacobian(body).T @ body.external_wrench for body in s.bodies)
    left = (mass_matrix(s) + np.diag(h * D + h * h * K)) @ a
    assert_near(left, s.commands + external - bias(s) - D * v + pull, SOLVED)


def test_springs_of_plain_joints_stretch_by_what_the_positions_say() -> None:
    s = with_springs(set_moving(skeleton_of(["revolute", "universal", "screw"], [-1, 0, 1], 2), 3), 4)
    h, K, D = s.time_step, s.spring_stiffness, s.damping
    s.compute_forward_dynamics()
    a, v = s.accelerations, s.velocities
    right = -bias(s) - D * v - K * (s.positions + h * v - s.rest_positions)
    assert_near((mass_matrix(s) + np.diag(h * D + h * h * K)) @ a, right, SOLVED)


@every_seed
def test_inverse_dynamics_undoes_forward_dynamics_with_all_three_options(seed: int) -> None:
    s = loaded(seed)
    s.compute_forward_dynamics()
    assert_near(s.forces, s.commands, 0.0)
    s.compute_inverse_dynamics(**dict.fromkeys(FLAGS, True))
    assert_near(s.forces, s.commands, SOLVED)


@every_seed
def test_forward_dynamics_undoes_inverse_dynamics_with_all_three_options(seed: int) -> None:
    s = loaded(seed)
    a = s.accelerations
    s.compute_inverse_dynamics(**dict.fromkeys(FLAGS, True))
    s.commands = s.forces
    s.accelerations = np.zeros(s.num_dofs)
    s.compute_forward_dynamics()
    assert_near(s.accelerations, a, SOLVED)


@every_seed
def test_each_option_of_inverse_dynamics_adds_its_own_forces(seed: int) -> None:
    s = loaded(seed)
    a, v, h = s.accelerations, s.velocities, s.time_step
    K, D = s.spring_stiffness, s.damping

    def forces(*flags: str) -> Array:
        s.compute_inverse_dynamics(**dict.fromkeys(flags, True))
        return s.forces

    plain = forces()
    pull = spring_pull(s, s.tree.integrate(s.positions, v, h))
    assert_near(forces("with_external_forces") - plain, -s.external_forces, SOLVED)
    assert_near(forces("with_damping_forces") - plain, D * (v + h * a), SOLVED)
    assert_near(forces("with_spring_forces") - plain, K * h * h * a - pull, SOLVED)
    assert_near(plain, mass_matrix(s) @ a + bias(s), EXACT)


def test_inverse_dynamics_leaves_accelerations_and_commands_as_they_are() -> None:
    s = loaded(1)
    before = s.accelerations, s.commands, s.positions, s.velocities
    s.compute_inverse_dynamics()
    after = s.accelerations, s.commands, s.positions, s.velocities
    for one, other in zip(before, after, strict=True):
        assert (one == other).all()


def test_forward_dynamics_leaves_positions_velocities_and_commands_as_they_are() -> None:
    s = loaded(1)
    before = s.positions, s.velocities, s.commands
    s.compute_forward_dynamics()
    for one, other in zip(before, (s.positions, s.velocities, s.commands), strict=True):
        assert (one == other).all()


def test_the_power_of_all_forces_is_the_rate_of_the_energy() -> None:
    """Without springs and dampers, which the step makes implicit."""
    s = add_wrenches(branched(2), 2)
    s.commands = np.random.default_rng(0).uniform(-5.0, 5.0, s.num_dofs)
    s.compute_forward_dynamics()
    q, v, a = s.positions, s.velocities, s.accelerations
    power = (s.commands + s.external_forces) @ v

    def energy(t: float) -> float:
        s.positions, s.velocities = s.tree.integrate(q, v + 0.5 * a * t, t), v + a * t
        return s.kinetic_energy + s.potential_energy

    assert_near(rate(energy, 1e-4), power, 1e-8)


def test_a_spring_made_stiff_holds_by_the_next_step() -> None:
    s = kido.Skeleton("s", gravity=(0.0, 0.0, 0.0))
    s.add_body("slider", joint=kido.PrismaticJoint("slide", spring_stiffness=1e12, rest_positions=0.0))
    s.positions, s.velocities = [0.4], [-3.0]
    s.compute_forward_dynamics()
    h = s.time_step
    assert_near(s.positions + h * (s.velocities + h * s.accelerations), [0.0], 1e-6)


# ---- answers follow


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("mass_matrix", lambda s: setattr(s.body(4), "mass", 9.0)),
        ("mass_matrix", lambda s: setattr(s, "positions", s.positions + 0.1)),
        ("augmented_mass_matrix", lambda s: setattr(s, "damping", 8.0)),
        ("augmented_mass_matrix", lambda s: setattr(s.joint(5), "spring_stiffness", 800.0)),
        ("augmented_mass_matrix", lambda s: setattr(s, "time_step", 0.1)),
        ("inverse_augmented_mass_matrix", lambda s: setattr(s.dofs[2], "damping", 8.0)),
        ("coriolis_forces", lambda s: setattr(s, "velocities", s.velocities * 2)),
        ("gravity_forces", lambda s: setattr(s, "gravity", (3.0, 2.0, 1.0))),
        ("gravity_forces", lambda s: setattr(s.body(4), "gravity_mode", False)),
        ("external_forces", lambda s: s.body(2).add_external_force((1.0, 2.0, 3.0))),
        ("external_forces", lambda s: s.clear_external_forces()),
        ("external_forces", lambda s: setattr(s, "positions", s.positions + 0.1)),
        ("constraint_forces", lambda s: setattr(s, "constraint_impulses", 1.0)),
        ("spring_forces", lambda s: setattr(s, "rest_positions", 0.7)),
        ("spring_forces", lambda s: setattr(s, "positions", s.positions + 0.1)),
        ("damping_forces", lambda s: setattr(s.joint(0), "damping", 11.0)),
        ("damping_forces", lambda s: setattr(s, "velocities", s.velocities * 2)),
        ("transmitted_wrenches", lambda s: setattr(s, "accelerations", s.accelerations * 2)),
        ("transmitted_wrenches", lambda s: setattr(s.body(2), "external_wrench", np.ones(6))),
        ("kinetic_energy", lambda s: setattr(s, "velocities", s.velocities * 2)),
        ("potential_energy", lambda s: setattr(s, "spring_stiffness", 100.0)),
        ("potential_energy", lambda s: setattr(s.body(4), "local_com", (0.1, 0.2, 0.3))),
    ],
)
def test_an_answer_follows_what_it_depends_on(name: str, change: object) -> None:
    s, fresh = loaded(1), loaded(1)
    before = np.array(getattr(s, name))
    change(s)  # type: ignore[operator]
    change(fresh)  # type: ignore[operator]
    after = np.array(getattr(s, name))
    assert np.abs(after - before).max() > 1e-6
    assert_near(after, getattr(fresh, name), 0.0)


@pytest.mark.parametrize("name", ["mass_matrix", "gravity_forces", "external_forces", "transmitted_wrenches"])
def test_an_answer_is_kept_and_cannot_be_written(name: str) -> None:
    s = loaded(0)
    answer = getattr(s, name)
    assert getattr(s, name) is answer
    with pytest.raises(ValueError, match="read-only"):
        answer[...] = 0.0


def test_a_skeleton_without_dofs_has_empty_matrices_and_computes_nothing() -> None:
    s = skeleton_of(["weld", "weld"], [-1, 0], 0)
    assert s.mass_matrix.shape == s.augmented_mass_matrix.shape == s.inverse_mass_matrix.shape == (0, 0)
    assert s.inverse_augmented_mass_matrix.shape == (0, 0)
    s.compute_forward_dynamics()
    s.compute_inverse_dynamics(**dict.fromkeys(FLAGS, True))
    assert s.accelerations.shape == s.forces.shape == s.external_forces.shape == (0,)
