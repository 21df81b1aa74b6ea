"""Convergence of differential inverse kinematics near singular postures, without limits of velocities."""

from __future__ import annotations

import numpy as np
import pytest
from _effort import examples
from numpy.typing import NDArray

import kido
from _robots import loaded
from kido.ik import (
    AccelerationLimit,
    CartesianPositionLimit,
    ConfigurationLimit,
    ConvergenceStatus,
    DifferentialIK,
    DifferentialTask,
    FrameTask,
    PostureTask,
    VelocityLimit,
)

Array = NDArray[np.float64]

ARMS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_link8"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "ee_link"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "link7"),
    "z1": ("z1_description/urdf/z1.urdf", "link06"),
    "arm7": ("", ""),
}


def arm_of(name: str) -> tuple[kido.Skeleton, kido.BodyNode]:
    """The robot and its tool."""
    if name == "arm7":
        robot = kido.gallery.arm7()
        return robot, robot.bodies[-1]
    robot = loaded(ARMS[name][0])
    return robot, robot.body(ARMS[name][1])


def least_singular_value(robot: kido.Skeleton, tool: kido.BodyNode, q: Array) -> float:
    robot.positions = q
    return float(np.linalg.svd(np.asarray(robot.jacobian(tool)), compute_uv=False)[5])


def singular(
    robot: kido.Skeleton, tool: kido.BodyNode, lo: Array, hi: Array, rng: np.random.Generator
) -> Array:
    """Positions at which the Jacobian has hardly rank 6, by coordinate search from random ones."""
    q = rng.uniform(lo, hi)
    least = least_singular_value(robot, tool, q)
    for scale in (1.0, 0.3, 0.1, 0.03, 0.01):
        for i in rng.permutation(robot.num_dofs):
            for sign in (1.0, -1.0):
                trial = q.copy()
                trial[i] = np.clip(trial[i] + sign * scale, lo[i], hi[i])
                value = least_singular_value(robot, tool, trial)
                if value < least:
                    q, least = trial, value
    return q


def weighted(task: DifferentialTask, robot: kido.Skeleton, q: Array) -> float:
    """The largest error of a task at positions."""
    return float(np.abs(DifferentialIK(robot, [task]).solve(q, dt=0.1).error(task)).max())


@pytest.mark.parametrize("name", ARMS)
def test_targets_near_singular_postures_are_reached(name: str) -> None:
    robot, tool = arm_of(name)
    rng = np.random.default_rng(3)
    lo = np.maximum(robot.position_lower_limits, -3.1)
    hi = np.minimum(robot.position_upper_limits, 3.1)
    hi = np.maximum(lo, hi)
    count, reached = examples(40), 0
    for k in range(count):
        q = singular(robot, tool, lo, hi, rng)
        goal = np.clip(q + 10.0 ** rng.uniform(-6, -1) * rng.normal(size=len(q)), lo, hi)
        start = q if k % 2 else np.clip(q + 0.3 * rng.normal(size=len(q)), lo, hi)
        robot.positions = start
        before = np.array(robot.positions)
        T = np.asarray(robot.tree.transform(goal, tool.index))
        task = FrameTask(tool, T)
        tasks = [task, PostureTask(start, level=1)] if k % 4 > 1 else [task]
        result = DifferentialIK(robot, tasks, [ConfigurationLimit()]).converge()
        assert (result.positions >= robot.position_lower_limits - 1e-9).all()
        assert (result.positions <= robot.position_upper_limits + 1e-9).all()
        assert weighted(task, robot, result.positions) == pytest.approx(result.error, rel=1e-6, abs=1e-12)
        np.testing.assert_array_equal(robot.positions, before)
        reached += result.success
        if result.success:
            np.testing.assert_allclose(robot.tree.transform(result.positions, tool.index), T, atol=5e-6)
    assert reached >= 0.95 * count


def stretched() -> tuple[kido.Skeleton, kido.BodyNode]:
    """A planar arm with two links of 1 m, along x."""
    robot, body = kido.Skeleton("planar"), None
    for k in range(2):
        joint = kido.RevoluteJoint(f"j{k}", axis=(0.0, 0.0, 1.0))
        joint.T_parent_joint = kido.math.se3_exp(np.array([0.0, 0.0, 0.0, float(k), 0.0, 0.0]))
        body = robot.add_body(f"b{k}", body, joint)
    assert body is not None
    tip = kido.SimpleFrame("tip", body, transform=kido.math.se3_exp(np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])))
    return robot, tip  # type: ignore[return-value]


def test_a_stretched_arm_comes_back_along_itself() -> None:
    """The target is along the arm, where no first derivative leads."""
    robot, tip = stretched()
    T = np.array(tip.transform())
    T[0, 3] = 1.5
    task = FrameTask(tip, T, orientation_weight=0.0, position_weight=(1.0, 1.0, 0.0))
    result = DifferentialIK(robot, [task], []).converge()
    assert result.success
    robot.positions = result.positions
    np.testing.assert_allclose(tip.transform()[:3, 3], [1.5, 0.0, 0.0], atol=2e-6)


@pytest.mark.parametrize("damping", [1e-8, 1e-4, 1e-2])
def test_a_singular_posture_is_reached_whatever_the_damping_of_single_steps(damping: float) -> None:
    """At full reach the last bit of the way is along a direction of which the singular value is 0."""
    robot, tip = stretched()
    T = np.array(tip.transform())
    T[:3, 3] = 2.0 * np.array([np.cos(0.7), np.sin(0.7), 0.0])
    task = FrameTask(tip, T, orientation_weight=0.0, position_weight=(1.0, 1.0, 0.0))
    result = DifferentialIK(robot, [task], [], damping=damping).converge([0.3, 0.9])
    assert result.success and result.steps <= 30
    robot.positions = result.positions
    np.testing.assert_allclose(tip.transform()[:3, 3], T[:3, 3], atol=2e-6)


@pytest.mark.parametrize("dt", [0.1, 0.002])
def test_short_steps_within_limits_of_velocities_are_not_taken_for_a_stuck_search(dt: float) -> None:
    """In 30 steps of 2 ms a joint turns by 0.06 rad, and the error falls by a hundredth or two."""
    robot, tip = stretched()
    robot.positions = [0.0, 0.5]
    T = np.array(robot.tree.transform([2.5, 1.0], tip.parent_frame.index))  # type: ignore[union-attr]
    T[:3, 3] += T[:3, 0]
    task = FrameTask(tip, T, orientation_weight=0.0, position_weight=(1.0, 1.0, 0.0))
    ik = DifferentialIK(robot, [task], [VelocityLimit(1.0)])
    result = ik.converge(dt=dt, max_steps=3000)
    assert result.success and result.steps >= 2.0 / dt  # one way, without leaps
    robot.positions = result.positions
    np.testing.assert_allclose(tip.transform()[:3, 3], T[:3, 3], atol=2e-6)


@pytest.mark.parametrize("gap", [1e-3, 0.5])
def test_out_of_reach_the_search_is_stuck_at_the_nearest_posture(gap: float) -> None:
    robot, tip = stretched()
    T = np.array(tip.transform())
    T[:3, 3] = (2.0 + gap) * np.array([np.cos(0.7), np.sin(0.7), 0.0])
    task = FrameTask(tip, T, orientation_weight=0.0, position_weight=(1.0, 1.0, 0.0))
    result = DifferentialIK(robot, [task], []).converge([0.3, 0.9])
    assert result.status is ConvergenceStatus.STUCK
    robot.positions = result.positions
    missed = np.linalg.norm(tip.transform()[:3, 3] - T[:3, 3])
    assert missed == pytest.approx(gap, rel=2e-3)
    again = DifferentialIK(robot, [task], []).converge([0.3, 0.9])
    np.testing.assert_array_equal(again.positions, result.positions)


def test_searches_do_not_leap_where_limits_of_rows_or_accelerations_are() -> None:
    robot, tip = stretched()
    task = FrameTask(tip, np.eye(4), orientation_weight=0.0, position_weight=(1.0, 1.0, 0.0))  # opposite
    task.target = kido.math.se3_exp(np.array([0.0, 0.0, 0.0, -2.5, 0.0, 0.0]))
    free = DifferentialIK(robot, [task], []).converge()
    robot.positions = free.positions
    assert tip.transform()[0, 3] == pytest.approx(-2.0, abs=1e-3)
    robot.positions = np.zeros(2)
    for limit in (AccelerationLimit(100.0), CartesianPositionLimit(tip, lower=(-9.0, -9.0, -9.0))):
        kept = DifferentialIK(robot, [task], [limit]).converge()
        assert kept.status is ConvergenceStatus.STUCK
        np.testing.assert_allclose(kept.positions, 0.0, atol=1e-6)


def test_tasks_of_a_level_below_do_not_keep_those_above_from_their_target() -> None:
    robot, tip = stretched()
    T = np.array(tip.transform())
    T[0, 3] = 2.0 - 1e-7
    task = FrameTask(tip, T, orientation_weight=0.0, position_weight=(1.0, 1.0, 0.0))
    posture = PostureTask(np.array([1.0, -1.0]), level=1)
    result = DifferentialIK(robot, [task, posture], []).converge([0.4, -0.7])
    assert result.success, result


@pytest.mark.parametrize("tolerance", [0.0, -1.0, np.nan])
def test_a_tolerance_that_is_not_positive_is_refused(tolerance: float) -> None:
    robot, tip = stretched()
    with pytest.raises(ValueError, match="tolerance"):
        DifferentialIK(robot, [FrameTask(tip)]).converge(tolerance=tolerance)
