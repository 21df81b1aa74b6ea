"""The warnings of a file: one for each kind of doubt, naming everything in doubt."""

from __future__ import annotations

from kido.description import RobotDescription
from kido.errors import ModelWarning, warn_outside_kido
from kido.shape import Mesh

__all__ = ["warn_of"]

_LISTED = 4


def warn_of(robot: RobotDescription, file: str) -> None:
    """Warn ModelWarning, at the line outside kido, of diagnostics that change what the model does."""
    kinds = {diagnostic.kind for diagnostic in robot.diagnostics}
    for kind, text in _TEXTS.items():
        if kind in kinds:
            warn_outside_kido(f"{file}: {text(robot)}", ModelWarning)


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
