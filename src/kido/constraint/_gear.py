"""Dofs that follow each other."""

from __future__ import annotations

from math import inf

from kido.constraint._constraint import Constraint, Part, checked_softness
from kido.constraint._softness import Softness
from kido.description import JointType
from kido.errors import EditError
from kido.skeleton import DegreeOfFreedom
from kido.typing import frozen_array
from kido.values import checked_flag, checked_part

__all__ = ["GROUPS", "GearConstraint"]

GROUPS = (JointType.BALL, JointType.FREE)
"""Joints whose positions are not sums of velocities."""


class GearConstraint(Constraint):
    """A gear between two dofs of any skeletons: follower = ratio * leader + offset.

    Both feel it: where the follower's dof takes a force f, the leader's takes -ratio * f. A gear that is
    `one_way` is a motor of the follower instead, which the leader does not feel.
    """

    __slots__ = ("_max_force", "_offset", "_one_way", "_ratio", "_softness")

    def __init__(
        self,
        follower: DegreeOfFreedom,
        leader: DegreeOfFreedom,
        *,
        ratio: float = 1.0,
        offset: float = 0.0,
        max_force: float = inf,
        one_way: bool = False,
        softness: Softness | None = None,
    ) -> None:
        """Couple two dofs.

        Args:
            follower: a dof, not of a ball or free joint: their positions are not sums of velocities.
            leader: another one.
            ratio: of the positions [-, m/rad or rad/m].
            offset: of the follower [rad or m].
            max_force: largest force on the follower [N m or N], above 0.
            one_way: whether the leader feels nothing.
            softness: None: rigid.

        Raises:
            TypeError, ValueError: naming the argument.
            EditError: a dof with itself, or of a ball or free joint.
        """
        self._hold(follower, leader)
        self._ratio = float(frozen_array("ratio", ratio, ()))
        self._offset = float(frozen_array("offset", offset, (), "rad or m"))
        self._max_force = float(frozen_array("max_force", max_force, (), "N m or N", finite=False))
        if not self._max_force > 0.0:
            raise ValueError(f"max_force: expected a number above 0 [N m or N], got {self._max_force}")
        self._one_way = checked_flag("one_way", one_way)
        self._softness = checked_softness(softness)

    def _hold(self, *parts: Part) -> None:
        follower, leader = parts
        for name, part in (("follower", follower), ("leader", leader)):
            dof = checked_part(name, DegreeOfFreedom, part)
            if dof.joint.type in GROUPS:
                raise EditError(
                    f"{name}: expected a dof whose positions are added, got {dof.name!r} of the "
                    f"{dof.joint.type.value} joint {dof.joint.name!r}"
                )
        if follower == leader:
            raise EditError(f"follower, leader: expected two different dofs, got {leader!r} twice")
        super()._hold(follower, leader)

    @property
    def follower(self) -> DegreeOfFreedom:
        """The dof that follows."""
        follower = self._parts[0]
        assert isinstance(follower, DegreeOfFreedom)
        return follower

    @property
    def leader(self) -> DegreeOfFreedom:
        """The dof that is followed."""
        leader = self._parts[1]
        assert isinstance(leader, DegreeOfFreedom)
        return leader

    @property
    def ratio(self) -> float:
        """Of the positions [-, m/rad or rad/m]."""
        return self._ratio

    @property
    def offset(self) -> float:
        """Of the follower [rad or m]."""
        return self._offset

    @property
    def max_force(self) -> float:
        """Largest force on the follower [N m or N]."""
        return self._max_force

    @property
    def one_way(self) -> bool:
        """Whether the leader feels nothing."""
        return self._one_way

    @property
    def softness(self) -> Softness | None:
        """None: rigid."""
        return self._softness
