"""Constraints of global inverse kinematics, and by how much postures violate them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kido.ik._global._body_frame import BodyFrame
from kido.ik._global._polytope import Polytope
from kido.math import so3_log
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["Constraint", "Orientation", "Position", "Region", "WorldRelativePosition"]


class Constraint(Protocol):
    """Constraint of a posture."""

    def violation(self, tree: Tree, bodies: FloatArray) -> tuple[float, float]:
        """Lengths [m] and angles [rad] by which poses of all bodies (num_bodies, 4, 4) [m] miss it."""

    @property
    def frame(self) -> BodyFrame:
        """The frame that it concerns."""

    @property
    def bodies(self) -> tuple[str | None, ...]:
        """Names of the bodies that it concerns; None is the world."""


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """The origin of a frame is in a box.

    Attributes:
        frame: whose origin it is.
        reference: the frame in whose axes the box is, relative to its origin.
        lower, upper: (3,) corners of the box [m]; may be infinite.
    """

    frame: BodyFrame
    reference: BodyFrame
    lower: FloatArray
    upper: FloatArray

    @property
    def bodies(self) -> tuple[str | None, ...]:
        """Names of the two bodies; None is the world."""
        return self.frame.body, self.reference.body

    def violation(self, tree: Tree, bodies: FloatArray) -> tuple[float, float]:
        """Distance from the box [m], and no angle."""
        T = self.reference.transform(tree, bodies)
        p = (self.frame.transform(tree, bodies)[:3, 3] - T[:3, 3]) @ T[:3, :3]
        return outside(p, self.lower, self.upper), 0.0


@dataclass(frozen=True, slots=True, eq=False)
class WorldRelativePosition:
    """The vector between two points is in a box whose axes are fixed in the world.

    Attributes:
        frame, other: the vector leads from the origin of `other` to that of `frame`.
        axes: (3, 3) rotation of the box's axes.
        lower, upper: (3,) corners of the box [m]; may be infinite.
    """

    frame: BodyFrame
    other: BodyFrame
    axes: FloatArray
    lower: FloatArray
    upper: FloatArray

    @property
    def bodies(self) -> tuple[str | None, ...]:
        """Names of the two bodies, and the world."""
        return self.frame.body, self.other.body, None

    def violation(self, tree: Tree, bodies: FloatArray) -> tuple[float, float]:
        """Distance from the box [m], and no angle."""
        there, here = (frame.transform(tree, bodies)[:3, 3] for frame in (self.frame, self.other))
        return outside(self.axes.T @ (there - here), self.lower, self.upper), 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Orientation:
    """The axes of a frame are those of another one, turned by at most an angle.

    Attributes:
        frame, reference: the frames.
        tolerance: the angle [rad].
    """

    frame: BodyFrame
    reference: BodyFrame
    tolerance: float

    @property
    def bodies(self) -> tuple[str | None, ...]:
        """Names of the two bodies; None is the world."""
        return self.frame.body, self.reference.body

    def violation(self, tree: Tree, bodies: FloatArray) -> tuple[float, float]:
        """No length, and the angle beyond the tolerance [rad]."""
        R = self.frame.transform(tree, bodies)[:3, :3]
        angle = angle_between(self.reference.transform(tree, bodies)[:3, :3], R)
        return 0.0, angle - self.tolerance if not angle <= self.tolerance else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A sphere, which may be a point, is in one of several polytopes of the world.

    Attributes:
        frame: whose origin is the centre.
        radius: of the sphere [m].
        polytopes: with the sphere's radius taken off; those that are too small are left out.
    """

    frame: BodyFrame
    radius: float
    polytopes: tuple[Polytope, ...]

    @property
    def bodies(self) -> tuple[str | None, ...]:
        """Name of the body, and the world."""
        return self.frame.body, None

    def violation(self, tree: Tree, bodies: FloatArray) -> tuple[float, float]:
        """Distance [m] beyond the worst side of the polytope that is missed least, and no angle."""
        return min(self._missed(tree, bodies), default=math.inf), 0.0

    def nearest(self, tree: Tree, bodies: FloatArray) -> int:
        """Index of the polytope that is missed least; there is one at least."""
        missed = self._missed(tree, bodies)
        return missed.index(min(missed))

    def _missed(self, tree: Tree, bodies: FloatArray) -> list[float]:
        p = self.frame.transform(tree, bodies)[:3, 3]
        return [polytope.violation(p) for polytope in self.polytopes]


def outside(p: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """Distance of a point (3,) from a box [m]."""
    beyond = p - np.minimum(np.maximum(p, lower), upper)
    return math.sqrt(beyond @ beyond)


def angle_between(A: FloatArray, B: FloatArray) -> float:
    """Angle of the rotation A^T B of two rotations (3, 3) [rad].

    The norm of B - A is 2 sqrt(2) sin(angle / 2), which tells small angles to the last digit.
    """
    apart = (B - A).ravel()
    sine = math.sqrt(0.125 * (apart @ apart))
    return 2.0 * math.asin(sine) if sine < 0.5 else float(np.linalg.norm(so3_log(A.T @ B)))
