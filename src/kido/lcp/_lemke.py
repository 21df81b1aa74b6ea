"""Lemke's complementary pivoting."""

from __future__ import annotations

from kido.lcp._native_solver import NativeSolver
from kido.values import value

__all__ = ["Lemke"]


@value
class Lemke(NativeSolver):
    """A path of almost complementary points to a solution, for any A: bounds and pyramids of friction are
    brought to the standard problem, exactly. Ties are broken lexicographically, so that it cannot cycle.

    For positive semidefinite A it finds a solution or, with constant bounds, shows that there is none; for
    others the path may end in a ray, which shows nothing: the status is STALLED then. Cones are not taken.
    It starts anew each time: `x0` makes no difference.

    Source: C. E. Lemke, "Bimatrix equilibrium points and mathematical programming", 1965; R. W. Cottle,
    J.-S. Pang, R. E. Stone, "The linear complementarity problem", 1992, sections 4.4 and 4.9.
    """

    @property
    def takes_cones(self) -> bool:
        """False."""
        return False

    @property
    def _method(self) -> str:
        return "lemke"
