"""Options of the mixed-integer convex relaxation."""

from __future__ import annotations

from enum import Enum
from importlib.util import find_spec
from typing import Any

from kido.errors import MissingDependencyError
from kido.values import Value, checked, checked_member, flag, register, value, whole

__all__ = ["IntervalBinning", "RelaxationApproach", "RelaxationOptions", "RelaxationSolver"]

_MOST_INTERVALS = 16


@register
class RelaxationApproach(str, Enum):
    """Relaxation of products of the entries of a rotation."""

    BILINEAR_MCCORMICK = "bilinear McCormick"
    """Each product of two entries by McCormick's envelope in the cell of their intervals."""
    BOX_SPHERE_INTERSECTION = "box-sphere intersection"
    """Each axis, a point of the unit sphere, by a half space in each cell of its intervals."""
    BOTH = "both"
    """Both of them."""


@register
class IntervalBinning(str, Enum):
    """Encoding of the interval of an entry by binary variables."""

    LOGARITHMIC = "logarithmic"
    """By the bits of a Gray code (Vielma and Nemhauser 2011)."""
    LINEAR = "linear"
    """By one variable for each interval."""


@register
class RelaxationSolver(str, Enum):
    """Solvers of the program."""

    HIGHS = "HiGHS"
    """Linear rows only; comes with SciPy."""
    SCIP = "SCIP"
    """Linear rows and second-order cones; extra `scip`."""


def _member(kind: type[Enum]) -> Any:
    return lambda name, given: checked_member(name, kind, given)


@value
class RelaxationOptions(Value):
    """Options of the mixed-integer convex relaxation of rotations.

    Attributes:
        num_intervals_per_half_axis: intervals of an entry of a rotation in [0, 1], and as many in [-1, 0].
        approach: how products of entries are relaxed.
        interval_binning: how intervals are chosen.
        linear_constraint_only: whether second-order cones are replaced by linear rows; HiGHS takes no others.
        solver: of the program.
    """

    num_intervals_per_half_axis: int = whole(default=1)
    approach: RelaxationApproach = checked(_member(RelaxationApproach), default="box-sphere intersection")
    interval_binning: IntervalBinning = checked(_member(IntervalBinning), default="logarithmic")
    linear_constraint_only: bool = flag(default=True)
    solver: RelaxationSolver = checked(_member(RelaxationSolver), default="HiGHS")

    def _check(self) -> None:
        """Raises ValueError for a number of intervals out of range, and for cones without SCIP;
        MissingDependencyError where SCIP is not installed."""
        if not 1 <= self.num_intervals_per_half_axis <= _MOST_INTERVALS:
            raise ValueError(
                f"num_intervals_per_half_axis: expected an integer from 1 to {_MOST_INTERVALS}, got "
                f"{self.num_intervals_per_half_axis}"
            )
        if not self.linear_constraint_only and self.solver is not RelaxationSolver.SCIP:
            raise ValueError(
                "linear_constraint_only: expected True, as HiGHS takes no second-order cones; "
                "`solver='SCIP'` does"
            )
        if self.solver is RelaxationSolver.SCIP and find_spec("pyscipopt") is None:
            raise MissingDependencyError("pyscipopt", "scip", "RelaxationOptions(solver='SCIP')")
