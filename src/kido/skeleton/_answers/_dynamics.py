"""Dynamics of a whole skeleton: mass matrices, forces, and what forces and motions do to each other.

The equation of motion is M a + C + G = tau + external + constraint + spring + damping forces.
"""

from __future__ import annotations

import numpy as np

from kido.errors import SingularMassError
from kido.skeleton._answers import _soft_dynamics as soft
from kido.skeleton._answers._answers import Answers
from kido.skeleton._answers._quantity import quantity
from kido.skeleton._answers._soft_points import tree_as_it_is
from kido.skeleton._data import CONSTRAINT_IMPULSE, DAMPING, REST_POSITION, STIFFNESS
from kido.typing import FloatArray

__all__ = [
    "augmented_mass_matrix",
    "change_velocities",
    "compute_forward_dynamics",
    "compute_inverse_dynamics",
    "constraint_forces",
    "coriolis_and_gravity_forces",
    "coriolis_forces",
    "coupled_bias_forces",
    "coupled_mass_matrix",
    "damping_forces",
    "external_forces",
    "gravity_forces",
    "inverse_augmented_mass_matrix",
    "inverse_mass_matrix",
    "mass_matrix",
    "spring_displacements",
    "spring_forces",
    "velocity_changes",
]

# ---- matrices


@quantity("positions")
def mass_matrix(answers: Answers) -> FloatArray:
    """Mass matrix M (num_dofs, num_dofs), with the dofs' armature on its diagonal [kg m^2, kg m, kg]."""
    return tree_as_it_is(answers).mass_matrix(answers.q)


@quantity("positions")
def inverse_mass_matrix(answers: Answers) -> FloatArray:
    """Inverse of the mass matrix (num_dofs, num_dofs) [1/(kg m^2), ...]. Raises SingularMassError."""
    return tree_as_it_is(answers).inverse_mass_matrix(answers.q)


@quantity("positions")
def coupled_mass_matrix(answers: Answers) -> FloatArray:
    """Mass matrix (m, m) of all dofs and, behind them, of the point masses that are not frozen [kg m^2, kg
    m, kg].

    Points stand in the order of their bodies and of their own, three coordinates each: along the axes of the
    body, beside it. With accelerations a of the dofs and b of the points, `coupled_bias_forces` c, and the
    forces f of springs, dampers and gas and those from outside on the points, M (a, b) + c = (tau, f).
    Without soft bodies it is `mass_matrix`, which is its upper left block: with the points where they are,
    and at rest beside their bodies.
    """
    return soft.coupled_mass_matrix(answers) if answers.softs else mass_matrix.of(answers)


@quantity("positions", "velocities")
def coupled_bias_forces(answers: Answers) -> FloatArray:
    """Forces (m,) that keep the present velocities of all dofs and points, as `coupled_mass_matrix` has them
    [N m, N]. Springs, dampers and gas are not among them."""
    if answers.softs:
        return soft.coupled_bias_forces(answers)
    return np.array(coriolis_and_gravity_forces.of(answers))


@quantity("dynamics")
def implicit_inertia(answers: Answers) -> FloatArray:
    """h D + h^2 K (num_dofs,) [kg m^2, kg]: the inertia that implicit dampers and springs add to the
    diagonal."""
    h = answers.time_step
    return h * answers.constant(DAMPING) + h * h * answers.constant(STIFFNESS)


@quantity("positions", "dynamics")
def augmented_mass_matrix(answers: Answers) -> FloatArray:
    """M + h D + h^2 K (num_dofs, num_dofs), D and K those of dampers and springs, h the time step [kg m^2,
    ...]."""
    return mass_matrix.of(answers) + np.diag(implicit_inertia.of(answers))


@quantity("positions", "dynamics")
def inverse_augmented_mass_matrix(answers: Answers) -> FloatArray:
    """Inverse of the augmented mass matrix (num_dofs, num_dofs) [1/(kg m^2), ...]. Raises
    SingularMassError."""
    n = answers.data.num_dofs
    accelerations, _ = tree_as_it_is(answers).hybrid_dynamics(
        answers.q,
        np.zeros((n, n)),
        np.eye(n),
        np.zeros((n, n)),
        prescribed=np.zeros(n, dtype=bool),
        added_inertia=implicit_inertia.of(answers),
        gravity=False,
    )
    return 0.5 * (accelerations + accelerations.T)


# ---- forces


@quantity("positions", "velocities")
def coriolis_and_gravity_forces(answers: Answers) -> FloatArray:
    """C + G (num_dofs,): what keeps the present velocities [N m, N]."""
    if answers.softs:
        return soft.bias_forces(answers)
    return answers.ready_tree().bias_forces(answers.q, answers.v)


@quantity("positions")
def gravity_forces(answers: Answers) -> FloatArray:
    """G (num_dofs,), the derivative of the potential energy: what holds the skeleton still [N m, N]."""
    return tree_as_it_is(answers).gravity_forces(answers.q)


@quantity("positions", "velocities")
def coriolis_forces(answers: Answers) -> FloatArray:
    """C (num_dofs,): what keeps the present velocities without gravity [N m, N]."""
    return coriolis_and_gravity_forces.of(answers) - gravity_forces.of(answers)


@quantity("positions", "dynamics")
def external_forces(answers: Answers) -> FloatArray:
    """Generalized forces (num_dofs,) of all external wrenches: the sum of J^T f over the bodies [N m, N]."""
    wrenches, tree = answers.data.wrenches, answers.ready_tree()
    total = np.zeros(answers.data.num_dofs)
    if wrenches is None:
        return total
    for body in np.flatnonzero(wrenches.any(axis=1)).tolist():
        total += tree.jacobian(answers.q, body, frame="body").T @ wrenches[body]
    return total


@quantity("dynamics")
def constraint_forces(answers: Answers) -> FloatArray:
    """Generalized forces (num_dofs,) of the constraint impulses over the time step [N m, N]."""
    return np.asarray(answers.constant(CONSTRAINT_IMPULSE) / answers.time_step)


@quantity("positions", "dynamics")
def spring_displacements(answers: Answers) -> FloatArray:
    """Displacements d (num_dofs,) of the springs from their rest positions [rad, m]."""
    return answers.ready_tree().difference(answers.constant(REST_POSITION), answers.q)


@quantity("positions", "dynamics")
def spring_forces(answers: Answers) -> FloatArray:
    """Forces (num_dofs,) of the springs, minus the gradient of the energy d^T K d / 2 [N m, N].

    That is -K d, and -J_r(d)^-T K d for ball and free joints, J_r the right Jacobian of their group.
    """
    return answers.ready_tree().spring_forces(
        answers.q, answers.constant(REST_POSITION), answers.constant(STIFFNESS)
    )


@quantity("velocities", "dynamics")
def damping_forces(answers: Answers) -> FloatArray:
    """Forces (num_dofs,) of the dampers, -D v [N m, N]."""
    return -answers.constant(DAMPING) * answers.v


# ---- forward and inverse dynamics, impulses


def compute_forward_dynamics(answers: Answers) -> None:
    """Write accelerations and forces that follow from state, commands and loads. Raises SingularMassError."""
    state, data = answers.ready(), answers.data
    if answers.softs:
        soft.forward_dynamics(answers)
        return
    try:
        moved = state.compute_forward_dynamics(data.dofs, data.actuators, data.wrenches, answers.time_step)
    except ValueError:
        answers.refuse_if_changed(state)
        raise
    if not moved:
        raise singular(answers)


def compute_inverse_dynamics(answers: Answers, *, external: bool, damping: bool, springs: bool) -> None:
    """Write the forces that the present accelerations take."""
    state, data = answers.ready(), answers.data
    if answers.softs:
        soft.inverse_dynamics(answers, external=external, damping=damping, springs=springs)
        return
    try:
        state.compute_inverse_dynamics(
            data.dofs,
            data.actuators,
            data.wrenches,
            answers.time_step,
            external=external,
            damping=damping,
            springs=springs,
        )
    except ValueError:
        answers.refuse_if_changed(state)
        raise


def velocity_changes(answers: Answers, impulses: FloatArray) -> FloatArray:
    """Changes of velocity (num_dofs,) that impulses (num_dofs,) give [rad/s, m/s]. Raises
    SingularMassError."""
    state = answers.ready()
    if answers.softs:
        return soft.velocity_changes(answers, impulses)
    try:
        change = state.velocity_changes(answers.data.actuators, impulses)
    except ValueError:
        answers.refuse_if_changed(state)
        raise
    if change is None:
        raise singular(answers)
    return change


def change_velocities(answers: Answers, impulses: FloatArray) -> FloatArray:
    """The velocities (num_dofs,) after impulses (num_dofs,), which points follow. Raises
    SingularMassError."""
    change = velocity_changes(answers, impulses)
    if answers.softs:
        soft.follow(answers, change)
    return np.asarray(answers.v + change)


def singular(answers: Answers) -> SingularMassError:
    """The error that names the joints that move no mass."""
    tree = answers.ready_tree()
    return SingularMassError(tree._massless_joints(), tree.name)
