"""Long simulations take no more memory, and stay what they were."""

from __future__ import annotations

import pytest
from _processes import LINUX, output_of

SOAK = """
import gc, sys
import numpy as np
import kido

count, every = int(sys.argv[1]), int(sys.argv[2])


def memory():
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096


def scene():
    robot = kido.gallery.humanoid()
    bodies = [kido.gallery.box((0.1, 0.1, 0.1), name=f"box {i}") for i in range(6)]
    bodies += [kido.gallery.ball(0.06, name=f"ball {i}") for i in range(4)]
    for i, body in enumerate(bodies):
        body.positions = [0.1 * i, 0.2, 0.3, 0.3 * (i % 3), 0.3 * (i // 3), 1.5 + 0.3 * i]
    world = kido.World([kido.gallery.ground(), robot, *bodies])
    world.constraints.add(kido.BallConstraint(bodies[0].body(0), bodies[1].body(0), point=(0.0, 0.0, 1.6)))
    return world


def everything(world, turn):
    # What takes memory and gives it back: questions, snapshots, copies, edits, throws.
    world.contacts, world.audit, world.contact_wrench(world.skeletons[1])
    saved = world.snapshot()
    world.clone().step(3)
    world.step(2)
    world.restore(saved)
    body = world.skeleton("ball 3")
    body.velocities = [1.0, 0.0, 0.0, 0.3, 0.0, 2.0]
    guest = world.add(kido.gallery.ball(0.05, name="guest"))
    guest.positions = [0, 0, 0, 0, 0, 2.0]
    world.step(20)
    world.remove(guest)
    kido.rollout(world, np.zeros((2, 5, sum(s.num_dofs for s in world.skeletons))))
    try:
        guest.velocities = [1e300] * 6
        kido.World([guest]).step()
    except kido.errors.DivergedError:
        guest.velocities = [0.0] * 6


world = scene()
used = []
for turn in range(count // every):
    world.step(every)
    if turn % max(1, count // every // 30) == 0:
        everything(world, turn)
        used.append(memory())
heights = [body.com()[2] for body in world.skeletons[1:]]
assert np.isfinite(heights).all() and -1e-3 < min(heights), heights
first = max(used[: len(used) // 2])
print(world.num_steps >= count, max(used[len(used) // 2 :]) - first)
"""
ALLOWED = 2_000_000
"""How much more memory the second half may take than the first [bytes]: what allocators keep."""


def soak(steps: int, every: int) -> None:
    done, grown = output_of(SOAK, str(steps), str(every), timeout=900.0).split()
    assert done == "True"
    assert int(grown) < ALLOWED


@pytest.mark.skipif(not LINUX, reason="reads /proc")
def test_twenty_thousand_steps_take_no_more_memory() -> None:
    soak(20_000, 250)


@pytest.mark.nightly
@pytest.mark.skipif(not LINUX, reason="reads /proc")
def test_a_million_steps_take_no_more_memory() -> None:
    soak(1_000_000, 1_000)
