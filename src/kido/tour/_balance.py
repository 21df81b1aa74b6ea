"""Robots on two feet that keep their balance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kido.frame import Frame
from kido.skeleton import ActuatorType, Skeleton
from kido.typing import FloatArray
from kido.view import Viewer
from kido.world import World

__all__ = ["Balance", "Reaction"]

_GAIN = 25.0
"""By which servos take positions back [1/s]."""

Reaction = tuple[str, float, float]
"""A dof, how much it turns by where the center of mass will be [rad/m], and at most [rad]."""


class Balance:
    """Servos that hold the first posture, changed at some joints by where the center of mass goes.

    Attributes:
        active: whether the center of mass is looked at.
        offset: of the center of mass from where it was at first (2,) [m].
    """

    __slots__ = (
        "_aside",
        "_capture",
        "_feet",
        "_forward",
        "_index",
        "_most",
        "_posture",
        "_rest",
        "_robot",
        "active",
        "offset",
    )

    def __init__(
        self,
        world: World,
        robot: Skeleton,
        feet: Sequence[Frame],
        forward: Sequence[Reaction],
        aside: Sequence[Reaction],
        *,
        capture: float,
    ) -> None:
        """Make the joints of a robot servos, and keep its balance from now on.

        Args:
            world: that moves the robot.
            robot: with a free root, which looks along x.
            feet: frames of the feet on which it stands.
            forward: what joints do against motion along x.
            aside: what they do against motion along y.
            capture: time in which the robot falls by its own size [s]: sqrt(height / gravity).
        """
        for joint in robot.joints:
            if joint.num_dofs == 1:
                joint.actuator = ActuatorType.SERVO
        self.active, self.offset = True, np.zeros(2)
        self._robot, self._feet, self._capture = robot, tuple(feet), capture
        self._forward, self._aside = tuple(forward), tuple(aside)
        self._posture = np.array(robot.positions)
        self._rest = robot.com()[:2] - self._middle()
        self._index = {dof.name: dof.index for dof in robot.dofs}
        self._most = np.array(robot.velocity_upper_limits)
        world.signals.before("detect").connect(self._act)

    def show(self, viewer: Viewer) -> None:
        """Add a checkbox that turns it on and off, and a plot of the center of mass."""
        viewer.add_checkbox("balance", True, on_change=lambda value: setattr(self, "active", value))
        viewer.add_plot(
            "center of mass over the feet [mm]", lambda: 1e3 * self.offset, names=["forward", "left"]
        )

    def _middle(self) -> FloatArray:
        return np.asarray(np.mean([foot.transform()[:2, 3] for foot in self._feet], axis=0))

    def _act(self, world: World) -> None:
        robot = self._robot
        self.offset = robot.com()[:2] - self._middle() - self._rest
        wanted = self._posture.copy()
        if self.active:
            forward, aside = self.offset + self._capture * robot.com_linear_velocity()[:2]
            for motion, reactions in ((forward, self._forward), (aside, self._aside)):
                for name, gain, most in reactions:
                    wanted[self._index[name]] += np.clip(gain * motion, -most, most)
        commands = np.clip(_GAIN * (wanted - robot.positions), -self._most, self._most)
        commands[:6] = 0.0
        robot.commands = commands
