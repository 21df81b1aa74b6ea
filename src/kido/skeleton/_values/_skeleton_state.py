"""Everything of a skeleton that changes in time, as a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kido.skeleton._dof_arrays import PROPERTIES, STATES
from kido.skeleton._nodes._addon import Extension
from kido.skeleton._placement import placement
from kido.skeleton._values._content import Content
from kido.skeleton._values._known_types import EXTENSION_TYPES
from kido.skeleton._values._saved_value import SavedValue
from kido.skeleton._values._skeleton_configuration import checked_dof_names
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array

__all__ = ["ExtensionState", "SkeletonState", "check_extension"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class ExtensionState(Content):
    """State of an addon or a node.

    Attributes:
        place: what has it, or what it is: "skeleton", "body hand", "joint elbow", "EndEffector tip".
        kind: its class.
        state: an instance of `kind.State`, None where there is none.
        transform: pose (4, 4) of a node that was moved on its body [m]; None: where its properties say.
    """

    place: str
    kind: type[Extension]
    state: Any
    transform: FloatArray | None

    def __init__(
        self, place: str, kind: type[Extension], state: object = None, transform: TransformLike | None = None
    ) -> None:
        check_extension(kind, Extension, "state", state)
        T = (
            None
            if transform is None
            else frozen_array("transform", placement("transform", transform), (4, 4), "m")
        )
        self._assign(place=str(place), kind=kind, state=state, transform=T)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class SkeletonState(SavedValue):
    """Numbers of all dofs, external wrenches of all bodies, and the State of every addon and node.

    Attributes:
        dof_names: of all n dofs, in their order.
        positions: (n,) [rad, m].
        velocities: (n,) [rad/s, m/s].
        accelerations: (n,) [rad/s^2, m/s^2].
        forces: (n,) [N m, N].
        commands: (n,), in the unit that the actuator type says.
        constraint_impulses: (n,) [N m s, N s].
        body_names: of all k bodies, in their order.
        external_wrenches: (k, 6), each about the origin of its body, in its axes [N m, N].
        extensions: the addons and nodes that have a State, or were moved on their body.
    """

    known_types: ClassVar[tuple[type, ...]] = (ExtensionState, *EXTENSION_TYPES)

    dof_names: tuple[str, ...]
    positions: FloatArray
    velocities: FloatArray
    accelerations: FloatArray
    forces: FloatArray
    commands: FloatArray
    constraint_impulses: FloatArray
    body_names: tuple[str, ...]
    external_wrenches: FloatArray
    extensions: tuple[ExtensionState, ...]

    def __init__(
        self,
        dof_names: Iterable[str],
        positions: ArrayLike,
        velocities: ArrayLike,
        accelerations: ArrayLike,
        forces: ArrayLike,
        commands: ArrayLike,
        constraint_impulses: ArrayLike,
        body_names: Iterable[str],
        external_wrenches: ArrayLike,
        extensions: Iterable[ExtensionState] = (),
    ) -> None:
        """Shapes (n,) and (k, 6), units [rad, m, s, N] as above. Raises TypeError or ValueError."""
        names, bodies, parts = checked_dof_names(dof_names), tuple(body_names), tuple(extensions)
        for part in parts:
            if not isinstance(part, ExtensionState):
                raise TypeError(f"extensions: expected ExtensionState, got {part!r}")
        wrenches = (
            np.reshape(external_wrenches, (0, 6)) if np.size(external_wrenches) == 0 else external_wrenches
        )
        given = (positions, velocities, accelerations, forces, commands)
        arrays = {
            name: frozen_array(name, values, (len(names),), unit)
            for (name, (_, unit, _)), values in zip(STATES.items(), given, strict=True)
        }
        unit = PROPERTIES["constraint_impulses"].unit
        self._assign(
            dof_names=names,
            **arrays,
            constraint_impulses=frozen_array("constraint_impulses", constraint_impulses, (len(names),), unit),
            body_names=bodies,
            external_wrenches=frozen_array("external_wrenches", wrenches, (len(bodies), 6), "N m, N"),
            extensions=parts,
        )


def check_extension(kind: type[Extension], base: type, role: str, value: object) -> None:
    """Raises TypeError where `kind` does not derive from `base`, or `value` is no State or Properties of it.

    `role` is "state" or "properties".
    """
    if not (isinstance(kind, type) and issubclass(kind, base)):
        raise TypeError(f"kind: expected a class that derives from {base.__name__}, got {kind!r}")
    expected = kind.State if role == "state" else kind.Properties
    if not (value is None if expected is None else isinstance(value, expected)):
        wanted = "None" if expected is None else f"a {expected.__qualname__}"
        raise TypeError(f"{role} of a {kind.__name__}: expected {wanted}, got {value!r}")
