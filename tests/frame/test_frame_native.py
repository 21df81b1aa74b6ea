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
