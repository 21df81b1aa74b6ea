"""Base of complementarity solvers: checked problems, judged answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from kido import _core
from kido.lcp._boxed_lcp import BoxedLCP
from kido.lcp._result import LCPResult, LCPStatus
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Value, checked, checked_items, checked_part, checked_positive, checked_whole, value

__all__ = ["LCPSolver"]

S = TypeVar("S", bound="LCPSolver")


def _positive(name: str, given: float) -> float:
    return checked_positive(name, given)


def _count(name: str, given: int) -> int:
    count = checked_whole(name, given)
    if not 1 <= count < 2**31:
        raise ValueError(f"{name}: expected 1 to 2147483647, got {count}")
    return count


def _time(name: str, given: float | None) -> float | None:
    return None if given is None else checked_positive(name, given, "s")


@value
class LCPSolver(Value, ABC):
    """A method for complementarity problems, and its settings: a frozen value that solves any number of them.

    A solver of your own derives from it, is decorated by `kido.values.value` and has `run`. `takes_cones`
    and `needs_symmetry` say what it can do. It is not believed: a result counts as solved only where
    `BoxedLCP.residual` says so.

    Attributes:
        tolerance: largest residual of a solution, as `BoxedLCP.residual` measures it [-].
        max_iterations: of a solve.
        time_budget: of a solve [s]; None is no limit.
    """

    tolerance: float = checked(_positive, default=1e-9, kw_only=True)
    max_iterations: int = checked(_count, default=10_000, kw_only=True)
    time_budget: float | None = checked(_time, default=None, kw_only=True)

    @property
    def type_name(self) -> str:
        """The name of the method: the class's."""
        return type(self).__name__

    @property
    def takes_cones(self) -> bool:
        """Whether problems may have cones."""
        return True

    @property
    def needs_symmetry(self) -> bool:
        """Whether A has to be symmetric."""
        return False

    @abstractmethod
    def run(self, problem: BoxedLCP, x0: FloatArray) -> tuple[FloatArray, LCPStatus, str, int]:
        """Solve a problem from x0 (n,), which is finite.

        Returns x (n,), in units of x, the status, a message, and the number of iterations.
        """

    def check_problem(self, problem: BoxedLCP) -> None:
        """Raises TypeError or ValueError if this solver cannot take the problem."""
        checked_part("problem", BoxedLCP, problem)
        if problem.cones and not self.takes_cones:
            raise ValueError(
                f"problem: {self.type_name} takes no cones, got {len(problem.cones)}; "
                "problem.with_pyramids() has none, SemismoothNewton and ProjectedGaussSeidel take them"
            )
        if self.needs_symmetry and not problem.is_symmetric:
            raise ValueError(f"problem: {self.type_name} needs a symmetric A; Lemke takes any")

    def solve(self, problem: BoxedLCP, x0: ArrayLike | None = None) -> LCPResult:
        """Solve a problem.

        Args:
            problem: what is to be solved.
            x0: (n,) where to start, in units of x: the solution of a similar problem, say. None: zeros.

        Raises:
            TypeError, ValueError: a problem that this solver cannot take, an x0 of another shape or not
                finite, a `run` of the user's own that returns something else than it should.
        """
        self.check_problem(problem)
        start = None if x0 is None else frozen_array("x0", x0, (problem.size,))
        return self._solve_all((problem,), [start])[0]

    def solve_batch(
        self, problems: Iterable[BoxedLCP], x0: Sequence[ArrayLike] | None = None
    ) -> tuple[LCPResult, ...]:
        """Solve several problems, of any sizes; native methods do so on threads (`kido.set_num_threads`).

        Args:
            problems: what is to be solved.
            x0: where to start, (n,) for each problem, in units of x. None: zeros.

        Raises:
            TypeError, ValueError: as `solve`, before any is solved.
        """
        given = checked_items("problems", BoxedLCP, problems)
        for problem in given:
            self.check_problem(problem)
        return self._solve_all(given, _starts(given, x0))

    def clone(self: S, **changes: Any) -> S:
        """The same solver with other settings. Raises TypeError or ValueError naming the setting."""
        return replace(self, **changes)

    def _solve_all(
        self, problems: tuple[BoxedLCP, ...], starts: list[FloatArray | None]
    ) -> tuple[LCPResult, ...]:
        return tuple(self._judged(problem, x0) for problem, x0 in zip(problems, starts, strict=True))

    def _judged(self, problem: BoxedLCP, start: FloatArray | None) -> LCPResult:
        x0 = frozen_array("x0", np.zeros(problem.size), (problem.size,)) if start is None else start
        ended = self.run(problem, x0)
        expected = (
            f"{self.type_name}.run: expected x (n,), an LCPStatus, a message and a number of iterations"
        )
        if not isinstance(ended, tuple) or len(ended) != 4 or not isinstance(ended[1], LCPStatus):
            raise TypeError(f"{expected}, got {_core.brief(ended)}")
        x = _core.real_array(ended[0], copy=True)
        if x.shape != (problem.size,):
            raise ValueError(f"{self.type_name}.run: expected shape {(problem.size,)}, got {x.shape}")
        status, message = ended[1], str(ended[2])
        if not np.isfinite(x).all():
            x, status, message = x0, LCPStatus.FAILED, "x is not finite"
        w, _, residual = _core.lcp_residual(problem._native(), x)
        if residual <= self.tolerance:
            status = LCPStatus.SOLVED
        elif status is LCPStatus.SOLVED:
            status, message = LCPStatus.STALLED, f"{message}; the residual is {residual:.3g}"
        return LCPResult(
            problem, x, w, status, message, iterations=ended[3], residual=residual, solver=self.type_name
        )


def _starts(problems: tuple[BoxedLCP, ...], x0: Sequence[ArrayLike] | None) -> list[FloatArray | None]:
    if x0 is None:
        return [None] * len(problems)
    given = checked_items("x0", object, x0)
    if len(given) != len(problems):
        raise ValueError(f"x0: expected one for each of {len(problems)} problems, got {len(given)}")
    return [
        frozen_array("x0", start, (problem.size,))  # type: ignore[arg-type]
        for problem, start in zip(problems, given, strict=True)
    ]
