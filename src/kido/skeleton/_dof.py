"""One degree of freedom of a joint."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from kido.description import Coordinate
from kido.skeleton._dof_arrays import DofValue, OneDof, StateValue
from kido.values import checked_name

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode
    from kido.skeleton._joints._joint import Joint
    from kido.skeleton._skeleton import Skeleton

__all__ = ["DegreeOfFreedom"]


class DegreeOfFreedom(OneDof):
    """One degree of freedom: a view of one entry of its joint's arrays. Two views of the same entry are
    equal."""

    __slots__ = ("_index", "_joint")

    def __init__(self, joint: Joint, index: int) -> None:
        """Dof number `index` of `joint`; usually got from `joint.dofs` or `skeleton.dof(name)`."""
        self._joint = joint
        self._index = index

    position = StateValue("positions")
    velocity = StateValue("velocities")
    acceleration = StateValue("accelerations")
    force = StateValue("forces")
    command = StateValue("commands")
    position_lower_limit = DofValue("position_lower_limits")
    position_upper_limit = DofValue("position_upper_limits")
    velocity_lower_limit = DofValue("velocity_lower_limits")
    velocity_upper_limit = DofValue("velocity_upper_limits")
    acceleration_lower_limit = DofValue("acceleration_lower_limits")
    acceleration_upper_limit = DofValue("acceleration_upper_limits")
    force_lower_limit = DofValue("force_lower_limits")
    force_upper_limit = DofValue("force_upper_limits")
    initial_position = DofValue("initial_positions")
    initial_velocity = DofValue("initial_velocities")
    rest_position = DofValue("rest_positions")
    spring_stiffness = DofValue("spring_stiffness")
    damping = DofValue("damping")
    coulomb_friction = DofValue("coulomb_friction")
    armature = DofValue("armature")
    limit_stiffness = DofValue("limit_stiffness")
    limit_damping = DofValue("limit_damping")
    limit_frequency = DofValue("limit_frequency")
    limit_damping_ratio = DofValue("limit_damping_ratio")
    constraint_impulse = DofValue("constraint_impulses")

    @property
    def name(self) -> str:
        """Name of this dof."""
        return self._joint.dof_names[self._index]

    @name.setter
    def name(self, name: str) -> None:
        names = list(self._joint.dof_names)
        names[self._index] = checked_name("name", name)
        self._joint.dof_names = tuple(names)

    @property
    def joint(self) -> Joint:
        """The joint that this dof belongs to."""
        return self._joint

    @property
    def index_in_joint(self) -> int:
        """Index among the dofs of the joint."""
        return self._index

    @property
    def index(self) -> int:
        """Index among the dofs of the skeleton."""
        return self._joint.dof_indices[self._index]

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton that this dof belongs to. Raises RemovedError where there is none."""
        return self._joint.skeleton

    @property
    def child_body(self) -> BodyNode:
        """The body that the joint carries."""
        return self._joint.child_body

    @property
    def parent_body(self) -> BodyNode | None:
        """The body that the joint is attached to; None where that is the world."""
        return self._joint.parent_body

    @property
    def coordinate(self) -> Coordinate:
        """Meaning of the position: an angle, a length, a component of a rotation vector."""
        return self._joint.coordinates[self._index]

    @property
    def is_cyclic(self) -> bool:
        """Whether a full turn leads back, and no limit is in the way."""
        return self._joint.is_cyclic(self._index)

    @property
    def has_position_limit(self) -> bool:
        """Whether the position has a finite limit."""
        return self._joint.has_position_limit(self._index)

    def _joint_and_index(self) -> tuple[Joint, int]:
        return self._joint, self._index

    def __reduce__(self) -> NoReturn:
        whole = "joint" if self._joint._body is None else "skeleton"
        raise TypeError(f"cannot pickle dof {self.name!r} alone: pickle its {whole}, and it goes along")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DegreeOfFreedom) and other._joint is self._joint and other._index == self._index
        )

    def __hash__(self) -> int:
        return hash((id(self._joint), self._index))

    def __repr__(self) -> str:
        return f"<DegreeOfFreedom {self.name!r}>"
