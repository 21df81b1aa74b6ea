"""A robot while it is only looked at."""

from __future__ import annotations

from examples.demo.gravity import middle_positions
from examples.demo.humanoid import humanoid_of
from examples.demo.stance import standing
from kido.description import RobotDescription
from kido.skeleton import Skeleton

__all__ = ["at_rest"]


def at_rest(robot: RobotDescription) -> Skeleton:
    """Where a robot is shown: a humanoid on its feet, what is attached to the world with its joints in the
    middle of their ranges, any other at its initial positions."""
    humanoid = humanoid_of(robot)
    if humanoid is not None:
        return standing(robot, humanoid)
    skeleton = Skeleton.from_description(robot)
    if not any(body.parent_joint.num_dofs for body in skeleton.root_bodies):
        skeleton.positions = middle_positions(skeleton.tree)
    return skeleton
