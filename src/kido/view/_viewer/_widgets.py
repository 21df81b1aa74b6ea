"""Widgets of the user's own in the panel of the viewer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from kido.errors import EditError
from kido.typing import ArrayLike, FloatArray
from kido.view._color import LINE_COLORS
from kido.view._viewer._inbox import Inbox
from kido.view._viewer._notices import Notices
from kido.view._viewer._removals import Removals

if TYPE_CHECKING:
    from viser import GuiEvent, ViserServer

__all__ = ["Plot", "Widget", "Widgets"]

V = TypeVar("V")

_PLOT_HEIGHT = 180
"""[pixel]."""
_PLOT_MARGIN = (10, 12, 0, 0)
"""Above, right, below, left of a plot, where half of the outermost numbers of an axis stand [pixel]."""


class Widget(Generic[V]):
    """A slider, button, checkbox, choice or text in the panel, the same in all browsers."""

    __slots__ = ("_handle", "_is_removed", "_maker")

    def __init__(self, handle: Any, maker: Widgets) -> None:
        self._handle, self._maker, self._is_removed = handle, maker, False

    @property
    def value(self) -> V:
        """Value that it shows. Can be set, from code; that calls no function. Setting it raises EditError
        where the widget was removed."""
        found: V = self._handle.value
        return found

    @value.setter
    def value(self, value: V) -> None:
        self._check_shown()
        self._handle.value = value

    @property
    def handle(self) -> Any:
        """The handle of viser, for what is not offered here."""
        return self._handle

    @property
    def label(self) -> str:
        """The text beside it."""
        return str(self._handle.label)

    def remove(self) -> None:
        """Take it out of the panel."""
        if not self._is_removed and self._maker.is_open:
            self._is_removed = True
            self._maker.remove(self._handle)

    def _check_shown(self) -> None:
        if self._is_removed or not self._maker.is_open:
            raise EditError("value: the widget was removed from the panel")


class Markdown(Widget[str]):
    """A text in the panel, in Markdown."""

    __slots__ = ()

    @property
    def value(self) -> str:
        """The text. Can be set."""
        return str(self._handle.content)

    @value.setter
    def value(self, value: str) -> None:
        self._check_shown()
        self._handle.content = value


class Plot:
    """Lines over time in the panel, of what a function gives at each frame."""

    __slots__ = ("_call", "_handle", "_labels", "_maker", "_seconds", "_values", "label")

    def __init__(
        self,
        handle: Any,
        label: str,
        call: Callable[[], ArrayLike],
        labels: Sequence[str],
        seconds: float,
        maker: Widgets,
    ) -> None:
        self._handle, self.label, self._call, self._maker = handle, label, call, maker
        self._labels, self._seconds = tuple(labels), seconds
        self._values: deque[tuple[float, FloatArray]] = deque()

    def sample(self, time: float) -> None:
        """Take the value of a time [s], unless it has one. Raises what the function does, and ValueError."""
        values = self._values
        if values and time == values[-1][0]:
            values.pop()
        while values and values[-1][0] > time:
            values.pop()
        value = np.array(self._call(), dtype=np.float64).reshape(-1)
        if len(value) != len(self._labels):
            raise ValueError(f"{self.label}: expected {len(self._labels)} numbers, got {len(value)}")
        values.append((time, value))
        while values[0][0] < time - self._seconds:
            values.popleft()

    def show(self) -> None:
        """Send the lines to the browsers."""
        if self._values:
            times = np.array([time for time, _ in self._values])
            lines = np.stack([value for _, value in self._values], axis=1)
            self._handle.data = (times, *lines)

    def remove(self) -> None:
        """Take it out of the panel, and call its function no more."""
        if self in self._maker.plots and self._maker.is_open:
            self._maker.plots.remove(self)
            self._maker.remove(self._handle)


class Widgets:
    """Makes widgets. What users do with them reaches the models by the inbox, between two frames.

    Attributes:
        is_open: whether the page to which they belong is shown.
        plots: lines over time.
    """

    __slots__ = ("_inbox", "_keys", "_notices", "_removals", "_server", "is_open", "plots")

    def __init__(self, server: ViserServer, inbox: Inbox, notices: Notices, removals: Removals) -> None:
        self._server, self._inbox, self._notices, self._removals = server, inbox, notices, removals
        self.is_open = True
        self._keys: list[Any] = []
        self.plots: list[Plot] = []

    def slider(
        self,
        label: str,
        low: float,
        high: float,
        value: float,
        step: float,
        on_change: Any,
        hint: str | None = None,
    ) -> Widget[float]:
        """A slider from `low` to `high` by steps."""
        handle = self._server.gui.add_slider(
            label, min=low, max=high, step=step, initial_value=value, hint=hint
        )
        return self.connected(handle, label, on_change)

    def checkbox(self, label: str, value: bool, on_change: Any) -> Widget[bool]:
        """A checkbox."""
        return self.connected(self._server.gui.add_checkbox(label, value), label, on_change)

    def choice(self, label: str, options: Sequence[str], value: str, on_change: Any) -> Widget[str]:
        """One of several texts."""
        handle = self._server.gui.add_dropdown(label, tuple(options), initial_value=value)
        return self.connected(handle, label, on_change)

    def text(self, label: str, value: str, on_change: Any) -> Widget[str]:
        """A line of text."""
        return self.connected(self._server.gui.add_text(label, value), label, on_change)

    def button(self, label: str, on_click: Any) -> Widget[bool]:
        """A button."""
        handle = self._server.gui.add_button(label)
        self.on_click(handle, label, on_click)
        return Widget(handle, self)

    def plot(self, label: str, call: Callable[[], ArrayLike], labels: Sequence[str], seconds: float) -> Plot:
        """Lines over time."""
        series: list[dict[str, Any]] = [{"label": "time [s]"}]
        series += [
            {"label": name, "stroke": _css(LINE_COLORS[i % len(LINE_COLORS)]), "width": 2}
            for i, name in enumerate(labels)
        ]
        handle = self._server.gui.add_uplot(
            tuple(np.zeros(1) for _ in series),
            tuple(series),
            title=label,
            height=_PLOT_HEIGHT,
            padding=_PLOT_MARGIN,
            scales={"x": {"time": False}},
        )
        plot = Plot(handle, label, call, labels, seconds, self)
        self.plots.append(plot)
        return plot

    def markdown(self, text: str) -> Widget[str]:
        """A text, in Markdown."""
        return Markdown(self._server.gui.add_markdown(text), self)

    def on_click(self, handle: Any, label: str, call: Callable[[], object]) -> None:
        """Have a function called between two frames for each click on a button."""

        async def clicked(event: GuiEvent[Any]) -> None:
            self._inbox.put(lambda: self._notices.guard(call, label))

        handle.on_click(clicked)

    def on_choice(self, handle: Any, label: str, call: Callable[[str], object]) -> None:
        """Have a function told which button of a group was clicked."""

        async def clicked(event: GuiEvent[Any]) -> None:
            value = event.target.value
            self._inbox.put(lambda: self._notices.guard(lambda: call(value), label))

        handle.on_click(clicked)

    def on_key(self, label: str, key: str, call: Callable[[], object]) -> None:
        """Have a function called where a key is pressed in a browser."""
        command: Any = self._server.gui.add_command(label, hotkey=key)
        self._keys.append(command)

        async def pressed(event: Any) -> None:
            self._inbox.put(lambda: self._notices.guard(call, label))

        command.on_trigger(pressed)

    def remove(self, handle: Any) -> None:
        """Take a widget or folder of viser out of the panel."""
        self._removals.remove(handle)

    def close(self) -> None:
        """Have keys call nothing any more, and widgets that users still have do nothing: their page goes."""
        self.is_open = False
        for command in self._keys:
            command.remove()
        self._keys = []

    def connected(self, handle: Any, label: str, on_change: Callable[[Any], object] | None) -> Widget[Any]:
        """A widget whose changes in browsers a function is told between two frames, the last value alone."""
        if on_change is not None:

            async def updated(event: GuiEvent[Any]) -> None:
                if event.client_id is not None:
                    value = event.target.value
                    self._inbox.put(lambda: self._notices.guard(lambda: on_change(value), label), id(handle))

            handle.on_update(updated)

        return Widget(handle, self)


def _css(rgba: FloatArray) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgba[:3].tolist())
