"""Friction against mechanics: a block that sticks, slides and turns, with cones and with pyramids."""

from __future__ import annotations

import numpy as np
import pytest
from _lcp_problems import impact, violation

from kido.lcp import BoxedLCP, Dantzig, FirstSuccess, Lemke, ProjectedGaussSeidel, SemismoothNewton

CONES = [SemismoothNewton(), ProjectedGaussSeidel(tolerance=1e-12), FirstSuccess()]
PYRAMIDS = [Dantzig(), Lemke(), *CONES]
MASS, SPEED = 2.0, 5.0


def block(angle: float, friction: float, *, pyramid: bool = False) -> BoxedLCP:
    """A block that falls at 1 m/s onto the ground, and slides at 5 m/s along a direction."""
    velocity = [-1.0, SPEED * np.cos(angle), SPEED * np.sin(angle)]
    return BoxedLCP.contacts(np.eye(3) / MASS, velocity, friction, pyramid=pyramid)


@pytest.mark.parametrize("solver", CONES, ids=lambda s: s.type_name)
@pytest.mark.parametrize("angle", np.linspace(0.0, 2 * np.pi, 9))
def test_a_cone_brakes_alike_in_all_directions(solver: SemismoothNewton, angle: float) -> None:
    result = solver.solve(block(angle, 0.5))
    direction = np.array([np.cos(angle), np.sin(angle)])
    np.testing.assert_allclose(result.x, MASS * np.r_[1.0, -0.5 * direction], atol=1e-9)
    np.testing.assert_allclose(result.w, np.r_[0.0, (SPEED - 0.5) * direction], atol=1e-9)


@pytest.mark.parametrize("solver", PYRAMIDS, ids=lambda s: s.type_name)
def test_a_pyramid_brakes_by_root_two_more_along_its_diagonal(solver: Dantzig) -> None:
    along = solver.solve(block(0.0, 0.5, pyramid=True))
    diagonal = solver.solve(block(np.pi / 4, 0.5, pyramid=True))
    np.testing.assert_allclose(np.linalg.norm(along.x[1:]), 0.5 * MASS, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(diagonal.x[1:]), np.sqrt(2.0) * 0.5 * MASS, atol=1e-9)


@pytest.mark.parametrize("solver", CONES, ids=lambda s: s.type_name)
def test_a_block_sticks_where_friction_can_stop_it(solver: SemismoothNewton) -> None:
    just, not_quite = SPEED * (1 + 1e-6), SPEED * (1 - 1e-6)
    stuck, sliding = solver.solve(block(0.3, just)), solver.solve(block(0.3, not_quite))
    np.testing.assert_allclose(stuck.w, 0.0, atol=1e-9)
    assert np.linalg.norm(sliding.w[1:]) == pytest.approx(SPEED * 1e-6, rel=1e-3)


@pytest.mark.parametrize("solver", PYRAMIDS, ids=lambda s: s.type_name)
@pytest.mark.parametrize("pyramid", [False, True])
def test_what_leaves_the_ground_is_not_held(solver: Dantzig, pyramid: bool) -> None:
    if not pyramid and not solver.takes_cones:
        return
    result = solver.solve(BoxedLCP.contacts(np.eye(3), [0.1, 5.0, -3.0], 0.7, pyramid=pyramid))
    assert result.x.tolist() == [0.0, 0.0, 0.0] and result.w.tolist() == [0.1, 5.0, -3.0]


@pytest.mark.parametrize("solver", PYRAMIDS, ids=lambda s: s.type_name)
def test_without_friction_both_laws_are_the_frictionless_one(solver: Dantzig) -> None:
    for seed in range(5):
        cones = impact(np.random.default_rng(seed), 3, friction=0.0)
        normal = [0, 3, 6]
        plain = Dantzig().solve(BoxedLCP(cones.A[np.ix_(normal, normal)], cones.b[normal]))
        for problem in (cones, cones.with_pyramids()):
            if problem.cones and not solver.takes_cones:
                continue
            result = solver.solve(problem)
            assert result.success
            np.testing.assert_allclose(result.w[normal], plain.w, atol=1e-6)
            assert not result.x[[1, 2, 4, 5, 7, 8]].any()


def test_friction_never_adds_energy() -> None:
    for seed in range(20):
        problem = impact(np.random.default_rng(seed), 4, friction=0.8)
        result = SemismoothNewton().solve(problem)
        assert result.success
        change = result.x @ (0.5 * problem.A @ result.x + problem.b)
        assert change <= 1e-12
        for cone in problem.cones:
            rows = list(cone.tangents)
            assert result.x[rows] @ result.w[rows] <= 1e-9


def test_a_normal_row_may_have_a_preload_and_an_upper_bound() -> None:
    """A brake shoe pressed with 3 N s: friction is 0.4 of it, whatever moves."""
    for upper in (3.0, 8.0):
        problem = BoxedLCP(
            np.eye(3), [0.0, 9.0, 0.5], [3.0, -0.4, -0.4], [upper, 0.4, 0.4], friction_index=[-1, 0, 0]
        )
        for solver in PYRAMIDS:
            np.testing.assert_allclose(solver.solve(problem).x, [3.0, -1.2, -0.5], atol=1e-9)


def test_bounds_of_friction_need_not_be_symmetric() -> None:
    """A ratchet: 1.0 of the normal row one way, 0.1 of it the other; and one that pulls."""
    A = np.eye(3) + 0.2
    for b in ([-1.0, 3.0, 2.0], [-1.0, -3.0, 2.0], [-1.0, 0.02, -0.3]):
        problem = BoxedLCP(A, b, [0, -1.0, 0.2], [np.inf, 0.1, 0.6], friction_index=[-1, 0, 0])
        expected = Lemke().solve(problem)
        assert violation(problem, expected.x) < 1e-12
        for solver in PYRAMIDS:
            result = solver.solve(problem)
            assert result.success, (solver, result.message)
            np.testing.assert_allclose(result.x, expected.x, atol=1e-8)


def test_cones_limits_and_equations_stand_side_by_side() -> None:
    """Two contacts, a motor with a largest effort, and a closed loop, on bodies that share them."""
    rng = np.random.default_rng(3)
    J = rng.normal(size=(8, 10))
    A, b = J @ J.T, J @ rng.normal(size=10)
    cones = BoxedLCP.contacts(A[:6, :6], b[:6], 0.6).cones
    lower, upper = np.r_[[0] * 6, -0.3, -np.inf], np.r_[[np.inf] * 6, 0.3, np.inf]
    problem = BoxedLCP(A, b, lower, upper, cones=cones)
    for solver in CONES:
        result = solver.solve(problem)
        assert result.success and violation(problem, result.x) < 1e-8
        assert abs(result.w[7]) < 1e-6 and abs(result.x[6]) <= 0.3
