"""Surfaces of films: backs that are left out are seen by nobody, and shadows of coarser shapes are theirs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import kido
from kido.shape import Box, Capsule, Cylinder, Sphere
from kido.view._film_surfaces import coarse, is_closed
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
