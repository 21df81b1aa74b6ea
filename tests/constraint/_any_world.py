"""Worlds of anything: robots and bodies anywhere, servos, commands, constraints that may not fit."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

import kido
from kido import FreeJoint, RevoluteJoint, Skeleton, World, gallery
from kido.constraint import (
    Constraint,
    CylindricalConstraint,
    DistanceConstraint,
    RopeConstraint,
    SpringConstraint,
)

NAMES = (
    *("arm", "arm7", "chain", "double_pendulum", "gripper", "hand", "humanoid", "quadruped"),
    *("wheeled_base", "box", "box", "ball", "cart_pole", "pendulum"),
)
TIME_STEPS = (1e-3, 1e-3, 2e-3, 5e-3)


def anything(name: str, random: np.random.Generator) -> Skeleton:
    """A skeleton of the gallery at random positions, some at random velocities, some with servos."""
    kind = NAMES[random.integers(len(NAMES))]
    if kind == "box":
        made = gallery.box(random.uniform(0.1, 0.5, 3), mass=random.uniform(0.2, 10))
    elif kind == "ball":
        made = gallery.ball(random.uniform(0.05, 0.3), mass=random.uniform(0.2, 10))
    elif kind == "chain":
        made = gallery.chain(int(random.integers(2, 8)))
    else:
        made = gallery.make(kind)
    made.name = name
    q = np.array(made.positions)
    for k, (lower, upper) in enumerate(
        zip(made.position_lower_limits, made.position_upper_limits, strict=True)
    ):
        low, high = max(lower, -2.0), min(upper, 2.0)
        if high > low and random.random() < 0.6:
            q[k] = random.uniform(low, high)
    if isinstance(made.joints[0], FreeJoint):
        q[:3] = random.uniform(-1, 1, 3)
        q[3:6] = random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.3, 1.5)
    made.positions = q
    made.velocities = random.uniform(-1, 1, made.num_dofs) * (random.random() < 0.5)
    if random.random() < 0.4:
        for joint in made.joints:
            if isinstance(joint, RevoluteJoint) and random.random() < 0.5:
                joint.actuator = "servo"
    return made


def any_constraint(made: list[Skeleton], random: np.random.Generator) -> Constraint | None:
    """A constraint between any bodies, or one and the world; some contradict what holds already."""
    uniform = random.uniform
    bodies = [body for skeleton in made for body in skeleton.bodies]
    first = bodies[random.integers(len(bodies))]
    second = bodies[random.integers(len(bodies))] if random.random() < 0.7 else None
    second = None if second is first else second
    point, axis = first.transform()[:3, 3] + uniform(-0.2, 0.2, 3), uniform(-1, 1, 3)
    match int(random.integers(9)):
        case 0:
            return kido.WeldConstraint(first, second)
        case 1:
            return kido.BallConstraint(first, second, point=point)
        case 2:
            return kido.RevoluteConstraint(first, second, point=point, axis=axis)
        case 3:
            return CylindricalConstraint(first, second, point=point, axis=axis)
        case 4:
            return DistanceConstraint(first, second, length=uniform(0.1, 1.0))
        case 5:
            return RopeConstraint(first, second, length=uniform(0.1, 1.0))
        case 6:
            stiffness, damping = 10 ** uniform(1, 5), 10 ** uniform(-1, 2)
            return SpringConstraint(
                first, second, stiffness=stiffness, damping=damping, length=uniform(0.1, 0.8)
            )
        case 7:
            dofs = [dof for skeleton in made for dof in skeleton.dofs if isinstance(dof.joint, RevoluteJoint)]
            if len(dofs) < 2:
                return None
            i, j = random.choice(len(dofs), 2, replace=False)
            ratio, offset = uniform(-2, 2), uniform(-0.5, 0.5) * (random.random() < 0.5)
            return kido.GearConstraint(dofs[i], dofs[j], ratio=ratio, offset=offset)
        case _:
            frame = np.eye(4)
            frame[:3, 3] = uniform(-0.3, 0.3, 3)
            return kido.WeldConstraint.from_frames(first, None, second_frame=frame @ first.transform())


def any_world(seed: int) -> World:
    """A world of up to four of them, most on a ground, with one to three constraints."""
    random = np.random.default_rng(seed)
    made = [anything(f"s{i}", random) for i in range(random.integers(1, 5))]
    time_step = TIME_STEPS[random.integers(4)]
    ground = [gallery.ground()] if random.random() < 0.8 else []
    world = World(ground + made, time_step=time_step)
    if random.random() < 0.15:
        world.solver = kido.world.BoxedLCPSolver()
    for _ in range(random.integers(1, 4)):
        try:
            constraint = any_constraint(made, random)
            if constraint is not None:
                world.constraints.add(constraint)
        except (ValueError, TypeError):
            pass  # two bodies that stand, dofs that follow others: refused
    commands = [random.uniform(-5, 5, one.num_dofs) * (random.random() < 0.5) for one in made]
    for one, command in zip(made, commands, strict=True):
        with suppress(ValueError, TypeError):  # passive dofs
            one.commands = command
    return world
