"""Wrenches in the joints: the backward pass of the recursive Newton-Euler algorithm, over bodies.

Featherstone (2008), section 5.3.
"""

from __future__ import annotations

from kido.skeleton._answers import _soft_dynamics as soft_dynamics
from kido.skeleton._answers._answers import Answers
from kido.skeleton._answers._quantity import quantity
from kido.typing import FloatArray

__all__ = ["transmitted_wrenches"]


@quantity("positions", "velocities", "accelerations", "dynamics")
def transmitted_wrenches(answers: Answers) -> FloatArray:
    """Wrenches (num_bodies, 6) that the parent joints apply on the bodies [N m, N].

    Each is about the body's origin, in the body's axes, and follows from the present accelerations, gravity
    and external forces: after `compute_forward_dynamics` it is what the joint carries. Its component along
    the joint's motion is the joint's generalized force. The joint applies the opposite on the parent.
    """
    data, state = answers.data, answers.ready()
    if answers.softs:
        return soft_dynamics.transmitted_wrenches(answers)
    return state.transmitted_wrenches(data.rows, data.codes, answers.gravity, data.wrenches)
