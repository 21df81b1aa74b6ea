"""Bodies with point masses around them: mass, energies, what travels with them, errors."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kido
from kido.description import SoftSkin
from kido.errors import DescriptionError, EditError
from kido.shape import Box, Capsule, Mesh, Sphere
from kido.skeleton import SkinNode

SKIN = SoftSkin.of_shape(Box((0.2, 0.3, 0.4)), 0.5, vertex_stiffness=100.0, edge_stiffness=50.0, damping=2.0)
CORE = kido.Inertia(0.2, (0.01, 0, 0), np.diag([4e-4, 5e-4, 6e-4]))


def arm() -> kido.Skeleton:
    robot = kido.Skeleton("arm")
    upper = robot.add_body("upper", None, kido.BallJoint(), inertia=CORE)
    lower = robot.add_body("lower", upper, kido.RevoluteJoint(T_parent_joint=(0.3, 0, 0)), inertia=CORE)
    kido.SoftBodyNode.add_skin(lower, SKIN, surface=kido.Surface(friction=0.3))
    rng = np.random.default_rng(0)
    robot.positions, robot.velocities = rng.normal(size=4), rng.normal(size=4)
    body = robot.body("lower")
    assert isinstance(body, kido.SoftBodyNode)
    body.displacements = 0.02 * rng.normal(size=(SKIN.num_points, 3))
    body.displacement_velocities = 0.1 * rng.normal(size=(SKIN.num_points, 3))
    return robot


def soft_of(robot: kido.Skeleton, name: str = "lower") -> kido.SoftBodyNode:
    body = robot.body(name)
    assert isinstance(body, kido.SoftBodyNode)
    return body


def test_a_skin_adds_its_mass_and_hardening_keeps_it() -> None:
    robot = arm()
    body = soft_of(robot)
    assert body.mass == pytest.approx(0.7)
    assert body.core_inertia.mass == pytest.approx(0.2)
    np.testing.assert_allclose(body.core_inertia.com, CORE.com)
    np.testing.assert_allclose(body.core_inertia.moment, CORE.moment, atol=1e-12)
    assert body.harden() is body
    assert type(body) is kido.BodyNode and body.mass == pytest.approx(0.7)
    assert not any(isinstance(node, SkinNode) for node in body.shape_nodes)


def test_energies_and_momenta_are_sums_over_core_and_points() -> None:
    robot = arm()
    body = soft_of(robot)
    T, V = body.transform(), body.spatial_velocity(in_coordinates_of=body)
    R, skin = T[:3, :3], body.skin
    local = skin.points + body.displacements
    places = local @ R.T + T[:3, 3]
    speeds = (V[3:] + np.cross(V[:3], local) + body.displacement_velocities) @ R.T
    np.testing.assert_allclose(body.point_positions(), places, atol=1e-15)
    np.testing.assert_allclose(body.point_velocities(), speeds, atol=1e-14)
    core = V[3:] + np.cross(V[:3], CORE.com)
    kinetic = 0.5 * (
        V[:3] @ CORE.moment @ V[:3] + CORE.mass * core @ core + skin.mass @ (speeds**2).sum(axis=1)
    )
    assert body.kinetic_energy == pytest.approx(kinetic, rel=1e-12)
    x = body.displacements
    springs = 0.5 * (skin.vertex_stiffness @ (x**2).sum(axis=1))
    for (a, b), k in zip(skin.edges, skin.edge_stiffness, strict=True):
        springs += 0.5 * k * ((x[a] - x[b]) ** 2).sum()
    assert body.spring_energy == pytest.approx(springs, rel=1e-12)
    center = (CORE.mass * (R @ CORE.com + T[:3, 3]) + skin.mass @ places) / 0.7
    np.testing.assert_allclose(body.com(), center, atol=1e-14)
    assert body.potential_energy == pytest.approx(springs + 9.81 * 0.7 * center[2], rel=1e-9)
    linear = CORE.mass * R @ core + skin.mass @ speeds
    np.testing.assert_allclose(body.linear_momentum(), linear, atol=1e-13)
    pivot = np.array([0.1, 0.2, 0.3])
    angular = R @ CORE.moment @ V[:3] + np.cross(R @ CORE.com + T[:3, 3] - pivot, CORE.mass * R @ core)
    angular = angular + np.cross(places - pivot, skin.mass[:, None] * speeds).sum(axis=0)
    np.testing.assert_allclose(body.angular_momentum(pivot), angular, atol=1e-13)
    upper = robot.body("upper")
    assert robot.kinetic_energy == pytest.approx(kinetic + upper.kinetic_energy, rel=1e-12)
    assert robot.potential_energy == pytest.approx(body.potential_energy + upper.potential_energy, rel=1e-12)
    np.testing.assert_allclose(robot.linear_momentum(), linear + upper.linear_momentum(), atol=1e-13)
    whole = (upper.mass * upper.com() + 0.7 * center) / robot.mass
    np.testing.assert_allclose(robot.com(), whole, atol=1e-14)
    np.testing.assert_allclose(
        robot.angular_momentum(), body.angular_momentum(whole) + upper.angular_momentum(whole), atol=1e-13
    )
    assert robot.lagrangian == pytest.approx(robot.kinetic_energy - robot.potential_energy)
    body.reset_points()
    assert body.spring_energy == 0.0


def test_points_travel_with_clones_copies_pickles_moves_and_files(tmp_path: Path) -> None:
    robot = arm()
    x, v = soft_of(robot).displacements, soft_of(robot).displacement_velocities
    kido.save(robot, tmp_path / "arm.json")
    other = kido.Skeleton("other")
    base = other.add_body("base")
    soft_of(arm()).move_to(base)
    twins = [robot.clone(), pickle.loads(pickle.dumps(robot)), soft_of(robot).copy_as("part"), other]
    for twin in twins:
        body = soft_of(twin)
        assert body.skin == SKIN and body.skin_node.surface.friction == 0.3
        np.testing.assert_array_equal(body.displacements, x)
        np.testing.assert_array_equal(body.displacement_velocities, v)
    loaded = kido.load(tmp_path / "arm.json")
    assert soft_of(loaded).skin == SKIN
    assert loaded.mass == pytest.approx(robot.mass)
    twins[0].body("lower").reset_points()  # type: ignore[union-attr]
    np.testing.assert_array_equal(soft_of(robot).displacements, x)
    state = robot.state
    soft_of(robot).reset_points()
    robot.state = state
    np.testing.assert_array_equal(soft_of(robot).displacements, x)


@pytest.mark.parametrize("joint", [kido.FreeJoint, kido.BallJoint])
def test_points_that_stop_give_their_momentum_to_the_skeleton(joint: type[kido.Joint]) -> None:
    robot = kido.Skeleton("one")
    upper = robot.add_body("upper", None, joint(), inertia=CORE)
    lower = robot.add_body("lower", upper, kido.RevoluteJoint(T_parent_joint=(0.3, 0, 0)), inertia=CORE)
    kido.SoftBodyNode.add_skin(lower, SKIN)
    rng = np.random.default_rng(2)
    robot.positions, robot.velocities = rng.normal(size=(2, robot.num_dofs))
    body = soft_of(robot)
    body.displacements = 0.02 * rng.normal(size=(26, 3))
    for act in (
        lambda: body.freeze([0, 4, 5]),
        lambda: setattr(body, "skin", replace(body.skin, frozen=np.arange(26) % 2 == 0)),
        body.freeze,
        body.harden,
    ):
        if isinstance(body, kido.SoftBodyNode):
            body.free()
            body.displacement_velocities = rng.normal(size=(26, 3))
        about_origin = joint is kido.BallJoint  # whose joint takes all but the momentum about it
        places = body.point_positions()

        def momentum(about_origin: bool = about_origin) -> np.ndarray:
            angular = sum(one.angular_momentum() for one in robot.bodies)
            return angular if about_origin else np.concatenate([angular, robot.linear_momentum()])

        before, energy, center = momentum(), robot.kinetic_energy, robot.com()
        act()
        np.testing.assert_allclose(momentum(), before, atol=1e-12)
        np.testing.assert_allclose(robot.com(), center, atol=1e-14)
        assert robot.kinetic_energy < energy
        if isinstance(body, kido.SoftBodyNode):
            np.testing.assert_array_equal(body.point_positions(), places)
            assert not body.displacement_velocities[body.frozen].any()
    assert type(robot.body("lower")) is kido.BodyNode


def test_a_skin_that_was_removed_can_come_back() -> None:
    robot = arm()
    node = soft_of(robot).skin_node
    x = soft_of(robot).displacements
    node.remove()
    assert type(robot.body("lower")) is kido.BodyNode
    node.reattach()
    np.testing.assert_array_equal(soft_of(robot).displacements, x)


def test_descriptions_hold_skins_beside_the_cores_inertia() -> None:
    robot = arm()
    described = robot.to_description()
    link = described.link("lower")
    assert link.soft == SKIN and link.inertia is not None
    assert link.inertia.mass == pytest.approx(0.2)
    again = kido.Skeleton.from_description(described)
    assert soft_of(again).skin == SKIN
    assert again.mass == pytest.approx(robot.mass)


def test_wrong_skins_are_named_and_nothing_changes() -> None:
    robot = arm()
    body, upper = soft_of(robot), robot.body("upper")
    with pytest.raises(EditError, match="has a skin already"):
        kido.SoftBodyNode.add_skin(body, SKIN)
    with pytest.raises(TypeError, match="skin: expected a SoftSkin"):
        kido.SoftBodyNode.add_skin(upper, Box((1, 1, 1)))  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"points of 'lower' weigh 0.5 kg, more than the body with them: 0.4 kg"
    ):
        body.mass = 0.4
    assert body.mass == pytest.approx(0.7)
    with pytest.raises(ValueError, match="more than the body"):
        body.skin = replace(SKIN, mass=1.0)
    assert body.skin == SKIN
    with pytest.raises(EditError, match="set `skin`"):
        body.skin_node.shape = Box((1, 1, 1))
    with pytest.raises(EditError, match="set `skin`"):
        body.skin_node.relative_transform = (0.1, 0.0, 0.0)
    with pytest.raises(ValueError, match=r"displacements: expected shape \(26, 3\)"):
        body.displacements = np.zeros((3, 3))
    with pytest.raises(IndexError, match="points: 26 does not exist, there are 26"):
        body.freeze([26])
    with pytest.raises(TypeError, match="points: expected indices"):
        body.freeze([0.5])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="points: expected indices, got 3"):
        body.freeze(3)  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="vertex_stiffness: expected no negative number"):
        body.vertex_stiffness = -1.0


@pytest.mark.parametrize(
    "options, message",
    [
        ({"mass": "1"}, r"mass: expected numbers of shape \(\) \[kg\], got '1'"),
        ({"mass": np.nan}, r"mass: expected finite numbers \[kg\], got nan"),
        ({"mass": 0.0}, r"mass: expected a positive number \[kg\], got 0"),
        ({"density": -1.0}, r"density: expected a positive number \[kg/m\^3\], got -1"),
        ({"density": [1.0]}, r"density: expected shape \(\) \[kg/m\^3\], got \(1,\)"),
        ({"mass": 1.0, "density": 1.0}, "mass, density: expected one of them"),
        ({"mass": 1.0, "divisions": 3}, "divisions: expected 3 whole numbers, got 3"),
        ({"mass": 1.0, "divisions": (3, 3, 2.5)}, "divisions: expected 3 whole numbers"),
    ],
)
def test_wrong_numbers_of_helpers_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"^{message}"):
        SoftSkin.of_shape(Box((1, 1, 1)), **options)  # type: ignore[arg-type]


def box_of(mass: float) -> kido.Inertia:
    return kido.Inertia(mass, moment=mass / 12 * np.diag([0.05**2 + 0.1**2] * 3))


def test_softening_keeps_mass_and_inertia_and_touches_at_points() -> None:
    robot = kido.Skeleton("pad")
    body = robot.add_body("pad", inertia=box_of(0.3))
    node = body.add_shape_node(Box((0.05, 0.05, 0.05)))
    before = body.inertia
    soft = kido.soften(body, thickness=0.01, stiffness=1e5)
    assert soft is body and isinstance(soft, kido.SoftBodyNode)
    assert body.inertia == before
    assert not node.collision and soft.skin_node.collision
    area = 6 * 0.05**2
    assert soft.vertex_stiffness.sum() == pytest.approx(1e5 * area / 0.01)
    assert soft.skin.mass.sum() <= 0.15 + 1e-12
    with pytest.raises(EditError, match="has a skin already"):
        kido.soften(body, thickness=0.01, stiffness=1e5)


def test_softening_bears_a_load_as_a_layer_does() -> None:
    robot = kido.Skeleton("pad")
    body = robot.add_body("pad", inertia=box_of(3.0))
    body.add_shape_node(Box((0.05, 0.05, 0.05)))
    kido.soften(body, thickness=0.01, stiffness=1e5, divisions=(6, 6, 6))
    robot.positions = (0, 0, 0, 0, 0, 0.027)
    world = kido.World([kido.gallery.ground(), robot])
    world.step(3000)
    skin = soft_of(robot, "pad").skin
    stiffness = np.diag(skin.vertex_stiffness)
    for (a, b), k in zip(skin.edges, skin.edge_stiffness, strict=True):
        stiffness[[a, b], [a, b]] += k
        stiffness[[a, b], [b, a]] -= k
    low = skin.points[:, 2] < -0.024
    # What presses the low points up by one meter, the others being free to follow.
    rest = np.linalg.solve(stiffness[~low][:, ~low], -stiffness[~low][:, low].sum(axis=1))
    force = stiffness[low][:, low].sum() + stiffness[low][:, ~low].sum(axis=0) @ rest
    yielded = 0.026 - robot.positions[5]
    core = 3.0 - skin.mass.sum()
    hanging = skin.mass[~low] @ (1.0 - rest)  # what of the upper points the core carries
    assert yielded == pytest.approx((core + hanging) * 9.81 / force, rel=0.02)
    assert 0.4 < yielded / (3.0 * 9.81 / 0.05**2 * 0.01 / 1e5) < 1.0  # rims of the sides bear too


def test_what_cannot_be_softened_is_named() -> None:
    robot = kido.Skeleton("pad")
    body = robot.add_body("pad", inertia=box_of(0.3))
    with pytest.raises(EditError, match="expected one shape that touches, got none"):
        kido.soften(body, thickness=0.01, stiffness=1e5)
    first = body.add_shape_node(Capsule(0.1, 0.2))
    with pytest.raises(
        TypeError, match="shape: expected a Box, Sphere, Ellipsoid, Cylinder or Mesh, got Capsule"
    ):
        kido.soften(body, thickness=0.01, stiffness=1e5)
    body.add_shape_node(Sphere(0.02))
    with pytest.raises(EditError, match="got 'pad', 'pad\\(1\\)': name it by `shape_node`"):
        kido.soften(body, thickness=0.01, stiffness=1e5)
    for name in ("thickness", "stiffness"):
        given = {"thickness": 0.01, "stiffness": 1e5, name: 0.0}
        with pytest.raises(ValueError, match=name):
            kido.soften(body, shape_node=first, **given)
    assert type(body) is kido.BodyNode


def test_a_mesh_that_touches_as_its_hull_becomes_soft_as_its_hull() -> None:
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * 0.05
    inner = np.array([[0.025, 0.025, 0.03]])
    triangles = [[0, 1, 8], [2, 3, 8], [4, 5, 6]]
    robot = kido.Skeleton("pad")
    body = robot.add_body("pad", inertia=box_of(0.3))
    body.add_shape_node(Mesh(None, vertices=np.concatenate([corners, inner]), triangles=triangles))
    soft = kido.soften(body, thickness=0.01, stiffness=1e5)
    assert soft.num_points == 8  # the inner vertex is not of the hull
