"""What a scene consists of, as all libraries are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import kido
from kido import ActuatorType, ShapeNode, Skeleton
from kido.shape import HeightField, Mesh, Plane

FloatArray = NDArray[np.float64]

FRICTION = 0.5
"""Of all surfaces, restitution being zero."""


class UnsupportedSceneError(Exception):
    """A library cannot be told of a scene."""


class Closure(NamedTuple):
    """A point of a body (3,) [m] that stays at a point of the world (3,) [m]."""

    body: kido.BodyNode
    point: FloatArray
    place: FloatArray


class Servo(NamedTuple):
    """A motor of one dof: velocity that it holds [rad/s, m/s], with at most an effort [N m, N]."""

    joint: kido.Joint
    velocity: float
    effort: float


@dataclass(frozen=True)
class Setup:
    """Skeletons at the start, closures of loops, and the length of a step [s]."""

    skeletons: list[Skeleton]
    closures: tuple[Closure, ...] = ()
    step: float = 1e-3

    @property
    def moving(self) -> list[Skeleton]:
        """The skeletons that move."""
        return [skeleton for skeleton in self.skeletons if skeleton.num_dofs]

    @property
    def bodies(self) -> list[Skeleton]:
        """Those that are free rigid bodies."""
        return [skeleton for skeleton in self.moving if is_body(skeleton)]

    @property
    def trees(self) -> list[Skeleton]:
        """The other ones that move."""
        return [skeleton for skeleton in self.moving if not is_body(skeleton)]

    @property
    def has_ground(self) -> bool:
        """Whether the half space below z = 0 is part of it."""
        return any(isinstance(node.shape, Plane) for s in self.skeletons for node in shapes_of(s))

    def refuse_terrain(self) -> None:
        """Raises UnsupportedSceneError where there is a height field, for libraries that are told of none."""
        if any(isinstance(node.shape, HeightField) for s in self.skeletons for node in shapes_of(s)):
            raise UnsupportedSceneError("height fields")


def is_body(skeleton: Skeleton) -> bool:
    """Whether it is one rigid body that moves freely."""
    return skeleton.num_bodies == 1 and isinstance(skeleton.joint(0), kido.FreeJoint)


def has_free_root(skeleton: Skeleton) -> bool:
    """Whether its first joint is a free one."""
    return isinstance(skeleton.joint(0), kido.FreeJoint)


def hinges(skeleton: Skeleton) -> list[kido.Joint]:
    """Its joints of one dof, in the order of its dofs."""
    return [dof.joint for dof in skeleton.dofs if dof.joint.num_dofs == 1]


def servos(skeleton: Skeleton) -> list[Servo]:
    """Its motors."""
    return [
        Servo(joint, float(joint.commands[0]), float(joint.force_upper_limits[0]))
        for joint in hinges(skeleton)
        if joint.actuator is ActuatorType.SERVO
    ]


def shapes_of(skeleton: Skeleton) -> Iterator[ShapeNode]:
    """Its shapes that collide."""
    for body in skeleton.bodies:
        if body.collidable:
            yield from (node for node in body.nodes(ShapeNode) if node.collision)


def hull_points(mesh: Mesh) -> FloatArray:
    """Corners (n, 3) [m] of a mesh, which counts as its convex hull."""
    return np.asarray(trimesh.load_mesh(mesh.path).vertices) * mesh.scale


def quaternion(R: FloatArray) -> tuple[float, float, float, float]:
    """w, x, y, z of a rotation (3, 3)."""
    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return float(w), float(x), float(y), float(z)


def free_positions(place: object, wxyz: object) -> FloatArray:
    """Positions (6,) of a free joint at an origin [m], turned by a quaternion."""
    w, x, y, z = np.asarray(wxyz, float)
    return np.concatenate([Rotation.from_quat([x, y, z, w]).as_rotvec(), np.asarray(place, float)])
