"""The <geom> elements of a body, and the assets that they need."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

import numpy as np

from kido.description import LinkDescription, Material, ShapePlacement, ShapeReference
from kido.io._writers._mjcf._output import Output, write_pose
from kido.io._writers._placement_losses import report_surface, shape_label
from kido.io._writers._xml_text import element, numbers
from kido.io._xml import Element
from kido.shape import Box, Capsule, Cylinder, Ellipsoid, HeightField, Mesh, Plane, Shape, Sphere, Surface
from kido.typing import FloatArray

__all__ = ["GeomWriter"]

_VISUAL_GROUP, _COLLISION_GROUP = 2, 3
_SURFACE = ("friction", "torsional_friction", "rolling_friction")
_READ_BY_MUJOCO = (".stl", ".obj", ".msh")
_MOST_INLINE = 10_000
"""Numbers of a mesh without a file that stand in the text; larger ones get a file beside it."""
_FOOT = 1.0
"""Depth of the solid below a height field, of which kido's is solid all the way [m]."""


class GeomWriter:
    """Writes the geoms of one file, each asset once."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._meshes: dict[Mesh, str] = {}
        self._materials: dict[Material, str] = {}
        self._in_pairs = {end for pair in output.scene.contact_pairs for _, end in pair.references()}

    def write(self, body: Element, owner: str, link: LinkDescription, is_static: bool) -> None:
        """Add the geoms of a link; planes and height fields are for bodies that do not move."""
        for index, placed in enumerate(link.collisions):
            made = self._geom(body, "collision", link, placed, is_static)
            if made is not None:
                self._name(made, ShapeReference(owner, link.name, index), placed)
                self._contact(made, owner, link, placed)
        for placed in link.visuals:
            made = self._geom(body, "visual", link, placed, is_static)
            if made is not None:
                if placed.name:
                    made.set("name", self._output.name("geom", placed.name))
                for name, bits in (("contype", 0), ("conaffinity", 0), ("group", _VISUAL_GROUP)):
                    made.set(name, str(bits))

    def _name(self, made: Element, reference: ShapeReference, placed: ShapePlacement) -> None:
        """Name a collision geom, if it has a name or a contact pair needs one."""
        if placed.name or reference in self._in_pairs:
            wanted = placed.name or f"{reference.link}_{reference.index}"
            name = self._output.name("geom", wanted)
            made.set("name", name)
            self._output.geoms[reference] = name

    def _geom(
        self, body: Element, tag: str, link: LinkDescription, placed: ShapePlacement, is_static: bool
    ) -> Element | None:
        label, shape, losses = shape_label(link, placed), placed.shape, self._output.losses
        if isinstance(shape, Plane | HeightField) and not is_static:
            losses.left_out(
                tag, label, f"MJCF has a {type(shape).__name__.lower()} on bodies that stand only"
            )
            return None
        if not isinstance(shape, Box | Sphere | Cylinder | Capsule | Ellipsoid | Mesh | Plane | HeightField):
            losses.left_out(tag, label, f"MJCF has no {type(shape).__name__.lower()}")
            return None
        made = element(body, "geom")
        write_pose(made, placed.origin @ _offset(shape))
        if link.inertia is None or link.inertia.is_massless:
            made.set("mass", "0")
        self._shape(made, tag, label, shape)
        if placed.material is not None:
            self._look(made, placed.material)
        return made

    def _shape(self, made: Element, tag: str, label: str, shape: Shape) -> None:
        match shape:
            case Box():
                _sized(made, "box", shape.size / 2.0)
            case Sphere():
                _sized(made, "sphere", [shape.radius])
            case Cylinder() | Capsule():
                kind = "cylinder" if isinstance(shape, Cylinder) else "capsule"
                _sized(made, kind, [shape.radius, shape.length / 2.0])
            case Ellipsoid():
                _sized(made, "ellipsoid", shape.radii)
            case Plane():
                _sized(made, "plane", [0.0, 0.0, 1.0])
            case HeightField():
                made.set("type", "hfield")
                made.set("hfield", self._height_field(shape, label))
            case Mesh():
                made.set("type", "mesh")
                made.set("mesh", self._mesh(shape, label))
                if tag == "collision" and not shape.convex:
                    self._output.losses.ignored(
                        "mesh", label, "that it touches by its triangles, not its hull"
                    )

    def _mesh(self, mesh: Mesh, label: str) -> str:
        """Name of the asset; equal meshes share one."""
        key = replace(mesh, convex=True)
        if key not in self._meshes:
            inline = self._inline(mesh)
            file = mesh.uri if inline else self._output.files.mesh(mesh)
            name = self._output.names_of("mesh").new(PurePath(file).stem or "mesh")
            self._meshes[key] = name
            scale = None if (mesh.scale == 1.0).all() else mesh.scale
            made = element(self._output.section("asset"), "mesh", name=name, scale=scale)
            if inline is not None:
                made.set("vertex", numbers(inline[0]))
                made.set("face", numbers(inline[1]))
                if name != PurePath(file).name:
                    self._output.losses.equivalent("mesh", PurePath(file).name, f"in the model, as {name!r}")
                return name
            made.set("file", file)
            if PurePath(file).suffix.lower() not in _READ_BY_MUJOCO:
                known = ", ".join(_READ_BY_MUJOCO)
                self._output.losses.doubted(
                    "mesh", label, f"{PurePath(file).name!r}: MuJoCo reads {known} only"
                )
        return self._meshes[key]

    def _inline(self, mesh: Mesh) -> tuple[FloatArray, FloatArray] | None:
        """Points and triangles of a mesh that has no file and gets none."""
        if mesh.vertices is None or mesh.triangles is None:
            return None
        is_large = mesh.vertices.size + mesh.triangles.size > _MOST_INLINE
        return None if is_large and self._output.files.encloses else (mesh.vertices, mesh.triangles)

    def _height_field(self, field: HeightField, label: str) -> str:
        name = self._output.names_of("hfield").new(label)
        rows, columns = field.heights.shape
        low, high = float(field.heights.min()), float(field.heights.max())
        x, y = field.spacing * (columns - 1, rows - 1) / 2.0
        made = element(self._output.section("asset"), "hfield", name=name, nrow=rows, ncol=columns)
        made.set("size", numbers((x, y, high - low or 1.0, _FOOT)))
        made.set("elevation", numbers(field.heights[::-1] - low))
        return name

    def _look(self, made: Element, material: Material) -> None:
        if not material.name and not material.texture:
            made.set("rgba", numbers(material.rgba))
            return
        if material not in self._materials:
            wanted = material.name or "material"
            name = self._output.name("material", wanted)
            self._materials[material] = name
            assets, texture = self._output.section("asset"), None
            if material.texture:
                texture = self._output.names_of("texture").new(name)
                file = self._output.files.texture(material.texture)
                element(assets, "texture", name=texture, type="2d", file=file)
            element(assets, "material", name=name, rgba=material.rgba, texture=texture)
        made.set("material", self._materials[material])

    def _contact(self, made: Element, owner: str, link: LinkDescription, placed: ShapePlacement) -> None:
        label, surface = shape_label(link, placed), placed.surface or Surface()
        made.set("group", str(_COLLISION_GROUP))
        contype, conaffinity = self._output.categories.of(owner, placed)
        if (contype, conaffinity) == (0, 0):
            self._output.losses.substituted("collision", label, "it touches nothing: in MJCF it is a picture")
        if (contype, conaffinity) != (1, 1):
            made.set("contype", str(contype))
            made.set("conaffinity", str(conaffinity))
        report_surface(label, surface, self._output.losses, _SURFACE)
        torsional, rolling = surface.torsional_friction, surface.rolling_friction
        if surface.friction == 0.0 and not (torsional or rolling):
            made.set("condim", "1")
        elif (surface.friction, torsional, rolling) != (1.0, 0.0, 0.0):
            made.set("condim", "6" if rolling else "4" if torsional else "3")
            made.set("friction", numbers((surface.friction, torsional, rolling)))


def _sized(made: Element, kind: str, size: FloatArray | list[float]) -> None:
    made.set("type", kind)
    made.set("size", numbers(size))


def _offset(shape: Shape) -> FloatArray:
    """Pose (4, 4) of a geom in the shape's frame."""
    T = np.eye(4)
    if isinstance(shape, Plane):
        z = shape.normal
        if (z != (0.0, 0.0, 1.0)).any():
            x = np.eye(3)[np.argmin(np.abs(z))]
            x = x - z * (x @ z)
            x = x / np.linalg.norm(x)
            T[:3, :3] = np.column_stack([x, np.cross(z, x), z])
        T[:3, 3] = z * shape.offset
    if isinstance(shape, HeightField):
        T[2, 3] = shape.heights.min()
    return T
