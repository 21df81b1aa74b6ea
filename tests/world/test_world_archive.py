"""Random worlds go on bit for bit from a pickle, a snapshot or a clone, whatever state they were in."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from _looped import looped
from _scenes import as_kind, on_ground, push, put

import kido
from kido import ActuatorType, Inertia, Skeleton, Surface, World, gallery
from kido.world import BlockSolver, BoxedLCPSolver, Integrator, Stage

SURFACES = [
    Surface(),
    Surface(friction=0.3, restitution=0.9),
    Surface(restitution=1.0),
    Surface(friction=0.6, slip=0.05, rolling_friction=0.002),
    Surface(velocity=(0.4, 0.1, 0.0)),
]


def free_body(random: np.random.Generator, name: str) -> Skeleton:
    """A box or a ball, light or a hundred times as heavy, as a rigid body or as a tree."""
    surface = SURFACES[random.integers(len(SURFACES))]
    mass = float(random.choice([0.3, 1.0, 40.0]))
    if random.integers(2):
        made = gallery.ball(0.1, mass, name=name, surface=surface)
    else:
        made = gallery.box(random.uniform(0.1, 0.25, 3), mass, name=name, surface=surface)
    return as_kind("tree" if random.integers(4) == 0 else "rigid body", made)


def chain(random: np.random.Generator, name: str) -> Skeleton:
    """Links with limits, springs, friction, servos, and dofs whose motion is commanded."""
    made = Skeleton(name)
    body = made.add_body(
        f"{name}_root",
        joint=kido.FreeJoint(f"{name}_free"),
        inertia=Inertia(1.0, (0, 0, 0), 0.01 * np.eye(3)),
    )
    kido.ShapeNode(body, f"{name}_root", kido.shape.Sphere(0.06))
    for i in range(5):
        axis = random.normal(size=3)
        joint = kido.RevoluteJoint(
            f"{name}_{i}", axis / np.linalg.norm(axis), T_parent_joint=(0.15, 0.0, 0.0)
        )
        body = made.add_body(f"{name}_{i}", body, joint, inertia=Inertia(0.4, (0, 0, 0), 0.002 * np.eye(3)))
        kido.ShapeNode(body, f"{name}_{i}", kido.shape.Sphere(0.05))
        joint.actuator = random.choice(
            [
                ActuatorType.FORCE,
                ActuatorType.PASSIVE,
                ActuatorType.SERVO,
                ActuatorType.VELOCITY,
                ActuatorType.ACCELERATION,
            ]
        )
        if joint.actuator.takes_commands:
            joint.commands = random.uniform(-0.5, 0.5, 1)
    made.position_lower_limits = [-np.inf] * 6 + [-0.4] * 5
    made.position_upper_limits = [np.inf] * 6 + [0.3] * 5
    made.spring_stiffness = [0.0] * 6 + list(random.uniform(0.0, 3.0, 5))
    made.coulomb_friction = [0.0] * 6 + list(random.uniform(0.0, 0.05, 5))
    return made


def held_together(world: World, random: np.random.Generator) -> None:
    """Constraints between some bodies."""
    kinds = [kido.WeldConstraint, kido.BallConstraint, kido.DistanceConstraint]
    bodies = [skeleton.bodies[-1] for skeleton in world.skeletons if skeleton.mobile]
    for _ in range(random.integers(3)):
        first, second = random.choice(len(bodies), 2, replace=False)
        kind = kinds[random.integers(len(kinds))]
        point = {"point": (0.0, 0.0, 0.3)} if kind is kido.BallConstraint else {}
        world.constraints.add(kind(bodies[first], bodies[second], **point))


def random_world(seed: int) -> World:
    """Bodies that fall on each other, some overlapping."""
    random = np.random.default_rng(seed)
    made = [free_body(random, f"body_{i}") for i in range(random.integers(3, 9))]
    made += [chain(random, f"chain_{i}") for i in range(random.integers(0, 3))]
    for i, skeleton in enumerate(made):
        q, v = skeleton.positions.copy(), skeleton.velocities.copy()
        q[:6] = [*random.normal(size=3), *random.uniform(-0.2, 0.2, 2), 0.15 + 0.2 * i]
        v[:6] = random.uniform(-2.0, 2.0, 6)
        skeleton.positions, skeleton.velocities = q, v
    world = on_ground(
        *made,
        time_step=float(random.choice([1e-3, 2e-3, 5e-3])),
        surface=SURFACES[random.integers(3)],
    )
    held_together(world, random)
    world.integrator = list(Integrator)[random.integers(3)]
    world.solver = [BlockSolver(), BlockSolver(), BlockSolver(sweeps=3), BoxedLCPSolver()][random.integers(4)]
    return world


def pushed(world: World, step: int) -> None:
    """A wrench from outside and a command, which the next step takes."""
    for skeleton in world.skeletons:
        if skeleton.mobile and (step + skeleton.num_dofs) % 3 == 0:
            skeleton.bodies[-1].add_external_force((0.3 * np.sin(step), 0.5, 0.2))


def told(world: World) -> dict[str, bytes]:
    """All that a world tells of itself and of its last step, as bytes by what they are."""
    parts: dict[str, object] = {"time": [world.time, world.num_steps]}
    for skeleton in world.skeletons:
        step = world.last_step(skeleton)
        for what in ("positions", "velocities", "accelerations"):
            parts[f"{skeleton.name} {what}"] = getattr(skeleton, what)
        for what in ("external", "contacts", "constraints", "joint_wrenches", "actuators", "limits"):
            parts[f"{skeleton.name} {what} of the last step"] = getattr(step, what)
    for i, contact in enumerate(world.contacts):
        parts[f"contact {i}"] = [*contact.point, *contact.normal, *contact.force, contact.depth]
    return {what: np.array(part, dtype=float).tobytes() for what, part in parts.items()}


def others(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """What is told otherwise."""
    return [what for what in {**one, **other} if one.get(what) != other.get(what)]


def run(world: World, steps: int, first: int) -> list[dict[str, bytes]]:
    """What a world tells after some of the next steps."""
    out = []
    for step in range(first, first + steps):
        pushed(world, step)
        world.step()
        if step in (first, first + steps // 2, first + steps - 1):
            out.append(told(world))
    return out


@looped("seed", list(range(16)))
@pytest.mark.parametrize("heard", [False, True])
def test_a_random_world_goes_on_bit_for_bit(seed: int, heard: bool) -> None:
    world = random_world(seed)
    begun = int(np.random.default_rng(1000 + seed).integers(1, 150))
    run(world, begun, 0)
    copies = [pickle.loads(pickle.dumps(world)), world.clone()]
    copies.append(pickle.loads(pickle.dumps(copies[0])))
    for copy in copies:
        assert others(told(copy), told(world)) == []
    if heard:
        for copy in copies:
            copy.signals.after(Stage.SOLVE).connect(lambda _: None)
    saved = world.snapshot()
    now, after = told(world), run(world, 50, begun)
    world.restore(saved)
    assert others(told(world), now) == []
    for copy in (world, *copies):
        for one, other in zip(run(copy, 50, begun), after, strict=True):
            assert others(one, other) == []


def test_worlds_on_threads_go_on_bit_for_bit() -> None:
    """Enough skeletons for steps to be shared."""
    random = np.random.default_rng(5)
    made = [chain(random, f"chain_{i}") for i in range(18)]
    for i, skeleton in enumerate(made):
        q = skeleton.positions.copy()
        q[3:6] = [0.4 * (i % 6), 0.4 * (i // 6), 0.3]
        skeleton.positions = q
    world = on_ground(*made, push(put(gallery.ball(0.1), (0, 0, 1.0)), (0, 0, -1.0)))
    kido.set_num_threads(2)
    world.step(120)
    copies = [pickle.loads(pickle.dumps(world)), world.clone()]
    world.step(50)
    for threads, copy in zip((1, 2), copies, strict=True):
        kido.set_num_threads(threads)
        copy.step(50)
        assert others(told(copy), told(world)) == []
