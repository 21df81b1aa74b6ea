"""Scenes of DART's own tests, rebuilt: what they check of physics, with limits at least as narrow.

Where DART and kido solve the same equations, dartpy runs beside.
"""

from __future__ import annotations

from collections.abc import Callable

import dartpy as dart
import numpy as np
import pytest
from _dart_skeleton import DartTwin
from _scenes import G, momentum, on_ground, origin, push, put, velocity

import kido
from kido import ActuatorType, Inertia, ShapeNode, Skeleton, Surface, World, gallery
from kido.math import so3_exp
from kido.shape import Box, Capsule

WEIGHTLESS = (0.0, 0.0, 0.0)


def pendulum(length: float = 1.0, **properties: object) -> Skeleton:
    """A rod of 1 kg on a hinge about y that hangs along -z."""
    made = Skeleton("pendulum")
    inertia = Inertia(1.0, (0.0, 0.0, -length / 2), np.diag([length**2 / 12, length**2 / 12, 1e-3]))
    joint = kido.RevoluteJoint("hinge", (0, 1, 0))
    made.add_body("rod", None, joint, inertia=inertia)
    for name, value in properties.items():
        setattr(joint, name, value)
    return made


def in_dart(
    skeleton: Skeleton, gravity: tuple[float, float, float], time_step: float
) -> tuple[object, object]:
    """The same skeleton in a world of DART, with its commands, limits and joint friction."""
    world, twin = dart.simulation.World(), DartTwin(skeleton).dart
    world.setTimeStep(time_step)
    world.setGravity(gravity)
    sleeping = world.getDeactivationOptions()
    sleeping.mEnabled = False
    world.setDeactivationOptions(sleeping)
    for i, dof in enumerate(skeleton.dofs):
        other = twin.getDof(i)
        other.setCoulombFriction(dof.coulomb_friction)
        other.setPositionLimits(dof.position_lower_limit, dof.position_upper_limit)
        other.setForceLimits(dof.force_lower_limit, dof.force_upper_limit)
    for i, joint in enumerate(skeleton.joints):
        twin.getJoint(i).setLimitEnforcement(joint.limits_enforced)
    twin.setCommands(skeleton.commands)
    world.addSkeleton(twin)
    return world, twin


def assert_moves_as_in_dart(
    skeleton: Skeleton,
    *,
    gravity: tuple[float, float, float] = (0.0, 0.0, -G),
    time_step: float = 1e-3,
    steps: int = 1000,
    atol: float = 1e-9,
    drift: float = 0.0,
) -> None:
    """Velocities are those of dartpy, step by step; so are positions, but for a drift [rad].

    Where a constraint acts, kido's positions follow the velocities of its sub-steps: half of what a velocity
    changes in all, times the length of a step, is the drift.
    """
    world, twin = in_dart(skeleton, gravity, time_step)
    own = World([skeleton], gravity=gravity, time_step=time_step)
    for _ in range(steps):
        own.step()
        world.step(False)
        np.testing.assert_allclose(skeleton.velocities, twin.getVelocities(), atol=atol)
        np.testing.assert_allclose(skeleton.positions, twin.getPositions(), atol=atol + drift)


@pytest.mark.parametrize("time_step", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("torque", [4.9, 10.0, -10.0])
def test_joint_friction_is_that_of_dart(time_step: float, torque: float) -> None:
    made = pendulum(coulomb_friction=[5.0])
    made.commands = [torque]
    most = 50 * time_step * 5.0 * 3.0  # 5 N m more than the friction, on a third of a kg m^2
    assert_moves_as_in_dart(
        made, gravity=WEIGHTLESS, time_step=time_step, steps=50, drift=0.5 * time_step * most
    )
    assert (abs(made.velocities[0]) > 1e-3) == (abs(torque) > 5.0)


def test_joint_friction_slows_as_in_dart() -> None:
    made = pendulum(coulomb_friction=[0.5])
    made.velocities = [1.0]
    assert_moves_as_in_dart(made, gravity=WEIGHTLESS, drift=0.5e-3)
    assert made.velocities[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("effort", [0.5, 100.0])
@pytest.mark.parametrize("speed", [1.0, -2.0])
def test_a_servo_gives_in_one_step_what_it_does_in_dart(effort: float, speed: float) -> None:
    made = pendulum(actuator=ActuatorType.SERVO)
    made.force_lower_limits, made.force_upper_limits = [-effort], [effort]
    made.commands = [speed]
    assert_moves_as_in_dart(made, gravity=WEIGHTLESS, steps=300, drift=0.5e-3 * abs(speed))
    if effort < 1.0:
        made.positions, made.velocities = [0.0], [0.0]
        World([made], gravity=WEIGHTLESS).step()
        assert made.velocities[0] == pytest.approx(np.sign(speed) * effort * 1e-3 / (1.0 / 3.0), rel=1e-6)


@pytest.mark.parametrize("effort, reaches", [(np.inf, True), (10.0, True), (1.0, False)])
def test_a_servo_follows_a_sine_as_far_as_its_effort_goes(effort: float, reaches: bool) -> None:
    made = pendulum(actuator=ActuatorType.SERVO)
    made.force_lower_limits, made.force_upper_limits = [-effort], [effort]
    made.positions = [0.8]
    world, missed = World([made]), 0.0
    for _ in range(1000):
        made.commands = [np.sin(world.time)]
        world.step()
        missed = max(missed, abs(made.velocities[0] - made.commands[0]))
    assert (missed < 1e-9) == reaches


def test_springs_and_dampers_in_a_chain_are_those_of_dart() -> None:
    chain = gallery.chain(5, kido.RevoluteJoint)
    chain.spring_stiffness, chain.damping = [3.0] * 5, [0.05] * 5
    chain.positions = [0.4, -0.3, 0.2, 0.5, -0.1]
    for body in chain.bodies:
        body.collidable = False
    assert_moves_as_in_dart(chain, steps=300, atol=1e-8)


@pytest.mark.parametrize("time_step", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("torque", [0.1, -0.1])
def test_a_pendulum_is_pushed_against_its_limit_and_stays(time_step: float, torque: float) -> None:
    limit = np.pi / 6
    made = pendulum(position_lower_limits=[-limit], position_upper_limits=[limit])
    made.commands = [torque]
    world = World([made], gravity=WEIGHTLESS, time_step=time_step)
    for _ in range(100):
        world.step(round(0.1 / time_step))
        assert abs(made.positions[0]) < limit + 1e-3
    assert made.positions[0] == pytest.approx(np.sign(torque) * limit, abs=1e-3)
    assert made.velocities[0] == pytest.approx(0.0, abs=1e-6)


def test_a_spring_whose_rest_lies_beyond_a_limit_presses_against_it() -> None:
    made = pendulum(spring_stiffness=[50.0], rest_positions=[1.0], damping=[1.0])
    made.joint(0).set_position_limits([-0.5], [0.4])
    World([made], gravity=WEIGHTLESS).step(5000)
    assert made.positions[0] == pytest.approx(0.4, abs=1e-3)
    assert made.velocities[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("replayed", [ActuatorType.ACCELERATION, ActuatorType.VELOCITY])
def test_prescribed_motion_takes_the_forces_that_made_it(replayed: ActuatorType) -> None:
    """Forces move a chain; a second one is led along the same accelerations or velocities."""
    first, second = (gallery.chain(4, kido.RevoluteJoint) for _ in range(2))
    for chain in (first, second):
        for body in chain.bodies:
            body.collidable = False
    second.name = "second"
    second.joint(1).actuator = second.joint(2).actuator = replayed
    world, led = World([first]), World([second])
    rng = np.random.default_rng(3)
    for _ in range(2000):
        forces = rng.uniform(-0.3, 0.3, 4)
        first.commands = forces
        world.step()
        given = first.accelerations if replayed is ActuatorType.ACCELERATION else first.velocities
        second.commands = [forces[0], given[1], given[2], forces[3]]
        led.step()
        np.testing.assert_allclose(second.positions, first.positions, atol=1e-8)
        np.testing.assert_allclose(second.velocities, first.velocities, atol=1e-8)


def test_a_joint_transmits_the_weight_it_carries() -> None:
    """Numbers of DART's test of force and torque: 1000 N above both bodies, 500 N above the lower one."""
    made = Skeleton("hanging")
    upper = made.add_body("upper", None, kido.WeldJoint("first"), inertia=Inertia(10.0))
    hinge = kido.RevoluteJoint("second", (0, 0, 1), T_parent_joint=(0, 0, -1))
    lower = made.add_body("lower", upper, hinge, inertia=Inertia(10.0, (0, 0, 0), np.eye(3)))
    World([made], gravity=(0.0, 0.0, -50.0)).step(100)
    for body, weight in ((upper, 1000.0), (lower, 500.0)):
        np.testing.assert_allclose(made.transmitted_wrench(body)[3:], [0.0, 0.0, weight], atol=1e-6)


@pytest.mark.parametrize("time_step", [1e-3, 5e-3])
def test_a_box_is_carried_along_by_a_box_whose_velocity_is_given(time_step: float) -> None:
    table = Skeleton("table")
    slide = kido.PrismaticJoint("slide", (1, 0, 0), T_parent_joint=(0, 0, 0.5))
    body = table.add_body("top", None, slide, inertia=Inertia(5.0, (0, 0, 0), np.eye(3)))
    ShapeNode(body, "top", Box((2.0, 2.0, 1.0)), surface=Surface(friction=0.8))
    slide.actuator, slide.commands = ActuatorType.VELOCITY, [0.1]
    box = put(gallery.box((0.2, 0.2, 0.2)), (0.0, 0.0, 1.1))
    world = World([table, box], time_step=time_step)
    world.step(round(0.05 / time_step))
    for _ in range(50):
        world.step(10)
        np.testing.assert_allclose(velocity(box), [0.1, 0.0, 0.0], atol=1e-6)


@pytest.mark.parametrize("half", [0.25, 1.0, 5.0, 20.0])
@pytest.mark.parametrize("shape", ["box", "ball"])
@pytest.mark.parametrize("drop", [0.0, 0.1])
def test_bodies_of_any_size_rest_at_their_height(half: float, shape: str, drop: float) -> None:
    made = gallery.ball(half) if shape == "ball" else gallery.box([2.0 * half] * 3)
    put(made, (0.0, 0.0, half + drop))
    on_ground(made).step(3000)
    assert origin(made)[2] == pytest.approx(half, abs=1e-4)
    assert np.abs(made.velocities).max() < 1e-3


def risen(shape: str) -> Skeleton:
    """A body that was 1 cm inside the floor half a second before, without gravity."""
    made = gallery.ball(0.1) if shape == "ball" else gallery.box((0.2, 0.2, 0.2))
    put(made, (0.0, 0.0, 0.09))
    world, height = on_ground(made, gravity=WEIGHTLESS), 0.09
    for _ in range(500):
        world.step()
        assert origin(made)[2] >= height - 1e-12
        height = origin(made)[2]
    assert height > 0.0999
    return made


def test_a_ball_inside_the_floor_rises_and_stands_still() -> None:
    """DART leaves the speed of its push in the body unless split impulses are on."""
    made = risen("ball")
    assert origin(made)[2] == pytest.approx(0.1, abs=1e-4)
    assert np.abs(made.velocities).max() < 1e-6


def test_a_box_inside_the_floor_rises_and_stands_still() -> None:
    assert np.abs(risen("box").velocities).max() < 1e-3


def test_two_bodies_with_a_fixed_or_turning_joint_fly_straight() -> None:
    """The center of mass of what nothing holds moves on a line; a motor inside does not change that."""
    made = Skeleton("pair")
    inertia = Inertia(
        2.0, (0.1, 0.2, -0.1), np.array([[0.3, 0.05, 0.02], [0.05, 0.4, 0.03], [0.02, 0.03, 0.5]])
    )
    first = made.add_body("first", None, kido.FreeJoint("root"), inertia=inertia)
    second = made.add_body(
        "second", first, kido.RevoluteJoint("motor", (0, 1, 0), T_parent_joint=(0.5, 0, 0)), inertia=inertia
    )
    made.add_body("third", second, kido.WeldJoint("weld", T_parent_joint=(0, 0.3, 0)), inertia=inertia)
    made.velocities = [0.4, -0.3, 0.2, 1.0, 0.5, 0.0, 0.0]
    made.commands = [0.0] * 6 + [0.5]
    start, speed = made.com(), made.com_linear_velocity()
    World([made], gravity=WEIGHTLESS).step(2000)
    np.testing.assert_allclose(made.com(), start + 2.0 * speed, atol=1e-2)
    assert abs(made.velocities[6]) > 1.0


def test_a_planar_joint_keeps_momentum_in_its_plane() -> None:
    made = Skeleton("puck")
    joint = kido.PlanarJoint("plane", "xy")
    made.add_body("puck", None, joint, inertia=Inertia(2.0, (0, 0, 0), np.eye(3) * 0.3))
    made.velocities = [0.7, -0.4, 3.0]
    before = momentum([made])
    World([made], gravity=WEIGHTLESS).step(2000)
    np.testing.assert_allclose(momentum([made])[[2, 3, 4]], before[[2, 3, 4]], atol=1e-9)


def test_every_contact_that_carries_has_a_force_at_thirty_hertz() -> None:
    boxes = [put(gallery.box((0.2, 0.2, 0.2), name=f"box_{i}"), (0.5 * i, 0, 0.1)) for i in range(3)]
    world = on_ground(*boxes, time_step=1.0 / 30.0)
    world.step(60)
    assert len(world.contacts) == 12
    assert min(np.linalg.norm(contact.force) for contact in world.contacts) > 1.0


def test_an_elastic_box_between_walls_comes_back_to_its_start() -> None:
    surface = Surface(friction=0.0, restitution=1.0)
    walls = []
    for side in (-1.0, 1.0):
        wall = Skeleton(f"wall_{side}")
        body = wall.add_body("wall", None, kido.WeldJoint("fixed", T_parent_joint=(side, 0, 0)))
        ShapeNode(body, "wall", Box((0.2, 2.0, 2.0)), surface=surface)
        wall.mobile = False
        walls.append(wall)
    boxes = [gallery.box((0.1, 0.1, 0.1), name=f"box_{i}", surface=surface) for i in range(2)]
    for box, side in zip(boxes, (-1.0, 1.0), strict=True):
        push(put(box, (0.4 * side, 0.0, 0.0)), (side, 0.0, 0.0))
    world = World([*walls, *boxes], gravity=WEIGHTLESS, time_step=2.5e-4)
    for _ in range(200):
        world.step(40)
        mirrored = origin(boxes[0])[0] + origin(boxes[1])[0]
        assert mirrored == pytest.approx(0.0, abs=1e-9)
        assert max(abs(origin(box)[0]) for box in boxes) < 0.85 + 1e-4
        assert [abs(velocity(box)[0]) for box in boxes] == pytest.approx([1.0, 1.0], abs=1e-3)


def test_a_spinning_sphere_does_not_wander() -> None:
    made = push(put(gallery.ball(0.1), (0.0, 0.0, 0.1)), WEIGHTLESS, (0.0, 0.0, 20.0))
    on_ground(made, surface=Surface(friction=0.5)).step(3000)
    assert np.linalg.norm(origin(made)[:2]) < 1e-7


def turning(joint: kido.Joint) -> Skeleton:
    made = Skeleton("turning")
    made.add_body("body", None, joint, inertia=Inertia(1.0, (0, 0, -0.5), np.eye(3) * 0.1))
    return made


@pytest.mark.parametrize("command", [3.0, -3.0])
def test_a_servo_stops_at_its_limits_and_comes_back(command: float) -> None:
    made = pendulum(actuator=ActuatorType.SERVO)
    made.force_lower_limits, made.force_upper_limits = [-200.0], [200.0]
    made.joint(0).set_position_limits([-0.5], [0.5])
    made.commands = [command]
    world = World([made])
    for _ in range(40):
        world.step(25)
        assert abs(made.positions[0]) < 0.5 + 1e-3
    assert abs(made.positions[0]) == pytest.approx(0.5, abs=1e-3)
    made.commands = [-command]
    world.step(100)
    assert made.velocities[0] == pytest.approx(-command, abs=1e-6)


def test_a_universal_joint_stays_within_its_limits() -> None:
    made = turning(kido.UniversalJoint("cross", (1, 0, 0), (0, 1, 0)))
    made.joint(0).set_position_limits([-0.3, -0.2], [0.3, 0.2])
    made.velocities = [5.0, -4.0]
    world = World([made])
    for _ in range(400):
        world.step(5)
        assert (np.abs(made.positions) < [0.3 + 1e-3, 0.2 + 1e-3]).all()


def test_many_cubes_in_islands_stay_slow() -> None:
    cubes = []
    for i in range(108):
        place = 0.1 * (i % 6), 0.1 * (i // 6 % 6), 0.05 + 0.1 * (i // 36)
        cubes.append(put(gallery.box((0.1, 0.1, 0.1), name=f"cube_{i}"), place))
    world = on_ground(*cubes)
    for _ in range(20):
        world.step(50)
        assert max(np.linalg.norm(velocity(cube)) for cube in cubes) < 2.0
    assert world.kinetic_energy < 1e-3


def four_bar(turn: np.ndarray) -> tuple[World, Callable[[], float]]:
    """A parallelogram of bars turned in space, its loop closed by a point; and the gap of the loop [m]."""
    T = np.eye(4)
    T[:3, :3] = turn
    made, bar = Skeleton("four_bar"), None
    for i, (length, at) in enumerate(((0.4, 0.0), (1.0, 0.4), (0.4, 1.0))):
        pose = T if bar is None else np.array([[1, 0, 0, at], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        inertia = Inertia(length, (length / 2, 0, 0), np.diag([1e-3, length**3 / 12, length**3 / 12]))
        bar = made.add_body(
            f"bar_{i}", bar, kido.RevoluteJoint(f"hinge_{i}", (0, 1, 0), T_parent_joint=pose), inertia=inertia
        )
    made.positions = [-1.0, 1.0, 1.0]
    place = (T @ [1.0 + 0.8 * np.cos(1.0), 0.0, 0.0, 1.0])[:3]
    world = World([made])
    assert bar is not None
    end = bar
    world.constraints.add(kido.BallConstraint(end, point=(end.transform() @ [0.4, 0, 0, 1])[:3]))
    return world, lambda: float(np.linalg.norm((end.transform() @ [0.4, 0, 0, 1])[:3] - place))


def test_a_four_bar_turned_in_space_stays_closed() -> None:
    """DART broke this loop by 6 mm before its fix; 30 degrees about (1, 2, 3)."""
    axis = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
    world, gap = four_bar(so3_exp(np.pi / 6 * axis))
    assert gap() < 1e-12
    largest = 0.0
    for _ in range(1000):
        world.step()
        largest = max(largest, gap())
    assert largest < 1e-5


def test_a_lying_capsule_never_sinks() -> None:
    made = gallery.rigid_body(Capsule(0.2, 0.6), 1.0)
    put(made, (0.0, 0.0, 0.2), (0.0, np.pi / 2, 0.0))
    world = on_ground(made)
    for _ in range(50):
        world.step(1000)
        assert origin(made)[2] > 0.2 - 1e-4


@pytest.mark.parametrize("detector_scale", [0.1, 1.0])
def test_two_leaning_boxes_stay_finite_and_symmetric(detector_scale: float) -> None:
    size, lean = 0.5 * detector_scale, 0.345858
    boxes = []
    for side in (-1.0, 1.0):
        box = gallery.box((size / 5, size, 2.0 * size), name=f"box_{side}")
        across, up = (
            size / 10 * np.cos(lean) + size * np.sin(lean),
            size / 10 * np.sin(lean) + size * np.cos(lean),
        )
        boxes.append(put(box, (side * across, 0.0, up), (0.0, -side * lean, 0.0)))
    world = on_ground(*boxes, surface=Surface(friction=1.0))
    world.step(2000)
    for box, side in zip(boxes, (-1.0, 1.0), strict=True):
        np.testing.assert_allclose(box.positions[:3], [0.0, -side * lean, 0.0], atol=1e-3)
