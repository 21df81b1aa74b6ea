"""Wrenches in the joints: the backward pass of the recursive Newton-Euler algorithm, over bodies.

Featherstone (2008), section 5.3. Welded bodies share a link in the compiled tree, so the pass runs here over
bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode
    from kido.skeleton._core_skeleton import SkeletonCore

__all__ = ["transmitted_wrenches"]


def transmitted_wrenches(skeleton: SkeletonCore) -> FloatArray:
    """Wrenches (num_bodies, 6) of the parent joints on the bodies, about their origins, in their axes [N m,
    N]."""
    wrenches = np.zeros((len(skeleton._bodies), 6))
    poses = [body.transform() for body in skeleton._bodies]
    for body in reversed(skeleton._bodies):
        own = wrenches[body._index]
        own += _inertial_wrench(skeleton, body)
        if body._wrench is not None:
            own -= body._wrench
        if body._parent_body is not None:
            parent = body._parent_body._index
            T = np.linalg.solve(poses[parent], poses[body._index])
            torque, force = T[:3, :3] @ own[:3], T[:3, :3] @ own[3:]
            wrenches[parent] += np.concatenate([torque + np.cross(T[:3, 3], force), force])
    return wrenches


def _inertial_wrench(skeleton: SkeletonCore, body: BodyNode) -> FloatArray:
    """What a body's motion takes, gravity included, about its origin."""
    inertia = body.inertia
    R = body.transform()[:3, :3]
    acceleration = body.com_linear_acceleration() - (skeleton._gravity if body._gravity_mode else 0.0)
    force = inertia.mass * (R.T @ acceleration)
    spin = R.T @ body.angular_velocity()
    rate = R.T @ body.angular_acceleration()
    torque = inertia.moment @ rate + np.cross(spin, inertia.moment @ spin)
    return np.concatenate([torque + np.cross(inertia.com, force), force])
