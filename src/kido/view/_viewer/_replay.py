"""A recording that is played."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from kido.typing import FloatArray
from kido.view._scene import SceneSource
from kido.view._viewer._playback import checked_speed

__all__ = ["Recorded", "Replay"]


class MovedSource(SceneSource, Protocol):
    """Skeletons and contacts of a recording, which are moved to any time."""

    time: float


class Recorded(Protocol):
    """A recording, as `kido.load_recording` gives it."""

    @property
    def start_time(self) -> float:
        """Time of the first sample [s]."""
        ...

    @property
    def end_time(self) -> float:
        """Time of the last sample [s]."""
        ...

    @property
    def times(self) -> FloatArray:
        """Times (n,) of the samples [s]."""
        ...

    def playback(self) -> MovedSource:
        """Skeletons at the start, which can be moved to any time."""
        ...


class Replay:
    """A recording that is played: paused, stepped, reset, at a speed, and moved to any time.

    Attributes:
        source: skeletons and contacts as they were at the present time.
        playing: whether time passes.
    """

    __slots__ = ("_recording", "_speed", "playing", "source")

    def __init__(self, recording: Recorded) -> None:
        """A recording that stands at its start."""
        self._recording = recording
        self.source = recording.playback()
        self.playing = False
        self._speed = 1.0

    @property
    def start(self) -> float:
        """Time of the first sample [s]."""
        return self._recording.start_time

    @property
    def end(self) -> float:
        """Time of the last sample [s]."""
        return self._recording.end_time

    @property
    def now(self) -> float:
        """The present time [s]."""
        return self.source.time

    @property
    def status(self) -> str:
        """State of the replay, in a line."""
        return f"{self.now:.3f} of {self.end:.3f} s, recorded"

    @property
    def speed(self) -> float:
        """Recorded time by time on the clock [-]. Can be set, from 0.001 to 1000."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._speed = checked_speed(speed)

    def play(self) -> None:
        """Let time pass, from the start where it is over."""
        if self.now >= self.end:
            self.reset()
        self.playing = True

    def pause(self) -> None:
        """Stand still."""
        self.playing = False

    def step(self, count: int = 1) -> None:
        """Stand still, some samples later."""
        times = self._recording.times
        index = int(np.searchsorted(times, self.now + 1e-9, side="right")) - 1 + count
        self.seek(float(times[min(max(index, 0), len(times) - 1)]))

    def advance(self, seconds: float) -> None:
        """Let a time on the clock pass [s]; at the end it stands still."""
        if self.playing:
            self.source.time = min(self.now + seconds * self._speed, self.end)
            self.playing = self.now < self.end

    def reset(self) -> None:
        """Stand still at the start."""
        self.seek(self.start)

    def seek(self, moment: float) -> bool:
        """Stand still as things stood at a moment [s], or at the nearest that was recorded."""
        self.pause()
        self.source.time = min(max(moment, self.start), self.end)
        return True
