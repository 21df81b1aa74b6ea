"""Ranges of dofs in which global inverse kinematics looks for postures, and who follows whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kido.description import Coordinate
from kido.skeleton import Skeleton
from kido.typing import FloatArray

__all__ = ["DofRanges"]

_TURN = 2.0 * np.pi
_SIMPLE = {Coordinate.ANGLE, Coordinate.LENGTH, Coordinate.SCREW_ANGLE}


@dataclass(frozen=True, slots=True, eq=False)
class DofRanges:
    """Ranges of all dofs of a skeleton.

    A posture outside a range of a whole turn has an equal one inside it. Locked dofs stand still.

    Attributes:
        lower, upper: (num_dofs,) [rad, m]; infinite for dofs that no constraint may concern.
        couplings: (num_dofs, 3) the dof that each one follows, or itself, factor and offset [rad, m].
    """

    lower: FloatArray
    upper: FloatArray
    couplings: FloatArray

    @classmethod
    def of(cls, skeleton: Skeleton, tighter: Mapping[str, tuple[float, float]]) -> DofRanges:
        """Ranges within the limits of a skeleton, and within tighter ones by names of dofs [rad, m]."""
        tree = skeleton.tree
        lower, upper = tree.lower_limits.copy(), tree.upper_limits.copy()
        for name, (low, high) in tighter.items():
            i = tree.dof_index(name)
            lower[i], upper[i] = max(lower[i], low), min(upper[i], high)
        couplings = _couplings(skeleton)
        _follow(skeleton, couplings, lower, upper)
        positions = skeleton.positions
        for i in skeleton.locked_dofs:
            lower[i] = upper[i] = positions[i]
        geared = {int(row[0]) for i, row in enumerate(couplings) if row[0] != i}
        for i, dof in enumerate(skeleton.dofs):
            if dof.coordinate is Coordinate.ANGLE and i not in geared and upper[i] - lower[i] > _TURN:
                lower[i], upper[i] = _one_turn(lower[i], upper[i])
        return cls(lower, upper, couplings)

    def check(self, skeleton: Skeleton, used: list[int]) -> None:
        """Raises TypeError for dofs of joints that global inverse kinematics cannot move, ValueError for
        those without finite limits; both name them."""
        for i in used:
            dof = skeleton.dofs[i]
            if dof.coordinate not in _SIMPLE:
                raise TypeError(
                    f"joint {dof.joint.name!r}: global inverse kinematics moves joints that turn about axes "
                    f"or slide along them, got one of type {dof.joint.type}"
                )
            at = int(self.couplings[i, 0])
            if not (np.isfinite(self.lower[at]) and np.isfinite(self.upper[at])):
                leader = skeleton.dofs[at]
                raise ValueError(
                    f"dof {leader.name!r}: expected finite limits [{leader.coordinate.unit}], got "
                    f"{self.lower[at]} and {self.upper[at]}: see `add_joint_limits`"
                )

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


def _couplings(skeleton: Skeleton) -> FloatArray:
    count = skeleton.num_dofs
    rows = np.stack([np.arange(count, dtype=float), np.ones(count), np.zeros(count)], axis=1)
    for follower, leader in skeleton.leading_dofs.items():
        dof, factor, offset = skeleton.dofs[follower], 1.0, 0.0
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
