"""Closed forms of arms that are given by their axes: every solution, and nothing else."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from _arms import GENERAL, IIWA, PANDA, PARALLELS, PUMA, RIGHT, SEVEN, UR5, WRISTS, Arm, apart, search, turn
from scipy.optimize import brentq

from kido.ik import ClosedForm

MIRRORED = {f"{name}, reversed": arm.reversed() for name, arm in {**WRISTS, **PARALLELS}.items()}
SIX = {**WRISTS, **PARALLELS, **MIRRORED}
ARMS = {**SIX, **SEVEN}

by_arm = pytest.mark.parametrize("arm", [pytest.param(arm, id=name) for name, arm in ARMS.items()])


def form_of(arm: Arm) -> ClosedForm:
    return ClosedForm.from_axes(arm.axes, arm.points, tool=arm.tool)


def random_positions(arm: Arm, seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, arm.joints))


@pytest.mark.parametrize(
    ("arms", "family"),
    [
        (WRISTS, "spherical wrist"),
        ({name: arm.reversed() for name, arm in WRISTS.items()}, "spherical shoulder"),
        (PARALLELS, "three parallel axes"),
        ({name: arm.reversed() for name, arm in PARALLELS.items()}, "three parallel axes"),
    ],
)
def test_the_form_is_found_from_the_axes(arms: dict[str, Arm], family: str) -> None:
    for name, arm in arms.items():
        form = form_of(arm)
        assert form.family == family, name
        assert form.reason == ""
        assert form.locked_dof is None
        assert form.exact


@by_arm
def test_the_positions_that_made_the_target_are_among_the_solutions(arm: Arm) -> None:
    form = form_of(arm)
    for q in random_positions(arm, 1, 60):
        solutions = form.solve(arm.forward(q), near=q)
        assert solutions.reached
        assert apart(solutions.positions, q).min() < 1e-7


@by_arm
def test_every_solution_reaches_the_target(arm: Arm) -> None:
    form = form_of(arm)
    for q in random_positions(arm, 2, 60):
        target = arm.forward(q)
        positions, _, errors = form.solve(target, near=q)
        np.testing.assert_allclose(
            arm.forward(positions), np.broadcast_to(target, (len(positions), 4, 4)), atol=3e-12
        )
        assert errors.shape == (len(positions), 2)
        assert errors.max() < 3e-12


@by_arm
def test_no_two_solutions_are_the_same_and_angles_are_in_one_turn(arm: Arm) -> None:
    form = form_of(arm)
    for q in random_positions(arm, 3, 40):
        positions = form.solve(arm.forward(q), near=q).positions
        distances = apart(positions[:, None], positions[None]) + 10.0 * np.eye(len(positions))
        assert distances.min() > 3e-7
        assert np.all(positions > -np.pi)
        assert np.all(positions <= np.pi)


@by_arm
def test_a_numerical_search_finds_no_solution_that_is_missing(arm: Arm) -> None:
    form = form_of(arm)
    rng = np.random.default_rng(4)
    free = [k for k in range(arm.joints) if k != form.locked_dof]
    for q in random_positions(arm, 5, 2):
        target = arm.forward(q)
        starts = rng.uniform(-np.pi, np.pi, (250, arm.joints))
        if form.locked_dof is not None:
            starts[:, form.locked_dof] = q[form.locked_dof]
        found = search(arm, target, starts, free)
        positions = form.solve(target, near=q).positions
        assert len(found) > 20
        assert max(apart(positions, x).min() for x in found) < 1e-5
        assert max(apart(found, x).min() for x in positions) < 1e-5


@by_arm
def test_at_singular_poses_the_given_positions_are_among_the_solutions(arm: Arm) -> None:
    form = form_of(arm)
    rng = np.random.default_rng(6)
    for q in random_positions(arm, 7, 200):
        some = rng.choice(arm.joints, rng.integers(1, 4), replace=False)
        q[some] = rng.choice([0.0, np.pi, RIGHT, -RIGHT], len(some))
        target = arm.forward(q)
        solutions = form.solve(target, near=q)
        assert solutions.reached
        assert np.abs(arm.forward(solutions.positions) - target).max() < 1e-9
        assert apart(solutions.positions, q).min() < 1e-3


@pytest.mark.parametrize("bend", [1e-3, 1e-6, 1e-8])
def test_both_sides_of_a_wrist_that_is_nearly_straight_are_found(bend: float) -> None:
    form = form_of(PUMA)
    for q in random_positions(PUMA, 8, 40):
        q[4] = bend
        positions = form.solve(PUMA.forward(q)).positions
        assert apart(positions, q).min() < 1e-13 / bend + 1e-7
        assert np.any(np.abs(positions[:, 4] + bend) < 0.5 * bend)


@pytest.mark.parametrize("bend", [0.0, 1e-9, 1e-7, 1e-5])
def test_an_elbow_that_is_nearly_straight_is_found(bend: float) -> None:
    form = form_of(UR5)
    for q in random_positions(UR5, 9, 40):
        q[2] = bend
        positions, reached, errors = form.solve(UR5.forward(q))
        assert reached
        assert errors.max() < 1e-11
        assert apart(positions, q).min() < 3e-7 + 1e-14 / max(bend, 1e-7)


def test_a_wrist_centre_on_the_first_axis_leaves_the_first_joint_where_it_was() -> None:
    arm, q = WRISTS["kuka kr"], np.array([0.7, 0.0, 0.3, 0.4, 0.5, 0.6])

    def off_axis(angle: float) -> float:
        moved = arm.points[4]
        for k, x in ((2, q[2]), (1, angle)):
            moved = arm.points[k] + rotation(arm.axes[k], x) @ (moved - arm.points[k])
        return float(moved[0])

    grid = np.linspace(-np.pi, np.pi, 50)
    q[1] = brentq(
        off_axis, *next((a, b) for a, b in pairwise(grid) if off_axis(a) * off_axis(b) < 0), xtol=1e-15
    )
    solutions = form_of(arm).solve(arm.forward(q), near=q)
    assert apart(solutions.positions, q).min() < 1e-6


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


@by_arm
def test_out_of_reach_gives_one_row_that_no_small_change_improves(arm: Arm) -> None:
    form = form_of(arm)
    size = np.linalg.norm(np.diff(arm.points, axis=0), axis=1).sum()
    size += np.linalg.norm(arm.tool[:3, 3] - arm.points[-1])
    q = random_positions(arm, 10, 1)[0]
    target = arm.forward(q)
    target[:3, 3] += [3.0 * size, 0.5 * size, 0.2 * size]
    positions, reached, errors = form.solve(target, near=q)
    assert not reached
    assert positions.shape == (1, arm.joints)

    def cost(x: np.ndarray) -> float:
        T = arm.forward(x)
        c = np.clip(0.5 * (np.trace(target[:3, :3] @ T[:3, :3].T) - 1.0), -1.0, 1.0)
        return float(np.arccos(c) ** 2 + np.sum((target[:3, 3] - T[:3, 3]) ** 2) / size**2)

    best = cost(positions[0])
    assert errors[0, 0] ** 2 + (errors[0, 1] / size) ** 2 == pytest.approx(best, rel=1e-6)
    rng = np.random.default_rng(11)
    for _ in range(100):
        change = 1e-2 * rng.normal(size=arm.joints)
        if form.locked_dof is not None:
            change[form.locked_dof] = 0.0
        assert cost(positions[0] + change) > best - 1e-9


def test_far_from_the_origin_nothing_is_lost() -> None:
    by = np.eye(4)
    by[:3, :3] = rotation(np.array([0.6, 0.0, 0.8]), 1.1)
    by[:3, 3] = [1000.0, -2000.0, 300.0]
    arm = UR5.moved(by)
    form = form_of(arm)
    assert form.family == "three parallel axes"
    for q in random_positions(UR5, 12, 20):
        positions = form.solve(by @ UR5.forward(q)).positions
        assert apart(positions, q).min() < 1e-7


def test_axes_of_any_length_will_do() -> None:
    form = ClosedForm.from_axes(3.0 * PUMA.axes, PUMA.points, tool=PUMA.tool)
    q = random_positions(PUMA, 13, 1)[0]
    assert apart(form.solve(PUMA.forward(q)).positions, q).min() < 1e-7


def test_rounded_angles_of_a_model_file_still_fit_and_solutions_are_exact() -> None:
    rng = np.random.default_rng(14)
    arm = Arm(PUMA.axes + 4e-6 * rng.normal(size=(6, 3)), PUMA.points, PUMA.tool)
    arm = Arm(arm.axes / np.linalg.norm(arm.axes, axis=1, keepdims=True), arm.points, arm.tool)
    form = form_of(arm)
    assert form.family == "spherical wrist"
    assert not form.exact
    positions = random_positions(arm, 15, 40)
    regular = np.linalg.svd(arm.jacobian(positions))[1][:, -1] > 0.05
    assert regular.sum() > 15
    for q in positions[regular]:
        positions, reached, errors = form.solve(arm.forward(q))
        assert reached
        assert errors.max() < 1e-9
        assert apart(positions, q).min() < 1e-6


def test_axes_without_relation_have_no_form_and_say_so() -> None:
    form = form_of(GENERAL)
    assert form.family is None
    assert form.locked_dof is None
    assert "no three axes" in form.reason
    with pytest.raises(ValueError, match="no closed form"):
        form.solve(np.eye(4))


@pytest.mark.parametrize("locked", [0, 1, 2, 4, 5, 6])
def test_of_seven_joints_any_that_leaves_three_axes_together_may_be_locked(locked: int) -> None:
    form = ClosedForm.from_axes(IIWA.axes, IIWA.points, tool=IIWA.tool, locked_dof=locked)
    assert form.locked_dof == locked
    for q in random_positions(IIWA, 16, 20):
        positions = form.solve(IIWA.forward(q), near=q).positions
        assert apart(positions, q).min() < 1e-6
        assert np.all(positions[:, locked] == q[locked])


@pytest.mark.parametrize(
    ("locked", "straight", "free"),
    [(0, 5, (4, 6)), (1, 5, (4, 6)), (2, 5, (4, 6)), (4, 1, (0, 2)), (6, 1, (0, 2))],
)
def test_beside_a_held_joint_those_that_a_singular_pose_leaves_free_stay_near_what_was_given(
    locked: int, straight: int, free: tuple[int, int]
) -> None:
    form = ClosedForm.from_axes(IIWA.axes, IIWA.points, tool=IIWA.tool, locked_dof=locked)
    for q in random_positions(IIWA, 21, 20):
        q[straight] = 0.0
        positions = form.solve(IIWA.forward(q), near=q).positions
        best = positions[apart(positions, q).argmin()]
        np.testing.assert_allclose(best[list(free)], q[list(free)], atol=1e-6)
        np.testing.assert_allclose(IIWA.forward(best), IIWA.forward(q), atol=1e-11)


def test_holding_the_elbow_of_an_arm_with_two_ball_like_ends_is_no_form() -> None:
    form = ClosedForm.from_axes(IIWA.axes, IIWA.points, tool=IIWA.tool, locked_dof=3)
    assert form.family is None
    assert "locked" in form.reason


def test_sweeping_the_held_joint_gives_the_solutions_of_each_value() -> None:
    form = form_of(PANDA)
    q = random_positions(PANDA, 17, 1)[0]
    target = PANDA.forward(q)
    near = np.tile(q, (9, 1))
    near[:, 6] = np.linspace(-2.0, 2.0, 9)
    swept = form.solve_all(target, near=near)
    assert len(swept) == 9
    for row, solutions in zip(near, swept, strict=True):
        alone = form.solve(target, near=row)
        assert solutions.reached == alone.reached
        np.testing.assert_array_equal(solutions.positions, alone.positions)
        np.testing.assert_array_equal(solutions.errors, alone.errors)


def test_many_targets_give_what_each_gives() -> None:
    form = form_of(UR5)
    targets = UR5.forward(random_positions(UR5, 18, 20))
    targets[3, :3, 3] += 9.0
    for target, solutions in zip(targets, form.solve_all(targets), strict=True):
        alone = form.solve(target)
        assert solutions.reached == alone.reached
        np.testing.assert_array_equal(solutions.positions, alone.positions)
    assert not form.solve_all(targets)[3].reached
    assert form.solve_all(targets[:0]) == []


def test_a_target_with_rounded_axes_is_taken_and_one_that_is_no_pose_refused() -> None:
    form = form_of(PUMA)
    q = random_positions(PUMA, 19, 1)[0]
    target = PUMA.forward(q)
    assert apart(form.solve(np.round(target, 9)).positions, q).min() < 1e-6
    target[0, 0] += 0.01
    with pytest.raises(ValueError, match="target: expected a rotation"):
        form.solve(target)


@pytest.mark.parametrize("row", range(3))
@pytest.mark.parametrize("column", range(3))
def test_a_target_that_is_off_in_one_number_is_no_pose(row: int, column: int) -> None:
    for change in (1e-4, -1e-4):
        target = PUMA.forward(random_positions(PUMA, 20, 1)[0])
        target[row, column] += change
        with pytest.raises(ValueError, match="target: expected a rotation"):
            form_of(PUMA).solve(target)


@pytest.mark.parametrize(("moved", "about"), [(0, 2), (0, 1), (1, 2), (1, 0), (2, 1), (2, 0)])
def test_a_target_whose_axes_are_not_at_right_angles_is_no_pose(moved: int, about: int) -> None:
    for angle in (1e-4, -1e-4):
        target = PUMA.forward(random_positions(PUMA, 20, 1)[0])
        target[:3, moved] = rotation(target[:3, about], angle) @ target[:3, moved]
        with pytest.raises(ValueError, match="target: expected a rotation"):
            form_of(PUMA).solve(target)


@pytest.mark.parametrize("column", range(3))
def test_a_mirror_image_is_no_pose(column: int) -> None:
    target = PUMA.forward(random_positions(PUMA, 20, 1)[0])
    target[:3, column] *= -1.0
    with pytest.raises(ValueError, match="target: expected a rotation"):
        form_of(PUMA).solve(target)


def test_of_a_target_that_is_a_little_skewed_the_first_axis_is_kept_and_the_second_made_normal() -> None:
    target = PUMA.forward(random_positions(PUMA, 20, 1)[0])
    skewed = target.copy()
    skewed[:3, 1] += 4e-7 * target[:3, 0] + 3e-7 * target[:3, 2]
    meant = target.copy()
    meant[:3, :3] = rotation(target[:3, 0], 3e-7) @ target[:3, :3]
    positions = form_of(PUMA).solve(skewed).positions
    np.testing.assert_allclose(
        PUMA.forward(positions), np.broadcast_to(meant, (len(positions), 4, 4)), atol=1e-11
    )


def test_wrong_arguments_are_named() -> None:
    form = form_of(PUMA)
    with pytest.raises(ValueError, match=r"target: expected shape \(4, 4\) \[m\], got \(3, 3\)"):
        form.solve(np.eye(3))
    with pytest.raises(ValueError, match=r"near: expected shape \(6,\) \[rad\], got \(7,\)"):
        form.solve(np.eye(4), near=np.zeros(7))
    with pytest.raises(ValueError, match="target: expected finite"):
        form.solve(np.full((4, 4), np.nan))
    with pytest.raises(ValueError, match="axes: expected 1 to 7"):
        ClosedForm.from_axes(np.ones((8, 3)), np.ones((8, 3)))
    with pytest.raises(ValueError, match="axes: expected directions"):
        ClosedForm.from_axes(np.zeros((6, 3)), np.zeros((6, 3)))
    with pytest.raises(ValueError, match="locked_dof: expected None for 6 joints"):
        ClosedForm.from_axes(PUMA.axes, PUMA.points, locked_dof=2)
    with pytest.raises(ValueError, match="locked_dof: expected a joint from 0 to 6"):
        ClosedForm.from_axes(IIWA.axes, IIWA.points, locked_dof=7)
    with pytest.raises(ValueError, match=r"targets: expected shape \(m, 4, 4\)"):
        form.solve_all(np.eye(3))
    with pytest.raises(ValueError, match="near: expected 1 row or 3"):
        form.solve_all(np.tile(np.eye(4), (3, 1, 1)), near=np.zeros((2, 6)))


def test_three_parallel_axes_keep_near_angles_where_a_singular_pose_leaves_them_free() -> None:
    """The fifth joint turns the sixth axis parallel to the three; the outer axes do not meet."""
    rng = np.random.default_rng(7)
    compared = 0
    for _ in range(60):
        axes = rng.normal(size=(6, 3))
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        q, points = rng.uniform(-np.pi, np.pi, 6), rng.uniform(-1.0, 1.0, (6, 3))
        axes[2] = axes[3] = axes[1]
        axes[5] = turn(axes[4], np.array(-q[4])) @ axes[1]
        form = ClosedForm.from_axes(axes, points)
        steep = np.abs(axes[[0, 4, 4]] @ axes[[1, 1, 5]].T).diagonal().max() > 0.9
        if steep or form.family != "three parallel axes":
            continue
        solutions = form.solve(Arm(axes, points, np.eye(4)).forward(q), near=q)
        assert solutions.reached
        assert apart(solutions.positions, q).min() < 1e-3
        compared += 1
    assert compared > 30
