"""Answers of solvers are measured: what is reached, and what is left of the gradient of an objective."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from _ipopt_stand_in import stand_in
from _planar import REST, Rest, redundant, tip, tip_jacobian
from _poses import Array
from scipy.optimize import lsq_linear

from kido import InverseKinematics, SearchSettings, gallery
from kido.ik import LookAt, PositionError, Posture, TaskSpaceRegion, WholeBodyIK
from kido.optimize import (
    GaussNewtonSolver,
    GradientDescentSolver,
    IpoptSolver,
    LevenbergMarquardtSolver,
    ModularFunction,
    NloptSolver,
    Result,
    SciPySolver,
    Solver,
    Status,
)


@dataclass(frozen=True, kw_only=True)
class Says(Solver):
    """A solver that says what it is told to."""

    answer: Callable[[Any], Any]

    def solve(self, problem: Any, *, start: Any = None) -> Any:
        x = self.answer(problem)
        return x if isinstance(x, Result) else Result(x, 0.0, Status.SOLVED, "sure")

    def run(self, evaluator: Any, start: Any) -> Any:
        raise AssertionError


def left_of(gradient: Array, free: Array, pushing: Array, scale: float) -> float:
    """What the best multipliers leave of a gradient, those of the pushing rows being positive."""
    rows = np.concatenate([free.reshape(-1, len(gradient)), pushing.reshape(-1, len(gradient))])
    low = np.concatenate([np.full(len(rows) - len(pushing), -np.inf), np.zeros(len(pushing))])
    found = lsq_linear(rows.T, -gradient, (low, np.inf), tol=1e-15, lsmr_tol=1e-15)
    return float(np.abs(gradient + rows.T @ found.x).max() / scale)


SOLVERS: dict[str, tuple[Solver, float]] = {
    "SLSQP": (SciPySolver(tolerance=1e-14), 1e-6),
    "trust-constr": (SciPySolver(method="trust-constr", tolerance=1e-8), math.inf),  # ends anywhere
    "Levenberg-Marquardt": (LevenbergMarquardtSolver(), 1e-5),
    "Gauss-Newton": (GaussNewtonSolver(), 1e-5),
    "NLopt SLSQP": (NloptSolver(tolerance=1e-14), 1e-5),
    "NLopt COBYLA": (NloptSolver(algorithm="COBYLA", max_iterations=3000), math.inf),  # too few for it
    "Ipopt": (IpoptSolver(), math.inf),  # its stand-in cannot bear rows that depend on each other
}


@pytest.fixture(autouse=True)
def ipopt(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library Ipopt comes with no wheel: its solver is run over a stand-in where it is not."""
    monkeypatch.setitem(sys.modules, "cyipopt", stand_in())


@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", SOLVERS)
def test_what_is_left_of_a_gradient_is_told_for_every_solver(name: str, weight: float) -> None:
    ik = redundant()
    solver, near = SOLVERS[name]
    ik.objective, ik.solver = Rest(weight), solver
    result = ik.solve()
    assert result.success or math.isinf(near) or weight != 1.0, result.message
    if not result.success:
        assert result.stationarity is None and max(result.linear_error, result.angular_error) > 1e-6
        return
    assert result.stationarity is not None
    x, before = result.positions, ik.objective.gradient(ik.positions)
    with ik.at(x):
        J = ik.jacobian()[3:5]
    gradient = ik.objective.gradient(x)
    scale = max(np.abs(gradient).max(), np.abs(before).max())
    np.testing.assert_allclose(
        result.stationarity, left_of(gradient, J, np.zeros((0, 3)), scale), rtol=1e-4, atol=1e-9
    )
    if weight == 1.0:
        assert result.stationarity <= near
    assert result.is_optimal == (result.stationarity <= 1e-6)
    words = "the objective at a minimum" if result.is_optimal else "the objective is not at a minimum"
    assert words in result.message


def test_gradient_descent_tells_it_of_a_null_space_objective() -> None:
    ik = redundant()
    ik.null_space_objective = ModularFunction(
        lambda x: 0.3 * Rest().value(x), lambda x: 0.3 * Rest().gradient(x)
    )
    ik.solver = GradientDescentSolver(step_size=1.0)
    result = ik.solve()
    assert result.success and result.is_optimal
    ik.solver = GradientDescentSolver(step_size=0.1, max_iterations=60)
    early = ik.solve()
    assert not early.success or not early.is_optimal


def reached(ik: InverseKinematics) -> Array:
    """Positions that reach the target, with no thought of an objective."""
    q: Array = InverseKinematics.solve(ik).positions
    return q


def test_an_answer_that_reaches_the_target_and_is_no_minimum_says_so() -> None:
    ik = redundant()
    q = reached(ik)
    ik.objective, ik.solver = Rest(), Says(answer=lambda p: q)
    result = ik.solve()
    assert result.success and not result.is_optimal
    with ik.at(q):
        J = ik.jacobian()[3:5]
    gradient, before = Rest().gradient(q), Rest().gradient(ik.positions)
    scale = max(np.abs(gradient).max(), np.abs(before).max())
    np.testing.assert_allclose(result.stationarity, left_of(gradient, J, np.zeros((0, 3)), scale), rtol=1e-6)
    assert result.stationarity is not None and result.stationarity > 0.01
    assert "the objective is not at a minimum" in result.message


def test_limits_hold_a_minimum_from_one_side_only() -> None:
    ik = redundant()
    ik.error_method = PositionError(linear_weights=(0.0, 0.0, 1.0))  # any positions
    ik.dofs[0].position_lower_limit, ik.dofs[0].position_upper_limit = -1.0, 0.1
    for first, held in ((0.1, True), (-1.0, False)):
        x = np.array([first, *REST[1:]])
        ik.objective, ik.solver = Rest(), Says(answer=lambda p, x=x: x)
        result = ik.solve()
        assert result.success and result.is_optimal is held
    assert result.stationarity is not None
    np.testing.assert_allclose(result.stationarity, 1.0)


@pytest.mark.parametrize("method", ["region", "box"])
def test_bounds_of_a_region_hold_a_minimum_from_inside_only(method: str) -> None:
    inf = math.inf
    ik = redundant()
    ik.error_method = TaskSpaceRegion(angular=(inf,) * 3, linear=(0.2, 0.1, inf), from_center=False)
    if method == "box":
        ik.error_method = PositionError(linear_weights=(0.0, 0.0, 1.0))
        ik.problem.inequality_constraints.add(height(ik, 1.0))
        ik.problem.inequality_constraints.add(height(ik, -1.0))
    up = ModularFunction(lambda x: -tip(x)[1], lambda x: -tip_jacobian(x)[1])
    down = ModularFunction(lambda x: tip(x)[1], lambda x: tip_jacobian(x)[1])
    for objective, y in ((up, 1.2), (down, 1.0), (up, 1.0), (down, 1.2), (up, 1.1)):
        q = inverse_of(0.95, y)
        ik.objective, ik.solver = objective, Says(answer=lambda p, q=q: q)
        result = ik.solve()
        assert result.success, result.message
        assert result.is_optimal is ((objective is up and y == 1.2) or (objective is down and y == 1.0))
        if not result.is_optimal:
            gradient, before = objective.gradient(q), objective.gradient(ik.positions)
            scale = max(np.abs(gradient).max(), np.abs(before).max())
            np.testing.assert_allclose(result.stationarity, np.abs(gradient).max() / scale, rtol=1e-6)


def inverse_of(x: float, y: float) -> Array:
    """Positions with the tip at a point, the last link along the x axis."""
    u, v = x - 0.6, y
    elbow = math.acos((u**2 + v**2 - 1.64) / 1.6)
    first = math.atan2(v, u) - math.atan2(0.8 * math.sin(elbow), 1.0 + 0.8 * math.cos(elbow))
    return np.array([first, elbow, -first - elbow])


def height(ik: InverseKinematics, side: float) -> ModularFunction:
    """The tip at most 0.1 m above or below 1.1 m."""
    return ModularFunction(
        lambda x: side * (tip(x)[1] - 1.1) - 0.1, lambda x: side * tip_jacobian(x)[1], name="height"
    )


def test_a_cone_of_gaze_holds_a_minimum_from_inside_only() -> None:
    robot = gallery.arm7()
    ik = InverseKinematics.of(robot.end_effector("tool"))
    ik.error_method = LookAt((0.0, 0.0, 1.0), 0.3)
    ik.positions = start = np.linspace(0.2, 0.8, 7)
    ik.target.set_translation((1.0, 0.8, 0.5))
    ik.objective = ModularFunction(lambda q: 0.5 * float(q @ q), lambda q: q)
    searched = ik.solve()
    assert searched.success and searched.is_optimal
    ik.solver = Says(answer=lambda p: searched.positions)
    assert ik.solve().is_optimal
    ik.objective = ModularFunction(lambda q: -0.5 * float(q @ q), lambda q: -q)
    assert not ik.solve().is_optimal  # pulls into the cone
    ik.solver = None
    plain = InverseKinematics.of(robot.clone().end_effector("tool"))
    plain.objective, plain.error_method, plain.positions = None, LookAt((0.0, 0.0, 1.0), 0.3), start
    inside = ModularFunction(lambda q: 0.5 * float((q - 0.1) @ (q - 0.1)), lambda q: q - 0.1)
    with ik.at(searched.positions):
        ik.target.set_translation(ik.transform()[:3] @ (0.0, 0.0, 0.7, 1.0))
    ik.objective, ik.solver = inside, Says(answer=lambda p: searched.positions)
    result = ik.solve()  # well inside the cone nothing holds it
    assert result.success
    gradient = searched.positions - 0.1
    scale = max(np.abs(gradient).max(), np.abs(start - 0.1).max())
    np.testing.assert_allclose(result.stationarity, np.abs(gradient).max() / scale, rtol=1e-6)


@pytest.mark.parametrize("solver", [SciPySolver(tolerance=1e-12), NloptSolver(tolerance=1e-12)])
def test_a_solver_goes_on_inside_a_cone_of_gaze(solver: Solver) -> None:
    ik = InverseKinematics.of(gallery.arm7().end_effector("tool"))
    ik.error_method = LookAt((0.0, 0.0, 1.0), 0.6)
    ik.positions = np.linspace(0.2, 0.8, 7)
    with ik.at(np.full(7, 0.3)):  # from where the target is seen under 0.07 rad
        ik.target.set_translation(ik.transform()[:3] @ (0.05, 0.0, 0.7, 1.0))
    ik.objective = ModularFunction(lambda q: 0.5 * float((q - 0.3) @ (q - 0.3)), lambda q: q - 0.3)
    ik.solver = solver
    result = ik.solve()
    assert result.success and result.is_optimal, result.message
    np.testing.assert_allclose(result.positions, 0.3, atol=1e-6)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_an_objective_that_is_no_number_is_at_no_minimum(value: float) -> None:
    ik = redundant()
    q = reached(ik)
    ik.objective, ik.solver = ModularFunction(lambda x: value, np.zeros_like), Says(answer=lambda p: q)
    result = ik.solve()
    assert result.success and result.stationarity == math.inf and not result.is_optimal
    ik.objective = ModularFunction(lambda x: 0.0, lambda x: np.full(3, value))
    assert ik.solve().stationarity == math.inf


# ---- what is reached


def test_small_weights_do_not_make_a_target_reached() -> None:
    ik = redundant()
    ik.error_method = PositionError(linear_weights=(1e-8, 1e-8, 1e-8))
    ik.solver = Says(answer=lambda p: p.initial_guess)
    result = ik.solve()
    assert not result.success and result.linear_error > 0.1
    assert "Says says that it is solved, which it is not" in result.message


@pytest.mark.parametrize("make", [lambda ik: ik, lambda ik: WholeBodyIK(ik.node.skeleton)])
def test_tolerances_of_the_settings_say_what_is_reached(make: Any) -> None:
    ik = redundant()
    q = reached(ik)
    owner = make(ik)
    owner.solver = Says(answer=lambda p: q + np.array([0.0, 0.0, 0.01]))
    assert not owner.solve().success
    starts = 100 if owner is ik else 200
    owner.settings = SearchSettings(max_starts=starts, linear_tolerance=0.1)
    assert owner.solve().success
    owner.settings = SearchSettings(max_starts=starts, linear_tolerance=1e-9)
    owner.solver = Says(answer=lambda p: q + 1e-8)
    assert not owner.solve().success


@pytest.mark.parametrize("make", [lambda ik: ik, lambda ik: WholeBodyIK(ik.node.skeleton)])
def test_a_constraint_that_is_broken_is_named(make: Any) -> None:
    ik = redundant()
    q = reached(ik)
    owner = make(ik)
    owner.problem.inequality_constraints.add(
        ModularFunction(lambda x: float(x[1] - q[1]) + 0.25, name="elbow")
    )
    owner.solver = Says(answer=lambda p: q)
    result = owner.solve()
    assert not result.success and result.stationarity is None
    assert "inequality constraint 0 (elbow) = 0.25, broken by 0.25; Says says" in result.message


@pytest.mark.parametrize("make", [lambda ik: ik, lambda ik: WholeBodyIK(ik.node.skeleton)])
def test_a_constraint_without_a_value_is_broken(make: Any) -> None:
    ik = redundant()
    q = reached(ik)
    owner = make(ik)
    owner.problem.equality_constraints.add(ModularFunction(lambda x: math.nan, name="nowhere"))
    owner.solver = Says(answer=lambda p: q)
    result = owner.solve()
    assert not result.success and "(nowhere) = nan" in result.message


def test_a_failure_that_reaches_the_target_is_an_answer() -> None:
    ik = redundant()
    q = reached(ik)
    ik.solver = Says(answer=lambda p: Result(q, 0.0, Status.FAILED, "broke"))
    result = ik.solve()
    assert result.success and result.reason == ""
    ik.solver = Says(answer=lambda p: Result(p.initial_guess, 0.0, Status.FAILED, "broke"))
    assert ik.solve().reason == "broke"
    ik.solver = Says(answer=lambda p: Result(p.initial_guess, 0.0, Status.STALLED))
    assert ik.solve().reason == "Says ended as STALLED"


def test_positions_beyond_limits_by_rounding_come_inside() -> None:
    ik = redundant()
    ik.dofs[0].position_upper_limit = 0.5
    ik.solver = Says(answer=lambda p: np.array([0.5 + 1e-9, 0.2, 0.1]))
    assert ik.solve().positions[0] == 0.5


# ---- hierarchies


def test_hierarchies_tell_what_is_left_of_a_gradient() -> None:
    ik = redundant()
    whole = WholeBodyIK(ik.node.skeleton)
    whole.objective = Rest()
    whole.solver = SciPySolver(tolerance=1e-14)
    best = whole.solve()
    assert best.success and best.is_optimal and "the objective at a minimum" in best.message
    q = reached(ik)
    whole.solver = Says(answer=lambda p: q)
    other = whole.solve()
    with ik.at(q):
        J = ik.jacobian()[3:5]
    scale = max(np.abs(Rest().gradient(q)).max(), np.abs(Rest().gradient(ik.positions)).max())
    expected = left_of(Rest().gradient(q), J, np.zeros((0, 3)), scale)
    np.testing.assert_allclose(other.stationarity, expected, rtol=1e-6)
    assert other.success and not other.is_optimal


def test_what_is_only_wished_for_does_not_fail_a_solver() -> None:
    ik = redundant()
    robot = ik.node.skeleton
    wish = InverseKinematics.of(robot.bodies[1])
    wish.dofs = robot.dofs
    wish.error_method = Posture(REST)
    assert not wish.is_required
    q = reached(ik)
    whole = WholeBodyIK(robot)
    whole.objective, whole.solver = Rest(), Says(answer=lambda p: q)
    result = whole.solve()
    assert result.success and [task.success for task in result.tasks].count(False) == 1
    with ik.at(q):
        J = ik.jacobian()[3:5]
        pull = wish.weighted_jacobian(3).T @ wish.weighted_error()
    gradient = Rest().gradient(q) + pull  # as the search lowers it
    with ik.at(ik.positions):
        before = Rest().gradient(ik.positions) + wish.weighted_jacobian(3).T @ wish.weighted_error()
    scale = max(np.abs(gradient).max(), np.abs(before).max())
    expected = left_of(gradient, J, np.zeros((0, 3)), scale)
    np.testing.assert_allclose(result.stationarity, expected, rtol=1e-6)
    whole.solver = None
    best = whole.solve()
    whole.solver = Says(answer=lambda p: best.positions)
    measured = whole.solve()
    assert best.is_optimal and measured.stationarity is not None and measured.stationarity < 1e-4
