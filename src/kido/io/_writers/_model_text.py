"""Arguments and results of every writer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from kido.description import Diagnostic, RobotDescription, SceneDescription
from kido.values import check_place, checked_part, write_file, write_text_file

__all__ = ["Model", "ModelText", "as_scene", "saved"]

Model: TypeAlias = SceneDescription | RobotDescription
"""What can be written."""


class ModelText(NamedTuple):
    """Text of a model file, and what it does not say as the model does."""

    text: str
    diagnostics: tuple[Diagnostic, ...]


def as_scene(model: Model) -> SceneDescription:
    """A scene, or that of a robot alone; raises TypeError for what is neither."""
    checked_part("model", (SceneDescription, RobotDescription), model)
    return model if isinstance(model, SceneDescription) else SceneDescription.of_robot(model)


def saved(written: ModelText, path: Path, files: Mapping[Path, bytes]) -> tuple[Diagnostic, ...]:
    """The diagnostics of a text that is written, after the `files` that it names; raises OSError."""
    check_place(path)
    for place, data in files.items():
        place.parent.mkdir(exist_ok=True)
        write_file(place, data)
    write_text_file(path, written.text)
    own = [_enclosed(place, path) for place in files]
    return (*written.diagnostics, *own)


def _enclosed(mesh: Path, path: Path) -> Diagnostic:
    """Says that a mesh got a file of its own."""
    told = f"<mesh {mesh.stem!r}>: its triangles are in {f'{mesh.parent.name}/{mesh.name}'!r}"
    return Diagnostic(told, str(path), None, "equivalent", mesh.stem)
