"""Meshes that are not convex against each other and height fields: gaps are those of coal."""

from __future__ import annotations

import coal
import numpy as np
import pytest
import trimesh
from _effort import examples
from _solids import Floats, poses
from _surfaces import coal_surface, compiled

from kido import _core
from kido.collision import field_triangles
from kido.errors import UnsupportedShapeError
from kido.shape import HeightField

COUNT = examples(60)
MARGIN = 0.05
TORUS = trimesh.creation.torus(0.6, 0.2, major_sections=24, minor_sections=12)
SMALL = trimesh.creation.torus(0.25, 0.08, major_sections=16, minor_sections=8)
HILLS = HeightField(
    0.1 * np.sin(np.arange(23))[:, None] * np.cos(0.7 * np.arange(31))[None, :], spacing=(0.11, 0.13)
)


def plate(thickness: float) -> trimesh.Trimesh:
    """An L of few large triangles, 1 m long and 0.3 m wide, about the middle of its box."""
    corners = np.array([(0, 0), (1, 0), (1, 0.3), (0.3, 0.3), (0.3, 1), (0, 1)], float) - 0.5
    low, high = (np.c_[corners, np.full(6, side * thickness / 2)] for side in (-1, 1))
    top = [(6, 7, 8), (6, 8, 9), (6, 9, 10), (6, 10, 11)]
    bottom = [(a - 6, c - 6, b - 6) for a, b, c in top]
    sides = [f for k in range(6) for f in ((k, (k + 1) % 6, (k + 1) % 6 + 6), (k, (k + 1) % 6 + 6, k + 6))]
    return trimesh.Trimesh(np.vstack([low, high]), top + bottom + sides, process=False)


def coal_distance(
    first: coal.CollisionGeometry, T: Floats, second: coal.CollisionGeometry, S: Floats
) -> float:
    a, b = (coal.Transform3s(pose[:3, :3], pose[:3, 3]) for pose in (T, S))
    return float(coal.distance(first, a, second, b, coal.DistanceRequest(), coal.DistanceResult()))


def surfaces(name: str) -> tuple[_core.CollisionShape, coal.CollisionGeometry]:
    if name == "hills":
        triangles = field_triangles(HILLS)
        field = _core.CollisionShape.height_field(HILLS.heights, *HILLS.spacing.tolist())
        return field, coal_surface(triangles.vertices, triangles.triangles)
    return compiled(TORUS), coal_surface(TORUS.vertices, TORUS.faces)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", ["torus", "hills"])
def test_the_least_gap_is_the_distance_that_coal_finds(name: str, turned: bool) -> None:
    other, model = surfaces(name)
    small, of_small = compiled(SMALL), coal_surface(SMALL.vertices, SMALL.faces)
    T, S = poses(COUNT, 0.5, 21), poses(COUNT, 0.1, 22)
    if name == "hills":
        T[:, 2, 3] = 0.35 + 0.2 * T[:, 2, 3]
        S[:, :3, :3] = np.eye(3)
    checked = 0
    for a, b in zip(T, S, strict=True):
        expected = coal_distance(of_small, a, model, b)
        pair = (other, b, small, a) if turned else (small, a, other, b)
        _, numbers = _core.contact_points(*pair, MARGIN)
        if expected > MARGIN:
            assert len(numbers) == 0
        elif expected > 1e-6:
            checked += 1
            assert numbers[:, 9].min() == pytest.approx(expected, abs=2e-4)
            np.testing.assert_allclose(
                numbers[:, 3:6] - numbers[:, 6:9], numbers[:, :3] * numbers[:, 9:], atol=1e-9
            )
            assert ((numbers[:, :3] * (a[:3, 3] - b[:3, 3])).sum() > 0) == (not turned) or name == "torus"
        elif expected < 0:
            assert numbers[:, 9].min() < 0.0
    assert checked >= COUNT // 12


def test_a_ring_that_sinks_into_another_is_as_deep_as_it_was_lowered() -> None:
    shape = compiled(TORUS)
    for depth in (1e-4, 1e-3, 5e-3):
        T = np.eye(4)
        T[2, 3] = 0.4 - depth  # tubes of 0.2 m, one upon the other
        _, numbers = _core.contact_points(shape, T, shape, np.eye(4), 0.01)
        assert len(numbers) >= 12
        assert numbers[:, 9].min() == pytest.approx(-depth, abs=0.05 * depth)
        np.testing.assert_allclose(numbers[numbers[:, 9] < -0.5 * depth, 2], 1.0, atol=0.05)


def test_thin_plates_meet_at_their_surfaces() -> None:
    """A plate of 2 cm within a margin of 5 cm: nothing is seen of its other side, nor of its inside."""
    mesh = plate(0.02)
    shape, model = compiled(mesh), coal_surface(mesh.vertices, mesh.faces)
    checked = 0
    for a, b in zip(poses(COUNT, 0.35, 31), poses(COUNT, 0.1, 32), strict=True):
        expected = coal_distance(model, a, model, b)
        _, numbers = _core.contact_points(shape, a, shape, b, MARGIN)
        assert expected < MARGIN or len(numbers) == 0
        if not 1e-6 < expected < MARGIN:
            continue
        checked += 1
        assert numbers[:, 9].min() == pytest.approx(expected, abs=1e-6)
        for points, pose in ((numbers[:, 3:6], a), (numbers[:, 6:9], b)):
            local = (points - pose[:3, 3]) @ pose[:3, :3]
            assert trimesh.proximity.closest_point_naive(mesh, local)[1].max() < 1e-3
    assert checked >= COUNT // 12


@pytest.mark.parametrize(("thickness", "depth"), [(0.02, 1e-3), (0.02, 8e-3), (0.2, 8e-3), (0.2, 2e-2)])
def test_a_plate_that_was_lowered_into_another_is_held_at_four_points(thickness: float, depth: float) -> None:
    shape, T = compiled(plate(thickness)), np.eye(4)
    T[:3, 3] = 0.03, 0.02, thickness - depth
    T[:2, :2] = [[np.cos(0.05), -np.sin(0.05)], [np.sin(0.05), np.cos(0.05)]]
    _, numbers = _core.contact_points(shape, T, shape, np.eye(4), 0.01)
    assert len(numbers) >= 4
    assert numbers[:, 9].min() == pytest.approx(-depth, abs=1e-9)
    np.testing.assert_allclose(numbers[:, 2], 1.0)


def test_instruction_sets_give_the_same_bits(runtime: None) -> None:
    T, S = poses(20, 0.6, 23), poses(20, 0.1, 24)
    seen: dict[str, list[bytes]] = {}
    for name in _core.instruction_sets():
        _core.set_instruction_set(name)
        seen[name] = [
            x.tobytes()
            for other in (compiled(TORUS), surfaces("hills")[0])
            for x in _core.contact_points(compiled(SMALL), T, other, S, 0.01)
        ]
    assert all(bits == seen[_core.instruction_sets()[0]] for bits in seen.values())


def test_two_height_fields_and_a_distance_of_two_meshes_are_no_pairs() -> None:
    hills = surfaces("hills")[0]
    with pytest.raises(UnsupportedShapeError, match="height_field and height_field"):
        _core.contact_points(hills, np.eye(4), hills, np.eye(4), 0.0)
    with pytest.raises(UnsupportedShapeError, match="mesh and mesh"):
        _core.distance(compiled(TORUS), np.eye(4), compiled(TORUS), np.eye(4))
