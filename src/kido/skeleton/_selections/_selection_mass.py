"""Center of mass and energies of the bodies of a selection."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kido.frame import WORLD, Frame
from kido.skeleton._body import BodyNode
from kido.skeleton._selections._selection_core import SelectionCore
from kido.skeleton._skeleton import Skeleton
from kido.typing import FloatArray

__all__ = ["SelectionMass"]


class SelectionMass(SelectionCore):
    """Mass properties of a selection. Each raises ValueError where its bodies have no mass."""

    __slots__ = ()

    @property
    def mass(self) -> float:
        """Mass of the bodies [kg]."""
        return math.fsum(body.mass for body in self._present().bodies)

    def com(self, *, relative_to: Frame | str | None = None) -> FloatArray:
        """Center of mass (3,) of the bodies [m] in the coordinates of a frame; None is the world."""
        observer = self._observer(relative_to)
        return self._average(lambda body: body.com(relative_to=observer))

    def com_linear_velocity(
        self, *, relative_to: Frame | str | None = None, in_coordinates_of: Frame | str | None = None
    ) -> FloatArray:
        """Velocity (3,) of the center of mass of the bodies [m/s].

        `relative_to`: whose observer sees it; `in_coordinates_of`: axes of the answer; None is the world for
        both.
        """
        observer, axes = self._observer(relative_to), self._axes(in_coordinates_of)
        return self._average(
            lambda body: body.com_linear_velocity(relative_to=observer, in_coordinates_of=axes)
        )

    def com_linear_acceleration(
        self, *, relative_to: Frame | str | None = None, in_coordinates_of: Frame | str | None = None
    ) -> FloatArray:
        """Acceleration (3,) of the center of mass of the bodies [m/s^2], gravity not included.

        `relative_to`: whose observer sees it; `in_coordinates_of`: axes of the answer; None is the world for
        both.
        """
        observer, axes = self._observer(relative_to), self._axes(in_coordinates_of)
        return self._average(
            lambda body: body.com_linear_acceleration(relative_to=observer, in_coordinates_of=axes)
        )

    def com_spatial_velocity(
        self, *, relative_to: Frame | str | None = None, in_coordinates_of: Frame | str | None = None
    ) -> FloatArray:
        """Average (6,) of the bodies' spatial velocities at their centers of mass [rad/s, m/s].

        Weighted by mass; the angular part is an average too, as DART defines it. None is the world.
        """
        observer, axes = self._observer(relative_to), self._axes(in_coordinates_of, WORLD)
        return self._average(
            lambda body: body.com_spatial_velocity(relative_to=observer, in_coordinates_of=axes)
        )

    def com_spatial_acceleration(
        self, *, relative_to: Frame | str | None = None, in_coordinates_of: Frame | str | None = None
    ) -> FloatArray:
        """Average (6,) of the bodies' spatial accelerations at their centers of mass [rad/s^2, m/s^2].

        Weighted by mass, as DART defines it. None is the world.
        """
        observer, axes = self._observer(relative_to), self._axes(in_coordinates_of, WORLD)
        return self._average(
            lambda body: body.com_spatial_acceleration(relative_to=observer, in_coordinates_of=axes)
        )

    # ---- Jacobians

    def com_jacobian(self, *, in_coordinates_of: Frame | str | None = None) -> FloatArray:
        """Jacobian (6, num_dofs) of `com_spatial_velocity` [rad/s, m/s per unit velocity], for these dofs.

        Motion that other dofs give the bodies is not in it. `in_coordinates_of` None is the world.
        """
        axes = self._axes(in_coordinates_of, WORLD)
        return self._mean(
            lambda skeleton, body: skeleton.jacobian(body, body.local_com, in_coordinates_of=axes)
        )

    def com_linear_jacobian(self, *, in_coordinates_of: Frame | str | None = None) -> FloatArray:
        """The linear rows (3, num_dofs) of `com_jacobian` [m/s per unit velocity]; in_coordinates_of as
        there."""
        return self.com_jacobian(in_coordinates_of=in_coordinates_of)[3:]

    def com_jacobian_spatial_derivative(self, *, in_coordinates_of: Frame | str | None = None) -> FloatArray:
        """Derivative (6, num_dofs) that goes with `com_spatial_acceleration` [rad/s^2, m/s^2].

        `in_coordinates_of` None is the world.
        """
        axes = self._axes(in_coordinates_of, WORLD)
        return self._mean(
            lambda skeleton, body: skeleton.jacobian_spatial_derivative(
                body, body.local_com, in_coordinates_of=axes
            )
        )

    def com_linear_jacobian_derivative(self, *, in_coordinates_of: Frame | str | None = None) -> FloatArray:
        """Time derivative (3, num_dofs) of `com_linear_jacobian` [m/s^2 per unit velocity].

        `in_coordinates_of` None is the world.
        """
        axes = self._axes(in_coordinates_of)
        return self._mean(
            lambda skeleton, body: skeleton.jacobian_classic_derivative(
                body, body.local_com, in_coordinates_of=axes
            )
        )[3:]

    # ---- energies

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of the bodies, and of the armature of the dofs [J]."""
        rotors = 0.5 * float(self.armature @ (self.velocities * self.velocities))
        return rotors + math.fsum(body.kinetic_energy for body in self._present().bodies)

    @property
    def potential_energy(self) -> float:
        """Potential energy [J] of the bodies, 0 at the world's origin, and of the springs of the dofs."""
        stretch = self._gathered(lambda skeleton: skeleton.spring_displacements)
        springs = 0.5 * float(self.spring_stiffness @ (stretch * stretch))
        return springs + math.fsum(body.potential_energy for body in self._present().bodies)

    @property
    def lagrangian(self) -> float:
        """Kinetic minus potential energy [J]."""
        return self.kinetic_energy - self.potential_energy

    # ---- helpers

    def _average(self, ask: Callable[[BodyNode], FloatArray]) -> FloatArray:
        total = self._positive_mass()
        return np.asarray(sum(body.mass * ask(body) for body in self._present().bodies) / total)

    def _mean(self, ask: Callable[[Skeleton, BodyNode], FloatArray]) -> FloatArray:
        total = self._positive_mass()
        bodies = self._present().bodies

        def of_skeleton(skeleton: Skeleton) -> FloatArray:
            mean = np.zeros((6, skeleton.num_dofs))
            for body in bodies:
                if body.skeleton is skeleton:
                    mean += body.mass / total * ask(skeleton, body)
            return mean

        return self._columns(6, of_skeleton)

    def _positive_mass(self) -> float:
        mass = self.mass
        if mass <= 0.0:
            raise ValueError(f"com: no body of {self._name!r} has a mass")
        return mass
