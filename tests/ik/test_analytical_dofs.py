"""Dofs of a module that its analytical method does not solve for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from _poses import Array, assert_there, placed, pose, turned, with_positions

import kido
from kido import InverseKinematics, gallery
from kido.ik import Analytical, AnalyticalSolution, ClosedFormMethod, ExtraDofUtilization
from kido.typing import ArrayLike, FloatArray

UNUSED, PRE = ExtraDofUtilization.UNUSED, ExtraDofUtilization.PRE_ANALYTICAL
POST, BOTH = ExtraDofUtilization.POST_ANALYTICAL, ExtraDofUtilization.PRE_AND_POST_ANALYTICAL

ARM = ("waist", "shoulder", "elbow", "wrist_roll", "wrist_pitch", "flange_roll")
TOOL = pose(turned(0.0, math.pi / 2, 0.0), (0.5, 0.1, 0.5))
"""A pose of the tool that the arm reaches where it stands."""


def on(joint: kido.Joint) -> InverseKinematics:
    """The six-axis arm of the gallery on a joint that moves its base."""
    robot = gallery.arm()
    robot.body("base").change_parent_joint_type(joint)
    ik = InverseKinematics.of(robot.node(kido.EndEffector, "tool"))
    ik.use_whole_body()
    return ik


def on_a_lift(use: ExtraDofUtilization, *, clamp: float = 1.0) -> InverseKinematics:
    ik = on(kido.PrismaticJoint("lift", axis=(0.0, 0.0, 1.0)))
    ik.gradient_method = ClosedFormMethod(ARM, extra_dof_utilization=use, extra_error_length_clamp=clamp)
    return ik


def raised(by: float) -> Array:
    T = TOOL.copy()
    T[2, 3] += by
    return T


def lift(ik: InverseKinematics, positions: Array) -> float:
    return float(positions[[dof.name for dof in ik.dofs].index("lift")])


# ---- which dof is which


def test_the_map_tells_where_the_analytical_dofs_are_among_those_of_the_module() -> None:
    ik = on_a_lift(UNUSED)
    method = ik.gradient_method
    assert isinstance(method, Analytical)
    skeleton = ik.node.skeleton
    ik.dofs = [skeleton.dof(name) for name in ("elbow", "lift", "waist", *ARM[3:], "shoulder")]
    assert method.dof_map(ik) == (2, 6, 0, 3, 4, 5)
    assert method.extra_places(ik) == [1]
    assert [dof.name for dof in method.analytical_dofs(ik)] == list(ARM)
    ik.target.set_transform(TOOL)
    assert_there(ik, ik.solve(), TOOL)


class Waist(Analytical):
    """Solves for the waist and a dof that the module may not move."""

    def analytical_dofs(self, ik: InverseKinematics) -> Sequence[kido.DegreeOfFreedom]:
        return [ik.node.skeleton.dof("elbow"), ik.node.skeleton.dof("waist")]

    def compute_solutions(
        self, ik: InverseKinematics, desired: FloatArray
    ) -> Iterable[AnalyticalSolution | ArrayLike]:
        return [[0.9, 0.4]]


def test_what_the_module_does_not_move_stays() -> None:
    robot = gallery.arm()
    ik = InverseKinematics.of(robot.node(kido.EndEffector, "tool"))
    ik.gradient_method = method = Waist()
    ik.dofs = [robot.dof("shoulder"), robot.dof("waist")]
    before = robot.positions.copy()
    assert method.dof_map(ik) == (-1, 1) and method.extra_places(ik) == [0]
    assert ik.solve_and_apply().positions.tolist() == [0.0, 0.4]
    before[robot.dof("waist").index] = 0.4
    np.testing.assert_array_equal(robot.positions, before)
    ik.positions = [0.1, 0.3]
    np.testing.assert_allclose(ik.gradient(), [0.0, 0.3 - 0.4], atol=1e-15)


# ---- a lift under an arm


def test_unused_dofs_stay_even_where_the_target_is_out_of_reach() -> None:
    ik = on_a_lift(UNUSED)
    ik.target.set_transform(raised(1.5))
    result = ik.solve()
    assert not result and result.message.endswith("out of reach")
    assert lift(ik, result.positions) == 0.0 and result.iterations == 0
    assert lift(ik, ik.gradient()) == 0.0


def test_after_the_solution_the_lift_moves_only_where_something_is_left() -> None:
    ik = on_a_lift(POST)
    ik.target.set_transform(TOOL)
    near = ik.solve()
    assert_there(ik, near, TOOL)
    assert lift(ik, near.positions) == 0.0
    ik.target.set_transform(raised(1.5))
    far = ik.solve()
    assert_there(ik, far, raised(1.5))
    assert 0.5 < lift(ik, far.positions) < 1.5, "no further than the arm needs it"


def test_before_the_solution_the_lift_takes_what_it_can() -> None:
    ik = on_a_lift(PRE)
    start = ik.transform()[2, 3]
    for by in (0.1, 1.5, -0.7):
        ik.target.set_transform(raised(by))
        result = ik.solve()
        assert_there(ik, result, raised(by))
        wanted = TOOL[2, 3] + by - start
        if abs(wanted) < 0.5:
            assert lift(ik, result.positions) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("use", [PRE, POST, BOTH])
def test_the_lift_keeps_its_limits(use: ExtraDofUtilization) -> None:
    ik = on_a_lift(use)
    dof = ik.node.skeleton.dof("lift")
    dof.position_lower_limit, dof.position_upper_limit = -0.1, 0.3
    ik.target.set_transform(raised(2.5))
    result = ik.solve()
    assert not result and result.message.endswith("out of reach")
    assert lift(ik, result.positions) == pytest.approx(0.3)
    ik.target.set_transform(raised(0.45))
    assert_there(ik, ik.solve(), raised(0.45))


def test_the_gradient_of_the_lift_is_against_the_error_and_no_longer_than_its_clamp() -> None:
    for use in (PRE, POST, BOTH):
        for clamp in (1.0, 0.25):
            ik = on_a_lift(use, clamp=clamp)
            T = ik.transform()
            T[2, 3] += 4.0
            ik.target.set_transform(T)
            moved = lift(ik, ik.gradient())
            times = 2 if use is BOTH else 1
            assert -times * clamp - 1e-12 <= moved < -0.9 * times * clamp
            if use is PRE:
                assert moved == pytest.approx(-clamp)


def test_where_no_solution_is_valid_the_gradient_moves_the_extra_dofs_alone() -> None:
    ik = on_a_lift(POST)
    ik.target.set_transform(raised(1.5))
    gradient = ik.gradient()
    assert gradient[0] < -0.5
    np.testing.assert_array_equal(gradient[1:], np.zeros(6))


def test_the_gradient_leads_to_the_solution_from_where_the_lift_went_before() -> None:
    ik = on_a_lift(PRE)
    T = ik.transform()
    T[:3, 3] += [0.0, 0.05, 0.2]
    ik.target.set_transform(T)
    after = ik.positions - ik.gradient()
    assert lift(ik, after) == pytest.approx(0.2)
    np.testing.assert_allclose(placed(ik.node, with_positions(ik, after)), T, atol=1e-12)


def test_a_component_clamp_and_weights_hold_for_the_extra_dofs_too() -> None:
    ik = on_a_lift(PRE)
    T = ik.transform()
    T[2, 3] += 0.6
    ik.target.set_transform(T)
    ik.gradient_method = ClosedFormMethod(ARM, extra_dof_utilization=PRE, component_clamp=0.1)
    assert ik.dofs[0].name == "lift"
    assert ik.gradient()[0] == pytest.approx(-0.1) and np.abs(ik.gradient()).max() <= 0.1
    ik.gradient_method = ClosedFormMethod(ARM, extra_dof_utilization=PRE, component_weights=[0.5])
    assert ik.gradient()[0] == pytest.approx(-0.3)


# ---- other bases


def test_a_base_that_turns_far_from_the_target_does_not_overshoot() -> None:
    ik = on(kido.RevoluteJoint("boom", T_child_joint=(-3.0, 0.0, 0.0)))
    ik.gradient_method = ClosedFormMethod(ARM, extra_dof_utilization=POST)
    with ik.at([0.9, 0.1, 0.2, -0.3, 0.4, 1.0, 0.2]):
        T = ik.transform()
    ik.target.set_transform(T)
    result = ik.solve()
    assert_there(ik, result, T)
    assert 0.5 < result.positions[0] < 1.3 and result.iterations < 30


def test_a_long_lever_takes_the_step_that_leaves_least_of_the_error() -> None:
    ik = on(kido.RevoluteJoint("boom", T_child_joint=(-3.0, 0.0, 0.0)))
    ik.gradient_method = ClosedFormMethod(ARM, extra_dof_utilization=PRE)
    lever = ik.transform()[:3, 3]
    T = ik.transform()
    T[:3, 3] += np.cross([0.0, 0.0, 0.01], lever)
    ik.target.set_transform(T)
    square = float(lever[:2] @ lever[:2])
    assert ik.gradient()[0] == pytest.approx(-0.01 * square / (square + 1.0), rel=1e-9)


@pytest.mark.parametrize("use", [PRE, POST, BOTH])
def test_a_mobile_base_drives_to_where_the_arm_reaches(use: ExtraDofUtilization) -> None:
    ik = on(kido.PlanarJoint("drive"))
    ik.gradient_method = ClosedFormMethod(ARM, extra_dof_utilization=use)
    T = pose(turned(0.0, 2.0, 0.3), (3.0, -2.0, 0.6))
    ik.target.set_transform(T)
    result = ik.solve()
    assert_there(ik, result, T)
    assert 2.0 < np.hypot(*result.positions[:2]) < 4.5


def test_a_floating_base_moves_along_its_group() -> None:
    ik = on(kido.FreeJoint("floating"))
    ik.gradient_method = ClosedFormMethod(ARM, extra_dof_utilization=POST)
    ik.positions = [0.3, -0.8, 1.9, 0.5, 0.2, 1.0, *ik.positions[6:]]
    T = pose(turned(1.0, 0.5, -0.3), (2.0, 1.0, 3.0))
    ik.target.set_transform(T)
    assert_there(ik, ik.solve(), T)


# ---- a user's own


class Own(ClosedFormMethod):
    """Moves the lift by a fixed amount, and remembers when."""

    calls: list[tuple[ExtraDofUtilization, float]] = []  # noqa: RUF012
    size = 7

    def extra_dof_gradient(
        self, ik: InverseKinematics, error: FloatArray, utilization: ExtraDofUtilization
    ) -> FloatArray:
        self.calls.append((utilization, float(np.linalg.norm(error))))
        return -0.3 * np.eye(self.size)[0]


@pytest.mark.parametrize(("use", "when"), [(UNUSED, []), (PRE, [PRE]), (POST, [POST]), (BOTH, [PRE, POST])])
def test_how_extra_dofs_move_can_be_written_anew(
    use: ExtraDofUtilization, when: list[ExtraDofUtilization]
) -> None:
    ik = on_a_lift(UNUSED)
    ik.gradient_method = Own(ARM, extra_dof_utilization=use)
    ik.target.set_transform(raised(0.0))
    Own.calls.clear()
    gradient = ik.gradient()
    assert [call[0] for call in Own.calls] == when
    assert gradient[0] == pytest.approx(-0.3 * len(when))
    errors = dict(Own.calls)
    if PRE in when:
        assert errors[PRE] == pytest.approx(np.linalg.norm(ik.error))
    if POST in when:
        assert errors[POST] < 1e-9, "the solution leaves nothing"


def test_what_it_gives_is_checked() -> None:
    ik = on_a_lift(UNUSED)
    ik.gradient_method = Own(ARM, extra_dof_utilization=PRE)
    before = ik.positions
    try:
        Own.size = 3
        with pytest.raises(ValueError, match=r"Own.extra_dof_gradient: expected shape \(7,\), got \(3,\)"):
            ik.solve()
    finally:
        Own.size = 7
    np.testing.assert_array_equal(ik.positions, before)


def test_options_out_of_range_are_refused() -> None:
    with pytest.raises(TypeError, match="extra_dof_utilization: expected an ExtraDofUtilization, got 1"):
        ClosedFormMethod(extra_dof_utilization=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="extra_error_length_clamp: expected a number above 0, got 0"):
        ClosedFormMethod(extra_error_length_clamp=0.0)
    with pytest.raises(TypeError, match="better: expected a function of two solutions and a module, got 3"):
        ClosedFormMethod(better=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"dofs: expected different dofs, got \['waist', 'waist'\]"):
        ClosedFormMethod(["waist", "waist"])
    with pytest.raises(TypeError, match="dofs: expected degrees of freedom or their names, got 'waist'"):
        ClosedFormMethod("waist")
