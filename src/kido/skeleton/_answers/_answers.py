"""The compiled tree of a skeleton, the state that works on its data, and the cache of answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

from kido import _core
from kido._shared_lock import SharedLock
from kido.skeleton._data import POSITION, VELOCITY, SkeletonData
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["EDITS", "Answers", "Compile", "Edits"]

Compile = Callable[[Tree | None], _core.State]
"""Compiles a skeleton: its tree (the given one, where it still holds), and a state that works on its data.
Its answers have both then. Returns the state."""

_MOTION = 1 << POSITION | 1 << VELOCITY
"""The rows that functions of user joints are asked with, as `State.stamp` counts them."""


class Edits:
    """Counts all edits of all skeletons, for those who look whether there was any at all."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


EDITS = Edits()


class Answers:
    """Answers about a skeleton, computed from its data when they are asked for, and cached as long as they
    hold.

    Attributes:
        data: numbers of the skeleton.
        gravity: (3,) in world axes [m/s^2]; read-only.
        time_step: for which springs and dampers are implicit [s].
        dynamics_version: grows where something changes that is neither in the tree nor in the state.
        shape_version: grows where something changes that decides what touches what.
        node_version: grows where other nodes than shapes come, go, move on their body or get another name.
        softs: bodies with point masses, as they were compiled: index and skin.
        soft_bodies: bodies with point masses, and the count of all edits when they were found.
        cache: answers; another dict after every change that drops them.
        edits: beginnings and ends of edits of the structure so far, so odd during one.
        tree, state: None until something is asked for.
        compiling: held while a skeleton is compiled: of threads that ask at once, one compiles it, and the
            others wait for that.
    """

    compiling: ClassVar[SharedLock] = SharedLock()
    __slots__ = (
        "_compile",
        "_q",
        "_refuse_change",
        "_v",
        "cache",
        "data",
        "dynamics_version",
        "edits",
        "gravity",
        "node_version",
        "shape_version",
        "soft_bodies",
        "softs",
        "state",
        "time_step",
        "tree",
    )

    def __init__(
        self,
        data: SkeletonData,
        gravity: FloatArray,
        time_step: float,
        compile: Compile,
        refuse_change: Callable[[bool], NoReturn],
    ) -> None:
        self.data = data
        self.gravity = gravity
        self.time_step = time_step
        self.dynamics_version = 0
        self.shape_version = 0
        self.node_version = 0
        self.softs: tuple[tuple[int, Any], ...] = ()
        self.soft_bodies: tuple[int, tuple[Any, ...]] = -1, ()
        self.cache: dict[str, tuple[int, Any]] = {}
        self.edits = 0
        self.tree: Tree | None = None
        self.state: _core.State | None = None
        self._compile = compile
        self._refuse_change = refuse_change

    def ready(self) -> _core.State:
        """The state of the compiled tree, its user joints asked.

        Raises EditError where the skeleton is changed meanwhile: by a user joint's function, or by another
        thread.
        """
        state = self.state or self.compiled()
        if state.waits_for_users:
            self._place_user_joints(state)
        return state

    def compiled(self) -> _core.State:
        """The state of the compiled tree, for writing: its user joints need not be asked."""
        state = self.state
        if state is None:
            with Answers.compiling:
                state = self.state or self._compile(self.tree)
        return state

    def keep(self, tree: Tree, state: _core.State, numbers: FloatArray) -> None:
        """Answer by a tree, and a state that works on the data's `numbers` (4, num_dofs). Other threads see
        the state last, with all that belongs to it."""
        self._q, self._v = _shown(numbers[POSITION]), _shown(numbers[VELOCITY])
        self.tree, self.state = tree, state

    def _place_user_joints(self, state: _core.State) -> None:
        cache, stamp, tree = self.cache, state.stamp(_MOTION), self.tree
        if tree is None:
            self._refuse_change(False)
        state.ask_users(tree)
        if self.cache is not cache or state.stamp(_MOTION) != stamp:
            self._refuse_change(self.cache is not cache)

    def ready_tree(self) -> Tree:
        """The compiled tree."""
        if self.state is None:
            self.ready()
        tree = self.tree
        if tree is None:
            self._refuse_change(False)
        return tree

    def refuse_if_changed(self, state: _core.State) -> None:
        """Raises EditError where the state is another one, or out of date, because structure or constants
        changed."""
        if self.state is not state or self.edits & 1:
            self._refuse_change(False)

    def refuse_if_edited(self, edits: int) -> None:
        """Raises EditError where the structure changed since, or was changing when, `edits` were counted."""
        if self.edits != edits or edits & 1:
            self._refuse_change(False)

    def dynamics_changed(self) -> None:
        """Something changed that is neither in the tree nor in the state."""
        self.dynamics_version += 1
        EDITS.count += 1

    def shapes_changed(self) -> None:
        """Something changed that decides what touches what."""
        self.shape_version += 1
        EDITS.count += 1

    def nodes_changed(self) -> None:
        """Nodes came, went or changed that nothing but what looks at them depends on."""
        self.node_version += 1

    def drop(self) -> None:
        """Forget what was compiled and computed, where structure or constants changed."""
        EDITS.count += 1
        self.tree = None
        self.state = None
        self.cache = {}

    @property
    def q(self) -> FloatArray:
        """Positions (num_dofs,) [rad, m] where they stand, for reading."""
        if self.state is None or self.state.waits_for_users:
            self.ready()
        return self._q

    @property
    def v(self) -> FloatArray:
        """Velocities (num_dofs,) [rad/s, m/s] where they stand, for reading."""
        if self.state is None or self.state.waits_for_users:
            self.ready()
        return self._v

    def constant(self, row: int) -> FloatArray:
        """One constant of all dofs (num_dofs,), for reading."""
        return _shown(self.data.dofs[row])


def _shown(row: FloatArray) -> FloatArray:
    shown = row.view()
    shown.setflags(write=False)
    return shown
