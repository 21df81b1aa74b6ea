"""A world that is played."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from kido.errors import KidoError
from kido.view._viewer._history import History
from kido.world import World

__all__ = ["Playback", "checked_speed"]

_LONGEST_FRAME = 0.1
"""Time that a frame makes up for at most [s]: what was asleep does not run after."""
_BUDGET = 0.012
"""Time for the steps of one frame [s]."""
_LEAST_SPEED, _MOST_SPEED = 1e-3, 1e3


def checked_speed(speed: float) -> float:
    """A speed [-] from 0.001 to 1000. Raises ValueError."""
    if not _LEAST_SPEED <= speed <= _MOST_SPEED:
        raise ValueError(f"speed: expected {_LEAST_SPEED:g} to {_MOST_SPEED:g}, got {speed:g}")
    return float(speed)


class Playback:
    """A world that is played: paused, stepped, reset, at a speed, and taken back to what was.

    Time passes as on the clock, times `speed`; where steps take longer, the world is slower than that, and
    frames come in time all the same. `before_step` is called before each step, for forces that act in it.
    """

    __slots__ = (
        "_due",
        "_history",
        "_speed",
        "_step_cost",
        "before_step",
        "playing",
        "real_time_factor",
        "world",
    )

    def __init__(self, world: World, *, before_step: Callable[[], bool] | None = None) -> None:
        """A world that stands still until it is played.

        Args:
            world: which is played.
            before_step: called before a step; whether it wants to be called before each one.
        """
        self.world = world
        self.playing = False
        self.before_step = before_step
        self.real_time_factor = 0.0
        self._speed, self._due, self._step_cost = 1.0, 0.0, 0.0
        self._history = History()
        with suppress(KidoError):  # a world that cannot be simulated can be looked at; `step` tells why
            self._history.begin(world)

    @property
    def history(self) -> History:
        """Snapshots of what was played."""
        return self._history

    @property
    def start(self) -> float:
        """The first moment to which it can go back [s]."""
        return self._history.start

    @property
    def end(self) -> float:
        """The last moment that was played [s]."""
        return max(self._history.end, self.world.time)

    @property
    def now(self) -> float:
        """Time of the world [s]."""
        return self.world.time

    @property
    def status(self) -> str:
        """State of the playback, in a line."""
        factor = f", {self.real_time_factor:.2f} of real time" if self.playing else ""
        return f"{self.world.time:.3f} s, {self.world.num_steps} steps{factor}"

    @property
    def speed(self) -> float:
        """Simulated time by time on the clock [-]. Can be set, from 0.001 to 1000."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._speed = checked_speed(speed)

    def play(self) -> None:
        """Let time pass from now on."""
        self.playing, self._due = True, 0.0

    def pause(self) -> None:
        """Stand still."""
        self.playing = False

    def step(self, count: int = 1) -> None:
        """Stand still, and make some steps. Raises as `World.step`."""
        self.pause()
        self._steps(count)
        self._history.add(self.world)

    def advance(self, seconds: float) -> None:
        """Make the steps of a frame that took so long [s] on the clock.

        Raises as `World.step`; then the world stands still.
        """
        if not self.playing:
            self.real_time_factor = 0.0
            return
        time_step = self.world.time_step
        self._due += min(seconds, _LONGEST_FRAME) * self._speed
        wanted = int(self._due / time_step + 1e-9)
        try:
            made = self._steps_in_time(wanted)
        except Exception:
            self.pause()
            raise
        self._due = self._due - wanted * time_step if made == wanted else 0.0
        if made:
            self._history.add(self.world)
        factor = made * time_step / seconds if seconds > 0.0 else 0.0
        self.real_time_factor += 0.1 * (factor - self.real_time_factor)

    def reset(self) -> None:
        """Go back to the beginning, and stand still.

        That is how the world stood when it was first shown or `keep` was called, or after its last edit.
        """
        self.pause()
        self.seek(self._history.start)

    def keep(self) -> None:
        """Make the world as it stands the beginning, and forget what was before."""
        self._history.begin(self.world)

    def seek(self, moment: float) -> bool:
        """Stand still, as the world stood at a moment that was played [s]; whether it could.

        It cannot where the world was edited since; then it stays as it is, and the history begins anew.
        """
        self.pause()
        snapshot = self._history.at(moment)
        try:
            if snapshot is not None:
                self.world.restore(snapshot)
        except ValueError:
            self._history.begin(self.world)
            return False
        return True

    def _steps_in_time(self, wanted: int) -> int:
        """At most so many steps, and no more than a frame has time for; at least one of them."""
        start, made = time.perf_counter(), 0
        while made < wanted:
            left = _BUDGET - (time.perf_counter() - start)
            if made and left <= 0.0:
                break
            fits = int(left / self._step_cost) if self._step_cost > 0.0 else 1
            count = max(1, min(wanted - made, fits))
            begin = time.perf_counter()
            self._steps(count)
            cost = (time.perf_counter() - begin) / count
            self._step_cost += (cost - self._step_cost) * (0.2 if self._step_cost else 1.0)
            made += count
        return made

    def _steps(self, count: int) -> None:
        while count > 0:
            single = self.before_step is not None and self.before_step()
            piece = 1 if single else count
            self.world.step(piece)
            count -= piece
