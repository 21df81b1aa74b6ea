"""Skeletons that move in time and touch each other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any, NamedTuple, NoReturn

import numpy as np

from kido import _core
from kido.collision import CollisionDetector, CollisionFilter, NativeDetector, Part
from kido.constraint import BodyConstraint
from kido.errors import DivergedError, EditError, NameTakenError, RemovedError, UnknownNameError
from kido.skeleton import EDITS, BodyNode, ShapeNode, Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_member, checked_name, checked_part, checked_positive, checked_whole
from kido.world._compiled import CompiledWorld
from kido.world._constraints import Constraints
from kido.world._contact import Contact
from kido.world._contact_sums import ContactSupport, contact_support, contact_wrench, contacts_of
from kido.world._integrator import Integrator
from kido.world._last_step import skeleton_steps
from kido.world._skeleton_step import SkeletonStep
from kido.world._step_audit import StepAudit, audit

__all__ = ["Snapshot", "World"]

_LONGEST_SUBSTEP = 0.5e-3
_SWEEPS = 1
_RELAXING_SWEEPS = 1
_LEAST_BOUNCE = 0.01


class Snapshot(NamedTuple):
    """A world as it stood: time [s], number of steps, states of the skeletons (5, num_dofs), contacts."""

    time: float
    steps: int
    states: tuple[FloatArray, ...]
    compiled: CompiledWorld
    numbers: _core.WorldCopy


class World:
    """Skeletons that move in time and touch each other.

    What is changed between steps holds from the next step on: positions, velocities, commands, constants,
    shapes, structure, skeletons. Contacts are solved by block Gauss-Seidel in sub-steps, with the exact cone
    of Coulomb; sub-steps are those of Macklin et al., Small Steps in Physics Simulation (2019).
    """

    __slots__ = (
        "_compiled",
        "_constraints",
        "_counted",
        "_detector",
        "_filter",
        "_gravity",
        "_integrator",
        "_name",
        "_quick",
        "_skeletons",
        "_steps",
        "_time",
        "_time_step",
    )

    def __init__(
        self,
        skeletons: Iterable[Skeleton] = (),
        *,
        time_step: float = 1e-3,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        integrator: Integrator | str = Integrator.SEMI_IMPLICIT_EULER,
        detector: CollisionDetector | None = None,
        collision_filter: CollisionFilter | None = None,
        name: str = "world",
    ) -> None:
        """Make a world.

        Args:
            skeletons: what it consists of; see `add`.
            time_step: [s].
            gravity: (3,) in world axes [m/s^2].
            integrator: of skeletons that nothing touches.
            detector: which finds contacts; None: the native one.
            collision_filter: which shapes meet; None: a new one, without rules of its own.
            name: not empty.

        Raises:
            TypeError, ValueError: naming the argument.
            NameTakenError: two skeletons have one name.
        """
        self._name = checked_name("name", name)
        self._time_step = checked_positive("time_step", time_step, "s")
        self._gravity = frozen_array("gravity", gravity, (3,), "m/s^2")
        self._integrator: Integrator = checked_member("integrator", Integrator, integrator)
        self._detector = _checked_detector(detector)
        self._filter = _checked_filter(collision_filter)
        self._skeletons: list[Skeleton] = []
        self._compiled: CompiledWorld | None = None
        self._quick: CompiledWorld | None = None
        self._constraints = Constraints(self._forget)
        self._time, self._steps, self._counted = 0.0, 0, 0
        for skeleton in skeletons:
            self.add(skeleton)

    # ---- what it consists of

    @property
    def name(self) -> str:
        """Name of this world. Can be set."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = checked_name("name", name)

    @property
    def skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons, in the order in which they came."""
        return tuple(self._skeletons)

    @property
    def constraints(self) -> Constraints:
        """What holds bodies together beside their joints: `add`, `remove`, iterate."""
        return self._constraints

    def skeleton(self, name: str) -> Skeleton:
        """The skeleton of a name. Raises UnknownNameError."""
        for skeleton in self._skeletons:
            if skeleton.name == name:
                return skeleton
        raise UnknownNameError("skeleton", name, [s.name for s in self._skeletons], self._name)

    def add(self, skeleton: Skeleton) -> Skeleton:
        """Add a skeleton, and return it. It gets the world's gravity and time step.

        Raises:
            TypeError: no skeleton.
            NameTakenError: another one has its name.
        """
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"skeleton: expected a Skeleton, got {type(skeleton).__name__}")
        if any(other is skeleton or other.name == skeleton.name for other in self._skeletons):
            raise NameTakenError("Skeleton", skeleton.name, self._name)
        self._skeletons.append(skeleton)
        self._settle(skeleton)
        self._forget()
        return skeleton

    def remove(self, skeleton: Skeleton | str) -> Skeleton:
        """Take a skeleton, or that of a name, out of the world, and return it. Raises UnknownNameError."""
        found = self.skeleton(skeleton) if isinstance(skeleton, str) else skeleton
        if not any(found is other for other in self._skeletons):
            raise UnknownNameError(
                "skeleton", getattr(found, "name", repr(found)), [s.name for s in self._skeletons], self._name
            )
        self._skeletons = [other for other in self._skeletons if other is not found]
        self._forget()
        return found

    # ---- settings

    @property
    def time_step(self) -> float:
        """Duration of a step [s]. Set: of all skeletons too."""
        return self._time_step

    @time_step.setter
    def time_step(self, time_step: float) -> None:
        step = checked_positive("time_step", time_step, "s")
        self._forget()
        self._time_step = step
        for skeleton in self._skeletons:
            self._settle(skeleton)

    @property
    def gravity(self) -> FloatArray:
        """Gravity (3,) in world axes [m/s^2]; read-only. Set: of all skeletons too."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self._gravity = frozen_array("gravity", gravity, (3,), "m/s^2")
        self._forget()
        for skeleton in self._skeletons:
            self._settle(skeleton)

    @property
    def integrator(self) -> Integrator:
        """How skeletons move that nothing touches. Can be set."""
        return self._integrator

    @integrator.setter
    def integrator(self, integrator: Integrator | str) -> None:
        self._integrator = checked_member("integrator", Integrator, integrator)
        self._forget()

    @property
    def detector(self) -> CollisionDetector:
        """What finds contacts. Can be set; None: the native detector."""
        return self._detector

    @detector.setter
    def detector(self, detector: CollisionDetector | None) -> None:
        self._detector = _checked_detector(detector)
        self._forget()

    @property
    def collision_filter(self) -> CollisionFilter:
        """Which shapes meet. Its rules can be changed between steps; can be set; None: one without rules."""
        return self._filter

    @collision_filter.setter
    def collision_filter(self, collision_filter: CollisionFilter | None) -> None:
        self._filter = _checked_filter(collision_filter)
        self._forget()

    def _settle(self, skeleton: Skeleton) -> None:
        if not np.array_equal(skeleton.gravity, self._gravity):
            skeleton.gravity = self._gravity
        if skeleton.time_step != self._time_step:
            skeleton.time_step = self._time_step

    # ---- time

    @property
    def time(self) -> float:
        """Time since the start or the last `reset` [s]."""
        return self._time + self._recent * self._time_step

    @property
    def num_steps(self) -> int:
        """Steps since the start or the last `reset`."""
        return self._steps + self._recent

    @property
    def _recent(self) -> int:
        """Steps since what `_time` and `_steps` say."""
        return 0 if self._compiled is None else self._compiled.native.steps - self._counted

    def step(self, n: int = 1) -> None:
        """Let `n` steps pass. Commands hold until they are changed; external forces act for one step.

        Raises:
            TypeError, ValueError: naming the argument.
            DivergedError: numbers were no longer finite; the world stands as it did before that step.
            SingularMassError, UnsupportedShapeError: a skeleton cannot be simulated.
            KeyboardInterrupt: Ctrl-C; the world stands after a whole step.
        """
        compiled = self._quick
        if compiled is not None and compiled.edits == EDITS.count and type(n) is int and n > 0:
            if not compiled.native.step(n):
                raise DivergedError(self.time, self._name, *compiled.diverged())
            return
        count = checked_whole("n", n)
        if count < 0:
            raise ValueError(f"n: expected 0 or above, got {count}")
        if count and self._ready().has_wrenches:
            self._advance(1)
            if self._compiled is not None:
                self._compiled.remember_wrenches()
            for skeleton in self._skeletons:
                skeleton.clear_external_forces()
            count -= 1
        self._advance(count)

    def _advance(self, count: int) -> None:
        compiled = self._ready()
        asks = compiled.asks_users or compiled.contacts_of_others is not None
        pieces = repeat(1, count) if asks else [count]
        for piece in pieces:
            if compiled.asks_users:
                compiled.ask_users()
            if compiled.contacts_of_others is not None:
                compiled.contacts_of_others.find()
            if not compiled.native.step(piece):
                raise DivergedError(self.time, self._name, *compiled.diverged())

    def reset(self) -> None:
        """Set time and the number of steps to zero; the skeletons stay as they are."""
        self._start(0.0, 0)

    def _start(self, time: float, steps: int) -> None:
        """Count on from here."""
        done = 0 if self._compiled is None else self._compiled.native.steps
        self._time, self._steps, self._counted = time, steps, done

    def _forget(self) -> None:
        """Compile anew before the next step."""
        time, steps = self.time, self.num_steps
        self._compiled = self._quick = None
        self._start(time, steps)

    def _ready(self) -> CompiledWorld:
        compiled = self._compiled
        if compiled is None or not compiled.refresh():
            compiled = CompiledWorld(self._skeletons, self._constraints, self._filter, self._detector)
            bounce = max(_LEAST_BOUNCE, 2.0 * float(np.linalg.norm(self._gravity)) * self._time_step)
            compiled.native.set_settings(
                self._time_step,
                self._gravity,
                _LONGEST_SUBSTEP,
                _SWEEPS,
                _RELAXING_SWEEPS,
                bounce,
                list(Integrator).index(self._integrator),
            )
            self._forget()
            self._compiled, self._counted = compiled, 0
        slow = compiled.watches or compiled.asks_users or compiled.has_wrenches
        slow = slow or compiled.contacts_of_others is not None
        self._quick = None if slow else compiled
        return compiled

    # ---- questions

    @property
    def contacts(self) -> list[Contact]:
        """The points where shapes touched in the last step, at the present poses; none before the first."""
        return [] if self._compiled is None else self._compiled.contacts()

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
        return contact_wrench(self.contacts, part, about)

    def joint_wrench(self, body: BodyNode) -> FloatArray:
        """What the parent joint applied on a body in the last step, as a force-torque sensor reads it.

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
        """What acted on a skeleton in the last step. Raises EditError where it is none of this world's."""
        for step in self._last_steps():
            if step.skeleton is skeleton:
                return step
        raise EditError(f"skeleton: {getattr(skeleton, 'name', skeleton)!r} is none of this world's")

    @property
    def audit(self) -> StepAudit:
        """Energy and momentum of the last step, and what gave and took them."""
        compiled = self._ready()
        steps = zip(compiled.views(), self._last_steps(), strict=True)
        moving = [(view, step) for (view, index), step in steps if index >= 0]
        return audit(self.time, compiled.native.recorded, moving)

    def _last_steps(self) -> list[SkeletonStep]:
        return skeleton_steps(self._ready(), self._constraints)

    def support(self, skeleton: Skeleton) -> ContactSupport:
        """The polygon on which a skeleton stands, by its contacts with others in the last step.

        Raises TypeError: no skeleton.
        """
        return contact_support(self.contacts_of(skeleton), skeleton)

    def constraint_wrench(self, constraint: BodyConstraint) -> FloatArray:
        """Torque and force (6,) of a constraint on its first body in the last step, about its frame's origin
        (of a distance: its point), world axes [N m, N].

        Raises EditError where it is none of this world's; zeros before the first step.
        """
        index = self._constraints.index(constraint)
        return np.zeros(6) if self._compiled is None else self._compiled.native.constraint_wrench(index)

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
        return [skeleton for skeleton in self._skeletons if skeleton.mobile and skeleton.num_dofs > 0]

    # ---- as values

    def snapshot(self) -> Snapshot:
        """The world as it stands, bit for bit: times, states of the skeletons, impulses of the contacts."""
        compiled = self._ready()
        return Snapshot(self.time, self.num_steps, tuple(compiled.rows()), compiled, compiled.native.copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this world.

        Raises:
            TypeError: no snapshot.
            ValueError: skeletons were added, removed or edited since.
        """
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"snapshot: expected a Snapshot, got {type(snapshot).__name__}")
        compiled = self._ready()
        if compiled is not snapshot.compiled:
            raise ValueError("snapshot: expected one of the world as it is built now; it was edited since")
        compiled.write_rows(snapshot.states)
        compiled.native.restore(snapshot.numbers)
        self._start(snapshot.time, snapshot.steps)

    def clone(self) -> World:
        """A world of clones of all skeletons, with the same constraints, at the same time.

        It goes on as this one does, bit for bit.
        """
        world = World(
            (skeleton.clone() for skeleton in self._skeletons),
            time_step=self._time_step,
            gravity=self._gravity,
            integrator=self._integrator,
            detector=self._detector,
            name=self._name,
        )
        world._filter = self._filter.mapped(lambda part: _part_at(world, _place_of(self, part)) or part)
        world._start(self.time, self.num_steps)
        for kind, content, places in self._held():
            world._hold(kind, content, places)
        if self._compiled is not None:
            world._ready().native.restore(self._ready().native.copy())
        return world

    def _held(self) -> list[_Held]:
        """The constraints without their bodies: class, content, and where the bodies are."""
        index = {id(skeleton): i for i, skeleton in enumerate(self._skeletons)}

        def place(body: BodyNode | None) -> tuple[int, int] | None:
            if body is None:
                return None
            if id(body.skeleton) not in index:
                raise EditError(f"constraint: body {body.name!r} belongs to no skeleton of this world")
            return index[id(body.skeleton)], body.index

        return [(type(c), c.content(), (place(c.first), place(c.second))) for c in self._constraints]

    def _hold(self, kind: type[BodyConstraint], content: dict[str, Any], places: _Places) -> None:
        first, second = (None if at is None else self._skeletons[at[0]].bodies[at[1]] for at in places)
        assert first is not None
        self._constraints.add(kind.from_content(content, first, second))

    def __reduce__(self) -> tuple[Any, ...]:
        rules = self._filter.mapped(lambda part: _place_of(self, part))
        settings = (self._time_step, self._gravity, self._integrator, self._name, self._detector, rules)
        return _rebuilt, (self.skeletons, settings, (self.time, self.num_steps), self._held())

    def __copy__(self) -> NoReturn:
        raise TypeError(f"{self!r} has no shallow copy; use clone()")

    def __deepcopy__(self, memo: dict[int, Any]) -> World:
        return self.clone()

    def __repr__(self) -> str:
        return f"<World {self._name!r}: {len(self._skeletons)} skeletons, {self.time:g} s>"


_Places = tuple[tuple[int, int] | None, tuple[int, int] | None]
_Held = tuple[type[BodyConstraint], dict[str, Any], _Places]


def _rebuilt(
    skeletons: Iterable[Skeleton], settings: tuple[Any, ...], start: tuple[float, int], held: Iterable[_Held]
) -> World:
    time_step, gravity, integrator, name, detector, rules = settings
    world = World(
        skeletons, time_step=time_step, gravity=gravity, integrator=integrator, detector=detector, name=name
    )
    world._filter = rules.mapped(lambda place: _part_at(world, place))
    world._start(*start)
    for kind, content, places in held:
        world._hold(kind, content, places)
    return world


_PartPlace = tuple[int, int | None, int | None]
"""Index of a skeleton in its world, of a body in that, of a shape on that; None: all."""


def _place_of(world: World, part: Part) -> _PartPlace | None:
    """Where a part of a filter is; None where it is of no skeleton of the world."""
    try:
        body = part.body if isinstance(part, ShapeNode) else part if isinstance(part, BodyNode) else None
        owner = part if isinstance(part, Skeleton) else None if body is None else body.skeleton
    except RemovedError:
        return None
    index = next((i for i, skeleton in enumerate(world._skeletons) if skeleton is owner), None)
    if index is None:
        return None
    if not isinstance(part, ShapeNode):
        return index, None if body is None else body.index, None
    assert body is not None
    return index, body.index, next(k for k, node in enumerate(body.shape_nodes) if node is part)


def _part_at(world: World, place: _PartPlace | None) -> Part | None:
    if place is None:
        return None
    skeleton, body, shape = place
    owner = world._skeletons[skeleton]
    if body is None:
        return owner
    return owner.bodies[body] if shape is None else owner.bodies[body].shape_nodes[shape]


def _checked_detector(detector: CollisionDetector | None) -> CollisionDetector:
    if detector is None:
        return NativeDetector()
    return checked_part("detector", CollisionDetector, detector, or_none=" or None")


def _checked_filter(rules: CollisionFilter | None) -> CollisionFilter:
    if rules is None:
        return CollisionFilter()
    return checked_part("collision_filter", CollisionFilter, rules, or_none=" or None")
