"""Shapes as collision sees them: compiled to numbers, meshes as convex hulls."""

from __future__ import annotations

from kido.collision._convex_hull import ConvexHull, convex_hull
from kido.collision._native_shape import NativeShape, native_shape

__all__ = ["ConvexHull", "NativeShape", "convex_hull", "native_shape"]
