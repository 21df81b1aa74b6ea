"""Velocities of robots whose dofs follow others or are locked, by the program of any Jacobian and limits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kido
from kido.description import Mimic
from kido.ik import (
    DifferentialIKIntegrator,
    DifferentialIKParameters,
    DifferentialIKResult,
    DifferentialIKStatus,
    differential_ik,
)


def arm(multiplier: float = -0.5) -> kido.Skeleton:
    """Seven joints, the fifth of which follows the second."""
    robot = kido.gallery.make("arm7")
    joints = [dof.joint for dof in robot.dofs]
    joints[4].mimic = Mimic(joints[1].name, multiplier, 0.1)
    joints[4].actuator = "mimic"
    robot.mimic_enforced = True
    robot.positions = 0.1 * np.arange(1.0, 8.0)
    return robot


def jacobian(robot: kido.Skeleton) -> np.ndarray:
    """Of the last body, in axes of the world."""
    return robot.bodies[-1].jacobian(in_coordinates_of=kido.WORLD)


def parameters(**others: object) -> DifferentialIKParameters:
    return DifferentialIKParameters(
        time_step=0.01,
        velocity_limits=(np.full(7, -2.0), np.full(7, 2.0)),
        nominal_positions=np.full(7, 0.3),
        centering_gain=0.2 * np.eye(7),
        **others,  # type: ignore[arg-type]
    )


def asked(robot: kido.Skeleton, given: DifferentialIKParameters, V: np.ndarray) -> DifferentialIKResult:
    return differential_ik(robot, robot.bodies[-1], V, given)


def test_followers_go_with_their_leaders() -> None:
    robot, given = arm(), parameters()
    V = jacobian(robot) @ np.array([0.2, 0.3, -0.1, 0.2, -0.15, 0.1, 0.3])
    found = asked(robot, given, V)
    v = found.velocities
    assert found.success and v is not None
    assert_allclose(v[4], -0.5 * v[1], atol=1e-12)
    assert_allclose(jacobian(robot) @ v, found.alpha * V, atol=1e-9)
    assert found.alpha == pytest.approx(1.0)
    # The same as with the coupling stated.
    free = parameters()
    free.add_linear_velocity_constraint(np.eye(7)[[4]] + 0.5 * np.eye(7)[[1]], [0.0], [0.0])
    robot.mimic_enforced = False
    expected = asked(robot, free, V)
    assert_allclose(v, expected.velocities, atol=1e-9)
    assert found.sides[3].shape == (0,) and expected.sides[3].shape == (1,)
    # And of nobody, once none follows.
    assert abs(asked(robot, given, V).velocities[4] + 0.5 * asked(robot, given, V).velocities[1]) > 1e-3


def test_locked_dofs_stand_still_and_come_back() -> None:
    robot, given = kido.gallery.make("arm7"), parameters()
    robot.positions = 0.1 * np.arange(1.0, 8.0)
    V = np.array([0.1, 0.0, 0.1, 0.05, 0.0, 0.1])
    before = asked(robot, given, V)
    robot.dofs[2].joint.actuator = "locked"
    found = asked(robot, given, V)
    assert found.success and found.velocities[2] == pytest.approx(0.0, abs=1e-12)
    assert_allclose(jacobian(robot) @ found.velocities, found.alpha * V, atol=1e-9)
    robot.dofs[2].joint.actuator = "force"
    assert_allclose(asked(robot, given, V).velocities, before.velocities, atol=0.0)
    given.position_limits = np.full(7, 2.0), np.full(7, 3.0)  # where no step leads
    assert asked(robot, given, V).status is DifferentialIKStatus.NO_SOLUTION
    given.position_limits = None
    for dof in robot.dofs:
        dof.joint.actuator = "locked"
    assert asked(robot, given, V).status is DifferentialIKStatus.STUCK


def test_limits_of_followers_and_settings_of_parameters_hold() -> None:
    robot, given = arm(multiplier=4.0), parameters()
    V = np.array([0.5, 0.3, 0.1, 0.5, 0.0, 0.6])
    v = asked(robot, given, V).velocities
    assert np.abs(v).max() <= 2.0 + 1e-9 and v[4] == pytest.approx(4.0 * v[1])
    given.velocity_limits = (np.full(7, -0.1), np.full(7, 0.1))
    slower = asked(robot, given, V).velocities
    assert np.abs(slower).max() <= 0.1 + 1e-9 and slower[4] == pytest.approx(4.0 * slower[1])
    robot.dofs[4].joint.mimic = Mimic(robot.dofs[1].joint.name, 2.0, 0.1)
    again = asked(robot, given, V).velocities
    assert again[4] == pytest.approx(2.0 * again[1])


def test_rows_of_users_come_first() -> None:
    robot, given = arm(), parameters()
    given.add_linear_velocity_constraint(np.eye(7)[[0]], [-0.01], [0.01])
    found = asked(robot, given, np.array([0.0, 0.0, 0.5, 0.0, 0.2, 0.0]))
    assert abs(found.velocities[0]) <= 0.01 + 1e-9 and found.sides[3].shape == (1,)
    assert all(limit.number == 0 for limit in found.active_limits if limit.kind == "linear velocity")


def test_an_integrator_keeps_followers_where_they_belong() -> None:
    robot = arm()
    follower = DifferentialIKIntegrator(robot, robot.bodies[-1], parameters())
    q = np.array(robot.positions)
    goal = robot.tree.transform(q + np.array([0.2, 0.2, -0.1, 0.2, -0.1, 0.1, 0.3]), 6)
    for _ in range(400):
        follower.step(goal)
    assert_allclose(robot.positions[4], -0.5 * robot.positions[1] + 0.1, atol=1e-9)
    assert_allclose(robot.bodies[-1].transform(), goal, atol=1e-6)


def test_parameters_of_another_robot_are_refused() -> None:
    robot = arm()
    with pytest.raises(ValueError, match="7 velocities"):
        differential_ik(robot, robot.bodies[-1], np.zeros(6), DifferentialIKParameters(3, time_step=0.01))


def test_followers_of_followers_go_with_the_first_leader() -> None:
    robot = arm()
    robot.dofs[6].joint.mimic = Mimic(robot.dofs[4].joint.name, 2.0, 0.0)
    robot.dofs[6].joint.actuator = "mimic"
    wanted = np.array([0.2, 0.3, -0.1, 0.2, -0.15, 0.1, -0.3])
    found = asked(robot, parameters(), jacobian(robot) @ wanted)
    assert found.success and found.alpha == pytest.approx(1.0)
    assert_allclose(found.velocities, wanted, atol=1e-9)
