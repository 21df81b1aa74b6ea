"""Buttons, speed and time of what is played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kido.view._viewer._player import Player
from kido.view._viewer._replay import Replay
from kido.view._viewer._widgets import Widgets

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["PlaybackPanel"]

_SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4", "10")
_SHORTEST = 0.01
"""Length of the time slider where nothing was played [s]."""


class PlaybackPanel:
    """Play, pause, step, reset, speed, and a slider over all that was played."""

    __slots__ = ("_play", "_playback", "_speed", "_status", "_time")

    def __init__(self, server: ViserServer, widgets: Widgets, playback: Player) -> None:
        self._playback = playback
        gui = server.gui
        with gui.add_folder("Recording" if isinstance(playback, Replay) else "Simulation"):
            self._play: Any = gui.add_button("Play", hint="Space")
            step = gui.add_button_group("Go", ("Step", "10 steps", "Reset"))
            self._speed = widgets.choice("Speed", _SPEEDS, "1", self._set_speed)
            self._time = widgets.connected(
                gui.add_slider("Time [s]", min=0.0, max=_SHORTEST, step=1e-3, initial_value=0.0),
                "Time",
                playback.seek,
            )
            self._status: Any = gui.add_markdown("")
        widgets.on_click(self._play, "Play", self.toggle)
        widgets.on_choice(step, "Go", self._go)
        widgets.on_key("Play or pause", "space", self.toggle)

    def toggle(self) -> None:
        """Play what stands still, and the other way round."""
        if self._playback.playing:
            self._playback.pause()
        else:
            self._playback.play()

    def refresh(self) -> None:
        """Show how things stand."""
        playback = self._playback
        self._play.label = "Pause" if playback.playing else "Play"
        speed = f"{playback.speed:g}"
        if speed in _SPEEDS:
            self._speed.value = speed
        self._show_time(playback.start, playback.end, playback.now)
        self._status.content = playback.status

    def _show_time(self, start: float, end: float, now: float) -> None:
        slider: Any = self._time.handle
        slider.min, slider.max = start, max(end, start + _SHORTEST)
        self._time.value = now

    def _set_speed(self, speed: str) -> None:
        self._playback.speed = float(speed)

    def _go(self, where: str) -> None:
        if where == "Reset":
            self._playback.reset()
        else:
            self._playback.step(10 if where == "10 steps" else 1)
