"""Results of posture problems."""

from __future__ import annotations

from enum import Enum

from kido.typing import FloatArray
from kido.values import Value, read_only, register, value

__all__ = ["ConstraintViolation", "PostureResult", "PostureStatus"]


@register
class PostureStatus(str, Enum):
    """Outcome of a posture problem."""

    SOLVED = "solved"
    """All constraints hold within the tolerance, and where there are costs, the conditions of a minimum."""
    INFEASIBLE = "infeasible"
    """No step lowers what is left of the constraints, from any start: `conflict` says which contradict."""
    STALLED = "stalled"
    """All constraints hold, but the conditions of a minimum do not, and no step lowers the cost."""
    MAX_ITERATIONS = "max_iterations"
    """The iterations of every start ran out."""
    TIME_OUT = "time_out"
    """The time budget ran out."""
    FAILED = "failed"
    """Numbers became infinite or NaN."""

    def __str__(self) -> str:
        return self.value


@value
class ConstraintViolation(Value):
    """A constraint that a posture breaks.

    Attributes:
        index: its place among the constraints of the problem; -1: limits of joints.
        text: the constraint in a few words.
        amount: by how much it is broken, in its unit.
        unit: of the amount.
        scale: what counts as 1 beside tolerances, in its unit: the weight of the skeleton for forces, that
            times 1 m for torques.
    """

    index: int
    text: str
    amount: float
    unit: str
    scale: float = 1.0

    @property
    def relative(self) -> float:
        """The amount in scales, which is compared with tolerances [-]."""
        return self.amount / self.scale

    def __str__(self) -> str:
        return f"{self.text}: by {self.amount:.3g} {self.unit}"


@value
class PostureResult(Value):
    """The posture that was found, or that breaks constraints least. Arrays are read-only.

    Attributes:
        positions: (num_dofs,) of all skeletons, one after the other [rad, m].
        dof_names: their names, after "skeleton." where there are several skeletons.
        forces: (k, 3) at the contacts of static equilibria, in axes of the world [N].
        status: the outcome.
        cost: of the posture.
        violation: largest amount by which a constraint is broken, in its own unit; forces and torques count
            in weights of the skeleton (times 1 m).
        violations: constraints that are broken by more than the tolerance.
        conflict: where no posture was found: constraints and limits that pull against each other there, the
            strongest first.
        stationarity: what is left of the gradient of the Lagrangian, relative to the larger of 1 and the
            gradient of the cost; infinite where nobody came so far.
        tolerance: by how much constraints may be broken, as `violation` counts.
        iterations, evaluations: over all starts.
        starts: how many there were.
        time: that it took [s].
        message: of the solver, where another than kido's own was asked.
    """

    positions: FloatArray = read_only()
    dof_names: tuple[str, ...]
    forces: FloatArray = read_only()
    status: PostureStatus
    cost: float
    violation: float
    violations: tuple[ConstraintViolation, ...]
    conflict: tuple[str, ...]
    stationarity: float
    tolerance: float
    iterations: int
    evaluations: int
    starts: int
    time: float
    message: str = ""

    @property
    def success(self) -> bool:
        """Whether the problem is solved."""
        return self.status is PostureStatus.SOLVED

    @property
    def is_feasible(self) -> bool:
        """Whether all constraints hold, whatever the cost."""
        return self.violation <= self.tolerance

    def __bool__(self) -> bool:
        return self.success

    def __str__(self) -> str:
        took = f"{self.starts} starts, {self.iterations} iterations, {self.time:.3g} s"
        if self.success:
            return f"solved within {self.violation:.2g}, cost {self.cost:.6g} ({took})"
        lines = [f"{self.status} ({took})", *(f"broken: {one}" for one in self.violations)]
        if self.conflict:
            lines.append(f"in conflict: {'; '.join(self.conflict)}")
        return "\n".join(lines)
