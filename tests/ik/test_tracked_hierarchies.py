"""Hierarchies that follow targets: bounded motion, standstill, honest results."""

from __future__ import annotations

import math

import numpy as np
import pytest
from _hierarchies import LIMBS, aim, modules_of, near
from _poses import Array, gap, placed

import kido
from kido import InverseKinematics, gallery
from kido.ik import CenterOfMass, ErrorMethod, LookAt, PositionError, Posture, WholeBodyIK
from kido.optimize import GradientDescentSolver

Modules = dict[str, InverseKinematics]


def human(compound: bool = False) -> tuple[WholeBodyIK, Modules]:
    """A humanoid that stands on its feet, holds its balance, looks ahead and wants its posture."""
    robot = gallery.humanoid(compound_joints=compound)
    bent = 0.1 * np.sin(np.arange(robot.num_dofs))
    robot.positions = np.clip(bent, robot.position_lower_limits, robot.position_upper_limits)
    modules = modules_of(robot, {"left_foot": 0, "right_foot": 0, "left_hand": 1, "right_hand": 1})
    for module in modules.values():
        module.target.set_transform(module.transform())
    for name, method, level in (
        ("pelvis", CenterOfMass(linear_weights=(1.0, 1.0, 0.0)), 0),
        ("head", LookAt((1.0, 0.0, 0.0)), 2),
        ("torso", Posture(np.zeros(robot.num_dofs - 6)), 3),
    ):
        module = modules[name] = InverseKinematics.of(robot.body(name))
        module.use_whole_body()
        module.error_method, module.hierarchy_level = method, level
    modules["pelvis"].dofs, modules["torso"].dofs = robot.dofs, robot.dofs[6:]
    modules["pelvis"].target.set_translation(robot.com())
    head = robot.body("head").transform()
    modules["head"].target.set_translation(head[:3, 3] + 2.0 * head[:3, 0])
    return WholeBodyIK(robot), modules


def moved(whole: WholeBodyIK, positions: Array) -> Array:
    """Displacement of each dof from the present positions, in child axes for ball and free joints."""
    return np.abs(whole.skeleton.tree.difference(whole.positions, positions))


@pytest.mark.parametrize("compound", [False, True])
@pytest.mark.parametrize("change", [0.01, 0.05])
def test_no_dof_moves_further_than_its_largest_change(compound: bool, change: float) -> None:
    whole, modules = human(compound)
    hand = modules["right_hand"].target
    there = hand.transform()
    for step in range(60):
        pose = there.copy()
        pose[:3, 3] += (0.02 * step, 0.1 * math.sin(step), 0.0)
        hand.set_transform(pose)
        before = whole.positions
        result = whole.track(largest_change=change)
        np.testing.assert_array_equal(whole.positions, before)
        assert moved(whole, result.positions).max() <= change * (1.0 + 1e-9)
        assert result.elsewhere is None and result.start == 0
        whole.positions = result.positions


def test_each_dof_has_a_largest_change_of_its_own() -> None:
    whole, modules = human()
    hand = modules["right_hand"].target
    hand.set_translation(hand.transform()[:3, 3] + (0.2, 0.1, 0.1))
    change = 0.002 + 0.03 * (np.arange(whole.skeleton.num_dofs) % 3)
    result = whole.track(largest_change=change)
    assert np.all(moved(whole, result.positions) <= change * (1.0 + 1e-9))
    assert moved(whole, result.positions).max() > 0.03


def test_what_is_within_reach_is_followed_and_what_comes_first_is_kept() -> None:
    whole, modules = human()
    hand = modules["right_hand"].target
    there = hand.transform()
    for angle in np.linspace(0.0, 2.0 * math.pi, 100):
        pose = there.copy()
        pose[:3, 3] += (0.0, 0.05 * math.sin(angle), 0.05 * (1.0 - math.cos(angle)))
        hand.set_transform(pose)
        result = whole.track(largest_change=0.05, time_budget=0.1)
        assert result.success, result.message
        assert moved(whole, result.positions).max() <= 0.05 * (1.0 + 1e-9)
        whole.positions = result.positions
    for foot in ("left_foot", "right_foot"):
        node = modules[foot].node
        np.testing.assert_allclose(node.transform(), modules[foot].target.transform(), atol=2e-6)


OUT_OF_REACH = [
    (False, (1.5, 0.0, 0.3), 0.72),
    (False, (0.0, 0.0, 2.0), 0.92),
    (False, (2.0, 0.0, 0.0), 1.195),
    (False, (0.6, -0.3, -0.9), 0.312),
    (True, (1.5, 0.0, 0.3), 0.718),
    (True, (0.5, 0.0, 0.5), 0.065),
]
"""Whether joints are compound, the way to the right hand's target [m], what is left of it at most [m]."""


def drawn_away(compound: bool, away: tuple[float, float, float], seed: int) -> WholeBodyIK:
    """A humanoid whose right hand is drawn out of reach, from one of some positions."""
    whole, modules = human(compound)
    robot = whole.skeleton
    noise = np.random.default_rng(seed).normal(0.0, 0.02 * (seed > 0), robot.num_dofs)
    noise[:6] = 0.0
    robot.positions = np.clip(
        robot.positions + noise, robot.position_lower_limits, robot.position_upper_limits
    )
    hand = modules["right_hand"].target
    hand.set_translation(hand.transform()[:3, 3] + away)
    return whole


@pytest.mark.parametrize(("compound", "away", "left"), OUT_OF_REACH)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_out_of_reach_the_robot_comes_to_a_standstill_and_stands(
    compound: bool, away: tuple[float, float, float], left: float, seed: int
) -> None:
    """From wherever it begins, without a motion from then on, where a search finds hardly anything nearer."""
    whole, motion = drawn_away(compound, away, seed), []
    for _ in range(110):
        result = whole.track(largest_change=0.05, time_budget=10.0)
        motion.append(moved(whole, result.positions).max())
        whole.positions = result.positions
    assert not result.success
    hand = {task.node: task for task in result.tasks}["right_hand"]
    assert hand.linear_error < left
    assert all(task.success for task in result.tasks if task.level == 0)
    assert max(motion[:5]) > 0.02 and max(motion) > 0.04 and max(motion[-20:]) == 0.0
    found = {task.node: task for task in whole.solve().tasks}["right_hand"]
    assert found.linear_error > 0.98 * hand.linear_error


@pytest.mark.parametrize("compound", [False, True])
@pytest.mark.parametrize("away", [(2.0, 0.0, 0.0), (0.0, 0.0, 2.0)])
def test_what_comes_first_is_kept_in_each_step_towards_what_is_out_of_reach(
    compound: bool, away: tuple[float, float, float]
) -> None:
    """Also where most joints move by as much as they may, so that few are left to bring the feet back."""
    robot = gallery.humanoid(compound_joints=compound)
    modules = modules_of(robot, {"left_foot": 0, "right_foot": 0, "left_hand": 1})
    for module in modules.values():
        module.target.set_transform(module.transform())
    hand = modules["left_hand"].target
    hand.set_translation(hand.transform()[:3, 3] + away)
    whole, left = WholeBodyIK(robot), []
    for change in (0.02, 0.02, 0.05, 0.1):
        result = whole.track(largest_change=change, time_budget=10.0)
        assert moved(whole, result.positions).max() <= change * (1.0 + 1e-9)
        whole.positions = result.positions
        for foot in ("left_foot", "right_foot"):
            angle, distance = gap(
                placed(modules[foot].node, robot.positions), modules[foot].target.transform()
            )
            assert angle < 1e-6 + 1e-9 and distance < 1e-6 + 1e-9
        left.append(np.linalg.norm(modules["left_hand"].transform()[:3, 3] - hand.transform()[:3, 3]))
    assert (np.diff(left) < 0.0).all()


def test_targets_that_jump_are_reached_after_some_steps() -> None:
    whole, modules = human()
    aim({name: modules[name] for name in LIMBS}, near(whole.skeleton, 3, 0.2))
    for name in ("pelvis", "head", "torso"):
        modules[name].active = False
    steps, success = 0, False
    while not success and steps < 60:
        result = whole.track(largest_change=0.03, time_budget=0.1)
        whole.positions, success = result.positions, result.success
        steps += 1
    assert success and steps > 3


def test_a_dof_beyond_its_limits_comes_back() -> None:
    whole, _ = human()
    robot = whole.skeleton
    knee = next(dof for dof in robot.dofs if "knee" in dof.name)
    positions = robot.positions.copy()
    positions[knee.index] = robot.position_upper_limits[knee.index] + 0.2
    robot.positions = positions
    result = whole.track(largest_change=0.05)
    assert result.positions[knee.index] == pytest.approx(positions[knee.index] - 0.05, abs=1e-12)


class OwnPosition(PositionError):
    """An error that only Python knows."""

    def region(self, ik: kido.ik.IKQuery) -> None:  # type: ignore[override]
        return None


@pytest.mark.parametrize("method", [OwnPosition(), PositionError()])
@pytest.mark.parametrize("solver", [None, GradientDescentSolver()])
def test_parts_of_the_users_own_are_held_as_well(
    method: ErrorMethod, solver: GradientDescentSolver | None
) -> None:
    robot = gallery.humanoid()
    module = modules_of(robot, {"left_hand": 0})["left_hand"]
    module.error_method = method
    module.target.set_translation(module.transform()[:3, 3] + (0.1, 0.2, 0.3))
    whole = WholeBodyIK(robot)
    whole.solver = solver
    result = whole.track(largest_change=0.02, time_budget=0.5)
    assert 0.01 < moved(whole, result.positions).max() <= 0.02 * (1.0 + 1e-9)
    assert not result.success
    with whole.at(result.positions):
        np.testing.assert_allclose(
            np.linalg.norm(module.target.transform()[:3, 3] - module.transform()[:3, 3]),
            result.tasks[0].linear_error,
            atol=1e-9,
        )


@pytest.mark.parametrize(
    ("change", "budget", "match"),
    [
        (0.0, 1e-3, "largest_change: expected positive"),
        (-0.1, 1e-3, "largest_change: expected positive"),
        (np.ones(3), 1e-3, r"largest_change: expected shape"),
        ("fast", 1e-3, "largest_change: expected"),
        (0.1, 0.0, "time_budget: expected a positive"),
        (0.1, math.nan, "time_budget: expected"),
    ],
)
def test_bad_bounds_are_refused(change: object, budget: float, match: str) -> None:
    whole, _ = human()
    with pytest.raises((TypeError, ValueError), match=match):
        whole.track(largest_change=change, time_budget=budget)  # type: ignore[arg-type]
