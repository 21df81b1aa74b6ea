"""The closed form of the dofs of a module."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kido import _core
from kido.description import Coordinate
from kido.errors import NoClosedFormError
from kido.ik._analytical._closed_form import ClosedForm
from kido.ik._query import IKQuery
from kido.math import inverse_transform
from kido.skeleton import DegreeOfFreedom
from kido.typing import FloatArray

__all__ = ["MOST_JOINTS", "Arm", "chain_of"]

MOST_JOINTS = 7
"""Joints of a chain that has a closed form."""


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """A chain of dofs that move a module's point, and its closed form where the other dofs are now.

    Attributes:
        form: the closed form.
        dofs: n dofs, root first.
        names: their names.
        indices: their places in the skeleton.
        limited: finds and ranks solutions within their limits.
        T_form_world: from world coordinates to those of the form (4, 4) [m]; None: they are the same.
    """

    form: ClosedForm
    dofs: tuple[DegreeOfFreedom, ...]
    names: tuple[str, ...]
    indices: list[int]
    limited: _core.LimitedArm
    T_form_world: FloatArray | None

    @classmethod
    def of(cls, ik: IKQuery, dofs: tuple[DegreeOfFreedom, ...], locked_dof: str | None) -> Arm:
        """The closed form of dofs as `chain_of` gives them, with one of seven locked.

        The form is that where the chain's positions, and those of the dofs before it, are zero: so it stays
        the same where these move. Dofs between those of the chain stand where they are.

        Raises NoClosedFormError where there is none, ValueError where `locked_dof` is not among seven.
        """
        _refuse(ik, dofs)
        body, tree, q = ik.body, ik.body.skeleton.tree, ik.body.skeleton.positions.copy()
        chain = [dof.index for dof in dofs]
        path = body.dependent_dof_indices
        before = path[: path.index(chain[0])]
        q[chain] = 0.0
        placed = tree.transform(q, body.index)
        T_form_world = None
        if np.any(q[before]):
            q[before] = 0.0
            origin = tree.transform(q, body.index)
            T_form_world, placed = origin @ inverse_transform(placed), origin
        twists = tree.jacobian(q, body.index, frame="spatial")[:, chain].T
        place = None if locked_dof is None else _place("locked_dof", locked_dof, dofs)
        if place is not None and len(dofs) != MOST_JOINTS:
            raise ValueError(f"locked_dof: expected None for {len(dofs)} dofs, got {locked_dof!r}")
        tool = placed @ ik.point
        form = _form(twists.tobytes(), tree.is_prismatic[chain].tobytes(), tool.tobytes(), place)
        if form.family is None:
            raise NoClosedFormError(ik.node.name, form.reason)
        limits = np.stack([tree.lower_limits[chain], tree.upper_limits[chain]])
        turns = tuple(dof.coordinate is Coordinate.ANGLE for dof in dofs)
        limited = _limited(form, limits.tobytes(), turns, tuple(chain))
        return cls(form, dofs, tuple(dof.name for dof in dofs), chain, limited, T_form_world)

    @property
    def locked(self) -> DegreeOfFreedom | None:
        """The dof that keeps its position, if one has to."""
        return None if self.form.locked_dof is None else self.dofs[self.form.locked_dof]


@lru_cache(maxsize=32)
def _limited(
    form: ClosedForm, limits: bytes, turns: tuple[bool, ...], indices: tuple[int, ...]
) -> _core.LimitedArm:
    """A form within limits (2, n) [rad, m] of dofs of those places in the skeleton."""
    lower, upper = np.frombuffer(limits).reshape(2, 1, -1)
    return form.within(lower, upper, turns, indices)


def chain_of(ik: IKQuery, names: tuple[str, ...] | None) -> tuple[DegreeOfFreedom, ...]:
    """The dofs of those names, root first; None: all of the module's that move its node.

    Raises UnknownNameError, or ValueError for a dof that is not the module's or does not move the node.
    """
    path = {index: place for place, index in enumerate(ik.body.dependent_dof_indices)}
    if names is None:
        return tuple(sorted((dof for dof in ik.dofs if dof.index in path), key=lambda dof: path[dof.index]))
    chosen = [ik.node.skeleton.dof(name) for name in names]
    for dof in chosen:
        if dof.index not in path:
            raise ValueError(f"dofs: expected dofs that move {ik.node.name!r}, got {dof.name!r}")
        if dof not in ik.dofs:
            raise ValueError(f"dofs: expected dofs of the module of {ik.node.name!r}, got {dof.name!r}")
    return tuple(sorted(chosen, key=lambda dof: path[dof.index]))


@lru_cache(maxsize=128)
def _form(twists: bytes, is_prismatic: bytes, tool: bytes, locked_dof: int | None) -> ClosedForm:
    """The form of joints by their twists (n, 6) about the origin, angular first, where they are zero."""
    rows = np.frombuffer(twists).reshape(-1, 6)
    along = np.frombuffer(is_prismatic, dtype=np.bool_)
    axes = np.where(along[:, None], rows[:, 3:], rows[:, :3])
    points = np.where(along[:, None], 0.0, np.cross(rows[:, :3], rows[:, 3:]))
    return ClosedForm.from_axes(
        axes,
        points,
        tool=np.frombuffer(tool).reshape(4, 4),
        locked_dof=locked_dof,
        is_prismatic=along.tolist(),
    )


def _refuse(ik: IKQuery, dofs: tuple[DegreeOfFreedom, ...]) -> None:
    """Raises NoClosedFormError for dofs that no form can have."""
    name = ik.node.name
    if not 1 <= len(dofs) <= MOST_JOINTS:
        raise NoClosedFormError(name, f"expected 1 to {MOST_JOINTS} joints, got {len(dofs)}")
    for dof in dofs:
        if dof.coordinate not in (Coordinate.ANGLE, Coordinate.LENGTH):
            kind = type(dof.joint).__name__
            reason = f"{dof.name!r} is of a {kind}: it is neither revolute nor prismatic"
            raise NoClosedFormError(name, reason)


def _place(argument: str, name: str, dofs: tuple[DegreeOfFreedom, ...]) -> int:
    names = [dof.name for dof in dofs]
    if name not in names:
        raise ValueError(f"{argument}: expected one of {names}, got {name!r}")
    return names.index(name)
