"""Lifetime of frames: as long as someone holds them or what moves with them, and no longer."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from _frame_motion import KINDS, Orbit, Scene, posed, random_skeleton
from _random_trees import assert_near

import kido


@pytest.fixture(autouse=True, scope="module")
def only_what_is_made_here_is_collected() -> Iterator[None]:
    """Looking through everything that was imported takes long."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


MOVING = [kind for kind in KINDS if kind != "world"]


def one(kind: str) -> kido.Frame:
    """A frame of a scene that nothing else holds."""
    return Scene(11).frames[kind]


@pytest.mark.parametrize("kind", MOVING)
def test_a_frame_keeps_alive_what_it_moves_with(kind: str) -> None:
    scene = Scene(11)
    frame = scene.frames[kind]
    child = kido.FixedFrame("child", frame, posed(np.eye(3), np.array([1.0, 0.0, 0.0])))
    expected, reference = child.transform(), weakref.ref(frame)
    velocity = child.spatial_velocity()
    del scene, frame
    gc.collect()
    assert reference() is child.parent_frame
    assert np.array_equal(child.transform(), expected)
    assert np.array_equal(child.spatial_velocity(), velocity)
    line = [child.parent_frame]
    while line[-1] is not kido.WORLD:
        line.append(line[-1].parent_frame)


@pytest.mark.parametrize("kind", MOVING)
def test_a_frame_dies_with_the_last_that_holds_it(kind: str) -> None:
    scene = Scene(11)
    references = [weakref.ref(frame) for name, frame in scene.frames.items() if name != "world"]
    skeleton = weakref.ref(scene.skeleton)
    frame: kido.Frame | None = scene.frames[kind]
    del scene
    gc.collect()
    assert frame is not None
    assert frame.transform().shape == (4, 4)
    frame = None
    gc.collect()
    assert skeleton() is None
    assert [reference() for reference in references] == [None] * len(references)


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_does_not_keep_its_children(kind: str) -> None:
    frame = one(kind)
    before = frame.child_frames
    child, user = kido.SimpleFrame("child", frame), Orbit("user", frame)
    references = [weakref.ref(child), weakref.ref(user)]
    assert frame.child_frames == (*before, child, user)
    del child
    gc.collect()
    assert frame.child_frames == (*before, user)
    del user
    gc.collect()
    assert [reference() for reference in references] == [None, None]
    assert frame.child_frames == before


def test_a_frame_without_cycles_dies_at_once() -> None:
    gc.disable()
    try:
        parent = kido.SimpleFrame("parent")
        child = kido.SimpleFrame("child", parent)
        references = [weakref.ref(parent), weakref.ref(child)]
        del parent
        assert references[0]() is not None
        del child
        assert [reference() for reference in references] == [None, None]
    finally:
        gc.enable()


def test_a_parent_that_is_left_is_let_go() -> None:
    parent = kido.SimpleFrame("parent")
    reference = weakref.ref(parent)
    child = kido.SimpleFrame("child", parent)
    del parent
    child.set_parent_frame(kido.WORLD)
    assert reference() is None
    assert np.array_equal(child.transform(), np.eye(4))


def test_asking_keeps_nothing_alive() -> None:
    scene = Scene(12)
    frame = kido.SimpleFrame("frame")
    for other in scene.frames.values():
        frame.spatial_acceleration((1.0, 2.0, 3.0), relative_to=other, in_coordinates_of=other)
        other.spatial_acceleration(relative_to=frame)
    references = [weakref.ref(other) for name, other in scene.frames.items() if name != "world"]
    del scene, other
    gc.collect()
    assert not any(reference() for reference in references)


@pytest.mark.parametrize("order", [*permutations(range(4))], ids=str)
def test_frames_can_be_let_go_in_any_order(order: tuple[int, ...]) -> None:
    body = random_skeleton(np.random.default_rng(0)).body("cam")
    effector = kido.EndEffector(body, "hand")
    orbit = Orbit("orbit", effector)
    held: list[kido.Frame | None] = [body, effector, orbit, kido.SimpleFrame("top", orbit)]
    before = [(frame.transform(), frame.spatial_acceleration()) for frame in held if frame is not None]
    del body, effector, orbit
    for index in order:
        held[index] = None
        gc.collect()
        for frame, (T, acceleration) in zip(held, before, strict=True):
            if frame is not None:
                np.testing.assert_array_equal(frame.transform(), T)
                np.testing.assert_array_equal(frame.spatial_acceleration(), acceleration)


@pytest.mark.parametrize("kind", MOVING)
def test_cycles_through_frames_are_collected(kind: str) -> None:
    """A user's frame that holds its own child, or the holder of its parent."""
    frame = Orbit("frame", one(kind))
    frame.child = kido.SimpleFrame("child", frame)  # type: ignore[attr-defined]
    frame.myself = [frame]  # type: ignore[attr-defined]
    references = [weakref.ref(frame), weakref.ref(frame.child), weakref.ref(frame.parent_frame)]  # type: ignore[attr-defined]
    del frame
    gc.collect()
    assert [reference() for reference in references] == [None] * 3


def test_a_frame_answers_while_it_is_collected() -> None:
    """In a finalizer its parent is there still, in a cycle or not."""
    heard = []

    class Parting(Orbit):
        def __del__(self) -> None:
            heard.append((self.transform(), self.parent_frame.name, self.child_frames))
            self.set_parent_frame(kido.WORLD)
            heard.append(self.parent_frame)

    for cycle in (False, True):
        heard.clear()
        frame = Parting("frame", kido.SimpleFrame("parent", None, posed(np.eye(3), np.ones(3))))
        if cycle:
            frame.myself = frame  # type: ignore[attr-defined]
        del frame
        gc.collect()
        (T, name, children), parent = heard
        assert_near(T[:3, 3], [1.5, 1.0, 1.0], 1e-15)
        assert (name, children, parent) == ("parent", (), kido.WORLD)


def test_long_chains_are_let_go_without_recursion() -> None:
    top: kido.SimpleFrame | None = kido.SimpleFrame("frame")
    bottom = top
    for _ in range(20_000):
        parent = kido.SimpleFrame("frame")
        assert bottom is not None
        bottom.set_parent_frame(parent)
        bottom = parent
    reference = weakref.ref(bottom)
    del parent, bottom
    assert reference() is not None
    top = None
    gc.collect()
    assert reference() is None and top is None


def test_threads_make_ask_and_drop_frames_on_one_parent() -> None:
    parent = Orbit("parent")
    wrong = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(200):
            p = rng.random(3)
            child = kido.SimpleFrame("child", parent, posed(np.eye(3), p))
            if (
                not np.allclose(child.transform(relative_to=parent)[:3, 3], p)
                or child not in parent.child_frames
            ):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert parent.child_frames == ()


def test_children_can_be_gone_through_while_others_come_and_go() -> None:
    parent = Orbit("parent")
    held = [kido.SimpleFrame(f"child {i}", parent) for i in range(3)]
    passing = parent._living_children()
    assert next(passing) is held[0]
    held += [kido.SimpleFrame("late", parent)]
    del held[1]
    gc.collect()
    assert [child.name for child in passing] == ["child 2"]
    assert [child.name for child in parent.child_frames] == ["child 0", "child 2", "late"]
