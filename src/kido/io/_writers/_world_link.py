"""Robots whose empty root link "world" is the world itself."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from kido.description import JointDescription, JointType, LinkDescription, RobotDescription
from kido.io._writers._losses import Losses

__all__ = ["on_the_world"]

_WORLD = "world"


def on_the_world(
    robot: RobotDescription, losses: Losses, kept: Container[str], *, most: int | None = None
) -> RobotDescription:
    """A robot without an empty root link "world": what is on it is on the world, which is reported.

    The robot as it is where it has none, where it is `kept`, or where more than `most` joints are on it.
    """
    root = next((joint for joint in robot.root_joints if joint.child == _WORLD), None)
    if root is None or _WORLD in kept or not _is_world(root, robot.link(_WORLD)):
        return robot
    on_it = [joint for joint in robot.joints if joint.parent == _WORLD]
    if not on_it or len(on_it) > (most or len(on_it)):
        return robot
    how = f"an empty link on the world is none: in {losses.format} it is the world"
    losses.substituted("link", _WORLD, how)
    joints = [replace(joint, parent=None) if joint.parent == _WORLD else joint for joint in robot.joints]
    return replace(
        robot,
        links=[link for link in robot.links if link.name != _WORLD],
        joints=[joint for joint in joints if joint.child != _WORLD],
    )


def _is_world(root: JointDescription, link: LinkDescription) -> bool:
    """Whether a root link is empty, and welded to the world where that is."""
    has_mass = link.inertia is not None and not link.inertia.is_massless
    is_empty = not (has_mass or link.visuals or link.collisions or link.frames)
    return (
        is_empty and root.type is JointType.WELD and bool((root.T_parent_joint == root.T_child_joint).all())
    )
