"""Detectors by their interface: the native one, coal, one of a user."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
import trimesh
from _effort import examples
from _solids import poses

from kido.collision import CoalDetector, CollisionDetector, ContactPoints, NativeDetector
from kido.errors import UnsupportedShapeError
from kido.shape import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    HeightField,
    Mesh,
    Plane,
    Shape,
    Sphere,
)
from kido.typing import ArrayLike
from kido.values import value

pytest.importorskip("coal")

COUNT = examples(60)
CONVEX: list[Shape] = [
    Sphere(0.3),
    Capsule(0.2, 0.8),
    Box((0.6, 1.0, 0.4)),
    Cylinder(0.25, 0.6),
    Cone(0.3, 0.7),
    Ellipsoid((0.3, 0.2, 0.45)),
]
PLANE = Plane((0.1, -0.3, 1.0), 0.2)
DETECTORS = [NativeDetector(), CoalDetector()]


def meshes(folder: Path) -> list[Shape]:
    path = folder / "star.stl"
    star = trimesh.creation.icosphere(subdivisions=1, radius=0.4)
    star.vertices[0] *= 1.4
    star.export(path)
    return [Mesh(path), Mesh(path, convex=False), HeightField(np.zeros((4, 5)), (0.5, 0.5)), PLANE]


def name(thing: object) -> str:
    return type(thing).__name__


@pytest.mark.parametrize("detector", DETECTORS, ids=name)
@pytest.mark.parametrize("shape", CONVEX, ids=name)
def test_contacts_keep_what_is_promised(detector: CollisionDetector, shape: Shape, tmp_path: Path) -> None:
    for other in (*CONVEX, *meshes(tmp_path)):
        T, T_other = poses(COUNT, 0.6, 1), poses(COUNT, 0.1, 2)
        found = detector.contacts(shape, T, other, T_other, margin=0.01)
        assert len(found) > 0 and (np.diff(found.sample) >= 0).all()
        np.testing.assert_allclose(np.linalg.norm(found.normal, axis=1), 1.0, atol=1e-9)
        np.testing.assert_allclose(
            found.on_first - found.on_second, -found.depth[:, None] * found.normal, atol=1e-9
        )
        # The other way around, normals are turned around. Meshes are not told apart by this in deep overlap.
        back = detector.contacts(other, T_other, shape, T, margin=0.01)
        assert set(back.sample.tolist()) == set(found.sample.tolist())


@pytest.mark.parametrize("shape", CONVEX, ids=name)
@pytest.mark.parametrize("other", [*CONVEX, PLANE], ids=name)
def test_the_native_detector_and_coal_agree(shape: Shape, other: Shape) -> None:
    native, coal = DETECTORS
    T, T_other = poses(COUNT, 0.9, 3), poses(COUNT, 0.1, 4)
    one, two = (detector.distance(shape, T, other, T_other) for detector in DETECTORS)
    apart = (one.distance > 1e-6) & (two.distance > 1e-6)
    assert apart.sum() > 2 and ((one.distance > 1e-6) == (two.distance > 1e-6)).all()
    np.testing.assert_allclose(one.distance[apart], two.distance[apart], atol=2e-5)
    np.testing.assert_allclose(
        (one.on_first - one.on_second)[apart], one.distance[apart, None] * one.normal[apart], atol=1e-9
    )
    aligned = (one.normal * two.normal).sum(axis=1)[apart]
    assert (aligned > 0.999).all()
    # Deep in each other coal does not always find the shortest way out.
    touching = {k for k in range(COUNT) if -0.15 < one.distance[k] < -1e-3}
    for detector in (native, coal):
        found = detector.contacts(shape, T, other, T_other)
        assert touching <= set(found.sample.tolist())
        deepest = {k: found.depth[found.sample == k].max() for k in touching}
        for k in touching:
            assert deepest[k] == pytest.approx(-one.distance[k], abs=0.02)


@pytest.mark.parametrize("detector", DETECTORS, ids=name)
def test_arguments_are_broadcast(detector: CollisionDetector) -> None:
    T, T_other = poses(6, 0.5, 5).reshape(2, 3, 4, 4), poses(3, 0.1, 6)
    found = detector.distance(CONVEX[2], T, CONVEX[3], T_other)
    assert found.distance.shape == (2, 3) and found.normal.shape == (2, 3, 3)
    one = detector.distance(CONVEX[2], T[1, 2], CONVEX[3], T_other[2])
    assert found.distance[1, 2] == pytest.approx(float(one.distance), abs=1e-9)


@value
class Pyramid(Shape):
    """A shape that nobody knows."""


@pytest.mark.parametrize("detector", DETECTORS, ids=name)
def test_shapes_that_are_unknown_are_named(detector: CollisionDetector) -> None:
    with pytest.raises(UnsupportedShapeError, match="Pyramid"):
        detector.contacts(Pyramid(), np.eye(4), Sphere(1.0), np.eye(4))
    with pytest.raises(UnsupportedShapeError, match=r"Pyramid.*bounds"):
        detector.bounds(Pyramid())


def test_a_pair_without_a_test_is_named() -> None:
    field = HeightField(np.zeros((2, 2)))
    with pytest.raises(UnsupportedShapeError, match="HeightField and HeightField"):
        NativeDetector().distance(field, np.eye(4), field, np.eye(4))
    with pytest.raises(UnsupportedShapeError, match="Plane and Plane"):
        NativeDetector().contacts(Plane(), np.eye(4), Plane(), np.eye(4))


class Nothing(CollisionDetector):
    """Nothing touches."""

    name = "nothing"

    def contacts(
        self, first: Shape, T_first: ArrayLike, second: Shape, T_second: ArrayLike, *, margin: float = 0.0
    ) -> ContactPoints:
        none, whole = np.empty((0, 3)), np.empty(0, dtype=np.int64)
        return ContactPoints(whole, none, none, none, np.empty(0), whole)


def test_a_detector_of_ones_own_answers_what_it_knows() -> None:
    detector = Nothing()
    ball = Sphere(1.0)
    assert len(detector.contacts(ball, np.eye(4), ball, np.eye(4))) == 0
    for ask in (
        lambda: detector.distance(ball, np.eye(4), ball, np.eye(4)),
        lambda: detector.ray_cast(ball, np.eye(4), (0, 0, 5), (0, 0, 1)),
        lambda: detector.sweep(ball, (np.eye(4), np.eye(4)), ball, (np.eye(4), np.eye(4))),
    ):
        with pytest.raises(NotImplementedError, match="nothing has no"):
            ask()


@pytest.mark.parametrize("detector", DETECTORS, ids=name)
def test_detectors_are_values(detector: CollisionDetector) -> None:
    copied = pickle.loads(pickle.dumps(detector))
    assert copied == detector and hash(copied) == hash(detector) and type(copied) is type(detector)


@pytest.mark.parametrize("detector", DETECTORS, ids=["native", "coal"])
def test_capsules_whose_axes_cross_part_across_both(detector: CollisionDetector) -> None:
    T, S = np.eye(4), np.eye(4)
    T[:3, :3] = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    S[:3, :3] = [[1.0, 0.0, 0.0], [0.0, 0.8, -0.6], [0.0, 0.6, 0.8]]
    S[:3, 3] = 0.2 * S[:3, 2]
    found = detector.contacts(Capsule(0.07, 0.2), T, Capsule(0.06, 0.4), S)
    assert len(found) > 0
    np.testing.assert_allclose(found.depth, 0.13, atol=1e-9)
    np.testing.assert_allclose(np.abs(found.normal) - [1.0, 0.0, 0.0], 0.0, atol=1e-9)
    same = detector.contacts(Sphere(0.1), np.eye(4), Sphere(0.2), np.eye(4))
    np.testing.assert_allclose(np.linalg.norm(same.normal, axis=1), 1.0)
    np.testing.assert_allclose(same.depth, 0.3, atol=1e-9)


def test_settings_of_coal_are_checked() -> None:
    assert CoalDetector(most_contacts=3) != CoalDetector()
    with pytest.raises(ValueError, match="most_contacts"):
        CoalDetector(most_contacts=0)
    with pytest.raises(ValueError, match="T_first"):
        CoalDetector().distance(Sphere(1.0), np.eye(3), Sphere(1.0), np.eye(4))
