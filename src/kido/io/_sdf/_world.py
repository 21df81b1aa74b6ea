"""The <world> element: gravity, physics, models, and joints between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kido.io._sdf._file import SdfFile
from kido.io._sdf._scope import Frame, Scope
from kido.io._sdf._sensor import OptionValue, leaf_options
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["MOVED_GRAVITY", "Component", "Physics", "components", "read_physics"]

_TAGS = ("model", "include", "frame", "joint", "gravity", "physics")
_GRAVITY = (0.0, 0.0, -9.8)
_TIME_STEP = 1e-3
MOVED_GRAVITY = (1, 6)
"""Version since which gravity belongs to the world; before, to its physics."""


class Physics(NamedTuple):
    """Gravity [m/s^2], time step [s], and options of the engine."""

    gravity: tuple[float, ...]
    time_step: float | None
    options: dict[str, OptionValue]


class Component(NamedTuple):
    """Models of a world that joints of the world join, and these joints: one robot."""

    tops: list[tuple[Scope, FloatArray]]
    joints: list[Frame]
    frames: list[tuple[Frame, str, FloatArray]]


def read_physics(file: SdfFile, world: Element) -> Physics:
    """Gravity and options of a world; raises ModelFileError."""
    file.ignore_rest(world, _TAGS, ("name",))
    engines = world.findall("physics")
    chosen = next((e for e in engines if file.flag_attribute(e, "default")), engines[0] if engines else None)
    for engine in engines:
        if engine is not chosen:
            file.ignore(engine, "another <physics> is the default")
    gravity = file.child_numbers(world, "gravity", 3, _GRAVITY)
    if chosen is None:
        return Physics(gravity, None, {})
    inner = chosen.find("gravity")
    if inner is not None and world.find("gravity") is None and file.version < MOVED_GRAVITY:
        gravity = file.values(inner, 3)
    elif inner is not None:
        file.ignore(inner, "gravity belongs to the world since version 1.6")
    time_step = file.child_number(chosen, "max_step_size", _TIME_STEP)
    if time_step <= 0.0:
        raise file.error(
            file.child(chosen, "max_step_size"), f"expected a positive number [s], got {time_step:g}"
        )
    options = dict(leaf_options(file, chosen, ("gravity", "max_step_size")))
    for name in ("name", "type"):
        if _attribute(chosen, name):
            options[f"physics@{name}"] = _attribute(chosen, name)
    return Physics(gravity, time_step, options)


def _attribute(element: Element, attribute: str) -> str:
    """An attribute without space around it; empty where it is missing."""
    return (element.get(attribute) or "").strip()


def components(world: Scope) -> list[Component]:
    """The models of a world, those together that its joints join; names of links are set accordingly.

    A single model has the names and the frame that it has by itself; several are one robot in the frame of
    the world, in which each link has its model before its name. Raises ModelFileError.
    """
    world.set_prefix("")
    owners = {link: name for name, child in world.children.items() for link in _link_names(child)}
    group = {name: name for name in world.children}

    def leader(name: str) -> str:
        while group[name] != name:
            group[name] = group[group[name]]
            name = group[name]
        return name

    bodies: dict[int, str] = {}
    for joint in world.joints:
        item = joint.item
        ends = [world.body(item.file.child_text(item.element, tag), item) for tag in ("parent", "child")]
        names = [owners[link] for link in ends if link is not None]
        if not names:
            raise item.error("expected at least one link, got twice the world")
        bodies[id(joint)] = names[0]
        group[leader(names[-1])] = leader(names[0])
    members: dict[str, list[str]] = {}
    for name in world.children:
        members.setdefault(leader(name), []).append(name)
    joints: dict[str, list[Frame]] = {}
    for joint in world.joints:
        joints.setdefault(leader(bodies[id(joint)]), []).append(joint)
    frames: dict[str, list[tuple[Frame, str]]] = {}
    for frame, body, owner in _outer_frames(world, owners):
        frames.setdefault(leader(owner), []).append((frame, body))
    return [
        _component(world, names, joints.get(root, []), frames.get(root, []))
        for root, names in members.items()
    ]


def _link_names(scope: Scope) -> list[str]:
    names = [scope.prefix + link.name for link in scope.links]
    return names + [name for child in scope.children.values() for name in _link_names(child)]


def _outer_frames(world: Scope, owners: dict[str, str]) -> list[tuple[Frame, str, str]]:
    """Frames of the world on links, each with its link and the model of that."""
    found = []
    for frame in world.frames.values():
        if frame.kind == "frame":
            body = world.body(frame.name, frame.item)
            if body is None:
                world.pose_of(frame)
                frame.item.file.note(frame.item.element, "name", "a frame on the world: its name is not kept")
            else:
                found.append((frame, body, owners[body]))
    return found


def _component(
    world: Scope, names: list[str], joints: list[Frame], frames: list[tuple[Frame, str]]
) -> Component:
    if len(names) > 1:
        tops = [(world.children[name], world.pose(name, world.item)) for name in names]
        outer = [(frame, body, world.pose_of(frame)) for frame, body in frames]
        return Component(tops, joints, outer)
    (name,) = names
    scope = world.children[name]
    scope.set_prefix("")
    cut = len(name) + 2
    T_robot_world = np.linalg.inv(world.pose(name, world.item)) if frames else np.eye(4)
    outer = [(frame, body[cut:], T_robot_world @ world.pose_of(frame)) for frame, body in frames]
    return Component([(scope, np.eye(4))], joints, outer)
