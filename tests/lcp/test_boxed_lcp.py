"""Problems: what they hold, what they refuse, what they say of a point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from _lcp_problems import boxed, contact, impact, pyramid

from kido.lcp import BoxedLCP, Dantzig, FrictionCone, LCPResult, LCPStatus

EYE = np.eye(3)
ONES = np.ones(3)


def test_one_bound_stands_for_all_and_the_standard_problem_is_the_default() -> None:
    problem = BoxedLCP(EYE, ONES)
    assert problem.lower.tolist() == [0.0] * 3 and np.isposinf(problem.upper).all()
    assert problem.friction_index.tolist() == [-1] * 3 and problem.cones == ()
    assert problem == BoxedLCP(EYE, ONES, [0, 0, 0], np.inf, friction_index=[-1, -1, -1])
    assert problem.size == 3


def test_arrays_are_copies_that_cannot_be_written() -> None:
    A, b = np.eye(2), np.ones(2)
    problem = BoxedLCP(A, b)
    A[0, 0] = b[0] = 7.0
    assert problem.A[0, 0] == problem.b[0] == 1.0
    for name in ("A", "b", "lower", "upper", "friction_index"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(problem, name)[...] = 0


def test_symmetry_is_judged_relative_to_the_diagonals() -> None:
    D = np.diag([1e-6, 1.0, 1e6])
    A = np.array([[2.0, 1.0, 0.5], [1.0, 2.0, 1.0], [0.5, 1.0, 2.0]])
    assert BoxedLCP(D @ A @ D, ONES).is_symmetric
    A[0, 1] += 1e-8
    assert not BoxedLCP(D @ A @ D, ONES).is_symmetric
    assert BoxedLCP(np.zeros((0, 0)), []).is_symmetric


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"A": np.ones((3, 2))}, ValueError, r"A: expected shape \(3, 3\) for b of 3 numbers, got \(3, 2\)"),
        ({"A": np.ones(3)}, ValueError, r"A: expected shape \(n, n\), got \(3,\)"),
        ({"A": EYE * np.nan}, ValueError, "A: expected finite numbers"),
        ({"A": np.full((3, 3), np.inf)}, ValueError, "A: expected finite numbers"),
        ({"A": "much"}, TypeError, "A: expected numbers"),
        ({"b": [1.0, np.inf, 0.0]}, ValueError, "b: expected finite numbers"),
        ({"b": 1j * ONES}, TypeError, "b: expected numbers"),
        ({"lower": [0.0, np.nan, 0.0]}, ValueError, "lower: expected numbers, not NaN"),
        ({"lower": [0.0, 1.0]}, ValueError, r"lower: expected shape \(3,\) or one number, got \(2,\)"),
        ({"lower": [0, 2, 0], "upper": 1.0}, ValueError, r"lower\[1\]: expected at most upper, got 2"),
        ({"lower": np.inf}, ValueError, r"lower\[0\]: expected below infinity, got inf"),
        ({"lower": -np.inf, "upper": -np.inf}, ValueError, r"upper\[0\]: expected above -infinity"),
        ({"friction_index": [-1, 0]}, ValueError, r"friction_index: expected shape \(3,\), got \(2,\)"),
        ({"friction_index": [-1, 0.5, -1]}, TypeError, "friction_index: expected whole numbers"),
        ({"friction_index": [-1, 3, -1]}, ValueError, r"friction_index\[1\]: expected -1 or a row below 3"),
        ({"friction_index": [-2, -1, -1]}, ValueError, r"friction_index\[0\]: expected -1 or a row"),
        ({"friction_index": [1, 0, -1]}, ValueError, r"friction_index\[0\]: expected a row whose own bounds"),
        (
            {"friction_index": [0, -1, -1]},
            ValueError,
            r"friction_index\[0\]: expected a row whose own bounds",
        ),
        (
            {"friction_index": [-1, 0, -1], "lower": [-1, -1, 0], "upper": [1, 1, 1]},
            ValueError,
            r"friction_index\[1\]: expected a row whose lower bound is 0 or above",
        ),
        (
            {"friction_index": [-1, 0, -1]},
            ValueError,
            r"upper\[1\]: expected a finite number in a row of fric",
        ),
        ({"cones": [(0, (1, 2), 0.5)]}, TypeError, "cones: expected a FrictionCone"),
        ({"cones": [FrictionCone(0, (1, 3), 0.5)]}, ValueError, r"cones\[0\]: expected rows below 3"),
        (
            {"cones": [FrictionCone(0, (1, 2), 0.5)], "lower": -1.0},
            ValueError,
            r"cones\[0\]: expected a normal row with a lower bound of 0 or above, got -1",
        ),
        (
            {"cones": [FrictionCone(0, (1, 2), 0.5)] * 2},
            ValueError,
            r"cones\[1\]: expected tangents of its own, got row 1",
        ),
        (
            {
                "cones": [FrictionCone(0, (1, 2), 0.5)],
                "friction_index": [-1, 0, -1],
                "upper": [1, 1, 1],
            },
            ValueError,
            r"cones\[0\]: expected tangents of its own, got row 1",
        ),
    ],
)
def test_what_is_no_problem_is_refused(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        BoxedLCP(**{"A": EYE, "b": ONES, **given})


def test_rows_of_friction_cannot_be_normal_ones() -> None:
    first, second = FrictionCone(0, (1, 2), 0.5), FrictionCone(1, (3, 4), 0.5)
    with pytest.raises(
        ValueError, match=r"^cones\[0\]: expected tangents|^cones\[1\]: expected a normal row"
    ):
        BoxedLCP(np.eye(5), np.ones(5), cones=[first, second])
    with pytest.raises(ValueError, match=r"^friction_index\[3\]: expected a normal row, got tangent 1"):
        BoxedLCP(np.eye(4), np.ones(4), 0.0, 1.0, friction_index=[-1, -1, -1, 1], cones=[first])


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ((-1, (1, 2), 0.5), ValueError, "normal: expected a row, 0 or above, got -1"),
        ((0.5, (1, 2), 0.5), TypeError, "normal: expected an integer"),
        ((0, (1,), 0.5), ValueError, "tangents: expected two rows, got 1"),
        ((0, 1, 0.5), TypeError, "tangents: expected an iterable"),
        ((0, (1, 1), 0.5), ValueError, "tangents: expected two rows beside the normal one"),
        ((0, (1, 0), 0.5), ValueError, "tangents: expected two rows beside the normal one"),
        ((0, (1, 2), -0.1), ValueError, "friction: expected 0 or above"),
        ((0, (1, 2), np.nan), ValueError, "friction: expected finite numbers"),
    ],
)
def test_what_is_no_cone_is_refused(given: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        FrictionCone(*given)


def test_contacts_are_triples_of_rows() -> None:
    problem = BoxedLCP.contacts(np.eye(6), np.ones(6), [0.2, 0.7])
    assert problem.cones == (FrictionCone(0, (1, 2), 0.2), FrictionCone(3, (4, 5), 0.7))
    assert BoxedLCP.contacts(np.eye(6), np.ones(6), 0.2).cones[1].friction == 0.2
    with pytest.raises(ValueError, match=r"^b: expected three rows a contact, got 4"):
        BoxedLCP.contacts(np.eye(4), np.ones(4), 0.5)
    with pytest.raises(ValueError, match=r"^friction: expected shape \(2,\) or one number, got \(3,\)"):
        BoxedLCP.contacts(np.eye(6), np.ones(6), [0.5] * 3)
    with pytest.raises(ValueError, match=r"^friction\[1\]: expected 0 or above, got -1"):
        BoxedLCP.contacts(np.eye(6), np.ones(6), [0.5, -1.0])


def test_cones_become_pyramids() -> None:
    cones = BoxedLCP.contacts(np.eye(6), np.ones(6), [0.2, 0.7])
    pyramids = cones.with_pyramids()
    assert pyramids == BoxedLCP.contacts(np.eye(6), np.ones(6), [0.2, 0.7], pyramid=True)
    assert pyramids.cones == () and pyramids.friction_index.tolist() == [-1, 0, 0, -1, 3, 3]
    assert pyramids.upper.tolist() == [np.inf, 0.2, 0.2, np.inf, 0.7, 0.7]
    assert pyramids.lower.tolist() == [0.0, -0.2, -0.2, 0.0, -0.7, -0.7]
    assert pyramids.with_pyramids() == pyramids


def test_bounds_of_friction_are_those_at_x() -> None:
    x = np.array([2.0, 0.0, 0.0, -1.0, 0.0, 0.0])
    for pyramid_ in (False, True):
        lower, upper = BoxedLCP.contacts(np.eye(6), np.ones(6), 0.5, pyramid=pyramid_).bounds(x)
        assert upper[[1, 2, 4, 5]].tolist() == [1.0, 1.0, 0.0, 0.0]
        assert (lower[[1, 2, 4, 5]] == -upper[[1, 2, 4, 5]]).all()


def test_residuals_are_zero_at_solutions_and_nowhere_near_them() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        for known in (boxed(rng, 7), pyramid(rng, 3), contact(rng, 3)):
            problem, x = known.problem, known.x
            np.testing.assert_allclose(problem.w(x), known.w, atol=1e-12)
            np.testing.assert_allclose(problem.natural_residual(x), 0.0, atol=1e-12)
            assert problem.residual(x) < 1e-12
            assert problem.residual(x + 1e-3) > 1e-6
            assert problem.residual(x * 1.001 + 1e-9) > 1e-12


def test_natural_residuals_are_distances_to_the_projection() -> None:
    problem = BoxedLCP(np.diag([2.0, 1.0, 4.0]), [1.0, -3.0, 0.5], -1.0, [1, 1, np.inf])
    x = np.array([0.5, 0.5, 0.5])
    w = problem.w(x)
    assert w.tolist() == [2.0, -2.5, 2.5]
    assert problem.natural_residual(x).tolist() == [1.5, -0.5, 1.5]
    slip = BoxedLCP.contacts(np.eye(3), [0.0, -3.0, -4.0], 0.5)
    at = np.array([2.0, 0.0, 0.0])
    np.testing.assert_allclose(slip.natural_residual(at), [2.0, -0.6, -0.8])


def test_residuals_do_not_depend_on_units() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        known = boxed(rng, 6)
        p, x = known.problem, known.x + rng.normal(size=6) * 1e-3
        D = 2.0 ** rng.integers(-20, 20, 6)
        scaled = BoxedLCP(p.A * np.outer(D, D), p.b * D, p.lower / D, p.upper / D)
        assert scaled.residual(x / D) == p.residual(x)
        larger = BoxedLCP(4096.0 * p.A, 4096.0 * p.b, p.lower, p.upper)
        assert larger.residual(x) == p.residual(x)


def test_an_x_that_grows_without_end_does_not_count_as_a_solution() -> None:
    problem = BoxedLCP([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0])
    for size in (1.0, 1e6, 1e12):
        assert problem.residual([size, size]) > 0.4


def test_points_that_do_not_fit_are_refused() -> None:
    problem = BoxedLCP(EYE, ONES)
    for ask in (problem.w, problem.bounds, problem.natural_residual, problem.residual):
        with pytest.raises(ValueError, match=r"^x: expected shape \(3,\), got \(2,\)"):
            ask([1.0, 2.0])
        with pytest.raises(ValueError, match=r"^x: expected finite numbers"):
            ask([1.0, 2.0, np.nan])


def test_results_find_their_own_faults() -> None:
    problem = impact(np.random.default_rng(0), 2, pyramid=True)
    result = Dantzig().solve(problem)
    assert result.check() == () and result.check(1e-12) == ()
    moved = LCPResult(problem, result.x + 0.1, result.w, LCPStatus.SOLVED)
    faults = moved.check()
    assert any(fault.startswith("w[") for fault in faults) and faults[-1].startswith(
        "residual: expected at most"
    )
    given_up = LCPResult(problem, result.x, result.w, LCPStatus.STALLED, "tired")
    assert given_up.check() == ("status: STALLED: tired",) and not given_up.success
    endless = LCPResult(problem, np.full(6, np.inf), result.w, LCPStatus.SOLVED)
    assert endless.check() == ("x, w: expected finite numbers",)
    with pytest.raises(ValueError, match=r"^x: expected shape \(6,\), got \(2,\)"):
        LCPResult(problem, [1.0, 2.0], result.w, LCPStatus.SOLVED)
    with pytest.raises(ValueError, match=r"^status: expected one of solved, "):
        LCPResult(problem, result.x, result.w, "done")  # type: ignore[arg-type]
