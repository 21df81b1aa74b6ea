"""Quadratic objectives: lowered in native code, to where Python's own function is lowered to."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from _poses import Array
from scipy.optimize import minimize
from test_objectives import Manipulability, reachable, residual, seven

import kido
from kido import InverseKinematics, gallery
from kido.ik import LookAt, PositionError, TaskSpaceRegion, WholeBodyIK
from kido.optimize import Function, ModularFunction, QuadraticFunction, SciPySolver


def asked(function: Function) -> ModularFunction:
    """The same function, which only Python knows."""
    return ModularFunction(function.value, function.gradient)


def curved(count: int, seed: int = 0) -> QuadraticFunction:
    """A function with a full matrix, a slope and a center."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(count, count))
    H = A @ A.T + 0.1 * np.eye(count)
    return QuadraticFunction(rng.uniform(-0.5, 0.5, count), 0.5 * (H + H.T), rng.normal(size=count))


FUNCTIONS = {
    "distance": QuadraticFunction(np.linspace(-0.6, 0.9, 7)),
    "small": QuadraticFunction(np.linspace(-0.6, 0.9, 7), 1e-3),
    "large": QuadraticFunction(np.linspace(-0.6, 0.9, 7), 1e3),
    "weights": QuadraticFunction(np.linspace(0.6, -0.9, 7), [1.0, 2.0, 0.0, 4.0, 0.5, 1.0, 3.0]),
    "matrix": curved(7),
    "slope alone": QuadraticFunction(np.zeros(7), 0.0, [1.0, -2.0, 0.5, 1.0, 3.0, -1.0, 0.1]),
    "beyond limits": QuadraticFunction(np.full(7, 3.0)),
}


@pytest.mark.parametrize("kind", FUNCTIONS)
@pytest.mark.parametrize("space", ["objective", "null_space_objective"])
def test_native_code_lowers_it_as_if_python_were_asked(kind: str, space: str) -> None:
    ik, function = seven(), FUNCTIONS[kind]
    for target in reachable(ik, 20, seed=4):
        ik.target.set_transform(target)
        setattr(ik, space, function)
        native = ik.solve()
        setattr(ik, space, asked(function))
        other = ik.solve()
        assert native.success and native.is_optimal, native.message
        assert native.start == other.start and abs(native.iterations - other.iterations) <= 2  # rounding
        np.testing.assert_allclose(native.positions, other.positions, atol=1e-6)
        assert residual(ik, native.positions, function.gradient(native.positions)) < 1e-6


def test_python_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    ik = seven()
    ik.objective = FUNCTIONS["matrix"]

    def refuse(*_: object) -> float:
        raise AssertionError("asked")

    for name in ("value", "gradient", "gradient_within"):
        monkeypatch.setattr(QuadraticFunction, name, refuse)
    assert ik.solve().is_optimal and WholeBodyIK(ik.node.skeleton).solve().success


def test_rotations_and_floating_bases_are_lowered_along_the_group() -> None:
    robot = kido.Skeleton("kite")
    base = robot.add_body("base", joint=kido.FreeJoint("free"))
    arm = robot.add_body("arm", base, kido.BallJoint("ball", T_parent_joint=(0.4, 0.0, 0.1)))
    slide = kido.PrismaticJoint("slide", axis=(1.0, 0.0, 0.0), position_lower_limits=-0.2)
    tip = robot.add_body("tip", arm, slide)
    robot.positions = [0.3, -0.2, 0.5, 0.1, 0.2, 0.3, -0.4, 0.6, 0.2, 0.1]
    ik = InverseKinematics.of(tip)
    ik.use_whole_body()
    ik.error_method = PositionError()
    ik.offset = (0.3, 0.1, 0.0)
    ik.target.set_translation((0.8, 0.5, 0.2))
    function = curved(10, seed=1)
    ik.objective = function
    native = ik.solve()
    ik.objective = asked(function)
    other = ik.solve()
    assert native.success and native.is_optimal
    np.testing.assert_allclose(native.positions, other.positions, atol=1e-7)

    def distance(x: Array) -> Array:
        with ik.at(x):
            return ik.transform()[:3, 3] - ik.target.transform()[:3, 3]

    lower, upper = ik.position_limits
    best = minimize(
        lambda x: function.value(x),
        native.positions + 0.01,
        jac=lambda x: function.gradient(x),
        constraints={"type": "eq", "fun": distance},
        bounds=list(zip(lower, upper, strict=True)),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    np.testing.assert_allclose(native.positions, best.x, atol=1e-5)


def test_a_part_of_the_users_own_is_added() -> None:
    ik = seven()
    near, nimble = FUNCTIONS["weights"], Manipulability(ik)
    found = []
    for first in (near, asked(near)):
        ik.objective, ik.null_space_objective = first, nimble
        results = []
        for target in reachable(ik, 8, seed=5):
            ik.target.set_transform(target)
            results.append(ik.solve())
        found.append(results)
    for native, other in zip(*found, strict=True):
        assert native.success and native.is_optimal
        np.testing.assert_allclose(native.positions, other.positions, atol=1e-5)  # of differences


def test_two_of_them_are_added() -> None:
    ik = seven()
    first, second = FUNCTIONS["matrix"], FUNCTIONS["distance"]
    ik.target.set_transform(reachable(ik, 1, seed=6)[0])
    ik.objective, ik.null_space_objective = first, second
    both = ik.solve()
    gradient = first.gradient(both.positions) + second.gradient(both.positions)
    assert both.is_optimal and residual(ik, both.positions, gradient) < 1e-6
    ik.objective = ik.null_space_objective = second
    twice = ik.solve()
    ik.null_space_objective = None
    np.testing.assert_allclose(ik.solve().positions, twice.positions, atol=1e-6)


def test_a_hierarchy_lowers_it_with_all_dofs_but_locked_ones() -> None:
    robot = gallery.humanoid()
    foot = InverseKinematics.of(robot.end_effector("left_foot"))
    foot.use_whole_body()
    foot.target.set_transform(foot.transform())
    robot.dof("waist_yaw").joint.actuator = "locked"
    wanted = np.clip(0.1, robot.position_lower_limits, robot.position_upper_limits)
    whole = WholeBodyIK(robot)
    found = []
    function = QuadraticFunction(wanted, 1.0 + np.arange(robot.num_dofs) % 3)
    for objective in (function, asked(function)):
        whole.objective = objective
        found.append(whole.solve())
        assert found[-1].success and found[-1].is_optimal, found[-1].message
        assert found[-1].positions[robot.dof("waist_yaw").index] == robot.dof("waist_yaw").position
    np.testing.assert_allclose(found[0].positions, found[1].positions, atol=1e-6)


def test_frozen_dofs_stay() -> None:
    ik = seven()
    ik.error_method, ik.objective = PositionError(), FUNCTIONS["matrix"]
    ik.positions = start = np.array([0.3, 0.4, -0.2, 0.8, 0.1, -0.5, 0.6])
    ik.target.set_translation(ik.transform()[:3, 3] + (0.03, -0.02, 0.01))
    result = ik.solve(frozen=[ik.dofs[2]])
    assert result.is_optimal and result.positions[2] == start[2]
    with ik.at(result.positions):
        rows = ik.jacobian()[3:]
    gradient = FUNCTIONS["matrix"].gradient(result.positions)
    gradient[2] = rows[:, 2] = 0.0
    assert residual(ik, result.positions, gradient, rows) < 1e-6


def test_a_function_of_other_positions_is_named_and_nothing_moves() -> None:
    ik = seven()
    ik.objective = QuadraticFunction(np.zeros(6))
    before = ik.positions
    with pytest.raises(ValueError, match=r"^QuadraticFunction: expected a center of shape \(7,\), .*\(6,\)"):
        ik.solve()
    np.testing.assert_array_equal(ik.positions, before)


def test_copies_pickles_problems_and_solvers_take_it() -> None:
    ik = seven()
    ik.target.set_transform(reachable(ik, 1, seed=8)[0])
    ik.objective = function = FUNCTIONS["matrix"]
    result = ik.solve()
    robot = ik.node.skeleton
    for copy in (robot.clone("other"), pickle.loads(pickle.dumps(robot))):
        other = InverseKinematics.of(copy.end_effector("tip"))
        assert other.objective == function and other.solve() == result
    ik.objective = None
    ik.problem.objective = function
    assert ik.is_searched and ik.solve() == result
    ik.reset_problem()
    ik.objective, ik.solver = function, SciPySolver(tolerance=1e-12)
    ik.positions = result.positions + 0.01
    np.testing.assert_allclose(ik.solve().positions, result.positions, atol=1e-4)


@pytest.mark.parametrize("weight", [0.1, 10.0])
@pytest.mark.parametrize("kind", ["region", "cone"])
def test_weights_of_bounds_leave_the_minimum_where_it_is(kind: str, weight: float) -> None:
    found = []
    for scale in (1.0, weight):
        ik = seven()
        if kind == "region":
            weights = np.full(6, scale)
            ik.positions = [0.4, -0.5, 0.3, 0.9, -0.2, 0.7, 0.1]
            ik.target.set_transform(ik.transform())
            ik.error_method = TaskSpaceRegion((0.2, 0.2, 0.2), (0.05, 0.05, 0.05), weights=weights)
        else:
            ik.positions = np.linspace(0.2, 0.8, 7)
            ik.error_method = LookAt((0.0, 0.0, 1.0), 0.3, weight=scale)
            ik.target.set_translation((1.0, 0.8, 0.5))
        ik.objective = QuadraticFunction(np.zeros(7))
        found.append(ik.solve())
        assert found[-1].success and found[-1].is_optimal, found[-1].message
    np.testing.assert_allclose(found[1].positions, found[0].positions, atol=1e-5)
    assert found[1].iterations <= 2 * found[0].iterations + 10
