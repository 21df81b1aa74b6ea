"""The problem of a module, its objectives and its solvers."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from _ik_situations import SITUATIONS
from _planar import LENGTHS, REST, TARGET, Rest, redundant
from _poses import Array, gap, placed, planar_arm, with_positions

import kido
from kido import InverseKinematics, gallery
from kido.ik import (
    DampedLeastSquares,
    ErrorMethod,
    GradientMethod,
    IKFunction,
    JacobianPseudoinverse,
    PoseError,
    SelectivelyDampedLeastSquares,
    TaskSpaceRegion,
    WholeBodyIK,
)
from kido.optimize import (
    Function,
    GaussNewtonSolver,
    GradientDescentSolver,
    LevenbergMarquardtSolver,
    ModularFunction,
    NullFunction,
    SciPySolver,
    Solver,
)

SOLVERS: dict[str, Solver] = {
    "gradient descent": GradientDescentSolver(step_size=1.0, max_iterations=150),
    "SLSQP": SciPySolver(),
    "trust-constr": SciPySolver(method="trust-constr", tolerance=1e-7, max_iterations=100),
    "Levenberg-Marquardt": LevenbergMarquardtSolver(),
    "Gauss-Newton": GaussNewtonSolver(),
}
every_solver = pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS.keys())


class Straight(Function):
    """Half the square of the positions."""

    def value(self, x: Array) -> float:
        return 0.5 * float(x @ x)

    def gradient(self, x: Array) -> Array:
        return x.copy()


def at_target() -> Array:
    """Positions (n, 3) that put the tip at the target, by the angle of the last link and both elbows."""
    a, b, c = LENGTHS
    turn = np.linspace(-np.pi, np.pi, 200_001)
    x, y = TARGET[0] - c * np.cos(turn), TARGET[1] - c * np.sin(turn)
    cosine = (x**2 + y**2 - a**2 - b**2) / (2 * a * b)
    reachable = np.abs(cosine) <= 1.0
    found = []
    for side in (1.0, -1.0):
        elbow = side * np.arccos(cosine[reachable])
        first = np.arctan2(y, x)[reachable] - np.arctan2(b * np.sin(elbow), a + b * np.cos(elbow))
        q = np.stack([first, elbow, turn[reachable] - first - elbow], axis=-1)
        found.append((q + np.pi) % (2 * np.pi) - np.pi)
    return np.concatenate(found)


def least_at_target(below: float = math.inf) -> tuple[Array, float]:
    """The positions at the target that are nearest to rest, with a first one of at most `below`."""
    q = at_target()
    q = q[q[:, 0] <= below]
    costs = 0.5 * np.sum((q - REST) ** 2, axis=1)
    return q[np.argmin(costs)], float(costs.min())


def six(displacement: float = 0.2, seed: int = 0) -> tuple[InverseKinematics, Array]:
    """An arm with six joints near the target, and the target."""
    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    wanted = np.array([0.4, 0.5, -1.1, 0.6, 0.9, -0.7])
    target = placed(ik.owner, with_positions(ik, wanted))
    ik.target.set_transform(target)
    ik.positions = wanted + np.random.default_rng(seed).uniform(-displacement, displacement, 6)
    return ik, target


# ---- what the problem is


def test_the_problem_has_the_dofs_their_limits_and_an_error_that_is_to_be_zero() -> None:
    ik, _ = six()
    problem = ik.problem
    assert problem.dimension == 6 and ik.problem is problem
    np.testing.assert_array_equal(problem.lower_bounds, [dof.position_lower_limit for dof in ik.dofs])
    np.testing.assert_array_equal(problem.upper_bounds, [dof.position_upper_limit for dof in ik.dofs])
    np.testing.assert_array_equal(problem.initial_guess, ik.positions)
    assert isinstance(problem.objective, NullFunction)
    assert len(problem.equality_constraints) == 1 and len(problem.inequality_constraints) == 0
    assert problem.violation([0.4, 0.5, -1.1, 0.6, 0.9, -0.7]) < 1e-9
    assert problem.violation(ik.positions) > 0.01


def test_gradient_descent_sees_the_length_of_the_error_and_the_step_of_the_method() -> None:
    ik, _ = six()
    ik.solver, x = GradientDescentSolver(), ik.positions
    np.testing.assert_allclose(ik.problem.equality_values(x), [np.linalg.norm(ik.weighted_error())])
    np.testing.assert_allclose(ik.problem.equality_jacobian(x), [ik.gradient()])


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("error_method", [None, PoseError()], ids=["region", "pose"])
def test_other_solvers_see_the_error_and_its_derivatives(
    situation: str, error_method: ErrorMethod | None
) -> None:
    ik = SITUATIONS[situation]()
    ik.error_method = error_method or TaskSpaceRegion()
    ik.target.set_translation(ik.transform()[:3, 3] + [0.2, -0.3, 0.25])
    ik.solver = LevenbergMarquardtSolver()
    rng = np.random.default_rng(0)
    x, h = ik.positions + rng.uniform(-0.1, 0.1, len(ik.dofs)), 1e-6
    values = ik.problem.equality_values
    differences = [(values(x + h * step) - values(x - h * step)) / (2 * h) for step in np.eye(len(x))]
    np.testing.assert_allclose(ik.problem.equality_jacobian(x), np.transpose(differences), atol=1e-7)
    with ik.at(x):
        np.testing.assert_allclose(values(x), ik.weights(ik.error) * ik.error)


def test_the_error_that_other_solvers_see_is_not_shortened() -> None:
    ik, _ = six()
    ik.error_method = PoseError(length_clamp=0.01)
    ik.solver = SciPySolver()
    assert np.linalg.norm(ik.problem.equality_values(ik.positions)) > 0.1
    ik.solver = GradientDescentSolver()
    np.testing.assert_allclose(ik.problem.equality_values(ik.positions), [0.01])


def test_it_does_not_matter_when_the_problem_is_first_looked_at() -> None:
    late, _ = six()
    early, _ = six()
    for ik in (late, early):
        if ik is early:
            assert ik.problem.dimension == 6
        ik.solver = LevenbergMarquardtSolver()
    first, second = late.solve(), early.solve()
    assert first.success
    np.testing.assert_array_equal(first.positions, second.positions)


def test_the_problem_follows_the_dofs() -> None:
    ik, _ = six()
    ik.problem.add_seed(np.zeros(6))
    ik.dofs = ik.dofs[:4]
    ik.solver = GradientDescentSolver(max_iterations=10)
    assert ik.problem.dimension == 4 and ik.problem.seeds == ()
    np.testing.assert_array_equal(ik.problem.upper_bounds, ik.position_limits[1])
    assert len(ik.solve().positions) == 4


def test_the_problem_follows_the_limits() -> None:
    ik = redundant()
    ik.solver = SciPySolver()
    np.testing.assert_array_equal(ik.problem.upper_bounds, np.full(3, np.inf))
    ik.dofs[1].position_upper_limit = 0.3
    np.testing.assert_array_equal(ik.problem.upper_bounds, [np.inf, 0.3, np.inf])
    assert ik.solve().positions[1] <= 0.3
    ik.dofs[1].position_upper_limit = 2.0
    np.testing.assert_array_equal(ik.problem.upper_bounds, [np.inf, 2.0, np.inf])


def test_bounds_that_are_set_hold_within_the_limits() -> None:
    ik = redundant()
    ik.dofs[2].position_upper_limit, ik.dofs[2].position_lower_limit = 0.1, -2.0
    ik.problem.upper_bounds = [0.35, 5.0, 5.0]
    ik.problem.lower_bounds = [-5.0, 0.2, -5.0]
    ik.solver = SciPySolver()
    np.testing.assert_array_equal(ik.problem.upper_bounds, [0.35, 5.0, 0.1])
    np.testing.assert_array_equal(ik.problem.lower_bounds, [-5.0, 0.2, -2.0])
    result = ik.solve()
    assert result.success
    assert result.positions[0] <= 0.35 and result.positions[1] >= 0.2 and result.positions[2] <= 0.1


def test_the_problem_follows_objectives_until_another_is_put_in() -> None:
    ik = redundant()
    assert isinstance(ik.problem.objective, NullFunction)
    ik.objective = Rest()
    assert ik.problem.objective is ik.objective
    own = ModularFunction(lambda x: float(x @ x))
    ik.problem.objective = own
    ik.objective = Rest()
    assert ik.problem.objective is own
    ik.reset_problem()
    assert ik.problem.objective is ik.objective


def test_constraints_that_are_added_are_kept_until_the_problem_is_reset() -> None:
    ik = redundant()
    ik.solver, ik.objective = SciPySolver(), Rest()
    free = ik.solve()
    assert free.success and free.positions[0] > 0.0
    ik.problem.inequality_constraints.add(ModularFunction(lambda x: x[0] + 0.1, lambda x: np.eye(3)[0]))
    held = ik.solve()
    assert held.success
    expected, _ = least_at_target(below=-0.1)
    np.testing.assert_allclose(held.positions, expected, atol=1e-3)
    ik.reset_problem()
    assert len(ik.problem.inequality_constraints) == 0
    np.testing.assert_allclose(ik.solve().positions, free.positions, atol=1e-9)


def test_a_constraint_that_contradicts_the_target_is_not_taken_for_solved() -> None:
    ik = redundant()
    ik.solver = SciPySolver()
    ik.problem.equality_constraints.add(ModularFunction(lambda x: float(x[1])))
    ik.problem.equality_constraints.add(ModularFunction(lambda x: float(x[2])))
    result = ik.solve()
    assert not result.success


@pytest.mark.parametrize("kind", ["module", "hierarchy"])
def test_a_problem_that_was_only_looked_at_is_searched(kind: str) -> None:
    ik, _ = six(displacement=1.5, seed=3)
    owner: Any = ik if kind == "module" else WholeBodyIK(ik.node.skeleton)
    before = owner.solve()
    assert owner.problem.dimension == 6 and len(owner.problem.seeds) == 0 and owner.is_searched
    assert owner.solve() == before
    owner.objective = Straight()
    lowered = owner.solve()
    assert lowered.stationarity is not None and lowered != before
    owner.objective = None
    assert owner.problem.objective is not None and owner.solve() == before
    owner.problem.objective = Straight()
    assert owner.is_searched and owner.has_objectives and owner.solve() == lowered
    owner.objective = ModularFunction(lambda x: float("nan"))  # the problem's own counts
    assert owner.solve() == lowered
    owner.problem.objective = None
    assert owner.is_searched and not owner.has_objectives and owner.solve() == before


def test_copies_of_a_problem_that_was_only_looked_at_are_searched() -> None:
    ik, target = six()
    assert ik.problem.dimension == 6
    robots = ik.node.skeleton.clone(), pickle.loads(pickle.dumps(ik.node.skeleton))
    for robot in robots:
        other = InverseKinematics.of(robot.end_effector("tool"))
        assert other.is_searched and other.problem.dimension == 6 and other.is_searched
        assert other.solve() == ik.solve()
        assert other.solve_batch(target[None])[0] == ik.solve()


CHANGES: dict[str, Callable[[Any], None]] = {
    "a seed": lambda p: p.add_seed(np.zeros(6)),
    "a bound": lambda p: setattr(p, "upper_bounds", p.upper_bounds - 0.01),
    "another bound": lambda p: setattr(p, "lower_bounds", p.lower_bounds + 0.01),
    "an initial guess": lambda p: setattr(p, "initial_guess", np.zeros(6)),
    "an equality": lambda p: p.equality_constraints.add(ModularFunction(lambda x: 0.0)),
    "an inequality": lambda p: p.inequality_constraints.add(ModularFunction(lambda x: -1.0)),
    "a constraint removed": lambda p: p.equality_constraints.clear(),
}


@pytest.mark.parametrize("kind", ["module", "hierarchy"])
@pytest.mark.parametrize("name", CHANGES)
def test_what_the_search_does_not_know_is_solved_as_a_problem_until_it_is_taken_back(
    name: str, kind: str
) -> None:
    ik, _ = six()
    owner: Any = ik if kind == "module" else WholeBodyIK(ik.node.skeleton)
    problem = owner.problem
    own = tuple(problem.equality_constraints)
    CHANGES[name](problem)
    assert not owner.is_searched
    problem.clear_seeds()
    problem.set_bounds(np.full(6, -np.inf), np.full(6, np.inf))  # within the limits
    problem.inequality_constraints.clear()
    problem.equality_constraints.clear()
    for constraint in own:
        problem.equality_constraints.add(constraint)
    assert owner.problem is problem and owner.is_searched is (name != "an initial guess")


def test_the_errors_of_another_module_are_more_than_the_search_knows() -> None:
    ik, _ = six()
    other, _ = six()
    (theirs,) = other.problem.equality_constraints
    ik.problem.equality_constraints.clear()
    ik.problem.equality_constraints.add(theirs)
    assert not ik.is_searched


def test_after_a_reset_positions_are_searched_again() -> None:
    ik, _ = six()
    assert ik.is_searched
    ik.problem.add_seed(np.zeros(6))
    assert not ik.is_searched
    ik.reset_problem()
    assert ik.is_searched


# ---- solvers


@every_solver
def test_solvers_meet_poses_within_the_limits_and_leave_the_skeleton(solver: Solver) -> None:
    for seed in range(2):
        ik, target = six(seed=seed)
        ik.solver = solver
        before = ik.owner.skeleton.positions
        result = ik.solve()
        assert result.success, result.message
        assert max(gap(placed(ik.owner, with_positions(ik, result.positions)), target)) < 5e-6
        np.testing.assert_array_equal(ik.owner.skeleton.positions, before)
        applied = ik.solve_and_apply()
        np.testing.assert_array_equal(applied.positions, result.positions)
        np.testing.assert_array_equal(ik.positions, result.positions)


@every_solver
def test_solvers_meet_regions_of_which_components_are_free(solver: Solver) -> None:
    ik, target = six()
    inf = math.inf
    ik.error_method = TaskSpaceRegion(angular=(0.0, 0.0, inf), linear=(inf, inf, 0.0))
    ik.solver = solver
    ik.positions = ik.positions + 0.15
    result = ik.solve_and_apply()
    assert result.success, result.message
    T = placed(ik.owner, ik.owner.skeleton.positions)
    np.testing.assert_allclose(T[2, 3], target[2, 3], atol=5e-6)
    np.testing.assert_allclose((T[:3, :3] @ target[:3, :3].T)[2, 2], 1.0, atol=1e-9)


@every_solver
def test_solvers_keep_the_limits_also_where_the_target_is_beyond_them(solver: Solver) -> None:
    ik, _ = six()
    ik.dofs[1].position_upper_limit, ik.dofs[2].position_lower_limit = 0.3, -0.9
    ik.solver = solver
    result = ik.solve()
    assert not result.success
    assert (result.positions <= ik.position_limits[1]).all()
    assert (result.positions >= ik.position_limits[0]).all()


@every_solver
def test_solvers_bring_dofs_inside_that_start_outside_of_the_limits(solver: Solver) -> None:
    ik, target = six()
    ik.dofs[0].position_lower_limit = 0.1
    ik.positions = [-0.3, 0.5, -1.1, 0.6, 0.9, -0.7]
    ik.solver = solver
    result = ik.solve()
    assert result.success and result.positions[0] >= 0.1
    assert max(gap(placed(ik.owner, with_positions(ik, result.positions)), target)) < 5e-6


def test_a_solver_without_constraints_is_refused_by_name() -> None:
    ik, _ = six()
    ik.solver = SciPySolver(method="L-BFGS-B")
    with pytest.raises(ValueError, match=r"L-BFGS-B.* takes no equality constraints"):
        ik.solve()


def test_what_is_out_of_reach_is_approached_by_gradient_descent() -> None:
    ik = redundant()
    ik.gradient_method = SelectivelyDampedLeastSquares()
    ik.solver = GradientDescentSolver(step_size=1.0, max_iterations=300)
    ik.target.set_translation((3.0, 4.0, 0.0))
    result = ik.solve()
    assert not result.success
    np.testing.assert_allclose(result.linear_error, 5.0 - sum(LENGTHS), atol=1e-3)


@pytest.mark.parametrize("bad", ["SLSQP", SciPySolver, 1.0])
def test_what_is_no_solver_is_refused(bad: Any) -> None:
    ik, _ = six()
    with pytest.raises(TypeError, match=r"^solver: expected a Solver or None, got"):
        ik.solver = bad
    assert ik.solver is None


# ---- objectives


@pytest.mark.parametrize("name", ["SLSQP", "Levenberg-Marquardt", "Gauss-Newton"])
def test_an_objective_is_least_among_what_meets_the_target(name: str) -> None:
    ik = redundant()
    ik.objective, ik.solver = Rest(), SOLVERS[name]
    result = ik.solve()
    assert result.success, result.message
    expected, cost = least_at_target()
    np.testing.assert_allclose(Rest().value(result.positions), cost, atol=1e-6)
    np.testing.assert_allclose(result.positions, expected, atol=1e-3)


def test_an_objective_without_derivatives_is_least_among_what_meets_the_target() -> None:
    ik = redundant()
    ik.objective = ModularFunction(lambda x: 0.5 * float((x - REST) @ (x - REST)))
    ik.solver = SciPySolver()
    np.testing.assert_allclose(ik.solve().positions, least_at_target()[0], atol=1e-3)


@dataclass
class Raised(Function):
    """Distance of the second link from the x axis: a function that looks at the skeleton."""

    ik: InverseKinematics

    def value(self, x: Array) -> float:
        with self.ik.at(x):
            return float(self.ik.owner.skeleton.body("link2").transform()[1, 3] ** 2)


def test_an_objective_may_look_at_the_skeleton() -> None:
    ik = redundant()
    ik.objective, ik.solver = Raised(ik), SciPySolver()
    before = ik.positions
    result = ik.solve()
    assert result.success
    np.testing.assert_array_equal(ik.positions, before)
    q = at_target()
    heights = np.sin(q[:, 0]) + 0.8 * np.sin(q[:, 0] + q[:, 1])
    got = np.sin(result.positions[0]) + 0.8 * np.sin(result.positions[:2].sum())
    np.testing.assert_allclose(abs(got), np.abs(heights).min(), atol=1e-3)


def test_an_objective_uses_the_room_between_bounds() -> None:
    ik = redundant()
    ik.error_method = TaskSpaceRegion(angular=(math.inf,) * 3, linear=(0.2, 0.1, math.inf))
    ik.objective, ik.solver = Lowered(ik), SciPySolver()
    result = ik.solve_and_apply()
    assert result.success
    np.testing.assert_allclose(placed(ik.owner, ik.positions)[1, 3], TARGET[1] - 0.1, atol=1e-4)
    assert abs(placed(ik.owner, ik.positions)[0, 3] - TARGET[0]) <= 0.2 + 1e-6
    assert result.linear_error < 1e-6


def test_a_null_space_objective_does_not_push_the_node_through_the_limits() -> None:
    ik = redundant()
    limit = float(least_at_target()[0][0]) - 0.2
    ik.dofs[0].position_upper_limit = limit
    ik.positions = [limit - 0.3, 0.9, 0.3]
    ik.null_space_objective = ModularFunction(
        lambda x: 0.3 * Rest().value(x), lambda x: 0.3 * Rest().gradient(x)
    )
    result = ik.solve()
    assert result.success and result.linear_error < 1e-6
    np.testing.assert_allclose(result.positions, least_at_target(below=limit)[0], atol=1e-3)


@pytest.mark.parametrize(
    "method", [DampedLeastSquares(), JacobianPseudoinverse(), SelectivelyDampedLeastSquares()]
)
def test_a_null_space_objective_lowers_itself_and_leaves_the_error(method: GradientMethod) -> None:
    ik = redundant()
    ik.gradient_method, ik.solver = method, GradientDescentSolver(step_size=1.0)
    without = ik.solve()
    ik.null_space_objective = ModularFunction(
        lambda x: 0.3 * Rest().value(x), lambda x: 0.3 * Rest().gradient(x)
    )
    with_it = ik.solve()
    assert without.success and with_it.success
    assert with_it.linear_error < 1e-6
    assert Rest().value(with_it.positions) < 0.5 * Rest().value(without.positions)
    np.testing.assert_allclose(with_it.positions, least_at_target()[0], atol=1e-3)


def test_a_null_space_objective_alone_is_enough_for_gradient_descent_to_be_used() -> None:
    ik = redundant()
    ik.null_space_objective = ModularFunction(
        lambda x: 0.3 * Rest().value(x), lambda x: 0.3 * Rest().gradient(x)
    )
    result = ik.solve()
    assert result.success
    np.testing.assert_allclose(result.positions, least_at_target()[0], atol=1e-3)


def test_the_gradient_of_a_null_space_objective_does_not_move_the_node() -> None:
    ik = redundant()
    ik.null_space_objective = Rest()
    gradient = ik.problem.gradient(ik.positions)
    moved = ik.jacobian()[3:] @ gradient
    np.testing.assert_allclose(moved, 0.0, atol=1e-12)
    assert gradient @ (ik.positions - REST) > 0.1


def test_the_gradient_of_a_null_space_objective_is_none_where_nothing_is_left_over() -> None:
    ik, _ = six()
    ik.null_space_objective = ModularFunction(lambda x: float(x @ x), lambda x: 2.0 * x)
    np.testing.assert_allclose(ik.problem.gradient(ik.positions), 0.0, atol=1e-12)


def test_the_null_space_of_an_arm_in_the_plane_is_not_narrowed_by_rounding() -> None:
    arm = planar_arm(0.5, 0.4, 0.3, 0.2)
    turn = kido.SimpleFrame("tilted", transform=placed(SITUATIONS["panda"]().node, np.full(9, 0.4)))
    arm.positions = [0.3, -0.5, 0.8, 0.4]
    ik = InverseKinematics.of(arm.end_effector("tip"))
    ik.reference_frame = turn
    ik.null_space_objective = ModularFunction(lambda x: float(x @ x), lambda x: 2.0 * x)
    gradient = ik.problem.gradient(ik.positions)
    assert np.linalg.norm(gradient) > 0.1
    np.testing.assert_allclose(ik.jacobian() @ gradient, 0.0, atol=1e-12)


def test_the_objectives_are_added() -> None:
    ik = redundant()
    x = ik.positions
    ik.objective = ModularFunction(lambda x: float(x[0]), lambda x: np.eye(3)[0])
    ik.null_space_objective = Rest()
    projected = ik.problem.gradient(x) - np.eye(3)[0]
    np.testing.assert_allclose(ik.jacobian()[3:] @ projected, 0.0, atol=1e-12)
    np.testing.assert_allclose(ik.problem.value(x), x[0] + Rest().value(x))


def test_objectives_are_taken_away_by_none() -> None:
    ik = redundant()
    ik.objective, ik.null_space_objective = Rest(), Rest()
    assert ik.solve().is_optimal
    ik.objective = ik.null_space_objective = None
    assert ik.solve().stationarity is None
    assert isinstance(ik.objective, NullFunction) and isinstance(ik.null_space_objective, NullFunction)


@pytest.mark.parametrize("part", ["objective", "null_space_objective"])
def test_what_is_no_function_is_refused(part: str) -> None:
    ik = redundant()
    with pytest.raises(TypeError, match=rf"^{part}: expected a Function or None, got function; .*Modular"):
        setattr(ik, part, lambda x: 0.0)
    assert isinstance(getattr(ik, part), NullFunction)


@pytest.mark.parametrize("part", ["objective", "null_space_objective"])
def test_least_squares_refuse_what_is_no_sum_of_squares(part: str) -> None:
    ik = redundant()
    setattr(ik, part, ModularFunction(lambda x: float(x @ x)))
    ik.solver = LevenbergMarquardtSolver()
    with pytest.raises(TypeError, match="LevenbergMarquardtSolver needs a LeastSquaresFunction"):
        ik.solve()


# ---- incomplete results


@pytest.mark.parametrize("solver", [None, SOLVERS["gradient descent"], SOLVERS["SLSQP"]])
def test_an_incomplete_result_is_applied_unless_it_is_not_wanted(solver: Solver | None) -> None:
    ik = redundant()
    ik.solver = solver
    ik.target.set_translation((3.0, 4.0, 0.0))
    before = ik.positions
    left = ik.solve_and_apply(allow_incomplete=False)
    assert not left.success
    np.testing.assert_array_equal(ik.positions, before)
    moved = ik.solve_and_apply()
    assert not moved.success
    np.testing.assert_array_equal(ik.positions, moved.positions)
    np.testing.assert_array_equal(moved.positions, left.positions)


@every_solver
def test_a_complete_result_is_applied_also_where_an_incomplete_one_is_not_wanted(solver: Solver) -> None:
    ik, target = six()
    ik.solver = solver
    assert ik.solve_and_apply(allow_incomplete=False).success
    assert max(gap(placed(ik.owner, ik.owner.skeleton.positions), target)) < 5e-6


# ---- parts that fail


class Breaks(Exception):
    """Raised by a user's part."""


def breaking(*_: Any) -> Any:
    raise Breaks("here")


class BreakingError(ErrorMethod):
    asked = 0

    def compute_error(self, ik: InverseKinematics) -> Array:
        self.asked += 1
        return breaking() if self.asked > 3 else ik.positions - 9.0


class BreakingGradient(GradientMethod):
    def compute_gradient(self, ik: InverseKinematics, error: Array, jacobian: Array) -> Array:
        return np.asarray(breaking())


@pytest.mark.parametrize("solver", [None, GradientDescentSolver(), SciPySolver()])
@pytest.mark.parametrize(
    ("part", "make"),
    [
        ("objective", lambda: ModularFunction(breaking)),
        ("objective", lambda: ModularFunction(lambda x: float(x @ x), breaking)),
        ("null_space_objective", lambda: ModularFunction(lambda x: float(x @ x), breaking)),
        ("error_method", BreakingError),
        ("gradient_method", BreakingGradient),
    ],
)
def test_the_skeleton_is_as_it_was_where_a_part_raises(
    part: str, make: Callable[[], Any], solver: Solver | None
) -> None:
    ik, _ = six()
    if part == "gradient_method" and isinstance(solver, SciPySolver):
        solver = None
    ik.solver = solver
    setattr(ik, part, make())
    robot = ik.owner.skeleton
    robot.velocities = np.linspace(0.1, 0.6, 6)
    before = robot.positions
    for ask in (ik.solve, ik.solve_and_apply):
        with pytest.raises(Breaks):
            ask()
        np.testing.assert_array_equal(robot.positions, before)
        np.testing.assert_array_equal(robot.velocities, np.linspace(0.1, 0.6, 6))
        if part == "error_method":
            ik.error_method = BreakingError()


class Sized(ErrorMethod):
    """Gives arrays of the shapes that it is made with."""

    def __init__(self, error: Any, jacobian: Any, weights: Any = None) -> None:
        self.shapes, self.given_weights = (error, jacobian), weights

    @property
    def weights(self) -> Any:
        return self.given_weights

    def compute_error(self, ik: InverseKinematics) -> Array:
        return np.ones(self.shapes[0])

    def compute_jacobian(self, ik: InverseKinematics) -> Array:
        return np.ones(self.shapes[1])


@pytest.mark.parametrize("solver", [None, GradientDescentSolver(), SciPySolver(), LevenbergMarquardtSolver()])
@pytest.mark.parametrize(
    ("method", "message"),
    [
        (Sized((2, 2), (4, 3)), r"Sized\.compute_error: expected shape \(k,\), got \(2, 2\)"),
        (Sized((), (1, 3)), r"Sized\.compute_error: expected shape \(k,\), got \(\)"),
        (Sized((4,), (3, 3)), r"Sized\.compute_jacobian: expected shape \(4, 3\), got \(3, 3\)"),
        (Sized((4,), (4, 2)), r"Sized\.compute_jacobian: expected shape \(4, 3\), got \(4, 2\)"),
        (Sized((4,), (4, 3), np.ones(3)), r"Sized\.weights: expected .*\(4,\), got \(3,\)"),
        (Sized((4,), (4, 3), 2.0), r"Sized\.weights: expected .*\(4,\), got \(\)"),
    ],
)
def test_wrong_sizes_from_an_error_method_are_named(
    method: ErrorMethod, message: str, solver: Solver | None
) -> None:
    ik = redundant()
    ik.error_method, ik.solver = method, solver
    before = ik.positions
    with pytest.raises(ValueError, match=message):
        ik.solve_and_apply()
    np.testing.assert_array_equal(ik.positions, before)


@pytest.mark.parametrize("part", ["objective", "null_space_objective"])
@pytest.mark.parametrize("solver", [None, SciPySolver()])
def test_wrong_sizes_from_an_objective_are_named(part: str, solver: Solver | None) -> None:
    class Sideways(Function):
        def value(self, x: Array) -> float:
            return 0.0

        def gradient(self, x: Array) -> Array:
            return np.zeros(5)

    class Many(Function):
        def value(self, x: Array) -> Any:
            return x

        def gradient(self, x: Array) -> Array:
            return np.zeros(3)

    for function, message in ((Sideways(), r"Sideways\.gradient: .*got \(5,\)"), (Many(), r"Many\.value: ")):
        ik = redundant()
        ik.solver = solver
        setattr(ik, part, function)
        with pytest.raises(ValueError, match=message):
            ik.solve()


def test_dofs_of_another_skeleton_are_refused() -> None:
    ik, other = redundant(), redundant()
    before = ik.dofs
    with pytest.raises(ValueError, match=r"^dofs: 'q1' belongs to another skeleton"):
        ik.dofs = [ik.dofs[0], other.dofs[1]]
    assert ik.dofs == before


# ---- copies


class Lowered(IKFunction):
    """The height of a module's node."""

    def __init__(self, ik: InverseKinematics) -> None:
        self.ik = ik

    def value(self, x: Array) -> float:
        with self.ik.at(x):
            return float(self.ik.transform()[1, 3])

    def copied_to(self, ik: Any) -> Lowered:
        return Lowered(ik)


def test_a_clone_keeps_the_parts_and_asks_functions_of_modules_for_their_own() -> None:
    ik = redundant()
    ik.error_method = TaskSpaceRegion(angular=(math.inf,) * 3, linear=(0.1, 0.1, 0.1))
    ik.gradient_method = JacobianPseudoinverse(component_clamp=0.1)
    ik.objective, ik.null_space_objective = Lowered(ik), Rest()
    ik.solver, ik.hierarchy_level, ik.active = SciPySolver(tolerance=1e-7), 2, False
    ik.problem.add_seed(np.zeros(3))
    robot = ik.owner.skeleton.clone()
    copy = InverseKinematics.of(robot.end_effector("tip"))
    assert copy.error_method == ik.error_method and copy.gradient_method == ik.gradient_method
    assert copy.solver == ik.solver and (copy.hierarchy_level, copy.active) == (2, False)
    assert copy.null_space_objective is ik.null_space_objective
    assert isinstance(copy.objective, Lowered) and copy.objective.ik is copy
    assert isinstance(ik.objective, Lowered) and ik.objective.ik is ik
    np.testing.assert_array_equal(copy.problem.seeds, ik.problem.seeds)


def test_solving_on_a_clone_leaves_the_original_where_it_is() -> None:
    ik = redundant()
    ik.objective, ik.solver = Lowered(ik), SciPySolver()
    ik.error_method = TaskSpaceRegion(angular=(math.inf,) * 3, linear=(0.2, 0.2, 0.2))
    copy = InverseKinematics.of(ik.owner.skeleton.clone().end_effector("tip"))
    before = ik.positions
    result = copy.solve_and_apply()
    assert result.success
    np.testing.assert_array_equal(ik.positions, before)
    np.testing.assert_allclose(ik.solve().positions, result.positions, atol=1e-9)


def test_a_module_is_searched_again_once_its_objective_is_gone() -> None:
    ik = kido.InverseKinematics.of(kido.gallery.arm().end_effector("tool"))
    assert ik.solve().method == "search"
    ik.objective = ModularFunction(lambda q: float(q @ q), lambda q: 2.0 * q)
    assert ik.solve().stationarity is not None
    ik.objective = None
    assert ik.solve().method == "search" and ik.solve().stationarity is None


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_an_error_or_a_derivative_that_is_not_finite_names_its_method(bad: float) -> None:
    class Broken(kido.ik.ErrorMethod):
        def __init__(self, error: float, slope: float) -> None:
            self._error, self._slope = error, slope

        def compute_error(self, ik: InverseKinematics) -> Array:
            return np.array([self._error])

        def compute_jacobian(self, ik: InverseKinematics) -> Array:
            return np.full((1, len(ik.dofs)), self._slope)

    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    before = ik.positions
    ik.error_method = Broken(bad, 1.0)
    for ask in (ik.solve, lambda: ik.error, ik.gradient):
        with pytest.raises(ValueError, match=r"^Broken\.compute_error: expected finite numbers \[rad"):
            ask()
    ik.error_method = Broken(1.0, bad)
    for ask in (ik.solve, ik.gradient):
        with pytest.raises(ValueError, match=r"^Broken\.compute_jacobian: expected finite numbers \[rad"):
            ask()
    np.testing.assert_array_equal(ik.positions, before)
