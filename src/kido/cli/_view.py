"""`kido view` and `kido replay`: a model file or a recording in a browser."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from kido.cli._display import show_until_stopped
from kido.cli._files import ModelFile
from kido.description import SceneDescription
from kido.errors import ModelWarning
from kido.recording import Recording, load_recording
from kido.skeleton import Skeleton
from kido.view import DEFAULT_LAYERS, Layer, Viewer
from kido.world import World

__all__ = ["ViewTask", "run_replay", "run_view"]


@dataclass(frozen=True)
class ViewTask:
    """Page to be shown.

    Attributes:
        host, port: where the page is served.
        simulate: whether physics plays; None: where the file holds several robots or objects.
        collision: whether shapes for contact are shown, not those for looks.
        opens: whether a browser is opened; None: on a terminal with a display.
        speed: of a recording, by time on the clock [-].
        moment: of a recording at which it stands still [s]; None: it plays from its start.
        degrees: whether sliders and numbers show angles in degrees.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    simulate: bool | None = None
    collision: bool = False
    opens: bool | None = None
    speed: float = 1.0
    moment: float | None = None
    degrees: bool = False


def run_view(console: Console, model: ModelFile, task: ViewTask) -> None:
    """Show a file until Ctrl-C, which is raised.

    Raises ValueError and what reading raises; MissingDependencyError; OSError where the port cannot be had.
    """
    shown = _shown(model, task.simulate)
    viewer = _viewer(shown, task)
    for problem in viewer.problems:
        console.print(f"warning: {problem}", soft_wrap=True)
    if isinstance(shown, World) and task.simulate is not False:
        viewer.play()
    show_until_stopped(viewer, task.opens)


def run_replay(path: Path, task: ViewTask) -> None:
    """Play a recording until Ctrl-C, which is raised.

    Raises what `load_recording` raises; ValueError for a time that it does not have, or a speed;
    MissingDependencyError; OSError where the port cannot be had.
    """
    recording = load_recording(path)
    if not len(recording):
        raise ValueError(f"{path}: there is no sample in it")
    start, end = recording.start_time, recording.end_time
    if task.moment is not None and not start <= task.moment <= end:
        raise ValueError(f"--at: expected {start:g} to {end:g} [s], got {task.moment:g}")
    if not 1e-3 <= task.speed <= 1e3:
        raise ValueError(f"--speed: expected 0.001 to 1000, got {task.speed:g}")
    viewer = _viewer(recording, task)
    viewer.speed = task.speed
    if task.moment is None:
        viewer.play()
    else:
        viewer.seek(task.moment)
    show_until_stopped(viewer, task.opens)


def _viewer(shown: Skeleton | World | Recording, task: ViewTask) -> Viewer:
    layers: tuple[Layer, ...] = DEFAULT_LAYERS
    if task.collision:
        layers = tuple(Layer.COLLISION if layer is Layer.VISUAL else layer for layer in DEFAULT_LAYERS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return Viewer(shown, layers=layers, degrees=task.degrees, host=task.host, port=task.port)


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
