"""Time budgets of all solvers, modules and hierarchies: hardly anything of the user's is asked late."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import pytest
from _hierarchies import modules_of
from _poses import Array

from kido import InverseKinematics, gallery
from kido.ik import GradientMethod, IKQuery, PositionError, WholeBodyIK
from kido.optimize import (
    Evaluator,
    GaussNewtonSolver,
    GradientDescentSolver,
    LevenbergMarquardtSolver,
    ModularFunction,
    NloptSolver,
    SciPySolver,
    Solver,
    Status,
)

BUDGET = 0.1
LATE = 15
"""Questions after the end that a result may need, where it is measured, for each part of the user's own."""
SOLVERS: dict[str, Solver | None] = {
    "none": None,
    "gradient descent": GradientDescentSolver(max_attempts=50),
    "Gauss-Newton": GaussNewtonSolver(max_attempts=50),
    "Levenberg-Marquardt": LevenbergMarquardtSolver(max_attempts=50),
    "SLSQP": SciPySolver(max_attempts=50),
    "trust-constr": SciPySolver(method="trust-constr", max_attempts=50),
    "NLopt": NloptSolver(max_attempts=50),
}
PARTS = {
    "constraint": 1,
    "constraint of the module": 1,
    "objective": 1,
    "error method": 1,
    "gradient method": 1,
    "all": 4,
}
"""Parts of the user's own, and how many these are."""
REFUSED = {"objective", "constraint of the module", "all"}
"""What least-squares solvers refuse."""


class Clock:
    """A clock of what is asked, which begins with `begin`."""

    def __init__(self) -> None:
        self.deadline, self.late = math.inf, 0

    def begin(self) -> None:
        self.deadline, self.late = time.perf_counter() + BUDGET, 0

    def ask(self) -> None:
        self.late += time.perf_counter() > self.deadline
        time.sleep(2e-3)


CLOCK = Clock()


class SlowError(PositionError):
    """A position that takes its time."""

    def region(self, ik: IKQuery) -> None:  # type: ignore[override]
        return None

    def compute_error(self, ik: IKQuery) -> Array:
        CLOCK.ask()
        return super().compute_error(ik)


class SlowStep(GradientMethod):
    """The least squares solution, which takes its time."""

    def compute_gradient(self, ik: IKQuery, error: Array, jacobian: Array) -> Array:
        CLOCK.ask()
        return np.linalg.lstsq(jacobian, error, rcond=None)[0]


def squares(x: Array) -> float:
    CLOCK.ask()
    return float(x @ x) + 1.0


def slope(x: Array) -> Array:
    CLOCK.ask()
    return 2.0 * x


def owner(kind: str, part: str) -> InverseKinematics | WholeBodyIK:
    """A hand out of reach, alone or over a foot, with a part of the user's own."""
    robot = gallery.humanoid()
    modules = modules_of(robot, {"left_foot": 0, "right_hand": 1})
    hand = modules["right_hand"]
    modules["left_foot"].target.set_transform(modules["left_foot"].transform())
    hand.target.set_translation((4.0, 0.0, 1.0))
    made = hand if kind == "module" else WholeBodyIK(robot)
    if part in ("error method", "all"):
        hand.error_method = SlowError()
    if part in ("gradient method", "all"):
        hand.gradient_method = SlowStep()
    if part in ("objective", "all"):
        made.objective = ModularFunction(squares, slope)
    if part in ("constraint", "all"):
        made.problem.equality_constraints.add(ModularFunction(squares, slope))
    if part == "constraint of the module":
        hand.problem.inequality_constraints.add(ModularFunction(squares, slope))
    made.settings = replace(made.settings, time_budget=BUDGET)
    return made


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", ["module", "hierarchy"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_hardly_anything_is_asked_when_the_time_is_over(solver: str, kind: str, part: str) -> None:
    made = owner(kind, part)
    made.solver = SOLVERS[solver]
    CLOCK.begin()
    try:
        result = made.solve()
    except (TypeError, ValueError):
        assert part in REFUSED and solver in ("Gauss-Newton", "Levenberg-Marquardt")
        return
    assert CLOCK.late <= LATE * PARTS[part]
    assert result.timed_out or CLOCK.late == 0 or result.success


class Endless(Solver):
    """A solver that looks at the objective for ever."""

    def run(self, evaluator: Evaluator, start: Array) -> tuple[Array, Status, str]:
        while True:
            evaluator.value(start)


@pytest.mark.parametrize("kind", ["module", "hierarchy"])
def test_solvers_have_a_default_budget(kind: str) -> None:
    """Two seconds, unless solver or settings say something else."""
    made = owner(kind, "")
    made.settings = replace(type(made)._default_settings)
    spent = {}
    for name, solver in (("default", Endless()), ("own", Endless(time_budget=0.05))):
        made.solver = solver
        begin = time.perf_counter()
        assert made.solve().timed_out
        spent[name] = time.perf_counter() - begin
    assert 1.9 < spent["default"] < 4.0 and 0.04 < spent["own"] < 1.0
