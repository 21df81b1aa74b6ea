"""Widgets and events of a viewer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kido.skeleton import BodyNode
from kido.typing import ArrayLike, frozen_array
from kido.values import checked_flag, checked_function, checked_name, checked_positive
from kido.view._viewer._page import Page
from kido.view._viewer._widgets import Plot, Widget

__all__ = ["ViewerPanel"]

KEYS = (
    *"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    *("enter", "escape", "tab", "backspace", "delete", "insert", "home", "end", "pageup", "pagedown"),
    *("arrowup", "arrowdown", "arrowleft", "arrowright"),
)
"""Keys that functions can be bound to; the space bar plays and pauses."""


class ViewerPanel:
    """Widgets that users put into the panel of a viewer, and functions called at frames, clicks and keys."""

    __slots__ = ()

    _page: Page
    _on_frame: list[Callable[[], object]]

    def on_frame(self, call: Callable[[], object]) -> Callable[[], object]:
        """Have a function called at each frame, before it is sent; can decorate. Raises TypeError."""
        self._on_frame.append(checked_function("call", call))
        return call

    def _call_at_frame(self) -> None:
        """Call the functions of this page; once one of them shows another page, no more."""
        page = self._page
        for call in self._on_frame:
            if page is self._page:
                page.notices.guard(call, getattr(call, "__name__", "on_frame"))

    def on_select(self, call: Callable[[BodyNode | None], object]) -> Callable[[BodyNode | None], object]:
        """Have a function told which body was clicked on; can decorate. Raises TypeError."""
        self._page.selection.listeners.append(checked_function("call", call))
        return call

    def on_key(self, key: str, call: Callable[[], object]) -> None:
        """Have a function called where a key is pressed in a browser.

        Args:
            key: a letter or digit, "enter", "escape", "tab", "backspace", "delete", "insert", "home", "end",
                "pageup", "pagedown", "arrowup", "arrowdown", "arrowleft" or "arrowright".
            call: the function.

        Raises TypeError or ValueError, naming the argument.
        """
        named = checked_name("key", key)
        named = named.upper() if len(named) == 1 else named
        if named not in KEYS:
            raise ValueError(f"key: expected a letter, a digit or one of {KEYS[36:]}, got {key!r}")
        self._page.widgets.on_key(named, named, checked_function("call", call))

    def add_slider(
        self,
        label: str,
        low: float,
        high: float,
        *,
        value: float | None = None,
        step: float | None = None,
        on_change: Callable[[float], object] | None = None,
    ) -> Widget[float]:
        """A slider in the panel.

        Args:
            label: beside it.
            low: its lower end.
            high: its upper end.
            value: at the beginning; None: `low`.
            step: from one value to the next; None: a thousandth of the whole.
            on_change: is told the value where people move it.

        Raises TypeError or ValueError, naming the argument.
        """
        least, most = (float(frozen_array(n, x, ())) for n, x in (("low", low), ("high", high)))
        if not least < most:
            raise ValueError(f"high: expected more than low, {least:g}, got {most:g}")
        first = least if value is None else float(frozen_array("value", value, ()))
        if not least <= first <= most:
            raise ValueError(f"value: expected {least:g} to {most:g}, got {first:g}")
        width = (most - least) / 1000.0 if step is None else checked_positive("step", step)
        with self._page.user_panel:
            return self._page.widgets.slider(
                checked_name("label", label),
                least,
                most,
                first,
                width,
                checked_function("on_change", on_change, or_none=True),
            )

    def add_checkbox(
        self, label: str, value: bool = False, *, on_change: Callable[[bool], object] | None = None
    ) -> Widget[bool]:
        """A checkbox in the panel; `on_change` is told its value. Raises TypeError or ValueError."""
        with self._page.user_panel:
            return self._page.widgets.checkbox(
                checked_name("label", label),
                checked_flag("value", value),
                checked_function("on_change", on_change, or_none=True),
            )

    def add_choice(
        self,
        label: str,
        options: Sequence[str],
        *,
        value: str | None = None,
        on_change: Callable[[str], object] | None = None,
    ) -> Widget[str]:
        """One of several texts in the panel, the first or `value` at the beginning; `on_change` is told it.

        Raises TypeError or ValueError, naming the argument.
        """
        texts = tuple(checked_name("options", text) for text in options)
        if not texts or len(set(texts)) != len(texts):
            raise ValueError(f"options: expected different texts, got {texts}")
        if value is not None and value not in texts:
            raise ValueError(f"value: expected one of {texts}, got {value!r}")
        with self._page.user_panel:
            return self._page.widgets.choice(
                checked_name("label", label),
                texts,
                texts[0] if value is None else value,
                checked_function("on_change", on_change, or_none=True),
            )

    def add_button(self, label: str, on_click: Callable[[], object]) -> Widget[bool]:
        """A button in the panel; `on_click` is called for each click. Raises TypeError or ValueError."""
        with self._page.user_panel:
            return self._page.widgets.button(
                checked_name("label", label), checked_function("on_click", on_click)
            )

    def add_text(self, text: str) -> Widget[str]:
        """A text in the panel, in Markdown; its value can be set. Raises TypeError."""
        with self._page.user_panel:
            return self._page.widgets.markdown(text)

    def add_plot(
        self,
        label: str,
        call: Callable[[], ArrayLike],
        *,
        names: Sequence[str] | None = None,
        seconds: float = 10.0,
    ) -> Plot:
        """Lines over time in the panel, of what a function gives at each frame.

        Args:
            label: above it.
            call: gives a number, or one for each line (k,).
            names: of the lines; None: `label`, with numbers where there are several.
            seconds: how far back it reaches [s].

        Raises TypeError or ValueError, naming the argument, and what `call` raises.
        """
        checked_name("label", label)
        values = frozen_array(label, checked_function("call", call)(), None).reshape(-1)
        given = _line_names(label, names, len(values))
        with self._page.user_panel:
            return self._page.widgets.plot(label, call, given, checked_positive("seconds", seconds, "s"))


def _line_names(label: str, names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if names is None:
        return (label,) if count == 1 else tuple(f"{label} {i + 1}" for i in range(count))
    given = tuple(checked_name("names", name) for name in names)
    if len(given) != count:
        raise ValueError(f"names: expected {count}, one for each number, got {len(given)}")
    return given
