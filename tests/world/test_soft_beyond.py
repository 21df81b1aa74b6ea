"""Gas in soft bodies, places of rest that yield, cloth, and points that are pinned."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

import kido
from kido.description import SoftSkin
from kido.errors import DescriptionError, EditError
from kido.frame import SimpleFrame
from kido.shape import Box, Capsule, Cone, Shape, Sphere
from kido.typing import FloatArray

GRAVITY = 9.81
CORE = kido.Inertia(0.1, moment=4e-4 * np.eye(3))


def body_of(robot: kido.Skeleton) -> kido.SoftBodyNode:
    body = robot.bodies[0]
    assert isinstance(body, kido.SoftBodyNode)
    return body


def balloon(joint: kido.Joint | None = None, **options: float) -> kido.Skeleton:
    robot = kido.Skeleton("balloon")
    body = robot.add_body("core", None, kido.FreeJoint() if joint is None else joint, inertia=CORE)
    given = {"vertex_stiffness": 50.0, "edge_stiffness": 20.0, "damping": 0.0, "radius": 0.005, **options}
    kido.SoftBodyNode.add_skin(body, SoftSkin.of_shape(Sphere(0.1), 0.2, divisions=(10, 8), **given))
    return robot


def still(world: kido.World, seconds: float) -> None:
    world.step(round(seconds / world.time_step))


# ---- gas


def volume(points: FloatArray, faces: FloatArray) -> tuple[float, FloatArray]:
    """Volume within faces, and its gradient."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    gradient = np.zeros_like(points)
    for corner, u, v in ((0, b, c), (1, c, a), (2, a, b)):
        np.add.at(gradient, faces[:, corner], np.cross(u, v) / 6.0)
    return float((a * np.cross(b, c)).sum() / 6.0), gradient


@pytest.mark.parametrize("modulus", [2e3, 2e4])
@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_a_pressed_balloon_is_where_its_energy_is_least(modulus: float, step: float) -> None:
    robot = balloon(kido.WeldJoint(), damping=0.5, bulk_modulus=modulus)
    body = body_of(robot)
    skin = body.skin
    forces = 0.6 * np.sign(skin.points) * np.array([-1.0, -0.4, 0.1])  # it is pressed from two sides
    body.point_forces = forces
    world = kido.World([robot], gravity=(0, 0, 0))
    world.time_step = step
    still(world, 8.0)
    rest, _ = volume(skin.points, skin.faces)

    def energy(x: FloatArray) -> tuple[float, FloatArray]:
        moved = x.reshape(-1, 3)
        V, slope = volume(skin.points + moved, skin.faces)
        if V <= 0.0:
            return 1e6, np.zeros(x.size)
        stretch = moved[skin.edges[:, 0]] - moved[skin.edges[:, 1]]
        gradient = skin.vertex_stiffness[:, None] * moved - forces
        np.add.at(gradient, skin.edges[:, 0], skin.edge_stiffness[:, None] * stretch)
        np.add.at(gradient, skin.edges[:, 1], -skin.edge_stiffness[:, None] * stretch)
        gradient = gradient - modulus * (rest / V - 1.0) * slope
        springs = skin.vertex_stiffness @ (moved**2).sum(1) + skin.edge_stiffness @ (stretch**2).sum(1)
        gas = modulus * (V - rest - rest * np.log(V / rest))
        return 0.5 * springs + gas - float((forces * moved).sum()), gradient.ravel()

    rng = np.random.default_rng(0)
    start = body.displacements.ravel() + 1e-3 * rng.normal(size=3 * skin.num_points)
    found = minimize(energy, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-16, "gtol": 1e-10})
    expected = found.x.reshape(-1, 3)
    assert np.abs(expected).max() > 2e-3
    np.testing.assert_allclose(body.displacements, expected, atol=1e-5 * np.abs(expected).max())
    # Boyle's law: with the air around, pressure times volume is what it was.
    assert (body.pressure + modulus) * body.volume == pytest.approx(modulus * rest, rel=1e-12)
    assert body.pressure > 10.0
    gas = modulus * (body.volume - rest - rest * np.log(body.volume / rest))
    assert body.gas_energy == pytest.approx(gas, rel=1e-9)
    assert body.potential_energy == pytest.approx(body.spring_energy + gas, rel=1e-9)


@pytest.mark.parametrize("modulus", [1e3, 1e5, 1e7])
@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_gas_gains_no_energy_and_keeps_the_volume(modulus: float, step: float) -> None:
    robot = balloon(bulk_modulus=modulus)
    body = body_of(robot)
    body.displacements = 0.1 * body.skin.points
    robot.velocities = (1.0, 2.0, -1.0, 0.3, 0.0, 0.0)
    world = kido.World([robot], gravity=(0, 0, 0))
    world.time_step = step
    momentum = np.concatenate([robot.linear_momentum(), robot.angular_momentum()])
    energy = robot.kinetic_energy + robot.potential_energy
    for _ in range(round(0.5 / step)):
        world.step()
        now = robot.kinetic_energy + robot.potential_energy
        assert now < energy * (1.01 if modulus * step > 1e4 else 1.0 + 1e-9)
        energy = now
    after = np.concatenate([robot.linear_momentum(), robot.angular_momentum()])
    np.testing.assert_allclose(after, momentum, atol=1e-11)
    assert body.volume == pytest.approx(body.skin.volume, rel=20.0 / modulus + 1e-3)


def test_gas_lets_a_ball_that_lands_keep_more_of_its_height() -> None:
    heights = []
    for modulus in (0.0, 3e4):
        robot = balloon(vertex_stiffness=10.0, damping=0.5, bulk_modulus=modulus)
        robot.positions = (0, 0, 0, 0, 0, 0.11)
        world = kido.World([kido.gallery.ground(), robot])
        still(world, 4.0)
        heights.append(robot.positions[5])
        assert np.abs(body_of(robot).point_velocities()).max() < 0.05
    assert heights[1] > heights[0] + 1e-3


# ---- places of rest that yield


@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_what_was_bent_too_far_stays_bent(step: float) -> None:
    robot = kido.Skeleton("clay")
    body = robot.add_body("core", None, kido.WeldJoint(), inertia=CORE)
    springs = {"vertex_stiffness": 80.0, "damping": 1.0, "yield_distance": 0.01}
    soft = kido.SoftBodyNode.add_skin(body, SoftSkin.of_point(0.1, **springs))
    world = kido.World([robot], gravity=(0, 0, 0))
    world.time_step = step
    for offset, stays in ((0.008, 0.0), (0.03, 0.02), (0.02, 0.02), (-0.05, -0.04)):
        soft.pin([0], offsets=[[offset, 0.0, 0.0]])
        still(world, 0.5)
        np.testing.assert_allclose(soft.displacements, [[offset, 0, 0]], atol=1e-6)
        pull = 80.0 * (offset - soft.yielded[0, 0])
        assert soft.pin_forces[0, 0] == pytest.approx(pull, abs=1e-3)
        assert abs(pull) < 80.0 * 0.01 + 1e-6
        soft.unpin()
        still(world, 2.0)
        np.testing.assert_allclose(soft.displacements, [[stays, 0, 0]], atol=1e-5)
        np.testing.assert_allclose(soft.yielded, [[stays, 0, 0]], atol=1e-5)
    assert soft.spring_energy < 1e-9


@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_yielding_takes_energy(step: float) -> None:
    robot = balloon(yield_distance=0.003, vertex_stiffness=500.0, edge_stiffness=800.0)
    rng = np.random.default_rng(4)
    body = body_of(robot)
    body.displacement_velocities = 30.0 * rng.normal(size=(body.num_points, 3))
    world = kido.World([robot], gravity=(0, 0, 0))
    world.time_step = step
    energy = robot.kinetic_energy + robot.potential_energy
    for _ in range(100):
        world.step()
        now = robot.kinetic_energy + robot.potential_energy
        assert now <= energy + 1e-12
        energy = now
    assert np.linalg.norm(body.yielded, axis=1).max() > 1e-3
    stretch = np.linalg.norm(body.displacements - body.yielded, axis=1)
    assert stretch.max() <= 0.003 + 1e-12


# ---- cloth


def strip(stiffness: float, *, count: int = 41, damping: float = 0.01) -> kido.Skeleton:
    robot = kido.Skeleton("strip")
    body = robot.add_body("strip", None, kido.WeldJoint(), inertia=kido.Inertia(0.0))
    skin = SoftSkin.of_sheet(
        (1.0, 0.05), 0.1, divisions=(count, 2), edge_stiffness=stiffness, damping=damping, radius=0.002
    )
    soft = kido.SoftBodyNode.add_skin(body, skin)
    x = skin.points[:, 0]
    soft.displacements = np.column_stack([-0.3 * x, np.zeros(len(x)), -0.4 * (1.0 - 4.0 * x * x)])
    soft.pin([0, 1, 2 * count - 2, 2 * count - 1])
    return robot


@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_a_strip_of_cloth_hangs_where_its_energy_is_least_which_is_a_catenary(step: float) -> None:
    robot = strip(5e3)
    soft = body_of(robot)
    skin = soft.skin
    world = kido.World([robot])
    world.time_step = step
    still(world, 40.0)
    free = ~soft.pinned
    lengths = np.linalg.norm(skin.points[skin.edges[:, 1]] - skin.points[skin.edges[:, 0]], axis=1)
    places = soft.point_positions()

    def energy(x: FloatArray) -> tuple[float, FloatArray]:
        p = places.copy()
        p[free] = x.reshape(-1, 3)
        apart = p[skin.edges[:, 1]] - p[skin.edges[:, 0]]
        now = np.linalg.norm(apart, axis=1)
        tension = skin.edge_stiffness * (now - lengths)
        pull = (tension / now)[:, None] * apart
        gradient = np.zeros_like(p)
        np.add.at(gradient, skin.edges[:, 1], pull)
        np.add.at(gradient, skin.edges[:, 0], -pull)
        gradient[:, 2] += GRAVITY * skin.mass
        value = 0.5 * tension @ (now - lengths) + GRAVITY * skin.mass @ p[:, 2]
        return float(value), gradient[free].ravel()

    start = places[free].ravel()
    options = {"ftol": 1e-18, "gtol": 1e-12, "maxiter": 20000, "maxfun": 40000}
    found = minimize(energy, start, jac=True, method="L-BFGS-B", options=options)
    assert np.abs(energy(start)[1]).max() < 1e-4  # forces balance to 0.1 mN
    assert energy(start)[0] == pytest.approx(found.fun, abs=1e-6)
    span, length = 0.7, 1.0
    a = brentq(lambda a: 2 * a * np.sinh(0.5 * span / a) - length, 0.05, 5.0)
    sag = a * (np.cosh(0.5 * span / a) - 1.0)
    assert -places[:, 2].min() == pytest.approx(sag, rel=0.01)
    np.testing.assert_allclose(soft.pin_forces.sum(axis=0), [0, 0, GRAVITY * 0.1], atol=1e-3)
    horizontal = GRAVITY * 0.1 * a / length  # tension of a catenary at its lowest point
    assert soft.pin_forces[-2:, 0].sum() == pytest.approx(horizontal, rel=0.02)


@pytest.mark.parametrize("stiffness", [1e2, 1e4, 1e6])
def test_no_stiffness_of_cloth_gains_energy_at_ten_milliseconds(stiffness: float) -> None:
    robot = strip(stiffness, count=21, damping=0.0)
    soft = body_of(robot)
    soft.displacements = np.zeros((42, 3))
    soft.pin([0, 1], offsets=soft.skin.points[:2])
    soft.unpin([40, 41])
    world = kido.World([robot])
    world.time_step = 0.01
    start = robot.kinetic_energy + robot.potential_energy
    for _ in range(200):
        world.step()
        assert robot.kinetic_energy + robot.potential_energy < start + 1e-6
    lengths = np.linalg.norm(np.diff(soft.point_positions()[::2], axis=0), axis=1)
    assert lengths.max() < 0.05 * (1.0 + 60.0 / stiffness) + 1e-4


def test_cloth_that_nothing_holds_falls_and_turns_as_nothing_else() -> None:
    robot = strip(1e3, damping=0.0)
    soft = body_of(robot)
    soft.unpin()
    soft.displacements = np.zeros((82, 3))
    soft.displacement_velocities = np.column_stack([np.zeros(82), np.zeros(82), 2.0 * soft.skin.points[:, 0]])
    world = kido.World([robot])
    still(world, 0.3)
    center = soft.skin.mass @ soft.point_positions() / 0.1
    np.testing.assert_allclose(center, [0, 0, -0.5 * GRAVITY * 0.3 * 0.301], atol=1e-9)
    velocity = soft.skin.mass @ soft.point_velocities() / 0.1
    np.testing.assert_allclose(velocity, [0, 0, -GRAVITY * 0.3], atol=1e-9)


def gains_of_landing_cloth(
    shape: Shape, step: float, *, stiffness: float, count: int = 5, beside: tuple[float, float] = (0.0, 0.0)
) -> FloatArray:
    """What cloth that falls on a shape gains in each step, in shares of its energy at the start."""
    robot, ground = kido.Skeleton("cloth"), kido.Skeleton("ground")
    pole = robot.add_body("pole", None, kido.WeldJoint(), inertia=kido.Inertia(0.0))
    skin = SoftSkin.of_sheet(
        (0.4, 0.4), 0.2, divisions=(count, count), edge_stiffness=stiffness, radius=0.005
    )
    soft = kido.SoftBodyNode.add_skin(pole, skin)
    soft.displacements = np.tile([*beside, 0.5], (skin.num_points, 1))
    ground.add_body("ground", None, kido.WeldJoint()).add_shape_node(shape)
    world = kido.World([ground, robot], time_step=step)
    energies = [robot.kinetic_energy + robot.potential_energy]
    for _ in range(round(1.2 / step)):
        world.step()
        energies.append(robot.kinetic_energy + robot.potential_energy)
    return np.maximum(np.diff(energies), 0.0) / energies[0]


@pytest.mark.parametrize("shape", [Sphere(0.3), Box((0.8, 0.8, 0.6))])
def test_cloth_that_lands_in_long_steps_gains_little_energy(shape: Shape) -> None:
    gained = gains_of_landing_cloth(shape, 0.01, stiffness=300.0)
    assert gained.max() < 1e-4 and gained.sum() < 5e-4


@pytest.mark.parametrize("beside", [(0.0, 0.0), (0.05, 0.05)])
@pytest.mark.parametrize("shape", [Sphere(0.3), Box((0.8, 0.8, 0.6)), Cone(0.2, 0.6)])
def test_stiff_cloth_that_edges_turn_gains_no_energy(shape: Shape, beside: tuple[float, float]) -> None:
    """Springs of m / h^2, which pull across edges while contacts turn these."""
    gained = gains_of_landing_cloth(shape, 1e-3, stiffness=1e4, beside=beside)
    assert gained.max() < 3e-5 and gained.sum() < 2e-4


@pytest.mark.parametrize("beside, most", [((0.03, 0.02), 1e-4), ((0.0, 0.0), 5e-4)])
@pytest.mark.parametrize("shape", [Cone(0.2, 0.6), Sphere(0.05), Capsule(0.02, 0.5)])
def test_cloth_on_a_tip_gains_no_energy_in_long_steps(
    shape: Shape, beside: tuple[float, float], most: float
) -> None:
    """With one of its points right on the tip, it has no spin to lose."""
    gained = gains_of_landing_cloth(shape, 0.01, stiffness=300.0, count=9, beside=beside)
    assert gained.max() < most and gained.sum() < 6e-3


def test_cloth_falls_onto_a_ball_and_hangs_over_it() -> None:
    robot = kido.Skeleton("cloth")
    body = robot.add_body("cloth", None, kido.WeldJoint(), inertia=kido.Inertia(0.0))
    skin = SoftSkin.of_sheet(
        (0.6, 0.6), 0.2, divisions=(13, 13), edge_stiffness=200.0, damping=0.02, radius=0.01
    )
    soft = kido.SoftBodyNode.add_skin(body, skin, surface=kido.Surface(friction=0.8))
    soft.displacements = np.tile([0.0, 0.0, 0.45], (169, 1))
    ball = kido.Skeleton("ball")
    ball.add_body("ball", None, kido.WeldJoint(T_parent_joint=(0, 0, 0.25))).add_shape_node(Sphere(0.15))
    world = kido.World([ball, robot])
    world.time_step = 2e-3
    still(world, 3.0)
    places = soft.point_positions()
    away = np.linalg.norm(places - [0, 0, 0.25], axis=1)
    assert away.min() > 0.157
    assert places[84, 2] == pytest.approx(0.41, abs=5e-3)  # its middle lies on the ball
    assert places[[0, 12, 156, 168], 2].max() < 0.3  # its corners hang
    lift = sum(c.force[2] if c.first is soft.skin_node else -c.force[2] for c in world.contacts)
    assert lift == pytest.approx(GRAVITY * 0.2, rel=0.05)


# ---- pins


def hanging(**options: float) -> kido.Skeleton:
    robot = kido.Skeleton("bag")
    body = robot.add_body("core", None, kido.FreeJoint(), inertia=kido.Inertia(0.2, moment=4e-4 * np.eye(3)))
    given = {"vertex_stiffness": 400.0, "edge_stiffness": 100.0, "damping": 2.0, **options}
    kido.SoftBodyNode.add_skin(body, SoftSkin.of_shape(Box((0.2, 0.2, 0.2)), 0.4, **given))
    robot.positions = (0, 0, 0, 0, 0, 1.0)
    return robot


@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_a_body_hangs_on_points_that_are_pinned(step: float) -> None:
    robot = hanging()
    soft = body_of(robot)
    top = np.flatnonzero(soft.skin.points[:, 2] > 0.099)
    soft.pin(top)
    places = soft.point_positions()[top]
    world = kido.World([robot])
    world.time_step = step
    still(world, 5.0)
    np.testing.assert_allclose(soft.point_positions()[top], places, atol=1e-6)
    forces = soft.pin_forces
    np.testing.assert_allclose(forces.sum(axis=0), [0, 0, GRAVITY * 0.6], atol=1e-4)
    moment = np.cross(soft.point_positions() - robot.com(), forces).sum(axis=0)
    np.testing.assert_allclose(moment, 0.0, atol=1e-4)
    assert not forces[~soft.pinned].any()
    impulse = world.audit.impulses
    np.testing.assert_allclose(impulse.constraints[3:], [0, 0, GRAVITY * 0.6 * step], atol=1e-5)
    np.testing.assert_allclose(impulse.root_joints, 0.0, atol=1e-7)
    np.testing.assert_allclose(impulse.numerical, 0.0, atol=1e-7)
    soft.unpin()
    still(world, 0.2)
    assert robot.com()[2] < 0.9
    assert not soft.pinned.any() and not soft.pin_forces.any()


def test_a_pin_follows_a_frame_that_moves_and_its_force_accelerates_the_body() -> None:
    robot = hanging()
    soft = body_of(robot)
    hook = SimpleFrame("hook")
    hook.relative_translation = (0.0, 0.0, 1.3)
    soft.pin(frame=hook)
    world = kido.World([robot])
    world.step(10)
    places = soft.point_positions()
    for k in range(200):
        time = 1e-3 * (k + 1)
        hook.relative_translation = (0.5 * 3.0 * time**2, 0.0, 1.3)  # 3 m/s^2
        world.step()
    np.testing.assert_allclose(soft.point_positions() - places, np.tile([0.06, 0, 0], (26, 1)), atol=1e-5)
    total = soft.pin_forces.sum(axis=0)
    assert total[2] == pytest.approx(GRAVITY * 0.6, rel=0.05)
    assert total[0] == pytest.approx(3.0 * 0.6, rel=0.05)


def test_pins_bear_what_the_ground_does_not() -> None:
    robot = hanging()
    soft = body_of(robot)
    robot.positions = (0, 0, 0, 0, 0, 0.09)  # m: the lowest points are pressed by a centimetre and more
    top = np.flatnonzero(soft.skin.points[:, 2] > 0.099)
    soft.pin(top)
    world = kido.World([kido.gallery.ground(), robot])
    world.time_step = 1e-2  # in which springs carry much of an impulse to the pins
    still(world, 3.0)
    borne = sum((c.force if c.first.skeleton is robot else -c.force for c in world.contacts), np.zeros(3))
    assert borne[2] > 10.0
    expected = np.array([0, 0, GRAVITY * 0.6]) - borne
    np.testing.assert_allclose(soft.pin_forces.sum(axis=0), expected, atol=1e-3)


def test_pins_and_gravity_change_the_momentum_of_a_body_that_swings() -> None:
    robot = hanging(damping=0.1)
    soft = body_of(robot)
    corner = int(soft.skin.points.sum(axis=1).argmax())
    soft.pin([corner])
    rng = np.random.default_rng(5)
    robot.velocities = (2.0, -1.0, 3.0, 0.0, 0.0, 0.0)
    soft.displacement_velocities = 0.3 * rng.normal(size=(26, 3))
    world = kido.World([robot])
    spun = 0.0
    for _ in range(200):
        before = robot.linear_momentum()
        world.step()
        force = soft.pin_forces.sum(axis=0) - [0, 0, GRAVITY * 0.6]
        np.testing.assert_allclose(robot.linear_momentum() - before, 1e-3 * force, atol=1e-7)
        spun = max(spun, float(np.linalg.norm(robot.velocities[:3])))
    assert spun > 2.0


def test_pins_on_a_frame_of_another_body_go_where_it_goes() -> None:
    robot, arm = hanging(), kido.gallery.pendulum()
    soft = body_of(robot)
    arm.positions = [1.0]
    tip = arm.bodies[0]
    corner = int(soft.skin.points.sum(axis=1).argmax())
    offset = soft.point_positions(relative_to=tip)[corner]
    soft.pin([corner], frame=tip)
    world = kido.World([robot, arm])
    for _ in range(300):
        before = tip.transform() @ [*offset, 1.0]
        velocity = tip.linear_velocity(offset)
        world.step()
        np.testing.assert_allclose(soft.point_positions()[corner], before[:3] + 1e-3 * velocity, atol=1e-5)


def test_pins_travel(tmp_path: Path) -> None:
    robot = hanging(bulk_modulus=500.0, yield_distance=0.02)
    soft = body_of(robot)
    soft.pin([0, 3, 7])
    world = kido.World([robot])
    world.step(100)
    snapshot = world.snapshot()
    twins = [world.clone(), pickle.loads(pickle.dumps(world))]
    kido.save(world, tmp_path / "world.json")
    twins.append(kido.load_world(tmp_path / "world.json"))
    world.step(200)
    expected = soft.displacements
    for twin in twins:
        own = body_of(twin.skeletons[0])
        assert own.pinned.tolist() == soft.pinned.tolist() and own.skin == soft.skin
        twin.step(200)
        np.testing.assert_allclose(own.displacements, expected, atol=1e-9)
    world.restore(snapshot)
    world.step(200)
    np.testing.assert_array_equal(soft.displacements, expected)
    soft.unpin()  # which is no state of the world, as constraints are none
    world.restore(snapshot)
    world.step(200)
    assert not soft.pinned.any() and not soft.pin_forces.any()
    assert robot.com()[2] < 0.95


def test_what_cannot_be_is_named() -> None:
    robot = hanging()
    soft = body_of(robot)
    soft.freeze([2])
    with pytest.raises(EditError, match="points: 2 is frozen: free it before"):
        soft.pin([2])
    with pytest.raises(TypeError, match="frame: expected a Frame or None, got str"):
        soft.pin([1], frame="hook")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"offsets: expected shape \(1, 3\)"):
        soft.pin([1], offsets=[(0.0, 0.0)])
    with pytest.raises(IndexError, match="points: 26 does not exist"):
        soft.unpin([26])
    assert not soft.pinned.any()
    points, faces = soft.skin.points, soft.skin.faces
    with pytest.raises(DescriptionError, match="faces: expected a closed surface, there are 3 open edges"):
        SoftSkin(points, 0.4, faces=faces[1:], bulk_modulus=10.0)
    with pytest.raises(DescriptionError, match="inside out"):
        SoftSkin(points, 0.4, faces=faces[:, ::-1], bulk_modulus=10.0)
    with pytest.raises(DescriptionError, match="bulk_modulus: expected no negative number"):
        SoftSkin(points, 0.4, faces=faces, bulk_modulus=-1.0)
    with pytest.raises(ValueError, match="yield_distance"):
        SoftSkin(points, 0.4, faces=faces, yield_distance=0.0)
    with pytest.raises(DescriptionError, match="yield_distance: points that springs hold `along_edges`"):
        SoftSkin.of_sheet((1.0, 1.0), 0.4, yield_distance=0.1)
    with pytest.raises(DescriptionError, match="size: expected positive lengths"):
        SoftSkin.of_sheet((1.0, 0.0), 0.4)
    with pytest.raises(ValueError, match="mass"):
        SoftSkin.of_sheet((1.0, 1.0), -0.4)
    twice = np.concatenate([points[:1], points])
    first = faces[(faces == 0).any(axis=1)][:1]
    first = np.where(first == 0, 0, first + 1)
    with pytest.raises(DescriptionError, match="along_edges: the edge between points 0 and 1 has no length"):
        SoftSkin(twice, 0.4, [(0, 1)], np.concatenate([first, faces + 1]), along_edges=True)


def test_gas_within_frozen_faces_pushes_nothing_as_a_whole() -> None:
    robot = balloon(bulk_modulus=1e4)
    body = body_of(robot)
    body.freeze([0, 1, 2, 3])
    body.displacements = -0.05 * body.skin.points
    world = kido.World([robot], gravity=(0, 0, 0))
    still(world, 0.2)
    momentum = np.concatenate([robot.linear_momentum(), robot.angular_momentum()])
    np.testing.assert_allclose(momentum, 0.0, atol=1e-12)
