"""Surfaces of films: backs that are left out are seen by nobody, and shadows of coarser shapes are theirs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import kido
from kido.shape import Box, Capsule, Cylinder, Sphere
from kido.view._camera import ANGLE, Camera
from kido.view._crop import smallest_pixel
from kido.view._film_surfaces import coarse, is_closed, thinned
from kido.view._scene import TriangleSurface, as_surface
from kido.view._scene._shape_geometry import shape_geometry

SHAPES = (Box((0.2, 0.3, 0.4)), Sphere(0.3), Capsule(0.1, 0.4), Cylinder(0.2, 0.3))


def _surface(shape: kido.shape.Shape) -> TriangleSurface:
    return as_surface(shape_geometry(shape))


def _without(surface: TriangleSurface, count: int) -> TriangleSurface:
    return TriangleSurface(surface.points, surface.triangles[count:])


def _turned(surface: TriangleSurface) -> TriangleSurface:
    return TriangleSurface(surface.points, surface.triangles[:, ::-1])


def _tube(surface: TriangleSurface) -> TriangleSurface:
    """Without what looks up or down: two holes that are each other's opposite."""
    corners = surface.points[surface.triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    level = np.abs(across[:, 2]) > 0.9 * np.linalg.norm(across, axis=1)
    return TriangleSurface(surface.points, surface.triangles[~level])


def _with_an_inside_out_part(surface: TriangleSurface) -> TriangleSurface:
    small = TriangleSurface(0.1 * surface.points + [2.0, 0.0, 0.0], surface.triangles[:, ::-1])
    return TriangleSurface.joined([TriangleSurface(surface.points, surface.triangles), small])


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_solids_are_closed(shape: kido.shape.Shape) -> None:
    assert is_closed(_surface(shape))


@pytest.mark.parametrize("changed", [_turned, _tube, _with_an_inside_out_part])
def test_what_is_open_or_inside_out_is_not_closed(
    changed: Callable[[TriangleSurface], TriangleSurface],
) -> None:
    assert not is_closed(changed(_surface(Cylinder(0.2, 0.3))))


def test_a_hole_of_one_triangle_is_seen_unless_it_is_tiny() -> None:
    sphere = _surface(Sphere(0.3))
    assert not is_closed(_without(sphere, 8))
    edge = sphere.points[sphere.triangles[0]]  # a seam: one edge is met by two halves of it
    middle = 0.5 * (edge[0] + edge[1])
    i, j, k = sphere.triangles[0]
    m = len(sphere.points)
    split = TriangleSurface(
        np.vstack([sphere.points, middle]), np.vstack([sphere.triangles[1:], [[i, m, k], [m, j, k]]])
    )
    assert is_closed(split)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_thinned_surfaces_stay_closed_and_in_place(shape: kido.shape.Shape) -> None:
    surface, cell = _surface(shape), 0.04
    less = thinned(surface, cell)
    assert is_closed(less)
    assert len(less.triangles) <= len(surface.triangles)
    assert less.normals is not None
    np.testing.assert_allclose(np.linalg.norm(less.normals, axis=1), 1.0, atol=1e-12)
    used = less.points[np.unique(less.triangles)]
    away = np.linalg.norm(used[:, None] - surface.points, axis=2).min(axis=1)
    assert away.max() <= np.sqrt(3.0) * cell
    back = np.linalg.norm(surface.points[:, None] - used, axis=2).min(axis=1)
    assert back.max() <= np.sqrt(3.0) * cell


def test_a_thinned_sphere_is_lit_as_a_sphere() -> None:
    sphere = _surface(Sphere(0.3))
    less = thinned(sphere, 0.05)
    assert 0 < len(less.triangles) < 0.7 * len(sphere.triangles)
    assert less.normals is not None
    seen = np.unique(less.triangles)
    outward = less.points[seen] / np.linalg.norm(less.points[seen], axis=1, keepdims=True)
    assert (np.einsum("ij,ij->i", less.normals[seen], outward) > np.cos(0.15)).all()
    corners = less.points[less.triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", across, corners.mean(axis=1)) > 0.0).all()  # all still look out
    volume = np.einsum("ij,ij->i", corners[:, 0], across).sum() / 6.0
    assert volume == pytest.approx(4.0 / 3.0 * np.pi * 0.3**3, rel=0.05)


def test_sharp_edges_stay_sharp_in_thinned_surfaces() -> None:
    box = _surface(Box((0.2, 0.3, 0.4)))
    less = thinned(box, 0.01)
    assert less.normals is not None
    assert len(less.points) == 24
    assert len(less.triangles) == 12
    assert np.sort(np.abs(less.normals), axis=1) == pytest.approx(np.tile([0.0, 0.0, 1.0], (24, 1)))


def test_painted_surfaces_and_those_without_normals_are_not_thinned() -> None:
    sphere = _surface(Sphere(0.3))
    painted = sphere.painted([1.0, 0.0, 0.0, 1.0])
    assert thinned(painted, 0.1) is painted
    plain = TriangleSurface(sphere.points, sphere.triangles)
    assert thinned(plain, 0.1) is plain


def test_the_smallest_pixel_is_that_of_the_nearest_point() -> None:
    camera = Camera(np.array([0.0, -4.0, 1.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]))
    points = np.array([[0.0, 2.0, 0.0], [3.0, -1.0, 5.0]])  # 6 m and 3 m ahead
    height = 2.0 * 3.0 * np.tan(np.radians(ANGLE / 2.0))
    assert smallest_pixel(points, camera, (960, 720)) == pytest.approx(height / 720)
    assert smallest_pixel(np.vstack([points, [0.0, -5.0, 0.0]]), camera, (960, 720)) == 0.0
    assert smallest_pixel(points[:0], camera, (960, 720)) == 0.0


def test_nothing_encloses_nothing() -> None:
    assert not is_closed(TriangleSurface(np.zeros((0, 3)), np.zeros((0, 3), dtype=int)))


def test_a_coarser_surface_has_fewer_triangles_in_the_same_place() -> None:
    sphere = _surface(Sphere(0.3))
    less = coarse(sphere, 0.1)
    assert 0 < len(less.triangles) < len(sphere.triangles)
    assert np.abs(np.linalg.norm(less.points, axis=1) - 0.3).max() < 1e-6
    assert (np.abs(less.points).max(axis=0) > 0.2).all()
    box = _surface(Box((0.2, 0.3, 0.4)))
    assert len(coarse(box, 0.02).triangles) == len(box.triangles)  # large ones stay


def test_pictures_of_films_are_those_of_single_pictures() -> None:
    robot = kido.gallery.humanoid()
    options = {"size": (240, 320), "ground": False}
    film = kido.film(robot, positions=[robot.positions] * 2, **options)
    alone = kido.render(robot, **options)
    difference = np.abs(film.last_frame.astype(int) - alone)
    assert difference.mean() < 1.0  # they differ in how finely edges are drawn
    assert np.percentile(difference, 98) < 12
