"""Panel that says how bodies follow the mouse."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kido.view._viewer._pointer import GUIDES, Pointer
from kido.view._viewer._widgets import Widgets

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["add_drag_panel"]

_HELP = "Drag a body with the mouse. Shift: the whole body. Alt: keeps its orientation, or no longer."


def add_drag_panel(server: ViserServer, widgets: Widgets, pointer: Pointer) -> None:
    """Choices of the dofs that move, the orientation, and the line or plane."""

    def change(**settings: object) -> None:
        pointer.settings = replace(pointer.settings, **settings)  # type: ignore[arg-type]

    now = pointer.settings
    with server.gui.add_folder("Dragging", expand_by_default=False):
        server.gui.add_markdown(_HELP)
        widgets.checkbox("whole body", now.whole_body, lambda value: change(whole_body=value))
        widgets.checkbox(
            "keep orientation", now.keep_orientation, lambda value: change(keep_orientation=value)
        )
        widgets.choice("moves", tuple(GUIDES), now.guide, lambda value: change(guide=value))
