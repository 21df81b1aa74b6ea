"""Simulated bodies that are pulled by a spring."""

from __future__ import annotations

import math

import numpy as np

from kido.skeleton import BodyNode
from kido.typing import FloatArray

__all__ = ["BodyPull"]

_FREQUENCY = 2.0
"""With which what is pulled would swing on the spring [Hz]."""
_DAMPING_RATIO = 1.0
_FARTHEST = 100.0
"""Acceleration at which the spring pulls at most [m/s^2]."""


class BodyPull:
    """A spring from a point of a simulated body to a target, damped, for as long as somebody pulls.

    Its stiffness suits the mass that is felt at the point, 3 / trace(J inverse(M) J^T) with the linear
    Jacobian J: whatever is pulled swings at the same frequency. Forces last one step: call `apply` before
    each.

    Attributes:
        body: which is pulled.
        offset: the point (3,) in the body's coordinates [m].
        start: where the point was at the beginning (3,) in the world [m].
        target: where the point is pulled to (3,) in the world [m].
        force: which acted last (3,) in the world [N].
    """

    __slots__ = ("_damping", "_most", "_stiffness", "body", "force", "offset", "start", "target")

    def __init__(self, body: BodyNode, point: FloatArray) -> None:
        """A spring that is not stretched.

        Args:
            body: of a skeleton that moves.
            point: (3,) in the world, where it is attached [m].
        """
        self.body = body
        T = body.transform()
        self.offset = T[:3, :3].T @ (point - T[:3, 3])
        self.start, self.target, self.force = np.array(point), np.array(point), np.zeros(3)
        mass, omega = _felt_mass(body, self.offset), 2.0 * math.pi * _FREQUENCY
        self._stiffness = mass * omega**2
        self._damping = 2.0 * _DAMPING_RATIO * mass * omega
        self._most = _FARTHEST * mass

    @property
    def point(self) -> FloatArray:
        """Point (3,) to which the spring is attached, in the world [m]."""
        T = self.body.transform()
        return np.asarray(T[:3, :3] @ self.offset + T[:3, 3])

    def apply(self) -> None:
        """Let the spring act on the body in the next step."""
        velocity = self.body.linear_velocity(offset=self.offset)
        force = self._stiffness * (self.target - self.point)
        size = float(np.linalg.norm(force))
        if size > self._most:
            force *= self._most / size
        self.force = np.asarray(force - self._damping * velocity)
        self.body.add_external_force(self.force, self.offset)


def _felt_mass(body: BodyNode, offset: FloatArray) -> float:
    """Mass [kg] that a force at a point of a body feels, the mean of all directions."""
    skeleton = body.skeleton
    J = body.jacobian(offset=offset)[3:]
    dofs = body.dependent_dof_indices
    if not dofs:
        return 0.0
    moved = np.zeros((3, skeleton.num_dofs))
    moved[:, dofs] = J
    mobility = float(np.trace(moved @ np.linalg.solve(skeleton.mass_matrix, moved.T)))
    return 3.0 / mobility if mobility > 0.0 else 0.0
