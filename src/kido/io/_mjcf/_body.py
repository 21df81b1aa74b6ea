"""The bodies of a model as a flat list: frames, replicates and attached models are resolved."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np

from kido.errors import UnknownNameError
from kido.io._mjcf._compiler import Compiler
from kido.io._mjcf._context import Context
from kido.io._mjcf._include import ModelFiles
from kido.io._mjcf._node import Node
from kido.io._mjcf._orientation import euler_rotation, moved_by, read_pose
from kido.io._xml import Element, shown, tag_of
from kido.typing import FloatArray

__all__ = ["Bodies", "Body", "Placed", "read_bodies"]

_MOST_COPIES = 100_000
_DEEPEST_ATTACH = 16
_LEAVES = ("geom", "site", "camera")


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Surroundings of an element: its model, the defaults of its class, and the ends of its name."""

    context: Context
    childclass: str | None = None
    prefix: str = ""
    suffix: str = ""
    depth: int = 0

    def name(self, name: str | None) -> str:
        """A name as it is in the whole model; empty if it has none."""
        return f"{self.prefix}{name}{self.suffix}" if name else ""

    def within(self, childclass: str | None) -> Scope:
        """The same with another class of defaults, where there is one."""
        if childclass is None:
            return self
        return Scope(self.context, childclass, self.prefix, self.suffix, self.depth)


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """An element in a body: the frame that it stands in, (4, 4) in the body, and its name in the model."""

    node: Node
    T_body_frame: FloatArray
    scope: Scope
    name: str


@dataclass(eq=False, slots=True)
class Body:
    """A body with its elements; `T_world_body` (4, 4) is its pose where joints are as the file has them."""

    name: str
    element: Element
    scope: Scope
    parent: Body | None
    T_parent_body: FloatArray
    T_world_body: FloatArray
    index: int
    joints: list[Placed] = field(default_factory=list)
    free: Placed | None = None
    geoms: list[Placed] = field(default_factory=list)
    sites: list[Placed] = field(default_factory=list)
    cameras: list[Placed] = field(default_factory=list)
    frames: list[tuple[str, FloatArray, int | None]] = field(default_factory=list)
    inertial: Placed | None = None
    children: list[Body] = field(default_factory=list)

    @property
    def top(self) -> Body:
        """The body below the world that this one belongs to; the world itself for the world."""
        body = self
        while body.parent is not None and body.parent.parent is not None:
            body = body.parent
        return body


class _Reader:
    """Walks through all elements of the world in the order of the file."""

    def __init__(self, context: Context, files: ModelFiles) -> None:
        self._files = files
        self._file = context.file
        self.attached: list[Context] = []
        self._models: dict[tuple[Path, str], Context] = {}
        self._names: set[str] = {"world"}
        self.copies: dict[str, list[str]] = {}
        self._copies = 0
        identity = np.eye(4)
        self.world = Body("world", context.root, Scope(context), None, identity, identity, 0)
        self.bodies = [self.world]
        self._stack: list[tuple[Element, Body, FloatArray, Scope]] = []

    def read(self, context: Context) -> None:
        """All bodies of a model."""
        for section in reversed(context.root.findall("worldbody")):
            self._push(section, self.world, np.eye(4), Scope(context))
        while self._stack:
            self._visit(*self._stack.pop())

    def _push(self, parent: Element, body: Body, frame: FloatArray, scope: Scope) -> None:
        self._stack += [(child, body, frame, scope) for child in reversed(parent)]

    def _visit(self, element: Element, body: Body, frame: FloatArray, scope: Scope) -> None:
        tag = tag_of(element)
        if tag == "body":
            self._body(element, body, frame, scope)
        elif tag == "frame":
            self._frame(element, body, frame, scope)
        elif tag == "replicate":
            self._replicate(element, body, frame, scope)
        elif tag == "attach":
            self._attach(element, body, frame, scope)
        elif tag in ("joint", "freejoint"):
            self._joint(element, body, frame, scope)
        elif tag == "inertial":
            if body.parent is None:
                raise self._file.error(element, "the world has no inertia")
            body.inertial = Placed(scope.context.node(element, tag), frame, scope, "")
        elif tag in _LEAVES:
            node = scope.context.node(element, tag, scope.childclass)
            placed = Placed(node, frame, scope, self._full_name(element, scope))
            {"geom": body.geoms, "site": body.sites, "camera": body.cameras}[tag].append(placed)

    def _full_name(self, element: Element, scope: Scope) -> str:
        """Name of an element in the model; the ends of names of copies are kept."""
        name = element.get("name")
        if name and scope.suffix:
            ends = self.copies.setdefault(scope.prefix + name, [])
            if not ends or ends[-1] != scope.suffix:
                ends.append(scope.suffix)
        return scope.name(name)

    def _body(self, element: Element, parent: Body, frame: FloatArray, scope: Scope) -> None:
        node = scope.context.node(element, "body")
        inner = scope.within(scope.context.defaults.check_class(element, "childclass"))
        index = len(self.bodies)
        name = self._name(element, inner, index)
        pose = frame @ read_pose(node, scope.context.compiler)
        with np.errstate(over="ignore", invalid="ignore"):
            placed = parent.T_world_body @ pose
        if not np.isfinite(placed).all():
            raise self._file.error(element, "pos: expected numbers of a size that can be added")
        body = Body(name, element, inner, parent, pose, placed, index)
        parent.children.append(body)
        self.bodies.append(body)
        self._push(element, body, np.eye(4), inner)

    def _name(self, element: Element, scope: Scope, index: int) -> str:
        name = self._full_name(element, scope)
        if not name:
            numbers = (f"body{index}" if k == 1 else f"body{index}_{k}" for k in count(1))
            name = next(free for free in numbers if free not in self._names)
        elif name in self._names:
            what = "is the name of the world itself" if name == "world" else "is the name of two bodies"
            raise self._file.error(element, f"name: {shown(name)} {what}")
        self._names.add(name)
        return name

    def _frame(self, element: Element, body: Body, frame: FloatArray, scope: Scope) -> None:
        node = scope.context.node(element, "frame")
        inner = scope.within(scope.context.defaults.check_class(element, "childclass"))
        pose = frame @ read_pose(node, scope.context.compiler)
        name = scope.name(element.get("name"))
        if name:
            body.frames.append((name, pose, element.sourceline))
        self._push(element, body, pose, inner)

    def _replicate(self, element: Element, body: Body, frame: FloatArray, scope: Scope) -> None:
        node = scope.context.node(element, "replicate")
        number = node.whole("count", 0)
        inner = scope.within(scope.context.defaults.check_class(element, "childclass"))
        self._copies += max(number, 1) * (1 + sum(1 for _ in element.iterdescendants()))
        if not number > 0 or self._copies > _MOST_COPIES:
            limit = f"at least one copy, and at most {_MOST_COPIES} elements in copies"
            raise node.error(f"count: expected {limit}, got {number} copies", "count")
        separator, width = node.get("sep") or "", len(str(number - 1))
        poses = [frame @ pose for pose in _copies(node, scope.context.compiler, number)]
        for k in reversed(range(number)):
            suffix = f"{separator}{k:0{width}d}{scope.suffix}"
            copy = Scope(inner.context, inner.childclass, inner.prefix, suffix, inner.depth)
            self._push(element, body, poses[k], copy)

    def _attach(self, element: Element, body: Body, frame: FloatArray, scope: Scope) -> None:
        node = scope.context.node(element, "attach")
        if scope.depth >= _DEEPEST_ATTACH:
            raise node.error(f"expected at most {_DEEPEST_ATTACH} models in each other, got more")
        prefix = scope.prefix + (node.get("prefix") or "")
        context = self._model(node, scope, prefix)
        self.attached.append(context)
        inner = Scope(context, None, prefix, scope.suffix, scope.depth + 1)
        wanted = node.get("body")
        if wanted is None:
            for section in reversed(context.root.findall("worldbody")):
                self._push(section, body, frame, inner)
            return
        found = [each for each in context.root.iterfind("worldbody//body") if each.get("name") == wanted]
        if not found:
            known = [str(each.get("name")) for each in context.root.iterfind("worldbody//body[@name]")]
            raise node.error(f"body: {UnknownNameError('body', wanted, known)}", "body")
        self._stack.append((found[0], body, frame, inner))

    def _model(self, node: Node, scope: Scope, prefix: str) -> Context:
        """The model that an <attach> names, read with the prefix of its names."""
        element = scope.context.assets.model_element(node)
        path = self._files.locate(element, scope.context.directory)
        key = (path, prefix)
        if key not in self._models:
            root = self._files.parse(element, path)
            if root.tag != "mujoco":
                raise self._file.error(element, f"file: expected a <mujoco> element, got <{tag_of(root)}>")
            root.set("{urn:kido}source", str(path))
            self._files.expand(root, path.parent, (path,))
            self._models[key] = Context.of(self._file, root, path.parent, prefix)
        return self._models[key]

    def _joint(self, element: Element, body: Body, frame: FloatArray, scope: Scope) -> None:
        if body.parent is None:
            raise self._file.error(element, "the world has no joints")
        is_free = element.tag == "freejoint"
        kind = "freejoint" if is_free else "joint"
        node = scope.context.node(element, kind, None if is_free else scope.childclass)
        placed = Placed(node, frame, scope, self._full_name(element, scope))
        if not is_free and node.get("type") != "free":
            body.joints.append(placed)
        elif body.free is not None:
            raise self._file.error(element, "expected one free joint, got two")
        elif body.parent.parent is not None:
            raise self._file.error(element, "a free joint is for bodies of the world only")
        else:
            body.free = placed
        if body.free is not None and body.joints:
            raise self._file.error(element, "expected no other joint beside the free one")


def _copies(node: Node, compiler: Compiler, number: int) -> list[FloatArray]:
    """Poses of copies (4, 4): the angles of the k-th are k times those given, offsets add up in its axes."""
    offset = np.array(node.numbers("offset", (0.0, 0.0, 0.0)))
    angles = node.numbers("euler", (0.0, 0.0, 0.0))
    poses = []
    place = np.zeros(3)
    for k in range(number):
        x, y, z = (k * angle for angle in angles)
        pose = moved_by(*place)
        pose[:3, :3] = euler_rotation((x, y, z), compiler)
        poses.append(pose)
        with np.errstate(over="ignore", invalid="ignore"):
            place = place + pose[:3, :3] @ offset
    if not np.isfinite(poses).all():
        raise node.error("offset, euler: expected numbers of a size that can be added")
    return poses


@dataclass(frozen=True, slots=True, eq=False)
class Bodies:
    """All bodies of a model, the world first, depth first.

    `attached` are the models that are attached; `copies`, by the names of parts that were copied, the ends
    that these have got.
    """

    bodies: list[Body]
    attached: list[Context]
    copies: dict[str, list[str]]


def read_bodies(context: Context, files: ModelFiles) -> Bodies:
    """The bodies of a model; raises ModelFileError."""
    reader = _Reader(context, files)
    reader.read(context)
    return Bodies(reader.bodies, list(dict.fromkeys(reader.attached)), reader.copies)
