"""Soft skins on the surfaces of shapes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.description._closed_surfaces import crossing, volume_within
from kido.errors import DescriptionError
from kido.shape import Box, Cylinder, Ellipsoid, Mesh, Shape, Sphere, load_triangles
from kido.typing import FloatArray

__all__ = ["SoftSurface", "sheet_of", "surface_of"]

_DIVISIONS = {Box: (3, 3, 3), Sphere: (8, 6), Ellipsoid: (8, 6), Cylinder: (8, 2, 1)}


@dataclass(frozen=True)
class SoftSurface:
    """Points (n, 3) [m], faces (m, 3), counterclockwise seen from outside, the volume that they bound [m^3],
    and the shares (n,) of the points in the mass."""

    points: FloatArray
    faces: NDArray[np.int64]
    volume: float
    shares: FloatArray


def surface_of(shape: Shape, divisions: Iterable[int] | None) -> SoftSurface:
    """Points and faces of a shape. Raises DescriptionError, or TypeError for a shape of another kind."""
    if isinstance(shape, Mesh):
        if divisions is not None:
            raise DescriptionError("divisions: a mesh has its own vertices, expected None")
        return _of_mesh(shape)
    counts: Iterable[int] | None = _DIVISIONS.get(type(shape))
    if counts is None:
        raise TypeError(
            f"shape: expected a Box, Sphere, Ellipsoid, Cylinder or Mesh, got {type(shape).__name__}"
        )
    if divisions is not None:
        counts = divisions
    if isinstance(shape, Box):
        points, faces = _box(shape.size, counts)
    elif isinstance(shape, Cylinder):
        points, faces = _cylinder(shape.radius, shape.length, counts)
    elif isinstance(shape, Sphere):
        points, faces = _ellipsoid(np.full(3, shape.radius), counts)
    else:
        assert isinstance(shape, Ellipsoid)
        points, faces = _ellipsoid(shape.radii, counts)
    return SoftSurface(points, faces, volume_within(points, faces), np.full(len(points), 1.0 / len(points)))


def _of_mesh(mesh: Mesh) -> SoftSurface:
    triangles = load_triangles(mesh)
    name = mesh.uri or "mesh"
    if not triangles.is_watertight:
        raise DescriptionError(f"mesh: expected a closed one, {name} has {triangles.open_edges} open edges")
    joined = triangles.joined
    used, index = np.unique(joined.triangles, return_inverse=True)
    points, faces = joined.vertices[used], index.reshape(-1, 3).astype(np.int64)
    volume = volume_within(points, faces)
    if volume <= 0.0:
        raise DescriptionError(
            f"mesh: expected faces counterclockwise seen from outside, {name} is inside out"
        )
    cut = crossing(points, faces)
    if cut is not None:
        raise DescriptionError(
            f"mesh: {name} cuts itself, where an edge of face {cut[0]} crosses face {cut[1]}"
        )
    corners = points[faces]
    areas = 0.5 * np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    around = np.bincount(faces.ravel(), weights=np.repeat(areas, 3), minlength=len(points))
    return SoftSurface(points, faces, volume, around / around.sum())


def sheet_of(size: FloatArray, divisions: Iterable[int]) -> SoftSurface:
    """A rectangle about the origin across z, of (nx, ny) points along its edges."""
    nx, ny = _counts(divisions, (2, 2))
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, nx), np.linspace(-0.5, 0.5, ny), indexing="ij")
    points = np.column_stack([size[0] * x.ravel(), size[1] * y.ravel(), np.zeros(nx * ny)])
    faces: list[tuple[int, int, int]] = []
    for i in range(nx - 1):
        for j in range(ny - 1):
            k = i * ny + j
            faces += _halves((k, k + ny, k + ny + 1, k + 1), (i + j) % 2 == 1)
    around = np.outer(_shares(nx), _shares(ny)).ravel()
    return SoftSurface(points, np.array(faces), 0.0, around)


def _shares(count: int) -> FloatArray:
    """Of points along an edge, those at its ends half of the others."""
    shares = np.ones(count)
    shares[[0, -1]] = 0.5
    return np.asarray(shares / shares.sum())


def _box(size: FloatArray, divisions: Iterable[int]) -> tuple[FloatArray, NDArray[np.int64]]:
    """A box about the origin, of (nx, ny, nz) points along its edges."""
    counts = _counts(divisions, (2, 2, 2))
    places: dict[tuple[int, ...], int] = {}
    faces: list[tuple[int, int, int]] = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for end in (0, counts[axis] - 1):

            def index(i: int, j: int, axis: int = axis, u: int = u, v: int = v, end: int = end) -> int:
                cell = [0, 0, 0]
                cell[axis], cell[u], cell[v] = end, i, j
                return places.setdefault(tuple(cell), len(places))

            for i in range(counts[u] - 1):
                for j in range(counts[v] - 1):
                    corners = (index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1))
                    if end == 0:
                        corners = corners[::-1]
                    faces += _halves(corners, (i + j) % 2 == 1)
    cells = np.array(sorted(places, key=places.__getitem__))
    return (cells / (np.array(counts) - 1) - 0.5) * size, np.array(faces)


def _ellipsoid(radii: FloatArray, divisions: Iterable[int]) -> tuple[FloatArray, NDArray[np.int64]]:
    """An ellipsoid about the origin, of (slices, stacks): slices about z, stacks from pole to pole."""
    slices, stacks = _counts(divisions, (3, 2))
    polar = np.linspace(0.0, np.pi, stacks + 1)[1:-1]
    rings = [(np.sin(angle), np.cos(angle)) for angle in polar]
    points, faces = _lathe(slices, rings, (0.0, 1.0), (0.0, -1.0))
    return points * radii, faces


def _cylinder(radius: float, height: float, divisions: Iterable[int]) -> tuple[FloatArray, NDArray[np.int64]]:
    """A cylinder about the origin along z, of (slices, stacks, rings): stacks along the side, rings on a
    lid."""
    slices, stacks, rings = _counts(divisions, (3, 1, 1))
    lid = [(radius * k / rings, 0.5 * height) for k in range(1, rings + 1)]
    side = [(radius, height * (0.5 - k / stacks)) for k in range(1, stacks)]
    floor = [(r, -z) for r, z in reversed(lid)]
    return _lathe(slices, [*lid, *side, *floor], (0.0, 0.5 * height), (0.0, -0.5 * height))


def _lathe(
    slices: int, rings: list[tuple[float, float]], top: tuple[float, float], bottom: tuple[float, float]
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Rings of (radius, height) from top to bottom between two poles."""
    angles = 2.0 * np.pi * np.arange(slices) / slices
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rows = [np.column_stack([r * circle, np.full(slices, z)]) for r, z in rings]
    points = np.concatenate([[[0.0, 0.0, top[1]]], *rows, [[0.0, 0.0, bottom[1]]]])
    last = len(points) - 1
    faces: list[tuple[int, int, int]] = []
    for k in range(slices):
        n = (k + 1) % slices
        faces.append((0, 1 + k, 1 + n))
        for ring in range(len(rings) - 1):
            a, b = 1 + ring * slices, 1 + (ring + 1) * slices
            faces += _halves((a + k, b + k, b + n, a + n), (ring + k) % 2 == 1)
        start = 1 + (len(rings) - 1) * slices
        faces.append((last, start + n, start + k))
    return points, np.array(faces)


def _halves(corners: tuple[int, ...], other: bool) -> list[tuple[int, int, int]]:
    a, b, c, d = corners
    return [(a, b, d), (b, c, d)] if other else [(a, b, c), (a, c, d)]


def _counts(divisions: Iterable[int], least: tuple[int, ...]) -> tuple[int, ...]:
    if not isinstance(divisions, Iterable):
        raise DescriptionError(f"divisions: expected {len(least)} whole numbers, got {divisions!r}")
    counts = tuple(divisions)
    if len(counts) != len(least) or any(
        isinstance(n, bool) or not isinstance(n, (int, np.integer)) for n in counts
    ):
        raise DescriptionError(f"divisions: expected {len(least)} whole numbers, got {counts}")
    if any(n < low for n, low in zip(counts, least, strict=True)):
        raise DescriptionError(f"divisions: expected at least {least}, got {counts}")
    return tuple(int(n) for n in counts)
