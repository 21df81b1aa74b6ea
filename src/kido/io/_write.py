"""Writing a model file by its suffix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from kido.description import (
    DEFAULT_TIME_STEP,
    Diagnostic,
    NamedState,
    RobotDescription,
    RobotPlacement,
    SceneDescription,
)
from kido.io._formats import Formats
from kido.io._kido_file import SUFFIX, write_kido_file
from kido.skeleton import SavedModel, Skeleton
from kido.typing import PathLike
from kido.values import checked_path

__all__ = ["SCENE_WRITERS", "SceneWriter", "save", "scene_of"]

SceneWriter: TypeAlias = Callable[..., tuple[Diagnostic, ...]]
"""Writes a scene or robot to a path, with options by keyword; gives what the format cannot express."""

SCENE_WRITERS = Formats(
    {
        ".urdf": ("kido.io._writers", "write_urdf"),
        ".sdf": ("kido.io._writers", "write_sdf"),
        ".world": ("kido.io._writers", "write_sdf"),
        ".mjcf": ("kido.io._writers", "write_mjcf"),
        ".xml": ("kido.io._writers", "write_mjcf"),
    }
)
"""Writers of scenes by suffix, beside kido's own files."""

_STATE = "current"


class _World(Protocol):
    """A world as it is saved."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]: ...
    @property
    def skeletons(self) -> tuple[Skeleton, ...]: ...
    def to_description(self) -> SceneDescription: ...
    def to_value(self, *, exact: bool = False) -> SavedModel: ...


Saved: TypeAlias = "Skeleton | _World | RobotDescription | SceneDescription"


def save(model: Saved, path: PathLike, **options: Any) -> tuple[Diagnostic, ...]:
    """Write a skeleton, world or description to a file.

    A file .json is kido's own and holds everything: state, addons, inverse kinematics, settings. Other
    formats hold what their writers know; a live model is written as it is now.

    Args:
        model: a Skeleton, World, RobotDescription or SceneDescription.
        path: the file; its suffix says the format.
        options: what the writer takes. For .json: `meshes="content"` encloses the files of meshes, else they
            are named; of a world `exact=True` adds what its solver begins the next step with.

    Returns:
        What the file does not hold; empty for .json.

    Raises:
        TypeError: no such model; something in it cannot be saved as JSON, as a function: names the place.
        ValueError: unknown suffix, or naming an option.
        DescriptionError: a joint of a class of your own, in another format than .json.
        OSError: a file cannot be read or written.
    """
    place = checked_path("path", path)
    suffix = place.suffix.lower()
    if suffix == SUFFIX:
        exact = {"exact": options.pop("exact")} if "exact" in options else {}
        write_kido_file(_whole(model, exact), place, **options)
        return ()
    writer = SCENE_WRITERS.get(suffix)
    if writer is None:
        known = ", ".join((SUFFIX, *SCENE_WRITERS))
        raise ValueError(f"path: expected a file with suffix {known}, got {place.name!r}")
    described = _described(model)
    return (*_lost(described, model), *writer(described, place, **options))


def _described(model: Saved) -> SceneDescription | RobotDescription:
    """A model as writers take it: a robot by itself, where it is at rest in a world like any other."""
    if isinstance(model, RobotDescription | SceneDescription):
        return model
    scene = scene_of(model)
    if not isinstance(model, Skeleton):
        return scene
    robot = scene.robots[0].robot
    plain = SceneDescription(scene.name, [RobotPlacement(robot)], time_step=DEFAULT_TIME_STEP)
    return robot if scene == plain else scene


def scene_of(model: Saved) -> SceneDescription:
    """A model as a scene; a live one as it is now. Raises TypeError, DescriptionError."""
    if isinstance(model, SceneDescription):
        return model
    if isinstance(model, RobotDescription):
        return SceneDescription.of_robot(model)
    if isinstance(model, Skeleton):
        return _scene_of_skeleton(model)
    return _world(model).to_description()


def _whole(model: Saved, exact: dict[str, bool]) -> RobotDescription | SceneDescription | SavedModel:
    if isinstance(model, RobotDescription | SceneDescription | Skeleton) and exact:
        raise TypeError("exact: of worlds only")
    if isinstance(model, RobotDescription | SceneDescription):
        return model
    return model.to_value() if isinstance(model, Skeleton) else _world(model).to_value(**exact)


def _world(model: Any) -> _World:
    if not (hasattr(model, "to_value") and hasattr(model, "skeletons")):
        expected = "a Skeleton, World, RobotDescription or SceneDescription"
        raise TypeError(f"model: expected {expected}, got {type(model).__name__}")
    world: _World = model
    return world


def _scene_of_skeleton(skeleton: Skeleton) -> SceneDescription:
    robot = RobotPlacement(
        skeleton.to_description(),
        mobile=skeleton.mobile,
        self_collision=skeleton.self_collision_check,
        adjacent_collision=skeleton.adjacent_body_check,
    )
    moved = skeleton.joint_states()
    return SceneDescription(
        skeleton.name,
        [robot],
        gravity=skeleton.gravity,
        time_step=skeleton.time_step,
        states=[NamedState(_STATE, moved)] if moved else (),
        initial_state=_STATE if moved else None,
    )


def _lost(described: SceneDescription | RobotDescription, model: Saved) -> tuple[Diagnostic, ...]:
    """Losses of a live model that its description does not hold."""
    if isinstance(model, RobotDescription | SceneDescription):
        return ()
    told = [described.diagnostics]
    if isinstance(described, SceneDescription):
        told += [placed.robot.diagnostics for placed in described.robots]
    skeletons = (model,) if isinstance(model, Skeleton) else _world(model).skeletons
    known = {note for skeleton in skeletons for note in skeleton.diagnostics}
    known.update(model.diagnostics)
    return tuple(note for notes in told for note in notes if note not in known)
