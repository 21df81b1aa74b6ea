"""Settings belong to solvers: a problem has none, and a solver has no others than it goes by."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import dataclass, fields

import numpy as np
import pytest

import kido.optimize
from kido.optimize import (
    Evaluator,
    ModularFunction,
    Problem,
    SciPySolver,
    Solver,
    Status,
)
from kido.typing import FloatArray

SHIPPED = [
    kind
    for kind in vars(kido.optimize).values()
    if inspect.isclass(kind) and issubclass(kind, Solver) and not inspect.isabstract(kind)
]
OWNERS = {
    name: {kind.__name__ for kind in SHIPPED if name in {f.name for f in fields(kind)}}
    for name in sorted({f.name for kind in SHIPPED for f in fields(kind)})
}


def test_settings_are_those_of_shipped_solvers() -> None:
    assert len(SHIPPED) == 6 and len(OWNERS) == 16


@pytest.mark.parametrize("name", OWNERS)
def test_a_problem_has_no_setting_of_a_solver_and_names_those_that_do(name: str) -> None:
    problem = Problem(2)
    for ask in (lambda: setattr(problem, name, 1), lambda: getattr(problem, name)):
        with pytest.raises(AttributeError, match=rf"^Problem has no attribute '{name}': it is a setting"):
            ask()
    with pytest.raises(AttributeError) as caught:
        getattr(problem, name)
    told = str(caught.value)
    if OWNERS[name] == {kind.__name__ for kind in SHIPPED}:
        assert "a setting of every solver" in told
    else:
        assert {kind.__name__ for kind in SHIPPED if kind.__name__ in told} == OWNERS[name]


def test_the_name_of_a_setting_in_dart_leads_to_kidos() -> None:
    with pytest.raises(AttributeError, match=r"every solver, as in SciPySolver\(max_iterations=\.\.\.\)"):
        Problem(1).num_max_iterations = 3  # type: ignore[attr-defined]


def test_problems_of_ones_own_may_have_attributes_of_any_name() -> None:
    class Mine(Problem):
        pass

    mine = Mine(2)
    mine.method = "mine"
    assert mine.method == "mine" and copy.copy(mine).method == "mine"
    assert pickle.loads(pickle.dumps(Problem(2))).dimension == 2


@pytest.mark.parametrize("kind", SHIPPED)
def test_a_solver_refuses_settings_that_it_does_not_go_by(kind: type[Solver]) -> None:
    solver = kind()
    for name, owners in OWNERS.items():
        if kind.__name__ not in owners:
            with pytest.raises(TypeError, match=name):
                kind(**{name: 1})
            with pytest.raises(
                TypeError, match=rf"^{name}: {kind.__name__} has no such setting; it is one of"
            ):
                solver.clone(**{name: 1})
    with pytest.raises(TypeError, match=rf"^colour: {kind.__name__} has no such setting$"):
        solver.clone(colour="red")


@dataclass(frozen=True, kw_only=True)
class Recording(Solver):
    """A solver that never comes to an end, and tells its starts."""

    starts: list[FloatArray]

    def run(self, evaluator: Evaluator, start: FloatArray) -> tuple[FloatArray, Status, str]:
        self.starts.append(start)
        return start, Status.STALLED, "stuck"


@pytest.mark.parametrize(
    ("attempts", "message"),
    [
        (1, "stuck; 2 seeds not tried in 1 attempt"),
        (2, "stuck; 1 seed not tried in 2 attempts"),
        (3, "stuck"),
    ],
)
def test_seeds_that_no_attempt_came_to_are_told(attempts: int, message: str) -> None:
    problem = Problem(1, initial_guess=[1.0])
    problem.seeds = [[2.0], [3.0]]
    starts: list[FloatArray] = []
    result = Recording(starts=starts, max_attempts=attempts).solve(problem)
    assert result.message == message
    assert np.concatenate(starts).tolist() == [1.0, 2.0, 3.0][:attempts]


def test_seeds_that_were_not_needed_are_not_told() -> None:
    problem = Problem(1, ModularFunction(lambda x: float(x @ x), lambda x: 2.0 * x), initial_guess=[1.0])
    problem.add_seed([2.0])
    result = SciPySolver().solve(problem)
    assert result.success and "seed" not in result.message
