"""Many copies of a world, each under commands of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.errors import EditError
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_whole
from kido.world._world import World

__all__ = ["Rollouts", "rollout"]


class Rollouts(NamedTuple):
    """What became of copies of a world.

    Attributes:
        positions, velocities: after each step (n, steps, dofs) [rad, m; rad/s, m/s]; NaN after a copy
            diverged.
        steps_done: of each copy (n,), until its numbers were no longer finite.
    """

    positions: FloatArray
    velocities: FloatArray
    steps_done: NDArray[np.int64]


def rollout(
    world: World,
    commands: ArrayLike,
    states: tuple[ArrayLike, ArrayLike] | None = None,
    *,
    threads: int | None = None,
) -> Rollouts:
    """Step copies of a world by themselves, without changing it; other Python threads run meanwhile.

    The dofs are those of all skeletons that move, one skeleton after the other. The answers do not depend on
    the number of threads.

    Args:
        world: which stays as it is.
        commands: (n, steps, dofs) [N m, N], or as each dof's actuator takes them.
        states: positions and velocities at the start, (n, dofs) [rad, m; rad/s, m/s] each; None: the world's.
        threads: how many work; None: `kido.num_threads()`.

    Returns:
        Positions and velocities after each step.

    Raises:
        TypeError, ValueError: naming the argument.
        EditError: a joint of the world is described by Python functions.
        KeyboardInterrupt: Ctrl-C.
    """
    if not isinstance(world, World):
        raise TypeError(f"world: expected a World, got {type(world).__name__}")
    count = _core.num_threads() if threads is None else checked_whole("threads", threads)
    if count < 1:
        raise ValueError(f"threads: expected 1 or above, got {count}")
    compiled = world._ready()
    if compiled.asks_users:
        raise EditError("world: its user joints are Python functions, which rollouts cannot ask")
    dofs = compiled.num_dofs
    given = frozen_array("commands", commands, (-1, -1, dofs), "N m, N or as actuators take them")
    start = None
    if states is not None:
        rows = [
            frozen_array(name, row, (given.shape[0], dofs), unit).ravel()
            for name, row, unit in zip(
                ("states[0]", "states[1]"), states, ("rad, m", "rad/s, m/s"), strict=True
            )
        ]
        start = np.ascontiguousarray(np.stack(rows))
    workers = min(count, max(given.shape[0], 1))
    return Rollouts(*compiled.native.rollout(np.ascontiguousarray(given), start, workers))
