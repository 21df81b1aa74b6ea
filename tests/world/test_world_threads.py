"""Large worlds on threads: the same bits on any number of them."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from _processes import interrupted
from _scenes import as_kind, on_ground, push, put

import kido
from kido import Skeleton, World, _core, gallery
from kido.errors import DivergedError
from kido.shape import Box

pytestmark = pytest.mark.usefixtures("runtime")

MANY = 1050
"""Bodies of a world whose steps threads share."""


def pile() -> list[Skeleton]:
    """Boxes and balls in layers, among them towers of heavy ones on light ones."""
    rng = np.random.default_rng(3)
    made = []
    for i in range(MANY):
        name, place = (
            f"body_{i}",
            np.array([i % 15, i // 15 % 14, 0.0]) * 0.13 + [0.0, 0.0, 0.06 + 0.12 * (i // 210)],
        )
        body = (
            gallery.ball(0.05, name=name)
            if i % 7 == 0
            else gallery.rigid_body(Box((0.1, 0.1, 0.1)), name=name)
        )
        made.append(put(body, place, rng.uniform(-0.05, 0.05, 3)))
    for i in range(3):
        for k, mass in enumerate((1.0, 500.0)):
            tower = gallery.rigid_body(Box((0.2, 0.2, 0.2)), mass, name=f"tower_{i}_{k}")
            made.append(put(tower, (-1.0, 0.5 * i, 0.1 + 0.2 * k)))
    return made


def crowd() -> list[Skeleton]:
    """Robots that fall on each other and on crates, some held together."""
    made = []
    for i in range(17):
        robot = gallery.humanoid()
        robot.name = f"robot_{i}"
        q = robot.positions.copy()
        q[3:6] += [0.4 * (i % 4), 0.5 * (i // 4 % 3), 0.3 + 0.6 * (i // 8)]
        robot.positions = q
        crate = put(
            as_kind("tree" if i % 5 == 1 else "rigid body", gallery.box((0.2, 0.15, 0.1), name=f"crate_{i}")),
            q[3:6] + np.array([0.1, 0.0, 0.9]),
        )
        made += [robot, push(crate, (0.1, -0.2, 0.0), (1.0, 0.5, 0.2))]
    return made


def digest(world: World) -> str:
    rows = b"".join(s.positions.tobytes() + s.velocities.tobytes() for s in world.skeletons)
    forces = np.array([c.force for c in world.contacts]).tobytes()
    return hashlib.sha256(rows + forces).hexdigest()


def end_of_pile(steps: int) -> str:
    world = on_ground(*pile())
    world.step(steps)
    return digest(world)


def end_of_crowd(steps: int) -> str:
    world = on_ground(*crowd())
    world.step(steps)
    return digest(world)


def end_of_held_crowd(steps: int) -> str:
    """With constraints between robots."""
    robots = crowd()
    world = on_ground(*robots)
    world.constraints.add(
        kido.BallConstraint(robots[0].bodies[3], robots[2].bodies[3], point=(0.0, 0.0, 1.2))
    )
    world.constraints.add(kido.WeldConstraint(robots[4].bodies[0], robots[5].bodies[0]))
    world.step(steps)
    return digest(world)


@pytest.mark.parametrize(
    ("scene", "steps"), [(end_of_pile, 60), (end_of_crowd, 100), (end_of_held_crowd, 50)]
)
def test_any_number_of_threads_and_lanes_gives_the_same_bits(scene: object, steps: int) -> None:
    assert callable(scene)
    ends = set()
    for instructions in _core.instruction_sets():
        _core.set_instruction_set(instructions)
        for threads in (1, 2, 3):
            kido.set_num_threads(threads)
            ends.add(scene(steps))
    assert len(ends) == 1


def test_single_steps_on_threads_are_those_of_one_call() -> None:
    kido.set_num_threads(2)
    world = on_ground(*pile())
    for _ in range(30):
        world.step()
    assert digest(world) == end_of_pile(30)


def test_worlds_that_step_on_several_threads_of_python_take_turns() -> None:
    from concurrent.futures import ThreadPoolExecutor

    kido.set_num_threads(2)
    with ThreadPoolExecutor(3) as pool:
        ends = list(pool.map(end_of_pile, [25] * 3))
    kido.set_num_threads(1)
    assert set(ends) == {end_of_pile(25)}


def test_a_step_on_threads_that_diverges_is_not_taken() -> None:
    kido.set_num_threads(2)
    bodies = pile()
    world = on_ground(*bodies)
    world.step(5)
    bodies[7].commands = [0.0, 0.0, 0.0, 1e305, 1e305, 1e308]
    before = world.num_steps
    with pytest.raises(DivergedError):
        world.step(100)
    assert world.num_steps < before + 100
    assert all(np.isfinite(b.positions).all() for b in bodies)


ENDLESS = """
import numpy as np, kido
from kido import gallery
kido.set_num_threads(2)
bodies = [gallery.ball(0.05, name=f"b{i}") for i in range(1100)]
for i, b in enumerate(bodies):
    b.positions = [0, 0, 0, 0.12 * (i % 33), 0.12 * (i // 33), 0.05]
world = kido.World([gallery.ground(), *bodies])
print("ready", flush=True)
try:
    world.step(10**9)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_ends_a_long_step_on_threads() -> None:
    seconds, said = interrupted(ENDLESS)
    assert said == "interrupted\n"
    assert seconds < 3.0
