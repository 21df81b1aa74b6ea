"""FixedFrames: where they were put, at rest there."""

from __future__ import annotations

import re

import numpy as np
import pytest
from _frame_motion import Scene, posed
from _random_trees import assert_near, random_transform

import kido
from kido.errors import FrameError


def test_a_fixed_frame_stays_where_it_was_put_and_copies_the_pose() -> None:
    T = random_transform(np.random.default_rng(0))
    given = T.copy()
    frame = kido.FixedFrame("frame", None, given)
    given[...] = 0.0
    assert np.array_equal(frame.relative_transform, T)
    assert np.array_equal(frame.transform(), T)


def test_a_fixed_frame_without_a_pose_is_where_its_parent_is() -> None:
    scene = Scene(0)
    body = scene.frames["body"]
    frame = kido.FixedFrame("frame", body)
    assert np.array_equal(frame.transform(), body.transform())
    assert kido.FixedFrame("other").parent_frame is kido.WORLD


def test_a_fixed_frame_is_at_rest_in_its_parent_and_moves_with_it() -> None:
    scene = Scene(0)
    body = scene.frames["body"]
    frame = kido.FixedFrame("frame", body, posed(np.eye(3), np.array([0.1, 0.2, 0.3])))
    for quantity in ("spatial_velocity", "spatial_acceleration"):
        assert not getattr(frame, f"relative_{quantity}").any()
        assert_near(getattr(frame, quantity)(relative_to=body), np.zeros(6), 1e-14)
        assert_near(getattr(frame, quantity)(), getattr(body, quantity)((0.1, 0.2, 0.3)), 1e-14)


@pytest.mark.parametrize(
    "name", ["relative_transform", "relative_spatial_velocity", "relative_spatial_acceleration"]
)
def test_nothing_of_a_fixed_frame_can_be_set(name: str) -> None:
    frame = kido.FixedFrame("frame")
    with pytest.raises(AttributeError):
        setattr(frame, name, np.zeros(6))
    assert np.array_equal(frame.transform(), np.eye(4))


def test_a_fixed_frame_stays_with_its_parent() -> None:
    parent = kido.SimpleFrame("parent")
    frame = kido.FixedFrame("frame", parent)
    with pytest.raises(FrameError, match=r"^'frame' is fixed to 'parent'$"):
        frame.set_parent_frame(kido.WORLD)
    assert frame.parent_frame is parent


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("frame", "hand"), TypeError, "parent: expected a Frame, got str"),
        (("frame", None, np.eye(3)), ValueError, "transform: expected shape (..., 4, 4) [-, m], got (3, 3)"),
        (("frame", None, 2.0 * np.eye(4)), ValueError, "transform: expected the last row [0, 0, 0, 1]"),
        (("",), ValueError, "name: expected a nonempty string, got ''"),
        ((None,), TypeError, "name: expected a string, got NoneType"),
    ],
)
def test_bad_arguments_are_named(arguments: tuple[object, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        kido.FixedFrame(*arguments)  # type: ignore[arg-type]
