"""A state of a scene under a name: a keyframe, or how it begins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from kido.description._named_values import name_of
from kido.description._reference import SceneParts
from kido.errors import DescriptionError
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Checked, Value, checked, items, number, value

__all__ = ["JointState", "NamedState"]

_NUMBERS = ("positions", "velocities", "commands")

Numbers: TypeAlias = Checked[ArrayLike | None, FloatArray | None]
"""Annotation of a field that takes numbers or None."""


def _numbers(unit: str) -> Any:
    def check(name: str, value: ArrayLike | None) -> FloatArray | None:
        return None if value is None else frozen_array(name, value, (-1,), unit)

    return checked(check, default=None)


@value
class JointState(Value):
    """Numbers of one joint of the robot or object `owner`, (num_dofs,) each, in the joint's own coordinates.

    `positions` [rad, m], `velocities` [rad/s, m/s], `commands` in the unit of the actuator; None: not told.
    """

    owner: str = checked(name_of("robot"))
    joint: str = checked(name_of("joint"))
    positions: Numbers = _numbers("rad, m")
    velocities: Numbers = _numbers("rad/s, m/s")
    commands: Numbers = _numbers("by actuator")

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

    name: str = checked(name_of("state"))
    joints: Checked[Iterable[JointState], tuple[JointState, ...]] = items(JointState, default=())
    time: float = number(unit="s", default=0.0)

    def _check(self) -> None:
        told: set[tuple[str, str]] = set()
        for joint in self.joints:
            if (joint.owner, joint.joint) in told:
                twice = f"expected each joint once, got {joint.joint!r} of {joint.owner!r} twice"
                raise DescriptionError(twice, "state", self.name)
            told.add((joint.owner, joint.joint))

    def references(self) -> tuple[tuple[str, JointState], ...]:
        """The joints, each as "joints"."""
        return tuple(("joints", joint) for joint in self.joints)
