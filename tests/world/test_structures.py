"""What stands by friction and shape alone stands for a minute; a robot does under its servos."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import trimesh
from _scenes import on_ground, origin, put, velocity
from _structures import CARD_SIZE, LEAN, arch, house_of_cards, wall

import kido
from _robots import robot_files
from kido import ActuatorType, ShapeNode, Skeleton, Surface, World, gallery
from kido.errors import ModelWarning
from kido.shape import Box, Mesh

ROUGH = Surface(friction=2.0)
"""The ground's: the smaller friction of a pair counts."""


def places(made: list[Skeleton]) -> np.ndarray:
    return np.array([origin(skeleton) for skeleton in made])


def moved(made: list[Skeleton], since: np.ndarray) -> float:
    """How far the one moved that moved farthest [m]."""
    return float(np.linalg.norm(places(made) - since, axis=1).max())


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_a_house_of_cards_stands_for_a_minute(levels: int) -> None:
    cards = house_of_cards(levels)
    world, built = on_ground(*cards, surface=ROUGH), places(cards)
    world.step(5_000)
    assert moved(cards, built) < 5e-5
    settled = places(cards)
    world.step(55_000)
    assert moved(cards, settled) < 5e-6
    assert max(np.abs(card.velocities).max() for card in cards) < 1e-3


@pytest.mark.parametrize("ratio, stands", [(1.005, True), (0.995, False)])
def test_two_leaning_cards_slide_apart_at_the_friction_of_their_feet(ratio: float, stands: bool) -> None:
    """A card's weight balances the push at its top about its foot; by symmetry, that push is level."""
    thickness, _, length = CARD_SIZE
    critical = (np.tan(LEAN) - thickness / length) / 2.0
    cards = house_of_cards(1, ROUGH)
    world, built = on_ground(*cards, surface=Surface(friction=critical * ratio)), places(cards)
    world.step(2_000)
    if stands:
        assert moved(cards, built) < 1e-5
    else:
        assert moved(cards, built) > 1e-2


def test_an_arch_of_twenty_stones_stands_for_a_minute(tmp_path: Path) -> None:
    stones = arch(tmp_path)
    world, built = on_ground(*stones, surface=ROUGH), places(stones)
    world.step(5_000)
    assert moved(stones, built) < 5e-4
    settled = places(stones)
    world.step(55_000)
    assert moved(stones, settled) < 1e-7
    assert max(contact.depth for contact in world.contacts) < 1e-4


def test_an_arch_is_held_up_by_the_friction_of_its_joints(tmp_path: Path) -> None:
    """A thin half circle needs a friction of about 0.3 between its stones."""
    stones = arch(tmp_path, Surface(friction=0.2))
    world, built = on_ground(*stones, surface=ROUGH), places(stones)
    world.step(3_000)
    assert moved(stones, built) > 0.1


@pytest.mark.parametrize("seconds", [4, pytest.param(60, marks=pytest.mark.nightly)])
def test_a_wall_of_a_hundred_bricks_stands(seconds: int) -> None:
    bricks = wall()
    world, built = on_ground(*bricks, surface=ROUGH), places(bricks)
    deepest = 0.0
    for _ in range(seconds):
        world.step(1_000)
        deepest = max(deepest, *(contact.depth for contact in world.contacts))
    assert moved(bricks, built) < 2e-3
    assert deepest < 1e-4


@pytest.mark.parametrize(
    ("rows", "columns", "seconds"), [(6, 6, 3), pytest.param(10, 10, 60, marks=pytest.mark.nightly)]
)
def test_a_wall_of_bricks_comes_to_rest(rows: int, columns: int, seconds: int) -> None:
    bricks = wall(rows, columns)
    world = on_ground(*bricks, surface=ROUGH)
    world.step(2_000)
    settled, fastest = places(bricks), 0.0
    for _ in range(10 * seconds):
        world.step(100)
        fastest = max(fastest, *(np.abs(brick.velocities).max() for brick in bricks))
    assert fastest < 1e-4
    assert moved(bricks, settled) < 1e-5


def standing_g1() -> Skeleton:
    """The G1 with its knees bent, every joint a servo that holds still; only its feet collide."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = kido.load(robot_files()["g1_description/urdf/g1_29dof_rev_1_0.urdf"], root="free")
    feet = [robot.body(f"{side}_ankle_roll_link") for side in ("left", "right")]
    for body in robot.bodies:
        body.collidable = body in feet
    for side in ("left", "right"):
        for joint, angle in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)):
            robot.dof(f"{side}_{joint}_joint").position = angle
    soles = [node for foot in feet for node in foot.shape_nodes if isinstance(node.shape, kido.shape.Sphere)]
    lowest = min(node.transform()[2, 3] - node.shape.radius for node in soles)  # type: ignore[attr-defined]
    robot.dof(5).position -= lowest
    for joint in robot.joints:
        if joint.num_dofs == 1:
            joint.actuator = ActuatorType.SERVO
    return robot


def test_a_g1_stands_for_a_minute_under_its_servos() -> None:
    robot = standing_g1()
    world, started = on_ground(robot), robot.positions
    world.step(10_000)
    settled = robot.positions
    np.testing.assert_allclose(settled, started, atol=1e-3)
    world.step(50_000)
    np.testing.assert_allclose(robot.positions, settled, atol=1e-9)
    np.testing.assert_allclose(robot.velocities, 0.0, atol=1e-9)
    carried = sum(c.force if c.first.skeleton is robot else -c.force for c in world.contacts)
    np.testing.assert_allclose(carried, [0.0, 0.0, 9.81 * robot.mass], rtol=1e-6, atol=1e-6)


def test_a_g1_falls_without_its_servos() -> None:
    robot = standing_g1()
    for joint in robot.joints:
        joint.actuator = ActuatorType.PASSIVE
    world, height = on_ground(robot), robot.com()[2]
    world.step(1_000)
    assert robot.com()[2] < 0.8 * height


def grasp(folder: Path) -> tuple[World, Skeleton]:
    """A block of 0.2 kg, read from a mesh, between a wall and a finger that presses with 20 N."""
    path = folder / "block.stl"
    trimesh.creation.box((0.06, 0.04, 0.06)).export(path)
    block = Skeleton("block")
    moment = 0.2 / 12.0 * np.diag([0.0052, 0.0072, 0.0052])
    body = block.add_body("block", joint=kido.FreeJoint("free"), inertia=kido.Inertia(0.2, (0, 0, 0), moment))
    ShapeNode(body, "block", Mesh(path), surface=Surface(friction=0.5))
    gripper = Skeleton("gripper")
    palm = gripper.add_body("palm", joint=kido.WeldJoint("mount"))
    slide = kido.PrismaticJoint("slide", (-1, 0, 0), T_parent_joint=(0.04, 0, 0))
    finger = gripper.add_body("finger", palm, slide, inertia=kido.Inertia(0.1, (0, 0, 0), 1e-4 * np.eye(3)))
    for part, x in ((palm, -0.04), (finger, 0.0)):
        ShapeNode(part, f"{part.name}_pad", Box((0.02, 0.04, 0.04)), (x, 0, 0), surface=Surface(friction=0.5))
    slide.actuator, slide.commands = ActuatorType.SERVO, [0.05]
    slide.force_lower_limits, slide.force_upper_limits = [-20.0], [20.0]
    return World([gripper, block]), block


def test_a_grasped_block_does_not_creep_in_a_minute(tmp_path: Path) -> None:
    world, block = grasp(tmp_path)
    world.step(500)
    held = block.positions
    assert np.abs(held[3:]).max() < 2e-4
    world.step(59_500)
    np.testing.assert_allclose(block.positions, held, atol=1e-9)


def test_a_block_that_is_grasped_too_loosely_slides_out(tmp_path: Path) -> None:
    """Two contacts of 20 N with friction 0.045 carry 1.8 N, less than its weight of 1.96 N."""
    world, block = grasp(tmp_path)
    block.body(0).shape_nodes[0].surface = Surface(friction=0.045)
    world.step(100)
    before = velocity(block)
    world.step(100)
    np.testing.assert_allclose((velocity(block) - before) / 0.1, [0.0, 0.0, 1.8 / 0.2 - 9.81], atol=1e-2)


def test_a_wall_gives_the_same_bits_after_a_snapshot_and_in_a_clone() -> None:
    bricks = wall(4, 5)
    world = on_ground(*bricks, put(gallery.ball(0.1, 8.0), (0.5, -1.0, 0.3)), surface=ROUGH)
    ball = world.skeleton("ball")
    ball.velocities = [0.0, 0.0, 0.0, 0.0, 6.0, 1.0]
    world.step(150)
    saved, copy = world.snapshot(), world.clone()
    world.step(400)
    first = [skeleton.positions for skeleton in world.skeletons]
    world.restore(saved)
    world.step(400)
    copy.step(400)
    assert moved(bricks, places(wall(4, 5))) > 0.05, "the ball breaks it"
    for expected, again, cloned in zip(first, world.skeletons, copy.skeletons, strict=True):
        assert expected.tobytes() == again.positions.tobytes() == cloned.positions.tobytes()


def test_rollouts_of_structures_give_the_same_bits_on_one_and_two_threads() -> None:
    cards = house_of_cards(2)
    world = World([gallery.ground(surface=ROUGH), *cards])
    pushes = np.zeros((4, 200, 6 * len(cards)))
    pushes[:, :50, 3] = 0.2 * np.arange(4)[:, None]
    one, two = (kido.rollout(world, pushes, threads=threads) for threads in (1, 2))
    assert one.positions.tobytes() == two.positions.tobytes()
    assert np.abs(one.positions[3, -1] - one.positions[0, -1]).max() > 1e-3, "the push is felt"
