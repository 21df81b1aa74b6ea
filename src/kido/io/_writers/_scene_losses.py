"""Parts of scenes and placements that a format of single robots, or a simpler one, does not have."""

from __future__ import annotations

from collections.abc import Container

from kido.description import (
    EARTH_GRAVITY,
    ContactExclusion,
    JointType,
    LinkDescription,
    RobotPlacement,
    SceneDescription,
)
from kido.io._writers._losses import Losses, shown_numbers
from kido.shape import CombineRule, Surface

__all__ = ["report_placement", "report_rules", "report_scene"]


def report_scene(scene: SceneDescription, losses: Losses, has: Container[str] = ()) -> None:
    """Report what a scene says besides its robots; `has` names the fields that the format has."""
    if "objects" not in has:
        for placed in scene.objects:
            losses.ignored("object", placed.name, "the object")
    if "gravity" not in has and tuple(scene.gravity.tolist()) != EARTH_GRAVITY:
        losses.ignored("scene", scene.name, f"gravity {shown_numbers(scene.gravity)}")
    if "time_step" not in has and scene.time_step is not None:
        losses.ignored("scene", scene.name, "the time step")
    if "options" not in has:
        for option in scene.options:
            losses.ignored("option", option, "the option")
    for field, kind in _PARTS.items():
        if field not in has:
            for part in getattr(scene, field):
                losses.ignored(kind, part.name, _what(part) or f"the {kind}")
    if "states" not in has and scene.initial_state is not None:
        losses.ignored("scene", scene.name, "the state in which it begins")


def _what(part: object) -> str:
    """Losses with a contact exclusion; nothing for other parts."""
    if not isinstance(part, ContactExclusion):
        return ""
    return f"that {part.first.link!r} and {part.second.link!r} do not touch each other"


def report_rules(scene: SceneDescription, losses: Losses, friction: CombineRule) -> None:
    """Report rules that make other contacts of surfaces than a format does, whose friction is combined so."""
    surfaces = [
        shape.surface or Surface()
        for link in (*_links(scene), *(placed.link for placed in scene.objects))
        for shape in link.collisions
    ]
    rule = scene.surface_rules.friction
    if rule is not friction and len({surface.friction for surface in surfaces}) > 1:
        how = f"of two frictions the {rule.value} counts, in {losses.format} the {friction.value}"
        losses.substituted("scene", scene.name, how)


def _links(scene: SceneDescription) -> tuple[LinkDescription, ...]:
    return tuple(link for placed in scene.robots for link in placed.robot.links)


def report_placement(placed: RobotPlacement, losses: Losses, has: Container[str] = ()) -> None:
    """Report what the place of a robot says besides its pose; `has` names the fields that the format has."""
    stands = all(joint.type is JointType.WELD for joint in placed.robot.joints)
    for field, (usual, what) in _FLAGS.items():
        if field == "mobile" and stands:
            continue
        if field not in has and getattr(placed, field) is not usual:
            losses.ignored("robot", placed.name, what)


_PARTS = {
    "constraints": "constraint",
    "exclusions": "contact exclusion",
    "contact_pairs": "contact pair",
    "sensors": "sensor",
    "actuators": "actuator",
    "states": "state",
}
_FLAGS = {
    "mobile": (True, "that it does not move"),
    "self_collision": (False, "that its links can touch each other"),
    "adjacent_collision": (False, "that neighboring links can touch each other"),
}
