"""Closed forms with prismatic joints at the edge of reach and beyond; of odd geometry; bad input."""

from __future__ import annotations

import numpy as np
import pytest
from _arms import PANDA, PUMA, RIGHT, UR5, Arm
from _prismatic_arms import (
    CYLINDRICAL,
    GANTRY,
    OTHERS,
    PLANAR,
    SCARA,
    STANFORD,
    WRISTED,
    X,
    Y,
    Z,
    arm_of,
    drawn,
    form_of,
    gap,
    random_arm,
    wrist,
)
from scipy.spatial.transform import Rotation

from kido.ik import ClosedForm


@pytest.mark.parametrize("bend", [0.0, 1e-9, 1e-7, 1e-5, 1e-3])
def test_a_scara_that_is_nearly_straight_is_found(bend: float) -> None:
    form = form_of(SCARA)
    for q in drawn(SCARA, np.random.default_rng(11), 20):
        q[1] = bend
        positions, reached, errors = form.solve(SCARA.forward(q))
        assert reached
        assert errors.max() < 1e-11
        assert gap(SCARA, positions, q).min() < 3e-7 + 1e-14 / max(bend, 1e-7)


@pytest.mark.parametrize("short", [0.0, 1e-14, 1e-9, 1e-5])
def test_a_wrist_that_a_rail_just_reaches_is_found(short: float) -> None:
    arm = WRISTED["rail first"]
    target = np.eye(4)
    target[:3, 3] = [0.3, np.hypot(0.5, 0.1) - short, 0.4 + 0.1]
    solutions = form_of(arm).solve(target)
    assert solutions.reached
    assert solutions.errors.max() < 1e-9
    middle = solutions.positions[:, 0].mean()
    assert middle == pytest.approx(0.3, abs=1e-6)
    assert np.abs(solutions.positions[:, 0] - 0.3).max() < np.sqrt(2.0 * short) + 1e-6


@pytest.mark.parametrize("over", [1e-5, 0.1, 3.0])
def test_what_a_rail_does_not_reach_gives_the_nearest(over: float) -> None:
    arm = WRISTED["rail first"]
    target = np.eye(4)
    target[:3, 3] = [0.3, np.hypot(0.5, 0.1) + over, 0.5]
    positions, reached, errors = form_of(arm).solve(target)
    assert not reached
    assert positions.shape == (1, 6)
    assert 0.1 * over < errors[0, 1] <= over * (1 + 1e-9)


def cost(arm: Arm, q: np.ndarray, target: np.ndarray, size: float) -> float:
    T = arm.forward(q)
    turn = Rotation.from_matrix(target[:3, :3] @ T[:3, :3].T).magnitude()
    return float(turn**2 + np.sum((target[:3, 3] - T[:3, 3]) ** 2) / size**2)


@pytest.mark.parametrize("arm", [SCARA, PLANAR, WRISTED["SCARA with a wrist"], OTHERS["machine tool"][0]])
def test_out_of_reach_gives_one_row_that_no_small_change_improves(arm: Arm) -> None:
    rng = np.random.default_rng(12)
    target = arm.forward(drawn(arm, rng, 1)[0])
    target[:3, :3] = target[:3, :3] @ Rotation.from_rotvec([0.3, -0.4, 0.1]).as_matrix()
    target[:3, 3] += [2.0, 3.0, 0.5]
    positions, reached, errors = form_of(arm).solve(target)
    assert not reached
    assert positions.shape == (1, arm.joints)
    turns = arm.points[~np.array(arm.is_prismatic)]
    size = np.linalg.norm(np.diff(turns, axis=0), axis=1).sum() + np.linalg.norm(arm.tool[:3, 3] - turns[-1])
    if any(arm.is_prismatic):
        size = max(size, np.linalg.norm(target[:3, 3] - turns[0]))
    best = cost(arm, positions[0], target, size)
    assert errors[0, 0] ** 2 + (errors[0, 1] / size) ** 2 == pytest.approx(best, rel=1e-6)
    for change in 1e-2 * rng.normal(size=(100, arm.joints)):
        assert cost(arm, positions[0] + change, target, size) > best - 1e-9


@pytest.mark.parametrize("tilt", [1e-7, 0.2, 1.5])
def test_a_scara_cannot_tilt_and_says_by_how_much_it_fails(tilt: float) -> None:
    q = np.array([0.3, 0.8, -0.2, 1.1])
    target = SCARA.forward(q)
    target[:3, :3] = Rotation.from_rotvec([tilt, 0, 0]).as_matrix() @ target[:3, :3]
    positions, reached, errors = form_of(SCARA).solve(target)
    assert not reached
    np.testing.assert_allclose(errors, [[tilt, 0.0]], atol=1e-8)
    assert positions[0, 2] == pytest.approx(-0.2, abs=1e-6)


def test_a_planar_arm_does_not_leave_its_plane() -> None:
    target = PLANAR.forward(np.array([0.3, 0.8, -0.2]))
    target[2, 3] += 0.05
    _, reached, errors = form_of(PLANAR).solve(target)
    assert not reached
    np.testing.assert_allclose(errors, [[0.0, 0.05]], atol=1e-8)


def test_a_gantry_is_exact_however_large_and_wherever_it_stands() -> None:
    by = np.eye(4)
    by[:3, :3] = Rotation.from_rotvec([0.4, 0.5, -0.6]).as_matrix()
    by[:3, 3] = [1000.0, -2000.0, 300.0]
    for arm in (GANTRY, STANFORD, SCARA, CYLINDRICAL):
        form = form_of(arm.moved(by))
        for q in drawn(arm, np.random.default_rng(13), 20, reach=50.0):
            solutions = form.solve(by @ arm.forward(q))
            assert solutions.reached
            assert gap(arm, solutions.positions, q).min() < 1e-8


def test_points_on_slides_do_not_matter() -> None:
    rng = np.random.default_rng(14)
    for arm in (STANFORD, SCARA, GANTRY):
        points = arm.points + 100.0 * rng.normal(size=arm.points.shape) * np.array(arm.is_prismatic)[:, None]
        form = ClosedForm.from_axes(arm.axes, points, tool=arm.tool, is_prismatic=arm.is_prismatic)
        for q in drawn(arm, rng, 10):
            positions, reached, errors = form.solve(arm.forward(q))
            assert reached
            assert errors.max() < 1e-12
            assert gap(arm, positions, q).min() < 1e-9


def test_a_gantry_whose_tool_is_its_wrist_is_solved() -> None:
    arm = Arm(GANTRY.axes, GANTRY.points, np.eye(4), GANTRY.is_prismatic)
    form = form_of(arm)
    for q in drawn(arm, np.random.default_rng(15), 20):
        positions, reached, errors = form.solve(arm.forward(q))
        assert reached
        assert len(positions) == 2
        assert errors.max() < 1e-14
        assert gap(arm, positions, q).min() < 1e-12


def test_a_wrist_centre_where_the_first_axes_meet_leaves_both_where_they_were() -> None:
    arm = arm_of(("R", Z, (0, 0, 0)), ("R", X, (0, 0, 0.4)), ("P", Z, (0, 0, 0.4)), *wrist(0, 0, 0.7))
    q = np.array([0.7, -0.4, -0.3, 0.5, 0.6, 0.8])
    positions, reached, errors = form_of(arm).solve(arm.forward(q), near=q)
    assert reached
    assert errors.max() < 1e-12
    assert gap(arm, positions, q).min() < 1e-12


def test_a_double_root_where_the_slide_is_not_extended_is_found() -> None:
    s = np.sqrt(0.5)
    axes = np.array([[-s, 0, -s], X, Z, X, X, -Z])
    points = np.array([*[[0.2, 0.3, -0.2]] * 3, [0.2, 0.1, -0.3], [0.1, 0.3, 0.1], [-0.2, -0.3, 0.0]])
    arm = Arm(axes, points, np.eye(4), tuple(k == 3 for k in range(6)))
    q = np.array([0.0, 1.9333662890373473, RIGHT, 0.0, 0.0, 0.12169340730922507])
    solutions = form_of(arm).solve(arm.forward(q), near=q)
    assert solutions.reached
    assert gap(arm, solutions.positions, q).min() < 1e-3


def test_two_slides_that_rise_alike_leave_one_place() -> None:
    way = np.array([0.6, 0.0, 0.8])
    arm = arm_of(("P", way, (0, 0, 0)), ("R", Z, (0, 0, 0)), ("P", way, (0.2, 0.1, 0)), *wrist(0.4, 0.1, 0.4))
    form = form_of(arm)
    assert form.family == "spherical wrist"
    for q in drawn(arm, np.random.default_rng(21), 20):
        positions, reached, _ = form.solve(arm.forward(q))
        assert reached
        assert len(positions) == 2
        assert gap(arm, positions, q).min() < 1e-9


def test_of_slides_that_make_up_for_each_other_the_given_one_stays() -> None:
    arm = arm_of(*[("P", Y, (0, 0, 0)), ("R", Z, (0, 0, 0)), ("P", X, (0, 0, 0)), ("P", Z, (0, 0, 0))])
    q = np.array([0.3, RIGHT, -0.2, 0.5])
    positions, reached, _ = form_of(arm).solve(arm.forward(q), near=q)
    assert reached
    np.testing.assert_allclose(positions, [q], atol=1e-15)


def test_rounded_axes_of_a_model_file_still_fit_and_solutions_are_exact() -> None:
    rng = np.random.default_rng(16)
    for arm in (WRISTED["SCARA with a wrist"], WRISTED["slide across the first axis"]):
        axes = arm.axes + 4e-6 * rng.normal(size=(6, 3))
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        rounded = Arm(axes, arm.points + 1e-6 * rng.normal(size=(6, 3)), arm.tool, arm.is_prismatic)
        form = form_of(rounded)
        assert form.family == "spherical wrist"
        assert not form.exact
        q = drawn(rounded, rng, 40)
        for x in q[np.linalg.svd(rounded.jacobian(q))[1][:, -1] > 0.05]:
            positions, reached, errors = form.solve(rounded.forward(x))
            assert reached
            assert errors.max() < 1e-9
            assert gap(rounded, positions, x).min() < 1e-6


@pytest.mark.parametrize("at", [0, 3, 6])
def test_of_an_arm_with_a_rail_the_rail_is_held(at: int) -> None:
    axes, points = np.insert(UR5.axes, at, [0.6, 0.0, 0.8], axis=0), np.insert(UR5.points, at, 0.0, axis=0)
    arm = Arm(axes, points, UR5.tool, tuple(k == at for k in range(7)))
    form = form_of(arm)
    assert form.locked_dof == at
    assert form.family == "three parallel axes"
    for q in drawn(arm, np.random.default_rng(17), 20):
        positions, reached, _ = form.solve(arm.forward(q), near=q)
        assert reached
        assert gap(arm, positions, q).min() < 1e-6
        assert np.all(positions[:, at] == q[at])


def test_of_seven_joints_with_a_slide_one_that_turns_may_be_held() -> None:
    rng = np.random.default_rng(18)
    arm = random_arm("RPPPRRR", rng)
    form = ClosedForm.from_axes(
        arm.axes, arm.points, tool=arm.tool, locked_dof=0, is_prismatic=arm.is_prismatic
    )
    assert form.family == "gantry"
    assert form.locked_dof == 0
    for q in drawn(arm, rng, 20):
        positions = form.solve(arm.forward(q), near=q).positions
        assert gap(arm, positions, q).min() < 1e-9


NONE = {
    "3 are prismatic, but they depend on each other": random_arm("PPPRRR", np.random.default_rng(19)),
    "4 are prismatic, expected at most three": random_arm("PPPPRR", np.random.default_rng(19)),
    "1 is prismatic, and neither the first nor the": random_arm("RRPRRR", np.random.default_rng(19)),
    "2 are prismatic, and neither the first nor the": random_arm("RPRPRR", np.random.default_rng(19)),
    "of 5 joints, expected": random_arm("RRRRP", np.random.default_rng(19)),
    "no two neighbours": arm_of(("R", Z, (0, 0, 0)), ("R", Y, (0, 0, 0.3)), ("R", Y, (0.3, 0, 0.3))),
    "of 4 joints, expected": arm_of(*[("R", Z, (x, 0, 0)) for x in (0, 0.4, 0.7)], ("P", X, (0, 0, 0))),
}
_DEPENDENT = NONE["3 are prismatic, but they depend on each other"].axes
_DEPENDENT[2] = _DEPENDENT[0]


@pytest.mark.parametrize(("reason", "arm"), NONE.items(), ids=NONE)
def test_chains_without_a_form_say_why(reason: str, arm: Arm) -> None:
    form = form_of(arm)
    assert form.family is None
    assert reason in form.reason
    with pytest.raises(ValueError, match="no closed form: of"):
        form.solve(np.eye(4))


def test_many_targets_give_what_each_gives() -> None:
    targets = SCARA.forward(drawn(SCARA, np.random.default_rng(20), 10))
    targets[3, :3, 3] += 5.0
    form = form_of(SCARA)
    for target, solutions in zip(targets, form.solve_all(targets), strict=True):
        alone = form.solve(target)
        assert solutions.reached == alone.reached
        np.testing.assert_array_equal(solutions.positions, alone.positions)


def test_no_slides_is_the_default() -> None:
    alone = ClosedForm.from_axes(PUMA.axes, PUMA.points, tool=PUMA.tool)
    told = ClosedForm.from_axes(PUMA.axes, PUMA.points, tool=PUMA.tool, is_prismatic=[False] * 6)
    target = PUMA.forward(np.linspace(0.2, 1.0, 6))
    assert alone.is_prismatic == told.is_prismatic == (False,) * 6
    np.testing.assert_array_equal(alone.solve(target).positions, told.solve(target).positions)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="is_prismatic: expected 6 flags, got 5"):
        ClosedForm.from_axes(PUMA.axes, PUMA.points, is_prismatic=[True] * 5)
    for wrong in ([0, 1, 0, 1, 0, 1], "PPPRRR", [[True]] * 6):
        with pytest.raises(TypeError, match="is_prismatic: expected True or False for each joint"):
            ClosedForm.from_axes(PUMA.axes, PUMA.points, is_prismatic=wrong)
    with pytest.raises(ValueError, match=r"near: expected shape \(4,\) \[rad, m\], got \(6,\)"):
        form_of(SCARA).solve(np.eye(4), near=np.zeros(6))
    with pytest.raises(ValueError, match=r"near: expected 1 row or 3 \[rad, m\], got 2"):
        form_of(SCARA).solve_all(np.tile(np.eye(4), (3, 1, 1)), near=np.zeros((2, 4)))
    with pytest.raises(ValueError, match="locked_dof: expected None for 4 joints"):
        ClosedForm.from_axes(SCARA.axes, SCARA.points, is_prismatic=SCARA.is_prismatic, locked_dof=2)
    with pytest.raises(ValueError, match="axes: expected 1 to 7 rows"):
        ClosedForm.from_axes(np.zeros((0, 3)), np.zeros((0, 3)))
    assert ClosedForm.from_axes(PANDA.axes, PANDA.points).is_prismatic == (False,) * 7
