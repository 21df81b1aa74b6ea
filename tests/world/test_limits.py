"""Limits of positions and velocities: at impacts, of ball joints, in loaded chains."""

from __future__ import annotations

import numpy as np
import pytest
from _looped import looped
from _scenes import TIME_STEPS

from kido import BallJoint, FreeJoint, PrismaticJoint, ShapeNode, Skeleton, World, gallery
from kido.description import Inertia
from kido.shape import Sphere

MOST = np.radians(0.5)


def beyond(made: Skeleton) -> float:
    """By how much positions are beyond their limits [rad, m]."""
    q = made.positions
    return float(np.max(np.maximum(made.position_lower_limits - q, q - made.position_upper_limits)))


def too_fast(made: Skeleton) -> float:
    """By how much velocities are beyond their limits [rad/s, m/s]."""
    v = made.velocities
    return float(np.max(np.maximum(made.velocity_lower_limits - v, v - made.velocity_upper_limits)))


@pytest.mark.parametrize("compound", [False, True])
@looped("height, tilt", [(0.2, 0.0), (0.4, 0.5), (0.8, -1.2)])
def test_a_humanoid_that_falls_keeps_all_limits(compound: bool, height: float, tilt: float) -> None:
    made = gallery.humanoid(compound_joints=compound)
    q = made.positions.copy()
    q[1], q[5] = tilt, q[5] + height
    made.positions = q
    world = World([gallery.ground(), made])
    for _ in range(1200):
        world.step()
        assert beyond(made) < np.radians(0.05)
        assert too_fast(made) < (0.1 if compound else 1e-3)  # velocities of ball joints turn with their axes
    assert made.com()[2] < 0.5


@pytest.mark.parametrize("compound", [False, True])
@looped("time_step, most", [(1e-3, 0.05), (2e-3, 0.05), (5e-3, 0.05), (1e-2, 0.5)])
def test_limits_hold_in_falls_at_random(compound: bool, time_step: float, most: float) -> None:
    """`most`: beyond a limit [degrees]."""
    rng = np.random.default_rng(11)
    for _ in range(12):
        height, tilt, yaw = rng.uniform(0.1, 1.0), rng.uniform(-1.5, 1.5), rng.uniform(-1.0, 1.0)
        made = gallery.humanoid(compound_joints=compound)
        q = made.positions.copy()
        q[0], q[1], q[5] = 0.7 * yaw, tilt, q[5] + height
        made.positions = q
        world = World([gallery.ground(), made], time_step=time_step)
        for _ in range(round(1.5 / time_step)):
            world.step()
            assert beyond(made) < np.radians(most)


def test_many_humanoids_that_fall_on_each_other_keep_all_limits() -> None:
    robots = []
    for k in range(3):
        robot = gallery.humanoid()
        robot.name = f"robot{k}"
        q = robot.positions.copy()
        q[:6] += 0.1, 0.3 * k, 0.7 * k, 0.1 * k, 0.0, 0.3 + 1.4 * k
        robot.positions = q
        robots.append(robot)
    world = World([gallery.ground(), *robots])
    for _ in range(900):
        world.step()
        assert max(beyond(robot) for robot in robots) < np.radians(0.05)
        assert max(too_fast(robot) for robot in robots) < 1e-3


def ball(joint: str = "ball") -> Skeleton:
    made = Skeleton("arm")
    kind = BallJoint("joint") if joint == "ball" else FreeJoint("joint")
    made.add_body("link", joint=kind, inertia=Inertia(1.0, (0.0, 0.0, 0.2), np.diag([0.02, 0.03, 0.01])))
    return made


@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("joint", ["ball", "free"])
@looped("dof, way", [(dof, way) for dof in range(3) for way in (1.0, -1.0)])
def test_limits_of_rotation_vectors_hold(time_step: float, joint: str, dof: int, way: float) -> None:
    """Far from zero, where the rate of a rotation vector is not the angular velocity."""
    made = ball(joint)
    start = np.zeros(made.num_dofs)
    start[:3] = 0.9, -0.8, 0.7
    made.positions = start
    lower, upper = np.full(made.num_dofs, -np.inf), np.full(made.num_dofs, np.inf)
    lower[dof], upper[dof] = start[dof] - 0.1, start[dof] + 0.1
    made.position_lower_limits, made.position_upper_limits = lower, upper
    speeds = np.zeros(made.num_dofs)
    speeds[:3] = np.roll([4.0, 2.0, -3.0], dof) * way
    made.velocities = speeds
    world = World([made], gravity=(0.0, 0.0, 0.0), time_step=time_step)
    for _ in range(round(0.1 / time_step)):
        world.step()
        assert beyond(made) < np.radians(0.1)


@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped(
    "joint, dof, way",
    [(joint, dof, way) for joint in ("ball", "free") for dof in range(3) for way in (1, -1)],
)
def test_rotation_vectors_go_on_past_half_a_turn_where_limits_let_them(
    time_step: float, joint: str, dof: int, way: int
) -> None:
    """Of the two rotation vectors of a rotation the other one is beyond the limit at the other end."""
    made = ball(joint)
    least, most = (-1.0, 3.6) if way > 0 else (-3.6, 1.0)
    lower, upper = made.position_lower_limits.copy(), made.position_upper_limits.copy()
    lower[:3], upper[:3] = -0.3, 0.3
    lower[dof], upper[dof] = least, most
    made.position_lower_limits, made.position_upper_limits = lower, upper
    q = made.positions.copy()
    q[dof] = way * 2.9
    made.positions = q
    made.gravity = (0.0, 0.0, 0.0)
    world = World([made], time_step=time_step, gravity=(0.0, 0.0, 0.0))
    forces = np.zeros(made.num_dofs)
    forces[dof] = way * 0.05
    copy = None
    while world.time < 3.0:
        made.commands = forces
        world.step()
        assert beyond(made) < 1e-3
        if copy is None and abs(made.positions[dof]) > 3.3:
            copy = world.clone()
            copy.step()
            made.commands = forces
            world.step()
            assert np.array_equal(copy.skeletons[0].positions, made.positions)
    assert copy is not None
    assert np.isclose(made.positions[dof], way * 3.6, atol=2e-3)


def slider(**numbers: object) -> Skeleton:
    made = Skeleton("slider")
    joint = PrismaticJoint("rail", axis=(1.0, 0.0, 0.0), **numbers)
    made.add_body("mass", joint=joint, inertia=Inertia(2.0, (0, 0, 0), np.eye(3)))
    return made


@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("force, start", [(f, x) for f in (3e4, -3e4) for x in (-0.015, 0.0, 0.015)])
def test_a_limit_that_a_push_from_rest_would_pass_in_one_step_holds(
    time_step: float, force: float, start: float
) -> None:
    """The farther of two limits too, which is out of reach of the velocity."""
    made = slider(position_lower_limits=-0.02, position_upper_limits=0.02)
    made.positions, made.commands = [start], [force]
    World([made], time_step=time_step).step(2)
    assert beyond(made) < 0.01
    assert np.sign(made.positions[0]) == np.sign(force)


@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("force", [50.0, -50.0, 1e5])
def test_velocity_limits_are_not_overshot(time_step: float, force: float) -> None:
    made = slider(velocity_lower_limits=-2.0, velocity_upper_limits=1.5)
    made.commands = [force]
    world = World([made], time_step=time_step)
    for _ in range(200):
        world.step()
        assert -2.0 - 1e-9 <= made.velocities[0] <= 1.5 + 1e-9
    assert made.velocities[0] == pytest.approx(1.5 if force > 0.0 else -2.0, abs=1e-9)
    made.commands = [0.0]
    world.step(100)
    assert made.velocities[0] == pytest.approx(1.5 if force > 0.0 else -2.0, abs=1e-9)


@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_a_velocity_beyond_its_limits_comes_back_to_it_without_a_kick(time_step: float) -> None:
    made = slider(velocity_lower_limits=-2.0, velocity_upper_limits=1.5)
    made.velocities = [7.0]
    world = World([made], time_step=time_step)
    world.step()
    assert made.velocities[0] == pytest.approx(1.5, abs=1e-9)
    world.step(100)
    assert made.velocities[0] == pytest.approx(1.5, abs=1e-9)


@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("way, start", [(way, start) for way in (1.0, -1.0) for start in (0.0, 0.4, -0.4)])
def test_a_blow_gives_no_more_speed_than_limits_allow(time_step: float, way: float, start: float) -> None:
    """Whichever limit is nearer before."""
    made = slider(velocity_lower_limits=-0.5, velocity_upper_limits=0.5)
    ShapeNode(made.body("mass"), "mass", Sphere(0.1))
    made.velocities = [start]
    striker = gallery.rigid_body(Sphere(0.1), 5.0)
    striker.positions = [0.0, 0.0, 0.0, -0.21 * way, 0.0, 0.0]
    striker.velocities = [0.0, 0.0, 0.0, 3.0 * way, 0.0, 0.0]
    world = World([made, striker], time_step=time_step, gravity=(0.0, 0.0, 0.0))
    for _ in range(40):
        world.step()
        assert too_fast(made) < 1e-9
    assert made.velocities[0] == pytest.approx(0.5 * way, abs=1e-9)
    assert abs(striker.velocities[3]) < 0.5


def test_a_free_body_keeps_velocity_limits() -> None:
    made = gallery.box((0.1, 0.1, 0.1))
    made.velocity_lower_limits, made.velocity_upper_limits = [-1.0] * 6, [1.0] * 6
    World([made]).step(500)
    assert made.velocities[5] == pytest.approx(-1.0, abs=1e-9)


def test_velocity_limits_that_are_not_enforced_do_nothing() -> None:
    made = slider(velocity_upper_limits=1.5, limits_enforced=False)
    made.velocities = [7.0]
    World([made]).step(10)
    assert made.velocities[0] == pytest.approx(7.0)


@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_a_position_beyond_its_limit_comes_back_without_a_kick(time_step: float) -> None:
    made = slider(position_upper_limits=0.1)
    made.positions = [0.15]
    world = World([made], gravity=(0.0, 0.0, 0.0), time_step=time_step)
    world.step(round(0.5 / time_step))
    assert made.positions[0] == pytest.approx(0.1, abs=1e-4)
    assert abs(made.velocities[0]) < 1e-6
