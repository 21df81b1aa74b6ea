"""Islands that rest fall asleep: they stay where they are, tell the same forces, and wake on any change."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from _scenes import KINDS, as_kind, origin, push, put

import kido
from kido import World, _core, gallery
from kido.world import BoxedLCPSolver, Sleeping

SOON = Sleeping(after=0.1)


def box(name: str = "box", kind: str = "rigid body", height: float = 0.1, **at: float) -> kido.Skeleton:
    body = gallery.box((0.2, 0.2, 0.2), mass=2.0, name=name)
    return put(as_kind(kind, body), (at.get("x", 0.0), 0.0, height))


def asleep_world(kind: str = "rigid body", count: int = 1, **settings: Any) -> World:
    """A stack of boxes that sleeps on the ground."""
    boxes = [box(f"box{i}", kind, 0.1 + 0.2 * i) for i in range(count)]
    world = World([gallery.ground(), *boxes], sleeping=SOON, **settings)
    world.step(400)
    assert world.sleeping_skeletons == tuple(boxes)
    return world


def numbers(world: World) -> list[Any]:
    """All that a world shows of its motion and contacts."""
    contacts = [(*c.point, *c.normal, c.depth, *c.force) for c in world.contacts]
    return [contacts, *((*s.positions, *s.velocities, *s.accelerations) for s in world.skeletons)]


# ---- falling asleep


def test_nothing_sleeps_unless_it_is_asked_to() -> None:
    world = World([gallery.ground(), box()])
    world.step(1000)
    assert world.sleeping is None and world.sleeping_skeletons == ()
    assert not world.is_sleeping(world.skeletons[1])
    assert World(sleeping=False).sleeping is None and World(sleeping=True).sleeping == Sleeping()


@pytest.mark.parametrize("kind", KINDS)
def test_what_rests_falls_asleep_after_its_time_and_not_before(kind: str) -> None:
    world = World([gallery.ground(), box(kind=kind)], sleeping=Sleeping(after=0.25))
    world.step(249)
    assert not world.is_sleeping(world.skeletons[1])
    world.step(20)
    assert world.is_sleeping(world.skeletons[1]) and world.is_sleeping(world.skeletons[1].body(0))
    assert not world.is_sleeping(world.skeletons[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("each", [1, 1000])
def test_what_sleeps_stays_and_tells_the_same_contacts_and_forces(kind: str, each: int) -> None:
    world = World([gallery.ground(), box(kind=kind)], sleeping=SOON)
    body = world.skeletons[1]
    world.step(90)
    while not world.is_sleeping(body):
        before = numbers(world)[0]
        world.step()
    first = numbers(world)
    # Forces are those of the step in which it fell asleep: those of the step before, but for what settles.
    np.testing.assert_allclose(first[0], before, rtol=1e-5, atol=1e-7)
    assert abs(sum(c.force[2] for c in world.contacts)) == pytest.approx(2.0 * 9.81, rel=1e-6)
    assert not body.velocities.any() and not body.accelerations.any()
    for _ in range(3):
        world.step(each)
        assert numbers(world) == first
    assert world.contact_wrench(body)[5] == pytest.approx(2.0 * 9.81, rel=1e-6)
    assert world.time == pytest.approx(world.num_steps * 1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_long_call_in_which_things_fall_asleep_ends_as_many_short_ones(kind: str) -> None:
    worlds = [World([gallery.ground(), box(kind=kind, height=0.101)], sleeping=SOON) for _ in range(2)]
    worlds[0].step(700)
    for _ in range(700):
        worlds[1].step()
    assert numbers(worlds[0]) == numbers(worlds[1])
    assert worlds[0].is_sleeping(worlds[0].skeletons[1])
    for world in worlds:
        push(world.skeletons[1], (1.0, 0.0, 2.0))
        world.step(50)
    assert numbers(worlds[0]) == numbers(worlds[1])


def test_what_moves_or_falls_or_swings_does_not_sleep() -> None:
    pendulum = gallery.pendulum()
    pendulum.damping, pendulum.body(0).collidable = [0.0], False
    pendulum.positions = [0.5]
    slider = box("slider", x=3.0)
    slider.body(0).shape_nodes[0].surface = kido.Surface(friction=0.0)
    push(slider, (0.02, 0.0, 0.0))
    falling = box("falling", height=1000.0, x=-3.0)
    world = World([gallery.ground(), pendulum, slider, falling], sleeping=SOON)
    for _ in range(20):
        world.step(100)
        assert world.sleeping_skeletons == ()


def test_slow_motion_by_command_is_no_rest() -> None:
    lift = kido.Skeleton("lift")
    inertia = kido.Inertia(10.0, (0, 0, 0), np.eye(3))
    plate = lift.add_body("plate", joint=kido.PrismaticJoint("up", (0, 0, 1)), inertia=inertia)
    plate.add_shape_node(kido.shape.Box((1.0, 1.0, 0.1)))
    lift.joints[0].actuator = "velocity"
    load = box(height=0.15)
    world = World([lift, load], sleeping=SOON)
    lift.commands = [0.005]  # [m/s], below the speed at which things fall asleep
    world.step(1000)
    assert world.sleeping_skeletons == ()
    assert lift.positions[0] == pytest.approx(0.005, rel=1e-3)
    assert load.positions[5] == pytest.approx(0.155, abs=1e-4)
    lift.commands = [0.0]
    world.step(300)
    assert set(world.sleeping_skeletons) == {lift, load}
    lift.commands = [0.005]
    world.step(1000)
    assert lift.positions[0] == pytest.approx(0.01, rel=1e-3)
    assert load.positions[5] == pytest.approx(0.16, abs=1e-4)


# ---- islands


@pytest.mark.parametrize("kind", KINDS)
def test_an_island_sleeps_and_wakes_as_a_whole_and_others_sleep_on(kind: str) -> None:
    stack = [box(f"box{i}", kind, 0.1 + 0.2 * i) for i in range(4)]
    alone = box("alone", kind, x=5.0)
    world = World([gallery.ground(), *stack, alone], sleeping=SOON)
    push(stack[3], (0.0, 0.0, 0.2))
    while not world.sleeping_skeletons:
        world.step()
    assert world.sleeping_skeletons == (alone,)  # the stack is awake while its top is
    while len(world.sleeping_skeletons) == 1:
        world.step()
    assert world.sleeping_skeletons == (*stack, alone)
    push(stack[0], (0.0, 0.0, 0.5))
    world.step()
    assert world.sleeping_skeletons == (alone,)
    world.wake(alone.body(0))
    assert world.sleeping_skeletons == ()


@pytest.mark.parametrize("kind", KINDS)
def test_a_sleeping_body_takes_a_blow_as_one_that_is_awake(kind: str) -> None:
    seen = []
    for sleeping in (SOON, None):
        body = box(kind=kind)
        ball = put(as_kind(kind, gallery.ball(0.05, mass=1.0)), (-2.3, 0.0, 0.1))
        ball.body(0).gravity_mode = False
        world = World([gallery.ground(), body, ball], sleeping=sleeping)
        world.step(400)
        assert world.is_sleeping(body) == (sleeping is not None)
        push(ball, (4.0, 0.0, 0.0))
        world.step(600)
        assert not world.is_sleeping(body)
        seen.append((origin(body), origin(ball)))
        assert origin(body)[0] > 0.02
    np.testing.assert_allclose(seen[0], seen[1], atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_moving_body_wakes_what_it_touches_by_itself(kind: str) -> None:
    stack = [box(f"box{i}", kind, 0.1 + 0.2 * i) for i in range(3)]
    ball = put(as_kind(kind, gallery.ball(0.1, mass=1.0)), (-6.0, 0.0, 0.1))
    world = World([gallery.ground(), *stack, ball], sleeping=SOON)
    push(ball, (4.0, 0.0, 0.0), (0.0, 40.0, 0.0))
    touched = None
    for step in range(3000):
        world.step()
        touches = any({c.first.skeleton, c.second.skeleton} == {ball, stack[0]} for c in world.contacts)
        assert not (touches and stack[2] in world.sleeping_skeletons)
        if not touches and touched is None and step > 400:
            assert set(world.sleeping_skeletons) == set(stack)
        if touches:
            touched = step
            break
    assert touched is not None
    world.step(100)
    assert origin(stack[0])[0] > 1e-3


# ---- waking


def turned_off(world: World) -> None:
    world.skeletons[1].body(0).shape_nodes[0].surface = kido.Surface(friction=0.1)


def grown(world: World) -> None:
    world.skeletons[1].body(0).shape_nodes[0].shape = kido.shape.Box((0.3, 0.2, 0.2))


def welded(world: World) -> None:
    world.constraints.add(kido.WeldConstraint(world.skeletons[1].body(0)))


def set_gravity(world: World) -> None:
    world.gravity = (0.0, 0.0, -5.0)


WAKES: dict[str, Callable[[World], object]] = {
    "position": lambda w: put(w.skeletons[1], (0.0, 0.0, 0.2)),
    "velocity": lambda w: push(w.skeletons[1], (0.1, 0.0, 0.0)),
    "impulse": lambda w: w.skeletons[1].body(0).apply_impulse((1.0, 0.0, 0.0)),
    "force": lambda w: w.skeletons[1].body(0).add_external_force((1.0, 0.0, 0.0)),
    "command": lambda w: setattr(w.skeletons[1], "commands", [0.0, 0.0, 0.0, 0.0, 0.0, 5.0]),
    "friction": turned_off,
    "size": grown,
    "constraint": welded,
    "gravity": set_gravity,
    "time step": lambda w: setattr(w, "time_step", 2e-3),
    "neighbor": lambda w: w.remove("box1"),
    "newcomer": lambda w: w.add(box("new", x=4.0)),
    "filter": lambda w: w.collision_filter.ignore(w.skeletons[1], w.skeletons[2]),
    "solver": lambda w: setattr(w, "solver", kido.world.BlockSolver(sweeps=2)),
    "settings": lambda w: setattr(w, "sleeping", Sleeping(after=0.2)),
    "mass": lambda w: setattr(w.skeletons[1].body(0), "mass", 3.0),
    "wake": lambda w: w.wake(w.skeletons[1]),
    "wake all": lambda w: w.wake(),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", WAKES)
def test_any_change_wakes_the_island(kind: str, what: str) -> None:
    world = asleep_world(kind, 2)
    WAKES[what](world)
    world.step()
    assert world.sleeping_skeletons == ()


@pytest.mark.parametrize(
    "what", ["damping", "spring_stiffness", "coulomb_friction", "rest_positions", "position_upper_limits"]
)
def test_what_acts_in_joints_wakes(what: str) -> None:
    world = asleep_world("tree")
    setattr(world.skeletons[1], what, [2.0] * 6)
    world.step()
    assert world.sleeping_skeletons == ()


def test_what_stays_the_same_does_not_wake() -> None:
    world = asleep_world("tree", 2)
    body = world.skeletons[1]
    body.commands = body.commands
    body.damping = body.damping
    body.initial_positions = np.ones(6)
    world.step(10)
    assert len(world.sleeping_skeletons) == 2


def test_a_force_for_one_step_acts_on_what_slept() -> None:
    moved = []
    for sleeping in (SOON, None):
        world = World([gallery.ground(), box()], sleeping=sleeping)
        world.step(400)
        world.skeletons[1].body(0).add_external_force((0.0, 0.0, 2000.0))
        world.step(20)
        moved.append(origin(world.skeletons[1])[2])
    assert moved[0] > 0.11 and moved[0] == pytest.approx(moved[1], abs=1e-7)


def test_what_wakes_falls_asleep_again() -> None:
    world = asleep_world("rigid body", 3)
    for _ in range(3):
        push(world.skeletons[1], (0.0, 0.0, 0.05))
        world.step()
        assert world.sleeping_skeletons == ()
        world.step(400)
        assert len(world.sleeping_skeletons) == 3
        assert max(c.depth for c in world.contacts) < 1e-4
    carried = sum(c.force[2] for c in world.contacts_of(world.skeletons[0]))
    assert abs(carried) == pytest.approx(3 * 2.0 * 9.81, rel=1e-3)


# ---- as values


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("steps", [60, 100, 104, 105, 112, 150])
def test_snapshots_clones_and_pickles_go_on_bit_for_bit(kind: str, steps: int) -> None:
    stack = [box(f"box{i}", kind, 0.1 + 0.2 * i) for i in range(3)]
    ball = put(gallery.ball(0.1), (-1.0, 0.0, 0.1))
    world = World([gallery.ground(), *stack, ball], sleeping=SOON)
    push(ball, (3.0, 0.0, 0.0), (0.0, 30.0, 0.0))
    world.step(steps)
    saved, twin, loaded = world.snapshot(), world.clone(), pickle.loads(pickle.dumps(world))
    assert twin.sleeping == loaded.sleeping == SOON
    asleep = [s.name for s in world.sleeping_skeletons]
    for other in (twin, loaded):
        assert [s.name for s in other.sleeping_skeletons] == asleep
    parts = [50, 400, 1]
    seen = []
    for _ in range(2):
        seen.append([])
        for part in parts:
            world.step(part)
            seen[-1].append((numbers(world), len(world.sleeping_skeletons)))
        world.restore(saved)
        assert [s.name for s in world.sleeping_skeletons] == asleep
    for other in (twin, loaded):
        seen.append([])
        for part in parts:
            other.step(part)
            seen[-1].append((numbers(other), len(other.sleeping_skeletons)))
    assert seen[0] == seen[1] == seen[2] == seen[3]


def test_a_pickle_of_what_sleeps_tells_the_same_contacts() -> None:
    world = asleep_world("tree", 2)
    loaded = pickle.loads(pickle.dumps(world))
    loaded.step(5)
    assert numbers(loaded) == numbers(world)
    push(world.skeletons[2], (0.3, 0.0, 0.0))
    push(loaded.skeletons[2], (0.3, 0.0, 0.0))
    world.step(50)
    loaded.step(50)
    assert numbers(loaded) == numbers(world)


def test_restored_states_are_not_stale_where_another_sleep_has_the_same_number() -> None:
    world = World([gallery.ground(), box(height=0.3)], sleeping=SOON)
    world.step(50)
    saved = world.snapshot()
    world.step(1000)
    first = numbers(world)
    assert world.sleeping_skeletons
    world.restore(saved)
    push(world.skeletons[1], (1.0, 0.0, 0.0))
    world.step(1000)
    assert world.sleeping_skeletons
    assert origin(world.skeletons[1])[0] > 0.1
    assert numbers(world) != first


# ---- skeletons


def test_a_humanoid_that_lies_falls_asleep_and_tells_what_acts_in_it() -> None:
    robot = gallery.humanoid()
    world = World([gallery.ground(), robot], sleeping=Sleeping(after=0.3, linear=0.02, angular=0.1))
    robot.damping = [5.0] * robot.num_dofs
    for _ in range(40):
        world.step(500)
        if world.sleeping_skeletons:
            break
    assert world.is_sleeping(robot)
    first = numbers(world), world.joint_forces(robot), world.last_step(robot), world.audit
    world.step(777)
    assert numbers(world) == first[0]
    step = world.last_step(robot)
    assert np.array_equal(step.joint_wrenches, first[2].joint_wrenches)
    assert np.array_equal(world.joint_forces(robot).constraints, first[1].constraints)
    weight = sum(body.mass for body in robot.bodies) * 9.81
    assert world.contact_wrench(robot)[5] == pytest.approx(weight, rel=0.05)
    robot.commands = [0.0] * 6 + [1.0] * (robot.num_dofs - 6)
    world.step(100)
    assert not world.is_sleeping(robot) and robot.velocities.any()


def test_locked_and_servo_joints_that_hold_sleep_and_wake_on_their_commands() -> None:
    arm = gallery.arm7()
    for joint in arm.joints:
        if joint.num_dofs:
            joint.actuator = "servo"
    arm.positions = [0.0, 0.6, 0.0, 0.4, 0.0, 0.0, 0.0]
    world = World([arm], sleeping=SOON)
    world.step(300)
    assert world.is_sleeping(arm)
    held = world.joint_forces(arm).actuators
    np.testing.assert_allclose(held, arm.gravity_forces, atol=1e-6)
    world.step(100)
    assert np.array_equal(world.joint_forces(arm).actuators, held)
    arm.commands = [0.001, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    world.step(500)
    assert not world.is_sleeping(arm)
    assert arm.positions[0] == pytest.approx(0.0005, rel=1e-6)


def test_constraints_and_gears_keep_an_island_together() -> None:
    inertia = kido.Inertia(1.0, (0, 0, 0), 0.1 * np.eye(3))
    wheels = []
    for name in "ab":
        wheel = kido.Skeleton(name)
        wheel.add_body(name, joint=kido.RevoluteJoint(f"axle_{name}", (0, 0, 1)), inertia=inertia)
        wheels.append(wheel)
    far, lamp = box("far", x=9.0), put(gallery.ball(0.1, name="lamp"), (9.0, 0.0, 0.3))
    world = World([gallery.ground(), *wheels, far, lamp], sleeping=SOON)
    gear = world.constraints.add(kido.GearConstraint(wheels[1].dof(0), wheels[0].dof(0), ratio=-0.5))
    rod = world.constraints.add(kido.BallConstraint(lamp.body(0), far.body(0), point=(9.0, 0.0, 0.3)))
    world.step(400)
    assert set(world.sleeping_skeletons) == {*wheels, far, lamp}
    wrench = world.constraint_wrench(rod)
    assert wrench[5] == pytest.approx(lamp.body(0).mass * 9.81, rel=1e-4)
    wheels[0].velocities = [1.0]
    world.step()
    assert set(world.sleeping_skeletons) == {far, lamp}
    assert wheels[1].velocities[0] == pytest.approx(-0.5 * wheels[0].velocities[0])
    assert np.array_equal(world.constraint_wrench(rod), wrench)
    assert np.abs(world.constraint_force(gear)).max() > 0.0
    world.constraints.remove(rod)
    world.step()
    assert world.sleeping_skeletons == ()


def test_rows_of_a_user_keep_awake_what_they_hold() -> None:
    class Held(kido.RowConstraint):
        def rows(self) -> kido.Rows:
            return kido.Rows(error=[0.0], jacobian=[[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]], speed=[0.001])

    body = box()
    body.body(0).shape_nodes[0].surface = kido.Surface(friction=0.0)
    other = box("other", x=4.0)
    world = World([gallery.ground(), body, other], sleeping=SOON)
    world.constraints.add(Held(body))
    world.step(1000)
    assert world.sleeping_skeletons == (other,)
    assert body.positions[3] == pytest.approx(0.001, rel=1e-3)


def test_special_surfaces_sleep_and_wake_with_what_they_were() -> None:
    body = box()
    body.body(0).shape_nodes[0].surface = kido.Surface(friction=0.8, torsional_friction=0.01)
    world = World([gallery.ground(), body], sleeping=SOON)
    world.step(300)
    assert world.is_sleeping(body)
    first = numbers(world)
    world.step(10)
    assert numbers(world) == first
    assert abs(sum(c.force[2] for c in world.contacts)) == pytest.approx(19.62, rel=1e-5)
    push(body, (0.0, 0.0, 0.0), (0.0, 0.0, 2.0))
    world.step(300)
    assert 0.01 < body.positions[2] < 1.0


def test_heavy_on_light_sleeps_and_stands_when_it_wakes() -> None:
    light = put(gallery.box((0.2, 0.2, 0.2), mass=1.0, name="light"), (0.0, 0.0, 0.1))
    heavy = put(gallery.box((0.2, 0.2, 0.2), mass=1000.0, name="heavy"), (0.0, 0.0, 0.3))
    world = World([gallery.ground(), light, heavy], sleeping=SOON)
    world.step(1000)
    assert len(world.sleeping_skeletons) == 2
    deepest = max(c.depth for c in world.contacts)
    for _ in range(4):
        world.step(100)
        world.wake()
        world.step(60)
        assert max(c.depth for c in world.contacts) == pytest.approx(deepest, rel=0.02)
        assert np.abs(light.velocities).max() < 1e-4
        world.step(100)
        assert len(world.sleeping_skeletons) == 2


def test_an_elastic_ball_sleeps_once_it_has_come_to_rest_only() -> None:
    ball = put(gallery.ball(0.1), (0.0, 0.0, 0.6))
    ball.body(0).shape_nodes[0].surface = kido.Surface(restitution=0.9)
    ground = gallery.ground()
    for node in ground.bodies[0].shape_nodes:
        node.surface = kido.Surface(restitution=1.0)
    world = World([ground, ball], sleeping=Sleeping(after=0.3))
    for _ in range(200):
        world.step(50)
        assert world.is_sleeping(ball) <= (abs(origin(ball)[2] - 0.1) < 1e-4)
    assert world.is_sleeping(ball)


# ---- with all that takes part in steps


def test_listeners_of_stages_change_no_bit() -> None:
    worlds = [asleep_world("tree", 2) for _ in range(2)]
    seen = []
    worlds[1].signals.before("detect").connect(lambda w: seen.append(len(w.sleeping_skeletons)))
    for world in worlds:
        world.step(30)
        push(world.skeletons[2], (0.0, 0.0, 0.3))
        for _ in range(300):
            world.step()
    assert numbers(worlds[0]) == numbers(worlds[1])
    assert max(seen) == 2 and min(seen) == 0


def test_a_listener_that_pushes_wakes_in_the_same_step() -> None:
    world = asleep_world()
    body = world.skeletons[1]

    def lift(_: World) -> None:
        body.velocities = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]

    world.signals.before("accelerate").connect(lift)
    world.step()
    assert body.velocities[5] == pytest.approx(1.0 - 9.81e-3, abs=1e-6)


def test_solvers_of_matrices_leave_out_what_sleeps() -> None:
    stack = [box(f"box{i}", height=0.1 + 0.2 * i) for i in range(2)]
    other = box("other", x=4.0)
    world = World([gallery.ground(), *stack, other], sleeping=SOON, solver=BoxedLCPSolver())
    world.step(300)
    assert len(world.sleeping_skeletons) == 3
    first = numbers(world)
    world.step(3)
    assert numbers(world) == first
    push(other, (0.0, 0.0, 0.5))
    world.step(20)
    assert world.sleeping_skeletons == tuple(stack)
    assert numbers(world)[2:4] == first[2:4]
    assert origin(other)[2] > 0.105


@pytest.mark.parametrize("integrator", ["Runge-Kutta 4", "implicit midpoint"])
def test_what_hangs_at_rest_sleeps_with_other_integrators(integrator: str) -> None:
    pendulum = gallery.pendulum()
    world = World([pendulum], integrator=integrator, sleeping=SOON)
    world.step(300)
    assert world.is_sleeping(pendulum)
    pendulum.velocities = [1.0]
    world.step(10)
    assert not world.is_sleeping(pendulum) and pendulum.positions[0] > 0.005


def test_rollouts_of_what_sleeps_wake_where_their_commands_say_so() -> None:
    world = asleep_world("tree", 1)
    commands = np.zeros((2, 50, 6))
    commands[1, 10:, 5] = 60.0
    out = kido.rollout(world, commands, threads=2)
    start = world.skeletons[1].positions
    assert (out.positions[0] == start).all()
    assert (out.positions[1, :10] == start).all() and out.positions[1, -1, 5] > start[5] + 1e-3
    assert world.is_sleeping(world.skeletons[1])


def test_bits_are_the_same_on_one_and_two_threads() -> None:
    seen = []
    for threads in (1, 2):
        kido.set_num_threads(threads)
        try:
            skeletons = [box(f"box{i}", "tree" if i % 2 else "rigid body", 0.1, x=0.5 * i) for i in range(40)]
            world = World([gallery.ground(), *skeletons], sleeping=SOON)
            ball = put(gallery.ball(0.1, mass=3.0), (-2.0, 0.0, 0.1))
            world.add(ball)
            push(ball, (8.0, 0.0, 0.0))
            asleep = []
            for _ in range(20):
                world.step(50)
                asleep.append(len(world.sleeping_skeletons))
            seen.append((numbers(world), asleep))
        finally:
            kido.set_num_threads(1)
    assert seen[0] == seen[1]
    assert max(seen[0][1]) > 10 and len(set(seen[0][1])) > 2


def test_another_detector_is_not_asked_for_what_sleeps() -> None:
    world = World(
        [gallery.ground(), box(), box("b", height=0.3)],
        detector=kido.collision.CoalDetector(),
        sleeping=SOON,
    )
    world.step(400)
    assert len(world.sleeping_skeletons) == 2
    first = numbers(world)
    world.step(10)
    assert numbers(world) == first
    push(world.skeletons[2], (0.0, 0.0, 0.5))
    world.step(30)
    assert world.sleeping_skeletons == () and origin(world.skeletons[2])[2] > 0.305


# ---- bad input


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: World(sleeping=0.5), TypeError, r"^sleeping: expected a Sleeping, a bool or None, got"),
        (lambda: Sleeping(after=0.0), ValueError, r"^after: expected a positive"),
        (lambda: Sleeping(linear=-1.0), ValueError, r"^linear: expected a positive"),
        (lambda: Sleeping(angular=np.nan), ValueError, r"^angular: expected"),
        (lambda: World().is_sleeping("box"), TypeError, r"^part: expected a Skeleton or BodyNode, got str"),
        (lambda: World().is_sleeping(box()), kido.errors.EditError, r"^part: 'box' is none of this world's"),
        (lambda: World().wake(box()), kido.errors.EditError, r"^part: 'box' is none of this world's"),
    ],
)
def test_bad_input_is_named(make: Callable[[], object], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        make()


EDITS: dict[str, Callable[[World], object]] = {
    "nothing": lambda w: None,
    "friction": turned_off,
    "size": grown,
    "damping": lambda w: setattr(w.skeletons[1], "damping", [0.1] * 6),
    "filter": lambda w: w.collision_filter.ignore(w.skeletons[1], w.skeletons[2]),
    "position": lambda w: put(w.skeletons[2], (0.0, 0.0, 0.35)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", EDITS)
def test_what_is_changed_after_a_pickle_and_before_its_first_step_is_not_stale(kind: str, what: str) -> None:
    world = asleep_world(kind, 2)
    loaded = pickle.loads(pickle.dumps(world))
    for other in (world, loaded):
        EDITS[what](other)
    again = pickle.loads(pickle.dumps(loaded))
    twin = loaded.clone()
    for other in (world, loaded, again, twin):
        other.step(20)
    assert numbers(world) == numbers(loaded) == numbers(again) == numbers(twin)
    assert (len(world.sleeping_skeletons) == 2) == (what == "nothing")


@pytest.mark.parametrize("kind", KINDS)
def test_an_overlap_is_pushed_out_before_it_sleeps(kind: str) -> None:
    """What is pushed out has no velocity."""
    lower, upper = box("lower", kind), box("upper", kind, height=0.25)  # 5 cm deep
    world = World([gallery.ground(), lower, upper], sleeping=SOON)
    world.step(1500)
    assert len(world.sleeping_skeletons) == 2
    assert max(c.depth for c in world.contacts) < 1e-4
    assert origin(upper)[2] == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_bits_are_the_same_on_every_instruction_set(kind: str) -> None:
    before, seen = _core.instruction_set(), []
    sets = _core.instruction_sets()
    pickled: list[bytes] = []
    for name in sets:
        _core.set_instruction_set(name)
        try:
            world = asleep_world(kind, 3)
            pickled.append(pickle.dumps(world))
            push(world.skeletons[2], (0.5, 0.0, 0.0))
            world.step(60)
            world.step(500)
            seen.append((numbers(world), len(world.sleeping_skeletons)))
            other = pickle.loads(pickled[0])
            push(other.skeletons[2], (0.5, 0.0, 0.0))
            other.step(560)
            seen.append((numbers(other), len(other.sleeping_skeletons)))
        finally:
            _core.set_instruction_set(before)
    assert all(one == seen[0] for one in seen)


@pytest.mark.parametrize("kind", KINDS)
def test_the_audit_of_what_sleeps_is_balanced(kind: str) -> None:
    world = asleep_world(kind, 2)
    world.step(3)
    audit, duration = world.audit, 1e-3
    assert audit.kinetic_energy == 0.0 and not audit.momentum_gain.any()
    np.testing.assert_allclose(audit.impulses.gravity[3:], [0.0, 0.0, -4.0 * 9.81 * duration], rtol=1e-12)
    np.testing.assert_allclose(audit.impulses.contacts, -audit.impulses.gravity, atol=1e-5)
    np.testing.assert_allclose(audit.impulses.numerical, np.zeros(6), atol=1e-5)
    for body in world.skeletons[1:]:
        step = world.last_step(body)
        assert not step.velocities.any() and np.array_equal(step.positions, body.positions)
        np.testing.assert_allclose(step.joint_wrenches, np.zeros((1, 6)), atol=5e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_that_wakes_and_diverges_is_not_made(kind: str) -> None:
    faulty, other = box("faulty"), box("other", kind, x=3.0)
    world = World([gallery.ground(), faulty, other], sleeping=SOON)
    world.step(400)
    before = numbers(world)
    assert len(world.sleeping_skeletons) == 2
    faulty.commands, other.commands = [0.0] * 5 + [1e305], [0.0] * 5 + [1.0]
    with pytest.raises(kido.errors.DivergedError, match="faulty"):
        world.step()
    assert world.sleeping_skeletons == ()
    assert numbers(world)[1:] == before[1:]
    faulty.commands = other.commands = [0.0] * 6
    world.step(600)
    assert len(world.sleeping_skeletons) == 2
    np.testing.assert_allclose(origin(other), [3.0, 0.0, 0.1], atol=1e-4)
