"""A robot with a limb more, and a limb by itself."""

from __future__ import annotations

import time

from rich.console import Console

from kido.cli._console import number, print_heading, print_pairs
from kido.skeleton import BodyNode, Skeleton

__all__ = ["limb_of", "show_edit"]

_ASIDE = 0.35
"""How far the copied limb stands beside the original [m]."""


def show_edit(console: Console, robot: Skeleton, body: str) -> tuple[Skeleton, Skeleton]:
    """Copy the limb that ends in a body beside itself, split a copy of it off, and print what that makes.

    Returns the robot with one limb more, and the limb by itself.
    """
    start = time.perf_counter()
    more = robot.clone(f"{robot.name} with a limb more")
    limb = limb_of(more.body(body))
    extra = limb.copy_to(limb.parent_body)
    joint = extra.parent_joint
    T = joint.T_parent_joint
    T[1, 3] -= _ASIDE
    joint.T_parent_joint = T
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
    return more, alone


def limb_of(body: BodyNode) -> BodyNode:
    """The uppermost body from which the structure leads to `body` without a branch, below the root."""
    limb = body
    for above in body.ancestors():
        if above.parent_body is None or (above is not body and len(above.child_bodies) > 1):
            break
        limb = above
    return limb


def _summary(robot: Skeleton) -> str:
    return f"{robot.num_bodies} bodies, {robot.num_dofs} degrees of freedom, {number(robot.mass)} kg"
