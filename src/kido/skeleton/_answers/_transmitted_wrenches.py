"""Wrenches in the joints: the backward pass of the recursive Newton-Euler algorithm, over bodies.

Featherstone (2008), section 5.3. Welded bodies share a link in the compiled tree, so the pass runs here over
bodies.
"""

from __future__ import annotations

import numpy as np

from kido.skeleton._answers._answers import Answers
from kido.skeleton._answers._body_motions import BodyMotions, body_masses, body_moments, body_motions
from kido.skeleton._answers._quantity import quantity
from kido.skeleton._data import GRAVITY, PARENT
from kido.tree import INERTIA
from kido.typing import FloatArray

__all__ = ["transmitted_wrenches"]


@quantity("positions", "velocities", "accelerations", "dynamics")
def transmitted_wrenches(answers: Answers) -> FloatArray:
    """Wrenches (num_bodies, 6) that the parent joints apply on the bodies [N m, N].

    Each is about the body's origin, in the body's axes, and follows from the present accelerations, gravity
    and external forces: after `compute_forward_dynamics` it is what the joint carries. Its component along
    the joint's motion is the joint's generalized force. The joint applies the opposite on the parent.
    """
    poses = answers.ready_tree().forward_kinematics(answers.q)
    wrenches = _inertial_wrenches(answers, body_motions(answers)) - answers.data.all_wrenches()
    parents = answers.data.codes[:, PARENT].tolist()
    for body in range(len(parents) - 1, -1, -1):
        if (parent := parents[body]) < 0:
            continue
        R = poses[parent, :3, :3].T @ poses[body, :3, :3]
        arm = poses[parent, :3, :3].T @ (poses[body, :3, 3] - poses[parent, :3, 3])
        torque, force = R @ wrenches[body, :3], R @ wrenches[body, 3:]
        wrenches[parent] += np.concatenate([torque + np.cross(arm, force), force])
    return wrenches


def _inertial_wrenches(answers: Answers, motions: BodyMotions) -> FloatArray:
    """Wrenches (n, 6) that the bodies' motions take, gravity included, about their origins, in their axes."""
    mass, moment = body_masses(answers), body_moments(answers)
    weighty = answers.data.codes[:, GRAVITY].astype(bool)
    R = motions.rotation
    acceleration = motions.acceleration - np.where(weighty[:, None], answers.gravity, 0.0)
    force = mass[:, None] * _turned_back(R, acceleration)
    spin, rate = _turned_back(R, motions.angular_velocity), _turned_back(R, motions.angular_acceleration)
    torque = _times(moment, rate) + np.cross(spin, _times(moment, spin))
    com = answers.data.rows[:, INERTIA][:, 1:4]
    return np.concatenate([torque + np.cross(com, force), force], axis=1)


def _turned_back(R: FloatArray, x: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("bji,bj->bi", R, x))


def _times(matrices: FloatArray, x: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("bij,bj->bi", matrices, x))
