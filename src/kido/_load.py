"""Loading of model files as skeletons or compiled trees."""

from __future__ import annotations

from typing import Any

from kido.io import read_scene
from kido.skeleton import Skeleton
from kido.tree import Tree
from kido.typing import ArrayLike, PathLike

__all__ = ["load", "load_tree"]

_TIME_STEP = 1e-3  # [s]


def load(
    path: PathLike,
    *,
    robot: str | None = None,
    gravity: ArrayLike | None = None,
    time_step: float | None = None,
    mimic: bool = True,
    **options: Any,
) -> Skeleton:
    """Read a robot file and make a skeleton of it.

    Args:
        path: model file; its suffix says the format (`.urdf`).
        robot: name of the robot or object in a file that has several; None: the only robot.
        gravity: (3,) [m/s^2] in world axes; None: what the file says, else (0, 0, -9.81).
        time_step: duration of the step for which springs and dampers are implicit [s]; None: what the file
            says, else 0.001.
        mimic: whether mimic joints follow their leaders wherever positions or velocities are set: the
            skeleton's `mimic_enforced`, which can be changed at any time.
        options: what the format's reader takes, as `root="free"` or `packages={...}`: see
            `kido.io.read_urdf`.

    Returns:
        The skeleton, at its initial positions. What is doubtful in the file is in its `diagnostics`.

    Raises:
        ModelFileError: the file is not a valid model; names file, line and element.
        DescriptionError: the file has several robots, or none; names them.
        UnknownNameError: the file has no robot of that name.
        FileNotFoundError: there is no such file.
        ValueError: unknown suffix, or gravity that is not three finite numbers.
    """
    scene = read_scene(path, **options)
    step = scene.time_step if time_step is None else time_step
    return Skeleton.from_description(
        scene.single_robot(robot),
        gravity=scene.gravity if gravity is None else gravity,
        time_step=_TIME_STEP if step is None else step,
        mimic=mimic,
    )


def load_tree(
    path: PathLike, *, robot: str | None = None, gravity: ArrayLike | None = None, **options: Any
) -> Tree:
    """Read a robot file and compile it.

    Args:
        path: model file; its suffix says the format (`.urdf`).
        robot: name of the robot or object in a file that has several; None: the only robot.
        gravity: (3,) [m/s^2] in world axes; None: what the file says, else (0, 0, -9.81).
        options: what the format's reader takes, as `root="free"` or `packages={...}`: see
            `kido.io.read_urdf`.

    Returns:
        The compiled tree. Mimic joints are independent dofs.

    Raises:
        ModelFileError: the file is not a valid model; names file, line and element.
        DescriptionError: the file has several robots, or none; names them.
        UnknownNameError: the file has no robot of that name.
        FileNotFoundError: there is no such file.
        ValueError: unknown suffix, or gravity that is not three finite numbers.
    """
    scene = read_scene(path, **options)
    return Tree.from_description(
        scene.single_robot(robot), gravity=scene.gravity if gravity is None else gravity
    )
