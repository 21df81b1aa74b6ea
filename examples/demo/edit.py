"""A robot with a limb more."""

from __future__ import annotations

import math
import time

from rich.console import Console

from kido.cli import number_text, print_heading, print_pairs
from kido.skeleton import BodyNode, Joint, Skeleton

__all__ = ["limb_of", "show_edit"]

_ASIDE = 0.35
"""Distance of the copied limb from the original [m]."""

_TURNED = 0.8
"""Angle between a limb that grows from its base alone and its copy [rad]."""

_LIMB_DOFS = 3
"""Degrees of freedom that make a branch a limb; fewer are a finger or a sensor."""


def show_edit(console: Console, robot: Skeleton, body: str) -> Skeleton:
    """Copy the limb that ends in a body beside itself, split one off another copy, and print what that makes.

    Returns the robot with one limb more.
    """
    start = time.perf_counter()
    more = robot.clone(f"{robot.name} with a limb more")
    limb = limb_of(more.body(body))
    parent = limb.parent_body
    is_alone = parent is not None and len(parent.child_bodies) == 1
    extra = limb.copy_to(parent)
    _move_aside(extra.parent_joint, turned=is_alone)
    alone = limb_of(robot.clone().body(body)).split("limb")
    seconds = time.perf_counter() - start
    print_heading(console, f"Edits of {robot.name}")
    pairs = [
        ("as it was", _summary(robot)),
        ("limb", f"from {limb.name} to {body}"),
        ("copied beside itself", f"{_summary(more)}; its first body is named {extra.name}"),
        ("split off", _summary(alone)),
        ("two clones and three edits", f"{seconds * 1e3:.1f} ms"),
    ]
    print_pairs(console, pairs)
    return more


def _move_aside(joint: Joint, *, turned: bool) -> None:
    """Move a joint away from the middle; or where nothing but air is there, turn it."""
    T = joint.T_parent_joint.copy()
    if turned:
        c, s = math.cos(_TURNED), math.sin(_TURNED)
        T[:3, :3] = [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]] @ T[:3, :3]
    else:
        T[1, 3] += _ASIDE if T[1, 3] > 0.0 else -_ASIDE
    joint.T_parent_joint = T


def limb_of(body: BodyNode) -> BodyNode:
    """The first body of the limb that ends in `body`: below where another limb begins, or below the root."""
    limb = body
    for limb in body.ancestors():
        trunk = limb.parent_body
        if trunk is None or trunk.parent_body is None:
            break
        if any(_carried_dofs(other) >= _LIMB_DOFS for other in trunk.child_bodies if other is not limb):
            break
    return limb


def _carried_dofs(body: BodyNode) -> int:
    return sum(part.parent_joint.num_dofs for part in body.subtree())


def _summary(robot: Skeleton) -> str:
    return f"{robot.num_bodies} bodies, {robot.num_dofs} degrees of freedom, {number_text(robot.mass)} kg"
