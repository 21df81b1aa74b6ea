"""Results of a hierarchy of modules."""

from __future__ import annotations

from kido.ik._result import STATIONARY, IKStatus, told_objective
from kido.typing import FloatArray
from kido.values import Value, read_only, value

__all__ = ["HierarchyResult", "TaskResult"]


@value
class TaskResult(Value):
    """Result of one module of a hierarchy.

    Attributes:
        node: name of its node.
        level: its rank, 0 the first.
        success: whether it has no error.
        angular_error, linear_error: remaining error [rad], [m].
        required: whether an error is a failure of the hierarchy; else it was lowered as the rest let it.
    """

    node: str
    level: int
    success: bool
    angular_error: float
    linear_error: float
    required: bool = True


@value
class HierarchyResult(Value):
    """Positions that bring several nodes to their targets, or as near as their ranks and a path without jumps
    allow.

    Attributes:
        positions: (n,) of all dofs of the skeleton [rad, m].
        dof_names: their names.
        status: outcome of the search.
        tasks: result of each active module, by rank.
        start: which start gave the positions; 0 is the given one.
        iterations: of that start.
        elsewhere: where not all is reached, an answer of another start that comes nearer, which is never
            applied: no path without jumps is known to lead there. None: there is no such answer.
        stationarity: how far an objective is from a minimum, as of `IKResult`.
        reason: why not all is reached, in words, where a solver or a constraint says so; else empty.
    """

    positions: FloatArray = read_only()
    dof_names: tuple[str, ...]
    status: IKStatus
    tasks: tuple[TaskResult, ...]
    start: int
    iterations: int
    elsewhere: HierarchyResult | None = None
    stationarity: float | None = None
    reason: str = ""

    @property
    def success(self) -> bool:
        """Whether no module that is required has an error, and no constraint of the problem is broken."""
        return self.status is IKStatus.SOLVED

    @property
    def is_optimal(self) -> bool:
        """Whether an objective is at a minimum to first order: `stationarity` is at most 1e-6."""
        return self.stationarity is not None and self.stationarity <= STATIONARY

    @property
    def nearest(self) -> HierarchyResult:
        """The answer that comes nearest to the targets: `elsewhere`, where there is one, else this one."""
        return self if self.elsewhere is None else self.elsewhere

    @property
    def message(self) -> str:
        """The outcome in words."""
        if self.success:
            by = f"by start {self.start} in {self.iterations} iterations"
            return f"solved, {by}{told_objective(self.stationarity)}"
        left = [
            f"{t.node} (level {t.level}) {t.linear_error:.3g} m and {t.angular_error:.3g} rad"
            for t in self.tasks
            if t.required and not t.success
        ]
        parts = [f"{', '.join(left)} from the target"] if left else []
        return f"not reached: {'; '.join([*parts, *([self.reason] if self.reason else [])])}"

    def __bool__(self) -> bool:
        return self.success
