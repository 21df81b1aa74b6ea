"""Free frames of a world."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from _scenes import on_ground, push, put

import kido
from kido import SimpleFrame, World, gallery
from kido.errors import EditError, NameTakenError, UnknownNameError

COPIES = [World.clone, copy.deepcopy, lambda world: pickle.loads(pickle.dumps(world))]


def placed(x: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3] = x
    return T


def test_frames_come_and_go_by_name() -> None:
    world = World()
    camera = world.frames.add(SimpleFrame("camera"))
    target = world.frames.add(SimpleFrame("target", camera, placed(1.0)))
    assert list(world.frames) == [camera, target]
    assert len(world.frames) == 2
    assert world.frames["target"] is target
    assert camera in world.frames
    assert world.frames.remove("camera") is camera
    assert world.frames.remove(target) is target
    assert list(world.frames) == []


def test_wrong_frames_are_refused() -> None:
    world = World(name="lab")
    camera = world.frames.add(SimpleFrame("camera"))
    with pytest.raises(TypeError, match="frame: expected a SimpleFrame, got BodyNode"):
        world.frames.add(gallery.box().body(0))  # type: ignore[arg-type]
    for again in (camera, SimpleFrame("camera")):
        with pytest.raises(NameTakenError, match="camera"):
            world.frames.add(again)
    with pytest.raises(UnknownNameError, match=r"eye.*camera"):
        world.frames["eye"]
    with pytest.raises(UnknownNameError, match="camera"):
        world.frames.remove(SimpleFrame("camera"))
    world.name = "kitchen"
    with pytest.raises(UnknownNameError, match="kitchen"):
        world.frames.remove("eye")
    assert list(world.frames) == [camera]
    with pytest.raises(AttributeError):
        world.frames = []  # type: ignore[assignment, misc]


def test_steps_leave_frames_to_their_user_and_carry_those_on_bodies() -> None:
    box = push(put(gallery.box(), (0.0, 0.0, 5.0)), (1.0, 0.0, 0.0))
    world = World([box])
    still, carried = (
        world.frames.add(SimpleFrame("still", None, placed(3.0))),
        SimpleFrame("carried", box.body(0)),
    )
    world.frames.add(carried)
    world.step(100)
    np.testing.assert_array_equal(still.transform(), placed(3.0))
    assert carried.transform()[0, 3] == pytest.approx(0.1, rel=1e-9)


@pytest.mark.parametrize("make", COPIES)
def test_copies_have_frames_on_the_copies_of_their_parents(make: Callable[[World], World]) -> None:
    arm, box = gallery.arm7(), put(gallery.box(), (0.5, 0.0, 2.0))
    world = on_ground(arm, box)
    node = kido.ShapeNode(arm.body(3), "mark", kido.shape.Sphere(0.01), placed(0.2))
    first = world.frames.add(SimpleFrame("first", arm.body(5), placed(0.1)))
    world.frames.add(SimpleFrame("second", first, placed(0.2)))
    world.frames.add(SimpleFrame("third", node, placed(0.3)))
    world.frames.add(SimpleFrame("fourth", None, placed(0.4)))
    world.frames["fourth"].relative_spatial_velocity = [1, 2, 3, 4, 5, 6]
    world.frames["fourth"].relative_spatial_acceleration = [6, 5, 4, 3, 2, 1]
    world.step(20)
    made = make(world)
    for frame in world.frames:
        other = made.frames[frame.name]
        assert other is not frame
        np.testing.assert_array_equal(other.transform(), frame.transform())
        np.testing.assert_array_equal(other.relative_spatial_velocity, frame.relative_spatial_velocity)
        np.testing.assert_array_equal(
            other.relative_spatial_acceleration, frame.relative_spatial_acceleration
        )
    assert made.frames["second"].parent_frame is made.frames["first"]
    assert made.frames["first"].parent_frame is made.skeleton(arm.name).body(5)
    made.skeleton(arm.name).positions = np.zeros(7)
    before = world.frames["third"].transform()
    made.step(50)
    world.step(0)
    np.testing.assert_array_equal(world.frames["third"].transform(), before)
    world.step(50)


def test_order_of_frames_does_not_matter_to_copies() -> None:
    world = World()
    late = SimpleFrame("late", None, placed(1.0))
    world.frames.add(SimpleFrame("early", late, placed(2.0)))
    world.frames.add(late)
    for make in COPIES:
        made = make(world)
        assert made.frames["early"].parent_frame is made.frames["late"]
        assert made.frames["early"].transform()[0, 3] == 3.0


def test_a_frame_on_what_is_elsewhere_is_cloned_there_and_not_pickled() -> None:
    elsewhere = SimpleFrame("elsewhere", None, placed(1.0))
    world = World()
    world.frames.add(SimpleFrame("held", elsewhere, placed(1.0)))
    clone = world.clone()
    assert clone.frames["held"].parent_frame is elsewhere
    with pytest.raises(EditError, match=r"frame 'held': its parent 'elsewhere' is no part of the world"):
        pickle.dumps(world)


def test_a_snapshot_puts_frames_back() -> None:
    world = World([gallery.box()])
    mark = world.frames.add(SimpleFrame("mark", None, placed(1.0)))
    mark.relative_spatial_velocity = [0, 0, 1, 0, 0, 0]
    saved = world.snapshot()
    mark.relative_transform = placed(2.0)
    mark.relative_spatial_velocity = np.zeros(6)
    world.restore(saved)
    np.testing.assert_array_equal(mark.transform(), placed(1.0))
    np.testing.assert_array_equal(mark.relative_spatial_velocity, [0, 0, 1, 0, 0, 0])
