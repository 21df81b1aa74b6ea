"""Frames as users write them: three or five quantities, asked for at every question."""

from __future__ import annotations

import re

import numpy as np
import pytest
from _frame_motion import Orbit, Scene, adjoint_inverse, motion_product
from _random_trees import Array, assert_near

import kido


class Given(kido.Frame):
    """A frame that says what it is told to."""

    def __init__(self, name: str = "given", parent: kido.Frame | None = None) -> None:
        super().__init__(name, parent)
        self.T: object = np.eye(4)
        self.V: object = np.zeros(6)
        self.A: object = np.zeros(6)

    @property
    def relative_transform(self) -> Array:
        return self.T  # type: ignore[return-value]

    @property
    def relative_spatial_velocity(self) -> Array:
        return self.V  # type: ignore[return-value]

    @property
    def relative_spatial_acceleration(self) -> Array:
        return self.A  # type: ignore[return-value]


class Hinge(Given):
    """A frame of all five quantities: its axis is not constant, so part of its acceleration is velocity's."""

    primary = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])

    @property
    def primary_relative_acceleration(self) -> Array:
        return self.primary

    @property
    def partial_acceleration(self) -> Array:
        bias = self.relative_spatial_acceleration - self.primary
        return np.asarray(motion_product(self.spatial_velocity(), self.relative_spatial_velocity) + bias)


def test_three_quantities_make_a_frame() -> None:
    class Constant(kido.Frame):
        relative_transform = np.diag([1.0, -1.0, -1.0, 1.0])
        relative_spatial_velocity = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        relative_spatial_acceleration = np.zeros(6)

    frame = Constant("constant")
    assert frame.parent_frame is kido.WORLD and frame.name == "constant"
    assert frame.angular_velocity().tolist() == [0.0, 0.0, -1.0]
    assert frame.linear_acceleration((1.0, 0.0, 0.0)).tolist() == [-1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "missing", ["relative_transform", "relative_spatial_velocity", "relative_spatial_acceleration"]
)
def test_a_class_without_one_of_the_three_is_refused(missing: str) -> None:
    given = {
        "relative_transform": np.eye(4),
        "relative_spatial_velocity": np.zeros(6),
        "relative_spatial_acceleration": np.zeros(6),
    }
    del given[missing]
    broken = type("Broken", (kido.Frame,), given)
    with pytest.raises(TypeError, match=f"^Broken: a frame of your own defines {missing}$"):
        broken("frame")


def test_the_base_class_is_no_frame_by_itself() -> None:
    with pytest.raises(TypeError, match=r"^Frame: a frame of your own defines relative_transform$"):
        kido.Frame("frame")


def test_what_changes_between_questions_is_never_stale() -> None:
    frame = Orbit("orbit", kido.FixedFrame("axle"))
    child = kido.SimpleFrame("child", frame)
    for time in (0.0, 0.5, 2.0):
        frame.time = time
        spin, angle = 1.3 + 0.7 * time, 1.3 * time + 0.35 * time**2
        ahead = np.array([-np.sin(angle), np.cos(angle), 0.0])
        assert_near(child.transform()[:3, 3], 0.5 * np.array([np.cos(angle), np.sin(angle), 0.0]), 1e-14)
        assert_near(child.linear_velocity(), 0.5 * spin * ahead, 1e-14)
        inward = -np.array([np.cos(angle), np.sin(angle), 0.0])
        assert_near(child.linear_acceleration(), 0.5 * (0.7 * ahead + spin**2 * inward), 1e-14)


def test_only_what_a_question_needs_is_asked_for() -> None:
    frame = Given()
    child = kido.SimpleFrame("child", frame)
    frame.V = frame.A = "nothing"
    assert np.array_equal(child.transform(), np.eye(4))
    frame.V = np.ones(6)
    assert child.spatial_velocity().tolist() == [1.0] * 6
    frame.T = "nothing"
    for question in (child.transform, child.spatial_velocity, child.spatial_acceleration):
        with pytest.raises(TypeError, match=r"^relative_transform: "):
            question()


def test_without_primary_and_partial_the_whole_relative_acceleration_is_primary() -> None:
    scene = Scene(5)
    frame = Given("frame", scene.frames["rider"])
    frame.V, frame.A = scene.rng.random((2, 6))
    assert np.array_equal(frame.primary_relative_acceleration, frame.relative_spatial_acceleration)
    expected = motion_product(frame.spatial_velocity(), frame.relative_spatial_velocity)
    assert_near(frame.partial_acceleration, expected, 1e-14)


def test_five_quantities_add_up_to_the_acceleration() -> None:
    scene = Scene(6)
    parent = scene.frames["rider"]
    frame = Hinge("hinge", parent)
    frame.V, frame.A = scene.rng.random((2, 6))
    X = adjoint_inverse(frame.relative_transform)
    total = (
        X @ parent.spatial_acceleration() + frame.primary_relative_acceleration + frame.partial_acceleration
    )
    assert_near(frame.spatial_acceleration(), total, 1e-13)


T, V, A = "relative_transform", "relative_spatial_velocity", "relative_spatial_acceleration"


@pytest.mark.parametrize(
    ("attribute", "value", "error", "message"),
    [
        ("T", np.eye(3), ValueError, f"{T}: expected shape (4, 4) [m], got (3, 3)"),
        ("T", np.zeros((1, 4, 4)), ValueError, f"{T}: expected shape (4, 4) [m], got (1, 4, 4)"),
        ("T", np.full((4, 4), np.nan), ValueError, f"{T}: expected finite numbers [m], got nan"),
        ("T", "abc", TypeError, f"{T}: expected shape (4, 4) [m], got 'abc'"),
        ("V", np.zeros(3), ValueError, f"{V}: expected shape (6,) [rad/s, m/s], got (3,)"),
        ("V", 1.0, ValueError, f"{V}: expected shape (6,) [rad/s, m/s], got ()"),
        ("V", [np.inf] * 6, ValueError, f"{V}: expected finite numbers [rad/s, m/s], got inf"),
        ("A", np.zeros((6, 1)), ValueError, f"{A}: expected shape (6,) [rad/s^2, m/s^2], got (6, 1)"),
        ("A", [np.nan] * 6, ValueError, f"{A}: expected finite numbers [rad/s^2, m/s^2], got nan"),
        ("A", object(), TypeError, f"{A}: expected shape (6,) [rad/s^2, m/s^2], got <object"),
    ],
)
def test_a_quantity_of_the_wrong_shape_is_named_to_whoever_asks(
    attribute: str, value: object, error: type[Exception], message: str
) -> None:
    frame = Given()
    child = kido.FixedFrame("child", frame)
    other = kido.SimpleFrame("other")
    setattr(frame, attribute, value)
    for asked, relative in ((frame, None), (child, other), (other, child), (other, frame)):
        with pytest.raises(error, match=f"^{re.escape(message)}"):
            asked.spatial_acceleration(relative_to=relative)


def test_an_error_in_a_quantity_reaches_whoever_asks() -> None:
    class Failing(Given):
        @property
        def relative_spatial_velocity(self) -> Array:
            raise LookupError("no measurement yet")

    child = kido.FixedFrame("child", Failing())
    assert np.array_equal(child.transform(), np.eye(4))
    with pytest.raises(LookupError, match=r"^no measurement yet$"):
        child.spatial_velocity()


def test_quantities_are_read_from_whatever_numbers_stand_in() -> None:
    frame = Given()
    frame.T = np.asfortranarray(np.eye(4, dtype=np.float32)).tolist()
    frame.V = [0, 0, 1, 0, 0, 0]
    frame.A = np.arange(12)[::2]
    assert np.array_equal(frame.transform(), np.eye(4))
    assert frame.spatial_velocity().tolist() == [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    assert frame.spatial_acceleration().tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]


def test_a_users_frame_can_ask_other_frames() -> None:
    """One that stays above another, upright, whatever that does."""

    class Above(Given):
        def __init__(self, followed: kido.Frame) -> None:
            super().__init__("above")
            self.followed = followed

        @property
        def relative_transform(self) -> Array:
            pose = np.eye(4)
            pose[:3, 3] = self.followed.transform()[:3, 3] + [0.0, 0.0, 1.0]
            return pose

    body = Scene(7).frames["body"]
    above = Above(body)
    assert_near(
        above.transform(relative_to=kido.WORLD)[:3, 3] - body.transform()[:3, 3], [0.0, 0.0, 1.0], 1e-15
    )


def test_a_users_frame_is_moved_to_another_parent() -> None:
    scene = Scene(8)
    before, after = scene.frames["carrier"], scene.frames["end effector"]
    frame = Orbit("orbit", before)
    frame.set_parent_frame(after)
    assert frame.parent_frame is after
    assert frame not in before.child_frames and frame in after.child_frames
    assert_near(frame.transform(), after.transform() @ frame.relative_transform, 1e-14)
