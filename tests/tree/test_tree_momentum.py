"""Momentum and center of mass of random trees, by sums over the bodies."""

from __future__ import annotations

import numpy as np
from _random_trees import Robot, along, assert_near, moving, rate, robots, skew
from hypothesis import assume, given

EXACT = 1e-12
DIFFERENCE = 1e-8


def bodies(
    robot: Robot, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of every moving body: mass (k,), center (k, 3), its velocity (k, 3), spin momentum about it (k, 3)."""
    masses, centers, rates, spins = [], [], [], []
    for body in robot.moving_bodies:
        inertia = robot.inertia(body)
        if inertia is None:
            continue
        T = robot.tree.transform(q, body)
        velocity = robot.tree.velocity(q, v, body, offset=inertia.com, frame="world")
        R = T[:3, :3]
        masses.append(inertia.mass)
        centers.append(R @ inertia.com + T[:3, 3])
        rates.append(velocity[3:])
        spins.append(R @ inertia.moment @ R.T @ velocity[:3])
    assume(len(masses) > 0)
    return np.array(masses), np.array(centers), np.array(rates), np.array(spins)


@given(robots())
def test_momentum_is_the_sum_over_the_bodies(robot: Robot) -> None:
    q, v, _ = robot.state()
    mass, center, velocity, spin = bodies(robot, q, v)
    linear = mass[:, None] * velocity
    angular = np.cross(center, linear) + spin
    expected = np.concatenate([angular.sum(axis=0), linear.sum(axis=0)])
    assert_near(robot.tree.momentum(q, v), expected, EXACT)


@given(robots())
def test_centroidal_momentum_is_about_the_center_of_mass(robot: Robot) -> None:
    tree, (q, v, _) = robot.tree, robot.state()
    mass, center, velocity, spin = bodies(robot, q, v)
    com = mass @ center / mass.sum()
    linear = mass[:, None] * velocity
    angular = np.cross(center - com, linear) + spin
    expected = np.concatenate([angular.sum(axis=0), linear.sum(axis=0)])
    assert_near(tree.centroidal_momentum(q, v), expected, EXACT)
    assert_near(tree.centroidal_momentum_matrix(q) @ v, expected, EXACT)


@given(robots())
def test_columns_of_the_centroidal_momentum_matrix_are_momenta_of_unit_velocities(robot: Robot) -> None:
    tree, q = robot.tree, robot.positions()
    bodies(robot, q, q)
    columns = tree.centroidal_momentum(q, np.eye(tree.num_dofs)).T
    assert_near(tree.centroidal_momentum_matrix(q), columns, EXACT)


@given(robots())
def test_center_of_mass_is_the_mean_over_the_bodies(robot: Robot) -> None:
    tree, (q, v, _) = robot.tree, robot.state()
    mass, center, velocity, _ = bodies(robot, q, v)
    assert_near(tree.center_of_mass(q), mass @ center / mass.sum(), EXACT)
    assert_near(tree.com_velocity(q, v), mass @ velocity / mass.sum(), EXACT)
    assert_near(tree.com_jacobian(q) @ v, mass @ velocity / mass.sum(), EXACT)
    assert tree.total_mass == float(mass.sum()) or abs(tree.total_mass / mass.sum() - 1.0) < EXACT


@given(robots())
def test_center_of_mass_jacobian_and_acceleration_by_differences(robot: Robot) -> None:
    tree, (q, v, a) = robot.tree, robot.state()
    bodies(robot, q, v)
    path = moving(tree, q, v, a)
    expected = along(tree, q, tree.center_of_mass).reshape(3, tree.num_dofs)
    assert_near(tree.com_jacobian(q), expected, DIFFERENCE)
    expected = rate(lambda t: tree.com_velocity(*path(t)))
    assert_near(tree.com_acceleration(q, v, a), expected, DIFFERENCE)


@given(robots())
def test_momentum_is_moved_from_the_center_of_mass_to_the_origin(robot: Robot) -> None:
    tree, (q, v, _) = robot.tree, robot.state()
    bodies(robot, q, v)
    about_com = tree.centroidal_momentum(q, v)
    lever = skew(tree.center_of_mass(q)) @ about_com[3:]
    assert_near(tree.momentum(q, v), about_com + np.concatenate([lever, np.zeros(3)]), EXACT)
