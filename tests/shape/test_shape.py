from __future__ import annotations

import math
import pickle
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest

from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere

SHAPES = [
    Box((1.0, 2.0, 3.0)),
    Sphere(0.5),
    Cylinder(0.1, 2.0),
    Capsule(0.1, 2.0),
    Ellipsoid((1.0, 2.0, 3.0)),
    Cone(0.1, 2.0),
    Plane((0.0, 1.0, 0.0), 0.3),
    Mesh("meshes/hand.stl", scale=(0.001, 0.001, -0.001)),
    Mesh(None, "wedge", vertices=np.eye(3), triangles=[[0, 1, 2]]),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
class TestEveryShape:
    def test_equal_by_value_and_pickles(self, shape: Shape) -> None:
        copy = pickle.loads(pickle.dumps(shape))
        assert copy == shape
        assert hash(copy) == hash(shape)
        assert copy != object()

    def test_fields_cannot_be_set(self, shape: Shape) -> None:
        name = next(iter(shape.__dataclass_fields__))
        with pytest.raises(FrozenInstanceError):
            setattr(shape, name, 1.0)

    def test_arrays_stay_read_only_after_unpickling(self, shape: Shape) -> None:
        copy = pickle.loads(pickle.dumps(shape))
        values = [getattr(copy, name) for name in copy.__dataclass_fields__]
        assert not any(v.flags.writeable for v in values if isinstance(v, np.ndarray))

    def test_differs_from_all_others(self, shape: Shape) -> None:
        assert sum(shape == other for other in SHAPES) == 1


def test_shapes_of_different_size_differ() -> None:
    assert Box((1.0, 2.0, 3.0)) != Box((1.0, 2.0, 3.5))
    assert Sphere(1.0) != Sphere(2.0)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda x: Box((1.0, x, 1.0)), "size"),
        (lambda x: Sphere(x), "radius"),
        (lambda x: Cylinder(x, 1.0), "radius"),
        (lambda x: Cylinder(1.0, x), "length"),
        (lambda x: Capsule(x, 1.0), "radius"),
        (lambda x: Capsule(1.0, x), "length"),
        (lambda x: Ellipsoid((x, 1.0, 1.0)), "radii"),
        (lambda x: Cone(x, 1.0), "radius"),
        (lambda x: Cone(1.0, x), "length"),
    ],
)
def test_non_positive_or_non_finite_sizes_are_refused_by_name(make: object, field: str, bad: float) -> None:
    with pytest.raises(ValueError, match=f"^{field}: expected"):
        make(bad)  # type: ignore[operator]


def test_plane_normalises_its_normal() -> None:
    assert np.array_equal(Plane((0.0, 0.0, -4.0), 1.0).normal, [0.0, 0.0, -1.0])


@pytest.mark.parametrize(
    ("normal", "offset"), [((0.0, 0.0, 0.0), 0.0), ((0.0, math.nan, 1.0), 0.0), ((0.0, 0.0, 1.0), math.inf)]
)
def test_plane_refuses_a_zero_normal_and_non_finite_numbers(normal: tuple[float, ...], offset: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        Plane(normal, offset)


def test_mesh_names_its_uri_after_the_path_unless_given() -> None:
    assert Mesh("a/b.stl").uri == "a/b.stl"
    assert Mesh("a/b.stl").path == Path("a/b.stl")
    assert Mesh(None, "package://a/b.stl").uri == "package://a/b.stl"


def test_mesh_may_mirror_but_not_flatten() -> None:
    assert Mesh("a.stl", scale=(1.0, -1.0, 1.0)).scale[1] == -1.0
    with pytest.raises(ValueError, match="scale: expected nonzero numbers"):
        Mesh("a.stl", scale=(1.0, 0.0, 1.0))


@pytest.mark.parametrize(
    ["content", "message"],
    [
        ({"vertices": np.eye(3)}, "vertices, triangles: expected both or neither"),
        ({"triangles": [[0, 1, 2]]}, "vertices, triangles: expected both or neither"),
        ({"vertices": np.eye(2), "triangles": [[0, 1, 2]]}, "vertices: expected shape"),
        ({"vertices": np.eye(3), "triangles": [[0, 1, 3]]}, "triangles: expected indices of 3 vertices"),
        ({"vertices": np.eye(3), "triangles": [[0, 1, -1]]}, "triangles: expected indices of 3 vertices"),
        ({"vertices": np.eye(3), "triangles": [[0, 1, 1.5]]}, "triangles: expected indices of 3 vertices"),
        (
            {"vertices": np.eye(3), "triangles": np.empty((0, 3))},
            "triangles: expected at least one",
        ),
    ],
)
def test_meshes_of_triangles_that_are_none_are_refused(content: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Mesh(None, **content)


def test_a_mesh_is_in_a_file_or_given_by_its_triangles() -> None:
    with pytest.raises(ValueError, match="vertices: expected None for a mesh that has a path"):
        Mesh("a.stl", vertices=np.eye(3), triangles=[[0, 1, 2]])


def test_replace_validates_again() -> None:
    assert replace(Sphere(1.0), radius=2.0) == Sphere(2.0)
    with pytest.raises(ValueError, match="radius"):
        replace(Sphere(1.0), radius=-2.0)
