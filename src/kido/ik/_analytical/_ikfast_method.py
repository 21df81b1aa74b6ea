"""IKFast libraries as an analytical method."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from functools import lru_cache
from pathlib import Path

import numpy as np

from kido.ik._analytical._analytical import AnalyticalValue
from kido.ik._analytical._arm import chain_of
from kido.ik._analytical._ikfast_build import is_source
from kido.ik._analytical._ikfast_library import IKFastLibrary
from kido.ik._analytical._options import (
    dof_names,
)
from kido.ik._analytical._solution import AnalyticalSolution
from kido.ik._analytical._sweep import Candidates, sweep
from kido.ik._query import IKQuery
from kido.math import inverse_transform
from kido.skeleton import DegreeOfFreedom
from kido.typing import FloatArray, PathLike
from kido.values import Checked, checked, value

__all__ = ["IKFastMethod"]


def _library_path(name: str, value: PathLike | IKFastLibrary) -> Path:
    return value.path if isinstance(value, IKFastLibrary) else Path(value).absolute()


@value
class IKFastMethod(AnalyticalValue):
    """An IKFast library for the dofs of a module, as DART's SharedLibraryIkFast.

    The module's point has to be the tool that the library was generated for, and the base the body that
    carries the first of its joints. Free joints are left where they are, or where nothing valid is found
    there, tried from limit to limit.

    Attributes:
        path: the file of the library, or the C++ file that IKFast generated, compiled as IKFastLibrary does.
        dofs: names of the dofs that it solves for, in its order.
        free_dofs: names of its free joints, in the order of `IKFastLibrary.free_joints`.
        base: name of the body in whose coordinates its targets are; None: the one that carries the first
            joint.
        extra_dof_utilization: when dofs of the module that are not the library's are moved.
        extra_error_length_clamp: largest length of the error that they see [-].
        better: whether positions (n,) are a better solution than others (n,), for a module; None: that of the
            smaller largest change.
        component_clamp: largest size of a component of the gradient [rad, m].
        component_weights: factors (w,) of its components [-]; 1 for those beyond w.

    Raises:
        FileNotFoundError, LibraryError: as IKFastLibrary does.
        TypeError, ValueError: naming the argument; as many dofs as the library's joints are expected.
    """

    path: Checked[PathLike | IKFastLibrary, Path] = checked(_library_path)
    dofs: Checked[Iterable[DegreeOfFreedom | str], tuple[str, ...]] = checked(dof_names)
    free_dofs: Checked[Iterable[DegreeOfFreedom | str], tuple[str, ...]] = checked(dof_names, default=())
    base: str | None = field(default=None, kw_only=True)

    def _check(self) -> None:
        _refuse_counts(_loaded(self.path), self.dofs, self.free_dofs)

    @property
    def library(self) -> IKFastLibrary:
        """The library."""
        return _loaded(self.path)

    def analytical_dofs(self, ik: IKQuery) -> tuple[DegreeOfFreedom, ...]:
        """The dofs of all joints of the library, in its order; the module need not move those of free joints.

        Raises UnknownNameError, or ValueError for a dof that does not move the node or is not the module's.
        """
        chain_of(ik, self.dofs)
        names = dict(zip(self.library.free_joints, self.free_dofs, strict=True))
        solved = iter(self.dofs)
        joints = range(self.library.num_joints)
        dofs = tuple(ik.node.skeleton.dof(names[i] if i in names else next(solved)) for i in joints)
        for dof in dofs:
            if not ik.body.depends_on(dof):
                raise ValueError(f"free_dofs: expected dofs that move {ik.node.name!r}, got {dof.name!r}")
        return dofs

    def compute_solutions(self, ik: IKQuery, desired: FloatArray) -> FloatArray | list[AnalyticalSolution]:
        """All solutions of the library for a pose (4, 4) in the world [m]. Raises LibraryError as it does."""
        dofs, library = self.analytical_dofs(ik), self.library
        near = self.positions(ik)
        places = list(library.free_joints)
        movable = [i for i, place in enumerate(places) if dofs[place] in ik.dofs]
        target = inverse_transform(self._base_transform(ik, dofs)) @ desired

        def solve(rows: FloatArray) -> Candidates:
            free = np.repeat(near[places][None], len(rows), axis=0)
            free[:, movable] = rows
            found = np.concatenate([library.solve(target, row, near=near) for row in free])
            return Candidates.of(found, np.ones(len(found), dtype=bool), np.zeros(len(found)))

        return sweep(ik, dofs, tuple(dofs[places[i]] for i in movable), solve).solutions()

    def _base_transform(self, ik: IKQuery, dofs: tuple[DegreeOfFreedom, ...]) -> FloatArray:
        if self.base is not None:
            return ik.node.skeleton.body(self.base).transform()
        path = ik.body.dependent_dof_indices
        first = min(dofs, key=lambda dof: path.index(dof.index))
        carrier = first.joint.parent_body
        return np.eye(4) if carrier is None else carrier.transform()


def _loaded(path: Path) -> IKFastLibrary:
    """The library, loaded once; that of a source anew where the source was written since."""
    return _loaded_once(path, path.stat().st_mtime_ns if is_source(path) else 0)


@lru_cache(maxsize=32)
def _loaded_once(path: Path, written: int) -> IKFastLibrary:
    return IKFastLibrary(path)


def _refuse_counts(library: IKFastLibrary, dofs: tuple[str, ...], free: tuple[str, ...]) -> None:
    """Raises ValueError where there is not one dof for each joint of a library."""
    wanted = library.num_joints - len(library.free_joints)
    for name, names, count in (("dofs", dofs, wanted), ("free_dofs", free, len(library.free_joints))):
        if len(names) != count:
            raise ValueError(f"{name}: expected {count} dofs for {library!r}, got {list(names)}")
    if set(dofs) & set(free):
        raise ValueError(f"free_dofs: expected others than `dofs`, got {list(free)}")
