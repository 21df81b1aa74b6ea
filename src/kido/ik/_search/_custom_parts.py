"""Questions of native searches to parts that only Python knows: errors, Jacobians, steps and objectives."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.ik._gradient_methods._gradient_method import checked_step
from kido.ik._query import IKQuery
from kido.ik._search._pose_problem import PoseProblem, grouped
from kido.ik._user_output import norm
from kido.math import so3_exp, so3_log, so3_right_jacobian_inverse
from kido.optimize import Function, QuadraticFunction, checked_array, checked_number
from kido.skeleton import DegreeOfFreedom, Skeleton
from kido.typing import FloatArray

__all__ = [
    "CustomParts",
    "SearchObjective",
    "length_rows",
    "pose_difference",
    "search_error",
    "search_jacobian",
]


def pose_difference(target: FloatArray, pose: FloatArray) -> FloatArray:
    """Rotation vector [rad] and displacement [m] (6,) from a pose (4, 4) to a target (4, 4), in outer
    axes."""
    rotation = so3_log(target[:3, :3] @ pose[:3, :3].T)
    return np.concatenate([rotation, target[:3, 3] - pose[:3, 3]])


def search_error(problem: PoseProblem, ik: IKQuery) -> tuple[FloatArray, float, float]:
    """Weighted error (m,) of a module [-], and the norms of its angles [rad] and lengths [m] before
    weighting.

    The angles of a pose are its rotation vector, the shortest way to the target.
    """
    if not problem.is_pose:
        error = ik.counted_error
        weighted = error.copy() if ik.error_method.weights is None else ik.weights(error) * error
        return weighted, *ik.error_lengths(error)
    weights = problem.weights
    error = np.where(weights > 0.0, -pose_difference(ik.target.transform(), ik.transform()), 0.0)
    return weights * error, norm(error[:3]), norm(error[3:])


def _bounded_error(ik: IKQuery, rows: int) -> tuple[FloatArray, float, float]:
    """As `search_error`, from the bounds of what is measured."""
    _, lower, upper = ik.weighted_bounds(rows)
    weighted = -np.clip(0.0, lower, upper)
    weights = ik.weights(weighted)
    return weighted, *ik.error_lengths(weighted / np.where(weights > 0.0, weights, 1.0))


def search_jacobian(problem: PoseProblem, ik: IKQuery, rows: int) -> FloatArray:
    """Derivative (rows, k) of the weighted error by the velocities of the dofs."""
    if not problem.is_pose:
        return ik.weighted_jacobian(rows)
    return np.asarray(problem.weights[:, None] * (ik.jacobian() - ik.frame_jacobian(ik.target)))


def length_rows(ik: IKQuery, count: int) -> NDArray[np.bool_]:
    """Whether each of the `count` components of a module's error is a length (count,), else it is an
    angle."""
    return np.array([ik.error_lengths(row)[1] > 0.0 for row in np.eye(count)], dtype=bool)


def _by_all_dofs(problem: PoseProblem, columns: FloatArray) -> FloatArray:
    """Numbers (..., k) of the dofs of a problem as those (..., n) of all dofs; zero for others."""
    if problem.are_all:
        return columns
    whole = np.zeros((*columns.shape[:-1], problem.tree.num_dofs))
    whole[..., problem.dofs] = columns
    return whole


class _HasObjectives(Protocol):
    """A module or a hierarchy."""

    @property
    def lowered_functions(self) -> tuple[Function, ...]: ...


class SearchObjective:
    """Sum of the objectives of a module or a hierarchy at the positions of the skeleton, and its gradient by
    velocities.

    Attributes:
        moves: places of the dofs that are moved for it.
        quadratics: parts that native code knows; the value and the gradient here are those of the others.
    """

    __slots__ = (
        "_are_all",
        "_dofs",
        "_functions",
        "_groups",
        "_limits",
        "_skeleton",
        "moves",
        "quadratics",
    )

    def __init__(
        self, skeleton: Skeleton, owner: _HasObjectives, dofs: tuple[DegreeOfFreedom, ...], moves: list[int]
    ) -> None:
        """The objectives of `owner`, functions of the positions of some dofs, for which some are moved.

        Raises ValueError for a quadratic function of another number of positions.
        """
        self.moves = moves
        self._skeleton, self._dofs = skeleton, np.array([dof.index for dof in dofs], dtype=np.intp)
        self._are_all = self._dofs.tolist() == list(range(skeleton.num_dofs))
        functions = owner.lowered_functions
        self._functions = tuple(f for f in functions if type(f) is not QuadraticFunction)
        self.quadratics = [self._native(f) for f in functions if type(f) is QuadraticFunction]
        tree = skeleton.tree
        self._limits = tree.lower_limits[self._dofs], tree.upper_limits[self._dofs]
        places = {dof: i for i, dof in enumerate(dofs)}
        self._groups = [
            ([places[dof.joint.dof(dof.index_in_joint + i)] for i in range(3)], dof)
            for dof in dofs
            if grouped(dof) and dof.index_in_joint % 3 == 0
        ]

    @property
    def asks_python(self) -> bool:
        """Whether there are parts that native code does not know."""
        return len(self._functions) > 0

    def _native(self, function: QuadraticFunction) -> _core.QuadraticObjective:
        if len(function.center) != len(self._dofs):
            expected = f"{function.name}: expected a center of shape ({len(self._dofs)},), one for each dof"
            raise ValueError(f"{expected}, got {function.center.shape}")
        return _core.QuadraticObjective(
            self._dofs.tolist(), function.curvature, function.slope, function.center
        )

    def __call__(self) -> tuple[float, FloatArray]:
        """The value, and the gradient (num_dofs,) by the velocities of all dofs of the skeleton.

        Raises TypeError or ValueError, naming the function, for what is no number or no array (k,) of finite
        numbers.
        """
        x = self._skeleton.positions.copy() if self._are_all else self._skeleton.positions[self._dofs]
        if len(self._functions) == 1:
            value, gradient = _value(self._functions[0], x), _gradient(self._functions[0], x, *self._limits)
            if self._are_all and not self._groups:
                return value, np.ascontiguousarray(gradient)
            gradient = gradient.copy()
        else:
            value, gradient = 0.0, np.zeros(len(x))
            for function in self._functions:
                value += _value(function, x)
                gradient += _gradient(function, x, *self._limits)
        for places, dof in self._groups:
            rotation = dof.joint.positions[:3]
            rate = so3_exp(rotation) if dof.index_in_joint else so3_right_jacobian_inverse(rotation)
            gradient[places] = rate.T @ gradient[places]  # positions change by `rate` times velocities
        whole = np.zeros(self._skeleton.num_dofs)
        whole[self._dofs] = gradient
        return value, whole


def _value(function: Function, x: FloatArray) -> float:
    got = function.value(x)
    return got if type(got) is float else checked_number(f"{function.name}.value", got)


def _gradient(function: Function, x: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    got = function.gradient_within(x, lower, upper)
    if type(got) is np.ndarray and got.dtype == np.float64 and got.shape == x.shape:
        return got
    return checked_array(f"{function.name}.gradient", got, x.shape)


class CustomParts:
    """Errors, Jacobians and steps of modules at positions of their skeleton, which is moved there; task i is
    that of module i.

    What gradient methods keep between steps is kept here, for one search.

    Attributes:
        rows: the number of components of each module's error; 0 where it is not asked for.
    """

    __slots__ = (
        "_bounded",
        "_first",
        "_modules",
        "_next_states",
        "_objective",
        "_problems",
        "_skeleton",
        "_start",
        "_states",
        "rows",
    )

    def __init__(
        self,
        skeleton: Skeleton,
        modules: tuple[IKQuery, ...],
        problems: tuple[PoseProblem, ...],
        asked: list[bool],
        bounded: list[bool],
        objective: SearchObjective | None,
    ) -> None:
        """Parts of a search from the present positions.

        Args:
            skeleton: of the modules.
            modules: those of the search, with their `problems`.
            asked: whether the error of each is asked for.
            bounded: whether it is taken from the bounds of what is measured.
            objective: what is to be lowered beside the errors.
        """
        self._bounded = bounded
        self._objective = objective
        self._skeleton, self._modules, self._problems = skeleton, modules, problems
        self._start: FloatArray = skeleton.positions
        self._first = {i: search_error(problems[i], modules[i]) for i, ask in enumerate(asked) if ask}
        self.rows = [len(self._first[i][0]) if ask else 0 for i, ask in enumerate(asked)]
        self._states: dict[int, Any] = {}
        self._next_states: dict[int, Any] = {}

    def place(self, positions: FloatArray) -> None:
        """Move the skeleton to positions (n,) [rad, m].

        States are those that the steps from the last positions left. Where none was asked for there, as
        before another start, a mirror image and a step that is taken back, states begin anew.
        """
        self._states, self._next_states = self._next_states, {}
        self._skeleton.positions = positions
        if self._first and not np.array_equal(positions, self._start):
            self._first.clear()

    def error(self, task: int) -> tuple[FloatArray, float, float]:
        """Weighted error (m,), present minus desired [-], and the norms of its angles [rad] and lengths [m].

        Raises ValueError where it has another number of components than before.
        """
        module, first = self._modules[task], self._first.pop(task, None) if self._first else None
        if self._bounded[task]:
            return _bounded_error(module, self.rows[task])
        if first is not None:
            return first
        error, angular, linear = search_error(self._problems[task], module)
        if len(error) != self.rows[task]:
            expected = f"expected shape ({self.rows[task]},) as at the positions before"
            raise ValueError(f"{module.error_method.name}.compute_error: {expected}, got ({len(error)},)")
        return error, angular, linear

    def jacobian(self, task: int) -> FloatArray:
        """Derivative (m, n) of the weighted error by the velocities of all dofs."""
        problem, module, rows = self._problems[task], self._modules[task], self.rows[task]
        if not self._bounded[task]:
            return _by_all_dofs(problem, search_jacobian(problem, module, rows))
        J, lower, upper = module.weighted_bounds(rows)
        stay = np.isfinite(lower) & np.isfinite(upper)  # steps keep these where they are between their bounds
        J[~(stay | (lower > 0.0) | (upper < 0.0))] = 0.0
        return _by_all_dofs(problem, J)

    def bounds(self, task: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Derivative (m, n) of what a module measures by the velocities of all dofs, and the lowest and the
        highest change (m,) of it without error; all weighted."""
        J, lower, upper = self._modules[task].weighted_bounds(self.rows[task])
        return _by_all_dofs(self._problems[task], J), lower, upper

    def step(self, task: int, error: FloatArray | None, jacobian: FloatArray | None) -> FloatArray:
        """Velocities (n,) of the module's gradient method, downhill [rad, m].

        Args:
            task: which module.
            error: its weighted error (m,) [-]; None: it is asked for.
            jacobian: the derivative (m, n) of that by all velocities.
        """
        problem, module = self._problems[task], self._modules[task]
        if error is None or jacobian is None:
            given = module.weighted_error_and_jacobian()
        else:
            given = module.clamped(error), jacobian if problem.are_all else jacobian[:, problem.dofs]
        method = module.gradient_method
        state = self._states[task] if task in self._states else method.initial_state(module)
        velocities, self._next_states[task] = checked_step(module, *given, state)
        return _by_all_dofs(problem, -method.limited(velocities))

    def objective(self) -> tuple[float, FloatArray]:
        """The objective, and its gradient (n,) by velocities. Raises as `SearchObjective` does."""
        assert self._objective is not None
        return self._objective()

    def is_length(self, task: int) -> FloatArray:
        """Whether components of the error (m,) are lengths."""
        return length_rows(self._modules[task], self.rows[task]).astype(np.float64)
