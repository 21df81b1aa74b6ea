"""Meshes that are not convex and height fields against every convex shape: coal, hulls and formulas tell."""

from __future__ import annotations

import coal
import numpy as np
import pytest
import trimesh
from _effort import examples
from _solids import SOLIDS, Floats, Solid, compiled_hull, outside, poses, seen
from _surfaces import coal_surface, compiled
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

from kido import _core
from kido.collision import convex_hull, field_triangles, triangle_mesh
from kido.shape import HeightField

COUNT = examples(200)
CONVEX = SOLIDS[:-1]


def placed(T: Floats) -> coal.Transform3s:
    return coal.Transform3s(T[:3, :3], T[:3, 3])


def coal_distances(solid: Solid, T: Floats, model: coal.CollisionGeometry, T_model: Floats) -> Floats:
    request = coal.DistanceRequest()
    return np.array(
        [
            coal.distance(solid.peer, placed(a), model, placed(b), request, coal.DistanceResult())
            for a, b in zip(T, T_model, strict=True)
        ]
    )


TORUS = trimesh.creation.torus(0.6, 0.2)
ROOM = trimesh.creation.box((0.8, 0.6, 1.0))
BALL = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
HILLS = HeightField(
    0.1 * np.sin(np.arange(23))[:, None] * np.cos(0.7 * np.arange(31))[None, :], spacing=(0.11, 0.13)
)


def hills() -> _core.CollisionShape:
    return _core.CollisionShape.height_field(HILLS.heights, *HILLS.spacing.tolist())


@pytest.mark.parametrize("solid", CONVEX, ids=lambda s: s.name)
def test_distance_from_a_mesh_is_that_of_coal(solid: Solid) -> None:
    T, T_mesh = poses(COUNT, 1.2, 1), poses(COUNT, 0.1, 2)
    distance, normal, on_solid, on_mesh = _core.distance(solid.shape, T, compiled(TORUS), T_mesh)
    expected = coal_distances(solid, T, coal_surface(TORUS.vertices, TORUS.faces), T_mesh)
    apart = expected > 1e-6
    assert 0.5 < apart.mean() < 0.95
    assert ((distance > 1e-6) == apart).mean() > 0.99
    both = apart & (distance > 0)
    np.testing.assert_allclose(distance[both], expected[both], rtol=0, atol=3e-6)
    np.testing.assert_allclose(
        (on_solid - on_mesh)[both], (normal * distance[:, None])[both], rtol=0, atol=1e-12
    )
    assert np.abs(trimesh.proximity.closest_point_naive(TORUS, local(T_mesh, on_mesh)[both])[1]).max() < 1e-9


def local(T: Floats, points: Floats) -> Floats:
    return seen(T, points - T[..., :3, 3])


@pytest.mark.parametrize("solid", CONVEX, ids=lambda s: s.name)
@pytest.mark.parametrize("mesh", [BALL, ROOM], ids=["ball", "room"])
def test_depth_in_a_mesh_that_is_convex_is_that_in_its_hull(solid: Solid, mesh: trimesh.Trimesh) -> None:
    T, T_mesh = poses(10 * COUNT, 1.0, 3), poses(10 * COUNT, 0.1, 4)
    distance, normal, *_ = _core.distance(solid.shape, T, compiled(mesh), T_mesh)
    hull = compiled_hull(convex_hull(mesh.vertices))
    expected, along, *_ = _core.distance(solid.shape, T, hull, T_mesh)
    apart = expected > 0.0
    np.testing.assert_allclose(distance[apart], expected[apart], rtol=0, atol=1e-8)
    shallow = (expected <= 0.0) & (expected > -0.03)
    assert shallow.sum() > 30
    # Edges that cross each other come apart along their own normal; nearly all others along that of a face.
    error = np.abs(distance - expected)[shallow]
    assert (error < 1e-9).mean() > 0.8 and error.max() < 0.01
    aligned = (normal * along).sum(axis=1)[shallow]
    assert np.median(aligned) > 1 - 1e-9


@pytest.mark.parametrize("solid", CONVEX, ids=lambda s: s.name)
def test_points_lie_on_both_shapes(solid: Solid) -> None:
    T, T_field = poses(COUNT, 0.6, 5), poses(COUNT, 0.1, 6)
    T[:, 2, 3] = 0.3 + 0.1 * T[:, 2, 3]
    T_field[:, :3, :3] = np.eye(3)
    index, numbers = _core.contact_points(solid.shape, T, hills(), T_field, 0.01)
    normal, on_solid, on_field, gap = numbers[:, 0:3], numbers[:, 3:6], numbers[:, 6:9], numbers[:, 9]
    assert len(gap) > COUNT / 4
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(on_solid - on_field, gap[:, None] * normal, rtol=0, atol=1e-12)
    sample = index[:, 0]
    away = outside(solid, T[sample], on_solid)
    assert np.quantile(away, 0.98) < 1e-3 and away.max() < 0.01
    ground = field_triangles(HILLS)
    surface = trimesh.Trimesh(ground.vertices, ground.triangles, process=False)
    away = trimesh.proximity.closest_point_naive(surface, on_field - T_field[sample, :3, 3])[1]
    assert np.quantile(away, 0.95) < 1e-3 and away.max() < 0.02
    shallow = gap > -0.05
    out = normal[shallow, 2]  # of the ground
    assert len(out) > COUNT / 10 and out.min() > 0.3


def coal_overlaps(solid: Solid, T: Floats, model: coal.CollisionGeometry) -> bool:
    found = coal.collide(
        solid.peer, placed(T), model, placed(np.eye(4)), coal.CollisionRequest(), coal.CollisionResult()
    )
    return bool(found)


def lifted(T: Floats, height: float) -> Floats:
    moved = T.copy()
    moved[2, 3] += height
    return moved


def way_up(solid: Solid, T: Floats, model: coal.CollisionGeometry, most: float, step: float) -> float:
    """How far up a solid leaves a surface, by coal: to 1/256 of a step."""
    low = 0.0
    if not coal_overlaps(solid, T, model):
        return low
    while low < most and coal_overlaps(solid, lifted(T, low + step), model):
        low += step
    for _ in range(8):
        step /= 2
        if coal_overlaps(solid, lifted(T, low + step), model):
            low += step
    return low + step


def displacement(normals: Floats, gaps: Floats) -> Floats:
    """The least x with normals x >= -gaps. Lawson and Hanson, "Solving least squares problems", ch. 23."""
    E = np.vstack([normals.T, -gaps])
    f = np.array([0.0, 0.0, 0.0, 1.0])
    r = E @ nnls(E, f)[0] - f
    return np.asarray(-r[:3] / r[3])


@pytest.mark.parametrize("solid", CONVEX, ids=lambda s: s.name)
@pytest.mark.parametrize("depth", [0.001, 0.01, 0.04])
def test_contacts_lead_out_of_hills(solid: Solid, depth: float) -> None:
    """After the least displacement that the contacts ask for, coal sees hardly any overlap."""
    ground = field_triangles(HILLS)
    model = coal_surface(ground.vertices, ground.triangles)
    left, moved = [], []
    for T in poses(COUNT // 5, 0.6, 15):
        T = lifted(T, 0.1 - 0.9 * T[2, 3])
        T = lifted(T, way_up(solid, T, model, 0.8, 0.02) - depth)
        assert coal_overlaps(solid, T, model)
        _, numbers = _core.contact_points(solid.shape, T, hills(), np.eye(4), 0.0)
        inside = numbers[numbers[:, 9] < 0]
        assert len(inside)
        x = displacement(inside[:, :3], inside[:, 9])
        moved.append(np.linalg.norm(x))
        T[:3, 3] += x
        left.append(way_up(solid, T, model, 0.1, 0.1 * depth))
    assert np.max(moved) < 1.3 * depth
    assert np.mean(np.array(left) > 0.1 * depth) < 0.03 and np.max(left) < 0.6 * depth


@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_a_tip_below_the_bottom_of_a_valley_comes_out_upward(turn: float) -> None:
    """Behind both sides of the valley the tip lies in front of neither, seen along their normals."""
    slopes = np.tile(0.5 * np.abs(np.arange(-5, 6)) * 0.1, (4, 1))
    valley = _core.CollisionShape.height_field(slopes, 0.1, 0.1)
    cone = _core.CollisionShape("cone", [0.1, 0.3])
    for depth in (1e-3, 0.01, 0.03):
        T = np.eye(4)
        T[:3, :3] = Rotation.from_euler("xz", [np.pi, turn]).as_matrix()
        T[:3, 3] = [0.0, 0.013, 0.3 - depth]
        _, numbers = _core.contact_points(cone, T, valley, np.eye(4), 0.0)
        assert len(numbers)
        x = displacement(numbers[:, :3], numbers[:, 9])
        np.testing.assert_allclose(x, [0.0, 0.0, depth], rtol=0, atol=1e-6)


def test_a_tip_behind_a_triangle_beside_the_one_it_pierces_comes_out_of_their_plane() -> None:
    """Beside an edge of the room, of which it is 75 mm deep in one side and 16 mm in the other."""
    cone = next(solid for solid in CONVEX if solid.name == "cone")
    axis = np.array([0.621, 0.488, 0.613])
    T = np.eye(4)
    T[:3, :3] = Rotation.align_vectors([axis], [[0.0, 0.0, 1.0]])[0].as_matrix()
    tips = []
    for height in np.linspace(0.36, 0.44, 17):  # the side's diagonal is at 0.405
        T[:3, 3] = [-0.324, -0.284, height] - T[:3, 2] * 0.35
        distance, normal, *_ = _core.distance(cone.shape, T, compiled(ROOM), np.eye(4))
        tips.append(distance)
        np.testing.assert_allclose(normal, [0.0, -1.0, 0.0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(tips, -0.016, rtol=0, atol=1e-9)


@pytest.mark.parametrize("solid", CONVEX, ids=lambda s: s.name)
def test_a_height_field_is_its_triangles(solid: Solid) -> None:
    T, T_field = poses(2 * COUNT, 0.9, 7), poses(2 * COUNT, 0.05, 8)
    T_field[:, :3, :3] = np.eye(3)
    T[:, 2, 3] += 0.6
    ground = field_triangles(HILLS)
    mesh = _core.CollisionShape.mesh(ground.vertices, ground.triangles.ravel().tolist())
    one, other = (_core.distance(solid.shape, T, shape, T_field)[0] for shape in (hills(), mesh))
    np.testing.assert_allclose(one[one > 0], other[one > 0], rtol=0, atol=1e-12)
    assert ((one > 0) == (other > 0)).mean() > 0.99
    expected = coal_distances(solid, T, coal_surface(ground.vertices, ground.triangles), T_field)
    # Below the ground is inside of it, where coal sees a surface only.
    above = (expected > 1e-6) & (one > 0)
    assert above.sum() > COUNT / 3
    np.testing.assert_allclose(one[above], expected[above], rtol=0, atol=3e-6)


def test_far_below_the_ground_is_deep_inside() -> None:
    T = np.eye(4)
    T[2, 3] = -0.5
    ball = _core.CollisionShape("sphere", [0.05])
    distance, normal, *_ = _core.distance(ball, T, hills(), np.eye(4))
    assert -0.7 < distance < -0.3 and normal[2] > 0.5


@pytest.mark.parametrize("shape", ["mesh", "field"])
def test_rays_meet_what_the_formula_says(shape: str) -> None:
    if shape == "mesh":
        surface = triangle_mesh(TORUS.vertices, TORUS.faces)
        native = compiled(TORUS)
    else:
        surface, native = field_triangles(HILLS), hills()
    rng = np.random.default_rng(9)
    origin = rng.uniform(-1.5, 1.5, (COUNT, 3))
    direction = -origin + rng.uniform(-0.6, 0.6, (COUNT, 3))
    distance, normal = _core.ray_cast(native, np.eye(4), origin, direction, np.inf)
    unit = direction / np.linalg.norm(direction, axis=1, keepdims=True)
    expected, facing = _naive_rays(surface.vertices[surface.triangles], origin, unit)
    met = np.isfinite(expected)
    assert 0.3 < met.mean() < 1.0
    np.testing.assert_array_equal(np.isfinite(distance), met)
    np.testing.assert_allclose(distance[met], expected[met], rtol=0, atol=1e-9)
    np.testing.assert_allclose(normal[met], facing[met], rtol=0, atol=1e-9)
    assert np.isinf(_core.ray_cast(native, np.eye(4), origin, direction, 1e-6)[0]).all()


def _naive_rays(corners: Floats, origin: Floats, unit: Floats) -> tuple[Floats, Floats]:
    """By the plane of every triangle, and whether the point lies on the same side of all three sides."""
    a = corners[:, 0]
    normals = np.cross(corners[:, 1] - a, corners[:, 2] - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    best, facing = np.full(len(origin), np.inf), np.zeros((len(origin), 3))
    for k, (o, d) in enumerate(zip(origin, unit, strict=True)):
        t = ((a - o) * normals).sum(axis=1) / (normals @ d)
        p = o + t[:, None] * d
        inside = t > 0
        for i in range(3):
            side = corners[:, (i + 1) % 3] - corners[:, i]
            inside &= (np.cross(side, p - corners[:, i]) * normals).sum(axis=1) >= 0
        if inside.any():
            first = np.argmin(np.where(inside, t, np.inf))
            best[k], facing[k] = t[first], -np.sign(normals[first] @ d) * normals[first]
    return best, facing


def test_a_mesh_touches_a_plane_with_its_lowest_corners() -> None:
    T = poses(COUNT, 0.4, 10)
    T[:, 2, 3] += 0.5
    ground = _core.CollisionShape("plane", [])
    index, numbers = _core.contact_points(compiled(TORUS), T, ground, np.eye(4), 0.0)
    heights = np.einsum("nij,kj->nki", T[:, :3, :3], TORUS.vertices)[..., 2] + T[:, 2, 3][:, None]
    lowest = heights.min(axis=1)
    assert 0.2 < (lowest < 0.0).mean() < 0.9
    for k in range(COUNT):
        gaps = numbers[index[:, 0] == k, 9]
        assert (len(gaps) > 0) == (lowest[k] <= 0.0)
        assert len(gaps) == 0 or abs(gaps.min() - lowest[k]) < 1e-12
        corners = TORUS.vertices @ T[k, :3, :3].T + T[k, :3, 3]
        for row in numbers[index[:, 0] == k]:
            assert np.linalg.norm(corners - row[3:6], axis=1).min() < 1e-12
            np.testing.assert_allclose(row[3:6] - row[6:9], row[9] * row[:3], rtol=0, atol=1e-12)
            np.testing.assert_allclose(row[:3], (0.0, 0.0, 1.0), rtol=0, atol=1e-12)
            assert abs(row[8]) < 1e-12  # on the plane
    np.testing.assert_allclose(
        _core.distance(compiled(TORUS), T, ground, np.eye(4))[0], lowest, rtol=0, atol=1e-12
    )


def test_a_box_on_flat_triangles_touches_as_on_a_plane() -> None:
    flat = _core.CollisionShape.height_field(np.zeros((40, 50)), 0.05, 0.06)
    plane = _core.CollisionShape("plane", [])
    box = _core.CollisionShape("box", [0.2, 0.15, 0.1])
    rng = np.random.default_rng(11)
    for depth in (-1e-3, 1e-5, 1e-3):
        T = poses(1, 0.0, 1)[0]
        angle = rng.uniform(0, 3)
        T[:3, :3] = [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
        T[:3, 3] = [0.013, -0.021, 0.1 - depth]
        _, numbers = _core.contact_points(box, T, flat, np.eye(4), 2e-3)
        _, expected = _core.contact_points(box, T, plane, np.eye(4), 2e-3)
        assert len(numbers) == len(expected) == 4
        np.testing.assert_allclose(numbers[:, :3], [[0, 0, 1]] * 4, rtol=0, atol=1e-12)
        here, there = (rows[np.lexsort(np.round(rows[:, 6:8], 6).T)] for rows in (numbers, expected))
        np.testing.assert_allclose(here, there, rtol=0, atol=1e-9)


def test_no_corner_of_the_ground_in_a_box_is_overlooked() -> None:
    """Where a corner of the ground stands in a box by less than a millimeter, some contact is as deep."""
    rng = np.random.default_rng(12)
    hill = 0.2 * np.sin(1.5 * np.arange(41) / 10)[:, None] + 0.02 * rng.uniform(-1, 1, (41, 41)) ** 2
    field = HeightField(hill, (0.1, 0.1))
    ground = field_triangles(field).vertices
    shape = _core.CollisionShape.height_field(hill, 0.1, 0.1)
    half = np.array([0.25, 0.2, 0.15])
    box = _core.CollisionShape("box", half)
    asked = 0
    for T in poses(400, 1.0, 17):
        T[2, 3] += 0.4
        # Down until the deepest corner of the ground stands 0.5 mm in it.
        for _ in range(200):
            places = np.abs(local(T[None], ground)) - half
            if places.max(axis=1).min() < -4e-4:
                break
            T[2, 3] -= max(2e-4, 0.5 * np.linalg.norm(np.maximum(places, 0), axis=1).min())
        depth = -places.max(axis=1).min()
        if not 1e-4 < depth < 1e-3:
            continue
        asked += 1
        _, numbers = _core.contact_points(box, T, shape, np.eye(4), 1e-3)
        assert len(numbers) and -numbers[:, 9].min() > 0.9 * depth
    assert asked > 100


def test_instruction_sets_give_the_same_bits(runtime: None) -> None:
    T, T_mesh = poses(40, 0.8, 13), poses(40, 0.1, 14)
    seen_bits: dict[str, list[bytes]] = {}
    for name in _core.instruction_sets():
        _core.set_instruction_set(name)
        seen_bits[name] = [
            x.tobytes()
            for solid in SOLIDS[:-1]
            for surface in (compiled(TORUS), hills())
            for x in _core.contact_points(solid.shape, T, surface, T_mesh, 0.01)
        ]
    assert all(bits == seen_bits[_core.instruction_sets()[0]] for bits in seen_bits.values())


def test_threads_and_batches_give_what_samples_give(runtime: None) -> None:
    T, T_mesh = poses(300, 0.8, 15), poses(300, 0.1, 16)
    box = SOLIDS[2].shape
    _core.set_num_threads(2)
    index, numbers = _core.contact_points(box, T, compiled(TORUS), T_mesh, 0.01)
    assert (np.diff(index[:, 0]) >= 0).all()
    for k in range(0, 300, 7):
        _, one = _core.contact_points(box, T[k], compiled(TORUS), T_mesh[k], 0.01)
        np.testing.assert_array_equal(numbers[index[:, 0] == k], one)


@pytest.mark.parametrize(
    "vertices, triangles, message",
    [
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 3]], "indices of 3 vertices"),
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]], "some with an area"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 2, 3]], "wound alike"),
    ],
)
def test_what_bounds_nothing_is_refused(
    vertices: list[list[float]], triangles: list[list[int]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        triangle_mesh(vertices, triangles)


def test_a_surface_that_is_inside_out_is_refused() -> None:
    with pytest.raises(ValueError, match="inside out"):
        triangle_mesh(BALL.vertices, BALL.faces[:, ::-1])
