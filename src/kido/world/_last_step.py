"""The last step of a compiled world, read once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kido.constraint import BodyConstraint, Constraint
from kido.math import inverse_transform
from kido.skeleton import BodyNode, SimulationView
from kido.typing import FloatArray
from kido.world._compiled import CompiledWorld
from kido.world._contact import Contact
from kido.world._skeleton_step import SkeletonStep, leading_bodies, moved_wrench

__all__ = ["skeleton_steps"]

_POSITIONS, _VELOCITIES, _ACCELERATIONS, _ACTUATORS, _FRICTION, _LIMITS = range(6)
_SPRINGS, _DAMPERS, _COUPLINGS, _PRESCRIBED = range(6, 10)


def skeleton_steps(compiled: CompiledWorld, constraints: Iterable[Constraint]) -> list[SkeletonStep]:
    """What acted on each skeleton of a world in its last step."""
    contacts = compiled.contacts(at_start=True)
    held = [constraint for constraint in constraints if isinstance(constraint, BodyConstraint)]
    return [_StepReader(compiled, view, index).read(contacts, held) for view, index in compiled.views()]


class _StepReader:
    """Reads what acted on one skeleton; `index`: of the native world, -1 where it does not move."""

    def __init__(self, compiled: CompiledWorld, view: SimulationView, index: int) -> None:
        self._compiled, self._view, self._index = compiled, view, index
        self._duration = compiled.native.recorded
        skeleton = view.skeleton
        n, bodies = skeleton.num_dofs, skeleton.num_bodies
        if index >= 0 and self._duration:
            self._rows, self._total, self._end = compiled.native.last_step(index)
        else:
            self._rows, self._total = np.zeros((_PRESCRIBED + 1, n)), np.zeros((bodies, 6))
            self._end = np.stack([skeleton.positions, skeleton.velocities * (index >= 0)])
            self._rows[_POSITIONS : _VELOCITIES + 1] = self._end
        self._transforms = skeleton.tree.forward_kinematics(self._rows[_POSITIONS])

    def read(self, contacts: list[Contact], constraints: list[BodyConstraint]) -> SkeletonStep:
        skeleton, rows = self._view.skeleton, self._rows
        touched = self._contact_wrenches(contacts)
        held = self._constraint_wrenches(constraints)
        self._complete(touched, held)
        external = self._compiled.acted(self._view) * bool(self._duration)
        wrenches = touched + held + external
        if rows[_PRESCRIBED].any():
            self._tell_actuators(wrenches)
        return SkeletonStep(
            skeleton=skeleton,
            duration=self._duration,
            positions=rows[_POSITIONS],
            velocities=rows[_VELOCITIES],
            accelerations=rows[_ACCELERATIONS],
            end_positions=self._end[0],
            end_velocities=self._end[1],
            actuators=rows[_ACTUATORS],
            joint_friction=rows[_FRICTION],
            limits=rows[_LIMITS],
            springs=rows[_SPRINGS],
            dampers=rows[_DAMPERS],
            couplings=rows[_COUPLINGS],
            contacts=touched,
            constraints=held,
            external=external,
            joint_wrenches=self._view.joint_wrenches(rows[:3], wrenches),
            transforms=self._transforms,
        )

    def _contact_wrenches(self, contacts: list[Contact]) -> FloatArray:
        out = np.zeros((self._view.skeleton.num_bodies, 6))
        for contact in contacts:
            for node, force in ((contact.first, contact.force), (contact.second, -contact.force)):
                if node.skeleton is self._view.skeleton:
                    self._add(out, node.body, contact.point, np.zeros(3), force)
        return out

    def _constraint_wrenches(self, constraints: list[BodyConstraint]) -> FloatArray:
        """Of constraints whose wrench is known, on the bodies that they are fixed to."""
        out = np.zeros((self._view.skeleton.num_bodies, 6))
        if not self._duration:
            return out
        for constraint in constraints:
            wrench = self._compiled.constraints.wrench(constraint)
            own = constraint.components
            for body, frame, sign in (
                (constraint.first, own.first_frame, 1.0),
                (constraint.second, own.second_frame, -1.0),
            ):
                if body is not None and body.skeleton is self._view.skeleton:
                    origin = self._transforms[body.index] @ frame[:, 3]
                    self._add(out, body, origin[:3], sign * wrench[:3], sign * wrench[3:])
        return out

    def _add(
        self, out: FloatArray, body: BodyNode, point: FloatArray, torque: FloatArray, force: FloatArray
    ) -> None:
        """Add a torque and a force at a point, all in world axes, to the wrench on a body."""
        T = self._transforms[body.index]
        out[body.index, :3] += T[:3, :3].T @ (torque + np.cross(point - T[:3, 3], force))
        out[body.index, 3:] += T[:3, :3].T @ force

    def _complete(self, touched: FloatArray, held: FloatArray) -> None:
        """Add what is known of whole links alone to the constraints of the bodies that lead them."""
        if self._index < 0:
            return
        missing = np.array(self._total)
        for body, leader in enumerate(leading_bodies(self._view.skeleton)):
            if leader >= 0:
                T = inverse_transform(self._transforms[leader]) @ self._transforms[body]
                missing[leader] -= moved_wrench(T, touched[body] + held[body])
        held += missing

    def _tell_actuators(self, wrenches: FloatArray) -> None:
        """Actuators that prescribe a motion give what it takes beyond everything else."""
        rows = self._rows
        total = self._view.tree.inverse_dynamics(rows[0], rows[1], rows[2], wrenches)
        prescribed = rows[_PRESCRIBED] > 0.0
        others = rows[_FRICTION] + rows[_LIMITS] + rows[_COUPLINGS]
        rows[_ACTUATORS, prescribed] = (total - others)[prescribed]
        rows[_SPRINGS : _DAMPERS + 1, prescribed] = 0.0
