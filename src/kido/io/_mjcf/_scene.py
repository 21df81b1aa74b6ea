"""The whole model: robots and objects, what holds between them, and what is not honoured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kido.description import (
    ContactExclusion,
    Diagnostic,
    RobotDescription,
    RobotPlacement,
    SceneDescription,
)
from kido.errors import DescriptionError
from kido.io._mjcf._actuator import ActuatorReader
from kido.io._mjcf._body import Bodies, Body, read_bodies
from kido.io._mjcf._contact import (
    Categories,
    geoms_in_pairs,
    near_exclusions,
    read_exclusions,
    read_pairs,
    touched_bases,
)
from kido.io._mjcf._context import Context
from kido.io._mjcf._equality import read_equalities
from kido.io._mjcf._file import MjcfFile
from kido.io._mjcf._geom import Geom
from kido.io._mjcf._include import ModelFiles
from kido.io._mjcf._keyframe import read_states, state_at_rest
from kido.io._mjcf._names import FreeNames
from kido.io._mjcf._option import SceneOptions, read_options
from kido.io._mjcf._parts import Parts
from kido.io._mjcf._placements import Placements, geoms_of, inertias_of, place
from kido.io._mjcf._report import report_ignored
from kido.io._mjcf._robot import RobotReader
from kido.io._mjcf._sensor import read_cameras, read_sensors
from kido.io._xml import Element, tag_of
from kido.shape import SurfaceRules

__all__ = ["read_scene_of"]

_LEFT_OUT = ("flexcomp", "composite")
"""Elements that would have parts of their own."""


def read_scene_of(
    file: MjcfFile, root: Element, files: ModelFiles, source: Path | None
) -> tuple[SceneDescription, list[str]]:
    """The scene of a <mujoco> element, and the tags of what it has that kido does not.

    Raises ModelFileError.
    """
    if root.tag != "mujoco":
        raise file.error(root, f"expected a <mujoco> element, got <{tag_of(root)}>")
    files.expand(root, files.directory, () if source is None else (source,))
    context = Context.of(file, root, files.directory)
    found = read_bodies(context, files)
    contexts = [context, *found.attached]
    lost = [tag for each in contexts for tag in report_ignored(file, each.root)]
    name = root.get("model") or ("scene" if source is None else source.stem)
    try:
        return _scene(context, contexts, found, name, source), lost
    except DescriptionError as error:
        raise file.error(root, str(error)) from error


def _scene(
    context: Context, contexts: Sequence[Context], found: Bodies, name: str, source: Path | None
) -> SceneDescription:
    bodies = found.bodies
    parts = Parts(incomplete=_lacks_parts(contexts), copies=found.copies)
    parts.bodies = {body.name: body for body in bodies}
    joints = {placed.name for body in bodies for placed in body.joints}
    drives = ActuatorReader(contexts, joints, found.copies)
    geoms = geoms_of(bodies, geoms_in_pairs(contexts, parts))
    options = read_options(context)
    categories = _categories(context, geoms, options.contacts)
    inertias = inertias_of(context, bodies, geoms)
    reader = RobotReader(parts, geoms, inertias, categories, drives, FreeNames(parts.bodies))
    placements = place(reader, bodies, name, source)
    states = read_states(context, parts, drives)
    at_rest = state_at_rest(parts, states)
    sensors = read_sensors(contexts, parts)
    bases = touched_bases(bodies, geoms) if options.filters_parents else set()
    alike = {
        robot.name: bases.isdisjoint(link.name for link in robot.links) for _, robot in placements.robots
    }
    scene = SceneDescription(
        name,
        [_unfinished(robot, options.filters_parents and alike[robot.name]) for _, robot in placements.robots],
        placements.objects,
        gravity=options.gravity,
        time_step=options.time_step,
        options=options.values,
        constraints=read_equalities(contexts, parts, options.equalities),
        exclusions=_exclusions(contexts, parts, bodies, geoms, _joined(placements, alike), options),
        contact_pairs=read_pairs(contexts, parts),
        sensors=[*sensors, *read_cameras(parts, sensors)],
        actuators=drives.describe(parts),
        surface_rules=SurfaceRules(friction="maximum"),
        states=states if at_rest is None else [*states, at_rest],
        initial_state=None if at_rest is None else at_rest.name,
        source=source,
    )
    return _with_diagnostics(scene, context.file, placements)


def _unfinished(robot: RobotDescription, filters_parents: bool) -> RobotPlacement:
    """A robot whose diagnostics are not all there yet."""
    return RobotPlacement(robot, self_collision=True, adjacent_collision=not filters_parents)


def _categories(context: Context, geoms: dict[str, list[Geom]], active: bool) -> Categories:
    categories = Categories((geom.bits for own in geoms.values() for geom in own), active)
    if not categories.exact:
        what = "more kinds of contype and conaffinity than 32: taken as category and collides_with"
        context.file.note(context.root, "substituted", what)
    return categories


def _joined(placements: Placements, alike: dict[str, bool]) -> set[tuple[str, str]]:
    """Links that one joint joins, of robots all of whose neighbors are `alike` in that they do not touch."""
    return {
        (joint.parent, joint.child)
        for _, robot in placements.robots
        for joint in robot.joints
        if joint.parent is not None and alike[robot.name]
    }


def _exclusions(
    contexts: Sequence[Context],
    parts: Parts,
    bodies: Sequence[Body],
    geoms: dict[str, list[Geom]],
    joined: set[tuple[str, str]],
    options: SceneOptions,
) -> list[ContactExclusion]:
    """Bodies that the file excludes, and those that do not touch for they are joined."""
    found = read_exclusions(contexts, parts)
    if not options.filters_parents:
        joined = set()
    found += near_exclusions(bodies, geoms, parts, joined, options.filters_parents)
    return list(dict.fromkeys(found))


def _with_diagnostics(scene: SceneDescription, file: MjcfFile, placements: Placements) -> SceneDescription:
    """The scene with diagnostics: those at elements in the bodies of a robot are the robot's."""
    of_robot: dict[Element, list[Diagnostic]] = {body.element: [] for body, _ in placements.robots}
    of_scene: list[Diagnostic] = []
    for element, diagnostic in file.notes:
        around: Element | None = element
        while around is not None and around not in of_robot:
            around = around.getparent()
        (of_scene if around is None else of_robot[around]).append(diagnostic)
    robots = [
        replace(placed, robot=replace(placed.robot, diagnostics=of_robot[body.element]))
        for placed, (body, _) in zip(scene.robots, placements.robots, strict=True)
    ]
    return replace(scene, robots=robots, diagnostics=of_scene)


def _lacks_parts(contexts: Sequence[Context]) -> bool:
    return any(next(context.root.iter(*_LEFT_OUT), None) is not None for context in contexts)
