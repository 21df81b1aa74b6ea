"""Quadratic programs: against other solvers, the conditions of an optimum, and themselves in lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from _effort import examples
from _looped import looped
from numpy.typing import NDArray

from kido.optimize import QuadraticProgram, QuadraticStatus

Array = NDArray[np.float64]
Rows = tuple[Array, Array, Array, Array, Array, Array, Array]

SIZES = [(1, 0), (2, 1), (7, 0), (7, 3), (7, 12), (20, 10)]
KINDS = ["plain", "singular", "linear", "dependent", "equations", "open", "scaled"]


def random_rows(kind: str, n: int, m: int, count: int, rng: np.random.Generator) -> dict[str, Array]:
    """Feasible programs (count, ...), bounded by their bounds or by their H."""
    roots = rng.normal(size=(count, int(rng.integers(max(1, n // 2), n + 3)), n))
    H = np.einsum("cki,ckj->cij", roots, roots)
    g = np.einsum("cki,ck->ci", roots, rng.normal(size=roots.shape[:2]))
    if kind != "singular":
        H = H + 1e-4 * np.eye(n)
    if kind == "linear":
        H = np.zeros_like(H)
    A, x = rng.normal(size=(count, m, n)), rng.uniform(-1.0, 1.0, size=(count, n))
    if kind == "dependent" and m > 1:
        A[:, 1] = 2.0 * A[:, 0]
    if kind == "dependent" and m > 2:
        A[:, 2] = np.eye(n)[0]
    if kind == "equations" and m > 2:
        A[:, 2] = A[:, 0] - A[:, 1]
    rows = np.einsum("cij,cj->ci", A, x)
    row_lower, row_upper = (rows + s * rng.exponential(0.5, size=rows.shape) for s in (-1.0, 1.0))
    lower, upper = (x + s * rng.exponential(0.3, size=x.shape) for s in (-1.0, 1.0))
    if kind == "dependent":
        if m > 1:
            row_lower[:, 1], row_upper[:, 1] = 2.0 * row_lower[:, 0], 2.0 * row_upper[:, 0]
        if m > 2:
            row_lower[:, 2], row_upper[:, 2] = lower[:, 0], upper[:, 0]
        lower[:, -1] = upper[:, -1] = x[:, -1]
    if kind == "equations":
        equal = min(m, 3)
        row_lower[:, :equal] = row_upper[:, :equal] = rows[:, :equal]
    if kind == "open":
        lower[rng.random(lower.shape) < 0.5] = -np.inf
        row_upper[rng.random(row_upper.shape) < 0.5] = np.inf
    if kind == "scaled":
        unit, weight = (
            10.0 ** rng.uniform(-4.0, 4.0, size=(count, n)),
            10.0 ** rng.uniform(-3.0, 3.0, (count, m)),
        )
        H, g = H * unit[:, :, None] * unit[:, None, :], g * unit
        A = A * unit[:, None, :] * weight[:, :, None]
        lower, upper = lower / unit, upper / unit
        row_lower, row_upper = row_lower * weight, row_upper * weight
    return {
        "H": H,
        "g": g,
        "A": A,
        "row_lower": row_lower,
        "row_upper": row_upper,
        "lower": lower,
        "upper": upper,
    }


def one_of(rows: dict[str, Array], i: int) -> QuadraticProgram:
    return QuadraticProgram(**{name: array[i] for name, array in rows.items()})


def assert_optimal(program: QuadraticProgram, x: Array, multipliers: Array) -> None:
    """Karush, Kuhn and Tucker, each relative to the numbers in it."""
    n = x.shape[-1]
    values = np.concatenate([x, np.einsum("...ij,...j->...i", program.A, x)], axis=-1)
    reach = np.concatenate([np.abs(x), np.einsum("...ij,...j->...i", np.abs(program.A), np.abs(x))], axis=-1)
    lower = np.concatenate([program.lower, program.row_lower], axis=-1)
    upper = np.concatenate([program.upper, program.row_upper], axis=-1)
    size = np.maximum(reach, 1e-12 * reach.max())
    assert np.all(lower - values <= 1e-8 * size)
    assert np.all(values - upper <= 1e-8 * size)
    with np.errstate(invalid="ignore"):
        assert np.all((multipliers <= 0.0) | (np.abs(values - lower) <= 1e-8 * size))
        assert np.all((multipliers >= 0.0) | (np.abs(values - upper) <= 1e-8 * size))
    parts = np.einsum("...ij,...j->...i", np.abs(program.H), np.abs(x)) + np.abs(program.g)
    parts = parts + np.abs(multipliers[..., :n])
    parts += np.einsum("...ij,...i->...j", np.abs(program.A), np.abs(multipliers[..., n:]))
    left = np.abs(program.gradient(x, multipliers))
    assert np.all(left.max(axis=-1) <= 1e-9 * parts.max(axis=-1))


@looped("kind", KINDS)
@looped("n, m", SIZES)
def test_the_conditions_of_an_optimum_hold(kind: str, n: int, m: int) -> None:
    rows = random_rows(kind, n, m, examples(100), np.random.default_rng(n + 100 * m))
    program = QuadraticProgram(**rows)
    result = program.solve()
    assert result.solved.all()
    assert_optimal(program, result.x, result.multipliers)


@looped("kind", KINDS)
@looped("n, m", SIZES)
def test_one_and_many_give_the_same_bits(kind: str, n: int, m: int) -> None:
    rows = random_rows(kind, n, m, 19, np.random.default_rng(n + m))
    many = QuadraticProgram(**rows).solve()
    for i in range(19):
        one = one_of(rows, i).solve()
        for name in ("x", "multipliers", "active", "codes", "iterations", "residual"):
            assert getattr(many, name)[i].tobytes() == getattr(one, name).tobytes(), name


@pytest.mark.parametrize("kind", ["plain", "dependent", "open"])
def test_objectives_are_those_of_daqp(kind: str) -> None:
    program = QuadraticProgram(**random_rows(kind, 7, 5, 60, np.random.default_rng(3)))
    mine, other = program.solve(), program.solve(method="daqp")
    assert other.solved.all()
    np.testing.assert_allclose(program.value(mine.x), program.value(other.x), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(mine.x, other.x, atol=1e-4)


@pytest.mark.parametrize("kind", ["plain", "equations", "singular"])
def test_objectives_are_those_of_proxsuite(kind: str) -> None:
    program = QuadraticProgram(**random_rows(kind, 7, 5, 20, np.random.default_rng(4)))
    mine, other = program.solve(), program.solve(method="proxsuite")
    assert other.solved.all()
    np.testing.assert_allclose(program.value(mine.x), program.value(other.x), rtol=1e-6, atol=1e-6)


@looped("kind", KINDS)
def test_a_warm_start_changes_nothing_but_the_iterations(kind: str) -> None:
    program = QuadraticProgram(**random_rows(kind, 7, 4, 50, np.random.default_rng(5)))
    cold = program.solve()
    warm = program.solve(start=cold.active)
    np.testing.assert_allclose(program.value(warm.x), program.value(cold.x), rtol=1e-9, atol=1e-9)
    assert warm.iterations.sum() < cold.iterations.sum()


def test_any_warm_start_leads_to_the_optimum() -> None:
    rng = np.random.default_rng(6)
    program = QuadraticProgram(**random_rows("plain", 7, 6, 200, rng))
    start = rng.integers(-1, 2, size=(200, 13))
    result = program.solve(start=start)
    assert result.solved.all()
    assert_optimal(program, result.x, result.multipliers)


def contradicting_rows(n: int, m: int, rng: np.random.Generator) -> dict[str, Array]:
    """Programs whose last row asks for more than a combination of the others allows, by a gap."""
    rows = random_rows("plain", n, m, 100, rng)
    y = rng.normal(size=(100, m - 1))
    rows["A"][:, -1] = np.einsum("cr,crj->cj", y, rows["A"][:, :-1])
    top = np.where(y > 0.0, y * rows["row_upper"][:, :-1], y * rows["row_lower"][:, :-1]).sum(axis=1)
    rows["row_lower"][:, -1] = top + 10.0 ** rng.uniform(-6.0, 1.0, 100)
    rows["row_upper"][:, -1] = np.inf
    return rows


@looped("n, m", [(2, 3), (7, 5), (7, 12), (20, 15)])
def test_a_contradiction_comes_with_its_proof(n: int, m: int) -> None:
    program = QuadraticProgram(**contradicting_rows(n, m, np.random.default_rng(n)))
    result = program.solve()
    assert set(result.statuses) == {QuadraticStatus.INFEASIBLE}
    y = result.multipliers
    normals = y[:, :n] + np.einsum("crj,cr->cj", program.A, y[:, n:])
    size = np.abs(y).max(axis=1) * (1.0 + np.abs(program.A).max(axis=(1, 2)))
    assert np.all(np.abs(normals).max(axis=1) <= 1e-11 * size)
    lower = np.concatenate([program.lower, program.row_lower], axis=1)
    upper = np.concatenate([program.upper, program.row_upper], axis=1)
    bounds = np.where(y > 0.0, lower, upper)
    assert np.all(np.where(y == 0.0, 0.0, y * np.where(y == 0.0, 0.0, bounds)).sum(axis=1) > 0.0)
    assert np.all(result.residual <= 1e-11)


def test_equations_may_depend_on_each_other_but_not_contradict() -> None:
    A = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0], [1.0, 3.0, 1.0]])
    for right, status in (((1.0, 2.0, 3.0), "solved"), ((1.0, 2.0, 3.1), "infeasible")):
        result = QuadraticProgram(np.eye(3), np.ones(3), A, row_lower=right, row_upper=right).solve()
        assert result.status == status


def test_rounding_is_no_contradiction_of_equations_that_fix_an_unknown_at_its_bound() -> None:
    """Two bodies beside a joint are held: six equations each, and the joint stands at its limit."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        first, joint = rng.normal(size=(6, 18)), np.zeros(18)
        joint[11] = 1.0
        second = rng.normal(size=(6, 6)) @ first + np.outer(rng.normal(size=6), joint)
        A = np.vstack([first, second, rng.normal(size=18)]) * rng.uniform(0.3, 1.0, (13, 1))
        lower, upper = -rng.uniform(0.1, 2.0, 18), rng.uniform(0.1, 2.0, 18)
        lower[:6], upper[:6], upper[11] = -np.inf, np.inf, 0.0
        rows = {"row_lower": [0.0] * 12 + [-np.inf], "row_upper": [0.0] * 12 + [2e-5]}
        program = QuadraticProgram(1.2 * np.eye(18), rng.normal(size=18), A, lower=lower, upper=upper, **rows)
        result = program.solve()
        assert result.success
        assert np.abs(A[:12] @ result.x).max() < 1e-12
        assert abs(result.x[11]) < 1e-12
        other = program.solve(method="proxsuite")
        assert other.success
        np.testing.assert_allclose(result.x, other.x, atol=1e-6)


@pytest.mark.parametrize("scale", [1.0, 1e-16, 1e16])
def test_unknowns_that_equations_set_to_zero_are_found(scale: float) -> None:
    """The first two unknowns are 0, beside which nothing is small."""
    A = np.array([[0.3, 0.3, 0.3], [-0.5, -0.2, 0.0], [0.4, 0.1, 0.0]])
    bounds = scale * np.array([-0.9, 0.0, 0.0])
    found = QuadraticProgram(1e-8 * np.eye(3), np.zeros(3), A, row_lower=bounds, row_upper=bounds).solve()
    assert found.success
    np.testing.assert_allclose(found.x, (0.0, 0.0, -3.0 * scale), atol=1e-13 * scale)


@pytest.mark.parametrize("seed", range(examples(20)))
def test_numbers_that_cancel_do_not_hide_the_optimum(seed: int) -> None:
    """Equations of rank 2 fix two unknowns; the third takes away their sum, but for a curvature of 1e-8."""
    rng = np.random.default_rng(seed)
    x = np.append(rng.uniform(-400.0, 400.0, 2), 0.0)
    x[2] = -x[:2].sum() / (1.0 + 1e-8)
    A = np.column_stack([rng.normal(size=(2, 2)), np.zeros(2)])
    A = np.vstack([A, rng.normal(size=2) @ A])
    found = QuadraticProgram(
        np.ones((3, 3)) + 1e-8 * np.eye(3), np.zeros(3), A, row_lower=A @ x, row_upper=A @ x
    ).solve()
    assert found.success
    np.testing.assert_allclose(found.x, x, rtol=1e-9)


def test_a_ray_without_end_is_found() -> None:
    rng = np.random.default_rng(8)
    root = rng.normal(size=(50, 3, 7))
    H = np.einsum("cki,ckj->cij", root, root)
    free = QuadraticProgram(H, rng.normal(size=(50, 7)), lower=-np.inf)
    assert set(free.solve().statuses) == {QuadraticStatus.UNBOUNDED}
    held = QuadraticProgram(H, free.g, lower=-1.0, upper=1.0)
    assert held.solve().solved.all()


def test_a_linear_objective_ends_in_the_corner() -> None:
    result = QuadraticProgram(np.zeros((3, 3)), [1.0, -2.0, 0.0], lower=-1.0, upper=(2.0, 3.0, 4.0)).solve()
    assert result.success
    np.testing.assert_allclose(result.x[:2], [-1.0, 3.0], atol=1e-12)
    np.testing.assert_allclose(result.multipliers[:2], [1.0, -2.0], atol=1e-12)


def test_negative_curvature_is_refused() -> None:
    result = QuadraticProgram([[1.0, 0.0], [0.0, -1.0]], [0.0, 0.0]).solve()
    assert result.status is QuadraticStatus.NOT_CONVEX
    assert not result


def test_iterations_can_run_out() -> None:
    program = QuadraticProgram(**random_rows("plain", 20, 10, 5, np.random.default_rng(9)))
    result = program.solve(max_iterations=3)
    assert set(result.statuses) == {QuadraticStatus.MAX_ITERATIONS}
    assert np.all(result.iterations <= 4)


def test_wrong_bounds_are_not_active() -> None:
    """Signs of multipliers say which bound it is."""
    program = QuadraticProgram([[2.0]], [-6.0], [[1.0]], row_lower=0.0, row_upper=1.0)
    result = program.solve()
    np.testing.assert_allclose(result.x, [1.0], rtol=1e-15)
    np.testing.assert_allclose(result.multipliers, [0.0, -4.0], rtol=1e-14)
    assert result.active.tolist() == [0.0, 1.0]


def test_leading_axes_broadcast() -> None:
    H, g = np.eye(2), np.zeros((4, 1, 2))
    program = QuadraticProgram(H, g, lower=np.arange(3.0)[:, None] * np.ones(2))
    assert program.shape == (4, 3)
    result = program.solve()
    np.testing.assert_allclose(result.x, np.broadcast_to(np.arange(3.0)[:, None], (4, 3, 2)), atol=1e-15)
    assert QuadraticProgram(H, np.zeros((0, 2))).solve().x.shape == (0, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"H": np.eye(3)}, "H: expected shape"),
        ({"H": [[1.0, 2.0], [0.0, 1.0]]}, "H: expected a symmetric matrix"),
        ({"g": 1.0}, "g: expected shape"),
        ({"g": [np.nan, 0.0]}, "g: expected finite numbers"),
        ({"A": np.ones((2, 3))}, "A: expected shape"),
        ({"lower": 2.0, "upper": 1.0}, "lower: expected at most upper"),
        ({"lower": np.inf}, "lower: expected at most upper and below infinity"),
        ({"A": np.ones((1, 2)), "row_lower": [0.0, 0.0]}, "row_lower: expected shape"),
        ({"A": np.ones((1, 2)), "row_lower": 1.0, "row_upper": 0.0}, "row_lower: expected at most row_upper"),
        ({"H": np.ones((3, 2, 2)), "g": np.ones((2, 2))}, "leading axes"),
    ],
)
def test_what_is_no_program_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        QuadraticProgram(**{"H": np.eye(2), "g": np.zeros(2), **arguments})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "simplex"}, "method: expected"),
        ({"start": np.zeros(3)}, "start: expected shape"),
        ({"max_iterations": 0}, "max_iterations: expected 1 or above"),
    ],
)
def test_what_is_no_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        QuadraticProgram(np.eye(2), np.zeros(2)).solve(**options)
