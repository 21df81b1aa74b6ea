"""What is set on parts of a world that has made steps holds at once, as in a world made anew: bit for bit, by
any combination of what can be set."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from _effort import examples
from _looped import looped

import kido
from kido import ShapeNode, Skeleton, Surface, World, gallery
from kido.description import Inertia
from kido.shape import Box, Plane

Array = np.ndarray


def arm() -> Skeleton:
    """Three links under springs, dampers and a servo, that swing against crates."""
    robot = Skeleton("arm")
    body = robot.add_body("base", None, kido.WeldJoint("mount", T_parent_joint=(0.0, 0.0, 0.6)))
    for i in range(3):
        joint = kido.RevoluteJoint(
            f"j{i}",
            axis=np.eye(3)[1 - i % 2],
            T_parent_joint=(0.0, 0.0, -0.2 if i else 0.0),
            damping=0.05,
            spring_stiffness=0.4,
        )
        inertia = Inertia(0.7, (0.0, 0.0, -0.1), np.diag([0.01, 0.012, 0.006]))
        body = robot.add_body(f"l{i}", body, joint, inertia=inertia)
        body.add_shape_node(Box((0.06, 0.06, 0.18)), (0.0, 0.0, -0.1))
    robot.joint("j1").actuator = "servo"
    robot.self_collision_check = True
    robot.positions, robot.velocities = [0.4, 0.3, -0.5], [0.5, -0.2, 0.3]
    return robot


def scene() -> World:
    crates = [gallery.box((0.2, 0.2, 0.2), 1.0 + i, name=f"crate {i}") for i in range(3)]
    for i, crate in enumerate(crates):
        crate.positions = [0.0, 0.0, 0.1 * i, 0.03 * i + 0.25, 0.01, 0.1 + 0.2 * i]
    ground = Skeleton("ground")
    ground.add_body("ground", None, kido.WeldJoint("place")).add_shape_node(Plane())
    return World([arm(), *crates, ground])


def crate(world: World, i: int) -> kido.BodyNode:
    return world.skeleton(f"crate {i}").bodies[0]


def shape(body: kido.BodyNode) -> ShapeNode:
    return body.nodes(ShapeNode)[0]


def sets(what: Callable[[World], object], **attributes: object) -> Callable[[World], None]:
    """Sets attributes of a part."""

    def edit(world: World) -> None:
        for name, value in attributes.items():
            setattr(what(world), name, value)

    return edit


def robot(world: World) -> Skeleton:
    return world.skeleton("arm")


OTHER = Inertia(1.1, (0.02, 0.0, -0.08), np.diag([0.02, 0.02, 0.01]))
SIZES = {
    "force": {"force_lower_limits": [-0.01] * 3, "force_upper_limits": [0.01] * 3},
    "velocity": {"velocity_lower_limits": [-0.1] * 3, "velocity_upper_limits": [0.1] * 3},
    "position": {"position_lower_limits": [-0.1, -0.2, -0.45], "position_upper_limits": [0.35, 0.2, 0.3]},
}
EDITS: dict[str, Callable[[World], object]] = {
    "mass": sets(lambda w: crate(w, 0), mass=3.3),
    "mass of a link": sets(lambda w: robot(w).body("l1"), mass=1.9),
    "inertia": sets(lambda w: robot(w).body("l2"), inertia=OTHER),
    "gravity": sets(lambda w: w, gravity=(1.0, 0.0, -5.0)),
    "time step": sets(lambda w: w, time_step=2e-3),
    "gravity of a body": sets(lambda w: crate(w, 1), gravity_mode=False),
    "damping": sets(robot, damping=[0.3, 0.1, 0.2]),
    "stiffness": sets(robot, spring_stiffness=[5.0, 6.0, 7.0]),
    "rest positions": sets(robot, rest_positions=[0.5, -0.3, 0.2]),
    "friction of joints": sets(robot, coulomb_friction=[0.3, 0.2, 0.1]),
    "armature": sets(robot, armature=[0.3, 0.2, 0.1]),
    **{f"{name} limits": sets(robot, **values) for name, values in SIZES.items()},
    "actuator that moves": sets(lambda w: robot(w).joint("j0"), actuator="velocity", commands=[0.7]),
    "actuator that locks": sets(lambda w: robot(w).joint("j2"), actuator="locked"),
    "actuator that pushes": sets(lambda w: robot(w).joint("j1"), actuator="force", commands=[0.4]),
    "friction": sets(lambda w: shape(crate(w, 0)), surface=Surface(friction=0.05)),
    "surface of the ground": sets(
        lambda w: shape(w.skeleton("ground").bodies[0]), surface=Surface(friction=0.01, restitution=0.8)
    ),
    "size": sets(lambda w: shape(crate(w, 1)), shape=Box((0.25, 0.3, 0.15))),
    "place of a shape": sets(lambda w: shape(crate(w, 1)), relative_transform=(0.02, 0.0, 0.03)),
    "shape that collides": sets(lambda w: shape(crate(w, 2)), collision=False),
    "body that collides": sets(lambda w: crate(w, 2), collidable=False),
    "mobile": sets(lambda w: w.skeleton("crate 1"), mobile=False),
    "place of a joint": sets(lambda w: robot(w).joint("j1"), T_parent_joint=(0.0, 0.05, -0.22)),
    "place of a link": sets(lambda w: robot(w).joint("j1"), T_child_joint=(0.0, 0.05, -0.02)),
    "axis": sets(lambda w: robot(w).joint("j0"), axis=(0.0, 0.6, 0.8)),
    "positions": sets(lambda w: w.skeleton("crate 1"), positions=[0.1, 0.2, 0.3, 0.1, 0.4, 0.5]),
    "velocities": sets(lambda w: w.skeleton("crate 0"), velocities=[0.1, 0.2, 0.3, 0.1, 0.4, 0.5]),
    "force from outside": lambda w: crate(w, 0).add_external_force((3.0, 0.0, 1.0)),
    "filter": lambda w: w.collision_filter.ignore(crate(w, 0), crate(w, 1)),
    "another shape": lambda w: crate(w, 2).add_shape_node(Box((0.1, 0.1, 0.4))),
    "visual": sets(lambda w: shape(crate(w, 0)), visual=False),
}
UNSEEN = {"visual"}
"""What no step depends on."""
STEPS = 25


def motion(world: World) -> list[Array]:
    """Of all skeletons after some steps."""
    world.step(STEPS)
    return [row for one in world.skeletons for row in (one.positions, one.velocities)]


def used() -> World:
    """A world that has made steps, as it stood before them."""
    world = scene()
    start = world.snapshot()
    world.step(7)
    world.restore(start)
    return world


def same_as_anew(*names: str) -> list[Array]:
    """The motion after edits."""
    living, fresh = used(), scene()
    for name in names:
        EDITS[name](living)
        EDITS[name](fresh)
    found = motion(living)
    for one, other in zip(found, motion(fresh), strict=True):
        np.testing.assert_array_equal(one, other, err_msg=", ".join(names))
    return found


@looped("name", EDITS)
def test_what_is_set_after_steps_holds_as_in_a_world_made_anew(name: str) -> None:
    before = motion(scene())
    found = same_as_anew(name)
    moved = any((one != other).any() for one, other in zip(found, before, strict=True))
    assert moved == (name not in UNSEEN)


def test_any_combination_holds_as_in_a_world_made_anew() -> None:
    rng = random.Random(0)
    for _ in range(examples(20)):
        same_as_anew(*rng.sample(sorted(EDITS), rng.randint(2, 8)))
