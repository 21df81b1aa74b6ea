"""Configuration, state and properties of a skeleton as values: to get, set, compare, pickle and save."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any, TypeVar

from kido.description import JointState, NamedState, RobotDescription
from kido.skeleton._answers._quantity import undisturbed
from kido.skeleton._dof_arrays import STATES
from kido.skeleton._values._configuration_access import write_configuration
from kido.skeleton._values._described import Masks, describe
from kido.skeleton._values._named_state import joint_states, named_motion, write_motion
from kido.skeleton._values._own_content import own_attributes, read_own_content
from kido.skeleton._values._parts import SkeletonParts
from kido.skeleton._values._properties_access import read_properties, write_properties
from kido.skeleton._values._rebuilding import build_from
from kido.skeleton._values._saved_skeleton import SavedSkeleton, rebuilt, saved_skeleton
from kido.skeleton._values._skeleton_configuration import SkeletonConfiguration
from kido.skeleton._values._skeleton_properties import SkeletonProperties
from kido.skeleton._values._skeleton_state import SkeletonState
from kido.skeleton._values._state_access import read_state, write_state
from kido.values import checked_flag, checked_items, checked_part

__all__ = ["SkeletonValues"]

S = TypeVar("S", bound="SkeletonValues")


class SkeletonValues(SkeletonParts):
    """Configuration, State and Properties of a skeleton; the last two together are the whole skeleton."""

    __slots__ = ()

    @undisturbed
    def configuration(
        self,
        dofs: Iterable[str | int] | None = None,
        *,
        positions: bool = True,
        velocities: bool = True,
        accelerations: bool = True,
        forces: bool = True,
        commands: bool = True,
    ) -> SkeletonConfiguration:
        """Numbers of some dofs, or of all, as a value.

        Args:
            dofs: names or indices; None: all.
            positions: whether they are part of it.
            velocities: whether they are part of it.
            accelerations: whether they are part of it.
            forces: whether they are part of it.
            commands: whether they are part of it.

        Raises:
            UnknownNameError, IndexError: naming the dof.
            TypeError, ValueError: `dofs` is a single string, or has a dof twice.
        """
        if isinstance(dofs, str):
            raise TypeError(f"dofs: expected names or indices, got {dofs!r}")
        keys: tuple[Any, ...] = () if dofs is None else checked_items("dofs", object, dofs)
        chosen = self.dofs if dofs is None else tuple(map(self.dof, keys))
        rows = self._answers.data.state[:, [dof.index for dof in chosen]]
        wanted = (positions, velocities, accelerations, forces, commands)
        numbers = {name: rows[i] for i, (name, want) in enumerate(zip(STATES, wanted, strict=True)) if want}
        return SkeletonConfiguration([dof.name for dof in chosen], **numbers)

    @undisturbed
    def set_configuration(self, configuration: SkeletonConfiguration) -> None:
        """Give the dofs that a configuration names the numbers that it has. What it does not name stays.

        Forces without commands become the commands of joints with a force actuator, as where `forces` is set.

        Raises:
            UnknownNameError: a dof that this skeleton does not have.
            TypeError: not a configuration.
            ValueError: commands of a joint that takes none.
        """
        if not isinstance(configuration, SkeletonConfiguration):
            raise TypeError(
                f"configuration: expected a SkeletonConfiguration, got {type(configuration).__name__}"
            )
        write_configuration(self, configuration)

    @property
    @undisturbed
    def state(self) -> SkeletonState:
        """All that changes in time: numbers of dofs, external wrenches, State of addons and nodes; a value.

        Set: raises TypeError, or ValueError for a state of other dofs, bodies, addons or nodes.
        """
        return read_state(self)

    @state.setter
    @undisturbed
    def state(self, state: SkeletonState) -> None:
        write_state(self, state)

    @property
    @undisturbed
    def properties(self) -> SkeletonProperties:
        """All that does not change in time: bodies, joints, nodes, addons, and all about them; a value.

        Set: bodies, joints, nodes and addons have to be the same by name and class; raises ValueError, saying
        what differs, TypeError, or NameTakenError for two dofs of one name. The state stays, but for commands
        of joints that take none any more, and nodes whose place on the body changes.
        """
        return read_properties(self)

    @properties.setter
    @undisturbed
    def properties(self, properties: SkeletonProperties) -> None:
        write_properties(self, properties)

    @classmethod
    def from_properties(
        cls: type[S], properties: SkeletonProperties, state: SkeletonState | None = None
    ) -> S:
        """Build a skeleton of its properties.

        Joints, nodes and addons of your own classes are made without calling their `__init__`: what they keep
        besides `Properties` and `State` is not there.

        Args:
            properties: of the skeleton.
            state: what it is in; None: initial positions and velocities, and zeros.

        Raises:
            TypeError, ValueError: naming the argument.
            NameTakenError: two dofs have one name.
        """
        if not isinstance(properties, SkeletonProperties):
            raise TypeError(f"properties: expected SkeletonProperties, got {type(properties).__name__}")
        skeleton = cls(properties.name, gravity=properties.gravity, time_step=properties.time_step)
        _fill(skeleton, properties, state)
        return skeleton

    @undisturbed
    def to_description(self, masks: Masks | None = None) -> RobotDescription:
        """This skeleton as it is now, as readers of model files describe robots.

        Structure, masses, limits, springs, shapes, and frames by name; positions are no part of it. What no
        description holds, as addons, ends its `diagnostics`.

        Args:
            masks: category and what it collides with of shapes, by the `id` of the node; None: of a
                skeleton by itself, which has none.

        Raises DescriptionError naming a joint of a class of your own.
        """
        return describe(self, self._diagnostics, {} if masks is None else masks)

    @undisturbed
    def set_named_state(self, state: NamedState, owner: str | None = None, *, initial: bool = False) -> None:
        """Bring all joints into a state of a model file.

        Joints that it does not name are at rest at zero, or as near to it as their limits allow.

        Args:
            state: of a scene.
            owner: what the state calls this skeleton; None: by its name.
            initial: whether the initial positions and velocities become those of the state, too.

        Raises:
            TypeError: no state.
            UnknownNameError, DescriptionError: naming a joint that is not there, or has other dofs.
            ValueError: commands of a joint that takes none.
        """
        checked_part("state", NamedState, state)
        checked_flag("initial", initial)
        write_motion(self, named_motion(self, state, self.name if owner is None else owner), initial)

    @undisturbed
    def joint_states(self) -> list[JointState]:
        """The joints that move, get commands, or are elsewhere than `set_named_state` has them without a
        word: parts of a NamedState."""
        return joint_states(self, self.name)

    @undisturbed
    def to_value(self) -> SavedSkeleton:
        """All of this skeleton as a value, as `kido.save` writes it: nothing of it changes with the skeleton,
        and its `build` makes another one."""
        return saved_skeleton(self, self.properties, self.state)

    def __copy__(self) -> Any:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        twin = self.clone()
        for name, value in own_attributes(self).items():
            setattr(twin, name, deepcopy(value, memo))
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        own_content = read_own_content(self)
        parts = (type(self), self.properties, self.state, self._diagnostics, own_content)
        return rebuilt, (*parts, own_attributes(self))


def _fill(skeleton: SkeletonValues, properties: SkeletonProperties, state: SkeletonState | None) -> None:
    build_from(skeleton, properties)
    if state is not None:
        write_state(skeleton, state)
