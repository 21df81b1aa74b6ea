"""Contract of all kinds of frames, those of users included."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from _frame_motion import (
    ACCELERATION,
    KINDS,
    VELOCITY,
    Motion,
    Scene,
    adjoint_inverse,
    motion_product,
    posed,
)
from _looped import looped
from _random_trees import Array, assert_near

import kido
from kido.errors import FrameError

EXACT = 1e-12
QUESTIONS = (
    "transform",
    "spatial_velocity",
    "linear_velocity",
    "angular_velocity",
    "spatial_acceleration",
    "linear_acceleration",
    "angular_acceleration",
)
AT_POINTS = tuple(name for name in QUESTIONS if name.startswith(("spatial", "linear")))
QUANTITIES = (
    "relative_transform",
    "relative_spatial_velocity",
    "relative_spatial_acceleration",
    "primary_relative_acceleration",
    "partial_acceleration",
)
OFFSETS = (None, np.array([0.3, -0.2, 0.4]))
ANY_TURN = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])

every_kind = pytest.mark.parametrize("kind", KINDS)
but_the_world = pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "world"])
every_question = looped("question", QUESTIONS)


@pytest.fixture(scope="module")
def scene() -> Scene:
    """Frames that no test changes."""
    return Scene(1)


@pytest.fixture
def own() -> Scene:
    """Frames that a test may change."""
    return Scene(2)


def ask(frame: kido.Frame, question: str, **options: object) -> Array:
    answer = getattr(frame, question)(**options)
    assert type(answer) is np.ndarray and answer.dtype == np.float64
    return answer


def in_axes(rotation: Array, x: Array) -> Array:
    """A vector (3,) or two (6,), in the axes of a rotation."""
    return (x.reshape(-1, 3) @ rotation).ravel()


def others(scene: Scene, frame: str) -> Iterator[tuple[str, Array | None, Motion]]:
    """Every frame to look from, with a point of `frame`, and how that point has to move."""
    for base in scene.frames:
        for offset in OFFSETS:
            yield base, offset, scene.motion(frame, base, offset)


# ---- poses


@every_kind
def test_a_relative_pose_takes_coordinates_of_the_frame_to_those_of_the_other(
    kind: str, scene: Scene
) -> None:
    frame = scene.frames[kind]
    for base, other in scene.frames.items():
        expected = np.linalg.inv(scene.poses[base][2]) @ scene.poses[kind][2]
        assert_near(ask(frame, "transform", relative_to=other), expected, EXACT)


@every_kind
def test_coordinates_of_a_third_frame_turn_the_relative_pose_from_the_left(kind: str, scene: Scene) -> None:
    frame = scene.frames[kind]
    for base, other in scene.frames.items():
        for axes, third in scene.frames.items():
            turn = np.eye(4)
            turn[:3, :3] = scene.rotation(axes).T @ scene.rotation(base)
            expected = turn @ np.linalg.inv(scene.poses[base][2]) @ scene.poses[kind][2]
            got = ask(frame, "transform", relative_to=other, in_coordinates_of=third)
            assert_near(got, expected, EXACT)


# ---- velocities and accelerations against differences of poses


@every_kind
def test_velocities_relative_to_every_frame_are_rates_of_poses(kind: str, scene: Scene) -> None:
    frame = scene.frames[kind]
    for base, offset, motion in others(scene, kind):
        other = scene.frames[base]
        R = scene.rotation(base)
        got = ask(frame, "spatial_velocity", offset=offset, relative_to=other)
        assert_near(got, motion.spatial_velocity(), VELOCITY)
        got = ask(frame, "linear_velocity", offset=offset, relative_to=other)
        assert_near(got, R @ motion.linear, VELOCITY)
        got = ask(frame, "angular_velocity", relative_to=other)
        assert_near(got, R @ motion.angular, VELOCITY)


@every_kind
def test_accelerations_relative_to_every_frame_are_second_rates_of_poses(kind: str, scene: Scene) -> None:
    frame = scene.frames[kind]
    for base, offset, motion in others(scene, kind):
        other = scene.frames[base]
        R = scene.rotation(base)
        got = ask(frame, "spatial_acceleration", offset=offset, relative_to=other)
        assert_near(got, motion.spatial_acceleration(), ACCELERATION)
        got = ask(frame, "linear_acceleration", offset=offset, relative_to=other)
        assert_near(got, R @ motion.linear_acceleration, ACCELERATION)
        got = ask(frame, "angular_acceleration", relative_to=other)
        assert_near(got, R @ motion.angular_acceleration, ACCELERATION)


@every_kind
@looped("question", QUESTIONS[1:])
def test_axes_of_any_frame_turn_vectors_and_change_nothing_else(
    kind: str, question: str, scene: Scene
) -> None:
    frame = scene.frames[kind]
    for base in ("world", "body", "simple frame", "user's frame", kind):
        for offset in OFFSETS if question in AT_POINTS else (None,):
            options = {"relative_to": scene.frames[base]}
            if question in AT_POINTS:
                options["offset"] = offset
            in_world = ask(frame, question, in_coordinates_of=kido.WORLD, **options)
            for axes, third in scene.frames.items():
                got = ask(frame, question, in_coordinates_of=third, **options)
                assert_near(got, in_axes(scene.rotation(axes), in_world), EXACT)


@every_kind
@every_question
def test_without_arguments_the_motion_in_the_world_is_answered(
    kind: str, question: str, scene: Scene
) -> None:
    frame = scene.frames[kind]
    axes = frame if question.startswith("spatial") else kido.WORLD
    expected = ask(frame, question, relative_to=kido.WORLD, in_coordinates_of=axes)
    assert np.array_equal(ask(frame, question), expected)
    none = {"relative_to": None, "in_coordinates_of": None}
    assert np.array_equal(ask(frame, question, **none), expected)


@every_kind
def test_no_frame_moves_relative_to_itself(kind: str, scene: Scene) -> None:
    frame = scene.frames[kind]
    for question in QUESTIONS[1:]:
        assert_near(
            ask(frame, question, relative_to=frame), np.zeros(6 if "spatial" in question else 3), 1e-13
        )
    assert np.array_equal(frame.transform(relative_to=frame), np.eye(4))


# ---- the five quantities


@but_the_world
def test_relative_quantities_are_those_relative_to_the_parent(kind: str, scene: Scene) -> None:
    frame = scene.frames[kind]
    parent = frame.parent_frame
    for name in ("transform", "spatial_velocity", "spatial_acceleration"):
        assert_near(getattr(frame, f"relative_{name}"), ask(frame, name, relative_to=parent), EXACT)


@but_the_world
def test_motion_is_that_of_the_parent_and_the_relative_one(kind: str, scene: Scene) -> None:
    frame = scene.frames[kind]
    parent = frame.parent_frame
    X = adjoint_inverse(frame.relative_transform)
    V = X @ parent.spatial_velocity() + frame.relative_spatial_velocity
    assert_near(frame.spatial_velocity(), V, EXACT)
    A = X @ parent.spatial_acceleration() + frame.primary_relative_acceleration + frame.partial_acceleration
    assert_near(frame.spatial_acceleration(), A, EXACT)
    crossed = motion_product(V, frame.relative_spatial_velocity)
    bias = frame.relative_spatial_acceleration - frame.primary_relative_acceleration
    assert_near(frame.partial_acceleration, crossed + bias, EXACT)


@every_kind
def test_a_primary_acceleration_is_what_stays_where_nothing_moves(kind: str, own: Scene) -> None:
    frame = own.frames[kind]
    primary = frame.primary_relative_acceleration
    own.skeleton.velocities = np.zeros(own.skeleton.num_dofs)
    for simple in own.paths:
        simple.relative_spatial_velocity = np.zeros(6)
    own.orbit.speed = 0.0
    assert_near(frame.relative_spatial_acceleration, primary, EXACT)
    assert_near(frame.primary_relative_acceleration, primary, EXACT)
    assert_near(frame.partial_acceleration, np.zeros(6), EXACT)


# ---- arrays


@every_kind
def test_changing_an_answer_changes_nothing(kind: str, own: Scene) -> None:
    frame = own.frames[kind]
    asked: list[Callable[[], Array]] = [getattr(frame, name) for name in QUESTIONS]
    asked += [lambda name=name: getattr(frame, name) for name in QUANTITIES]  # type: ignore[misc]
    for ask_again in asked:
        before = ask_again()
        kept = before.copy()
        if before.flags.writeable:
            before[...] = 7.0
        assert np.array_equal(ask_again(), kept)


@every_kind
def test_offsets_are_read_from_whatever_numbers_stand_in(kind: str, scene: Scene) -> None:
    frame = scene.frames[kind]
    for name in AT_POINTS:
        expected = ask(frame, name, offset=np.array([1.0, 2.0, 3.0]))
        for same in ((1, 2, 3), [1.0, 2, 3], np.array([1, 2, 3]), np.arange(1.0, 7.0)[::2] // 2 + 1):
            assert np.array_equal(ask(frame, name, offset=same), expected)


# ---- names and kinship


@every_kind
def test_a_frame_has_a_name_and_shows_it(kind: str, scene: Scene) -> None:
    frame = scene.frames[kind]
    assert isinstance(frame.name, str) and frame.name
    assert repr(frame) == ("kido.WORLD" if kind == "world" else f"<{type(frame).__name__} {frame.name!r}>")
    assert frame.is_world == (kind == "world")


@but_the_world
@pytest.mark.parametrize("name", ["", 3, None])
def test_a_name_that_is_none_is_refused_and_the_old_one_stays(kind: str, name: object, own: Scene) -> None:
    frame = own.frames[kind]
    before = frame.name
    with pytest.raises((TypeError, ValueError), match=r"^name: expected a (nonempty )?string, got"):
        frame.name = name  # type: ignore[assignment]
    assert frame.name == before


@every_kind
def test_a_frame_can_be_renamed_unless_it_is_the_world(kind: str, own: Scene) -> None:
    frame = own.frames[kind]
    if kind == "world":
        with pytest.raises(FrameError):
            frame.name = "other"
        assert frame.name == "world"
    else:
        frame.name = "other"
        assert frame.name == "other"


@every_kind
def test_frames_descend_from_their_ancestors_and_from_no_other(kind: str, scene: Scene) -> None:
    frame = scene.frames[kind]
    line = [frame]
    while line[-1] is not kido.WORLD:
        line.append(line[-1].parent_frame)
    for other in scene.frames.values():
        assert frame.descends_from(other) == any(above is other for above in line)


@every_kind
def test_children_are_listed_by_their_parent_in_order(kind: str, own: Scene) -> None:
    frame = own.frames[kind]
    before = frame.child_frames
    first, second = kido.SimpleFrame("first", frame), Sensorless("second", frame)
    assert frame.child_frames == (*before, first, second)
    assert first.parent_frame is frame
    del first
    assert frame.child_frames == (*before, second)
    second.set_parent_frame(own.frames["carrier"])
    assert second not in frame.child_frames or kind == "carrier"
    assert own.frames["carrier"].child_frames[-1] is second


@but_the_world
def test_a_frame_is_among_its_parents_children(kind: str, scene: Scene) -> None:
    frame = scene.frames[kind]
    assert (frame in frame.parent_frame.child_frames) == (kind != "root body")


@but_the_world
def test_a_child_follows_every_frame(kind: str, own: Scene) -> None:
    frame = own.frames[kind]
    child = kido.FixedFrame("child", frame, posed(ANY_TURN, np.ones(3)))
    for time in (0.0, 0.3):
        own.move(time)
        assert_near(child.transform(), frame.transform() @ child.relative_transform, EXACT)
        for name in ("linear_velocity", "linear_acceleration"):
            assert_near(ask(child, name), ask(frame, name, offset=np.ones(3)), EXACT)


@every_kind
def test_nothing_is_put_under_its_own_follower(kind: str, own: Scene) -> None:
    frame = own.frames[kind]
    follower = kido.SimpleFrame("follower", kido.FixedFrame("between", frame))
    parent, before = frame.parent_frame, frame.transform()
    for below in (frame, follower):
        with pytest.raises(FrameError):
            frame.set_parent_frame(below)
    assert frame.parent_frame is parent
    assert np.array_equal(frame.transform(), before)
    assert follower.descends_from(frame)


# ---- copies


@every_kind
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_only_the_world_can_be_copied_or_pickled_and_stays_the_one(
    kind: str, duplicate: Callable[[kido.Frame], kido.Frame], scene: Scene
) -> None:
    frame = scene.frames[kind]
    if kind == "world":
        assert duplicate(frame) is kido.WORLD
    else:
        with pytest.raises(TypeError, match="cannot pickle"):
            duplicate(frame)


# ---- bad input

NOT_FRAMES = ["body", 3, np.eye(4), object()]


@every_kind
@every_question
@pytest.mark.parametrize("argument", ["relative_to", "in_coordinates_of"])
def test_what_is_no_frame_is_named(kind: str, question: str, argument: str, scene: Scene) -> None:
    for wrong in NOT_FRAMES:
        message = f"^{argument}: expected a Frame, got {type(wrong).__name__}$"
        with pytest.raises(TypeError, match=message):
            ask(scene.frames[kind], question, **{argument: wrong})


@every_kind
@pytest.mark.parametrize("question", AT_POINTS)
@pytest.mark.parametrize(
    ("offset", "error", "message"),
    [
        ((1.0, 2.0), ValueError, "offset: expected shape (3,) [m], got (2,)"),
        (np.zeros((3, 1)), ValueError, "offset: expected shape (3,) [m], got (3, 1)"),
        (1.0, ValueError, "offset: expected shape (3,) [m], got ()"),
        ((0.0, np.nan, 0.0), ValueError, "offset: expected finite numbers [m], got nan at [1]"),
        ((0.0, 0.0, np.inf), ValueError, "offset: expected finite numbers [m], got inf at [2]"),
        ("abc", TypeError, "offset: expected shape (3,) [m], got 'abc'"),
        ([1.0, None, 2.0], TypeError, "offset: expected shape (3,) [m], got [1.0, None, 2.0]"),
    ],
)
def test_an_offset_that_is_no_point_is_named(
    kind: str, question: str, offset: object, error: type[Exception], message: str, scene: Scene
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        ask(scene.frames[kind], question, offset=offset)


@every_kind
@every_question
def test_frames_are_given_by_keyword(kind: str, question: str, scene: Scene) -> None:
    with pytest.raises(TypeError):
        getattr(scene.frames[kind], question)(None, kido.WORLD)


@every_kind
@pytest.mark.parametrize("wrong", NOT_FRAMES, ids=lambda wrong: type(wrong).__name__)
def test_kinship_with_what_is_no_frame_is_refused(kind: str, wrong: object, own: Scene) -> None:
    frame = own.frames[kind]
    with pytest.raises(TypeError, match=f"^frame: expected a Frame, got {type(wrong).__name__}$"):
        frame.descends_from(wrong)  # type: ignore[arg-type]
    with pytest.raises((TypeError, FrameError)):
        frame.set_parent_frame(wrong)  # type: ignore[arg-type]
    assert frame.descends_from(frame)


class Sensorless(kido.SimpleFrame):
    """A user's kind of SimpleFrame."""
