"""Skeletons that move in time and touch each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from kido.collision import CollisionDetector, CollisionFilter
from kido.errors import EditError, NameTakenError, UnknownNameError
from kido.skeleton import EDITS, SavedModel, Skeleton, notebook_pictures
from kido.typing import ArrayLike, FloatArray
from kido.values import checked_name, checked_part, checked_whole, register
from kido.world._block_solver import BlockSolver
from kido.world._constraints import Constraints
from kido.world._custom_integrator import CustomIntegrator
from kido.world._frames import WorldFrames, picklable, set_motion
from kido.world._held_constraints import HeldConstraint, held_constraint, rebuilt_constraint
from kido.world._impulse_solver import ImpulseSolver
from kido.world._integrator import Integrator
from kido.world._notebook import world_html
from kido.world._observers import WorldObserver
from kido.world._part_places import part_at, place_of
from kido.world._pickled_numbers import PickledNumbers
from kido.world._saved_world import saved_world
from kido.world._settings import WorldSettings, as_given, checked_settings
from kido.world._simulation import Simulation
from kido.world._sleeping import Sleeping
from kido.world._snapshot import Snapshot
from kido.world._stages import StageSignals
from kido.world._surface_rules import SurfaceHandler
from kido.world._world_answers import WorldAnswers
from kido.world._world_description import NamedParts

__all__ = ["World"]


@register
class World(WorldAnswers):
    """Skeletons that move in time and touch each other.

    What is changed between steps holds from the next step on: positions, velocities, commands, constants,
    shapes, structure, skeletons. Contacts are solved by block Gauss-Seidel in sub-steps, with the exact cone
    of Coulomb; sub-steps are those of Macklin et al., Small Steps in Physics Simulation (2019).
    """

    __slots__ = ("_frames", "_name", "_simulation")

    def __init__(
        self,
        skeletons: Skeleton | Iterable[Skeleton] = (),
        *,
        time_step: float = 1e-3,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        integrator: Integrator | CustomIntegrator | str = Integrator.SEMI_IMPLICIT_EULER,
        solver: BlockSolver | ImpulseSolver = BlockSolver(),  # noqa: B008 - a frozen value
        detector: CollisionDetector | None = None,
        collision_filter: CollisionFilter | None = None,
        surface_handler: SurfaceHandler | None = None,
        sleeping: Sleeping | bool | None = None,
        name: str = "world",
    ) -> None:
        """Make a world.

        Args:
            skeletons: what it consists of, one or several; see `add`.
            time_step: [s].
            gravity: (3,) in world axes [m/s^2].
            integrator: of skeletons that nothing touches.
            solver: of contacts, limits, motors and constraints.
            detector: which finds contacts; None: the native one.
            collision_filter: which shapes meet; None: a new one, without rules of its own.
            surface_handler: how surfaces are combined; None: by `SurfaceRules()`.
            sleeping: when what rests is left out of steps; True: by the defaults of `Sleeping`; None or
                False: never.
            name: not empty.

        Raises:
            TypeError, ValueError: naming the argument.
            NameTakenError: two skeletons have one name.
        """
        self._name = checked_name("name", name)
        settings = checked_settings(
            time_step, gravity, integrator, solver, detector, surface_handler, sleeping
        )
        self._frames = WorldFrames(self._name)
        self._named = NamedParts()
        self._simulation: Simulation[World] = Simulation(
            self._name, settings, _checked_filter(collision_filter)
        )
        self._add_all(_several(skeletons))

    # ---- what it consists of

    @property
    def name(self) -> str:
        """Name of this world. Can be set."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = self._frames.world = self._simulation.name = checked_name("name", name)

    @property
    def skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons, in the order in which they came."""
        return self._simulation.skeletons

    @property
    def constraints(self) -> Constraints:
        """Constraints of bodies and dofs beside their joints: `add`, `remove`, iterate."""
        return self._simulation.constraints

    @property
    def frames(self) -> WorldFrames:
        """Free frames: `add`, `remove`, by name, iterate. Steps leave them to their user."""
        return self._frames

    def skeleton(self, name: str) -> Skeleton:
        """The skeleton of a name. Raises UnknownNameError."""
        for skeleton in self.skeletons:
            if skeleton.name == name:
                return skeleton
        raise UnknownNameError("skeleton", name, [s.name for s in self.skeletons], self._name)

    def add(self, skeleton: Skeleton) -> Skeleton:
        """Add a skeleton, and return it. It gets the world's gravity and time step.

        Raises:
            TypeError: no skeleton.
            NameTakenError: another one has its name.
        """
        self._simulation.require_idle("add")
        self._add_all((skeleton,))
        return skeleton

    def _add_all(self, skeletons: Iterable[Skeleton]) -> None:
        """Add several skeletons, or none of them. Raises as `add`."""
        names = {skeleton.name for skeleton in self.skeletons}
        added = []
        for skeleton in skeletons:
            if not isinstance(skeleton, Skeleton):
                raise TypeError(f"skeleton: expected a Skeleton, got {type(skeleton).__name__}")
            if skeleton.name in names:
                raise NameTakenError("Skeleton", skeleton.name, self._name)
            names.add(skeleton.name)
            added.append(skeleton)
        for skeleton in added:
            self._settle(skeleton)
        self._consist_of((*self.skeletons, *added))

    def remove(self, skeleton: Skeleton | str) -> Skeleton:
        """Take a skeleton, or that of a name, out of the world, and return it.

        Raises UnknownNameError; EditError where a constraint holds a part of it.
        """
        self._simulation.require_idle("remove")
        found = self.skeleton(skeleton) if isinstance(skeleton, str) else skeleton
        if not any(found is other for other in self.skeletons):
            raise UnknownNameError(
                "skeleton", getattr(found, "name", repr(found)), [s.name for s in self.skeletons], self._name
            )
        self.constraints.refuse_removal(found)
        self._consist_of(tuple(other for other in self.skeletons if other is not found))
        return found

    def _consist_of(self, skeletons: tuple[Skeleton, ...]) -> None:
        self._simulation.skeletons = skeletons
        self._simulation.forget()

    # ---- settings

    @property
    def time_step(self) -> float:
        """Duration of a step [s]. Set: of all skeletons too."""
        return self._simulation.settings.time_step

    @time_step.setter
    def time_step(self, time_step: float) -> None:
        time, steps = self.time, self.num_steps
        self._set("time_step", time_step=time_step)
        self._simulation.start(time, steps)
        self._settle_all()

    @property
    def gravity(self) -> FloatArray:
        """Gravity (3,) in world axes [m/s^2]; read-only. Set: of all skeletons too."""
        return self._simulation.settings.gravity

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self._set("gravity", gravity=gravity)
        self._settle_all()

    @property
    def integrator(self) -> Integrator | CustomIntegrator:
        """Integrator of skeletons that nothing touches. Can be set."""
        return self._simulation.settings.integrator

    @integrator.setter
    def integrator(self, integrator: Integrator | CustomIntegrator | str) -> None:
        self._set("integrator", integrator=integrator)

    @property
    def solver(self) -> BlockSolver | ImpulseSolver:
        """Solver of the impulses of contacts, limits, motors and constraints. Can be set."""
        return self._simulation.settings.solver

    @solver.setter
    def solver(self, solver: BlockSolver | ImpulseSolver) -> None:
        self._set("solver", solver=solver)

    @property
    def detector(self) -> CollisionDetector:
        """Detector of contacts. Can be set; None: the native detector."""
        return self._simulation.settings.detector

    @detector.setter
    def detector(self, detector: CollisionDetector | None) -> None:
        self._set("detector", detector=detector)

    @property
    def surface_handler(self) -> SurfaceHandler:
        """Combination of the surfaces of two shapes: rules, or a function of both that gives a Surface.

        A function is asked when two shapes begin to touch, and its answer holds until they part; the
        direction and the velocities of the answer are those of the first shape relative to the second, in the
        frame of the first. Can be set; None: `SurfaceRules()`. What it raises, `step` raises, after a whole
        step.
        """
        return self._simulation.settings.surface_handler

    @surface_handler.setter
    def surface_handler(self, handler: SurfaceHandler | None) -> None:
        self._set("surface_handler", surface_handler=handler)

    @property
    def sleeping(self) -> Sleeping | None:
        """Conditions under which islands of bodies that rest fall asleep; None: never. Can be set, to a bool
        too, which wakes everything."""
        return self._simulation.settings.sleeping

    @sleeping.setter
    def sleeping(self, sleeping: Sleeping | bool | None) -> None:
        self._set("sleeping", sleeping=sleeping)

    @property
    def collision_filter(self) -> CollisionFilter:
        """Filter of shapes that meet. Its rules can be changed between steps; can be set; None: one without
        rules."""
        return self._simulation.rules

    @collision_filter.setter
    def collision_filter(self, collision_filter: CollisionFilter | None) -> None:
        checked = _checked_filter(collision_filter)
        self._simulation.require_idle("collision_filter")
        self._simulation.rules = checked
        self._simulation.forget()

    @property
    def signals(self) -> StageSignals[World]:
        """Signals before and after each stage of a step. Copies of this world have their own, unheard.

        A listener is given this world. Contacts are those of the stage detect, with the forces of the last
        step until the stage solve is done; positions and velocities change with the stage move. Commands,
        forces, limits, positions and velocities that are set before the stage accelerate hold in this step;
        later, commands and forces hold from the next step on, and positions and velocities are refused.
        What listeners raise is raised after the whole step; before the stage detect, no step is made then.
        """
        return self._simulation.signals

    def _set(self, what: str, **changed: Any) -> None:
        settings = checked_settings(**{**as_given(self._simulation.settings), **changed})
        self._simulation.require_idle(what)
        self._simulation.settings = settings
        self._simulation.forget()

    def _settle_all(self) -> None:
        for skeleton in self.skeletons:
            self._settle(skeleton)

    def _settle(self, skeleton: Skeleton) -> None:
        if not np.array_equal(skeleton.gravity, self.gravity):
            skeleton.gravity = self.gravity
        if skeleton.time_step != self.time_step:
            skeleton.time_step = self.time_step

    # ---- time

    @property
    def time(self) -> float:
        """Time since the start or the last `reset` [s]."""
        return self._simulation.time

    @property
    def num_steps(self) -> int:
        """Steps since the start or the last `reset`."""
        return self._simulation.num_steps

    def step(self, n: int = 1) -> None:
        """Let `n` steps pass. Commands hold until they are changed; external forces act for one step.

        Raises:
            TypeError, ValueError: naming the argument.
            DivergedError: numbers were no longer finite; the world stands as it did before that step.
            SingularMassError, UnsupportedShapeError: a skeleton cannot be simulated.
            KeyboardInterrupt: Ctrl-C; the world stands after a whole step.
        """
        simulation = self._simulation
        quick = simulation.quick
        if quick is not None and quick.edits == EDITS.count and type(n) is int and n > 0:
            try:
                if quick.native.step(n):
                    return
            except MemoryError:
                simulation.forget()  # contacts may be half found
                raise
            raise simulation.diverged(quick)
        count = checked_whole("n", n)
        if count < 0:
            raise ValueError(f"n: expected 0 or above, got {count}")
        simulation.step(count, self)

    def reset(self) -> None:
        """Set time and the number of steps to zero; the skeletons stay as they are."""
        self._simulation.require_whole("reset")
        self._simulation.leave()
        self._simulation.jump(0.0, 0)

    def attach(self, observer: WorldObserver) -> None:
        """Have an observer look at all steps from the next one on. Copies of this world have none.

        Raises TypeError for anything else, EditError where it looks already, or inside a step.
        """
        if not isinstance(observer, WorldObserver):
            raise TypeError(f"observer: expected a WorldObserver, got {type(observer).__name__}")
        simulation = self._simulation
        simulation.require_idle("attach")
        if any(observer is other for other in simulation.observers.all):
            raise EditError(f"observer: {observer!r} looks at {self._name!r} already")
        simulation.observers.add(observer)
        simulation.quick = None

    def detach(self, observer: WorldObserver) -> None:
        """Have an observer look no more, after a last sample; doing so twice does no harm.

        Raises what the observer raises.
        """
        self._simulation.release(observer)

    # ---- as values

    def snapshot(self) -> Snapshot:
        """The world as it stands, bit for bit: times, states of the skeletons, external forces for the next
        step, impulses of the contacts.

        Springs and dampers of joints and soft bodies, and pins, are none of it: they stay as they are when
        the world goes back.
        """
        self._simulation.require_whole("snapshot")
        compiled = self._simulation.ready()
        states, numbers = tuple(compiled.rows()), compiled.native.copy()
        acted, waiting, frames = compiled.all_acted, compiled.all_waiting, self._frames.motions()
        counts = self._simulation.counts
        return Snapshot(self.time, self.num_steps, states, compiled, numbers, acted, waiting, counts, frames)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this world.

        Raises:
            TypeError: no snapshot.
            ValueError: skeletons were added, removed or edited since.
        """
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"snapshot: expected a Snapshot, got {type(snapshot).__name__}")
        self._simulation.require_whole("restore")
        compiled = self._simulation.ready()
        if compiled is not snapshot.compiled:
            raise ValueError("snapshot: expected one of the world as it is built now; it was edited since")
        self._simulation.leave()
        compiled.write_rows(snapshot.states)
        compiled.native.restore(snapshot.numbers)
        compiled.all_acted, compiled.all_waiting = snapshot.acted, snapshot.waiting
        for frame, motion in snapshot.frames:
            set_motion(frame, motion)
        self._simulation.jump(*snapshot.counts)

    def clone(self) -> World:
        """A world of clones of all skeletons, with the same constraints, at the same time.

        It goes on as this one does, bit for bit.
        """
        self._simulation.require_whole("clone")
        clones = tuple(skeleton.clone() for skeleton in self.skeletons)
        frames = self._frames.places(self.skeletons)
        simulation = self._simulation
        world = _rebuilt(
            clones,
            self._name,
            self._named,
            simulation.settings,
            simulation.counts,
            self._held(),
            frames,
        )
        world._simulation.rules = self.collision_filter.mapped(
            lambda part: part_at(clones, place_of(self.skeletons, part)) or part
        )
        if self._simulation.last_compiled is not None:
            ours, theirs = self._simulation.ready(), world._simulation.ready()
            theirs.native.restore(ours.native.copy())
            theirs.remembers = True
            theirs.all_acted = ours.all_acted
        return world

    def _held(self) -> list[HeldConstraint]:
        """The constraints without their skeletons."""
        return [held_constraint(constraint, self.skeletons) for constraint in self.constraints]

    def _saved(self, exact: bool) -> SavedModel:
        return saved_world(self, exact)

    def __reduce__(self) -> tuple[Any, ...]:
        simulation = self._simulation
        simulation.require_whole("pickle")
        rules = self.collision_filter.mapped(lambda part: place_of(self.skeletons, part))
        frames = picklable(self._frames.places(self.skeletons))
        how = simulation.settings, simulation.counts
        parts = self.skeletons, self._name, self._named, *how, self._held(), frames
        return _unpickled, (*parts, rules, *simulation.numbers())

    def __copy__(self) -> NoReturn:
        raise TypeError(f"{self!r} has no shallow copy; use clone()")

    def __deepcopy__(self, memo: dict[int, Any]) -> World:
        return self.clone()

    def _repr_png_(self) -> bytes | None:
        return notebook_pictures.png(self)

    def _repr_html_(self) -> str:
        text = world_html(self._name, self.time, self.skeletons, len(self.contacts))
        return notebook_pictures.html(self) + text

    def __repr__(self) -> str:
        return f"<World {self._name!r}: {len(self.skeletons)} skeletons, {self.time:g} s>"


def _several(skeletons: Skeleton | Iterable[Skeleton]) -> Iterable[Skeleton]:
    if isinstance(skeletons, Skeleton):
        return (skeletons,)
    if not isinstance(skeletons, Iterable):
        raise TypeError(f"skeletons: expected a Skeleton or several, got {type(skeletons).__name__}")
    return skeletons


def _checked_filter(rules: CollisionFilter | None) -> CollisionFilter:
    if rules is None:
        return CollisionFilter()
    return checked_part("collision_filter", CollisionFilter, rules, or_none=" or None")


def _rebuilt(
    skeletons: tuple[Skeleton, ...],
    name: str,
    named: NamedParts,
    settings: WorldSettings,
    counts: tuple[float, int, int],
    held: Iterable[HeldConstraint],
    frames: list[Any],
) -> World:
    """A world of copies, without the rules of its filter."""
    world = World(skeletons, name=name, **as_given(settings))
    world._named = named
    world._simulation.start(*counts)
    for one in held:
        world.constraints.add(rebuilt_constraint(one, skeletons))
    world._frames.fill(frames, skeletons)
    return world


def _unpickled(
    skeletons: tuple[Skeleton, ...],
    name: str,
    named: NamedParts,
    settings: WorldSettings,
    counts: tuple[float, int, int],
    held: Iterable[HeldConstraint],
    frames: list[Any],
    rules: CollisionFilter,
    acted: tuple[FloatArray | None, ...],
    numbers: bytes | None,
) -> World:
    world = _rebuilt(skeletons, name, named, settings, counts, held, frames)
    world._simulation.rules = rules.mapped(lambda place: part_at(skeletons, place))
    if numbers is not None:
        world._simulation.pickled = PickledNumbers(numbers, acted, skeletons, world.collision_filter)
    return world
