"""Bounds of the entries of rotations of bodies, from limits of joints and from what constraints fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kido.ik._global._dof_ranges import DofRanges
from kido.math import so3_exp
from kido.skeleton import (
    BodyNode,
    Joint,
    PrismaticJoint,
    RevoluteJoint,
    ScrewJoint,
    TranslationalJoint,
    TranslationalJoint2D,
    WeldJoint,
)
from kido.typing import FloatArray

__all__ = ["Bounds", "clipped", "fixed_turn", "interval_product", "rotation_bounds"]

Bounds = tuple[FloatArray, FloatArray]
"""Lowest and highest entries (3, 3) of a matrix."""


def rotation_bounds(
    bodies: Sequence[BodyNode], ranges: DofRanges, known: Mapping[str, Bounds]
) -> dict[str, Bounds]:
    """Bounds of the rotations of bodies, parents first, of which some are known: from the base to the tips,
    back, and to the tips again."""
    found: dict[str | None, Bounds] = {None: (np.eye(3), np.eye(3))}
    turns = {body.name: _turn_bounds(body.parent_joint, ranges) for body in bodies}
    for body in bodies:
        found[body.name] = known.get(body.name, (-np.ones((3, 3)), np.ones((3, 3))))
    for forward in (True, False, True):
        for body in bodies if forward else reversed(bodies):
            above = None if body.parent_body is None else body.parent_body.name
            low, high = turns[body.name]
            if forward:
                found[body.name] = _within(found[body.name], interval_product(*found[above], low, high))
            elif above is not None:
                found[above] = _within(found[above], interval_product(*found[body.name], low.T, high.T))
    return {body.name: found[body.name] for body in bodies}


def interval_product(low: FloatArray, high: FloatArray, least: FloatArray, most: FloatArray) -> Bounds:
    """Bounds of the products of matrices (3, 3) between bounds."""
    corners = np.stack([a[:, :, None] * b[None] for a in (low, high) for b in (least, most)])
    return corners.min(axis=0).sum(axis=1), corners.max(axis=0).sum(axis=1)


def clipped(low: FloatArray, high: FloatArray) -> Bounds:
    """Bounds of entries of rotations, with room for rounding where there is a choice."""
    margin = np.where(high - low < 1e-12, 0.0, 1e-9)
    return np.clip(low - margin, -1.0, 1.0), np.clip(high + margin, -1.0, 1.0)


def _within(bounds: Bounds, others: Bounds) -> Bounds:
    """The part of bounds that is in others; where nothing is, the others, for a solver to say so."""
    low, high = np.maximum(bounds[0], others[0]), np.minimum(bounds[1], others[1])
    empty = low > high
    low, high = np.where(empty, others[0], low), np.where(empty, others[1], high)
    return clipped(low, high)


def fixed_turn(joint: Joint, ranges: DofRanges) -> FloatArray | None:
    """Rotation (3, 3) of a child in its parent, None: there are several."""
    if isinstance(joint, WeldJoint | PrismaticJoint | TranslationalJoint | TranslationalJoint2D):
        turn = np.eye(3)
    elif isinstance(joint, RevoluteJoint | ScrewJoint):
        low, high = ranges.ends(joint.dofs[0].index)
        if low != high:
            return None
        turn = so3_exp(joint.axis * low)
    elif ranges.is_fixed_rotation[joint.dofs[0].index]:
        turn = so3_exp(ranges.lower[[dof.index for dof in joint.dofs[:3]]])
    else:
        return None
    fixed: FloatArray = joint.T_parent_joint[:3, :3] @ turn @ joint.T_child_joint[:3, :3].T
    return fixed


def _turn_bounds(joint: Joint, ranges: DofRanges) -> Bounds:
    """Bounds of the rotations of a child in its parent."""
    fixed = fixed_turn(joint, ranges)
    if fixed is not None:
        return fixed, fixed
    if not isinstance(joint, RevoluteJoint | ScrewJoint):
        return -np.ones((3, 3)), np.ones((3, 3))
    before, after = joint.T_parent_joint[:3, :3], joint.T_child_joint[:3, :3].T
    low, high = ranges.ends(joint.dofs[0].index)
    along = np.outer(joint.axis, joint.axis)
    # Rot = along + cos q (1 - along) + sin q [axis]: both terms go into the parent's and child's axes first.
    parts = (
        (np.eye(3) - along, _range_of_cosine(low, high)),
        (
            np.cross(np.eye(3), joint.axis),
            _range_of_cosine(low - 0.5 * np.pi, high - 0.5 * np.pi),
        ),
    )
    least = most = before @ along @ after
    for matrix, (smallest, largest) in parts:
        turned = before @ matrix @ after
        least = least + np.minimum(turned * smallest, turned * largest)
        most = most + np.maximum(turned * smallest, turned * largest)
    return clipped(least, most)


def _range_of_cosine(low: float, high: float) -> tuple[float, float]:
    """Least and largest cosine of angles between two [rad]."""
    ends = float(np.cos(low)), float(np.cos(high))
    whole = 2.0 * np.pi
    has_most = np.floor(high / whole) >= np.ceil(low / whole)
    has_least = np.floor((high - np.pi) / whole) >= np.ceil((low - np.pi) / whole)
    return (-1.0 if has_least else min(ends), 1.0 if has_most else max(ends))
