"""Analytic derivatives of the dynamics against finite differences along the group, and against each other."""

from __future__ import annotations

import numpy as np
from _random_trees import Robot, along, assert_near, every_joint, robots
from hypothesis import given

DIFFERENCE = 1e-8
SOLVED = 1e-14


def condition(robot: Robot, q: np.ndarray) -> float:
    return float(np.linalg.cond(robot.tree.mass_matrix(q))) if robot.tree.num_dofs else 1.0


def by_velocity(function, v: np.ndarray, step: float = 0.5) -> np.ndarray:
    """Derivative (n, n) by v; exact, as forces and accelerations are quadratic in v."""
    unit = np.eye(len(v))
    return ((function(v + step * unit) - function(v - step * unit)) / (2.0 * step)).T


def square(matrix: np.ndarray, robot: Robot) -> np.ndarray:
    return np.reshape(matrix, (robot.tree.num_dofs,) * 2)


def check_inverse_dynamics(robot: Robot, wrenches: np.ndarray | None) -> None:
    tree, (q, v, a) = robot.tree, robot.state()
    by_q, by_v, mass = tree.inverse_dynamics_derivatives(q, v, a, wrenches)
    expected = along(tree, q, lambda x: tree.inverse_dynamics(x, v, a, wrenches))
    assert_near(by_q, square(expected, robot), DIFFERENCE)
    assert_near(by_v, by_velocity(lambda x: tree.inverse_dynamics(q, x, a, wrenches), v), DIFFERENCE)
    assert_near(mass, tree.mass_matrix(q), 1e-12)


def check_forward_dynamics(robot: Robot, wrenches: np.ndarray | None) -> None:
    tree, (q, v, tau) = robot.tree, robot.state()
    loss = SOLVED * condition(robot, q)
    by_q, by_v, inverse = tree.forward_dynamics_derivatives(q, v, tau, wrenches)
    assert_near(inverse, tree.inverse_mass_matrix(q), loss)
    a = tree.forward_dynamics(q, v, tau, wrenches)
    dq, dv, _ = tree.inverse_dynamics_derivatives(q, v, a, wrenches)
    assert_near(tree.mass_matrix(q) @ by_q, -dq, loss)
    assert_near(tree.mass_matrix(q) @ by_v, -dv, loss)


@given(robots(max_bodies=5))
def test_derivatives_of_inverse_dynamics_are_differences(robot: Robot) -> None:
    check_inverse_dynamics(robot, None)


@given(robots(max_bodies=5))
def test_derivatives_of_inverse_dynamics_under_wrenches_are_differences(robot: Robot) -> None:
    check_inverse_dynamics(robot, robot.rng.uniform(-1.0, 1.0, (robot.tree.num_bodies, 6)))


@given(robots(max_bodies=5))
def test_derivatives_of_forward_dynamics_undo_those_of_inverse_dynamics(robot: Robot) -> None:
    check_forward_dynamics(robot, None)


@given(robots(max_bodies=5))
def test_derivatives_of_forward_dynamics_under_wrenches_undo_those_of_inverse_dynamics(robot: Robot) -> None:
    check_forward_dynamics(robot, robot.rng.uniform(-1.0, 1.0, (robot.tree.num_bodies, 6)))


def test_derivatives_of_the_robot_of_every_joint() -> None:
    robot = every_joint()
    check_inverse_dynamics(robot, robot.rng.uniform(-1.0, 1.0, (robot.tree.num_bodies, 6)))
    check_forward_dynamics(robot, robot.rng.uniform(-1.0, 1.0, (robot.tree.num_bodies, 6)))


def test_derivatives_of_forward_dynamics_are_differences() -> None:
    robot = every_joint(1)
    tree, (q, v, tau) = robot.tree, robot.state()
    by_q, by_v, inverse = tree.forward_dynamics_derivatives(q, v, tau)
    # The motions of this robot are fast: its light branches turn within milliseconds.
    assert_near(by_q, along(tree, q, lambda x: tree.forward_dynamics(x, v, tau), 1e-4), 1e-6)
    assert_near(by_v, by_velocity(lambda x: tree.forward_dynamics(q, x, tau), v), 1e-9)
    assert_near(inverse, by_velocity(lambda x: tree.forward_dynamics(q, v, x), tau), 1e-9)
