"""Quadratic programs solved by other libraries."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kido.errors import MissingDependencyError
from kido.optimize._quadratic_result import QuadraticResult
from kido.typing import FloatArray

__all__ = ["Arguments", "solve_by_peer"]

_SOLVED, _INFEASIBLE, _UNBOUNDED, _STOPPED, _NOT_CONVEX = range(5)

_TOLERANCE = 1e-9


class _One(NamedTuple):
    """One program, with bounds (n + m,) of unknowns and rows."""

    H: FloatArray
    g: FloatArray
    A: FloatArray
    lower: FloatArray
    upper: FloatArray


class _End(NamedTuple):
    """x (n,), multipliers (n + m,), a status and iterations."""

    x: FloatArray
    multipliers: FloatArray
    code: int
    iterations: int


class Arguments(NamedTuple):
    """Of programs, with leading axes `shape`, as of a `QuadraticProgram`."""

    shape: tuple[int, ...]
    H: FloatArray
    g: FloatArray
    A: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray
    lower: FloatArray
    upper: FloatArray


def solve_by_peer(method: str, programs: Arguments) -> QuadraticResult:
    """Programs one after the other. Raises MissingDependencyError where the library is not installed."""
    solve: Callable[[_One], _End] = {"daqp": _daqp, "proxsuite": _proxsuite}[method]
    shape, n, m = programs.shape, programs.g.shape[-1], programs.A.shape[-2]
    count = math.prod(shape)
    lower = _joined(shape, programs.lower, programs.row_lower)
    upper = _joined(shape, programs.upper, programs.row_upper)
    H = np.broadcast_to(programs.H, (*shape, n, n)).reshape(count, n, n)
    g = np.broadcast_to(programs.g, (*shape, n)).reshape(count, n)
    A = np.broadcast_to(programs.A, (*shape, m, n)).reshape(count, m, n)
    each = [_One(*(np.array(x) for x in row)) for row in zip(H, g, A, lower, upper, strict=True)]
    ends = [solve(one) for one in each]
    x = np.array([end.x for end in ends]).reshape(*shape, n)
    force = np.array([end.multipliers for end in ends]).reshape(*shape, n + m)
    residual = [_residual(one, end) for one, end in zip(each, ends, strict=True)]
    return QuadraticResult(
        x,
        force,
        np.where(force > 0.0, -1.0, np.where(force < 0.0, 1.0, 0.0)),
        np.array([end.code for end in ends], np.intc).reshape(shape),
        np.array([end.iterations for end in ends], np.intc).reshape(shape),
        np.array(residual).reshape(shape),
    )


def _residual(program: _One, end: _End) -> float:
    n = len(program.g)
    parts = (program.H @ end.x, program.g, -end.multipliers[:n], -program.A.T @ end.multipliers[n:])
    size = sum(np.abs(part) for part in parts)
    left = np.abs(sum(parts))
    return float(np.max(left, initial=0.0) / max(float(np.max(size, initial=0.0)), np.finfo(float).tiny))


def _joined(shape: tuple[int, ...], *parts: FloatArray) -> FloatArray:
    spread = [np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts]
    size = sum(part.shape[-1] for part in parts)
    return np.concatenate(spread, axis=-1).reshape(math.prod(shape), size)


def _daqp(program: _One) -> _End:
    """Arnström, Bemporad and Axehill (2022)."""
    try:
        import daqp
    except ImportError:
        raise MissingDependencyError("daqp", "quadratic", "method='daqp'") from None
    sense = np.where(program.lower == program.upper, 5, 0).astype(np.intc)
    x, _, flag, info = daqp.solve(
        program.H,
        program.g,
        program.A,
        program.upper,
        program.lower,
        sense,
        primal_tol=_TOLERANCE,
        dual_tol=_TOLERANCE,
    )
    code = {1: _SOLVED, 2: _SOLVED, -1: _INFEASIBLE, -3: _UNBOUNDED, -5: _NOT_CONVEX}.get(flag, _STOPPED)
    return _End(x, -np.asarray(info["lam"]), code, int(info["iterations"]))


def _proxsuite(program: _One) -> _End:
    """Bambade, El-Kazdadi, Taylor and Carpentier (2022)."""
    try:
        import proxsuite
    except ImportError:
        raise MissingDependencyError("proxsuite", "quadratic", "method='proxsuite'") from None
    n = len(program.g)
    rows = np.concatenate([np.eye(n), program.A])
    equal = program.lower == program.upper
    solver: Any = proxsuite.proxqp.dense.QP(n, int(equal.sum()), int((~equal).sum()))
    solver.settings.eps_abs = _TOLERANCE
    solver.init(
        program.H,
        program.g,
        rows[equal],
        program.lower[equal],
        rows[~equal],
        np.maximum(program.lower[~equal], -1e20),
        np.minimum(program.upper[~equal], 1e20),
    )
    solver.solve()
    status = str(solver.results.info.status).rsplit(".", 1)[-1]
    codes = {
        "PROXQP_SOLVED": _SOLVED,
        "PROXQP_PRIMAL_INFEASIBLE": _INFEASIBLE,
        "PROXQP_DUAL_INFEASIBLE": _UNBOUNDED,
    }
    force = np.zeros(len(rows))
    force[equal], force[~equal] = -solver.results.y, -solver.results.z
    return _End(solver.results.x, force, codes.get(status, _STOPPED), int(solver.results.info.iter))
