"""All of a world as a value, as files hold it."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kido._core import brief
from kido.collision import CoalDetector, CollisionDetector, CollisionFilter, NativeDetector
from kido.description import Diagnostic, NamedState, SceneDescription, SensorDescription
from kido.errors import DescriptionError, UnknownNameError
from kido.skeleton import SavedModel, SavedSkeleton, SimulationView, Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import (
    Array,
    Checked,
    Value,
    array,
    checked,
    checked_flag,
    checked_items,
    checked_text,
    checked_whole,
    items,
    number,
    part,
    text,
    value,
)
from kido.world._block_solver import BlockSolver
from kido.world._custom_integrator import CustomIntegrator
from kido.world._frames import picklable
from kido.world._held_constraints import HeldConstraint, checked_held, rebuilt_constraint
from kido.world._impulse_solver import ImpulseSolver
from kido.world._integrator import Integrator
from kido.world._part_places import PartPlace, part_at, place_of
from kido.world._pickled_numbers import PickledNumbers
from kido.world._settings import as_given
from kido.world._sleeping import Sleeping
from kido.world._surface_rules import SurfaceHandler, checked_handler
from kido.world._world_description import NamedParts, WorldDescription

__all__ = ["SavedFilter", "SavedNumbers", "SavedWorld", "saved_world"]

_DETECTORS: dict[str, Callable[..., CollisionDetector]] = {"native": NativeDetector, "coal": CoalDetector}


def _saved_detector(detector: CollisionDetector) -> tuple[str, dict[str, Any]]:
    """A detector by its name and settings. Raises TypeError for one of a user's own."""
    if type(detector) is NativeDetector:
        return "native", {}
    if type(detector) is CoalDetector:
        return "coal", {"most_contacts": detector.most_contacts}
    raise TypeError(
        f"detector: a {type(detector).__name__} cannot be saved: set it to None before, and anew when it is "
        "loaded"
    )


def _flag_or_none(name: str, given: bool | None) -> bool | None:
    return None if given is None else checked_flag(name, given)


@value
class SavedFilter(Value):
    """A collision filter, whose parts are places in the world: index of the skeleton, the body, the shape."""

    self_collisions: bool | None = checked(_flag_or_none)
    adjacent_bodies: bool | None = checked(_flag_or_none)
    ignored: tuple[tuple[PartPlace, PartPlace], ...] = items(tuple)
    masks: tuple[tuple[PartPlace, int, int], ...] = items(tuple)

    @classmethod
    def of(cls, rules: CollisionFilter, skeletons: Sequence[Skeleton]) -> SavedFilter:
        """The rules about some skeletons. Raises TypeError for a filter of a user's own class."""
        if type(rules) is not CollisionFilter:
            raise TypeError(
                f"collision_filter: a {type(rules).__name__} cannot be saved: set it to None before, and "
                "anew when it is loaded"
            )
        pairs = [tuple(place_of(skeletons, end) for end in pair) for pair in rules.ignored]
        masks = [(place_of(skeletons, mask[0]), *mask[1:]) for mask in rules.masks]
        return cls(
            rules.self_collisions,
            rules.adjacent_bodies,
            tuple(pair for pair in pairs if None not in pair),  # type: ignore[misc]
            tuple(mask for mask in masks if mask[0] is not None),  # type: ignore[misc]
        )

    def build(self, skeletons: Sequence[Skeleton]) -> CollisionFilter:
        """The filter about skeletons that stand in the same places."""
        made = CollisionFilter(self_collisions=self.self_collisions, adjacent_bodies=self.adjacent_bodies)
        for one, other in self.ignored:
            made.ignore(part_at(skeletons, one), part_at(skeletons, other))  # type: ignore[arg-type]
        for place, category, collides_with in self.masks:
            made.set_mask(
                part_at(skeletons, place),  # type: ignore[arg-type]
                category=category,
                collides_with=collides_with,
            )
        return made


def _base64(name: str, given: str) -> str:
    coded = checked_text(name, given)
    try:
        b64decode(coded, validate=True)
    except ValueError as error:
        raise ValueError(f"{name}: expected bytes in base 64: {error}") from None
    return coded


def _wrenches(name: str, given: Iterable[ArrayLike | None]) -> tuple[FloatArray | None, ...]:
    arrays = checked_items(name, object, given)
    return tuple(
        None if array is None else frozen_array(name, array, (-1, 6), "N m, N")  # type: ignore[arg-type]
        for array in arrays
    )


@value
class SavedNumbers(Value):
    """Numbers that the solver begins the next step with: memory of compiled code in base 64, for files that
    are trusted."""

    numbers: str = checked(_base64)
    acted: tuple[FloatArray | None, ...] = checked(_wrenches, default=())


def _of_length(name: str, given: Any, count: int) -> tuple[Any, ...]:
    parts = checked_items(name, object, given)
    if len(parts) != count:
        raise ValueError(f"{name}: expected {count} items, got {len(parts)}")
    return parts


def _counts(name: str, given: Iterable[float]) -> tuple[float, int, int]:
    time, steps, recent = _of_length(name, given, 3)
    return float(frozen_array(name, time, (), "s")), checked_whole(name, steps), checked_whole(name, recent)


def _detector(name: str, given: Any) -> tuple[str, dict[str, Any]]:
    kind, settings = _of_length(name, given, 2)
    if kind not in _DETECTORS or not isinstance(settings, dict):
        raise ValueError(f"{name}: expected one of {', '.join(_DETECTORS)} and its settings, got {given!r}")
    return kind, settings


def _handler(name: str, given: Any) -> SurfaceHandler:
    return checked_handler(given)


def _world_class(name: str, kind: Any) -> type[WorldDescription]:
    if not (isinstance(kind, type) and issubclass(kind, WorldDescription)):
        raise TypeError(f"{name}: expected a class of worlds, got {kind!r}")
    return kind


@value
class SavedWorld(SavedModel):
    """All of a world: skeletons, settings, constraints, filter, frames, time, what it has by name, and where
    that was wanted what its solver begins the next step with."""

    kind: type[WorldDescription] = checked(_world_class)
    name: str = text()
    skeletons: Checked[Iterable[SavedSkeleton], tuple[SavedSkeleton, ...]] = items(SavedSkeleton)
    time_step: float = number(unit="s", positive=True)
    gravity: Array = array(3, unit="m/s^2")
    integrator: Integrator | CustomIntegrator = part((Integrator, CustomIntegrator))
    solver: BlockSolver | ImpulseSolver = part((BlockSolver, ImpulseSolver))
    detector: tuple[str, dict[str, Any]] = checked(_detector)
    surface_handler: SurfaceHandler = checked(_handler)
    sleeping: Sleeping | None = part(Sleeping, optional=True)
    counts: tuple[float, int, int] = checked(_counts)
    constraints: Checked[Iterable[HeldConstraint], tuple[HeldConstraint, ...]] = items(HeldConstraint)
    rules: SavedFilter = part(SavedFilter)
    frames: Checked[Iterable[Any], tuple[Any, ...]] = items(tuple)
    states: Checked[Iterable[NamedState], tuple[NamedState, ...]] = items(NamedState, default=())
    sensors: Checked[Iterable[SensorDescription], tuple[SensorDescription, ...]] = items(
        SensorDescription, default=()
    )
    diagnostics: Checked[Iterable[Diagnostic], tuple[Diagnostic, ...]] = items(Diagnostic, default=())
    numbers: SavedNumbers | None = part(SavedNumbers, default=None)

    def build(self) -> Any:
        """The world; what its solver remembers is left out. Raises SavedModelError where its parts do not go
        together."""
        return self._build(False)

    def build_exact(self) -> Any:
        """The world, which goes on as the one that was saved, bit for bit.

        Where the file has what the solver remembers. That is memory of compiled code, in which wrong numbers
        do any harm: it is for files that you trust. Those of another version of kido are refused by the next
        step.
        """
        return self._build(True)

    def build_at(
        self, states: Sequence[FloatArray], counts: tuple[float, int, int], numbers: SavedNumbers | None
    ) -> Any:
        """The world with its skeletons in other states (5, num_dofs), at another time.

        Args:
            states: positions, velocities, accelerations, forces and commands of the skeletons.
            counts: time [s] and number of steps, and how many steps were made since.
            numbers: what the solver begins the next step with, of a world that is built alike; None: nothing.

        Raises SavedModelError where the parts do not go together.
        """
        skeletons = tuple(saved.build() for saved in self.skeletons)
        with self._together(self.name):
            world = self._world(skeletons)
            for skeleton, rows in zip(skeletons, states, strict=True):
                skeleton.clear_external_forces()  # those of the time at which it was saved
                if skeleton.num_dofs:
                    state = SimulationView(skeleton).state
                    (
                        state.positions,
                        state.velocities,
                        state.accelerations,
                        state.forces,
                        state.commands,
                    ) = frozen_array("states", rows, (5, skeleton.num_dofs), finite=False)
        world._simulation.start(*counts)
        if numbers is not None:
            # Followers that are enforced now, but were not, have moved since.
            self._remember(world, numbers, [(rows[0], rows[1]) for rows in states])
            if any(body._is_soft for skeleton in skeletons for body in skeleton.bodies):
                world._simulation.ready()  # the numbers say where the points are
        return world

    @staticmethod
    def _remember(
        world: Any, numbers: SavedNumbers, motions: list[tuple[FloatArray, FloatArray]] | None = None
    ) -> None:
        world._simulation.pickled = PickledNumbers(
            b64decode(numbers.numbers), numbers.acted, world.skeletons, world.collision_filter, motions
        )

    def _build(self, exact: bool) -> Any:
        skeletons = tuple(saved.build() for saved in self.skeletons)
        with self._together(self.name):
            world = self._world(skeletons)
        numbers = self.numbers
        lost = None
        if numbers is not None and not exact:
            lost = "the impulses of contacts and constraints begin anew: the file was not said to be trusted"
        elif numbers is not None:
            self._remember(world, numbers)
        if lost is not None:
            note = Diagnostic(lost, None, None, "ignored", self.name)
            world._named = world._named._replace(diagnostics=(*self.diagnostics, note))
        return world

    def _world(self, skeletons: tuple[Skeleton, ...]) -> Any:
        detector, settings = self.detector
        kind: Any = self.kind
        world = kind(
            skeletons,
            name=self.name,
            time_step=self.time_step,
            gravity=self.gravity,
            integrator=self.integrator,
            solver=self.solver,
            detector=_DETECTORS[detector](**settings),
            surface_handler=self.surface_handler,
            sleeping=self.sleeping,
        )
        world._named = NamedParts(self.states, self.sensors, self.diagnostics)
        world._simulation.start(*self.counts)
        for held in self.constraints:
            world.constraints.add(rebuilt_constraint(checked_held(held), skeletons))
        world.frames.fill(self.frames, skeletons)
        world._simulation.rules = self.rules.build(skeletons)
        return world

    def skeleton(self, robot: str | None = None) -> Any:
        """A skeleton by itself, the only one or that of a name. Raises SavedModelError, UnknownNameError, and
        DescriptionError where there is not exactly one."""
        names = [saved.properties.name for saved in self.skeletons]
        if robot is None and len(names) != 1:
            raise DescriptionError(
                f"expected one robot, got {len(names)}: {brief(names)}", "world", self.name
            )
        for saved in self.skeletons:
            if robot in (None, saved.properties.name):
                return saved.build()
        raise UnknownNameError("robot", str(robot), names, self.name)

    def description(self) -> SceneDescription:
        """Description of it, as far as one holds it. Raises as `build` and `World.to_description`."""
        described: SceneDescription = self.build().to_description()
        return described


def saved_world(world: Any, exact: bool) -> SavedWorld:
    """All of a world, with what its solver remembers where that is wanted."""
    simulation, skeletons = world._simulation, world.skeletons
    settings, numbers = as_given(simulation.settings), None
    if exact:
        acted, memory = simulation.numbers()
        numbers = None if memory is None else SavedNumbers(b64encode(memory).decode(), acted)
    settings["detector"] = _saved_detector(settings["detector"])
    return SavedWorld(
        type(world),
        world.name,
        [skeleton.to_value() for skeleton in skeletons],
        **settings,
        counts=simulation.counts,
        constraints=world._held(),
        rules=SavedFilter.of(world.collision_filter, skeletons),
        frames=picklable(world.frames.places(skeletons)),
        **world._named._asdict(),
        numbers=numbers,
    )
