"""The polygon on which a skeleton stands, by its contacts."""

from __future__ import annotations

import numpy as np
import pytest
from _scenes import G, on_ground, put

from kido import World, gallery


def test_a_box_stands_on_its_corners_with_the_margin_of_its_half_width() -> None:
    box = put(gallery.box((0.4, 0.2, 0.3)), (1.0, 2.0, 0.15), (0.0, 0.0, 0.4))
    world = on_ground(box)
    world.step(300)
    support = world.support(box)
    assert len(support.polygon) == 4 and support.is_inside
    assert support.margin == pytest.approx(0.1, abs=1e-5)
    np.testing.assert_allclose(support.center_of_mass, support.axes @ box.com(), atol=1e-12)
    edges = np.linalg.norm(np.roll(support.polygon, -1, axis=0) - support.polygon, axis=1)
    np.testing.assert_allclose(np.sort(edges), [0.2, 0.2, 0.4, 0.4], atol=1e-4)
    area = np.cross(*np.diff(np.pad(support.polygon[:3], ((0, 0), (0, 1))), axis=0))[2]
    assert area > 0.0  # counterclockwise


def test_a_box_beyond_an_edge_is_outside_of_what_holds_it() -> None:
    """Half a centimeter too far on a table; distance to the edge that it tips over."""
    table = put(gallery.box((1.0, 1.0, 0.2), name="table"), (0.0, 0.0, -0.1))
    table.mobile = False
    box = put(gallery.box((0.2, 0.2, 0.2)), (0.505, 0.0, 0.1))
    world = World([table, box])
    world.step(2)
    support = world.support(box)
    assert not support.is_inside
    assert support.margin == pytest.approx(-0.005, abs=1e-4)


def test_gravity_says_where_below_is() -> None:
    wall = put(gallery.box((0.2, 4.0, 4.0), name="wall"), (0.1, 0.0, 0.0))
    wall.mobile = False
    box = put(gallery.box((0.2, 0.3, 0.4)), (-0.1, 0.0, 0.0))
    world = World([wall, box], gravity=(G, 0.0, 0.0))
    world.step(300)
    support = world.support(box)
    assert support.margin == pytest.approx(0.15, abs=1e-4)
    np.testing.assert_allclose(np.cross(*support.axes), [-1.0, 0.0, 0.0], atol=1e-12)
    world.gravity = (-G, 0.0, 0.0)
    world.step(100)
    assert world.support(box).margin == -np.inf


def test_what_flies_and_what_hangs_has_no_support() -> None:
    box = put(gallery.box((0.2, 0.2, 0.2)), (0.0, 0.0, 1.0))
    world = on_ground(box)
    assert world.support(box).margin == -np.inf
    world.step(10)
    support = world.support(box)
    assert support.polygon.shape == (0, 2) and support.points.shape == (0, 3)
    assert support.margin == -np.inf and not support.is_inside


def test_a_ball_stands_on_a_point() -> None:
    ball = put(gallery.ball(0.1), (0.0, 0.0, 0.1))
    world = on_ground(ball)
    world.step(100)
    support = world.support(ball)
    assert len(support.polygon) == 1 and not support.is_inside
    assert support.margin == pytest.approx(0.0, abs=1e-6)


def test_what_is_no_skeleton_has_no_support() -> None:
    world = on_ground(put(gallery.box(), (0.0, 0.0, 0.5)))
    with pytest.raises(TypeError, match="skeleton: expected a Skeleton, got BodyNode"):
        world.support(world.skeletons[1].body(0))  # type: ignore[arg-type]
