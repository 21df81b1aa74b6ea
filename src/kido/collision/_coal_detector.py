"""The detector of the library coal."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from kido.collision._detector import CollisionDetector, pair_names
from kido.collision._kept_hull import kept_hull
from kido.collision._mesh_points import mesh_points
from kido.collision._native_detector import NativeDetector
from kido.collision._results import ContactPoints, Distances
from kido.collision._triangle_mesh import TriangleMesh, field_triangles, mesh_triangles
from kido.errors import UnsupportedShapeError
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, HeightField, Mesh, Plane, Shape, Sphere
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_whole

if TYPE_CHECKING:
    import coal

__all__ = ["CoalDetector"]


class CoalDetector(CollisionDetector):
    """Contacts and distances by coal (Montaut, Le Lidec, Mirabel et al., formerly hpp-fcl), the extra `coal`.

    Convex shapes touch in a patch, all of whose points have the depth of the deepest. Where it finds no
    normal, as for capsules whose axes cross, contacts are those of kido's own detector. Rays and sweeps are
    not among what coal answers.
    """

    __slots__ = ("_coal", "_most_contacts")

    name = "coal"

    def __init__(self, *, most_contacts: int = 64) -> None:
        """Make a detector.

        Args:
            most_contacts: of one pair.

        Raises:
            ImportError: coal is not installed.
            TypeError, ValueError: naming the argument.
        """
        import coal

        self._coal = coal
        self._most_contacts = checked_whole("most_contacts", most_contacts)
        if self._most_contacts < 1:
            raise ValueError(f"most_contacts: expected 1 or above, got {most_contacts}")

    @property
    def most_contacts(self) -> int:
        """Largest number of contacts of one pair."""
        return self._most_contacts

    def contacts(
        self,
        first: Shape,
        T_first: ArrayLike,
        second: Shape,
        T_second: ArrayLike,
        *,
        margin: float = 0.0,
    ) -> ContactPoints:
        """Points where two shapes touch."""
        a, b = _geometry(first), _geometry(second)
        request = self._coal.CollisionRequest()
        request.num_max_contacts = self._most_contacts
        request.security_margin = float(frozen_array("margin", margin, (), "m"))
        rows: list[list[float]] = []
        for sample, (T_a, T_b) in enumerate(_pairs_of(T_first, T_second)):
            for number, (normal, point, depth) in enumerate(
                self._found(a, T_a, b, T_b, request, (first, second))
            ):
                half = normal * (depth / 2)
                rows.append([sample, *normal, *(point - half), *(point + half), depth, number])
        table = np.array(rows).reshape(-1, 12)
        whole = table[:, [0, 11]].astype(np.int64)
        return ContactPoints(
            whole[:, 0], table[:, 1:4], table[:, 4:7], table[:, 7:10], table[:, 10], whole[:, 1]
        )

    def distance(self, first: Shape, T_first: ArrayLike, second: Shape, T_second: ArrayLike) -> Distances:
        """Signed distance of two shapes."""
        a, b = _geometry(first), _geometry(second)
        T_a, T_b = _broadcast(T_first, T_second)
        shape = T_a.shape[:-2]
        rows = np.empty((*shape, 10))
        for at in np.ndindex(shape):
            result = self._coal.DistanceResult()
            try:
                d = self._coal.distance(
                    a, _placed(T_a[at]), b, _placed(T_b[at]), self._coal.DistanceRequest(), result
                )
            except (RuntimeError, ValueError) as error:
                raise UnsupportedShapeError(pair_names(first, second), "a pair", self.name) from error
            p, q = np.asarray(result.getNearestPoint1()), np.asarray(result.getNearestPoint2())
            rows[at] = [d, *-np.asarray(result.normal), *p, *q]
        return Distances(rows[..., 0], rows[..., 1:4], rows[..., 4:7], rows[..., 7:10])

    def _found(
        self, a: Any, T_a: FloatArray, b: Any, T_b: FloatArray, request: Any, shapes: tuple[Shape, Shape]
    ) -> list[tuple[FloatArray, FloatArray, float]]:
        """Normal from the second shape to the first, point in the middle, depth of each point."""
        result = self._coal.CollisionResult()
        places = _placed(T_a), _placed(T_b)
        try:
            self._coal.collide(a, places[0], b, places[1], request, result)
        except (RuntimeError, ValueError) as error:
            raise UnsupportedShapeError(pair_names(*shapes), "a pair", self.name) from error
        if not result.isCollision():
            return []
        deepest = [
            (-np.asarray(c.normal), np.asarray(c.pos), -float(c.penetration_depth))
            for c in result.getContacts()
        ]
        if not all(0.5 < normal @ normal < 2.0 for normal, _, _ in deepest):
            # Where the axes of capsules cross, or centers of spheres coincide, coal finds no direction.
            known = NativeDetector().contacts(shapes[0], T_a, shapes[1], T_b, margin=request.security_margin)
            return list(zip(known.normal, known.point, known.depth.tolist(), strict=True))
        if any(isinstance(shape, Mesh | HeightField) and not _is_convex(shape) for shape in shapes):
            return deepest
        return self._patch_points(a, places[0], b, places[1], result) or deepest

    def _patch_points(
        self, a: Any, T_a: Any, b: Any, T_b: Any, result: Any
    ) -> list[tuple[FloatArray, FloatArray, float]]:
        patches = self._coal.ContactPatchResult()
        self._coal.computeContactPatch(a, T_a, b, T_b, result, self._coal.ContactPatchRequest(), patches)
        found = []
        for k in range(patches.numContactPatches()):
            patch = patches.getContactPatch(k)
            normal, depth = -np.asarray(patch.getNormal()), -float(patch.penetration_depth)
            found += [(normal, np.asarray(patch.getPoint(i)), depth) for i in range(patch.size())]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._most_contacts,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CoalDetector) and other._most_contacts == self._most_contacts

    def __hash__(self) -> int:
        return hash((CoalDetector, self._most_contacts))


def _restored(most_contacts: int) -> CoalDetector:
    return CoalDetector(most_contacts=most_contacts)


def _is_convex(shape: Shape) -> bool:
    return isinstance(shape, Mesh) and shape.convex


def _geometry(shape: Shape) -> Any:
    import coal

    match shape:
        case Sphere():
            return coal.Sphere(shape.radius)
        case Capsule():
            return coal.Capsule(shape.radius, shape.length)
        case Cylinder():
            return coal.Cylinder(shape.radius, shape.length)
        case Cone():
            return coal.Cone(shape.radius, shape.length)
        case Box():
            return coal.Box(*shape.size.tolist())
        case Ellipsoid():
            return coal.Ellipsoid(*shape.radii.tolist())
        case Plane():
            return coal.Halfspace(np.array(shape.normal), shape.offset)
        case HeightField():
            return _field(shape)
        case Mesh():
            path = shape.path
            return _mesh(shape, path.stat().st_mtime_ns if path is not None and path.exists() else 0)
    raise UnsupportedShapeError(type(shape).__name__, "a shape", "coal")


@lru_cache(maxsize=256)
def _mesh(mesh: Mesh, stamp: int) -> Any:
    """A mesh file as it was at some time."""
    if not mesh.convex:
        return _surface(mesh_triangles(mesh))
    import coal

    hull = kept_hull(mesh_points(mesh))
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(hull.vertices))
    for face in hull.faces:
        for k in range(1, len(face) - 1):
            triangles.append(coal.Triangle(face[0], face[k], face[k + 1]))
    return coal.Convex(points, triangles)


@lru_cache(maxsize=64)
def _field(field: HeightField) -> Any:
    return _surface(field_triangles(field))


def _surface(surface: TriangleMesh) -> Any:
    import coal

    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(surface.vertices))
    for corners in surface.triangles.tolist():
        triangles.append(coal.Triangle(*corners))
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(surface.triangles), len(surface.vertices))
    model.addSubModel(points, triangles)
    model.endModel()
    return model


def _broadcast(T_first: ArrayLike, T_second: ArrayLike) -> tuple[FloatArray, FloatArray]:
    a = frozen_array("T_first", T_first, None, "m")
    b = frozen_array("T_second", T_second, None, "m")
    for name, T in (("T_first", a), ("T_second", b)):
        if T.shape[-2:] != (4, 4):
            raise ValueError(f"{name}: expected shape (..., 4, 4) [m], got {T.shape}")
    leading = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return np.broadcast_to(a, (*leading, 4, 4)), np.broadcast_to(b, (*leading, 4, 4))


def _pairs_of(T_first: ArrayLike, T_second: ArrayLike) -> zip[tuple[FloatArray, FloatArray]]:
    a, b = _broadcast(T_first, T_second)
    return zip(a.reshape(-1, 4, 4), b.reshape(-1, 4, 4), strict=True)


def _placed(T: FloatArray) -> coal.Transform3s:
    import coal

    return coal.Transform3s(np.array(T[:3, :3]), np.array(T[:3, 3]))
