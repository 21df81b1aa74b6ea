"""Scenes whose motion is known, of free rigid bodies and of the same bodies as trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

import kido
from kido import Skeleton, Surface, World, gallery
from kido.math import so3_exp

G = 9.81
DIRECTIONS = [0.0, 0.3, np.pi / 4, 1.1, np.pi / 2, 2.0, 3 * np.pi / 4, np.pi, 4.0, 3 * np.pi / 2, 5.5]
TIME_STEPS = [1e-3, 2e-3, 5e-3]
KINDS = ["rigid body", "tree"]
"""How a free body is simulated: as a row of the solver, or by the algorithms of trees."""


def as_kind(kind: str, skeleton: Skeleton) -> Skeleton:
    """A free body, simulated as a tree where that is asked for: it has limits, which it never meets."""
    if kind == "tree":
        skeleton.position_lower_limits = [-1e9] * skeleton.num_dofs
        skeleton.position_upper_limits = [1e9] * skeleton.num_dofs
    return skeleton


def put(skeleton: Skeleton, origin: Sequence[float], rotation: Sequence[float] = (0.0, 0.0, 0.0)) -> Skeleton:
    """A free body moved to an origin [m], turned by a rotation vector [rad]."""
    skeleton.positions = [*rotation, *origin]
    return skeleton


def push(
    skeleton: Skeleton, linear: Sequence[float], angular: Sequence[float] = (0.0, 0.0, 0.0)
) -> Skeleton:
    """A free body given velocities in world axes [m/s, rad/s]."""
    R = so3_exp(skeleton.positions[:3])
    skeleton.velocities = [*(R.T @ angular), *(R.T @ linear)]
    return skeleton


def origin(skeleton: Skeleton) -> np.ndarray:
    """Place of a free body (3,) [m]."""
    return np.array(skeleton.positions[3:6])


def velocity(skeleton: Skeleton) -> np.ndarray:
    """Linear velocity of a free body's origin (3,) in world axes [m/s]."""
    return so3_exp(skeleton.positions[:3]) @ skeleton.velocities[3:6]


def spin(skeleton: Skeleton) -> np.ndarray:
    """Angular velocity of a free body (3,) in world axes [rad/s]."""
    return so3_exp(skeleton.positions[:3]) @ skeleton.velocities[:3]


def unit(angle: float) -> np.ndarray:
    """A horizontal direction (3,)."""
    return np.array([np.cos(angle), np.sin(angle), 0.0])


def slope(angle: float, direction: float) -> np.ndarray:
    """Gravity (3,) [m/s^2] on the plane z = 0 that goes downhill along a direction at an angle [rad]."""
    return G * (np.sin(angle) * unit(direction) + [0.0, 0.0, -np.cos(angle)])


def on_ground(
    *skeletons: Skeleton,
    time_step: float = 1e-3,
    gravity: Iterable[float] = (0.0, 0.0, -G),
    surface: Surface = Surface(),  # noqa: B008
) -> World:
    """A world of a ground and some skeletons."""
    ground = gallery.ground(surface=surface)
    return World([ground, *skeletons], time_step=time_step, gravity=list(gravity))


def momentum(skeletons: Iterable[Skeleton]) -> np.ndarray:
    """Angular momentum about the world's origin and linear momentum, together (6,) [kg m^2/s, kg m/s]."""
    total = np.zeros(6)
    for skeleton in skeletons:
        for body in skeleton.bodies:
            total += _momentum_of(body)
    return total


def _momentum_of(body: kido.BodyNode) -> np.ndarray:
    T, inertia = body.transform(), body.inertia
    R = T[:3, :3]
    com = T[:3, 3] + R @ inertia.com
    velocity = body.spatial_velocity(in_coordinates_of=kido.WORLD)
    w = velocity[:3]
    linear = inertia.mass * (velocity[3:] + np.cross(w, R @ inertia.com))
    turning = R @ inertia.moment @ R.T @ w
    return np.concatenate([turning + np.cross(com, linear), linear])
