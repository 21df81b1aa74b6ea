"""Collision detection: contacts, distances, ray casts, sweeps; filters of pairs."""

from kido.collision._coal_detector import CoalDetector
from kido.collision._collision_filter import CollisionFilter, Part
from kido.collision._convex_hull import ConvexHull, convex_hull
from kido.collision._detector import CollisionDetector
from kido.collision._mesh_points import mesh_points
from kido.collision._native_detector import NativeDetector
from kido.collision._native_shape import NativeShape, native_shape
from kido.collision._queries import (
    ContactPoint,
    Contacts,
    NearestShapes,
    ShapeHits,
    SweptShapes,
    contacts,
    distance,
    ray_cast,
    sweep,
)
from kido.collision._results import ContactPoints, Distances, RayHits, SweepHits
from kido.collision._shape_group import ShapeGroup
from kido.collision._triangle_mesh import TriangleMesh, field_triangles, triangle_mesh

__all__ = [
    "CoalDetector",
    "CollisionDetector",
    "CollisionFilter",
    "ContactPoint",
    "ContactPoints",
    "Contacts",
    "ConvexHull",
    "Distances",
    "NativeDetector",
    "NativeShape",
    "NearestShapes",
    "Part",
    "RayHits",
    "ShapeGroup",
    "ShapeHits",
    "SweepHits",
    "SweptShapes",
    "TriangleMesh",
    "contacts",
    "convex_hull",
    "distance",
    "field_triangles",
    "mesh_points",
    "native_shape",
    "ray_cast",
    "sweep",
    "triangle_mesh",
]
