"""Ranges of dofs in which global inverse kinematics looks for postures, and who follows whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from kido.description import Coordinate
from kido.skeleton import Skeleton, UserJoint
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["DofKinds", "DofRanges"]

_TURN = 2.0 * np.pi


@dataclass(frozen=True, slots=True, eq=False)
class DofKinds:
    """Kinds of the dofs of a skeleton, and who follows whom: what stays while positions, limits and locks
    change.

    Attributes:
        names: of the dofs.
        coordinates: their kinds.
        leaders: index of the dof that leads, by those that follow.
        couplings: (num_dofs, 3) the dof that each one follows, or itself, factor and offset [rad, m].
        is_angle: (num_dofs,) whether it is an angle.
        turns: (num_dofs,) whether a whole turn of it is no other posture: angles whom nobody follows.
        is_rotation: (num_dofs,) whether it is one of a rotation vector.
        is_grouped: (num_dofs,) whether it adds to others of its joint only together with them.
        still: followers that do not move with their leader.
        user_joints: names of the joints that users wrote, by their dofs.
    """

    names: tuple[str, ...]
    coordinates: tuple[Coordinate, ...]
    leaders: Mapping[int, int]
    couplings: FloatArray
    is_angle: NDArray[np.bool_]
    turns: NDArray[np.bool_]
    is_rotation: NDArray[np.bool_]
    is_grouped: NDArray[np.bool_]
    still: frozenset[int]
    user_joints: Mapping[int, str]

    @classmethod
    def of(cls, skeleton: Skeleton) -> DofKinds:
        """Those of a skeleton as it is compiled now, looked at once for each structure."""
        tree = skeleton.tree
        known = _KNOWN.get(skeleton)
        if known is None or known[0]() is not tree or known[1].leaders is not skeleton.leading_dofs:
            known = _KNOWN[skeleton] = ref(tree), cls._read(skeleton)
        return known[1]

    @classmethod
    def _read(cls, skeleton: Skeleton) -> DofKinds:
        dofs = skeleton.dofs
        couplings = _couplings(skeleton)
        couplings.flags.writeable = False
        coordinates = tuple(dof.coordinate for dof in dofs)
        is_angle = np.array([one is Coordinate.ANGLE for one in coordinates], dtype=bool)
        turns = is_angle.copy()
        turns[[int(row[0]) for i, row in enumerate(couplings) if row[0] != i]] = False
        return cls(
            skeleton.tree.dof_names,
            coordinates,
            skeleton.leading_dofs,
            couplings,
            is_angle,
            turns,
            np.array([one is Coordinate.ROTATION_VECTOR for one in coordinates], dtype=bool),
            np.array([not one.is_additive for one in coordinates], dtype=bool),
            frozenset(np.flatnonzero(couplings[:, 1] == 0.0).tolist()),
            {dof.index: dof.joint.name for dof in dofs if isinstance(dof.joint, UserJoint)},
        )


_KNOWN: WeakKeyDictionary[Skeleton, tuple[ref[Tree], DofKinds]] = WeakKeyDictionary()
"""Kinds of the tree that a skeleton was compiled to; they name no part of it, so that it can go."""


@dataclass(frozen=True, eq=False)
class DofRanges:
    """Ranges of all dofs of a skeleton.

    A posture outside a range of a whole turn has an equal one inside it. Locked dofs stand still.

    Attributes:
        lower, upper: (num_dofs,) [rad, m]; infinite for dofs that no constraint may concern.
        kinds: of the dofs.
    """

    lower: FloatArray
    upper: FloatArray
    kinds: DofKinds

    @classmethod
    def of(cls, skeleton: Skeleton, tighter: Mapping[str, tuple[float, float]]) -> DofRanges:
        """Ranges within the limits of a skeleton, and within tighter ones by names of dofs [rad, m]."""
        tree, kinds = skeleton.tree, DofKinds.of(skeleton)
        lower, upper = tree.lower_limits.copy(), tree.upper_limits.copy()
        for name, (low, high) in tighter.items():
            i = tree.dof_index(name)
            lower[i], upper[i] = max(lower[i], low), min(upper[i], high)
        if kinds.leaders:
            _follow(kinds, lower, upper)
        if skeleton.locked_dofs:
            locked = list(skeleton.locked_dofs)
            lower[locked] = upper[locked] = skeleton.positions[locked]
        for i in np.flatnonzero(kinds.turns & (upper - lower > _TURN)).tolist():
            lower[i], upper[i] = _one_turn(lower[i], upper[i])
        return cls(lower, upper, kinds)

    @property
    def couplings(self) -> FloatArray:
        """The dof that each one follows (num_dofs, 3), or itself, factor and offset [rad, m]."""
        return self.kinds.couplings

    @cached_property
    def is_fixed_rotation(self) -> NDArray[np.bool_]:
        """Whether a dof (num_dofs,) is one of a rotation vector that has one value, as of a locked joint."""
        fixed: NDArray[np.bool_] = self.kinds.is_rotation & (self.lower == self.upper)
        for i in np.flatnonzero(self.kinds.is_rotation)[::3].tolist():
            fixed[i : i + 3] = fixed[i : i + 3].all()
        return fixed

    def check(self, used: list[int]) -> None:
        """Raises TypeError for joints that users wrote, ValueError for dofs without finite limits and for
        limits of rotation vectors that may turn; all name them."""
        kinds = self.kinds
        for i in used:
            if i in kinds.user_joints:
                raise TypeError(
                    f"joint {kinds.user_joints[i]!r}: expected one of kido's own, as the bounds of a motion "
                    "that a user wrote are not known"
                )
            at = int(kinds.couplings[i, 0])
            if kinds.is_rotation[i]:
                if not self.is_fixed_rotation[i]:
                    self._check_rotation(i)
            elif not self._is_finite[at]:
                raise ValueError(
                    f"dof {kinds.names[at]!r}: expected finite limits [{kinds.coordinates[at].unit}], got "
                    f"{self.lower[at]} and {self.upper[at]}: see `add_joint_limits`"
                )

    def without_position(self, used: set[int]) -> str | None:
        """The name of the last of some dofs, or of its leader, that has no position within its limits."""
        empty: str | None = None
        if (self.lower > self.upper).any():
            for i in sorted(used):
                leader = int(self.couplings[i, 0])
                if self.lower[leader] > self.upper[leader]:
                    empty = self.kinds.names[leader]
        return empty

    def limits_groups(self, dofs: list[int]) -> bool:
        """Whether some of these dofs, of ball or free joints, have limits."""
        grouped = [i for i in dofs if self.kinds.is_grouped[i]]
        return bool(grouped) and bool(np.isfinite([self.lower[grouped], self.upper[grouped]]).any())

    def _check_rotation(self, dof: int) -> None:
        if np.isfinite(self.lower[dof]) or np.isfinite(self.upper[dof]):
            raise ValueError(
                f"dof {self.kinds.names[dof]!r}: expected no limits, as global inverse kinematics knows none "
                f"of rotation vectors, got {self.lower[dof]} and {self.upper[dof]}"
            )

    @cached_property
    def _is_finite(self) -> NDArray[np.bool_]:
        finite: NDArray[np.bool_] = np.isfinite(self.lower) & np.isfinite(self.upper)
        return finite

    @cached_property
    def is_turn(self) -> NDArray[np.bool_]:
        """Whether the range of a dof (num_dofs,) is a whole turn, or endless."""
        full: NDArray[np.bool_] = self.upper - self.lower > _TURN * (1.0 - 1e-12)
        return full

    def ends(self, dof: int) -> tuple[float, float]:
        """Least and largest position of a dof, by its leader's [rad, m]."""
        leader, factor, offset = self.couplings[dof]
        limits = self.lower[int(leader)], self.upper[int(leader)]
        ends = [float(factor * limit + offset) for limit in limits]
        return min(ends), max(ends)

    def clip(self, positions: FloatArray) -> FloatArray:
        """Positions (num_dofs,) within their ranges, by whole turns where a range is one [rad, m]."""
        finite, turned = self._is_finite, positions
        if self.is_turn.any():
            low = np.where(finite, self.lower, 0.0)
            turned = np.where(finite & self.is_turn, low + (positions - low) % _TURN, positions)
        clipped: FloatArray = np.minimum(np.maximum(turned, self.lower), self.upper)
        return clipped if finite.all() else np.where(finite, clipped, positions)

    def place_followers(self, positions: FloatArray) -> FloatArray:
        """Positions (num_dofs,) with those of followers as their leaders say [rad, m]."""
        if not self.kinds.leaders:
            return positions
        leaders = self.couplings[:, 0].astype(int)
        followed: FloatArray = positions[leaders] * self.couplings[:, 1] + self.couplings[:, 2]
        return followed


def _one_turn(low: float, high: float) -> tuple[float, float]:
    """A whole turn between limits, about zero where that is between them [rad]."""
    low, high = (max(low, -1e6), min(high, 1e6))
    start = min(max(-np.pi, low), high - _TURN)
    return start, start + _TURN


def _couplings(skeleton: Skeleton) -> FloatArray:
    count = skeleton.num_dofs
    rows = np.stack([np.arange(count, dtype=float), np.ones(count), np.zeros(count)], axis=1)
    for follower, coupling in skeleton.dof_couplings.items():
        rows[follower] = coupling
    return rows


def _follow(kinds: DofKinds, lower: FloatArray, upper: FloatArray) -> None:
    """Take the limits of followers over to their leaders."""
    for i in kinds.leaders:
        leader, factor, offset = int(kinds.couplings[i, 0]), kinds.couplings[i, 1], kinds.couplings[i, 2]
        if factor == 0.0:
            continue
        ends = sorted(((lower[i] - offset) / factor, (upper[i] - offset) / factor))
        lower[leader], upper[leader] = max(lower[leader], ends[0]), min(upper[leader], ends[1])
