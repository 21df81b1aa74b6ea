"""Velocities that serve tasks within limits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import NoReturn

import numpy as np

from kido import _core
from kido.errors import RemovedError
from kido.ik._differential._convergence import Convergence
from kido.ik._differential._differential_task import STRUCTURE, DifferentialTask
from kido.ik._differential._group_limit import GroupLimit
from kido.ik._differential._limits import (
    AccelerationLimit,
    ConfigurationLimit,
    DifferentialLimit,
    Rows,
    RowsLimit,
    VelocityLimit,
)
from kido.ik._differential._step_arguments import (
    require_moving,
    rows_of,
    stacked,
    states,
    step_length,
    target_as,
    targets_of,
)
from kido.ik._differential._step_result import (
    DifferentialIKConvergence,
    DifferentialIKStep,
    DifferentialIKSteps,
    Layout,
)
from kido.ik._differential._unknowns import unknowns_of
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_items, checked_positive, checked_whole

__all__ = ["DifferentialIK"]

_STEP_KINDS = (ConfigurationLimit, VelocityLimit, AccelerationLimit)


class DifferentialIK(_core.KnownAttributes):
    """Velocities of a robot that serve tasks, as far as limits let them.

    Equations hold; then each level of priority is served by least squares, as far as the ones above let it.
    Programs are assembled and solved natively; what is written in Python is asked once a step.

    ```python
    ik = kido.ik.DifferentialIK(robot, [FrameTask(hand, T), PostureTask(q0, weight=1e-2)])
    robot.positions = robot.tree.integrate(robot.positions, ik.solve(dt=0.005), 0.005)
    ```
    """

    __slots__ = (
        "_asked_tasks",
        "_asks",
        "_damping",
        "_dofs",
        "_layout",
        "_leaders",
        "_limits",
        "_locked",
        "_native",
        "_order",
        "_robot",
        "_row_limits",
        "_tasks",
        "_tree",
        "_version",
        "_warm",
    )

    def __init__(
        self,
        robot: Skeleton,
        tasks: Iterable[DifferentialTask] = (),
        limits: Iterable[DifferentialLimit] | None = None,
        *,
        dofs: Sequence[str | int] | None = None,
        frozen: Sequence[str | int] = (),
        damping: float = 1e-8,
        warm_start: bool = True,
    ) -> None:
        """Tasks and limits of a robot.

        Args:
            robot: a skeleton.
            tasks: what velocities are to do.
            limits: what they have to keep to; None: the robot's limits of positions and velocities. At most
                one of positions, one of velocities, one of accelerations.
            dofs: names or indices of those that may move; None: all but locked ones. Followers of mimic
                joints move with their leaders.
            frozen: names or indices of those that stand still.
            damping: weight of squared velocities [s²/rad², s²/m²], above 0.
            warm_start: whether a step begins with the limits that were active in the last: faster, with
                velocities that are the same up to rounding.

        Raises TypeError, ValueError, IndexError or UnknownNameError naming the argument; ValueError for a
        frame that the robot does not move.
        """
        if not isinstance(robot, Skeleton):
            raise TypeError(f"robot: expected a Skeleton, got {type(robot).__name__}")
        if not isinstance(warm_start, bool):
            raise TypeError(f"warm_start: expected True or False, got {warm_start!r}")
        self._robot = robot
        self._damping = checked_positive("damping", damping, "s^2")
        self._warm = warm_start
        self._dofs = (None if dofs is None else tuple(dofs), tuple(frozen))
        self._tasks: tuple[DifferentialTask, ...] = checked_items("tasks", DifferentialTask, tasks)
        given = (ConfigurationLimit(), VelocityLimit()) if limits is None else limits
        self._limits: tuple[DifferentialLimit, ...] = checked_items("limits", DifferentialLimit, given)
        self._compile()

    @property
    def robot(self) -> Skeleton:
        """The robot that moves."""
        return self._robot

    @property
    def tasks(self) -> tuple[DifferentialTask, ...]:
        """Tasks of the velocities."""
        return self._tasks

    @property
    def limits(self) -> tuple[DifferentialLimit, ...]:
        """Limits of the velocities."""
        return self._limits

    def add_task(self, task: DifferentialTask) -> None:
        """Serve another task. Raises TypeError or ValueError; then nothing has changed."""
        self._change((*self._tasks, *checked_items("task", DifferentialTask, (task,))), self._limits)

    def remove_task(self, task: DifferentialTask) -> None:
        """Serve a task no more. Raises ValueError for one that is not here."""
        if not any(known is task for known in self._tasks):
            raise ValueError(f"task: expected one of the {len(self._tasks)} of the problem")
        self._change(tuple(known for known in self._tasks if known is not task), self._limits)

    def add_limit(self, limit: DifferentialLimit) -> None:
        """Keep to another limit. Raises TypeError or ValueError; then nothing has changed."""
        self._change(self._tasks, (*self._limits, *checked_items("limit", DifferentialLimit, (limit,))))

    def remove_limit(self, limit: DifferentialLimit) -> None:
        """Keep to a limit no more. Raises ValueError for one that is not here."""
        if not any(known is limit for known in self._limits):
            raise ValueError(f"limit: expected one of the {len(self._limits)} of the problem")
        self._change(self._tasks, tuple(known for known in self._limits if known is not limit))

    def _change(self, tasks: tuple[DifferentialTask, ...], limits: tuple[DifferentialLimit, ...]) -> None:
        before = self._tasks, self._limits
        self._tasks, self._limits = tasks, limits
        try:
            self._compile()
        except BaseException:
            self._tasks, self._limits = before
            self._compile()
            raise

    def solve(
        self, q: ArrayLike | None = None, v: ArrayLike | None = None, dt: float | None = None
    ) -> DifferentialIKStep:
        """Velocities for one step. Nothing moves.

        Args:
            q: positions (num_dofs,) [rad, m]; None: those of the robot.
            v: velocities (num_dofs,) now, for limits of accelerations [rad/s, m/s]; None: those of the robot.
            dt: length of the step [s]; has to be given.

        Raises TypeError or ValueError naming the argument, and what a task or limit of your own raises.
        """
        if q is None and v is None and not self._asks and self._is_current():
            step = step_length(dt)
            try:
                found = self._native.solve_state(None, step, self._damping, self._warm)
            except RemovedError:  # of the first body; that of a task is raised again below
                found = None
            if found is not None:
                return DifferentialIKStep(found, self._layout)
        return self._solve(q, v, step_length(dt))

    def _solve(
        self,
        q: ArrayLike | None,
        v: ArrayLike | None,
        dt: float,
        damping: float | None = None,
        equation_share: float = 1.0,
    ) -> DifferentialIKStep:
        robot = self._robot
        self._renew()
        n = robot.num_dofs
        positions = np.array(robot.positions if q is None else frozen_array("q", q, (n,), "rad, m"))
        velocities = np.array(robot.velocities if v is None else frozen_array("v", v, (n,), "rad/s, m/s"))
        rows, names = self._ask_at(positions, velocities, dt)
        found = self._native.solve_one(
            positions,
            velocities,
            self._users(positions, velocities),
            rows,
            dt,
            self._damping if damping is None else damping,
            self._warm,
            equation_share,
        )
        return DifferentialIKStep(found, self._layout._replace(rows=names))

    def solve_batch(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        dt: float | None = None,
        *,
        targets: Mapping[DifferentialTask, ArrayLike] | None = None,
    ) -> DifferentialIKSteps:
        """Velocities for one step of many states, in lanes and on threads; one and many give the same bits.

        Args:
            q: positions (..., num_dofs) [rad, m].
            v: velocities (..., num_dofs) now, for limits of accelerations [rad/s, m/s]; None: zeros.
            dt: length of the step [s]; has to be given.
            targets: of tasks, for each state (..., ) and the shape of the task's `target`; other tasks have
                one target for all. Tasks of your own take them if they have a `target` that can be set.

        Raises TypeError or ValueError naming the argument, and what a task or limit of your own raises.
        """
        step = step_length(dt)
        self._renew()
        n = self._robot.num_dofs
        positions = states("q", q, n, "rad, m")
        shape = positions.shape[:-1]
        velocities = np.zeros(n) if v is None else states("v", v, n, "rad/s, m/s")
        try:
            velocities = np.broadcast_to(velocities, (*shape, n))
        except ValueError:
            raise ValueError(f"v: expected shape {(*shape, n)} as q, got {velocities.shape}") from None
        rows_q = np.ascontiguousarray(positions).reshape(math.prod(shape), n)
        rows_v = np.ascontiguousarray(velocities).reshape(math.prod(shape), n)
        chosen, asked = self._targets(targets or {}, shape)
        limits = self._ask_many(rows_q, rows_v, step, chosen, asked)
        found = self._native.solve_states(
            rows_q, rows_v, self._users(rows_q, rows_v), limits, chosen, step, self._damping
        )
        return DifferentialIKSteps(found, shape, self._layout)

    def converge(
        self,
        q: ArrayLike | None = None,
        *,
        dt: float = 0.1,
        max_steps: int = 300,
        tolerance: float = 1e-6,
        tasks: Iterable[DifferentialTask] | None = None,
    ) -> DifferentialIKConvergence:
        """Steps until tasks are done, or cannot be. The robot does not move.

        A step after which errors would rise is damped; where equations ask for more than limits allow it goes
        a part of the way. Where steps reduce errors no more, tasks of levels below all that have to converge
        are left out; then the search leaps to other positions and goes on, unless limits of accelerations or
        of rows, such as barriers, forbid to leap.

        Args:
            q: positions (num_dofs,) to begin with [rad, m]; None: those of the robot. It is at rest.
            dt: length of each step [s], by which limits of velocities bound it.
            max_steps: how many at most.
            tolerance: of each component of their errors that has a weight [rad, m].
            tasks: that have to converge; None: all but postures, and those without a gain.

        Raises TypeError or ValueError naming the argument, and what a task or limit of your own raises.
        """
        step, most = step_length(dt), checked_whole("max_steps", max_steps)
        needed = self._needed(tasks)
        n, tree = self._robot.num_dofs, self._robot.tree
        at = np.array(self._robot.positions if q is None else frozen_array("q", q, (n,), "rad, m"))
        self._renew()
        below = {task for task in self._tasks if all(task.native_level > one.native_level for one in needed)}
        alone = cache(lambda: self._with(tuple(task for task in self._tasks if task not in below)))

        def solve(
            q: FloatArray, v: FloatArray, damping: float, equation_share: float, without_levels_below: bool
        ) -> DifferentialIKStep:
            problem = alone() if below and without_levels_below else self
            return problem._solve(q, v, step, damping, equation_share)

        leaps = not self._row_limits and not any(isinstance(one, AccelerationLimit) for one in self._limits)
        return Convergence(
            solve,
            lambda q, v: np.asarray(tree.integrate(q, v, step)),
            self._leap if leaps else None,
            needed,
            damping=self._damping,
            step=step,
            tolerance=checked_positive("tolerance", tolerance),
            has_levels_below=bool(below),
            is_bounded=not all(isinstance(one, ConfigurationLimit) for one in self._limits),
        ).run(at, most)

    def _leap(self, q: FloatArray, number: int, size: float) -> FloatArray:
        """Positions (num_dofs,) that are so far from others at most [rad, m], within limits of positions: the
        same ones at every call with the same number. Dofs without limits go half a turn or 1 m at most."""
        robot, layout = self._robot, self._layout
        limit = next((one for one in self._limits if isinstance(one, ConfigurationLimit)), None)
        endless = np.full(robot.num_dofs, math.inf)
        lower, upper = (-endless, endless) if limit is None else limit.of(robot)
        change = np.random.default_rng(number).uniform(-1.0, 1.0, len(layout.dofs))
        for i, dof in enumerate(layout.dofs):
            coordinate = robot.dofs[dof].coordinate
            farthest = min(size, 1.0 if coordinate.unit == "m" else math.pi)
            low, high = -farthest, farthest
            if coordinate.is_additive:
                reach = size if np.isfinite(lower[dof]) and np.isfinite(upper[dof]) else farthest
                low, high = max(-reach, lower[dof] - q[dof]), min(reach, upper[dof] - q[dof])
            change[i] = low + 0.5 * (change[i] + 1.0) * (high - low)
        pairs = unknowns_of(robot, *self._dofs).pairs
        moved = np.array([0.0 if i < 0 else change[i] * factor for i, factor in pairs])
        return np.asarray(robot.tree.integrate(q, moved, 1.0))

    def _needed(self, tasks: Iterable[DifferentialTask] | None) -> tuple[DifferentialTask, ...]:
        if tasks is None:
            return tuple(task for task in self._tasks if task.gain > 0.0 and task.kind != "posture")
        needed: tuple[DifferentialTask, ...] = checked_items("tasks", DifferentialTask, tasks)
        for task in needed:
            if not any(known is task for known in self._tasks):
                raise ValueError(f"tasks: expected some of the {len(self._tasks)} of the problem")
        return needed

    # ---- native code

    def _renew(self) -> None:
        if self._tree is not self._robot.tree or not self._is_current():
            self._compile()

    def _is_current(self) -> bool:
        """Whether tasks and followers are those that native code knows. It looks at the robot itself."""
        robot = self._robot
        return (
            self._version == STRUCTURE.version
            and robot.leading_dofs is self._leaders
            and robot.locked_dofs is self._locked
        )

    def _compile(self) -> None:
        robot = self._robot
        for kind in _STEP_KINDS:
            if sum(isinstance(limit, kind) for limit in self._limits) > 1:
                raise ValueError(f"limits: expected one {kind.__name__} at most")
        if not robot.root_bodies or robot.num_dofs == 0:
            raise ValueError(f"robot: expected dofs, {robot.name} has none")
        self._version, self._tree = STRUCTURE.version, robot.tree
        self._leaders, self._locked = robot.leading_dofs, robot.locked_dofs
        unknowns = unknowns_of(robot, *self._dofs)
        native = _core.VelocityStep(self._tree, unknowns.pairs, robot.root_bodies[0])
        order = sorted(self._tasks, key=lambda task: task.native_level)
        places, first = [], 0
        for task in order:
            task.prepare(robot)
            require_moving(robot, task)
            native.add_task(
                task.kind, task.native_level, task.rows, task.is_velocity, *task.frames, *task.native_numbers
            )
            places.append((task, first))
            first += task.rows
        self._set_limits(native)
        self._order = tuple(order)
        self._asked_tasks = tuple(task for task in order if task.kind == "rows")
        self._layout = Layout(tuple(places), unknowns.dofs, ())
        self._asks = bool(self._asked_tasks or self._row_limits)
        self._native = native

    def _set_limits(self, native: _core.VelocityStep) -> None:
        robot = self._robot
        lower = upper = slow = fast = most = None
        gain, rows = 1.0, [limit for limit in self._limits if isinstance(limit, RowsLimit)]
        for limit in self._limits:
            if isinstance(limit, ConfigurationLimit):
                (lower, upper), gain = limit.of(robot), limit.gain
                group = GroupLimit.of(robot, lower, upper, gain)
                rows += [] if group is None else [group]
            elif isinstance(limit, VelocityLimit):
                slow, fast = limit.of(robot)
            elif isinstance(limit, AccelerationLimit):
                most = limit.of(robot)
        native.set_limits(lower, upper, gain, slow, fast, most)
        self._row_limits = tuple(rows)

    def _users(self, q: FloatArray, v: FloatArray) -> FloatArray | None:
        """Motion of joints of the user's at states (count, num_dofs), or at one."""
        motion = self._tree._user_motion
        if motion is None:
            return None
        numbers = np.asarray(motion(np.atleast_2d(q), np.atleast_2d(v)))
        return numbers.reshape(len(np.atleast_2d(q)), -1)

    # ---- what Python is asked

    @contextmanager
    def _robot_at(self, q: FloatArray, v: FloatArray) -> Iterator[None]:
        """Context in which the robot is at positions and velocities (num_dofs,)."""
        robot = self._robot
        before = np.array(robot.positions), np.array(robot.velocities)
        try:
            robot.positions, robot.velocities = q, v
            yield
        finally:
            robot.positions, robot.velocities = before

    def _ask_at(
        self, q: FloatArray, v: FloatArray, dt: float
    ) -> tuple[tuple[FloatArray, FloatArray, FloatArray] | None, tuple[str, ...]]:
        """Rows of limits at a state, and their names; targets of tasks are written."""
        if not self._asks:
            return None, ()
        with self._robot_at(q, v):
            for task in self._asked_tasks:
                task.ask(self._robot, dt)
            rows = [limit.checked_rows(self._robot, dt) for limit in self._row_limits]
        if not rows:
            return None, ()
        names = tuple(
            type(limit).__name__
            for limit, part in zip(self._row_limits, rows, strict=True)
            for _ in part.lower
        )
        G, lower, upper = stacked(rows)
        return (G[None], lower[None], upper[None]), names

    def _ask_many(
        self,
        q: FloatArray,
        v: FloatArray,
        dt: float,
        targets: list[FloatArray | None],
        wanted: Mapping[int, FloatArray],
    ) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Rows of limits at states (count, num_dofs), as many for each; `targets` of tasks are filled in, of
        those in Python from what is `wanted` (count, own shape) of them, by their place."""
        if not self._asks:
            return None
        asked = [(i, task) for i, task in enumerate(self._order) if task.kind == "rows"]
        for i, task in asked:
            targets[i] = np.zeros((len(q), len(task.native_numbers[2])))
        found: list[Rows] = []
        for k in range(len(q)):
            with self._robot_at(q[k], v[k]):
                for i, task in asked:
                    if i in wanted:
                        with target_as(task, wanted[i][k]):
                            task.ask(self._robot, dt)
                    else:
                        task.ask(self._robot, dt)
                    target = targets[i]
                    assert target is not None
                    target[k] = task.native_numbers[2]
                found.append(stacked([limit.checked_rows(self._robot, dt) for limit in self._row_limits]))
        if not self._row_limits or not found:
            return None
        most = max(len(rows.lower) for rows in found)
        n = self._robot.num_dofs
        G, lower, upper = (
            np.zeros((len(q), most, n)),
            np.full((len(q), most), -np.inf),
            np.full((len(q), most), np.inf),
        )
        for k, rows in enumerate(found):
            count = len(rows.lower)
            G[k, :count], lower[k, :count], upper[k, :count] = rows
        return (G, lower, upper) if most else None

    def _targets(
        self, given: Mapping[DifferentialTask, ArrayLike], shape: tuple[int, ...]
    ) -> tuple[list[FloatArray | None], dict[int, FloatArray]]:
        """Numbers (count, size) for each task in native order, None: its own; of tasks in Python, targets
        (count, own shape) by their place."""
        native: list[FloatArray | None] = [None] * len(self._order)
        asked: dict[int, FloatArray] = {}
        for task, target in given.items():
            i = next((k for k, known in enumerate(self._order) if known is task), -1)
            if i < 0:
                raise ValueError("targets: expected tasks of the problem")
            if task.kind != "rows":
                native[i] = rows_of(task, target, shape)
            elif hasattr(task, "target"):
                asked[i] = targets_of(target, shape, np.shape(task.target))
            else:
                raise ValueError(f"targets: {type(task).__name__} has no target that could be set")
        return native, asked

    def __copy__(self) -> DifferentialIK:
        """Another one of the same robot, with the same tasks and limits."""
        return self._with(self._tasks)

    def _with(self, tasks: tuple[DifferentialTask, ...]) -> DifferentialIK:
        """Another one of the same robot, with other tasks and the same limits."""
        dofs, frozen = self._dofs
        return DifferentialIK(
            self._robot,
            tasks,
            self._limits,
            dofs=dofs,
            frozen=frozen,
            damping=self._damping,
            warm_start=self._warm,
        )

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "DifferentialIK: expected no copy without its robot, whose frames tasks hold: "
            "make one anew of the copied robot"
        )

    def __repr__(self) -> str:
        return f"<DifferentialIK of {self._robot.name}: {len(self._tasks)} tasks, {len(self._limits)} limits>"
