"""Objectives, problem and solver of a hierarchy."""

from __future__ import annotations

import numpy as np
import pytest
from _hierarchies import LIMBS, Modules, aim, assert_all_there, assert_within, left_of, modules_of, near
from _poses import Array

import kido
from kido import InverseKinematics, gallery
from kido.ik import CompositeIK, PositionError, WholeBodyIK
from kido.optimize import (
    Function,
    GradientDescentSolver,
    ModularFunction,
    NullFunction,
    SciPySolver,
    Solver,
)

LEFT = 2e-6
"""Error that solvers leave, beside angles that count less [rad, m]."""


class Square(Function):
    """Half the squared distance from positions."""

    def __init__(self, wanted: Array, weight: float = 1.0) -> None:
        self._wanted, self._weight = wanted, weight

    def value(self, x: Array) -> float:
        return float(0.5 * self._weight * np.sum((x - self._wanted) ** 2))

    def gradient(self, x: Array) -> Array:
        return self._weight * (x - self._wanted)


def feet_and_hand(seed: int = 0, part: float = 0.3) -> tuple[WholeBodyIK, Modules]:
    robot = gallery.humanoid()
    modules = modules_of(robot, {"left_foot": 0, "right_foot": 0, "left_hand": 1})
    aim(modules, near(robot, seed, part))
    return WholeBodyIK(robot), modules


def assert_there(modules: Modules, positions: Array) -> None:
    __tracebackhide__ = True
    for name, left in left_of(modules, positions).items():
        assert max(left) < 3.0 * LEFT, name


# ---- objectives


def test_a_null_space_objective_is_lower_and_the_errors_are_as_small() -> None:
    whole, modules = feet_and_hand()
    posture = Square(near(whole.skeleton, 20, 0.3))
    before = whole.solve()
    whole.null_space_objective = posture
    result = whole.solve()
    assert result.success
    assert_there(modules, result.positions)
    assert_within(whole.skeleton, result.positions)
    assert posture.value(result.positions) < 0.8 * posture.value(before.positions)
    assert result.is_optimal and before.stationarity is None


def test_a_null_space_objective_and_descent_come_to_where_quadratic_programs_do() -> None:
    whole, _ = feet_and_hand()
    posture = Square(near(whole.skeleton, 20, 0.3))
    whole.null_space_objective = posture
    descended = posture.value(whole.solve_and_apply().positions)
    whole.null_space_objective, whole.objective, whole.solver = None, posture, SciPySolver()
    np.testing.assert_allclose(posture.value(whole.solve().positions), descended, rtol=1e-4)


def test_a_null_space_objective_ends_where_no_free_motion_lowers_it() -> None:
    whole, modules = feet_and_hand(1, 0.15)
    whole.null_space_objective = posture = Square(whole.skeleton.positions)
    result = whole.solve_and_apply()
    assert result.success
    lower, upper = whole.skeleton.position_lower_limits, whole.skeleton.position_upper_limits
    inside = (result.positions > lower + 1e-6) & (result.positions < upper - 1e-6)
    inside[:6] = False  # rates of the root's positions are no velocities
    J = np.concatenate([whole.skeleton.jacobian(ik.node) for ik in modules.values()])
    _, sizes, rows = np.linalg.svd(J[:, inside])
    free = rows[np.sum(sizes > 1e-9) :]
    assert len(free) > 3
    gradient = posture.gradient(result.positions)[inside]
    assert np.linalg.norm(free @ gradient) < 1e-3 * np.linalg.norm(gradient)


def test_an_objective_is_weighed_where_the_errors_are_zero() -> None:
    whole, modules = feet_and_hand()
    posture = Square(near(whole.skeleton, 20, 0.3))
    before = whole.solve()
    whole.objective, whole.solver = posture, SciPySolver()
    result = whole.solve()
    assert result.success, result.message
    assert_there(modules, result.positions)
    assert posture.value(result.positions) < 0.8 * posture.value(before.positions)


def test_without_objectives_again_it_is_searched_again() -> None:
    whole, _ = feet_and_hand()
    before = whole.solve()
    whole.null_space_objective = Square(whole.skeleton.positions)
    assert not np.array_equal(whole.solve().positions, before.positions)
    whole.null_space_objective = None
    assert isinstance(whole.null_space_objective, NullFunction) and isinstance(whole.objective, NullFunction)
    np.testing.assert_array_equal(whole.solve().positions, before.positions)


def test_objectives_problem_and_solver_of_the_modules_do_not_matter() -> None:
    whole, modules = feet_and_hand()
    before = whole.solve()
    for ik in modules.values():
        count = len(ik.dofs)
        ik.objective, ik.null_space_objective = Square(np.ones(count)), Square(np.ones(count))
        ik.problem.add_seed(np.zeros(count))
        ik.solver = SciPySolver()
    np.testing.assert_array_equal(whole.solve().positions, before.positions)


# ---- solvers


@pytest.mark.parametrize(
    "solver",
    [GradientDescentSolver(step_size=1.0, max_iterations=500), SciPySolver()],
    ids=["descent", "slsqp"],
)
def test_solvers_reach_what_the_search_reaches(solver: Solver) -> None:
    whole, modules = feet_and_hand(2)
    before = whole.skeleton.positions
    whole.solver = solver
    result = whole.solve()
    assert result.success, result.message
    assert all(task.success for task in result.tasks) and result.iterations > 1
    assert_there(modules, result.positions)
    assert_within(whole.skeleton, result.positions)
    np.testing.assert_array_equal(whole.skeleton.positions, before)


def test_the_solver_may_change_after_the_problem_was_asked_for() -> None:
    whole, modules = feet_and_hand()
    whole.problem.add_seed(whole.positions)
    for solver in (SciPySolver(), GradientDescentSolver(step_size=1.0)):
        whole.solver = solver
        assert whole.solve().success
    whole.solver = None
    assert_there(modules, whole.solve().positions)


# ---- the problem


def test_derivatives_of_the_problem_are_those_of_its_values() -> None:
    robot = gallery.humanoid(compound_joints=True)
    modules = modules_of(robot, {"left_foot": 0, "left_hand": 1})
    aim(modules, near(robot, 4, 0.4))
    modules["left_hand"].error_method = PositionError()
    whole = WholeBodyIK(robot)
    whole.solver = SciPySolver()
    x, problem = near(robot, 5, 0.2), whole.problem
    columns = []
    for i in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        ahead[i] += 1e-6
        behind[i] -= 1e-6
        columns.append((problem.equality_values(ahead) - problem.equality_values(behind)) / 2e-6)
    np.testing.assert_allclose(problem.equality_jacobian(x), np.transpose(columns), atol=1e-7)


def test_a_constraint_of_the_users_own_is_kept_until_the_problem_is_reset() -> None:
    whole, modules = feet_and_hand()
    before = whole.solve()
    height = whole.skeleton.dof("root_pos_z").index
    least = before.positions[height] + 1e-3
    whole.solver = SciPySolver()
    whole.problem.inequality_constraints.add(
        ModularFunction(lambda x: least - float(x[height]), lambda x: -np.eye(len(x))[height])
    )
    whole.problem.inequality_constraints.add(
        ModularFunction(lambda x: float(x[height]) - least - 1e-3, lambda x: np.eye(len(x))[height])
    )
    aim({"hand": modules["left_hand"]}, near(whole.skeleton, 0, 0.1))
    del modules["left_foot"], modules["right_foot"]
    whole.skeleton.end_effector("left_foot").addon(InverseKinematics).active = False
    whole.skeleton.end_effector("right_foot").addon(InverseKinematics).active = False
    result = whole.solve()
    assert result.success, result.message
    assert least - 1e-6 <= result.positions[height] <= least + 1e-3 + 1e-6
    whole.solver = None
    whole.reset_problem()
    assert len(whole.problem.inequality_constraints) == 0


def test_a_reset_problem_is_made_of_the_modules_as_they_are() -> None:
    whole, modules = feet_and_hand()
    whole.problem.equality_constraints.clear()
    assert whole.solve().iterations <= 1
    whole.reset_problem()
    assert_all_there(modules, whole.solve())


def test_limits_that_change_after_the_problem_was_asked_for_are_kept() -> None:
    whole, _ = feet_and_hand()
    whole.problem.add_seed(whole.positions)
    knee = whole.skeleton.dof("left_knee")
    free = whole.solve().positions[knee.index]
    knee.position_upper_limit = free - 0.05
    assert whole.solve().positions[knee.index] <= free - 0.05


def test_bounds_of_the_problem_may_be_narrower_than_the_limits() -> None:
    whole, modules = feet_and_hand()
    place = whole.skeleton.dof("waist_yaw").index
    lower, upper = np.array(whole.problem.lower_bounds), np.array(whole.problem.upper_bounds)
    lower[place], upper[place] = -0.01, 0.01
    whole.problem.set_bounds(lower, upper)
    result = whole.solve()
    assert abs(result.positions[place]) <= 0.01
    assert set(LIMBS) >= {task.node for task in result.tasks} == set(modules)


def test_positions_can_be_had_for_a_while() -> None:
    robot = gallery.arm7()
    hierarchy = CompositeIK(robot)
    before = robot.positions
    with pytest.raises(RuntimeError), hierarchy.at(before + 0.1):
        np.testing.assert_array_equal(hierarchy.positions, before + 0.1)
        raise RuntimeError
    np.testing.assert_array_equal(robot.positions, before)
    hierarchy.positions = before - 0.1
    np.testing.assert_array_equal(robot.positions, before - 0.1)
    assert hierarchy.skeleton is robot and isinstance(hierarchy.settings, kido.SearchSettings)
