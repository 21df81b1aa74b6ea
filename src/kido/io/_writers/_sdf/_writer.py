"""SDFormat files of a robot or a world."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

import numpy as np

from kido.description import (
    OBJECT_JOINT,
    ClosureDescription,
    Diagnostic,
    JointDescription,
    RobotDescription,
    SceneDescription,
    SensorDescription,
    ShapePlacement,
)
from kido.io._writers._file_names import FileNames, Naming, mesh_folder
from kido.io._writers._losses import Losses
from kido.io._writers._model_text import Model, ModelText, as_scene, saved
from kido.io._writers._scene_begin import at_its_beginning
from kido.io._writers._scene_losses import report_placement, report_rules, report_scene
from kido.io._writers._sdf._closure import closure_owner
from kido.io._writers._sdf._model import sensor_type, write_model
from kido.io._writers._sdf._output import Output
from kido.io._writers._xml_text import document, element, leaf
from kido.io._xml import Element
from kido.shape import CombineRule
from kido.typing import PathLike
from kido.values import checked_path

__all__ = ["sdf_string", "write_sdf"]

Version: TypeAlias = Literal["1.6", "1.11"]

_USUAL_CATEGORIES = ((1, 0xFFFFFFFF), (0xFFFF, 0xFFFF))
_HAS = ("objects", "gravity", "time_step", "sensors", "constraints")


def write_sdf(
    model: Model, path: PathLike, *, names: Naming = "relative", version: Version = "1.11"
) -> tuple[Diagnostic, ...]:
    """Write a robot or a scene as an SDFormat file, in place of one that is there, and return what it lacks.

    A robot becomes a <model>, a scene a <world>. Every number reads back bit for bit. Euler, planar and
    translational joints are chains of single ones with massless links in between, exactly, with the names of
    their dofs. Links on a free joint have no joint: a free joint between links is one on the world, which is
    reported. Meshes without a file become OBJ files in a folder beside it, "scene_meshes" of "scene.sdf".

    Args:
        model: scene or robot.
        path: of the file.
        names: of mesh files and textures: relative to the file, absolute, or as the model gives them ("uri").
        version: of SDFormat; "1.6" is for readers as old as DART, which know no frames, capsules, ellipsoids,
            cones, mimics.

    Returns:
        What is not written, or written as something near; empty where the file says it all.

    Raises:
        DescriptionError: a name that XML cannot hold.
        TypeError, ValueError: an argument of the wrong kind, naming it.
        OSError: the file cannot be written; what was there stays.
    """
    place = checked_path("path", path)
    files = FileNames(names, place.parent, enclosed=mesh_folder(place))
    return saved(_written(model, version, files, str(place)), place, files.new_files)


def sdf_string(
    model: Model, *, names: Naming = "relative", version: Version = "1.11", directory: PathLike | None = None
) -> ModelText:
    """The text of an SDFormat file and what it lacks, as `write_sdf` does; it is to lie in `directory`."""
    folder = None if directory is None else checked_path("directory", directory)
    return _written(model, version, FileNames(names, folder), "<string>")


def _written(model: Model, version: Version, files: FileNames, file: str) -> ModelText:
    if version not in get_args(Version):
        raise ValueError(f"version: expected one of {', '.join(get_args(Version))}, got {version!r}")
    losses = Losses("SDF", file)
    scene = at_its_beginning(as_scene(model), losses)
    output = Output(version, losses, files, _has_categories(scene))
    root = element(None, "sdf", version=version)
    if isinstance(model, RobotDescription):
        write_model(output, root, model, name=model.name or "robot", T=np.eye(4), static=False)
    else:
        _write_world(output, root, scene)
    return ModelText(document(root), losses.diagnostics)


def _write_world(output: Output, root: Element, scene: SceneDescription) -> None:
    report_scene(scene, output.losses, _HAS)
    report_rules(scene, output.losses, CombineRule.MINIMUM)
    closures = _closures(scene, output.losses)
    world = element(root, "world", name=scene.name)
    if scene.time_step is not None or output.is_old:
        physics = element(world, "physics", name="default", type="ode")
        if scene.time_step is not None:
            leaf(physics, "max_step_size", scene.time_step)
        if output.is_old:
            leaf(physics, "gravity", scene.gravity)
    leaf(world, "gravity", scene.gravity)
    sensors = _sensors(scene, output.losses)
    for placed in scene.robots:
        report_placement(placed, output.losses, ("mobile", "self_collision"))
        write_model(
            output,
            world,
            placed.robot,
            name=placed.name,
            T=placed.T_world_robot,
            static=not placed.mobile,
            self_collide=placed.self_collision,
            sensors=sensors[placed.name],
            closures=closures[placed.name],
        )
    for thing in scene.objects:
        joint = JointDescription(OBJECT_JOINT, thing.joint_type, None, thing.name)
        write_model(
            output,
            world,
            RobotDescription(thing.name, [thing.link], [joint]),
            name=thing.name,
            T=thing.T_world_link,
            static=thing.fixed,
            sensors=sensors[thing.name],
        )


def _closures(scene: SceneDescription, losses: Losses) -> dict[str, list[ClosureDescription]]:
    """Closures within one robot, by its name; other constraints are reported."""
    found: dict[str, list[ClosureDescription]] = defaultdict(list)
    robots = {placed.name for placed in scene.robots}
    for constraint in scene.constraints:
        owner = closure_owner(constraint) if isinstance(constraint, ClosureDescription) else None
        if owner in robots and isinstance(constraint, ClosureDescription):
            found[str(owner)].append(constraint)
        else:
            losses.left_out("constraint", constraint.name, "SDF closes loops within one model only")
    return found


def _sensors(scene: SceneDescription, losses: Losses) -> dict[str, dict[str, list[SensorDescription]]]:
    """Sensors on links that SDF knows, by robot and link; others are reported."""
    found: dict[str, dict[str, list[SensorDescription]]] = defaultdict(lambda: defaultdict(list))
    for sensor in scene.sensors:
        body = None if sensor.place is None else sensor.place.body
        if sensor_type(sensor) is None:
            losses.left_out("sensor", sensor.name, f"SDF has no sensors of type {sensor.type!r}")
        elif body is None:
            losses.left_out("sensor", sensor.name, "only sensors on links are written")
        else:
            found[body.owner][body.link].append(sensor)
    return found


def _has_categories(scene: SceneDescription) -> bool:
    """Whether some collision shape does not touch all others."""
    return any((p.category, p.collides_with) not in _USUAL_CATEGORIES for p in _collisions(scene))


def _collisions(scene: SceneDescription) -> Iterator[ShapePlacement]:
    for placed in scene.robots:
        for link in placed.robot.links:
            yield from link.collisions
    for thing in scene.objects:
        yield from thing.link.collisions
