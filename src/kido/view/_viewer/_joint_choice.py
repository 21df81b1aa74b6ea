"""The skeleton whose joints have sliders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from kido.skeleton import Skeleton
from kido.view._viewer._joint_panel import JointPanel
from kido.view._viewer._widgets import Widgets

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["JointChoice"]


class JointChoice:
    """Sliders for the joints of one skeleton, and where several can move a choice of which.

    It follows what is added, removed and edited.
    """

    __slots__ = ("_chosen", "_degrees", "_menu", "_names", "_offered", "_panel", "_server", "_widgets")

    def __init__(self, server: ViserServer, widgets: Widgets, *, degrees: bool) -> None:
        self._server, self._widgets, self._degrees = server, widgets, degrees
        self._offered: list[Skeleton] = []
        self._names: list[str] = []
        self._chosen: Skeleton | None = None
        self._panel: JointPanel | None = None
        self._menu: Any = None

    def choose(self, skeleton: Skeleton) -> None:
        """Show the joints of a skeleton from the next `refresh` on."""
        self._chosen = skeleton

    @property
    def sliders(self) -> list[Callable[[], object]]:
        """Functions that show the position of each slider as it is now."""
        return [] if self._panel is None else self._panel.sliders

    def refresh(self, skeletons: Sequence[Skeleton]) -> None:
        """Have sliders of a skeleton's joints, which are made anew where it was edited.

        Args:
            skeletons: what is shown; those that can move are offered.
        """
        moving = [skeleton for skeleton in skeletons if skeleton.mobile and skeleton.num_dofs]
        if not any(skeleton is self._chosen for skeleton in moving):
            self._chosen = max(moving, key=lambda skeleton: skeleton.num_dofs, default=None)
        self._renew_menu(moving)
        panel = self._panel
        if panel is not None and (panel.skeleton is not self._chosen or not panel.holds):
            panel.remove()
            panel = None
        if panel is None and self._chosen is not None:
            panel = JointPanel(self._server, self._widgets, self._chosen, degrees=self._degrees)
        self._panel = panel

    def _renew_menu(self, moving: list[Skeleton]) -> None:
        names = [skeleton.name for skeleton in moving]
        same = len(moving) == len(self._offered) and all(map(_is, moving, self._offered))
        if not same or names != self._names:
            self._offered, self._names = moving, names
            if self._menu is not None:
                self._menu.remove()
                self._menu = None
            if len(set(names)) > 1:
                self._menu = self._widgets.choice(
                    "Joints of", list(dict.fromkeys(names)), names[0], self._choose
                )
        if self._menu is not None and self._chosen is not None:
            self._menu.value = self._chosen.name

    def _choose(self, name: str) -> None:
        self._chosen = next(skeleton for skeleton in self._offered if skeleton.name == name)


def _is(first: object, second: object) -> bool:
    return first is second
