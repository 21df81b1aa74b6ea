"""Clicks on bodies and drags of bodies by the mouse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kido.errors import EditError, RemovedError
from kido.skeleton import BodyNode
from kido.typing import FloatArray
from kido.view._viewer._body_drag import BodyDrag
from kido.view._viewer._body_pull import BodyPull
from kido.view._viewer._guide import Guide

if TYPE_CHECKING:
    from viser import SceneApi

__all__ = ["DragSettings", "Pointer"]

GUIDES = {
    "anywhere": {},
    "along x": {"line": (1.0, 0.0, 0.0)},
    "along y": {"line": (0.0, 1.0, 0.0)},
    "along z": {"line": (0.0, 0.0, 1.0)},
    "in the plane x y": {"plane": (0.0, 0.0, 1.0)},
    "in the plane x z": {"plane": (0.0, 1.0, 0.0)},
    "in the plane y z": {"plane": (1.0, 0.0, 0.0)},
}
_COLOR = np.array([232, 121, 58], dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class DragSettings:
    """Settings of bodies that follow the mouse.

    Attributes:
        whole_body: whether all dofs move, or those of the chain alone.
        keep_orientation: whether the body keeps its orientation.
        guide: one of `GUIDES`.
    """

    whole_body: bool = False
    keep_orientation: bool = False
    guide: str = "anywhere"

    def with_keys(self, keys: str | None) -> DragSettings:
        """The same, turned by keys that are held: shift the whole body, alt the orientation."""
        held = () if keys is None else tuple(keys.split("+"))
        return replace(
            self,
            whole_body=self.whole_body != ("shift" in held),
            keep_orientation=self.keep_orientation != ("alt" in held),
        )

    def guide_through(self, point: FloatArray) -> Guide:
        """The line or plane through a point (3,) [m]."""
        return Guide(point, **GUIDES[self.guide])


class Pointer:
    """Bodies that people drag by the mouse, each browser one: by inverse kinematics where the model stands
    still, by a spring where it is simulated.

    Attributes:
        settings: how bodies follow.
    """

    __slots__ = ("_drags", "_is_playing", "_lines", "_pulls", "_scene", "_size", "settings")

    def __init__(self, scene: SceneApi, size: float, is_playing: Callable[[BodyNode], bool]) -> None:
        """Nothing is dragged; `is_playing` tells whether a body is simulated now."""
        self._scene, self._size, self._is_playing = scene, size, is_playing
        self.settings = DragSettings()
        self._drags: dict[int, BodyDrag] = {}
        self._pulls: dict[int, BodyPull] = {}
        self._lines: dict[int, Any] = {}

    @property
    def pulls(self) -> tuple[BodyPull, ...]:
        """The springs that pull now."""
        return tuple(self._pulls.values())

    def start(self, client: int, body: BodyNode, point: FloatArray, keys: str | None) -> None:
        """Begin to drag a body at a point (3,) in the world [m]. Raises ValueError where nothing moves it."""
        self.end(client)
        if self._is_playing(body):
            self._pulls[client] = BodyPull(body, point)
            return
        settings = self.settings.with_keys(keys)
        self._drags[client] = BodyDrag(
            body,
            point,
            whole_body=settings.whole_body,
            keep_orientation=settings.keep_orientation,
            guide=settings.guide_through(point),
        )

    def move(self, client: int, point: FloatArray) -> None:
        """Drag to a point (3,) in the world [m]."""
        if client in self._drags:
            self._drags[client].pull_point_to(point)
        if client in self._pulls:
            pull = self._pulls[client]
            T = np.eye(4)
            T[:3, 3] = point
            guide = self.settings.guide_through(pull.start)
            pull.target = guide.nearest(T)[:3, 3]

    def end(self, client: int) -> None:
        """Let go."""
        self._drags.pop(client, None)
        self._pulls.pop(client, None)
        line = self._lines.pop(client, None)
        if line is not None:
            line.remove()

    def before_step(self) -> bool:
        """Let the springs act in the next step; whether there are any."""
        for client, pull in list(self._pulls.items()):
            try:
                pull.apply()
            except (RemovedError, EditError):
                self.end(client)
        return bool(self._pulls)

    def follow(self, seconds: float) -> None:
        """Let dragged bodies follow for a time [s]."""
        for client, drag in list(self._drags.items()):
            try:
                drag.follow(seconds)
            except (RemovedError, EditError):
                self.end(client)

    def show(self) -> None:
        """Show the springs as lines from where they are attached to where they pull."""
        for client, pull in self._pulls.items():
            points = np.stack([pull.point, pull.target])[None]
            line = self._lines.get(client)
            if line is None:
                self._lines[client] = self._scene.add_line_segments(
                    f"/pull/{client}", points, _COLOR, thickness=0.008 * self._size
                )
            else:
                line.points = points
