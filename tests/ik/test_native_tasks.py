"""Gazes, centers of mass and postures in native code, and what the search asks of parts in Python."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from _hierarchies import near
from _poses import Array, pose
from scipy.spatial.transform import Rotation

import kido
from kido import InverseKinematics, SearchSettings, gallery
from kido.ik import (
    CenterOfMass,
    CompositeIK,
    ErrorMethod,
    GradientMethod,
    JacobianPseudoinverse,
    LookAt,
    PointToPlane,
    Posture,
    SelectivelyDampedLeastSquares,
    WholeBodyIK,
)
from kido.typing import FloatArray


class PythonLookAt(LookAt):
    """A gaze that only Python knows."""

    def region(self, ik: kido.ik.IKQuery) -> None:  # type: ignore[override]
        return None


class PythonCenterOfMass(CenterOfMass):
    """A center of mass that only Python knows."""

    def region(self, ik: kido.ik.IKQuery) -> None:  # type: ignore[override]
        return None


class PythonPosture(Posture):
    """A posture that only Python knows."""

    def region(self, ik: kido.ik.IKQuery) -> None:
        return None


def human() -> kido.Skeleton:
    """A humanoid with a free root, bent a little, so that nothing is symmetric."""
    robot = gallery.humanoid()
    q = 0.1 * np.sin(np.arange(robot.num_dofs))
    robot.positions = np.clip(q, robot.position_lower_limits, robot.position_upper_limits)
    return robot


def module(robot: kido.Skeleton, name: str, method: ErrorMethod, level: int = 0) -> InverseKinematics:
    """The module of an end effector or body that moves the whole body."""
    effectors = ("left_foot", "right_foot", "left_hand", "right_hand")
    ik = InverseKinematics.of(robot.end_effector(name) if name in effectors else robot.body(name))
    ik.use_whole_body()
    ik.error_method, ik.hierarchy_level = method, level
    return ik


# ---- the same steps


def gaze(kind: type[LookAt], half_angle: float) -> InverseKinematics:
    ik = module(human(), "head", kind((0.8, 0.2, -0.1), half_angle, weight=0.7))
    ik.target.set_translation((0.5, 1.4, 2.1))
    return ik


def mass(kind: type[CenterOfMass], weights: tuple[float, float, float]) -> InverseKinematics:
    ik = module(human(), "torso", kind(linear_weights=weights))
    ik.dofs = ik.node.skeleton.dofs
    ik.reference_frame = kido.SimpleFrame(
        "turned", transform=pose(Rotation.from_euler("xyz", (0.3, -0.4, 0.9)))
    )
    ik.target.set_translation(ik.node.skeleton.com() + np.array([0.05, -0.04, -0.08]))
    return ik


def posture(kind: type[Posture], part: slice) -> InverseKinematics:
    robot = human()
    ik = module(robot, "torso", kind([0.0]))
    ik.dofs = robot.dofs[part]
    wanted = 0.3 * np.cos(np.arange(len(ik.dofs)))
    lower, upper = ik.position_limits
    ik.error_method = kind(
        np.clip(wanted, lower + 0.01, upper - 0.01), weights=0.5 + np.arange(len(wanted)) % 3
    )
    return ik


TASKS = {
    "gaze": lambda own: gaze(PythonLookAt if own else LookAt, 0.0),
    "gaze within a cone": lambda own: gaze(PythonLookAt if own else LookAt, 0.2),
    "center of mass": lambda own: mass(PythonCenterOfMass if own else CenterOfMass, (1.0, 0.7, 0.4)),
    "balance": lambda own: mass(PythonCenterOfMass if own else CenterOfMass, (1.0, 1.0, 0.0)),
    "posture": lambda own: posture(PythonPosture if own else Posture, slice(6, None)),
    "posture of the root": lambda own: posture(PythonPosture if own else Posture, slice(0, 12)),
}


@pytest.mark.parametrize("task", TASKS)
def test_native_tasks_take_the_steps_of_their_methods(task: str) -> None:
    native, asked = (TASKS[task](own).solve() for own in (False, True))
    assert native.success and asked.success and 0 < native.iterations == asked.iterations
    np.testing.assert_allclose(native.positions, asked.positions, atol=1e-9)
    np.testing.assert_allclose(native.angular_error, asked.angular_error, atol=1e-9)
    np.testing.assert_allclose(native.linear_error, asked.linear_error, atol=1e-9)


def test_levels_of_native_tasks_take_the_steps_of_their_methods() -> None:
    found = []
    for own in (False, True):
        robot = human()
        foot = module(robot, "left_foot", kido.ik.TaskSpaceRegion())
        foot.target.set_translation(foot.transform()[:3, 3] + (0.05, 0.02, 0.03))
        balance = module(
            robot, "torso", (PythonCenterOfMass if own else CenterOfMass)(linear_weights=(1, 1, 0))
        )
        balance.dofs, balance.hierarchy_level = robot.dofs, 1
        balance.target.set_translation(robot.com() + np.array([0.02, 0.01, 0.0]))
        look = module(robot, "head", (PythonLookAt if own else LookAt)(), 2)
        look.target.set_translation((2.0, 0.4, 1.2))
        found.append(WholeBodyIK(robot).solve())
    native, asked = found
    assert native.success and asked.success and native.iterations == asked.iterations > 2
    np.testing.assert_allclose(native.positions, asked.positions, atol=1e-8)


def test_the_center_of_mass_counts_bodies_that_are_fixed_to_the_world() -> None:
    base = kido.Skeleton("heavy base")
    fixed = base.add_body("base", joint=kido.WeldJoint("weld"))
    link = base.add_body("link", fixed, kido.RevoluteJoint("turn"))
    fixed.mass, fixed.local_com, link.mass, link.local_com = 5.0, (0.3, 0.1, 0.2), 2.0, (0.5, 0.0, 0.0)
    assert base.mass > base.tree.total_mass
    ik = InverseKinematics.of(link)
    ik.error_method = CenterOfMass()
    base.positions = [0.8]
    ik.target.set_translation(base.com())
    base.positions = [-0.4]
    result = ik.solve()
    assert result.success
    np.testing.assert_allclose(result.positions, [0.8], atol=1e-5)


# ---- subclasses


class Lower(LookAt):
    """Aims below the target: what it computes is not what its region says."""

    def compute_error(self, ik: InverseKinematics) -> FloatArray:
        return super().compute_error(ik) + np.array([0.0, 0.1, 0.0, 0.0, 0.0, 0.0])


def test_what_a_subclass_computes_is_not_passed_over_for_its_region() -> None:
    ik = gaze(LookAt, 0.0)
    plain = ik.solve()
    ik.error_method = Lower((0.8, 0.2, -0.1), weight=0.7)
    lower = ik.solve()
    assert plain.success and lower.success
    with ik.at(lower.positions):
        np.testing.assert_allclose(ik.error[:3], 0.0, atol=2e-6)
        np.testing.assert_allclose(
            LookAt((0.8, 0.2, -0.1)).compute_error(ik)[:3], [0.0, -0.1, 0.0], atol=2e-6
        )
    assert np.abs(lower.positions - plain.positions).max() > 0.01


# ---- gradient methods


@pytest.mark.parametrize("method", [JacobianPseudoinverse(), SelectivelyDampedLeastSquares()], ids=repr)
def test_modules_that_share_dofs_take_a_common_step(method: GradientMethod) -> None:
    robot = human()
    feet = [module(robot, name, kido.ik.TaskSpaceRegion()) for name in ("left_foot", "right_foot")]
    for foot, way in zip(feet, ((0.05, 0.02, 0.06), (-0.04, 0.01, 0.03)), strict=True):
        foot.target.set_translation(foot.transform()[:3, 3] + way)
        foot.gradient_method = method
    result = CompositeIK(robot, feet, settings=SearchSettings(max_starts=1, time_budget=math.inf)).solve()
    assert result.success, result.message  # 3.7 mm off after 5 s where each takes a full step of its own
    assert result.iterations < 60


class Own(GradientMethod):
    """The least squares of a user."""

    def compute_gradient(self, ik: InverseKinematics, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        return np.linalg.lstsq(jacobian, error, rcond=1e-6)[0]


def test_a_users_gradient_method_is_searched_with_restarts() -> None:
    arm = gallery.arm()
    ik = InverseKinematics.of(arm.end_effector("tool"))
    ik.gradient_method = Own()
    lower, upper = ik.position_limits
    rng = np.random.default_rng(0)
    starts = 0
    for _ in range(40):
        with ik.at(rng.uniform(np.maximum(lower, -3.0), np.minimum(upper, 3.0))):
            target = ik.transform()
        ik.target.set_transform(target)
        result = ik.solve()
        assert result.success and result.method == "search", result.message
        starts += result.start > 0
    assert starts > 0


# ---- what is wished for


def reaching(wished: Array | None) -> tuple[kido.Skeleton, WholeBodyIK]:
    """A humanoid on its left foot that reaches with a hand, and wishes for a posture."""
    robot = human()
    foot = module(robot, "left_foot", kido.ik.TaskSpaceRegion())
    foot.target.set_transform(foot.transform())
    hand = module(robot, "left_hand", kido.ik.PositionError(), 1)
    hand.target.set_translation(hand.transform()[:3, 3] + (0.1, 0.05, 0.1))
    if wished is not None:
        rest = module(robot, "torso", Posture(wished), 2)
        rest.dofs = robot.dofs[6:]
    return robot, WholeBodyIK(robot)


def test_a_posture_is_wished_for_and_does_not_decide_success() -> None:
    robot, plain = reaching(None)
    wished = np.clip(
        np.zeros(robot.num_dofs - 6), robot.position_lower_limits[6:], robot.position_upper_limits[6:]
    )
    robot, whole = reaching(wished)
    without, result = plain.solve(), whole.solve()
    assert without.success and result.success and result.start == 0
    assert [task.required for task in result.tasks] == [True, True, False] and not result.tasks[2].success
    left = [np.linalg.norm(answer.positions[6:] - wished) for answer in (without, result)]
    np.testing.assert_allclose(result.tasks[2].angular_error, left[1], atol=1e-9)
    assert left[1] < 0.9 * left[0]
    assert "solved" in result.message


def test_a_wish_in_a_level_comes_after_what_is_required_there() -> None:
    """The error of a posture, which remains, hides no progress of the feet and hands beside it."""
    robot = human()
    rest = module(robot, "torso", Posture(np.zeros(robot.num_dofs - 6)), 1)
    rest.dofs = robot.dofs[6:]
    limbs = [
        module(robot, name, kido.ik.TaskSpaceRegion(), level)
        for name, level in (("left_foot", 0), ("right_foot", 0), ("left_hand", 1), ("right_hand", 1))
    ]
    whole, start = WholeBodyIK(robot), robot.positions
    for seed in range(5):
        robot.positions = near(robot, seed)
        for limb in limbs:
            limb.target.set_transform(limb.transform())
        robot.positions = start
        results = []
        for rest.hierarchy_level in (1, 2):
            results.append(whole.solve())
            assert results[-1].success, results[-1].message
            assert [task.node for task in results[-1].tasks][-1] == "torso"
            assert [task.required for task in results[-1].tasks] == [True] * 4 + [False]
        np.testing.assert_array_equal(results[0].positions, results[1].positions)


def test_a_wish_is_lowered_beside_rows_that_depend_on_each_other() -> None:
    """Python is asked for a gaze at a hand that moves too, two of whose three rows are independent; the
    same for each level of the wish."""
    robot = human()
    for name, rank in (("left_foot", 0), ("right_foot", 0), ("left_hand", 1)):
        limb = module(robot, name, kido.ik.TaskSpaceRegion(), rank)
        limb.target.set_transform(limb.transform())
    limb.target.set_translation(limb.transform()[:3, 3] + (0.2, 0.1, 0.1))
    head = module(robot, "head", LookAt((1.0, 0.0, 0.0)), 2)
    head.target = kido.SimpleFrame("in the hand", limb.node)
    for count in range(3, 6):  # levels between, with nothing to do
        module(robot, robot.bodies[count].name, PointToPlane(-9.0, 9.0), count)
    rest = module(robot, "torso", Posture(np.zeros(robot.num_dofs - 6)), 6)
    rest.dofs = robot.dofs[6:]
    left = []
    for kind, rest.hierarchy_level in ((Posture, 3), (Posture, 6), (PythonPosture, 6)):
        rest.error_method = kind(np.zeros(robot.num_dofs - 6))
        result = WholeBodyIK(robot).solve()
        assert result.success, result.message
        left.append(np.linalg.norm(result.positions[6:]))
    np.testing.assert_allclose(left, left[2], rtol=0.01)


def test_what_is_required_can_be_chosen() -> None:
    robot, whole = reaching(np.full(30, 0.1))
    rest = InverseKinematics.of(robot.body("torso"))
    assert not rest.is_required and whole.solve().success
    rest.is_required = True
    assert rest.is_required and not whole.solve().success
    rest.is_required = None
    hand = InverseKinematics.of(robot.end_effector("left_hand"))
    hand.target.set_translation((5.0, 0.0, 1.0))
    assert not whole.solve().success
    hand.is_required = False
    result = whole.solve()
    assert result.success and not result.tasks[1].success
    with pytest.raises(TypeError, match="is_required"):
        hand.is_required = 1  # type: ignore[assignment]


# ---- budgets


class Slow(ErrorMethod):
    """An error that takes its time and never vanishes, and counts how often it is asked."""

    asked = 0

    def compute_error(self, ik: InverseKinematics) -> FloatArray:
        self.asked += 1
        time.sleep(0.002)
        return np.array([0.0, 0.0, 0.0, 1.0 + ik.transform()[2, 3] ** 2])


def test_parts_in_python_have_a_budget_by_default() -> None:
    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    ik.error_method = slow = Slow()
    result = ik.solve()
    assert not result.success
    assert 0 < slow.asked < 1500  # in three seconds; more than two thousand without a budget
    assert np.isfinite(result.positions).all()


def test_an_error_in_a_part_ends_the_search_and_leaves_the_skeleton() -> None:
    class Broken(ErrorMethod):
        def compute_error(self, ik: InverseKinematics) -> FloatArray:
            if np.abs(ik.positions).max() > 0.3:
                raise RuntimeError("too far")
            return ik.transform()[:3, 3] - (0.2, 0.3, 0.5)

    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    ik.positions = before = np.full(6, 0.1)
    ik.error_method = Broken()
    with pytest.raises(RuntimeError, match="too far"):
        ik.solve()
    np.testing.assert_array_equal(ik.positions, before)
