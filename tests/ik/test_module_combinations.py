"""Modules of random parts: errors, objectives, gradient methods, dofs. What a result says is so."""

from __future__ import annotations

import numpy as np
import pytest
from _effort import EFFORT, examples
from _random_parts import GRADIENT_METHODS, METHODS, ROBOTS, Catenaries
from numpy.testing import assert_array_equal

import kido
from kido import InverseKinematics, SearchSettings
from kido.ik import LookAt
from kido.optimize import QuadraticFunction
from kido.typing import FloatArray

Case = tuple[InverseKinematics, list[kido.DegreeOfFreedom]]


def case(seed: int) -> Case:
    """A module, and the dofs that stay. Most targets can be reached."""
    rng = np.random.default_rng(seed)
    robot = ROBOTS[rng.integers(len(ROBOTS))]()
    low = np.maximum(robot.position_lower_limits, -2.0)
    high = np.minimum(robot.position_upper_limits, 2.0)
    nodes = [body for body in robot.bodies if len(body.dependent_dof_indices) >= 5]
    node = nodes[rng.integers(len(nodes))]
    robot.positions = np.clip(0.6 * rng.uniform(low, high), low, high)
    target = node.transform()
    module = InverseKinematics(node)
    module.error_method = METHODS[rng.integers(len(METHODS))](rng.uniform(0.001, 0.1, 3))
    if rng.random() < 0.5:
        module.use_whole_body()
    start, moved = robot.positions.copy(), module.dof_indices
    start[moved] = np.clip(start + rng.uniform(-0.4, 0.4, robot.num_dofs), low, high)[moved]
    robot.positions = start
    if isinstance(module.error_method, LookAt):
        target[:3, 3] += 2.0 * target[:3, 2]
    target[:3, 3] += [30.0 * (rng.random() < 0.15), 0.0, 0.0]
    module.target.set_transform(target)
    choose_objective(module, rng)
    method = GRADIENT_METHODS[rng.integers(len(GRADIENT_METHODS))]
    if method is not None:
        module.gradient_method = method
    module.settings = SearchSettings(
        nearest=rng.random() < 0.3, max_starts=int(rng.choice([1, 5, 30])), time_budget=60.0
    )
    frozen = rng.choice(len(module.dofs), 2, replace=False) if rng.random() < 0.25 and len(moved) > 2 else []
    return module, [module.dofs[i] for i in frozen]


def choose_objective(module: InverseKinematics, rng: np.random.Generator) -> None:
    count = len(module.dofs)
    center = module.positions + rng.uniform(-0.5, 0.5, count)
    match rng.integers(4):
        case 1:
            module.objective = QuadraticFunction(center)
        case 2:
            module.objective = Catenaries(center)
        case 3:
            module.null_space_objective = QuadraticFunction(center, rng.uniform(0.1, 3.0, count))


SEEDS = range(200) if EFFORT == 1 else np.random.default_rng().integers(1 << 30, size=examples(200)).tolist()


@pytest.mark.parametrize("first", range(0, len(SEEDS), 20))
def test_what_results_say_is_so(first: int) -> None:
    for seed in SEEDS[first : first + 20]:
        module, frozen = case(int(seed))
        before = module.node.skeleton.positions
        try:
            result = module.solve(frozen=frozen)
        except ValueError as error:
            assert "at least one dof of the module to be left" in str(error), seed
            continue
        assert_array_equal(module.node.skeleton.positions, before)
        low, high = module.position_limits
        assert (result.positions >= low - 1e-12).all() and (result.positions <= high + 1e-12).all(), seed
        for dof in frozen:
            assert result.positions[module.dofs.index(dof)] == before[dof.index], seed
        with module.at(result.positions):
            errors = module.error_lengths(module.counted_error)
        if result.success:
            assert max(errors) <= 1e-6 * (1.0 + 1e-9), seed
            assert (result.stationarity is None) == (not module.has_objectives), seed
            if result.stationarity is not None and not is_half_turn(module, result.positions):
                assert result.stationarity <= 2e-6, seed
        assert_array_equal(module.solve(frozen=frozen).positions, result.positions)


def is_half_turn(module: InverseKinematics, q: FloatArray) -> bool:
    """Whether a base is turned by half a turn, where quadratic functions of its rotation vector jump."""
    is_free = isinstance(module.dofs[0].joint, kido.FreeJoint)
    return is_free and bool(np.linalg.norm(q[:3]) > np.pi - 1e-3)
