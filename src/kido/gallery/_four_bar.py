"""A four-bar linkage without a loop: a joint of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kido.gallery._parts import DARK, ORANGE, ORIGIN, Vector, add_link, ball, positive, rod
from kido.skeleton import Skeleton, UserJoint, WeldJoint
from kido.typing import FloatArray

__all__ = ["FourBarJoint", "four_bar"]

_UPRIGHT = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
"""Pose of a joint whose plane xy is the plane xz of the world."""


class FourBarJoint(UserJoint):
    """Motion of the coupler of a four-bar linkage in the plane xy; the dof is the angle of the crank.

    The crank turns about the origin, the rocker about (ground, 0). The coupler's frame is at the end of the
    crank, its x axis towards the end of the rocker; the linkage is assembled so that this end lies on the
    left of the line from the crank's end to the rocker's pivot. See Norton, "Design of Machinery" (2011),
    chapters 4, 6 and 7.
    """

    num_dofs: ClassVar[int] = 1

    @dataclass(frozen=True)
    class Properties:
        """Lengths [m]; the crank can turn all the way (Grashof's criterion, the crank being shortest)."""

        crank: float = 0.1
        coupler: float = 0.3
        rocker: float = 0.25
        ground: float = 0.3

        def __post_init__(self) -> None:
            lengths = [positive(name, getattr(self, name), "m") for name in self.__dataclass_fields__]
            short, *middle, long = sorted(lengths)
            if short != self.crank or short + long >= sum(middle):
                raise ValueError(f"lengths: expected a crank that can turn all the way, got {lengths} [m]")

    properties: Properties

    def transform_of(self, q: FloatArray) -> FloatArray:
        """Pose (4, 4) [m] of the coupler at crank angle q (1,) [rad]."""
        coupler, _ = self._angles(q[0])
        c, s = np.cos(coupler), np.sin(coupler)
        T = np.eye(4)
        T[:2, :2] = [[c, -s], [s, c]]
        T[:2, 3] = self.properties.crank * np.array([np.cos(q[0]), np.sin(q[0])])
        return T

    def jacobian_of(self, q: FloatArray) -> FloatArray:
        """Spatial velocity (6, 1) [rad/s, m/s] of the coupler per velocity of the crank, at q (1,) [rad]."""
        coupler, rocker = self._angles(q[0])
        turning, _ = self._rates(q[0], coupler, rocker)
        ahead = q[0] - coupler
        crank = self.properties.crank
        column = [0.0, 0.0, turning, -crank * np.sin(ahead), crank * np.cos(ahead), 0.0]
        return np.array(column)[:, None]

    def jacobian_derivative_of(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Time derivative (6, 1) [rad/s^2, m/s^2] of the Jacobian, at q (1,) [rad] and v (1,) [rad/s]."""
        coupler, rocker = self._angles(q[0])
        turning, rocking = self._rates(q[0], coupler, rocker)
        crank = self.properties.crank
        above = crank * np.cos(rocker - q[0]) * (rocking - 1.0)
        below = self.properties.coupler * np.cos(rocker - coupler) * (rocking - turning)
        bend = -(above + turning * below) / (self.properties.coupler * np.sin(rocker - coupler))
        ahead = q[0] - coupler
        swing = crank * (1.0 - turning)
        rates = [0.0, 0.0, bend, -swing * np.cos(ahead), -swing * np.sin(ahead), 0.0]
        return np.array(rates)[:, None] * v

    def _angles(self, crank: float) -> tuple[float, float]:
        """Angles of coupler and rocker [rad]."""
        p = self.properties
        joint = p.crank * np.array([np.cos(crank), np.sin(crank)])
        to_pivot = np.array([p.ground, 0.0]) - joint
        distance = float(np.hypot(*to_pivot))
        opening = np.arccos((p.coupler**2 + distance**2 - p.rocker**2) / (2.0 * p.coupler * distance))
        coupler = float(np.arctan2(to_pivot[1], to_pivot[0]) + opening)
        end = joint + p.coupler * np.array([np.cos(coupler), np.sin(coupler)])
        return coupler, float(np.arctan2(end[1], end[0] - p.ground))

    def _rates(self, crank: float, coupler: float, rocker: float) -> tuple[float, float]:
        """Angular velocities of coupler and rocker per that of the crank."""
        p = self.properties
        turning = -p.crank * np.sin(rocker - crank) / (p.coupler * np.sin(rocker - coupler))
        rocking = p.crank * np.sin(coupler - crank) / (p.rocker * np.sin(coupler - rocker))
        return float(turning), float(rocking)


def four_bar(crank: float = 0.1, coupler: float = 0.3, rocker: float = 0.25, ground: float = 0.3) -> Skeleton:
    """The coupler of a four-bar linkage in the plane xz; crank and rocker have no inertia.

    Args:
        crank: length of the bar that is driven; the shortest, it can turn all the way [m].
        coupler: length of the bar between the other two [m].
        rocker: length of the bar that follows [m].
        ground: distance between the two fixed hinges [m].

    Returns:
        The skeleton: bodies "ground" and "coupler", joint "crank", a `FourBarJoint`; end effectors
        "crank_end" and "rocker_end" on the coupler, and "tracer" above its middle, which draws a coupler
        curve.

    Raises:
        ValueError: lengths that are not positive, or of a linkage whose crank cannot turn.
    """
    joint = FourBarJoint(
        "crank", FourBarJoint.Properties(crank, coupler, rocker, ground), T_parent_joint=_UPRIGHT
    )
    robot = Skeleton("four_bar")
    pivots = ball(0.015, material=DARK), ball(0.015, (ground, 0.0, 0.0), DARK)
    fixed = add_link(robot, "ground", None, WeldJoint("mount"), 1.0, *pivots)
    end: Vector = (coupler, 0.0, 0.0)
    tracer: Vector = (coupler / 2.0, coupler / 2.0, 0.0)
    beams = rod(ORIGIN, end, 0.01, ORANGE), rod((coupler / 2.0, 0.0, 0.0), tracer, 0.008, ORANGE)
    body = add_link(robot, "coupler", fixed, joint, 0.5, *beams)
    for name, place in (("crank_end", ORIGIN), ("rocker_end", end), ("tracer", tracer)):
        body.add_end_effector(name, place)
    return robot
