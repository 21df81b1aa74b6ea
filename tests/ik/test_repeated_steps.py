"""Steps that bring required tasks back after one for the wishes.

They are repeated with Jacobian and factors of the last one while that shrinks the error much.
"""

from __future__ import annotations

import numpy as np
import pytest
from _poses import Array

import kido
from kido import InverseKinematics
from kido.ik import ErrorMethod, IKQuery, Posture, WholeBodyIK


class Counted(ErrorMethod):
    """The place of the node, some times over; counts what it is asked."""

    def __init__(self, times: int) -> None:
        self.times, self.errors, self.jacobians = times, 0, 0

    def compute_error(self, ik: IKQuery) -> Array:
        self.errors += 1
        return np.tile(ik.transform()[:3, 3] - ik.target.transform()[:3, 3], self.times)

    def compute_jacobian(self, ik: IKQuery) -> Array:
        self.jacobians += 1
        return np.tile(ik.jacobian()[3:], (self.times, 1))


def counted(seed: int, times: int) -> Counted:
    """What is asked of a task of six joints that has a posture below it, until that is as near as it gets."""
    rng = np.random.default_rng(seed)
    arm = kido.load("examples/arm.urdf")
    limits = arm.position_lower_limits, arm.position_upper_limits
    arm.positions = q = 0.5 * np.clip(rng.uniform(-1.0, 1.0, arm.num_dofs), *limits)
    target = arm.bodies[-1].transform()
    arm.positions = np.clip(q + 0.3 * rng.uniform(-1.0, 1.0, arm.num_dofs), *limits)
    hand, rest = InverseKinematics.of(arm.bodies[-1]), InverseKinematics.of(arm.bodies[1])
    hand.error_method = method = Counted(times)
    hand.target.set_transform(target)
    rest.dofs, rest.hierarchy_level = arm.dofs, 1
    rest.error_method = Posture(np.full(arm.num_dofs, 0.2))
    result = WholeBodyIK(arm).solve()
    assert result.success and result.start == 0, result.message
    return method


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("seed", [3, 5])
def test_steps_are_repeated_while_that_shrinks_the_error_much(seed: int, times: int) -> None:
    """Up to as many rows as dofs: fewer Jacobians than errors, but hardly an error in vain."""
    asked = counted(seed, times)
    assert 1.5 * asked.jacobians < asked.errors < 1.8 * asked.jacobians


@pytest.mark.parametrize("seed", [3, 5])
def test_steps_are_not_repeated_where_more_is_wanted_than_there_are_dofs(seed: int) -> None:
    asked = counted(seed, 3)
    assert asked.jacobians < asked.errors < 1.3 * asked.jacobians
