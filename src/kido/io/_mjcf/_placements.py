"""Robots and objects of a model: bodies with their geoms and inertias, each in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kido.description import Inertia, LinkDescription, ObjectPlacement, RobotDescription
from kido.io._mjcf._body import Body
from kido.io._mjcf._context import Context
from kido.io._mjcf._geom import Geom, read_geom, weighs
from kido.io._mjcf._inertia import body_inertia, comes_from_geoms, scaled_to
from kido.io._mjcf._parts import WORLD
from kido.io._mjcf._robot import RobotReader, is_object
from kido.io._mjcf._spring_damper import with_spring_dampers

__all__ = ["Placements", "geoms_of", "inertias_of", "place"]


@dataclass(eq=False)
class Placements:
    """Robots without their diagnostics, by the body they begin with; and objects."""

    robots: list[tuple[Body, RobotDescription]]
    objects: list[ObjectPlacement]


def place(reader: RobotReader, bodies: list[Body], name: str, source: Path | None) -> Placements:
    """Bodies of the world, each with those on it a robot, or an object; and the object of the world. What is
    all there is in a model that has a name is a robot."""
    world = bodies[0]
    objects: list[ObjectPlacement] = []
    robots: list[tuple[Body, RobotDescription]] = []
    link = reader.link(world, WORLD)
    if link.visuals or link.collisions or link.frames:
        objects.append(ObjectPlacement(link, fixed=True))
    else:
        reader.forget(world)
    trees = _trees(bodies)
    unnamed = world.scope.context.root.get("model") is None
    loose = set() if len(trees) == 1 and not objects and not unnamed else set(filter(is_object, trees))
    several = len(trees) - len(loose) != 1
    alone = {body.name for body in loose} | {WORLD}
    for body, members in trees.items():
        _check_mocap(body)
        if body in loose:
            objects.append(_object(reader, body))
            continue
        owner = body.name if several or unnamed or name in alone else name
        links, joints = reader.robot(members, owner)
        with body.scope.context.file.at(body.element):
            robot = RobotDescription(owner, links, joints, (), source)
            if any(joint.node.has("springdamper") for member in members for joint in member.joints):
                robot = with_spring_dampers(robot, reader.joints_of(owner))
            robots.append((body, robot))
    return Placements(robots, objects)


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


def geoms_of(bodies: Sequence[Body], in_pairs: set[str]) -> dict[str, list[Geom]]:
    found: dict[str, list[Geom]] = {}
    static: dict[Body, bool] = {}
    for body in bodies:
        still = body.free is None and not body.joints
        static[body] = still and (body.parent is None or static[body.parent])
        weighed = body.parent is not None and comes_from_geoms(body)
        own = [read_geom(placed, static[body], weighed and weighs(placed)) for placed in body.geoms]
        for geom in own:
            geom.in_pair = geom.name in in_pairs
        found[body.name] = own
    return found


def inertias_of(
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
