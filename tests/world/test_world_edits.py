"""What is changed between steps holds from the next step on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from _scenes import KINDS, G, as_kind, on_ground, origin, push, put, velocity

from kido import FreeJoint, PrismaticJoint, ShapeNode, Skeleton, Surface, WeldJoint, World, gallery
from kido.description import Inertia
from kido.shape import Box, Plane, Sphere


def resting(kind: str) -> tuple[World, Skeleton]:
    """A box that has come to rest on the ground."""
    box = put(as_kind(kind, gallery.box((0.2, 0.2, 0.2), 2.0)), (0.0, 0.0, 0.1))
    world = on_ground(box)
    world.step(300)
    return world, box


def shape_of(skeleton: Skeleton) -> ShapeNode:
    return skeleton.body(0).nodes(ShapeNode)[0]


def lift(world: World, box: Skeleton) -> None:
    put(box, (0.0, 0.0, 1.0))


def throw(world: World, box: Skeleton) -> None:
    push(box, (1.0, 0.0, 2.0), (0.3, 0.0, 1.0))


def smooth(world: World, box: Skeleton) -> None:
    shape_of(box).surface = Surface(friction=0.0)
    push(box, (1.0, 0.0, 0.0))


def shrink(world: World, box: Skeleton) -> None:
    shape_of(box).shape = Box((0.1, 0.1, 0.1))


def weigh(world: World, box: Skeleton) -> None:
    box.body(0).inertia = Inertia(20.0, (0.0, 0.0, 0.0), np.diag([0.2, 0.3, 0.4]))


def turn_gravity(world: World, box: Skeleton) -> None:
    world.gravity = (6.0, 0.0, -5.0)


def raise_ground(world: World, box: Skeleton) -> None:
    ground = world.skeleton("ground")
    shape_of(ground).shape = Plane((0.0, 0.0, 1.0), -0.05)


def free_from_gravity(world: World, box: Skeleton) -> None:
    box.body(0).gravity_mode = False
    push(box, (0.0, 0.0, 0.5))


def let_through(world: World, box: Skeleton) -> None:
    box.body(0).collidable = False


def let_shape_through(world: World, box: Skeleton) -> None:
    shape_of(box).collision = False


def pull(world: World, box: Skeleton) -> None:
    box.commands = [0.0, 0.0, 0.0, 0.0, 0.0, 60.0]


def brake(world: World, box: Skeleton) -> None:
    box.damping = [5.0] * 6
    push(box, (0.0, 0.0, 3.0))


def grow(world: World, box: Skeleton) -> None:
    added = box.add_body("more", box.body(0), joint=WeldJoint("glue", T_parent_joint=(0.0, 0.0, 0.2)))
    added.inertia = Inertia(1.0, (0.0, 0.0, 0.0), np.eye(3) * 0.01)
    ShapeNode(added, "more", Sphere(0.1))
    push(box, (0.0, 0.0, 1.0), (4.0, 0.0, 0.0))


def hold(world: World, box: Skeleton) -> None:
    box.mobile = False


EDITS: list[Callable[[World, Skeleton], None]] = [
    lift,
    throw,
    smooth,
    shrink,
    weigh,
    turn_gravity,
    raise_ground,
    free_from_gravity,
    let_through,
    let_shape_through,
    pull,
    brake,
    grow,
    hold,
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_edit_holds_as_in_a_world_built_anew(kind: str, edit: Callable[[World, Skeleton], None]) -> None:
    """The impulses of resting contacts may be those of before; so not to the bit."""
    world, box = resting(kind)
    untouched, other = resting(kind)
    edit(world, box)
    anew = World(
        [skeleton.clone() for skeleton in world.skeletons],
        time_step=world.time_step,
        gravity=world.gravity,
    )
    for _ in range(3):
        world.step(50)
        anew.step(50)
        untouched.step(50)
        twin = anew.skeleton("box")
        np.testing.assert_allclose(box.positions, twin.positions, atol=2e-5)
        np.testing.assert_allclose(box.velocities, twin.velocities, atol=2e-3)
    if edit not in (weigh, hold):
        assert np.abs(box.positions - other.positions).max() > 1e-3, "the edit changes something"


def test_a_time_step_that_is_changed_holds_from_the_next_step() -> None:
    ball = put(gallery.ball(0.1), (0.0, 0.0, 10.0))
    world = on_ground(ball)
    world.step(100)
    world.time_step = 5e-3
    world.step(100)
    assert world.time == pytest.approx(0.6)
    np.testing.assert_allclose(origin(ball), (0.0, 0.0, 10.0 - 0.5 * G * 0.6**2), atol=1e-12)
    assert velocity(ball)[2] == pytest.approx(-G * 0.6)


def test_a_skeleton_that_is_added_takes_part_from_the_next_step() -> None:
    world, box = resting("rigid body")
    ball = world.add(put(gallery.ball(0.1, 1.0), (0.0, 0.0, 0.5)))
    world.step(50)
    assert velocity(ball)[2] == pytest.approx(-G * 0.05)
    world.step(1000)
    assert {c.first.skeleton for c in world.contacts} | {c.second.skeleton for c in world.contacts} >= {ball}
    assert origin(box)[2] == pytest.approx(0.1, abs=1e-4)


def test_a_skeleton_that_is_removed_takes_part_no_longer() -> None:
    world, box = resting("rigid body")
    upper = world.add(put(gallery.box((0.2, 0.2, 0.2), name="upper"), (0.0, 0.0, 0.3)))
    world.step(100)
    assert world.remove("box") is box
    assert world.skeletons == (world.skeleton("ground"), upper)
    assert world.contacts == []
    before = box.positions
    world.step(400)
    np.testing.assert_array_equal(box.positions, before)
    assert origin(upper)[2] == pytest.approx(0.1, abs=1e-3)
    world.add(box)
    world.step(1)


def test_the_ground_can_be_removed() -> None:
    world, box = resting("rigid body")
    world.remove(world.skeleton("ground"))
    world.step(100)
    assert velocity(box)[2] == pytest.approx(-G * 0.1, rel=1e-9)


def test_a_fixed_skeleton_that_is_moved_carries_what_is_on_it() -> None:
    table = gallery.box((1.0, 1.0, 0.2), name="table")
    table.mobile = False
    box = put(gallery.box((0.2, 0.2, 0.2)), (0.0, 0.0, 0.2))
    world = World([table, box])
    world.step(100)
    put(table, (0.0, 0.0, -0.5))
    world.step(1000)
    assert origin(box)[2] == pytest.approx(-0.3, abs=1e-4)


def test_limits_hold_from_the_step_on_in_which_they_are_enforced() -> None:
    made = gallery.double_pendulum()
    made.position_lower_limits, made.position_upper_limits = [-0.2, -0.3], [0.2, 0.3]
    made.positions = [0.2, 0.0]
    made.velocity_upper_limits = [2.0, 2.0]
    made.velocity_lower_limits = [-2.0, -2.0]
    upper = made.joints[0]
    upper.limits_enforced = False
    upper.commands = [200.0]
    world = World([made])
    world.step(40)
    assert made.positions[0] > 0.25 and made.velocities[0] > 2.1
    upper.limits_enforced = True
    world.step(400)
    assert made.positions[0] == pytest.approx(0.2, abs=1e-4)
    upper.limits_enforced = False
    world.step(40)
    assert made.positions[0] > 0.25 and made.velocities[0] > 2.1


def pair(*, own: bool, adjacent: bool) -> tuple[World, Skeleton]:
    """Three overlapping cars of one skeleton on a rail: each is the parent of the next."""
    made = Skeleton("train")
    parent = None
    for i, place in enumerate((0.0, 0.05, -0.05)):
        joint = PrismaticJoint(f"rail_{i}", axis=(1.0, 0.0, 0.0), T_parent_joint=(place, 0.0, 0.0))
        parent = made.add_body(f"car_{i}", parent, joint=joint, inertia=Inertia(1.0, (0, 0, 0), np.eye(3)))
        ShapeNode(parent, f"car_{i}", Box((0.2, 0.2, 0.2)))
    made.self_collision_check, made.adjacent_body_check = own, adjacent
    return World([made], gravity=(0.0, 0.0, 0.0)), made


@pytest.mark.parametrize(
    "own, adjacent, expected",
    [
        (False, False, set()),
        (False, True, set()),
        (True, False, {("car_0", "car_2")}),
        (True, True, {("car_0", "car_1"), ("car_0", "car_2"), ("car_1", "car_2")}),
    ],
)
def test_self_collision_is_as_the_flags_say(
    own: bool, adjacent: bool, expected: set[tuple[str, str]]
) -> None:
    world, _ = pair(own=own, adjacent=adjacent)
    world.step()
    met = {tuple(sorted((c.first.name, c.second.name))) for c in world.contacts}
    assert met == expected


def test_the_flags_of_self_collision_can_be_changed_between_steps() -> None:
    world, made = pair(own=False, adjacent=False)
    world.step(10)
    assert world.contacts == []
    made.self_collision_check = True
    world.step()
    assert {(c.first.name, c.second.name) for c in world.contacts} in (
        {("car_0", "car_2")},
        {("car_2", "car_0")},
    )
    made.self_collision_check = False
    world.step()
    assert world.contacts == []


def test_shapes_of_one_body_do_not_meet() -> None:
    box = gallery.box((0.2, 0.2, 0.2))
    ShapeNode(box.body(0), "second", Sphere(0.15))
    box.self_collision_check = box.adjacent_body_check = True
    world = World([box], gravity=(0.0, 0.0, 0.0))
    world.step(10)
    assert world.contacts == []
    np.testing.assert_allclose(box.positions, 0.0)


def test_skeletons_that_do_not_move_do_not_meet() -> None:
    boxes = [gallery.box(name=f"box_{i}") for i in range(2)]
    for box in boxes:
        box.mobile = False
    world = on_ground(*boxes)
    world.step(3)
    assert world.contacts == []


def test_a_joint_that_is_replaced_moves_as_the_new_one() -> None:
    made = gallery.pendulum()
    world = World([made])
    world.step(10)
    made.body(0).change_parent_joint_type(FreeJoint)
    made.velocities = np.zeros(6)
    before = made.com()
    world.step(100)
    np.testing.assert_allclose(made.com_linear_velocity(), (0.0, 0.0, -G * 0.1), atol=1e-9)
    assert np.linalg.norm(made.com() - before) > 0.01
