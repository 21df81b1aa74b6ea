"""The warnings of a file: one for each kind of doubt, naming everything in doubt."""

from __future__ import annotations

import sys
import warnings

from kido.description import RobotDescription
from kido.errors import ModelWarning
from kido.shape import Mesh

__all__ = ["warn_of"]

_LISTED = 4


def warn_of(robot: RobotDescription, file: str) -> None:
    """Warn ModelWarning, at the line outside kido, of diagnostics that change what the model does."""
    kinds = {diagnostic.kind for diagnostic in robot.diagnostics}
    for kind, text in _TEXTS.items():
        if kind in kinds:
            warnings.warn(f"{file}: {text(robot)}", ModelWarning, stacklevel=_level_outside_kido())


def _level_outside_kido() -> int:
    """The `stacklevel`, for the function that asks, of the first frame that is not kido's own."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "kido":
        level, frame = level + 1, frame.f_back
    return level


def _listed(parts: list[str], separator: str) -> str:
    more = f" and {len(parts) - _LISTED} more" if len(parts) > _LISTED else ""
    return separator.join(parts[:_LISTED]) + more


def _inertia(robot: RobotDescription) -> str:
    names = [repr(d.subject) for d in robot.diagnostics if d.kind == "inertia"]
    return f"no body can have the inertia of {_listed(names, ', ')}; `diagnostics` says why"


def _meshes(robot: RobotDescription) -> str:
    shapes = [place.shape for link in robot.links for place in (*link.visuals, *link.collisions)]
    missing = {shape.uri: None for shape in shapes if isinstance(shape, Mesh) and shape.path is None}
    listed = _listed(list(missing), ", ")
    return f"mesh files not found: {listed}; packages={{name: folder}} says where packages are"


def _mimics(robot: RobotDescription) -> str:
    return _listed([d.message for d in robot.diagnostics if d.kind == "mimic"], "; ")


def _root(robot: RobotDescription) -> str:
    return "; ".join(d.message for d in robot.diagnostics if d.kind in ("root", "empty"))


_TEXTS = {"inertia": _inertia, "mesh": _meshes, "mimic": _mimics, "root": _root, "empty": _root}
