"""Options of the search: nearest answers, whole turns, time budgets, frozen dofs, all solutions."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np
import pytest
from _poses import Array, placed, planar_arm, pose, reachable

import kido
from kido import InverseKinematics, SearchSettings, gallery
from kido.ik import TaskSpaceRegion
from kido.optimize import ModularFunction, SciPySolver


class InPython(TaskSpaceRegion):
    """The same region, unknown to the native search."""

    def region(self, ik: InverseKinematics) -> None:
        return None


WAYS = pytest.mark.parametrize("method", [TaskSpaceRegion(), InPython()], ids=["native", "python"])


def arm() -> InverseKinematics:
    return InverseKinematics.of(gallery.arm().end_effector("tool"))


def elbow(method: TaskSpaceRegion, upper: float = 3.0) -> InverseKinematics:
    """A planar arm of three joints, all of which turn from -upper to upper."""
    robot = planar_arm(0.5, 0.4, 0.2)
    for dof in robot.dofs:
        dof.position_lower_limit, dof.position_upper_limit = -upper, upper
    ik = InverseKinematics.of(robot.end_effector("tip"))
    ik.error_method = method
    return ik


def both_elbows(q: Array) -> Array:
    """The two positions (2, 3) of the arm of `elbow` that have the pose of positions (3,)."""
    wrist = 0.5 * np.array([np.cos(q[0]), np.sin(q[0])]) + 0.4 * np.array(
        [np.cos(q[0] + q[1]), np.sin(q[0] + q[1])]
    )
    towards = np.arctan2(wrist[1], wrist[0])
    first = 2.0 * towards - q[0]
    return np.array([q, [first, -q[1], q.sum() - first + q[1]]])


@WAYS
def test_the_nearest_answer_is_the_one_with_the_smallest_largest_change(method: TaskSpaceRegion) -> None:
    ik = elbow(method)
    ik.settings = SearchSettings(nearest=True, max_starts=40)
    rng = np.random.default_rng(3)
    for _ in range(10):
        q = rng.uniform(-1.0, 1.0, 3)
        known = both_elbows(q)
        ik.target.set_transform(placed(ik.owner, q))
        ik.positions = rng.uniform(-1.5, 1.5, 3)
        result = ik.solve()
        ways = np.abs(known - ik.positions).max(axis=1)
        assert result.success
        np.testing.assert_allclose(result.positions, known[ways.argmin()], atol=1e-4)


@WAYS
def test_answers_turn_by_whole_turns_towards_where_the_dofs_are(method: TaskSpaceRegion) -> None:
    ik = elbow(method, upper=2.5 * np.pi)
    q = np.array([0.4, 0.8, -0.5])
    ik.target.set_transform(placed(ik.owner, q))
    ik.settings = SearchSettings(nearest=True, max_starts=30)
    ik.positions = q + 2.0 * np.pi * np.array([1.0, -1.0, 1.0]) + 0.01
    np.testing.assert_allclose(ik.solve().positions, q + 2.0 * np.pi * np.array([1.0, -1.0, 1.0]), atol=1e-5)
    result = ik.solve_batch(placed(ik.owner, q)[None], starts=ik.positions)
    np.testing.assert_allclose(result.positions[0], ik.solve().positions, atol=1e-12)


@WAYS
def test_of_all_windings_the_nearest_within_the_limits_is_taken(method: TaskSpaceRegion) -> None:
    upper = 2.6 * np.pi
    ik = elbow(method, upper=upper)
    ik.settings = SearchSettings(nearest=True, max_starts=30)
    rng = np.random.default_rng(8)
    for _ in range(8):
        q = rng.uniform(-2.5, 2.5, 3)
        ik.target.set_transform(placed(ik.owner, q))
        ik.positions = rng.choice([-0.99, 0.99], 3) * upper
        windings = both_elbows(q)[:, :, None] + 2.0 * np.pi * np.arange(-3, 4)
        ways = np.abs(windings - ik.positions[:, None]) + np.where(np.abs(windings) <= upper, 0.0, np.inf)
        nearest = np.take_along_axis(windings, ways.argmin(axis=2)[..., None], axis=2)[..., 0]
        best = nearest[ways.min(axis=2).max(axis=1).argmin()]
        np.testing.assert_allclose(ik.solve().positions, best, atol=1e-4)


def test_no_turn_leads_beyond_a_limit() -> None:
    ik = elbow(TaskSpaceRegion(), upper=1.2 * np.pi)
    rng = np.random.default_rng(1)
    for _ in range(50):
        ik.target.set_transform(placed(ik.owner, rng.uniform(-3.0, 3.0, 3)))
        ik.positions = rng.uniform(-1.2 * np.pi, 1.2 * np.pi, 3)
        result = ik.solve()
        assert result.success
        assert np.abs(result.positions).max() <= 1.2 * np.pi
        ik.positions = result.positions
        assert np.abs(ik.error).max() < 3e-6


def test_a_slide_is_not_turned() -> None:
    robot = kido.Skeleton("lift")
    lift = robot.add_body("lift", joint=kido.PrismaticJoint("up", axis=(0.0, 0.0, 1.0)))
    ik = InverseKinematics.of(lift)
    ik.target.set_translation((0.0, 0.0, 0.25))
    robot.positions = [8.0]
    np.testing.assert_allclose(ik.solve().positions, [0.25], atol=2e-6)


@WAYS
def test_a_search_ends_when_its_time_is_over(method: TaskSpaceRegion) -> None:
    ik = elbow(method)
    ik.settings = SearchSettings(max_starts=10**6, time_budget=0.05)
    ik.target.set_translation((5.0, 0.0, 0.0))
    begin = time.process_time()
    result = ik.solve()
    assert time.process_time() - begin < 2.0
    assert not result.success
    assert np.isfinite(result.linear_error) and result.linear_error < 5.5


def test_targets_that_no_time_was_left_for_are_not_reached() -> None:
    ik = arm()
    far = np.repeat(pose(position=(9.0, 0.0, 0.0))[None], 3000, axis=0)
    ik.settings = SearchSettings(max_starts=10**6, time_budget=0.01)
    results = ik.solve_batch(far)
    assert not results.success.any()
    assert np.isfinite(results.positions).all()


@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan")])
def test_a_time_budget_is_positive(budget: float) -> None:
    with pytest.raises(ValueError, match=r"^time_budget: expected"):
        SearchSettings(time_budget=budget)
    with pytest.raises(TypeError, match=r"^nearest: expected True or False"):
        SearchSettings(nearest=1)  # type: ignore[arg-type]


def test_frozen_dofs_keep_their_positions() -> None:
    ik = InverseKinematics.of(gallery.arm7().end_effector("tool"))
    ik.positions = np.linspace(-0.4, 0.5, 7)
    start = ik.positions
    ik.target.set_transform(placed(ik.owner, start + 0.2 * (np.arange(7) != 2)))
    result = ik.solve(frozen=[ik.dofs[2]])
    assert result.success and result.positions[2] == start[2]
    assert result.dof_names == tuple(dof.name for dof in ik.dofs)
    assert len(ik.dofs) == 7
    applied = ik.solve_and_apply(frozen=(ik.dofs[2],))
    np.testing.assert_array_equal(ik.positions, applied.positions)
    assert np.abs(ik.error).max() < 3e-6


def test_frozen_dofs_that_are_not_the_modules_are_named() -> None:
    ik, stranger = arm(), gallery.arm().dofs[0]
    before = ik.dofs
    with pytest.raises(TypeError, match=r"^frozen: expected a DegreeOfFreedom, got 'joint_1'"):
        ik.solve(frozen=["joint_1"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"^frozen: expected an iterable"):
        ik.solve_and_apply(frozen=stranger)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"^gradient_method: .* got the class DampedLeastSquares and no instance"
    ):
        ik.gradient_method = kido.ik.DampedLeastSquares  # type: ignore[assignment]
    with pytest.raises(TypeError, match=r"^tree: expected a Tree"):
        kido.ik.ClosedForm(ik.owner.skeleton, "tool")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=rf"^frozen: expected dofs of the module, got '{stranger.name}'"):
        ik.solve(frozen=[stranger])
    with pytest.raises(ValueError, match=r"^frozen: expected at least one dof"):
        ik.solve(frozen=ik.dofs)
    assert ik.dofs is before


@WAYS
def test_all_solutions_of_a_planar_arm_are_its_two_elbows(method: TaskSpaceRegion) -> None:
    ik = elbow(method)
    ik.settings = SearchSettings(max_starts=40)
    q = np.array([0.3, 0.9, -0.4])
    known = both_elbows(q)
    ik.target.set_transform(placed(ik.owner, q))
    ik.positions = known[1] + 0.05
    found = ik.solve_all()
    assert len(found) == 2 and found.success.all()
    np.testing.assert_allclose(found.positions, known[::-1], atol=1e-5)
    assert ik.settings.max_starts == 40


def test_all_solutions_of_a_six_joint_arm_are_those_of_its_closed_form() -> None:
    ik = arm()
    ik.settings = SearchSettings(max_starts=400)
    form = kido.ik.ClosedForm(ik.owner.skeleton.tree, ik.body.name, point=ik.point)
    lower, upper = ik.position_limits
    for target in reachable(ik, 3):
        ik.target.set_transform(target)
        found = ik.solve_all()
        known = form.solve(target).positions
        inside = known[((lower <= known) & (known <= upper)).all(axis=1)]
        for q in inside:
            apart = np.abs(np.mod(found.positions - q + np.pi, 2.0 * np.pi) - np.pi).max(axis=1)
            assert apart.min() < 1e-4


def test_all_solutions_are_the_searchs_alone() -> None:
    ik = arm()
    ik.target.set_translation((9.0, 0.0, 0.0))
    ik.settings = SearchSettings(max_starts=5)
    assert len(ik.solve_all()) == 0
    ik.settings = SearchSettings()
    ik.solver = kido.optimize.GradientDescentSolver()
    with pytest.raises(ValueError, match=r"^solve_all: expected"):
        ik.solve_all()


@WAYS
def test_a_single_start_goes_on_from_mirror_images(method: TaskSpaceRegion) -> None:
    ik = arm()
    ik.error_method = method
    targets = reachable(ik, 60)
    lower, upper = ik.position_limits
    ik.positions = 0.5 * (lower + upper)
    plain, mirrored = (
        ik.solve_batch(targets)
        for ik.settings in (SearchSettings(max_starts=1, mirrors=0), SearchSettings(max_starts=1))
    )
    assert (mirrored.start == 0).all()
    assert mirrored.success.sum() >= plain.success.sum()
    assert (mirrored.success >= plain.success).all()
    np.testing.assert_array_equal(mirrored.positions[plain.success], plain.positions[plain.success])
    fresh = dataclasses.replace(ik.settings)
    assert fresh.mirrors == 4


def test_mirror_images_reach_what_a_joint_at_its_limit_does_not() -> None:
    """A bar that has to turn the long way round: its joint's range ends between start and target."""
    robot = kido.Skeleton("bar")
    joint = kido.RevoluteJoint("turn")
    bar = robot.add_body("bar", joint=joint)
    joint.position_lower_limits, joint.position_upper_limits = [-3.0], [3.0]
    ik = InverseKinematics.of(bar.add_end_effector("tip", (1.0, 0.0, 0.0)))
    ik.target.set_transform(placed(ik.owner, np.array([-2.8])))
    robot.positions = [2.8]
    ik.settings = SearchSettings(max_starts=1, mirrors=0)
    assert not ik.solve().success
    ik.settings = SearchSettings(max_starts=1)
    result = ik.solve()
    assert result.success and result.start == 0
    np.testing.assert_allclose(result.positions, [-2.8], atol=1e-5)


@pytest.mark.parametrize("solver", [None, SciPySolver(method="SLSQP")], ids=["descent", "SLSQP"])
def test_frozen_dofs_of_a_problem_keep_their_positions_and_leave_the_problem_as_it_is(solver: Any) -> None:
    ik = InverseKinematics.of(gallery.arm7().end_effector("tool"))
    lengths = []

    def cost(q: Array) -> float:
        lengths.append(len(q))
        return 0.0

    ik.positions = np.linspace(-0.4, 0.5, 7)
    start = ik.positions
    ik.target.set_transform(placed(ik.owner, start + 0.2 * (np.arange(7) != 2)))
    ik.objective, ik.solver = ModularFunction(cost, np.zeros_like), solver
    ik.problem.add_seed(start + 0.05)
    ik.problem.lower_bounds = np.maximum(ik.problem.lower_bounds, start - 1.0)
    bounds, seeds = (ik.problem.lower_bounds, ik.problem.upper_bounds), ik.problem.seeds
    result = ik.solve(frozen=[ik.dofs[2]])
    assert result.success and result.positions[2] == start[2]
    assert result.dof_names == tuple(dof.name for dof in ik.dofs) and set(lengths) == {7}
    np.testing.assert_array_equal((ik.problem.lower_bounds, ik.problem.upper_bounds), bounds)
    np.testing.assert_array_equal(ik.problem.seeds, seeds)
    np.testing.assert_array_equal(ik.positions, start)
