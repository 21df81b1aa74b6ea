"""Codes of actuator types in the data of a skeleton."""

from __future__ import annotations

from kido._core import Actuator
from kido.description import ActuatorType

__all__ = ["ACTUATORS", "ActuatorType"]

ACTUATORS = tuple(ActuatorType[kind.name] for kind in Actuator)
"""The types by their codes in the data of a skeleton."""
