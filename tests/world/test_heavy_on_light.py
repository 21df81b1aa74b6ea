"""Heavy bodies on light ones: islands that are solved directly."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from _scenes import KINDS, G, as_kind, momentum, on_ground, origin, push, put, slope

import kido
from kido import Skeleton, Surface, World, gallery
from kido.shape import Box

CUBE = (0.2, 0.2, 0.2)
ROUGH = Surface(friction=0.8)


def box(
    kind: str, mass: float, place: tuple[float, float, float], name: str, size: object = CUBE
) -> Skeleton:
    made = gallery.rigid_body(Box(size), mass, name=name, surface=ROUGH)
    return put(as_kind(kind, made), place)


def tonne_on_kilogram(kind: str, gap: float = 0.0) -> list[Skeleton]:
    return [box(kind, 1.0, (0.0, 0.0, 0.1), "light"), box(kind, 1000.0, (0.02, 0.01, 0.3 + gap), "heavy")]


def doubling(kind: str) -> list[Skeleton]:
    return [box(kind, 2.0**i, (0.0, 0.0, 0.1 + 0.2 * i), f"box_{i}") for i in range(10)]


def alternating(kind: str) -> list[Skeleton]:
    return [box(kind, 100.0 if i % 2 else 1.0, (0.0, 0.0, 0.1 + 0.2 * i), f"box_{i}") for i in range(10)]


def bridge(kind: str) -> list[Skeleton]:
    """A tonne on three kilograms."""
    piers = [box(kind, 1.0, (0.25 * (i - 1), 0.0, 0.1), f"pier_{i}") for i in range(3)]
    return [*piers, box(kind, 1000.0, (0.0, 0.0, 0.3), "beam", (0.8, 0.2, 0.2))]


def stiff(robot: Skeleton) -> Skeleton:
    """With all joints locked."""
    for joint in robot.joints:
        if joint.num_dofs and not isinstance(joint, kido.FreeJoint):
            joint.actuator = kido.ActuatorType.LOCKED
    return robot


def depth(world: World) -> float:
    return max(contact.depth for contact in world.contacts)


def solved_directly(world: World) -> int:
    """Manifolds that are solved directly."""
    assert world._simulation.compiled is not None
    return world._simulation.compiled.native.counts()["direct"]


def drift(world: World, boxes: list[Skeleton], steps: int) -> float:
    """The largest change of a place in some steps [m]."""
    before = np.array([origin(b) for b in boxes])
    world.step(steps)
    return float(np.abs(np.array([origin(b) for b in boxes]) - before).max())


SCENES = {
    "a tonne on a kilogram": tonne_on_kilogram,
    "ten that double in mass": doubling,
    "1 and 100 kg in turns": alternating,
    "a tonne on three kilograms": bridge,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scene", SCENES)
def test_heavy_bodies_stand_on_light_ones_without_drift(scene: str, kind: str) -> None:
    boxes = SCENES[scene](kind)
    world = on_ground(*boxes)
    deepest = 0.0
    for _ in range(20):
        world.step(50)
        deepest = max(deepest, depth(world))
    assert solved_directly(world) == len(world.contacts) / 4
    assert deepest < 2e-5
    assert drift(world, boxes, 1000) < 1e-7
    total = sum(b.mass for b in boxes)
    assert sum(c.force[2] * (1 if c.first.skeleton in boxes else -1) for c in ground_contacts(world)) == (
        pytest.approx(total * G, rel=1e-6)
    )


def ground_contacts(world: World) -> list[kido.Contact]:
    ground = world.skeleton("ground")
    return [c for c in world.contacts if ground in (c.first.skeleton, c.second.skeleton)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_tonne_that_falls_on_a_kilogram_lies_on_it(kind: str) -> None:
    boxes = tonne_on_kilogram(kind, gap=0.1)
    world = on_ground(*boxes)
    deepest = 0.0
    for _ in range(500):
        world.step()
        deepest = max(deepest, max((c.depth for c in world.contacts), default=0.0))
    assert deepest < 5e-4
    world.step(500)
    assert depth(world) < 2e-5
    assert drift(world, boxes, 1000) < 1e-6
    np.testing.assert_allclose([b.positions[5] for b in boxes], [0.1, 0.3], atol=5e-5)
    np.testing.assert_allclose(origin(boxes[1])[:2], [0.02, 0.01], atol=2e-4)


@pytest.mark.parametrize("servos", [False, True])
def test_a_robot_stands_on_a_plank_of_300_grams(servos: bool) -> None:
    robot = stiff(gallery.humanoid())
    if servos:
        for joint in robot.joints:
            if joint.num_dofs and not isinstance(joint, kido.FreeJoint):
                joint.actuator = kido.ActuatorType.SERVO
    for body in robot.bodies:
        for node in body.nodes(kido.ShapeNode):
            node.surface = ROUGH
    plank = box("rigid body", 0.3, (0.0, 0.0, 0.015), "plank", (0.6, 0.8, 0.03))
    robot.positions = [*robot.positions[:5], robot.positions[5] + 0.03, *robot.positions[6:]]
    world = on_ground(plank, robot)
    world.step(500)
    assert depth(world) < 1e-5
    height = robot.com()[2]
    assert drift(world, [plank], 1500) < 1e-6
    assert robot.com()[2] == pytest.approx(height, abs=1e-4 if servos else 1e-6)


def test_two_robots_under_servos_stand_on_a_plank_of_300_grams() -> None:
    """Rows of two trees in one island."""
    robots = [stiff(gallery.humanoid()) for _ in range(2)]
    for side, robot in enumerate(robots):
        robot.name = f"robot_{side}"
        for joint in robot.joints:
            if joint.num_dofs and not isinstance(joint, kido.FreeJoint):
                joint.actuator = kido.ActuatorType.SERVO
        for body in robot.bodies:
            for node in body.nodes(kido.ShapeNode):
                node.surface = ROUGH
        q = robot.positions.copy()
        q[4:6] += side - 0.5, 0.03
        robot.positions = q
    plank = box("rigid body", 0.3, (0.0, 0.0, 0.015), "plank", (0.6, 1.8, 0.03))
    world = on_ground(plank, *robots)
    world.step(300)
    assert depth(world) < 2e-5
    heights = [robot.com()[2] for robot in robots]
    assert drift(world, [plank, *robots], 600) < 1e-6
    np.testing.assert_allclose([robot.com()[2] for robot in robots], heights, atol=1e-7)


def test_a_jack_at_the_end_of_its_rail_carries_half_a_tonne() -> None:
    """A limit that is met on the way, and holds, in an island that is solved directly."""
    jack = Skeleton("jack")
    foot = jack.add_body(
        "foot", joint=kido.FreeJoint("root"), inertia=kido.Inertia(1.0, (0, 0, 0), 0.01 * np.eye(3))
    )
    rail = kido.PrismaticJoint("rail", axis=(0, 0, 1), position_lower_limits=-0.02, position_upper_limits=0.1)
    inertia = kido.Inertia(1.0, (0, 0, 0.3), 0.01 * np.eye(3))
    head = jack.add_body("head", foot, joint=rail, inertia=inertia)
    for body, height in ((foot, 0.05), (head, 0.3)):
        body.add_shape_node(Box((0.4, 0.4, 0.1)), (0.0, 0.0, height)).surface = ROUGH
    load = box("rigid body", 500.0, (0.0, 0.0, 0.45), "load")
    world = on_ground(jack, load)
    for _ in range(200):
        world.step()
        assert jack.positions[6] > -0.0201
        assert depth(world) < 1e-4
    assert jack.positions[6] == pytest.approx(-0.02, abs=2e-5)
    assert drift(world, [load], 200) < 1e-7
    assert solved_directly(world) == 2


def test_a_chain_of_links_carries_a_hundred_times_its_mass() -> None:
    chain = gallery.chain(10)
    mass = chain.mass
    last = chain.bodies[-1]
    last.inertia = kido.Inertia(mass=100.0 * mass, com=(0.0, 0.0, -0.3), moment=np.eye(3) * 10.0)
    world = World([chain])
    world.step(1000)
    assert np.abs(chain.positions).max() < 1e-12
    chain.positions = [0.5, *([0.1] * 9)]
    before, fastest = world.energy, 0.0
    for _ in range(200):
        world.step(10)
        fastest = max(fastest, np.abs(chain.velocities).max())
    assert fastest < 50.0
    assert world.energy < before + 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_solved_directly_sticks_and_slips_at_the_angle_of_friction(kind: str) -> None:
    for factor, sticks in ((1.001, True), (0.999, False)):
        tilt = np.arctan(0.8 / factor)
        for direction in (0.0, 0.7):
            boxes = [
                box(kind, 1.0, (0.0, 0.0, 0.025), "light", (1.0, 1.0, 0.05)),
                box(kind, 1000.0, (0.0, 0.0, 0.1), "heavy", (1.0, 1.0, 0.1)),
            ]
            world = on_ground(*boxes, gravity=slope(tilt, direction), surface=ROUGH)
            world.step(300)
            assert solved_directly(world) == 2
            moved = drift(world, boxes, 1000)
            assert (moved < 1e-6) == sticks, (factor, moved)


def test_restitution_is_that_of_other_bodies_where_heavy_ones_lie_on_light_ones() -> None:
    heights = []
    for boxes in (tonne_on_kilogram("rigid body"), [box("rigid body", 1000.0, (0.02, 0.01, 0.1), "heavy")]):
        top = float(boxes[-1].positions[5]) + 0.1
        boxes[-1].body(0).nodes(kido.ShapeNode)[0].surface = Surface(friction=0.8, restitution=1.0)
        ball = put(gallery.ball(0.05, 0.5, surface=Surface(restitution=0.8)), (0.0, 0.0, top + 0.15))
        world = on_ground(*boxes, ball)
        world.step(150)
        assert ball.velocities[5] > 0.0
        assert (solved_directly(world) > 0) == (len(boxes) > 1)
        highest = 0.0
        for _ in range(150):
            world.step()
            highest = max(highest, ball.positions[5] - top - 0.05)
        heights.append(highest)
    assert heights[0] == pytest.approx(heights[1], rel=1e-3)
    assert heights[0] == pytest.approx(0.64 * 0.1, rel=0.03)


def test_momentum_is_kept_where_islands_are_solved_directly() -> None:
    boxes = tonne_on_kilogram("rigid body", gap=0.01)
    floor = box("rigid body", 1000.0, (0.0, 0.0, -0.1), "floor")
    all_of_them = [*boxes, floor]
    world = World(all_of_them)
    push(boxes[1], (0.3, 0.1, -1.0), (0.1, 0.2, 0.3))
    push(floor, (0.0, 0.0, 1.0))
    before = momentum(all_of_them)[3:]
    world.step(60)
    assert solved_directly(world) > 0
    assert np.abs(boxes[0].velocities).max() > 0.1
    gained = np.array([0.0, 0.0, -2001.0 * G * world.time])
    np.testing.assert_allclose(momentum(all_of_them)[3:], before + gained, atol=1e-12 * 1000.0)


def test_what_is_seen_to_carry_much_is_solved_directly_without_a_jump() -> None:
    """A force that no mass foretells: a box pressed onto another one, and left alone again."""
    light, plate = (box("rigid body", 1.0 + i, (0.0, 0.0, 0.1 + 0.2 * i), f"box_{i}") for i in range(2))
    aside = box("rigid body", 40.0, (2.0, 0.0, 0.1), "aside")
    world = on_ground(light, plate, aside)

    def run(force: float, steps: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
        plate.commands = [0.0, 0.0, 0.0, 0.0, 0.0, -force]
        speeds, depths, direct = [], [], []
        for _ in range(steps):
            world.step()
            speeds.append(max(np.abs(light.velocities).max(), np.abs(plate.velocities).max()))
            depths.append(depth(world))
            direct.append(solved_directly(world))
        return np.array(speeds), np.array(depths), direct

    run(0.0, 100)
    speeds, depths, direct = run(1000.0, 200)
    assert direct[0] == 0 and direct[-1] == 2
    begun = direct.index(2)
    assert depths[begun - 1] > 1e-4, "sweeps sink under such a load"
    assert depths[-1] < 5e-6
    assert speeds[begun:].max() < speeds[:begun].max()
    assert np.diff(depths[begun:]).max() < 1e-8
    speeds, depths, direct = run(0.0, 400)
    assert direct[100] == 2 and direct[-1] == 0
    assert speeds[100:].max() < 1e-3
    assert np.abs(np.diff(depths[100:])).max() < 1e-6


def test_snapshots_and_clones_of_worlds_that_are_solved_directly_go_on_bit_for_bit() -> None:
    def bits(world: World) -> bytes:
        return b"".join(np.array([*s.positions, *s.velocities]).tobytes() for s in world.skeletons)

    robot = put(as_kind("tree", gallery.box((0.3, 0.3, 0.3), 200.0, name="robot")), (0.05, 0.0, 2.25))
    world = on_ground(*doubling("rigid body"), robot)
    world.step(100)
    saved, twin = world.snapshot(), world.clone()
    world.step(150)
    twin.step(150)
    expected = bits(world)
    assert bits(twin) == expected
    world.restore(saved)
    world.step(150)
    assert bits(world) == expected
    packed = pickle.loads(pickle.dumps(world))
    packed.step(100)
    assert depth(packed) < 3e-5


@pytest.mark.parametrize("compound", [False, True])
def test_a_humanoid_that_lands_on_light_planks_stays_down(compound: bool) -> None:
    """Solved directly in the sub-step of the impact, and then swept twice from its impulses, feet and
    planks came back at more than 1 m/s, and sank in by 9 mm."""
    robot, planks = gallery.humanoid(compound_joints=compound), []
    q = robot.positions.copy()
    q[1], q[5] = 0.27, q[5] + 0.57
    robot.positions = q
    for i in range(4):
        plank = gallery.box((2.0, 0.5, 0.02), 0.5, name=f"plank {i}")
        planks.append(put(plank, (0.0, 0.52 * (i - 1.5), 0.01)))
    world, deepest, rises = World([gallery.ground(), robot, *planks]), 0.0, []
    for _ in range(500):
        world.step()
        deepest = max(deepest, depth(world))
        if world.time > 0.3:
            rises.append(robot.com_linear_velocity()[2])
    assert deepest < 4e-3
    assert max(rises) < 0.1
