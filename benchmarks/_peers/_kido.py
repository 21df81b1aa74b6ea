"""kido: one method of the tree an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import kido
from _operations import (
    ABA,
    CRBA,
    DERIVATIVES_FD,
    DERIVATIVES_ID,
    FK,
    HAND,
    INPUTS,
    JACOBIAN,
    MINV,
    RNEA,
)
from _peers._peer import Call, FloatArray, Names, rows
from _robots import RobotFile
from _states import States

_METHODS = {
    ABA: "forward_dynamics",
    RNEA: "inverse_dynamics",
    CRBA: "mass_matrix",
    MINV: "inverse_mass_matrix",
    FK: "forward_kinematics",
    HAND: "transform",
    JACOBIAN: "jacobian",
    DERIVATIVES_FD: "forward_dynamics_derivatives",
    DERIVATIVES_ID: "inverse_dynamics_derivatives",
}


class Kido:
    """A robot as `kido.Tree`."""

    name = "kido"
    library = "kido"

    def __init__(self, robot: RobotFile) -> None:
        self.tree = kido.load_tree(robot.path, root="free" if robot.free else "fixed")
        self._body = self.tree.body_index(robot.hand)

    @property
    def names(self) -> Names:
        """Names of the tree's dofs and bodies."""
        return Names(self.tree.dof_names, self.tree.body_names)

    def single(self, operation: str, states: States) -> Call:
        """`tree.method(q, v, ...)` with a new array as result."""
        inputs = [getattr(states, name) for name in INPUTS[operation]]
        arguments = rows(*inputs, after=self._extra(operation))
        return Call(getattr(self.tree, _METHODS[operation]), arguments, lambda result, _: np.asarray(result))

    def batch(self, operation: str, states: States, *, out: FloatArray | None = None) -> Callable[[], Any]:
        """The same method on all states at once, as a function of nothing."""
        arguments = [*(getattr(states, name) for name in INPUTS[operation]), *self._extra(operation)]
        method = getattr(self.tree, _METHODS[operation])
        return lambda: method(*arguments, out=out)

    def result_shape(self, operation: str) -> tuple[int, ...]:
        """Shape of the result of one sample."""
        n = self.tree.num_dofs
        shapes: dict[str, tuple[int, ...]] = {
            CRBA: (n, n),
            MINV: (n, n),
            FK: (self.tree.num_bodies, 4, 4),
            HAND: (4, 4),
            JACOBIAN: (6, n),
        }
        return shapes.get(operation, (n,))

    def _extra(self, operation: str) -> tuple[int, ...]:
        return (self._body,) if operation in (HAND, JACOBIAN) else ()
