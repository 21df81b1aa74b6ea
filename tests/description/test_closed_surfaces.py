"""Surfaces of soft bodies that have to be closed, and must not cut themselves."""

from __future__ import annotations

import numpy as np
import pytest

from kido.description import SoftSkin
from kido.errors import DescriptionError
from kido.shape import Box, Mesh, Sphere
from kido.typing import FloatArray

BALL = SoftSkin.of_shape(Sphere(0.1), 0.3, divisions=(12, 8))
CUBE = SoftSkin.of_shape(Box((0.2, 0.2, 0.2)), 0.3, divisions=(2, 2, 2))


def skin_of(points: FloatArray, faces: FloatArray) -> SoftSkin:
    return SoftSkin.of_shape(Mesh(None, vertices=points, triangles=faces, convex=False), 0.3)


def both(skin: SoftSkin, shift: tuple[float, float, float]) -> tuple[FloatArray, FloatArray]:
    """Points and faces of a skin and of the same one shifted."""
    points = np.concatenate([skin.points, skin.points + shift])
    return points, np.concatenate([skin.faces, skin.faces + skin.num_points])


def test_an_open_mesh_is_named() -> None:
    with pytest.raises(DescriptionError, match="expected a closed one, mesh has 3 open edges"):
        skin_of(BALL.points, BALL.faces[1:])


@pytest.mark.parametrize("skin", [BALL, CUBE], ids=["ball", "cube"])
@pytest.mark.parametrize("shift", [(0.05, 0.0, 0.0), (0.05, 0.02, 0.0), (0.05, 0.03, 0.01), (0.0, 0.0, 0.1)])
def test_parts_that_cut_each_other_are_named(skin: SoftSkin, shift: tuple[float, float, float]) -> None:
    points, faces = both(skin, shift)
    with pytest.raises(DescriptionError, match="mesh cuts itself, where an edge of face"):
        skin_of(points, faces)
    with pytest.raises(DescriptionError, match=r"faces: an edge of face \d+ crosses face \d+"):
        SoftSkin(points, 0.3, faces=faces, bulk_modulus=10.0)


@pytest.mark.parametrize("place", [(0.0, 0.0, -0.3), (0.02, 0.01, -0.3)])
def test_a_point_drawn_through_the_other_side_is_named(place: tuple[float, float, float]) -> None:
    points = BALL.points.copy()
    points[BALL.points[:, 2].argmax()] = place
    with pytest.raises(DescriptionError, match="mesh cuts itself"):
        skin_of(points, BALL.faces)


@pytest.mark.parametrize("shift", [(0.2, 0.0, 0.0), (0.2, 0.05, 0.0), (0.2, 0.05, 0.02), (0.2, 0.2, 0.1)])
def test_parts_that_touch_each_other_are_one_surface(shift: tuple[float, float, float]) -> None:
    points, faces = both(CUBE, shift)
    if shift == (0.2, 0.0, 0.0):  # with corners in the same places, which are joined
        points[CUBE.num_points :, 1:] *= 0.9
    skin = skin_of(points, faces)
    assert skin.is_closed and skin.num_points == len(points)


def test_cavities_and_dents_are_no_cuts() -> None:
    inner = SoftSkin.of_shape(Sphere(0.05), 0.3)
    points = np.concatenate([BALL.points, inner.points])
    faces = np.concatenate([BALL.faces, inner.faces[:, ::-1] + BALL.num_points])
    assert skin_of(points, faces).volume == pytest.approx(BALL.volume - inner.volume)
    dented = BALL.points.copy()
    dented[BALL.points[:, 2].argmax()] = (0.0, 0.0, -0.05)
    assert skin_of(dented, BALL.faces).num_points == BALL.num_points
