"""Mistyped attributes: refused by every class of kido.ik and kido.optimize, with the nearest names."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import pytest
from _arms import PUMA
from _constrained_parts import CONSTRAINED
from _posture_parts import POSTURES

import kido
import kido.ik
import kido.optimize
from kido import InverseKinematics, gallery
from kido.ik import ClosedForm, CompositeIK, ErrorMethod, WholeBodyIK, analytical_ik
from kido.optimize import (
    Evaluator,
    Function,
    ModularFunction,
    ModularMultiFunction,
    MultiFunction,
    MultiObjectiveProblem,
    NullFunction,
    Problem,
    Result,
    StackedFunction,
    Status,
)


def module() -> InverseKinematics:
    return InverseKinematics.of(gallery.arm().end_effector("tool"))


def square(x: Any) -> Any:
    return x @ x


MADE: dict[str, Callable[[], object]] = {
    **CONSTRAINED,
    **POSTURES,
    "AnalyticalIK": lambda: analytical_ik(module()),
    "AnalyticalResult": lambda: analytical_ik(module()).solve(np.eye(4)),
    "AnalyticalResults": lambda: analytical_ik(module()).solve_batch(np.eye(4)[None]),
    "AnalyticalSolution": lambda: kido.ik.AnalyticalSolution([0.0]),
    "ClosedForm": lambda: ClosedForm.from_axes(PUMA.axes, PUMA.points, tool=PUMA.tool),
    "ClosedFormSolutions": lambda: ClosedForm.from_axes(PUMA.axes, PUMA.points).solve(np.eye(4)),
    "CompositeIK": lambda: CompositeIK(gallery.arm()),
    "Constraints": lambda: Problem(1).equality_constraints,
    "ErrorBounds": lambda: kido.ik.ErrorBounds(np.zeros((1, 1)), np.zeros(1), np.zeros(1)),
    "Evaluator": lambda: Evaluator(Problem(1), np.random.default_rng(0), None),
    "HierarchyResult": lambda: WholeBodyIK(gallery.arm()).solve(),
    "HierarchyStep": lambda: WholeBodyIK(gallery.arm()).step(),
    "IKResult": lambda: module().solve(),
    "IKResults": lambda: module().solve_all(),
    "InverseKinematics": module,
    "ModularFunction": lambda: ModularFunction(square),
    "ModularMultiFunction": lambda: ModularMultiFunction(lambda x: x),
    "MultiObjectiveProblem": lambda: MultiObjectiveProblem(1, ModularMultiFunction(lambda x: x)),
    "OneSided": lambda: kido.optimize.OneSided(np.zeros(0), np.zeros((0, 1))),
    "ParetoSet": lambda: kido.optimize.ParetoSet([[0.0]], [[0.0]]),
    "PoseRegion": lambda: kido.ik.PoseRegion(None, None, np.ones(6), kido.WORLD),
    "Posture": lambda: kido.ik.Posture([0.0]),
    "Problem": lambda: Problem(1),
    "QuadraticFunction": lambda: kido.optimize.QuadraticFunction([0.0]),
    "Result": lambda: Result([0.0], 0.0, Status.SOLVED),
    "StackedFunction": lambda: StackedFunction([NullFunction()]),
    "TaskResult": lambda: kido.ik.TaskResult("tool", 0, True, 0.0, 0.0),
    "WholeBodyIK": lambda: WholeBodyIK(gallery.arm()),
}
"""Objects of classes that take arguments; others are made without any."""

NOT_MADE = {"IKFastLibrary", "IKFastMethod", "IKQuery"}


def concrete_classes() -> dict[str, type]:
    members = {**vars(kido.ik), **vars(kido.optimize)}
    public = [members[name] for name in (*kido.ik.__all__, *kido.optimize.__all__)]
    return {
        kind.__name__: kind
        for kind in public
        if inspect.isclass(kind)
        and not inspect.isabstract(kind)
        and not issubclass(kind, Enum | BaseException)
        and kind.__name__ not in NOT_MADE | {"DeclaredAttributes"}
    }


@pytest.mark.parametrize("name", concrete_classes())
def test_a_mistyped_attribute_is_refused(name: str) -> None:
    made = MADE.get(name, concrete_classes()[name])()
    with pytest.raises((AttributeError, TypeError)):
        made.eror_method = 3  # type: ignore[attr-defined]
    assert not hasattr(made, "eror_method")


@pytest.mark.parametrize("part", ["problem", "objective", "equality_constraints"])
def test_parts_of_problems_that_modules_make_refuse_them_too(part: str) -> None:
    for owner in (module(), WholeBodyIK(gallery.arm())):
        problem = owner.problem
        made: Any = {
            "problem": problem,
            "objective": problem.objective,
            "equality_constraints": problem.equality_constraints[0]
            if len(problem.equality_constraints)
            else None,
        }[part]
        with pytest.raises(AttributeError):
            made.tolerence = 3


def test_the_error_names_the_nearest_attribute() -> None:
    ik = module()
    with pytest.raises(
        AttributeError, match=r"InverseKinematics has no attribute 'eror_method'; .*'error_method'"
    ):
        ik.eror_method = 3  # type: ignore[attr-defined]
    problem = Problem(2)
    with pytest.raises(AttributeError, match=r"Problem has no attribute 'lower_bound'; .*'lower_bounds'"):
        problem.lower_bound = [0, 0]  # type: ignore[attr-defined]


def test_read_only_attributes_say_so() -> None:
    with pytest.raises(AttributeError, match=r"setter|can't set"):
        module().error = 3  # type: ignore[misc, assignment]


class Centered(Function):
    """A function that keeps what it was made with."""

    def __init__(self, center: float) -> None:
        self.center = center

    def value(self, x: Any) -> float:
        return float(np.sum((x - self.center) ** 2))


class Shifted(MultiFunction):
    def values(self, x: Any) -> Any:
        self.calls = getattr(self, "calls", 0) + 1
        return x - 1.0


class Counting(ErrorMethod):
    def compute_error(self, ik: InverseKinematics) -> Any:
        self.calls = getattr(self, "calls", 0) + 1
        return ik.target.transform()[:3, 3] - ik.transform()[:3, 3]


class Named(InverseKinematics):
    label: str


def test_classes_of_users_add_attributes() -> None:
    objective, constraint, method = Centered(2.0), Shifted(), Counting()
    constraint.note = method.note = "mine"  # type: ignore[attr-defined]
    ik = module()
    ik.error_method = method
    ik.solve()
    problem = Problem(2, objective)
    problem.equality_constraints.add(constraint)
    kido.optimize.SciPySolver().solve(problem)
    assert objective.center == 2.0 and constraint.calls > 0 and method.calls > 0
    named = gallery.arm().end_effector("tool").create_addon(Named)
    named.label = "left"
    named.anything = 1  # type: ignore[attr-defined]
    assert (named.label, named.anything) == ("left", 1)  # type: ignore[attr-defined]


def test_problems_are_copied_and_pickled() -> None:
    problem = Problem(2, NullFunction(), lower_bounds=[0.0, 1.0], upper_bounds=[1.0, 2.0])
    for other in (problem.clone(), copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
        np.testing.assert_array_equal(other.lower_bounds, problem.lower_bounds)
        assert len(other.equality_constraints) == 0
