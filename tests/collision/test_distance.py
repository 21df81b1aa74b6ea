"""Signed distances of all pairs of convex shapes: against coal, and against support functions."""

from __future__ import annotations

import coal
import numpy as np
import pytest
from _effort import examples
from _solids import PAIR_NAMES, PAIRS, SOLIDS, Floats, Solid, outside, poses, separation

from kido import _core
from kido.errors import UnsupportedShapeError

COUNT = examples(400)


def peer_distances(a: Solid, T_a: Floats, b: Solid, T_b: Floats) -> tuple[Floats, Floats]:
    """Distances and normals from the second to the first by coal."""
    request = coal.DistanceRequest(True, True)
    distances, normals = np.empty(len(T_a)), np.empty((len(T_a), 3))
    for k in range(len(T_a)):
        first, second = (coal.Transform3s(T[k, :3, :3], T[k, :3, 3]) for T in (T_a, T_b))
        result = coal.DistanceResult()
        distances[k] = coal.distance(a.peer, first, b.peer, second, request, result)
        normals[k] = -result.normal
    return distances, normals


@pytest.mark.parametrize("a, b", PAIRS, ids=PAIR_NAMES)
def test_distances_are_those_of_coal(a: Solid, b: Solid) -> None:
    T_a, T_b = poses(COUNT, 0.7, 1), poses(COUNT, 0.1, 2)
    distance, normal, *_ = _core.distance(a.shape, T_a, b.shape, T_b)
    expected, expected_normal = peer_distances(a, T_a, b, T_b)
    # Along no normal that coal finds are the shapes farther apart, or less deep in each other.
    assert (separation(a, T_a, b, T_b, expected_normal) - distance).max() < 1e-9
    agree = np.abs(distance - expected) <= (5e-6 if a.is_curved or b.is_curved else 1e-6)
    assert agree.mean() > 0.96
    # Where two directions are about as good, it may take the other.
    assert ((normal * expected_normal).sum(axis=1) > 0.99)[agree].mean() > 0.97


@pytest.mark.parametrize("a, b", PAIRS, ids=PAIR_NAMES)
def test_along_the_normal_shapes_are_as_far_apart_as_told(a: Solid, b: Solid) -> None:
    T_a, T_b = poses(COUNT, 0.7, 3), poses(COUNT, 0.1, 4)
    distance, normal, *_ = _core.distance(a.shape, T_a, b.shape, T_b)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose(separation(a, T_a, b, T_b, normal), distance, rtol=0, atol=1e-9)


@pytest.mark.parametrize("a, b", PAIRS, ids=PAIR_NAMES)
def test_nearest_points_lie_in_both_shapes_a_distance_apart(a: Solid, b: Solid) -> None:
    T_a, T_b = poses(COUNT, 0.7, 5), poses(COUNT, 0.1, 6)
    distance, normal, on_a, on_b = _core.distance(a.shape, T_a, b.shape, T_b)
    np.testing.assert_allclose(on_a - on_b, normal * distance[:, None], rtol=0, atol=1e-14)
    assert outside(a, T_a, on_a).max() < 1e-5
    assert outside(b, T_b, on_b).max() < 1e-5


@pytest.mark.parametrize("a, b", PAIRS, ids=PAIR_NAMES)
def test_exchanged_shapes_are_as_far_apart(a: Solid, b: Solid) -> None:
    T_a, T_b = poses(COUNT, 0.7, 7), poses(COUNT, 0.1, 8)
    there, back = _core.distance(a.shape, T_a, b.shape, T_b), _core.distance(b.shape, T_b, a.shape, T_a)
    np.testing.assert_allclose(there[0], back[0], rtol=0, atol=1e-9)
    if a.shape.kind != b.shape.kind:
        np.testing.assert_array_equal(there[1], -back[1])
        np.testing.assert_array_equal(there[2], back[3])
        np.testing.assert_array_equal(there[3], back[2])


def test_a_batch_is_its_samples() -> None:
    T_a, T_b = poses(40, 0.7, 9), poses(40, 0.1, 10)
    for a, b in PAIRS:
        many = _core.distance(a.shape, T_a, b.shape, T_b)
        for k in range(len(T_a)):
            one = _core.distance(a.shape, T_a[k], b.shape, T_b[k])
            for column, number in zip(many, one, strict=True):
                np.testing.assert_array_equal(column[k], number)


def test_leading_axes_are_broadcast() -> None:
    a, b = SOLIDS[2], SOLIDS[3]
    T_a, T_b = poses(6, 0.7, 11).reshape(2, 3, 4, 4), poses(4, 0.1, 12).reshape(4, 1, 1, 4, 4)
    distance, normal, on_a, on_b = _core.distance(a.shape, T_a, b.shape, T_b)
    assert distance.shape == (4, 2, 3) and normal.shape == on_a.shape == on_b.shape == (4, 2, 3, 3)
    for i, j, k in np.ndindex(4, 2, 3):
        assert distance[i, j, k] == _core.distance(a.shape, T_a[j, k], b.shape, T_b[i, 0, 0])[0]
    empty = _core.distance(a.shape, np.empty((0, 4, 4)), b.shape, np.eye(4))
    assert empty[0].shape == (0,) and empty[1].shape == (0, 3)


def test_instruction_sets_give_the_same_bits(runtime: None) -> None:
    T_a, T_b = poses(60, 0.7, 13), poses(60, 0.1, 14)
    seen: dict[str, list[bytes]] = {}
    for name in _core.instruction_sets():
        _core.set_instruction_set(name)
        seen[name] = [x.tobytes() for a, b in PAIRS for x in _core.distance(a.shape, T_a, b.shape, T_b)]
    assert all(bits == seen[_core.instruction_sets()[0]] for bits in seen.values())


def test_two_planes_are_no_pair() -> None:
    ground = SOLIDS[-1].shape
    with pytest.raises(UnsupportedShapeError, match="no test for plane and plane"):
        _core.distance(ground, np.eye(4), ground, np.eye(4))


@pytest.mark.parametrize(
    "T, message",
    [
        (np.eye(3), r"T_first: expected shape \(\.\.\., 4, 4\) \[m\], got \(3, 3\)"),
        (np.full((4, 4), np.nan), "T_first: expected finite numbers"),
        (2 * np.eye(4), "T_first: expected rigid transforms"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "T_first: expected rigid transforms"),
    ],
)
def test_what_are_no_poses_is_told(T: Floats, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.distance(SOLIDS[0].shape, T, SOLIDS[1].shape, np.eye(4))


def test_leading_axes_that_do_not_fit_are_told() -> None:
    with pytest.raises(ValueError, match=r"T_second: leading shape \(3,\) does not broadcast"):
        _core.distance(SOLIDS[0].shape, poses(2, 1.0, 1), SOLIDS[1].shape, poses(3, 1.0, 1))
