"""The <visual> and <collision> elements."""

from __future__ import annotations

import math

import numpy as np

from kido.description import LinkDescription, Material, ShapePlacement
from kido.io._writers._names import Names
from kido.io._writers._placement_losses import (
    report_mesh_file,
    report_placement_fields,
    report_surface,
    shape_label,
)
from kido.io._writers._sdf._output import Output
from kido.io._writers._xml_text import element, leaf
from kido.io._xml import Element
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere, Surface
from kido.typing import FloatArray

__all__ = ["write_shape"]

_SINCE_OLD = (Box, Sphere, Cylinder, Plane, Mesh)
_SHAPES = (*_SINCE_OLD, Capsule, Cone, Ellipsoid)
_ROUND = {Cylinder: "cylinder", Capsule: "capsule", Cone: "cone"}
_ALL_BITS = 0xFFFF
_EVERY_CATEGORY = {(1, 0xFFFFFFFF), (_ALL_BITS, _ALL_BITS)}
_PATCH = 3.0 * math.pi / 16.0
_PLANE_SIZE = (100.0, 100.0)
_SURFACE = (
    "friction",
    "restitution",
    "friction_direction",
    "secondary_friction",
    "slip",
    "secondary_slip",
    "torsional_friction",
)


def write_shape(
    output: Output, made: Element, tag: str, link: LinkDescription, placed: ShapePlacement, names: Names
) -> None:
    """Add a <visual> or <collision> to a <link>."""
    label, shape = shape_label(link, placed), placed.shape
    if not isinstance(shape, _SINCE_OLD if output.is_old else _SHAPES):
        kind = type(shape).__name__.lower()
        output.losses.left_out(tag, label, f"SDF {output.version} has no {kind} that holds its numbers")
        return
    if not output.files.can_name(shape):
        output.losses.left_out(tag, label, "SDF has no meshes without a file")
        return
    wanted = placed.name or f"{link.name}_{tag}"
    name = names.new(wanted)
    if placed.name and name != placed.name:
        output.losses.substituted(tag, label, f"named {name!r}: names are unique in a link")
    owner = element(made, tag, name=name)
    origin = placed.origin
    if isinstance(shape, Plane) and shape.offset:
        origin = origin @ _shifted(shape.normal * shape.offset)
    output.pose(owner, origin, tag, label)
    _write_geometry(output, element(owner, "geometry"), tag, label, shape)
    report_placement_fields(link, placed, tag, output.losses, ("surface", "category"))
    if tag == "visual":
        if placed.material is not None:
            _write_material(output, owner, placed.material)
    else:
        _write_surface(output, owner, label, placed)


def _shifted(position: FloatArray) -> FloatArray:
    T = np.eye(4)
    T[:3, 3] = position
    return T


def _write_geometry(output: Output, geometry: Element, tag: str, label: str, shape: Shape) -> None:
    match shape:
        case Box():
            leaf(element(geometry, "box"), "size", shape.size)
        case Sphere():
            leaf(element(geometry, "sphere"), "radius", shape.radius)
        case Cylinder() | Capsule() | Cone():
            made = element(geometry, _ROUND[type(shape)])
            leaf(made, "radius", shape.radius)
            leaf(made, "length", shape.length)
        case Ellipsoid():
            leaf(element(geometry, "ellipsoid"), "radii", shape.radii)
        case Plane():
            made = element(geometry, "plane")
            leaf(made, "normal", shape.normal)
            leaf(made, "size", _PLANE_SIZE)
        case Mesh():
            hull = "convex_hull" if _is_hull(output, tag, label, shape) else None
            made = element(geometry, "mesh", optimization=hull)
            file = output.files.mesh(shape)
            report_mesh_file(label, file, output.losses)
            leaf(made, "uri", file)
            if (shape.scale != 1.0).any():
                leaf(made, "scale", shape.scale)


def _is_hull(output: Output, tag: str, label: str, mesh: Mesh) -> bool:
    hull = tag == "collision" and mesh.convex
    if hull and output.is_old:
        output.losses.ignored("mesh", label, "that it touches as its convex hull")
    return hull and not output.is_old


def _write_material(output: Output, visual: Element, material: Material) -> None:
    if material.name:
        output.losses.ignored("material", material.name, "the name of a material")
    made = element(visual, "material")
    color = material.rgba.tolist()
    leaf(made, "ambient", color)
    leaf(made, "diffuse", color)
    if material.texture:
        if output.is_old:
            output.losses.ignored("material", material.name, "its texture")
            return
        metal = element(element(made, "pbr"), "metal")
        leaf(metal, "albedo_map", output.files.texture(material.texture))


def _write_surface(output: Output, collision: Element, label: str, placed: ShapePlacement) -> None:
    surface = placed.surface or Surface()
    report_surface(label, surface, output.losses, _SURFACE)
    categories = (placed.category, placed.collides_with)
    has_categories = output.old_categories and categories is not None
    if surface == Surface() and not has_categories:
        return
    made = element(collision, "surface")
    if surface.restitution:
        leaf(element(made, "bounce"), "restitution_coefficient", surface.restitution)
    _write_friction(made, surface)
    if has_categories:
        _write_categories(output, made, label, categories)


def _write_friction(made: Element, surface: Surface) -> None:
    friction = element(made, "friction")
    ode = element(friction, "ode")
    leaf(ode, "mu", surface.friction)
    across = surface.friction if surface.secondary_friction is None else surface.secondary_friction
    leaf(ode, "mu2", across)
    if surface.friction_direction is not None:
        leaf(ode, "fdir1", surface.friction_direction)
    if surface.slip or surface.secondary_slip:
        leaf(ode, "slip1", surface.slip)
        leaf(ode, "slip2", surface.slip if surface.secondary_slip is None else surface.secondary_slip)
    if surface.torsional_friction:
        torsional = element(friction, "torsional")
        leaf(torsional, "coefficient", 1.0)
        leaf(torsional, "use_patch_radius", True)
        leaf(torsional, "patch_radius", surface.torsional_friction / _PATCH)


def _write_categories(output: Output, made: Element, label: str, categories: tuple[int, int]) -> None:
    contact = element(made, "contact")
    category, collides_with = (bits & _ALL_BITS for bits in categories)
    if categories not in _EVERY_CATEGORY and (category, collides_with) != categories:
        output.losses.substituted("collision", label, "categories beyond the first 16 bits are not written")
    if category != collides_with:
        how = "SDF lets two touch where one of them collides with the other's category, not both"
        output.losses.substituted("collision", label, how)
    leaf(contact, "collide_bitmask", str(collides_with))
    leaf(contact, "category_bitmask", str(category))
