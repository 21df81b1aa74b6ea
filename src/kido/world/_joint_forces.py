"""Forces in joints in a step."""

from __future__ import annotations

from typing import NamedTuple

from kido.typing import FloatArray

__all__ = ["JointForces"]


class JointForces(NamedTuple):
    """Generalized forces on the dofs of a skeleton in the last step, on its average [N m, N].

    Together with springs, dampers and external forces, they are M a + C + G.

    Attributes:
        actuators: of the actuators (num_dofs,): forces of commands, of servos, of what follows a leader, and
            those that a given acceleration or velocity, or a locked joint, took.
        limits: of position limits (num_dofs,).
        friction: of Coulomb friction in the joints (num_dofs,).
        constraints: of all else that holds (num_dofs,): contacts, and the world's constraints.
    """

    actuators: FloatArray
    limits: FloatArray
    friction: FloatArray
    constraints: FloatArray
