"""A page with scenes to click through."""

from __future__ import annotations

from collections.abc import Sequence

from kido.tour._scene import TourScene
from kido.tour._stage import Stage
from kido.tour._table import SCENES
from kido.view import Viewer

__all__ = ["Tour"]

_TITLE = "kido: the tour"
_HINT = "Arrow keys: next and previous scene. Space: pause. Drag bodies by the mouse."


class Tour:
    """A viewer with scenes to click through, each made anew when it is shown.

    Attributes:
        viewer: which shows them; `viewer.run()` does until Ctrl-C.
        scenes: in their order.
        stage: what is shown.
    """

    def __init__(
        self,
        scenes: Sequence[TourScene] = SCENES,
        *,
        first: TourScene | None = None,
        host: str = "127.0.0.1",
        port: int = 8080,
    ) -> None:
        """Start a server with a scene.

        Args:
            scenes: one or more.
            first: that is shown first; None: the first one.
            host: address to listen at, as of `kido.Viewer`.
            port: to listen at, as of `kido.Viewer`.

        Raises ValueError where there is no scene, and as `kido.Viewer`.
        """
        if not scenes:
            raise ValueError("scenes: expected one or more, got none")
        self.scenes = tuple(scenes)
        self._index = 0 if first is None else self.scenes.index(first)
        self.stage: Stage = self.scene.make()
        self.viewer = Viewer(
            self.stage.what,
            layers=self.stage.layers,
            camera=self.stage.camera,
            trajectories=self.stage.drawn,
            title=_TITLE,
            host=host,
            port=port,
        )
        self._furnish()

    @property
    def scene(self) -> TourScene:
        """The scene that is shown."""
        return self.scenes[self._index]

    def show(self, index: int) -> None:
        """Show a scene from its beginning; numbers beyond either end begin at the other one."""
        self._index = index % len(self.scenes)
        self.stage = stage = self.scene.make()
        self.viewer.show(
            stage.what, layers=stage.layers, camera=stage.camera, trajectories=stage.drawn, title=_TITLE
        )
        self._furnish()

    def next(self) -> None:
        """Show the next scene."""
        self.show(self._index + 1)

    def previous(self) -> None:
        """Show the scene before."""
        self.show(self._index - 1)

    def _furnish(self) -> None:
        """Add the panel of the tour and that of the scene, and play."""
        viewer, stage = self.viewer, self.stage
        titles = [f"{i}. {scene.title}" for i, scene in enumerate(self.scenes, start=1)]
        viewer.add_text(f"### {self.scene.title}\n\n{self.scene.text}")
        viewer.add_choice(
            "Scene", titles, value=titles[self._index], on_change=lambda title: self.show(titles.index(title))
        )
        viewer.add_button("Next scene", self.next)
        viewer.on_key("arrowright", self.next)
        viewer.on_key("arrowleft", self.previous)
        stage.panel(viewer)
        viewer.add_button("Start again", lambda: self.show(self._index))
        viewer.add_text(_HINT)
        trails = stage.trails
        if trails is not None:

            def draw() -> None:
                if trails.see():
                    viewer.trajectories = [*stage.drawn, *trails.lines]

            viewer.on_frame(draw)
        if stage.world is not None:
            viewer.play()
