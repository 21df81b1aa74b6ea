"""Global inverse kinematics never proves that a posture does not exist which does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from _arms import Arm, Array, turn
from _effort import examples
from _prismatic_arms import random_arm
from _reach import skeleton_of

import kido
from _robots import loaded
from kido import _core
from kido.ik import GlobalIK

ROBOTS = {
    "ur_description/urdf/ur5_robot.urdf": "ee_link",
    "panda_description/urdf/panda.urdf": "panda_link8",
    "xarm_description/urdf/xarm7.urdf": "link7",
}
PATTERNS = ("RRRRRR", "RPRRRR", "PPPRRR", "RRRRRRR", "RRPR", "PRP", "RR", "P", "RRRRPRRR")


def native(
    robot: kido.Skeleton, body: int, tool: Array, lower: Array, upper: Array, target: Array
) -> tuple[_core.LoopProver, _core.Loop]:
    """The native problem in a box of joint positions, and its loop."""
    count = robot.num_dofs
    couplings = np.stack([np.arange(count, dtype=float), np.ones(count), np.zeros(count)], axis=1)
    loop = _core.Loop(robot.tree, couplings)
    loop.fixed(np.linalg.inv(target))
    loop.path(-1, body)
    loop.fixed(tool)
    prover = _core.LoopProver(lower, upper, 0.3)
    return prover, loop


def proves(prover: _core.LoopProver, resolution: float) -> bool:
    """Whether the native branch and bound calls a box infeasible, without a search that finds a posture."""
    verdict, *_ = prover.solve(
        start=None,
        time_budget=10.0,
        most_nodes=300,
        resolution=resolution,
        most_leaves=4,
        starts=0,
        seed=0,
        all_regions=True,
    )
    return verdict == 1


def arms(rng: np.random.Generator) -> Iterator[tuple[kido.BodyNode, Array, Array]]:
    """Last bodies of robots, and limits of their dofs."""
    for pattern in PATTERNS:
        arm = random_arm(pattern, rng)
        widest = np.where(np.array(arm.is_prismatic), 0.5, np.pi)
        yield skeleton_of(arm, -widest, widest).bodies[-1], -widest, widest
    for file, name in ROBOTS.items():
        robot = loaded(file)
        lower, upper = robot.position_lower_limits, robot.position_upper_limits
        yield robot.body(name), np.maximum(lower, -np.pi), np.minimum(upper, np.pi)


def box_around(q: Array, lower: Array, upper: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """A box of random widths that holds positions, at its edges now and then."""
    width = 10.0 ** rng.uniform(-8.0, 0.8, len(q))
    share = rng.random(len(q))
    share = np.where(rng.random(len(q)) < 0.2, np.round(share), share)
    return np.maximum(lower, q - width * share), np.minimum(upper, q + width * (1.0 - share))


def boxes_tested(rounds: int, seed: int) -> list[str]:
    """Descriptions of boxes around known postures that were called infeasible."""
    rng = np.random.default_rng(seed)
    wrong = []
    for _ in range(rounds):
        for tip, lower, upper in arms(rng):
            robot = tip.skeleton
            q = rng.uniform(lower, upper)
            if rng.random() < 0.3:  # singular postures, and axes that point at each other
                q = np.clip(np.round(q / (np.pi / 4)) * (np.pi / 4), lower, upper)
            body = tip.index
            tool = np.eye(4)
            tool[:3, 3] = rng.uniform(-0.2, 0.2, 3)
            target = robot.tree.transform(q, body) @ tool
            low, high = box_around(q, lower, upper, rng)
            tolerance = 0.0 if rng.random() < 0.3 else 10.0 ** rng.uniform(-11.0, -3.0)
            for pose in (True, False):
                prover, loop = native(robot, body, tool, low, high, target)
                prover.add_loop(loop, True, pose, tolerance, tolerance)
                if proves(prover, 10.0 ** rng.uniform(-6.0, 0.0)):
                    wrong.append(f"{robot.name}, pose {pose}, tolerance {tolerance}, {q}, {low}, {high}")
    return wrong


def test_boxes_around_known_postures_are_never_called_infeasible() -> None:
    assert boxes_tested(examples(60), 0) == []


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1, 11))
def test_a_million_boxes_around_known_postures_are_never_called_infeasible(seed: int) -> None:
    assert boxes_tested(4170, seed) == []  # 24 boxes a round, 100 080 in all


def targets_tested(rounds: int, seed: int) -> list[str]:
    """Reachable targets that were called infeasible, or were not reached."""
    rng = np.random.default_rng(seed)
    wrong = []
    for _ in range(rounds):
        for file, tip in ROBOTS.items():
            robot = loaded(file)
            q = rng.uniform(robot.position_lower_limits, robot.position_upper_limits)
            search = GlobalIK(robot)
            search.set_initial_guess(np.zeros(robot.num_dofs))
            pose = robot.tree.transform(q, robot.body(tip).index)
            if rng.random() < 0.5:
                search.add_world_pose_constraint(robot.body(tip), pose)
            else:
                search.add_world_position_constraint(robot.body(tip), pose[:3, 3], tolerance=1e-3)
            if not search.solve(seed=int(rng.integers(1000))):
                wrong.append(f"{robot.name}: {q}")
    return wrong


def test_reachable_targets_are_reached() -> None:
    assert targets_tested(examples(50), 2) == []


@pytest.mark.nightly
def test_many_reachable_targets_are_reached() -> None:
    assert targets_tested(33_400, 3) == []


def least_gap(arm: Arm, q: Array, target: Array) -> float:
    """Smallest distance between the arm's tool at positions (m, n) and a target [m]."""
    gaps = np.linalg.norm(arm.forward(q)[:, :3, 3] - target, axis=1)
    return float(gaps.min())


@pytest.mark.parametrize("seed", range(4))
def test_lower_bounds_are_below_what_sampling_finds(seed: int) -> None:
    """Arms of three joints sampled densely: samples come within a grid's distance of the true gap."""
    rng = np.random.default_rng(seed)
    arm = random_arm("RRR" if seed % 2 else "RPR", rng)
    widest = np.array([1.0, 0.3 if arm.is_prismatic[1] else 1.0, 1.0])
    robot = skeleton_of(arm, -widest, widest)
    grid = np.linspace(-1.0, 1.0, 41)
    q = np.stack(np.meshgrid(grid, grid, grid), axis=-1).reshape(-1, 3) * widest
    decided = 0
    for _ in range(8):
        target = arm.forward(rng.uniform(-widest, widest)[None])[0, :3, 3] + rng.normal(size=3) * 0.2
        gap = least_gap(arm, q, target)
        search = GlobalIK(robot)
        search.add_world_position_constraint(robot.end_effector("tool"), target)
        bound = search.lower_bound()
        assert bound <= gap
        decided += bound > 0.0
        if gap > 0.15:  # a step of the grid moves the tool by less
            assert search.solve().infeasible
            assert bound > 0.3 * (gap - 0.15)
    assert decided > 0


def test_the_oracle_arm_is_the_skeleton() -> None:
    rng = np.random.default_rng(5)
    arm = random_arm("RPRR", rng)
    robot = skeleton_of(arm, np.full(4, -1.0), np.full(4, 1.0))
    q = rng.uniform(-1.0, 1.0, 4)
    robot.positions = q
    assert np.abs(robot.end_effector("tool").transform() - arm.forward(q[None])[0]).max() < 1e-12
    assert np.abs(turn(np.array([0.0, 0.0, 1.0]), np.array(0.0)) - np.eye(3)).max() == 0.0
