"""Worlds and the scenes that they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from kido.collision import CollisionFilter
from kido.description import DEFAULT_TIME_STEP, Diagnostic, NamedState, SceneDescription, SensorDescription
from kido.errors import UnknownNameError
from kido.skeleton import SavedModel, Skeleton
from kido.typing import FloatArray
from kido.values import checked_flag, checked_items, checked_part
from kido.world._constraints import Constraints
from kido.world._frames import WorldFrames
from kido.world._scene_building import fill_world
from kido.world._scene_describing import describe_world
from kido.world._simulation import Simulation

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["NamedParts", "WorldDescription"]


class NamedParts(NamedTuple):
    """Parts of its scene that a world keeps by name, and doubts about them."""

    states: tuple[NamedState, ...] = ()
    sensors: tuple[SensorDescription, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


class WorldDescription:
    """Base of World: made of a scene, and described as one."""

    __slots__ = ("_named",)

    _named: NamedParts
    _simulation: Simulation[Any]
    integrator: Any
    surface_handler: Any

    def __init__(
        self, skeletons: Iterable[Skeleton] = (), *, time_step: float, gravity: FloatArray, name: str
    ) -> None:
        raise NotImplementedError

    if TYPE_CHECKING:

        @property
        def name(self) -> str: ...
        @property
        def time(self) -> float: ...
        @property
        def gravity(self) -> FloatArray: ...
        @property
        def time_step(self) -> float: ...
        @property
        def skeletons(self) -> tuple[Skeleton, ...]: ...
        @property
        def frames(self) -> WorldFrames: ...
        @property
        def constraints(self) -> Constraints: ...
        @property
        def collision_filter(self) -> CollisionFilter: ...
        def skeleton(self, name: str) -> Skeleton: ...
        def _add_all(self, skeletons: Iterable[Skeleton]) -> None: ...

    @classmethod
    def from_description(cls, scene: SceneDescription, *, mimic: bool = True) -> Self:
        """Build what a reader made of a file, or what was described in code.

        Skeletons stand where the scene has them, in its initial state; constraints, which links never touch,
        categories of shapes and surfaces of contacts are those of the scene; its states and sensors are kept
        by name. What a world does not honour, as options of other simulators, is in its `diagnostics`.

        Args:
            scene: robots, objects, and what holds between them.
            mimic: whether mimic joints follow their leaders: `mimic_enforced` of the skeletons.

        Raises:
            EditError: joints cannot follow each other as their mimics say.
            TypeError, ValueError: naming the argument.
        """
        checked_part("scene", SceneDescription, scene)
        step = DEFAULT_TIME_STEP if scene.time_step is None else scene.time_step
        world = cls(time_step=step, gravity=scene.gravity, name=scene.name)
        lost = fill_world(world, scene, checked_flag("mimic", mimic))
        world._named = NamedParts(scene.states, scene.sensors, (*scene.diagnostics, *lost))
        if scene.initial_state is not None:
            world._simulation.start(scene.state(scene.initial_state).time, 0)
        return world

    def to_description(self) -> SceneDescription:
        """This world as it is now, as readers of model files describe scenes.

        It begins in a state named "current", which is how the world stands; initial positions are those. What
        no scene holds, as settings of solvers, ends its `diagnostics`.

        Raises DescriptionError naming a joint of a class of your own.
        """
        named = self._named
        return describe_world(self, self._simulation.settings, named.states, named.sensors, named.diagnostics)

    def to_value(self, *, exact: bool = False) -> SavedModel:
        """All of this world as a value, as `kido.save` writes it; its `build` makes another one.

        Args:
            exact: whether what the solver begins the next step with is part of it, so that `build_exact`
                makes a world that goes on as this one, bit for bit.

        Raises TypeError naming what cannot be saved, as a detector or filter of your own, and EditError
        inside a step, or for a frame on what is no part of the world.
        """
        self._simulation.require_whole("to_value")
        return self._saved(checked_flag("exact", exact))

    def _saved(self, exact: bool) -> SavedModel:
        raise NotImplementedError

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Doubts about the scene that this world was made of, and what of it is not honoured; what
        concerns one robot is in the `diagnostics` of its skeleton."""
        return self._named.diagnostics

    @property
    def states(self) -> Mapping[str, NamedState]:
        """States by name, as keyframes of a file; see `set_state`. Set: to several states."""
        return MappingProxyType({state.name: state for state in self._named.states})

    @states.setter
    def states(self, states: Iterable[NamedState]) -> None:
        self._named = self._named._replace(states=checked_items("states", NamedState, states))

    @property
    def sensors(self) -> Mapping[str, SensorDescription]:
        """Sensors that the file names, which are kept for those who simulate them. Set: to several."""
        return MappingProxyType({sensor.name: sensor for sensor in self._named.sensors})

    @sensors.setter
    def sensors(self, sensors: Iterable[SensorDescription]) -> None:
        self._named = self._named._replace(sensors=checked_items("sensors", SensorDescription, sensors))

    def set_state(self, state: NamedState | str) -> None:
        """Bring all skeletons, and the time, into one of `states`, or into another one.

        Joints that the state does not name are at rest at zero, or as near to it as their limits allow.

        Raises:
            TypeError: neither a state nor a name.
            UnknownNameError: no state of that name, or it names a skeleton or joint that is not there.
            DescriptionError, ValueError: it does not fit a joint; nothing has changed then.
            EditError: inside a step.
        """
        self._simulation.require_idle("set_state")
        found = self._find_state(state) if isinstance(state, str) else state
        checked_part("state", NamedState, found, or_none=" or a name")
        for joint in found.joints:
            self.skeleton(joint.owner)
        self._simulation.leave()
        before = [skeleton.state for skeleton in self.skeletons]
        try:
            for skeleton in self.skeletons:
                skeleton.set_named_state(found)
        except BaseException:
            for skeleton, old in zip(self.skeletons, before, strict=True):
                skeleton.state = old
            raise
        self._simulation.jump(found.time, 0)

    def _find_state(self, name: str) -> NamedState:
        if name not in self.states:
            raise UnknownNameError("state", name, self.states, self.name)
        return self.states[name]
