"""`kido view`: a robot or a world of a model file in a browser."""

from __future__ import annotations

import warnings
import webbrowser
from dataclasses import dataclass

from rich.console import Console

from kido.cli._display import has_display
from kido.cli._files import ModelFile
from kido.description import SceneDescription
from kido.errors import ModelWarning
from kido.skeleton import Skeleton
from kido.view import DEFAULT_LAYERS, Layer, Viewer
from kido.world import World

__all__ = ["ViewTask", "run_view"]


@dataclass(frozen=True)
class ViewTask:
    """What is shown.

    Attributes:
        host, port: where the page is served.
        simulate: whether physics plays; None: where the file holds several robots or objects.
        collision: whether shapes for contact are shown, not those for looks.
        opens: whether a browser is opened; None: on a terminal with a display.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    simulate: bool | None = None
    collision: bool = False
    opens: bool | None = None


def run_view(console: Console, model: ModelFile, task: ViewTask) -> None:
    """Show a file until Ctrl-C.

    Raises ValueError and what reading raises; MissingDependencyError; OSError where the port cannot be had.
    """
    shown = _shown(model, task.simulate)
    layers: tuple[Layer, ...] = DEFAULT_LAYERS
    if task.collision:
        layers = tuple(Layer.COLLISION if layer is Layer.VISUAL else layer for layer in DEFAULT_LAYERS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        viewer = Viewer(shown, layers=layers, host=task.host, port=task.port)
    for problem in viewer.problems:
        console.print(f"warning: {problem}", soft_wrap=True)
    if isinstance(shown, World) and task.simulate is not False:
        viewer.play()
    if has_display() if task.opens is None else task.opens:
        webbrowser.open(viewer.address)
    viewer.run()


def _shown(model: ModelFile, simulate: bool | None) -> Skeleton | World:
    """One robot or object as it stands; several, or what is simulated, as a world."""
    scene = model.scene() if model.robot is None else None
    several = scene is not None and _count(scene) > 1
    if scene is not None and (several if simulate is None else simulate or several):
        world = World.from_description(scene)
        if not world.skeletons:
            raise ValueError(f"{model.path}: there is no robot and no object in it")
        return world
    skeleton = Skeleton.from_description(model.one_robot())
    return World([skeleton]) if simulate else skeleton


def _count(scene: SceneDescription) -> int:
    return len(scene.robots) + len(scene.objects)
