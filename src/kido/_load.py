"""Loading of model files as skeletons or compiled trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kido.description import DEFAULT_TIME_STEP, SceneDescription
from kido.errors import SavedModelError
from kido.io import LoadReport, read_model
from kido.skeleton import SavedModel, Skeleton
from kido.tree import Tree
from kido.typing import ArrayLike, PathLike
from kido.values import checked_flag, checked_path

__all__ = ["load", "load_tree"]


def load(
    path: PathLike,
    *,
    robot: str | None = None,
    gravity: ArrayLike | None = None,
    time_step: float | None = None,
    mimic: bool = True,
    strict: bool = False,
    **options: Any,
) -> Skeleton:
    """Read a robot file and make a skeleton of it, in the state in which the file has it begin.

    What `kido.save` wrote to a file .json is read with everything that the skeleton had.

    Args:
        path: model file; its suffix says the format (`.urdf`).
        robot: name of the robot or object in a file that has several; None: the only robot.
        gravity: (3,) [m/s^2] in world axes; None: what the file says, else (0, 0, -9.81).
        time_step: duration of the step for which springs and dampers are implicit [s]; None: what the file
            says, else 0.001.
        mimic: whether mimic joints follow their leaders wherever positions or velocities are set: the
            skeleton's `mimic_enforced`, which can be changed at any time.
        strict: whether what is not honoured as it stands raises; else it is in `diagnostics`.
        options: what the format's reader takes, as `root="free"` or `packages={...}`: see
            `kido.io.read_urdf`; for .json `types`, classes of your own, and what else
            `kido.io.read_kido_file` takes.

    Returns:
        The skeleton. What is doubtful in the file, and what a skeleton leaves out of it, is in its
        `diagnostics`.

    Raises:
        StrictModelError: lists what is not honoured.
        SavedFileError: a file .json is none of kido's, or names classes that `types` does not have.
        ModelFileError: the file is not a valid model; names file, line and element.
        DescriptionError: the file has several robots, or none; names them.
        UnknownNameError: the file has no robot of that name.
        FileNotFoundError: there is no such file.
        ValueError: unknown suffix, or gravity that is not three finite numbers.
    """
    checked_flag("strict", strict)
    place = checked_path("path", path)
    found = read_model(place, **options)
    if isinstance(found, SavedModel):
        skeleton = _saved(place, found, robot, gravity, time_step)
        if not checked_flag("mimic", mimic):
            skeleton.mimic_enforced = False
        doubts = skeleton.diagnostics
    else:
        skeleton = _described(found, robot, gravity, time_step, mimic)
        doubts = (*found.diagnostics, *skeleton.diagnostics)
    if strict:
        LoadReport(place, doubts).refuse()
    return skeleton


def _saved(
    place: Path, saved: SavedModel, robot: str | None, gravity: ArrayLike | None, time_step: float | None
) -> Skeleton:
    """A robot of a saved file, with other settings where they are given."""
    try:
        skeleton: Skeleton = saved.skeleton(robot)
    except SavedModelError as error:
        raise error.in_file(place) from error
    if gravity is not None:
        skeleton.gravity = gravity
    if time_step is not None:
        skeleton.time_step = time_step
    return skeleton


def _described(
    scene: SceneDescription,
    robot: str | None,
    gravity: ArrayLike | None,
    time_step: float | None,
    mimic: bool,
) -> Skeleton:
    """A robot of a model file, in the file's initial state."""
    step = scene.time_step if time_step is None else time_step
    skeleton = Skeleton.from_description(
        scene.single_robot(robot),
        gravity=scene.gravity if gravity is None else gravity,
        time_step=DEFAULT_TIME_STEP if step is None else step,
        mimic=mimic,
    )
    if scene.initial_state is not None:
        state = scene.state(scene.initial_state)
        if any(joint.owner == skeleton.name for joint in state.joints):
            skeleton.set_named_state(state, initial=True)
    return skeleton


def load_tree(
    path: PathLike,
    *,
    robot: str | None = None,
    gravity: ArrayLike | None = None,
    strict: bool = False,
    **options: Any,
) -> Tree:
    """Read a robot file and compile it.

    Args:
        path: model file; its suffix says the format (`.urdf`).
        robot: name of the robot or object in a file that has several; None: the only robot.
        gravity: (3,) [m/s^2] in world axes; None: what the file says, else (0, 0, -9.81).
        strict: whether what is not honoured as it stands raises; else it is in `diagnostics`.
        options: what the format's reader takes, as `root="free"` or `packages={...}`: see
            `kido.io.read_urdf`; for .json as `load`.

    Returns:
        The compiled tree. Mimic joints are independent dofs.

    Raises:
        StrictModelError: lists what is not honoured.
        ModelFileError: the file is not a valid model; names file, line and element.
        DescriptionError: the file has several robots, or none; names them.
        UnknownNameError: the file has no robot of that name.
        FileNotFoundError: there is no such file.
        ValueError: unknown suffix, or gravity that is not three finite numbers.
    """
    checked_flag("strict", strict)
    place = checked_path("path", path)
    found = read_model(place, **options)
    if isinstance(found, SavedModel):
        skeleton = _saved(place, found, robot, gravity, None)
        if strict:
            LoadReport(place, skeleton.diagnostics).refuse()
        return skeleton.tree
    tree = Tree.from_description(
        found.single_robot(robot), gravity=found.gravity if gravity is None else gravity
    )
    if strict:
        LoadReport(place, (*found.diagnostics, *tree.diagnostics)).refuse()
    return tree
