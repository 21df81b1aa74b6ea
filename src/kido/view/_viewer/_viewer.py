"""The viewer."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kido.errors import EditError
from kido.frame import Frame, SimpleFrame
from kido.ik import CompositeIK, InverseKinematics, WholeBodyIK
from kido.skeleton import BodyNode, FrameNode, Skeleton
from kido.typing import ArrayLike, frozen_array
from kido.values import checked_flag, checked_name, checked_part, checked_positive, checked_whole
from kido.view._camera import Camera, CameraLike
from kido.view._scene import DEFAULT_LAYERS, Layer, SceneGraph, SceneLike
from kido.view._viewer._body_drag import track
from kido.view._viewer._body_pull import BodyPull
from kido.view._viewer._dragged_node import DraggedNode
from kido.view._viewer._gizmo import Gizmo
from kido.view._viewer._guide import Guide
from kido.view._viewer._page import Page, page_camera
from kido.view._viewer._page_server import PageServer
from kido.view._viewer._playback import Playback
from kido.view._viewer._player import Player
from kido.view._viewer._replay import Recorded, Replay
from kido.view._viewer._server import load_viser
from kido.view._viewer._widgets import Plot, Widget
from kido.world import World

__all__ = ["Viewer"]

_RATE = 60.0
"""Frames a second."""
_PANEL_PERIOD = 0.2
"""Time from one look at the panels to the next [s]."""
_PATIENCE = 10.0
"""Time for which `stop` waits for a frame of another thread, which else ends the server itself [s]."""
_SETTLING = 0.1
"""Time that browsers get for what was sent, before they are told to remove it [s]."""
_NAMED = 3
"""Skeletons whose names stand over the panel."""
_GIZMO = 0.2
"""Size of gizmos, by that of the scene."""

KEYS = (
    *"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    *("enter", "escape", "tab", "backspace", "delete", "insert", "home", "end", "pageup", "pagedown"),
    *("arrowup", "arrowdown", "arrowleft", "arrowright"),
)
"""Keys that functions can be bound to; the space bar plays and pauses."""

IK = InverseKinematics | CompositeIK | WholeBodyIK


class Viewer:
    """Skeletons and worlds in browsers, where people look at them, move them, and play physics.

    `run` shows them until Ctrl-C. In a program with a loop of its own call `update` instead, once a frame; in
    a notebook let a cell end with the viewer. All models are read and moved by whoever calls these, never by
    another thread: what people do in browsers waits for the next frame.

    A body follows the mouse by inverse kinematics, or while the world plays by a spring; a click shows its
    numbers. Functions of the user's that raise are reported in the page and logged, and called again.
    """

    def __init__(
        self,
        what: SceneLike | Recorded,
        *,
        layers: Iterable[Layer | str] = DEFAULT_LAYERS,
        frames: bool | Iterable[Frame] = (),
        trajectories: Iterable[ArrayLike] = (),
        camera: CameraLike = None,
        title: str | None = None,
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
            host: address to listen at; "0.0.0.0" lets other machines in.
            port: to listen at; where it is in use, the next that is free. 0: any.

        Raises:
            MissingDependencyError: the extra `view` is not installed.
            TypeError, ValueError: naming the argument.
            OSError: the host is none of this machine's, or a hundred ports are in use.
        """
        load_viser()
        self._port, self._host = _checked_port(port), checked_name("host", host)
        self._updating, self._frame_thread = threading.Lock(), 0
        self._stopping = threading.Event()
        self._task: asyncio.Task[None] | None = None
        self._start = self._last_frame = self._last_panels = time.perf_counter()
        parts, player = _parts(what)
        scene = SceneGraph(parts, layers, frames=frames, trajectories=trajectories)
        view, named = _view(scene, camera), _title(scene, player, title)
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
        parts, player = _parts(what)
        scene = SceneGraph(parts, layers, frames=frames, trajectories=trajectories)
        view, named = _view(scene, camera), _title(scene, player, title)
        if self.is_running:
            if self.num_clients:
                time.sleep(_SETTLING)
            with self._server.viser.atomic():
                self._page.clear()
                self._put(scene, player, view, named)

    def _put(self, scene: SceneGraph, player: Player | None, view: Camera, title: str) -> None:
        """Make a page of a scene."""
        self._scene, self._playback = scene, player
        self._page = Page(self._server, scene, player, view, title)
        if isinstance(player, Playback):
            player.before_step = self._page.pointer.before_step
        self._nodes: list[tuple[Gizmo, DraggedNode]] = []
        self._followed: list[IK] = []
        self._on_frame: list[Callable[[], object]] = []
        self._last_panels = 0.0

    # ---- frames

    @property
    def address(self) -> str:
        """Where browsers find the page."""
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
                self._stopping.wait(max(0.0, 1.0 / _RATE - (time.perf_counter() - begin)))
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
        self._follow(seconds)
        for call in self._on_frame:
            page.notices.guard(call, getattr(call, "__name__", "on_frame"))
        moment = now - self._start if playback is None else playback.now
        for plot in page.widgets.plots:
            page.notices.guard(lambda plot=plot: plot.sample(moment), plot.label)  # type: ignore[misc]
        if self._stopping.is_set() or page is not self._page:
            return
        page.show()
        if now - self._last_panels >= _PANEL_PERIOD:
            self._last_panels = now
            page.refresh()

    def _follow(self, seconds: float) -> None:
        """Let everything go where people drag it."""
        page = self._page
        page.pointer.follow(seconds)
        for gizmo, node in self._nodes:
            if gizmo.held:
                page.notices.guard(lambda node=node: node.follow(seconds), node.node.name)  # type: ignore[misc]
        if not self.playing:
            for ik in self._followed:
                page.notices.guard(lambda ik=ik: track(ik, seconds), "Inverse kinematics")  # type: ignore[misc]

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
        """What is shown. Can be set."""
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

    # ---- time

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

    # ---- what people move

    def add_gizmo(
        self,
        part: SimpleFrame | BodyNode | FrameNode,
        *,
        on_move: Callable[[], object] | None = None,
        whole_body: bool = False,
        keep_orientation: bool = True,
        rotates: bool | None = None,
        line: ArrayLike | None = None,
        plane: ArrayLike | None = None,
        size: float | None = None,
    ) -> Gizmo:
        """Arrows and rings that move a frame; or a body or node, by inverse kinematics.

        Args:
            part: a free frame, or a body or node of a skeleton that is shown.
            on_move: is called after each move.
            whole_body: whether all dofs that move the node may move, with feet held where they stand; or
                those of its chain alone.
            keep_orientation: whether a body or node takes the gizmo's orientation; else any.
            rotates: whether there are rings; None: where the orientation matters and nothing bounds the move.
            line: direction (3,) of a line on which it stays, in world axes.
            plane: normal (3,) of a plane on which it stays, in world axes.
            size: [m]; None: as suits the scene.

        Raises TypeError or ValueError, naming the argument; ValueError where no dof moves the part.
        """
        checked_part("part", (SimpleFrame, BodyNode, FrameNode), part)
        checked_flag("whole_body", whole_body)
        checked_flag("keep_orientation", keep_orientation)
        guide = Guide(part.transform()[:3, 3], line=line, plane=plane)
        oriented = isinstance(part, SimpleFrame) or keep_orientation
        node = None if isinstance(part, SimpleFrame) else DraggedNode(part, whole_body, keep_orientation)
        move = part.set_transform if isinstance(part, SimpleFrame) else node.move  # type: ignore[union-attr]

        def moved(transform: Any) -> None:
            move(transform)
            if on_move is not None:
                on_move()

        gizmo = self._page.add_gizmo(
            part.name,
            read=part.transform,
            move=moved,
            release=(lambda: None) if node is None else node.release,
            size=_GIZMO * self._scene.size if size is None else checked_positive("size", size, "m"),
            guide=guide,
            rotates=(oriented and guide.is_free) if rotates is None else checked_flag("rotates", rotates),
        )
        if node is not None:
            self._nodes.append((gizmo, node))
        return gizmo

    def follow(self, ik: IK, *, gizmos: bool = True) -> tuple[Gizmo, ...]:
        """Let a skeleton follow the targets of its inverse kinematics at each frame, while no world plays.

        Args:
            ik: a module, or a hierarchy of several.
            gizmos: whether gizmos move the targets.

        Raises TypeError.
        """
        checked_part("ik", (InverseKinematics, CompositeIK, WholeBodyIK), ik)
        self._followed.append(ik)
        if not checked_flag("gizmos", gizmos):
            return ()
        modules = (ik,) if isinstance(ik, InverseKinematics) else ik.modules
        return tuple(self.add_gizmo(module.target) for module in modules)

    @property
    def gizmos(self) -> tuple[Gizmo, ...]:
        """The gizmos that there are."""
        return tuple(self._page.gizmos)

    @property
    def pulls(self) -> tuple[BodyPull, ...]:
        """The springs by which people pull simulated bodies now."""
        return self._page.pointer.pulls

    # ---- panels and events

    def on_frame(self, call: Callable[[], object]) -> Callable[[], object]:
        """Have a function called at each frame, before it is sent; can decorate. Raises TypeError."""
        self._on_frame.append(_checked_call("call", call))
        return call

    def on_select(self, call: Callable[[BodyNode | None], object]) -> Callable[[BodyNode | None], object]:
        """Have a function told which body was clicked on; can decorate. Raises TypeError."""
        self._page.selection.listeners.append(_checked_call("call", call))
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
        self._page.widgets.on_key(named, named, _checked_call("call", call))

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
                checked_name("label", label), least, most, first, width, _call_or_none("on_change", on_change)
            )

    def add_checkbox(
        self, label: str, value: bool = False, *, on_change: Callable[[bool], object] | None = None
    ) -> Widget[bool]:
        """A checkbox in the panel; `on_change` is told its value. Raises TypeError or ValueError."""
        with self._page.user_panel:
            return self._page.widgets.checkbox(
                checked_name("label", label),
                checked_flag("value", value),
                _call_or_none("on_change", on_change),
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
                _call_or_none("on_change", on_change),
            )

    def add_button(self, label: str, on_click: Callable[[], object]) -> Widget[bool]:
        """A button in the panel; `on_click` is called for each click. Raises TypeError or ValueError."""
        with self._page.user_panel:
            return self._page.widgets.button(
                checked_name("label", label), _checked_call("on_click", on_click)
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
        values = frozen_array(label, _checked_call("call", call)(), None).reshape(-1)
        given = _line_names(label, names, len(values))
        with self._page.user_panel:
            return self._page.widgets.plot(label, call, given, checked_positive("seconds", seconds, "s"))

    # ---- in programs and notebooks

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _repr_html_(self) -> str:
        """The page in a cell. Frames are shown between cells, by the notebook's own thread."""
        if self.is_running and self._task is None:
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


def _parts(what: Any) -> tuple[SceneLike, Player | None]:
    """What is shown, and what of it plays. Raises ValueError where several do."""
    alone = isinstance(what, (World, Skeleton)) or not isinstance(what, Iterable)
    parts = [what] if alone else list(what)
    shown, players = [], list[Player]()
    for part in parts:
        if callable(getattr(type(part), "playback", None)):
            replay = Replay(part)
            players.append(replay)
            shown.append(replay.source)
        else:
            players += [Playback(part)] if isinstance(part, World) else []
            shown.append(part)
    if len(players) > 1:
        raise ValueError(f"what: expected at most one World or recording, got {len(players)}")
    return (shown[0] if alone else shown), (players[0] if players else None)


def _view(scene: SceneGraph, camera: CameraLike) -> Camera:
    """Where browsers look from at a scene. Raises ValueError for what is no camera."""
    scene.update()
    return page_camera(camera, scene.seen_points())


def _title(scene: SceneGraph, player: Player | None, given: str | None) -> str:
    if given is not None:
        return checked_name("title", given)
    if isinstance(player, Playback):
        return player.world.name
    names = [skeleton.name for skeleton in scene.skeletons]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more or "kido"


def _checked_port(port: int) -> int:
    if not 0 <= checked_whole("port", port) <= 65535:
        raise ValueError(f"port: expected 0 to 65535, got {port}")
    return port


def _checked_call(name: str, call: Any) -> Any:
    if not callable(call):
        raise TypeError(f"{name}: expected a function, got {call!r}")
    return call


def _call_or_none(name: str, call: Any) -> Any:
    return None if call is None else _checked_call(name, call)


def _line_names(label: str, names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if names is None:
        return (label,) if count == 1 else tuple(f"{label} {i + 1}" for i in range(count))
    given = tuple(checked_name("names", name) for name in names)
    if len(given) != count:
        raise ValueError(f"names: expected {count}, one for each number, got {len(given)}")
    return given
