"""The <geometry> element: shapes."""

from __future__ import annotations

from collections.abc import Callable

from kido.io._sdf._file import SdfFile
from kido.io._sdf._model_finder import ModelFinder
from kido.io._xml import Element, shown
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere

__all__ = ["GeometryReader"]

_EMPTY = "empty"
_NOT_READ = ("heightmap", "polyline", "image")


class GeometryReader:
    """Reads the shapes of visuals and collisions."""

    def __init__(self, finder: ModelFinder) -> None:
        self._finder = finder
        self._shapes: dict[str, Callable[[SdfFile, Element, bool], Shape]] = {
            "box": _box,
            "sphere": _sphere,
            "cylinder": lambda file, e, _: Cylinder(*_round(file, e)),
            "capsule": lambda file, e, _: Capsule(*_round(file, e)),
            "cone": lambda file, e, _: Cone(*_round(file, e)),
            "ellipsoid": _ellipsoid,
            "plane": _plane,
            "mesh": self._mesh,
        }

    def read(self, file: SdfFile, owner: Element, static: bool) -> Shape | None:
        """The shape of a visual or collision; None where it has none, or one that is not read."""
        geometry = owner.find("geometry")
        if geometry is None or len(geometry) == 0:
            file.note(owner, "geometry", "left out: expected a <geometry> with a shape, got none")
            return None
        element = geometry[0]
        for extra in geometry[1:]:
            file.ignore(extra, "only the first shape of a geometry is read")
        read = self._shapes.get(str(element.tag))
        if read is not None:
            with file.at(element):
                return read(file, element, static)
        if element.tag != _EMPTY:
            known = "" if element.tag in _NOT_READ else f"; expected one of {', '.join(self._shapes)}"
            file.note(element, "geometry", f"left out: shapes of this kind are not read{known}")
        return None

    def _mesh(self, file: SdfFile, element: Element, static: bool) -> Mesh:
        uri = file.child_text(element, "uri")
        file.ignore_rest(element, ("uri", "scale"), ("optimization",))
        path = self._finder.locate_file(file, element, uri)
        if path is None:
            file.note(element, "mesh", f"file not found: {shown(uri)}")
        scale = file.child_numbers(element, "scale", 3, (1.0, 1.0, 1.0))
        return Mesh(path, uri, scale, _is_convex(file, element, static))


def _is_convex(file: SdfFile, element: Element, static: bool) -> bool:
    """Whether a mesh touches others as its convex hull: one that stands has triangles instead."""
    optimization = element.get("optimization") or ""
    if optimization == "convex_hull":
        return True
    parent = element.getparent()
    owner = None if parent is None else parent.getparent()
    if owner is not None and owner.tag == "visual":
        return True
    if optimization == "convex_decomposition" or not static:
        wanted = "its convex decomposition" if optimization else "its triangles"
        file.note(element, "substituted", f"touches others as its convex hull instead of {wanted}")
    return optimization == "convex_decomposition" or not static


def _box(file: SdfFile, element: Element, _: bool) -> Box:
    file.ignore_rest(element, ("size",))
    return Box(file.child_numbers(element, "size", 3))


def _sphere(file: SdfFile, element: Element, _: bool) -> Sphere:
    file.ignore_rest(element, ("radius",))
    return Sphere(file.child_number(element, "radius"))


def _round(file: SdfFile, element: Element) -> tuple[float, float]:
    file.ignore_rest(element, ("radius", "length"))
    return file.child_number(element, "radius"), file.child_number(element, "length")


def _ellipsoid(file: SdfFile, element: Element, _: bool) -> Ellipsoid:
    file.ignore_rest(element, ("radii",))
    return Ellipsoid(file.child_numbers(element, "radii", 3))


def _plane(file: SdfFile, element: Element, _: bool) -> Plane:
    """A plane has no borders: the size is that of its picture."""
    file.ignore_rest(element, ("normal", "size"))
    size = element.find("size")
    if size is not None:
        extent = file.values(size, 2)
        owner = element.iterancestors("visual", "collision")
        if next(owner).tag == "visual":
            instead = f"{extent[0]:g} x {extent[1]:g} m"
            file.note(size, "substituted", f"drawn without borders instead of {instead}")
    return Plane(file.child_numbers(element, "normal", 3, (0.0, 0.0, 1.0)))
