"""The <sensor> element, and cameras: kept by name for those who simulate them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from kido.description import Attachment, JointReference, SensorDescription
from kido.io._mjcf._context import Context
from kido.io._mjcf._node import Node
from kido.io._mjcf._options import node_options
from kido.io._mjcf._orientation import ORIENTATIONS, moved_by
from kido.io._mjcf._parts import Parts, SitePart
from kido.io._mjcf._section import SectionNames, section_nodes
from kido.io._xml import tag_of

__all__ = ["read_cameras", "read_sensors"]

_FRAMES = ("body", "xbody", "geom", "site", "camera")
_NOT_OPTIONS = {"name", "class", "site", "joint", "objtype", "objname", "body", "camera"}
_CAMERA = {"name", "class", "pos", *ORIENTATIONS}


def read_sensors(contexts: Sequence[Context], parts: Parts) -> list[SensorDescription]:
    """The sensors of a model, of the names of their elements; raises ModelFileError."""
    found: list[SensorDescription] = []
    names = SectionNames("sensors")
    for node, context in section_nodes(contexts, "sensor", _kind, parts.copies):
        name = names.take(node, context)
        with node.file.at(node.element):
            sensor = _sensor(node, name, context, parts)
        if sensor is not None:
            found.append(sensor)
    return found


def _kind(tag: str) -> str:
    return "sensor"


def read_cameras(parts: Parts, sensors: Sequence[SensorDescription]) -> list[SensorDescription]:
    """The cameras of a model; they look along -z of their frame, whose y points up.

    One whose name a sensor has is called "camera" and its name.
    """
    taken = {sensor.name for sensor in sensors}
    found = []
    for name, camera in parts.cameras.items():
        node = camera.node
        if node is None:
            continue
        mode = node.get("mode") or "fixed"
        if mode != "fixed":
            node.note(
                "ignored", f"mode: {mode[:200]!r} is not honoured, the camera is fixed to its body", "mode"
            )
        names = (f"camera_{name}" + (f"_{k}" if k else "") for k in count())
        own = name if name not in taken else next(free for free in names if free not in taken)
        taken.add(own)
        with node.file.at(node.element):
            place = parts.attachment(camera.body, camera.T_body_site)
            options = node_options(node, _CAMERA)
            found.append(SensorDescription(own, "camera", place, options=options, line=node.line))
    return found


def _sensor(node: Node, name: str, context: Context, parts: Parts) -> SensorDescription | None:
    place: Attachment | None = None
    joint: JointReference | None = None
    left_out = set(_NOT_OPTIONS)
    if node.has("joint"):
        found = parts.find("joint", parts.named_joints, node, "joint", context)
        if found is None:
            return None
        joint = found.reference
    else:
        attribute, kind = _object(node)
        if attribute is None:
            left_out.clear()
        else:
            part = _place(node, attribute, kind, context, parts)
            if part is None:
                return None
            place = parts.attachment(part.body, part.T_body_site)
    left_out |= {"name", "class"}
    options = {**node_options(node, left_out)}
    if node.has("objtype") and place is not None:
        options["objtype"] = node.text("objtype")
    return SensorDescription(name, tag_of(node.element), place, joint, options=options, line=node.line)


def _object(node: Node) -> tuple[str | None, str]:
    """The attribute that names what a sensor measures at, and the type of what it names."""
    for attribute in ("site", "body", "camera"):
        if node.has(attribute) and not node.has("objname"):
            return attribute, "xbody" if attribute == "body" else attribute
    kind = node.get("objtype")
    if node.has("objname") and kind in _FRAMES:
        return "objname", kind or ""
    return None, ""


def _place(node: Node, attribute: str, kind: str, context: Context, parts: Parts) -> SitePart | None:
    if kind in ("site", "camera"):
        known: Mapping[str, SitePart] = parts.sites if kind == "site" else parts.cameras
        return parts.find(kind, known, node, attribute, context)
    if kind == "geom":
        found = parts.find("geom", parts.geoms, node, attribute, context)
        return None if found is None else SitePart(found[0], found[1].frame)
    body = parts.find("body", parts.bodies, node, attribute, context)
    if body is None:
        return None
    com = parts.coms.get(body.name) if kind == "body" else None
    if com is not None and node.tag not in ("framepos", "framelinvel", "framelinacc"):
        what = "the axes of the body are taken for those of its inertia"
        node.note("substituted", f"objtype: {what}", "objtype")
    return SitePart(body, moved_by(*(com if com is not None else (0.0, 0.0, 0.0))))
