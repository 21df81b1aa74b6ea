"""A fourth-order step of a robot's motion on the group of its positions."""

from __future__ import annotations

import numpy as np

from kido import Tree
from kido.errors import SingularMassError
from kido.typing import FloatArray

__all__ = ["rollout", "runge_kutta_step"]

_LARGEST_TURN = 0.05
_MOST_PARTS = 20


def runge_kutta_step(
    tree: Tree, q: FloatArray, v: FloatArray, tau: FloatArray, dt: float
) -> tuple[FloatArray, FloatArray]:
    """Positions and velocities after a time step under constant forces.

    The commutator-free method of order four of Celledoni, Marthinsen, Owren (2003), "Commutator-free Lie
    group methods": rotations stay rotations, and without ball and free joints it is the classical
    Runge-Kutta method.

    Args:
        q: (num_dofs,) [rad, m].
        v: (num_dofs,) [rad/s, m/s].
        tau: (num_dofs,) [N m, N].
        dt: [s].
    """
    a1 = tree.forward_dynamics(q, v, tau)
    q2, v2 = tree.integrate(q, v, dt / 2.0), v + dt / 2.0 * a1
    a2 = tree.forward_dynamics(q2, v2, tau)
    q3, v3 = tree.integrate(q, v2, dt / 2.0), v + dt / 2.0 * a2
    a3 = tree.forward_dynamics(q3, v3, tau)
    q4, v4 = tree.integrate(q2, v3 - v / 2.0, dt), v + dt * a3
    a4 = tree.forward_dynamics(q4, v4, tau)
    halfway = tree.integrate(q, (3.0 * v + 2.0 * v2 + 2.0 * v3 - v4) / 12.0, dt)
    q_next = tree.integrate(halfway, (-v + 2.0 * v2 + 2.0 * v3 + 3.0 * v4) / 12.0, dt)
    return q_next, v + dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)


def rollout(tree: Tree, q: FloatArray, v: FloatArray, dt: float, steps: int) -> tuple[FloatArray, FloatArray]:
    """Free motion without joint forces, the first state included.

    A step is taken in up to 20 parts, so that no joint turns by more than 0.05 rad in one.

    Args:
        q: (num_dofs,) [rad, m].
        v: (num_dofs,) [rad/s, m/s].
        dt: [s].
        steps: number of steps.

    Returns:
        positions and velocities, (steps + 1, num_dofs) each; fewer rows where the motion diverges.

    Raises:
        SingularMassError: joints move nothing of mass.
    """
    qs, vs = np.empty((2, steps + 1, tree.num_dofs))
    qs[0], vs[0] = q, v
    for i in range(steps):
        try:
            qs[i + 1], vs[i + 1] = _divided_step(tree, qs[i], vs[i], dt)
        except SingularMassError:
            raise
        except ValueError:  # the tree refuses states that are not finite
            return qs[: i + 1], vs[: i + 1]
    return qs, vs


def _divided_step(tree: Tree, q: FloatArray, v: FloatArray, dt: float) -> tuple[FloatArray, FloatArray]:
    parts = int(min(1.0 + dt * float(abs(v).max()) / _LARGEST_TURN, _MOST_PARTS))
    tau = np.zeros(tree.num_dofs)
    for _ in range(parts):
        q, v = runge_kutta_step(tree, q, v, tau, dt / parts)
    return q, v
