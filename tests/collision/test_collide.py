"""Contacts of all pairs of convex shapes: depth against the signed distance, points against both shapes."""

from __future__ import annotations

import numpy as np
import pytest
from _effort import examples
from _solids import PAIR_NAMES, PAIRS, SOLIDS, Floats, Solid, box, outside, poses, separation

from kido import _core
from kido.errors import UnsupportedShapeError
from kido.math import so3_exp

COUNT = examples(400)
MARGIN = 0.02


def loss(a: Solid, b: Solid) -> float:
    """By how much of the distance [m] contacts may miss, where one direction is preferred to another."""
    if a.name == b.name == "box":
        return 0.013 * 0.2
    return 2e-4 if {a.name, b.name} == {"capsule", "box"} else 0.0


def size(a: Solid, b: Solid) -> float:
    """No part of both shapes is longer [m]."""
    return 2.0 * min(a.shape.radius, b.shape.radius)


EQUAL = 1e-4
"""Points whose gaps differ by less than this share of the contact's extent, both ways, are equally deep to
the detector, and those that are this share of a face outside of it lie on it (manifold_reduction.hpp,
clip.hpp)."""
PARALLEL = 0.02
"""Sine of the angle between edges that meet in two points (support_feature.hpp)."""


@pytest.mark.parametrize("a, b", PAIRS, ids=PAIR_NAMES)
def test_the_deepest_gap_is_the_signed_distance(a: Solid, b: Solid) -> None:
    T_a, T_b = poses(COUNT, 0.7, 1), poses(COUNT, 0.1, 2)
    count, normal, _, _, gap, _ = _core.collide(a.shape, T_a, b.shape, T_b, MARGIN)
    distance = _core.distance(a.shape, T_a, b.shape, T_b)[0]
    touching = count > 0
    assert 0.1 < touching.mean() < 0.99
    assert (distance[~touching] > MARGIN - loss(a, b)).all()
    assert (distance[touching] <= MARGIN + loss(a, b)).all()
    deepest = np.nanmin(gap[touching], axis=1)
    chosen = EQUAL * np.maximum(2.0 * size(a, b), np.abs(distance[touching]))
    assert (np.abs(deepest - distance[touching]) <= chosen + loss(a, b)).all()
    along = separation(a, T_a, b, T_b, np.nan_to_num(normal))
    np.testing.assert_allclose(along[touching], distance[touching], rtol=0, atol=1e-9 + loss(a, b))


@pytest.mark.parametrize("a, b", PAIRS, ids=PAIR_NAMES)
def test_points_lie_within_both_shapes_and_gaps_along_the_normal(a: Solid, b: Solid) -> None:
    T_a, T_b = poses(COUNT, 0.7, 3), poses(COUNT, 0.1, 4)
    count, normal, on_a, on_b, gap, _ = _core.collide(a.shape, T_a, b.shape, T_b, MARGIN)
    used = np.arange(4) < count[:, None]
    assert (np.isnan(gap) == ~used).all() and (np.isnan(on_a[..., 0]) == ~used).all()
    along = (normal[:, None] * gap[..., None])[used]
    np.testing.assert_allclose((on_a - on_b)[used], along, rtol=0, atol=1e-13)
    assert gap[used].max() <= MARGIN
    aside = np.where(count == 2, max(1e-3, PARALLEL * size(a, b)), 1e-3)[:, None]
    assert (outside(a, T_a[:, None], on_a) <= aside)[used].all()
    assert (outside(b, T_b[:, None], on_b) <= aside)[used].all()


@pytest.mark.parametrize(
    "turn, origin",
    [
        ([1.3545, -0.6608, -2.6514], [-0.7084, -0.0214, 0.2948]),
        ([0.5005, -0.1703, -2.9555], [-0.5841, 0.3032, -0.5589]),
    ],
)
def test_boxes_whose_edges_pass_each_other_are_nearest_with_a_corner(
    turn: list[float], origin: list[float]
) -> None:
    """The common normal of two edges separates them, but is not the way from one to the other."""
    a, T = SOLIDS[2], np.eye(4)
    T[:3, :3], T[:3, 3] = so3_exp(turn), origin
    count, normal, on_a, on_b, gap, _ = _core.collide(a.shape, T, a.shape, np.eye(4), MARGIN)
    distance, _, nearest, _ = _core.distance(a.shape, T, a.shape, np.eye(4))
    assert count == 1
    np.testing.assert_allclose(gap[0], distance, rtol=0, atol=1e-9)
    np.testing.assert_allclose(on_a[0] - on_b[0], gap[0] * normal, rtol=0, atol=1e-15)
    np.testing.assert_allclose(on_a[0], nearest, rtol=0, atol=1e-6)


@pytest.mark.parametrize("a, b", [p for p in PAIRS if p[0].name != p[1].name], ids=lambda s: s.name)
def test_exchanged_shapes_give_the_same_contact_from_the_other_side(a: Solid, b: Solid) -> None:
    T_a, T_b = poses(COUNT, 0.7, 5), poses(COUNT, 0.1, 6)
    there = _core.collide(a.shape, T_a, b.shape, T_b, MARGIN)
    back = _core.collide(b.shape, T_b, a.shape, T_a, MARGIN)
    if a.shape.kind == b.shape.kind:  # the order is that of the arguments
        np.testing.assert_allclose(there[1], -back[1], rtol=0, atol=1e-9)
        return
    for here, other in zip(there, (back[0], -back[1], back[3], back[2], back[4], back[5]), strict=True):
        np.testing.assert_array_equal(here, other)


@pytest.mark.parametrize("a", SOLIDS[:-1], ids=lambda s: s.name)
def test_two_of_a_kind_exchanged_touch_alike(a: Solid) -> None:
    T_a, T_b = poses(COUNT, 0.5, 7), poses(COUNT, 0.1, 8)
    there = _core.collide(a.shape, T_a, a.shape, T_b, MARGIN)
    back = _core.collide(a.shape, T_b, a.shape, T_a, MARGIN)
    assert ((there[0] > 0) == (back[0] > 0)).all()
    both = (there[0] > 0) & (there[0] == back[0])
    assert both.sum() > 0.9 * (there[0] > 0).sum()
    depth, other = (np.nanmin(x[4][both], axis=1) for x in (there, back))
    np.testing.assert_allclose(depth, other, rtol=0, atol=1e-5 + loss(a, a))


def test_a_batch_is_its_samples() -> None:
    T_a, T_b = poses(30, 0.5, 9), poses(30, 0.1, 10)
    for a, b in PAIRS:
        many = _core.collide(a.shape, T_a, b.shape, T_b, MARGIN)
        for k in range(len(T_a)):
            one = _core.collide(a.shape, T_a[k], b.shape, T_b[k], MARGIN)
            for column, numbers in zip(many, one, strict=True):
                np.testing.assert_array_equal(column[k], numbers)


def test_leading_axes_are_broadcast() -> None:
    a, b = SOLIDS[2], SOLIDS[3]
    T_a, T_b = poses(6, 0.5, 11).reshape(2, 3, 4, 4), poses(4, 0.1, 12).reshape(4, 1, 1, 4, 4)
    count, normal, on_a, on_b, gap, feature = _core.collide(a.shape, T_a, b.shape, T_b, MARGIN)
    assert count.shape == (4, 2, 3) and normal.shape == (4, 2, 3, 3)
    assert on_a.shape == on_b.shape == (4, 2, 3, 4, 3) and gap.shape == feature.shape == (4, 2, 3, 4)
    for i, j, k in np.ndindex(4, 2, 3):
        one = _core.collide(a.shape, T_a[j, k], b.shape, T_b[i, 0, 0], MARGIN)
        np.testing.assert_array_equal(gap[i, j, k], one[4])


def test_instruction_sets_give_the_same_bits(runtime: None) -> None:
    T_a, T_b = poses(60, 0.5, 13), poses(60, 0.1, 14)
    seen: dict[str, list[bytes]] = {}
    for name in _core.instruction_sets():
        _core.set_instruction_set(name)
        seen[name] = [
            x.tobytes() for a, b in PAIRS for x in _core.collide(a.shape, T_a, b.shape, T_b, MARGIN)
        ]
    assert all(bits == seen[_core.instruction_sets()[0]] for bits in seen.values())


def test_far_from_the_origin_only_digits_of_points_are_lost() -> None:
    T_a, T_b = poses(100, 0.5, 15), poses(100, 0.1, 16)
    away = np.zeros((4, 4))
    away[:3, 3] = [1e4, -1e4, 3e3]
    for a, b in PAIRS:
        near = _core.collide(a.shape, T_a, b.shape, T_b, MARGIN)
        far = _core.collide(a.shape, T_a + away, b.shape, T_b + away, MARGIN)
        both = (near[0] > 0) & (far[0] > 0)
        assert both.sum() >= (near[0] > 0).sum() - 1
        depth, other = (np.nanmin(x[4][both], axis=1) for x in (near, far))
        np.testing.assert_allclose(depth, other, rtol=0, atol=1e-8)
        np.testing.assert_allclose(near[1][both], far[1][both], rtol=0, atol=1e-4)


def test_where_there_is_no_contact_the_memory_bounds_the_distance() -> None:
    T_a, T_b = poses(100, 1.5, 17), poses(100, 0.1, 18)
    apart = 0
    for a, b in PAIRS:
        distance = _core.distance(a.shape, T_a, b.shape, T_b)[0]
        for k in np.flatnonzero(distance > MARGIN):
            memory = _core.PairMemory()
            count, *_ = _core.collide(a.shape, T_a[k], b.shape, T_b[k], MARGIN, memory)
            if count == 0:
                apart += 1
                assert memory.gap <= distance[k] + 1e-9
                assert memory.gap > 0.0
    assert apart > 10 * len(PAIRS)


def test_bad_input_is_told() -> None:
    a, b = box(0.1, 0.1, 0.1).shape, SOLIDS[-1].shape
    with pytest.raises(UnsupportedShapeError, match="the native detector has no test for plane and plane"):
        _core.collide(b, np.eye(4), b, np.eye(4), MARGIN)
    for margin in (-1.0, np.nan):
        with pytest.raises(ValueError, match="margin: expected a number >= 0"):
            _core.collide(a, np.eye(4), b, np.eye(4), margin)
    with pytest.raises(ValueError, match="memory: expected a single pair of poses"):
        _core.collide(a, poses(2, 1.0, 1), b, np.eye(4), MARGIN, _core.PairMemory())
    with pytest.raises(TypeError):
        _core.collide(a, "pose", b, np.eye(4), MARGIN)


def _aligned(*xyz: float) -> Floats:
    T = np.eye(4)
    T[:3, 3] = xyz
    return T


def test_a_box_on_a_box_stands_on_the_corners_of_the_common_part() -> None:
    brick, table = box(0.1, 0.2, 0.1).shape, box(0.5, 0.15, 0.1).shape
    count, normal, on_a, on_b, gap, _ = _core.collide(
        brick, _aligned(0.0, 0.0, 0.199), table, np.eye(4), 1e-3
    )
    assert count == 4
    np.testing.assert_allclose(normal, [0.0, 0.0, 1.0])
    np.testing.assert_allclose(gap, -0.001, atol=1e-15)
    np.testing.assert_allclose(np.sort(np.abs(on_b[:, :2]), axis=0), [[0.1, 0.15]] * 4, atol=1e-15)
    np.testing.assert_allclose(on_b[:, 2], 0.1, atol=1e-15)
    np.testing.assert_allclose(on_a[:, 2], 0.099, atol=1e-15)
