"""The native world behind a world."""

from __future__ import annotations

from enum import Enum, auto
from functools import partial
from itertools import repeat
from typing import Generic, TypeVar

from kido import _core
from kido.collision import CollisionFilter
from kido.errors import DivergedError, EditError, KidoError
from kido.skeleton import EDITS, Skeleton
from kido.typing import FloatArray
from kido.world._compiled import CompiledWorld
from kido.world._constraints import Constraints
from kido.world._custom_integrator import CustomIntegrator
from kido.world._native_settings import set_native_settings
from kido.world._observers import Observers, SampledSteps, WorldObserver
from kido.world._pickled_numbers import PickledNumbers
from kido.world._settings import WorldSettings
from kido.world._sleeping import sleeping_numbers
from kido.world._soft_limits import refuse_with_points
from kido.world._staged_step import StagedStep
from kido.world._stages import StageSignals

__all__ = ["Simulation"]

W = TypeVar("W")


class _Stage(Enum):
    IDLE = auto()
    """Between steps."""
    WHOLE = auto()
    """In a step that has not begun, or is done."""
    INSIDE = auto()
    """Inside a step."""


class Simulation(Generic[W]):
    """Stepper of a world: the native world is compiled when it is needed, anew where what it
    stands for has changed.

    Attributes:
        name: of the world.
        settings: how steps are made; whoever sets them calls `forget`.
        rules: which shapes meet; as `settings`.
        skeletons: what is simulated; as `settings`.
        constraints: between them; they call `forget` themselves.
        signals: of the stages of a step.
        compiled: the native world; None: before the first step, and after edits.
        quick: the same, where a step takes nothing but one native call as long as nothing is edited.
        observers: what looks at its steps.
        pickled: numbers of the pickle that it goes on from, until the first step.
    """

    __slots__ = (
        "_counted",
        "_stage",
        "_steps",
        "_time",
        "compiled",
        "constraints",
        "name",
        "observers",
        "pickled",
        "quick",
        "rules",
        "settings",
        "signals",
        "skeletons",
    )

    def __init__(self, name: str, settings: WorldSettings, rules: CollisionFilter) -> None:
        self.name, self.settings, self.rules = name, settings, rules
        self.skeletons: tuple[Skeleton, ...] = ()
        self.constraints = Constraints(self.forget, self.require_idle, lambda: self.skeletons)
        self.signals: StageSignals[W] = StageSignals(self._listen)
        self.compiled: CompiledWorld | None = None
        self.quick: CompiledWorld | SampledSteps | None = None
        self.observers = Observers()
        self.pickled: PickledNumbers | None = None
        self._stage = _Stage.IDLE
        self._time, self._steps, self._counted = 0.0, 0, 0

    # ---- time

    @property
    def time(self) -> float:
        """Time since the start or the last reset [s]."""
        return self._time + self._recent * self.settings.time_step

    @property
    def num_steps(self) -> int:
        """Steps since the start or the last reset."""
        return self._steps + self._recent

    @property
    def _recent(self) -> int:
        """Steps since what `_time` and `_steps` say."""
        done = 0 if self.compiled is None else self.compiled.native.steps
        return done - self._counted

    @property
    def counts(self) -> tuple[float, int, int]:
        """Counts that `start` takes."""
        return self._time, self._steps, self._recent

    def start(self, time: float, steps: int, recent: int = 0) -> None:
        """Count on from here; `recent`: steps after `time` and `steps`."""
        done = 0 if self.compiled is None else self.compiled.native.steps
        self._time, self._steps, self._counted = time, steps, done - recent

    def jump(self, time: float, steps: int, recent: int = 0) -> None:
        """As `start`, for a world that its user has put to another time, which observers are told."""
        self.start(time, steps, recent)
        if self.observers:
            self.observers.set_clock(self._clock, self.settings.time_step)

    def leave(self) -> None:
        """The world is about to be put to another time."""
        if self.observers:
            self.observers.finish_all()

    @property
    def _clock(self) -> tuple[float, int, int]:
        """Time [s] and steps when the native world had made the third number of steps."""
        return self._time, self._steps, self._counted

    # ---- the native world

    @property
    def last_compiled(self) -> CompiledWorld | None:
        """Compiled world of the last step, here or where a pickle comes from; None: there was none."""
        return self.ready() if self.compiled is None and self.pickled is not None else self.compiled

    @property
    def compiled_now(self) -> CompiledWorld | None:
        """The native world, where it stands for the skeletons as they are."""
        if self.pickled is not None and self._stage is _Stage.IDLE:
            self.ready()
        compiled = self.compiled
        stands = compiled is not None and (self._stage is not _Stage.IDLE or self._refreshed(compiled))
        return compiled if stands else None

    def _refreshed(self, compiled: CompiledWorld) -> bool:
        """Whether a native world stands for the skeletons, with what was edited; observers see that before
        the next step."""
        if compiled.edits != EDITS.count:
            self.quick = None
        return compiled.refresh()

    def forget(self) -> None:
        """Compile anew before the next step."""
        counts = self.counts
        self.compiled = self.quick = self.pickled = None
        self.start(*counts)

    def ready(self) -> CompiledWorld:
        """The native world, compiled and up to date.

        Raises what makes a skeleton impossible to simulate: SingularMassError, UnsupportedShapeError.
        """
        compiled, same_model = self.compiled, True
        if compiled is None or not compiled.refresh():
            same_model = compiled is not None and compiled.only_moved
            compiled = self._compile()
            self.forget()
            self.compiled = compiled
        if self.observers:
            self.observers.see(compiled, self._clock, same_model=same_model)
        slow = compiled.watches or compiled.asks_users or compiled.has_wrenches
        slow = slow or compiled.colliders.external is not None or self.has_python_parts
        self.quick = None if slow else self._quick(compiled)
        return compiled

    def release(self, observer: WorldObserver) -> None:
        """Take the last sample for an observer, where that is possible now, and have it look no more."""
        try:
            if self._stage is _Stage.IDLE and any(observer is other for other in self.observers.all):
                self.ready()
                self.observers.finish(observer)
        except KidoError:
            pass  # a world that cannot be simulated has no sample
        finally:
            self.observers.remove(observer)
            self.quick = None

    def _quick(self, compiled: CompiledWorld) -> CompiledWorld | SampledSteps:
        steps = self.observers.steps_of(compiled)
        return SampledSteps(steps, compiled) if isinstance(steps, _core.SampledWorld) else compiled

    def numbers(self) -> tuple[tuple[FloatArray | None, ...], bytes | None]:
        """Numbers that a pickle needs to go on bit for bit: the wrenches that acted on bodies in the last
        step, and the native world as bytes, where it stands for the skeletons as they are."""
        holds = self.pickled is not None and self.pickled.hold
        compiled = self.ready() if holds else self.compiled
        if compiled is None or not self._refreshed(compiled):
            return (), None
        return compiled.all_acted, compiled.native.save()

    def _compile(self) -> CompiledWorld:
        settings = self.settings
        compiled = CompiledWorld(
            self.skeletons,
            self.constraints,
            self.rules,
            settings.detector,
            settings.surface_handler,
            time_step=settings.time_step,
            all_trees=isinstance(settings.integrator, CustomIntegrator),
        )
        if compiled.has_softs:
            refuse_with_points(settings.solver, settings.integrator)
        set_native_settings(
            compiled.native, settings.time_step, settings.gravity, settings.integrator, settings.solver
        )
        compiled.native.set_sleeping(*sleeping_numbers(settings.sleeping))
        pickled, self.pickled = self.pickled, None
        if pickled is not None and pickled.hold:
            if not compiled.load(pickled.numbers, pickled.motions):
                raise ValueError("world: the contacts of its pickle do not fit; the next step begins anew")
            compiled.all_acted = pickled.acted
        return compiled

    @property
    def has_python_parts(self) -> bool:
        """Whether Python takes part in steps."""
        return not self.settings.are_native or self.signals.are_heard

    def _listen(self) -> None:
        """Somebody listens to a stage now."""
        self.quick = None

    def require_idle(self, what: str) -> None:
        """Raises EditError inside a step."""
        if self._stage is not _Stage.IDLE:
            raise EditError(f"{what}: not possible for a listener of a step's stages; do it between steps")

    def require_whole(self, what: str) -> None:
        """Raises EditError inside a step, but for its beginning and end."""
        if self._stage is _Stage.INSIDE:
            raise EditError(
                f"{what}: not possible inside a step; do it before the stage detect, or after the stage move"
            )

    # ---- steps

    def step(self, count: int, world: W) -> None:
        """Make steps of the world, which its listeners are given; raises as `World.step`."""
        self.require_idle("step")
        if self.has_python_parts:
            for _ in range(count):
                self._step_by_stages(world)
            return
        if count and (compiled := self.ready()).has_wrenches:
            if self.observers:
                self.observers.note_wrenches(compiled)
            self._advance(1)
            if self.compiled is not None:
                self.compiled.remember_wrenches()
            for skeleton in self.skeletons:
                skeleton.clear_external_forces()
            count -= 1
        self._advance(count)

    def diverged(self, compiled: CompiledWorld | SampledSteps) -> DivergedError:
        """The error of a step whose numbers were not finite."""
        return DivergedError(self.time, self.name, *compiled.diverged())

    def _run(self, compiled: CompiledWorld, count: int) -> None:
        """Some steps in one native call."""
        try:
            if self.observers.steps_of(compiled).step(count):
                return
        except MemoryError:
            self.forget()  # contacts may be half found
            raise
        raise self.diverged(compiled)

    def _step_by_stages(self, world: W) -> None:
        """One step with signals, and what is Python's."""
        try:
            self._stage = _Stage.WHOLE
            self.signals._before[0].emit(world)
            step = StagedStep(world, self.ready(), self.signals)
            self.observers.before()
            self._stage = _Stage.INSIDE
            diverged = partial(DivergedError, self.time, self.name)
            try:
                step.run(self.settings.integrator, self.settings.solver, diverged)
                self._stage = _Stage.WHOLE
                self.signals._after[-1].emit(world)
            finally:
                self._stage = _Stage.WHOLE
                self.observers.after()
        except MemoryError:
            self.forget()  # contacts may be half found
            raise
        finally:
            self._stage = _Stage.IDLE

    def _advance(self, count: int) -> None:
        compiled = self.ready()
        asks = compiled.asks_users or compiled.colliders.external is not None
        pieces = repeat(1, count) if asks else [count]
        for piece in pieces:
            if compiled.asks_users:
                self._ask(compiled)
            if compiled.colliders.external is not None:
                compiled.colliders.external.find()
            self._run(compiled, piece)

    def _ask(self, compiled: CompiledWorld) -> None:
        """Ask what Python has to say before a step; meanwhile the world cannot be changed."""
        self._stage = _Stage.INSIDE
        try:
            compiled.ask_users()
        finally:
            self._stage = _Stage.IDLE
