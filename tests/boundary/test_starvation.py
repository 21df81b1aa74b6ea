"""Calls of several threads where memory or threads run out."""

from __future__ import annotations

import pytest
from _processes import LINUX, output_of

pytestmark = pytest.mark.skipif(not LINUX, reason="limits the memory of a process")

PROGRAM = """
import resource
import sys
import numpy as np
import kido


def mapped():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def starve(spare):
    resource.setrlimit(resource.RLIMIT_AS, (mapped() + spare, resource.RLIM_INFINITY))


def feed():
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


kido.set_num_threads(4)
rng = np.random.default_rng(0)
"""

NO_MEMORY = (
    PROGRAM
    + """
tree = kido.gallery.chain(300).tree
few = kido.gallery.arm7().tree
arguments = [rng.uniform(-1.0, 1.0, (12, tree.num_dofs)) for _ in range(3)]
expected = tree.forward_dynamics_derivatives(*arguments)
out = tuple(np.empty_like(x) for x in expected)
few.inverse_dynamics(*rng.uniform(-1.0, 1.0, (3, 20000, few.num_dofs)))  # makes the threads
starved = 0
for _ in range(20):
    starve(0)
    try:
        tree.forward_dynamics_derivatives(*arguments, out=out)
    except MemoryError:
        starved += 1  # unless what an earlier call gave back is enough
    feed()
print(starved > 0)
tree.forward_dynamics_derivatives(*arguments, out=out)
print(all((a == b).all() for a, b in zip(out, expected)))
"""
)

NO_THREADS = (
    PROGRAM
    + """
tree = kido.gallery.humanoid().tree
arguments = rng.uniform(-1.0, 1.0, (3, 20000, tree.num_dofs))
kido.set_num_threads(1)
expected = tree.inverse_dynamics(*arguments)
out = np.empty_like(expected)
kido.set_num_threads(4)
starve(2**21)  # less than a stack
tree.inverse_dynamics(*arguments, out=out)
feed()
print((out == expected).all())
tree.inverse_dynamics(*arguments, out=out)
print((out == expected).all())
"""
)


def test_a_batch_that_runs_out_of_memory_raises_and_the_next_one_is_right() -> None:
    assert output_of(NO_MEMORY) == "True\nTrue\n"


def test_a_batch_runs_on_the_threads_that_the_system_gives() -> None:
    assert output_of(NO_THREADS) == "True\nTrue\n"
