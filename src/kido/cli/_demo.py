"""`kido demo`: the tour in a browser, or a picture of each scene."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from kido.cli._console import print_heading, print_table
from kido.cli._display import show_until_stopped
from kido.cli._progress import progress_bar
from kido.tour import SCENES, Tour, TourScene, draw_scene, scene_of

__all__ = ["DemoTask", "run_demo"]


@dataclass(frozen=True)
class DemoTask:
    """Scenes of the tour to be shown.

    Attributes:
        scene: name of the one that is shown first, or drawn alone; None: the first one, or all.
        listed: whether the scenes are listed instead.
        headless: whether pictures are drawn instead.
        output: folder for pictures.
        size: their width and height [pixel].
        as_json: whether what is listed or drawn is told in JSON.
        host, port: where the page is served.
        opens: whether a browser is opened; None: on a terminal with a display.
    """

    scene: str | None = None
    listed: bool = False
    headless: bool = False
    output: Path = Path("tour")
    size: tuple[int, int] = (1200, 900)
    as_json: bool = False
    host: str = "127.0.0.1"
    port: int = 8080
    opens: bool | None = None


def run_demo(console: Console, task: DemoTask) -> None:
    """Show the tour until Ctrl-C, which is raised, draw a picture of each scene, or list them.

    Raises UnknownNameError for a scene; MissingDependencyError; RenderError; OSError.
    """
    chosen = None if task.scene is None else scene_of(task.scene)
    if task.listed:
        _list(console, as_json=task.as_json)
    elif task.headless:
        _draw(console, SCENES if chosen is None else (chosen,), task)
    elif task.as_json:
        raise ValueError("--json: expected with --list or --headless")
    else:
        tour = Tour(first=chosen, host=task.host, port=task.port)
        show_until_stopped(tour.viewer, task.opens)


def _list(console: Console, *, as_json: bool) -> None:
    if as_json:
        told = [{"name": scene.name, "title": scene.title, "text": scene.text} for scene in SCENES]
        console.print(json.dumps(told, indent=1), soft_wrap=True)
        return
    print_table(console, "The tour", ("name", "title"), [(scene.name, scene.title) for scene in SCENES])


def _draw(console: Console, scenes: tuple[TourScene, ...], task: DemoTask) -> None:
    task.output.mkdir(parents=True, exist_ok=True)
    drawn = list[Path]()
    with progress_bar(console, "drawing", len(scenes)) as advance:
        for scene in scenes:
            drawn.append(task.output / f"{scene.name}.png")
            draw_scene(scene, drawn[-1], size=task.size)
            advance(1)
    if task.as_json:
        told = {scene.name: str(path) for scene, path in zip(scenes, drawn, strict=True)}
        console.print(json.dumps(told, indent=1), soft_wrap=True)
        return
    print_heading(console, "1 scene of the tour" if len(drawn) == 1 else f"{len(drawn)} scenes of the tour")
    for path in drawn:
        console.print(str(path), soft_wrap=True)
