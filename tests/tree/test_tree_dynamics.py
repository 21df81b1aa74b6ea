"""Dynamics of random trees: every algorithm against another route to the same numbers."""

from __future__ import annotations

import numpy as np
from _random_trees import Robot, along, assert_near, every_joint, moving, rate, robots, skew
from hypothesis import given

EXACT = 1e-12
SOLVED = 1e-14
"""Times the condition of the mass matrix, or times the accelerations that forces would give which cancel each
other: error of numbers that are solved from it."""
DIFFERENCE = 1e-8


def condition(robot: Robot, q: np.ndarray) -> float:
    return float(np.linalg.cond(robot.tree.mass_matrix(q))) if robot.tree.num_dofs else 1.0


def body_inertia(robot: Robot, body: int) -> np.ndarray:
    """Spatial inertia (6, 6) of a body about its origin, from the description; zeros for a massless one."""
    inertia = robot.inertia(body)
    if inertia is None:
        return np.zeros((6, 6))
    c = skew(inertia.com)
    first = inertia.mass * c
    return np.block([[inertia.moment - first @ c, first], [-first, inertia.mass * np.eye(3)]])


def forces_by_virtual_power(
    robot: Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray, wrenches: np.ndarray
) -> np.ndarray:
    """Newton-Euler of every body for itself, summed by Jacobians: J^T (I (a - g) + v x* I v - wrench), and
    what speeds the rotors up."""
    tree = robot.tree
    tau = robot.armature * a
    for body in robot.moving_bodies:
        inertia = body_inertia(robot, body)
        R = tree.transform(q, body)[:3, :3]
        twist = tree.velocity(q, v, body, frame="body")
        acceleration = tree.acceleration(q, v, a, body, frame="body", classic=False)
        acceleration[3:] -= R.T @ tree.gravity
        momentum = inertia @ twist
        spin = np.concatenate(
            [
                np.cross(twist[:3], momentum[:3]) + np.cross(twist[3:], momentum[3:]),
                np.cross(twist[:3], momentum[3:]),
            ]
        )
        wrench = inertia @ acceleration + spin - wrenches[body]
        tau += tree.jacobian(q, body, frame="body").T @ wrench
    return tau


@given(robots())
def test_inverse_dynamics_is_newton_and_euler_of_every_body(robot: Robot) -> None:
    q, v, a = robot.state()
    wrenches = robot.rng.uniform(-1.0, 1.0, (robot.tree.num_bodies, 6))
    expected = forces_by_virtual_power(robot, q, v, a, wrenches)
    assert_near(robot.tree.inverse_dynamics(q, v, a, wrenches), expected, EXACT)
    expected = forces_by_virtual_power(robot, q, v, a, np.zeros_like(wrenches))
    assert_near(robot.tree.inverse_dynamics(q, v, a), expected, EXACT)


@given(robots())
def test_mass_matrix_is_the_sum_of_the_bodies_inertias_through_their_jacobians_and_of_armature(
    robot: Robot,
) -> None:
    tree, q = robot.tree, robot.positions()
    expected = np.diag(robot.armature)
    for body in robot.moving_bodies:
        J = tree.jacobian(q, body, frame="body")
        expected += J.T @ body_inertia(robot, body) @ J
    got = tree.mass_matrix(q)
    assert_near(got, expected, EXACT)
    assert (got == got.T).all()


@given(robots())
def test_columns_of_the_mass_matrix_are_forces_of_unit_accelerations(robot: Robot) -> None:
    tree, (q, v, _) = robot.tree, robot.state()
    columns = tree.inverse_dynamics(q, v, np.eye(tree.num_dofs)) - tree.bias_forces(q, v)
    assert_near(tree.mass_matrix(q), columns.T, EXACT)


@given(robots())
def test_forward_dynamics_undoes_inverse_dynamics(robot: Robot) -> None:
    tree, (q, v, a) = robot.tree, robot.state()
    wrenches = robot.rng.uniform(-1.0, 1.0, (tree.num_bodies, 6))
    for loads in (None, wrenches):
        tau = tree.inverse_dynamics(q, v, a, loads)
        forces = np.abs(tau) + np.abs(tree.inverse_dynamics(q, v, np.zeros_like(a), loads))
        largest = float(np.abs(tree.inverse_mass_matrix(q)).sum() * forces.max(initial=0.0))
        assert_near(tree.forward_dynamics(q, v, tau, loads), a, SOLVED * max(1.0, largest))


@given(robots())
def test_inverse_mass_matrix_times_mass_matrix_is_one(robot: Robot) -> None:
    tree, q = robot.tree, robot.positions()
    inverse, tolerance = tree.inverse_mass_matrix(q), SOLVED * condition(robot, q)
    assert_near(inverse @ tree.mass_matrix(q), np.eye(tree.num_dofs), tolerance)
    assert (inverse == inverse.T).all()


@given(robots())
def test_bias_is_inverse_dynamics_at_rest_of_the_joints(robot: Robot) -> None:
    tree, (q, v, _) = robot.tree, robot.state()
    still = np.zeros(tree.num_dofs)
    assert_near(tree.bias_forces(q, v), tree.inverse_dynamics(q, v, still), EXACT)
    assert_near(tree.gravity_forces(q), tree.inverse_dynamics(q, still, still), EXACT)


@given(robots())
def test_wrenches_act_through_jacobians(robot: Robot) -> None:
    tree, (q, v, a) = robot.tree, robot.state()
    wrenches = robot.rng.uniform(-1.0, 1.0, (tree.num_bodies, 6))
    by_wrenches = tree.inverse_dynamics(q, v, a) - tree.inverse_dynamics(q, v, a, wrenches)
    expected = sum(tree.jacobian(q, body, frame="body").T @ wrench for body, wrench in enumerate(wrenches))
    assert_near(by_wrenches, expected, EXACT)


@given(robots())
def test_gravity_forces_are_the_gradient_of_potential_energy(robot: Robot) -> None:
    tree, q = robot.tree, robot.positions()
    assert_near(tree.gravity_forces(q), along(tree, q, tree.potential_energy), DIFFERENCE)


@given(robots())
def test_potential_energy_is_that_of_the_bodies_heights(robot: Robot) -> None:
    tree, q = robot.tree, robot.positions()
    expected = 0.0
    for body in robot.moving_bodies:
        inertia = robot.inertia(body)
        if inertia is not None:
            T = tree.transform(q, body)
            expected -= inertia.mass * (tree.gravity @ (T[:3, :3] @ inertia.com + T[:3, 3]))
    assert_near(tree.potential_energy(q), expected, EXACT)


@given(robots())
def test_kinetic_energy_is_half_v_times_mass_matrix_times_v(robot: Robot) -> None:
    tree, (q, v, _) = robot.tree, robot.state()
    assert_near(tree.kinetic_energy(q, v), 0.5 * v @ tree.mass_matrix(q) @ v, EXACT)


@given(robots())
def test_power_of_the_forces_is_the_rate_of_energy(robot: Robot) -> None:
    tree, (q, v, a) = robot.tree, robot.state()
    path = moving(tree, q, v, a)
    change = rate(lambda t: tree.kinetic_energy(*path(t)) + tree.potential_energy(path(t)[0]))
    assert_near(change, tree.inverse_dynamics(q, v, a) @ v, DIFFERENCE)


def test_the_robot_of_every_joint_has_right_dynamics() -> None:
    robot = every_joint()
    tree, (q, v, a) = robot.tree, robot.state()
    wrenches = robot.rng.uniform(-1.0, 1.0, (tree.num_bodies, 6))
    tau = forces_by_virtual_power(robot, q, v, a, wrenches)
    assert_near(tree.inverse_dynamics(q, v, a, wrenches), tau, EXACT)
    loss = SOLVED * condition(robot, q)
    assert_near(tree.forward_dynamics(q, v, tau, wrenches), a, loss)
    assert_near(tree.inverse_mass_matrix(q), np.linalg.inv(tree.mass_matrix(q)), loss)
