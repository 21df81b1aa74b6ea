"""Feet, hands, balance, gaze and posture of a real humanoid at once."""

from __future__ import annotations

import time
from typing import ClassVar

import numpy as np
import pytest
from _poses import Array
from scipy.optimize import minimize

import kido
from _robots import robot_files
from kido import InverseKinematics, gallery
from kido.ik import CenterOfMass, HierarchyResult, IKQuery, LookAt, PositionError, Posture, WholeBodyIK

FEET = ("left_ankle_roll_link", "right_ankle_roll_link")
HANDS = ("left_rubber_hand", "right_rubber_hand")
HEAD = "head_link"


class Tasks:
    """A G1 with all tasks; `aim` sets the targets to what holds at some positions."""

    def __init__(self) -> None:
        self.robot = kido.load(robot_files()["g1_description/urdf/g1_29dof_rev_1_0.urdf"], root="free")
        self.goal = self.robot.clone()
        self.limbs = {name: self._module(name, int(name in HANDS)) for name in (*FEET, *HANDS)}
        self.balance = self._module("pelvis", 0)
        self.balance.error_method = CenterOfMass()
        self.gaze = self._module(HEAD, 2)
        self.gaze.error_method = LookAt((1.0, 0.0, 0.0))
        self.rest = self._module("torso_link", 3)
        self.rest.dofs = self.robot.dofs[6:]
        self.rest.error_method = Posture(np.zeros(len(self.rest.dofs)))
        self.whole = WholeBodyIK(self.robot)

    def aim(self, positions: Array) -> None:
        self.goal.positions = positions
        for name, module in self.limbs.items():
            module.target.set_transform(self.goal.body(name).transform())
        self.balance.target.set_translation(self.goal.com())
        head = self.goal.body(HEAD).transform()
        self.gaze.target.set_translation(head[:3, 3] + head[:3, 0])

    def left(self, positions: Array) -> float:
        """The largest error of what is required, computed by the frames of a clone [rad, m]."""
        self.goal.positions = positions
        most = float(np.abs(self.goal.com() - self.balance.target.transform()[:3, 3]).max())
        for name, module in self.limbs.items():
            T, target = self.goal.body(name).transform(), module.target.transform()
            most = max(most, float(np.abs(T - target).max()))
        head, point = self.goal.body(HEAD).transform(), self.gaze.target.transform()[:3, 3]
        line = point - head[:3, 3]
        return max(most, float(np.linalg.norm(np.cross(line / np.linalg.norm(line), head[:3, 0]))))

    def _module(self, name: str, level: int) -> InverseKinematics:
        module = InverseKinematics.of(self.robot.body(name))
        module.dofs, module.hierarchy_level = self.robot.dofs, level
        return module


@pytest.fixture(scope="module")
def tasks() -> Tasks:
    return Tasks()


def drawn(robot: kido.Skeleton, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    lower, upper = robot.position_lower_limits[6:], robot.position_upper_limits[6:]
    return np.concatenate([rng.uniform(-0.2, 0.2, 6), rng.uniform(lower, upper)])


def test_all_that_positions_of_the_whole_range_reach_is_reached(tasks: Tasks) -> None:
    lower, upper = tasks.robot.position_lower_limits, tasks.robot.position_upper_limits
    begin, iterations = time.process_time(), 0
    for seed in range(60):
        tasks.aim(drawn(tasks.robot, seed))
        result = tasks.whole.solve()
        iterations += result.iterations
        assert result.success, f"seed {seed}: {result.message}"
        assert tasks.left(result.positions) < 3e-6
        assert np.all((result.positions >= lower) & (result.positions <= upper))
    assert time.process_time() - begin < 6.0
    assert iterations < 60 * 25  # of these, steps for the posture are few


def test_out_of_reach_what_comes_first_is_kept_and_the_end_is_near(tasks: Tasks) -> None:
    """A hand a meter too far: feet and balance are there, and no joint turned around."""
    bent = 0.1 * np.sin(np.arange(tasks.robot.num_dofs))
    tasks.robot.positions = np.zeros(tasks.robot.num_dofs)
    for seed in range(10):
        wanted = bent + 0.1 * np.random.default_rng(seed).normal(size=len(bent))
        tasks.aim(np.clip(wanted, tasks.robot.position_lower_limits, tasks.robot.position_upper_limits))
        hand = tasks.limbs["left_rubber_hand"].target
        hand.set_translation(hand.transform()[:3, 3] + (1.0, 0.0, 0.0))
        begin = time.process_time()
        result = tasks.whole.solve()
        assert time.process_time() - begin < 0.5
        assert not result.success
        assert [task.success for task in result.tasks if task.level == 0] == [True, True, True]
        assert not {task.node: task for task in result.tasks}["left_rubber_hand"].success
        assert np.abs(result.positions).max() < 2.6  # [rad, m]; whole turns are more than 6


def test_other_starts_are_tried_where_what_comes_first_is_not_reached(tasks: Tasks) -> None:
    """Somewhere among many targets, the first start gets stuck before the feet stand and others do not."""

    def stands(result: HierarchyResult) -> bool:
        return all(task.success for task in result.tasks if task.level == 0)

    tasks.robot.positions = np.zeros(tasks.robot.num_dofs)
    helped = 0
    for seed in range(30):
        tasks.aim(drawn(tasks.robot, seed))
        hand = tasks.limbs["left_rubber_hand"].target
        hand.set_translation(hand.transform()[:3, 3] + (1.0, 0.0, 0.0))
        result = tasks.whole.solve()
        assert not result.success
        if not stands(result):
            helped += result.elsewhere is not None and stands(result.elsewhere)
    assert helped > 0


# ---- what is wished for


def test_a_posture_is_as_near_as_what_is_required_lets_it() -> None:
    """An arm of seven joints at a point: SLSQP comes no nearer to the posture from there."""
    robot = gallery.arm7()
    hand = InverseKinematics.of(robot.bodies[-1])
    hand.error_method = PositionError()
    rest = InverseKinematics.of(robot.bodies[-2])
    rest.dofs, rest.hierarchy_level = robot.dofs, 1
    lower, upper = robot.position_lower_limits, robot.position_upper_limits
    wanted = lower + 0.4 * (upper - lower)
    rest.error_method = Posture(wanted)
    whole, tried = WholeBodyIK(robot), robot.clone()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        tried.positions = lower + rng.uniform(0.1, 0.9, len(lower)) * (upper - lower)
        point = tried.bodies[-1].transform()[:3, 3].copy()
        hand.target.set_translation(point)
        result = whole.solve()
        assert result.success

        def apart(q: Array, point: Array = point) -> Array:
            tried.positions = q
            return np.asarray(tried.bodies[-1].transform()[:3, 3] - point)

        best = minimize(
            lambda q: float(np.sum((q - wanted) ** 2)),
            result.positions,
            constraints={"type": "eq", "fun": apart},
            bounds=np.column_stack([lower, upper]),
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 300},
        )
        found = float(np.sum((result.positions - wanted) ** 2))
        assert np.abs(apart(best.x)).max() < 1e-6
        assert found <= 1.03 * best.fun + 1e-6


class Counted(PositionError):
    """Counts what it is asked for."""

    errors: ClassVar[int] = 0
    jacobians: ClassVar[int] = 0

    def compute_error(self, ik: IKQuery) -> Array:
        Counted.errors += 1
        return super().compute_error(ik)

    def compute_jacobian(self, ik: IKQuery) -> Array:
        Counted.jacobians += 1
        return super().compute_jacobian(ik)


def test_small_errors_that_a_wish_leaves_are_taken_back_by_the_last_jacobian() -> None:
    """On the way to a posture, three in ten errors are measured without another Jacobian."""
    robot = gallery.arm7()
    hand = InverseKinematics.of(robot.bodies[-1])
    hand.error_method = Counted()
    rest = InverseKinematics.of(robot.bodies[-2])
    rest.dofs, rest.hierarchy_level = robot.dofs, 1
    lower, upper = robot.position_lower_limits, robot.position_upper_limits
    rest.error_method = Posture(lower + 0.4 * (upper - lower))
    whole, tried = WholeBodyIK(robot), robot.clone()
    Counted.errors = Counted.jacobians = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        tried.positions = lower + rng.uniform(0.1, 0.9, len(lower)) * (upper - lower)
        hand.target.set_translation(tried.bodies[-1].transform()[:3, 3])
        assert whole.solve().success
    assert Counted.jacobians < 0.7 * Counted.errors
