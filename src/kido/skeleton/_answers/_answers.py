"""The compiled tree of a skeleton, the state that works on its data, and the cache of answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kido import _core
from kido.skeleton._data import POSITION, VELOCITY, SkeletonData
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["Answers", "Compile"]

Compile = Callable[[Tree | None], tuple[Tree, _core.State]]
"""Compiles a skeleton: its tree (the given one, where it still holds), and a state that works on its data."""


class Answers:
    """Answers about a skeleton, computed from its data when they are asked for, and cached as long as they
    hold.

    Attributes:
        data: numbers of the skeleton.
        gravity: (3,) in world axes [m/s^2]; read-only.
        time_step: for which springs and dampers are implicit [s].
        dynamics_version: grows where something changes that is neither in the tree nor in the state.
        tree, state: None until something is asked for.
    """

    __slots__ = (
        "_compile",
        "_q",
        "_v",
        "cache",
        "data",
        "dynamics_version",
        "gravity",
        "state",
        "time_step",
        "tree",
    )

    def __init__(self, data: SkeletonData, gravity: FloatArray, time_step: float, compile: Compile) -> None:
        self.data = data
        self.gravity = gravity
        self.time_step = time_step
        self.dynamics_version = 0
        self.cache: dict[str, tuple[int, Any]] = {}
        self.tree: Tree | None = None
        self.state: _core.State | None = None
        self._compile = compile

    def ready(self) -> _core.State:
        """The state of the compiled tree, its user joints asked."""
        state = self.state
        if state is None:
            self.tree, state = self._compile(self.tree)
            self.state = state
            self._q, self._v = _shown(self.data.state[POSITION]), _shown(self.data.state[VELOCITY])
        if state.waits_for_users:
            assert self.tree is not None
            state.ask_users(self.tree)
        return state

    def ready_tree(self) -> Tree:
        """The compiled tree."""
        if self.state is None:
            self.ready()
        assert self.tree is not None
        return self.tree

    def drop(self) -> None:
        """Forget what was compiled and computed, where structure or constants changed."""
        self.tree = None
        self.state = None
        self.cache = {}

    @property
    def q(self) -> FloatArray:
        """Positions (num_dofs,) [rad, m] where they stand, for reading."""
        self.ready()
        return self._q

    @property
    def v(self) -> FloatArray:
        """Velocities (num_dofs,) [rad/s, m/s] where they stand, for reading."""
        self.ready()
        return self._v

    def constant(self, row: int) -> FloatArray:
        """One constant of all dofs (num_dofs,), for reading."""
        return _shown(self.data.dofs[row])


def _shown(row: FloatArray) -> FloatArray:
    shown = row.view()
    shown.setflags(write=False)
    return shown
