"""Clones in threads answer as one after the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from _moving_skeletons import branched, with_springs
from _own_extensions import Cam, Coupler, Thermometer
from _rebuilt import Answers, answers, assert_same_answers

import kido

WORKERS = 4
ROUNDS = 6


def busy(skeleton: kido.Skeleton, seed: int) -> list[Answers]:
    """Set, ask, edit and clone, always the same for the same seed."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(ROUNDS):
        skeleton.positions = rng.uniform(-1.0, 1.0, skeleton.num_dofs)
        skeleton.velocities = rng.uniform(-1.0, 1.0, skeleton.num_dofs)
        found.append(answers(skeleton))
        body = skeleton.bodies[int(rng.integers(1, skeleton.num_bodies))]
        body.mass = body.mass + 1.0
        body.parent_joint.T_parent_joint = rng.uniform(-1.0, 1.0, 3)
        skeleton.damping = rng.uniform(0.0, 1.0)
        body.copy_to(recursive=False)
        found.append(answers(skeleton.clone()))
    return found


def robot() -> kido.Skeleton:
    skeleton = with_springs(branched(2))
    cam = skeleton.add_body("cam", skeleton.bodies[2], Cam())
    skeleton.add_body("coupler", cam, Coupler()).add_end_effector("tip", (0.1, 0.0, 0.0))
    Thermometer(cam, "t")
    return skeleton


def assert_threads_change_nothing(original: kido.Skeleton) -> None:
    expected = [busy(original.clone(), seed) for seed in range(WORKERS)]
    before = answers(original)
    clones = [original.clone() for _ in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS) as pool:
        found = list(pool.map(busy, clones, range(WORKERS)))
    for mine, theirs in zip(found, expected, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            assert_same_answers(a, b)
    assert_same_answers(answers(original), before)


def test_clones_in_threads_answer_as_one_after_the_other() -> None:
    assert_threads_change_nothing(with_springs(branched(4)))


def test_clones_with_user_joints_answer_the_same_in_threads() -> None:
    assert_threads_change_nothing(robot())


def test_one_skeleton_can_be_cloned_by_several_threads_at_once() -> None:
    original = robot()
    expected = answers(original)
    with ThreadPoolExecutor(WORKERS) as pool:
        clones = list(pool.map(lambda _: original.clone(), range(20)))
    for clone in clones:
        assert_same_answers(answers(clone), expected)
