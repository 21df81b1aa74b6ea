"""Steps in levels: what gradient methods add in the null space, and levels whose errors count little."""

from __future__ import annotations

import numpy as np
import pytest
from _hierarchies import planar_branches
from _poses import Array, pose
from scipy.spatial.transform import Rotation
from test_objectives import seven

import kido
from kido import InverseKinematics, SearchSettings
from kido.ik import CompositeIK, GradientMethod, IKQuery, PositionError, Posture, TaskSpaceRegion


class Leaning(GradientMethod):
    """Least squares, and beside it a part of the way to a posture, in the null space."""

    def compute_gradient(self, ik: IKQuery, error: Array, jacobian: Array) -> Array:
        inverse = np.linalg.pinv(jacobian, rcond=1e-9)
        away = ik.positions - POSTURE
        return 0.5 * inverse @ error + 0.2 * (away - inverse @ (jacobian @ away))


POSTURE = np.linspace(0.5, -0.5, 7)


def test_what_a_method_does_in_the_null_space_is_done() -> None:
    ik = seven()
    ik.error_method, ik.gradient_method = PositionError(), Leaning()
    ik.settings = SearchSettings(max_starts=1, mirrors=0)
    ik.positions = q = np.array([0.3, 0.4, -0.2, 0.8, 0.1, -0.5, 0.6])
    with ik.at(q + 0.05):
        target = ik.transform()
    ik.target.set_transform(target)
    result = ik.solve()
    for _ in range(result.iterations):
        with ik.at(q):
            error, jacobian = ik.weighted_error_and_jacobian()
            q = q - Leaning().compute_gradient(ik, error, jacobian)
    assert result.success and result.iterations > 5
    np.testing.assert_allclose(result.positions, q, atol=1e-9)


@pytest.mark.parametrize("weight", [1e-4, 1.0, 1e3])
def test_a_first_level_keeps_its_target_however_little_it_counts(weight: float) -> None:
    robot = planar_branches()
    left = InverseKinematics.of(robot.end_effector("left"))
    right = InverseKinematics.of(robot.end_effector("right"))
    for level, ik in enumerate((left, right)):
        ik.use_whole_body()
        ik.hierarchy_level = level
    left.error_method = PositionError(linear_weights=(weight, weight, 0.0))
    right.error_method = PositionError(linear_weights=(1.0, 1.0, 0.0))
    left.target.set_translation(left.transform()[:3, 3] + (-0.1, 0.05, 0.0))
    right.target.set_translation((-2.0, -1.0, 0.0))  # out of reach, and it pulls the trunk around
    result = CompositeIK(
        robot, (left, right), settings=SearchSettings(max_starts=1, time_budget=60.0)
    ).solve()
    assert not result.success and result.tasks[0].success, result.message
    assert result.tasks[0].linear_error < 1e-6


def slide() -> kido.BodyNode:
    """The last of three bodies that slide along axes without relation."""
    robot, body = kido.Skeleton("slides"), None
    for name, axis in zip("abc", ((0.9, 0.2, -0.1), (0.3, 0.8, 0.4), (-0.2, 0.1, 0.7)), strict=True):
        body = robot.add_body(name, body, kido.PrismaticJoint(name, axis=axis))
    assert body is not None
    return body


def along(body: kido.BodyNode, first: Array, second: Array, level: int) -> InverseKinematics:
    """A module that knows one coordinate of a body's place, along the first of two directions."""
    ik = InverseKinematics(body)
    ik.use_whole_body()
    ik.hierarchy_level = level
    axes, _ = Rotation.align_vectors(
        [first, second], [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)], weights=[np.inf, 1.0]
    )
    ik.reference_frame = kido.SimpleFrame("axes", transform=pose(axes))
    ik.error_method = TaskSpaceRegion(weights=(0, 0, 0, 1, 0, 0))
    ik.target.set_transform(np.eye(4))
    return ik


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9])
def test_levels_that_hardly_differ_are_not_disturbed_by_those_below(apart: float) -> None:
    """What is left of a row beside almost the same one is small, and has to be at right angles to it."""
    body = slide()
    first, second, third = Rotation.from_rotvec((0.3, -0.2, 0.6)).as_matrix().T
    beside = first + apart * second
    modules = [along(body, axis, second, level) for level, axis in enumerate((first, beside, third))]
    modules[2].target.set_translation(0.5 * third)
    settings = SearchSettings(max_starts=1, mirrors=0, max_iterations=1)
    body.skeleton.positions = CompositeIK(body.skeleton, modules, settings=settings).solve().positions
    place = modules[0].transform()[:3, 3]
    np.testing.assert_allclose(third @ place, 0.5, atol=1e-4)
    np.testing.assert_allclose([first @ place, beside @ place], 0.0, atol=1e-15)


def kite() -> kido.Skeleton:
    """A floating base with an arm on a ball joint, and a slide on that."""
    robot = kido.Skeleton("kite")
    base = robot.add_body("base", joint=kido.FreeJoint("free"))
    arm = robot.add_body("arm", base, kido.BallJoint("ball", T_parent_joint=(0.4, 0.0, 0.1)))
    robot.add_body("tip", arm, kido.BallJoint("second", T_parent_joint=(0.3, 0.0, 0.0)))
    robot.positions = [0.3, -0.2, 0.5, 0.1, 0.2, 0.3, -0.4, 0.6, 0.2, 0.5, 0.1, -0.3]
    return robot


def test_postures_of_ball_joints_up_the_chain_are_reached() -> None:
    robot = kite()
    ik = InverseKinematics.of(robot.body("tip"))
    ik.dofs = robot.dofs
    wanted = np.array([0.1, 0.2, -0.3, 0.4, 0.0, 0.2, 0.7, -0.2, 0.4, -0.3, 0.6, 0.2])
    ik.error_method, ik.is_required = Posture(wanted, weights=1.0 + np.arange(12) // 3), True
    result = CompositeIK(robot, (ik,)).solve()
    assert result.success
    np.testing.assert_allclose(result.positions, wanted, atol=2e-6)


def test_each_dof_of_ball_joints_has_its_own_largest_change() -> None:
    robot = kite()
    ik = InverseKinematics.of(robot.body("tip"))
    ik.dofs = robot.dofs
    ik.error_method = Posture(np.zeros(12))
    change = 0.01 + 0.005 * np.arange(12)
    result = CompositeIK(robot, (ik,)).track(largest_change=change, time_budget=60.0)
    moved = np.abs(robot.tree.difference(robot.positions, result.positions))
    assert (moved <= change * (1.0 + 1e-9)).all() and (moved > 0.2 * change).sum() >= 10
    assert (moved[[6, 7, 9]] > 0.9 * change[[6, 7, 9]]).all()
