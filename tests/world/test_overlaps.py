"""Bodies that are placed within others are displaced apart, without velocity or kinetic energy."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh
from _scenes import KINDS, TIME_STEPS, as_kind, on_ground, origin, push, put, spin, velocity
from scipy.spatial.transform import Rotation
from test_structures import standing_g1

import kido
from kido import Inertia, ShapeNode, Skeleton, Surface, World, gallery
from kido.shape import Box, HeightField, Mesh, Shape
from kido.world import BlockSolver, BoxedLCPSolver

WEIGHTLESS = (0.0, 0.0, 0.0)
SOLVERS = [BlockSolver(), BoxedLCPSolver()]
Solver = BlockSolver | BoxedLCPSolver


def energy(bodies: list[Skeleton]) -> float:
    """Kinetic energy [J]."""
    return float(sum(body.kinetic_energy for body in bodies))


def liveliest(world: World, bodies: list[Skeleton], seconds: float = 0.5) -> float:
    """Largest kinetic energy of bodies in a time [J]."""
    most = 0.0
    for _ in range(round(seconds / world.time_step)):
        world.step()
        most = max(most, energy(bodies))
    return most


def deepest(world: World) -> float:
    """Largest depth of a contact [m]."""
    return max((contact.depth for contact in world.contacts), default=0.0)


def cube(name: str, mass: float = 1.0, restitution: float = 0.0) -> Skeleton:
    """A cube of 20 cm."""
    return gallery.box((0.2, 0.2, 0.2), mass, name=name, surface=Surface(restitution=restitution))


def sunk_box() -> list[Skeleton]:
    return [put(cube("box"), (0, 0, 0.09))]


def sunk_and_tilted() -> list[Skeleton]:
    return [put(cube("box"), (0, 0, 0.09), (0.01, 0.02, 0.0))]


def box_and_ball(mass: float = 1.0) -> list[Skeleton]:
    """A box in the ground by 5 cm, a ball in it by 7 cm."""
    return [put(cube("box"), (0, 0, 0.05)), put(gallery.ball(0.1, mass, name="ball"), (0, 0, 0.18))]


def box_and_heavy_ball() -> list[Skeleton]:
    return box_and_ball(10.0)


def stack(kind: str = "rigid body", restitution: float = 0.0) -> list[Skeleton]:
    """Boxes that overlap by 5 cm each."""
    boxes = [cube(f"box_{i}", restitution=restitution) for i in range(4)]
    return [put(as_kind(kind, box), (0, 0, 0.05 + 0.15 * i)) for i, box in enumerate(boxes)]


def elastic_stack() -> list[Skeleton]:
    return stack(restitution=0.8)


def stack_of_trees() -> list[Skeleton]:
    return stack("tree")


def box_below_a_stack() -> list[Skeleton]:
    """A box in the ground by 5 cm below three that touch it and each other."""
    return [put(cube(f"box_{i}"), (0, 0, 0.05 + 0.2 * i)) for i in range(4)]


def box_within_a_box() -> list[Skeleton]:
    outer = put(gallery.box((0.3, 0.3, 0.3), name="outer"), (0, 0, 0.15))
    return [outer, put(gallery.box((0.1, 0.1, 0.1), name="inner"), (0.03, 0.02, 0.16))]


SCENES: list[Callable[[], list[Skeleton]]] = [
    sunk_box, sunk_and_tilted, box_and_ball, box_and_heavy_ball, stack, elastic_stack, stack_of_trees,
    box_below_a_stack, box_within_a_box,
]  # fmt: skip


@pytest.mark.parametrize("solver", SOLVERS, ids=["block", "matrix"])
@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_overlaps_recover_without_kinetic_energy(
    scene: Callable[[], list[Skeleton]], time_step: float, solver: Solver
) -> None:
    bodies = scene()
    world = on_ground(*bodies, gravity=WEIGHTLESS, time_step=time_step, surface=Surface(restitution=1.0))
    world.solver = solver
    assert liveliest(world, bodies) < 1e-6
    assert deepest(world) < 2e-5
    assert max(np.abs(body.velocities).max() for body in bodies) < 5e-3


@pytest.mark.parametrize("solver", SOLVERS, ids=["block", "matrix"])
@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize(
    "scene", [sunk_box, box_and_ball, box_and_heavy_ball, stack, elastic_stack, stack_of_trees]
)
def test_overlaps_recover_under_gravity_and_rest(
    scene: Callable[[], list[Skeleton]], time_step: float, solver: Solver
) -> None:
    bodies = scene()
    world = on_ground(*bodies, time_step=time_step, surface=Surface(restitution=1.0))
    world.solver = solver
    assert liveliest(world, bodies) < 5e-4, "nothing pops"
    heights = [origin(body)[2] for body in bodies]
    np.testing.assert_allclose(heights, 0.1 + 0.2 * np.arange(len(bodies)), atol=2e-4)
    assert deepest(world) < 1e-4


@pytest.mark.parametrize("solver", SOLVERS, ids=["block", "matrix"])
@pytest.mark.parametrize("gravity", [WEIGHTLESS, (0.0, 0.0, -9.81)])
def test_a_box_that_is_made_taller_between_steps_lifts_what_lies_on_it(
    gravity: tuple[float, float, float], solver: Solver
) -> None:
    """It overlaps the ground by 10 cm, and the ball by 10 cm."""
    bodies = [put(cube("box"), (0, 0, 0.1)), put(gallery.ball(0.1, name="ball"), (0, 0, 0.3))]
    world = on_ground(*bodies, gravity=gravity)
    world.solver = solver
    world.step(200)
    bodies[0].body(0).shape_nodes[0].shape = Box((0.2, 0.2, 0.4))
    assert liveliest(world, bodies) < 1e-4
    np.testing.assert_allclose([origin(body)[2] for body in bodies], [0.2, 0.5], atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_that_is_moved_into_another_between_steps_is_pushed_out_at_rest(kind: str) -> None:
    bodies = [put(cube("low"), (0, 0, 0.1)), put(as_kind(kind, cube("high")), (0, 0, 0.3))]
    world = on_ground(*bodies)
    world.step(300)
    put(bodies[1], (0, 0, 0.26))
    assert liveliest(world, bodies) < 1e-4
    assert origin(bodies[1])[2] == pytest.approx(0.3, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("speed", [0.0, 0.5])
def test_a_body_keeps_its_own_velocity_while_it_is_pushed_out(kind: str, speed: float) -> None:
    ball = as_kind(kind, gallery.ball(0.1, surface=Surface(friction=0.0)))
    push(put(ball, (0, 0, 0.05)), (0.3, 0.1, speed))
    on_ground(ball, gravity=WEIGHTLESS).step(300)
    np.testing.assert_allclose(velocity(ball), (0.3, 0.1, speed), atol=1e-4)
    np.testing.assert_allclose(spin(ball), 0.0, atol=1e-6)


@pytest.mark.parametrize("down", [0.01, 0.05])
def test_a_robot_in_the_ground_is_lifted_out_and_stands(down: float) -> None:
    """Its servos hold their joints meanwhile."""
    robot = standing_g1()
    height, joints = robot.com()[2], np.array(robot.positions[6:])
    robot.dof(5).position -= down
    world = on_ground(robot)
    most = 0.0
    for _ in range(1000):
        world.step()
        most = max(most, robot.com()[2] - height)
    assert most < 1e-3, "it does not jump"
    assert robot.com()[2] == pytest.approx(height, abs=1e-3)
    np.testing.assert_allclose(robot.positions[6:], joints, atol=1e-2)
    assert deepest(world) < 2e-4
    assert energy([robot]) < 1e-2


def shaped(name: str, shape: Shape) -> Skeleton:
    """A free body of 1 kg."""
    skeleton = Skeleton(name)
    body = skeleton.add_body(
        name, joint=kido.FreeJoint(name), inertia=Inertia(1.0, (0, 0, 0), 5e-3 * np.eye(3))
    )
    ShapeNode(body, name, shape)
    return skeleton


@pytest.mark.parametrize("form", ["box", "icosahedron", "cylinder", "torus"])
def test_hulls_and_meshes_recover_without_kinetic_energy(tmp_path: Path, form: str) -> None:
    made = {
        "box": lambda: trimesh.creation.box((0.2, 0.2, 0.2)),
        "icosahedron": lambda: trimesh.creation.icosphere(1, 0.1),
        "cylinder": lambda: trimesh.creation.cylinder(0.1, 0.2, sections=16),
        "torus": lambda: trimesh.creation.torus(0.15, 0.05, major_sections=16, minor_sections=8),
    }[form]()
    made.export(tmp_path / "shape.stl")
    body = put(shaped("body", Mesh(tmp_path / "shape.stl")), (0, 0, 0.5 * made.extents[2] - 0.03))
    ball = put(gallery.ball(0.05, name="ball"), (0.12, 0.0, made.extents[2] - 0.01))
    world = on_ground(body, ball, gravity=WEIGHTLESS)
    assert liveliest(world, [body, ball]) < 1e-6
    assert deepest(world) < 2e-5


@pytest.mark.parametrize("shape", ["box", "ball"])
def test_bodies_in_a_height_field_recover_without_kinetic_energy(shape: str) -> None:
    terrain = Skeleton("terrain")
    field = HeightField(np.zeros((9, 9)), (0.1, 0.1))
    ShapeNode(terrain.add_body("terrain", joint=kido.WeldJoint("fixed")), "terrain", field)
    terrain.mobile = False
    body = cube("box") if shape == "box" else gallery.ball(0.1)
    put(body, (0.02, 0.03, 0.07))
    world = World([terrain, body], gravity=WEIGHTLESS)
    assert liveliest(world, [body]) < 1e-6
    assert origin(body)[2] == pytest.approx(0.1, abs=2e-5)


def between_walls(gap: float) -> World:
    """A cube between two walls, for which there may be no room."""
    world = World([put(cube("box"), (0.02, 0.0, 0.0))], gravity=WEIGHTLESS)
    for side in (-1.0, 1.0):
        wall = Skeleton(f"wall_{side}")
        body = wall.add_body(
            "wall", None, kido.WeldJoint("fixed", T_parent_joint=(side * (0.1 + 0.5 * gap), 0, 0))
        )
        ShapeNode(body, "wall", Box((0.2, 2.0, 2.0)))
        wall.mobile = False
        world.add(wall)
    return world


def test_a_body_that_has_no_room_comes_to_rest_in_the_middle() -> None:
    world = between_walls(0.19)
    box = world.skeleton("box")
    assert liveliest(world, [box], 1.0) < 1e-5
    assert origin(box)[0] == pytest.approx(0.0, abs=1e-3)
    settled = origin(box)
    world.step(500)
    np.testing.assert_allclose(origin(box), settled, atol=1e-6)


def test_what_is_welded_to_an_overlap_moves_with_it() -> None:
    """Both keep their places relative to each other."""
    boxes = [put(cube(name), (0.5 * i, 0, 0.06 + 0.2 * i)) for i, name in enumerate(("low", "high"))]
    world = on_ground(*boxes, gravity=WEIGHTLESS)
    world.constraints.add(kido.WeldConstraint(boxes[0].body(0), boxes[1].body(0)))
    assert liveliest(world, boxes) < 1e-5
    relative = boxes[1].body(0).transform(relative_to=boxes[0].body(0))
    np.testing.assert_allclose(relative[:3, 3], (0.5, 0.0, 0.2), atol=1e-4)
    assert deepest(world) < 2e-5


def test_what_stands_elsewhere_is_not_moved_by_an_overlap() -> None:
    """Only what touches what is pushed is displaced with it."""
    tower = [put(cube(f"tower_{i}"), (2.0, 0.0, 0.1 + 0.2 * i)) for i in range(5)]
    box = put(cube("box"), (0, 0, 0.05))
    world = on_ground(*tower, box, gravity=WEIGHTLESS)
    stood = [part.positions.tobytes() for part in tower]
    world.step(500)
    assert origin(box)[2] == pytest.approx(0.1, abs=1e-5)
    assert [part.positions.tobytes() for part in tower] == stood


def overlapping_world() -> World:
    bodies = [*box_and_ball(), *(put(body, (1.0, 0.0, origin(body)[2])) for body in stack_of_trees())]
    return on_ground(*bodies)


@pytest.mark.parametrize("steps", [0, 1, 7, 40, 70])
def test_a_world_that_recovers_is_saved_whole(steps: int) -> None:
    world = overlapping_world()
    world.step(steps)
    copies = [world.clone(), pickle.loads(pickle.dumps(world))]
    snapshot = world.snapshot()
    world.step(60)
    after = [skeleton.positions.tobytes() for skeleton in world.skeletons]
    world.restore(snapshot)
    for copy in (world, *copies):
        copy.step(60)
        assert [skeleton.positions.tobytes() for skeleton in copy.skeletons] == after


def column_of_trees(column: int) -> list[Skeleton]:
    """Boxes that overlap, as trees: enough of them are stepped on threads."""
    boxes = [as_kind("tree", cube(f"box_{column}_{i}")) for i in range(4)]
    return [put(box, (0.19 * column, 0.0, 0.05 + 0.15 * i)) for i, box in enumerate(boxes)]


def test_a_recovery_has_the_same_bits_on_two_threads() -> None:
    ends = []
    for threads in (1, 2):
        kido.set_num_threads(threads)
        bodies = [body for column in range(6) for body in column_of_trees(column)]
        world = on_ground(*bodies)
        world.step(120)
        ends.append([skeleton.positions.tobytes() for skeleton in world.skeletons])
    assert ends[0] == ends[1]


def test_forces_while_an_overlap_recovers_are_those_that_carry() -> None:
    """What pushes out is no force."""
    box = put(cube("box", 3.0), (0, 0, 0.05))
    world = on_ground(box)
    for _ in range(100):
        world.step()
        carried = sum(c.force if c.first.skeleton is box else -c.force for c in world.contacts)
        np.testing.assert_allclose(carried, (0.0, 0.0, 3.0 * 9.81), atol=1.5)


def heap_of_robots(seed: int) -> World:
    """Five humanoids that fall onto each other, lying."""
    random = np.random.default_rng(seed)
    robots = []
    for k in range(5):
        robot = gallery.humanoid()
        robot.name = f"robot{k}"
        lying = Rotation.from_euler("zy", (random.uniform(-3.0, 3.0), np.pi / 2 + random.uniform(-0.3, 0.3)))
        q = robot.positions.copy()
        q[:3], q[3:6] = lying.as_rotvec(), (*random.uniform(-0.2, 0.2, 2), 0.4 + 0.5 * k)
        robot.positions = q
        robots.append(robot)
    return on_ground(*robots)


@pytest.mark.parametrize("seed", range(6))
def test_overlaps_of_an_impact_end_in_a_heap(seed: int) -> None:
    """They are not handed on to what is around them, step by step."""
    world = heap_of_robots(seed)
    world.step(1500)
    assert len(world.contacts) > 20
    assert world._simulation.compiled.native.counts()["overlaps"] == 0  # type: ignore[union-attr]
