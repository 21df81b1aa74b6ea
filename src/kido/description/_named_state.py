"""A state of a scene under a name: a keyframe, or how it begins."""

from __future__ import annotations

from collections.abc import Iterable

from kido.description._named_values import checked_name
from kido.description._reference import SceneParts
from kido.errors import DescriptionError
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Value, value

__all__ = ["JointState", "NamedState"]

_NUMBERS = ("positions", "velocities", "commands")


@value
class JointState(Value):
    """Numbers of one joint of the robot or object `owner`, (num_dofs,) each, in the joint's own coordinates.

    `positions` [rad, m], `velocities` [rad/s, m/s], `commands` in the unit of the actuator; None: not told.
    """

    owner: str
    joint: str
    positions: FloatArray | None
    velocities: FloatArray | None
    commands: FloatArray | None

    def __init__(
        self,
        owner: str,
        joint: str,
        positions: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        commands: ArrayLike | None = None,
    ) -> None:
        self._assign(
            owner=checked_name("robot", owner),
            joint=checked_name("joint", joint),
            positions=_numbers("positions", positions, "rad, m"),
            velocities=_numbers("velocities", velocities, "rad/s, m/s"),
            commands=_numbers("commands", commands, "by actuator"),
        )

    def check(self, parts: SceneParts) -> None:
        """Raises UnknownNameError or DescriptionError where the scene has no joint of so many dofs."""
        count = parts.num_dofs(self.owner, self.joint)
        for what, numbers in zip(_NUMBERS, (self.positions, self.velocities, self.commands), strict=True):
            if numbers is not None and len(numbers) != count:
                expected = f"of {self.owner!r} has {count} dofs, got {len(numbers)} {what}"
                raise DescriptionError(expected, "joint", self.joint)


@value
class NamedState(Value):
    """Positions, velocities and commands of some joints of a scene; those that it does not name are at rest
    where the model has them. `time` is that of the scene [s].

    Raises ValueError or DescriptionError, naming the state.
    """

    name: str
    joints: tuple[JointState, ...]
    time: float

    def __init__(self, name: str, joints: Iterable[JointState] = (), time: float = 0.0) -> None:
        checked_name("state", name)
        parts = tuple(joints)
        told: set[tuple[str, str]] = set()
        for part in parts:
            if (part.owner, part.joint) in told:
                twice = f"expected each joint once, got {part.joint!r} of {part.owner!r} twice"
                raise DescriptionError(twice, "state", name)
            told.add((part.owner, part.joint))
        self._assign(name=name, joints=parts, time=float(frozen_array("time", time, (), "s")))

    def references(self) -> tuple[tuple[str, JointState], ...]:
        """The joints, each as "joints"."""
        return tuple(("joints", joint) for joint in self.joints)


def _numbers(name: str, values: ArrayLike | None, unit: str) -> FloatArray | None:
    return None if values is None else frozen_array(name, values, (-1,), unit)
