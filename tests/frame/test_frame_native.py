"""The native half of frames against Python that it does not expect."""

from __future__ import annotations

import numpy as np
import pytest

import kido


def test_a_chain_of_a_hundred_thousand_frames_answers() -> None:
    top = child = kido.SimpleFrame("tip", transform=shifted(1e-3))
    for _ in range(100_000):
        parent = kido.SimpleFrame("link", transform=shifted(1e-3))
        child.set_parent_frame(parent)
        child = parent
    assert top.transform()[0, 3] == pytest.approx(100.001, rel=1e-9)


def test_frames_that_part_while_one_of_them_is_asked_stay_alive_until_it_answered() -> None:
    class Parting(kido.Frame):
        relative_spatial_velocity = relative_spatial_acceleration = np.zeros(6)

        @property
        def relative_transform(self) -> np.ndarray:
            for child in self.child_frames:
                child.set_parent_frame(kido.WORLD)
            return shifted(2.0)

    frame = Parting("parting", kido.SimpleFrame("base", transform=shifted(1.0)))
    child = kido.SimpleFrame("child", frame)
    del frame
    assert child.transform()[0, 3] == 3.0
    assert child.transform()[0, 3] == 0.0


@pytest.mark.parametrize("name", ["pose", "velocity", "acceleration"])
def test_only_frames_that_store_their_motion_have_it_set(name: str) -> None:
    body = kido.gallery.pendulum().body(0)
    for frame in (kido.WORLD, body):
        with pytest.raises(TypeError, match="not stored"):
            getattr(frame, f"_relative_{name}")()


def shifted(x: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3] = x
    return T


def test_a_pose_that_was_set_is_a_copy_and_checked_like_any_other() -> None:
    frame = kido.SimpleFrame("frame")
    T = np.eye(4)
    T[:3, 3] = 1.0, 2.0, 3.0
    frame.set_transform(T)
    expected = T.copy()
    T[0, 3] = 9.0
    np.testing.assert_array_equal(frame.transform(), expected)
    nearly, off = np.eye(4), np.eye(4)
    nearly[0, 1], off[0, 1] = 0.9e-6, 1.1e-6
    frame.set_transform(nearly)
    mirrored, scaled, last, nan = np.diag([1.0, 1, -1, 1]), np.diag([2.0, 2, 2, 1]), np.eye(4), np.eye(4)
    last[3, 0], nan[1, 3] = 1e-5, np.nan
    for wrong in (off, mirrored, scaled, last, nan):
        with pytest.raises(ValueError, match=r"^transform: expected "):
            frame.set_transform(wrong)
    np.testing.assert_array_equal(frame.transform(), nearly)
    child = kido.SimpleFrame("child", frame)
    frame.set_transform(expected)
    child.set_transform(np.eye(4))
    np.testing.assert_allclose(child.relative_transform[:3, 3], [-1.0, -2.0, -3.0], atol=1e-15)
