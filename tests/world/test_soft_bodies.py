"""Point masses around bodies in a world: motion, contact, what a user changes between steps."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import coo_array, diags
from scipy.sparse.linalg import spsolve

import kido
from kido.description import SoftSkin
from kido.errors import EditError
from kido.shape import Box, Sphere
from kido.typing import FloatArray

CORE = kido.Inertia(0.2, (0.01, -0.02, 0.005), np.diag([4e-4, 5e-4, 6e-4]))
GRAVITY = 9.81


def soft_cube(
    height: float = 0.2,
    *,
    joint: kido.Joint | None = None,
    divisions: tuple[int, int, int] = (3, 3, 3),
    core: kido.Inertia = CORE,
    name: str = "cube",
    radius: float = 0.005,
    **springs: float,
) -> kido.Skeleton:
    """A cube of 0.2 m with points of 0.4 kg, by default free at a height."""
    robot = kido.Skeleton(name)
    carrying = kido.FreeJoint() if joint is None else joint
    body = robot.add_body("core", None, carrying, inertia=core)
    given = {"vertex_stiffness": 200.0, "edge_stiffness": 500.0, "damping": 1.0, **springs}
    skin = SoftSkin.of_shape(Box((0.2, 0.2, 0.2)), 0.4, divisions=divisions, radius=radius, **given)
    kido.SoftBodyNode.add_skin(body, skin)
    if joint is None:
        robot.positions = (0.0, 0.0, 0.0, 0.0, 0.0, height)
    return robot


def body_of(robot: kido.Skeleton) -> kido.SoftBodyNode:
    body = robot.bodies[0]
    assert isinstance(body, kido.SoftBodyNode)
    return body


def laplacian(skin: SoftSkin) -> FloatArray:
    a, b = skin.edges.T
    n, k = skin.num_points, skin.edge_stiffness
    off = coo_array((np.r_[k, k], (np.r_[a, b], np.r_[b, a])), shape=(n, n)).tocsr()
    return diags(off.sum(axis=1)) - off


def test_points_tied_to_the_body_alone_are_translational_joints() -> None:
    soft = soft_cube(edge_stiffness=0.0, divisions=(2, 2, 2))
    skin = body_of(soft).skin
    rigid = kido.Skeleton("joints")
    root = rigid.add_body("core", None, kido.FreeJoint(), inertia=CORE)
    for i, (m, rest) in enumerate(zip(skin.mass, skin.points, strict=True)):
        joint = kido.TranslationalJoint(f"j{i}", T_parent_joint=rest)
        rigid.add_body(f"p{i}", root, joint, inertia=kido.Inertia(m))
        joint.spring_stiffness = np.full(3, skin.vertex_stiffness[i])
        joint.damping = np.full(3, skin.damping[i])
    start = np.array([0.3, -0.2, 0.5, 0.0, 0.0, 1.0])
    rng = np.random.default_rng(3)
    velocity, x, v = rng.normal(size=6), 0.01 * rng.normal(size=(8, 3)), 0.1 * rng.normal(size=(8, 3))
    soft.positions, soft.velocities = start, velocity
    body_of(soft).displacements, body_of(soft).displacement_velocities = x, v
    rigid.positions = np.r_[start, x.ravel()]
    rigid.velocities = np.r_[velocity, v.ravel()]
    assert soft.mass == pytest.approx(rigid.mass)
    for quantity in ("kinetic_energy", "potential_energy"):
        assert getattr(soft, quantity) == pytest.approx(getattr(rigid, quantity), rel=1e-12)
    for ask in ("com", "linear_momentum", "angular_momentum", "com_linear_velocity"):
        np.testing.assert_allclose(getattr(soft, ask)(), getattr(rigid, ask)(), atol=1e-12)
    one, other = kido.World([soft]), kido.World([rigid])
    one.step()
    other.step()
    np.testing.assert_allclose(soft.accelerations, rigid.accelerations[:6], atol=1e-9)
    np.testing.assert_allclose(
        body_of(soft).displacement_accelerations, rigid.accelerations[6:].reshape(8, 3), atol=1e-9
    )


def test_a_hanging_cube_sags_as_its_springs_say() -> None:
    robot = soft_cube(joint=kido.WeldJoint(), divisions=(4, 4, 4), damping=3.0, vertex_stiffness=20.0)
    body = body_of(robot)
    world = kido.World([robot])
    world.time_step = 0.01
    world.step(3000)
    skin = body.skin
    stiffness = diags(skin.vertex_stiffness) + laplacian(skin)
    expected = spsolve(stiffness.tocsc(), -GRAVITY * skin.mass)
    np.testing.assert_allclose(body.displacements[:, 2], expected, rtol=1e-6)
    np.testing.assert_allclose(body.displacements[:, :2], 0.0, atol=1e-9)


@pytest.mark.parametrize("joint", [kido.WeldJoint, kido.FreeJoint])
def test_points_of_a_skeleton_that_does_not_move_hang_on_it(joint: Callable[[], kido.Joint]) -> None:
    robot = soft_cube(joint=joint(), damping=3.0)
    robot.mobile = False
    world = kido.World([robot])
    world.step(4000)
    body = body_of(robot)
    expected = -GRAVITY * body.skin.mass / body.skin.vertex_stiffness  # all sag alike
    np.testing.assert_allclose(body.displacements[:, 2], expected, rtol=1e-3)
    assert not robot.positions.any()


def test_a_pressed_sphere_yields_as_its_springs_say() -> None:
    robot = kido.Skeleton("ball")
    body = robot.add_body("core", None, kido.PrismaticJoint(axis=(0, 0, 1)), inertia=kido.Inertia(1.0))
    skin = SoftSkin.of_shape(
        Sphere(0.1),
        0.2,
        divisions=(12, 8),
        vertex_stiffness=900.0,
        edge_stiffness=300.0,
        damping=8.0,
        radius=0.002,
    )
    soft = kido.SoftBodyNode.add_skin(body, skin)
    robot.positions = [0.102]
    body.parent_joint.actuator = "velocity"
    robot.commands = [-0.02]
    world = kido.World([kido.gallery.ground(), robot])
    world.step(500)
    robot.commands = [0.0]
    world.step(4000)
    # Points on the floor are held there; the others are where springs and gravity balance.
    held = np.flatnonzero(soft.point_positions()[:, 2] < 0.002 + 1e-5)
    free = np.setdiff1d(np.arange(soft.num_points), held)
    stiffness = (diags(skin.vertex_stiffness) + laplacian(skin)).tocsr()
    x = np.zeros(soft.num_points)
    x[held] = soft.displacements[held, 2]
    load = -GRAVITY * skin.mass - stiffness @ x
    x[free] = spsolve(stiffness[free][:, free].tocsc(), load[free])
    assert held.size and np.abs(x[free]).max() > 1e-4
    np.testing.assert_allclose(soft.displacements[:, 2], x, atol=1e-3 * np.abs(x).max())
    pressed = stiffness[held] @ soft.displacements[:, 2] + GRAVITY * skin.mass[held]
    lift = sum(c.force[2] if c.first is soft.skin_node else -c.force[2] for c in world.contacts)
    assert lift == pytest.approx(pressed.sum(), rel=1e-3)


@pytest.mark.parametrize("lands", [False, True])
@pytest.mark.parametrize("factor", [1.0, 1e3, 1e4, 1e6])
def test_no_stiffness_gains_energy_at_ten_milliseconds(factor: float, lands: bool) -> None:
    """Springs, and much stiffer ones: all that is gained is depth that contacts push out."""
    robot = soft_cube(vertex_stiffness=200.0 * factor, edge_stiffness=500.0 * factor, damping=0.0)
    soft = body_of(robot)
    rng = np.random.default_rng(1)
    soft.displacement_velocities = rng.normal(size=(26, 3))
    ground = [kido.gallery.ground()] if lands else []
    world = kido.World([*ground, robot])
    world.time_step = 0.01
    start = energy = robot.kinetic_energy + robot.potential_energy
    # As soft as they are by default, points gain a little in the step in which they land.
    allowed = 2e-4 * start if lands and factor == 1.0 else 1e-9 * start
    depths = np.minimum(soft.point_positions()[:, 2] - 0.005, 0.0)
    for _ in range(300):
        world.step()
        now = robot.kinetic_energy + robot.potential_energy
        left = np.minimum(soft.point_positions()[:, 2] - 0.005, 0.0)
        pushed_out = np.maximum(left - depths, 0.0).max() * sum(abs(c.force[2]) for c in world.contacts)
        assert now <= min(energy + allowed + 2.0 * pushed_out, start + 1e-9)
        energy, depths = now, left
    if lands:
        assert np.abs(soft.point_velocities()).max() < 0.3


def test_stiff_points_are_the_rigid_body() -> None:
    def motion(stiffness: float | None) -> FloatArray:
        springs = {} if stiffness is None else {"vertex_stiffness": stiffness, "edge_stiffness": stiffness}
        robot = soft_cube(1.0, damping=0.0, **springs)
        if stiffness is None:
            body_of(robot).freeze()
        robot.velocities = (1.0, 4.0, -2.0, 0.5, 0.0, 0.0)
        world = kido.World([robot])
        world.step(200)
        return np.array(robot.positions)

    rigid = motion(None)
    errors = [np.abs(motion(k) - rigid).max() for k in (1e4, 1e5, 1e6)]
    assert errors[0] < 0.02
    assert errors[1] < 0.15 * errors[0] and errors[2] < 0.15 * errors[1]


def test_frozen_points_are_the_rigid_body() -> None:
    robot = soft_cube(1.0)
    body_of(robot).freeze()
    twin = soft_cube(1.0)
    body_of(twin).harden()
    for one in (robot, twin):
        one.velocities = (1.0, 4.0, -2.0, 0.5, 0.0, 0.0)
        kido.World([one]).step(200)
    np.testing.assert_allclose(robot.positions, twin.positions, atol=2e-4)
    np.testing.assert_array_equal(body_of(robot).displacements, 0.0)


def test_a_chain_of_soft_bodies_that_spins_and_swings_keeps_its_momentum() -> None:
    robot = kido.Skeleton("chain")
    body = None
    rng = np.random.default_rng(8)
    for k in range(3):
        joint = kido.RevoluteJoint(axis=np.eye(3)[k], T_parent_joint=(0.3, 0.1, 0)) if k else kido.FreeJoint()
        body = robot.add_body(f"link{k}", body, joint, inertia=CORE)
        skin = SoftSkin.of_shape(Box((0.2, 0.2, 0.2)), 0.4, vertex_stiffness=300.0, edge_stiffness=200.0)
        soft = kido.SoftBodyNode.add_skin(body, skin)
        soft.displacement_velocities = 0.5 * rng.normal(size=(26, 3))
    robot.positions = (0.3, -0.2, 0.5, 0.0, 0.0, 0.0, 0.4, -0.7)
    robot.velocities = (1.0, 3.0, -2.0, 0.5, -0.2, 0.3, 2.0, -3.0)
    world = kido.World([robot], gravity=(0, 0, 0))
    linear, angular = robot.linear_momentum(), robot.angular_momentum()
    assert np.linalg.norm(angular) > 0.1
    for _ in range(100):
        world.step()
        np.testing.assert_allclose(robot.linear_momentum(), linear, atol=1e-12)
        np.testing.assert_allclose(robot.angular_momentum(), angular, atol=1e-11)


def test_two_soft_bodies_exchange_momentum_and_nothing_is_lost() -> None:
    left, right = soft_cube(5.0, name="left", radius=0.04), soft_cube(5.03, name="right", radius=0.04)
    right.positions = (0.1, 0.0, 0.0, 0.3, 0.03, 5.03)
    left.velocities = (0.0, 0.5, 0.0, 3.0, 0.0, 0.0)
    world = kido.World([left, right], gravity=(0, 0, 0))
    before = left.linear_momentum() + right.linear_momentum()
    touched = 0
    for _ in range(400):
        world.step()
        touched += bool(world.contacts)
        np.testing.assert_allclose(left.linear_momentum() + right.linear_momentum(), before, atol=1e-12)
    assert touched > 5
    assert right.linear_momentum()[0] > 0.5


def test_a_cube_rests_on_the_ground_and_its_weight_is_on_its_points() -> None:
    robot = soft_cube()
    world = kido.World([kido.gallery.ground(), robot])
    world.step(3000)
    lift = sum(c.force[2] if c.first.skeleton is robot else -c.force[2] for c in world.contacts)
    assert lift == pytest.approx(GRAVITY * robot.mass, rel=1e-3)
    assert np.abs(robot.velocities).max() < 1e-4
    assert {c.first.name for c in world.contacts} | {c.second.name for c in world.contacts} >= {"core"}


def test_springs_freezing_and_freeing_hold_from_the_next_step_on_without_a_jump() -> None:
    robot = soft_cube()
    world = kido.World([kido.gallery.ground(), robot])
    world.step(1500)
    body = body_of(robot)
    compiled = world._simulation.compiled
    for change in (
        lambda: body.freeze([0, 3, 5]),
        lambda: body.free([3]),
        lambda: body.free(),
        lambda: setattr(body, "damping", 5.0),
        lambda: setattr(body, "edge_stiffness", 100.0),
    ):
        places = body.point_positions()
        change()
        np.testing.assert_array_equal(body.point_positions(), places)
        world.step()
        assert np.abs(body.point_positions() - places).max() < 1e-4
        world.step(50)
    assert world._simulation.compiled is compiled
    soft, height = body.point_positions()[:, 2].min(), robot.positions[5]
    body.vertex_stiffness = 20.0
    world.step(3000)
    assert world._simulation.compiled is compiled
    assert body.point_positions()[:, 2].min() == pytest.approx(soft, abs=1e-4)
    assert robot.positions[5] < height - 1e-3  # what is softer sinks further


def test_points_travel_through_snapshots_clones_pickles_and_files(tmp_path) -> None:  # type: ignore[no-untyped-def]
    robot = soft_cube()
    world = kido.World([kido.gallery.ground(), robot])
    world.step(137)
    snapshot = world.snapshot()
    twins = [world.clone(), pickle.loads(pickle.dumps(world))]
    saved = tmp_path / "world.json"
    kido.save(world, saved)
    twins.append(kido.load_world(saved))
    world.step(100)
    expected = body_of(robot).displacements
    assert np.abs(expected).max() > 1e-5
    for twin in twins[:2]:
        twin.step(100)
        np.testing.assert_array_equal(body_of(twin.skeletons[1]).displacements, expected)
    twins[2].step(100)
    np.testing.assert_allclose(body_of(twins[2].skeletons[1]).displacements, expected, atol=1e-3)
    world.restore(snapshot)
    world.step(100)
    np.testing.assert_array_equal(body_of(robot).displacements, expected)


def test_what_is_set_between_steps_holds() -> None:
    robot, twin = soft_cube(1.0), soft_cube(1.0)
    worlds = [kido.World([robot]), kido.World([twin])]
    worlds[0].step(10)
    rng = np.random.default_rng(5)
    x, v = 0.01 * rng.normal(size=(26, 3)), rng.normal(size=(26, 3))
    forces = rng.normal(size=(26, 3))
    for one in (robot, twin):
        body = body_of(one)
        one.positions, one.velocities = (0.1, 0.2, 0.3, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
        body.displacements, body.displacement_velocities, body.point_forces = x, v, forces
    for world in worlds:
        world.step(20)
    np.testing.assert_array_equal(body_of(robot).displacements, body_of(twin).displacements)
    np.testing.assert_array_equal(robot.positions, twin.positions)


def test_a_force_on_a_point_moves_the_body() -> None:
    robot = soft_cube(1.0)
    world = kido.World([robot], gravity=(0, 0, 0))
    forces = np.zeros((26, 3))
    forces[4] = (0.0, 0.0, 2.0)
    body_of(robot).point_forces = forces
    world.step()
    np.testing.assert_allclose(robot.linear_momentum(), [0, 0, 2e-3], atol=1e-12)


def test_gravity_mode_and_collidable_are_those_of_the_body() -> None:
    robot = soft_cube(1.0)
    world = kido.World([kido.gallery.ground(), robot])
    world.step(3)
    robot.bodies[0].gravity_mode = False
    robot.velocities = np.zeros(6)
    body_of(robot).reset_points()
    world.step(100)
    assert robot.positions[5] == pytest.approx(1.0, abs=1e-3)
    robot.bodies[0].gravity_mode = True
    robot.bodies[0].collidable = False
    world.step(1000)
    assert robot.positions[5] < -1.0


def test_several_soft_bodies_of_a_tree_and_of_several_trees() -> None:
    robot = kido.Skeleton("robot")
    for k in range(2):
        root = robot.add_body(f"root{k}", None, kido.FreeJoint(), inertia=CORE)
        tip = robot.add_body(f"tip{k}", root, kido.RevoluteJoint(T_parent_joint=(0.3, 0, 0)), inertia=CORE)
        for body in (root, tip):
            skin = SoftSkin.of_shape(
                Box((0.2, 0.2, 0.2)),
                0.4,
                vertex_stiffness=300.0,
                edge_stiffness=200.0,
                damping=1.0,
                radius=0.005,
            )
            kido.SoftBodyNode.add_skin(body, skin)
    q = np.zeros(14)
    q[3:6], q[10:13] = (0.0, 0.0, 0.3), (0.0, 1.0, 0.2)
    robot.positions = q
    world = kido.World([kido.gallery.ground(), robot])
    world.step(4000)
    lift = sum(c.force[2] if c.first.skeleton is robot else -c.force[2] for c in world.contacts)
    assert lift == pytest.approx(GRAVITY * robot.mass, rel=1e-3)
    assert all(np.abs(body.displacements).max() < 0.05 for body in robot.bodies)  # type: ignore[attr-defined]


def test_a_detector_that_knows_no_points_says_so() -> None:
    pytest.importorskip("coal")
    world = kido.World([kido.gallery.ground(), soft_cube()], detector=kido.collision.CoalDetector())
    with pytest.raises(kido.errors.UnsupportedShapeError, match="SoftSkin"):
        world.step()


def test_skins_with_other_points_begin_at_rest() -> None:
    robot = soft_cube()
    world = kido.World([kido.gallery.ground(), robot])
    world.step(200)
    body = body_of(robot)
    body.skin = replace(body.skin, radius=0.01)
    assert not body.displacements.any()
    world.step(10)
    fine = SoftSkin.of_shape(Box((0.2, 0.2, 0.2)), 0.4, divisions=(4, 4, 4), vertex_stiffness=100.0)
    body.skin = fine
    world.step(10)
    assert body.num_points == 56


def test_the_core_touches_beside_its_points() -> None:
    robot = soft_cube(0.35, vertex_stiffness=30.0, edge_stiffness=0.0)
    body_of(robot).add_shape_node(Box((0.12, 0.12, 0.18)))
    box = kido.gallery.box((0.4, 0.4, 0.02), mass=5.0)
    box.positions = (0, 0, 0, 0, 0, 0.5)
    world = kido.World([kido.gallery.ground(), robot, box])
    world.step(4000)
    nodes = [{contact.first.name, contact.second.name} for contact in world.contacts]
    core = robot.bodies[0].shape_nodes[1].name
    assert any(core in pair for pair in nodes) and len(nodes) > 10
    lift = sum(
        c.force[2] if c.first.skeleton is not world.skeletons[0] else -c.force[2]
        for c in world.contacts
        if world.skeletons[0] in (c.first.skeleton, c.second.skeleton)
    )
    assert lift == pytest.approx(GRAVITY * (robot.mass + 5.0), rel=1e-3)
    assert max(contact.depth for contact in world.contacts) < 1e-3


def test_what_does_not_know_points_says_so() -> None:
    def world(**options: object) -> kido.World:
        return kido.World([soft_cube()], **options)  # type: ignore[arg-type]

    for integrator in ("Runge-Kutta 4", "implicit midpoint"):
        with pytest.raises(EditError, match=f"integrator: {integrator} does not know the points"):
            world(integrator=integrator).step()
    with pytest.raises(EditError, match="solver: a BoxedLCPSolver does not know the points of soft bodies"):
        world(solver=kido.world.BoxedLCPSolver()).step()


def test_rollouts_carry_points() -> None:
    robot = soft_cube()
    world = kido.World([kido.gallery.ground(), robot])
    world.step(50)
    found = kido.rollout(world, np.zeros((2, 300, 6)), threads=2)
    world.step(300)
    np.testing.assert_array_equal(found.positions[:, -1], np.tile(robot.positions, (2, 1)))


def test_many_points_that_touch_come_to_rest() -> None:
    robot = soft_cube(0.106, divisions=(22, 22, 22), vertex_stiffness=0.8, edge_stiffness=100.0, damping=0.1)
    world = kido.World([kido.gallery.ground(), robot])
    world.step(500)
    before = np.array(robot.positions)
    world.step(100)
    assert len(world.contacts) == 22**2
    np.testing.assert_allclose(robot.positions, before, atol=2e-5)
    lift = sum(c.force[2] if c.first.skeleton is robot else -c.force[2] for c in world.contacts)
    assert lift == pytest.approx(GRAVITY * robot.mass, rel=2e-3)


CORNER = np.arctan(np.sqrt(2.0)) / np.sqrt(2.0)


@pytest.mark.parametrize("stiffness", [1e2, 3e2, 1e3, 1e4, 1e5, 1e6])
@pytest.mark.parametrize("step", [1e-2, 5e-3, 2e-3, 1e-3])
@pytest.mark.parametrize(
    "turned, motion",
    [
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
        ((0.0, np.pi / 4.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
        ((CORNER, -CORNER, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
        ((0.3, 0.2, 0.1), (1.0, 2.0, 0.5, 0.0, 0.0, 0.0)),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 2.0, 1.0, 0.0)),
        ((0.3, 0.2, 0.1), (10.0, 20.0, 5.0, 1.0, 0.0, 0.0)),
    ],
    ids=["face", "edge", "corner", "turning", "sliding", "spinning"],
)
def test_a_soft_body_that_lands_gains_no_energy(
    step: float,
    stiffness: float,
    turned: tuple[float, float, float],
    motion: tuple[float, ...],
) -> None:
    """Nearly undamped, from half a meter, in steps in which points land and springs are stiff."""
    springs = {"vertex_stiffness": stiffness, "edge_stiffness": stiffness, "damping": 0.01}
    robot = soft_cube(core=kido.Inertia(0.2, moment=4e-4 * np.eye(3)), divisions=(2, 2, 2), **springs)
    robot.positions, robot.velocities = (*turned, 0.0, 0.0, 0.6), motion
    fall = robot.mass * GRAVITY * 0.6
    world = kido.World([kido.gallery.ground(), robot], time_step=step)
    most_gained = 0.0
    energy = robot.kinetic_energy + robot.potential_energy
    for _ in range(round(1.2 / step)):
        world.step()
        now = robot.kinetic_energy + robot.potential_energy
        most_gained = max(most_gained, (now - energy) / fall)
        energy = now
    # As much as a rigid box whose depth is pushed out.
    assert most_gained < 3e-5


@pytest.mark.parametrize("modulus", [1e4, 1e5])
@pytest.mark.parametrize("stiffness", [1.0, 30.0])
@pytest.mark.parametrize("step", [1e-2, 5e-3, 1e-3])
@pytest.mark.parametrize("spin", [0.0, 5.0])
def test_a_ball_of_gas_that_lands_gains_no_energy(
    spin: float, step: float, stiffness: float, modulus: float
) -> None:
    """What stops its points squeezes the gas within the step, and so does what spins."""
    robot = kido.Skeleton("ball")
    core = robot.add_body("core", inertia=kido.Inertia(0.2, moment=4e-4 * np.eye(3)))
    skin = SoftSkin.of_shape(
        Sphere(0.1),
        0.4,
        divisions=(12, 8),
        vertex_stiffness=stiffness,
        edge_stiffness=10.0 * stiffness,
        damping=0.01,
        radius=0.004,
        bulk_modulus=modulus,
    )
    kido.SoftBodyNode.add_skin(core, skin)
    robot.positions = (0.0, 0.0, 0.0, 0.0, 0.0, 0.6)
    robot.velocities = (0.0, spin, 0.0, 0.4 * spin, 0.0, 0.0)
    world = kido.World([kido.gallery.ground(), robot], time_step=step)
    fall = robot.mass * GRAVITY * 0.6
    energy = robot.kinetic_energy + robot.potential_energy
    for _ in range(round(0.8 / step)):
        world.step()
        now = robot.kinetic_energy + robot.potential_energy
        assert now - energy < 1e-4 * fall
        energy = now
