"""Closed forms with a locked joint at the ends of what an arm reaches, where few positions of it will do."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido import InverseKinematics


def offset_arm(limit: float, offset: float) -> InverseKinematics:
    """An arm of seven joints with a spherical wrist, whose shoulder and elbow are offset [rad, m]."""
    robot = kido.Skeleton("offset")
    body = None
    places = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.2), *3 * [(offset, 0.0, 0.2)], *2 * [(0.0, 0.0, 0.0)]]
    axes = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)]
    for i, (axis, place) in enumerate(zip(axes, places, strict=True)):
        joint = kido.RevoluteJoint(f"q{i}", axis=axis, T_parent_joint=place)
        body = robot.add_body(f"link{i}", body, joint)
    assert body is not None
    tip = body.add_end_effector("tip", (0.0, 0.0, 0.1))
    robot.position_lower_limits, robot.position_upper_limits = -limit, limit
    return InverseKinematics.of(tip)


@pytest.mark.parametrize(("limit", "offset"), [(1.0, 0.02), (0.7, 0.03), (0.4, 0.02)])
def test_targets_reached_near_several_limits_are_found(limit: float, offset: float) -> None:
    ik = offset_arm(limit, offset)
    lower, upper = ik.position_limits
    rng = np.random.default_rng(3)
    targets = []
    for _ in range(1500):
        q = rng.uniform(lower, upper)
        at = rng.permutation(7)[: rng.integers(0, 4)]
        ends = np.where(rng.random(len(at)) < 0.5, lower[at], upper[at])
        q[at] = ends * (1.0 - 10.0 ** -rng.integers(3, 7))
        with ik.at(q):
            targets.append(ik.transform().copy())
    closed = kido.analytical_ik(ik)
    found = closed.solve_batch(np.array(targets))
    assert np.all(found.success)
    for target, solutions in zip(targets[:200], found, strict=False):
        best = solutions.positions[0]
        assert np.all((best >= lower) & (best <= upper))
        with ik.at(best):
            np.testing.assert_allclose(ik.transform(), target, atol=2e-6)
