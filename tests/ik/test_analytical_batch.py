"""Closed forms for many targets: each as alone, against a sweep of the locked joint in Python."""

from __future__ import annotations

import pickle
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from _poses import Array, gap, placed, pose, turned, two_wrists, with_positions

import kido
from _robots import loaded
from kido import InverseKinematics, gallery
from kido.ik import (
    Analytical,
    AnalyticalResult,
    AnalyticalResults,
    AnalyticalSolution,
    ClosedFormMethod,
    PoseError,
    PositionError,
    SearchSettings,
    TaskSpaceRegion,
    Validity,
)
from kido.ik._analytical._sweep import Candidates, sweep

ARMS = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    "panda": ("panda_description/urdf/panda.urdf", "panda_hand"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "link_eef"),
    "talos": ("talos_data/robots/talos_reduced.urdf", "arm_left_7_link"),
}
every_arm = pytest.mark.parametrize("name", ARMS)


def limits(ik: InverseKinematics) -> tuple[Array, Array]:
    lower, upper = (np.clip(limit, -3.1, 3.1) for limit in ik.position_limits)
    return lower, upper


def module(name: str) -> InverseKinematics:
    """A module in the middle of its limits, searched."""
    file, body = ARMS[name]
    ik = InverseKinematics(loaded(file).body(body))
    ik.positions = 0.5 * np.add(*limits(ik))
    return ik


def targets_of(ik: InverseKinematics, count: int, seed: int = 0) -> tuple[Array, Array]:
    """Targets, every fourth of which is farther away, and positions to start from."""
    rng = np.random.default_rng(seed)
    drawn = rng.uniform(*limits(ik), (2 * count, len(ik.dofs)))
    targets = np.array([placed(ik.node, with_positions(ik, q)) for q in drawn[:count]])
    targets[3::4, :3, 3] *= rng.uniform(1.05, 2.5, (len(targets[3::4]), 1))
    return targets, drawn[count:]


@dataclass(frozen=True)
class InPython(Analytical):
    """The solutions of a module's closed form, the locked joint swept in Python."""

    def analytical_dofs(self, ik: InverseKinematics) -> Sequence[kido.DegreeOfFreedom]:
        return ik.dofs

    def compute_solutions(self, ik: InverseKinematics, desired: Array) -> Array | list[AnalyticalSolution]:
        arm = ClosedFormMethod().arm(ik)
        form = arm.form
        locked = () if form.locked_dof is None else (ik.dofs[form.locked_dof],)
        T_form_world = np.eye(4) if arm.T_form_world is None else arm.T_form_world

        def solve(rows: Array) -> Candidates:
            near = np.repeat(ik.positions[None], len(rows), axis=0)
            if form.locked_dof is not None:
                near[:, form.locked_dof] = rows[:, 0]
            found = form.solve_all(T_form_world @ desired, near=near)
            return Candidates.of(
                np.concatenate([one.positions for one in found]),
                np.concatenate([np.full(len(one.positions), one.reached) for one in found]),
                np.concatenate([one.errors.sum(axis=-1) for one in found]),
            )

        return sweep(ik, ik.dofs, locked, solve).solutions()


def assert_same(a: AnalyticalResult, b: AnalyticalResult) -> None:
    np.testing.assert_array_equal(a.positions, b.positions)
    np.testing.assert_array_equal(a.validity, b.validity)
    assert a == b


def assert_same_solutions(found: AnalyticalResult, expected: AnalyticalResult) -> None:
    """The same rows with the same flags; rows of equal rank may stand in another order."""
    assert len(found) == len(expected)
    for one in expected:
        same = np.abs(found.positions - one.positions).max(axis=1) < 1e-6
        assert (found.validity[same] == one.validity).any(), one


# ---- each as alone, by other routes


@every_arm
def test_all_solutions_of_each_target_are_those_of_a_sweep_in_python(name: str) -> None:
    ik = module(name)
    closed = kido.analytical_ik(ik)
    targets, starts = targets_of(ik, 24, seed=1)
    results = closed.solve_batch(targets, starts)
    for target, start, found in zip(targets, starts, results, strict=True):
        with ik.at(start):
            assert_same_solutions(found, InPython().solutions(ik, target))


@pytest.mark.parametrize("name", [*ARMS, "two wrists"])
@pytest.mark.parametrize("width", [0.02, 0.15, 0.6])
def test_within_narrow_ranges_solutions_are_those_of_a_sweep_and_answers_the_nearest_within(
    name: str, width: float
) -> None:
    wide = InverseKinematics(two_wrists()) if name == "two wrists" else module(name)
    ik = InverseKinematics(wide.node.skeleton.clone().body(wide.node.name))
    rng, joints = np.random.default_rng(int(100 * width)), [dof.joint for dof in ik.dofs]
    lower, upper = limits(ik)
    for _ in range(3):
        center = rng.uniform(lower + width, upper - width)
        for joint, middle, part in zip(
            joints, center, rng.uniform(0.0, width, (len(center), 2)), strict=True
        ):
            joint.set_position_limits(middle - part[0], middle + part[1])
        low, high = ik.position_limits
        targets = np.array(
            [placed(ik.node, with_positions(ik, q)) for q in rng.uniform(low, high, (4, len(low)))]
        )
        targets[2:, :3, 3] += rng.normal(size=(2, 3)) * 0.3 * width
        starts = rng.uniform(low, high, (4, len(low)))
        own = InverseKinematics(ik.node)
        ik.gradient_method = ClosedFormMethod()
        found = kido.analytical_ik(ik).solve_batch(targets, starts)
        answers = ik.solve_batch(targets, starts)
        for target, start, mine, answer in zip(targets, starts, found, answers, strict=True):
            own.positions = start
            assert_same_solutions(mine, InPython().solutions(own, target))
            assert ((low <= answer.positions) & (answer.positions <= high)).all()
            changes = np.abs(mine.positions[mine.validity == Validity.VALID] - start).max(axis=1)
            assert (np.diff(changes) >= 0.0).all()
            assert answer.success == (mine.validity == Validity.VALID).any()
            if len(mine) and (mine.validity & Validity.LIMIT_VIOLATED).all():
                tried = [start, *np.clip(mine.positions, low, high)]
                least = min(
                    sum(np.square(gap(target, placed(ik.node, with_positions(ik, q))))) for q in tried
                )
                reached = answer.angular_error**2 + answer.linear_error**2
                assert reached == pytest.approx(least, rel=1e-6, abs=1e-14)


@every_arm
def test_each_row_is_that_of_solve_bit_for_bit(name: str) -> None:
    ik = module(name)
    closed = kido.analytical_ik(ik)
    targets, starts = targets_of(ik, 40)
    results = closed.solve_batch(targets, starts)
    assert len(results) == 40 and results.dof_names == tuple(dof.name for dof in closed.dofs)
    for target, start, found in zip(targets, starts, results, strict=True):
        with ik.at(start):
            assert_same(found, closed.solve(target))
    present = closed.solve_batch(targets[:5])
    for i in range(5):
        assert_same(present[i], closed.solve(targets[i]))
        assert_same(closed.solve_batch(targets[:5], ik.positions)[i], present[i])


@every_arm
def test_solutions_are_at_their_targets_within_limits_and_sorted(name: str) -> None:
    ik = module(name)
    closed = kido.analytical_ik(ik)
    targets, starts = targets_of(ik, 40, seed=2)
    lower, upper = ik.position_limits
    reached = 0
    for target, start, found in zip(targets, starts, closed.solve_batch(targets, starts), strict=True):
        grades = np.where(found.validity & Validity.LIMIT_VIOLATED, 2, found.validity & Validity.OUT_OF_REACH)
        change = np.abs(found.positions - start).max(axis=1)
        assert (np.diff(grades.astype(int)) >= 0).all()
        assert (np.diff(change)[np.diff(grades.astype(int)) == 0] >= 0.0).all()
        for q, flags in zip(found.positions, found.validity, strict=True):
            near = max(gap(placed(ik.node, with_positions(ik, q)), target)) < 1e-8
            inside = bool(((lower <= q) & (q <= upper)).all())
            assert near == (not flags & Validity.OUT_OF_REACH)
            assert inside == (not flags & Validity.LIMIT_VIOLATED)
        reached += found.success
    assert reached >= 30, "three of four targets are reachable"


@pytest.mark.usefixtures("runtime")
def test_threads_do_not_change_solutions() -> None:
    ik = module("panda")
    targets, starts = targets_of(ik, 60)
    kido.set_num_threads(1)
    one = kido.analytical_ik(ik).solve_batch(targets, starts)
    kido.set_num_threads(2)
    assert one == kido.analytical_ik(ik).solve_batch(targets, starts)


# ---- the result


def test_a_result_is_a_sequence_of_solutions_over_arrays() -> None:
    ik = module("ur5")
    targets, starts = targets_of(ik, 8)
    results = kido.analytical_ik(ik).solve_batch(targets, starts)
    total = results.counts.sum()
    assert results.positions.shape == (total, 6) and results.validity.shape == (total,)
    np.testing.assert_array_equal(results.offsets, [0, *np.cumsum(results.counts)])
    np.testing.assert_array_equal(np.bincount(results.target), results.counts)
    np.testing.assert_array_equal(results.success, [one.success for one in results])
    np.testing.assert_array_equal(results.best, [one.positions[0] for one in results])
    filled = results.padded()
    for row, one in zip(filled, results, strict=True):
        np.testing.assert_array_equal(row[: len(one)], one.positions)
        assert np.isnan(row[len(one) :]).all()
    assert_same(results[-3], results[5])
    assert [len(one) for one in results[2:4]] == results.counts[2:4].tolist()
    first = results[0]
    assert isinstance(first[0], AnalyticalSolution) and first[-1] == first[len(first) - 1]
    assert first[1:3] == (first[1], first[2])
    np.testing.assert_array_equal(first.valid, [one.positions for one in first if one.is_valid])
    assert pickle.loads(pickle.dumps(results)) == results and pickle.loads(pickle.dumps(first)) == first
    assert AnalyticalResults.of(results.dof_names, results) == results
    with pytest.raises(IndexError):
        results[8]
    with pytest.raises(ValueError, match="counts: expected numbers that add up to 2 rows"):
        AnalyticalResults(np.ones((2, 1)), np.zeros(2, np.uint8), np.array([1, 2]), ("a",))


def test_no_targets_give_no_results() -> None:
    results = kido.analytical_ik(module("ur5")).solve_batch(np.zeros((0, 4, 4)))
    assert len(results) == 0 and results.positions.shape == (0, 6)
    assert results.padded().shape == (0, 0, 6) and results.success.shape == (0,)


def test_wrong_targets_and_starts_are_refused() -> None:
    closed = kido.analytical_ik(module("ur5"))
    target = closed.solve_batch(np.eye(4)[None])
    assert len(target) == 1
    with pytest.raises(ValueError, match=r"targets: expected shape \(m, 4, 4\)"):
        closed.solve_batch(np.eye(4))
    with pytest.raises(ValueError, match="targets"):
        closed.solve_batch(2.0 * np.eye(4)[None])
    with pytest.raises(ValueError, match="targets"):
        closed.solve_batch(np.full((1, 4, 4), np.nan))
    with pytest.raises(ValueError, match=r"starts: expected shape \(6,\) or \(2, 6\)"):
        closed.solve_batch(np.tile(np.eye(4), (2, 1, 1)), np.zeros((3, 6)))
    with pytest.raises(ValueError, match="starts"):
        closed.solve_batch(np.eye(4)[None], np.full(6, np.inf))
    with pytest.raises(TypeError, match="starts"):
        closed.solve_batch(np.eye(4)[None], "zero")  # type: ignore[arg-type]


# ---- what the form depends on


def test_what_moves_or_is_edited_between_calls_counts() -> None:
    robot = gallery.arm7()
    tool = robot.end_effector("tool")
    robot.body("base").change_parent_joint_type(kido.FreeJoint("floating"))
    ik = InverseKinematics(tool)
    ik.dofs = [dof for dof in ik.dofs if not isinstance(dof.joint, kido.FreeJoint)]
    ik.positions = start = np.array([0.2, -0.5, 0.1, 1.4, 0.3, 0.9, 0.2])
    closed = kido.analytical_ik(ik)

    def assert_known() -> None:
        with ik.at(start + 0.05):
            target = placed(tool, robot.positions)
            target[:3, 3] += target[:3, :3] @ ik.offset
        for found in (closed.solve(target), closed.solve_batch(target[None])[0]):
            assert found.success
            T = placed(tool, with_positions(ik, found.positions[0]))
            T[:3, 3] += T[:3, :3] @ ik.offset
            assert max(gap(T, target)) < 1e-8

    assert_known()
    q = robot.positions.copy()
    q[:6] = [0.3, -0.2, 0.9, 4.0, -2.0, 1.0]
    robot.positions = q
    assert_known()
    ik.offset = (0.05, 0.0, -0.1)
    assert_known()
    tool.relative_transform = tool.relative_transform @ pose(turned(0.2, 0.0, 0.4), (0.0, 0.1, 0.2))
    assert_known()
    dof = closed.dofs[1]
    dof.position_lower_limit, dof.position_upper_limit = dof.position - 0.2, dof.position + 0.2
    assert_known()
    T = placed(tool, robot.positions) @ pose(position=ik.offset)
    for row in closed.solve(T).valid:
        assert dof.position_lower_limit <= row[1] <= dof.position_upper_limit


# ---- modules


@every_arm
def test_a_module_answers_for_many_targets_as_for_each(name: str) -> None:
    ik = module(name)
    targets, starts = targets_of(ik, 24, seed=4)
    ik.gradient_method = kido.analytical_ik(ik).method
    results = ik.solve_batch(targets, starts)
    lower, upper = ik.position_limits
    for i, (target, start) in enumerate(zip(targets, starts, strict=True)):
        ik.target.set_transform(target)
        with ik.at(start):
            assert ik.solve() == results[i]
        q = results.positions[i]
        assert ((lower <= q) & (q <= upper)).all()
        error = gap(placed(ik.node, with_positions(ik, q)), target)
        np.testing.assert_allclose(error, [results.angular_error[i], results.linear_error[i]], atol=1e-8)
        assert results.success[i] == (max(error) <= 1e-6)
    assert results.success.sum() >= 15 and not results.success.all()
    assert results.method == "ClosedFormMethod"


def test_dofs_in_another_order_get_their_own_positions() -> None:
    ik = module("ur5")
    targets, starts = targets_of(ik, 4)
    ik.gradient_method = ClosedFormMethod()
    expected = ik.solve_batch(targets, starts)
    order = [3, 0, 5, 1, 2, 4]
    ik.dofs = [ik.dofs[i] for i in order]
    results = ik.solve_batch(targets, starts[:, order])
    assert results.dof_names == tuple(expected.dof_names[i] for i in order)
    np.testing.assert_array_equal(results.positions, expected.positions[:, order])


@pytest.mark.parametrize(
    "error_method",
    [PoseError(weights=(1, 1, 1, 2, 2, 2)), PositionError(), TaskSpaceRegion(linear=[1, 1, 1])],
)
def test_other_errors_are_measured_as_they_say(error_method: kido.ik.ErrorMethod) -> None:
    ik = module("ur5")
    targets, starts = targets_of(ik, 4)
    ik.gradient_method = ClosedFormMethod()
    ik.error_method = error_method
    results = ik.solve_batch(targets, starts)
    for i, (target, start) in enumerate(zip(targets, starts, strict=True)):
        ik.target.set_transform(target)
        with ik.at(start):
            assert ik.solve() == results[i]
        with ik.at(results.positions[i]):
            expected = ik.error_lengths(ik.counted_error)
        assert expected == (results.angular_error[i], results.linear_error[i])


def test_an_order_of_ones_own_holds_in_batches() -> None:
    ik = module("panda")
    targets, starts = targets_of(ik, 3)
    method = ClosedFormMethod(better=lambda a, b, ik: bool(a[1] > b[1]))
    results = method.solutions_batch(ik, targets, starts)
    before = ik.positions
    plain = ClosedFormMethod().solutions_batch(ik, targets, starts)
    for one, other in zip(results, plain, strict=True):
        rows = one.valid
        assert (np.diff(rows[:, 1]) <= 0.0).all()
        assert sorted(map(tuple, one.positions)) == sorted(map(tuple, other.positions))
    np.testing.assert_array_equal(ik.positions, before)


def test_tolerances_decide_what_counts_as_reached() -> None:
    ik = module("ur5")
    targets, _ = targets_of(ik, 1)
    ik.gradient_method = ClosedFormMethod()
    ik.settings = SearchSettings(angular_tolerance=1e-30, linear_tolerance=1e-30)
    (result,) = ik.solve_batch(targets)
    assert not result and result.reason == "the solution does not reach it"


def test_a_target_on_the_arm_itself_is_not_solved_at_once() -> None:
    ik = module("ur5")
    ik.gradient_method = ClosedFormMethod()
    ik.target = kido.SimpleFrame("on the arm", ik.body.parent_body, transform=ik.transform())
    assert ik.solve().method == "search"
    assert ik.solve_batch(ik.transform()[None]).method == "search"


# ---- signals


@pytest.mark.skipif(sys.platform == "win32", reason="sets a timer")
@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_ends_a_batch(threads: int) -> None:
    class Stop(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stop

    kido.set_num_threads(threads)
    ik = module("panda")
    targets, starts = targets_of(ik, 4)
    closed = kido.analytical_ik(ik)
    expected = closed.solve_batch(targets, starts)
    far = np.tile(targets[3], (100_000, 1, 1))
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.05)
    try:
        with pytest.raises(Stop):
            closed.solve_batch(far)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
    assert closed.solve_batch(targets, starts) == expected
