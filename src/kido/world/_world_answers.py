"""Everything that can be asked about a world: what touches, what acts, what sleeps, energies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido.constraint import BodyConstraint, Constraint, GearConstraint, RowConstraint
from kido.errors import EditError
from kido.skeleton import BodyNode, ShapeNode, Skeleton, SoftBodyNode
from kido.typing import ArrayLike, FloatArray
from kido.world._compiled import CompiledWorld
from kido.world._contact import Contact
from kido.world._contact_sums import ContactSupport, contact_support, contact_wrench, contacts_of, face_forces
from kido.world._joint_forces import JointForces, joint_forces
from kido.world._last_step import point_contacts, skeleton_step, skeleton_steps
from kido.world._skeleton_step import SkeletonStep
from kido.world._sleeping import Sleeping
from kido.world._step_audit import StepAudit, audit
from kido.world._unmet import UnmetConstraint
from kido.world._world_description import WorldDescription

__all__ = ["WorldAnswers"]


class WorldAnswers(WorldDescription):
    """Contacts, forces, sleep and energies of a world."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def sleeping(self) -> Sleeping | None: ...

    # ---- contacts

    @property
    def contacts(self) -> list[Contact]:
        """The points where shapes touched in the last step, at the present poses; none before the first."""
        compiled = self._simulation.last_compiled
        return [] if compiled is None else compiled.colliders.contacts()

    def contacts_of(self, part: Skeleton | BodyNode | ShapeNode) -> list[Contact]:
        """Those of `contacts` that a skeleton, body or shape has part in.

        Raises TypeError for anything else.
        """
        return contacts_of(self.contacts, part)

    def contact_wrench(
        self, part: Skeleton | BodyNode | ShapeNode, *, about: ArrayLike | None = None
    ) -> FloatArray:
        """Torque and force (6,) of all contacts on a skeleton, body or shape in the last step, world axes
        [N m, N]; those within a skeleton cancel.

        Args:
            part: whose contacts are summed.
            about: point of reference (3,) in the world [m]; None: the origin of the body, or the center of
                mass of the skeleton.

        Raises TypeError, ValueError naming the argument.
        """
        return contact_wrench(self._simulation.last_compiled, part, about)

    def face_forces(self, body: SoftBodyNode) -> FloatArray:
        """Forces (m, 3) of all contacts on the faces of a soft body in the last step, world axes [N].

        Faces around a point that touches share its force by their areas: the sum is that of all contacts.

        Raises TypeError: no soft body.
        """
        return face_forces(self._simulation.last_compiled, body)

    def support(self, skeleton: Skeleton) -> ContactSupport:
        """The polygon on which a skeleton stands, by its contacts with others in the last step.

        Raises TypeError: no skeleton.
        """
        return contact_support(self.contacts_of(skeleton), skeleton)

    # ---- what acted in the last step

    def joint_wrench(self, body: BodyNode) -> FloatArray:
        """Wrench that the parent joint applied on a body in the last step, as a force-torque sensor reads it.

        Contacts, constraints, motors and inertia are included; as `Skeleton.transmitted_wrench` torque and
        force (6,) about the body's origin in its axes [N m, N].

        Raises:
            TypeError: no body.
            EditError: it belongs to no skeleton of this world.
        """
        if not isinstance(body, BodyNode):
            raise TypeError(f"body: expected a BodyNode, got {type(body).__name__}")
        return np.array(self.last_step(body.skeleton).joint_wrenches[body.index])

    def last_step(self, skeleton: Skeleton) -> SkeletonStep:
        """Forces on a skeleton in the last step. Raises EditError where it is none of this world's."""
        step = skeleton_step(self._simulation.ready(), self.constraints, skeleton)
        if step is not None:
            return step
        raise EditError(f"skeleton: {getattr(skeleton, 'name', skeleton)!r} is none of this world's")

    @property
    def audit(self) -> StepAudit:
        """Energy and momentum of the last step, and what gave and took them."""
        compiled = self._simulation.ready()
        steps = zip(compiled.views(), self._last_steps(), strict=True)
        moving = [(view, step) for (view, index), step in steps if index >= 0 or any(view.skins)]
        return audit(self.time, compiled.native.recorded, moving, point_contacts(compiled), self.gravity)

    def _last_steps(self) -> list[SkeletonStep]:
        return skeleton_steps(self._simulation.ready(), self.constraints)

    def joint_forces(self, skeleton: Skeleton | str) -> JointForces:
        """Forces on the dofs of a skeleton in the last step, on its average [N m, N]; zeros before the first.

        Raises UnknownNameError; EditError where it is none of this world's.
        """
        found = self.skeleton(skeleton) if isinstance(skeleton, str) else skeleton
        return joint_forces(self.last_step(found))

    # ---- constraints

    def constraint_wrench(self, constraint: BodyConstraint) -> FloatArray:
        """Torque and force (6,) of a constraint on its first body in the last step, about its frame's origin
        (of a distance: its point), world axes [N m, N].

        Raises EditError where it is none of this world's; zeros before the first step.
        """
        self.constraints.index(constraint)
        if not isinstance(constraint, BodyConstraint):
            raise EditError(f"constraint: expected one between bodies, got {constraint!r}")
        compiled = self._simulation.last_compiled
        return np.zeros(6) if compiled is None else compiled.constraints.wrench(constraint)

    def constraint_force(self, constraint: GearConstraint | RowConstraint) -> FloatArray:
        """Forces of a gear (1,), on its follower, or of the rows of a user's constraint (m,), in the last
        step, on its average [N m, N].

        Raises EditError where it is none of this world's, or between bodies; zeros before the first step.
        """
        self.constraints.index(constraint)
        if isinstance(constraint, BodyConstraint):
            raise EditError(f"constraint: expected a gear or rows, got {constraint!r}")
        compiled = self._simulation.last_compiled
        return np.zeros(1) if compiled is None else compiled.constraints.force(constraint)

    def constraint_error(self, constraint: Constraint) -> FloatArray:
        """By how much a constraint is violated now [m, rad].

        Between bodies (6,): linear, angular, of the first frame in the second; of distances, the first
        number. Of a gear (1,). Of the rows of a user's constraint (m,), as the last step was to leave them.
        Raises EditError where it is none of this world's.
        """
        self.constraints.index(constraint)
        return self._simulation.ready().constraints.error(constraint)

    @property
    def unmet_constraints(self) -> list[UnmetConstraint]:
        """Rigid constraints that stayed violated for many steps, as those that contradict each other or are
        out of reach; they rest where they are nearest, or give way softly."""
        compiled = self._simulation.last_compiled
        return [] if compiled is None else compiled.constraints.unmet(tuple(self.constraints))

    # ---- energies

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of all skeletons [J]."""
        return sum(skeleton.kinetic_energy for skeleton in self._moving())

    @property
    def potential_energy(self) -> float:
        """Potential energy of all skeletons in gravity and springs [J]."""
        return sum(skeleton.potential_energy for skeleton in self._moving())

    @property
    def energy(self) -> float:
        """Kinetic and potential energy of all skeletons [J]."""
        return self.kinetic_energy + self.potential_energy

    def _moving(self) -> list[Skeleton]:
        return [skeleton for skeleton in self.skeletons if skeleton.mobile and skeleton.num_dofs > 0]

    # ---- sleep

    def is_sleeping(self, part: Skeleton | BodyNode) -> bool:
        """Whether steps leave a skeleton, or the tree of a body, where it is, until something wakes it.

        Raises:
            TypeError: neither a skeleton nor a body.
            EditError: it is none of this world's.
        """
        skeleton, body = self._sleeper(part)
        compiled = self._compiled_now()
        place = None if compiled is None else compiled.sleeping_part(skeleton, body)
        return compiled is not None and place is not None and compiled.native.is_asleep(*place)

    @property
    def sleeping_skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons that sleep, with all of their trees."""
        compiled = self._compiled_now()
        if compiled is None:
            return ()
        places = ((skeleton, compiled.sleeping_part(skeleton)) for skeleton in compiled.skeletons)
        return tuple(skeleton for skeleton, place in places if place and compiled.native.is_asleep(*place))

    def wake(self, part: Skeleton | BodyNode | None = None) -> None:
        """Wake a skeleton, or the tree of a body, with its island; None: everything.

        Raises:
            TypeError: neither a skeleton nor a body.
            EditError: it is none of this world's; inside a step.
        """
        self._simulation.require_whole("wake")
        only, body = (None, -1) if part is None else self._sleeper(part)
        compiled = self._compiled_now()
        if compiled is None:
            return
        for index, skeleton in enumerate(compiled.skeletons):
            place = compiled.sleeping_part(skeleton, body) if only is None or only is skeleton else None
            if place is not None:
                compiled.native.wake(*place)
                self._simulation.observers.note_wake(index, body)

    def _compiled_now(self) -> CompiledWorld | None:
        """The native world, where it stands for the skeletons as they are, and something may sleep in it."""
        return None if self.sleeping is None else self._simulation.compiled_now

    def _sleeper(self, part: Skeleton | BodyNode) -> tuple[Skeleton, int]:
        """A skeleton of this world, and the index of a body; -1: all of it is meant. Raises TypeError or
        EditError."""
        if not isinstance(part, Skeleton | BodyNode):
            raise TypeError(f"part: expected a Skeleton or BodyNode, got {type(part).__name__}")
        skeleton = part if isinstance(part, Skeleton) else part.skeleton
        if not any(skeleton is own for own in self.skeletons):
            raise EditError(f"part: {skeleton.name!r} is none of this world's")
        return skeleton, part.index if isinstance(part, BodyNode) else -1
