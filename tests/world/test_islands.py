"""What happens in one island changes nothing in another: the same bits alone and beside others."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from _scenes import KINDS, as_kind, on_ground, push, put

import kido
from kido import Skeleton, World, _core, gallery
from kido.shape import Box

pytestmark = pytest.mark.usefixtures("runtime")


def tower(
    count: int, name: str, x: float = 0.0, gap: float = 0.0, kind: str = "rigid body"
) -> list[Skeleton]:
    """Boxes of a kilogram, some millimetres or nothing above each other, each turned a little more."""
    made = []
    for i in range(count):
        box = as_kind(kind, gallery.rigid_body(Box((0.1, 0.1, 0.1)), 1.0, name=f"{name}_{i}"))
        made.append(put(box, (x, 0.0, 0.05 + 0.1 * i + gap * (i + 1)), (0.0, 0.0, 0.03 * i)))
    return made


def heap(kind: str) -> list[Skeleton]:
    made = []
    for i in range(18):
        box = as_kind(kind, gallery.rigid_body(Box((0.1, 0.1, 0.1)), name=f"box_{i}"))
        place = (0.16 * (i % 3), 0.16 * (i // 3 % 3), 0.1 + 0.17 * (i // 9))
        made.append(put(box, place, (0.1 * i % 0.4, 0.2, 0.05 * i % 0.3)))
    return made


def hit(x: float = 3.0) -> list[Skeleton]:
    """Balls that fall on each other."""
    balls = [gallery.ball(0.05, name=f"ball_{i}") for i in range(12)]
    return [put(ball, (x + 0.01 * (i % 3), 0.0, 0.06 + 0.11 * i)) for i, ball in enumerate(balls)]


def carried(x: float = 3.0) -> list[Skeleton]:
    """A box and a platform that a servo lifts, held together by a weld in `history`."""
    lift = Skeleton("lift")
    base = lift.add_body("base", joint=kido.WeldJoint("base", T_parent_joint=(x, 0.0, 0.0)))
    inertia = kido.Inertia(mass=2.0, com=(0, 0, 0), moment=np.eye(3) * 0.02)
    plate = lift.add_body("plate", base, kido.PrismaticJoint("lift", axis=(0, 0, 1)), inertia=inertia)
    kido.ShapeNode(plate, "plate", Box((0.4, 0.4, 0.02)))
    lift.joint("lift").actuator = kido.ActuatorType.SERVO
    lift.force_upper_limits, lift.force_lower_limits = [200.0], [-200.0]
    lift.positions, lift.commands = [0.5], [0.3]
    return [lift, *(put(gallery.box((0.1,) * 3, name="load"), (x, 0.03, 0.65)),)]


def heavy(x: float = 3.0) -> list[Skeleton]:
    """A tonne on a kilogram."""
    light, load = tower(1, "light", x)[0], gallery.box((0.2, 0.2, 0.2), 1000.0, name="load")
    return [light, put(load, (x, 0.0, 0.2))]


def humanoid(kind: str) -> list[Skeleton]:
    robot = gallery.humanoid()
    q = robot.positions.copy()
    q[5] += 0.02
    robot.positions = q
    return [robot]


PROBES: dict[str, Callable[[str], list[Skeleton]]] = {
    "tower that rests": lambda kind: tower(3, "probe", kind=kind),
    "tower that settles": lambda kind: tower(10, "probe", gap=1e-4, kind=kind),
    "tower that falls": lambda kind: tower(4, "probe", gap=0.02, kind=kind),
    "heap": heap,
    "humanoid": humanoid,
}
OTHERS: dict[str, Callable[[], list[Skeleton]]] = {
    "is hit": hit,
    "shivers": lambda: tower(10, "other", 3.0, 1e-4),
    "rests": lambda: tower(3, "other", 3.0),
    "is lifted": carried,
    "is heavy": heavy,
}


def history(probe: list[Skeleton], others: list[Skeleton], hold: bool = False) -> list[bytes]:
    """Positions and velocities of the probe, every 5 ms."""
    world = on_ground(*probe, *others)
    if any(s.name == "lift" for s in others):
        lift, load = others
        world.constraints.add(kido.WeldConstraint(lift.body("plate"), load.body(0)))
    if hold:
        bodies = (probe[1].body(0), probe[2].body(0))
        world.constraints.add(kido.BallConstraint(*bodies, point=(0.0, 0.0, 0.2)))
    out = []
    for _ in range(70):
        world.step(5)
        out.append(b"".join(np.array([*s.positions, *s.velocities]).tobytes() for s in probe))
    return out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("probe", PROBES)
def test_an_island_moves_alone_as_beside_any_other(probe: str, kind: str) -> None:
    alone = history(PROBES[probe](kind), [])
    for name, other in OTHERS.items():
        assert history(PROBES[probe](kind), other()) == alone, name


@pytest.mark.parametrize("kind", KINDS)
def test_so_does_one_that_a_constraint_holds_together(kind: str) -> None:
    alone = history(tower(4, "probe", gap=0.01, kind=kind), [], hold=True)
    for name, other in OTHERS.items():
        assert history(tower(4, "probe", gap=0.01, kind=kind), other(), hold=True) == alone, name


def test_islands_on_threads_and_in_any_lanes_move_as_alone() -> None:
    """Towers that settle in turns among balls that fall."""

    def end(probe: list[Skeleton], others: list[Skeleton], threads: int, instructions: str) -> bytes:
        kido.set_num_threads(threads)
        _core.set_instruction_set(instructions)
        world = on_ground(*probe, *others)
        world.step(40)
        return b"".join(np.array([*s.positions, *s.velocities]).tobytes() for s in probe)

    def crowd() -> list[Skeleton]:
        made = []
        for i in range(1000):
            ball = gallery.ball(0.05, name=f"ball_{i}")
            made.append(put(ball, (3.0 + 0.2 * (i % 40), 0.2 * (i // 40), 0.05 + 1e-4 * (i % 7))))
        return made

    instructions = _core.instruction_sets()
    probe = lambda: tower(6, "probe", gap=2e-4)  # noqa: E731
    alone = end(probe(), [], 1, instructions[0])
    for name in instructions:
        for threads in (1, 2):
            assert end(probe(), crowd(), threads, name) == alone


def test_islands_part_where_their_contacts_end() -> None:
    """A tower settles; a box beside it slides away. A pickle knows what touches, and nothing of what did."""
    boxes = tower(10, "tower", gap=1e-4)
    slider = gallery.rigid_body(Box((0.1, 0.1, 0.1)), name="slider", surface=kido.Surface(friction=0.0))
    push(put(slider, (0.1, 0.0, 0.05)), (1.0, 0.0, 0.0))
    world = on_ground(*boxes, slider)
    world.step()
    assert any(slider in pair and boxes[0] in pair for pair in touching(world)), "at first they touch"
    world.step(80)
    assert not any(slider in pair and boxes[0] in pair for pair in touching(world))
    other = pickle.loads(pickle.dumps(world))
    for _ in range(20):
        world.step()
        other.step()
        for one, two in zip(world.skeletons, other.skeletons, strict=True):
            assert one.velocities.tobytes() == two.velocities.tobytes()


def touching(world: World) -> list[tuple[object, object]]:
    return [(c.first.skeleton, c.second.skeleton) for c in world.contacts]
