"""Trees of SimpleFrames against the recursion of spatial vectors and the mechanics of points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from _frame_motion import adjoint_inverse, motion_product, posed
from _random_trees import Array, assert_near, random_transform
from hypothesis import given
from hypothesis import strategies as st

import kido

EXACT = 1e-11


@dataclass(frozen=True)
class Placed:
    """Pose in the world, spatial velocity and acceleration in own axes."""

    T: Array
    V: Array
    A: Array


REST = Placed(np.eye(4), np.zeros(6), np.zeros(6))


def moved(parent: Placed, T: Array, V: Array, A: Array) -> Placed:
    """A frame whose motion relative to a parent is T, V, A: Featherstone (2008), section 2.11."""
    X = adjoint_inverse(T)
    velocity = X @ parent.V + V
    return Placed(parent.T @ T, velocity, X @ parent.A + A + motion_product(velocity, V))


def seen(base: Placed, frame: Placed) -> Placed:
    """The same frame as an observer in `base` sees it."""
    T = np.linalg.inv(base.T) @ frame.T
    X = adjoint_inverse(T)
    V = frame.V - X @ base.V
    return Placed(T, V, frame.A - X @ base.A - motion_product(frame.V, V))


def at(frame: Placed, offset: Array) -> Placed:
    """The frame's axes carried to another of its points."""
    return moved(frame, posed(np.eye(3), offset), np.zeros(6), np.zeros(6))


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[kido.SimpleFrame], list[Placed], np.random.Generator]:
    """Up to eight frames on each other, with any motion, and what they do in the world."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    frames: list[kido.SimpleFrame] = []
    placed: list[Placed] = []
    for index in range(draw(st.integers(2, 8))):
        parent = draw(st.integers(-1, index - 1))
        T, V, A = random_transform(rng), *rng.uniform(-2.0, 2.0, (2, 6))
        frame = kido.SimpleFrame(f"frame{index}", kido.WORLD if parent < 0 else frames[parent], T)
        frame.relative_spatial_velocity, frame.relative_spatial_acceleration = V, A
        frames.append(frame)
        placed.append(moved(REST if parent < 0 else placed[parent], T, V, A))
    return frames, placed, rng


@given(trees())
def test_motion_in_the_world_follows_the_recursion(
    tree: tuple[list[kido.SimpleFrame], list[Placed], np.random.Generator],
) -> None:
    for frame, expected in zip(*tree[:2], strict=True):
        assert_near(frame.transform(), expected.T, EXACT)
        assert_near(frame.spatial_velocity(), expected.V, EXACT)
        assert_near(frame.spatial_acceleration(), expected.A, EXACT)


@given(trees())
def test_motion_seen_from_any_frame_follows_the_recursion(
    tree: tuple[list[kido.SimpleFrame], list[Placed], np.random.Generator],
) -> None:
    frames, placed, rng = tree
    for frame, own in zip(frames, placed, strict=True):
        for other, base in zip(frames, placed, strict=True):
            offset = rng.uniform(-0.5, 0.5, 3)
            expected = seen(base, at(own, offset))
            got = frame.spatial_velocity(offset, relative_to=other)
            assert_near(got, expected.V, EXACT)
            got = frame.spatial_acceleration(offset, relative_to=other)
            assert_near(got, expected.A, EXACT)


@given(trees())
def test_vectors_of_points_are_those_of_spatial_motion(
    tree: tuple[list[kido.SimpleFrame], list[Placed], np.random.Generator],
) -> None:
    frames, placed, rng = tree
    frame, own = frames[-1], placed[-1]
    for (other, base), (third, axes) in zip(
        zip(frames, placed, strict=True), reversed([*zip(frames, placed, strict=True)]), strict=True
    ):
        offset = rng.uniform(-0.5, 0.5, 3)
        expected = seen(base, at(own, offset))
        turn = axes.T[:3, :3].T @ own.T[:3, :3]
        w, v = expected.V[:3], expected.V[3:]
        frames_asked = {"relative_to": other, "in_coordinates_of": third}
        assert_near(frame.linear_velocity(offset, **frames_asked), turn @ v, EXACT)
        assert_near(frame.angular_velocity(**frames_asked), turn @ w, EXACT)
        classic = expected.A[3:] + np.cross(w, v)
        assert_near(frame.linear_acceleration(offset, **frames_asked), turn @ classic, EXACT)
        assert_near(frame.angular_acceleration(**frames_asked), turn @ expected.A[:3], EXACT)


def test_a_turntable_gives_its_rider_coriolis_and_centripetal_acceleration() -> None:
    """One that slides outward at u on a table turning at w: w x (w x r) + 2 w x u."""
    table = kido.SimpleFrame("table")
    table.set_classic_derivatives(angular_velocity=(0.0, 0.0, 2.0))
    rider = kido.SimpleFrame("rider", table)
    rider.relative_translation = (0.5, 0.0, 0.0)
    rider.set_classic_derivatives(linear_velocity=(3.0, 0.0, 0.0))
    assert_near(rider.linear_velocity(), [3.0, 1.0, 0.0], 1e-15)
    assert_near(rider.linear_acceleration(), [-2.0, 12.0, 0.0], 1e-15)
    assert_near(rider.linear_acceleration(relative_to=table), np.zeros(3), 1e-15)
    assert_near(rider.spatial_acceleration(), [0.0, 0.0, 0.0, 0.0, 6.0, 0.0], 1e-15)


def test_one_at_rest_circles_backward_for_an_observer_who_turns() -> None:
    observer = kido.SimpleFrame("observer")
    observer.set_classic_derivatives(angular_velocity=(0.0, 0.0, 2.0), angular_acceleration=(0.0, 0.0, 5.0))
    mark = kido.FixedFrame("mark", None, posed(np.eye(3), np.array([0.5, 0.0, 0.0])))
    assert_near(mark.linear_velocity(relative_to=observer), [0.0, -1.0, 0.0], 1e-15)
    assert_near(mark.angular_velocity(relative_to=observer), [0.0, 0.0, -2.0], 1e-15)
    # Centripetal, toward the observer, and the rate of its turning, backward along the circle.
    assert_near(mark.linear_acceleration(relative_to=observer), [-2.0, -2.5, 0.0], 1e-15)
    assert_near(mark.angular_acceleration(relative_to=observer), [0.0, 0.0, -5.0], 1e-15)


def test_a_point_of_a_spinning_body_is_drawn_to_its_axis() -> None:
    top = kido.SimpleFrame("top")
    top.relative_spatial_velocity = (0.0, 0.0, 3.0, 0.0, 0.0, 0.0)
    assert_near(top.linear_velocity((0.2, 0.0, 0.0)), [0.0, 0.6, 0.0], 1e-15)
    assert_near(top.linear_acceleration((0.2, 0.0, 0.0)), [-1.8, 0.0, 0.0], 1e-15)
    assert_near(top.spatial_acceleration((0.2, 0.0, 0.0)), np.zeros(6), 1e-15)
