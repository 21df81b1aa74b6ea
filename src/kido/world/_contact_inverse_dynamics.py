"""Contact forces and joint forces that give a skeleton wanted accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kido.skeleton import BodyNode, FreeJoint, Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["ContactForces", "FrictionContact", "contact_inverse_dynamics"]

_RELATIVE = 1e-2
"""Weight of the forces beside what is to be reached, in its first solution."""
_STEPS = 30
"""Corrections of the goal."""
_REACHED = 1e-9
"""Of the largest number of the goal: what counts as reached."""
_RAYS = 100
"""Rays that are added to a friction cone at most."""


@dataclass(frozen=True, eq=False)
class FrictionContact:
    """A point at which something outside may push a body.

    Attributes:
        body: which is pushed.
        point: in the world (3,) [m].
        normal: direction (3,) in the world in which it may be pushed.
        friction: largest ratio of the force across the normal to that along it.
    """

    body: BodyNode
    point: ArrayLike
    normal: ArrayLike = (0.0, 0.0, 1.0)
    friction: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.body, BodyNode):
            raise TypeError(f"body: expected a BodyNode, got {type(self.body).__name__}")
        normal = frozen_array("normal", self.normal, (3,), "")
        length = float(np.linalg.norm(normal))
        if length == 0.0:
            raise ValueError("normal: expected a direction, got zeros")
        friction = float(frozen_array("friction", self.friction, (), ""))
        if friction < 0.0:
            raise ValueError(f"friction: expected 0 or above, got {friction:g}")
        object.__setattr__(self, "point", frozen_array("point", self.point, (3,), "m"))
        object.__setattr__(self, "normal", frozen_array("normal", normal / length, (3,), ""))
        object.__setattr__(self, "friction", friction)


@dataclass(frozen=True, eq=False)
class ContactForces:
    """Forces that give a motion.

    Attributes:
        forces: at the points, on the skeleton (k, 3), world axes [N].
        joint_forces: of all dofs (num_dofs,) [N m, N]; those of free joints are what is missing.
        residual: generalized forces that are missing in the dofs that nothing drives [N m, N].
        is_feasible: whether there is hardly any residual.
    """

    forces: FloatArray
    joint_forces: FloatArray
    residual: FloatArray
    is_feasible: bool


def contact_inverse_dynamics(
    skeleton: Skeleton,
    contacts: Sequence[FrictionContact],
    accelerations: ArrayLike | None = None,
    *,
    driven: Sequence[bool] | None = None,
) -> ContactForces:
    """Contact forces within their friction cones, and joint forces, that give accelerations at the present
    positions and velocities, with gravity and forces from outside.

    Of all contact forces those with the smallest sum of squares, as Righetti et al., Optimal distribution of
    contact forces with inverse dynamics control (2013), choose them, but within exact cones: these are
    spanned by rays, to which those are added along which the sum would fall (fully corrective Frank-Wolfe).

    Args:
        skeleton: which is pushed.
        contacts: where.
        accelerations: wanted (num_dofs,) [rad/s^2, m/s^2]; None: zeros.
        driven: of each dof, whether its joint can give a force; None: all but those of free joints.

    Raises:
        TypeError, ValueError: naming the argument.
    """
    if not isinstance(skeleton, Skeleton):
        raise TypeError(f"skeleton: expected a Skeleton, got {type(skeleton).__name__}")
    points = _checked_contacts(skeleton, contacts)
    n = skeleton.num_dofs
    wanted = np.zeros(n) if accelerations is None else frozen_array("accelerations", accelerations, (n,), "")
    passive = ~_driven(skeleton, driven)
    needed = _needed_forces(skeleton, wanted)
    jacobians = [_jacobian(skeleton, contact) for contact in points]
    columns = np.concatenate([J.T for J in jacobians], axis=1) if points else np.zeros((n, 0))
    forces = _cone_forces(columns[passive], needed[passive], points)
    joint_forces = needed - columns @ forces
    residual = joint_forces[passive]
    scale = max(float(np.abs(needed).max(initial=0.0)), float(np.abs(columns @ forces).max(initial=0.0)), 1.0)
    feasible = bool(np.abs(residual).max(initial=0.0) <= 1e3 * _REACHED * scale)
    return ContactForces(forces.reshape(-1, 3), joint_forces, residual, feasible)


def _checked_contacts(skeleton: Skeleton, contacts: Sequence[FrictionContact]) -> list[FrictionContact]:
    points = list(contacts)
    for index, contact in enumerate(points):
        if not isinstance(contact, FrictionContact):
            raise TypeError(f"contacts[{index}]: expected a FrictionContact, got {type(contact).__name__}")
        if contact.body.skeleton is not skeleton:
            raise ValueError(f"contacts[{index}]: body {contact.body.name!r} is none of {skeleton.name!r}")
    return points


def _driven(skeleton: Skeleton, driven: Sequence[bool] | None) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if driven is None:
        free = [isinstance(joint, FreeJoint) for joint in skeleton.joints for _ in range(joint.num_dofs)]
        return ~np.array(free, dtype=bool)
    given = np.asarray(driven)
    if given.dtype != bool or given.shape != (skeleton.num_dofs,):
        raise ValueError(f"driven: expected {skeleton.num_dofs} truth values, got {driven!r}")
    return given


def _needed_forces(skeleton: Skeleton, accelerations: FloatArray) -> FloatArray:
    """Generalized forces of the motion, less what springs, dampers and forces from outside give."""
    wrenches = np.stack([body.external_wrench for body in skeleton.bodies])
    total = skeleton.tree.inverse_dynamics(skeleton.positions, skeleton.velocities, accelerations, wrenches)
    return np.asarray(total - skeleton.spring_forces - skeleton.damping_forces)


def _jacobian(skeleton: Skeleton, contact: FrictionContact) -> FloatArray:
    """Of the point's velocity (3, num_dofs), world axes."""
    T = contact.body.transform()
    offset = T[:3, :3].T @ (np.asarray(contact.point) - T[:3, 3])
    return skeleton.tree.jacobian(skeleton.positions, contact.body.index, offset, "world")[3:]


def _cone_forces(A: FloatArray, b: FloatArray, contacts: Sequence[FrictionContact]) -> FloatArray:
    """Forces f (3 k,) within their cones with A f = b and the smallest sum of squares; else with the smallest
    difference.

    A weighted least-squares problem whose goal is moved by what was missed (method of multipliers).
    """
    k = len(contacts)
    scale = float(np.abs(A).max(initial=0.0))
    if k == 0 or scale == 0.0 or not b.any():
        return np.zeros(3 * k)
    cones = _Cones(contacts)
    goal, best, missed = b.copy(), np.zeros(3 * k), float(np.linalg.norm(b))
    for _ in range(_STEPS):
        forces = cones.solve(A / scale, goal / scale, _RELATIVE)
        rest = b - A @ forces
        size = float(np.linalg.norm(rest))
        if size < missed:
            best = forces
        if size <= _REACHED * float(np.linalg.norm(b)) or size > 0.9 * missed:
            break
        missed = size
        goal += rest
    return best


class _Cones:
    """Friction cones, spanned by rays that are added where they are needed."""

    def __init__(self, contacts: Sequence[FrictionContact]) -> None:
        self._contacts = contacts
        self._rays: list[tuple[int, FloatArray]] = []
        for index, contact in enumerate(contacts):
            normal = np.asarray(contact.normal)
            first = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
            first /= np.linalg.norm(first)
            for angle in np.arange(8) * (np.pi / 4) if contact.friction else (0.0,):
                across = np.cos(angle) * first + np.sin(angle) * np.cross(normal, first)
                self._rays.append((index, normal + contact.friction * across))

    def solve(self, A: FloatArray, b: FloatArray, weight: float) -> FloatArray:
        """Forces f with the smallest |A f - b|^2 + weight^2 |f|^2."""
        from scipy.optimize import nnls

        forces = np.zeros(A.shape[1])
        for _ in range(_RAYS):
            rays = self._matrix(A.shape[1])
            goal = np.concatenate([b, np.zeros(len(rays))])
            shares, _ = nnls(np.concatenate([A @ rays, weight * rays]), goal)
            forces = rays @ shares
            slope = A.T @ (A @ forces - b) + weight * weight * forces
            if not self._add_rays(slope.reshape(-1, 3), 1e-12 * float(np.abs(A.T @ b).max(initial=0.0))):
                break
        return np.asarray(forces)

    def _matrix(self, size: int) -> FloatArray:
        rays = np.zeros((size, len(self._rays)))
        for column, (index, ray) in enumerate(self._rays):
            rays[3 * index : 3 * index + 3, column] = ray
        return rays

    def _add_rays(self, slopes: FloatArray, tolerance: float) -> bool:
        """Add the ray of each cone along which the objective falls most; False where it falls along none."""
        added = False
        for index, (contact, slope) in enumerate(zip(self._contacts, slopes, strict=True)):
            normal = np.asarray(contact.normal)
            across = slope - (slope @ normal) * normal
            length = float(np.linalg.norm(across))
            if contact.friction == 0.0 or length == 0.0:
                continue
            ray = normal - contact.friction / length * across
            if slope @ ray < -tolerance:
                self._rays.append((index, ray))
                added = True
        return added
