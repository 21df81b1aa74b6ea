"""Robots with several nodes to place, and where these stand by products of elementary motions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from _poses import Array, gap, placed

import kido
from kido import InverseKinematics
from kido.ik import HierarchicalIK, HierarchyResult

LIMBS = {"left_foot": 0, "right_foot": 0, "left_hand": 1, "right_hand": 2}
"""Levels of a humanoid's end effectors."""

Modules = dict[str, InverseKinematics]


def modules_of(robot: kido.Skeleton, levels: Mapping[str, int]) -> Modules:
    """Modules of end effectors that move all dofs, by the effectors' names."""
    found = {name: InverseKinematics.of(robot.end_effector(name)) for name in levels}
    for name, ik in found.items():
        ik.use_whole_body()
        ik.hierarchy_level = levels[name]
    return found


def near(robot: kido.Skeleton, seed: int, part: float = 0.5) -> Array:
    """Positions (n,) part of the way from the present ones to random ones within the limits."""
    rng = np.random.default_rng(seed)
    lower, upper = np.maximum(robot.position_lower_limits, -1.0), np.minimum(robot.position_upper_limits, 1.0)
    return robot.positions + part * (rng.uniform(lower, upper) - robot.positions)


def aim(modules: Modules, q: Array) -> None:
    """Put targets where the nodes are at positions (n,) of their skeleton."""
    for ik in modules.values():
        ik.target.set_transform(placed(ik.node, q))


def left_of(modules: Modules, q: Array) -> dict[str, tuple[float, float]]:
    """Errors at positions (n,): angle [rad] and distance [m] by the name of the node."""
    return {name: gap(placed(ik.node, q), ik.target.transform()) for name, ik in modules.items()}


def assert_all_there(modules: Modules, result: HierarchyResult) -> None:
    """Solved, within the limits, and at the targets by products of elementary motions."""
    __tracebackhide__ = True
    assert result.success and bool(result), result.message
    skeleton = next(iter(modules.values())).node.skeleton
    assert_within(skeleton, result.positions)
    for name, (angle, distance) in left_of(modules, result.positions).items():
        assert angle < 1e-6 + 1e-9 and distance < 1e-6 + 1e-9, name


def assert_within(skeleton: kido.Skeleton, positions: Array) -> None:
    __tracebackhide__ = True
    assert (positions >= skeleton.position_lower_limits).all()
    assert (positions <= skeleton.position_upper_limits).all()


def planar_branches() -> kido.Skeleton:
    """A trunk of 0.5 m that turns about z and carries two arms of two links of 0.4 m and 0.3 m, with
    end effectors `left` and `right`."""
    robot = kido.Skeleton("branches")
    trunk = robot.add_body("trunk", joint=kido.RevoluteJoint("trunk"))
    for side, start in (("left", 0.5), ("right", -0.5)):
        joint = kido.RevoluteJoint(f"{side}_shoulder", T_parent_joint=(0.5, 0.0, 0.0))
        upper = robot.add_body(f"{side}_upper", trunk, joint)
        elbow = kido.RevoluteJoint(f"{side}_elbow", T_parent_joint=(0.4, 0.0, 0.0))
        lower = robot.add_body(f"{side}_lower", upper, elbow)
        lower.add_end_effector(side, (0.3, 0.0, 0.0))
        joint.positions, elbow.positions = [start], [start]
    return robot


def steps_of(hierarchy: HierarchicalIK, damping: float, levels: int | None = None) -> Array:
    """Velocities (n,) that the first levels want, all dofs free."""
    step = hierarchy.step()
    count = hierarchy.skeleton.num_dofs
    numbers = [damping] * (len(step.levels) if levels is None else levels)
    return step.velocities(np.ones(count), np.zeros(count), numbers)
