"""Derivatives of dynamics by finite differences, for trees with user joints.

Analytic ones would take second derivatives of the user's functions.
"""

from __future__ import annotations

import numpy as np

from kido import _core
from kido.typing import FloatArray

__all__ = ["forward_dynamics_derivatives", "inverse_dynamics_derivatives"]

_STEPS = 1e-3 * np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
_WEIGHTS = np.array([-1.0, 9.0, -45.0, 45.0, -9.0, 1.0]) / (60.0 * 1e-3)
"""Central differences of sixth order."""


def inverse_dynamics_derivatives(
    tree: _core.Tree, q: FloatArray, v: FloatArray, a: FloatArray, wrenches: FloatArray | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Derivatives (..., num_dofs, num_dofs) of inverse dynamics with respect to q, v and a."""
    return (*_slopes(tree, q, v, a, wrenches), tree.mass_matrix(q))


def forward_dynamics_derivatives(
    tree: _core.Tree, q: FloatArray, v: FloatArray, tau: FloatArray, wrenches: FloatArray | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Derivatives (..., num_dofs, num_dofs) of forward dynamics with respect to q, v and tau."""
    a = tree.forward_dynamics(q, v, tau, wrenches)
    inverse = tree.inverse_mass_matrix(q)
    along_q, along_v = _slopes(tree, q, v, a, wrenches)
    return -inverse @ along_q, -inverse @ along_v, inverse


def _slopes(
    tree: _core.Tree, q: FloatArray, v: FloatArray, a: FloatArray, wrenches: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Derivatives (..., num_dofs, num_dofs) of inverse dynamics along q and v."""
    loads = () if wrenches is None else wrenches.shape[:-2]
    leading = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], a.shape[:-1], loads)
    n = tree.num_dofs
    moves = (_STEPS[:, None, None] * np.eye(n)).reshape(len(_STEPS), n, *(1,) * len(leading), n)
    along_q = tree.inverse_dynamics(tree.integrate(q, moves), v, a, wrenches)
    along_v = tree.inverse_dynamics(q, v + moves, a, wrenches)
    return _weighted(along_q), _weighted(along_v)


def _weighted(at_steps: FloatArray) -> FloatArray:
    """Slopes (..., m, n) of answers at all steps along n directions (steps, n, ..., m)."""
    return np.asarray(np.moveaxis(np.tensordot(_WEIGHTS, at_steps, 1), 0, -1))
