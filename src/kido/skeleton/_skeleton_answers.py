"""Everything that can be asked about a skeleton as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from kido._core import JacobianDerivative, JacobianRows
from kido.frame import Frame
from kido.skeleton._answers import _center_of_mass as com
from kido.skeleton._answers import _dynamics as dynamics
from kido.skeleton._answers import _mass as masses
from kido.skeleton._answers import _support as support
from kido.skeleton._answers import _transmitted_wrenches as joint_wrenches
from kido.skeleton._answers._answers import Answers
from kido.skeleton._answers._quantity import undisturbed
from kido.skeleton._answers._soft_rest import NO_SOFT_REST, SoftRest, soft_rest
from kido.skeleton._axes import in_axes_of
from kido.skeleton._frame_jacobians import FrameJacobians
from kido.typing import ArrayLike, FloatArray, read_only
from kido.values import checked_flag

__all__ = ["SkeletonAnswers"]


class SkeletonAnswers(FrameJacobians):
    """Dynamics, mass and Jacobians of a skeleton.

    Attributes are computed when they are asked for, and cached as long as they hold. Forward and inverse
    dynamics are not automatic: `compute_forward_dynamics` and `compute_inverse_dynamics` write accelerations
    or forces when they are called. Where a frame is meant, the name of a body or node will do.
    """

    __slots__ = ()

    _answers: Answers

    @property
    def bodies(self) -> tuple[Any, ...]:
        """All bodies, depth first."""
        raise NotImplementedError

    def kinematics_counts(self) -> tuple[int, int, int]:
        """Transforms, velocities and accelerations of moving links computed since the last edit.

        What was asked for before and did not change since is not computed again.
        """
        return self._answers.ready().counts()

    # ---- mass, energies, momentum

    mass = masses.mass

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy v^T M v / 2 of all bodies, of the dofs' armature, and of point masses [J]."""
        return masses.kinetic_energy.of(self._answers) + self._soft_rest().kinetic

    @property
    def potential_energy(self) -> float:
        """Potential energy [J]: in the field of gravity, 0 at the world's origin, and of the springs."""
        return masses.potential_energy.of(self._answers) + self._soft_rest().potential

    @property
    def lagrangian(self) -> float:
        """Kinetic minus potential energy [J]."""
        return self.kinetic_energy - self.potential_energy

    def _soft_rest(self) -> SoftRest:
        """Point masses beyond the rigid bodies that they make where they rest."""
        return soft_rest(self._answers, self.bodies)

    def linear_momentum(self, *, in_coordinates_of: Frame | str | None = None) -> FloatArray:
        """Linear momentum (3,) of all bodies [kg m/s] in the axes of a frame; None is the world."""
        momentum = masses.momentum.of(self._answers)[3:] + self._soft_rest().linear
        return in_axes_of(self._axes(in_coordinates_of), momentum)

    @undisturbed
    def angular_momentum(self, *, in_coordinates_of: Frame | str | None = None) -> FloatArray:
        """Angular momentum (3,) of all bodies about their common center of mass [kg m^2/s]; axes as
        linear_momentum."""
        momentum, rest = masses.momentum.of(self._answers), self._soft_rest()
        spin = momentum[:3]
        if rest is not NO_SOFT_REST:
            # The common center is another one with the points, and momenta are about it.
            center, whole = masses.center_of_mass.of(self._answers), self.com()
            spin = spin + np.cross(center - whole, momentum[3:]) + rest.about(whole)
        return in_axes_of(self._axes(in_coordinates_of), spin)

    # ---- center of mass

    def com(self, *, relative_to: Frame | str | None = None) -> FloatArray:
        """Center of mass (3,) [m] in the coordinates of a frame; None is the world."""
        center, rest = com.com_position(self._answers, self._observer(relative_to)), self._soft_rest()
        if rest is NO_SOFT_REST:
            return center
        observer = self._observer(relative_to)
        return np.asarray(center + in_axes_of(observer, rest.first / self.mass))

    @undisturbed
    def com_linear_velocity(
        self, *, relative_to: Frame | str | None = None, in_coordinates_of: Frame | str | None = None
    ) -> FloatArray:
        """Velocity (3,) of the center of mass [m/s].

        `relative_to`: whose observer sees it; `in_coordinates_of`: axes of the answer; None is the world for
        both.
        """
        center = com.com_frame(self._answers, accelerated=False)
        rest = self._soft_rest()
        if rest is not NO_SOFT_REST:
            center.relative_translation = self.com()
            center.set_classic_derivatives(linear_velocity=self.linear_momentum() / self.mass)
        return center.linear_velocity(
            relative_to=self._observer(relative_to), in_coordinates_of=self._axes(in_coordinates_of)
        )

    @undisturbed
    def com_linear_acceleration(
        self, *, relative_to: Frame | str | None = None, in_coordinates_of: Frame | str | None = None
    ) -> FloatArray:
        """Acceleration (3,) of the center of mass [m/s^2], gravity not included.

        `relative_to`: whose observer sees it; `in_coordinates_of`: axes of the answer; None is the world for
        both.
        """
        center = com.com_frame(self._answers, accelerated=True)
        return center.linear_acceleration(
            relative_to=self._observer(relative_to), in_coordinates_of=self._axes(in_coordinates_of)
        )

    @undisturbed
    def com_spatial_velocity(
        self, *, relative_to: Frame | str | None = None, in_coordinates_of: Frame | str | None = None
    ) -> FloatArray:
        """Average (6,) of the bodies' spatial velocities at their centers of mass, weighted by mass [rad/s,
        m/s].

        The linear part is the velocity of the center of mass; the angular part is an average, as DART defines
        it. None is the world.
        """
        return com.com_spatial_velocity(
            self._answers, self._observer(relative_to), self._axes(in_coordinates_of)
        )

    @undisturbed
    def com_spatial_acceleration(
        self, *, relative_to: Frame | str | None = None, in_coordinates_of: Frame | str | None = None
    ) -> FloatArray:
        """Average (6,) of the bodies' spatial accelerations at their centers of mass, weighted by mass.

        As DART defines it [rad/s^2, m/s^2]; None is the world.
        """
        return com.com_spatial_acceleration(
            self._answers, self._observer(relative_to), self._axes(in_coordinates_of)
        )

    @undisturbed
    def com_jacobian(self, *, in_coordinates_of: Frame | str | None = None) -> FloatArray:
        """Jacobian (6, num_dofs) of `com_spatial_velocity` [rad/s, m/s per unit velocity].

        Its angular rows are averages of those of the bodies, weighted by mass, as DART defines them; they do
        not give the angular momentum. `in_coordinates_of` None is the world.
        """
        return in_axes_of(self._axes(in_coordinates_of), com.mean_jacobian(self._answers))

    @undisturbed
    def com_linear_jacobian(self, *, in_coordinates_of: Frame | str | None = None) -> FloatArray:
        """Jacobian (3, num_dofs) of the center of mass [m/s per unit velocity]; in_coordinates_of None is the
        world."""
        return in_axes_of(self._axes(in_coordinates_of), com.linear_jacobian(self._answers))

    @undisturbed
    def com_jacobian_spatial_derivative(self, *, in_coordinates_of: Frame | str | None = None) -> FloatArray:
        """Derivative (6, num_dofs) of the Jacobian: with it `com_spatial_acceleration` follows from
        accelerations.

        Averages over the bodies, weighted by mass, as DART defines them [rad/s^2, m/s^2 per unit velocity];
        `in_coordinates_of` None is the world.
        """
        return in_axes_of(
            self._axes(in_coordinates_of), com.mean_jacobian_derivative(self._answers, classic=False)
        )

    @undisturbed
    def com_linear_jacobian_derivative(self, *, in_coordinates_of: Frame | str | None = None) -> FloatArray:
        """Time derivative (3, num_dofs) of `com_linear_jacobian` [m/s^2 per unit velocity].

        `in_coordinates_of` None is the world.
        """
        return in_axes_of(
            self._axes(in_coordinates_of), com.mean_jacobian_derivative(self._answers, classic=True)[3:]
        )

    # ---- support

    @property
    def support_points(self) -> FloatArray:
        """Corners (k, 3) of what the skeleton stands on, in world coordinates [m]."""
        raise NotImplementedError

    @property
    def support_axes(self) -> FloatArray:
        """Axes (2, 3) of the plane across gravity in which `support_polygon` lies, unit vectors of the
        world."""
        return read_only(support.plane_axes(self._answers.gravity))

    @property
    def support_polygon(self) -> FloatArray:
        """Convex hull (k, 2) of the support points seen along gravity [m], counterclockwise in
        `support_axes`."""
        return read_only(support.convex_hull(self.support_points @ self.support_axes.T))

    @property
    def support_centroid(self) -> FloatArray:
        """Centroid (2,) of the support polygon [m]. Raises ValueError where no support is active."""
        return read_only(support.centroid(self.support_polygon))

    # ---- matrices and forces of the equation of motion

    mass_matrix = dynamics.mass_matrix
    inverse_mass_matrix = dynamics.inverse_mass_matrix
    coupled_mass_matrix = dynamics.coupled_mass_matrix
    coupled_bias_forces = dynamics.coupled_bias_forces
    augmented_mass_matrix = dynamics.augmented_mass_matrix
    inverse_augmented_mass_matrix = dynamics.inverse_augmented_mass_matrix
    coriolis_and_gravity_forces = dynamics.coriolis_and_gravity_forces
    gravity_forces = dynamics.gravity_forces
    coriolis_forces = dynamics.coriolis_forces
    external_forces = dynamics.external_forces
    constraint_forces = dynamics.constraint_forces
    spring_displacements = dynamics.spring_displacements
    spring_forces = dynamics.spring_forces
    damping_forces = dynamics.damping_forces
    transmitted_wrenches = joint_wrenches.transmitted_wrenches

    # ---- forward and inverse dynamics

    def compute_forward_dynamics(self) -> None:
        """Set the accelerations to those that follow from the present state, commands, and external forces.

        What a command does depends on the joint's actuator type: force and passive joints, and servo and
        mimic ones, whose constraints belong to simulation, have their accelerations computed. Those of
        acceleration, velocity and locked joints are prescribed, and `forces` holds what they take. Commands
        beyond the limits of their kind count as the nearest within. Springs and dampers are implicit over the
        time step h, and Coulomb friction is left out:

            (M + h D + h^2 K) a = tau + external - C - G - D v + S(q + h v)

        S being `spring_forces`, -K (q + h v - rest) where positions are added. Raises SingularMassError.
        """
        dynamics.compute_forward_dynamics(self._answers)

    def compute_inverse_dynamics(
        self,
        *,
        with_external_forces: bool = False,
        with_damping_forces: bool = False,
        with_spring_forces: bool = False,
    ) -> None:
        """Set the forces to those that the present accelerations take: M a + C + G.

        Args:
            with_external_forces: whether external forces act; they are subtracted.
            with_damping_forces: whether dampers act: D (v + h a) is added.
            with_spring_forces: whether springs act: h^2 K a - S(q + h v) is added, S being `spring_forces`.

        With all three it is the inverse of `compute_forward_dynamics`. Commands do not change.
        """
        dynamics.compute_inverse_dynamics(
            self._answers,
            external=checked_flag("with_external_forces", with_external_forces),
            damping=checked_flag("with_damping_forces", with_damping_forces),
            springs=checked_flag("with_spring_forces", with_spring_forces),
        )

    # ---- Jacobians

    def _jacobian(
        self,
        frame: Frame | str,
        derivative: JacobianDerivative,
        rows: JacobianRows,
        offset: ArrayLike | None,
        relative_to: Frame | str | None,
        in_coordinates_of: Frame | str | None,
        own: bool,
    ) -> FloatArray:
        if not isinstance(frame, Frame):
            frame = self._named_frame("frame", frame)
        if relative_to is not None and isinstance(relative_to, str):  # None is by far the fastest to see
            relative_to = self._named_frame("relative_to", relative_to)
        if in_coordinates_of is not None and isinstance(in_coordinates_of, str):
            in_coordinates_of = self._named_frame("in_coordinates_of", in_coordinates_of)
        state = self._answers.state or self._answers.ready()
        return frame._whole_jacobian(state, derivative, rows, offset, relative_to, in_coordinates_of, own)
