"""Servos with force to spare, whose motion a step takes as given, against servos that are rows."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import kido
from kido import ActuatorType, Skeleton, World, gallery

WEIGHTLESS = (0.0, 0.0, 0.0)
ROWS = 1e-12
"""Friction [N m] of a joint whose servo is solved as a row."""


def servos(skeleton: Skeleton, most: float) -> Skeleton:
    for joint in skeleton.joints:
        if joint.num_dofs == 1:
            joint.actuator = ActuatorType.SERVO
            joint.force_lower_limits, joint.force_upper_limits = [-most], [most]
    return skeleton


def as_rows(skeleton: Skeleton) -> Skeleton:
    skeleton.coulomb_friction = [0.0] * 6 + [ROWS] * (skeleton.num_dofs - 6)
    return skeleton


def standing(most: float = 300.0) -> Skeleton:
    """A humanoid on its feet, its knees and ankles bent a little."""
    made = servos(gallery.humanoid(), most)
    for side in ("left", "right"):
        for joint, angle in (("hip_pitch", -0.2), ("knee", 0.4), ("ankle_pitch", -0.2)):
            made.joint(f"{side}_{joint}").positions = [angle]
    soles = [made.body(f"{side}_foot").shape_nodes for side in ("left", "right")]
    made.dof(5).position -= min(_lowest(node) for nodes in soles for node in nodes)
    return made


def _lowest(node: kido.ShapeNode) -> float:
    """Height of a box's or capsule's lowest point [m]."""
    T, shape = node.transform(), node.shape
    if isinstance(shape, kido.shape.Box):
        return float(T[2, 3] - np.abs(T[2, :3]) @ np.asarray(shape.size) / 2)
    assert isinstance(shape, kido.shape.Capsule)
    return float(T[2, 3] - abs(T[2, 2]) * shape.length / 2 - shape.radius)


def paddle(command: float, most: float) -> Skeleton:
    """Two rods that float, and turn against each other."""
    made = Skeleton("paddle")
    inertia = kido.Inertia(1.0, (0.1, 0.0, 0.0), np.diag([0.01, 0.02, 0.03]))
    first = made.add_body("first", None, kido.FreeJoint("root"), inertia=inertia)
    hinge = kido.RevoluteJoint("hinge", (0.0, 0.6, 0.8), T_parent_joint=(0.3, 0.0, 0.0))
    made.add_body("second", first, hinge, inertia=inertia)
    servos(made, most).joint("hinge").commands = [command]
    return made


def efforts(world: World, skeleton: Skeleton) -> np.ndarray:
    return np.array(world.joint_forces(skeleton).actuators)


def unexplained(world: World, skeleton: Skeleton) -> float:
    """Largest force that inverse dynamics of the last step takes beyond what is told of it [N m, N]."""
    step = world.last_step(skeleton)
    wrenches = step.contacts + step.constraints + step.external
    needed = skeleton.tree.inverse_dynamics(step.positions, step.velocities, step.accelerations, wrenches)
    told = step.actuators + step.joint_friction + step.limits + step.springs + step.dampers + step.couplings
    return float(np.abs(needed - told).max())


def test_a_humanoid_stands_by_efforts_that_inverse_dynamics_takes() -> None:
    """Its feet carry its weight, joints do not move, and held servos give as much as servos that are rows."""
    held, rows = standing(), as_rows(standing())
    for robot in (held, rows):
        robot.damping = [0.0] * 6 + [0.2] * 30
        robot.spring_stiffness = [0.0] * 6 + [3.0] * 30
    worlds = [World([gallery.ground(), robot]) for robot in (held, rows)]
    for _ in range(20):
        for world in worlds:
            world.step(20)
        assert unexplained(worlds[0], held) < 1e-9
    found = [efforts(world, robot) for world, robot in zip(worlds, (held, rows), strict=True)]
    assert np.abs(found[0][6:]).max() > 5.0
    upper = [dof.index for dof in held.dofs if "shoulder" in dof.name or "elbow" in dof.name]
    np.testing.assert_allclose(found[0][upper], found[1][upper], atol=0.05)
    np.testing.assert_allclose(held.velocities[6:], 0.0, atol=1e-12)
    np.testing.assert_allclose(held.velocities[:6], 0.0, atol=1e-6)
    np.testing.assert_allclose(held.positions, rows.positions, atol=2e-4)


def test_efforts_balance_the_dynamics_of_a_step_in_flight() -> None:
    made = paddle(2.0, 1e3)
    made.damping, made.spring_stiffness = [0.0] * 6 + [0.3], [0.0] * 6 + [5.0]
    made.velocities = [1.0, -2.0, 0.5, 0.1, 0.2, 0.3, 1.0]
    world = World([made], gravity=WEIGHTLESS)
    for _ in range(5):
        world.step(1)
        assert abs(efforts(world, made)[6]) > 0.1
        assert unexplained(world, made) < 1e-10


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_servo_without_force_to_spare_gives_its_bound(sign: float) -> None:
    """The step in which force does not suffice is solved by rows: the servo gives its bound, and no more."""
    held, rows = paddle(5.0 * sign, 0.5), as_rows(paddle(5.0 * sign, 0.5))
    worlds = [World([made], gravity=WEIGHTLESS) for made in (held, rows)]
    for _ in range(60):
        for world in worlds:
            world.step(1)
        assert abs(efforts(worlds[0], held)[6]) <= 0.5 * (1.0 + 1e-12)
        np.testing.assert_allclose(held.velocities, rows.velocities, atol=1e-9)
        np.testing.assert_allclose(held.positions, rows.positions, atol=1e-9)
    assert efforts(worlds[0], held)[6] == pytest.approx(0.5 * sign)
    assert 0.0 < held.velocities[6] * sign < 5.0


def test_a_servo_moves_at_its_speed_from_the_first_step() -> None:
    made = paddle(0.5, 1e4)
    world = World([made], gravity=WEIGHTLESS)
    for k in range(1, 20):
        world.step(1)
        assert made.velocities[6] == pytest.approx(0.5, rel=1e-12)
        assert made.positions[6] == pytest.approx(0.5e-3 * k, rel=1e-12)
    assert abs(efforts(world, made)[6]) < 1e4


def test_a_servo_stops_at_a_limit_as_one_that_is_a_row() -> None:
    """It presses on the limit, which is as soft as limits are, with all its force."""
    found = []
    for made in (paddle(1.0, 10.0), as_rows(paddle(1.0, 10.0))):
        made.dof(6).position_upper_limit = 0.1
        made.joint("hinge").limits_enforced = True
        world = World([made], gravity=WEIGHTLESS)
        world.step(300)
        assert efforts(world, made)[6] == pytest.approx(10.0, rel=1e-6)
        found.append(float(made.positions[6]))
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    assert found[0] == pytest.approx(0.1, abs=2e-4)


def test_a_loop_over_servos_is_left_to_rows() -> None:
    """Two servos that a constraint holds together share what it takes."""
    made = paddle(0.2, 1.0)
    world = World([made], gravity=WEIGHTLESS)
    constraint = world.constraints.add(kido.WeldConstraint(made.body("first"), made.body("second")))
    world.step(200)
    assert np.abs(world.constraint_error(constraint)).max() < 1e-6
    assert abs(efforts(world, made)[6]) == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("most", [300.0, 12.0])
def test_copies_go_on_alike(most: float) -> None:
    """Pickles, clones and snapshots go on bit for bit, whether servos hold or are too weak."""
    robot = standing(most)
    world = World([gallery.ground(), robot])
    world.step(50)
    others = [world.clone(), pickle.loads(pickle.dumps(world))]
    saved = world.snapshot()
    world.step(50)
    after = robot.positions.tobytes()
    for other in others:
        other.step(50)
        assert other.skeletons[1].positions.tobytes() == after
    world.restore(saved)
    world.step(50)
    assert robot.positions.tobytes() == after
