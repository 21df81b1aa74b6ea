"""Motion of the center of mass, seen from any frame, and its Jacobians.

Spatial velocity and acceleration of the center of mass are averages over the bodies, weighted by mass, as
DART defines them.
"""

from __future__ import annotations

import numpy as np

from kido.frame import WORLD, Frame, SimpleFrame
from kido.skeleton._answers._answers import Answers
from kido.skeleton._answers._body_motions import body_masses, body_motions
from kido.skeleton._answers._mass import center_of_mass, moving_share
from kido.skeleton._axes import checked_frame, in_axes_of
from kido.skeleton._data import ACCELERATION
from kido.tree import INERTIA
from kido.typing import FloatArray

__all__ = [
    "com_frame",
    "com_position",
    "com_spatial_acceleration",
    "com_spatial_velocity",
    "linear_jacobian",
    "mean_jacobian",
    "mean_jacobian_derivative",
]


def com_position(answers: Answers, relative_to: Frame | None) -> FloatArray:
    """Center of mass (3,) [m] in the coordinates of a frame; None is the world."""
    center = center_of_mass.of(answers)
    if relative_to is None:
        return np.array(center)
    T = checked_frame("relative_to", relative_to).transform()
    return np.asarray(T[:3, :3].T @ (center - T[:3, 3]))


def com_frame(answers: Answers, *, accelerated: bool) -> SimpleFrame:
    """A frame with the world's axes that moves with the center of mass."""
    frame = SimpleFrame("com")
    frame.relative_translation = center_of_mass.of(answers)
    share = moving_share(answers)
    if share > 0.0:
        tree, q, v = answers.ready_tree(), answers.q, answers.v
        velocity = share * tree.com_velocity(q, v)
        acceleration = np.zeros(3)
        if accelerated:
            acceleration = share * tree.com_acceleration(q, v, answers.data.state[ACCELERATION])
        frame.set_classic_derivatives(linear_velocity=velocity, linear_acceleration=acceleration)
    return frame


def com_spatial_velocity(
    answers: Answers, relative_to: Frame | None, in_coordinates_of: Frame | None
) -> FloatArray:
    """Average (6,) of the bodies' spatial velocities at their centers of mass [rad/s, m/s]; None is the
    world."""
    motions = body_motions(answers)
    observer = _Observer(relative_to)
    spin = motions.angular_velocity - observer.angular
    velocity = motions.velocity - observer.velocity_at(motions.com)
    return in_axes_of(in_coordinates_of, _mean(answers, np.concatenate([spin, velocity], axis=1)))


def com_spatial_acceleration(
    answers: Answers, relative_to: Frame | None, in_coordinates_of: Frame | None
) -> FloatArray:
    """Average (6,) of the bodies' spatial accelerations at their centers of mass [rad/s^2, m/s^2].

    Seen by an observer F that is A_body - A_F + V_body x V_F, all at the body's center of mass.
    """
    motions = body_motions(answers)
    w, v = motions.angular_velocity, motions.velocity
    observer = _Observer(relative_to)
    rate = motions.angular_acceleration - observer.rate + np.cross(w, observer.angular)
    acceleration = (
        motions.acceleration
        - np.cross(w, v)
        - observer.acceleration_at(motions.com)
        + np.cross(w, observer.velocity_at(motions.com))
        + np.cross(v, observer.angular)
    )
    return in_axes_of(in_coordinates_of, _mean(answers, np.concatenate([rate, acceleration], axis=1)))


def linear_jacobian(answers: Answers) -> FloatArray:
    """Jacobian (3, num_dofs) of the center of mass, in world axes [m/s per unit velocity]."""
    share = moving_share(answers)
    if share == 0.0:
        return np.zeros((3, answers.data.num_dofs))
    return share * answers.ready_tree().com_jacobian(answers.q)


def mean_jacobian(answers: Answers) -> FloatArray:
    """Average (6, num_dofs) of the bodies' Jacobians at their centers of mass, in world axes."""
    tree, q = answers.ready_tree(), answers.q
    total = np.zeros((6, answers.data.num_dofs))
    for body, mass in enumerate(body_masses(answers).tolist()):
        if mass > 0.0:
            total += mass * tree.jacobian(q, body, _local_com(answers, body))
    return total / (body_masses(answers).sum() or 1.0)


def mean_jacobian_derivative(answers: Answers, *, classic: bool) -> FloatArray:
    """Average (6, num_dofs) of the derivatives of the bodies' Jacobians at their centers of mass, in world
    axes."""
    tree, q, v = answers.ready_tree(), answers.q, answers.v
    total = np.zeros((6, answers.data.num_dofs))
    for body, mass in enumerate(body_masses(answers).tolist()):
        if mass > 0.0:
            total += mass * tree.jacobian_derivative(q, v, body, _local_com(answers, body), classic=classic)
    return total / (body_masses(answers).sum() or 1.0)


def _local_com(answers: Answers, body: int) -> FloatArray:
    com: FloatArray = answers.data.rows[body, INERTIA][1:4]
    return com


def _mean(answers: Answers, vectors: FloatArray) -> FloatArray:
    """Average of vectors (num_bodies, 6), weighted by mass."""
    masses = body_masses(answers)
    return np.asarray(masses @ vectors / (masses.sum() or 1.0))


class _Observer:
    """Motion of a frame as fields of spatial vectors over the world, in world axes."""

    def __init__(self, frame: Frame | None) -> None:
        observer = WORLD if frame is None else checked_frame("relative_to", frame)
        self._origin = observer.transform()[:3, 3]
        V = observer.spatial_velocity(in_coordinates_of=WORLD)
        A = observer.spatial_acceleration(in_coordinates_of=WORLD)
        self.angular, self._linear = V[:3], V[3:]
        self.rate, self._acceleration = A[:3], A[3:]

    def velocity_at(self, points: FloatArray) -> FloatArray:
        """Velocity (n, 3) of the observer's points at places (n, 3)."""
        return self._linear + np.cross(self.angular, points - self._origin)

    def acceleration_at(self, points: FloatArray) -> FloatArray:
        """Linear part (n, 3) of the spatial acceleration at places (n, 3)."""
        return self._acceleration + np.cross(self.rate, points - self._origin)
