"""Signals during native calls: a handler runs before the call is over, and where it raises, the call ends."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import pytest
from _processes import interrupted

import kido

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sets a timer")

SOON = 0.05
"""Seconds until the signal comes, where calls take some tenths of a second or more: of this process's own
work, for others may have the processor for as long before a call begins."""

Handler = Callable[[int, FrameType | None], Any]


class Stop(Exception):
    """Raised by handlers."""


def stop(number: int, frame: FrameType | None) -> None:
    raise Stop


@contextmanager
def signal_soon(handler: Handler) -> Iterator[None]:
    """A signal comes while the block runs."""
    before = signal.signal(signal.SIGVTALRM, handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, SOON)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.fixture(scope="module")
def batch() -> tuple[kido.Tree, list[np.ndarray]]:
    """A tree, and arguments of a call of about half a second on one thread."""
    tree, rng = kido.gallery.humanoid().tree, np.random.default_rng(0)
    return tree, [rng.uniform(-1.0, 1.0, (rows, tree.num_dofs)) for rows in (1, 1, 600_000)]


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_handler_that_raises_ends_a_batch(batch: tuple[kido.Tree, list[np.ndarray]], threads: int) -> None:
    kido.set_num_threads(threads)
    tree, arguments = batch
    out = np.full_like(arguments[2], -7.0)
    with pytest.raises(Stop), signal_soon(stop):
        tree.forward_dynamics(*arguments, out=out)
    assert (out[0] != -7.0).all()
    assert (out[-1] == -7.0).all()
    few = [x[:9] for x in arguments]
    assert (tree.forward_dynamics(*few)[:5] == tree.forward_dynamics(*(x[:5] for x in few))).all()


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_handler_may_start_a_batch_of_its_own(
    batch: tuple[kido.Tree, list[np.ndarray]], threads: int
) -> None:
    kido.set_num_threads(threads)
    tree, arguments = batch
    few = [x[:3000] for x in arguments]
    expected, out = tree.forward_dynamics(*arguments), np.full_like(arguments[2], -7.0)
    seen: list[np.ndarray] = []

    def answer(number: int, frame: FrameType | None) -> None:
        seen.append(out[-1].copy())
        seen.append(tree.forward_dynamics(*few))

    with signal_soon(answer):
        tree.forward_dynamics(*arguments, out=out)
    last, own = seen
    assert (last == -7.0).all(), "the handler ran after the batch"
    assert (own == expected[:3000]).all()
    assert (out == expected).all()


@pytest.mark.usefixtures("runtime")
def test_a_handler_that_raises_ends_a_batch_of_few_large_matrices() -> None:
    """Fewer samples than a register has lanes: they are computed one by one."""
    kido.set_num_threads(1)
    chain = kido.Skeleton()
    body = None
    for i in range(1000):
        body = chain.add_body(f"body{i}", body, kido.RevoluteJoint(f"joint{i}", T_parent_joint=(0.1, 0, 0)))
    out = tuple(np.full((8, 1000, 1000), -7.0) for _ in range(3))
    with pytest.raises(Stop), signal_soon(stop):
        chain.tree.forward_dynamics_derivatives(*np.zeros((3, 8, 1000)), out=out)
    assert (out[0][0] != -7.0).all()
    assert (out[0][-1] == -7.0).all()


def test_a_handler_that_raises_ends_functions_of_rows() -> None:
    w = np.random.default_rng(0).uniform(-1.0, 1.0, (8_000_000, 3))
    out = np.full((len(w), 9), -7.0)
    with pytest.raises(Stop), signal_soon(stop):
        kido._core.so3_exp(w, out)
    assert (out[0] != -7.0).all()
    assert (out[-1] == -7.0).all()


@pytest.mark.usefixtures("runtime")
def test_other_threads_are_not_interrupted(batch: tuple[kido.Tree, list[np.ndarray]]) -> None:
    kido.set_num_threads(1)
    tree, arguments = batch
    expected = tree.forward_dynamics(*arguments)
    found: list[np.ndarray] = []
    done = threading.Event()

    def ask() -> None:
        found.append(tree.forward_dynamics(*arguments))
        done.set()

    with pytest.raises(Stop), signal_soon(stop):
        threading.Thread(target=ask).start()
        done.wait()
    assert done.wait(60.0)
    assert (found[0] == expected).all()


@pytest.mark.usefixtures("runtime")
def test_a_call_that_waits_for_its_turn_is_interrupted(batch: tuple[kido.Tree, list[np.ndarray]]) -> None:
    kido.set_num_threads(2)
    tree, arguments = batch
    ended: list[int] = []

    def ask() -> None:
        for i in range(3):
            tree.forward_dynamics(*arguments)
            ended.append(i)

    thread = threading.Thread(target=ask)
    thread.start()
    with pytest.raises(Stop), signal_soon(stop):
        while True:
            tree.forward_dynamics(*arguments)
    early = len(ended) < 3
    thread.join()
    assert early


def test_a_handler_that_raises_ends_a_path_that_is_followed() -> None:
    """Of many targets, each of which takes less time than passes between two looks at the signal."""
    ik = kido.InverseKinematics.of(kido.gallery.arm7().end_effector("tool"))
    ik.target.set_translation((5.0, 0.0, 0.0))
    poses = np.repeat(ik.target.transform()[None], 100_000, axis=0)
    began = time.process_time()
    with pytest.raises(Stop), signal_soon(stop):
        ik.track(poses, time_budget=1.0)
    assert time.process_time() - began < LONGEST


LONGEST = 3.0
"""Processor time from Ctrl-C to the end of a process [s]: some tens of milliseconds, and cold caches."""

SEARCH = """
import sys
import kido
from kido import InverseKinematics
from kido.ik import SearchSettings, WholeBodyIK

kind, starts = sys.argv[1], int(sys.argv[2])
robot = kido.gallery.humanoid()
whole = WholeBodyIK(robot, settings=SearchSettings(max_starts=starts))
one = InverseKinematics.of(robot.end_effector("left_hand"))
one.settings = whole.settings
for ik in (one, InverseKinematics.of(robot.end_effector("right_hand"))):
    ik.target.set_translation((9.0, 0.0, 0.0))  # beyond its reach
print("begin", flush=True)
try:
    whole.solve() if kind == "several bodies" else one.solve()
except KeyboardInterrupt:
    print("interrupted")
else:
    print("not interrupted")
"""


@pytest.mark.parametrize("kind", ["one body", "several bodies"])
def test_ctrl_c_ends_a_search(kind: str) -> None:
    seconds, said = interrupted(SEARCH, kind, "1000000")
    assert said == "interrupted\n"
    assert seconds < LONGEST


LONG = """
import sys
import numpy as np
import kido

kind = sys.argv[1]
if kind == "program":
    n = 3000
    H, g = np.eye(n) + 1.0, np.linspace(-9.0, 9.0, n)
    program = kido.optimize.QuadraticProgram(H, g, lower=-1.0, upper=1.0)
    call = program.solve
else:
    x = np.linspace(-15.0, 15.0, 300)
    field = kido.shape.HeightField(0.05 * np.sin(9.0 * x[:, None] * x), spacing=(0.1, 0.1))
    plate, detector = kido.shape.Box((20.0, 20.0, 0.1)), kido.collision.NativeDetector()
    poses = np.tile(np.eye(4), (int(sys.argv[2]), 1, 1))
    call = lambda: detector.contacts(field, np.eye(4), plate, poses)
    detector.contacts(field, np.eye(4), plate, np.eye(4))
print("begin", flush=True)
try:
    call()
except KeyboardInterrupt:
    print("interrupted")
else:
    print("not interrupted")
"""


@pytest.mark.parametrize("case", [("program", "1"), ("surfaces", "2000"), ("surfaces", "16")], ids="-".join)
def test_ctrl_c_ends_what_takes_long_for_one_sample(case: tuple[str, str]) -> None:
    """A quadratic program of 3000 unknowns; surfaces of 180 000 triangles, of which a pair takes a tenth of a
    second."""
    seconds, said = interrupted(LONG, *case, after=0.1)
    assert said == "interrupted\n"
    assert seconds < LONGEST
