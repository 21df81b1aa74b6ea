from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from kido.description import Inertia

SEEDS = st.integers(0, 2**32 - 1)


def body_of_points(seed: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, center and moment of random point masses, by their definition."""
    rng = np.random.default_rng(seed)
    masses, points = rng.uniform(0.1, 2.0, 6), rng.normal(size=(6, 3))
    com = masses @ points / masses.sum()
    arms = points - com
    moment = sum(m * ((r @ r) * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True))
    return float(masses.sum()), com, np.asarray(moment)


@given(SEEDS)
def test_every_real_body_has_no_problem(seed: int) -> None:
    assert Inertia(*body_of_points(seed)).problem() is None


@given(SEEDS)
def test_flat_bodies_sit_on_the_triangle_limit_without_a_problem(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = Rotation.random(rng=rng).as_matrix()
    a, b = rng.uniform(1e-6, 10.0, 2)
    assert Inertia(1.0, np.zeros(3), turn @ np.diag([a, b, a + b]) @ turn.T).problem() is None


@given(SEEDS)
def test_turned_bodies_beyond_the_triangle_limit_have_a_problem(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = Rotation.random(rng=rng).as_matrix()
    a, b = rng.uniform(0.1, 10.0, 2)
    problem = Inertia(1.0, np.zeros(3), turn @ np.diag([a, b, 1.01 * (a + b)]) @ turn.T).problem()
    assert problem is not None and "triangle inequality" in problem


def test_point_mass_and_massless_are_fine() -> None:
    assert Inertia(1.0).problem() is None
    assert Inertia(0.0).problem() is None


def test_massless_needs_zero_mass_and_zero_moment() -> None:
    assert Inertia(0.0, (1.0, 2.0, 3.0)).is_massless
    assert not Inertia(1.0).is_massless
    assert not Inertia(0.0, np.zeros(3), np.eye(3)).is_massless


@pytest.mark.parametrize(
    ("mass", "moment", "reason"),
    [
        (-1.0, np.eye(3), "mass is negative: -1 kg"),
        (0.0, np.eye(3), "mass is zero but the moment is not"),
        (1.0, [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "not symmetric"),
        (1.0, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -0.1]], "not positive semidefinite"),
        (1.0, [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 2.0]], "not positive semidefinite"),
        (1.0, np.diag([1.0, 1.0, 2.1]), "violate the triangle inequality"),
    ],
)
def test_impossible_inertia_says_why(mass: float, moment: object, reason: str) -> None:
    problem = Inertia(mass, np.zeros(3), moment).problem()  # type: ignore[arg-type]
    assert problem is not None and reason in problem


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.nan,), r"mass: expected finite numbers \[kg\]"),
        ((1.0, [0.0, 0.0]), r"com: expected shape \(3,\) \[m\], got \(2,\)"),
        ((1.0, np.zeros(3), np.eye(2)), r"moment: expected shape \(3, 3\) \[kg m\^2\], got \(2, 2\)"),
        ((1.0, np.zeros(3), np.diag([1.0, 1.0, np.inf])), "moment: expected finite numbers"),
    ],
)
def test_malformed_inertia_is_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Inertia(*arguments)  # type: ignore[arg-type]
