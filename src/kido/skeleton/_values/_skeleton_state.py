"""Everything of a skeleton that changes in time, as a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from kido.skeleton._dof_arrays import PROPERTIES, STATES
from kido.skeleton._nodes._addon import Extension
from kido.skeleton._placement import frozen_placement
from kido.skeleton._values._skeleton_configuration import checked_dof_names
from kido.typing import FloatArray, TransformLike, frozen_array
from kido.values import Array, Checked, Value, checked, frozen_content, items, text, value

__all__ = ["ExtensionState", "SkeletonState", "check_extension"]


def _optional_pose(name: str, value: TransformLike | None) -> FloatArray | None:
    return None if value is None else frozen_array(name, frozen_placement(name, value), (4, 4), "m")


@value
class ExtensionState(Value):
    """State of an addon or a node.

    Attributes:
        place: what has it, or what it is: "skeleton", "body hand", "joint elbow", "EndEffector tip".
        kind: its class.
        state: an instance of `kind.State`, None where there is none.
        transform: pose (4, 4) of a node that was moved on its body [m]; None: where its properties say.
    """

    place: str = text()
    kind: type[Extension]
    state: Any = None
    transform: Checked[TransformLike | None, FloatArray | None] = checked(_optional_pose, default=None)

    def _check(self) -> None:
        check_extension(self.kind, Extension, "state", self.state)
        self._assign(state=frozen_content(self.state))


@value
class SkeletonState(Value):
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

    Raises TypeError or ValueError naming the argument.
    """

    dof_names: Checked[Iterable[str], tuple[str, ...]] = checked(checked_dof_names)
    positions: Array
    velocities: Array
    accelerations: Array
    forces: Array
    commands: Array
    constraint_impulses: Array
    body_names: Checked[Iterable[str], tuple[str, ...]] = items(str)
    external_wrenches: Array
    extensions: Checked[Iterable[ExtensionState], tuple[ExtensionState, ...]] = items(
        ExtensionState, default=()
    )

    def _check(self) -> None:
        units = {name: unit for name, (_, unit, _) in STATES.items()}
        units["constraint_impulses"] = PROPERTIES["constraint_impulses"].unit
        shape, wrenches = (len(self.dof_names),), self.external_wrenches
        if np.size(wrenches) == 0:
            wrenches = np.reshape(wrenches, (0, 6))
        self._assign(
            **{name: frozen_array(name, getattr(self, name), shape, unit) for name, unit in units.items()},
            external_wrenches=frozen_array(
                "external_wrenches", wrenches, (len(self.body_names), 6), "N m, N"
            ),
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
