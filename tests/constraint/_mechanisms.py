"""Simple mechanisms whose constraints have known answers."""

from __future__ import annotations

import numpy as np

from kido import PrismaticJoint, RevoluteJoint, Skeleton, gallery
from kido.description import Inertia
from kido.math import so3_exp

G = 9.81
WEIGHTLESS = (0.0, 0.0, 0.0)


def slider(name: str = "slider", mass: float = 2.0, **numbers: object) -> Skeleton:
    """A mass on a horizontal rail along x."""
    made = Skeleton(name)
    joint = PrismaticJoint(f"{name}_rail", axis=(1.0, 0.0, 0.0), **numbers)  # type: ignore[arg-type]
    made.add_body(f"{name}_mass", joint=joint, inertia=Inertia(mass, (0, 0, 0), np.eye(3)))
    return made


def wheel(name: str = "wheel", moment: float = 0.5, **numbers: object) -> Skeleton:
    """A wheel about a fixed vertical axis."""
    made = Skeleton(name)
    joint = RevoluteJoint(f"{name}_axle", axis=(0.0, 0.0, 1.0), **numbers)  # type: ignore[arg-type]
    made.add_body(f"{name}_body", joint=joint, inertia=Inertia(1.0, (0, 0, 0), moment * np.eye(3)))
    return made


def pendulum(name: str = "pendulum", at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Skeleton:
    """A bar of 1 kg that hangs on an axis along y, level at position 0."""
    made = Skeleton(name)
    joint = RevoluteJoint(f"{name}_hinge", axis=(0.0, 1.0, 0.0), T_parent_joint=at)
    inertia = Inertia(1.0, (0.3, 0.0, 0.0), np.diag([0.01, 0.02, 0.03]))
    made.add_body(f"{name}_bar", joint=joint, inertia=inertia)
    return made


def box(
    name: str = "box", mass: float = 2.0, origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Skeleton:
    """A free rigid body."""
    made = gallery.box((0.1, 0.2, 0.3), mass=mass, name=name)
    made.positions = [0.0, 0.0, 0.0, *origin]
    return made


def world_velocity(skeleton: Skeleton) -> np.ndarray:
    """Velocity (3,) of a free body's origin in world axes [m/s]."""
    return so3_exp(skeleton.positions[:3]) @ skeleton.velocities[3:6]


def momentum(skeletons: list[Skeleton]) -> np.ndarray:
    """Angular momentum about the world's origin and linear momentum of free bodies (6,)."""
    total = np.zeros(6)
    for skeleton in skeletons:
        linear = skeleton.linear_momentum()
        total[:3] += skeleton.angular_momentum() + np.cross(skeleton.com(), linear)
        total[3:] += linear
    return total
