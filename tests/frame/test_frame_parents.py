"""Parents and children of frames: re-parenting, cycles, long chains."""

from __future__ import annotations

import numpy as np
import pytest
from _frame_motion import Scene, posed
from _random_trees import assert_near, random_transform
from hypothesis import given
from hypothesis import strategies as st

import kido
from kido.errors import FrameError, RemovedError


def shifted(name: str, parent: kido.Frame | None, *translation: float) -> kido.SimpleFrame:
    return kido.SimpleFrame(name, parent, posed(np.eye(3), np.array(translation)))


@pytest.fixture
def scene() -> Scene:
    return Scene(9)


def test_a_frame_keeps_its_motion_relative_to_the_parent_when_it_gets_another() -> None:
    """So that it jumps in the world."""
    frame = shifted("frame", shifted("before", None, 1.0, 2.0, 3.0), 1.0, 0.0, 0.0)
    assert frame.transform()[:3, 3].tolist() == [2.0, 2.0, 3.0]
    frame.relative_spatial_velocity = np.arange(6.0)
    frame.relative_spatial_acceleration = np.arange(6.0, 12.0)
    frame.set_parent_frame(kido.WORLD)
    assert frame.transform()[:3, 3].tolist() == [1.0, 0.0, 0.0]
    assert frame.spatial_velocity().tolist() == [*range(6)]
    assert frame.spatial_acceleration().tolist() == [*range(6, 12)]


def test_a_frame_can_stay_in_the_world_when_it_gets_another_parent(scene: Scene) -> None:
    frame = scene.simple("frame", scene.frames["rider"])
    V, A = frame.relative_spatial_velocity, frame.relative_spatial_acceleration
    before = frame.transform()
    for parent in scene.frames.values():
        frame.set_parent_frame(parent, keep_world_transform=True)
        assert frame.parent_frame is parent
        assert_near(frame.transform(), before, 1e-13)
        assert np.array_equal(frame.relative_spatial_velocity, V)
        assert np.array_equal(frame.relative_spatial_acceleration, A)


def test_keeping_the_world_transform_is_asked_for_by_keyword(scene: Scene) -> None:
    with pytest.raises(TypeError):
        kido.SimpleFrame().set_parent_frame(scene.frames["body"], True)  # type: ignore[misc]


@pytest.mark.parametrize("keep", [False, True])
def test_a_cycle_is_refused_and_nothing_changes(keep: bool) -> None:
    top = shifted("top", None, 1.0, 0.0, 0.0)
    middle = shifted("middle", top, 0.0, 1.0, 0.0)
    bottom = shifted("bottom", middle, 0.0, 0.0, 1.0)
    cases = (
        (top, "itself"),
        (middle, "'middle', which moves with it"),
        (bottom, "'bottom', which moves with it"),
    )
    for parent, what in cases:
        with pytest.raises(FrameError, match=f"^'top' cannot move with {what}$"):
            top.set_parent_frame(parent, keep_world_transform=keep)
    assert top.parent_frame is kido.WORLD and top in kido.WORLD.child_frames
    assert top.child_frames == (middle,) and bottom.child_frames == ()
    assert bottom.transform()[:3, 3].tolist() == [1.0, 1.0, 1.0]


def test_a_frame_moves_from_one_parents_children_to_the_others(scene: Scene) -> None:
    before, after = scene.frames["carrier"], scene.frames["simple frame"]
    frame = kido.SimpleFrame("frame", before)
    assert before.child_frames[-1] is frame
    frame.set_parent_frame(after)
    assert frame not in before.child_frames and after.child_frames == (frame,)
    frame.set_parent_frame(after)
    assert after.child_frames == (frame,)
    other = kido.SimpleFrame("other", after)
    frame.set_parent_frame(after)
    assert after.child_frames == (other, frame)


def test_frames_may_share_a_name() -> None:
    parent = kido.SimpleFrame("same")
    assert parent.spawn_child("same").name == parent.name == "same"


def test_no_parent_is_the_world(scene: Scene) -> None:
    frame = kido.SimpleFrame("frame", scene.frames["body"])
    frame.set_parent_frame(None)  # type: ignore[arg-type]
    assert frame.parent_frame is kido.WORLD


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("wrong", ["body", 3, np.eye(4)], ids=lambda wrong: type(wrong).__name__)
def test_a_parent_that_is_no_frame_is_named_and_nothing_changes(wrong: object, keep: bool) -> None:
    parent = kido.SimpleFrame("parent")
    frame = shifted("frame", parent, 1.0, 0.0, 0.0)
    with pytest.raises(TypeError, match=f"^parent: expected a Frame, got {type(wrong).__name__}$"):
        frame.set_parent_frame(wrong, keep_world_transform=keep)  # type: ignore[arg-type]
    assert frame.parent_frame is parent and parent.child_frames == (frame,)


@pytest.mark.parametrize("keep", [False, True])
def test_a_body_that_was_removed_is_no_parent_and_nothing_changes(keep: bool, scene: Scene) -> None:
    body, frame = scene.frames["body"], shifted("frame", None, 1.0, 2.0, 3.0)
    assert isinstance(body, kido.BodyNode)
    below = kido.FixedFrame("below", body)
    body.remove()
    for gone in (body, below):
        with pytest.raises(RemovedError, match="belongs to no skeleton"):
            frame.set_parent_frame(gone, keep_world_transform=keep)
        with pytest.raises(RemovedError, match="belongs to no skeleton"):
            kido.SimpleFrame("other", gone)
        with pytest.raises(RemovedError, match="belongs to no skeleton"):
            frame.transform(relative_to=gone)
    assert frame.parent_frame is kido.WORLD and frame in kido.WORLD.child_frames
    assert frame.transform()[:3, 3].tolist() == [1.0, 2.0, 3.0]


def test_a_frame_leaves_a_body_that_was_removed(scene: Scene) -> None:
    body = scene.frames["body"]
    assert isinstance(body, kido.BodyNode)
    frame = shifted("frame", body, 1.0, 2.0, 3.0)
    body.remove()
    frame.set_parent_frame(kido.WORLD)
    assert frame.transform()[:3, 3].tolist() == [1.0, 2.0, 3.0]


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30), st.booleans())
def test_any_moves_leave_a_tree_that_answers_rightly(moves: list[tuple[int, int]], keep: bool) -> None:
    """Kinship is kept beside, in a list of parents; a move that the list forbids is refused."""
    rng = np.random.default_rng(0)
    frames = [kido.SimpleFrame(f"frame{i}", None, random_transform(rng)) for i in range(7)]
    places: list[kido.Frame] = [*frames, kido.WORLD]
    parents = [7] * 7

    def line(index: int) -> list[int]:
        return [index] if index == 7 else [index, *line(parents[index])]

    for child, parent in moves:
        if child == 7:
            continue
        if child in line(parent):
            with pytest.raises(FrameError):
                frames[child].set_parent_frame(places[parent], keep_world_transform=keep)
        else:
            frames[child].set_parent_frame(places[parent], keep_world_transform=keep)
            parents[child] = parent
    for child, parent in enumerate(parents):
        assert frames[child].parent_frame is places[parent]
        expected = {frames[i] for i in range(7) if parents[i] == child}
        assert set(frames[child].child_frames) == expected
        T = np.eye(4)
        for index in reversed(line(child)[:-1]):
            T = T @ frames[index].relative_transform
        assert_near(frames[child].transform(), T, 1e-12)
        for other in range(8):
            assert frames[child].descends_from(places[other]) == (other in line(child))


def chain(length: int) -> list[kido.SimpleFrame]:
    """Frames a millimetre ahead of each other, each turning in the one before at 1 mrad/s."""
    frames: list[kido.SimpleFrame] = []
    for index in range(length):
        frame = shifted(f"frame{index}", frames[-1] if frames else None, 1e-3, 0.0, 0.0)
        frame.relative_spatial_velocity = (0.0, 0.0, 1e-3, 0.0, 0.0, 0.0)
        frames.append(frame)
    return frames


def test_a_chain_of_thousands_of_frames_answers() -> None:
    count = 2000
    last = chain(count)[-1]
    assert_near(last.transform()[:3, 3], [count * 1e-3, 0.0, 0.0], 1e-12)
    assert_near(last.angular_velocity(), [0.0, 0.0, count * 1e-3], 1e-12)
    speed = 1e-6 * count * (count - 1) / 2
    assert_near(last.linear_velocity(), [0.0, speed, 0.0], 1e-12)
    # Link i turns at i mrad/s, and every link but the first is carried round by it.
    inward = 1e-9 * sum(i * i for i in range(count))
    assert_near(last.linear_acceleration(), [-inward, 0.0, 0.0], 1e-12)


def test_the_middle_of_a_long_chain_moves_its_end() -> None:
    frames = chain(1200)
    frames[599].relative_rotation = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert_near(frames[-1].transform()[:3, 3], [0.6, 0.6, 0.0], 1e-12)
    frames[600].set_parent_frame(kido.WORLD)
    assert_near(frames[-1].transform()[:3, 3], [0.6, 0.0, 0.0], 1e-12)
    with pytest.raises(FrameError):
        frames[600].set_parent_frame(frames[-1])


def test_thousands_of_children_come_and_go() -> None:
    parent = kido.SimpleFrame("parent")
    children = [kido.SimpleFrame(f"child{i}", parent) for i in range(3000)]
    assert parent.child_frames == tuple(children)
    for child in children[::2]:
        child.set_parent_frame(kido.WORLD)
    assert parent.child_frames == tuple(children[1::2])
    del child, children
    assert parent.child_frames == ()
