"""Meshes that are not convex and height fields as ground: as planes where these are flat."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh
from _scenes import KINDS, G, as_kind, push, put, velocity

import kido
from kido.errors import UnsupportedShapeError
from kido.shape import HeightField, Mesh, Plane, Shape


def ground(shape: Shape, friction: float = 1.0) -> kido.Skeleton:
    made = kido.Skeleton("ground")
    body = made.add_body("ground", None, kido.WeldJoint("ground"))
    kido.ShapeNode(body, "ground", shape, surface=kido.Surface(friction=friction))
    made.mobile = False
    return made


def mesh_file(folder: Path, mesh: trimesh.Trimesh) -> Mesh:
    path = folder / "mesh.stl"
    mesh.export(path)
    return Mesh(path, convex=False)


def grid(size: int, spacing: float, height: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> HeightField:
    x = (np.arange(size) - (size - 1) / 2) * spacing
    X, Y = np.meshgrid(x, x)
    return HeightField(height(X, Y), spacing=(spacing, spacing))


FLAT = grid(61, 0.1, lambda x, y: np.zeros_like(x))


@pytest.mark.parametrize("kind", KINDS)
def test_a_box_slides_over_flat_triangles_as_over_a_plane(kind: str) -> None:
    places = []
    for shape in (FLAT, Plane()):
        box = as_kind(kind, kido.gallery.box((0.3, 0.2, 0.1), mass=1.0))
        push(put(box, (0.013, 0.02, 0.05), (0, 0, 0.3)), (2.0, 0.5, 0.0))
        world = kido.World([ground(shape, 0.3), box])
        for _ in range(120):
            world.step(10)
            assert abs(box.positions[5] - 0.05) < 5e-5 and np.abs(box.positions[:2]).max() < 1e-5
        places.append(box.positions)
    np.testing.assert_allclose(places[0], places[1], rtol=0, atol=1e-6)
    assert np.linalg.norm(places[0][3:5] - [0.013, 0.02]) > 0.6


def test_a_ball_rolls_over_flat_triangles_as_over_a_plane() -> None:
    ball = push(put(kido.gallery.ball(0.1, mass=1.0), (-2.0, 0.02, 0.1)), (3.0, 0.3, 0.0))
    world = kido.World([ground(FLAT), ball])
    highest = 0.0
    for _ in range(150):
        world.step(10)
        highest = max(highest, abs(ball.positions[5] - 0.1))
    assert highest < 1e-5
    np.testing.assert_allclose(velocity(ball), [3.0 * 5 / 7, 0.3 * 5 / 7, 0.0], atol=2e-4)


@pytest.mark.parametrize("name, slips", [("sticks", False), ("slips", True)])
def test_friction_on_a_slope_of_triangles(name: str, slips: bool) -> None:
    friction = 0.5
    angle = np.arctan(friction) * (1.01 if slips else 0.99)
    slope = grid(41, 0.25, lambda x, y: x * np.tan(angle))
    box = kido.gallery.box((0.3, 0.3, 0.1), mass=1.0)
    put(box, (-0.05 * np.sin(angle), 0.01, 0.05 * np.cos(angle)), (0, -angle, 0))
    world = kido.World([ground(slope, friction), box])
    start = np.array(box.positions[3:])
    world.step(1000)
    moved = float(np.linalg.norm(box.positions[3:] - start))
    expected = 0.5 * G * (np.sin(angle) - friction * np.cos(angle))
    assert moved == pytest.approx(expected, rel=0.05) if slips else moved < 1e-4


def test_a_pile_rests_in_a_bowl(tmp_path: Path) -> None:
    bowl = grid(81, 0.05, lambda x, y: 0.15 * (x**2 + y**2))
    bodies = []
    for k in range(12):
        made = kido.gallery.box((0.2, 0.15, 0.1), mass=1.0, name=f"box_{k}")
        put(made, (0.3 * np.cos(2.4 * k), 0.3 * np.sin(2.4 * k), 0.5 + 0.12 * k), (0.3 * k, 0.2, 0.1 * k))
        bodies.append(made)
    world = kido.World([ground(bowl), *bodies])
    world.step(6000)
    for body in bodies:
        assert np.abs(body.velocities).max() < 5e-3
        assert 0.0 < body.positions[5] < 0.6 and np.hypot(*body.positions[3:5]) < 1.2
    assert max(contact.depth for contact in world.contacts) < 2e-4


def test_a_box_stands_within_a_tub(tmp_path: Path) -> None:
    """In what its hull would be full."""
    outer, inner = trimesh.creation.box((1.0, 1.0, 0.5)), trimesh.creation.box((0.8, 0.8, 0.5))
    inner.apply_translation((0, 0, 0.1))
    tub = _opened(outer, inner)
    box = put(kido.gallery.box((0.2, 0.2, 0.2), mass=1.0), (0.2, 0.1, 0.3))
    world = kido.World([ground(mesh_file(tmp_path, tub)), box])
    world.step(1000)
    assert box.positions[5] == pytest.approx(-0.15 + 0.1, abs=1e-4)
    push(box, (2.0, 0.3, 0.0))
    world.step(1500)
    assert 0.2 < box.positions[3] < 0.4 - 0.1 + 1e-3 and np.abs(box.velocities).max() < 1e-3
    assert box.positions[5] == pytest.approx(-0.05, abs=1e-3)


def _opened(outer: trimesh.Trimesh, inner: trimesh.Trimesh) -> trimesh.Trimesh:
    """A tub: walls between two boxes whose tops are open and joined by a rim."""
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    rows = [
        [(0.5 * x, 0.5 * y, -0.25) for x, y in corners],
        [(0.5 * x, 0.5 * y, 0.25) for x, y in corners],
        [(0.4 * x, 0.4 * y, 0.25) for x, y in corners],
        [(0.4 * x, 0.4 * y, -0.15) for x, y in corners],
    ]
    vertices = [p for row in rows for p in row]
    faces = []
    for ring in range(3):
        for k in range(4):
            a, b = 4 * ring + k, 4 * ring + (k + 1) % 4
            faces += [(a, b, b + 4), (a, b + 4, a + 4)]
    faces += [(0, 2, 1), (0, 3, 2), (12, 13, 14), (12, 14, 15)]
    return trimesh.Trimesh(vertices, faces, process=False)


def test_a_box_rests_on_the_edge_of_a_step(tmp_path: Path) -> None:
    step = trimesh.creation.box((1.0, 1.0, 0.5))
    box = put(kido.gallery.box((0.3, 0.3, 0.1), mass=1.0), (0.6, 0.0, 0.25 + 0.05))  # its middle is beyond
    other = put(kido.gallery.box((0.3, 0.3, 0.1), mass=1.0, name="other"), (0.45, 0.3, 0.3 + 0.0))
    world = kido.World([ground(mesh_file(tmp_path, step)), kido_floor(), box, other])
    world.step(1500)
    assert box.positions[5] < 0.0  # tipped over the edge
    assert other.positions[5] == pytest.approx(0.3, abs=1e-4)
    np.testing.assert_allclose(other.positions[:3], 0.0, atol=1e-4)


def kido_floor() -> kido.Skeleton:
    made = ground(Plane((0, 0, 1), -0.25))
    made.name = "floor"
    return made


def test_a_mesh_that_moves_lies_on_the_ground(tmp_path: Path) -> None:
    tub = _opened(trimesh.creation.box((1, 1, 1)), trimesh.creation.box((1, 1, 1)))
    made = kido.Skeleton("tub")
    joint = kido.FreeJoint("tub")
    inertia = kido.Inertia(5.0, (0, 0, -0.1), np.diag([0.5, 0.5, 0.8]))
    body = made.add_body("tub", None, joint, inertia=inertia)
    kido.ShapeNode(body, "tub", mesh_file(tmp_path, tub))
    put(made, (0.0, 0.0, 0.3), (0.1, 0.05, 0.0))
    ball = put(kido.gallery.ball(0.1, mass=0.5), (0.05, 0.0, 0.6))
    world = kido.World([ground(Plane()), made, ball])
    world.step(4000)
    assert made.positions[5] == pytest.approx(0.25, abs=1e-3)
    np.testing.assert_allclose(made.positions[:2], 0.0, atol=1e-3)
    assert ball.positions[5] == pytest.approx(0.2, abs=1e-3)


def test_the_same_bits_after_a_snapshot_and_on_every_instruction_set(runtime: None) -> None:
    bowl = grid(41, 0.1, lambda x, y: 0.15 * (x**2 + y**2))
    box = put(kido.gallery.box((0.2, 0.15, 0.1), mass=1.0), (0.4, 0.1, 0.4), (0.3, 0.2, 0.1))
    world = kido.World([ground(bowl), box])
    world.step(300)
    saved = world.snapshot()
    world.step(500)
    first = box.positions.tobytes()
    world.restore(saved)
    world.step(500)
    assert box.positions.tobytes() == first
    clone = world.clone()
    world.step(100)
    clone.step(100)
    assert clone.skeletons[1].positions.tobytes() == box.positions.tobytes()


def test_two_height_fields_that_may_meet_are_named() -> None:
    made = kido.Skeleton("rock")
    body = made.add_body("rock", None, kido.FreeJoint("rock"))
    kido.ShapeNode(body, "stone", FLAT)
    world = kido.World([ground(FLAT), made])
    with pytest.raises(UnsupportedShapeError, match=r"HeightField and HeightField.*\.ground and rock\.stone"):
        world.step()
    world.collision_filter.ignore(world.skeletons[0], made)
    world.step()


def test_bad_meshes_are_named(tmp_path: Path) -> None:
    inverted = trimesh.creation.icosphere(subdivisions=1)
    inverted.invert()
    world = kido.World([ground(mesh_file(tmp_path, inverted))])
    with pytest.raises(ValueError, match=r"ground.*inside out"):
        world.step()
    with pytest.raises(ValueError, match=r"ground.*not found"):
        kido.World([ground(Mesh(None, "nowhere.stl", convex=False))]).step()


def test_a_hull_is_still_what_a_mesh_is_by_default(tmp_path: Path) -> None:
    tub = _opened(trimesh.creation.box((1, 1, 1)), trimesh.creation.box((1, 1, 1)))
    mesh = mesh_file(tmp_path, tub)
    assert Mesh(mesh.path).convex
    box = put(kido.gallery.box((0.2, 0.2, 0.2), mass=1.0), (0.2, 0.1, 0.4))
    world = kido.World([ground(Mesh(mesh.path)), box])
    world.step(1000)
    assert box.positions[5] == pytest.approx(0.25 + 0.1, abs=1e-4)


def test_the_error_of_two_height_fields_names_the_detector_that_tests_them() -> None:
    made = kido.Skeleton("rock")
    kido.ShapeNode(made.add_body("rock", None, kido.FreeJoint("rock")), "stone", FLAT)
    with pytest.raises(UnsupportedShapeError, match=r"CoalDetector.*world\.detector"):
        kido.World([ground(FLAT), made]).step()


@pytest.mark.parametrize("other", ["field", "mesh"])
@pytest.mark.parametrize(
    "detector", [kido.collision.CoalDetector(), kido.collision.NativeDetector()], ids=repr
)
def test_a_block_of_triangles_rests_on_triangles(
    tmp_path: Path, other: str, detector: kido.collision.CollisionDetector
) -> None:
    mesh = mesh_file(tmp_path, trimesh.creation.box((0.2, 0.2, 0.2)))
    made = kido.Skeleton("rock")
    inertia = kido.Inertia(1.0, (0, 0, 0), 5e-3 * np.eye(3))
    body = made.add_body("rock", None, kido.FreeJoint("rock"), inertia=inertia)
    kido.ShapeNode(body, "stone", mesh)
    made.positions = (0, 0, 0, 0.03, 0.02, 0.1)
    top = 0.0 if other == "field" else 0.5
    folder = tmp_path / "below"
    folder.mkdir()
    below = FLAT if other == "field" else mesh_file(folder, trimesh.creation.box((1.0, 1.0, 1.0)))
    made.dof(5).position += top
    world = kido.World([ground(below), made], time_step=2e-3)
    world.detector = detector
    highest = 0.0
    for _ in range(300):
        world.step()
        highest = max(highest, world.kinetic_energy)
    exact = isinstance(detector, kido.collision.NativeDetector)
    assert made.positions[5] == pytest.approx(top + 0.1, abs=2e-5 if exact else 5e-3)
    assert highest < (1e-6 if exact else 0.1)  # [J]
