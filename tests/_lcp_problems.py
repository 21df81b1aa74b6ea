"""Complementarity problems with known solutions, and ways to judge answers that use no code of kido."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from kido.lcp import BoxedLCP, FrictionCone

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Known:
    """A problem, one solution, and whether x is the only one."""

    problem: BoxedLCP
    x: Array
    w: Array
    is_unique: bool


def gram(rng: np.random.Generator, n: int, rank: int | None = None) -> Array:
    """A symmetric matrix (n, n): well conditioned, or of the given rank."""
    rank = 2 * n if rank is None else rank
    J = rng.normal(size=(n, rank))
    return J @ J.T / max(rank, 1)


def boxed(
    rng: np.random.Generator, n: int, *, rank: int | None = None, degenerate: float = 0.0, spread: float = 0.0
) -> Known:
    """Rows of all kinds: with both bounds, one of them, none, and equal ones.

    Args:
        rng: random numbers.
        n: number of rows.
        rank: of A; None: A is positive definite.
        degenerate: part of the rows at a bound with w = 0 too.
        spread: powers of ten that the units of rows differ by.
    """
    A = gram(rng, n, rank)
    lower, upper = rng.uniform(-2, 0.5, n), rng.uniform(0.6, 2, n)
    kind = rng.integers(0, 5, n)
    lower[(kind == 1) | (kind == 3)] = -np.inf
    upper[(kind == 2) | (kind == 3)] = np.inf
    upper[kind == 4] = lower[kind == 4]
    at = rng.integers(-1, 2, n)
    x, w = rng.uniform(0.5, 0.6, n), np.zeros(n)
    low, high = (at < 0) & np.isfinite(lower), (at > 0) & np.isfinite(upper)
    low |= kind == 4
    x[high], x[low] = upper[high], lower[low]
    w[high], w[low] = -rng.uniform(0.1, 1, high.sum()), rng.uniform(0.1, 1, low.sum())
    w[(rng.random(n) < degenerate) & (kind != 4)] = 0.0
    fixed = kind == 4
    w[fixed] = rng.normal(size=fixed.sum())
    D = 10.0 ** rng.uniform(-spread, spread, n)
    problem = BoxedLCP(A * np.outer(D, D), (w - A @ x) * D, lower / D, upper / D)
    return Known(problem, x / D, w * D, rank is None or rank >= n)


def contact_matrix(
    rng: np.random.Generator, contacts: int, bodies: int, *, themselves: bool = False
) -> tuple[Array, Array]:
    """Of contacts between bodies and the ground, or each other: the matrix (3 k, 3 k) with normal and two
    tangents each, and the velocities (3 k,) there where bodies move at random. `themselves`: bodies may touch
    themselves, which nothing but the solver of a singular problem can make sense of."""
    J = np.zeros((3 * contacts, 6 * bodies))
    for c in range(contacts):
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        first, second = rng.integers(bodies), rng.integers(bodies + 1)
        for body, sign in ((first, 1.0), (second, -1.0)):
            if body == bodies or (sign < 0 and second == first and not themselves):  # the ground
                continue
            arm = rng.uniform(-0.3, 0.3, 3)
            block = np.hstack([R, np.array([np.cross(arm, axis) for axis in R])])
            J[3 * c : 3 * c + 3, 6 * body : 6 * body + 6] += sign * block
    inverse_mass = np.concatenate([np.r_[[1 / m] * 3, [10 / m] * 3] for m in rng.uniform(0.5, 2, bodies)])
    return (J * inverse_mass) @ J.T, J @ rng.normal(size=6 * bodies)


def contact(
    rng: np.random.Generator, contacts: int, *, bodies: int | None = None, friction: float = 0.5
) -> Known:
    """Contacts with cones that are open, stick or slip."""
    A, _ = contact_matrix(rng, contacts, contacts if bodies is None else bodies)
    x, w = np.zeros(3 * contacts), np.zeros(3 * contacts)
    for c in range(contacts):
        state, angle = rng.integers(3), rng.uniform(0, 2 * np.pi)
        d = np.array([np.cos(angle), np.sin(angle)])
        rows = slice(3 * c + 1, 3 * c + 3)
        if state == 0:
            w[3 * c], w[rows] = rng.uniform(0.1, 1), rng.normal(size=2)
            continue
        x[3 * c] = rng.uniform(0.1, 1)
        share = rng.uniform(0, 0.9) if state == 1 else 1.0
        x[rows] = share * friction * x[3 * c] * d
        if state == 2:
            w[rows] = -rng.uniform(0.1, 1) * d
    return Known(BoxedLCP.contacts(A, w - A @ x, friction), x, w, False)


def pyramid(
    rng: np.random.Generator,
    contacts: int,
    *,
    bodies: int | None = None,
    friction: float = 0.5,
    themselves: bool = False,
) -> Known:
    """The same with pyramids: each tangent sticks or slips by itself."""
    A, _ = contact_matrix(rng, contacts, contacts if bodies is None else bodies, themselves=themselves)
    x, w = np.zeros(3 * contacts), np.zeros(3 * contacts)
    for c in range(contacts):
        if rng.random() < 0.3:
            w[3 * c : 3 * c + 3] = rng.uniform(0.1, 1), *rng.normal(size=2)
            continue
        x[3 * c] = rng.uniform(0.1, 1)
        for row in (3 * c + 1, 3 * c + 2):
            side = rng.integers(-1, 2)
            x[row] = friction * x[3 * c] * (side or rng.uniform(-0.9, 0.9))
            w[row] = -side * rng.uniform(0.1, 1)
    return Known(BoxedLCP.contacts(A, w - A @ x, friction, pyramid=True), x, w, False)


def impact(
    rng: np.random.Generator,
    contacts: int,
    *,
    bodies: int | None = None,
    friction: float = 0.5,
    pyramid: bool = False,
) -> BoxedLCP:
    """Bodies that hit each other: b is what their velocities make, so that there is a solution."""
    A, b = contact_matrix(rng, contacts, contacts if bodies is None else bodies)
    return BoxedLCP.contacts(A, b, friction, pyramid=pyramid)


def condition(problem: BoxedLCP, rows: NDArray[np.bool_]) -> float:
    """Of some rows of the scaled A: ratio of its largest eigenvalue to the smallest one above rounding."""
    d = np.sqrt(np.where(np.diag(problem.A) > 0, np.diag(problem.A), 1.0))
    scaled = (problem.A / np.outer(d, d))[np.ix_(rows, rows)]
    values = np.linalg.eigvalsh(scaled) if len(scaled) else np.ones(1)
    return float(values[-1] / values[values > 1e-14 * len(values) * values[-1]].min())


def violation(problem: BoxedLCP, x: Array) -> float:
    """How much x breaks the conditions, row by row as written, relative to the size of the numbers."""
    A, b = problem.A, problem.b
    w, worst = A @ x + b, 0.0
    tangents = {row: cone for cone in problem.cones for row in cone.tangents}
    d = np.sqrt(np.where(np.diag(A) > 0, np.diag(A), 1.0))
    size = max(((np.abs(A) @ np.abs(x) + np.abs(b)) / d).max(initial=0.0), 1e-300)
    for i in range(len(b)):
        if i in tangents:
            continue
        j = problem.friction_index[i]
        factor = 1.0 if j < 0 else x[j]
        low, high = problem.lower[i] * factor, problem.upper[i] * factor
        outside = max(low - x[i], x[i] - high, 0.0)
        pull, push = max(w[i], 0.0), max(-w[i], 0.0)
        worst = max(
            worst,
            outside * d[i],
            min(pull / d[i], (x[i] - low) * d[i]),
            min(push / d[i], (high - x[i]) * d[i]),
        )
    for cone in problem.cones:
        worst = max(worst, cone_violation(cone, x, w, d))
    return worst / size


def cone_violation(cone: FrictionCone, x: Array, w: Array, d: Array) -> float:
    """Coulomb's law as de Saxce and Feng have it: x in the cone of friction, w + mu |w_t| n in its dual, and
    both at right angles; here by the projection onto the second-order cone."""
    rows = list(cone.tangents)
    mu, scale = cone.friction, d[rows].max()
    normal, tangent = x[cone.normal], x[rows]
    v = np.r_[w[cone.normal] + mu * np.linalg.norm(w[rows]), w[rows]] / scale**2
    y = np.r_[normal, tangent] - v
    size = np.linalg.norm(y[1:])
    if size <= mu * y[0]:
        nearest = y
    elif mu * size <= -y[0]:
        nearest = np.zeros(3)
    else:
        along = (y[0] + mu * size) / (1 + mu**2)
        nearest = np.r_[along, mu * along * y[1:] / size]
    return float(np.abs(nearest - np.r_[normal, tangent]).max() * scale)


def solutions_by_enumeration(problem: BoxedLCP) -> list[Array]:
    """All solutions with regular equations: each row at its lower bound, its upper one, or at w = 0."""
    n, found = problem.size, []
    for states in product((-1, 0, 1), repeat=n):
        K, right = np.zeros((n, n)), np.zeros(n)
        for i, state in enumerate(states):
            if state == 0:
                K[i], right[i] = problem.A[i], -problem.b[i]
                continue
            bound, j = (problem.lower if state < 0 else problem.upper)[i], problem.friction_index[i]
            if not np.isfinite(bound):
                break
            K[i, i] = 1.0
            if j < 0:
                right[i] = bound
            else:
                K[i, j] = -bound
        else:
            if np.linalg.matrix_rank(K) < n:
                continue
            x = np.linalg.solve(K, right)
            if violation(problem, x) < 1e-10:
                found.append(x)
    return found
