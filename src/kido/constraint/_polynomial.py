"""Dofs that follow others by polynomials."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import polynomial

from kido.constraint._gear import GROUPS
from kido.constraint._row_constraint import RowConstraint
from kido.constraint._rows import Rows
from kido.constraint._softness import Softness
from kido.errors import EditError
from kido.skeleton import DegreeOfFreedom
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_part

__all__ = ["PolynomialConstraint"]


class PolynomialConstraint(RowConstraint):
    """A dof that follows another, as by a cam: its position is a polynomial of the leader's. Both feel it.

    Where the polynomial is linear, a `GearConstraint` is the same in compiled code.
    """

    __slots__ = ("_coefficients", "_follower", "_leader")

    def __init__(
        self,
        follower: DegreeOfFreedom,
        leader: DegreeOfFreedom,
        coefficients: ArrayLike,
        *,
        softness: Softness | None = None,
    ) -> None:
        """Couple two dofs.

        Args:
            follower: a dof, not of a ball or free joint: their positions are not sums of velocities.
            leader: another one.
            coefficients: (k,) of powers 0, 1, ... of the leader's position [rad or m].
            softness: None: rigid.

        Raises:
            TypeError, ValueError: naming the argument.
            EditError: a dof with itself, or of a ball or free joint.
        """
        for name, part in (("follower", follower), ("leader", leader)):
            if checked_part(name, DegreeOfFreedom, part).joint.type in GROUPS:
                raise EditError(f"{name}: expected a dof whose positions are added, got {part.name!r}")
        if follower == leader:
            raise EditError(f"follower, leader: expected two different dofs, got {leader!r} twice")
        skeletons = dict.fromkeys((follower.skeleton, leader.skeleton))
        super().__init__(*skeletons, softness=softness)
        self._follower, self._leader = follower, leader
        self._coefficients = frozen_array("coefficients", coefficients, (-1,), "rad, m")
        if self._coefficients.size == 0:
            raise ValueError("coefficients: expected at least one, got none")

    @property
    def follower(self) -> DegreeOfFreedom:
        """The dof that follows."""
        return self._follower

    @property
    def leader(self) -> DegreeOfFreedom:
        """The dof that is followed."""
        return self._leader

    @property
    def coefficients(self) -> FloatArray:
        """Coefficients (k,) of powers 0, 1, ... of the leader's position [rad or m]."""
        return self._coefficients

    def rows(self) -> Rows:
        """The row of the next step, of the dofs as they stand."""
        at = self._leader.position
        slope = float(polynomial.polyval(at, polynomial.polyder(self._coefficients)))
        jacobians = [np.zeros((1, skeleton.num_dofs)) for skeleton in self.skeletons]
        for dof, rate in ((self._follower, 1.0), (self._leader, -slope)):
            for skeleton, jacobian in zip(self.skeletons, jacobians, strict=True):
                if skeleton is dof.skeleton:
                    jacobian[0, dof.index] += rate
        error = self._follower.position - float(polynomial.polyval(at, self._coefficients))
        return Rows([error], jacobians)
