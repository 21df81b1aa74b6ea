"""`kido render`: a picture or a film of a model file or a recording."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from kido import load_recording, load_world
from kido.cli._console import print_pairs
from kido.cli._dofs import print_json_of
from kido.cli._files import ModelFile, is_recording
from kido.errors import ModelWarning
from kido.frame import Frame
from kido.skeleton import Skeleton
from kido.tree import number_text
from kido.view import Orbit, film, render
from kido.world import World

__all__ = ["RenderTask", "read_size", "run_render"]

_FILMS = (".mp4", ".gif")


@dataclass(frozen=True)
class RenderTask:
    """Picture or film to be drawn.

    Attributes:
        output: PNG, MP4 or GIF file.
        camera: name of a view.
        orbit: azimuth and elevation [deg] and zoom of a camera; None where nothing is said.
        size: text WIDTHxHEIGHT [pixel]; None: the usual one.
        duration: of a film [s]; None where it is none, or of all of a recording.
        at: time of a recording that a picture shows [s]; None: its end.
        positions: texts DOF=VALUE [rad, m].
        degrees: whether angles among them are in degrees.
        show: layers that are shown too.
        frames: names of bodies or nodes whose axes are drawn; "all": of all bodies.
        collision: whether shapes for contact are drawn in place of those for looks.
        sticks: whether sticks are drawn; None: where there are no shapes.
        ground: whether there is a floor.
        background: name of its color, or "#rrggbb".
        as_json: whether what was written is told in JSON.
    """

    output: Path
    camera: str | None = None
    orbit: tuple[float | None, float | None, float | None] = (None, None, None)
    size: str | None = None
    duration: float | None = None
    at: float | None = None
    positions: Sequence[str] = ()
    degrees: bool = False
    show: Sequence[str] = ()
    frames: Sequence[str] = ()
    collision: bool = False
    sticks: bool | None = None
    ground: bool = True
    background: str = "white"
    as_json: bool = False


def run_render(console: Console, model: ModelFile, task: RenderTask) -> None:
    """Draw a model file or a recording, and say what was written.

    Raises ValueError for options that make no sense, UnknownNameError, and what `kido.load_world` and
    `kido.film` raise.
    """
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("ignore")
        what, skeletons = _recorded(model, task) if is_recording(model.path) else _loaded(model, task)
        options = _options(skeletons, task)
        warnings.simplefilter("always", ModelWarning)
        about = _film(what, task, options) if _is_film(task) else _picture(what, task, options)
    if task.as_json:
        told = {"written": str(task.output), **dict(about), "warnings": [str(w.message) for w in noted]}
        print_json_of(console, told)
        return
    print_pairs(console, [("written", str(task.output)), *about])
    for warning in noted:
        console.print(f"warning: {warning.message}", soft_wrap=True)


def _loaded(model: ModelFile, task: RenderTask) -> tuple[World | Skeleton, list[Skeleton]]:
    """Content of a model file, and its skeletons."""
    if task.at is not None:
        raise ValueError(f"--at: expected none but for a recording, got {task.at:g}")
    if task.output.suffix.lower() in _FILMS and task.duration is None:
        raise ValueError("--time: expected how long the film simulates [s], got none")
    world = load_world(model.path, **model.options)
    skeletons = [world.skeleton(model.robot)] if model.robot is not None else list(world.skeletons)
    _set_positions(skeletons, task)
    return (world if model.robot is None else skeletons[0]), skeletons


def _recorded(model: ModelFile, task: RenderTask) -> tuple[Any, list[Skeleton]]:
    """A recording, or what stands at a time of it, and its skeletons."""
    for option, given in (("--position", task.positions), ("--robot", model.robot)):
        if given:
            raise ValueError(f"{option}: expected none for a recording")
    recording = load_recording(model.path)
    if task.at is None:
        return recording, list(recording.at(recording.end_time).skeletons)
    if task.output.suffix.lower() in _FILMS:
        raise ValueError(f"--at: expected none for a film, got {task.at:g}")
    there = recording.at(task.at)
    return there, list(there.skeletons)


def _is_film(task: RenderTask) -> bool:
    is_film = task.output.suffix.lower() in _FILMS
    if not is_film and task.duration is not None:
        raise ValueError(f"--time: expected none for a picture, got {task.duration:g}")
    return is_film


def _picture(what: Any, task: RenderTask, options: dict[str, Any]) -> list[tuple[str, str]]:
    height, width, _ = render(what, task.output, **options).shape
    return [("size", f"{width} x {height} pixels")]


def _film(what: Any, task: RenderTask, options: dict[str, Any]) -> list[tuple[str, str]]:
    if isinstance(what, Skeleton):
        raise ValueError("--robot: expected none for a film, which simulates all of the file")
    made = film(what, task.output, duration=task.duration, **options)
    width, height = made.size
    frames = f"{made.num_frames} frames, {number_text(round(made.rate, 3))} a second"
    return [("size", f"{width} x {height} pixels"), ("film", frames)]


def _options(skeletons: Sequence[Skeleton], task: RenderTask) -> dict[str, Any]:
    options: dict[str, Any] = {
        "camera": _camera(task),
        "show": task.show,
        "frames": _frames(skeletons, task.frames),
        "collision": task.collision,
        "sticks": task.sticks,
        "ground": task.ground,
        "background": task.background,
    }
    if task.size is not None:
        options["size"] = read_size(task.size)
    return options


def read_size(text: str) -> tuple[int, int]:
    """Width and height [pixel] of a text like "640x480". Raises ValueError."""
    found = re.fullmatch(r"(\d+)x(\d+)", text)
    if found is None:
        raise ValueError(f"--size: expected WIDTHxHEIGHT [pixel], got {text!r}")
    return int(found[1]), int(found[2])


def _camera(task: RenderTask) -> str | Orbit | None:
    if all(part is None for part in task.orbit):
        return task.camera
    if task.camera is not None:
        raise ValueError("--camera: expected none beside --azimuth, --elevation and --zoom")
    usual = Orbit()
    azimuth, elevation, zoom = task.orbit
    return Orbit(
        usual.azimuth if azimuth is None else azimuth,
        usual.elevation if elevation is None else elevation,
        usual.zoom if zoom is None else zoom,
    )


def _frames(skeletons: Sequence[Skeleton], names: Sequence[str]) -> bool | list[Frame]:
    if "all" in names:
        return True
    return [_frame(skeletons, name) for name in names]


def _frame(skeletons: Sequence[Skeleton], name: str) -> Frame:
    for skeleton in skeletons:
        if skeleton.has_body(name):
            return skeleton.body(name)
        for node in skeleton.nodes():
            if node.name == name and isinstance(node, Frame):
                return node
    return skeletons[0].body(name)  # raises, and names the nearest


def _set_positions(skeletons: Sequence[Skeleton], task: RenderTask) -> None:
    for text in task.positions:
        name, _, number = text.rpartition("=")
        owner = next((s for s in skeletons if s.has_dof(name)), skeletons[0])
        dof = owner.dof(name)
        try:
            value = float(number)
        except ValueError:
            raise ValueError(f"--position: expected DOF=NUMBER, got {text!r}") from None
        if task.degrees and dof.coordinate.unit == "rad":
            value = math.radians(value)
        dof.position = value
