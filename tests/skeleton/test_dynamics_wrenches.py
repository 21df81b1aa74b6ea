"""Wrenches: what joints transmit, what acts from outside, what impulses do."""

from __future__ import annotations

import numpy as np
import pytest
from _moving_skeletons import add_wrenches, branched, skeleton_of, spring_pull, with_springs
from _random_trees import Array, assert_near, random_transform

import kido
from kido import WORLD, Inertia
from kido.errors import RemovedError

EXACT = 1e-12
SOLVED = 1e-9

every_seed = pytest.mark.parametrize("seed", range(3))


def moved(T: Array, wrench: Array) -> Array:
    """A wrench about the origin and in the axes of b, as one about that of a; T is the pose of b in a."""
    R, p = T[:3, :3], T[:3, 3]
    force = R @ wrench[3:]
    return np.concatenate([R @ wrench[:3] + np.cross(p, force), force])


# ---- transmitted


def test_a_weld_carries_weight_and_torque_of_a_body_whose_center_is_off() -> None:
    s = kido.Skeleton("s")
    body = s.add_body("body", joint=kido.WeldJoint(), inertia=Inertia(3.0, (1.0, 0.0, 0.0), np.eye(3)))
    assert_near(s.transmitted_wrench(body), [0.0, -29.43, 0.0, 0.0, 0.0, 29.43], EXACT)


def test_a_force_against_gravity_relieves_the_weld() -> None:
    s = kido.Skeleton("s")
    body = s.add_body("body", joint=kido.WeldJoint(), inertia=Inertia(3.0, (1.0, 0.0, 0.0), np.eye(3)))
    body.add_external_force((0.0, 0.0, 29.43), (1.0, 0.0, 0.0))
    assert_near(s.transmitted_wrench(body), np.zeros(6), EXACT)


def test_a_pushed_slider_is_pushed_by_its_joint() -> None:
    s = kido.Skeleton("s", gravity=(0.0, 0.0, 0.0))
    body = s.add_body("body", joint=kido.PrismaticJoint(axis=(1.0, 0.0, 0.0)), inertia=Inertia(2.0))
    s.commands = [5.0]
    s.compute_forward_dynamics()
    assert_near(s.accelerations, [2.5], EXACT)
    assert_near(s.transmitted_wrench(body), [0.0, 0.0, 0.0, 5.0, 0.0, 0.0], EXACT)


@every_seed
def test_a_body_cut_free_moves_as_all_that_acts_on_it_makes_it(seed: int) -> None:
    """Newton and Euler at the center of mass: parent joint, child joints, gravity and external wrench."""
    s = add_wrenches(branched(seed), seed)
    for body in s.bodies:
        total = s.transmitted_wrench(body) + body.external_wrench
        for child in body.child_bodies:
            total = total - moved(child.transform(relative_to=body), s.transmitted_wrench(child))
        R = body.transform()[:3, :3]
        force, com = R @ total[3:], body.local_com
        torque = R @ (total[:3] - np.cross(com, total[3:]))
        acceleration = body.com_linear_acceleration()
        assert_near(force + body.mass * s.gravity, body.mass * acceleration, EXACT)
        moment = R @ body.moment_of_inertia @ R.T
        w = body.angular_velocity()
        assert_near(torque, moment @ body.angular_acceleration() + np.cross(w, moment @ w), EXACT)


@every_seed
def test_along_its_motion_a_joint_transmits_what_its_rotor_leaves_of_the_generalized_force(seed: int) -> None:
    s = add_wrenches(with_springs(branched(seed), seed), seed)
    s.compute_inverse_dynamics(with_external_forces=True)
    for body in s.bodies:
        along_motion = body.parent_joint.relative_jacobian.T @ s.transmitted_wrench(body)
        joint = body.parent_joint
        assert_near(along_motion, joint.forces - joint.armature * joint.accelerations, EXACT)


@every_seed
def test_after_forward_dynamics_joints_carry_commands_springs_and_dampers_less_what_rotors_take(
    seed: int,
) -> None:
    s = add_wrenches(with_springs(branched(seed), seed), seed)
    s.commands = np.random.default_rng(seed).uniform(-5.0, 5.0, s.num_dofs)
    s.compute_forward_dynamics()
    h, a = s.time_step, s.accelerations
    pull = spring_pull(s, s.tree.integrate(s.positions, s.velocities, h))
    expected = s.commands - s.damping * (s.velocities + h * a) + pull - s.spring_stiffness * h * h * a
    expected = expected - s.armature * a
    for body in s.bodies:
        joint = body.parent_joint
        along_motion = joint.relative_jacobian.T @ s.transmitted_wrench(body)
        assert_near(along_motion, expected[list(joint.dof_indices)], SOLVED)


@every_seed
def test_the_world_carries_the_rate_of_momentum_less_gravity_and_external_forces(seed: int) -> None:
    s = add_wrenches(branched(seed), seed)
    carried = np.zeros(3)
    for root in s.root_bodies:
        carried += root.transform()[:3, :3] @ s.transmitted_wrench(root)[3:]
    outside = sum(body.external_force()[3:] for body in s.bodies)
    assert_near(carried + outside + s.mass * s.gravity, s.mass * s.com_linear_acceleration(), EXACT)


def test_static_wrenches_of_a_column_of_two_are_the_weights_above() -> None:
    """As in test row 25: g = -50, 10 kg on 10 kg."""
    s = kido.Skeleton("s", gravity=(0.0, 0.0, -50.0))
    low = s.add_body("low", joint=kido.WeldJoint(), inertia=Inertia(10.0))
    high = s.add_body("high", low, kido.WeldJoint(T_parent_joint=(0.0, 0.0, 1.0)), inertia=Inertia(10.0))
    assert_near(s.transmitted_wrench(low), [0.0, 0.0, 0.0, 0.0, 0.0, 1000.0], EXACT)
    assert_near(s.transmitted_wrench(high), [0.0, 0.0, 0.0, 0.0, 0.0, 500.0], EXACT)


def test_a_weightless_body_is_not_carried() -> None:
    s = kido.Skeleton("s")
    body = s.add_body("body", joint=kido.WeldJoint(), inertia=Inertia(3.0, (1.0, 0.0, 0.0), np.eye(3)))
    body.gravity_mode = False
    assert_near(s.transmitted_wrench(body), np.zeros(6), EXACT)


def test_a_body_of_another_skeleton_has_no_transmitted_wrench_here() -> None:
    s, other = skeleton_of(["weld"], [-1], 0), skeleton_of(["weld"], [-1], 0)
    with pytest.raises(ValueError, match=r"^body: 'body0' belongs to 'random'"):
        s.transmitted_wrench(other.body(0))
    with pytest.raises(TypeError, match=r"^body: expected a BodyNode, got int"):
        s.transmitted_wrench(0)  # type: ignore[arg-type]
    body = s.body(0)
    body.remove()
    with pytest.raises(RemovedError):
        s.transmitted_wrench(body)


# ---- external


@pytest.mark.parametrize("offset_in_world", [False, True])
@pytest.mark.parametrize("axes", ["world", "own", "other"])
def test_a_force_acts_in_any_axes_at_a_point_of_the_body_or_the_world(
    axes: str, offset_in_world: bool
) -> None:
    s = branched(1)
    body, other = s.body(5), kido.SimpleFrame("f", s.body(2), random_transform(np.random.default_rng(3)))
    frame = {"world": None, "own": body, "other": other}[axes]
    force, point = np.array([1.0, -2.0, 3.0]), np.array([0.3, 0.1, -0.2])
    body.add_external_force(force, point, in_coordinates_of=frame, offset_in_world=offset_in_world)
    T = body.transform()
    in_world = (frame or WORLD).transform()[:3, :3] @ force
    place = point if offset_in_world else T[:3, :3] @ point + T[:3, 3]
    torque = np.cross(place - T[:3, 3], in_world)
    assert_near(body.external_force(), [*torque, *in_world], EXACT)
    assert_near(body.external_wrench, [*(T[:3, :3].T @ torque), *(T[:3, :3].T @ in_world)], EXACT)
    R = other.transform()[:3, :3].T
    assert_near(body.external_force(in_coordinates_of=other), [*(R @ torque), *(R @ in_world)], EXACT)


@pytest.mark.parametrize("offset_in_world", [False, True])
def test_without_an_offset_a_force_acts_at_the_bodys_origin(offset_in_world: bool) -> None:
    body = branched(1).body(5)
    body.add_external_force((1.0, 2.0, 3.0), offset_in_world=offset_in_world)
    assert_near(body.external_force(), [0.0, 0.0, 0.0, 1.0, 2.0, 3.0], EXACT)


def test_an_offset_in_the_world_at_its_origin_is_not_the_bodys_origin() -> None:
    body = branched(1).body(5)
    body.add_external_force((1.0, 2.0, 3.0), (0.0, 0.0, 0.0), offset_in_world=True)
    expected = np.cross(-body.transform()[:3, 3], (1.0, 2.0, 3.0))
    assert_near(body.external_force()[:3], expected, EXACT)


def test_torques_are_in_world_axes_unless_a_frame_is_given_and_forces_add_up() -> None:
    body = branched(1).body(5)
    R = body.transform()[:3, :3]
    body.add_external_torque((1.0, 2.0, 3.0))
    body.add_external_torque((4.0, 5.0, 6.0), in_coordinates_of=body)
    body.add_external_force((7.0, 8.0, 9.0))
    expected = [*(np.array([1.0, 2.0, 3.0]) + R @ [4.0, 5.0, 6.0]), 7.0, 8.0, 9.0]
    assert_near(body.external_force(), expected, EXACT)
    body.set_external_force((1.0, 0.0, 0.0))
    assert_near(body.external_force(), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], EXACT)
    body.clear_external_forces()
    assert not body.external_wrench.any()


def test_clearing_a_skeleton_clears_all_its_bodies() -> None:
    s = add_wrenches(branched())
    s.clear_external_forces()
    assert not any(body.external_wrench.any() for body in s.bodies)
    assert not s.external_forces.any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: b.add_external_force((1.0, 2.0)), r"^force: expected shape \(3,\) \[N\], got \(2,\)"),
        (lambda b: b.add_external_force((1.0, 2.0, np.nan)), r"^force: expected finite numbers \[N\]"),
        (lambda b: b.add_external_force((1.0, 2.0, 3.0), (0.0,)), r"^offset: expected shape \(3,\) \[m\]"),
        (lambda b: b.set_external_force((1.0, 2.0, 3.0), (0.0,)), r"^offset: expected shape \(3,\) \[m\]"),
        (lambda b: b.add_external_torque(1.0), r"^torque: expected shape \(3,\) \[N m\]"),
        (lambda b: setattr(b, "external_wrench", np.ones(5)), r"^external_wrench: expected shape \(6,\)"),
    ],
)
def test_a_bad_force_is_named_and_changes_nothing(change: object, message: str) -> None:
    body = branched().body(1)
    body.external_wrench = np.arange(6.0)
    with pytest.raises(ValueError, match=message):
        change(body)  # type: ignore[operator]
    assert_near(body.external_wrench, np.arange(6.0), 0.0)


def test_axes_of_a_force_that_are_no_frame_are_named() -> None:
    body = branched().body(1)
    for change in (body.add_external_force, body.add_external_torque, body.set_external_force):
        with pytest.raises(TypeError, match=r"^in_coordinates_of: expected a Frame, got str"):
            change((1.0, 2.0, 3.0), in_coordinates_of="body0")  # type: ignore[operator]
    with pytest.raises(TypeError, match=r"^in_coordinates_of: expected a Frame, got str"):
        body.external_force(in_coordinates_of="body0")  # type: ignore[arg-type]


# ---- impulses


def free_mass(s: kido.Skeleton) -> tuple[Array, Array]:
    """The dofs that yield to impulses, and their part of the mass matrix."""
    free = np.concatenate([np.full(joint.num_dofs, not joint.is_kinematic) for joint in s.joints])
    return free, s.mass_matrix[np.ix_(free, free)]


@every_seed
def test_an_impulse_changes_velocities_by_the_inverse_mass_matrix(seed: int) -> None:
    s = with_springs(branched(seed), seed)
    impulse, offset = np.random.default_rng(seed).uniform(-1.0, 1.0, 6), np.array([0.2, 0.1, -0.3])
    for body in s.bodies:
        expected = np.linalg.solve(s.mass_matrix, s.jacobian(body, offset).T @ impulse)
        assert_near(s.impulse_response(body, impulse, offset), expected, SOLVED)
        expected = np.linalg.solve(s.mass_matrix, s.jacobian(body).T @ impulse)
        assert_near(s.impulse_response(body, impulse), expected, SOLVED)


def test_springs_and_dampers_take_no_part_in_an_impulse_whatever_was_computed_before() -> None:
    s = with_springs(branched(2), 2)
    p = np.random.default_rng(2).uniform(-1.0, 1.0, s.num_dofs)
    expected = np.linalg.solve(s.mass_matrix, p)
    s.compute_forward_dynamics()
    assert_near(s.velocity_changes(p), expected, SOLVED)


@every_seed
def test_kinematic_joints_do_not_yield_to_impulses(seed: int) -> None:
    s = branched(seed)
    for joint, actuator in zip(
        s.joints[::3], ("velocity", "locked", "acceleration", "velocity"), strict=False
    ):
        joint.actuator = actuator
    free, M = free_mass(s)
    p = np.random.default_rng(seed).uniform(-1.0, 1.0, s.num_dofs)
    change = s.velocity_changes(p)
    assert not change[~free].any()
    assert_near(change[free], np.linalg.solve(M, p[free]), SOLVED)


def test_applied_impulses_change_velocities_and_stay_as_constraint_impulses() -> None:
    s = branched(1)
    p, v = np.random.default_rng(1).uniform(-1.0, 1.0, s.num_dofs), s.velocities
    s.apply_impulses(p)
    assert_near(s.velocities, v + np.linalg.solve(s.mass_matrix, p), SOLVED)
    assert_near(s.constraint_impulses, p, 0.0)
    assert_near(s.constraint_forces, p / s.time_step, EXACT)


def test_a_blow_at_the_center_of_a_free_body_does_not_turn_it() -> None:
    s = kido.Skeleton("s")
    body = s.add_body("body", inertia=Inertia(2.0, (0.3, 0.1, -0.2), np.diag([1.0, 2.0, 2.5])))
    change = s.impulse_response(body, [0.0, 0.0, 0.0, 4.0, 0.0, 0.0], body.local_com)
    assert_near(change, [0.0, 0.0, 0.0, 2.0, 0.0, 0.0], EXACT)


def test_bad_impulses_are_named_and_change_nothing() -> None:
    s = branched()
    v = s.velocities
    n = s.num_dofs
    for ask in (s.velocity_changes, s.apply_impulses):
        with pytest.raises(
            ValueError, match=rf"^impulses: expected shape \({n},\) \[N m s, N s\], got \(2,\)"
        ):
            ask([1.0, 2.0])
    with pytest.raises(ValueError, match=r"^impulse: expected shape \(6,\) \[N m s, N s\], got \(3,\)"):
        s.impulse_response(s.body(0), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"^body: 'body0' belongs to 'random'"):
        s.impulse_response(branched(1).body("body0"), np.ones(6))
    with pytest.raises(TypeError, match=r"^body: expected a BodyNode, got int"):
        s.impulse_response(0, np.ones(6))  # type: ignore[arg-type]
    assert (s.velocities == v).all()
