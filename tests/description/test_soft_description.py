"""Soft skins of links."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kido
from kido.description import (
    JointDescription,
    JointLimits,
    LinkDescription,
    RobotDescription,
    SoftDescription,
)
from kido.errors import DescriptionError
from kido.shape import Box, Cone, Cylinder, Ellipsoid, Sphere


@pytest.mark.parametrize(
    ("shape", "divisions"),
    [
        (Box((1, 2, 3)), (3, 4, 5)),
        (Sphere(1), (8, 6)),
        (Ellipsoid((1, 2, 3)), (8, 6)),
        (Cylinder(1, 2), (8, 6, 4)),
    ],
)
def test_each_shape_has_its_own_divisions(shape: object, divisions: tuple[int, ...]) -> None:
    soft = SoftDescription(shape, 0.5, divisions)  # type: ignore[arg-type]
    assert soft.divisions == divisions
    assert (soft.vertex_stiffness, soft.edge_stiffness, soft.damping) == (1.0, 1.0, 0.01)
    for wrong in (divisions[1:], (*divisions, 3), (0, *divisions[1:])):
        with pytest.raises(
            DescriptionError, match=f"divisions: expected {len(divisions)} positive numbers for a"
        ):
            SoftDescription(shape, 0.5, wrong)  # type: ignore[arg-type]


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(TypeError, match="shape: expected a Box"):
        SoftDescription(Cone(1, 2), 0.5, (3, 3))
    for name in ("mass", "vertex_stiffness", "edge_stiffness", "damping"):
        numbers = {"mass": 1.0, name: -1.0}
        with pytest.raises(DescriptionError, match=f"{name}: expected no negative number, got -1"):
            SoftDescription(Sphere(1), divisions=(3, 3), **numbers)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="soft: expected a SoftDescription or a SoftSkin or None"):
        LinkDescription("a", soft=Sphere(1))  # type: ignore[arg-type]


def test_skeletons_say_which_soft_skins_they_cannot_have() -> None:
    def diagnostics(mass: float, stiffness: float) -> list[tuple[str, int | None, str | None]]:
        soft = SoftDescription(Sphere(1), mass, (8, 6), vertex_stiffness=stiffness, line=7)
        link = LinkDescription("a", kido.description.Inertia(1.0, moment=np.eye(3)), soft=soft)
        robot = RobotDescription("r", [link], [JointDescription("j", "free", None, "a")])
        skeleton = kido.Skeleton.from_description(robot)
        assert isinstance(skeleton.body("a"), kido.SoftBodyNode) is (mass > 0.0 and stiffness > 0.0)
        return [(d.kind, d.line, d.subject) for d in skeleton.diagnostics]

    assert diagnostics(0.5, 1.0) == []
    assert diagnostics(0.0, 1.0) == diagnostics(0.5, 0.0) == [("soft", 7, "a")]


def test_limits_of_velocity_effort_and_acceleration_may_differ_up_and_down() -> None:
    same = JointLimits(velocity=2.0, effort=[3.0], acceleration=4.0)
    assert (same.lowest_velocity, same.lowest_effort, same.lowest_acceleration) == (-2.0, [-3.0], -4.0)
    own = JointLimits(
        velocity=2.0, effort=3.0, acceleration=4.0, velocity_lower=-1, effort_lower=-7, acceleration_lower=1
    )
    assert (own.speed, own.force) == (1.0, 3.0)
    assert JointLimits(effort=3.0, effort_lower=1.0).force == -1.0
    assert (same.speed, same.force) == (2.0, 3.0)
    link = LinkDescription("a", kido.description.Inertia(1.0, moment=np.eye(3)))
    joint = JointDescription("j", "universal", None, "a", axes=np.eye(3)[:2], limits=own)
    tree = kido.Tree.from_description(RobotDescription("r", [link], [joint]))
    assert (tree.velocity_limits.tolist(), tree.effort_limits.tolist()) == ([1.0, 1.0], [3.0, 3.0])
    assert joint.limits.lowest_velocity.tolist() == [-1.0, -1.0]
    robot = kido.Skeleton.from_description(RobotDescription("r", [link], [joint]))
    assert robot.tree == tree
    assert robot.to_description().joint("j").limits == joint.limits
    assert robot.velocity_lower_limits.tolist() == [-1.0, -1.0]
    assert robot.velocity_upper_limits.tolist() == [2.0, 2.0]
    assert robot.force_lower_limits.tolist() == [-7.0, -7.0]
    assert robot.force_upper_limits.tolist() == [3.0, 3.0]
    assert robot.acceleration_lower_limits.tolist() == [1.0, 1.0]
    assert robot.acceleration_upper_limits.tolist() == [4.0, 4.0]


@pytest.mark.parametrize("quantity", ["velocity", "effort", "acceleration"])
@pytest.mark.parametrize("lowest", [3.0, math.inf])
def test_lower_bounds_above_the_upper_are_refused(quantity: str, lowest: float) -> None:
    with pytest.raises(
        DescriptionError, match=f"limits of {quantity}: expected lower <= upper, got {lowest}"
    ):
        JointLimits(**{quantity: 2.0, f"{quantity}_lower": lowest})
