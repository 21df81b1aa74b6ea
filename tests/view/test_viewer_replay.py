"""Recordings in the viewer: what has times and a playback of skeletons and contacts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from _listener import Listener

import kido
from kido.view._viewer._replay import Replay


class Swing:
    """A pendulum that is moved to any time of a motion q = sin(t)."""

    def __init__(self) -> None:
        self._skeleton = kido.gallery.pendulum()
        self.time = 1.0

    @property
    def time(self) -> float:
        return self._time

    @time.setter
    def time(self, time: float) -> None:
        self._time = time
        self._skeleton.positions = [np.sin(time)]

    @property
    def skeletons(self) -> Sequence[kido.Skeleton]:
        return (self._skeleton,)

    @property
    def contacts(self) -> Sequence[kido.Contact]:
        return ()


class Recorded:
    """A recording of it from 1 to 3 s, in steps of 0.25 s."""

    start_time, end_time = 1.0, 3.0
    times = np.linspace(1.0, 3.0, 9)

    def playback(self) -> Swing:
        return Swing()


def test_time_passes_at_the_speed_and_ends_with_the_recording() -> None:
    replay = Replay(Recorded())
    replay.advance(0.5)
    assert replay.now == 1.0
    replay.play()
    replay.advance(0.5)
    assert replay.now == 1.5
    assert replay.source.skeletons[0].positions[0] == np.sin(1.5)
    replay.speed = 2.0
    replay.advance(0.5)
    assert replay.now == 2.5
    assert replay.playing
    replay.advance(0.5)
    assert (replay.now, replay.playing) == (3.0, False)
    replay.play()
    assert (replay.now, replay.playing) == (1.0, True)


def test_steps_lead_from_sample_to_sample() -> None:
    replay = Replay(Recorded())
    replay.step()
    assert replay.now == 1.25
    replay.seek(1.3)
    replay.step()
    assert replay.now == 1.5
    replay.step(100)
    assert replay.now == 3.0
    replay.seek(99.0)
    assert replay.now == 3.0
    replay.seek(-1.0)
    assert replay.now == 1.0


def test_a_recording_is_played_in_the_browser_and_moved_by_the_slider() -> None:
    with kido.Viewer(Recorded(), port=0) as viewer:
        viewer.update()
        listener = Listener(viewer)
        listener.set_value("Time [s]", 2.0)
        (pendulum,) = viewer.skeletons
        listener.until(lambda: pendulum.positions[0] == np.sin(2.0))
        listener.set_value("Play", True)
        listener.until(lambda: viewer.playing)
        listener.until(lambda: not viewer.playing)
        assert pendulum.positions[0] == np.sin(3.0)
        assert listener.of_type("SceneNodeUpdateMessage")
        viewer.seek(1.5)
        assert pendulum.positions[0] == np.sin(1.5)
        with pytest.raises(ValueError, match="at most one World or recording"):
            kido.Viewer([Recorded(), kido.World()])


def test_a_recorded_world_stands_as_it_did() -> None:
    box = kido.gallery.box()
    box.positions = [0, 0, 0, 0, 0, 1.0]
    world = kido.World([kido.gallery.ground(), box])
    heights = {}
    with kido.record(world) as recording:
        for _ in range(60):
            world.step(10)
            heights[round(world.time, 9)] = box.positions[5]
    with kido.Viewer(recording, port=0, layers=["visual", "contacts", "forces"]) as shown:
        for moment in (0.1, 0.3, 0.6):
            shown.seek(moment)
            shown.update()
            assert shown.skeletons[1].positions[5] == pytest.approx(heights[moment], abs=1e-9)
            assert shown.skeletons[1] is not box
        shown.play()
        listener = Listener(shown)
        listener.until(lambda: not shown.playing)
        assert listener.of_type("ArrowMessage")
        assert shown.errors == ()
