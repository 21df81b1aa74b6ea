"""A scene: robots and free objects at their places, and all that holds between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from pathlib import Path
from typing import Protocol, TypeVar

from kido.description._actuator_description import ActuatorDescription
from kido.description._constraint import (
    ClosureDescription,
    ConstraintDescription,
    CouplingDescription,
)
from kido.description._contact_rule import ContactExclusion, ContactPair
from kido.description._named_state import NamedState
from kido.description._named_values import NamedValues, Options, name_of, named_values
from kido.description._placement import ObjectPlacement, RobotPlacement
from kido.description._reference import SceneParts
from kido.description._robot import Diagnostic, RobotDescription
from kido.description._scene_check import ScenePart, check_references, check_unique
from kido.description._sensor import SensorDescription
from kido.errors import DescriptionError, UnknownNameError
from kido.shape import SurfaceRules
from kido.typing import PathLike
from kido.values import Array, Checked, Value, array, checked, file_path, items, number, part, text, value

__all__ = ["DEFAULT_TIME_STEP", "EARTH_GRAVITY", "SceneDescription"]

EARTH_GRAVITY = (0.0, 0.0, -9.81)
"""Gravity of a scene that says nothing else, in world axes [m/s^2]."""

DEFAULT_TIME_STEP = 1e-3
"""Duration of a step of skeletons and worlds whose file says nothing else [s]."""

_LISTED = 6


class _Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=_Named)


@value
class SceneDescription(Value):
    """A scene as its model file gives it.

    Attributes:
        name: of the scene.
        robots, objects: at their places; names are unique among both.
        gravity: (3,) in world axes [m/s^2].
        time_step: duration of a step [s]; None: not told, `DEFAULT_TIME_STEP`.
        options: of integrator and solver, by the names that the model gives them.
        constraints: closures and couplings beside the joints of the robots; names are unique.
        surface_rules: how the surfaces of two shapes that touch are combined.
        exclusions, contact_pairs: links that never touch, shapes with contact parameters of their own.
        sensors, actuators: names are unique among each.
        states: keyframes; names are unique.
        initial_state: name of the state in which the scene begins; None: where the models are.
        diagnostics: doubts about the scene itself; those about a robot are the robot's.
        source: the file.

    Raises ValueError or DescriptionError, naming the element at fault: where names repeat, a reference names
    what is not there, or numbers are not finite or not as many as a joint has dofs.
    """

    name: str = checked(name_of("scene"))
    robots: Checked[Iterable[RobotPlacement], tuple[RobotPlacement, ...]] = items(RobotPlacement, default=())
    objects: Checked[Iterable[ObjectPlacement], tuple[ObjectPlacement, ...]] = items(
        ObjectPlacement, default=()
    )
    gravity: Array = array(3, unit="m/s^2", default=EARTH_GRAVITY, kw_only=True)
    time_step: float | None = number(unit="s", positive=True, default=None, kw_only=True)
    options: Checked[Options, NamedValues] = checked(named_values, default=(), kw_only=True)
    constraints: Checked[Iterable[ConstraintDescription], tuple[ConstraintDescription, ...]] = items(
        (ClosureDescription, CouplingDescription), default=(), kw_only=True
    )
    surface_rules: SurfaceRules = part(SurfaceRules, default=SurfaceRules(), kw_only=True)
    exclusions: Checked[Iterable[ContactExclusion], tuple[ContactExclusion, ...]] = items(
        ContactExclusion, default=(), kw_only=True
    )
    contact_pairs: Checked[Iterable[ContactPair], tuple[ContactPair, ...]] = items(
        ContactPair, default=(), kw_only=True
    )
    sensors: Checked[Iterable[SensorDescription], tuple[SensorDescription, ...]] = items(
        SensorDescription, default=(), kw_only=True
    )
    actuators: Checked[Iterable[ActuatorDescription], tuple[ActuatorDescription, ...]] = items(
        ActuatorDescription, default=(), kw_only=True
    )
    states: Checked[Iterable[NamedState], tuple[NamedState, ...]] = items(
        NamedState, default=(), kw_only=True
    )
    initial_state: str | None = text(empty=True, default=None, kw_only=True)
    diagnostics: Checked[Iterable[Diagnostic], tuple[Diagnostic, ...]] = items(
        Diagnostic, default=(), kw_only=True
    )
    source: Checked[PathLike | None, Path | None] = file_path(default=None, kw_only=True)
    _owners: dict[str, RobotPlacement | ObjectPlacement] = field(init=False, repr=False, compare=False)

    def _check(self) -> None:
        placed: tuple[RobotPlacement | ObjectPlacement, ...] = (*self.robots, *self.objects)
        self._assign(_owners={placement.name: placement for placement in placed})
        self._check_parts(placed)

    def _check_parts(self, placed: Sequence[RobotPlacement | ObjectPlacement]) -> None:
        check_unique("robot or object", [placement.name for placement in placed])
        parts = SceneParts(placed)
        named: dict[str, Sequence[ScenePart]] = {
            "constraint": self.constraints,
            "contact pair": self.contact_pairs,
            "sensor": self.sensors,
            "actuator": self.actuators,
            "state": self.states,
        }
        for kind, elements in named.items():
            check_unique(kind, [element.name for element in elements])
            check_references(kind, elements, parts)
        check_references("contact exclusion", self.exclusions, parts)
        known = [state.name for state in self.states]
        if self.initial_state is not None and self.initial_state not in known:
            unknown = UnknownNameError("state", self.initial_state, known)
            raise DescriptionError(f"initial_state: {unknown}", "scene", self.name)

    @property
    def all_diagnostics(self) -> tuple[Diagnostic, ...]:
        """Those of the scene and of its robots."""
        return (*self.diagnostics, *(note for placed in self.robots for note in placed.robot.diagnostics))

    @classmethod
    def of_robot(cls, robot: RobotDescription) -> SceneDescription:
        """The scene that has nothing but a robot."""
        return cls(robot.name or "scene", [RobotPlacement(robot, robot.name or "robot")], source=robot.source)

    def robot(self, name: str) -> RobotPlacement:
        """The robot of this name; raises UnknownNameError."""
        return _find("robot", self.robots, name, self.name)

    def object(self, name: str) -> ObjectPlacement:
        """The free object of this name; raises UnknownNameError."""
        return _find("object", self.objects, name, self.name)

    def constraint(self, name: str) -> ConstraintDescription:
        """The constraint of this name; raises UnknownNameError."""
        return _find("constraint", self.constraints, name, self.name)

    def sensor(self, name: str) -> SensorDescription:
        """The sensor of this name; raises UnknownNameError."""
        return _find("sensor", self.sensors, name, self.name)

    def actuator(self, name: str) -> ActuatorDescription:
        """The actuator of this name; raises UnknownNameError."""
        return _find("actuator", self.actuators, name, self.name)

    def state(self, name: str) -> NamedState:
        """The state of this name; raises UnknownNameError."""
        return _find("state", self.states, name, self.name)

    def single_robot(self, name: str | None = None) -> RobotDescription:
        """A robot by itself, at its place in the scene; an object counts where it is named, or all there is.

        `name` None: the only robot. Raises UnknownNameError, and DescriptionError where there is not exactly
        one, saying which there are and how to choose.
        """
        if name is not None:
            if name not in self._owners:
                raise UnknownNameError("robot", name, self._owners, self.name)
            return self._owners[name].placed()
        if len(self.robots) != 1 and len(self._owners) != 1:
            raise DescriptionError(f"expected one robot, got {self._choice()}", "scene", self.name)
        return self.robots[0].placed() if self.robots else self.objects[0].placed()

    def _choice(self) -> str:
        if not self._owners:
            return "none"
        robots = [repr(robot.name) for robot in self.robots]
        names = robots or [repr(placed.name) for placed in self.objects]
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        listed = ", ".join(names[:_LISTED]) + more
        found = f"{len(robots)}: {listed}" if robots else f"none, but the objects {listed}"
        return f"{found}; robot={names[0]} chooses that one"


def _find(kind: str, parts: Sequence[N], name: str, scene: str) -> N:
    for one in parts:
        if one.name == name:
            return one
    raise UnknownNameError(kind, name, [one.name for one in parts], scene)
