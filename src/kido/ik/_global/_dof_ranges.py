"""Ranges of dofs in which global inverse kinematics looks for postures, and who follows whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.description import Coordinate
from kido.skeleton import DegreeOfFreedom, Skeleton, UserJoint
from kido.typing import FloatArray

__all__ = ["DofRanges"]

_TURN = 2.0 * np.pi


@dataclass(frozen=True, slots=True, eq=False)
class DofRanges:
    """Ranges of all dofs of a skeleton.

    A posture outside a range of a whole turn has an equal one inside it. Locked dofs stand still.

    Attributes:
        lower, upper: (num_dofs,) [rad, m]; infinite for dofs that no constraint may concern.
        dofs: of the skeleton.
        couplings: (num_dofs, 3) the dof that each one follows, or itself, factor and offset [rad, m].
    """

    lower: FloatArray
    upper: FloatArray
    couplings: FloatArray
    dofs: tuple[DegreeOfFreedom, ...]

    @classmethod
    def of(cls, skeleton: Skeleton, tighter: Mapping[str, tuple[float, float]]) -> DofRanges:
        """Ranges within the limits of a skeleton, and within tighter ones by names of dofs [rad, m]."""
        tree = skeleton.tree
        lower, upper = tree.lower_limits.copy(), tree.upper_limits.copy()
        for name, (low, high) in tighter.items():
            i = tree.dof_index(name)
            lower[i], upper[i] = max(lower[i], low), min(upper[i], high)
        dofs = skeleton.dofs
        couplings = _couplings(skeleton, dofs)
        _follow(skeleton, couplings, lower, upper)
        positions = skeleton.positions
        for i in skeleton.locked_dofs:
            lower[i] = upper[i] = positions[i]
        geared = {int(row[0]) for i, row in enumerate(couplings) if row[0] != i}
        for i, dof in enumerate(dofs):
            if dof.coordinate is Coordinate.ANGLE and i not in geared and upper[i] - lower[i] > _TURN:
                lower[i], upper[i] = _one_turn(lower[i], upper[i])
        return cls(lower, upper, couplings, dofs)

    def check(self, used: list[int]) -> None:
        """Raises TypeError for joints that users wrote, ValueError for dofs without finite limits and for
        limits of rotation vectors; all name them."""
        for i in used:
            dof = self.dofs[i]
            if isinstance(dof.joint, UserJoint):
                raise TypeError(
                    f"joint {dof.joint.name!r}: expected one of kido's own, as the bounds of a motion that a "
                    "user wrote are not known"
                )
            if dof.coordinate is Coordinate.ROTATION_VECTOR:
                self._check_rotation(dof)
                continue
            at = int(self.couplings[i, 0])
            if not (np.isfinite(self.lower[at]) and np.isfinite(self.upper[at])):
                leader = self.dofs[at]
                raise ValueError(
                    f"dof {leader.name!r}: expected finite limits [{leader.coordinate.unit}], got "
                    f"{self.lower[at]} and {self.upper[at]}: see `add_joint_limits`"
                )

    def _check_rotation(self, dof: DegreeOfFreedom) -> None:
        if np.isfinite(self.lower[dof.index]) or np.isfinite(self.upper[dof.index]):
            raise ValueError(
                f"dof {dof.name!r}: expected no limits, as global inverse kinematics knows none of rotation "
                f"vectors, got {self.lower[dof.index]} and {self.upper[dof.index]}"
            )

    @property
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
        finite = np.isfinite(self.lower) & np.isfinite(self.upper)
        low, high = np.where(finite, self.lower, 0.0), np.where(finite, self.upper, 0.0)
        turned = np.where(self.is_turn, low + (positions - low) % _TURN, positions)
        clipped: FloatArray = np.where(finite, np.clip(turned, low, high), positions)
        return clipped

    def place_followers(self, positions: FloatArray) -> FloatArray:
        """Positions (num_dofs,) with those of followers as their leaders say [rad, m]."""
        leaders = self.couplings[:, 0].astype(int)
        followed: FloatArray = positions[leaders] * self.couplings[:, 1] + self.couplings[:, 2]
        return followed


def _one_turn(low: float, high: float) -> tuple[float, float]:
    """A whole turn between limits, about zero where that is between them [rad]."""
    low, high = (max(low, -1e6), min(high, 1e6))
    start = min(max(-np.pi, low), high - _TURN)
    return start, start + _TURN


def _couplings(skeleton: Skeleton, dofs: tuple[DegreeOfFreedom, ...]) -> FloatArray:
    count = len(dofs)
    rows = np.stack([np.arange(count, dtype=float), np.ones(count), np.zeros(count)], axis=1)
    for follower, leader in skeleton.leading_dofs.items():
        dof, factor, offset = dofs[follower], 1.0, 0.0
        while dof.index != leader:
            mimic = dof.joint.mimic
            assert mimic is not None
            offset += factor * mimic.offset
            factor *= mimic.multiplier
            dof = skeleton.joint(mimic.joint).dof(dof.index_in_joint)
        rows[follower] = leader, factor, offset
    return rows


def _follow(skeleton: Skeleton, couplings: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
    """Take the limits of followers over to their leaders."""
    for i in skeleton.leading_dofs:
        leader, factor, offset = int(couplings[i, 0]), couplings[i, 1], couplings[i, 2]
        if factor == 0.0:
            continue
        ends = sorted(((lower[i] - offset) / factor, (upper[i] - offset) / factor))
        lower[leader], upper[leader] = max(lower[leader], ends[0]), min(upper[leader], ends[1])
