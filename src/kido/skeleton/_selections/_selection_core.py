"""Members of a selection, and the numbers of its dofs, read and written where the skeletons keep them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from kido.errors import UnknownNameError
from kido.frame import Frame
from kido.skeleton._body import BodyNode
from kido.skeleton._data import COMMAND, FORCE, SkeletonData
from kido.skeleton._dof import DegreeOfFreedom
from kido.skeleton._dof_arrays import (
    STATES,
    DofArrays,
    DofMapping,
    DofProperty,
    check_bounds,
)
from kido.skeleton._frame_names import FrameArguments, named_frame
from kido.skeleton._joints._actuator import ActuatorType
from kido.skeleton._joints._joint import Joint
from kido.skeleton._skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only

__all__ = ["SelectionCore"]

Indices = NDArray[np.intp]


class Part(NamedTuple):
    """The selected dofs of one skeleton, in the skeleton's order, and the consecutive runs of them."""

    skeleton: Skeleton
    columns: Indices
    indices: Indices
    runs: tuple[slice, ...]


class Layout(NamedTuple):
    """Places of all members; out of date as soon as one of the skeletons has numbered its dofs anew."""

    bodies: tuple[BodyNode, ...]
    dofs: tuple[DegreeOfFreedom, ...]
    parts: tuple[Part, ...]
    blocks: tuple[tuple[Skeleton, SkeletonData], ...]

    def is_present(self) -> bool:
        """Whether nothing was edited since."""
        return all(skeleton._answers.data is block for skeleton, block in self.blocks)


class SelectionCore(DofArrays, FrameArguments):
    """Bodies, joints and dofs of skeletons, and the numbers of these dofs, always the present ones."""

    __slots__ = ()

    _name: str
    _layout: Layout | None

    @property
    def bodies(self) -> tuple[BodyNode, ...]:
        """The bodies, in the order of this selection."""
        raise NotImplementedError

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, in the order of this selection."""
        raise NotImplementedError

    @property
    def dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """The degrees of freedom, in the order of `positions`."""
        raise NotImplementedError

    def random_positions(
        self, rng: np.random.Generator, size: SupportsIndex | tuple[int, ...] = ()
    ) -> FloatArray:
        """Positions of these dofs drawn uniformly within the limits, as `Skeleton.random_positions` draws
        them.

        Args:
            rng: where the numbers come from.
            size: leading shape of the result.

        Returns:
            (*size, num_dofs) [rad, m].

        Raises:
            TypeError: rng is not a numpy.random.Generator.
            ValueError: a negative size.
            RemovedError: a member was removed.
        """
        parts = self._present().parts
        none = Skeleton().random_positions(rng, size)  # (*size, 0)
        drawn = [part.skeleton.random_positions(rng, size)[..., part.indices] for part in parts]
        order = np.argsort(np.concatenate([np.zeros(0, dtype=np.intp), *(part.columns for part in parts)]))
        return np.ascontiguousarray(np.concatenate([none, *drawn], axis=-1)[..., order])

    # ---- frames by name

    def _named_frame(self, argument: str, frame: object) -> Frame:
        structures = (skeleton._structure for skeleton, _ in self._present().blocks)
        return named_frame(argument, frame, structures, self._name)

    # ---- numbers

    def _get_property(self, prop: DofProperty) -> FloatArray:
        return self._gathered(lambda skeleton: skeleton._answers.data.dofs[prop.row])

    def _set_property(self, name: str, prop: DofProperty, values: ArrayLike | DofMapping) -> None:
        if isinstance(values, Mapping):
            values = self._named(self._get_property(prop), name, values, prop.unit)
        layout = self._present()
        array = prop.check(name, values, len(layout.dofs))
        for part in layout.parts:
            check_bounds(name, prop, array[part.columns], part.skeleton._answers.data, part.indices)
        for part in layout.parts:
            whole = part.skeleton._get_property(prop).copy()
            whole[part.indices] = array[part.columns]
            part.skeleton._set_property(name, prop, whole)

    def _get_state(self, row: int) -> FloatArray:
        return self._gathered(lambda skeleton: skeleton._answers.data.state[row])

    def _set_state(self, name: str, row: int, values: ArrayLike | DofMapping) -> None:
        unit = STATES[name][1]
        if isinstance(values, Mapping):
            values = self._named(self._get_state(row), name, values, unit)
        layout = self._present()
        array = frozen_array(name, values, (len(layout.dofs),), unit)
        if row == COMMAND:
            for dof, value in zip(layout.dofs, array, strict=True):
                dof.joint._refuse_commands(value)
        states = [part.skeleton._answers.ready() for part in layout.parts]
        for part, state in zip(layout.parts, states, strict=True):
            ordered = array[part.columns]
            for run in part.runs:
                state.set_part(row, int(part.indices[run.start]), run.stop - run.start, name, ordered[run])
        if row == FORCE:
            self._command_forces(array)

    def _command_forces(self, forces: FloatArray) -> None:
        for dof, force in zip(self._present().dofs, forces, strict=True):
            if dof.joint.actuator is ActuatorType.FORCE:
                dof.skeleton._answers.compiled().set_part(COMMAND, dof.index, 1, "forces", [force])

    def _index_of_dof(self, name: str) -> int:
        return only_index("dof", name, [dof.name for dof in self._present().dofs], self._name)

    # ---- where the members stand

    def _present(self) -> Layout:
        """Places of the members now; raises RemovedError where one was removed."""
        if self._layout is None or not self._layout.is_present():
            self._layout = lay_out(self.bodies, self.joints, self.dofs)
        return self._layout

    def _gathered(self, vector: Callable[[Skeleton], FloatArray]) -> FloatArray:
        """Numbers (num_dofs,) picked from those that each skeleton has for all its dofs; read-only."""
        layout = self._present()
        picked = np.empty(len(layout.dofs))
        for part in layout.parts:
            picked[part.columns] = vector(part.skeleton)[part.indices]
        return read_only(picked)

    def _columns(self, rows: int, matrix: Callable[[Skeleton], FloatArray]) -> FloatArray:
        """Columns (rows, num_dofs) picked from those that each skeleton has for all its dofs."""
        layout = self._present()
        picked = np.zeros((rows, len(layout.dofs)))
        for part in layout.parts:
            picked[:, part.columns] = matrix(part.skeleton)[:, part.indices]
        return picked

    def _blocks(self, matrix: Callable[[Skeleton], FloatArray]) -> FloatArray:
        """Rows and columns (num_dofs, num_dofs); zeros between dofs of different skeletons; read-only."""
        layout = self._present()
        picked = np.zeros((len(layout.dofs), len(layout.dofs)))
        for part in layout.parts:
            picked[np.ix_(part.columns, part.columns)] = matrix(part.skeleton)[
                np.ix_(part.indices, part.indices)
            ]
        return read_only(picked)


def lay_out(
    bodies: tuple[BodyNode, ...], joints: tuple[Joint, ...], dofs: tuple[DegreeOfFreedom, ...]
) -> Layout:
    """Places of members. Raises RemovedError where one belongs to no skeleton."""
    homes = [dof.skeleton for dof in dofs]
    others = [body.skeleton for body in bodies] + [joint.skeleton for joint in joints]
    blocks = tuple((skeleton, skeleton._answers.data) for skeleton in dict.fromkeys(others + homes))
    parts = []
    for skeleton in dict.fromkeys(homes):
        columns = np.array([column for column, home in enumerate(homes) if home is skeleton], dtype=np.intp)
        indices = np.array([dofs[column].index for column in columns], dtype=np.intp)
        order = np.argsort(indices)
        parts.append(Part(skeleton, columns[order], indices[order], _runs(indices[order])))
    return Layout(bodies, dofs, tuple(parts), blocks)


def _runs(indices: Indices) -> tuple[slice, ...]:
    ends = np.flatnonzero(np.diff(indices) != 1) + 1
    bounds = [0, *ends.tolist(), len(indices)]
    return tuple(slice(start, stop) for start, stop in itertools.pairwise(bounds))


def only_index(kind: str, name: str, names: Iterable[str], owner: str) -> int:
    """Index of a name. Raises UnknownNameError, or ValueError where several are equal."""
    listed = list(names)
    if name not in listed:
        raise UnknownNameError(kind, name, listed, owner)
    if listed.count(name) > 1:
        raise ValueError(
            f"{kind}: {owner!r} has several named {name!r}, of different skeletons; use an index"
        )
    return listed.index(name)
