"""One step of a hierarchy against formulas of null spaces."""

from __future__ import annotations

import numpy as np
import pytest
from _hierarchies import LIMBS, aim, modules_of, near, planar_branches, steps_of
from _poses import Array, planar_arm, revolutes, with_joints

import kido
from kido import InverseKinematics, gallery
from kido.ik import (
    CompositeIK,
    DampedLeastSquares,
    JacobianTranspose,
    PositionError,
    TaskSpaceRegion,
    WholeBodyIK,
)

LITTLE = 1e-12
"""Damping that changes nothing."""


def null_space(J: Array) -> Array:
    """The projector (n, n) into what J (m, n) does not see."""
    return np.asarray(np.eye(J.shape[1]) - np.linalg.pinv(J) @ J)


def pulled_arm(count: int, *parts: tuple[int, str]) -> WholeBodyIK:
    """A planar arm; each level wants one coordinate of the end of a link elsewhere, out of reach at once."""
    robot = planar_arm(*np.linspace(0.5, 0.3, count))
    robot.positions = np.linspace(0.9, 0.3, count)
    for level, (link, axis) in enumerate(parts):
        body = robot.body(f"link{link}")
        ik = InverseKinematics.of(
            body.add_end_effector(f"end{level}", (np.linspace(0.5, 0.3, count)[link], 0, 0))
        )
        ik.use_whole_body()
        ik.hierarchy_level = level
        bounds = np.where(np.array(list("xyz")) == axis, 1e-3, np.inf)
        ik.error_method = TaskSpaceRegion(angular=(np.inf,) * 3, linear=bounds)
        ik.target.set_translation(ik.target.transform()[:3, 3] + [0.3, -0.4, 0.0])
    return WholeBodyIK(robot)


def coupled() -> WholeBodyIK:
    """Three tasks of one coordinate each for five joints, none at right angles to another."""
    return pulled_arm(5, (4, "x"), (3, "x"), (4, "y"))


@pytest.mark.parametrize("damping", [LITTLE, 1e-3, 1.0])
def test_lower_levels_do_not_change_what_higher_ones_see_of_a_step(damping: float) -> None:
    robot = gallery.humanoid()
    modules = modules_of(robot, LIMBS)
    aim(modules, near(robot, 0, 0.8))
    whole = WholeBodyIK(robot)
    jacobians = whole.step().jacobians
    steps = [steps_of(whole, damping, levels) for levels in (1, 2, 3)]
    for count, step in enumerate(steps[:-1], start=1):
        seen = np.concatenate(jacobians[:count])
        for longer in steps[count:]:
            np.testing.assert_allclose(seen @ longer, seen @ step, atol=1e-9)
            assert np.linalg.norm(longer - step) > 1e-2 * min(1.0, 1.0 / damping)


def test_a_product_of_null_spaces_would_disturb_where_the_augmented_one_does_not() -> None:
    whole = coupled()
    first, second, third = whole.step().jacobians
    two, three = steps_of(whole, LITTLE, 2), steps_of(whole, LITTLE, 3)
    np.testing.assert_allclose(np.vstack([first, second]) @ (three - two), 0.0, atol=1e-10)
    product = null_space(first) @ null_space(second)
    wanted = np.linalg.pinv(third) @ -whole.step().errors[2]
    assert np.linalg.norm(second @ product @ wanted) > 1e-3
    assert np.linalg.norm(third @ (three - two)) > 1e-2


def test_without_damping_a_step_is_that_of_recursive_null_spaces() -> None:
    whole = coupled()
    step, seen = np.zeros(5), np.zeros((0, 5))
    for error, J in zip(whole.step().errors, whole.step().jacobians, strict=True):
        N = null_space(seen) if len(seen) else np.eye(5)
        step = step + np.linalg.pinv(J @ N, rcond=1e-9) @ (-error - J @ step)
        seen = np.vstack([seen, J])
    np.testing.assert_allclose(steps_of(whole, LITTLE), step, atol=1e-7)


def test_modules_of_one_level_are_one_least_squares_problem() -> None:
    robot = planar_branches()
    modules = modules_of(robot, {"left": 3, "right": 3})
    for ik in modules.values():
        ik.error_method = PositionError()
        ik.target.set_translation((0.2, 0.4, 0.0))
    whole = WholeBodyIK(robot)
    J = np.concatenate(
        [whole.skeleton.jacobian(ik.node, in_coordinates_of=kido.WORLD)[3:] for ik in modules.values()]
    )
    e = np.concatenate([ik.transform()[:3, 3] - [0.2, 0.4, 0.0] for ik in modules.values()])
    expected = -np.linalg.solve(J.T @ J + 0.3 * np.eye(5), J.T @ e)
    np.testing.assert_allclose(steps_of(whole, 0.3), expected, atol=1e-12)


def test_damping_is_that_of_each_level() -> None:
    whole = pulled_arm(4, (3, "x"), (2, "y"))
    (a, b), (J, K) = whole.step().errors, whole.step().jacobians
    first = -J.T @ np.linalg.solve(J @ J.T + 0.5 * np.eye(len(J)), a)
    P = K @ null_space(J)
    second = P.T @ np.linalg.solve(P @ P.T + 0.1 * np.eye(len(P)), -b - K @ first)
    step = whole.step().velocities(np.ones(4), np.zeros(4), [0.5, 0.1])
    np.testing.assert_allclose(step, first + second, atol=1e-12)


def test_free_joints_make_up_for_what_others_move() -> None:
    whole = pulled_arm(5, (4, "x"), (4, "y"))
    J, e = (np.concatenate(rows) for rows in (whole.step().jacobians, whole.step().errors))
    free, fixed = np.array([1.0, 1.0, 0.0, 1.0, 1.0]), np.array([0.0, 0.0, 0.2, 0.0, 0.0])
    step = whole.step().velocities(free, fixed, [LITTLE, LITTLE])
    assert step[2] == 0.2
    np.testing.assert_allclose(J @ step, -e, atol=1e-9)


def test_levels_that_repeat_what_is_above_move_nothing() -> None:
    whole = pulled_arm(4, (3, "x"), (3, "x"), (3, "y"))
    one, two = steps_of(whole, LITTLE, 1), steps_of(whole, LITTLE, 2)
    np.testing.assert_allclose(two, one, atol=1e-9)
    assert np.linalg.norm(steps_of(whole, LITTLE) - two) > 1e-3


@pytest.mark.parametrize("method", [JacobianTranspose(0.5), JacobianTranspose(0.5, component_clamp=0.05)])
def test_steps_of_other_gradient_methods_are_projected(method: JacobianTranspose) -> None:
    whole = pulled_arm(5, (4, "x"), (3, "y"))
    low = whole.levels[1][0]
    low.gradient_method = method
    J, K = whole.step().jacobians
    one = steps_of(whole, 0.01, 1)
    wanted = -np.clip(0.5 * K.T @ low.weighted_error(), -method.component_clamp, method.component_clamp)
    np.testing.assert_allclose(steps_of(whole, 0.01) - one, null_space(J) @ wanted, atol=1e-12)


def test_a_gradient_method_of_a_higher_level_is_taken_as_it_is() -> None:
    whole = pulled_arm(5, (4, "x"), (3, "y"))
    high = whole.levels[0][0]
    high.gradient_method = JacobianTranspose(0.7, component_clamp=10.0)
    J, _ = whole.step().jacobians
    step = steps_of(whole, LITTLE)
    np.testing.assert_allclose(J @ step, -0.7 * J @ J.T @ high.weighted_error(), atol=1e-9)


def test_dofs_that_a_module_may_not_move_are_not_moved_for_it() -> None:
    robot = with_joints(*revolutes(6))
    hand = InverseKinematics.of(robot.end_effector("hand"))
    hand.dofs = robot.dofs[2:]
    hand.target.set_translation((5.0, 5.0, 5.0))
    step = steps_of(CompositeIK(robot, [hand]), 0.1)
    np.testing.assert_array_equal(step[:2], 0.0)
    assert (step[2:] != 0.0).all()


def test_damping_of_a_modules_own_does_not_matter_to_the_shared_step() -> None:
    whole = pulled_arm(4, (3, "x"), (2, "y"))
    before = steps_of(whole, 0.2)
    for level in whole.levels:
        level[0].gradient_method = DampedLeastSquares(0.7)
    np.testing.assert_array_equal(steps_of(whole, 0.2), before)
