"""Memory that runs out in a step: named, and the world stands after whole steps."""

from __future__ import annotations

import pytest
from _processes import LINUX, interrupted, output_of

pytestmark = pytest.mark.skipif(not LINUX, reason="limits memory, and reads /proc")

LIMIT = """
import resource
import numpy as np
import kido

def limit(extra):
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + extra, resource.RLIM_INFINITY))

def lift():
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""

MANY = (
    LIMIT
    + """
def rain():
    boxes = []
    for i in range(26):
        for j in range(26):
            box = kido.gallery.box((0.1, 0.1, 0.1), name=f"box_{i}_{j}")
            box.positions = [0, 0, 0, 0.15 * i, 0.15 * j, 0.2]
            boxes.append(box)
    return kido.World([kido.gallery.ground(), *boxes])

world, other = rain(), rain()
if LISTENS:
    world.signals.after("detect").connect(lambda w: None)
world.step(2)
other.step(2)
limit(300_000)
try:
    world.step(400)
    raise SystemExit("there was enough memory")
except MemoryError:
    pass
finally:
    lift()
assert 2 <= world.num_steps < 400, world.num_steps
other.step(world.num_steps - 2)
for a, b in zip(world.skeletons, other.skeletons):
    assert (a.positions == b.positions).all() and (a.velocities == b.velocities).all()
world.step(500 - world.num_steps)
heights = [s.positions[5] for s in world.skeletons[1:]]
assert abs(np.array(heights) - 0.05).max() < 1e-3, (min(heights), max(heights))
print("whole")
"""
)


@pytest.mark.parametrize("listens", [False, True])
def test_a_step_without_memory_is_not_made(listens: bool) -> None:
    assert output_of(f"LISTENS = {listens}\n" + MANY) == "whole\n"


MATRICES = (
    LIMIT
    + """
table = kido.gallery.box((6.0, 6.0, 0.1), mass=100.0, name="table")
table.positions = [0, 0, 0, 0, 0, 0.05]
boxes = []
for i in range(14):
    for j in range(14):
        box = kido.gallery.box((0.1, 0.1, 0.1), name=f"box_{i}_{j}")
        box.positions = [0, 0, 0, 0.3 * i - 2.0, 0.3 * j - 2.0, 0.15]
        boxes.append(box)
world = kido.World([kido.gallery.ground(), table, *boxes], solver=kido.world.BoxedLCPSolver())
before = [np.array(s.positions) for s in world.skeletons]
limit(20_000_000)
try:
    world.step()
    raise SystemExit("there was enough memory")
except MemoryError:
    pass
finally:
    lift()
assert world.num_steps == 0
assert all((s.positions == q).all() for s, q in zip(world.skeletons, before))
world.solver = kido.world.BlockSolver()
world.step(50)
assert abs(boxes[0].positions[5] - 0.15) < 1e-4
print("whole")
"""
)


def test_matrices_without_memory_are_named() -> None:
    assert output_of(MATRICES) == "whole\n"


ENDLESS_MATRICES = """
import kido
box = kido.gallery.box((0.2, 0.2, 0.2))
box.positions = [0, 0, 0, 0, 0, 0.1]
world = kido.World([kido.gallery.ground(), box], solver=kido.world.BoxedLCPSolver())
world.step(3)
print("begin", flush=True)
try:
    world.step(10**9)
except KeyboardInterrupt:
    steps = world.num_steps
    assert steps > 3
    world.step(5)
    assert world.num_steps == steps + 5
    assert abs(box.positions[5] - 0.1) < 1e-6
    print("interrupted")
"""


def test_ctrl_c_ends_steps_of_python_solvers_after_a_whole_one() -> None:
    seconds, said = interrupted(ENDLESS_MATRICES)
    assert said == "interrupted\n"
    assert seconds < 3.0
