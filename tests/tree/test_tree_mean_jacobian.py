"""Mean Jacobians of random trees: the sums over the bodies that they are, and what they say about motions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from _random_trees import Array, Robot, assert_near, moving, rate, robots
from hypothesis import assume, given

EXACT = 1e-12
DIFFERENCE = 1e-8


def mean(robot: Robot, of_body: Callable[[int, Array], Array]) -> Array:
    """Average over the moving bodies, weighted by mass, of what is asked about a body's center of mass."""
    parts = [(robot.inertia(body), body) for body in robot.moving_bodies]
    weighted = [(i.mass, of_body(body, i.com)) for i, body in parts if i is not None]
    assume(len(weighted) > 0)
    return np.asarray(sum(m * x for m, x in weighted) / sum(m for m, _ in weighted))


@given(robots())
def test_the_mean_jacobian_is_the_mean_of_the_bodies_jacobians(robot: Robot) -> None:
    tree, q = robot.tree, robot.positions()
    expected = mean(robot, lambda body, com: tree.jacobian(q, body, com, "world"))
    assert_near(tree.mean_jacobian(q), expected, EXACT)
    assert_near(tree.mean_jacobian(q)[3:], tree.com_jacobian(q), EXACT)


@given(robots())
def test_its_derivatives_are_the_means_of_the_bodies_derivatives(robot: Robot) -> None:
    tree, (q, v, _) = robot.tree, robot.state()
    for classic in (True, False):
        expected = mean(
            robot,
            lambda body, com, c=classic: tree.jacobian_derivative(q, v, body, com, "world", classic=c),
        )
        assert_near(tree.mean_jacobian_derivative(q, v, classic=classic), expected, EXACT)


@given(robots())
def test_the_classic_derivative_is_its_rate_of_change_and_gives_the_acceleration(robot: Robot) -> None:
    tree, (q, v, a) = robot.tree, robot.state()
    mean(robot, lambda body, com: np.zeros(1))
    path = moving(tree, q, v, a)
    rates = rate(lambda t: tree.mean_jacobian(path(t)[0]) @ path(t)[1])
    J, dJ = tree.mean_jacobian(q), tree.mean_jacobian_derivative(q, v)
    assert_near(J @ a + dJ @ v, rates, DIFFERENCE)
    assert_near((J @ a + dJ @ v)[3:], tree.com_acceleration(q, v, a), EXACT)
