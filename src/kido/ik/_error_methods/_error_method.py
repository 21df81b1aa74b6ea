"""Base of error methods."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kido.ik._error_methods._check import check_error_method
from kido.ik._error_methods._components import checked_clamp, checked_weights
from kido.ik._error_methods._error_bounds import ErrorBounds
from kido.ik._error_methods._region import Region
from kido.ik._method import Method, settable
from kido.ik._query import IKQuery
from kido.ik._user_output import finite_array, unchanged
from kido.optimize import difference_jacobian, real_array
from kido.typing import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kido.frame import Frame

__all__ = ["ErrorMethod", "unclamped"]


class ErrorMethod(Method, ABC):
    """Error of a node relative to its target: a vector that is zero at a solution.

    A method of your own derives from it and has `compute_error`, and `compute_jacobian` if that is known;
    otherwise it is made of differences. It keeps nothing of the module that it is given, so that one may
    serve many. Two are equal where they are of one class and have equal attributes; where it is a frozen
    dataclass, it is saved with its module. `check` compares its members with each other.
    """

    def __init__(self, *, weights: ArrayLike | None = None, length_clamp: float = math.inf) -> None:
        """A method with weights and a clamp. A class of your own may set both here, in its own constructor,
        as fields of a dataclass, or as properties.

        Args:
            weights: of each component (m,) [-], 0 or above; None: 1 for all.
            length_clamp: largest norm of a weighted error that gradient methods see [-], above 0.

        Raises TypeError or ValueError naming the argument.
        """
        if weights is not None:
            vars(self)["weights"] = checked_weights("weights", weights, -1)
        if length_clamp != math.inf:
            vars(self)["length_clamp"] = checked_clamp("length_clamp", length_clamp)

    @settable
    def weights(self) -> FloatArray | None:
        """Weight of each component (m,) [-]; None: 1 for all."""
        return None

    @settable
    def length_clamp(self) -> float:
        """Largest norm of a weighted error that gradient methods see [-]; longer ones are shortened."""
        return math.inf

    @abstractmethod
    def compute_error(self, ik: IKQuery) -> FloatArray:
        """The error (m,) at the positions of the skeleton, present minus desired [rad, m].

        Most methods have m = 6, angles first; components that they do not regard are zero.
        """

    def compute_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (m, k) of the error by the module's velocities; by default differences.

        A component that has no error, but would have one if it moved, may have the derivative of what it
        measures: steps keep it where it is.
        """
        return differenced_jacobian(self, ik)

    def compute_bounds(self, ik: IKQuery) -> ErrorBounds | None:
        """Bounds of what the error measures; by default None: there is no error but where it is zero.

        Searches that lower an objective move between them. A class that changes the error and has none of its
        own is taken to have none.
        """
        return None

    def compute_constraint(self, ik: IKQuery) -> FloatArray:
        """Continuous error (m,) that solvers with constraints make zero; by default the error [rad, m]."""
        return ik.error

    def compute_constraint_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (m, k) of `compute_constraint` by the module's velocities; by default that of the
        error."""
        return self.compute_jacobian(ik)

    def desired_transform(self, ik: IKQuery) -> FloatArray:
        """The pose (4, 4) in the world nearest to the present one at which there is no error [m].

        By default the target's. Analytical methods ask for it.
        """
        return ik.target.transform()

    def axes(self, ik: IKQuery) -> Frame:
        """The frame in whose axes the error is measured; by default the module's reference frame."""
        return ik.reference_frame

    def lengths(self, ik: IKQuery, error: FloatArray) -> tuple[float, float]:
        """Norms of the angles [rad] and of the lengths [m] of an error (m,); by default of its first three
        and of its other components."""
        numbers = error.tolist()
        return math.hypot(*numbers[:3]), math.hypot(*numbers[3:])

    @property
    def is_required(self) -> bool:
        """Whether a hierarchy fails while there is an error; by default it does. What is only wished for, as
        a posture, is lowered as far as the rest lets it."""
        return True

    def region(self, ik: IKQuery) -> Region | None:
        """The poses or positions without error, for native code; None, the default: it does not know them,
        and asks the method itself.

        It may depend on the method, on the module's dofs, and on where its `axes` are, on nothing else.
        """
        return None

    def check(self, ik: IKQuery, *, tolerance: float = 1e-4, samples: int = 10) -> None:
        """Compare the method's members with each other, as a module sees them.

        At the present and at random positions: sizes, finite numbers, the same answer twice, a skeleton that
        is left as it is; both Jacobians against differences of the errors, by velocities, but for components
        without error; weights, clamp, lengths, axes, desired pose; poses within the region, and outside.

        Args:
            ik: a module, with dofs and target to check the method for; it is left as it is.
            tolerance: largest difference that is accepted, relative to the largest number in a row [-].
            samples: number of random positions.

        Raises:
            TypeError, ValueError: they do not belong together; says which, at what row and dof.
        """
        with unchanged(ik):
            if ik.error_method is not self:
                ik.error_method = self
            check_error_method(ik, tolerance, samples)


def differenced_jacobian(method: ErrorMethod, ik: IKQuery) -> FloatArray:
    """Derivative (m, k) of a method's error by the module's velocities, of second order."""
    skeleton, indices = ik.node.skeleton, ik.dof_indices
    q, size = skeleton.positions, -1

    def error(step: FloatArray) -> FloatArray:
        nonlocal size
        v = np.zeros(len(q))
        v[indices] = step
        skeleton.positions = skeleton.tree.integrate(q, v, 1.0)
        found = finite_array(f"{method.name}.compute_error", method.compute_error(ik), (-1,))
        if size not in (-1, len(found)):
            expected = f"expected shape ({size},) as at the positions before"
            raise ValueError(f"{method.name}.compute_error: {expected}, got ({len(found)},)")
        size = len(found)
        return found

    try:
        return difference_jacobian(error, np.zeros(len(indices)))
    finally:
        skeleton.positions = q


def unclamped(method: ErrorMethod) -> ErrorMethod:
    """An error method without clamp, all of whose weights are 1 but for those that are 0.

    One that is no dataclass with fields `length_clamp` or `weights` stays as it is.
    """
    if not is_dataclass(method):
        return method
    known = {field.name for field in fields(method) if field.init}
    changes: dict[str, Any] = {}
    if "length_clamp" in known:
        changes["length_clamp"] = math.inf
    if "weights" in known and method.weights is not None:
        changes["weights"] = np.where(real_array("weights", method.weights) == 0.0, 0.0, 1.0)
    return replace(method, **changes) if changes else method
