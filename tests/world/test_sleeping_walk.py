"""Random worlds in which islands sleep, through random changes: copies stay equal, bit for bit."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import kido
from kido import Skeleton, World, gallery
from kido.world import Sleeping


def thing(name: str, rng: np.random.Generator) -> Skeleton:
    """A box, a ball, a box that is a tree, or a humanoid, of random surface."""
    kind = int(rng.integers(5))
    if kind <= 1:
        made = gallery.box(tuple(rng.uniform(0.15, 0.3, 3)), mass=float(rng.uniform(0.5, 5.0)))
    elif kind == 2:
        made = gallery.ball(float(rng.uniform(0.08, 0.15)), mass=1.0)
    elif kind == 3:
        made = gallery.box((0.2, 0.2, 0.2), mass=2.0)
        made.damping = [0.01] * 6
    else:
        made = gallery.humanoid()
        made.damping = [1.0] * made.num_dofs
        for joint in made.joints if rng.random() < 0.5 else ():
            if joint.num_dofs and not isinstance(joint, kido.FreeJoint):
                joint.actuator = "servo"
    made.name = name
    node = made.bodies[0].shape_nodes[0]
    if rng.random() < 0.3:
        node.surface = kido.Surface(friction=0.6, restitution=float(rng.uniform(0.0, 0.8)))
    elif rng.random() < 0.2:
        node.surface = kido.Surface(friction=0.6, torsional_friction=0.01)
    return made


def several_trees() -> Skeleton:
    made = Skeleton("several")
    made.self_collision_check = True
    for i in range(3):
        joint, inertia = kido.FreeJoint(f"root{i}"), kido.Inertia(1.0, (0, 0, 0), 0.01 * np.eye(3))
        made.add_body(f"body{i}", joint=joint, inertia=inertia).add_shape_node(
            kido.shape.Box((0.2, 0.2, 0.2))
        )
    made.positions = np.concatenate([[0, 0, 0, 2.0 + 0.1 * i, 0, 0.1 + 0.25 * i] for i in range(3)])
    return made


def random_world(rng: np.random.Generator) -> World:
    things = [thing(f"thing{i}", rng) for i in range(int(rng.integers(3, 8)))]
    for i, made in enumerate(things):
        q = made.positions.copy()
        q[3:6] = *rng.uniform(-0.4, 0.4, 2), 0.3 + 0.35 * i + (1.0 if made.num_bodies > 1 else 0.0)
        made.positions = q
    settings = Sleeping(after=0.1, linear=0.03, angular=0.15)
    world = World([gallery.ground(), *things, several_trees()], sleeping=settings)
    if rng.random() < 0.5:
        world.constraints.add(kido.RopeConstraint(things[0].bodies[0], things[-1].bodies[0], length=1.5))
    if rng.random() < 0.5:
        world.constraints.add(kido.WeldConstraint(things[1].bodies[0]))
    return world


def change(world: World, rng: np.random.Generator) -> None:
    """One of the things that users do between steps."""
    skeletons = world.skeletons[1:]
    one = skeletons[int(rng.integers(len(skeletons)))]
    body = one.bodies[0]
    match int(rng.integers(8)):
        case 0:
            one.velocities = one.velocities + 0.2 * rng.normal(size=one.num_dofs)
        case 1:
            body.apply_impulse(rng.normal(size=3))
        case 2:
            body.add_external_force(30.0 * rng.normal(size=3))
        case 3:
            one.commands = np.append(np.zeros(one.num_dofs - 1), 0.5 * rng.normal())
        case 4:
            body.shape_nodes[0].surface = kido.Surface(friction=float(rng.uniform(0.2, 1.0)))
        case 5:
            world.wake(body)
        case 6:
            world.gravity = (0.0, 0.0, -9.81 * float(rng.uniform(0.9, 1.1)))
        case _:
            one.commands = np.zeros(one.num_dofs)


def shown(world: World) -> list[Any]:
    contacts = [(*c.point, *c.force, c.depth) for c in world.contacts]
    asleep = [s.name for s in world.sleeping_skeletons]
    return [asleep, contacts, *((*s.positions, *s.velocities, *s.accelerations) for s in world.skeletons)]


def step_as(kind: int, world: World, count: int) -> None:
    """At once, one by one at the end, in two halves."""
    parts = ([count], [count - 7, *[1] * 7], [count // 2, count - count // 2])[kind]
    for part in parts:
        world.step(part)


def walk(seed: int) -> int:
    """Returns how many skeletons slept at the ends of the stretches."""
    rng = np.random.default_rng(seed)
    world, slept = random_world(rng), 0
    for stretch in range(5):
        copies = [world, world.clone(), pickle.loads(pickle.dumps(world))]
        if seed % 2 == 0:
            copies[1].signals.before("solve").connect(lambda _: None)
        count, state = int(rng.integers(50, 700)), rng.bit_generator.state
        for kind, copy in enumerate(copies):
            rng.bit_generator.state = state
            if stretch:
                change(copy, rng)
            step_as(kind, copy, count)
        seen = [shown(copy) for copy in copies]
        assert seen[0] == seen[1] == seen[2], (seed, stretch)
        slept += len(world.sleeping_skeletons)
        for contact in world.contacts:
            first, second = contact.first.body, contact.second.body
            if "ground" not in (first.skeleton.name, second.skeleton.name):
                assert world.is_sleeping(first) == world.is_sleeping(second)
        assert all(not s.velocities.any() for s in world.sleeping_skeletons)
    return slept


def test_sleeping_worlds_are_the_same_however_they_are_copied_and_stepped() -> None:
    assert sum(walk(seed) for seed in range(3)) > 10


@pytest.mark.nightly
def test_many_sleeping_worlds_are_the_same_however_they_are_copied_and_stepped() -> None:
    assert sum(walk(seed) for seed in range(3, 40)) > 100
