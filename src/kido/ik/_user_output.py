"""Output of methods and solvers that users write, checked, and what `check` of methods is made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeGuard

import numpy as np

from kido import _core
from kido.ik._query import IKQuery
from kido.optimize import Problem, Result, Solver, checked_array
from kido.typing import FloatArray

__all__ = []

_FLOAT64 = np.dtype(np.float64)


@contextmanager
def unchanged(ik: IKQuery) -> Iterator[None]:
    """Context after which the module, its target and its skeleton are as they were.

    Raises TypeError for what is no module.
    """
    if not hasattr(type(ik), "error_method"):
        raise TypeError(f"ik: expected an inverse kinematics module, got {type(ik).__name__}")
    skeleton, target, properties = ik.node.skeleton, ik.target, ik.properties
    positions, placement = skeleton.positions, target.relative_transform
    try:
        yield
    finally:
        skeleton.positions = positions
        target.relative_transform = placement
        ik.properties = properties


def check_positions(ik: IKQuery, samples: int) -> Iterator[FloatArray]:
    """The present positions (n,) of the skeleton, then others with random ones of the module's dofs, the same
    at every call [rad, m]."""
    skeleton, dofs = ik.node.skeleton, ik.dof_indices
    present, rng = skeleton.positions, np.random.default_rng(0)
    yield present
    for drawn in skeleton.tree.random_positions(rng, samples):
        q = present.copy()
        q[dofs] = drawn[dofs]
        yield q


def moved(ik: IKQuery, q: FloatArray, step: FloatArray) -> FloatArray:
    """Positions (n,) that velocities (k,) of the module's dofs lead to in one second [rad, m]."""
    v = np.zeros(len(q))
    v[ik.dof_indices] = step
    return np.asarray(ik.node.skeleton.tree.integrate(q, v, 1.0))


def asked(
    part: str,
    ik: IKQuery,
    ask: Callable[[], object],
    shape: tuple[int, ...],
    same: str = "at the same positions",
) -> FloatArray:
    """A method's answer as an array of this shape, -1 being any length [rad, m].

    Raises TypeError or ValueError, naming the part, for another shape, numbers that are not finite, another
    answer to the same question, and where the skeleton or the target moved.
    """
    skeleton, target = ik.node.skeleton, ik.target
    q, pose = skeleton.positions.copy(), target.transform()
    first = finite_array(part, ask(), shape).copy()
    _refuse_motion(part, np.array_equal(skeleton.positions, q), np.array_equal(target.transform(), pose))
    again = finite_array(part, ask(), shape)
    if not np.array_equal(first, again):
        raise ValueError(f"{part}: expected the same {same}, got {first.tolist()} and then {again.tolist()}")
    return first


def _refuse_motion(part: str, skeleton_stays: bool, target_stays: bool) -> None:
    for what, stays in (("positions of the skeleton", skeleton_stays), ("target", target_stays)):
        if not stays:
            raise ValueError(f"{part}: expected the {what} to be left as they were, got others")


def is_finite_array(got: object, dimensions: int) -> TypeGuard[FloatArray]:
    """Whether `got` is an array of finite float64 that need not be converted; what is not may be others."""
    if type(got) is not np.ndarray or got.dtype is not _FLOAT64 or got.ndim != dimensions:
        return False
    flags = got.flags
    return flags.c_contiguous and flags.aligned and _core.has_numbers(got, False)


def finite_array(part: str, got: object, shape: tuple[int, ...]) -> FloatArray:
    """`got` [rad, m] as an array of this `shape`, -1 being any length.

    Raises TypeError or ValueError, naming the part, for another shape and for numbers that are not finite.
    """
    array = checked_array(part, got, shape)
    if not _core.has_numbers(array, infinite=False):
        raise ValueError(f"{part}: expected finite numbers [rad, m], got {array.tolist()}")
    return array


def pair_of(part: str, got: Any) -> tuple[Any, Any]:
    """`got` as velocities and a state. Raises TypeError, naming the part, for what is no pair."""
    if not isinstance(got, tuple) or len(got) != 2:
        raise TypeError(f"{part}: expected a pair of velocities and state, got {type(got).__name__}")
    return got[0], got[1]


def norm(vector: FloatArray) -> float:
    """Euclidean norm of a vector (m,), finite where the norm itself is."""
    return math.hypot(*vector.tolist())


def checked_solution(solver: Solver, problem: Problem, owner: str) -> Result:
    """The result of a solver for a problem.

    Args:
        solver: the solver.
        problem: what it solves.
        owner: what the problem belongs to, in messages.

    Raises:
        TypeError: the solver returned no `Result`.
        ValueError: its x has another size than the problem, or is outside of the bounds by more than the
            solver's `constraint_tolerance`.

    What the solver itself raises comes out as it is, with a note that says who was asked.
    """
    part = f"{type(solver).__name__}.solve"
    lower, upper = problem.lower_bounds, problem.upper_bounds
    try:
        found = solver.solve(problem)
    except Exception as error:
        if hasattr(error, "add_note"):
            error.add_note(f"raised by {part}, for the problem of {owner}")
        raise
    if not isinstance(found, Result):
        raise TypeError(f"{part}: expected a Result, got {_brief(found)}")
    if found.x.shape != lower.shape:
        raise ValueError(f"{part}: expected x of shape {lower.shape}, got {found.x.shape}")
    beyond = np.maximum(lower - found.x, found.x - upper)
    worst = int(np.argmax(beyond)) if len(beyond) else 0
    if len(beyond) and beyond[worst] > solver.constraint_tolerance:
        got = f"x[{worst}] = {found.x[worst]:.6g} outside [{lower[worst]:.6g}, {upper[worst]:.6g}]"
        raise ValueError(f"{part}: expected x within the bounds, got {got}")
    return found


def _brief(got: object) -> str:
    """Description of what was returned, in a few words."""
    if got is None:
        return "None"
    text = repr(got)
    return f"{type(got).__name__} {text}" if len(text) <= 60 else type(got).__name__
