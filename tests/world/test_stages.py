"""Listeners before and after the stages of a step: what they see, and what they may change."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from _processes import interrupted
from _scenes import as_kind, on_ground, put
from test_world_time import LONGEST, bits, crowd

import kido
from kido import World, gallery
from kido.errors import DivergedError, EditError
from kido.world import Stage

BEFORE = [("before", stage) for stage in Stage]
AFTER = [("after", stage) for stage in Stage]
PLACES = [place for pair in zip(BEFORE, AFTER, strict=True) for place in pair]


def listen(world: World, place: tuple[str, Stage], callback: Callable[[World], object]) -> object:
    side, stage = place
    return getattr(world.signals, side)(stage).connect(callback)


def test_listeners_are_called_in_order_and_with_the_world() -> None:
    world = on_ground(gallery.box())
    heard: list[tuple[str, Stage]] = []
    for place in PLACES:
        listen(world, place, lambda w, place=place: heard.append(place) if w is world else None)
    world.step(3)
    assert heard == PLACES * 3
    assert world.num_steps == 3


@pytest.mark.parametrize("integrator", list(kido.world.Integrator))
@pytest.mark.parametrize("count", [1, 3])
def test_steps_with_listeners_have_the_same_bits(integrator: kido.world.Integrator, count: int) -> None:
    world = on_ground(*crowd(5))
    world.integrator = integrator
    other = world.clone()
    places = PLACES if count == 3 else [("after", Stage.PREPARE)]
    connections = [listen(other, place, lambda w: None) for place in places]
    for _ in range(250):
        world.step(count)
        other.step(count)
    assert bits(other) == bits(world)
    for connection in connections:
        connection.disconnect()  # type: ignore[attr-defined]
    other.step(50)
    world.step(50)
    assert bits(other) == bits(world)
    assert other.time == pytest.approx(world.time)


def test_signals_are_named() -> None:
    world = World()
    assert world.signals.before("solve") is world.signals.before(Stage.SOLVE)
    assert world.signals.before("solve") is not world.signals.after("solve")
    with pytest.raises(ValueError, match="stage: expected one of detect, accelerate, prepare, solve, move"):
        world.signals.after("jump")
    with pytest.raises(TypeError, match="callback"):
        world.signals.after("move").connect(None)  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        world.signals = None  # type: ignore[assignment, misc]


def test_contacts_are_found_by_detect_and_loaded_by_solve() -> None:
    box = put(gallery.box((0.2, 0.2, 0.2), mass=2.0), (0.0, 0.0, 0.1))
    world = on_ground(box)
    seen: dict[str, list[float]] = {}

    def look(name: str) -> Callable[[World], None]:
        return lambda w: seen.setdefault(name, []).append(sum(abs(c.force[2]) for c in w.contacts))

    counts: list[int] = []
    world.signals.before("detect").connect(lambda w: counts.append(len(w.contacts)))
    world.signals.after("detect").connect(lambda w: counts.append(len(w.contacts)))
    world.signals.after("prepare").connect(look("prepare"))
    world.signals.after("solve").connect(look("solve"))
    world.step()
    assert counts == [0, 4]
    assert seen["prepare"] == [0.0]
    assert seen["solve"][0] > 1.0
    world.step(500)
    assert seen["solve"][-1] == pytest.approx(2.0 * 9.81, rel=1e-3)


@pytest.mark.parametrize("kind", ["rigid body", "tree"])
@pytest.mark.parametrize("place", PLACES)
def test_forces_of_listeners_act_once(kind: str, place: tuple[str, Stage]) -> None:
    box = as_kind(kind, gallery.box((0.1, 0.1, 0.1), mass=2.0))
    world = World([box], gravity=(0.0, 0.0, 0.0))
    pushes = iter([True])

    def push(w: World) -> None:
        if next(pushes, False):
            box.body(0).add_external_force((4.0, 0.0, 0.0))

    listen(world, place, push)
    in_time = PLACES.index(place) <= PLACES.index(("before", Stage.ACCELERATE))
    world.step()
    assert box.velocities[3] == pytest.approx(2e-3 if in_time else 0.0, abs=1e-15)
    world.step()
    assert box.velocities[3] == pytest.approx(2e-3, rel=1e-12)
    world.step(5)
    assert box.velocities[3] == pytest.approx(2e-3, rel=1e-12)
    assert not box.body(0).external_wrench.any()


def test_commands_of_listeners_hold() -> None:
    arm, other = gallery.arm7(), gallery.arm7()
    for made in (arm, other):
        for joint in made.joints[:4]:
            joint.actuator = kido.ActuatorType.SERVO

    def commands(time: float) -> list[float]:
        return [np.cos(3.0 * time + k) for k in range(7)]

    worlds = World([arm]), World([other])
    for side, stage in PLACES[:3]:
        connection = listen(worlds[0], (side, stage), lambda w: setattr(arm, "commands", commands(w.time)))
        for _ in range(100):
            other.commands = commands(worlds[1].time)
            worlds[1].step()
        worlds[0].step(100)
        assert bits(worlds[0]) == bits(worlds[1])
        connection.disconnect()  # type: ignore[attr-defined]
    assert np.abs(arm.velocities).max() > 0.1


@pytest.mark.parametrize("kind", ["rigid body", "tree"])
def test_velocities_of_listeners_hold_until_the_stage_accelerate(kind: str) -> None:
    box = as_kind(kind, gallery.box((0.1, 0.1, 0.1), mass=2.0))
    world = World([box], gravity=(0.0, 0.0, 0.0))
    connection = world.signals.after("detect").connect(
        lambda w: setattr(box, "velocities", [0, 0, 0, 1, 0, 0])
    )
    world.step()
    assert box.positions[3] == pytest.approx(1e-3, rel=1e-12)
    connection.disconnect()
    late = world.signals.before("solve").connect(lambda w: setattr(box, "velocities", np.eye(6)[3] * 7))
    with pytest.raises(EditError, match=r"after the stage prepare.*set them before the stage accelerate"):
        world.step(5)
    assert world.num_steps == 2
    assert box.velocities[3] == pytest.approx(1.0, rel=1e-12)
    assert box.positions[3] == pytest.approx(2e-3, rel=1e-12)
    late.disconnect()
    world.step()
    assert box.positions[3] == pytest.approx(3e-3, rel=1e-12)


@pytest.mark.parametrize("place", PLACES)
def test_friction_set_by_a_listener_holds(place: tuple[str, Stage]) -> None:
    brick = put(gallery.box((0.2, 0.2, 0.1), mass=2.0, surface=kido.Surface(friction=1.0)), (0.0, 0.0, 0.05))
    world = on_ground(brick, gravity=(4.0, 0.0, -9.81))
    world.step(100)
    start = brick.positions[3]
    assert start < 1e-4

    def oil(w: World) -> None:
        brick.body(0).shape_nodes[0].surface = kido.Surface(friction=0.0)
        connection.disconnect()  # type: ignore[attr-defined]

    connection = listen(world, place, oil)
    world.step(201)
    assert brick.positions[3] - start == pytest.approx(0.5 * 4.0 * 0.2**2, rel=2e-2)


@pytest.mark.parametrize("place", PLACES)
def test_the_worlds_structure_cannot_be_changed_by_listeners(place: tuple[str, Stage]) -> None:
    box = gallery.box()
    world = on_ground(box)
    world.step(10)
    other, errors = world.clone(), []
    constraint = kido.BallConstraint(box.body(0), point=(0.0, 0.0, 0.0))

    def change(w: World) -> None:
        for edit in (
            lambda: w.add(gallery.ball()),
            lambda: w.remove(box),
            lambda: w.constraints.add(constraint),
            lambda: setattr(w, "time_step", 1e-2),
            lambda: setattr(w, "gravity", (0.0, 0.0, 0.0)),
            lambda: setattr(w, "integrator", "Runge-Kutta 4"),
            lambda: setattr(w, "solver", kido.world.BlockSolver(sweeps=3)),
            lambda: w.step(),
        ):
            with pytest.raises(EditError, match="not possible for a listener of a step's stages") as caught:
                edit()
            errors.append(caught.value)

    listen(world, place, change)
    world.step(3)
    other.step(3)
    assert len(errors) == 24
    assert bits(world) == bits(other)
    assert (len(world.skeletons), len(world.constraints), world.time_step) == (2, 0, 1e-3)


@pytest.mark.parametrize("place", PLACES)
def test_a_skeleton_edited_inside_a_step_cancels_it(place: tuple[str, Stage]) -> None:
    box = put(as_kind("tree", gallery.box((0.2, 0.2, 0.2))), (0.0, 0.0, 0.5))
    box.body(0).add_external_force((0.0, 0.0, 30.0))
    world = on_ground(box, *crowd(3))
    world.step(50)
    before = [np.array(s.positions) for s in world.skeletons]
    box.body(0).add_external_force((0.0, 0.0, 1.0))

    def edit(w: World) -> None:
        connection.disconnect()  # type: ignore[attr-defined]
        box.add_body("arm", box.body(0), kido.RevoluteJoint("arm", (0.0, 1.0, 0.0)))

    connection = listen(world, place, edit)
    if place in (PLACES[0], PLACES[-1]):
        world.step()  # the step has not begun, or is done
        assert world.num_steps == 51
    else:
        with pytest.raises(EditError, match=r"'box' was edited by a listener inside a step"):
            world.step()
        assert world.num_steps == 50
        for s, q in zip(world.skeletons, before, strict=True):
            np.testing.assert_array_equal(s.positions[: len(q)], q)
        assert np.linalg.norm(box.body(0).external_wrench) == pytest.approx(1.0)
    assert box.num_dofs == 7
    world.step(20)
    assert np.isfinite(box.positions).all()


@pytest.mark.parametrize("place", PLACES)
def test_what_a_listener_raises_is_raised_between_whole_steps(place: tuple[str, Stage]) -> None:
    world = on_ground(*crowd(5))
    world.step(200)
    other = world.clone()
    calls = 0

    def fail(w: World) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise RuntimeError("enough")

    listen(world, place, fail)
    with pytest.raises(RuntimeError, match="enough"):
        world.step(10)
    done = 2 if place == PLACES[0] else 3
    other.step(done)
    assert world.num_steps == 200 + done
    assert bits(world) == bits(other)
    world.step(100)
    other.step(100)
    assert bits(world) == bits(other)


def test_no_other_listener_is_called_in_a_step_that_failed() -> None:
    world, heard = World(), []

    def fail(w: World) -> None:
        raise KeyboardInterrupt

    world.signals.before("accelerate").connect(fail)
    world.signals.after("solve").connect(lambda w: heard.append("solve"))
    world.signals.after("move").connect(lambda w: heard.append("move"))
    with pytest.raises(KeyboardInterrupt):
        world.step(3)
    assert (heard, world.num_steps) == ([], 1)


@pytest.mark.parametrize("place", PLACES[1:-1])
def test_a_step_that_diverges_with_listeners_is_not_made(place: tuple[str, Stage]) -> None:
    made = gallery.double_pendulum()
    made.velocities = [1e200, 1e200]
    made.body(0).add_external_force((0.0, 0.0, 1.0))
    world = on_ground(gallery.box(), made)
    positions = np.array(made.positions)
    listen(world, place, lambda w: None)
    with pytest.raises(DivergedError):
        world.step(3)
    assert world.num_steps == 0
    np.testing.assert_array_equal(made.positions, positions)
    assert made.body(0).external_wrench.any()
    made.velocities = [0.0, 0.0]
    world.step(3)
    assert world.num_steps == 3


@pytest.mark.parametrize("place", PLACES)
def test_values_of_a_world_are_of_whole_steps(place: tuple[str, Stage]) -> None:
    world = on_ground(*crowd(3))
    world.step(100)
    saved = world.snapshot()
    made: list[World] = []
    inside = place not in (PLACES[0], PLACES[-1])

    def take(w: World) -> None:
        for value in (
            lambda: made.append(w.clone()),
            lambda: made.append(pickle.loads(pickle.dumps(w))),
            lambda: w.snapshot(),
            lambda: w.restore(saved),
            lambda: w.reset(),
        ):
            if inside:
                with pytest.raises(EditError, match="not possible inside a step"):
                    value()
            else:
                value()

    connection = listen(world, place, take)
    world.step()
    connection.disconnect()  # type: ignore[attr-defined]
    if inside:
        assert (world.num_steps, made) == (101, [])
        return
    assert world.num_steps == (1 if place == PLACES[0] else 0)
    other = world.clone()
    other.restore(other.snapshot())
    for copied in made:
        copied.step(10 if place == PLACES[0] else 9)
    assert bits(made[0]) == bits(made[1])


def test_copies_have_signals_of_their_own() -> None:
    world, calls = on_ground(gallery.box()), []
    world.signals.after("move").connect(lambda w: calls.append(w))
    clone = world.clone()
    copied = pickle.loads(pickle.dumps(world))
    clone.step()
    copied.step()
    assert calls == []
    assert not clone.signals.are_heard
    with pytest.raises(EditError, match="listeners are Python's"):
        kido.rollout(world, np.zeros((1, 1, 6)))


ENDLESS = """
import kido
world = kido.World([kido.gallery.ground(), kido.gallery.humanoid()])
world.signals.after("{stage}").connect(lambda w: sum(c.depth for c in w.contacts))
world.step(3)
print("begin", flush=True)
try:
    world.step(10**9)
except KeyboardInterrupt:
    steps = world.num_steps
    assert steps > 3 and abs(world.time - steps * 1e-3) < 1e-6 * steps
    world.step(5)
    assert world.num_steps == steps + 5
    print("interrupted")
"""


@pytest.mark.parametrize("stage", ["detect", "solve", "move"])
def test_ctrl_c_ends_steps_with_listeners_after_a_whole_one(stage: str) -> None:
    seconds, said = interrupted(ENDLESS.format(stage=stage))
    assert said == "interrupted\n"
    assert seconds < LONGEST


def test_user_joints_step_with_listeners() -> None:
    made, expected = gallery.cam(), gallery.cam()
    made.velocities = expected.velocities = [1.0]
    world, other = World([made]), World([expected])
    for stage in Stage:
        world.signals.after(stage).connect(lambda w: None)
    world.step(20)
    other.step(20)
    assert bits(world) == bits(other)


def test_a_friction_that_is_set_after_contacts_were_found_holds_from_the_next_step() -> None:
    ends = []
    for place in (("before", Stage.DETECT), ("after", Stage.DETECT)):
        box = put(gallery.box((0.2, 0.2, 0.2), 1.0, surface=kido.Surface(friction=1.0)), (0.0, 0.0, 0.1))
        world = on_ground(box, gravity=(4.0, 0.0, -9.81))
        world.step(20)

        def oil(_: World, box: kido.Skeleton = box) -> None:
            box.body(0).shape_nodes[0].surface = kido.Surface(friction=0.0)

        listen(world, place, oil)
        world.step()
        slid = [float(box.velocities[3])]
        world.step()
        ends.append([*slid, float(box.velocities[3])])
    assert ends[0] == pytest.approx([4e-3, 8e-3], abs=1e-4)
    assert ends[1] == pytest.approx([0.0, 4e-3], abs=1e-4)
