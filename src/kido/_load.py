"""From a model file to a skeleton or a compiled tree in one call."""

from __future__ import annotations

from typing import Any

from kido.io import read
from kido.skeleton import Skeleton
from kido.tree import EARTH_GRAVITY, Tree
from kido.typing import ArrayLike, PathLike

__all__ = ["load", "load_tree"]


def load(
    path: PathLike,
    *,
    gravity: ArrayLike = EARTH_GRAVITY,
    time_step: float = 1e-3,
    mimic: bool = True,
    **options: Any,
) -> Skeleton:
    """Read a robot file and make a skeleton of it.

    Args:
        path: model file; its suffix says the format (`.urdf`).
        gravity: (3,) [m/s^2] in world axes.
        time_step: duration of the step for which springs and dampers are implicit [s].
        mimic: whether mimic joints follow their leaders wherever positions or velocities are set: the
            skeleton's `mimic_enforced`, which can be changed at any time.
        options: what the format's reader takes, as `root="free"` or `packages={...}`: see
            `kido.io.read_urdf`.

    Returns:
        The skeleton, at its initial positions.

    Raises:
        ModelFileError: the file is not a valid model; names file, line and element.
        FileNotFoundError: there is no such file.
        ValueError: unknown suffix, or gravity that is not three finite numbers.
    """
    return Skeleton.from_description(read(path, **options), gravity=gravity, time_step=time_step, mimic=mimic)


def load_tree(path: PathLike, *, gravity: ArrayLike = EARTH_GRAVITY, **options: Any) -> Tree:
    """Read a robot file and compile it.

    Args:
        path: model file; its suffix says the format (`.urdf`).
        gravity: (3,) [m/s^2] in world axes.
        options: what the format's reader takes, as `root="free"` or `packages={...}`: see
            `kido.io.read_urdf`.

    Returns:
        The compiled tree.

    Raises:
        ModelFileError: the file is not a valid model; names file, line and element.
        FileNotFoundError: there is no such file.
        ValueError: unknown suffix, or gravity that is not three finite numbers.
    """
    return Tree.from_description(read(path, **options), gravity=gravity)
