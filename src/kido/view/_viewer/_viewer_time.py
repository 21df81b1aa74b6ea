"""The time of a viewer: what plays, and how fast."""

from __future__ import annotations

from kido.errors import EditError
from kido.typing import frozen_array
from kido.values import checked_positive, checked_whole
from kido.view._viewer._player import Player

__all__ = ["ViewerTime"]


class ViewerTime:
    """The time of a viewer: that of the world or recording that it shows."""

    __slots__ = ()

    _playback: Player | None

    @property
    def playing(self) -> bool:
        """Whether time passes in the world or recording."""
        return self._playback is not None and self._playback.playing

    @property
    def speed(self) -> float:
        """Simulated time by time on the clock [-]. Can be set, from 0.001 to 1000."""
        return self._player.speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._player.speed = checked_positive("speed", speed)

    def play(self) -> None:
        """Let time pass in the world. Raises EditError where there is none."""
        self._player.play()

    def pause(self) -> None:
        """Let the world stand still. Raises EditError where there is none."""
        self._player.pause()

    def step(self, n: int = 1) -> None:
        """Make some steps, and stand still. Raises EditError, and as `World.step`."""
        self._player.step(checked_whole("n", n))

    def reset(self) -> None:
        """Go back to how the world stood at the beginning, or after its last edit, and stand still.

        Raises EditError where there is no world.
        """
        self._player.reset()

    def seek(self, moment: float) -> None:
        """Stand still as the world stood at a moment that was played [s].

        Raises EditError where there is no world, or it was edited since.
        """
        if not self._player.seek(float(frozen_array("moment", moment, (), "s"))):
            raise EditError("seek: the world was edited since that moment")

    @property
    def _player(self) -> Player:
        if self._playback is None:
            raise EditError("the viewer shows no world and no recording: there is no time that could pass")
        return self._playback
