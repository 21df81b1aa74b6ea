"""Many copies of a world, each under commands of its own."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.errors import EditError
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_whole
from kido.world._compiled import CompiledWorld
from kido.world._rollout_sensors import ContactGroups, RolloutSensor, StateBatch
from kido.world._sensor_pickle import packed_sensors, unpacked_sensors
from kido.world._world import World

__all__ = ["Rollouts", "rollout"]

_SHARES = 16
"""Parts that an executor gets at most."""


@dataclass(frozen=True, eq=False)
class Rollouts:
    """States of copies of a world, after every k-th step.

    Attributes:
        times: of the states that are kept, since the beginning (kept,) [s].
        positions, velocities, accelerations: (n, kept, dofs) [rad, m; rad/s, m/s; rad/s^2, m/s^2]; NaN
            after a copy diverged.
        sensors: arrays (n, kept, ...) by the names that were given to the sensors.
        steps_done: of each copy (n,), until its numbers were no longer finite.
    """

    times: FloatArray
    positions: FloatArray
    velocities: FloatArray
    accelerations: FloatArray
    sensors: Mapping[str, NDArray[Any]]
    steps_done: NDArray[np.int64]


@dataclass(frozen=True)
class _Task:
    """A rollout whose arguments have been checked; `start` (2, n, dofs) or None."""

    commands: FloatArray
    start: FloatArray | None
    threads: int
    hold: int
    every: int


def rollout(
    world: World,
    commands: ArrayLike,
    states: tuple[ArrayLike, ArrayLike] | None = None,
    *,
    hold: int = 1,
    every: int = 1,
    sensors: Mapping[str, RolloutSensor] | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
) -> Rollouts:
    """Step copies of a world by themselves, without changing it; other Python threads run meanwhile.

    The dofs are those of all skeletons that move, one skeleton after the other. The answers do not depend on
    the number of threads. External forces that wait for the world's next step act in the first one.

    Args:
        world: which stays as it is.
        commands: (n, count, dofs) [N m, N], or as each dof's actuator takes them.
        states: positions and velocities at the start, (n, dofs) [rad, m; rad/s, m/s] each; None: the world's.
        hold: steps for which each command holds; there are count * hold steps.
        every: which states are kept: those after every so many steps.
        sensors: what is computed of the kept states, by names.
        threads: how many work; None: `kido.num_threads()`, and one in each task of an executor.
        executor: any of `concurrent.futures`, which gets the world as a pickle and shares of the samples;
            None: this process works.

    Returns:
        The states that are kept, and what the sensors say of them.

    Raises:
        TypeError, ValueError: naming the argument.
        EditError: joints or constraints of the world are described by Python functions; its detector is not
            the native one; its integrator or solver is Python's, or its signals have listeners.
        KeyboardInterrupt: Ctrl-C.
    """
    if not isinstance(world, World):
        raise TypeError(f"world: expected a World, got {type(world).__name__}")
    if executor is not None and not isinstance(executor, Executor):
        raise TypeError(f"executor: expected a concurrent.futures.Executor, got {type(executor).__name__}")
    default = _core.num_threads() if executor is None else 1
    count = default if threads is None else _checked_count("threads", threads)
    read = _checked_sensors(world, sensors or {})
    compiled = _compiled(world)
    given = frozen_array(
        "commands", commands, (-1, -1, compiled.num_dofs), "N m, N or as actuators take them"
    )
    start = None if states is None else _start(states, (given.shape[0], compiled.num_dofs))
    task = _Task(given, start, count, _checked_count("hold", hold), _checked_count("every", every))
    if executor is None:
        return _roll_out(world, task, read)
    return _joined(executor, world, task, read)


def _compiled(world: World) -> CompiledWorld:
    compiled = world._simulation.ready()
    if asked := compiled.constraints.asked:
        raise EditError(f"world: {asked[0].constraint!r} is a Python class, which rollouts cannot ask")
    if led := compiled.led:
        raise EditError(
            f"world: points of {led[0].body.name!r} are pinned to a frame, which rollouts cannot follow; "
            "roll out a clone of it, in which they are pinned to the world"
        )
    if compiled.asks_users:
        raise EditError("world: its user joints are Python functions, which rollouts cannot ask")
    if world._simulation.has_python_parts:
        raise EditError(
            "world: its integrator, solver or listeners are Python's, which rollouts cannot call; roll out a "
            "clone of it, with an Integrator and a BlockSolver"
        )
    if compiled.colliders.external is not None:
        raise EditError(f"world: its contacts are found by {world.detector.name}, which rollouts cannot ask")
    return compiled


def _checked_count(name: str, count: int) -> int:
    checked = checked_whole(name, count)
    if checked < 1:
        raise ValueError(f"{name}: expected 1 or above, got {checked}")
    return checked


def _checked_sensors(world: World, sensors: Mapping[str, RolloutSensor]) -> dict[str, RolloutSensor]:
    for name, sensor in sensors.items():
        if not isinstance(sensor, RolloutSensor):
            raise TypeError(f"sensors[{name!r}]: expected a RolloutSensor, got {type(sensor).__name__}")
        for part in (*sensor.parts, *([sensor.body] if hasattr(sensor, "body") else [])):
            skeleton = getattr(part, "skeleton", part)
            if not any(skeleton is own for own in world.skeletons):
                raise ValueError(f"sensors[{name!r}]: {part.name!r} belongs to no skeleton of the world")
    return dict(sensors)


def _start(states: tuple[ArrayLike, ArrayLike], shape: tuple[int, int]) -> FloatArray:
    names, units = ("states[0]", "states[1]"), ("rad, m", "rad/s, m/s")
    return np.stack(
        [frozen_array(name, row, shape, unit) for name, row, unit in zip(names, states, units, strict=True)]
    )


def _roll_out(world: World, task: _Task, sensors: Mapping[str, RolloutSensor]) -> Rollouts:
    """In this process."""
    compiled = _compiled(world)
    groups = ContactGroups(compiled, (part for sensor in sensors.values() for part in sensor.parts))
    start = None if task.start is None else np.ascontiguousarray(task.start.reshape(2, -1))
    q, v, a, wrenches, counts, done = compiled.native.rollout(
        np.ascontiguousarray(task.commands),
        start,
        min(task.threads, max(len(task.commands), 1)),
        task.hold,
        task.every,
        True,
        groups.of_collider,
        len(groups),
    )
    assert a is not None
    kept = np.arange(1, q.shape[1] + 1) * task.every
    good = kept <= done[:, None]
    batch = StateBatch(compiled, (q[good], v[good], a[good]), groups, (wrenches[good], counts[good]))
    read = {name: _spread(sensor.read(batch), good) for name, sensor in sensors.items()}
    return Rollouts(kept * world.time_step, q, v, a, read, done)


def _spread(numbers: NDArray[Any], good: NDArray[np.bool_]) -> NDArray[Any]:
    """Numbers of good states (m, ...) among all (n, kept, ...); those of others are NaN, or 0 of integers."""
    missing = np.nan if np.issubdtype(numbers.dtype, np.inexact) else 0
    out = np.full((*good.shape, *numbers.shape[1:]), missing, dtype=numbers.dtype)
    out[good] = numbers
    return out


def _joined(executor: Executor, world: World, task: _Task, sensors: Mapping[str, RolloutSensor]) -> Rollouts:
    """By an executor, in shares."""
    content = pickle.dumps(world), packed_sensors(world, sensors)
    n = len(task.commands)
    shares = [range(n)[i * n // _SHARES : (i + 1) * n // _SHARES] for i in range(_SHARES)]
    futures = []
    try:
        for share in filter(None, shares):
            part = slice(share.start, share.stop)
            start = None if task.start is None else task.start[:, part]
            own = _Task(task.commands[part], start, task.threads, task.hold, task.every)
            futures.append(executor.submit(_roll_out_pickled, content, own))
        results = [future.result() for future in futures]
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    if not results:
        return _roll_out(world, task, sensors)
    return Rollouts(
        results[0].times,
        np.concatenate([r.positions for r in results]),
        np.concatenate([r.velocities for r in results]),
        np.concatenate([r.accelerations for r in results]),
        {name: np.concatenate([r.sensors[name] for r in results]) for name in sensors},
        np.concatenate([r.steps_done for r in results]),
    )


def _roll_out_pickled(content: tuple[bytes, bytes], task: _Task) -> Rollouts:
    world = pickle.loads(content[0])
    return _roll_out(world, task, unpacked_sensors(world, content[1]))
