"""Mass, momenta and energies of soft bodies, with their points as they are."""

from __future__ import annotations

import numpy as np

from kido.description import Inertia, SoftSkin
from kido.frame import Frame
from kido.skeleton._axes import in_axes_of
from kido.skeleton._body import BodyNode
from kido.skeleton._core_inertia import core_of
from kido.skeleton._nodes._soft_energy import enclosed, gas_energy, spring_energy
from kido.skeleton._skin_node import SkinNode
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only

__all__ = ["SoftMasses"]


class SoftMasses(BodyNode):
    """A body with point masses: where these are, and what they weigh and store."""

    __slots__ = ()

    # ---- the points

    def _points(self) -> SkinNode:
        return self.skin_node

    @property
    def skin_node(self) -> SkinNode:
        """The node that holds the points."""
        self._check_alive()
        return next(node for node in self._nodes if isinstance(node, SkinNode))

    @property
    def _skin(self) -> SoftSkin:
        return self.skin_node.skin

    @property
    def num_points(self) -> int:
        """Number of point masses."""
        return self._skin.num_points

    # ---- motion of the points

    @property
    def displacements(self) -> FloatArray:
        """Displacements of points from rest (n, 3), in the body's axes [m]. Can be set."""
        return self.skin_node._soft.displacements

    @displacements.setter
    def displacements(self, displacements: ArrayLike) -> None:
        given = frozen_array("displacements", displacements, (self.num_points, 3), "m")
        self.skin_node._soft.displacements = given

    @property
    def displacement_velocities(self) -> FloatArray:
        """Velocities of the points beside the body (n, 3), in its axes [m/s]. Can be set; those of frozen
        points stay zero."""
        return self.skin_node._soft.velocities

    @displacement_velocities.setter
    def displacement_velocities(self, velocities: ArrayLike) -> None:
        given = frozen_array("displacement_velocities", velocities, (self.num_points, 3), "m/s")
        self.skin_node._soft.velocities = np.where(self._skin.frozen[:, None], 0.0, given)

    @property
    def yielded(self) -> FloatArray:
        """Displacements of the places of rest (n, 3), in the body's axes [m]: see
        `SoftSkin.yield_distance`. Can be set."""
        return self.skin_node._soft.yielded

    @yielded.setter
    def yielded(self, yielded: ArrayLike) -> None:
        self.skin_node._soft.yielded = frozen_array("yielded", yielded, (self.num_points, 3), "m")

    def _local_points(self) -> FloatArray:
        return self._skin.points + self.displacements

    def point_positions(self, *, relative_to: Frame | None = None) -> FloatArray:
        """Positions of the points (n, 3) in the coordinates of a frame [m]; None is the world."""
        T = self.transform(relative_to=relative_to)
        return read_only(self._local_points() @ T[:3, :3].T + T[:3, 3])

    def point_velocities(self) -> FloatArray:
        """Velocities of the points (n, 3) in the world, in its axes [m/s]."""
        V = self.spatial_velocity(in_coordinates_of=self)
        local = V[3:] + _turned(V[:3], self._local_points()) + self.displacement_velocities
        return read_only(local @ self.transform()[:3, :3].T)

    # ---- mass and energies, with the points as they are

    def com(self, *, relative_to: Frame | None = None) -> FloatArray:
        """Center of mass (3,) [m] of body and points in the coordinates of a frame; None is the world."""
        T = self.transform(relative_to=relative_to)
        return np.asarray(T[:3, :3] @ self._local_com() + T[:3, 3])

    def _local_com(self) -> FloatArray:
        shift = self._skin.mass @ self.displacements / self.mass
        return np.asarray(self.local_com + shift)

    @property
    def spring_energy(self) -> float:
        """Energy of the springs between points and body, and along edges [J]."""
        return spring_energy(self._skin, self.displacements, self.yielded)

    @property
    def volume(self) -> float:
        """Volume within the faces as they are [m^3]; of a surface that is open, seen from the body's
        origin."""
        return enclosed(self._skin, self._local_points())

    @property
    def pressure(self) -> float:
        """Pressure of the gas within the faces, beyond that of the air around [Pa]; 0 where there is none."""
        K = self._skin.bulk_modulus
        return K * (self._skin.volume / self.volume - 1.0) if K else 0.0

    @property
    def gas_energy(self) -> float:
        """Energy of the gas within the faces, at constant temperature, 0 at rest [J]."""
        return gas_energy(self._skin, self.displacements)

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of body and points in the world [J]."""
        return super().kinetic_energy + self._kinetic_beyond()

    @property
    def potential_energy(self) -> float:
        """Potential energy of body and points in gravity, 0 at the world's origin, of their springs and of
        the gas within [J]."""
        gravity = self._answers.gravity if self.gravity_mode else np.zeros(3)
        return self.spring_energy + self.gas_energy - self.mass * float(gravity @ self.com())

    def _kinetic_beyond(self) -> float:
        """Kinetic energy beyond that of the rigid body with the points at rest [J]."""
        V, soft, skin = self.spatial_velocity(in_coordinates_of=self), self.skin_node._soft, self._skin
        at_rest = V[3:] + _turned(V[:3], skin.points)
        beside = _turned(V[:3], soft.displacements) + soft.velocities
        return float(skin.mass @ ((at_rest + 0.5 * beside) * beside).sum(axis=1))

    def _potential_beyond(self) -> float:
        gravity = self._answers.gravity if self.gravity_mode else np.zeros(3)
        return self.spring_energy + self.gas_energy - float(gravity @ self._first_beyond())

    def _first_beyond(self) -> FloatArray:
        """First moment of mass (3,) in world axes [kg m]."""
        return np.asarray(self.transform()[:3, :3] @ (self._skin.mass @ self.displacements))

    def _linear_beyond(self) -> FloatArray:
        """Momentum (3,) of the points by where they are and how they move beside the body [kg m/s]."""
        mass, spin = self._skin.mass, self.spatial_velocity(in_coordinates_of=self)[:3]
        beside = np.cross(spin, mass @ self.displacements) + mass @ self.displacement_velocities
        return np.asarray(self.transform()[:3, :3] @ beside)

    def _angular_beyond(self, center: FloatArray) -> FloatArray:
        """Angular momentum (3,) about a point (3,) [kg m^2/s]."""
        w, R = self.spatial_velocity(in_coordinates_of=self)[:3], self.transform()[:3, :3]
        arm = BodyNode.com(self) - center
        momentum = self.mass * self.linear_velocity(self.local_com)
        return self.angular_momentum(center) - R @ self.moment_of_inertia @ w - np.cross(arm, momentum)

    def linear_momentum(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Linear momentum (3,) of body and points [kg m/s] in the axes of a frame; None is the world."""
        core = self.core_inertia
        momentum = core.mass * self.linear_velocity(core.com) + self._skin.mass @ self.point_velocities()
        return in_axes_of(in_coordinates_of, momentum)

    def angular_momentum(
        self, pivot: ArrayLike | None = None, *, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Angular momentum (3,) of body and points [kg m^2/s] about a point.

        Args:
            pivot: (3,) in world coordinates [m]; None is the world's origin.
            in_coordinates_of: axes of the answer; None is the world.
        """
        point = np.zeros(3) if pivot is None else frozen_array("pivot", pivot, (3,), "m")
        core, T = self.core_inertia, self.transform()
        spin = T[:3, :3] @ core.moment @ self.spatial_velocity(in_coordinates_of=self)[:3]
        center = T[:3, :3] @ core.com + T[:3, 3] - point
        of_core = spin + np.cross(center, core.mass * self.linear_velocity(core.com))
        arms = self.point_positions() - point
        of_points = np.cross(arms, self._skin.mass[:, None] * self.point_velocities()).sum(axis=0)
        return in_axes_of(in_coordinates_of, of_core + of_points)

    # ---- without points

    @property
    def core_inertia(self) -> Inertia:
        """Inertia of the body without its points."""
        return core_of(self.inertia, self._skin, self.name)

    def _write_inertia(self, inertia: Inertia | None) -> None:
        whole = Inertia(0.0) if inertia is None else inertia
        core_of(whole, self._skin, self.name)
        super()._write_inertia(inertia)


def _turned(w: FloatArray, points: FloatArray) -> FloatArray:
    """Velocities (n, 3) of points (n, 3) about the origin, by an angular velocity (3,): w x p."""
    x, y, z = w
    return np.asarray(points @ np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]))
