"""References, memory, threads, the interpreter lock and forks."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from _looped import looped
from _methods import PLAIN_METHODS, Method
from _processes import PATIENCE
from _random_trees import Robot, every_joint

import kido

every_method = looped("method", PLAIN_METHODS)
LINUX = sys.platform.startswith("linux")


@pytest.fixture(scope="module")
def robot() -> Robot:
    return every_joint()


def resident() -> int:
    """Bytes of memory that this process holds."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Mallinfo2(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks")
    ] + [("fordblks", ctypes.c_size_t), ("keepcost", ctypes.c_size_t)]


def allocated() -> tuple[int, int]:
    """Bytes that the C library has handed out, from its heap and by mapping."""
    ask = ctypes.CDLL(None).mallinfo2
    ask.restype = Mallinfo2
    info = ask()
    return int(info.uordblks), int(info.hblkhd)


def with_out(method: Method, robot: Robot, leading: tuple[int, ...] = ()) -> dict[str, object]:
    arrays = method.arguments(robot, leading)
    out = method(robot.tree, *arrays)
    return {**dict(zip(method.arrays, arrays, strict=True)), **method.chosen(robot.tree), "out": out}


@every_method
def test_calls_keep_no_references(method: Method, robot: Robot) -> None:
    arrays = method.arguments(robot, (3,))
    out = method(robot.tree, *arrays)
    counted = [*arrays, *(out if isinstance(out, tuple) else (out,)), robot.tree, out]
    before = [sys.getrefcount(x) for x in counted]
    for _ in range(50):
        method(robot.tree, *arrays)
        method(robot.tree, *arrays, out=out)
        for wrong in ([x[..., :1] for x in arrays], [x * np.nan for x in arrays]):
            with pytest.raises(ValueError, match="expected"):
                method(robot.tree, *wrong)
        with pytest.raises(ValueError, match="expected"):
            method(robot.tree, *(x[0] for x in arrays), out=out)
    assert [sys.getrefcount(x) for x in counted] == before


@pytest.mark.skipif(not LINUX, reason="reads /proc")
def test_a_hundred_thousand_calls_leave_memory_as_it_was(robot: Robot) -> None:
    tree, (q, v, a) = robot.tree, robot.state()
    listed = q.tolist()

    def some(count: int) -> None:
        for _ in range(count):
            tree.inverse_dynamics(q, v, a)
            tree.jacobian(q, "body7")
            tree.gravity_forces(listed)

    some(2000)
    before = resident()
    some(33000)
    assert resident() - before < 2**20


@every_method
def test_a_call_with_out_makes_no_python_object(method: Method, robot: Robot) -> None:
    call, arguments = getattr(robot.tree, method.name), with_out(method, robot)
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(1000):
            call(**arguments)
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(1000):
            call(**arguments)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 1000
    assert peak - before < 1000


@pytest.mark.skipif(not LINUX, reason="asks the GNU C library")
@every_method
def test_a_call_with_out_allocates_nothing_that_stays(method: Method, robot: Robot) -> None:
    call, arguments = getattr(robot.tree, method.name), with_out(method, robot)
    growth = []
    for _ in range(4):  # a leak grows every time; what else the process does in between does not
        before = allocated()
        for _ in range(1000):
            call(**arguments)
        growth.append(np.subtract(allocated(), before).max())
    assert min(growth) < 1000 * np.dtype(float).itemsize


PEAK = """
import sys
import numpy as np
import kido
from _looped import looped
from _methods import PLAIN_METHODS
from _random_trees import every_joint


def kilobytes(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key))


robot = every_joint()
kido.set_num_threads(2)
(method,) = [m for m in PLAIN_METHODS if str(m) == sys.argv[1] and "wrenches" not in m.arrays]
arrays = method.arguments(robot, (4000,))
outs = [np.zeros_like(x) for x in method.results(robot.tree, *(x[:1] for x in arrays))]
outs = tuple(np.zeros((4000, *x.shape[1:])) for x in outs)
out = outs if method.outputs > 1 else outs[0]
for x in outs:
    x.fill(1.0)
few = [x[:1].copy() for x in arrays]
method(robot.tree, *few)
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak starts anew from what is held now
before, code = kilobytes("VmHWM"), kilobytes("RssFile")
method(robot.tree, *arrays, out=out)
print(kilobytes("VmHWM") - before - (kilobytes("RssFile") - code))  # less the pages of the program's file
"""


@pytest.mark.skipif(not LINUX, reason="reads /proc")
@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_mass_matrix", "forward_dynamics_derivatives"])
def test_a_batched_call_takes_at_most_a_megabyte_a_thread_besides_its_output(name: str) -> None:
    path = os.pathsep.join(p for p in sys.path if p)
    environment = {**os.environ, "PYTHONPATH": path}
    run = subprocess.run(
        [sys.executable, "-c", PEAK, name], capture_output=True, text=True, env=environment, check=False
    )
    assert run.returncode == 0, run.stderr
    threads, slack = 2, 512
    assert int(run.stdout) <= threads * 1024 + slack


@pytest.mark.usefixtures("runtime")
def test_other_python_threads_run_during_a_batch(robot: Robot) -> None:
    kido.set_num_threads(1)
    rows = 50_000
    while looks_during(robot, rows) < 3:
        rows *= 2
        assert rows < 2_000_000, "nobody else gets to run, however long it takes"


def looks_during(robot: Robot, rows: int) -> int:
    """How often another Python thread looks at the clock during a batch of some rows."""
    arrays = [np.tile(x, (rows, 1)) for x in robot.state()]
    times: list[float] = []
    done = threading.Event()

    def look_at_the_clock() -> None:
        while not done.wait(1e-3):
            times.append(time.perf_counter())

    other = threading.Thread(target=look_at_the_clock)
    other.start()
    start = time.perf_counter()
    robot.tree.forward_dynamics(*arrays)
    end = time.perf_counter()
    done.set()
    other.join()
    return sum(start < moment < end for moment in times)


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_many_threads_may_ask_one_tree(robot: Robot, threads: int) -> None:
    kido.set_num_threads(threads)
    jobs = [(method, method.arguments(robot, (size,))) for method in PLAIN_METHODS for size in (1, 40)]
    expected = [method.results(robot.tree, *arrays) for method, arrays in jobs]

    def answer(index: int) -> bool:
        method, arrays = jobs[index % len(jobs)]
        results = method.results(robot.tree, *arrays)
        return all((x == y).all() for x, y in zip(results, expected[index % len(jobs)], strict=True))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(answer, range(6 * len(jobs))))


@pytest.mark.usefixtures("runtime")
def test_number_of_threads() -> None:
    kido.set_num_threads(3)
    assert kido.num_threads() == 3
    kido.set_num_threads(0)
    assert kido.num_threads() >= 1
    with pytest.raises(ValueError, match="count: expected 0"):
        kido.set_num_threads(-1)


def answer_in_child(tree: kido.Tree, arrays: list[np.ndarray], pipe: object) -> None:
    kido.set_num_threads(2)
    pipe.send(tree.inverse_dynamics(*arrays).tobytes())  # type: ignore[attr-defined]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.usefixtures("runtime")
def test_a_forked_child_computes_after_a_threaded_batch(robot: Robot) -> None:
    """The child has none of its parent's threads, and makes its own."""
    kido.set_num_threads(2)
    arrays = [np.tile(x, (500, 1)) for x in robot.state()]
    expected = robot.tree.inverse_dynamics(*arrays).tobytes()
    context = multiprocessing.get_context("fork")
    for _ in range(3):
        ours, theirs = context.Pipe()
        child = context.Process(target=answer_in_child, args=(robot.tree, arrays, theirs))
        child.start()
        assert ours.poll(PATIENCE), "the child hangs"
        assert ours.recv() == expected
        child.join(PATIENCE)
        assert child.exitcode == 0
        assert robot.tree.inverse_dynamics(*arrays).tobytes() == expected


def test_a_spawned_process_gets_the_tree_by_pickle(robot: Robot) -> None:
    arrays = [np.tile(x, (50, 1)) for x in robot.state()]
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=answer_in_child, args=(robot.tree, arrays, theirs))
    child.start()
    assert ours.poll(PATIENCE)
    assert ours.recv() == robot.tree.inverse_dynamics(*arrays).tobytes()
    child.join(PATIENCE)
    assert child.exitcode == 0
