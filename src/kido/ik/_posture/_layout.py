"""Skeletons of a posture problem: their dofs in a row, and which of them move with which."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.ik._global._dof_ranges import DofRanges
from kido.ik._posture._frame_place import FramePlace
from kido.ik._posture._native_term import NativePlace
from kido.skeleton import DegreeOfFreedom, Skeleton
from kido.tree import Tree
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only

__all__ = ["Layout", "checked_skeletons"]


def checked_skeletons(skeletons: Skeleton | Iterable[Skeleton]) -> tuple[Skeleton, ...]:
    """One skeleton or several. Raises TypeError for others, ValueError for none and for two of one name."""
    if isinstance(skeletons, Skeleton):
        return (skeletons,)
    try:
        given = tuple(skeletons)
    except TypeError:
        raise TypeError(
            f"skeletons: expected a Skeleton or several, got {type(skeletons).__name__}"
        ) from None
    for skeleton in given:
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"skeletons: expected Skeletons, got {type(skeleton).__name__}")
    names = [skeleton.name for skeleton in given]
    if not given:
        raise ValueError("skeletons: expected one at least")
    if len(set(names)) < len(names):
        raise ValueError(f"skeletons: expected different names, got {', '.join(names)}")
    return given


class _Numbers(NamedTuple):
    """Numbers and indices of a layout, without its skeletons.

    Attributes:
        arrays: factor, offset, leader, unknown, rates and moments of what is fixed, of a layout.
        limits: of a layout.
        moving, pinned, grouped, followers: of a layout.
    """

    arrays: tuple[FloatArray, ...]
    limits: tuple[FloatArray, FloatArray]
    moving: tuple[int, ...]
    pinned: tuple[int, ...]
    grouped: tuple[int, ...]
    followers: NDArray[np.intp]


_KNOWN: WeakKeyDictionary[Skeleton, tuple[ref[Tree], object, _Numbers]] = WeakKeyDictionary()
"""Numbers of a skeleton all of whose dofs may move, with the tree that it was compiled to and who leads whom,
which is anew for each edit of that and of who is locked; they name no part of it, so that it can go."""


def _known_numbers(skeleton: Skeleton) -> _Numbers | None:
    known = _KNOWN.get(skeleton)
    if known is None or known[0]() is not skeleton.tree or known[1] is not skeleton.leading_dofs:
        return None
    return known[2]


class Layout:
    """Dofs of several skeletons in a row.

    Attributes:
        skeletons: in their order; `trees` are theirs as they are now.
        limits: of positions (num_dofs,), (num_dofs,) [rad, m].
        first: first dof of each.
        unknown: (dofs,) which unknown each moves with, -1: it stands still.
        factor, offset: (dofs,) position of one that follows, for one of its leader [-], [rad, m].
        leader: (dofs,) the dof that is followed, or itself.
        moving: the dof of each unknown.
        pinned: those of them that stand still although others of their rotation vector or translation, which
            turn and move along a group, do not.
        grouped: dofs of ball and free joints.
        followers: dofs that follow others.
    """

    def __init__(
        self,
        skeletons: tuple[Skeleton, ...],
        *,
        dofs: Sequence[str | int | DegreeOfFreedom] | None = None,
        frozen: Sequence[str | int | DegreeOfFreedom] = (),
        follows: bool = True,
    ) -> None:
        """Of some skeletons; without `follows`, all dofs move by themselves.

        Raises UnknownNameError, IndexError, TypeError or ValueError for dofs that are not there, or follow
        others.
        """
        self.skeletons = skeletons
        self.trees: tuple[Tree, ...] = tuple(skeleton.tree for skeleton in skeletons)
        self._indices = {skeleton.name: t for t, skeleton in enumerate(skeletons)}
        self.first = [0, *itertools.accumulate(tree.num_dofs for tree in self.trees)][:-1]
        plain = follows and dofs is None and not len(frozen) and len(skeletons) == 1
        numbers = _known_numbers(skeletons[0]) if plain else None
        if numbers is None:
            numbers = self._read(dofs, frozen, follows)
            if plain:
                _KNOWN[skeletons[0]] = ref(self.trees[0]), skeletons[0].leading_dofs, numbers
        self.factor, self.offset, self.leader, self.unknown, self._rates, self._fixed = numbers.arrays
        self.limits = numbers.limits
        self.moving, self.pinned, self.grouped = numbers.moving, numbers.pinned, numbers.grouped
        self.followers = numbers.followers

    def _read(
        self,
        dofs: Sequence[str | int | DegreeOfFreedom] | None,
        frozen: Sequence[str | int | DegreeOfFreedom],
        follows: bool,
    ) -> _Numbers:
        n = sum(tree.num_dofs for tree in self.trees)
        self.factor, self.offset, self.leader = np.ones(n), np.zeros(n), np.arange(n, dtype=float)
        still: set[int] = set()
        if follows:
            still = self._follow(dofs, frozen)
        pinned = self._pinned(still)
        still -= set(pinned)
        leaders = self.leader.astype(int)
        free = [i for i in range(n) if leaders[i] == i and i not in still]
        place = {dof: j for j, dof in enumerate(free)}
        unknown = np.array([place.get(int(k), -1) for k in leaders], dtype=float)
        unknown[self.factor == 0.0] = -1.0
        rates = np.where(self.factor == 0.0, 1.0, self.factor)
        grouped = tuple(i for i, dof in enumerate(self.dofs) if not dof.coordinate.is_additive)
        arrays = self.factor, self.offset, self.leader, unknown, rates, self._fixed_moments()
        sides = [tree.lower_limits for tree in self.trees], [tree.upper_limits for tree in self.trees]
        lower, upper = (read_only(np.concatenate([np.zeros(0), *side])) for side in sides)
        followers = np.flatnonzero(leaders != np.arange(n))
        return _Numbers(
            tuple(read_only(array) for array in arrays),
            (lower, upper),
            tuple(free),
            pinned,
            grouped,
            followers,
        )

    def _follow(
        self,
        dofs: Sequence[str | int | DegreeOfFreedom] | None,
        frozen: Sequence[str | int | DegreeOfFreedom],
    ) -> set[int]:
        still: set[int] = set()
        for first, skeleton in zip(self.first, self.skeletons, strict=True):
            ranges = DofRanges.of(skeleton, {})
            part = slice(first, first + skeleton.num_dofs)
            self.leader[part] = ranges.couplings[:, 0] + first
            self.factor[part], self.offset[part] = ranges.couplings[:, 1], ranges.couplings[:, 2]
            still |= {first + i for i in skeleton.locked_dofs}
        if dofs is not None:
            still |= set(range(len(self.dofs))) - {self._own("dofs", key) for key in dofs}
        return still | {self._own("frozen", key) for key in frozen}

    def _pinned(self, still: set[int]) -> tuple[int, ...]:
        """Dofs that stand still, of rotation vectors and free translations of which others move."""
        found: list[int] = []
        for i, dof in enumerate(self.dofs):
            if dof.coordinate.is_additive or i not in still:
                continue
            first = i - dof.index_in_joint % 3
            if not still.issuperset(range(first, first + 3)):
                found.append(i)
        return tuple(found)

    def _own(self, name: str, key: str | int | DegreeOfFreedom) -> int:
        i = self.dof_index(name, key)
        if self.leader[i] != i:
            raise ValueError(f"{name}: {self.dofs[i].name!r} follows {self.dofs[int(self.leader[i])].name!r}")
        return i

    @property
    def num_dofs(self) -> int:
        """Number of dofs of all skeletons."""
        return len(self.leader)

    @property
    def no_limits(self) -> tuple[FloatArray, FloatArray]:
        """Limits (num_dofs,), (num_dofs,) that let all positions be."""
        endless = np.full(self.num_dofs, np.inf)
        return -endless, endless

    @property
    def positions(self) -> FloatArray:
        """Positions (num_dofs,) of the skeletons now [rad, m]."""
        return np.concatenate([np.zeros(0), *(s.positions for s in self.skeletons)])

    def checked_positions(self, name: str, given: ArrayLike | None) -> FloatArray:
        """Positions (num_dofs,), None: those of the skeletons [rad, m]."""
        if given is None:
            return self.positions
        return frozen_array(name, given, (self.num_dofs,), "rad, m")

    @cached_property
    def dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """Dofs of all skeletons."""
        return tuple(dof for skeleton in self.skeletons for dof in skeleton.dofs)

    def program(
        self, *, lower: FloatArray, upper: FloatArray, extras: int, scale: FloatArray
    ) -> _core.PostureProgram:
        """A native program without terms."""
        endless = np.full(extras, np.inf)
        return _core.PostureProgram(
            list(self.trees),
            self.unknown,
            self._rates,
            self.offset,
            self.leader,
            lower,
            upper,
            self._fixed,
            -endless,
            endless,
            scale,
        )

    def _fixed_moments(self) -> FloatArray:
        """Mass and its first moment of bodies that are fixed to the world (skeletons, 4) [kg, kg m]."""
        fixed = np.zeros((len(self.trees), 4))
        for row, skeleton, tree in zip(fixed, self.skeletons, self.trees, strict=True):
            if skeleton.mass > tree.total_mass:
                row[0] = skeleton.mass - tree.total_mass
                row[1:] = skeleton.mass * skeleton.com() - (
                    tree.total_mass * tree.center_of_mass(skeleton.positions) if tree.total_mass else 0.0
                )
        return fixed

    # ---- what terms ask

    def skeleton_index(self, name: str | None) -> int:
        """Index of the skeleton of a name; None: the only one. Raises ValueError for others."""
        if name is None and len(self._indices) == 1:
            return 0
        if name is None or name not in self._indices:
            known = ", ".join(map(repr, self._indices))
            raise ValueError(f"skeleton: expected one of the problem's, {known}, got {name!r}")
        return self._indices[name]

    def place(self, given: FramePlace) -> NativePlace:
        """Place of a frame. Raises ValueError for one of another skeleton, UnknownNameError for no body."""
        if given.body is None:
            return 0, -1, given.pose
        try:
            t = self.skeleton_index(given.skeleton)
        except ValueError:
            names = ", ".join(repr(s.name) for s in self.skeletons)
            raise ValueError(f"frame: expected one of {names} or the world, got {given}") from None
        return t, self.trees[t].body_index(given.body), given.pose

    def dof_index(self, name: str, key: str | int | DegreeOfFreedom) -> int:
        """A dof by itself, by its index among all, or by name, after "skeleton." where several have it."""
        if isinstance(key, DegreeOfFreedom):
            for i, dof in enumerate(self.dofs):
                if dof is key:
                    return i
            raise ValueError(f"{name}: expected one of the problem's dofs, got {key.name!r}")
        if isinstance(key, str) and len(self.skeletons) > 1:
            found = [
                i for i, dof in enumerate(self.dofs) if key in (dof.name, f"{dof.skeleton.name}.{dof.name}")
            ]
            if len(found) == 1:
                return found[0]
            raise ValueError(f"{name}: expected the name of one dof, as 'skeleton.dof', got {key!r}")
        if isinstance(key, str):
            return self.skeletons[0].dof(key).index
        if isinstance(key, bool) or not isinstance(key, int | np.integer):
            raise TypeError(f"{name}: expected dofs, names or indices, got {type(key).__name__}")
        if not -len(self.dofs) <= key < len(self.dofs):
            raise IndexError(f"{name}: expected an index below {len(self.dofs)}, got {key}")
        return int(key) % len(self.dofs)

    def named_dof(self, name: str) -> int:
        """A dof by its name, or by "skeleton.dof". Raises ValueError or UnknownNameError."""
        head, _, tail = name.partition(".")
        for first, skeleton in zip(self.first, self.skeletons, strict=True):
            if skeleton.name == head and any(dof.name == tail for dof in skeleton.dofs):
                return int(first + skeleton.dof(tail).index)
        return self.dof_index("dofs", name)
