"""The <geom> element: a shape with its pose, surface, look and mass."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from kido.description import Inertia, Material
from kido.io._mjcf._body import Placed
from kido.io._mjcf._fitted import fitted
from kido.io._mjcf._mesh import MeshAsset
from kido.io._mjcf._node import Node
from kido.io._mjcf._orientation import moved_by, read_pose, towards_z
from kido.io._mjcf._solid import solid_of
from kido.shape import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere, Surface
from kido.typing import FloatArray

__all__ = ["Geom", "placed_pose", "read_geom", "weighs"]

_TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
_NUM_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
_ALL_BITS = 0xFFFFFFFF
_FRICTION = (1.0, 0.005, 0.0001)
_LEAST = 1e-14
_WATER = 1000.0


@dataclass(eq=False, slots=True)
class Geom:
    """A geom of a body.

    Attributes:
        shape: None where it is of a kind that kido does not have, or its file is missing.
        pose: of the shape in the body (4, 4) [m].
        frame: the frame of the geom in the body (4, 4), which sensors measure in; of meshes the file's.
        inertia: in the axes of the body; None if it has no mass.
        bits: contype and conaffinity.
        in_pair: whether a contact pair names it.
    """

    name: str
    node: Node
    shape: Shape | None
    pose: FloatArray
    frame: FloatArray
    inertia: Inertia | None
    surface: Surface
    material: Material | None
    bits: tuple[int, int]
    group: int
    in_pair: bool = field(default=False)

    @property
    def collides(self) -> bool:
        """Whether it can touch anything."""
        return self.bits != (0, 0) or self.in_pair


def read_geom(placed: Placed, static: bool, weighed: bool) -> Geom:
    """A geom of a body, which is `static` or moves; what is `weighed` has mass. Raises ModelFileError."""
    node, context = placed.node, placed.scope.context
    kind = node.choice("type", _TYPES, "sphere")
    if kind in ("plane", "hfield") and not static:
        raise node.error(f"type: a {kind} is for bodies that do not move")
    frame = placed.T_body_frame @ placed_pose(placed)
    mesh = context.assets.mesh(node) if node.has("mesh") else None
    shape, offset = _shape(placed, kind, mesh)
    pose = frame @ offset
    inertia = None
    if weighed and shape is not None and kind not in ("plane", "hfield"):
        inertia = _inertia(node, shape, frame, pose, mesh if kind in ("mesh", "sdf") else None)
    bits = node.whole("contype", 1) & _ALL_BITS, node.whole("conaffinity", 1) & _ALL_BITS
    material = context.assets.material(node)
    group = node.whole("group", 0)
    return Geom(placed.name, node, shape, pose, frame, inertia, _surface(node), material, bits, group)


def weighs(placed: Placed) -> bool:
    """Whether a geom counts for the inertia of its body, by its group."""
    first, last = placed.scope.context.compiler.inertiagrouprange
    return first <= placed.node.whole("group", 0) <= last


def placed_pose(placed: Placed) -> FloatArray:
    """Pose of a geom or site in its frame (4, 4); between two points where it says so."""
    node = placed.node
    if not node.has("fromto"):
        return read_pose(node, placed.scope.context.compiler)
    start, end = np.array(node.floats("fromto", 6, 6)).reshape(2, 3)
    with np.errstate(over="ignore", invalid="ignore"):
        turn = towards_z(start - end)
    if turn is None or not np.isfinite(turn).all():
        raise node.error("fromto: expected two different points", "fromto")
    pose = moved_by(*((start + end) / 2.0))
    pose[:3, :3] = turn
    return pose


def _shape(placed: Placed, kind: str, mesh: MeshAsset | None) -> tuple[Shape | None, FloatArray]:
    """The shape, and its pose in the geom (4, 4). Raises ModelFileError."""
    node, identity = placed.node, np.eye(4)
    if kind in ("mesh", "sdf"):
        if mesh is None:
            if kind == "sdf":
                node.note("geometry", "left out: kido has no signed distance functions")
                return None, identity
            raise node.error("mesh: expected a value, but it is missing")
        if kind == "sdf":
            node.note("substituted", "type: sdf is taken as its mesh")
        return mesh.shape, mesh.T_geom_mesh
    if mesh is not None:
        return fitted(node, kind, mesh, placed.scope.context.compiler.fitaabb)
    if kind == "plane":
        return Plane(), identity
    if kind == "hfield":
        return placed.scope.context.assets.height_field(node), identity
    return _primitive(node, kind), identity


def _primitive(node: Node, kind: str) -> Shape:
    count = _NUM_SIZES[kind]
    sizes = list(node.leading("size", (0.0, 0.0, 0.0)))
    if node.has("fromto"):
        if kind == "sphere":
            raise node.error("fromto: a sphere has no direction", "fromto")
        start, end = np.array(node.floats("fromto", 6, 6)).reshape(2, 3)
        half = float(np.linalg.norm(end - start)) / 2.0
        sizes = [sizes[0], half] if count == 2 else [sizes[0], sizes[0], half]
    if min(sizes[:count]) <= 0.0:
        got = " ".join(f"{size:g}" for size in sizes[:count])
        raise node.error(f"size: expected {count} positive numbers for a {kind}, got {got}", "size")
    with node.file.at(node.element):
        match kind:
            case "sphere":
                return Sphere(sizes[0])
            case "capsule":
                return Capsule(sizes[0], 2.0 * sizes[1])
            case "cylinder":
                return Cylinder(sizes[0], 2.0 * sizes[1])
            case "box":
                return Box([2.0 * size for size in sizes])
        return Ellipsoid(sizes)


def _inertia(
    node: Node, shape: Shape, frame: FloatArray, pose: FloatArray, mesh: MeshAsset | None
) -> Inertia | None:
    """Mass of a geom in the axes of its body: as it says, or of its density."""
    shell = node.flag("shellinertia", False)
    density, given = node.number("density", _WATER), node.has("mass")
    mass = node.number("mass", 0.0)
    for name, value in (("mass", mass), ("density", density)):
        if value < 0.0:
            raise node.error(f"{name}: expected no negative number, got {value:g}", name)
    if (given and mass == 0.0) or (not given and density == 0.0):
        return None
    if mesh is not None:
        solid = mesh.solid_of(True) if shell else mesh.solid
        pose = frame
    else:
        solid = solid_of(shape, shell)
    if solid is None:
        return None
    mass = mass if given else density * solid.size
    R = pose[:3, :3]
    with node.file.at(node.element), np.errstate(over="ignore", invalid="ignore"):
        if not _LEAST < mass < math.inf:
            return None
        com, moment = R @ solid.com + pose[:3, 3], mass * (R @ solid.moment @ R.T)
        return Inertia(mass, com, (moment + moment.T) / 2.0)


def _surface(node: Node) -> Surface:
    """Friction by the number of directions of the contact: none, sliding, torsional, rolling."""
    condim = node.whole("condim", 3)
    if condim not in (1, 3, 4, 6):
        raise node.error(f"condim: expected 1, 3, 4 or 6, got {condim}", "condim")
    sliding, torsional, rolling = node.leading("friction", _FRICTION)
    if min(sliding, torsional, rolling) < 0.0:
        raise node.error(f"friction: expected no negative number, got {node.text('friction')}", "friction")
    return Surface(
        sliding if condim > 1 else 0.0,
        torsional_friction=torsional if condim > 3 else 0.0,
        rolling_friction=rolling if condim > 4 else 0.0,
    )
