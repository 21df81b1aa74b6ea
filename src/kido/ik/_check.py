"""What checks of methods have in common: positions to ask at, a module that is put back afterwards, answers
that are finite, the same twice, and leave the skeleton as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from kido.ik._query import IKQuery
from kido.ik._user_output import finite_array
from kido.typing import FloatArray

__all__ = ["IKQuery", "asked", "check_positions", "moved", "unchanged"]


@contextmanager
def unchanged(ik: IKQuery) -> Iterator[None]:
    """Context after which the module, its target and its skeleton are as they were."""
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


def asked(part: str, ik: IKQuery, ask: Callable[[], object], shape: tuple[int, ...]) -> FloatArray:
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
        raise ValueError(
            f"{part}: expected the same at the same positions, got {first.tolist()} and then {again.tolist()}"
        )
    return first


def _refuse_motion(part: str, skeleton_stays: bool, target_stays: bool) -> None:
    for what, stays in (("positions of the skeleton", skeleton_stays), ("target", target_stays)):
        if not stays:
            raise ValueError(f"{part}: expected the {what} to be left as they were, got others")
