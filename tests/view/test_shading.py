"""Normals of surfaces, and triangles of lines and arrows."""

from __future__ import annotations

import numpy as np
import pytest
import pyvista
import trimesh

from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from kido.view import Arrows, Label, Lines, Points, Polyline, TriangleSurface, as_surface
from kido.view._scene._outline import outline
from kido.view._scene._shading import shaded
from kido.view._scene._shape_geometry import shape_geometry

SHAPES = [
    Box((1, 2, 3)),
    Sphere(0.5),
    Cylinder(0.2, 1.0),
    Capsule(0.2, 1.0),
    Cone(0.3, 1.0),
    Ellipsoid((0.1, 0.2, 0.3)),
]


def wavy(count: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """A ground of soft waves with a sharp step across it."""
    x, y = np.meshgrid(np.linspace(0, 1, count), np.linspace(0, 1, count))
    z = 0.05 * np.sin(4 * x) * np.cos(5 * y) + np.where(x > 0.5, 0.4, 0.0)
    points = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    at = (np.arange(count - 1)[:, None] * count + np.arange(count - 1)).ravel()
    quads = np.stack([at, at + 1, at + count + 1, at + count], axis=1)
    return points, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_normals_point_out_of_solids_and_along_their_faces(shape: Shape) -> None:
    surface = shape_geometry(shape)
    np.testing.assert_allclose(np.linalg.norm(surface.normals, axis=1), 1.0)
    a, b, c = (surface.points[surface.triangles[:, i]] for i in range(3))
    faces = np.cross(b - a, c - a)
    assert (np.einsum("ij,ij->i", faces, (a + b + c) / 3.0) > 0.0).all()
    corners = surface.normals[surface.triangles]
    along = np.einsum("ij,ikj->ik", faces / np.linalg.norm(faces, axis=1, keepdims=True), corners)
    assert along.min() > np.cos(np.radians(32.0))


def test_the_normals_of_a_ball_are_its_radii() -> None:
    surface = shape_geometry(Sphere(2.0))
    np.testing.assert_allclose(surface.normals, surface.points / 2.0, atol=0.02)


def test_a_box_has_a_normal_for_each_face_at_each_corner() -> None:
    surface = shape_geometry(Box((1, 2, 3)))
    assert len(surface.points) == 24
    assert sorted(np.abs(surface.normals).max(axis=1)) == [1.0] * 24


def test_creases_are_those_that_vtk_finds() -> None:
    points, triangles = wavy()
    ours = shaded(TriangleSurface(points, triangles))
    theirs = pyvista.PolyData.from_regular_faces(points, triangles).compute_normals(
        cell_normals=False, split_vertices=True, feature_angle=32.0, consistent_normals=False
    )
    assert len(ours.points) == theirs.n_points
    faces = theirs.faces.reshape(-1, 4)[:, 1:]
    np.testing.assert_allclose(ours.points[ours.triangles], theirs.points[faces], atol=1e-6)
    expected = np.asarray(theirs.point_data["Normals"])[faces]
    angles = np.einsum("ijk,ijk->ij", ours.normals[ours.triangles], expected)
    assert angles.min() > np.cos(np.radians(3.0))  # VTK does not weigh by area


def test_triangles_without_area_and_colors_are_kept_apart() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]], dtype=float)
    colors = np.eye(4)
    surface = shaded(TriangleSurface(points, [[0, 1, 2], [0, 1, 3]], None, colors))
    assert len(surface.triangles) == 1 and len(surface.points) == 3
    np.testing.assert_array_equal(surface.colors[surface.triangles[0]], colors[[0, 1, 2]])
    nothing = shaded(TriangleSurface(np.zeros((0, 3)), np.zeros((0, 3))))
    assert len(nothing.triangles) == 0


def test_meshes_given_twice_are_one_object_and_mirrored_ones_are_turned_over() -> None:
    points, triangles = wavy()
    mesh = Mesh(None, "ground", vertices=points, triangles=triangles)
    twin = Mesh(None, "ground", vertices=points, triangles=triangles)
    assert shape_geometry(mesh) is shape_geometry(twin)
    mirrored = shape_geometry(Mesh(None, "ground", (1, 1, -1), vertices=points, triangles=triangles))
    through = shape_geometry(Mesh(None, "ground", (-1, -1, -1), vertices=points, triangles=triangles))
    for surface, sign in ((shape_geometry(mesh), 1), (mirrored, 1), (through, 1)):
        a, b, c = (surface.points[surface.triangles[:, i]] for i in range(3))
        faces = np.cross(b - a, c - a)
        assert (np.einsum("ij,ij->i", faces, surface.normals[surface.triangles[:, 0]]) * sign > 0).all()
    assert shape_geometry(mesh).normals[:, 2].min() > 0 > mirrored.normals[:, 2].max()


def test_arrows_lead_from_start_to_end() -> None:
    starts, vectors = np.array([[0, 0, 0], [1, 1, 1.0]]), np.array([[0, 0, 2.0], [0.01, 0, 0]])
    long, short = (as_surface(Arrows(starts[i : i + 1], vectors[i : i + 1], 0.02)).points for i in range(2))
    assert long[:, 2].min() == pytest.approx(0.0) and long[:, 2].max() == pytest.approx(2.0)
    assert short[:, 0].min() == pytest.approx(1.0) and short[:, 0].max() == pytest.approx(1.01)
    both = as_surface(Arrows(starts, vectors, 0.02))
    assert len(both.points) == len(long) + len(short)


def test_lines_and_points_reach_as_far_as_they_are_thick() -> None:
    ends = np.array([[[0, 0, 0], [0, 0, 1.0]]])
    for geometry in (Lines(ends, 0.1), Polyline(ends[0], 0.1), Points(ends[0], 0.1)):
        surface = as_surface(geometry)
        assert np.abs(surface.points[:, :2]).max() == pytest.approx(0.1, rel=0.01)
        np.testing.assert_allclose(np.linalg.norm(surface.normals, axis=1), 1.0, atol=1e-9)
    assert len(as_surface(Label("text")).points) == 0


FINE = trimesh.creation.icosphere(5, 0.4)


@pytest.mark.parametrize(
    "shape",
    [*SHAPES, Mesh(None, "fine", vertices=FINE.vertices, triangles=FINE.faces)],
    ids=lambda shape: type(shape).__name__,
)
def test_outlines_reach_as_far_as_what_they_stand_for(shape: Shape) -> None:
    surface = shape_geometry(shape)
    few = outline(surface)
    directions = np.random.default_rng(0).normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    reach = (surface.points @ directions.T).max(axis=0)
    short = reach - (few @ directions.T).max(axis=0)
    assert len(few) < 1250
    assert short.min() >= 0.0 and (short <= 0.01 * np.linalg.norm(surface.points, axis=1).max()).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.eye(3), [[0, 1, 3]]), "triangles: expected indices of 3 points"),
        ((np.eye(3), [[0, 1]]), r"triangles: expected shape \(n, 3\)"),
        ((np.eye(3), [[0, 1, 1.5]]), "triangles: expected whole numbers"),
        ((np.eye(3), [[0, 1, 2]], np.eye(3)[:2]), "normals: expected one for each of 3 points, got 2"),
        ((np.eye(3), [[0, 1, 2]], None, 2 * np.ones((3, 4))), r"colors: expected numbers in \[0, 1\]"),
        ((np.full((3, 3), np.nan), [[0, 1, 2]]), "points: expected finite numbers"),
    ],
)
def test_what_is_no_surface_is_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TriangleSurface(*arguments)
