"""A route of poses that a body can reach: stops side by side, with hops between them."""

from __future__ import annotations

import numpy as np

from kido.ik import InverseKinematics
from kido.typing import FloatArray

__all__ = ["HOPS", "POSES_PER_HOP", "reachable_poses", "route"]

HOPS = 4
POSES_PER_HOP = 24

_WIDEST = 1.7
"""Most that the first joint moves to each side [rad, m]."""
_HOP, _LEAN = 0.12, 0.05
"""Amplitude and center of the second joint's swing in a hop, as parts of its way to a limit."""


def route(module: InverseKinematics) -> FloatArray:
    """Poses (k, 4, 4) [m] of a module's body while its first dof goes from side to side and its second hops.

    Both move around where they are, and the others stay. A stop comes first, and one after every hop; each
    hop has `POSES_PER_HOP` poses.
    """
    skeleton, dofs = module.node.skeleton, module.dof_indices
    lower, upper = module.position_limits
    center = module.positions
    reach = np.clip(np.minimum(upper - center, center - lower), 0.0, _WIDEST)
    way = np.linspace(0.0, 1.0, HOPS * POSES_PER_HOP + 1)
    q = np.repeat(skeleton.positions[None], len(way), axis=0)
    q[:, dofs[0]] += reach[0] * (2.0 * way - 1.0)
    if len(dofs) > 1:
        q[:, dofs[1]] += reach[1] * (_LEAN + _HOP * np.cos(2.0 * np.pi * HOPS * way))
    return np.asarray(skeleton.tree.transform(q, module.body.name))


def reachable_poses(module: InverseKinematics, rng: np.random.Generator, size: int) -> FloatArray:
    """Poses (size, 4, 4) [m] of a module's body while its dofs are anywhere within their limits."""
    skeleton, dofs = module.node.skeleton, module.dof_indices
    q = np.repeat(skeleton.positions[None], size, axis=0)
    q[:, dofs] = skeleton.tree.random_positions(rng, size)[:, dofs]
    return np.asarray(skeleton.tree.transform(q, module.body.name))
