"""Base of analytical methods."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from kido.ik._analytical._best_solution import analytical_gradient, direct_result
from kido.ik._analytical._options import (
    ExtraDofUtilization,
    checked_comparison,
    checked_utilization,
    transpose_gradient,
)
from kido.ik._analytical._result import AnalyticalResult
from kido.ik._analytical._solution import (
    AnalyticalSolution,
    Comparison,
    Validity,
    checked_rows,
    into_limits,
    ranked,
)
from kido.ik._error_methods._error_method import ErrorMethod, unclamped
from kido.ik._gradient_methods._gradient_method import GradientMethod, LimitedMethod
from kido.ik._gradient_methods._step_limits import checked_clamp
from kido.ik._method import settable
from kido.ik._query import IKQuery
from kido.ik._result import IKResult
from kido.ik._user_output import finite_array
from kido.math import as_transform_matrix
from kido.skeleton import DegreeOfFreedom
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array
from kido.values import checked, value

__all__ = ["Analytical", "AnalyticalValue", "desired_pose"]


class Analytical(GradientMethod):
    """A gradient method that computes all positions at which a node reaches its target.

    A method of your own derives from it and has `compute_solutions` and `analytical_dofs`. Limits, whole
    turns and the order of solutions are seen to here. A module that is given such a method loses the clamp
    and the weights of its error method, which would shorten what can be solved at once; set another error
    method afterwards to have them all the same. Components of weight zero keep it.

    `solve` takes the best solution as it is. As a gradient, in hierarchies and for solvers, it is the
    difference of the present positions and the best solution, or of what comes nearest within the limits
    where none is valid. Only a module without objectives and solver of its own, whose target does not move
    with its dofs, is solved at once; where it does, searches take their own steps.
    """

    def __init__(
        self,
        *,
        extra_dof_utilization: ExtraDofUtilization = ExtraDofUtilization.UNUSED,
        extra_error_length_clamp: float = 1.0,
        better: Comparison | None = None,
        component_weights: ArrayLike = (),
        component_clamp: float = math.inf,
    ) -> None:
        """A method with options, which a class of your own may set here, in its own constructor, as fields of
        a dataclass, or as properties.

        Args:
            extra_dof_utilization: when dofs of the module that the method does not solve for are moved.
            extra_error_length_clamp: largest length of the error that they see [-], above 0.
            better: whether positions are a better solution than others, for a module; None: the nearer ones.
            component_weights: as of every gradient method.
            component_clamp: as of every gradient method.

        Raises TypeError or ValueError naming the argument.
        """
        super().__init__(component_weights=component_weights, component_clamp=component_clamp)
        own = {
            "extra_dof_utilization": checked_utilization("extra_dof_utilization", extra_dof_utilization),
            "extra_error_length_clamp": checked_clamp("extra_error_length_clamp", extra_error_length_clamp),
            "better": checked_comparison("better", better),
        }
        defaults = {"extra_dof_utilization": ExtraDofUtilization.UNUSED, "extra_error_length_clamp": 1.0}
        vars(self).update({name: given for name, given in own.items() if given != defaults.get(name)})

    @settable
    def extra_dof_utilization(self) -> ExtraDofUtilization:
        """Time at which dofs of the module that this method does not solve for are moved; by default
        never."""
        return ExtraDofUtilization.UNUSED

    @settable
    def extra_error_length_clamp(self) -> float:
        """Largest length of the error that the extra dofs see [-]."""
        return 1.0

    @settable
    def better(self) -> Comparison | None:
        """`better(a, b, ik)` tells whether positions `a` (n,) are a better solution than `b` (n,) [rad, m].

        None, the default: that whose largest change from the present positions is the smaller one.
        """
        return None

    # ---- members of methods that users write

    @abstractmethod
    def compute_solutions(self, ik: IKQuery, desired: FloatArray) -> Iterable[AnalyticalSolution | ArrayLike]:
        """All solutions for a pose (4, 4) in the world of the module's point [m], in any order.

        They are rows of positions (n,) of the `analytical_dofs` [rad, m], or AnalyticalSolution for those
        that come near but are OUT_OF_REACH. Limits need not be regarded.
        """

    @abstractmethod
    def analytical_dofs(self, ik: IKQuery) -> Sequence[DegreeOfFreedom]:
        """The dofs that solutions have positions for, in their order: those of the module, or some of
        them."""

    def extra_dof_gradient(
        self, ik: IKQuery, error: FloatArray, utilization: ExtraDofUtilization
    ) -> FloatArray:
        """Velocities (k,) of the module's dofs that would make an error (m,) [rad, m], zero for all but the
        extra dofs; by default those of the Jacobian transpose.

        Args:
            ik: the module.
            error: weighted (m,) [rad, m].
            utilization: PRE_ANALYTICAL or POST_ANALYTICAL, for when it is.
        """
        return transpose_gradient(ik, error, self.extra_places(ik), self.extra_error_length_clamp)

    # ---- answers

    def solutions(self, ik: IKQuery, desired: TransformLike | None = None) -> AnalyticalResult:
        """All solutions, the best first: valid ones, then those out of reach, then those beyond limits.

        Angles are shifted by whole turns into their limits, nearest to the present ones.

        Args:
            ik: the module.
            desired: pose (4, 4) in the world of its point [m]; None: what its error method desires.

        Raises:
            TypeError, ValueError: no pose; naming the method, solutions or dofs of the wrong kind or size.
        """
        return self.ranked_solutions(ik, self.compute_solutions(ik, desired_pose(ik, desired)))

    def ranked_solutions(
        self, ik: IKQuery, given: Iterable[AnalyticalSolution | ArrayLike]
    ) -> AnalyticalResult:
        """Solutions with their limits checked, in their order. Raises as `solutions` does.

        Args:
            ik: the module.
            given: solutions or rows of positions (n,) [rad, m].
        """
        dofs = self.checked_dofs(ik)
        rows, flags = checked_rows(f"{self.name}.compute_solutions", given, len(dofs))
        positions, beyond = into_limits(ik, dofs, rows)
        flags = flags | np.where(beyond > 0.0, Validity.LIMIT_VIOLATED, 0)
        present = ik.node.skeleton.positions[[dof.index for dof in dofs]]
        order = ranked(ik, present, positions, flags, self.better)
        names = tuple(dof.name for dof in dofs)
        return AnalyticalResult(positions[order], flags[order].astype(np.uint8), names)

    def positions(self, ik: IKQuery) -> FloatArray:
        """Present positions (n,) of the analytical dofs [rad, m]."""
        return ik.node.skeleton.positions[[dof.index for dof in self.checked_dofs(ik)]]

    def set_positions(self, ik: IKQuery, positions: ArrayLike) -> None:
        """Move the analytical dofs to positions (n,) [rad, m].

        Raises TypeError or ValueError for what are not n finite numbers.
        """
        dofs, skeleton = self.checked_dofs(ik), ik.node.skeleton
        q = skeleton.positions.copy()
        q[[dof.index for dof in dofs]] = frozen_array("positions", positions, (len(dofs),), "rad, m")
        skeleton.positions = q

    def dof_map(self, ik: IKQuery) -> tuple[int, ...]:
        """The place of each analytical dof among those of the module; -1 for one that the module does not
        move."""
        places = {dof: i for i, dof in enumerate(ik.dofs)}
        return tuple(places.get(dof, -1) for dof in self.checked_dofs(ik))

    def extra_places(self, ik: IKQuery) -> list[int]:
        """The places among the module's dofs of those that are not analytical."""
        solved = set(self.dof_map(ik))
        return [i for i in range(len(ik.dofs)) if i not in solved]

    def checked_dofs(self, ik: IKQuery) -> tuple[DegreeOfFreedom, ...]:
        """The analytical dofs.

        Raises TypeError or ValueError, naming the method, for what are no different dofs of the skeleton.
        """
        part = f"{self.name}.analytical_dofs"
        given = self.analytical_dofs(ik)
        if not isinstance(given, Iterable):
            raise TypeError(f"{part}: expected degrees of freedom, got {given!r}")
        dofs = tuple(given)
        for dof in dofs:
            if not isinstance(dof, DegreeOfFreedom):
                raise TypeError(f"{part}: expected degrees of freedom, got {dof!r}")
            if dof.skeleton is not ik.node.skeleton:
                raise ValueError(f"{part}: {dof.name!r} belongs to another skeleton than {ik.node.name!r}")
        if not dofs or len(set(dofs)) != len(dofs):
            got = [dof.name for dof in dofs]
            raise ValueError(f"{part}: expected one or more different dofs, got {got}")
        return dofs

    # ---- interface of modules

    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """Velocities (k,) that lead from the best solution back to the present positions [rad, m].

        Where no solution is valid, from what comes nearest within the limits, unless extra dofs are still to
        be moved afterwards. There is no need to override it.
        """
        return analytical_gradient(self, ik, error)

    def knows_steps(self, ik: IKQuery) -> bool:
        """Whether the target stays where it is: a solution does not regard that it moves with the dofs."""
        return not (ik.moves(ik.target) or ik.moves(ik.error_axes))

    def solve_directly(self, ik: IKQuery) -> IKResult | None:
        """The best solution as the module's answer; None where the target moves with the dofs."""
        return direct_result(self, ik) if self.knows_steps(ik) else None

    def error_method_for(self, ik: IKQuery) -> ErrorMethod:
        """The module's error method without clamp and with the same weight for all that has one.

        Raises as `checked_dofs` does.
        """
        self.checked_dofs(ik)
        return unclamped(ik.error_method)


@value
class AnalyticalValue(LimitedMethod, Analytical):
    """Base of kido's analytical methods: values with the options of `Analytical`."""

    extra_dof_utilization: ExtraDofUtilization = checked(
        checked_utilization, default=ExtraDofUtilization.UNUSED, kw_only=True
    )
    extra_error_length_clamp: float = checked(checked_clamp, default=1.0, kw_only=True)
    better: Comparison | None = checked(checked_comparison, default=None, kw_only=True)
    component_clamp: float = checked(checked_clamp, default=math.inf, kw_only=True)


def desired_pose(ik: IKQuery, desired: TransformLike | None) -> FloatArray:
    """A pose (4, 4) in the world of a module's point [m]; None: what its error method desires.

    Raises TypeError or ValueError for what is no pose.
    """
    if desired is None:
        method = ik.error_method
        return finite_array(f"{method.name}.desired_transform", method.desired_transform(ik), (4, 4))
    pose = as_transform_matrix(desired, "desired")
    if pose.shape != (4, 4):
        raise ValueError(f"desired: expected shape (4, 4) [m], got {pose.shape}")
    return pose
