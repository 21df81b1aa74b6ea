"""A step whose stages are run one at a time."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np

from kido.errors import EditError
from kido.skeleton import EDITS, BodyNode, SimulationView
from kido.typing import FloatArray
from kido.world._compiled import CompiledWorld, Diverged
from kido.world._custom_integrator import CustomIntegrator
from kido.world._impulse_solver import ImpulseSolver
from kido.world._stages import Stage, StageSignal, StageSignals
from kido.world._step_problem import island_problems

__all__ = ["StagedStep"]

W = TypeVar("W")

_DETECT, _ACCELERATE, _PREPARE, _SOLVE, _MOVE = range(len(Stage))
_TRIES = 6
"""How often a step is solved at most: dofs that come to limits unexpectedly have rows the next time."""


class StagedStep(Generic[W]):
    """One step of a world, from the stage detect to the stage move, with what Python does in between.

    Stages between which Python has nothing to do are one native call. What a listener raises is raised once
    the step is done, and no other listener is called in it; whatever else fails cancels the step.
    """

    __slots__ = ("_compiled", "_error", "_given", "_next", "_signals", "_world", "_wrenches")

    def __init__(self, world: W, compiled: CompiledWorld, signals: StageSignals[W]) -> None:
        self._world, self._compiled, self._signals = world, compiled, signals
        self._next = _DETECT
        self._error: BaseException | None = None
        self._wrenches: list[tuple[BodyNode, FloatArray]] = []

    def run(self, integrator: object, solver: object, diverged: Diverged) -> None:
        """Make the step.

        Raises `diverged` where numbers are no longer finite, what listeners, integrator or solver raise, and
        EditError where a listener did what it may not.
        """
        try:
            self._run_all(integrator, solver, diverged)
        except BaseException as error:
            if self._next <= _MOVE:
                self._compiled.native.cancel_step()
                SimulationView.give_wrenches(self._wrenches)
            if self._error is None:
                raise
            raise error from self._error
        if self._error is not None:
            raise self._error

    def _run_all(self, integrator: object, solver: object, diverged: Diverged) -> None:
        for stage in range(_MOVE + 1):
            if stage > _DETECT:
                self._tell(self._signals._before[stage], stage - 1, diverged)
            if stage == _SOLVE and isinstance(integrator, CustomIntegrator):
                self._run_to(_PREPARE, diverged)
                self._compiled.give_motions(integrator, diverged)
            if stage == _SOLVE and isinstance(solver, ImpulseSolver):
                self._run_to(_PREPARE, diverged)
                self._solve(solver)
                self._next = _SOLVE + 1
            if stage < _MOVE:
                self._tell(self._signals._after[stage], stage, diverged)
        self._run_to(_MOVE, diverged)

    def _run_to(self, last: int, diverged: Diverged) -> None:
        """Run all native stages that are left, to this one."""
        first = self._next
        if first > last:
            return
        compiled = self._compiled
        if first == _DETECT and compiled.colliders.external is not None:
            compiled.colliders.external.find()
        if first <= _ACCELERATE:
            compiled.take_loads()
        if not compiled.native.run_stages(first, last):
            raise diverged(*compiled.diverged())
        if first <= _ACCELERATE <= last:
            self._wrenches = compiled.take_wrenches()
        self._next = last + 1

    def _tell(self, signal: StageSignal[[W]], done: int, diverged: Diverged) -> None:
        """Call listeners, with all stages to `done` behind them."""
        if not signal.is_heard or self._error is not None:
            return
        self._run_to(done, diverged)
        try:
            signal.emit(self._world)
        except BaseException as error:
            self._error = error
        compiled = self._compiled
        if compiled.edits == EDITS.count and not compiled.native.was_moved():
            return
        if name := compiled.edited_skeleton():
            raise EditError(
                f"{name!r} was edited by a listener inside a step; the step was not made. "
                "Edit before the stage detect, after the stage move, or between steps"
            )
        if done >= _ACCELERATE and compiled.native.was_moved() and self._error is None:
            self._error = EditError(
                f"positions or velocities were set by a listener after the stage {list(Stage)[done].value}, "
                "where the step has taken them already; set them before the stage accelerate or after the "
                "stage move"
            )

    def _solve(self, solver: ImpulseSolver) -> None:
        compiled, native = self._compiled, self._compiled.native
        for left in reversed(range(_TRIES)):
            whole, numbers, islands = native.step_rows(solver.error_reduction, solver.push_speed)
            count = len(whole)
            impulses = np.zeros((2, count))
            for rows, problems in island_problems(compiled, whole, numbers, islands):
                for kind, problem in enumerate(problems):
                    impulses[kind, rows] = solver.impulses(problem)
            if native.give_impulses(impulses[0], impulses[1], count, left == 0):
                return
