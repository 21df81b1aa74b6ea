"""Whole sets of tasks of a humanoid that few starts reach, or none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from _poses import Array, gap, placed

import kido
from _robots import robot_files
from kido import InverseKinematics
from kido.ik import CenterOfMass, HierarchyResult, LookAt, Posture, WholeBodyIK

FILE = "g1_description/urdf/g1_29dof_rev_1_0.urdf"
LEVELS = {
    "left_ankle_roll_link": 0,
    "right_ankle_roll_link": 0,
    "left_rubber_hand": 1,
    "right_rubber_hand": 1,
}
CAMERA = "d435_link"
HARD = (
    0.118,
    -0.024,
    -0.184,
    -0.108,
    0.078,
    0.078,
    -2.435,
    2.887,
    0.33,
    2.713,
    0.387,
    0.129,
    1.65,
    -0.196,
    -1.905,
    0.889,
    0.159,
    0.054,
    -2.499,
    0.488,
    0.52,
    -2.378,
    0.179,
    -1.904,
    0.253,
    0.871,
    -1.079,
    1.372,
    -2.341,
    0.659,
    1.808,
    0.537,
    1.28,
    1.281,
    -0.539,
)
"""Positions that a start in eighty or so leads back to [rad, m]."""
HARDER = {
    "start 113": """
    0.036 0.179 -0.039 -0.055 -0.033 0.017 -1.651 0.973 -1.869 1.322 -0.107 -0.24 -1.411 -1.642
    -1.963 0.181 -0.08 0.079 -2.184 0.235 -0.436 -2.599 0.889 2.588 1.088 -1.536 -0.139 -0.803
    -1.481 0.416 -0.055 1.127 0.177 -0.953 0.52
    """,
    "start 87": """
    -0.182 -0.024 -0.19 0.057 0.18 -0.152 -1.955 1.699 0.956 0.758 -0.063 -0.055 -1.738 -1.414
    -0.306 1.889 -0.475 -0.178 1.564 -0.019 0.461 2.597 -0.034 1.997 0.035 1.206 1.277 1.375 1.258
    -0.573 0.953 -0.34 0.573 -1.564 1.208
    """,
}
"""Positions that the first eighty starts of the search do not lead back to [rad, m], by the one that does."""


def humanoid() -> kido.Skeleton:
    return kido.load(robot_files()[FILE], root="free")


class TaskSet:
    """Feet and balance first, then hands, then the gaze; the posture is wished for."""

    def __init__(self, goal: Array) -> None:
        self.robot = robot = humanoid()
        self.goal = goal
        for name, level in LEVELS.items():
            ik = self.module(name, level)
            ik.target.set_transform(placed(robot.body(name), goal))
        balance = self.module(robot.bodies[0].name, 0)
        balance.error_method, balance.dofs = CenterOfMass(), robot.dofs
        gaze = self.module(CAMERA, 2)
        gaze.error_method = LookAt((1.0, 0.0, 0.0))
        rest = self.module("torso_link", 3)
        rest.dofs = robot.dofs[6:]
        rest.error_method = Posture(robot.positions[6:])
        saved, robot.positions = robot.positions, goal
        balance.target.set_translation(robot.com())
        camera = robot.body(CAMERA).transform()
        gaze.target.set_translation(camera[:3, 3] + camera[:3, 0])
        robot.positions = saved
        self.whole = WholeBodyIK(robot)

    def module(self, name: str, level: int) -> InverseKinematics:
        ik = InverseKinematics.of(self.robot.body(name))
        ik.use_whole_body()
        ik.hierarchy_level = level
        return ik

    def left(self, q: Array, name: str) -> float:
        """Larger one of angle [rad] and distance [m] of a limb, by the product of elementary motions."""
        return max(
            gap(
                placed(self.robot.body(name), q),
                InverseKinematics.of(self.robot.body(name)).target.transform(),
            )
        )


@pytest.mark.parametrize("seed", range(3))
def test_a_set_of_tasks_that_few_starts_reach_is_reached(seed: int) -> None:
    tasks = TaskSet(np.array(HARD))
    tasks.whole.settings = kido.SearchSettings(max_starts=80, time_budget=30.0, seed=seed)
    result = tasks.whole.solve()
    assert result.success, result.message
    assert max(tasks.left(result.positions, name) for name in LEVELS) < 1e-6 + 1e-9


@pytest.mark.parametrize("goal", HARDER.values(), ids=HARDER)
def test_by_default_starts_go_on_where_little_is_missed(goal: str) -> None:
    tasks = TaskSet(np.array(goal.split(), float))
    tasks.whole.settings = replace(tasks.whole.settings, time_budget=30.0)
    result = tasks.whole.solve()
    assert result.success, result.message
    assert result.start >= 80


def far(goal: Array) -> tuple[TaskSet, HierarchyResult]:
    tasks = TaskSet(goal)
    tasks.whole.settings = kido.SearchSettings(max_starts=80, time_budget=30.0)
    hand = InverseKinematics.of(tasks.robot.body("left_rubber_hand")).target
    hand.set_translation(hand.transform()[:3, 3] + (1.0, 0.0, 0.0))
    return tasks, tasks.whole.solve()


def test_out_of_reach_the_nearest_answer_stands() -> None:
    """Though the given positions lead to others, where the feet are stuck between limits."""
    rng, told = np.random.default_rng(0), 0
    robot = humanoid()
    for _ in range(8):
        goal = robot.positions.copy()
        goal[6:] = rng.uniform(robot.position_lower_limits[6:], robot.position_upper_limits[6:])
        tasks, result = far(goal)
        assert not result.success
        for name in ("left_ankle_roll_link", "right_ankle_roll_link"):
            assert tasks.left(result.nearest.positions, name) < 1e-6 + 1e-9
        told += result.elsewhere is not None
    assert told > 0


@pytest.mark.parametrize("seed", [59, 190, 212])
def test_what_comes_first_is_sought_on_where_no_start_reaches_it_with_all_else(seed: int) -> None:
    robot, rng = humanoid(), np.random.default_rng(seed)
    goal = robot.positions.copy()
    goal[6:] = rng.uniform(robot.position_lower_limits[6:], robot.position_upper_limits[6:])
    tasks, result = far(np.round(goal, 3))
    assert not result.success
    for name in ("left_ankle_roll_link", "right_ankle_roll_link"):
        assert tasks.left(result.nearest.positions, name) < 1e-6 + 1e-9


def test_who_stands_keeps_standing_where_a_hand_is_out_of_reach() -> None:
    """From positions at which the feet are where they are to be, the answer itself keeps them there."""
    rng = np.random.default_rng(1)
    robot = humanoid()
    for _ in range(8):
        goal = robot.positions.copy()
        goal[6:] = rng.uniform(robot.position_lower_limits[6:], robot.position_upper_limits[6:])
        tasks = TaskSet(goal)
        tasks.robot.positions = goal
        hand = InverseKinematics.of(tasks.robot.body("left_rubber_hand")).target
        hand.set_translation(hand.transform()[:3, 3] + (1.0, 0.0, 0.0))
        result = tasks.whole.solve()
        assert not result.success
        assert all(task.success for task in result.tasks if task.level == 0), result.message
        for name in ("left_ankle_roll_link", "right_ankle_roll_link"):
            assert tasks.left(result.positions, name) < 1e-6 + 1e-9
