"""The whole model: robots and objects, what holds between them, and what is not honoured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


from kido.description import (
    Diagnostic,
    Inertia,
    LinkDescription,
    ObjectPlacement,
    RobotDescription,
    RobotPlacement,
    SceneDescription,
)
from kido.errors import DescriptionError
from kido.io._mjcf._actuator import ActuatorReader
from kido.io._mjcf._body import Body, read_bodies
from kido.io._mjcf._contact import (
    Categories,
    geoms_in_pairs,
    near_exclusions,
    read_exclusions,
    read_pairs,
)
from kido.io._mjcf._context import Context
from kido.io._mjcf._equality import read_equalities
from kido.io._mjcf._file import MjcfFile
from kido.io._mjcf._geom import Geom, read_geom, weighs
from kido.io._mjcf._include import ModelFiles
from kido.io._mjcf._inertia import body_inertia, scaled_to
from kido.io._mjcf._keyframe import read_states, state_at_rest
from kido.io._mjcf._names import FreeNames
from kido.io._mjcf._option import read_options
from kido.io._mjcf._parts import WORLD, Parts
from kido.io._mjcf._report import report_ignored
from kido.io._mjcf._robot import RobotReader, is_object
from kido.io._mjcf._sensor import read_cameras, read_sensors
from kido.io._xml import Element, tag_of

__all__ = ["read_scene_of"]


@dataclass(eq=False)
class _Placements:
    """Robots without their diagnostics, by the body they begin with; and objects."""

    robots: list[tuple[Body, RobotDescription]]
    objects: list[ObjectPlacement]


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
    bodies, attached = read_bodies(context, files)
    contexts = [context, *dict.fromkeys(model for model, _ in attached)]
    lost = [tag for each in contexts for tag in report_ignored(file, each.root)]
    name = root.get("model") or ("scene" if source is None else source.stem)
    try:
        return _scene(context, contexts, bodies, name, source), lost
    except DescriptionError as error:
        raise file.error(root, str(error)) from error


def _scene(
    context: Context, contexts: Sequence[Context], bodies: list[Body], name: str, source: Path | None
) -> SceneDescription:
    parts = Parts(several=_has_copies(contexts))
    parts.bodies = {body.name: body for body in bodies}
    drives = ActuatorReader(contexts, {placed.name for body in bodies for placed in body.joints})
    geoms = _geoms(bodies, geoms_in_pairs(contexts))
    categories = _categories(context, geoms)
    inertias = _inertias(context, bodies, geoms)
    reader = RobotReader(parts, geoms, inertias, categories, drives, FreeNames(parts.bodies))
    placements = _placements(reader, bodies, name, source)
    options = read_options(context)
    states = read_states(context, parts, drives)
    at_rest = state_at_rest(parts, states)
    sensors = read_sensors(contexts, parts)
    fields = {
        "constraints": read_equalities(contexts, parts),
        "exclusions": _exclusions(contexts, parts, bodies, geoms, placements, options.filters_parents),
        "contact_pairs": read_pairs(contexts, parts),
        "sensors": [*sensors, *read_cameras(parts, sensors)],
        "actuators": drives.describe(parts),
        "states": [*states, *([] if at_rest is None else [at_rest])],
    }
    of_robot, of_scene = _diagnostics(context.file, placements)
    robots = [
        RobotPlacement(
            RobotDescription(robot.name, robot.links, robot.joints, of_robot[body], source),
            self_collision=True,
            adjacent_collision=not options.filters_parents,
        )
        for body, robot in placements.robots
    ]
    return SceneDescription(
        name,
        robots,
        placements.objects,
        gravity=options.gravity,
        time_step=options.time_step,
        options=options.values,
        initial_state=None if at_rest is None else at_rest.name,
        diagnostics=of_scene,
        source=source,
        **fields,
    )


def _geoms(bodies: Sequence[Body], in_pairs: set[str]) -> dict[str, list[Geom]]:
    found: dict[str, list[Geom]] = {}
    static: dict[Body, bool] = {}
    for body in bodies:
        still = body.free is None and not body.joints
        static[body] = still and (body.parent is None or static[body.parent])
        own = [
            read_geom(placed, static[body], body.parent is not None and _counts(body, placed_weighs))
            for placed in body.geoms
            for placed_weighs in [weighs(placed)]
        ]
        for geom in own:
            geom.in_pair = geom.name in in_pairs
        found[body.name] = own
    return found


def _counts(body: Body, weighed: bool) -> bool:
    """Whether a geom is asked for its mass: not where the body says its own."""
    rule = body.scope.context.compiler.inertiafromgeom
    return weighed and (rule == "true" or (rule == "auto" and body.inertial is None))


def _categories(context: Context, geoms: dict[str, list[Geom]]) -> Categories:
    categories = Categories(geom.bits for own in geoms.values() for geom in own)
    if not categories.exact:
        what = "more kinds of contype and conaffinity than 32: taken as category and collides_with"
        context.file.note(context.root, "substituted", what)
    return categories


def _inertias(
    context: Context, bodies: Sequence[Body], geoms: dict[str, list[Geom]]
) -> dict[str, Inertia | None]:
    found: list[Inertia | None] = [None]
    for body in bodies[1:]:
        parts = [geom.inertia for geom in geoms[body.name] if geom.inertia is not None]
        found.append(body_inertia(body, parts))
    total = context.compiler.settotalmass
    if total is not None:
        with context.file.at(context.root):
            found = scaled_to(found, total)
    return dict(zip([body.name for body in bodies], found, strict=True))


def _placements(reader: RobotReader, bodies: list[Body], name: str, source: Path | None) -> _Placements:
    """Every body of the world with those on it: a robot, or an object. What is on the world is an object too."""
    world = bodies[0]
    objects: list[ObjectPlacement] = []
    robots: list[tuple[Body, RobotDescription]] = []
    link = reader.link(world, WORLD)
    if link.visuals or link.collisions or link.frames:
        objects.append(ObjectPlacement(link, fixed=True))
    else:
        reader.forget(world)
    trees = _trees(bodies)
    several = sum(not is_object(body) for body in trees) != 1
    alone = {body.name for body in trees if is_object(body)} | {WORLD}
    for body, members in trees.items():
        _check_mocap(body)
        if is_object(body):
            objects.append(_object(reader, body))
            continue
        owner = (
            body.name if several or name in alone or world.scope.context.root.get("model") is None else name
        )
        links, joints = reader.robot(members, owner)
        with body.scope.context.file.at(body.element):
            robots.append((body, RobotDescription(owner, links, joints, (), source)))
    return _Placements(robots, objects)


def _object(reader: RobotReader, body: Body) -> ObjectPlacement:
    link: LinkDescription = reader.link(body, body.name)
    reader.object_joint(body)
    return ObjectPlacement(link, body.T_world_body, fixed=body.free is None)


def _trees(bodies: Sequence[Body]) -> dict[Body, list[Body]]:
    """Bodies of the world, each with all that are on it, parents before children."""
    trees: dict[Body, list[Body]] = {}
    top: dict[Body, Body] = {}
    for body in bodies[1:]:
        on_world = body.parent is None or body.parent.parent is None
        top[body] = body if on_world or body.parent is None else top[body.parent]
        trees.setdefault(top[body], []).append(body)
    return trees


def _check_mocap(body: Body) -> None:
    node = body.scope.context.node(body.element, "body")
    if node.flag("mocap", False):
        if body.free is not None or body.joints:
            raise node.error("mocap: expected a body without joints", "mocap")
        node.note("substituted", "mocap: the body is fixed to the world", "mocap")


def _exclusions(
    contexts: Sequence[Context],
    parts: Parts,
    bodies: Sequence[Body],
    geoms: dict[str, list[Geom]],
    placements: _Placements,
    filters_parents: bool,
) -> list[object]:
    """Bodies that the file excludes, and those that do not touch for they are joined."""
    found: list[object] = list(read_exclusions(contexts, parts))
    if filters_parents:
        joined = {
            (joint.parent, joint.child)
            for _, robot in placements.robots
            for joint in robot.joints
            if joint.parent is not None
        }
        found += near_exclusions(bodies, geoms, parts, joined)
    return list(dict.fromkeys(found))


def _diagnostics(
    file: MjcfFile, placements: _Placements
) -> tuple[dict[Body, list[Diagnostic]], list[Diagnostic]]:
    """Diagnostics of each robot, at elements in its bodies; and those of the scene."""
    of_robot: dict[Body, list[Diagnostic]] = {body: [] for body, _ in placements.robots}
    by_element = {body.element: body for body in of_robot}
    of_scene = []
    for element, diagnostic in file.notes:
        place: Element | None = element
        while place is not None and place not in by_element:
            place = place.getparent()
        if place is None:
            of_scene.append(diagnostic)
        else:
            of_robot[by_element[place]].append(diagnostic)
    return of_robot, of_scene


def _has_copies(contexts: Sequence[Context]) -> bool:
    return any(
        next(context.root.iter("replicate", "attach", "flexcomp", "composite"), None) is not None
        for context in contexts
    )
