"""Actuator types of joints."""

from __future__ import annotations

from enum import Enum

from kido.values import register

__all__ = ["ActuatorType"]


@register
class ActuatorType(str, Enum):
    """Drive of a joint: the meaning of its command.

    * force: the command is the generalized force.
    * passive: no command; springs, dampers and friction act.
    * servo: the command is a velocity, reached within the force limits.
    * mimic: follows another joint.
    * acceleration, velocity: the command is reached exactly, whatever force that takes.
    * locked: does not move.
    """

    FORCE = "force"
    PASSIVE = "passive"
    SERVO = "servo"
    MIMIC = "mimic"
    ACCELERATION = "acceleration"
    VELOCITY = "velocity"
    LOCKED = "locked"

    def __str__(self) -> str:
        return self.value

    @property
    def is_kinematic(self) -> bool:
        """Whether the motion is prescribed, and the force follows from it."""
        return self in (ActuatorType.ACCELERATION, ActuatorType.VELOCITY, ActuatorType.LOCKED)

    @property
    def takes_commands(self) -> bool:
        """Whether commands mean something."""
        return self not in (ActuatorType.PASSIVE, ActuatorType.MIMIC, ActuatorType.LOCKED)
