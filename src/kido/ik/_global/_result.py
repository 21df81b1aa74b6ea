"""Verdicts of global inverse kinematics."""

from __future__ import annotations

from enum import Enum

from kido.typing import FloatArray
from kido.values import Value, read_only, register, value

__all__ = ["GlobalIKResult", "GlobalIKStatus"]


@register
class GlobalIKStatus(str, Enum):
    """Verdict on a problem of global inverse kinematics."""

    SOLVED = "solved"
    """A posture satisfies all constraints, within the limits and the tolerance."""
    INFEASIBLE = "infeasible"
    """Proved: no posture within the limits satisfies all constraints within the tolerance."""
    UNDECIDED = "undecided"
    """Neither was found in the time or the number of boxes that were allowed."""

    def __str__(self) -> str:
        return self.value


@value
class GlobalIKResult(Value):
    """A posture, a proof that there is none, or the posture that came nearest. Its array is read-only.

    Attributes:
        positions: (num_dofs,) of the skeleton [rad, m]: the posture, else where the search came nearest,
            which is a seed for others.
        dof_names: their names.
        status: the verdict.
        linear_violation, angular_violation: by which the positions miss the constraints [m], [rad].
        linear_tolerance, angular_tolerance: by which a posture may miss them [m], [rad]: the verdict is about
            such postures.
        lower_bound: no posture within the limits misses all constraints by less than this [m], angles times
            the characteristic length of the problem; 0 where nothing is proved. See `GlobalIK.lower_bound`.
        nodes: boxes of joint positions, or nodes of the mixed-integer program, that were looked at.
        time: that it took [s].
        method: "search", "branch and bound" or "relaxation", which the verdict is from.
        reason: in words, where the problem was not solved; else empty.
        regions: which of its regions each region constraint takes, (k,) of the skeleton's constraints in
            their order; empty where there are none or none was found.
        cost: of the posture [m, -]; None where there is none.
        cost_bound: no posture that satisfies the constraints costs less; None: not known.
    """

    positions: FloatArray = read_only()
    dof_names: tuple[str, ...]
    status: GlobalIKStatus
    linear_violation: float
    angular_violation: float
    linear_tolerance: float
    angular_tolerance: float
    lower_bound: float = 0.0
    nodes: int = 0
    time: float = 0.0
    method: str = "search"
    reason: str = ""
    regions: tuple[int, ...] = ()
    cost: float | None = None
    cost_bound: float | None = None

    @property
    def success(self) -> bool:
        """Whether the positions satisfy all constraints."""
        return self.status is GlobalIKStatus.SOLVED

    @property
    def infeasible(self) -> bool:
        """Whether it is proved that no posture does."""
        return self.status is GlobalIKStatus.INFEASIBLE

    @property
    def undecided(self) -> bool:
        """Whether neither is known."""
        return self.status is GlobalIKStatus.UNDECIDED

    def __bool__(self) -> bool:
        return self.success

    def __str__(self) -> str:
        took = f"{self.nodes} nodes, {self.time:.3g} s, {self.method}"
        if self.success:
            return (
                f"solved within {self.linear_violation:.2g} m and {self.angular_violation:.2g} rad ({took})"
            )
        if self.infeasible:
            return (
                f"infeasible: no posture within the limits comes within {self.linear_tolerance:.3g} m and "
                f"{self.angular_tolerance:.3g} rad ({took})"
            )
        missed = f"{self.linear_violation:.3g} m and {self.angular_violation:.3g} rad"
        return f"undecided: {self.reason}; the nearest posture misses by {missed} ({took})"
