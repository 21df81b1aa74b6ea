"""Energies, momenta, center of mass and support of a whole skeleton."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from _moving_skeletons import branched, set_moving, skeleton_of, with_springs
from _random_trees import Array, assert_near, random_inertia, random_transform, rate
from scipy.spatial import ConvexHull

import kido
from kido import Inertia

EXACT = 1e-12
SOLVED = 1e-9

every_seed = pytest.mark.parametrize("seed", range(3))


def based(seed: int) -> kido.Skeleton:
    """A moving skeleton with a heavy body that is welded to the world, and another welded to that."""
    rng = np.random.default_rng(seed)
    s = branched(seed)
    base = s.add_body(
        "base", joint=kido.WeldJoint(T_parent_joint=random_transform(rng)), inertia=random_inertia(rng)
    )
    s.add_body("top", base, kido.WeldJoint(T_parent_joint=random_transform(rng)), inertia=random_inertia(rng))
    return s


# ---- energies


def test_potential_energy_is_that_of_gravity_and_of_springs() -> None:
    s = kido.Skeleton("s")
    joint = kido.PrismaticJoint(axis=(0.0, 0.0, 1.0), spring_stiffness=10.0, rest_positions=0.5)
    body = s.add_body("body", joint=joint, inertia=Inertia(2.0))
    s.positions = [1.0]
    assert_near(s.potential_energy, 2.0 * 9.81 * 1.0 + 0.5 * 10.0 * 0.5**2, EXACT)
    assert_near(s.potential_energy, 20.87, EXACT)
    assert_near(body.potential_energy, 19.62, EXACT)


@every_seed
def test_energies_are_sums_over_the_bodies_rotors_and_springs(seed: int) -> None:
    s = with_springs(based(seed), seed)
    kinetic, potential = 0.5 * float(s.armature @ s.velocities**2), 0.0
    for body in s.bodies:
        w, v = body.angular_velocity(), body.linear_velocity(body.local_com)
        R = body.transform()[:3, :3]
        own = 0.5 * (w @ R @ body.moment_of_inertia @ R.T @ w + body.mass * v @ v)
        assert_near(body.kinetic_energy, own, EXACT)
        kinetic += own
        height = -body.mass * s.gravity @ (body.transform() @ [*body.local_com, 1.0])[:3]
        assert_near(body.potential_energy, height, EXACT)
        potential += height
    stretch = s.tree.difference(s.rest_positions, s.positions)
    potential += 0.5 * float(s.spring_stiffness @ stretch**2)
    assert_near(s.kinetic_energy, kinetic, EXACT)
    assert_near(s.potential_energy, potential, EXACT)
    assert_near(s.lagrangian, kinetic - potential, EXACT)
    assert_near(s.kinetic_energy, 0.5 * s.velocities @ s.mass_matrix @ s.velocities, EXACT)


def test_bodies_without_gravity_have_no_potential_energy() -> None:
    s = based(1)
    expected = s.potential_energy
    for body in (s.body("base"), s.body("body3")):
        expected -= body.potential_energy
        body.gravity_mode = False
        assert body.potential_energy == 0.0
    assert_near(s.potential_energy, expected, EXACT)


# ---- momentum, center of mass


@every_seed
def test_momenta_are_sums_over_the_bodies_about_their_common_center_of_mass(seed: int) -> None:
    s = based(seed)
    masses = np.array([body.mass for body in s.bodies])
    centers = np.array([body.com() for body in s.bodies])
    center = masses @ centers / masses.sum()
    linear, angular = np.zeros(3), np.zeros(3)
    for body, com in zip(s.bodies, centers, strict=True):
        R = body.transform()[:3, :3]
        p = body.mass * body.linear_velocity(body.local_com)
        spin = R @ body.moment_of_inertia @ R.T @ body.angular_velocity()
        assert_near(body.linear_momentum(), p, EXACT)
        assert_near(body.angular_momentum(), spin + np.cross(com, p), EXACT)
        assert_near(body.angular_momentum(center), spin + np.cross(com - center, p), EXACT)
        linear += p
        angular += spin + np.cross(com - center, p)
    assert_near(s.mass, masses.sum(), EXACT)
    assert_near(s.com(), center, EXACT)
    assert_near(s.linear_momentum(), linear, EXACT)
    assert_near(s.linear_momentum(), s.mass * s.com_linear_velocity(), EXACT)
    assert_near(s.angular_momentum(), angular, EXACT)


def test_momenta_turn_to_the_axes_of_a_frame() -> None:
    s = branched(2)
    frame = kido.SimpleFrame("f", s.body(3), random_transform(np.random.default_rng(0)))
    R = frame.transform()[:3, :3].T
    body = s.body(4)
    for ask in (s.linear_momentum, s.angular_momentum, body.linear_momentum, body.angular_momentum):
        assert_near(ask(in_coordinates_of=frame), R @ ask(), EXACT)


@every_seed
def test_averages_over_the_bodies_are_weighted_by_mass(seed: int) -> None:
    s = based(seed)
    frame, observer = s.body(2), s.body(1)
    options = {"relative_to": observer, "in_coordinates_of": frame}
    masses = np.array([body.mass for body in s.bodies])
    for name in ("com_spatial_velocity", "com_spatial_acceleration"):
        expected = masses @ [getattr(body, name)(**options) for body in s.bodies] / masses.sum()
        assert_near(getattr(s, name)(**options), expected, EXACT)


@every_seed
def test_in_free_fall_the_center_of_mass_accelerates_by_gravity(seed: int) -> None:
    kinds = ["free", "revolute", "ball", "universal", "prismatic", "euler"]
    s = set_moving(skeleton_of(kinds, [-1, 0, 1, 0, 3, 4], seed), seed)
    s.spring_stiffness = {name: 20.0 for name in s.tree.dof_names[6:]}
    s.damping = {name: 2.0 for name in s.tree.dof_names[6:]}
    s.commands = {name: 3.0 for name in s.tree.dof_names[6:]}
    s.compute_forward_dynamics()
    assert_near(s.com_linear_acceleration(), s.gravity, SOLVED)


@every_seed
def test_a_spinning_body_moves_by_its_force_and_turns_by_its_torque_alone(seed: int) -> None:
    """Whatever its inertia, center and joint offsets are: spin does not leak into the center's motion."""
    s = set_moving(skeleton_of(["free"], [-1], seed), seed)
    s.velocities = np.random.default_rng(seed).uniform(-5.0, 5.0, 6)
    body, force, point = s.body(0), np.array([3.0, -1.0, 2.0]), np.array([0.1, 0.5, -0.3])
    body.add_external_force(force, point)
    T = body.transform()
    torque = np.cross((T @ [*point, 1.0])[:3] - body.com(), force)
    s.compute_forward_dynamics()
    assert_near(s.com_linear_acceleration(), s.gravity + force / body.mass, EXACT)
    q, v, a = s.positions, s.velocities, s.accelerations

    def spin(t: float) -> Array:
        s.positions, s.velocities = s.tree.integrate(q, v + 0.5 * a * t, t), v + a * t
        return s.angular_momentum()

    assert_near(rate(spin), torque, 1e-8)


def test_a_skeleton_without_mass_or_bodies_answers_zero() -> None:
    empty = kido.Skeleton("empty")
    bare = kido.Skeleton("bare")
    bare.add_body("body", joint=kido.WeldJoint(), inertia=None)
    for s in (empty, bare):
        assert s.mass == s.kinetic_energy == s.potential_energy == 0.0
        for ask in (
            s.com,
            s.com_linear_velocity,
            s.com_linear_acceleration,
            s.linear_momentum,
            s.angular_momentum,
        ):
            assert_near(ask(), np.zeros(3), 0.0)
        assert s.com_jacobian().shape == (6, 0)


# ---- support


def standing(points: Array, gravity: Array = (0.0, 0.0, -9.81)) -> kido.Skeleton:
    s = kido.Skeleton("s", gravity=gravity)
    body = s.add_body("body", joint=kido.FreeJoint())
    foot = body.add_end_effector("foot")
    foot.create_addon(kido.Support, points, active=True)
    return s


def test_the_support_polygon_is_the_hull_of_all_active_supports_seen_along_gravity() -> None:
    rng = np.random.default_rng(3)
    s = branched(2)
    s.gravity = (0.0, 0.0, -9.81)
    corners = []
    for number, active in ((1, True), (4, False), (6, True)):
        foot = s.body(number).add_end_effector(f"foot{number}", random_transform(rng))
        points = rng.uniform(-0.5, 0.5, (6, 3))
        foot.create_addon(kido.Support, points, active=active)
        if active:
            T = foot.transform()
            corners.append(points @ T[:3, :3].T + T[:3, 3])
    expected = np.concatenate(corners)
    assert_near(s.support_points, expected, EXACT)
    assert_near(s.support_axes, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], EXACT)
    hull = ConvexHull(expected[:, :2])
    outline = expected[hull.vertices, :2]
    got = s.support_polygon
    start = int(np.argmin(np.linalg.norm(outline - got[0], axis=1)))
    assert_near(got, np.roll(outline, -start, axis=0), EXACT)


@pytest.mark.parametrize(
    "gravity", [(0.0, 0.0, -9.81), (0.0, -9.81, 0.0), (-9.81, 0.0, 0.0), (1.0, 2.0, 3.0)]
)
def test_support_axes_lie_across_gravity_and_are_right_handed_with_up(gravity: Array) -> None:
    first, second = standing(np.eye(3), gravity).support_axes
    up = -np.asarray(gravity) / np.linalg.norm(gravity)
    assert_near(np.cross(first, second), up, EXACT)
    assert_near([first @ second, first @ up, first @ first], [0.0, 0.0, 1.0], EXACT)


def test_a_support_polygon_has_no_corner_on_an_edge_and_its_centroid_is_that_of_its_area() -> None:
    grid = np.array([(x, y, 0.1 * x) for x, y in product((0.0, 1.0, 2.0), (0.0, 0.5, 1.0))])
    s = standing(grid)
    assert_near(s.support_polygon, [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]], EXACT)
    assert_near(s.support_centroid, [1.0, 0.5], EXACT)
    triangle = standing(np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.5, 0.5, 1.0]]))
    assert_near(triangle.support_centroid, [1.0, 1.0], EXACT)


def test_the_support_polygon_follows_the_feet() -> None:
    s = standing(np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0]]))
    s.positions = [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]
    assert_near(s.support_centroid, [2.0, 3.0], EXACT)
    s.end_effector("foot").support.active = False
    assert s.support_polygon.shape == (0, 2)
    with pytest.raises(ValueError, match=r"^support_centroid: no end effector has an active support"):
        _ = s.support_centroid


@pytest.mark.parametrize(
    ("points", "centroid"), [([[1.0, 2.0, 5.0]], [1.0, 2.0]), ([[0.0, 0, 0], [2.0, 1, 0]], [1, 0.5])]
)
def test_one_or_two_points_are_a_support_too(points: Array, centroid: Array) -> None:
    s = standing(np.array(points))
    assert_near(s.support_polygon, np.array(points)[:, :2], EXACT)
    assert_near(s.support_centroid, centroid, EXACT)


def test_points_on_a_line_support_on_its_ends() -> None:
    s = standing(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [3.0, 3.0, 0.0]]))
    assert_near(s.support_polygon, [[0.0, 0.0], [3.0, 3.0]], EXACT)
    assert_near(s.support_centroid, [1.5, 1.5], EXACT)
