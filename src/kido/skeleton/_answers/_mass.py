"""Mass, momentum and energies of a whole skeleton."""

from __future__ import annotations

import math

import numpy as np

from kido.skeleton._answers._answers import Answers
from kido.skeleton._answers._body_motions import body_masses
from kido.skeleton._answers._dynamics import spring_displacements
from kido.skeleton._answers._quantity import quantity
from kido.skeleton._data import DOF_COUNT, GRAVITY, PARENT, STIFFNESS
from kido.tree import INERTIA
from kido.typing import FloatArray

__all__ = [
    "center_of_mass",
    "kinetic_energy",
    "lagrangian",
    "mass",
    "momentum",
    "moving_share",
    "potential_energy",
]


@quantity()
def mass(answers: Answers) -> float:
    """Mass of all bodies [kg]."""
    return math.fsum(body_masses(answers).tolist())


@quantity()
def fixed_moments(answers: Answers) -> FloatArray:
    """First moments of mass (num_bodies, 3) of the bodies that no dof moves, zeros for others [kg m]."""
    parents, counts = answers.data.codes[:, PARENT].tolist(), answers.data.codes[:, DOF_COUNT].tolist()
    moments, fixed = np.zeros((len(parents), 3)), np.zeros(len(parents), dtype=bool)
    for body, (parent, count) in enumerate(zip(parents, counts, strict=True)):
        fixed[body] = count == 0 and (parent < 0 or fixed[parent])
        if fixed[body]:
            T = answers.ready_tree().transform(answers.q, body)
            inertia = answers.data.rows[body, INERTIA]
            moments[body] = inertia[0] * (T[:3, :3] @ inertia[1:4] + T[:3, 3])
    return moments


@quantity("positions")
def center_of_mass(answers: Answers) -> FloatArray:
    """Center of mass (3,) of all bodies, in world coordinates [m]; the origin where there is no mass."""
    tree = answers.ready_tree()
    moment = fixed_moments.of(answers).sum(axis=0)
    if tree.total_mass > 0.0:
        moment = moment + tree.total_mass * tree.center_of_mass(answers.q)
    return np.asarray(moment / (mass.of(answers) or 1.0))


def moving_share(answers: Answers) -> float:
    """Part of the mass that dofs move."""
    return answers.ready_tree().total_mass / (mass.of(answers) or 1.0)


@quantity("positions", "velocities")
def momentum(answers: Answers) -> FloatArray:
    """Momentum (6,) about the center of mass of all bodies, in world axes [kg m^2/s, kg m/s]."""
    tree = answers.ready_tree()
    if tree.total_mass == 0.0:
        return np.zeros(6)
    total = tree.centroidal_momentum(answers.q, answers.v)
    if moving_share(answers) < 1.0:
        arm = tree.center_of_mass(answers.q) - center_of_mass.of(answers)
        total[:3] += np.cross(arm, total[3:])
    return total


@quantity("positions", "velocities")
def kinetic_energy(answers: Answers) -> float:
    """Kinetic energy v^T M v / 2 of all bodies and of the dofs' armature [J]."""
    return float(answers.ready_tree().kinetic_energy(answers.q, answers.v))


@quantity("positions", "dynamics")
def potential_energy(answers: Answers) -> float:
    """Potential energy [J]: in the field of gravity, 0 at the world's origin, and of the springs."""
    stretch = spring_displacements.of(answers)
    springs = 0.5 * float(answers.constant(STIFFNESS) @ (stretch * stretch))
    weighty = answers.data.codes[:, GRAVITY].astype(bool)
    fixed = -float(answers.gravity @ fixed_moments.of(answers)[weighty].sum(axis=0))
    return float(answers.ready_tree().potential_energy(answers.q)) + springs + fixed


@quantity("positions", "velocities", "dynamics")
def lagrangian(answers: Answers) -> float:
    """Kinetic minus potential energy [J]."""
    return float(kinetic_energy.of(answers) - potential_energy.of(answers))
