"""`kido replay`, and `kido view` of recordings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from _outcome import Outcome
from _processes import interrupted

import kido as library

Run = Callable[..., Outcome]

RUN = """
import json, sys, kido.cli._view as command
from kido.cli import main
class Noted(command.Viewer):
    def run(self):
        self.on_frame(self.tell)
        super().run()
        print(json.dumps([self.playing, self.speed, self._playback.now, self.skeletons[0].name]))
    def tell(self):
        if not hasattr(self, "told") and (self._playback.now > 0.0 or not self.playing):
            self.told = print("a frame", flush=True)
command.Viewer = Noted
sys.argv = ["kido", *sys.argv[1:]]
main()
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replay") / "fall.h5"
    world = library.World(library.gallery.pendulum())
    with library.record(world, path, rate=50):
        world.step(20_000)
    return path


def shown(*arguments: str | Path) -> list:
    """Whether it plays, its speed, the time and the first skeleton in the end."""
    _, out = interrupted(RUN, *map(str, arguments), "--port", "0", "--no-open", code=130)
    return list(json.loads(out.splitlines()[-1]))


def test_a_recording_plays_at_the_speed_that_is_asked_for(recorded: Path) -> None:
    playing, speed, now, name = shown("replay", recorded, "--speed", "2")
    assert (playing, speed, name) == (True, 2.0, "pendulum")
    assert 0.0 < now < 20.0


def test_a_recording_stands_still_at_a_time(recorded: Path) -> None:
    assert shown("replay", recorded, "--at", "1.5") == [False, 1.0, 1.5, "pendulum"]


def test_view_takes_recordings_too(recorded: Path) -> None:
    assert shown("view", recorded)[0] is True


def test_what_makes_no_sense_is_one_line(kido: Run, recorded: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (("replay", recorded, "--at", "30"), "--at: expected 0 to 20 [s], got 30"),
        (("replay", recorded, "--speed", "0"), "--speed: expected 0.001 to 1000, got 0"),
        (("replay", "examples/arm.urdf"), "is no recording"),
        (("replay", tmp_path / "nothing.h5"), "nothing.h5"),
        (("view", recorded, "--robot", "a"), "--robot: of model files"),
        (("view", recorded, "--no-simulate"), "--simulate: of model files"),
        (("view", "examples/arm.urdf", "--host", "203.0.113.1"), "cannot listen at 203.0.113.1"),
    ):
        outcome = kido(*arguments)
        assert outcome.code == 1
        assert words in outcome.text
        assert len(outcome.text.splitlines()) == 1
