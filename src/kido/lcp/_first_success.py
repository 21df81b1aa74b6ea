"""Several solvers, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from kido.lcp._boxed_lcp import BoxedLCP
from kido.lcp._dantzig import Dantzig
from kido.lcp._lemke import Lemke
from kido.lcp._result import LCPResult, LCPStatus
from kido.lcp._semismooth_newton import SemismoothNewton
from kido.lcp._solver import LCPSolver
from kido.typing import FloatArray
from kido.values import Checked, checked, checked_items, value

__all__ = ["FirstSuccess"]


def _solvers(name: str, given: Sequence[LCPSolver]) -> tuple[LCPSolver, ...]:
    solvers = checked_items(name, LCPSolver, given)
    if not solvers:
        raise ValueError(f"{name}: expected at least one solver, got none")
    return solvers


@value
class FirstSuccess(LCPSolver):
    """Solvers that are asked one after the other until one solves the problem, or shows that there is no
    solution; those that cannot take it are passed over. Where none does, the answer with the least residual
    counts. `LCPResult.solver` names the one that answered.

    Each goes by its own settings, and starts at the given x0; those of this solver are not used.

    Attributes:
        solvers: in this order.
    """

    solvers: Checked[Sequence[LCPSolver], tuple[LCPSolver, ...]] = checked(
        _solvers, default=(Dantzig(), Lemke(), SemismoothNewton())
    )

    @property
    def takes_cones(self) -> bool:
        """Whether one of the solvers does."""
        return any(solver.takes_cones for solver in self.solvers)

    @property
    def needs_symmetry(self) -> bool:
        """Whether all of the solvers do."""
        return all(solver.needs_symmetry for solver in self.solvers)

    def run(self, problem: BoxedLCP, x0: FloatArray) -> tuple[FloatArray, LCPStatus, str, int]:
        """As `solve`: x (n,) in units of x, status, message, iterations."""
        result = self._judged(problem, x0)
        return result.x, result.status, result.message, result.iterations

    def _judged(self, problem: BoxedLCP, start: FloatArray | None) -> LCPResult:
        best: LCPResult | None = None
        for solver in self.solvers:
            if not _takes(solver, problem):
                continue
            result = solver.solve(problem, start)
            if best is None or result.success or result.residual < best.residual:
                best = result
            if result.success or result.status is LCPStatus.INFEASIBLE:
                return result
        if best is None:
            raise ValueError(f"problem: none of {[s.type_name for s in self.solvers]} takes it")
        return best


def _takes(solver: LCPSolver, problem: BoxedLCP) -> bool:
    return not (problem.cones and not solver.takes_cones) and (
        problem.is_symmetric or not solver.needs_symmetry
    )
