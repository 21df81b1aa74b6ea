"""Rays against shapes: by MuJoCo, and by points of the surface."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from _effort import examples
from _solids import SOLIDS, Floats, Solid, outside, poses, seen

from kido import _core

COUNT = examples(1000)
GEOMS = {"sphere": 2, "capsule": 3, "ellipsoid": 4, "cylinder": 5, "box": 6}


def rays(count: int, seed: int) -> tuple[Floats, Floats]:
    """Origins around the shapes, directions towards them; half miss."""
    rng = np.random.default_rng(seed)
    origins = rng.normal(size=(count, 3))
    origins *= 2.0 / np.linalg.norm(origins, axis=1, keepdims=True)
    return origins, rng.uniform(-0.5, 0.5, (count, 3)) - origins


@pytest.mark.parametrize("solid", [s for s in SOLIDS if s.name in GEOMS], ids=lambda s: s.name)
def test_rays_meet_shapes_where_mujoco_says(solid: Solid) -> None:
    T, (origins, directions) = poses(COUNT, 0.1, 1), rays(COUNT, 2)
    units = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    distance, normal = _core.ray_cast(solid.shape, T, origins, directions, 10.0)
    sizes = np.resize([*solid.shape.size, 0.0, 0.0], 3)
    expected, normals = np.empty(COUNT), np.empty((COUNT, 3))
    for k in range(COUNT):
        frame = T[k, :3, 3], T[k, :3, :3].ravel()
        expected[k] = mujoco.mju_rayGeom(*frame, sizes, origins[k], units[k], GEOMS[solid.name], normals[k])
    hit = np.isfinite(distance)
    assert 0.2 < hit.mean() < 0.9
    np.testing.assert_array_equal(hit, expected >= 0.0)
    np.testing.assert_allclose(distance[hit], expected[hit], rtol=0, atol=1e-9)
    np.testing.assert_allclose(normal[hit], normals[hit], rtol=0, atol=1e-6)
    assert np.isnan(normal[~hit]).all() and np.isinf(distance[~hit]).all()


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda s: s.name)
def test_a_hit_is_on_the_surface_and_nothing_before_it(solid: Solid) -> None:
    T, (origins, directions) = poses(COUNT, 0.1, 3), rays(COUNT, 4)
    units = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    distance, normal = _core.ray_cast(solid.shape, T, origins, directions, 10.0)
    hit = np.isfinite(distance) & (distance > 0.0)
    assert hit.any()
    T, origins, units, distance, normal = T[hit], origins[hit], units[hit], distance[hit], normal[hit]
    points = origins + units * distance[:, None]
    assert np.abs(outside(solid, T, points)).max() < 1e-10
    assert (normal * units).sum(axis=1).max() <= 0.0
    # No point of a convex shape lies beyond the plane there.
    beyond = solid.reach(seen(T, normal)) - ((points - T[:, :3, 3]) * normal).sum(axis=1)
    assert beyond.max() < 1e-9
    for share in np.linspace(0.0, 0.999, 7):
        assert outside(solid, T, origins + units * (share * distance[:, None])).min() > 0.0


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda s: s.name)
def test_a_ray_that_misses_runs_outside(solid: Solid) -> None:
    T, (origins, directions) = poses(COUNT, 0.1, 5), rays(COUNT, 6)
    units = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    missed = np.isinf(_core.ray_cast(solid.shape, T, origins, directions, 4.0)[0])
    assert missed.any()
    for place in np.linspace(0.0, 4.0, 200):
        assert outside(solid, T[missed], (origins + units * place)[missed]).min() > -1e-9


def test_a_ray_from_inside_meets_at_once_and_one_that_is_too_short_does_not() -> None:
    for solid in SOLIDS:
        distance, normal = _core.ray_cast(solid.shape, np.eye(4), [0.0, 0.0, -0.01], [3.0, 0.0, 4.0], 1.0)
        assert distance == 0.0
        np.testing.assert_allclose(normal, [-0.6, 0.0, -0.8], atol=1e-15)
        assert np.isinf(_core.ray_cast(solid.shape, np.eye(4), [0.0, 0.0, 2.0], [0.0, 0.0, -1.0], 1.0)[0])


def test_rays_are_broadcast() -> None:
    brick = SOLIDS[2].shape
    distance, normal = _core.ray_cast(brick, poses(5, 0.1, 7), np.ones((3, 1, 3)), [-1.0, -1.0, -1.0], 9.0)
    assert distance.shape == (3, 5) and normal.shape == (3, 5, 3)
    np.testing.assert_array_equal(distance[0], distance[2])


def test_instruction_sets_give_the_same_bits(runtime: None) -> None:
    T, (origins, directions) = poses(200, 0.1, 8), rays(200, 9)
    bits = set()
    for name in _core.instruction_sets():
        _core.set_instruction_set(name)
        cast = (_core.ray_cast(s.shape, T, origins, directions, 9.0) for s in SOLIDS)
        bits.add(b"".join(x.tobytes() for one in cast for x in one))
    assert len(bits) == 1


def test_bad_rays_are_told() -> None:
    ball = SOLIDS[0].shape
    with pytest.raises(ValueError, match="direction: expected vectors other than zero"):
        _core.ray_cast(ball, np.eye(4), np.zeros(3), np.zeros(3), 1.0)
    with pytest.raises(ValueError, match="length: expected a number >= 0"):
        _core.ray_cast(ball, np.eye(4), np.zeros(3), np.ones(3), -1.0)
    with pytest.raises(ValueError, match=r"origin: expected shape \(\.\.\., 3\) \[m\], got \(2,\)"):
        _core.ray_cast(ball, np.eye(4), np.zeros(2), np.ones(3), 1.0)
