"""Bodies of triangles that are not convex rest on each other: where they are known to, by their weight."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from _scenes import G

import kido
from kido import FreeJoint, Inertia, ShapeNode, Skeleton, WeldJoint, World
from kido.shape import HeightField, Mesh


def revolved(*profile: tuple[float, float], sections: int = 24) -> trimesh.Trimesh:
    """A solid of revolution, its profile (radius, height) counterclockwise from the axis to the axis [m]."""
    mesh = trimesh.creation.revolve(np.array(profile), sections=sections)
    mesh.merge_vertices()
    mesh.update_faces(mesh.nondegenerate_faces())
    mesh.fix_normals()
    return mesh


def bowl(radius: float, wall: float, sections: int = 24, rings: int = 8) -> trimesh.Trimesh:
    """A part of a hollow sphere about the origin, open at the top."""
    angles = np.linspace(0.0, 1.2, rings)
    outer = [(radius * np.sin(a), -radius * np.cos(a)) for a in angles]
    inner = [((radius - wall) * np.sin(a), -(radius - wall) * np.cos(a)) for a in angles[::-1]]
    return revolved(*outer, *inner, sections=sections)


MUG = revolved((0, 0), (0.04, 0), (0.04, 0.1), (0.036, 0.1), (0.036, 0.004), (0, 0.004))
BOLT = revolved((0, 0), (0.008, 0), (0.008, 0.006), (0.004, 0.006), (0.004, 0.04), (0, 0.04))
NUT = trimesh.creation.annulus(0.0043, 0.007, 0.005, sections=24)
TABLE = trimesh.creation.box((0.6, 0.6, 0.04)).subdivide()
CUBE = trimesh.creation.box((0.1, 0.1, 0.1)).subdivide()


def surface(folder: Path, name: str, mesh: trimesh.Trimesh) -> Mesh:
    mesh.export(folder / f"{name}.stl")
    return Mesh(folder / f"{name}.stl", convex=False)


def standing(name: str, shape: kido.shape.Shape) -> Skeleton:
    made = Skeleton(name)
    made.mobile = False
    ShapeNode(made.add_body(name, None, WeldJoint(name)), "surface", shape)
    return made


def moving(
    folder: Path,
    name: str,
    mesh: trimesh.Trimesh,
    mass: float,
    origin: tuple[float, ...],
    turn: tuple[float, ...],
) -> Skeleton:
    solid = mesh.copy()
    solid.density = mass / solid.volume
    made = Skeleton(name)
    body = made.add_body(
        name, None, FreeJoint(name), inertia=Inertia(mass, solid.center_mass, solid.moment_inertia)
    )
    ShapeNode(body, "surface", surface(folder, name, mesh))
    made.positions = [*turn, *origin]
    return made


def rests(world: World, made: Skeleton, mass: float, settle: int, watch: int = 2000) -> None:
    """It stays where it is after a while, shallow, and what touches it bears its weight."""
    world.step(settle)
    before = made.positions
    world.step(watch)
    np.testing.assert_allclose(made.positions, before, rtol=0, atol=1e-6)
    assert np.abs(made.velocities).max() < 1e-6
    assert max(contact.depth for contact in world.contacts) < 2e-5
    np.testing.assert_allclose(world.contact_wrench(made)[3:], (0.0, 0.0, mass * G), atol=1e-4 * mass * G)


def test_a_mug_stands_on_a_table_of_triangles(tmp_path: Path) -> None:
    mug = moving(tmp_path, "mug", MUG, 0.3, (0.01, 0.02, 0.1), (0.4, 0.2, 0.2))
    world = World([standing("table", surface(tmp_path, "table", TABLE)), mug])
    rests(world, mug, 0.3, 4000)
    assert mug.positions[5] == pytest.approx(0.02, abs=1e-5)
    R = mug.body(0).transform()[:3, :3]
    np.testing.assert_allclose(R[2, 2], 1.0, atol=1e-9)


@pytest.mark.parametrize("time_step", [1e-3, 2e-3])
def test_a_nut_lies_on_the_head_of_its_bolt(tmp_path: Path, time_step: float) -> None:
    nut = moving(tmp_path, "nut", NUT, 0.005, (1e-4, 0.0, 0.02), (0.02, 0.01, 0.3))
    world = World([standing("bolt", surface(tmp_path, "bolt", BOLT)), nut], time_step=time_step)
    rests(world, nut, 0.005, 1000)
    assert nut.positions[5] == pytest.approx(0.006 + 0.0025, abs=1e-5)
    assert np.hypot(*nut.positions[3:5]) < 3.1e-4  # the shank holds it


def test_a_bowl_nests_in_another(tmp_path: Path) -> None:
    inner = moving(tmp_path, "inner", bowl(0.0945, 0.004, 28, 9), 0.2, (0.0, 0.0, 3e-3), (0.05, 0.02, 0.3))
    world = World([standing("outer", surface(tmp_path, "outer", bowl(0.1, 0.005))), inner])
    rests(world, inner, 0.2, 1500, 1500)
    assert len(world.contacts) >= 3
    assert -0.0005 < inner.positions[5] < 0.003


def test_cubes_of_triangles_stand_upon_each_other(tmp_path: Path) -> None:
    cubes = [
        moving(
            tmp_path, f"cube{i}", CUBE, 1.0, (0.002 * i, 0.001 * i, 0.0701 + 0.1001 * i), (0.0, 0.0, 0.1 * i)
        )
        for i in range(4)
    ]
    world = World([standing("table", surface(tmp_path, "table", TABLE)), *cubes])
    world.step(1000)
    before = [cube.positions for cube in cubes]
    world.step(2000)
    for i, (cube, start) in enumerate(zip(cubes, before, strict=True)):
        np.testing.assert_allclose(cube.positions, start, atol=1e-8)
        assert cube.positions[5] == pytest.approx(0.07 + 0.1 * i, abs=5e-5)


def test_a_ring_lies_in_a_valley_of_a_height_field(tmp_path: Path) -> None:
    x = np.linspace(-1.0, 1.0, 21)
    X, Y = np.meshgrid(x, x)
    valley = HeightField(0.15 * (X**2 + Y**2), spacing=(0.1, 0.1))
    mesh = trimesh.creation.torus(0.15, 0.05, major_sections=24, minor_sections=12)
    ring = moving(tmp_path, "ring", mesh, 1.0, (0.2, 0.1, 0.15), (0.3, 0.1, 0.0))
    rests(World([standing("valley", valley), ring]), ring, 1.0, 3000)


def test_what_falls_onto_a_mesh_gains_no_energy_and_goes_on_alike(tmp_path: Path) -> None:
    mesh = trimesh.creation.torus(0.15, 0.05, major_sections=16, minor_sections=8)
    ring = moving(tmp_path, "ring", mesh, 1.0, (0.1, 0.05, 0.3), (1.2, 0.3, 0.0))
    other = moving(tmp_path, "other", mesh, 1.0, (0.0, 0.0, 0.6), (0.2, 0.9, 0.0))
    world = World([standing("table", surface(tmp_path, "table", TABLE)), ring, other])
    energy = world.energy
    for _ in range(20):
        world.step(25)
        assert world.energy < energy + 1e-6
        energy = world.energy
    saved, clone = world.snapshot(), world.clone()
    world.step(100)
    bits = [made.positions.tobytes() for made in (ring, other)]
    clone.step(100)
    assert [made.positions.tobytes() for made in clone.skeletons[1:]] == bits
    world.restore(saved)
    world.step(100)
    assert [made.positions.tobytes() for made in (ring, other)] == bits


@pytest.mark.parametrize("speed", [0.1, 0.5, 2.0])
def test_what_comes_near_is_not_seen_too_late(tmp_path: Path, speed: float) -> None:
    for apart in np.linspace(0.02, 0.03, 5):
        table = standing("table", surface(tmp_path, "table", TABLE))
        cube = moving(tmp_path, "cube", CUBE, 1.0, (0.0, 0.0, 0.07 + apart), (0.0, 0.0, 0.0))
        cube.velocities = (0.0, 0.0, 0.0, 0.0, 0.0, -speed)
        world = World([table, cube], gravity=(0.0, 0.0, 0.0))
        for _ in range(round(0.04 / speed / world.time_step)):
            world.step()
            assert all(contact.depth < 2e-4 for contact in world.contacts)
        assert world.contacts
