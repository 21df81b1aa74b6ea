"""Robots that follow positions by servos."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from kido.skeleton import ActuatorType, Joint, Skeleton
from kido.typing import ArrayLike, FloatArray
from kido.world import World

__all__ = ["ServoTracking"]

_GAIN = 25.0
"""Of position errors [1/s]."""


class ServoTracking:
    """Servos of a robot's joints with one dof that follow positions in time: each holds the velocity that
    brings it there, by as much force as its limits allow.

    Attributes:
        target: gives the positions (k,) at a time [rad, m]. Can be set.
    """

    __slots__ = ("_indices", "_most", "_robot", "target")

    def __init__(
        self,
        world: World,
        robot: Skeleton,
        target: Callable[[float], ArrayLike],
        joints: Iterable[Joint] | None = None,
    ) -> None:
        """Make the joints servos, and follow from now on.

        Args:
            world: that moves the robot.
            robot: whose joints follow.
            target: gives the positions (k,) of the joints at a time [rad, m].
            joints: those that follow; None: all with one dof and a motor.
        """
        chosen = [j for j in robot.joints if _is_driven(j)] if joints is None else list(joints)
        for joint in chosen:
            joint.actuator = ActuatorType.SERVO
        self.target, self._robot = target, robot
        self._indices = np.array([joint.dof(0).index for joint in chosen])
        self._most: FloatArray = np.array(robot.velocity_upper_limits[self._indices])
        world.signals.before("detect").connect(self._follow)

    def _follow(self, world: World) -> None:
        error = np.asarray(self.target(world.time)) - self._robot.positions[self._indices]
        commands = np.array(self._robot.commands)
        commands[self._indices] = np.clip(_GAIN * error, -self._most, self._most)
        self._robot.commands = commands


def _is_driven(joint: Joint) -> bool:
    return joint.num_dofs == 1 and joint.actuator in (ActuatorType.FORCE, ActuatorType.SERVO)
