"""Hierarchies with what the native search does not know: parts and joints of the user's own, analytical
methods, targets that hang on the robot itself."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from _hierarchies import (
    LIMBS,
    Modules,
    aim,
    assert_all_there,
    assert_within,
    left_of,
    modules_of,
    near,
    planar_branches,
)
from _poses import Array, gap, placed, pose, turned

import kido
from kido import InverseKinematics, SearchSettings, gallery
from kido.ik import (
    CenterOfMass,
    CompositeIK,
    DampedLeastSquares,
    ErrorMethod,
    GradientMethod,
    HierarchyResult,
    LookAt,
    OrientationError,
    PositionError,
    Posture,
    TaskSpaceRegion,
    WholeBodyIK,
    analytical_ik,
)
from kido.typing import FloatArray


class OwnRegion(TaskSpaceRegion):
    """A region that only Python knows."""

    def region(self, ik: InverseKinematics) -> None:
        return None


class Height(ErrorMethod):
    """Height of the node above its target; differences stand for the Jacobian."""

    def compute_error(self, ik: InverseKinematics) -> FloatArray:
        return (ik.transform() - ik.target.transform())[2:3, 3]


class Known(GradientMethod):
    """Leads to positions that are known."""

    def __init__(self, positions: Array) -> None:
        self._positions = positions

    def compute_gradient(self, ik: InverseKinematics, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        return ik.positions - self._positions


BOUNDS = (1e-3, 0.1, math.inf), [[-1e-3, -0.1, 0.0], [1e-3, 0.1, math.inf]]


def pair() -> list[tuple[WholeBodyIK, Modules]]:
    """A humanoid whose targets the native search knows, and the same for which it does not."""
    found = []
    for kind in (TaskSpaceRegion, OwnRegion):
        robot = gallery.humanoid()
        modules = modules_of(robot, LIMBS)
        for ik in modules.values():
            ik.error_method = kind(*BOUNDS)
        found.append((WholeBodyIK(robot, settings=SearchSettings(max_starts=1)), modules))
    return found


# ---- the same answers


@pytest.mark.parametrize("seed", range(3))
def test_searches_in_python_take_the_steps_of_native_ones(seed: int) -> None:
    answers: list[HierarchyResult] = []
    for whole, modules in pair():
        aim(modules, near(whole.skeleton, seed, 0.6))
        answers.append(whole.solve())
    native, written = answers
    assert native.success and written.success and native.iterations > 2
    assert (written.start, written.iterations) == (native.start, native.iterations)
    np.testing.assert_allclose(written.positions, native.positions, atol=1e-6)
    for one, other in zip(native.tasks, written.tasks, strict=True):
        assert (one.node, one.level) == (other.node, other.level)
        np.testing.assert_allclose(other.linear_error, one.linear_error, atol=1e-7)
        np.testing.assert_allclose(other.angular_error, one.angular_error, atol=1e-7)


def test_what_is_out_of_reach_is_left_alike_in_python() -> None:
    answers = []
    for whole, modules in pair():
        aim(modules, near(whole.skeleton, 0, 0.3))
        target = modules["right_hand"].target
        target.set_translation(target.transform()[:3, 3] + [0.0, -2.0, 0.0])
        answers.append(whole.solve())
        assert_within(whole.skeleton, answers[-1].positions)
    native, written = answers
    assert [task.success for task in native.tasks] == [task.success for task in written.tasks]
    assert [task.success for task in native.tasks] == [True, True, True, False]
    np.testing.assert_allclose(written.tasks[3].linear_error, native.tasks[3].linear_error, rtol=1e-3)


@pytest.mark.parametrize("damping", [0.05, 0.06], ids=["native", "python"])
def test_a_level_out_of_reach_is_as_near_as_alone_on_both_ways(damping: float) -> None:
    robot = planar_branches()
    modules = modules_of(robot, {"left": 0, "right": 1})
    for ik, place in zip(modules.values(), ((-1.2, 1.6, 0.0), (0.9, 0.0, 0.0)), strict=True):
        ik.error_method, ik.gradient_method = PositionError(), DampedLeastSquares(damping)
        ik.target.set_translation(place)
    left, right = WholeBodyIK(robot).solve().tasks
    np.testing.assert_allclose(left.linear_error, 2.0 - 1.2, rtol=2e-4)
    away = float(np.hypot(-0.3 - 0.9, 0.4))
    np.testing.assert_allclose(right.linear_error, away - 0.7, atol=5e-3)


def test_the_same_question_has_the_same_answer_in_python_too() -> None:
    whole, modules = pair()[1]
    whole.settings = SearchSettings(max_starts=2)
    aim(modules, near(whole.skeleton, 3))
    modules["left_hand"].target.set_translation((2.0, 0.0, 1.0))
    one, other = whole.solve(), whole.solve()
    np.testing.assert_array_equal(one.positions, other.positions)
    assert one.tasks == other.tasks


def test_further_starts_are_made_in_python_too() -> None:
    robot = planar_branches()
    robot.position_lower_limits, robot.position_upper_limits = -0.2, 3.0
    modules = modules_of(robot, {"left": 0, "right": 1})
    aim(modules, np.array([1.1, 0.4, 0.1, 1.7, 0.8]))
    for ik in modules.values():
        ik.gradient_method = DampedLeastSquares(0.06)
    robot.positions = [2.0, 0.4, 2.8, 1.0, 0.1]
    result = WholeBodyIK(robot, settings=SearchSettings(max_starts=100)).solve()
    assert_all_there(modules, result)
    assert (
        not WholeBodyIK(robot, settings=SearchSettings(max_starts=1, mirrors=0)).solve() and result.start > 0
    )


# ---- targets on the robot itself


def test_two_hands_grasp_where_one_target_hangs_on_the_other_hand() -> None:
    robot = gallery.humanoid()
    modules = modules_of(robot, {**LIMBS, "left_hand": 0, "right_hand": 0})
    right = robot.end_effector("right_hand")
    aim(modules, near(robot, 5, 0.2))
    q = near(robot, 5, 0.2)
    grip = np.linalg.inv(placed(right, q)) @ placed(robot.end_effector("left_hand"), q)
    modules["left_hand"].target = kido.SimpleFrame("grip", right, grip)
    modules["left_hand"].dofs = robot.dofs
    modules["right_hand"].active = False
    result = WholeBodyIK(robot).solve_and_apply()
    assert result.success
    held = np.linalg.inv(placed(right, robot.positions)) @ placed(modules["left_hand"].node, robot.positions)
    assert max(gap(held, grip)) < 2e-6
    feet = left_of({name: modules[name] for name in ("left_foot", "right_foot")}, robot.positions)
    assert max(max(left) for left in feet.values()) < 2e-6


def test_a_target_on_a_part_that_a_lower_level_moves_is_followed() -> None:
    robot = gallery.humanoid()
    modules = modules_of(robot, LIMBS)
    q = near(robot, 6, 0.3)
    aim(modules, q)
    head = robot.body("head")
    seen = kido.SimpleFrame(
        "seen", head, np.linalg.inv(placed(head, q)) @ placed(modules["left_hand"].node, q)
    )
    modules["left_hand"].target = seen
    gaze = InverseKinematics.of(robot.end_effector("gaze"))
    gaze.use_whole_body()
    gaze.hierarchy_level = 3
    gaze.target.set_transform(placed(gaze.node, q))
    assert WholeBodyIK(robot).solve_and_apply().success
    assert max(gap(placed(modules["left_hand"].node, robot.positions), seen.transform())) < 2e-6


def test_bounds_along_axes_of_a_part_that_moves_are_kept_where_it_goes() -> None:
    robot = gallery.humanoid()
    modules = modules_of(robot, LIMBS)
    aim(modules, near(robot, 12, 0.3))
    torso = robot.body("torso")
    turning = InverseKinematics.of(torso)
    turning.use_whole_body()
    turning.error_method = OrientationError()
    turning.target.set_transform(pose(turned(0.0, 0.0, 0.8)))
    modules["right_hand"].active = False
    hand = modules["left_hand"]
    hand.reference_frame = torso
    hand.error_method = TaskSpaceRegion((math.inf,) * 3, [[-0.02, -0.2, -0.01], [0.02, 0.2, 0.01]])
    hand.target.set_translation(hand.target.transform()[:3, 3] + [0.05, 0.1, 0.05])
    result = WholeBodyIK(robot).solve_and_apply()
    assert result.success
    axes = placed(torso, robot.positions)[:3, :3]
    np.testing.assert_allclose(axes[:2, 0], [math.cos(0.8), math.sin(0.8)], atol=1e-5)
    apart = axes.T @ (placed(hand.node, robot.positions) - hand.target.transform())[:3, 3]
    assert (np.abs(apart) <= np.array([0.02, 0.2, 0.01]) + 2e-6).all()


# ---- parts of the user's own


def test_errors_with_one_row_and_differenced_jacobians_take_part() -> None:
    robot = gallery.humanoid()
    modules = modules_of(robot, LIMBS)
    aim(modules, near(robot, 7, 0.3))
    head = InverseKinematics.of(robot.body("head"))
    head.use_whole_body()
    head.error_method, head.hierarchy_level = Height(), 3
    head.target.set_translation((0.0, 0.0, 1.25))
    result = WholeBodyIK(robot).solve()
    assert result.success and result.tasks[-1].node == "head"
    assert_all_there(modules, result)
    np.testing.assert_allclose(placed(robot.body("head"), result.positions)[2, 3], 1.25, atol=2e-6)


def test_gaze_balance_and_posture_stand_below_feet_and_hands() -> None:
    robot = gallery.humanoid()
    modules = modules_of(robot, LIMBS)
    aim(modules, robot.positions)
    modules["right_hand"].target.set_translation((0.3, -0.2, 0.9))
    modules["right_hand"].error_method = PositionError()
    gaze, pelvis, torso = (
        InverseKinematics.of(node)
        for node in (robot.end_effector("gaze"), robot.body("pelvis"), robot.body("torso"))
    )
    methods = LookAt(), CenterOfMass(linear_weights=(1.0, 1.0, 0.0)), Posture({"waist_yaw": 0.3})
    for level, (ik, method) in enumerate(zip((gaze, pelvis, torso), methods, strict=True), start=3):
        ik.use_whole_body()
        ik.hierarchy_level, ik.error_method = level, method
    gaze.target.set_translation((0.3, -0.2, 0.9))
    pelvis.dofs = robot.dofs
    pelvis.target.set_translation((0.0, 0.02, 0.0))
    result = WholeBodyIK(robot).solve_and_apply()
    assert result.success, result.message
    T = gaze.node.transform()
    line = np.array([0.3, -0.2, 0.9]) - T[:3, 3]
    np.testing.assert_allclose(T[:3, 0], line / np.linalg.norm(line), atol=3e-6)
    np.testing.assert_allclose(robot.com()[:2], [0.0, 0.02], atol=2e-6)
    np.testing.assert_allclose(robot.dof("waist_yaw").position, 0.3, atol=2e-6)


def test_a_gradient_method_that_knows_the_way_needs_one_iteration() -> None:
    robot = gallery.humanoid()
    modules = modules_of(robot, {"left_hand": 0, "right_hand": 0})
    for ik in modules.values():
        ik.use_chain()
    q = near(robot, 8, 0.4)
    moved = [i for ik in modules.values() for i in ik.dof_indices]
    q[np.setdiff1d(np.arange(len(q)), moved)] = np.delete(robot.positions, moved)
    aim(modules, q)
    for ik in modules.values():
        ik.gradient_method = Known(q[ik.dof_indices])
    result = WholeBodyIK(robot).solve()
    assert result.success and result.iterations == 1
    for ik in modules.values():
        np.testing.assert_allclose(result.positions[ik.dof_indices], q[ik.dof_indices], atol=1e-12)


def test_analytical_arms_and_searched_legs_are_solved_together() -> None:
    robot = gallery.humanoid()
    modules = modules_of(robot, LIMBS)
    q = near(robot, 9, 0.3)
    q[6:] = np.where(["waist" in dof.name for dof in robot.dofs[6:]], robot.positions[6:], q[6:])
    aim(modules, q)
    for name in ("left_foot", "right_foot"):
        modules[name].use_chain()
        modules[name].gradient_method = analytical_ik(modules[name]).method
        modules[name].hierarchy_level = 1
    for name in ("left_hand", "right_hand"):
        modules[name].hierarchy_level = 0
    pelvis = InverseKinematics.of(robot.body("pelvis"))
    pelvis.use_whole_body()
    pelvis.target.set_transform(placed(pelvis.node, q))
    result = WholeBodyIK(robot).solve()
    assert_all_there({**modules, "pelvis": pelvis}, result)


def test_limbs_with_closed_forms_are_all_solved_in_one_iteration() -> None:
    robot = gallery.humanoid()
    modules = modules_of(robot, {"left_foot": 0, "right_foot": 0})
    for ik in modules.values():
        ik.use_chain()
    q = robot.positions.copy()
    for ik in modules.values():
        q[ik.dof_indices] = near(robot, 10, 0.3)[ik.dof_indices]
    aim(modules, q)
    for ik in modules.values():
        ik.gradient_method = analytical_ik(ik).method
    result = WholeBodyIK(robot).solve()
    assert_all_there(modules, result)
    assert result.iterations == 1


# ---- joints


class Hinge(kido.UserJoint):
    """Turns about x, as a revolute joint does."""

    num_dofs = 1

    def transform_of(self, q: FloatArray) -> FloatArray:
        return pose(turned(q[0], 0.0, 0.0))

    def jacobian_of(self, q: FloatArray) -> FloatArray:
        return np.eye(6)[:, :1]

    def jacobian_derivative_of(self, q: FloatArray, v: FloatArray) -> FloatArray:
        return np.zeros((6, 1))


def test_joints_of_the_users_own_give_the_answers_of_built_in_ones() -> None:
    answers: list[HierarchyResult] = []
    wanted: list[Array] = []
    for joint in (kido.RevoluteJoint("shoulder", axis=(1.0, 0.0, 0.0)), Hinge("shoulder")):
        robot = planar_branches()
        joint.T_parent_joint = (0.5, 0.0, 0.0)
        robot.body("left_upper").change_parent_joint_type(joint)
        robot.positions = [0.1, 0.2, 0.6, -0.3, -0.7]
        modules = modules_of(robot, {"left": 0, "right": 1})
        wanted = wanted or [placed(ik.node, np.array([0.4, 0.5, 0.9, -0.1, -0.3])) for ik in modules.values()]
        for ik, target in zip(modules.values(), wanted, strict=True):
            ik.error_method = PositionError()
            ik.target.set_transform(target)
        answers.append(WholeBodyIK(robot).solve())
    native, written = answers
    assert native.success and written.success and written.iterations == native.iterations > 2
    np.testing.assert_allclose(written.positions, native.positions, atol=1e-6)


def test_limits_of_ball_joints_are_kept() -> None:
    robot = gallery.humanoid(compound_joints=True)
    modules = modules_of(robot, LIMBS)
    aim(modules, near(robot, 11, 0.3))
    result = WholeBodyIK(robot).solve()
    assert_all_there(modules, result)
    modules["left_hand"].target.set_translation((0.0, 1.5, 2.0))
    assert_within(robot, WholeBodyIK(robot, settings=SearchSettings(max_starts=2)).solve().positions)


def test_limits_of_a_free_root_are_kept() -> None:
    robot = gallery.humanoid()
    root = robot.body("pelvis").parent_joint
    lower, upper = root.position_lower_limits.copy(), root.position_upper_limits.copy()
    lower[5], upper[5] = 0.6, 0.75
    root.position_lower_limits, root.position_upper_limits = lower, upper
    hand = InverseKinematics.of(robot.end_effector("left_hand"))
    hand.use_whole_body()
    hand.target.set_translation((0.3, 0.2, 2.5))
    result = CompositeIK(robot, [hand], settings=SearchSettings(max_starts=2)).solve()
    assert not result.success
    np.testing.assert_allclose(result.positions[5], 0.75, atol=1e-6)
    assert_within(robot, result.positions)


def test_tasks_say_what_is_left_of_methods_that_are_no_poses() -> None:
    robot = gallery.humanoid()
    ik = InverseKinematics.of(robot.body("torso"))
    ik.use_whole_body()
    ik.error_method = Posture({"waist_yaw": 2.0})
    result = WholeBodyIK(robot, settings=SearchSettings(max_starts=1)).solve()
    (task,) = result.tasks
    np.testing.assert_allclose(task.angular_error, 2.0 - 1.5, atol=1e-6)
    assert dataclasses.astuple(task)[:3] == ("torso", 0, False) and task.linear_error == 0.0


@pytest.mark.parametrize("iterations", [1, 2])
def test_steps_that_meet_limits_are_those_of_the_native_search(iterations: int) -> None:
    found = []
    for own in (False, True):
        robot = gallery.humanoid()
        modules = modules_of(robot, LIMBS)
        for ik in modules.values():
            ik.error_method = (OwnRegion if own else TaskSpaceRegion)(*BOUNDS)
        lower, upper = robot.position_lower_limits, robot.position_upper_limits
        bounded = np.isfinite(lower) & np.isfinite(upper)
        robot.positions = np.where(bounded, upper - 0.005, robot.positions)
        start = robot.positions
        aim(modules, near(gallery.humanoid(), 3, 0.9))
        settings = SearchSettings(max_starts=1, max_iterations=iterations)
        found.append(WholeBodyIK(robot, settings=settings).solve().positions)
    native, written = found
    np.testing.assert_allclose(written, native, atol=1e-7)
    assert ((native == lower) | (native == upper))[bounded].sum() >= 3
    assert np.abs(native - start).max() > 0.1


@pytest.mark.parametrize("own", [False, True], ids=["native", "python"])
def test_the_nearest_of_all_answers_of_a_hierarchy_is_no_further_than_the_first(own: bool) -> None:
    robot = gallery.humanoid()
    modules = modules_of(robot, {"left_hand": 0, "right_hand": 1})
    for ik in modules.values():
        ik.dofs = ik.node.chain_dofs
        if own:
            ik.gradient_method = DampedLeastSquares(0.06)
    hands = [i for ik in modules.values() for i in ik.dof_indices]
    lower, upper = robot.position_lower_limits[hands], robot.position_upper_limits[hands]
    rng = np.random.default_rng(2)
    solved = nearer = 0
    for _ in range(10):
        q = robot.positions.copy()
        q[hands] = rng.uniform(lower, upper)
        aim(modules, q)
        q[hands] = rng.uniform(lower, upper)
        robot.positions = q
        first, nearest = (
            WholeBodyIK(robot, settings=SearchSettings(max_starts=16, nearest=choice)).solve()
            for choice in (False, True)
        )
        ways = [np.abs(result.positions - q).max() for result in (first, nearest)]
        assert first.success == nearest.success
        assert ways[1] <= ways[0] or not first.success
        solved += first.success
        nearer += nearest.success and ways[1] < ways[0] - 1e-3
    assert solved > 5 and nearer > 0
