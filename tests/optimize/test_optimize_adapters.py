"""Solvers of other libraries: what they are told, what their answers mean, and that they may be missing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import _ipopt_stand_in
import numpy as np
import pytest
from _optimize_problems import bowl_behind_a_wall, bowl_in_a_box, hs71, tutorial_of_nlopt

from kido.errors import MissingDependencyError
from kido.optimize import IpoptSolver, NloptSolver, Problem, SciPySolver, Solver, Status


@pytest.mark.parametrize(
    ("solver", "package", "extra"), [(NloptSolver(), "nlopt", "nlopt"), (IpoptSolver(), "cyipopt", "ipopt")]
)
def test_a_library_that_is_missing_is_named_with_its_extra(
    solver: Solver, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    problem = bowl_in_a_box()
    message = rf"^{solver.type_name} needs '{package}'; install it with: pip install 'kido\[{extra}\]'$"
    with pytest.raises(MissingDependencyError, match=message):
        solver.solve(problem)
    assert problem.result is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: SciPySolver(method="slsqp"),
            "^method: expected one of SLSQP, trust-constr, L-BFGS-B, got 'slsqp'$",
        ),
        (
            lambda: NloptSolver(algorithm="LD_SLSQP"),
            "^algorithm: expected one of SLSQP, MMA, .*got 'LD_SLSQP'$",
        ),
    ],
)
def test_methods_that_do_not_exist_are_named(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


class Recorded(_ipopt_stand_in.Problem):
    """The stand-in of Ipopt, that keeps how it was made and ends as it is told."""

    made: Any = None
    status = 0

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        Recorded.made = self

    def solve(self, x: Any) -> tuple[Any, dict[str, Any]]:
        return x, {"status": Recorded.status, "status_msg": "as told"}


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> type[Recorded]:
    module = ModuleType("cyipopt")
    vars(module)["Problem"] = Recorded
    monkeypatch.setitem(sys.modules, "cyipopt", module)
    return Recorded


def test_ipopt_is_told_sizes_bounds_and_settings(recorded: type[Recorded]) -> None:
    IpoptSolver(tolerance=1e-7, max_iterations=33, constraint_tolerance=1e-4).solve(hs71())
    made = recorded.made
    assert (made.n, made.m) == (4, 2)
    assert np.array_equal(made.cl, [0, -np.inf]) and np.array_equal(made.cu, [0, 0])
    assert np.array_equal(made.lb, np.ones(4)) and np.array_equal(made.ub, np.full(4, 5.0))
    assert made.options["tol"] == 1e-7 and made.options["max_iter"] == 33
    assert made.options["constr_viol_tol"] == 1e-4 and made.options["print_level"] == 0


def test_ipopt_asks_constraints_equalities_first(recorded: type[Recorded]) -> None:
    problem = hs71()
    IpoptSolver().solve(problem)
    x = np.array([1.5, 4.0, 3.0, 2.0])
    assert np.allclose(recorded.made.obj.constraints(x), [x @ x - 40, 25 - np.prod(x)])
    expected = [*(2 * x), *(-np.prod(x) / x)]
    assert np.allclose(recorded.made.obj.jacobian(x), expected)
    assert recorded.made.obj.objective(x) == problem.value(x)
    assert np.allclose(recorded.made.obj.gradient(x), problem.gradient(x))


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (0, Status.SOLVED),
        (1, Status.SOLVED),
        (2, Status.INFEASIBLE),
        (3, Status.STALLED),
        (-1, Status.MAX_ITERATIONS),
        (-2, Status.FAILED),
        (-13, Status.FAILED),
    ],
)
def test_the_codes_of_ipopt_have_a_meaning(recorded: type[Recorded], code: int, status: Status) -> None:
    recorded.status = code
    result = IpoptSolver().solve(Problem(2))
    assert result.status is status
    assert result.message == "Ipopt: as told"


def test_an_answer_that_breaks_constraints_is_not_taken_for_solved(recorded: type[Recorded]) -> None:
    recorded.status = 0
    result = IpoptSolver().solve(tutorial_of_nlopt())
    assert result.status is Status.INFEASIBLE
    assert result.message.startswith("Ipopt: as told; inequality constraint 0 (cubic) = 9.35")
    assert np.isclose(result.violation, 2.468**3 - 5.678)


@pytest.mark.parametrize("algorithm", ["MMA", "CCSAQ"])
def test_rest_without_optimum_is_not_taken_for_solved(algorithm: Any) -> None:
    """From a start outside, these come to rest as soon as they are inside."""
    result = NloptSolver(algorithm=algorithm, max_iterations=9999).solve(bowl_behind_a_wall())
    assert result.status is Status.STALLED
    assert result.message.endswith("; x rests where it should not")
    assert result.value > 1.0 and result.violation == 0.0


def test_nlopt_counts_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    result = NloptSolver().solve(tutorial_of_nlopt())
    assert result.iterations == result.evaluations > 5
