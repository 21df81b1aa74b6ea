"""Clones in threads answer as one after the other, and threads may ask one skeleton at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from _moving_skeletons import branched, with_springs
from _own_extensions import Cam, Coupler, Thermometer
from _processes import LINUX, output_of
from _rebuilt import Answers, answers, assert_same_answers

import kido

WORKERS = 4
ROUNDS = 6


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


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


FIRST_QUESTIONS: dict[str, Callable[[kido.Skeleton], object]] = {
    "transform": lambda s: s.bodies[-1].transform(),
    "jacobian": lambda s: s.bodies[-1].jacobian(),
    "joint": lambda s: s.bodies[-1].parent_joint.relative_transform,
    "mass matrix": lambda s: s.mass_matrix,
    "forward dynamics": lambda s: s.compute_forward_dynamics(),
    "center of mass": lambda s: s.com(),
    "tree": lambda s: s.tree,
    "energy": lambda s: s.kinetic_energy,
    "state": lambda s: s.state,
    "clone": lambda s: s.clone(),
}


def soft() -> kido.Skeleton:
    skeleton = with_springs(branched(2))
    body = skeleton.add_body("cushion", skeleton.bodies[1], kido.RevoluteJoint("hinge"))
    body.add_shape_node(kido.shape.Box((0.1, 0.1, 0.1)), name="cushion")
    kido.soften(body, thickness=0.02, stiffness=1e3)
    return skeleton


def mimicking() -> kido.Skeleton:
    skeleton = kido.gallery.gripper()
    assert any(joint.mimic is not None for joint in skeleton.joints)
    return skeleton


MADE = {"built-in joints": lambda: branched(4), "user joints": robot, "soft": soft, "mimics": mimicking}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_threads_that_ask_a_fresh_skeleton_at_once_get_its_answers(
    make: Callable[[], kido.Skeleton], quick_switches: None
) -> None:
    """None of them meets what another one has compiled half."""
    original = make()
    original.compute_forward_dynamics()  # one of the questions
    expected = answers(original)
    questions = list(FIRST_QUESTIONS.values())
    ready = Barrier(WORKERS)

    def ask(fresh: kido.Skeleton, number: int) -> None:
        ready.wait()
        questions[number % len(questions)](fresh)

    with ThreadPoolExecutor(WORKERS) as pool:
        for attempt in range(150):
            fresh = original.clone()
            fresh.gravity = original.gravity  # which drops what was compiled
            asked = [
                pool.submit(ask, fresh, attempt + thread * (1 + attempt // 10)) for thread in range(WORKERS)
            ]
            for question in asked:
                question.result()
    fresh.compute_forward_dynamics()
    assert_same_answers(answers(fresh), expected)


FORKED = """
import os, threading
import kido
from kido.skeleton._answers._answers import Answers

robot, held, over = kido.gallery.arm7(), threading.Event(), threading.Event()

def compile_long():
    with Answers.compiling:
        held.set()
        over.wait()

thread = threading.Thread(target=compile_long)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    os._exit(robot.num_dofs if robot.mass_matrix.shape == (7, 7) else 0)
_, status = os.waitpid(child, 0)
over.set()
thread.join()
print(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not LINUX, reason="processes fork as Linux has it")
def test_a_forked_process_asks_while_a_thread_of_its_parent_compiles() -> None:
    assert output_of(FORKED) == "7\n"
