"""Steps of tracking that run out of time or of motion: they go a part of the way, and say that they did."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido import InverseKinematics, SearchSettings, gallery
from kido.ik import GradientMethod, IKQuery, PositionError
from kido.typing import FloatArray

CHANGE = 0.02  # [rad]


def arm() -> InverseKinematics:
    """An arm whose target has jumped by 0.4 m."""
    robot = gallery.arm7()
    robot.positions = [0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1]
    ik = InverseKinematics.of(robot.end_effector("tool"))
    ik.target.set_translation(ik.transform()[:3, 3] + (-0.15, 0.3, -0.2))
    return ik


def steps_to(ik: InverseKinematics, time_budget: float) -> int:
    for count in range(1, 200):
        before = ik.positions
        result = ik.track(largest_change=CHANGE, time_budget=time_budget)
        assert np.abs(result.positions - before).max() <= CHANGE + 1e-12
        ik.positions = result.positions
        if result.success:
            return count
    return 200


def test_steps_that_run_out_of_time_lose_little_way() -> None:
    unhurried = steps_to(arm(), 10.0)
    assert unhurried <= steps_to(arm(), 2e-5) <= unhurried + 10


def test_a_step_is_small_by_default() -> None:
    ik = arm()
    result = ik.track(time_budget=10.0)
    assert not result.success
    assert np.abs(result.positions - ik.positions).max() == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize("time_budget", [1e-9, 10.0])
def test_a_step_that_does_not_arrive_says_what_bounds_it(time_budget: float) -> None:
    result = arm().track(largest_change=CHANGE, time_budget=time_budget)
    assert result.status is kido.IKStatus.NOT_REACHED and result.elsewhere is None
    assert result.message.startswith("not reached: 0.3")
    assert result.timed_out == (time_budget < 1.0)
    limits = "as near as its largest change and the limits let this step come"
    assert result.message.endswith("the time budget ended the search" if result.timed_out else limits)
    assert "out of reach" in arm_out_of_reach().solve().message


def arm_out_of_reach() -> InverseKinematics:
    ik = arm()
    ik.target.set_translation((3.0, 0.0, 0.0))
    return ik


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_from_beyond_a_limit_a_dof_comes_back_though_the_target_pulls_further(side: float) -> None:
    ik = arm()
    dof, outside = ik.dofs[1], 1.0 + 10.0 * CHANGE
    start = ik.positions
    dof.position_lower_limit, dof.position_upper_limit = -1.0, 1.0
    for away, expected in ((outside, 1.0 + 9.0 * CHANGE), (1.0 + 0.4 * CHANGE, 1.0)):
        ik.positions = np.where(np.arange(7) == 1, side * (away + 0.5), start)
        ik.target.set_transform(ik.transform())
        ik.positions = np.where(np.arange(7) == 1, side * away, start)
        result = ik.track(largest_change=CHANGE)
        np.testing.assert_allclose(side * result.positions[1], expected, atol=1e-12)
        assert np.abs(result.positions - ik.positions).max() <= CHANGE + 1e-12


class OwnDamped(GradientMethod):
    """Damped least squares in Python."""

    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        square = jacobian @ jacobian.T + (0.1 * (error @ error) + 1e-6) * np.eye(len(error))
        return jacobian.T @ np.linalg.solve(square, error)


@pytest.mark.parametrize("iterations", [2, 4])
def test_a_gradient_method_of_the_users_rests_out_of_reach_though_its_steps_are_cut_off(
    iterations: int,
) -> None:
    """They go to and fro about a stretched arm, and where few are made they end anywhere."""
    arm = kido.load("examples/arm.urdf")
    arm.positions = [0.1, 0.5, -1.0, 0.3, 0.2, 0.1]
    ik = InverseKinematics.of(arm.body("tool"))
    ik.error_method, ik.gradient_method = PositionError(), OwnDamped()
    ik.settings = SearchSettings(max_iterations=iterations)
    moves = []
    for x in np.concatenate([np.linspace(0.7, 1.2, 51), np.full(150, 1.2)]):
        ik.target.set_translation((x, 0.0, 0.4))
        result = ik.track(time_budget=10.0)
        moves.append(np.abs(result.positions - ik.positions).max())
        ik.positions = result.positions
    assert max(moves) > 0.04 and max(moves[-20:]) < 1e-6
    assert result.linear_error < 0.2843  # as near as it gets
