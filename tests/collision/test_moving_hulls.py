"""Hulls and boxes that move step by step: what a pair remembers makes tests faster, not different."""

from __future__ import annotations

import numpy as np
import pytest
from _solids import Floats, Solid, ball_points, box, hull
from scipy.spatial.transform import Rotation

from kido import _core

MARGIN = 1e-3
STONE, BRICK = hull("stone", ball_points(32, 0.1)), box(0.1, 0.07, 0.05)
PEBBLE = hull("pebble", ball_points(12, 0.06, seed=7))
BALL = hull("ball", ball_points(200, 0.1, seed=9))
PAIRS = [(STONE, STONE), (STONE, BRICK), (PEBBLE, STONE), (BALL, STONE), (BALL, PEBBLE)]


def at_distance(a: Solid, b: Solid, T: Floats, gap: float) -> Floats:
    """The pose of `a` above `b`, shifted to a distance [m]."""
    T = T.copy()
    for _ in range(30):
        distance, normal, *_ = _core.distance(a.shape, T, b.shape, np.eye(4))
        if normal[2] < 0.1:
            break
        T[2, 3] += (gap - distance) / normal[2]
    return T


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].name} and {pair[1].name}")
@pytest.mark.parametrize("step", [1e-3, 1e-2, 1.0])
@pytest.mark.parametrize("gap", [-1e-4, 2e-4])
def test_a_body_that_rolls_over_another_has_the_distance_of_a_pair_that_is_new(
    pair: tuple[Solid, Solid], step: float, gap: float
) -> None:
    """Steps of a hundredth of a degree up to such that nothing which was known holds."""
    a, b = pair
    rng, memory = np.random.default_rng(3), _core.PairMemory()
    turn, axis = Rotation.random(random_state=4), rng.normal(size=3)
    for k in range(120):
        axis += 0.3 * rng.normal(size=3)
        turn = Rotation.from_rotvec(step * axis / np.linalg.norm(axis)) * turn
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = turn.as_matrix(), [0.02 * np.sin(0.1 * k * step), 0.01, 0.4]
        T = at_distance(a, b, T, gap)
        exact, direction, *_ = _core.distance(a.shape, T, b.shape, np.eye(4))
        count, normal, on_a, on_b, gaps, _ = _core.collide(a.shape, T, b.shape, np.eye(4), MARGIN, memory)
        assert count > 0
        # Normals of faces that carry are kept while the deepest point lies above them.
        assert np.nanmin(gaps[:count]) == pytest.approx(exact, abs=1e-5)
        np.testing.assert_allclose(on_a[:count] - on_b[:count], gaps[:count, None] * normal, atol=1e-12)
        if count == 1:
            assert gaps[0] == pytest.approx(exact, abs=1e-9)
            np.testing.assert_allclose(normal, direction, atol=1e-4)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].name} and {pair[1].name}")
def test_a_pair_that_comes_apart_and_meets_again_is_never_farther_apart_than_told(
    pair: tuple[Solid, Solid],
) -> None:
    a, b = pair
    rng, memory = np.random.default_rng(5), _core.PairMemory()
    turn, apart, touching = Rotation.random(random_state=6), 0, 0
    for k in range(300):
        turn = Rotation.from_rotvec(0.02 * rng.normal(size=3)) * turn
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = turn.as_matrix(), [0.0, 0.0, 0.4]
        T = at_distance(a, b, T, 1.2e-3 + 1.4e-3 * np.sin(0.2 * k))
        exact, *_ = _core.distance(a.shape, T, b.shape, np.eye(4))
        count, _, _, _, gaps, _ = _core.collide(a.shape, T, b.shape, np.eye(4), MARGIN, memory)
        assert (count > 0) == (exact <= MARGIN) or abs(exact - MARGIN) < 1e-5
        if count == 0:
            apart += 1
            assert MARGIN < memory.gap <= exact + 1e-12
        else:
            touching += 1
            assert np.nanmin(gaps[:count]) == pytest.approx(exact, abs=1e-5)
    assert apart > 50 and touching > 50


def test_what_a_pair_remembers_of_one_place_does_no_harm_in_another() -> None:
    rng, memory = np.random.default_rng(8), _core.PairMemory()
    for _ in range(300):
        T = np.eye(4)
        T[:3, :3] = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()
        away = rng.normal(size=3)
        T[:3, 3] = 0.3 * away / np.linalg.norm(away)
        distance, normal, *_ = _core.distance(STONE.shape, T, STONE.shape, np.eye(4))
        T[:3, 3] += (rng.uniform(0.0, 5e-4) - distance) * normal
        exact, *_ = _core.distance(STONE.shape, T, STONE.shape, np.eye(4))
        count, _, _, _, gaps, _ = _core.collide(STONE.shape, T, STONE.shape, np.eye(4), MARGIN, memory)
        assert count > 0
        assert np.nanmin(gaps[:count]) == pytest.approx(exact, abs=1e-5)
