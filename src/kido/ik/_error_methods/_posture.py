"""Error of posture: positions of dofs relative to desired ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kido.errors import UnknownNameError
from kido.ik._error_methods._components import checked_clamp, checked_weights
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._region import PostureRegion
from kido.ik._query import IKQuery
from kido.ik._search._pose_problem import grouped
from kido.ik._user_output import norm
from kido.math import so3_exp, so3_log, so3_right_jacobian_inverse
from kido.skeleton import DegreeOfFreedom
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Array, Checked, Value, checked, checked_items, value

__all__ = ["Posture"]


@value
class Posture(Value, ErrorMethod):
    """Dofs of the module at desired positions; the target and the node do not matter.

    The error has a component for each position: how far its dof is beyond it. The three angles of a ball or
    free joint are one rotation, and their error is the rotation vector that leads from the desired one to the
    present one.

    Attributes:
        positions: the desired ones (m,) [rad, m].
        names: of their dofs; None: all dofs of the module, in their order.
        weights: weight of each dof (m,) [-]; a dof with weight 0 is free.
        length_clamp: largest length of the weighted error that gradient methods see [-].
    """

    positions: Array
    names: Checked[Sequence[str] | None, tuple[str, ...] | None]
    weights: Array
    length_clamp: float = checked(checked_clamp)

    def __init__(
        self,
        positions: Mapping[str, float] | ArrayLike,
        names: Sequence[str] | None = None,
        *,
        weights: ArrayLike | None = None,
        length_clamp: float = 1.0,
    ) -> None:
        """A posture.

        Args:
            positions: of the dofs by their names, as in {"elbow": 0.5}; or (m,), of the dofs that `names` has
                or else of all dofs of the module [rad, m].
            names: of the dofs.
            weights: weight of each dof (m,), in the same order [-], 0 or above; None: 1.
            length_clamp: largest length of the weighted error [-], above 0; may be infinite.

        Raises TypeError or ValueError naming the argument.
        """
        if isinstance(positions, Mapping):
            if names is not None:
                raise ValueError(f"names: expected None where positions have names, got {names!r}")
            names, positions = list(positions), list(positions.values())
        desired = frozen_array("positions", positions, (-1,), "rad, m")
        given = np.ones(len(desired)) if weights is None else weights
        self._assign(
            positions=desired,
            names=None if names is None else _checked_names(names, len(desired)),
            weights=checked_weights("weights", given, len(desired)),
            length_clamp=length_clamp,
        )

    def compute_error(self, ik: IKQuery) -> FloatArray:
        """Present minus desired positions (m,) [rad, m].

        Raises UnknownNameError for a dof that the module does not move, and ValueError for another number of
        positions than dofs or a part of the angles of a rotation.
        """
        dofs = self._dofs(ik)
        present = np.array([dof.position for dof in dofs])
        error = present - self.positions
        for rows in _rotations(dofs):
            error[rows] = so3_log(_rotation_error(self.positions[rows], present[rows]))
        return np.where(self.weights > 0.0, error, 0.0)

    def compute_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (m, k) of the error by the velocities. Raises as `compute_error` does."""
        dofs = self._dofs(ik)
        columns = {dof: j for j, dof in enumerate(ik.dofs)}
        J = np.zeros((len(dofs), len(columns)))
        for i, dof in enumerate(dofs):
            if not grouped(dof):
                J[i, columns[dof]] = 1.0
            elif dof.index_in_joint >= 3:  # a length of a free joint: its velocity is in the moved axes
                moved = [columns[dof.joint.dof(3 + axis)] for axis in range(3)]
                J[i, moved] = so3_exp(dof.joint.positions[:3])[dof.index_in_joint - 3]
        for rows in _rotations(dofs):
            moved = [columns[dofs[i]] for i in rows]
            present = np.array([dofs[i].position for i in rows])
            rotation = so3_log(_rotation_error(self.positions[rows], present))
            J[np.ix_(rows, moved)] = so3_right_jacobian_inverse(rotation)
        return np.where(self.weights[:, None] > 0.0, J, 0.0)

    @property
    def is_required(self) -> bool:
        """False: a posture is wished for beside what has to be reached."""
        return False

    def region(self, ik: IKQuery) -> PostureRegion | None:
        """The region for the native search; None where the angles of a rotation do not stand together.

        Raises as `compute_error` does.
        """
        dofs = self._dofs(ik)
        if any(rows != list(range(rows[0], rows[0] + 3)) for rows in _rotations(dofs)):
            return None
        return PostureRegion([dof.index for dof in dofs], self.positions, self.weights)

    def desired_transform(self, ik: IKQuery) -> FloatArray:
        """The pose (4, 4) that the node has in the desired posture [m]. Raises as `compute_error` does."""
        dofs, error = self._dofs(ik), self.compute_error(ik)
        present = np.array([dof.position for dof in dofs])
        desired = present - error
        for rows in _rotations(dofs):
            desired[rows] = so3_log(so3_exp(present[rows]) @ so3_exp(-error[rows]))
        places = {dof: j for j, dof in enumerate(ik.dofs)}
        positions = ik.positions
        positions[[places[dof] for dof in dofs]] = desired
        with ik.at(positions):
            return ik.transform()

    def lengths(self, ik: IKQuery, error: FloatArray) -> tuple[float, float]:
        """Norms of the angles [rad] and of the lengths [m] of an error (m,)."""
        is_prismatic = ik.node.skeleton.tree.is_prismatic[[dof.index for dof in self._dofs(ik)]]
        return norm(error[~is_prismatic]), norm(error[is_prismatic])

    def _dofs(self, ik: IKQuery) -> tuple[DegreeOfFreedom, ...]:
        """The dofs with desired positions."""
        if self.names is None:
            if len(ik.dofs) != len(self.positions):
                expected = f"expected shape ({len(ik.dofs)},) [rad, m], as many as the module has dofs"
                raise ValueError(f"Posture.positions: {expected}, got ({len(self.positions)},)")
            return ik.dofs
        named = {dof.name: dof for dof in ik.dofs}
        for name in self.names:
            if name not in named:
                raise UnknownNameError("dof", name, named, f"{ik.node.name}'s module")
        return tuple(named[name] for name in self.names)


def _checked_names(names: Sequence[str], count: int) -> tuple[str, ...]:
    if isinstance(names, str):
        raise TypeError(f"names: expected names of dofs, got {names!r}")
    names = checked_items("names", str, names)
    if len(names) != count or len(set(names)) != count:
        raise ValueError(f"names: expected {count} different ones, as many as positions, got {list(names)}")
    return tuple(names)


def _rotations(dofs: Sequence[DegreeOfFreedom]) -> list[list[int]]:
    """Places of the dofs that are the three angles of one rotation.

    Raises ValueError where some of the three are missing.
    """
    places = {dof: i for i, dof in enumerate(dofs)}
    found = []
    for dof in dofs:
        if grouped(dof) and dof.index_in_joint < 3:
            three = [dof.joint.dof(i) for i in range(3)]
            if any(part not in places for part in three):
                names = ", ".join(repr(part.name) for part in three)
                raise ValueError(f"Posture.positions: {names} are one rotation; expected all or none")
            if dof.index_in_joint == 0:
                found.append([places[part] for part in three])
    return found


def _rotation_error(desired: FloatArray, present: FloatArray) -> FloatArray:
    """The rotation (3, 3) from a desired to a present rotation vector (3,), in the desired axes [-]."""
    return np.asarray(so3_exp(desired).T @ so3_exp(present))
