"""The body of a robot that is its hand."""

from __future__ import annotations

from kido.description import JointDescription, RobotDescription

__all__ = ["chain_to", "end_body"]


def end_body(robot: RobotDescription) -> str:
    """The leaf that most degrees of freedom move: the hand of an arm, a hand or foot of a humanoid.

    Joints that mimic others, and those that they mimic, open and close grippers and do not count; of equal
    leaves the one with fewest of these is taken, then the one with the longest chain, then the first.
    Raises ValueError if the robot has no bodies.
    """
    inner = {joint.parent for joint in robot.joints}
    leaves = [joint.child for joint in robot.depth_first_joints() if joint.child not in inner]
    if not leaves:
        raise ValueError(f"robot {robot.name!r}: expected at least one body, got none")
    coupled = _coupled_joints(robot)
    return max(leaves, key=lambda leaf: _rank(chain_to(robot, leaf), coupled))


def chain_to(robot: RobotDescription, body: str) -> list[JointDescription]:
    """The joints from the body up to the world. Raises UnknownNameError."""
    robot.link(body)
    above = {joint.child: joint for joint in robot.joints}
    chain = [above[body]]
    while chain[-1].parent is not None:
        chain.append(above[chain[-1].parent])
    return chain


def _rank(chain: list[JointDescription], coupled: set[str]) -> tuple[int, int, int]:
    moving = sum(joint.num_dofs for joint in chain if joint.name not in coupled)
    gripping = sum(joint.num_dofs for joint in chain if joint.name in coupled)
    return moving, -gripping, len(chain)


def _coupled_joints(robot: RobotDescription) -> set[str]:
    pairs = [(joint.name, joint.mimic.joint) for joint in robot.joints if joint.mimic is not None]
    return {name for pair in pairs for name in pair}
