"""Hierarchies of random modules: what a result says of targets and objectives is so."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from _effort import EFFORT, examples
from _random_parts import METHODS, ROBOTS, Catenaries
from numpy.testing import assert_array_equal

from kido import InverseKinematics, SearchSettings
from kido.ik import JacobianPseudoinverse, LookAt, WholeBodyIK
from kido.optimize import QuadraticFunction

SEEDS = range(150) if EFFORT == 1 else np.random.default_rng().integers(1 << 30, size=examples(150)).tolist()


SINGULAR = 1e-3
"""Derivative of a square at the positions that the tolerance of 1e-6 m leaves."""


def hierarchy(seed: int) -> tuple[WholeBodyIK, list[InverseKinematics]]:
    """Two to four modules in two levels, whose targets some posture reaches all."""
    rng = np.random.default_rng(seed)
    robot = ROBOTS[rng.choice(4, p=[0.15, 0.15, 0.35, 0.35])]()
    low = np.maximum(robot.position_lower_limits, -2.0)
    high = np.minimum(robot.position_upper_limits, 2.0)
    reached = np.clip(0.6 * rng.uniform(low, high), low, high)
    robot.positions = reached
    nodes = [body for body in robot.bodies if len(body.dependent_dof_indices) >= 2]
    chosen = [nodes[i] for i in rng.choice(len(nodes), rng.integers(2, 5), replace=False)]
    targets = [node.transform() for node in chosen]
    robot.positions = np.clip(reached + rng.uniform(-0.4, 0.4, robot.num_dofs), low, high)
    modules = []
    for node, target in zip(chosen, targets, strict=True):
        module = node.create_addon(InverseKinematics)
        module.error_method = METHODS[rng.integers(len(METHODS))](rng.uniform(0.001, 0.1, 3))
        module.hierarchy_level = int(rng.integers(2))
        module.use_whole_body()
        if isinstance(module.error_method, LookAt):
            target[:3, 3] += 2.0 * target[:3, 2]
        module.target.set_transform(target)
        modules.append(module)
    if rng.random() < 0.2:
        modules[0].gradient_method = JacobianPseudoinverse()
    made = WholeBodyIK(robot)
    made.settings = SearchSettings(max_starts=int(rng.choice([1, 5, 30])), time_budget=60.0)
    center = robot.positions + rng.uniform(-0.3, 0.3, robot.num_dofs)
    match rng.integers(4):
        case 1:
            made.objective = QuadraticFunction(center)
        case 2:
            made.objective = Catenaries(center)
        case 3:
            made.null_space_objective = QuadraticFunction(center, rng.uniform(0.1, 3.0, robot.num_dofs))
    return made, modules


@pytest.mark.parametrize("first", range(0, len(SEEDS), 15))
def test_what_results_say_is_so(first: int) -> None:
    solved = 0
    for seed in SEEDS[first : first + 15]:
        made, modules = hierarchy(int(seed))
        robot = made.skeleton
        before = robot.positions
        result = made.solve()
        assert_array_equal(robot.positions, before)
        assert (result.positions >= robot.position_lower_limits - 1e-12).all(), seed
        assert (result.positions <= robot.position_upper_limits + 1e-12).all(), seed
        if seed % 5 == 0:
            assert_array_equal(pickle.loads(pickle.dumps(made)).solve().positions, result.positions)
        robot.positions = result.positions
        errors = [max(module.error_lengths(module.counted_error)) for module in modules]
        assert result.success == (max(errors) <= 1e-6 * (1.0 + 1e-6)), seed
        solved += result.success
        if result.success and made.has_objectives:
            assert result.stationarity is not None
            assert result.stationarity <= 2e-6 or least_singular_value(modules) < SINGULAR, seed
    assert solved >= 12


def least_singular_value(modules: list[InverseKinematics]) -> float:
    """Of the derivatives of what modules hold at the present positions, by the dofs off their limits.

    Where these depend on each other, an objective has no multipliers, and may have a minimum all the same.
    """
    robot, rows = modules[0].node.skeleton, []
    for module in modules:
        part = module.weighted_error_and_jacobian()[1]
        if module.has_bounds:
            bounds = module.error_method.compute_bounds(module)
            assert bounds is not None
            held = np.minimum(np.abs(bounds.lower), np.abs(bounds.upper)) <= 1e-5
            part = np.asarray(bounds.jacobian)[held]
        whole = np.zeros((len(part), robot.num_dofs))
        whole[:, module.dof_indices] = part
        rows.append(whole)
    q = robot.positions
    free = (q > robot.position_lower_limits + 1e-9) & (q < robot.position_upper_limits - 1e-9)
    held_rows = np.concatenate(rows)[:, free]
    sizes = np.linalg.svd(held_rows[np.linalg.norm(held_rows, axis=1) > 0.0], compute_uv=False)
    return float(sizes[sizes > 1e-12 * sizes.max()].min())


@pytest.mark.parametrize("seed", [738016559, 795663681, 857854746, 1010346047])
def test_beside_singular_positions_it_is_said_that_a_gradient_is_left(seed: int) -> None:
    """A plane that touches the sphere on which a link moves, or a line likewise, holds it by the square of a
    position: there are no multipliers, and an objective has no minimum that they would show."""
    made, modules = hierarchy(seed)
    result = made.solve()
    assert result.success and "the objective is not at a minimum" in result.message
    made.skeleton.positions = result.positions
    assert least_singular_value(modules) < SINGULAR
