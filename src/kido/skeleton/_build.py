"""Skeletons from descriptions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from kido.description import JointDescription, LinkDescription, RobotDescription
from kido.skeleton import _editing as editing
from kido.skeleton._body import BodyNode
from kido.skeleton._joints._actuator import ActuatorType
from kido.skeleton._joints._joint import Joint, joint_class
from kido.skeleton._names import first_free
from kido.skeleton._nodes._shape_node import ShapeNode, ShapeProperties

if TYPE_CHECKING:
    from kido.skeleton._skeleton import Skeleton

__all__ = ["build"]


def build(skeleton: Skeleton, description: RobotDescription) -> None:
    """Fill an empty skeleton with the links and joints of a description."""
    made: dict[str, BodyNode] = {}
    pairs = []
    for part in description.depth_first_joints():
        body = skeleton._new_body(sys.intern(part.child), _joint(part))
        link = description.link(part.child)
        body._write_inertia(link.inertia)
        made[part.child] = body
        pairs.append((body, None if part.parent is None else made[part.parent]))
    editing.attach_all(skeleton._structure, pairs)
    shape_names: set[str] = set()
    for name, body in made.items():
        _add_shapes(body, description.link(name), shape_names)


def _joint(part: JointDescription) -> Joint:
    joint = joint_class(part.type)._described(sys.intern(part.name), part)
    joint.apply_options({"T_parent_joint": part.T_parent_joint, "T_child_joint": part.T_child_joint})
    if not joint.num_dofs:
        return joint
    limits, dynamics = part.limits, part.dynamics
    start = np.clip(0.0, limits.lower, limits.upper)
    joint.apply_options(
        {
            "position_lower_limits": limits.lower,
            "position_upper_limits": limits.upper,
            "velocity_lower_limits": -limits.velocity,
            "velocity_upper_limits": limits.velocity,
            "acceleration_lower_limits": -limits.acceleration,
            "acceleration_upper_limits": limits.acceleration,
            "force_lower_limits": -limits.effort,
            "force_upper_limits": limits.effort,
            "initial_positions": start,
            "positions": start,
            "spring_stiffness": dynamics.stiffness,
            "rest_positions": dynamics.rest_position,
            "damping": dynamics.damping,
            "coulomb_friction": dynamics.friction,
            "mimic": part.mimic,
        }
    )
    if part.mimic is not None:
        joint.actuator = ActuatorType.MIMIC
    if part.dof_names is not None:
        joint.dof_names = part.dof_names
    return joint


def _add_shapes(body: BodyNode, link: LinkDescription, taken: set[str]) -> None:
    for role, placements in (("visual", link.visuals), ("collision", link.collisions)):
        for i, placed in enumerate(placements):
            name = first_free(placed.name or f"{link.name}_{role}_{i}", taken)
            taken.add(name)
            properties = ShapeProperties(
                placed.origin, placed.shape, placed.material, role == "visual", role == "collision"
            )
            ShapeNode._made(body, name, properties)
