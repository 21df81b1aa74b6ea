"""Problems of contact: bodies that hit the ground and each other."""

from __future__ import annotations

import numpy as np

from kido.lcp import BoxedLCP

FRICTION = 0.5


def rows_of_contacts(rng: np.random.Generator, rows: int, *, bodies: int) -> tuple[np.ndarray, np.ndarray]:
    """Matrix (rows, rows) and velocities (rows,) of three rows a contact, between bodies in space."""
    J = np.zeros((rows, 6 * bodies))
    for first in range(0, rows, 3):
        count = min(3, rows - first)
        for body in rng.choice(bodies, min(2, bodies), replace=False):
            J[first : first + count, 6 * body : 6 * body + 6] = rng.normal(size=(count, 6))
    return J @ J.T, J @ rng.normal(size=6 * bodies)


def limits(rng: np.random.Generator, rows: int) -> BoxedLCP:
    """A positive definite matrix, x >= 0: the only kind of problem that all peers take."""
    A, b = rows_of_contacts(rng, rows, bodies=rows)
    return BoxedLCP(A + 0.01 * np.eye(rows), b)


def pyramids(rng: np.random.Generator, rows: int) -> BoxedLCP:
    """Contacts with pyramids, redundant ones among them."""
    A, b = rows_of_contacts(rng, rows, bodies=max(1, rows // 6))
    return BoxedLCP.contacts(A, b, FRICTION, pyramid=True)


def cones(rng: np.random.Generator, rows: int) -> BoxedLCP:
    """The same contacts with cones."""
    A, b = rows_of_contacts(rng, rows, bodies=max(1, rows // 6))
    return BoxedLCP.contacts(A, b, FRICTION)


PROBLEMS = {"limits": limits, "pyramids": pyramids, "cones": cones}
