"""Observers of the steps of a world."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from kido import _core
from kido.constraint import BodyConstraint, Constraint
from kido.skeleton import ShapeNode, Skeleton
from kido.typing import FloatArray
from kido.world._compiled import CompiledWorld

__all__ = ["InputKind", "Observers", "SampledSteps", "WatchedWorld", "WorldObserver"]


class InputKind(IntEnum):
    """Input between two steps, as samplers note it with the index of a skeleton and numbers."""

    POSITIONS = 0
    """(num_dofs,) [rad, m]."""
    VELOCITIES = 1
    """(num_dofs,) [rad/s, m/s]."""
    COMMANDS = 2
    """(num_dofs,), by actuator."""
    WRENCHES = 3
    """Of the next step on the bodies, from outside (num_bodies, 6), about their origins in their axes [N m,
    N]."""
    LOADS = 4
    """Constants of joints, such as damping, or springs and pins of soft bodies, were changed: a number of the
    observer's that says to what."""
    WAKE = 5
    """Part of it, or all of it, was woken: index of the body, -1: all."""
    PYTHON = 6
    """Python took part in the step before: that of listeners, solvers or integrators of the user's."""
    POINTS = 7
    """Of a soft body, by its index among those of all skeletons, (6 n, 3): displacements, velocities, how far
    places of rest have moved, forces, where pins are, and how fast they move [m, m/s, N]."""


class WatchedWorld(NamedTuple):
    """A world compiled to numbers, as observers see it; it stands until the world is compiled anew.

    Attributes:
        native: the numbers.
        states: of the skeletons.
        softs: of the soft bodies among their bodies.
        skeletons: in their order.
        shapes: those that touch, as contacts count them.
        between_bodies, by_rows: constraints, in the order in which native code has their wrenches and forces.
        is_fresh: whether its solver remembers nothing of steps before.
        same_model: whether it differs from the one before by nothing but positions.
        clock: time [s] and number of steps when `native` had made the third number of steps.
    """

    native: _core.World
    states: list[_core.State]
    softs: list[_core.SoftState]
    skeletons: tuple[Skeleton, ...]
    shapes: tuple[ShapeNode, ...]
    between_bodies: tuple[Constraint, ...]
    by_rows: tuple[Constraint, ...]
    is_fresh: bool
    same_model: bool
    clock: tuple[float, int, int]


class WorldObserver(ABC):
    """Base of what looks at the steps of a world by samplers, which native code fills.

    A world that nobody looks at pays nothing for it.
    """

    __slots__ = ()

    @abstractmethod
    def watch(self, watched: WatchedWorld) -> _core.WorldSampler:
        """A sampler for a world that was compiled anew; called before the first step with it."""

    @abstractmethod
    def begin_anew(self, clock: tuple[float, int, int]) -> None:
        """The time was set, or the world was put back to how it stood at another one; `clock` as that of
        `WatchedWorld`."""

    @abstractmethod
    def loads_changed(self) -> float:
        """Constants of joints or soft bodies are others now: the number that an input LOADS is to have."""


class SampledSteps(NamedTuple):
    """A compiled world whose steps are looked at; see `Simulation.quick`."""

    native: _core.SampledWorld
    compiled: CompiledWorld

    @property
    def edits(self) -> int:
        """As `CompiledWorld.edits`."""
        return self.compiled.edits

    def diverged(self) -> tuple[str | None, str | None]:
        """As `CompiledWorld.diverged`."""
        return self.compiled.diverged()


Loads = list[tuple[bytes | int, ...]]


class Observers:
    """The observers of a world, and the samplers that they look through."""

    __slots__ = ("_changes", "_compiled", "_loads", "_sampled", "_samplers", "all")

    def __init__(self) -> None:
        self.all: tuple[WorldObserver, ...] = ()
        self._samplers: dict[int, _core.WorldSampler] = {}
        self._sampled: _core.SampledWorld | None = None
        self._compiled: CompiledWorld | None = None
        self._changes: list[int] = []
        self._loads: Loads = []

    def __bool__(self) -> bool:
        return bool(self.all)

    def add(self, observer: WorldObserver) -> None:
        """Have an observer look on from the next step on."""
        self.all = (*self.all, observer)
        self._compiled = None

    def remove(self, observer: WorldObserver) -> None:
        """Look no more; doing so twice does no harm."""
        self.all = tuple(other for other in self.all if other is not observer)
        sampler = self._samplers.pop(id(observer), None)
        if sampler is not None:
            sampler.close()
        if not self.all:
            self._compiled = self._sampled = None
            self._loads = []
        elif self._compiled is not None:
            self._gather(self._compiled)

    def finish(self, observer: WorldObserver) -> None:
        """Take the last sample for an observer, of the world that `see` has seen."""
        sampler = self._samplers.get(id(observer))
        if sampler is not None:
            sampler.finish(True)

    def finish_all(self) -> None:
        """Take the last sample before the time is set, where nothing was moved since the last step."""
        for sampler in self._samplers.values():
            sampler.finish(True)

    def steps_of(self, compiled: CompiledWorld) -> _core.World | _core.SampledWorld:
        """Stepper of a compiled world."""
        return compiled.native if self._sampled is None else self._sampled

    def see(self, compiled: CompiledWorld, clock: tuple[float, int, int], *, same_model: bool) -> None:
        """Take note of the world that the next step is made with; arguments as those of `WatchedWorld`."""
        if compiled is self._compiled:
            if _changes(compiled) != self._changes:
                self._changes = _changes(compiled)
                self._see_loads(compiled)
            return
        watched = _watched(compiled, clock, same_model)
        for observer in self.all:
            if self._lacks(observer, compiled):
                sampler = observer.watch(watched)
                sampler.set_clock(clock[0], compiled.time_step, *clock[1:])
                self._samplers[id(observer)] = sampler
        self._compiled, self._changes = compiled, _changes(compiled)
        if same_model and self._loads:
            self._see_loads(compiled)  # they changed together with the positions of what does not move
        else:
            self._loads = _loads(compiled)
        self._gather(compiled)

    def _lacks(self, observer: WorldObserver, compiled: CompiledWorld) -> bool:
        """Whether an observer has no sampler of a compiled world yet."""
        sampler = self._samplers.get(id(observer))
        return sampler is None or sampler.world is not compiled.native

    def _gather(self, compiled: CompiledWorld) -> None:
        samplers = [self._samplers[id(observer)] for observer in self.all]
        self._sampled = _core.SampledWorld(compiled.native, samplers)

    def set_clock(self, clock: tuple[float, int, int], time_step: float) -> None:
        """The time was set: as that of `WatchedWorld`."""
        for observer in self.all:
            observer.begin_anew(clock)
        for sampler in self._samplers.values():
            sampler.set_clock(clock[0], time_step, *clock[1:])

    def before(self) -> None:
        """Before a step that Python takes part in."""
        if self._sampled is not None:
            self._sampled.before()

    def after(self) -> None:
        """After such a step."""
        if self._sampled is not None:
            self._note(InputKind.PYTHON, -1, np.zeros(0))
            self._sampled.after()

    def note_wrenches(self, compiled: CompiledWorld) -> None:
        """Wrenches from outside act in the next step."""
        for index, (view, _) in enumerate(compiled.views()):
            if view.has_wrenches:
                self._note(InputKind.WRENCHES, index, view.external_wrenches.ravel())

    def note_wake(self, skeleton: int, body: int) -> None:
        """A skeleton, or the tree of a body, was woken; body -1: all of it."""
        self._note(InputKind.WAKE, skeleton, np.array([body], dtype=float))

    def _see_loads(self, compiled: CompiledWorld) -> None:
        loads = _loads(compiled)
        if loads == self._loads:
            return
        self._loads = loads
        for observer in self.all:
            self._samplers[id(observer)].note(InputKind.LOADS, -1, np.array([observer.loads_changed()]))

    def _note(self, kind: InputKind, skeleton: int, numbers: FloatArray) -> None:
        for sampler in self._samplers.values():
            sampler.note(kind, skeleton, numbers)


def _changes(compiled: CompiledWorld) -> list[int]:
    """Counts of the times that what `_loads` compares may have changed."""
    return [compiled.renewals, *(node._soft.material_version for node in compiled.skins)]


def _loads(compiled: CompiledWorld) -> Loads:
    """Loads in the joints of all skeletons, but for wrenches, and versions of the materials of soft bodies:
    to be compared."""
    found: Loads = [(node._soft.material_version,) for node in compiled.skins]
    for view, _ in compiled.views():
        constants, actuators, _, limited = view.loads
        enforced = view.skeleton.mimic_enforced  # then the state has followers where their leaders want them
        found.append((constants.tobytes(), actuators.tobytes(), limited.tobytes(), enforced))
    return found


def _watched(compiled: CompiledWorld, clock: tuple[float, int, int], same_model: bool) -> WatchedWorld:
    views = [view for view, _ in compiled.views()]
    constraints = compiled.constraints.all
    return WatchedWorld(
        compiled.native,
        [view.state for view in views],
        [node._soft for node in compiled.skins],
        tuple(view.skeleton for view in views),
        tuple(compiled.colliders.nodes),
        tuple(one for one in constraints if isinstance(one, BodyConstraint)),
        tuple(one for one in constraints if not isinstance(one, BodyConstraint)),
        compiled.is_fresh,
        same_model,
        clock,
    )
