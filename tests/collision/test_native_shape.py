"""Shapes compiled for the native detector."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest
import trimesh

from kido import _core
from kido.collision import native_shape
from kido.errors import UnsupportedShapeError
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from kido.values import value


@pytest.mark.parametrize(
    "shape, kind, size, radius",
    [
        (Sphere(0.3), "sphere", (0.3,), 0.3),
        (Capsule(0.2, 0.8), "capsule", (0.2, 0.4), 0.6),
        (Box([0.6, 0.8, 2.0]), "box", (0.3, 0.4, 1.0), np.sqrt(1.25)),
        (Cylinder(0.3, 0.8), "cylinder", (0.3, 0.4), 0.5),
        (Cone(0.3, 0.8), "cone", (0.3, 0.4), 0.5),
        (Ellipsoid([0.3, 0.2, 0.45]), "ellipsoid", (0.3, 0.2, 0.45), 0.45),
    ],
    ids=lambda v: type(v).__name__,
)
def test_sizes_are_halves_where_descriptions_are_whole(
    shape: Shape, kind: str, size: tuple[float, ...], radius: float
) -> None:
    native = native_shape(shape)
    assert native.compiled.kind == kind
    assert native.compiled.size == pytest.approx(size)
    assert native.compiled.radius == pytest.approx(radius)
    np.testing.assert_array_equal(native.T_shape_compiled, np.eye(4))


@pytest.mark.parametrize("normal", [(0, 0, 1), (0, 0, -1), (1, 2, 3), (-1, 0, 0)])
def test_a_plane_lies_where_its_normal_and_offset_say(normal: tuple[float, float, float]) -> None:
    plane = Plane(normal=normal, offset=0.7)
    native = native_shape(plane)
    assert native.compiled.kind == "plane" and native.compiled.radius == np.inf
    ball = native_shape(Sphere(0.1)).compiled
    for center in np.random.default_rng(1).uniform(-1.0, 1.0, (20, 3)):
        T = np.eye(4)
        T[:3, 3] = center
        distance, n, *_ = _core.distance(ball, T, native.compiled, native.T_shape_compiled)
        assert distance == pytest.approx(center @ plane.normal - 0.7 - 0.1)
        np.testing.assert_allclose(n, plane.normal, atol=1e-15)


@pytest.mark.parametrize("convex", [True, False])
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (2.0, 1.0, -1.0)])
def test_a_mesh_without_a_file_is_that_of_a_file_with_its_triangles(
    tmp_path: Path, convex: bool, scale: tuple[float, ...]
) -> None:
    path = tmp_path / "star.ply"
    star = trimesh.creation.icosphere(subdivisions=1, radius=0.4)
    star.vertices[0] *= 1.4
    star.export(path)
    read = trimesh.load(path, process=False)
    given = Mesh(None, "star", scale, convex, vertices=read.vertices, triangles=read.faces)
    native, other = (
        native_shape(given).compiled,
        native_shape(Mesh(path, scale=scale, convex=convex)).compiled,
    )
    assert (native.kind, native.radius) == (other.kind, other.radius)
    ball = native_shape(Sphere(0.1)).compiled
    for center in np.random.default_rng(1).uniform(-2.0, 2.0, (20, 3)):
        T = np.eye(4)
        T[:3, 3] = center
        ours = _core.distance(ball, T, native, np.eye(4))[0]
        assert ours == _core.distance(ball, T, other, np.eye(4))[0]


def test_a_mesh_is_its_convex_hull(tmp_path: Path) -> None:
    path = tmp_path / "star.stl"
    star = trimesh.creation.box((0.2, 0.4, 0.6))
    star.vertices[0] *= 0.1  # a dent
    star.export(path)
    native = native_shape(Mesh(path, scale=(2.0, 1.0, -1.0)))
    assert native.compiled.kind == "hull"
    far = np.eye(4)
    far[:3, 3] = [2.0, 0.0, 0.0]
    ball = native_shape(Sphere(0.1)).compiled
    assert _core.distance(ball, far, native.compiled, np.eye(4))[0] == pytest.approx(
        2.0 - 0.1 - 0.2, abs=1e-6
    )


def test_units_of_a_mesh_file_count(tmp_path: Path) -> None:
    scene = trimesh.Scene(trimesh.creation.box((200.0, 400.0, 600.0)))
    scene.units = "millimeters"
    path = tmp_path / "box.glb"
    path.write_bytes(scene.export(file_type="glb"))
    assert trimesh.load_scene(path).units == "millimeters"
    assert native_shape(Mesh(path)).compiled.radius == pytest.approx(np.linalg.norm([0.1, 0.2, 0.3]))


def test_meshes_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"mesh 'package://a/b.stl': the file was not found"):
        native_shape(Mesh(None, uri="package://a/b.stl"))
    with pytest.raises(ValueError, match=r"mesh .*none\.stl"):
        native_shape(Mesh(tmp_path / "none.stl"))
    broken = tmp_path / "broken.obj"
    broken.write_text("v 1 2\nf 1 2 9\n")
    with pytest.raises(ValueError, match=r"mesh|points"):
        native_shape(Mesh(broken))
    flat = tmp_path / "flat.stl"
    trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]]).export(flat)
    with pytest.raises(ValueError, match="points: expected some that span a volume, got"):
        native_shape(Mesh(flat))


def test_a_shape_of_an_unknown_class_is_told() -> None:
    @value
    class Torus(Shape):
        pass

    with pytest.raises(UnsupportedShapeError, match="the native detector has no test for Torus"):
        native_shape(Torus())


def test_compiled_shapes_are_copied_and_saved() -> None:
    for shape in (Sphere(0.3), Box([1.0, 2.0, 3.0]), Cone(0.1, 0.2), Plane()):
        compiled = native_shape(shape).compiled
        for other in (copy.copy(compiled), copy.deepcopy(compiled), pickle.loads(pickle.dumps(compiled))):
            assert (other.kind, other.size, other.radius) == (compiled.kind, compiled.size, compiled.radius)


@pytest.mark.parametrize("kind", ["hull", "mesh", "height_field", "torus", ""])
def test_kinds_that_sizes_do_not_describe_are_refused(kind: str) -> None:
    with pytest.raises(ValueError, match="kind: expected that of a shape that its sizes describe"):
        _core.CollisionShape(kind, [1.0])


@pytest.mark.parametrize("size", [[], [0.1], [0.1, -0.2], [0.1, 0.0], [0.1, 0.2, 0.3], [0.1, np.nan]])
def test_sizes_that_do_not_fit_are_refused(size: list[float]) -> None:
    with pytest.raises(ValueError):
        _core.CollisionShape("capsule", size)
