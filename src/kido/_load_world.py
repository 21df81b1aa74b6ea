"""Loading of model files as worlds, and reports of what they leave out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kido.description import Diagnostic, SceneDescription
from kido.errors import SavedModelError
from kido.io import LoadReport, read_model
from kido.skeleton import SavedModel, Skeleton
from kido.typing import ArrayLike, PathLike
from kido.values import checked_flag, checked_path
from kido.world import SavedWorld, World

__all__ = ["load_report", "load_world"]


def load_world(
    path: PathLike,
    *,
    gravity: ArrayLike | None = None,
    time_step: float | None = None,
    mimic: bool = True,
    strict: bool = False,
    exact: bool = False,
    **options: Any,
) -> World:
    """Read a file and make a world of all that it holds, in the state in which the file has it begin.

    What `kido.save` wrote to a file .json is read with everything that the world had. A file of one robot is
    a world of it.

    Args:
        path: model file; its suffix says the format.
        gravity: (3,) [m/s^2] in world axes; None: what the file says, else (0, 0, -9.81).
        time_step: [s]; None: what the file says, else 0.001.
        mimic: whether mimic joints follow their leaders wherever positions or velocities are set.
        strict: whether what is not honoured as it stands raises; else it is in `diagnostics` of the world and
            its skeletons.
        exact: whether to go on bit for bit where the file .json was saved so. Its numbers are then handed to
            compiled code as they are: for files that you trust.
        options: what the format's reader takes, as for `kido.load`.

    Raises:
        StrictModelError: lists what is not honoured.
        ModelFileError: the file is not a valid model; names file, line and element.
        SavedFileError: a file .json is none of kido's, or names classes that `types` does not have.
        FileNotFoundError: there is no such file.
        TypeError, ValueError: unknown suffix, or naming the argument.
    """
    for name, flag in (("strict", strict), ("exact", exact)):
        checked_flag(name, flag)
    place = checked_path("path", path)
    found = read_model(place, **options)
    if isinstance(found, SavedModel):
        world = _saved_world(place, found, exact)
        if not checked_flag("mimic", mimic):
            for skeleton in world.skeletons:
                skeleton.mimic_enforced = False
    else:
        world = World.from_description(found, mimic=mimic)
    if gravity is not None:
        world.gravity = gravity
    if time_step is not None:
        world.time_step = time_step
    if strict:
        LoadReport(place, _diagnostics(world)).refuse()
    return world


def _saved_world(place: Path, saved: SavedModel, exact: bool) -> World:
    """The world of a saved one, or of a saved skeleton. Raises SavedFileError."""
    try:
        if isinstance(saved, SavedWorld):
            world: World = saved.build_exact() if exact else saved.build()
            return world
        skeleton: Skeleton = saved.build()
    except SavedModelError as error:
        raise error.in_file(place) from error
    return World([skeleton], gravity=skeleton.gravity, time_step=skeleton.time_step, name=skeleton.name)


def load_report(path: PathLike, *, robot: str | None = None, **options: Any) -> LoadReport:
    """Report of what a file says and kido does not honour, and what is doubtful in it.

    Args:
        path: model file; its suffix says the format.
        robot: name of a robot or object: a report of what `kido.load` makes of it; None: of all that
            `kido.load_world` makes.
        options: what the format's reader takes, as for `kido.load`.

    Raises:
        ModelFileError, SavedFileError, OSError: the file cannot be read, as `kido.load_world`.
        UnknownNameError: the file has no robot of that name.
        ValueError: unknown suffix.
    """
    place = checked_path("path", path)
    found = read_model(place, **options)
    return LoadReport(place, tuple(dict.fromkeys(_report(place, found, robot))))


def _report(place: Path, found: SceneDescription | SavedModel, robot: str | None) -> tuple[Diagnostic, ...]:
    if isinstance(found, SavedModel):
        return _report_of_saved(place, found, robot)
    if robot is not None:
        skeleton = Skeleton.from_description(found.single_robot(robot))
        return (*found.diagnostics, *skeleton.diagnostics)
    return _diagnostics(World.from_description(found))


def _report_of_saved(place: Path, saved: SavedModel, robot: str | None) -> tuple[Diagnostic, ...]:
    if robot is None:
        return _diagnostics(_saved_world(place, saved, False))
    try:
        alone: Skeleton = saved.skeleton(robot)
    except SavedModelError as error:
        raise error.in_file(place) from error
    return alone.diagnostics


def _diagnostics(world: World) -> tuple[Diagnostic, ...]:
    return (*world.diagnostics, *(note for skeleton in world.skeletons for note in skeleton.diagnostics))
