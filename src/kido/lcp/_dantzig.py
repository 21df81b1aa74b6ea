"""Principal pivoting of Dantzig and Cottle."""

from __future__ import annotations

from kido.lcp._native_solver import NativeSolver
from kido.values import value

__all__ = ["Dantzig"]


@value
class Dantzig(NativeSolver):
    """Rows are taken in one after the other and driven until they are solved, while those before stay solved,
    as in the method of Baraff that ODE and DART use.

    A is symmetric and positive semidefinite; redundant rows are no special case. Other than there, any bounds
    may be given, 0 between them or not; bounds of friction are updated until they are those of the normal
    rows found, and where they do not settle, the status is STALLED. Cones are not taken.

    Source: R. W. Cottle, G. B. Dantzig, "Complementary pivot theory of mathematical programming", 1968;
    D. Baraff, "Fast contact force computation for nonpenetrating rigid bodies", 1994.
    """

    @property
    def takes_cones(self) -> bool:
        """False."""
        return False

    @property
    def needs_symmetry(self) -> bool:
        """True."""
        return True

    @property
    def _method(self) -> str:
        return "dantzig"
