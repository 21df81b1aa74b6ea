"""The viewer."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterable
from typing import Any

from kido.errors import EditError
from kido.frame import Frame
from kido.skeleton import BodyNode, Skeleton
from kido.typing import ArrayLike
from kido.values import checked_flag, checked_name, checked_part, checked_whole
from kido.view._camera import Camera, CameraLike
from kido.view._scene import DEFAULT_LAYERS, Layer, SceneGraph, SceneLike
from kido.view._viewer._page import Page
from kido.view._viewer._page_server import PageServer
from kido.view._viewer._playback import Playback
from kido.view._viewer._player import Player
from kido.view._viewer._replay import Recorded
from kido.view._viewer._server import load_viser
from kido.view._viewer._shown import camera_of, parts_of, title_of
from kido.view._viewer._viewer_gizmos import ViewerGizmos
from kido.view._viewer._viewer_panel import ViewerPanel
from kido.view._viewer._viewer_time import ViewerTime

__all__ = ["Viewer"]

_RATE = 60.0
"""Frames a second."""
_SOON = 0.75
"""Part of a frame's time after which the next is sent at once; sooner, the server gathers some."""
_PATIENCE = 10.0
"""Time for which `stop` waits for a frame of another thread, which else ends the server itself [s]."""


class Viewer(ViewerTime, ViewerGizmos, ViewerPanel):
    """Skeletons and worlds in browsers, where people look at them, move them, and play physics.

    `run` shows them until Ctrl-C. In a program with a loop of its own call `update` instead, once a frame; in
    a notebook let a cell end with the viewer. All models are read and moved by whoever calls these, never by
    another thread: what people do in browsers waits for the next frame.

    A body follows the mouse by inverse kinematics, or while the world plays by a spring; a click shows its
    numbers. Functions of the user's that raise are reported in the page and logged, and called again.
    """

    __slots__ = (
        "__weakref__",
        "_degrees",
        "_followed",
        "_frame_thread",
        "_host",
        "_last_frame",
        "_last_sent",
        "_on_frame",
        "_page",
        "_playback",
        "_port",
        "_scene",
        "_server",
        "_start",
        "_stopping",
        "_task",
        "_updating",
    )

    def __init__(
        self,
        what: SceneLike | Recorded,
        *,
        layers: Iterable[Layer | str] = DEFAULT_LAYERS,
        frames: bool | Iterable[Frame] = (),
        trajectories: Iterable[ArrayLike] = (),
        camera: CameraLike = None,
        title: str | None = None,
        degrees: bool = False,
        host: str = "127.0.0.1",
        port: int = 8080,
    ) -> None:
        """Start a server; nothing is shown before the first frame.

        Args:
            what: a skeleton, a world, a recording, or several of these; one of them may be a World or a
                recording, which can be played.
            layers: what is shown of them at the beginning.
            frames: those whose axes are drawn; True: of all bodies.
            trajectories: lines of points (k, 3) [m].
            camera: as of `kido.render`, where browsers look from at the beginning.
            title: over the panel; None: the names of what is shown.
            degrees: whether sliders and numbers show angles in degrees.
            host: address to listen at; "0.0.0.0" lets other machines in.
            port: to listen at; where it is in use, the next that is free. 0: any.

        Raises:
            MissingDependencyError: the extra `view` is not installed.
            TypeError, ValueError: naming the argument.
            OSError: the host is none of this machine's, or a hundred ports are in use.
        """
        load_viser()
        self._port, self._host = _checked_port(port), checked_name("host", host)
        self._degrees = checked_flag("degrees", degrees)
        self._updating, self._frame_thread = threading.Lock(), 0
        self._stopping = threading.Event()
        self._task: asyncio.Task[None] | None = None
        self._start = self._last_frame = self._last_sent = time.perf_counter()
        parts, player = parts_of(what)
        scene = SceneGraph(parts, layers, frames=frames, trajectories=trajectories)
        view, named = camera_of(scene, camera), title_of(scene, player, title)
        self._server = PageServer(self._host, self._port)
        self._put(scene, player, view, named)

    def show(
        self,
        what: SceneLike | Recorded,
        *,
        layers: Iterable[Layer | str] = DEFAULT_LAYERS,
        frames: bool | Iterable[Frame] = (),
        trajectories: Iterable[ArrayLike] = (),
        camera: CameraLike = None,
        title: str | None = None,
    ) -> None:
        """Show something else from now on, at the same address.

        All that was shown goes: models, widgets, gizmos, and functions that were to be called at frames,
        clicks and keys. Call it from the thread that shows frames.

        Args:
            what: a skeleton, a world, a recording, or several of these, as of the viewer.
            layers: what is shown of them.
            frames: those whose axes are drawn; True: of all bodies.
            trajectories: lines of points (k, 3) [m].
            camera: where browsers look from now on.
            title: over the panel; None: the names of what is shown.

        Raises TypeError or ValueError, naming the argument; then everything stays.
        """
        parts, player = parts_of(what)
        scene = SceneGraph(parts, layers, frames=frames, trajectories=trajectories)
        view, named = camera_of(scene, camera), title_of(scene, player, title)
        if self.is_running:
            with self._server.viser.atomic():
                self._page.clear()
                self._put(scene, player, view, named)

    def _put(self, scene: SceneGraph, player: Player | None, view: Camera, title: str) -> None:
        """Make a page of a scene."""
        self._scene, self._playback = scene, player
        self._page = Page(self._server, scene, player, view, title, degrees=self._degrees)
        if isinstance(player, Playback):
            player.before_step = self._page.pointer.before_step
        self._nodes, self._followed, self._on_frame = [], [], []

    # ---- frames

    @property
    def address(self) -> str:
        """Address of the page."""
        return self._server.address

    @property
    def is_running(self) -> bool:
        """Whether the server listens."""
        return not self._stopping.is_set()

    @property
    def num_clients(self) -> int:
        """Browsers that are connected."""
        return self._server.num_clients if self.is_running else 0

    @property
    def errors(self) -> tuple[Exception, ...]:
        """The last exceptions that users' functions raised."""
        return tuple(self._page.notices.errors)

    @property
    def problems(self) -> tuple[str, ...]:
        """Meshes that cannot be shown, in whose place boxes stand, and why."""
        return self._scene.problems

    def run(self) -> None:
        """Print the address and show frame after frame, until Ctrl-C or `stop`, which ends the server."""
        print(self._greeting(), flush=True)
        try:
            while not self._stopping.is_set():
                begin = time.perf_counter()
                self.update()
                # No wait for the event: Ctrl-C as such a wait ends can raise RuntimeError in place of it.
                time.sleep(max(0.0, 1.0 / _RATE - (time.perf_counter() - begin)))
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    def update(self) -> None:
        """Show one frame: do what people asked for, let time pass where the world plays, and send what moved.

        Raises EditError where another thread is showing one.
        """
        if not self._updating.acquire(blocking=False):
            raise EditError("update: another thread shows a frame; models are moved by one alone")
        self._frame_thread = threading.get_ident()
        try:
            if not self._stopping.is_set():
                self._frame()
        finally:
            self._frame_thread = 0
            self._updating.release()
            if self._stopping.is_set():
                self._server.stop()

    def stop(self) -> None:
        """End the server and all connections, after the present frame; calling this twice does no harm."""
        self._stopping.set()
        if self._frame_thread == threading.get_ident():
            return  # the frame that this is called from ends it
        if self._updating.acquire(timeout=_PATIENCE):
            self._updating.release()
            self._server.stop()

    def _frame(self) -> None:
        now = time.perf_counter()
        seconds, self._last_frame = now - self._last_frame, now
        self._page.take_calls()
        page, playback = self._page, self._playback
        if playback is not None:
            page.notices.guard(lambda: playback.advance(seconds), "Simulation")
        self._follow(seconds, playing=self.playing)
        self._call_at_frame()
        moment = now - self._start if playback is None else playback.now
        for plot in tuple(page.widgets.plots):
            page.notices.guard(lambda plot=plot: plot.sample(moment), plot.label)  # type: ignore[misc]
        if self._stopping.is_set() or page is not self._page:
            return
        page.show()
        page.refresh(seconds)
        if now - self._last_sent >= _SOON / _RATE:
            self._last_sent = now
            self._server.viser.flush()

    def _greeting(self) -> str:
        moved = "" if self._port in (0, self._server.port) else f"port {self._port} is in use; "
        return f"{moved}viewer at {self.address} (Ctrl-C ends it)"

    # ---- what is shown

    @property
    def skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons that are shown; of a recording those that are moved through it."""
        return tuple(self._scene.skeletons)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Layers that are shown. Can be set."""
        return self._scene.layers

    @layers.setter
    def layers(self, layers: Iterable[Layer | str]) -> None:
        self._scene.layers = layers

    @property
    def trajectories(self) -> tuple[Any, ...]:
        """Lines of points (k, 3) [m]. Can be set."""
        return self._scene.trajectories

    @trajectories.setter
    def trajectories(self, trajectories: Iterable[ArrayLike]) -> None:
        self._scene.trajectories = trajectories

    @property
    def selected(self) -> BodyNode | None:
        """The body whose numbers are shown; None: none. Can be set."""
        return self._page.selection.body

    @selected.setter
    def selected(self, body: BodyNode | None) -> None:
        self._page.select(checked_part("selected", BodyNode, body, or_none=" or None"))

    # ---- in programs and notebooks

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _repr_html_(self) -> str:
        """The page in a cell. Frames are shown between cells, by the notebook's own thread."""
        if not self.is_running:
            return "<p>The viewer was stopped.</p>"
        if self._task is None:
            try:
                self._task = asyncio.get_running_loop().create_task(self._frames())
            except RuntimeError:
                self.update()
        style = "width: 100%; height: 540px; border: 1px solid #ddd"
        return f'<iframe src="{self.address}" style="{style}"></iframe>'

    async def _frames(self) -> None:
        while not self._stopping.is_set():
            self.update()
            await asyncio.sleep(1.0 / _RATE)

    def __repr__(self) -> str:
        state = f"at {self.address}" if self.is_running else "stopped"
        return f"<Viewer {state}, {self.num_clients} browsers>"


def _checked_port(port: int) -> int:
    if not 0 <= checked_whole("port", port) <= 65535:
        raise ValueError(f"port: expected 0 to 65535, got {port}")
    return port
