"""Dynamics of a whole skeleton: mass matrices, forces, and what forces and motions do to each other."""

from __future__ import annotations

import numpy as np

from kido.skeleton._body import BodyNode
from kido.skeleton._core_skeleton import SkeletonCore
from kido.skeleton._joints._actuator import ActuatorType
from kido.skeleton._numbers import ACCELERATION, CONSTRAINT_IMPULSE, FORCE
from kido.skeleton._quantity import quantity
from kido.skeleton._transmitted import transmitted_wrenches
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["SkeletonDynamics"]


class SkeletonDynamics(SkeletonCore):
    """What a skeleton answers about forces.

    The matrices and vectors of the equation M a + C + G = tau + external + constraint forces are computed
    where they are
    asked for, and kept. Forward and inverse dynamics are not automatic: `compute_forward_dynamics` and
    `compute_inverse_dynamics` write accelerations or forces where they are called.
    """

    __slots__ = ()

    # ---- matrices

    @quantity("positions")
    def mass_matrix(self) -> FloatArray:
        """Mass matrix M (num_dofs, num_dofs) [kg m^2, kg m, kg]."""
        return self.tree.mass_matrix(self._q)

    @quantity("positions")
    def inverse_mass_matrix(self) -> FloatArray:
        """Inverse of the mass matrix (num_dofs, num_dofs) [1/(kg m^2), ...]. Raises SingularMassError."""
        return self.tree.inverse_mass_matrix(self._q)

    @quantity("positions", "dynamics")
    def augmented_mass_matrix(self) -> FloatArray:
        """M + h D + h^2 K (num_dofs, num_dofs), D and K those of dampers and springs, h the time step [kg
        m^2, ...]."""
        return self.mass_matrix + np.diag(self._implicit_inertia)

    @quantity("positions", "dynamics")
    def inverse_augmented_mass_matrix(self) -> FloatArray:
        """Inverse of the augmented mass matrix (num_dofs, num_dofs) [1/(kg m^2), ...]. Raises
        SingularMassError."""
        n = self.num_dofs
        zero, q = np.zeros((n, n)), self.positions
        free = np.zeros(n, dtype=bool)
        accelerations, _ = self.tree.hybrid_dynamics(
            q, zero, np.eye(n), zero, prescribed=free, added_inertia=self._implicit_inertia, gravity=False
        )
        return 0.5 * (accelerations + accelerations.T)

    # ---- forces

    @quantity("positions", "velocities")
    def coriolis_and_gravity_forces(self) -> FloatArray:
        """C + G (num_dofs,): what keeps the present velocities [N m, N]."""
        return self.tree.bias_forces(self._q, self._v)

    @quantity("positions")
    def gravity_forces(self) -> FloatArray:
        """G (num_dofs,), the derivative of the potential energy: what holds the skeleton still [N m, N]."""
        return self.tree.gravity_forces(self._q)

    @quantity("positions", "velocities")
    def coriolis_forces(self) -> FloatArray:
        """C (num_dofs,): what keeps the present velocities without gravity [N m, N]."""
        return self.coriolis_and_gravity_forces - self.gravity_forces

    @quantity("positions", "dynamics")
    def external_forces(self) -> FloatArray:
        """Generalized forces (num_dofs,) of all external wrenches [N m, N]."""
        total = np.zeros(self.num_dofs)
        for body in self._bodies:
            if body._wrench is not None:
                total[body._dependent_dofs()] += body.jacobian().T @ body._wrench
        return total

    @quantity("dynamics")
    def constraint_forces(self) -> FloatArray:
        """Generalized forces (num_dofs,) of the constraint impulses over the time step [N m, N]."""
        return np.asarray(self._block.dofs[CONSTRAINT_IMPULSE] / self._time_step)

    @quantity("positions", "dynamics")
    def spring_forces(self) -> FloatArray:
        """Forces (num_dofs,) of the springs, -K (q - rest position) [N m, N]."""
        return -self.spring_stiffness * self.tree.difference(self.rest_positions, self.positions)

    @quantity("velocities", "dynamics")
    def damping_forces(self) -> FloatArray:
        """Forces (num_dofs,) of the dampers, -D v [N m, N]."""
        return -self.damping * self.velocities

    # ---- forward and inverse dynamics

    def compute_forward_dynamics(self) -> None:
        """Set the accelerations to those that follow from the present state, commands, and external forces.

        What a command does depends on the joint's actuator type: force and passive joints, and servo and
        mimic ones, whose constraints belong to simulation, have their accelerations computed. Those of
        acceleration, velocity and locked joints are prescribed, and `forces` holds what they take. Commands
        beyond the limits of their kind count as the nearest within. Springs and dampers are implicit over the
        time step h, and Coulomb friction is left out:

            (M + h D + h^2 K) a = tau + external - C - G - D v - K (q + h v - rest)

        Raises SingularMassError.
        """
        prescribed, given = self._prescribed()
        a, tau = self.tree.hybrid_dynamics(
            self.positions,
            self.velocities,
            self._driving_forces() + self._passive_forces(),
            given,
            self._wrenches(),
            prescribed=prescribed,
            added_inertia=self._implicit_inertia,
        )
        forces = np.where(prescribed, tau - self._passive_forces(), self._driving_forces())
        state = self._ready()
        state.set_part(ACCELERATION, 0, self.num_dofs, "accelerations", a)
        state.set_part(FORCE, 0, self.num_dofs, "forces", forces)

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
            with_spring_forces: whether springs act: K (q + h v + h^2 a - rest) is added.

        With all three it is the inverse of `compute_forward_dynamics`. Commands do not change.
        """
        a, h = self.accelerations, self._time_step
        wrenches = self._wrenches() if with_external_forces else None
        tau = self.tree.inverse_dynamics(self.positions, self.velocities, a, wrenches)
        if with_damping_forces:
            tau = tau + self.damping * (self.velocities + h * a)
        if with_spring_forces:
            tau = tau + self.spring_stiffness * (self._next_stretch() + h * h * a)
        self._ready().set_part(FORCE, 0, self.num_dofs, "forces", tau)

    # ---- impulses

    def velocity_changes(self, impulses: ArrayLike) -> FloatArray:
        """Changes of velocity (num_dofs,) that generalized impulses give; kinematic joints do not yield.

        Args:
            impulses: (num_dofs,) [N m s, N s].

        Returns:
            (num_dofs,) [rad/s, m/s].

        Raises:
            TypeError, ValueError: not numbers of that shape.
            SingularMassError: a joint that yields moves no mass.
        """
        p = frozen_array("impulses", impulses, (self.num_dofs,), "N m s, N s")
        zero = np.zeros(self.num_dofs)
        prescribed, _ = self._prescribed()
        change, _ = self.tree.hybrid_dynamics(
            self.positions, zero, p, zero, prescribed=prescribed, gravity=False
        )
        return change

    def impulse_response(
        self, body: BodyNode, impulse: ArrayLike, offset: ArrayLike | None = None
    ) -> FloatArray:
        """Changes of velocity (num_dofs,) that an impulse on a body gives; kinematic joints do not yield.

        Args:
            body: of this skeleton.
            impulse: (6,) about the point, in body axes [N m s, N s].
            offset: the point, in body coordinates (3,) [m]; None is the origin.

        Returns:
            (num_dofs,) [rad/s, m/s].

        Raises:
            TypeError, ValueError: naming the argument.
            SingularMassError: a joint that yields moves no mass.
        """
        self._check_own(body)
        wrench = frozen_array("impulse", impulse, (6,), "N m s, N s")
        generalized = np.zeros(self.num_dofs)
        generalized[body.dependent_dof_indices] = body.jacobian(offset).T @ wrench
        return self.velocity_changes(generalized)

    def apply_impulses(self, impulses: ArrayLike) -> None:
        """Change the velocities by what generalized impulses (num_dofs,) [N m s, N s] give; see
        velocity_changes.

        The impulses stand in `constraint_impulses` from then on, and `constraint_forces` follow.
        """
        change = self.velocity_changes(impulses)
        self.velocities = self.velocities + change
        self.constraint_impulses = impulses

    # ---- wrenches in the joints

    @quantity("positions", "velocities", "accelerations", "dynamics")
    def transmitted_wrenches(self) -> FloatArray:
        """Wrenches (num_bodies, 6) that the parent joints apply on the bodies [N m, N].

        Each is about the body's origin, in the body's axes, and follows from the present accelerations,
        gravity and
        external forces: after `compute_forward_dynamics` it is what the joint carries. Its component along
            the joint's
        motion is the joint's generalized force. The joint applies the opposite on the parent.
        """
        return transmitted_wrenches(self)

    def transmitted_wrench(self, body: BodyNode) -> FloatArray:
        """The wrench (6,) that a body's parent joint applies on it, about its origin, in its axes [N m, N].

        Raises TypeError, RemovedError, or ValueError where it is not a body of this skeleton.
        """
        self._check_own(body)
        return np.array(self.transmitted_wrenches[body.index])

    def clear_external_forces(self) -> None:
        """Let nothing from outside act on any body."""
        for body in self._bodies:
            body.clear_external_forces()

    # ---- helpers

    def _check_own(self, body: BodyNode) -> None:
        if not isinstance(body, BodyNode):
            raise TypeError(f"body: expected a BodyNode, got {type(body).__name__}")
        if body.skeleton is not self:
            raise ValueError(f"body: {body.name!r} belongs to {body.skeleton.name!r}, not to {self._name!r}")

    @quantity("dynamics")
    def _implicit_inertia(self) -> FloatArray:
        """h D + h^2 K (num_dofs,)."""
        h = self._time_step
        return h * self.damping + h * h * self.spring_stiffness

    def _next_stretch(self) -> FloatArray:
        """Displacements (num_dofs,) of the springs after the time step with the present velocities."""
        if not self.spring_stiffness.any():
            return np.zeros(self.num_dofs)
        ahead = self.tree.integrate(self.positions, self.velocities, self._time_step)
        return self.tree.difference(self.rest_positions, ahead)

    def _passive_forces(self) -> FloatArray:
        return -self.damping * self.velocities - self.spring_stiffness * self._next_stretch()

    def _driving_forces(self) -> FloatArray:
        """Commands of the joints that take forces, within their limits."""
        limited = np.clip(self.commands, self.force_lower_limits, self.force_upper_limits)
        return np.where(self._has_actuator(ActuatorType.FORCE), limited, 0.0)

    def _prescribed(self) -> tuple[np.ndarray, FloatArray]:
        """Which accelerations actuators prescribe, and their values."""
        commands, a = self.commands, np.zeros(self.num_dofs)
        accelerating = self._has_actuator(ActuatorType.ACCELERATION)
        moving = self._has_actuator(ActuatorType.VELOCITY)
        locked = self._has_actuator(ActuatorType.LOCKED)
        within = np.clip(commands, self.acceleration_lower_limits, self.acceleration_upper_limits)
        speed = np.clip(commands, self.velocity_lower_limits, self.velocity_upper_limits)
        speed = np.where(locked, 0.0, speed)
        a = np.where(accelerating, within, a)
        a = np.where(moving | locked, (speed - self.velocities) / self._time_step, a)
        return accelerating | moving | locked, a

    def _has_actuator(self, actuator: ActuatorType) -> np.ndarray:
        mask = np.zeros(self.num_dofs, dtype=bool)
        for body in self._bodies:
            if body._joint._actuator is actuator:
                mask[body._joint._slice()] = True
        return mask

    def _wrenches(self) -> FloatArray | None:
        """External wrenches (num_bodies, 6); None where there are none."""
        if all(body._wrench is None for body in self._bodies):
            return None
        return np.array([body.external_wrench for body in self._bodies])
