"""Angles by whole turns into their limits, against the search over all turns."""

from __future__ import annotations

import numpy as np
import pytest

from kido.ik import wrapped_into_limits

TURN = 2 * np.pi
INF = np.inf


def wrap_one(q: float, lower: float, upper: float, near: float = 0.0, turns: bool = True) -> float:
    return float(wrapped_into_limits([q], [lower], [upper], [near], [turns])[0])


def searched(q: float, lower: float, upper: float, near: float) -> float:
    """The best of many turns: first by how far it is beyond the limits, then by how far from `near`."""
    turned = q + TURN * np.arange(-20, 21)
    beyond = np.maximum(np.maximum(lower - turned, turned - upper), 0.0)
    least = turned[beyond <= beyond.min() + 1e-9]
    return float(least[np.argmin(np.abs(least - near))])


def test_random_angles_go_where_a_search_over_turns_puts_them() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        lower, upper = np.sort(rng.uniform(-10.0, 10.0, (6, 2)), axis=1).T
        near = rng.uniform(-12.0, 12.0, 6)
        q = rng.uniform(-15.0, 15.0, (4, 6))
        result = wrapped_into_limits(q, lower, upper, near, np.ones(6, dtype=bool))
        wanted = [[searched(*z) for z in zip(row, lower, upper, near, strict=True)] for row in q]
        np.testing.assert_allclose(result, wanted, atol=1e-12)


@pytest.mark.parametrize(
    ("lower", "upper", "near", "wanted"),
    [
        (-INF, INF, 0.0, 1.0),
        (-INF, INF, 3.0 * TURN, 1.0 + 3.0 * TURN),
        (-INF, INF, 1.0 - 0.49 * TURN, 1.0),
        (-INF, INF, 1.0 - 0.51 * TURN, 1.0 - TURN),
        (-INF, -1.0, 0.0, 1.0 - TURN),
        (-INF, -1.0, -TURN, 1.0 - TURN),
        (2.0, INF, 0.0, 1.0 + TURN),
        (-TURN, TURN, 0.0, 1.0),
        (-TURN, TURN, -5.0, 1.0 - TURN),
        (-TURN, TURN, -50.0, 1.0 - TURN),
    ],
)
def test_the_nearest_turn_within_the_limits_is_taken(
    lower: float, upper: float, near: float, wanted: float
) -> None:
    for start in (1.0, 1.0 + TURN, 1.0 - 4.0 * TURN):
        assert wrap_one(start, lower, upper, near) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("q", "wanted"), [(0.6, 0.6), (-0.6, -0.6), (3.0, 3.0), (3.3, 3.3 - TURN), (3.0 + TURN, 3.0)]
)
def test_where_no_turn_fits_the_least_violation_is_taken(q: float, wanted: float) -> None:
    assert wrap_one(q, -0.5, 0.5) == pytest.approx(wanted, abs=1e-12)
    assert wrap_one(q, -0.5, 0.5, near=-7.0) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("near", "wanted"), [(1.0, np.pi), (-1.0, -np.pi), (9.0, np.pi), (-9.0, -np.pi)])
def test_of_two_equal_violations_the_nearer_is_taken(near: float, wanted: float) -> None:
    for start in (np.pi, -np.pi):
        assert wrap_one(start, -0.5, 0.5, near=near) == pytest.approx(wanted, abs=1e-12)


def test_positions_that_are_no_angles_stay() -> None:
    assert wrap_one(7.0, -1.0, 1.0, turns=False) == 7.0
    assert wrap_one(0.25, -1.0, 1.0, near=50.0, turns=False) == 0.25


@pytest.mark.parametrize(("beyond", "stays"), [(0.9e-9, False), (1.1e-9, True)])
def test_rounding_beyond_a_limit_is_put_on_it_and_more_is_not(beyond: float, stays: bool) -> None:
    for turns in (True, False):
        assert wrap_one(1.5 + beyond, -1.0, 1.5, turns=turns) == (1.5 + beyond if stays else 1.5)
        assert wrap_one(-1.0 - beyond, -1.0, 1.5, turns=turns) == (-1.0 - beyond if stays else -1.0)


def test_an_angle_at_its_limit_does_not_jump_a_turn_for_rounding() -> None:
    assert wrap_one(TURN + 1e-12, -TURN, TURN, near=TURN) == TURN
    assert wrap_one(TURN + 2e-9, -TURN, TURN, near=TURN) == pytest.approx(2e-9, abs=1e-12)


def test_an_angle_within_its_limits_and_near_keeps_every_bit() -> None:
    q = np.random.default_rng(2).uniform(-3.0, 3.0, (50, 7))
    limits = np.full(7, 3.1)
    assert np.array_equal(wrapped_into_limits(q, -limits, limits, np.zeros(7), np.ones(7, dtype=bool)), q)


def test_arguments_are_left_as_they_are_and_shapes_may_be_empty() -> None:
    q = np.array([[4.0, 4.0]])
    result = wrapped_into_limits(q, [-3.2, -3.2], [3.2, 3.2], [0.0, 0.0], [True, False])
    np.testing.assert_allclose(result, [[4.0 - TURN, 4.0]], atol=1e-12)
    assert np.array_equal(q, [[4.0, 4.0]])
    assert wrapped_into_limits(np.empty((0, 2)), [0, 0], [1, 1], [0, 0], [True, True]).shape == (0, 2)


@pytest.mark.parametrize("name", ["lower", "upper", "near", "turns"])
def test_shapes_that_do_not_fit_are_refused(name: str) -> None:
    arguments = {"lower": [0.0, 0.0], "upper": [1.0, 1.0], "near": [0.0, 0.0], "turns": [True, True]}
    with pytest.raises(ValueError, match=rf"{name}: expected shape \(2,\), got \(3,\)"):
        wrapped_into_limits(np.zeros((4, 2)), **{**arguments, name: [0, 0, 0]})
