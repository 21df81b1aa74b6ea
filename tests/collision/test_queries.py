"""Questions about skeletons: where they are, and in many positions at once."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido.collision import (
    CollisionFilter,
    ShapeGroup,
    contacts,
    distance,
    native_shape,
    ray_cast,
    sweep,
)
from kido.errors import EditError, UnsupportedShapeError
from kido.shape import Box, HeightField, Plane, Sphere


def ball(name: str, *origin: float, radius: float = 0.1) -> kido.Skeleton:
    made = kido.gallery.ball(radius, mass=1.0, name=name)
    made.positions = [0, 0, 0, *origin]
    return made


def chain() -> kido.Skeleton:
    """Three balls of 0.2 m on arms of 0.3 m along x, about z."""
    made = kido.Skeleton("chain")
    parent = None
    for k in range(3):
        at = (0, 0, 0) if parent is None else (0.3, 0, 0)
        joint = kido.RevoluteJoint(f"joint_{k}", (0, 0, 1), T_parent_joint=at)
        parent = made.add_body(f"body_{k}", parent, joint)
        kido.ShapeNode(parent, f"ball_{k}", Sphere(0.2), (0.3, 0, 0))
    return made


def test_balls_touch_where_they_do() -> None:
    a, b, c = ball("a", 0, 0, 0), ball("b", 0.15, 0, 0), ball("c", 5, 0, 0)
    found = contacts([a, c], b)
    (point,) = found
    assert point.first.skeleton is a and point.second.skeleton is b and point.sample == 0
    np.testing.assert_allclose(point.normal, [-1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(point.point, [0.075, 0, 0], atol=1e-15)
    assert point.depth == pytest.approx(0.05)
    assert [p[0].skeleton.name for p in found.touching] == ["a"]
    assert len(contacts(a, c)) == 0 and len(contacts(a, c, margin=4.9)) == 1


def test_the_nearest_pair_is_told() -> None:
    a, b, c = ball("a", 0, 0, 0), ball("b", 1, 0, 0), ball("c", 0, 0.5, 0)
    found = distance(a, [b, c])
    assert found.distance == pytest.approx(0.3)
    assert found.shapes[int(found.pair)][1].skeleton is c
    np.testing.assert_allclose(found.on_first, [0, 0.1, 0], atol=1e-15)
    np.testing.assert_allclose(found.on_second, [0, 0.4, 0], atol=1e-15)
    np.testing.assert_allclose(found.normal, [0, -1, 0], atol=1e-15)


def test_many_positions_are_those_asked_one_by_one() -> None:
    robot, obstacle = chain(), ball("obstacle", 0.4, 0.4, 0.05)
    q = np.random.default_rng(1).uniform(-3, 3, (4, 5, 3))
    many = distance(robot, obstacle, positions={robot: q})
    touching = contacts(robot, obstacle, positions={robot: q}, margin=0.1)
    assert many.distance.shape == (4, 5) and many.normal.shape == (4, 5, 3)
    assert robot.positions.tolist() == [0, 0, 0]
    for k, at in enumerate(np.ndindex(4, 5)):
        robot.positions = q[at]
        one = distance(robot, obstacle)
        assert many.distance[at] == pytest.approx(float(one.distance), abs=1e-12)
        assert many.pair[at] == one.pair
        np.testing.assert_allclose(many.on_first[at], one.on_first, atol=1e-12)
        alone = contacts(robot, obstacle, margin=0.1)
        here = touching.points.sample == k
        assert here.sum() == len(alone)
        np.testing.assert_allclose(
            np.sort(touching.points.depth[here]), np.sort(alone.points.depth), atol=1e-12
        )


def test_within_a_skeleton_its_own_rules_hold() -> None:
    robot = chain()
    robot.positions = [0, 2.5, 2.5]
    assert np.isinf(distance(robot).distance) and distance(robot).pair == -1
    robot.self_collision_check = True
    found = distance(robot)  # the first with the third
    assert {node.name for node in found.shapes[int(found.pair)]} == {"ball_0", "ball_2"}
    assert len(found.shapes) == 1
    robot.adjacent_body_check = True
    assert len(distance(robot).shapes) == 3
    everything = CollisionFilter(self_collisions=True, adjacent_bodies=True)
    robot.self_collision_check = False
    assert len(distance(robot, filter=everything).shapes) == 3
    # What is named on both sides is meant.
    assert len(distance(robot.body("body_0"), robot.body("body_1")).shapes) == 1


def test_groups_follow_what_is_added() -> None:
    robot = chain()
    group = ShapeGroup(robot.body("body_0"), robot.body("body_2"))
    assert [node.name for node in group] == ["ball_0", "ball_2"]
    kido.ShapeNode(robot.body("body_2"), "box", Box((1, 1, 1)))
    assert len(group) == 3
    kido.ShapeNode(robot.body("body_2"), "look", Box((1, 1, 1)), collision=False)
    robot.body("body_0").collidable = False
    assert [node.name for node in group] == ["ball_2", "box"]
    group.add(robot)
    assert [node.name for node in group] == ["ball_2", "box", "ball_1"]
    with pytest.raises(EditError, match="before"):
        group.add(robot)
    group.remove(robot)
    with pytest.raises(EditError, match="none of this"):
        group.remove(robot)


def test_rays_tell_what_they_meet() -> None:
    a, b, ground = ball("a", 0, 0, 1), ball("b", 0, 0, 3), kido.gallery.ground()
    hits = ray_cast([a, b, ground], [[0, 0, 5], [0, 0, 2], [1, 0, 2], [0, 0, -1]], [0, 0, -2])
    np.testing.assert_allclose(hits.distance[:3], [1.9, 0.9, 2.0])
    np.testing.assert_allclose(hits.point[:3], [[0, 0, 3.1], [0, 0, 1.1], [1, 0, 0]], atol=1e-15)
    np.testing.assert_array_equal(hits.shape, [1, 0, 2, 2])  # the last one begins inside of the ground
    assert [hits.shapes[k].skeleton.name for k in hits.shape] == ["b", "a", "ground", "ground"]
    none = ray_cast(a, (0, 0, 5), (0, 0, 1))
    assert np.isinf(none.distance) and none.shape == -1 and np.isnan(none.point).all()
    short = ray_cast(a, (0, 0, 5), (0, 0, -1), 1.0)
    assert np.isinf(short.distance)


def test_rays_at_many_positions() -> None:
    robot = chain()
    q = np.zeros((3, 3))
    q[:, 0] = [0.0, 0.1, np.pi]
    hits = ray_cast(robot, (5, 0, 0), (-1, 0, 0), positions={robot: q})
    np.testing.assert_allclose(hits.distance, [5 - 0.9 - 0.2, hits.distance[1], 5 + 0.3 - 0.2], atol=1e-12)


def test_sweeps_tell_what_is_met_first() -> None:
    a, b, c = ball("a", 0, 0, 0), ball("b", 1, 0, 0), ball("c", 3, 0, 0)
    hit = sweep(a, [c, b], (4, 0, 0))
    assert hit.time == pytest.approx(0.8 / 4, abs=1e-6)
    assert hit.shapes[int(hit.pair)][1].skeleton is b
    np.testing.assert_allclose(hit.normal, [-1, 0, 0], atol=1e-6)
    missed = sweep(a, [b, c], [[0, 1, 0], [-1, 0, 0]])
    assert np.isinf(missed.time).all() and (missed.pair == -1).all() and np.isnan(missed.normal).all()
    T = np.eye(4)
    T[0, 3] = 4.0
    assert sweep(a, [b, c], T).time == hit.time


def test_a_pair_that_cannot_be_tested_is_named() -> None:
    made = []
    for name, shape in (("hill", HeightField(np.zeros((2, 2)))), ("floor", Plane())):
        skeleton = kido.Skeleton(name)
        kido.ShapeNode(skeleton.add_body(name, None, kido.WeldJoint(name)), "ground", shape)
        made.append(skeleton)
    hill, floor = made
    other = hill.clone()
    other.name = "other"
    with pytest.raises(
        UnsupportedShapeError, match=r"HeightField and HeightField.*hill\.ground and other\.ground"
    ):
        distance(hill, other)
    assert distance(hill, floor).distance == pytest.approx(0.0)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda a: contacts(3), TypeError, "first"),
        (lambda a: contacts("a"), TypeError, "first"),
        (lambda a: distance(a, [3]), TypeError, "second"),
        (lambda a: distance(a, a, positions=[1]), TypeError, "positions"),
        (lambda a: distance(a, a, positions={a: [1, 2]}), ValueError, "positions"),
        (lambda a: distance(a, a, filter=3), TypeError, "filter"),
        (lambda a: ray_cast(a, (0, 0), (0, 0, 1)), ValueError, "origin"),
        (lambda a: ray_cast(a, (0, 0, 0), (0, 0, 0)), ValueError, "direction"),
        (lambda a: sweep(a, a, (1, 2)), ValueError, "motion"),
        (lambda a: contacts(a, ball("b", 0, 0, 0), margin=-1.0), ValueError, "margin"),
    ],
)
def test_bad_arguments_are_named(call: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(ball("a", 0, 0, 0))  # type: ignore[operator]


def test_a_shape_is_compiled_once() -> None:
    field = HeightField(np.zeros((3, 3)))
    assert native_shape(field).compiled is native_shape(HeightField(np.zeros((3, 3)))).compiled
