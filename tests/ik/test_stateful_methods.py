"""Gradient methods that keep a state between steps."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _checks import assert_named_by_check

import kido
from kido import InverseKinematics
from kido.ik import CompositeIK, GradientMethod, PositionError, SearchSettings, StatefulGradientMethod
from kido.optimize import GradientDescentSolver
from kido.skeleton import SkeletonProperties

Array = np.ndarray
Q = np.array([0.3, 0.5, 0.8, -0.2, 0.6, 0.1])


TOLD: list[tuple[str, Array, Array, Array]] = []
"""What methods that tell were asked: node, positions, state and step, which is the next state."""


@pytest.fixture(autouse=True)
def nothing_told() -> None:
    TOLD.clear()


@dataclass(frozen=True)
class HeavyBall(StatefulGradientMethod):
    """The transpose with momentum (Polyak, 1964)."""

    memory: float = 0.8
    gain: float = 0.3

    def initial_state(self, ik: InverseKinematics) -> Array:
        return np.zeros(len(ik.dofs))

    def compute_step(
        self, ik: InverseKinematics, error: Array, jacobian: Array, state: Array
    ) -> tuple[Array, Array]:
        step = self.gain * jacobian.T @ error + self.memory * state
        return step, step


class Telling(HeavyBall):
    """The same, which tells."""

    def compute_step(
        self, ik: InverseKinematics, error: Array, jacobian: Array, state: Array
    ) -> tuple[Array, Array]:
        step, after = super().compute_step(ik, error, jacobian, state)
        TOLD.append((ik.node.name, ik.positions, state, step))
        return step, after


def module(distance: float = 0.3, **settings: Any) -> InverseKinematics:
    """An arm without limits, and a target where dofs `distance` [rad] away put it."""
    arm = kido.load("examples/arm.urdf")
    arm.position_lower_limits, arm.position_upper_limits = np.full(6, -np.inf), np.full(6, np.inf)
    arm.positions = Q
    ik = InverseKinematics.of(arm.body("tool"))
    ik.target.set_transform(arm.tree.transform(Q + distance, "tool"))
    ik.settings = SearchSettings(**{"max_starts": 1, "mirrors": 0, "time_budget": 60.0, **settings})
    return ik


def begun(told: list[tuple[str, Array, Array, Array]]) -> list[int]:
    """Which of the steps began with a new state; each of the others has that of the step before."""
    found = [0]
    for i in range(1, len(told)):
        if told[i][2] is not told[i - 1][3]:
            np.testing.assert_array_equal(told[i][2], 0.0)
            found.append(i)
    return found


def test_a_search_takes_the_steps_of_the_recursion() -> None:
    ik = module()
    ik.error_method = PositionError()
    ik.gradient_method = HeavyBall()
    result = ik.solve()
    assert result.success and result.iterations > 30
    velocity = np.zeros(6)
    for _ in range(result.iterations):
        error, J = ik.weighted_error_and_jacobian()
        velocity = 0.3 * J.T @ error + 0.8 * velocity
        ik.positions = ik.positions - velocity
    np.testing.assert_allclose(ik.positions, result.positions, atol=1e-12)


def test_momentum_gets_where_steps_without_memory_do_not() -> None:
    ik = module()
    ik.gradient_method = HeavyBall()
    assert ik.solve().success
    ik.gradient_method = HeavyBall(memory=0.0)
    assert not ik.solve().success


def test_a_state_goes_from_step_to_step_and_begins_anew_at_each_start() -> None:
    ik = module(max_starts=4)
    ik.target.set_translation((5.0, 0.0, 0.0))  # out of reach
    ik.gradient_method = Telling(memory=0.1)
    assert not ik.solve().success
    starts = begun(TOLD)
    assert len(starts) >= 4
    for i in range(1, len(TOLD)):
        _, before, _, step = TOLD[i - 1]
        moved = before - TOLD[i][1]
        follows = np.linalg.norm(moved) > 0.0 and abs(moved @ step) > (1 - 1e-9) * np.linalg.norm(
            moved
        ) * np.linalg.norm(step)
        assert follows == (i not in starts), i


def test_a_state_begins_anew_at_a_mirror_image() -> None:
    counts = []
    for mirrors in (0, 3):
        ik = module(mirrors=mirrors)
        robot = ik.node.skeleton
        robot.position_lower_limits, robot.position_upper_limits = np.full(6, -2.0), np.full(6, 2.0)
        ik.target.set_translation((5.0, 0.0, 0.0))
        ik.gradient_method = Telling(memory=0.1)
        ik.solve()
        counts.append(len(begun(TOLD)))
        TOLD.clear()
    assert counts[1] >= counts[0] + 3


def test_every_question_begins_anew() -> None:
    ik = module()
    ik.gradient_method = Telling()
    first = ik.solve()
    TOLD.clear()
    assert ik.solve() == first
    np.testing.assert_array_equal(TOLD[0][2], 0.0)
    targets = np.stack([ik.target.transform()] * 3)
    together = ik.solve_batch(targets)
    np.testing.assert_array_equal(together.positions, [first.positions] * 3)


def test_a_robot_of_many_meters_keeps_its_state_too() -> None:
    ik = module()
    ik.offset = (0.0, 0.0, 50.0)
    with ik.at(Q + 0.01):
        pose = ik.transform()
    ik.target.set_transform(pose)
    ik.gradient_method = Telling(memory=0.3, gain=1e-4)
    ik.solve()
    assert len(TOLD) > 100 and len(begun(TOLD)) < len(TOLD) / 5


def test_modules_with_one_method_have_states_of_their_own() -> None:
    ik = module()
    elbow = InverseKinematics.of(ik.node.skeleton.bodies[3])
    elbow.error_method = PositionError()
    elbow.hierarchy_level = 1
    method = Telling(memory=0.3)
    ik.gradient_method = elbow.gradient_method = method
    assert len(elbow.dofs) != len(ik.dofs)
    both = CompositeIK(ik.node.skeleton, [ik, elbow])
    both.solve()
    for name in (ik.node.name, elbow.node.name):
        told = [one for one in TOLD if one[0] == name]
        assert len(told) > 20 and len(begun(told)) < len(told) / 5


def test_threads_that_share_a_method_do_not_share_states() -> None:
    method = HeavyBall()
    modules = [module(distance) for distance in (0.1, 0.2, 0.3, 0.4)]
    for ik in modules:
        ik.gradient_method = method
    alone = [ik.solve() for ik in modules]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(InverseKinematics.solve, modules)) == alone


def test_dofs_that_are_frozen_have_no_part_in_the_state() -> None:
    ik = module()
    ik.error_method = PositionError()
    ik.gradient_method = Telling()
    ik.solve(frozen=[ik.dofs[1]])
    assert {len(state) for _, _, state, _ in TOLD} == {5}


def test_methods_with_state_are_values(tmp_path: Path) -> None:
    ik = module()
    ik.gradient_method = HeavyBall(0.7)
    result = ik.solve()
    robot = ik.node.skeleton
    assert ik.gradient_method == HeavyBall(0.7) != HeavyBall()
    for other in (robot.clone(), pickle.loads(pickle.dumps(robot))):
        copy = InverseKinematics.of(other.body("tool"))
        assert copy.gradient_method == ik.gradient_method
        assert copy.solve() == result
    robot.properties.save(tmp_path / "robot.json")
    types = [HeavyBall, InverseKinematics]
    assert SkeletonProperties.load(tmp_path / "robot.json", types) == robot.properties


def test_gradients_and_problems_see_first_steps() -> None:
    ik = module()
    ik.gradient_method = HeavyBall()
    error, J = ik.weighted_error_and_jacobian()
    np.testing.assert_allclose(ik.gradient_method.compute_gradient(ik, error, J), 0.3 * J.T @ error)
    first = ik.gradient()
    np.testing.assert_array_equal(ik.gradient(), first)
    steps = CompositeIK(ik.node.skeleton, [ik])
    np.testing.assert_allclose(steps.step().velocities(np.ones(6), np.zeros(6), [1.0]), -first, atol=1e-12)
    ik.settings = SearchSettings()  # those of the search are not the solver's
    answers = []
    for memory in (0.0, 0.8):
        ik.gradient_method = HeavyBall(memory=memory)
        ik.solver = GradientDescentSolver(step_size=1.0, max_iterations=20)
        answers.append(ik.solve().positions)
    np.testing.assert_array_equal(*answers)


# ---- checks


class Ball(StatefulGradientMethod):
    """A base for what is wrong."""

    def initial_state(self, ik: InverseKinematics) -> Any:
        return np.zeros(len(ik.dofs))

    def compute_step(self, ik: InverseKinematics, error: Any, jacobian: Any, state: Any) -> Any:
        step = 0.3 * jacobian.T @ error + 0.5 * state
        return step, step


class Uphill(Ball):
    def compute_step(self, ik: InverseKinematics, error: Any, jacobian: Any, state: Any) -> Any:
        step, after = super().compute_step(ik, error, jacobian, state)
        return -step, after


class NoPair(Ball):
    def compute_step(self, ik: InverseKinematics, error: Any, jacobian: Any, state: Any) -> Any:
        return super().compute_step(ik, error, jacobian, state)[0]


class ChangingItsState(Ball):
    def compute_step(self, ik: InverseKinematics, error: Any, jacobian: Any, state: Any) -> Any:
        state += 0.3 * jacobian.T @ error
        return state.copy(), state


class KeepingItItself(Ball):
    def __init__(self) -> None:
        super().__init__()
        self.velocity: Any = 0.0

    def compute_step(self, ik: InverseKinematics, error: Any, jacobian: Any, state: Any) -> Any:
        self.velocity = 0.3 * jacobian.T @ error + 0.5 * self.velocity
        return self.velocity, state


class BeginningAnywhere(Ball):
    count = 0

    def initial_state(self, ik: InverseKinematics) -> Any:
        BeginningAnywhere.count += 1
        return np.full(len(ik.dofs), 1e-6 * BeginningAnywhere.count)


class EndingInNothing(Ball):
    def compute_step(self, ik: InverseKinematics, error: Any, jacobian: Any, state: Any) -> Any:
        step, _ = super().compute_step(ik, error, jacobian, state)
        return step, np.full(len(step), np.nan)


WRONG = [
    (Uphill, r"Uphill\.compute_step: expected a step that lowers the error, .*opposite sign"),
    (NoPair, r"NoPair\.compute_step: expected a pair of velocities and state, got ndarray"),
    (ChangingItsState, r"ChangingItsState\.compute_step: expected the same .* with the same state, which is"),
    (KeepingItItself, r"KeepingItItself\.compute_step: expected the same at the same positions"),
    (BeginningAnywhere, r"BeginningAnywhere\.compute_step: expected the same at the same positions"),
    (EndingInNothing, r"EndingInNothing\.compute_step: expected finite numbers"),
]


@pytest.mark.parametrize(("kind", "message"), WRONG)
def test_a_method_whose_state_is_wrong_is_named(kind: type[GradientMethod], message: str) -> None:
    ik = module()
    assert_named_by_check(ik, kind(), message)


def test_a_method_with_state_that_is_right_passes() -> None:
    ik = module()
    HeavyBall().check(ik)
    Ball(component_clamp=0.01).check(ik)


@pytest.mark.parametrize("kind", [NoPair, EndingInNothing])
def test_what_is_no_step_ends_a_search_by_its_name(kind: type[GradientMethod]) -> None:
    ik = module()
    ik.gradient_method = kind()
    with pytest.raises((TypeError, ValueError), match=rf"^{kind.__name__}\.compute_step: expected"):
        ik.solve()
    np.testing.assert_array_equal(ik.positions, Q)


def test_a_method_with_state_needs_both_members() -> None:
    class Half(StatefulGradientMethod):
        def initial_state(self, ik: InverseKinematics) -> None:
            return None

    with pytest.raises(TypeError, match="compute_step"):
        Half()  # type: ignore[abstract]
