"""Same input, same bits: whatever the batch, the threads and the instruction set."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
import pytest
from _effort import examples
from _methods import METHODS, Method, at_body
from _random_trees import Robot, every_joint, robots
from hypothesis import HealthCheck, assume, given, settings

import kido
from kido import _core
from kido.description import Inertia, JointDescription, LinkDescription, RobotDescription

THREADS = (1, 2, 3)
SMALL = range(1, 18)
LARGE = 1000

TRAJECTORY = "8b0e6611f1d88188a7a9b526e56a1b2efed85051364fc621b80a4058fdbba4c6"
"""sha256 of the last positions and velocities of `simulate(humanoid(), start)`."""


def bits(arrays: tuple[np.ndarray, ...]) -> bytes:
    return b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)


def same_bits(results: tuple[np.ndarray, ...], expected: tuple[np.ndarray, ...]) -> bool:
    pairs = zip(results, expected, strict=True)
    return all(np.array_equal(a.view(np.uint64), b.view(np.uint64)) for a, b in pairs)


def runtimes() -> Iterator[tuple[int, str]]:
    """Switches to every number of threads with every instruction set in turn."""
    for instructions in _core.instruction_sets():
        _core.set_instruction_set(instructions)
        for threads in THREADS:
            kido.set_num_threads(threads)
            yield threads, instructions


@pytest.fixture(scope="module")
def robot() -> Robot:
    return every_joint()


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_one_state_has_the_bits_of_any_row_of_any_batch(method: Method, robot: Robot) -> None:
    tree, asked = robot.tree, at_body(method, robot.tree.num_bodies - 1)
    batch = asked.arguments(robot, (LARGE,))
    kido.set_num_threads(1)
    reference = asked.results(tree, *batch)
    alone = [bits(asked.results(tree, *(x[row] for x in batch))) for row in range(SMALL[-1])]
    assert [bits(tuple(x[row] for x in reference)) for row in range(len(alone))] == alone
    for runtime in runtimes():
        assert same_bits(asked.results(tree, *batch), reference), runtime
        for size in SMALL:
            results = asked.results(tree, *(x[:size] for x in batch))
            assert [bits(tuple(x[row] for x in results)) for row in range(size)] == alone[:size], runtime
        for row, expected in enumerate(alone):
            assert bits(asked.results(tree, *(x[row] for x in batch))) == expected, runtime


@pytest.mark.usefixtures("runtime")
@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(robot=robots())
def test_random_trees_have_the_same_bits_in_batches(robot: Robot) -> None:
    assume(robot.tree.total_mass > 0.0)
    for method in METHODS:
        asked = at_body(method, robot.body())
        batch = asked.arguments(robot, (11,))
        alone = [bits(asked.results(robot.tree, *(x[row] for x in batch))) for row in range(11)]
        for runtime in runtimes():
            results = asked.results(robot.tree, *batch)
            assert [bits(tuple(x[row] for x in results)) for row in range(11)] == alone, (method, runtime)


def humanoid() -> kido.Tree:
    """A free torso with four limbs of six or seven joints, a ball-jointed head and a screw.

    All numbers are sums of few powers of two, so that every machine compiles the same constants.
    """
    parts = {
        "leg_l": ((0.0, 0.125, -0.25), "yxzyyx"),
        "leg_r": ((0.0, -0.125, -0.25), "yxzyyx"),
        "arm_l": ((0.0, 0.25, 0.375), "yxzyxyz"),
        "arm_r": ((0.0, -0.25, 0.375), "yxzyxyz"),
    }
    links = [LinkDescription("torso", Inertia(16.0, (0.0, 0.03125, 0.125), np.diag([0.5, 0.5, 0.25])))]
    joints = [JointDescription("root", "free", None, "torso")]

    def attach(name: str, kind: str, parent: str, place: tuple[float, ...], axes: object = ()) -> None:
        T = np.eye(4)
        T[:3, 3] = place
        moment = [[0.0625, 0.0, 0.0078125], [0.0, 0.0625, 0.0], [0.0078125, 0.0, 0.03125]]
        links.append(LinkDescription(name, Inertia(1.5, (0.015625, 0.0, -0.0625), moment)))
        joints.append(JointDescription(f"j_{name}", kind, parent, name, T, axes=axes, pitch=0.125))

    for limb, (shoulder, letters) in parts.items():
        parent, place = "torso", shoulder
        for number, letter in enumerate(letters):
            attach(f"{limb}{number}", "revolute", parent, place, np.eye(3)["xyz".index(letter)])
            parent, place = f"{limb}{number}", (0.03125, 0.0, -0.125)
    attach("head", "ball", "torso", (0.0, 0.0, 0.5))
    attach("antenna", "screw", "head", (0.0, 0.0, 0.25), (0.0, 0.0, 1.0))
    return kido.Tree.from_description(RobotDescription("humanoid", links, joints))


def start(tree: kido.Tree) -> np.ndarray:
    return 0.03125 * (np.arange(tree.num_dofs) % 7 - 3.0)


def simulate(tree: kido.Tree, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """200 steps of semi-implicit Euler with damped joints that pull back to zero."""
    v, dt = np.zeros_like(q), 0.0078125
    passive = np.ones(tree.num_dofs)
    passive[:6] = 0.0
    for _ in range(200):
        v = v + dt * tree.forward_dynamics(q, v, -passive * (0.5 * v + 4.0 * q))
        q = tree.integrate(q, v, dt)
    return q, v


def digest(q: np.ndarray, v: np.ndarray) -> str:
    return hashlib.sha256(bits((q, v))).hexdigest()


@pytest.mark.usefixtures("runtime")
def test_a_simulated_trajectory_has_the_same_bits_everywhere_and_always() -> None:
    tree = humanoid()
    assert tree.num_dofs == 36
    first = start(tree)
    for runtime in runtimes():
        q, v = simulate(tree, first)
        assert np.abs(v).max() < 100.0
        assert digest(q, v) == TRAJECTORY, runtime


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("size", [1, 3, 8, 17])
def test_the_trajectory_has_the_same_bits_in_a_batch(size: int) -> None:
    tree = humanoid()
    rows = start(tree) * np.linspace(1.0, 0.0, size)[:, None]
    for runtime in runtimes():
        q, v = simulate(tree, rows)
        assert digest(q[0], v[0]) == TRAJECTORY, runtime
