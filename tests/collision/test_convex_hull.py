"""Convex hulls: faces, planes, edges, what is left out, and points that have none."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from _solids import ball_points, compiled_hull, prism_points
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial import ConvexHull as Qhull

from kido import _core
from kido.collision import ConvexHull, convex_hull

CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def check(hull: ConvexHull, points: np.ndarray) -> None:
    """Planes and faces are those of a closed convex polyhedron around all points."""
    normals, offsets = hull.planes[:, :3], hull.planes[:, 3]
    size = np.ptp(points, axis=0).max()
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-12)
    assert (points @ normals.T - offsets).max() < 3e-6 * size
    directed = []
    for face, normal, offset in zip(hull.faces, normals, offsets, strict=True):
        corners = hull.vertices[list(face)]
        np.testing.assert_allclose(corners @ normal, offset, rtol=0, atol=3e-6 * size)
        around = np.roll(corners, -1, axis=0)
        assert np.cross(corners - corners[0], around - corners[0]).sum(axis=0) @ normal > 0.0
        directed += zip(face, [*face[1:], face[0]], strict=True)
    assert len(set(directed)) == len(directed)
    assert {(j, i) for i, j in directed} == set(directed)
    assert len(hull.vertices) - len(directed) // 2 + len(hull.faces) == 2  # Euler's formula
    rows = {tuple(point) for point in np.round(points, 9).tolist()}
    assert {tuple(vertex) for vertex in np.round(hull.vertices, 9).tolist()} <= rows
    assert {tuple(sorted(side)) for side in directed} <= {tuple(edge) for edge in hull.edges.tolist()}


def test_a_cube_has_six_faces_of_four_corners() -> None:
    hull = convex_hull(CUBE)
    check(hull, CUBE)
    assert sorted(map(len, hull.faces)) == [4] * 6
    assert hull.inner_radius == pytest.approx(1.0)


def test_points_inside_within_faces_on_edges_and_twice_are_left_out() -> None:
    grid = np.array(np.meshgrid(*[np.linspace(-1.0, 1.0, 5)] * 3)).reshape(3, -1).T
    for points in (grid, np.concatenate([grid, grid[::-1]])):
        hull = convex_hull(points)
        check(hull, points)
        assert len(hull.vertices) == 8 and len(hull.faces) == 6


@pytest.mark.parametrize("sides", [3, 6, 32, 100])
def test_a_prism_has_two_faces_more_than_its_polygon_has_sides(sides: int) -> None:
    points = prism_points(sides, 0.3, 0.2)
    hull = convex_hull(points)
    check(hull, points)
    assert sorted(map(len, hull.faces)) == sorted([4] * sides + [sides] * 2)


def test_faces_of_points_in_single_precision_are_merged() -> None:
    turned = prism_points(8, 0.3, 0.2) @ np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    points = (turned + np.array([3.0, -2.0, 1.0])).astype(np.float32).astype(float)
    hull = convex_hull(points)
    check(hull, points)
    assert len(hull.faces) == 10


@pytest.mark.parametrize("count", [4, 10, 60, 500])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_hull_of_random_points_is_that_of_qhull(count: int, scale: float) -> None:
    points = np.random.default_rng(count).normal(size=(count, 3)) * scale + 5.0 * scale
    hull, peer = convex_hull(points), Qhull(points)
    check(hull, points)
    assert len(hull.vertices) == len(peer.vertices)
    corner = hull.vertices[[face[0] for face in hull.faces]]
    volume = sum(
        np.linalg.det(hull.vertices[[f[0], f[i], f[i + 1]]] - hull.vertices[0]) / 6
        for f in hull.faces
        for i in range(1, len(f) - 1)
    )
    assert volume == pytest.approx(peer.volume)
    inner = (hull.planes[:, 3] - (hull.planes[:, :3] * corner).sum(axis=1)).max()
    assert abs(inner) < 1e-9 * scale
    # Qhull's halfspaces have a point that is as far inside as told.
    assert 0.0 < hull.inner_radius < scale * 4


def test_vertices_are_reached_along_edges_without_a_step_back() -> None:
    hull = convex_hull(ball_points(400, 1.0))
    neighbors: list[list[int]] = [[] for _ in hull.vertices]
    for i, j in hull.edges.tolist():
        neighbors[i].append(j)
        neighbors[j].append(i)
    for direction in ball_points(200, 1.0, 8):
        heights = hull.vertices @ direction
        at = 0
        while heights[best := max(neighbors[at], key=heights.__getitem__)] > heights[at]:
            at = best
        assert heights[at] == heights.max()


@given(st.integers(4, 40), st.integers(0, 10**6), st.sampled_from([1.0, 1e-3, 0.25]))
@example(4, 219, 1e-3)  # a tetrahedron as good as flat
def test_flat_boxes_of_points_have_hulls(count: int, seed: int, thickness: float) -> None:
    points = np.random.default_rng(seed).integers(-4, 5, (count, 3)) * [1.0, 1.0, thickness]
    try:
        hull = convex_hull(points)
    except ValueError:
        extent = np.ptp(points, axis=0).max()  # it is refused where the ball about the centroid is 5e-6 of it
        assert extent == 0.0 or ball_radius(points * (1e3 / extent)) <= 1e-2 * (1.0 + 1e-4)
        return
    check(hull, points)


def ball_radius(points: np.ndarray) -> float:
    """Of the largest ball within the hull of points: a linear program over its planes. The one about the
    centroid has half of it at least."""
    if np.linalg.matrix_rank(points - points[0], tol=1e-9) < 3:
        return 0.0
    planes = Qhull(points).equations
    rows = np.column_stack([planes[:, :3], np.ones(len(planes))])
    return float(linprog([0, 0, 0, -1], rows, -planes[:, 3], bounds=[(None, None)] * 3 + [(0, None)]).x[3])


@pytest.mark.parametrize(
    "points, message",
    [
        (CUBE[:3], "points: expected at least four that span a volume, got 3"),
        (np.ones((5, 3)), "points: expected some that span a volume, got 5 in one place"),
        (CUBE * [1.0, 1.0, 0.0], "points: expected some that span a volume, got 8 in a plane or on a line"),
        (CUBE * [1.0, 0.0, 0.0], "points: expected some that span a volume, got 8 in a plane or on a line"),
        (CUBE * [1.0, 1.0, 1e-6], "points: expected some that span a volume, got 8 in a plane within 1e-05"),
        (CUBE[:, :2], r"points: expected shape \(n, 3\) \[m\], got \(8, 2\)"),
        (CUBE * np.nan, "points: expected finite numbers"),
    ],
)
def test_points_without_a_volume_are_told(points: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        convex_hull(points)


def test_a_compiled_hull_is_copied_and_saved_whole() -> None:
    shape = compiled_hull(convex_hull(ball_points(30, 0.3)))
    T = np.eye(4)
    T[:3, 3] = [0.4, 0.1, 0.0]
    for other in (copy.copy(shape), copy.deepcopy(shape), pickle.loads(pickle.dumps(shape))):
        assert other.kind == "hull" and other.radius == shape.radius
        for here, there in zip(
            _core.distance(shape, T, shape, np.eye(4)),
            _core.distance(other, T, other, np.eye(4)),
            strict=True,
        ):
            np.testing.assert_array_equal(here, there)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"first_corner": [0, 3]}, "first_corner: expected where the corners of each face begin"),
        ({"corners": [99] * 24}, "corners: expected indices of vertices"),
        ({"edges": [0, 1, 2]}, "edges: expected pairs of indices of vertices"),
        ({"edges": [0, -1]}, "edges: expected pairs of indices of vertices"),
        ({"inner_radius": 0.0}, "inner_radius: expected a positive number"),
        ({"vertices": CUBE[:3]}, "expected at least four vertices and four faces"),
        ({"planes": np.full((6, 4), np.nan)}, "expected finite numbers"),
    ],
)
def test_tables_that_are_no_polyhedron_are_refused(change: dict[str, object], message: str) -> None:
    hull = convex_hull(CUBE)
    tables: dict[str, object] = {
        "vertices": hull.vertices,
        "planes": hull.planes,
        "first_corner": list(range(0, 25, 4)),
        "corners": [corner for face in hull.faces for corner in face],
        "edges": hull.edges.ravel().tolist(),
        "inner_radius": hull.inner_radius,
    }
    _core.CollisionShape.hull(**tables)
    with pytest.raises(ValueError, match=message):
        _core.CollisionShape.hull(**(tables | change))
