"""A module at the positions of its skeleton: poses, errors and their derivatives, steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from kido.frame import WORLD, Frame
from kido.ik._carrier import carrier_of
from kido.ik._error_methods._error_bounds import ErrorBounds
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._region import describes
from kido.ik._gradient_methods._gradient_method import GradientMethod, checked_gradient
from kido.ik._module._ik_parts import IKParts
from kido.ik._module._properties import IKProperties
from kido.ik._search._module_search import SearchCache
from kido.ik._search._pose_problem import PoseProblem
from kido.ik._user_output import finite_array, is_finite_array, norm
from kido.optimize import checked_array, checked_number
from kido.skeleton import BodyNode
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["IKState"]


class IKState(IKParts):
    """Base of the module: what parts and searches ask of it at the positions of its skeleton."""

    _search_cache: SearchCache | None = None
    _known_offset: tuple[IKProperties, FloatArray | None] | None = None

    @property
    def gradient_method(self) -> GradientMethod:
        """Gradient method of the dofs; by default damped least squares. Can be set."""
        method: GradientMethod = self.properties.gradient_method
        return method

    @gradient_method.setter
    def gradient_method(self, method: GradientMethod) -> None:
        properties = replace(self.properties, gradient_method=method)
        chosen = properties.gradient_method
        error_method = chosen.error_method_for(self)
        if not isinstance(error_method, ErrorMethod):
            got = type(error_method).__name__
            raise TypeError(f"{chosen.name}.error_method_for: expected an ErrorMethod, got {got}")
        self.properties = replace(properties, error_method=error_method)

    @property
    def positions(self) -> FloatArray:
        """Positions (k,) of the dofs now [rad, m]. Can be set.

        Raises RemovedError or EditError as `solve` does.
        """
        return self.owner.skeleton.positions[self.dof_places().array]

    @positions.setter
    def positions(self, positions: ArrayLike) -> None:
        dofs, skeleton = self.dof_places().array, self.owner.skeleton
        q = skeleton.positions.copy()
        q[dofs] = frozen_array("positions", positions, (len(dofs),), "rad, m")
        skeleton.positions = q

    @contextmanager
    def at(self, positions: ArrayLike) -> Iterator[None]:
        """Context in which the dofs are at positions (k,) [rad, m]; afterwards they are where they were."""
        skeleton = self.owner.skeleton
        saved = skeleton.positions
        self.positions = positions
        try:
            yield
        finally:
            skeleton.positions = saved

    @property
    def position_limits(self) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest positions (k,) of the dofs [rad, m]."""
        tree, dofs = self.owner.skeleton.tree, self.dof_indices
        return tree.lower_limits[dofs], tree.upper_limits[dofs]

    @property
    def point(self) -> FloatArray:
        """The frame (4, 4) on the body that shall reach the target [m]."""
        T = np.eye(4) if isinstance(self.owner, BodyNode) else self.owner.relative_transform.copy()
        T[:3, 3] += T[:3, :3] @ self.properties.offset
        return T

    def transform(self) -> FloatArray:
        """Pose (4, 4) in the world of the frame that shall reach the target [m]."""
        self.owner.skeleton  # noqa: B018 - raises where it was removed
        T, offset = self.owner.transform(), self._moved_by()
        if offset is not None:
            T[:3, 3] += T[:3, :3] @ offset
        return T

    def jacobian(self) -> FloatArray:
        """Jacobian (6, k) of the frame that shall reach the target, in world axes, angular first [-, m]."""
        places, offset = self.dof_places(), self._moved_by()
        if places.are_path:
            return self.owner.jacobian(offset, in_coordinates_of=WORLD)
        J = self.owner.skeleton.jacobian(self.owner, offset, in_coordinates_of=WORLD)
        return J.take(places.indices, axis=1)

    def _moved_by(self) -> FloatArray | None:
        """The offset (3,) of the properties [m]; None where it is zero."""
        properties, known = self.properties, self._known_offset
        if known is None or known[0] is not properties:
            offset = properties.offset
            known = self._known_offset = properties, offset if offset.any() else None
        return known[1]

    def frame_jacobian(self, frame: Frame) -> FloatArray:
        """Jacobian (6, k) of a frame's origin, in world axes, angular first; zero where the dofs do not move
        it."""
        if not self.moves(frame):
            return np.zeros((6, len(self.dofs)))
        J = self.owner.skeleton.jacobian(frame, in_coordinates_of=WORLD)
        return J.take(self.dof_places().indices, axis=1)

    def moves(self, frame: Frame) -> bool:
        """Whether the dofs move a frame."""
        carrier = carrier_of(frame)
        return carrier is not None and any(carrier.depends_on(dof) for dof in self.dofs)

    @property
    def reference_rotation(self) -> FloatArray:
        """Axes (3, 3) of the reference frame in the world, as columns [-]."""
        return self.reference_frame.transform()[:3, :3]

    @property
    def error(self) -> FloatArray:
        """The error (m,) of the error method now, present minus desired [rad, m].

        Raises TypeError or ValueError, naming the method, where it gives no finite numbers.
        """
        method = self.error_method
        error = method.compute_error(self)
        if is_finite_array(error, 1):
            return error
        return finite_array(f"{method.name}.compute_error", error, (-1,))

    @property
    def counted_error(self) -> FloatArray:
        """The error (m,), with components of weight zero set to zero [rad, m]."""
        error = self.error
        if self.error_method.weights is None:
            return error.copy()
        return np.where(self.weights(error) == 0.0, 0.0, error)

    def error_lengths(self, error: FloatArray) -> tuple[float, float]:
        """Norms of the angles [rad] and of the lengths [m] of an error (m,).

        Raises TypeError or ValueError, naming the method, where it gives no two numbers.
        """
        method = self.error_method
        got = method.lengths(self, error)
        if type(got) is tuple and len(got) == 2 and type(got[0]) is type(got[1]) is float:
            return got
        angular, linear = checked_array(f"{method.name}.lengths", got, (2,)).tolist()
        return angular, linear

    @property
    def error_axes(self) -> Frame:
        """The frame in whose axes the error is measured. Raises TypeError, naming the method, for others."""
        method = self.error_method
        axes = method.axes(self)
        if not isinstance(axes, Frame):
            raise TypeError(f"{method.name}.axes: expected a Frame, got {type(axes).__name__}")
        return axes

    def weighted_error(self) -> FloatArray:
        """The error (m,) with the method's weights, shortened to its clamp [-]."""
        error = self.error
        return self.clamped(self.weights(error) * error)

    def clamped(self, weighted: FloatArray) -> FloatArray:
        """A weighted error (m,), shortened to the clamp of the error method [-]."""
        clamp = self.error_method.length_clamp
        if type(clamp) is not float:
            clamp = checked_number(f"{self.error_method.name}.length_clamp", clamp)
        length = norm(weighted)
        return weighted if length <= clamp else np.asarray(weighted * (clamp / length))

    def weighted_error_and_jacobian(self) -> tuple[FloatArray, FloatArray]:
        """The error (m,) with the method's weights, shortened to its clamp, and the weighted Jacobian (m, k).

        Raises TypeError or ValueError, naming the method, for what has the wrong size or is not finite.
        """
        error = self.weighted_error()
        return error, self.weighted_jacobian(len(error))

    def weighted_jacobian(self, rows: int) -> FloatArray:
        """Derivative (rows, k) of the error by the velocities of the dofs, with the method's weights.

        Raises TypeError or ValueError, naming the method, for what has the wrong size or is not finite.
        """
        method, shape = self.error_method, (rows, len(self.dofs))
        J = method.compute_jacobian(self)
        if not (is_finite_array(J, 2) and J.shape == shape):
            J = finite_array(f"{method.name}.compute_jacobian", J, shape)
        if method.weights is None:
            return J.copy()
        return self.weights(np.empty(rows))[:, None] * J

    @property
    def has_bounds(self) -> bool:
        """Whether the error method tells the bounds of what it measures."""
        method = self.error_method
        own = describes(method, "compute_bounds", ("compute_error", "compute_jacobian"))
        return own and method.compute_bounds(self) is not None

    def weighted_bounds(self, rows: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Bounds of what the error method measures, with its weights: the derivative (rows, k), the lowest
        and the highest change (rows,); components without weight are free.

        Raises TypeError or ValueError, naming the method, for what is none or has the wrong size.
        """
        method, name = self.error_method, f"{self.error_method.name}.compute_bounds"
        bounds = method.compute_bounds(self)
        if not isinstance(bounds, ErrorBounds):
            raise TypeError(f"{name}: expected ErrorBounds, got {bounds!r}")
        weights = self.weights(np.empty(rows))
        J = finite_array(f"{name}.jacobian", bounds.jacobian, (rows, len(self.dofs)))
        lower = checked_array(f"{name}.lower", bounds.lower, (rows,))
        upper = checked_array(f"{name}.upper", bounds.upper, (rows,))
        if not (lower <= upper).all():
            raise ValueError(f"{name}: expected lower <= upper, got {lower.tolist()} and {upper.tolist()}")
        counts, open_ends = weights > 0.0, np.full(rows, np.inf)
        low = np.multiply(weights, lower, where=counts, out=-open_ends)
        return weights[:, None] * J, low, np.multiply(weights, upper, where=counts, out=open_ends)

    def weights(self, error: FloatArray) -> FloatArray:
        """The error method's weights (m,) for an error (m,) [-].

        Raises TypeError or ValueError, naming the method, for what are not m numbers."""
        given = self.error_method.weights
        if given is None:
            return np.ones(len(error))
        if type(given) is np.ndarray and given.dtype == np.float64 and given.shape == error.shape:
            return given
        return checked_array(f"{self.error_method.name}.weights", given, error.shape)

    def gradient(self) -> FloatArray:
        """Gradient (k,) of the gradient method by positions; a step goes against it [rad, m]."""
        return checked_gradient(self)

    def search_problem(self) -> PoseProblem:
        """The problem of the search; the cached one while it is valid."""
        return self._cache().problem

    def _cache(self) -> SearchCache:
        if self._search_cache is None or not self._search_cache.is_valid(self):
            self._search_cache = SearchCache(self)
        return self._search_cache
