"""Center of mass, momentum and energies of a whole skeleton."""

from __future__ import annotations

import math

import numpy as np

from kido.frame import WORLD, Frame, SimpleFrame
from kido.skeleton._axes import checked_frame, in_axes_of
from kido.skeleton._core_skeleton import SkeletonCore
from kido.skeleton._quantity import quantity
from kido.skeleton._support import convex_hull, support_points
from kido.typing import FloatArray

__all__ = ["SkeletonMass"]


class SkeletonMass(SkeletonCore):
    """What a skeleton answers about its mass as a whole."""

    __slots__ = ()

    @property
    def mass(self) -> float:
        """Mass of all bodies [kg]."""
        return math.fsum(body.mass for body in self._bodies)

    def com(self, *, relative_to: Frame | None = None) -> FloatArray:
        """Center of mass (3,) [m] in the coordinates of a frame; None is the world."""
        center = self._com
        if relative_to is None:
            return np.array(center)
        T = checked_frame("relative_to", relative_to).transform()
        return np.asarray(T[:3, :3].T @ (center - T[:3, 3]))

    def com_linear_velocity(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Velocity (3,) of the center of mass [m/s].

        `relative_to`: whose observer sees it; `in_coordinates_of`: axes of the answer; None is the world for
        both.
        """
        center = self._com_frame(accelerated=False)
        return center.linear_velocity(relative_to=relative_to, in_coordinates_of=in_coordinates_of)

    def com_linear_acceleration(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Acceleration (3,) of the center of mass [m/s^2], gravity not included.

        `relative_to`: whose observer sees it; `in_coordinates_of`: axes of the answer; None is the world for
        both.
        """
        center = self._com_frame(accelerated=True)
        return center.linear_acceleration(relative_to=relative_to, in_coordinates_of=in_coordinates_of)

    def com_spatial_velocity(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Average (6,) of the bodies' spatial velocities at their centers of mass, weighted by mass [rad/s,
        m/s].

        The linear part is the velocity of the center of mass; the angular part is an average, as DART defines
        it. None is the world.
        """
        parts = [
            (
                body.mass,
                body.com_spatial_velocity(
                    relative_to=relative_to, in_coordinates_of=_axes(in_coordinates_of)
                ),
            )
            for body in self._bodies
        ]
        return _average(parts)

    def com_spatial_acceleration(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Average (6,) of the bodies' spatial accelerations at their centers of mass, weighted by mass.

        As DART defines it [rad/s^2, m/s^2]; None is the world.
        """
        parts = [
            (
                body.mass,
                body.com_spatial_acceleration(
                    relative_to=relative_to, in_coordinates_of=_axes(in_coordinates_of)
                ),
            )
            for body in self._bodies
        ]
        return _average(parts)

    def linear_momentum(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Linear momentum (3,) of all bodies [kg m/s] in the axes of a frame; None is the world."""
        return in_axes_of(in_coordinates_of, self._momentum[3:])

    def angular_momentum(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Angular momentum (3,) of all bodies about their common center of mass [kg m^2/s]; axes as
        linear_momentum."""
        return in_axes_of(in_coordinates_of, self._momentum[:3])

    @quantity("positions", "velocities", "dynamics")
    def kinetic_energy(self) -> float:
        """Kinetic energy of all bodies [J]."""
        return float(self.tree.kinetic_energy(self.positions, self.velocities))

    @quantity("positions", "dynamics")
    def potential_energy(self) -> float:
        """Potential energy [J]: in the field of gravity, 0 at the world's origin, and of the springs."""
        stretch = self.spring_displacements
        springs = 0.5 * float(self.spring_stiffness @ (stretch * stretch))
        fixed = sum(body.potential_energy for body in self._bodies if not body._dependent_dofs())
        return float(self.tree.potential_energy(self.positions)) + springs + fixed

    @property
    def lagrangian(self) -> float:
        """Kinetic minus potential energy [J]."""
        return float(self.kinetic_energy - self.potential_energy)

    @quantity("positions", "dynamics")
    def spring_displacements(self) -> FloatArray:
        """Displacements (num_dofs,) of the springs from their rest positions [rad, m]."""
        return self.tree.difference(self.rest_positions, self.positions)

    # ---- support

    @property
    def support_points(self) -> FloatArray:
        """Corners (k, 3) of all active supports of end effectors, in world coordinates [m]."""
        return support_points(self)

    @property
    def support_axes(self) -> FloatArray:
        """Axes (2, 3) of the plane across gravity in which `support_polygon` lies, unit vectors of the
        world."""
        up = -self._gravity / (np.linalg.norm(self._gravity) or 1.0)
        if not up.any():
            up = np.array([0.0, 0.0, 1.0])
        helper = np.eye(3)[int(np.argmin(np.abs(up)))] if abs(up[0]) > 0.9 else np.array([1.0, 0.0, 0.0])
        first = helper - (helper @ up) * up
        first /= np.linalg.norm(first)
        return np.stack([first, np.cross(up, first)])

    @property
    def support_polygon(self) -> FloatArray:
        """Convex hull (k, 2) of the support points seen along gravity [m], counterclockwise in
        `support_axes`."""
        return convex_hull(self.support_points @ self.support_axes.T)

    @property
    def support_centroid(self) -> FloatArray:
        """Centroid (2,) of the support polygon [m]. Raises ValueError where no support is active."""
        corners = self.support_polygon
        if len(corners) == 0:
            raise ValueError("support_centroid: no end effector has an active support")
        if len(corners) < 3:
            return np.asarray(corners.mean(axis=0))
        following = np.roll(corners, -1, axis=0)
        areas = corners[:, 0] * following[:, 1] - following[:, 0] * corners[:, 1]
        return np.asarray((corners + following).T @ areas / (3.0 * areas.sum()))

    # ---- helpers

    @quantity()
    def _fixed_moment(self) -> FloatArray:
        """First moment of mass (3,) of the bodies that no dof moves [kg m]."""
        moments = [body.mass * body.com() for body in self._bodies if not body._dependent_dofs()]
        return np.asarray(np.sum([np.zeros(3), *moments], axis=0))

    @quantity("positions")
    def _com(self) -> FloatArray:
        """Center of mass (3,) [m]."""
        moment = self._fixed_moment
        if self.tree.total_mass > 0.0:
            moment = moment + self.tree.total_mass * self.tree.center_of_mass(self.positions)
        return moment / (self.mass or 1.0)

    @property
    def _moving_share(self) -> float:
        """Part of the mass that dofs move."""
        return self.tree.total_mass / (self.mass or 1.0)

    @quantity("positions", "velocities", "dynamics")
    def _momentum(self) -> FloatArray:
        """Momentum (6,) about the center of mass of all bodies, those that no dof moves included."""
        if self.tree.total_mass == 0.0:
            return np.zeros(6)
        momentum = self.tree.centroidal_momentum(self.positions, self.velocities)
        if self._moving_share < 1.0:
            momentum[:3] += np.cross(self.tree.center_of_mass(self.positions) - self._com, momentum[3:])
        return momentum

    def _com_frame(self, *, accelerated: bool) -> SimpleFrame:
        """A frame with the world's axes that moves with the center of mass."""
        frame = SimpleFrame("com")
        frame.relative_translation = self._com
        share = self._moving_share
        if share > 0.0:
            q, v = self.positions, self.velocities
            velocity = share * self.tree.com_velocity(q, v)
            acceleration = np.zeros(3)
            if accelerated:
                acceleration = share * self.tree.com_acceleration(q, v, self.accelerations)
            frame.set_classic_derivatives(linear_velocity=velocity, linear_acceleration=acceleration)
        return frame


def _axes(in_coordinates_of: Frame | None) -> Frame:
    return WORLD if in_coordinates_of is None else in_coordinates_of


def _average(parts: list[tuple[float, FloatArray]]) -> FloatArray:
    total = np.zeros(6)
    mass = 0.0
    for weight, vector in parts:
        total += weight * vector
        mass += weight
    return total / mass if mass > 0.0 else total
