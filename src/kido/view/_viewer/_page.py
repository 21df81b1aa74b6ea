"""The page that browsers show."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any

import numpy as np

from kido.errors import RemovedError
from kido.math import matrix_to_quaternion
from kido.skeleton import BodyNode, Node
from kido.typing import FloatArray
from kido.view._camera import ANGLE, Camera, CameraLike, make_camera
from kido.view._scene import DrawnItem, SceneGraph
from kido.view._scene._note_items import grid_spacing
from kido.view._viewer._batches import Batch
from kido.view._viewer._drag_panel import add_drag_panel
from kido.view._viewer._gizmo import Gizmo
from kido.view._viewer._inbox import Inbox
from kido.view._viewer._joint_choice import JointChoice
from kido.view._viewer._layer_panel import LayerPanel
from kido.view._viewer._notices import Notices
from kido.view._viewer._page_server import PageServer
from kido.view._viewer._playback import Playback
from kido.view._viewer._playback_panel import PlaybackPanel
from kido.view._viewer._player import Player
from kido.view._viewer._pointer import Pointer
from kido.view._viewer._published_scene import PublishedScene
from kido.view._viewer._selection import Selection
from kido.view._viewer._turns import Turns
from kido.view._viewer._widgets import Widgets

__all__ = ["Page", "page_camera"]

_PANEL_PERIOD = 0.2
"""Time from one look at a widget of the panels to the next [s]."""
_ASPECT = 0.85
"""Width by height of the part of the window that shows everything at the beginning."""
_ASIDE = 0.12
"""How far that is left of the middle, where the panel hides nothing, by the height of the window."""
_FEW = 100
"""Items whose owners are kept beyond those that are shown."""
_KEYS = (None, "shift", "alt", "alt+shift")
"""Keys that may be held while a body is dragged."""
_FLOOR_LIGHT, _SKY_LIGHT = (190, 190, 200), 1.5
"""Color of the light from below, and strength of that from all around."""
_LIFT = 1e-3
"""Height of the grid over the ground, by the size of the scene."""


class Page:
    """All that browsers show: the scene, panels, gizmos; and what people do there.

    Attributes:
        inbox: what people want of the models.
        notices: what they are told.
        widgets: maker of widgets.
        pointer: clicks and drags.
        selection: the body that was clicked on.
        gizmos: of frames and bodies.
    """

    def __init__(
        self,
        server: PageServer,
        scene: SceneGraph,
        playback: Player | None,
        view: Camera,
        title: str,
        *,
        degrees: bool,
    ) -> None:
        """Put a scene, which was updated, and its panels onto a page that is empty, seen from a camera;
        `degrees` says how angles are shown."""
        self.server, self._removals = server.viser, server.removals
        self._scene, self._playback = scene, playback
        self.inbox = Inbox()
        self.notices = Notices(self.server)
        self.widgets = Widgets(self.server, self.inbox, self.notices, server.removals)
        self.pointer = Pointer(self.server.scene, scene.size, self._is_playing)
        self.gizmos: list[Gizmo] = []
        self._gizmo_count = 0
        self._owners: dict[str, tuple[DrawnItem, BodyNode | None]] = {}
        self._turns = Turns(_PANEL_PERIOD)
        self._published = PublishedScene(self.server.scene, self._attach, self._sort)
        self._panel = self.server.gui.add_folder(None)
        with self._panel:
            self._user_panel = self.server.gui.add_folder(None)
            if scene.problems:
                self.server.gui.add_markdown("\n\n".join(f"⚠ {problem}" for problem in scene.problems))
            self._playback_panel: PlaybackPanel | None = None
            if playback is not None:
                self._playback_panel = PlaybackPanel(self.server, self.widgets, playback)
            world = playback.world if isinstance(playback, Playback) else None
            self.selection = Selection(self.server, world, scene.size, degrees=degrees)
            add_drag_panel(self.server, self.widgets, self.pointer)
            self._layer_panel = LayerPanel(self.server, self.widgets, scene)
            self._joints = JointChoice(self.server, self.widgets, degrees=degrees)
        self.server.gui.set_panel_label(title)
        self._add_surroundings()
        server.look_from(view)
        server.on_leave = lambda client: self.inbox.put(lambda: self._left(client))

    @property
    def user_panel(self) -> Any:
        """The part of the panel that is the user's: a context in which widgets are made."""
        return self._user_panel

    def add_gizmo(self, name: str, **options: Any) -> Gizmo:
        """A gizmo; options as of `Gizmo`."""
        self._gizmo_count += 1
        path = f"/gizmos/{self._gizmo_count}/{name.replace('/', '%2F')}"
        gizmo = Gizmo(self.server.scene, self.inbox, self.notices, path, **options)
        self.gizmos.append(gizmo)
        return gizmo

    def select(self, body: BodyNode | None) -> None:
        """Select a body, or none, and show the joints of its skeleton."""
        self.selection.select(body)
        if body is not None:
            self._joints.choose(body.skeleton)

    def take_calls(self) -> None:
        """Do what people asked for since the last frame; what comes after the page was cleared is dropped."""
        for call in self.inbox.take():
            if self.widgets.is_open:
                self.notices.guard(call, "Viewer")

    def show(self) -> None:
        """Send what moved or changed."""
        with self.server.atomic():
            self.notices.guard(lambda: self._published.show(self._scene.update()), "Scene")
            self.gizmos = [gizmo for gizmo in self.gizmos if not gizmo.is_removed]
            for gizmo in self.gizmos:
                self.notices.guard(gizmo.refresh, "Gizmo")
            self.pointer.show()
            self._drop_selection()
            pose = self.selection.pose
            if pose is not None:
                x, y, z, w = matrix_to_quaternion(pose[:3, :3])
                self.selection.place(pose[:3, 3], np.array([w, x, y, z]))

    def _drop_selection(self) -> None:
        """Select none where the skeleton of the selected body is shown no more."""
        body = self.selection.body
        with suppress(RemovedError):  # the body went by itself: its pose ends the selection
            if body is not None and not any(body.skeleton is one for one in self._scene.skeletons):
                self.selection.select(None)

    def refresh(self, seconds: float) -> None:
        """Send the numbers of some widgets of the panels, each a few times a second; some seconds after the
        last frame."""
        parts = self._parts()
        with self.server.atomic():
            for k in self._turns.take(len(parts), seconds):
                parts[k]()

    def _parts(self) -> list[Callable[[], object]]:
        """Functions that show the numbers of the panels, each of a few widgets at most."""
        parts: list[Callable[[], object]] = [
            self._removals.sweep,
            self.selection.refresh,
            self._layer_panel.refresh,
            self._refresh_joints,
        ]
        if self._playback_panel is not None:
            parts.append(self._playback_panel.refresh)
        for plot in self.widgets.plots:
            parts.append(lambda plot=plot: self.notices.guard(plot.show, plot.label))  # type: ignore[misc]
        return parts + self._joints.sliders

    def _refresh_joints(self) -> None:
        with self._panel:
            self._joints.refresh(self._scene.skeletons)

    def clear(self) -> None:
        """Take everything away; browsers stay connected."""
        self.widgets.close()
        self._removals.remove(self._panel)
        self.server.scene.reset()

    # ---- at the beginning

    def _add_surroundings(self) -> None:
        """Lights and a grid on the ground."""
        server = self.server
        lowest = min(0.0, float(self._scene.seen_points()[:, 2].min()))
        spacing = grid_spacing(self._scene.size)
        server.scene.configure_environment_map(None)  # costs weak machines most of a frame
        server.scene.add_light_hemisphere("/light", ground_color=_FLOOR_LIGHT, intensity=_SKY_LIGHT)
        server.scene.add_grid(
            "/grid",
            infinite_grid=True,
            fade_distance=12.0 * self._scene.size,
            cell_size=spacing / 5.0,
            section_size=spacing,
            position=(0.0, 0.0, lowest + _LIFT * self._scene.size),
        )

    def _left(self, client: int) -> None:
        self.pointer.end(client)
        for gizmo in self.gizmos:
            gizmo.let_go()

    # ---- clicks and drags

    def _is_playing(self, body: BodyNode) -> bool:
        playback = self._playback
        if not isinstance(playback, Playback) or not playback.playing:
            return False
        return any(skeleton is body.skeleton for skeleton in playback.world.skeletons)

    def _owner(self, item: DrawnItem) -> BodyNode | None:
        """The body that an item belongs to."""
        known = self._owners.get(item.key)
        if known is not None and known[0] is item:
            return known[1]
        try:
            body = _body_of(self._scene.owner(item.key))
        except KeyError:
            return None  # it is gone since it was clicked on
        if len(self._owners) > 2 * len(self._scene.items) + _FEW:
            self._owners.clear()
        self._owners[item.key] = item, body
        return body

    def _sort(self, item: DrawnItem) -> Hashable:
        """Whether an item can be dragged: others leave the mouse to the camera."""
        body = self._owner(item)
        return body is not None and body.skeleton.mobile and bool(body.dependent_dofs)

    def _attach(self, batch: Batch) -> None:
        """Have clicks on a batch and drags of it reach the models."""

        async def clicked(event: Any) -> None:
            item = batch.item(event.instance_index)
            self.inbox.put(lambda: self._select(item))

        batch.handle.on_click(clicked)
        if self._sort(batch.items[0]):
            for keys in _KEYS:
                batch.handle.on_drag("left", modifier=keys)(self._dragged(batch))

    def _dragged(self, batch: Batch) -> Any:
        async def dragged(event: Any) -> None:
            client, keys, phase = event.client_id, event.modifier, event.phase
            item = batch.item(event.instance_index)
            point = np.array(event.end_position)
            if phase == "start":
                grabbed = np.array(event.start_position)
                self.inbox.put(lambda: self._start(client, item, grabbed, keys))
            self.inbox.put(lambda: self.pointer.move(client, point), ("drag", client))
            if phase == "end":
                self.inbox.put(lambda: self.pointer.end(client))

        return dragged

    def _start(self, client: int, item: DrawnItem, point: Any, keys: str | None) -> None:
        body = self._owner(item)
        if body is not None:
            self.select(body)
            self.pointer.start(client, body, point, keys)

    def _select(self, item: DrawnItem) -> None:
        body = self._owner(item)
        self.select(body)
        for listener in self.selection.listeners:
            self.notices.guard(lambda listener=listener: listener(body), "on_select")  # type: ignore[misc]


def page_camera(camera: CameraLike, points: FloatArray) -> Camera:
    """The camera that was asked for; one that is fitted to points (k, 3) [m] looks past them on the right.

    Raises ValueError as `make_camera`.
    """
    view = make_camera(camera, points, _ASPECT)
    if isinstance(camera, tuple):
        return view
    back = view.position - view.target
    right = np.cross(view.up, back)
    height = 2.0 * math.tan(math.radians(ANGLE / 2.0)) * float(np.linalg.norm(back))
    aside = right / np.linalg.norm(right) * (_ASIDE * height)
    return Camera(view.position + aside, view.target + aside, view.up)


def _body_of(owner: object) -> BodyNode | None:
    if isinstance(owner, BodyNode):
        return owner
    if isinstance(owner, Node):
        return owner.body
    return None
