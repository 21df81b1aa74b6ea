"""Projected Gauss-Seidel."""

from __future__ import annotations

from kido.lcp._native_solver import NativeSolver
from kido.typing import frozen_array
from kido.values import checked, number, value

__all__ = ["ProjectedGaussSeidel"]


def _relaxation(name: str, given: float) -> float:
    factor = float(frozen_array(name, given, ()))
    if not 0.0 < factor < 2.0:
        raise ValueError(f"{name}: expected a number between 0 and 2, got {factor}")
    return factor


@value
class ProjectedGaussSeidel(NativeSolver):
    """Sweeps over the rows: each is solved for its own x, which is moved into its bounds; the two tangents of
    a cone together. Bounds of friction follow the normal row at once.

    It converges for symmetric positive semidefinite A and constant bounds, with friction mostly; where there
    is no solution it goes on to `max_iterations`. Sweeps alone are slow where rows depend on each other much,
    and go in circles where friction acts back on normal rows. After 40 of them, and after as many as there
    are rows, then each time after twice as many, steps of `SemismoothNewton` are taken where they lower the
    residual; without friction, else, the equations of the rows inside their bounds are solved as one system,
    and its solution is taken as far as it lowers the energy. A good `x0` saves most of the work.

    Attributes:
        tolerance: 1e-6, where that of other solvers is 1e-9 [-].
        relaxation: factor of each change [-], above 0 and below 2; 1 is Gauss-Seidel.

    Source: C. W. Cryer, "The solution of a quadratic programming problem using systematic overrelaxation",
    1971; F. Jourdan, P. Alart, M. Jean, "A Gauss-Seidel like algorithm to solve frictional contact problems",
    1998; M. Silcowitz, S. Niebe, K. Erleben, "Projected Gauss-Seidel subspace minimization method for
    interactive rigid body dynamics", 2010.
    """

    tolerance: float = number(positive=True, default=1e-6, kw_only=True)
    relaxation: float = checked(_relaxation, default=1.0, kw_only=True)

    @property
    def _method(self) -> str:
        return "projected_gauss_seidel"

    @property
    def _relaxation(self) -> float:
        return self.relaxation
