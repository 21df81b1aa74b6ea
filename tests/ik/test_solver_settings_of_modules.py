"""Solvers of modules: which settings and starts they go by."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from _poses import Array

from kido import InverseKinematics, SearchSettings, gallery
from kido.errors import EditError, NoEffectWarning
from kido.ik import WholeBodyIK
from kido.optimize import Evaluator, Solver, Status

STARTS: list[Array] = []
PAUSES: list[Array] = []
PAUSE = 0.01
"""[s]."""


@dataclass(frozen=True, kw_only=True)
class Waiting(Solver):
    """Stays where it starts, until the time is over."""

    def run(self, evaluator: Evaluator, start: Array) -> tuple[Array, Status, str]:
        STARTS.append(start)
        for _ in range(200):
            evaluator.check_time()
            PAUSES.append(start)
            time.sleep(PAUSE)
        return start, Status.STALLED, "stuck"


@dataclass(frozen=True, kw_only=True)
class Standing(Solver):
    """Stays where it starts."""

    def run(self, evaluator: Evaluator, start: Array) -> tuple[Array, Status, str]:
        STARTS.append(start)
        return start, Status.STALLED, "stuck"


def module() -> InverseKinematics:
    ik = InverseKinematics.of(gallery.arm7().end_effector("tool"))
    ik.positions = np.linspace(-0.4, 0.5, 7)
    ik.target.set_translation(ik.transform()[:3, 3] + 0.05)
    STARTS.clear()
    return ik


def owners() -> list[Any]:
    ik = module()
    return [ik, WholeBodyIK(ik.node.skeleton)]


@pytest.mark.parametrize("place", [0, 1], ids=["module", "hierarchy"])
def test_settings_that_only_the_search_has_warn_where_a_solver_is_set(place: int) -> None:
    owner = owners()[place]
    owner.solver = Standing()
    with pytest.warns(NoEffectWarning, match=r"max_starts, nearest of the search without effect .* Standing"):
        owner.settings = SearchSettings(max_starts=7, nearest=True)
    owner = owners()[place]
    owner.settings = SearchSettings(mirrors=1) if place == 0 else SearchSettings(max_starts=200, mirrors=1)
    with pytest.warns(NoEffectWarning, match="settings: mirrors of the search"):
        owner.solver = Standing()
    assert isinstance(owner.solver, Standing)
    owner.solver = None


@pytest.mark.parametrize("place", [0, 1], ids=["module", "hierarchy"])
def test_tolerances_and_time_do_not_warn(place: int) -> None:
    owner = owners()[place]
    owner.solver = Standing()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        starts = 100 if place == 0 else 200
        owner.settings = SearchSettings(
            max_starts=starts, angular_tolerance=1e-3, linear_tolerance=1e-3, time_budget=0.1
        )
        assert owner.settings.time_budget == 0.1
        owner.solver = None
        owner.settings = SearchSettings(max_starts=3)
    assert owner.settings.max_starts == 3


@pytest.mark.parametrize("place", [0, 1], ids=["module", "hierarchy"])
@pytest.mark.parametrize(("own", "budget"), [(None, 0.1), (5.0, 0.1), (0.1, 5.0), (0.1, math.inf)])
def test_the_shorter_time_ends_a_solver(place: int, own: float | None, budget: float) -> None:
    owner = owners()[place]
    owner.settings = SearchSettings(max_starts=100 if place == 0 else 200, time_budget=budget)
    owner.solver = solver = Waiting(time_budget=own)
    PAUSES.clear()
    result = owner.solve()
    assert len(PAUSES) * PAUSE < 0.2 and not result.success
    assert owner.solver is solver and solver.time_budget == own


def test_tracking_ends_a_solver_in_time() -> None:
    ik = module()
    ik.solver = Waiting()
    PAUSES.clear()
    ik.track(time_budget=0.05)
    assert len(PAUSES) * PAUSE < 0.2


@pytest.mark.parametrize("place", [0, 1], ids=["module", "hierarchy"])
def test_a_solver_starts_at_the_present_positions_or_where_the_problem_says(place: int) -> None:
    owner = owners()[place]
    owner.solver = Standing()
    assert len(owner.problem.initial_guess) == 7
    owner.positions = owner.positions + 0.1
    owner.solve()
    np.testing.assert_array_equal(STARTS[-1], owner.positions)
    np.testing.assert_array_equal(owner.problem.initial_guess, owner.positions)
    guess = np.linspace(0.3, -0.3, 7)
    owner.problem.initial_guess = guess
    owner.positions = owner.positions + 0.1
    owner.solve()
    np.testing.assert_array_equal(STARTS[-1], guess)
    np.testing.assert_array_equal(owner.problem.initial_guess, guess)
    owner.reset_problem()
    owner.solve()
    np.testing.assert_array_equal(STARTS[-1], owner.positions)


def test_an_initial_guess_goes_with_copies_of_the_same_dofs() -> None:
    ik = module()
    ik.solver = Standing()
    guess = np.linspace(0.3, -0.3, 7)
    ik.problem.initial_guess = guess
    robot = ik.node.skeleton.clone()
    copy = InverseKinematics.of(robot.end_effector("tool"))
    copy.positions = np.zeros(7)
    copy.solve()
    np.testing.assert_array_equal(STARTS[-1], guess)
    other = gallery.humanoid().end_effector("left_hand")
    with pytest.raises((EditError, KeyError)):
        ik.clone(other)
    plain = module()
    plain.solver = Standing()
    assert plain.problem.dimension == 7
    moved = InverseKinematics.of(plain.node.skeleton.clone().end_effector("tool"))
    moved.positions = np.full(7, 0.2)
    moved.solve()
    np.testing.assert_array_equal(STARTS[-1], np.full(7, 0.2))
