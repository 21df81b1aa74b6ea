"""The last step of a compiled world, read once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kido.constraint import BodyConstraint, Constraint
from kido.math import inverse_transform
from kido.skeleton import SimulationView, Skeleton
from kido.typing import FloatArray
from kido.world._compiled import CompiledWorld
from kido.world._compiled_colliders import CONTACT_FORCE, CONTACT_POINT
from kido.world._skeleton_step import SkeletonStep
from kido.world._soft_audit import PointContacts
from kido.world._wrench_sums import moved_wrenches, point_wrenches

__all__ = ["point_contacts", "skeleton_step", "skeleton_steps"]

_POSITIONS, _VELOCITIES, _ACCELERATIONS, _ACTUATORS, _FRICTION, _LIMITS = range(6)
_SPRINGS, _DAMPERS, _COUPLINGS, _PRESCRIBED = range(6, 10)


def skeleton_steps(compiled: CompiledWorld, constraints: Iterable[Constraint]) -> list[SkeletonStep]:
    """Forces that acted on each skeleton of a world in its last step."""
    contacts, held = _ContactForces(compiled), _between_bodies(constraints)
    readers = (_StepReader(compiled, number, view, index) for number, (view, index) in _numbered(compiled))
    return [reader.read(contacts, held) for reader in readers]


def skeleton_step(
    compiled: CompiledWorld, constraints: Iterable[Constraint], skeleton: Skeleton
) -> SkeletonStep | None:
    """The same of one skeleton; None where it is none of the world's."""
    for number, (view, index) in _numbered(compiled):
        if view.skeleton is skeleton:
            reader = _StepReader(compiled, number, view, index)
            return reader.read(_ContactForces(compiled), _between_bodies(constraints))
    return None


def _numbered(compiled: CompiledWorld) -> Iterable[tuple[int, tuple[SimulationView, int]]]:
    return enumerate(compiled.views())


def _between_bodies(constraints: Iterable[Constraint]) -> list[BodyConstraint]:
    return [constraint for constraint in constraints if isinstance(constraint, BodyConstraint)]


def point_contacts(compiled: CompiledWorld) -> PointContacts:
    """Forces of the contacts of the last step on points and faces of all soft bodies."""
    found: PointContacts = {}
    if not compiled.has_softs or not compiled.native.recorded:
        return found
    pairs, numbers = compiled.native.contacts(True)
    for pair, row in zip(pairs.tolist(), numbers, strict=True):
        for side, sign in ((0, 1.0), (1, -1.0)):
            node, point = compiled.colliders.point_of(pair[side])
            if node is None:
                continue
            face, force = pair[2 + side], sign * row[CONTACT_FORCE]
            corners = node.skin.faces[face] if face >= 0 else np.array([point])
            found.setdefault(id(node), []).append((corners, row[CONTACT_POINT], force))
    return found


class _ContactForces:
    """Forces at the contacts of the last step, on both of their shapes."""

    def __init__(self, compiled: CompiledWorld) -> None:
        pairs, numbers = compiled.native.contacts(True)
        forces = numbers[:, CONTACT_FORCE]
        self._owners = compiled.owners[pairs[:, :2]].reshape(-1, 2)  # (2 k, 2): skeletons and bodies
        self._points = np.repeat(numbers[:, CONTACT_POINT], 2, axis=0)
        self._forces = np.stack([forces, -forces], axis=1).reshape(-1, 3)

    def wrenches(self, number: int, transforms: FloatArray) -> FloatArray:
        """Wrenches (num_bodies, 6) on the bodies of a skeleton at poses (num_bodies, 4, 4)."""
        out = np.zeros((len(transforms), 6))
        own = self._owners[:, 0] == number
        if own.any():
            bodies = self._owners[own, 1]
            np.add.at(out, bodies, point_wrenches(transforms[bodies], self._points[own], self._forces[own]))
        return out


class _StepReader:
    """Reads what acted on one skeleton.

    Args:
        compiled: the world.
        number: of the skeleton in the world.
        view: of the skeleton.
        index: of the skeleton in the native world, -1 where it does not move.
    """

    def __init__(self, compiled: CompiledWorld, number: int, view: SimulationView, index: int) -> None:
        self._compiled, self._number, self._view, self._index = compiled, number, view, index
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

    def read(self, contacts: _ContactForces, constraints: list[BodyConstraint]) -> SkeletonStep:
        skeleton, rows = self._view.skeleton, self._rows
        touched = contacts.wrenches(self._number, self._transforms)
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
            joint_wrenches=self._view.joint_wrenches(rows[:3], wrenches, self._duration),
            transforms=self._transforms,
        )

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
                    out[body.index] += sign * self._in_body(body.index, frame[:3, 3], wrench)
        return out

    def _in_body(self, body: int, point: FloatArray, wrench: FloatArray) -> FloatArray:
        """A wrench (6,) about a point of a body (3,), in world axes, about the body's origin in its axes."""
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = self._transforms[body, :3, :3].T, point
        return moved_wrenches(T, wrench)

    def _complete(self, touched: FloatArray, held: FloatArray) -> None:
        """Add what is known of whole links alone to the constraints of the bodies that lead them."""
        if self._index < 0:
            return
        known, missing = touched + held, np.array(self._total)
        leaders = self._compiled.leaders(self._number)
        carried = np.flatnonzero(leaders >= 0)
        leading = leaders[carried] == carried
        missing[carried[leading]] -= known[carried[leading]]
        led = carried[~leading]
        if led.size:
            T = inverse_transform(self._transforms[leaders[led]]) @ self._transforms[led]
            np.subtract.at(missing, leaders[led], moved_wrenches(T, known[led]))
        held += missing

    def _tell_actuators(self, wrenches: FloatArray) -> None:
        """Actuators that prescribe a motion give what it takes beyond everything else."""
        rows = self._rows
        total = self._view.tree.inverse_dynamics(rows[0], rows[1], rows[2], wrenches)
        prescribed = rows[_PRESCRIBED] > 0.0
        others = rows[_FRICTION] + rows[_LIMITS] + rows[_COUPLINGS]
        rows[_ACTUATORS, prescribed] = (total - others)[prescribed]
        rows[_SPRINGS : _DAMPERS + 1, prescribed] = 0.0
