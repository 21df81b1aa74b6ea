"""Random positions of skeletons and selections."""

from __future__ import annotations

import numpy as np
import pytest

import kido

ARM = "examples/arm.urdf"


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_a_skeleton_draws_what_its_tree_draws_and_does_not_move() -> None:
    robot = kido.load(ARM)
    before = robot.positions
    for size in ((), 3, (2, 4)):
        drawn = robot.random_positions(rng(), size)
        assert np.array_equal(drawn, robot.tree.random_positions(rng(), size))
        assert drawn.shape == (*np.zeros(size).shape, 6)
    assert np.array_equal(robot.positions, before)


def test_positions_lie_within_the_present_limits() -> None:
    robot = kido.load(ARM)
    robot.joint("lift").set_position_limits(0.2, 0.3)
    lift = robot.random_positions(rng(), 200)[:, 1]
    assert 0.2 <= lift.min() < 0.21 and 0.29 < lift.max() <= 0.3


def test_a_selection_draws_for_its_dofs_in_their_order() -> None:
    robot = kido.load(ARM)
    robot.joint("lift").set_position_limits(0.2, 0.3)
    robot.joint("bend").set_position_limits(-0.6, -0.5)
    other = kido.Skeleton("other")
    other.add_body("slide", joint=kido.PrismaticJoint("push"))
    other.joint("push").set_position_limits(5.0, 6.0)
    group = kido.Group("some", dofs=[robot.dof("bend"), other.dof("push"), robot.dof("lift")])
    drawn = group.random_positions(rng(), (50, 2))
    assert drawn.shape == (50, 2, 3)
    for column, (lower, upper) in enumerate([(-0.6, -0.5), (5.0, 6.0), (0.2, 0.3)]):
        assert lower <= drawn[..., column].min() < drawn[..., column].max() <= upper
    group.positions = drawn[0, 0]
    assert robot.dof("bend").position == drawn[0, 0, 0] and other.positions[0] == drawn[0, 0, 1]
    assert kido.Group().random_positions(rng(), 4).shape == (4, 0)
    assert kido.Chain(None, robot.body("tool")).random_positions(rng()).shape == (6,)


@pytest.mark.parametrize("of", [kido.load, lambda path: kido.Group.of(kido.load(path))])
def test_what_is_no_generator_or_size_is_refused(of: type) -> None:
    with pytest.raises(TypeError, match=r"rng: expected a numpy.random.Generator, got int"):
        of(ARM).random_positions(7)
    with pytest.raises(ValueError, match="size: expected extents of at least 0, got -1"):
        of(ARM).random_positions(rng(), -1)
