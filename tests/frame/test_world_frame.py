"""The world: one frame, which never moves."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import kido
from kido.errors import FrameError


def test_there_is_one_world() -> None:
    with pytest.raises(FrameError, match=r"^there is one world, kido\.WORLD$"):
        kido.WorldFrame()
    assert kido.frame.WORLD is kido.WORLD
    assert isinstance(kido.WORLD, kido.WorldFrame)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_of_the_world_is_the_world(protocol: int) -> None:
    assert pickle.loads(pickle.dumps({"frame": kido.WORLD}, protocol))["frame"] is kido.WORLD
    assert copy.copy(kido.WORLD) is kido.WORLD
    assert copy.deepcopy([kido.WORLD])[0] is kido.WORLD


def test_a_pickle_of_the_world_is_the_world_of_another_process() -> None:
    code = f"import kido, pickle; assert pickle.loads({pickle.dumps(kido.WORLD)!r}) is kido.WORLD"
    assert subprocess.run([sys.executable, "-c", code], check=True).returncode == 0


def test_the_world_stands_at_the_origin_at_rest() -> None:
    assert np.array_equal(kido.WORLD.transform(), np.eye(4))
    for name in ("spatial_velocity", "spatial_acceleration", "linear_velocity", "angular_acceleration"):
        assert not getattr(kido.WORLD, name)().any()
    assert not kido.WORLD.linear_velocity((1.0, 2.0, 3.0)).any()


def test_the_worlds_parent_is_the_world_and_stays_it() -> None:
    assert kido.WORLD.parent_frame is kido.WORLD
    assert kido.WORLD.is_world and not kido.SimpleFrame().is_world
    with pytest.raises(FrameError, match=r"^the world has no parent but itself$"):
        kido.WORLD.set_parent_frame(kido.SimpleFrame())
    assert kido.WORLD.parent_frame is kido.WORLD


def test_the_world_keeps_its_name() -> None:
    with pytest.raises(FrameError, match=r"^the world has the name 'world'$"):
        kido.WORLD.name = "earth"
    assert kido.WORLD.name == "world"


def test_everything_descends_from_the_world_and_the_world_from_nothing_else() -> None:
    frame = kido.SimpleFrame("a", kido.FixedFrame("b"))
    assert frame.descends_from(kido.WORLD) and kido.WORLD.descends_from(kido.WORLD)
    assert not kido.WORLD.descends_from(frame)


def test_the_world_moves_backward_for_one_who_moves() -> None:
    frame = kido.SimpleFrame()
    frame.set_classic_derivatives((1.0, 2.0, 3.0), linear_acceleration=(4.0, 5.0, 6.0))
    assert kido.WORLD.linear_velocity(relative_to=frame).tolist() == [-1.0, -2.0, -3.0]
    assert kido.WORLD.linear_acceleration(relative_to=frame).tolist() == [-4.0, -5.0, -6.0]
