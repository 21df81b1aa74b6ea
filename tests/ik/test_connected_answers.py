"""Answers without jumps: targets pulled through and out of the workspace, and followed step by step."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kido
from kido import InverseKinematics, gallery
from kido.math import so3_log, so3_right_jacobian_inverse

STEP = 0.01
"""Distance of two targets of a path [m]."""

ONE_START = dataclasses.replace(kido.SearchSettings(), max_starts=1, mirrors=0)


def arm(number: int = 7) -> InverseKinematics:
    robot = gallery.arm7() if number == 7 else gallery.arm()
    return InverseKinematics.of(robot.end_effector("tool"))


def line(ik: InverseKinematics, seed: int, length: float = 1.0) -> np.ndarray:
    """Poses along a line from the node in a random direction, out and back; the robot is somewhere."""
    rng = np.random.default_rng(seed)
    ik.owner.skeleton.positions = ik.owner.skeleton.random_positions(rng)
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    way = np.arange(0.0, length, STEP)
    poses = np.repeat(ik.transform()[None], 2 * len(way), axis=0)
    poses[:, :3, 3] += np.concatenate([way, way[::-1]])[:, None] * direction
    return poses


@pytest.mark.parametrize("number", [6, 7])
def test_what_is_applied_out_of_reach_is_what_one_start_leads_to(number: int) -> None:
    ik = arm(number)
    unreached = 0
    for seed in range(4):
        for pose in line(ik, seed)[::5]:
            ik.target.set_transform(pose)
            result = ik.solve()
            if not result.success:
                unreached += 1
                ik.settings = ONE_START
                alone = ik.solve()
                ik.settings = kido.SearchSettings()
                np.testing.assert_array_equal(result.positions, alone.positions)
                assert (result.start, result.iterations) == (0, alone.iterations)
                applied = ik.solve_and_apply()
                np.testing.assert_array_equal(ik.positions, applied.positions)
                np.testing.assert_array_equal(applied.positions, result.positions)
            else:
                ik.positions = result.positions
    assert unreached > 20


def test_nearer_answers_of_other_branches_are_told_in_batches_too() -> None:
    ik = arm()
    poses = np.concatenate([line(ik, seed)[40:100:20] for seed in range(8)])
    ik.owner.skeleton.positions = np.zeros(7)
    answers = ik.solve_batch(poses)
    told = 0
    for pose, answer in zip(poses, (answers[i] for i in range(len(answers))), strict=True):
        ik.target.set_transform(pose)
        alone = ik.solve()
        assert alone == answer
        if answer.elsewhere is None:
            assert answer.nearest is answer
            continue
        told += 1
        assert answer.nearest is answer.elsewhere and not answer.success
        assert answer.elsewhere.elsewhere is None and answer.elsewhere.start > 0
        for end in (answer, answer.elsewhere):
            with ik.at(end.positions):
                T = ik.transform()
            angle = Rotation.from_matrix(pose[:3, :3] @ T[:3, :3].T).magnitude()
            distance = np.linalg.norm(pose[:3, 3] - T[:3, 3])
            np.testing.assert_allclose((end.angular_error, end.linear_error), (angle, distance), atol=1e-9)
        weights = ik.error_method.weights
        errors = []
        for end in (answer.elsewhere, answer):
            with ik.at(end.positions):
                errors.append(np.linalg.norm(weights * ik.error))
        assert errors[0] < errors[1]
    assert told > 2


def test_answers_with_frozen_dofs_have_all_dofs_elsewhere_too() -> None:
    ik = arm()
    ik.positions = [0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1]
    ik.target = None
    ik.target.set_translation((-2.0, 0.0, 0.3))
    for place in (0, 2, 3):
        result = ik.solve(frozen=[ik.dofs[place]])
        assert result.elsewhere is not None
        for answer in (result, result.elsewhere):
            assert answer.dof_names == tuple(dof.name for dof in ik.dofs)
            assert answer.positions.shape == (7,) and answer.positions[place] == ik.positions[place]


@pytest.mark.parametrize("change", [0.02, 0.1, 0.5])
def test_a_tracked_target_moves_no_dof_by_more_than_its_largest_change(change: float) -> None:
    ik = arm()
    for seed in range(6):
        poses = line(ik, seed)
        before = ik.positions
        path = ik.track(poses, largest_change=change, time_budget=1.0)
        np.testing.assert_array_equal(ik.positions, before)
        lower, upper = ik.position_limits
        assert (path.positions >= lower).all() and (path.positions <= upper).all()
        steps = np.diff(np.concatenate([before[None], path.positions]), axis=0)
        assert np.abs(steps).max() <= change * (1.0 + 1e-12)
        assert path.method == "tracking" and not path.start.any()
        for i in range(0, len(path), 37):
            with ik.at(path.positions[i]):
                missed = np.linalg.norm(poses[i][:3, 3] - ik.transform()[:3, 3])
            np.testing.assert_allclose(path.linear_error[i], missed, atol=1e-12)


def test_steps_one_by_one_are_those_of_the_whole_path() -> None:
    ik = arm()
    poses = line(ik, 3)[::4]
    path = ik.track(poses, largest_change=0.2, time_budget=1.0)
    for i, pose in enumerate(poses):
        ik.target.set_transform(pose)
        result = ik.track(largest_change=0.2, time_budget=1.0)
        assert result == path[i]
        ik.positions = result.positions


def test_a_target_that_jumps_is_reached_in_steps() -> None:
    ik = arm()
    goal = np.array([0.4, 0.5, -0.3, 0.6, 0.2, -0.4, 0.3])
    with ik.at(goal):
        ik.target.set_transform(ik.transform())
    ik.positions = goal + 0.6
    steps = [ik.positions]
    for _ in range(40):
        result = ik.track(largest_change=0.05, time_budget=1.0)
        ik.positions = result.positions
        steps.append(result.positions)
    assert result.success
    assert np.abs(np.diff(steps, axis=0)).max() <= 0.05 * (1.0 + 1e-12)
    assert np.abs(ik.error).max() < 3e-6


def test_each_dof_has_a_largest_change_of_its_own() -> None:
    ik = arm()
    with ik.at(np.full(7, 0.5)):
        ik.target.set_transform(ik.transform())
    ik.positions = np.zeros(7)
    most = np.array([0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07])
    moved = np.abs(ik.track(largest_change=most).positions)
    assert (moved <= most).all() and (moved > 0.9 * most).sum() > 3


def test_a_dof_beyond_its_limits_comes_back_as_fast_as_it_may() -> None:
    ik = arm()
    ik.owner.skeleton.positions = np.zeros(7)
    ik.target.set_transform(ik.transform())
    high = ik.owner.skeleton.position_upper_limits
    ik.positions = np.array([high[0] + 0.35, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    found = [ik.positions[0]]
    for _ in range(6):
        ik.positions = ik.track(largest_change=0.1, time_budget=1.0).positions
        found.append(ik.positions[0])
    expected = high[0] + np.array([0.35, 0.25, 0.15, 0.05])
    np.testing.assert_allclose(found[:4], expected, atol=1e-12)
    assert found[4] <= high[0]


class Above(kido.ik.ErrorMethod):
    """A method of one's own: how far the node is above its target."""

    def compute_error(self, ik: InverseKinematics) -> np.ndarray:
        return np.array([ik.transform()[2, 3] - ik.target.transform()[2, 3]])


def floating() -> InverseKinematics:
    robot = gallery.humanoid()
    ik = InverseKinematics.of(robot.end_effector("left_hand"))
    ik.use_whole_body()
    return ik


def own_method() -> InverseKinematics:
    ik = arm()
    ik.error_method = Above()
    return ik


@pytest.mark.parametrize("make", [floating, own_method])
def test_parts_off_the_native_search_are_held_to_the_bound_too(make: Any) -> None:
    ik = make()
    skeleton = ik.owner.skeleton
    ik.target.set_translation(ik.transform()[:3, 3] + [0.3, -0.2, 0.4])
    before = skeleton.positions
    left = np.inf
    for _ in range(3):
        start = skeleton.positions
        result = ik.track(largest_change=0.03, time_budget=1.0)
        np.testing.assert_array_equal(skeleton.positions, start)
        ik.positions = result.positions
        moved = skeleton.tree.difference(start, skeleton.positions)
        assert 0.0 < np.abs(moved).max() <= 0.03 * (1.0 + 1e-9)
        now = np.linalg.norm(ik.error)
        assert now < left
        left = now
    path = ik.track(np.repeat(ik.target.transform()[None], 3, axis=0), largest_change=0.03, time_budget=1.0)
    assert len(path) == 3 and path.method == "tracking"
    assert not np.array_equal(skeleton.positions, before)


class Distance(kido.optimize.Function):
    """Squared distance of positions from others, in Python."""

    def value(self, x: np.ndarray) -> float:
        return float(((x - 0.1) ** 2).sum())

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return 2.0 * (x - 0.1)


@pytest.mark.parametrize("objective", [kido.optimize.QuadraticFunction(np.full(7, 0.1)), Distance()])
def test_an_objective_is_lowered_along_the_target_that_is_followed(objective: Any) -> None:
    """Where the way to its minimum is far longer than a step: the target comes first in each of them."""
    ik = arm()
    ik.positions = [0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1]
    ik.target.set_transform(ik.transform())
    best = ik.positions
    ik.objective = objective
    lowered = ik.solve()
    assert lowered.success and np.abs(lowered.positions - best).max() > 0.3
    values = [objective.value(ik.positions)]
    for _ in range(30):
        start, result = ik.positions, ik.track(largest_change=0.02, time_budget=1.0)
        assert result.success and result.method == "tracking"
        assert np.abs(result.positions - start).max() <= 0.02 * (1.0 + 1e-9)
        ik.positions = result.positions
        assert np.abs(ik.error).max() < 2e-6
        values.append(objective.value(ik.positions))
        assert values[-1] <= values[-2] + 1e-9
    np.testing.assert_allclose(values[-1], objective.value(lowered.positions), rtol=1e-5)


def test_a_spent_budget_still_answers_within_the_bound() -> None:
    ik = arm()
    ik.target.set_translation((9.0, 0.0, 0.0))
    result = ik.track(largest_change=0.1, time_budget=1e-9)
    assert np.abs(result.positions - ik.positions).max() <= 0.1
    assert np.isfinite(result.positions).all()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"largest_change": 0.0}, ValueError, r"^largest_change: expected positive numbers"),
        ({"largest_change": [0.1] * 6}, ValueError, r"^largest_change: expected shape \(7,\)"),
        ({"largest_change": "fast"}, TypeError, r"^largest_change: expected numbers"),
        ({"largest_change": np.nan}, ValueError, r"^largest_change: expected finite numbers"),
        ({"time_budget": 0.0}, ValueError, r"^time_budget: expected a positive number"),
        ({"time_budget": None}, TypeError, r"^time_budget: expected numbers"),
        ({"poses": np.eye(4)}, ValueError, r"^poses: expected shape \(n, 4, 4\)"),
        ({"poses": np.ones((2, 4, 4))}, ValueError, r"^poses: "),
    ],
)
def test_what_cannot_be_tracked_is_refused(options: dict[str, Any], error: type, message: str) -> None:
    ik = arm()
    with pytest.raises(error, match=message):
        ik.track(**options)


def crossed_hands(balance: bool) -> kido.ik.WholeBodyIK:
    """A humanoid whose left hand shall go where it cannot; `balance` brings a task that is not native."""
    human = gallery.humanoid()
    for name, level in {"left_foot": 0, "right_foot": 0, "left_hand": 1}.items():
        part = InverseKinematics.of(human.end_effector(name))
        part.hierarchy_level = level
        part.use_whole_body()
    part.target.set_translation((2.0, 0.5, 1.0))
    if balance:
        center = InverseKinematics.of(human.bodies[0])
        center.error_method, center.hierarchy_level = kido.ik.CenterOfMass(), 1
        center.use_whole_body()
    return kido.ik.WholeBodyIK(human)


@pytest.mark.parametrize("balance", [False, True])
def test_of_several_nodes_what_is_applied_is_what_one_start_leads_to(balance: bool) -> None:
    whole = crossed_hands(balance)
    whole.settings = dataclasses.replace(whole.settings, max_starts=3, time_budget=None)
    result = whole.solve()
    assert not result.success and result.start == 0
    settings = whole.settings
    whole.settings = dataclasses.replace(settings, max_starts=1, mirrors=0)
    alone = whole.solve()
    np.testing.assert_array_equal(result.positions, alone.positions)
    assert alone.elsewhere is None and alone.nearest is alone
    whole.settings = settings
    applied = whole.solve_and_apply()
    np.testing.assert_array_equal(whole.positions, result.positions)
    assert applied.tasks == result.tasks
    if result.elsewhere is not None:
        assert result.nearest is result.elsewhere and result.elsewhere.start > 0


def test_an_unreachable_whole_body_target_has_an_answer_within_the_budget() -> None:
    whole = crossed_hands(balance=True)
    assert whole.settings.time_budget == 0.5
    begin = time.process_time()
    result = whole.solve()
    assert time.process_time() - begin < 5.0  # 16 s and more without a budget
    assert not result.success and np.isfinite(result.positions).all()


class OwnPoint(kido.ik.ErrorMethod):
    """What `PositionError` computes, in Python."""

    def compute_error(self, ik: InverseKinematics) -> np.ndarray:
        return np.r_[np.zeros(3), ik.transform()[:3, 3] - ik.target.transform()[:3, 3]]

    def compute_jacobian(self, ik: InverseKinematics) -> np.ndarray:
        return np.r_[np.zeros((3, len(ik.dofs))), ik.jacobian()[3:]]


class OwnPose(kido.ik.ErrorMethod):
    """What `PoseError` computes, in Python."""

    def compute_error(self, ik: InverseKinematics) -> np.ndarray:
        return np.r_[-self.rotation(ik), ik.transform()[:3, 3] - ik.target.transform()[:3, 3]]

    def compute_jacobian(self, ik: InverseKinematics) -> np.ndarray:
        J = ik.jacobian()
        return np.r_[so3_right_jacobian_inverse(self.rotation(ik)) @ J[:3], J[3:]]

    def rotation(self, ik: InverseKinematics) -> np.ndarray:
        return so3_log(ik.target.transform()[:3, :3] @ ik.transform()[:3, :3].T)


@pytest.mark.parametrize("number", [6, 7])
@pytest.mark.parametrize(
    "method",
    [kido.ik.PositionError(), kido.ik.TaskSpaceRegion(), OwnPoint(), OwnPose()],
    ids=["point", "pose", "own point", "own pose"],
)
def test_a_stretched_arm_does_not_turn_about_itself(number: int, method: kido.ik.ErrorMethod) -> None:
    """Beside a path that is followed in steps of a tenth, where nothing is left to wander."""
    ik = arm(number)
    ik.error_method = method
    if isinstance(method, OwnPoint | OwnPose):
        ik.settings = ONE_START  # other starts are not what is asked about, and Python takes its time
    robot = ik.owner.skeleton
    checked = 0
    for direction in np.eye(3):
        robot.positions = [0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1][:number]
        pose, away = ik.transform(), False
        for _ in range(60):
            pose[:3, 3] += STEP * direction
            ik.target.set_transform(pose)
            before, result = ik.positions, ik.solve()
            if away and not result.success:
                length = 0.0
                for share in np.linspace(0.1, 1.0, 10):
                    nearer = pose.copy()
                    nearer[:3, 3] -= (1.0 - share) * STEP * direction
                    ik.target.set_transform(nearer)
                    last = ik.positions
                    length += np.abs(ik.solve_and_apply().positions - last).max()
                assert np.abs(result.positions - before).max() <= 1.5 * length + 1e-3
                checked += 1
            away = not result.success
            ik.positions = result.positions
    assert checked > 30
