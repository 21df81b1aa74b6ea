"""The heart of a skeleton: its bodies in order, their numbers, and the compiled tree that answers
questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from kido import _core
from kido.errors import EditError, UnknownNameError
from kido.skeleton._compiled._compile import compile_tree
from kido.skeleton._compiled._extended_tree import ExtendedTree
from kido.skeleton._dof import DegreeOfFreedom
from kido.skeleton._dof_quantities import STATES, ByName, DofProperty, OfDofs, one_number
from kido.skeleton._joints._actuator import ActuatorType
from kido.skeleton._joints._joint import check_bounds
from kido.skeleton._names import checked_index
from kido.skeleton._numbers import ACCELERATION, COMMAND, FORCE, POSITION, VELOCITY, Block
from kido.tree import Tree
from kido.typing import ArrayLike, FloatArray, frozen_array

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode
    from kido.skeleton._joints._joint import Joint

__all__ = ["SkeletonCore"]

_MOTION = 1 << POSITION | 1 << VELOCITY | 1 << ACCELERATION
"""The rows that kinematics depend on, as `State.stamp` counts them."""


class SkeletonCore(OfDofs):
    """Bodies in depth-first order, numbers of all dofs, and what is compiled from them when it is asked
    for."""

    __slots__ = (
        "_block",
        "_bodies",
        "_cache",
        "_dof_index",
        "_dynamics_version",
        "_gravity",
        "_name",
        "_q",
        "_state",
        "_time_step",
        "_tree",
        "_v",
    )

    _name: str
    _bodies: tuple[BodyNode, ...]
    _block: Block
    _gravity: FloatArray
    _time_step: float
    _tree: Tree | None
    _state: _core.State | None
    _q: FloatArray
    _v: FloatArray
    _cache: dict[str, tuple[int, Any]]
    _dynamics_version: int
    _dof_index: dict[str, Joint] | None

    @property
    def name(self) -> str:
        """Name of this skeleton. Can be set."""
        return self._name

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom."""
        return int(self._block.state.shape[1])

    @property
    def gravity(self) -> FloatArray:
        """Gravity (3,) in world axes [m/s^2]; read-only. Can be set."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self._gravity = frozen_array("gravity", gravity, (3,), "m/s^2")
        self._drop_tree()

    @property
    def time_step(self) -> float:
        """Duration [s] of the step for which springs and dampers are implicit. Can be set."""
        return self._time_step

    @time_step.setter
    def time_step(self, time_step: float) -> None:
        step = float(frozen_array("time_step", time_step, (), "s"))
        if step <= 0.0:
            raise ValueError(f"time_step: expected a positive number [s], got {step}")
        self._time_step = step
        self._dynamics_version += 1

    @property
    def tree(self) -> Tree:
        """This skeleton compiled: immutable, for any batch of states. Another one after an edit."""
        if self._tree is None:
            self._ready()
        assert self._tree is not None
        return self._tree

    @property
    def dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """All degrees of freedom, in the order of `positions`."""
        return tuple(dof for body in self._bodies for dof in body._joint.dofs)

    def dof(self, key: str | int) -> DegreeOfFreedom:
        """A degree of freedom by name or index. Raises UnknownNameError, naming the nearest ones, or
        IndexError."""
        if isinstance(key, str):
            index = self._dofs_by_name()
            if key not in index:
                raise UnknownNameError("dof", key, index, self._name)
            return index[key].dof(key)
        return self.dofs[checked_index("dof", key, self.num_dofs)]

    def compute_forward_kinematics(self) -> None:
        """Compute positions, velocities and accelerations of all bodies now, and not when they are asked
        for."""
        self._ready()
        for body in self._bodies:
            if not body._bodies:
                body.linear_acceleration()

    def kinematics_counts(self) -> tuple[int, int, int]:
        """Transforms, velocities and accelerations of moving links computed since the last edit.

        What was asked for before and did not change since is not computed again.
        """
        return self._ready().counts()

    def reset_positions(self) -> None:
        """Set all positions to the initial ones."""
        self.positions = self.initial_positions

    def reset_velocities(self) -> None:
        """Set all velocities to the initial ones."""
        self.velocities = self.initial_velocities

    def integrate_positions(self, dt: float) -> None:
        """Move for a time [s] with the present velocities: q becomes integrate(q, v, dt)."""
        self.positions = self.tree.integrate(self.positions, self.velocities, dt)

    def integrate_velocities(self, dt: float) -> None:
        """Change the velocities as the present accelerations do in a time [s]."""
        self.velocities = self.velocities + self.accelerations * dt

    def position_differences(self, start: ArrayLike, end: ArrayLike) -> FloatArray:
        """The velocity (num_dofs,) that leads from one position to another in 1 s [rad/s, m/s].

        Args:
            start: positions (num_dofs,) [rad, m].
            end: positions (num_dofs,) [rad, m].

        Raises:
            TypeError, ValueError: not numbers of that shape.
        """
        return self.tree.difference(start, end)

    # ---- numbers

    def _get_property(self, prop: DofProperty) -> FloatArray:
        return np.array(self._block.dofs[prop.row])

    def _set_property(self, name: str, prop: DofProperty, values: ArrayLike | ByName) -> None:
        if isinstance(values, Mapping):
            values = self._named(self._get_property(prop), name, values, prop.unit)
        array = prop.check(name, values, self.num_dofs)
        check_bounds(name, prop, array, self._block, slice(None))
        self._block.writable_dofs()[prop.row] = array
        self._dynamics_version += 1
        if prop.bounds is not None:
            self._drop_tree()

    def _get_state(self, row: int) -> FloatArray:
        values: FloatArray = self._block.state[row].copy()
        return values

    def _set_state(self, name: str, row: int, values: ArrayLike | ByName) -> None:
        if type(values) is not np.ndarray and isinstance(values, Mapping):
            values = self._named(self._get_state(row), name, values, STATES[name][1])
        state = self._state or self._ready()
        if row == POSITION:
            state.positions = values
        elif row == VELOCITY:
            state.velocities = values
        elif row == ACCELERATION:
            state.accelerations = values
        elif row == FORCE:
            state.forces = values
            self._command_forces()
        else:
            self._refuse_commands(values)
            state.commands = values

    def _command_forces(self) -> None:
        for body in self._bodies:
            joint = body._joint
            if joint._actuator is ActuatorType.FORCE:
                part = joint._slice()
                self._block.state[COMMAND, part] = self._block.state[FORCE, part]

    def _refuse_commands(self, values: ArrayLike) -> None:
        array = frozen_array("commands", values, (self.num_dofs,), "by actuator")
        for body in self._bodies:
            body._joint._refuse_commands(array[body._joint._slice()])

    def _named(self, values: FloatArray, name: str, by_name: ByName, unit: str) -> FloatArray:
        dofs = self._dofs_by_name()
        for dof, value in by_name.items():
            if dof not in dofs:
                raise UnknownNameError("dof", dof, dofs, self._name)
            values[dofs[dof].dof(dof).index] = one_number(f"{name}[{dof!r}]", value, unit)
        return values

    def _dofs_by_name(self) -> dict[str, Joint]:
        """The joint of each dof, by the dof's name."""
        if self._dof_index is None:
            self._dof_index = {name: body._joint for body in self._bodies for name in body._joint.dof_names}
        return self._dof_index

    # ---- compiling

    def _ready(self) -> _core.State:
        """The state, its tree compiled, its user joints asked.

        Raises EditError where the skeleton is changed meanwhile: by a user joint's function, or by another
        thread.
        """
        state = self._state or self._compiled()
        if state.waits_for_users:
            self._place_user_joints(state)
        return state

    def _compiled(self) -> _core.State:
        """A state that all bodies follow; the cache tells whether the tree was dropped meanwhile."""
        bodies = self._bodies
        cache: dict[str, tuple[int, Any]] = {}
        self._cache = cache
        tree, state = compile_tree(self, self._tree)
        self._tree, self._state = tree, state
        self._q, self._v = _shown(self._block.state[POSITION]), _shown(self._block.state[VELOCITY])
        self._dof_index = None  # made again where a name is asked for
        for index, body in enumerate(bodies):
            body._follow(state, index)
        if self._cache is not cache:
            self._give_up(bodies)
        return state

    def _place_user_joints(self, state: _core.State) -> None:
        tree, bodies, stamp = self._tree, self._bodies, state.stamp(_MOTION)
        assert isinstance(tree, ExtendedTree)
        tree.place_user_joints(state)
        if self._state is not state or state.stamp(_MOTION) != stamp:
            self._give_up(bodies)

    def _give_up(self, bodies: tuple[BodyNode, ...]) -> NoReturn:
        """Drop what was compiled of a skeleton that changed meanwhile."""
        self._drop_tree()
        for body in bodies:
            body._follow(None, -1)
        raise EditError(
            f"{self._name!r} was changed while it was asked, by a function of a user joint or another thread"
        )

    def _drop_tree(self) -> None:
        """Called where structure or constants changed."""
        self._cache = {}
        self._dof_index = None
        if self._tree is None:
            return
        self._tree = None
        self._state = None
        for body in self._bodies:
            body._follow(None, -1)


def _shown(row: FloatArray) -> FloatArray:
    """The numbers of a state where they stand, for reading: what kernels are given without a copy."""
    shown = row.view()
    shown.setflags(write=False)
    return shown
