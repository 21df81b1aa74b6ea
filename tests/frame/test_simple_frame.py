"""SimpleFrames: what is set, relative to what, in which axes."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from _frame_motion import Orbit, Scene, posed
from _random_trees import Array, assert_near, random_transform
from scipy.spatial.transform import RigidTransform, Rotation

import kido
from kido.errors import FrameError

EXACT = 1e-13


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.fixture
def scene() -> Scene:
    return Scene(4)


@pytest.fixture
def frame(scene: Scene) -> kido.SimpleFrame:
    """A frame on a moving one."""
    return scene.simple("frame", scene.frames["rider"])


def motion(frame: kido.SimpleFrame) -> list[Array]:
    """All that can be set of a frame."""
    return [frame.relative_transform, frame.relative_spatial_velocity, frame.relative_spatial_acceleration]


# ---- defaults and what can be given


def test_a_frame_stands_at_rest_where_its_parent_is_unless_told_otherwise() -> None:
    frame = kido.SimpleFrame()
    assert frame.parent_frame is kido.WORLD
    assert np.array_equal(frame.transform(), np.eye(4))
    assert not frame.spatial_velocity().any() and not frame.spatial_acceleration().any()


def test_a_transform_is_given_as_matrix_rigid_transform_or_lists(rng: np.random.Generator) -> None:
    T = random_transform(rng)
    for given in (T, RigidTransform.from_matrix(T), T.tolist(), np.asfortranarray(T), T[:, ::-1][:, ::-1]):
        frame = kido.SimpleFrame("frame", None, given)
        assert_near(frame.relative_transform, T, 1e-15)
        other = kido.SimpleFrame()
        other.relative_transform = given
        assert_near(other.transform(), T, 1e-15)
        other.set_transform(np.eye(4))
        other.set_transform(given)
        assert_near(other.transform(), T, 1e-15)


def test_a_rotation_is_given_as_matrix_or_scipy_rotation() -> None:
    turn = Rotation.from_euler("xyz", [0.1, 0.2, 0.3])
    frame = kido.SimpleFrame()
    for given in (turn, turn.as_matrix(), turn.as_matrix().tolist()):
        frame.relative_rotation = np.eye(3)
        frame.relative_rotation = given
        assert_near(frame.relative_rotation, turn.as_matrix(), 1e-15)
        frame.relative_rotation = np.eye(3)
        frame.set_rotation(given)
        assert_near(frame.relative_rotation, turn.as_matrix(), 1e-15)


def test_numbers_that_are_set_are_copied(rng: np.random.Generator) -> None:
    T, V, A, p, R = random_transform(rng), rng.random(6), rng.random(6), rng.random(3), np.eye(3)
    frame = kido.SimpleFrame("frame", None, T)
    frame.relative_spatial_velocity, frame.relative_spatial_acceleration = V, A
    kept = [x.copy() for x in (T, V, A)]
    for given in (T, V, A):
        given[...] = 0.5
    for got, expected in zip(motion(frame), kept, strict=True):
        assert np.array_equal(got, expected)
    frame.relative_translation, frame.relative_rotation = p, R
    kept_point = p.copy()
    p[...] = R[...] = 0.5
    assert np.array_equal(frame.relative_transform, posed(np.eye(3), kept_point))


def test_what_is_handed_out_are_copies(frame: kido.SimpleFrame) -> None:
    before = motion(frame)
    for got in (*motion(frame), frame.relative_translation, frame.relative_rotation):
        got[...] = 7.0
    for again, expected in zip(motion(frame), before, strict=True):
        assert np.array_equal(again, expected)


# ---- poses


def test_parts_of_the_pose_are_set_by_themselves(frame: kido.SimpleFrame, rng: np.random.Generator) -> None:
    T, V, A = motion(frame)
    other = random_transform(rng)
    frame.relative_translation = other[:3, 3]
    assert np.array_equal(frame.relative_transform, posed(T[:3, :3], other[:3, 3]))
    assert np.array_equal(frame.relative_translation, other[:3, 3])
    frame.relative_rotation = other[:3, :3]
    assert np.array_equal(frame.relative_transform, other)
    assert np.array_equal(frame.relative_rotation, other[:3, :3])
    assert np.array_equal(frame.relative_spatial_velocity, V)
    assert np.array_equal(frame.relative_spatial_acceleration, A)


def test_a_transform_is_set_relative_to_any_frame(
    frame: kido.SimpleFrame, scene: Scene, rng: np.random.Generator
) -> None:
    for other in scene.frames.values():
        T, V, A = random_transform(rng), *motion(frame)[1:]
        frame.set_transform(T, relative_to=other)
        assert_near(frame.transform(relative_to=other), T, EXACT)
        assert np.array_equal(frame.relative_spatial_velocity, V)
        assert np.array_equal(frame.relative_spatial_acceleration, A)
    frame.set_transform(T)
    assert_near(frame.transform(), T, EXACT)


def test_a_translation_is_set_relative_to_any_frame_and_the_axes_stay(
    frame: kido.SimpleFrame, scene: Scene, rng: np.random.Generator
) -> None:
    R = frame.transform()[:3, :3]
    for other in (None, *scene.frames.values()):
        p = rng.random(3)
        frame.set_translation(p, relative_to=other)
        assert_near(frame.transform(relative_to=other)[:3, 3], p, EXACT)
        assert_near(frame.transform()[:3, :3], R, EXACT)


def test_a_rotation_is_set_relative_to_any_frame_and_the_origin_stays(
    frame: kido.SimpleFrame, scene: Scene, rng: np.random.Generator
) -> None:
    p = frame.transform()[:3, 3]
    for other in (None, *scene.frames.values()):
        R = Rotation.random(random_state=rng).as_matrix()
        frame.set_rotation(R, relative_to=other)
        assert_near(frame.transform(relative_to=other)[:3, :3], R, EXACT)
        assert_near(frame.transform()[:3, 3], p, EXACT)


def test_a_pose_relative_to_the_parent_is_stored_bit_for_bit(
    frame: kido.SimpleFrame, rng: np.random.Generator
) -> None:
    T = random_transform(rng)
    frame.set_transform(T, relative_to=frame.parent_frame)
    assert np.array_equal(frame.relative_transform, T)


def test_a_frame_is_not_placed_relative_to_itself_or_what_moves_with_it(frame: kido.SimpleFrame) -> None:
    follower = Orbit("follower", kido.FixedFrame("between", frame))
    before = motion(frame)
    for other in (frame, follower):
        what = "itself" if other is frame else "'follower', which moves with it"
        for place, value in (
            (frame.set_transform, np.eye(4)),
            (frame.set_translation, np.zeros(3)),
            (frame.set_rotation, np.eye(3)),
        ):
            with pytest.raises(FrameError, match=f"^'frame' cannot be placed relative to {what}$"):
                place(value, relative_to=other)
    for got, expected in zip(motion(frame), before, strict=True):
        assert np.array_equal(got, expected)


# ---- velocities and accelerations


def test_spatial_motion_is_given_in_the_axes_of_any_frame(
    frame: kido.SimpleFrame, scene: Scene, rng: np.random.Generator
) -> None:
    for other in (None, frame, *scene.frames.values()):
        axes = frame if other is None else other
        turn = frame.transform()[:3, :3].T @ axes.transform()[:3, :3]
        V, A = rng.random((2, 6))
        frame.set_relative_spatial_velocity(V, in_coordinates_of=other)
        frame.set_relative_spatial_acceleration(A, in_coordinates_of=other)
        assert_near(frame.relative_spatial_velocity, (V.reshape(2, 3) @ turn.T).ravel(), EXACT)
        assert_near(frame.relative_spatial_acceleration, (A.reshape(2, 3) @ turn.T).ravel(), EXACT)
        got = frame.spatial_velocity(relative_to=frame.parent_frame, in_coordinates_of=axes)
        assert_near(got, V, EXACT)


def test_velocities_in_own_axes_are_stored_bit_for_bit(
    frame: kido.SimpleFrame, rng: np.random.Generator
) -> None:
    V, A = rng.random((2, 6))
    for axes in (None, frame):
        frame.relative_spatial_velocity = frame.relative_spatial_acceleration = np.zeros(6)
        frame.set_relative_spatial_velocity(V, in_coordinates_of=axes)
        frame.set_relative_spatial_acceleration(A, in_coordinates_of=axes)
        assert np.array_equal(frame.relative_spatial_velocity, V)
        assert np.array_equal(frame.relative_spatial_acceleration, A)


def test_classic_derivatives_are_those_of_point_mechanics_in_the_parents_axes(
    frame: kido.SimpleFrame, rng: np.random.Generator
) -> None:
    v, w, a, alpha = rng.uniform(-1.0, 1.0, (4, 3))
    T, parent = frame.relative_transform, frame.parent_frame
    frame.set_classic_derivatives(v, w, a, alpha)
    seen = {"relative_to": parent, "in_coordinates_of": parent}
    assert_near(frame.linear_velocity(**seen), v, EXACT)
    assert_near(frame.angular_velocity(**seen), w, EXACT)
    assert_near(frame.linear_acceleration(**seen), a, EXACT)
    assert_near(frame.angular_acceleration(**seen), alpha, EXACT)
    assert np.array_equal(frame.relative_transform, T)
    to_own = T[:3, :3].T
    assert_near(frame.relative_spatial_velocity, [*(to_own @ w), *(to_own @ v)], EXACT)
    expected = [*(to_own @ alpha), *(to_own @ (a - np.cross(w, v)))]
    assert_near(frame.relative_spatial_acceleration, expected, EXACT)


def test_straight_motion_of_a_spinning_frame_has_spatial_acceleration() -> None:
    frame = kido.SimpleFrame()
    frame.set_classic_derivatives((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert frame.relative_spatial_velocity.tolist() == [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    assert frame.relative_spatial_acceleration.tolist() == [0.0, 0.0, 0.0, 0.0, -1.0, 0.0]
    assert not frame.linear_acceleration().any()


def test_classic_derivatives_that_are_left_out_are_zero(frame: kido.SimpleFrame) -> None:
    frame.set_classic_derivatives()
    assert not frame.relative_spatial_velocity.any()
    assert not frame.relative_spatial_acceleration.any()


# ---- bad input: an error that names it, and nothing changed

BAD_POSES = [
    (np.eye(3), ValueError, "expected shape (..., 4, 4) [-, m], got (3, 3)"),
    (np.zeros((2, 4, 4)) + np.eye(4), ValueError, "expected shape (4, 4) [-, m], got (2, 4, 4)"),
    (np.diag([1.0, 1.0, 2.0, 1.0]), ValueError, "expected a rotation"),
    (np.diag([1.0, 1.0, -1.0, 1.0]), ValueError, "expected a right-handed rotation, got a reflection"),
    (np.diag([1.0, 1.0, 1.0, 2.0]), ValueError, "expected the last row [0, 0, 0, 1]"),
    (np.full((4, 4), np.nan), ValueError, "expected finite numbers"),
    ("abc", TypeError, "expected real numbers of shape (..., 4, 4) [-, m], got 'abc'"),
    (None, TypeError, "expected real numbers of shape (..., 4, 4) [-, m], got None"),
]
BAD_ROTATIONS = [
    (np.eye(4), ValueError, "expected shape (..., 3, 3)"),
    (np.zeros((2, 3, 3)) + np.eye(3), ValueError, "expected shape (3, 3) [-], got (2, 3, 3)"),
    (2.0 * np.eye(3), ValueError, "expected a rotation"),
    (-np.eye(3), ValueError, "expected a right-handed rotation, got a reflection"),
    (np.full((3, 3), np.nan), ValueError, "expected finite numbers"),
]


def bad_vectors(size: int, unit: str) -> list[tuple[object, type[Exception], str]]:
    return [
        (np.zeros(size + 1), ValueError, f"expected shape ({size},) [{unit}], got ({size + 1},)"),
        (np.zeros((1, size)), ValueError, f"expected shape ({size},) [{unit}], got (1, {size})"),
        (1.0, ValueError, f"expected shape ({size},) [{unit}], got ()"),
        ([np.nan] * size, ValueError, f"expected finite numbers [{unit}], got"),
        ([np.inf] * size, ValueError, f"expected finite numbers [{unit}], got"),
    ]


def calls() -> list[tuple[str, Callable[[kido.SimpleFrame, object], None], object, type[Exception], str]]:
    def assign(name: str) -> Callable[[kido.SimpleFrame, object], None]:
        return lambda frame, value: setattr(frame, name, value)

    def call(method: str, argument: str = "") -> Callable[[kido.SimpleFrame, object], None]:
        if argument:
            return lambda frame, value: getattr(frame, method)(**{argument: value})
        return lambda frame, value: getattr(frame, method)(value)

    V, A = "rad/s, m/s", "rad/s^2, m/s^2"
    classic = {
        "linear_velocity": "m/s",
        "angular_velocity": "rad/s",
        "linear_acceleration": "m/s^2",
        "angular_acceleration": "rad/s^2",
    }
    table = [
        ("relative_transform", assign("relative_transform"), BAD_POSES),
        ("transform", call("set_transform"), BAD_POSES),
        ("relative_rotation", assign("relative_rotation"), BAD_ROTATIONS),
        ("rotation", call("set_rotation"), BAD_ROTATIONS),
        ("relative_translation", assign("relative_translation"), bad_vectors(3, "m")),
        ("translation", call("set_translation"), bad_vectors(3, "m")),
        ("relative_spatial_velocity", assign("relative_spatial_velocity"), bad_vectors(6, V)),
        ("velocity", call("set_relative_spatial_velocity"), bad_vectors(6, V)),
        ("relative_spatial_acceleration", assign("relative_spatial_acceleration"), bad_vectors(6, A)),
        ("acceleration", call("set_relative_spatial_acceleration"), bad_vectors(6, A)),
        *(
            (name, call("set_classic_derivatives", name), bad_vectors(3, unit))
            for name, unit in classic.items()
        ),
    ]
    return [(name, act, *bad) for name, act, bads in table for bad in bads]


@pytest.mark.parametrize(("name", "act", "value", "error", "message"), calls())
def test_bad_numbers_are_named_and_nothing_changes(
    name: str,
    act: Callable[[kido.SimpleFrame, object], None],
    value: object,
    error: type[Exception],
    message: str,
    frame: kido.SimpleFrame,
) -> None:
    before = motion(frame)
    with pytest.raises(error, match=f"^{name}: {re.escape(message)}"):
        act(frame, value)
    for got, expected in zip(motion(frame), before, strict=True):
        assert np.array_equal(got, expected)


@pytest.mark.parametrize(
    ("method", "value", "argument"),
    [
        ("set_transform", np.eye(4), "relative_to"),
        ("set_translation", np.zeros(3), "relative_to"),
        ("set_rotation", np.eye(3), "relative_to"),
        ("set_relative_spatial_velocity", np.zeros(6), "in_coordinates_of"),
        ("set_relative_spatial_acceleration", np.zeros(6), "in_coordinates_of"),
    ],
)
def test_what_is_no_frame_is_named_and_nothing_changes(
    method: str, value: Array, argument: str, frame: kido.SimpleFrame
) -> None:
    before = motion(frame)
    with pytest.raises(TypeError, match=f"^{argument}: expected a Frame, got str$"):
        getattr(frame, method)(value, **{argument: "hand"})
    for got, expected in zip(motion(frame), before, strict=True):
        assert np.array_equal(got, expected)


def test_bad_arguments_of_the_constructor_are_named() -> None:
    with pytest.raises(
        ValueError, match=r"^transform: expected shape \(\.\.\., 4, 4\) \[-, m\], got \(3, 3\)$"
    ):
        kido.SimpleFrame("frame", None, np.eye(3))
    with pytest.raises(TypeError, match=r"^parent: expected a Frame, got str$"):
        kido.SimpleFrame("frame", "hand")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^name: expected a string, got int$"):
        kido.SimpleFrame(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^name: expected a nonempty string, got ''$"):
        kido.SimpleFrame("")


def test_derivatives_that_overflow_change_nothing(frame: kido.SimpleFrame) -> None:
    before = motion(frame)
    with (
        np.errstate(all="ignore"),
        pytest.raises(ValueError, match=r"^relative_spatial_acceleration: expected finite numbers"),
    ):
        frame.set_classic_derivatives((1e200, 0.0, 0.0), (0.0, 1e200, 0.0))
    for got, expected in zip(motion(frame), before, strict=True):
        assert np.array_equal(got, expected)


# ---- copies and children


def test_a_spawned_child_stands_at_rest_in_its_maker(
    frame: kido.SimpleFrame, rng: np.random.Generator
) -> None:
    T = random_transform(rng)
    child = frame.spawn_child("child", T)
    assert child.name == "child" and child.parent_frame is frame
    assert np.array_equal(child.relative_transform, T)
    assert not child.relative_spatial_velocity.any()
    assert np.array_equal(frame.spawn_child("other").relative_transform, np.eye(4))


def test_a_clone_moves_alike_and_by_itself(frame: kido.SimpleFrame, scene: Scene) -> None:
    before = motion(frame)
    clone = frame.clone()
    assert clone.parent_frame is frame.parent_frame and clone.name == frame.name
    elsewhere = frame.clone(scene.frames["body"], name="twin")
    assert elsewhere.parent_frame is scene.frames["body"] and elsewhere.name == "twin"
    for copy in (clone, elsewhere):
        for got, expected in zip(motion(copy), before, strict=True):
            assert np.array_equal(got, expected)
        copy.relative_transform = np.eye(4)
        copy.relative_spatial_velocity = copy.relative_spatial_acceleration = np.zeros(6)
    for got, expected in zip(motion(frame), before, strict=True):
        assert np.array_equal(got, expected)
