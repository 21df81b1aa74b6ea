from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.integrate import tplquad
from scipy.spatial.transform import Rotation

from kido.description import Inertia, combined_inertia, shape_inertia, shape_volume
from kido.math import spatial_inertia
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, HeightField, Plane, Shape, Sphere

IN_MUJOCO = {
    "box": (Box((0.2, 0.3, 0.5)), "0.1 0.15 0.25"),
    "sphere": (Sphere(0.3), "0.3"),
    "cylinder": (Cylinder(0.1, 0.7), "0.1 0.35"),
    "capsule": (Capsule(0.2, 0.5), "0.2 0.25"),
    "ellipsoid": (Ellipsoid((0.1, 0.2, 0.4)), "0.1 0.2 0.4"),
}


def pose(rng: np.random.Generator) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = Rotation.random(random_state=rng).as_matrix()
    T[:3, 3] = rng.normal(size=3)
    return T


def as_matrix(inertia: Inertia) -> np.ndarray:
    """(6, 6): equal for equal mass distributions, whatever the parts are."""
    return spatial_inertia(inertia.mass, inertia.com, inertia.moment)


@pytest.mark.parametrize("kind", IN_MUJOCO)
def test_solids_have_the_volume_and_inertia_that_mujoco_gives_them(kind: str) -> None:
    shape, size = IN_MUJOCO[kind]
    body = f"<body><joint/><geom type='{kind}' size='{size}' density='1'/></body>"
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    mass = model.body_mass[1]
    R = Rotation.from_quat(model.body_iquat[1], scalar_first=True).as_matrix()
    np.testing.assert_allclose(shape_volume(shape), mass, rtol=1e-12)
    np.testing.assert_allclose(
        shape_inertia(shape, mass).moment, R @ np.diag(model.body_inertia[1]) @ R.T, rtol=1e-9, atol=1e-15
    )


def test_a_cone_has_the_inertia_of_its_points() -> None:
    r, h = 0.3, 0.8

    def integral(f) -> float:  # type: ignore[no-untyped-def]
        """Over the cone, in cylindrical coordinates, with the base at z = -h / 2."""
        return tplquad(
            lambda rho, phi, z: rho * f(rho * np.cos(phi), rho * np.sin(phi), z),
            *(-h / 2, h / 2, 0.0, 2 * np.pi, 0.0, lambda z, phi: r * (0.5 - z / h)),
        )[0]

    volume = integral(lambda x, y, z: 1.0)
    com = integral(lambda x, y, z: z) / volume
    across = integral(lambda x, y, z: y * y + (z - com) ** 2) / volume
    along = integral(lambda x, y, z: x * x + y * y) / volume
    inertia = shape_inertia(Cone(r, h), 2.0)
    np.testing.assert_allclose(shape_volume(Cone(r, h)), volume, rtol=1e-9)
    np.testing.assert_allclose(inertia.com, [0.0, 0.0, com], rtol=1e-9)
    np.testing.assert_allclose(inertia.moment, 2.0 * np.diag([across, across, along]), rtol=1e-9)


def test_a_long_capsule_is_nearly_a_cylinder_and_a_short_one_nearly_a_sphere() -> None:
    long, short = Capsule(1e-3, 1.0), Capsule(1.0, 1e-9)
    np.testing.assert_allclose(
        np.diag(shape_inertia(long, 1.0).moment)[:2],
        np.diag(shape_inertia(Cylinder(1e-3, 1.0), 1.0).moment)[:2],
        rtol=5e-3,
    )
    np.testing.assert_allclose(
        shape_inertia(short, 1.0).moment, shape_inertia(Sphere(1.0), 1.0).moment, atol=1e-8
    )


def test_a_placed_solid_has_the_inertia_of_its_corner_cubes() -> None:
    """A box of 2 x 2 x 2 equal boxes, anywhere: the parallel axis theorem and the turning of moments."""
    T = pose(np.random.default_rng(1))
    size = np.array([0.2, 0.4, 0.6])
    parts = []
    for corner in np.ndindex(2, 2, 2):
        shift = np.eye(4)
        shift[:3, 3] = (np.array(corner) - 0.5) * size / 2
        parts.append(shape_inertia(Box(size / 2), 3.0 / 8, T @ shift))
    whole = shape_inertia(Box(size), 3.0, T)
    np.testing.assert_allclose(as_matrix(combined_inertia(parts)), as_matrix(whole), atol=1e-14)
    assert whole.problem() is None


def test_parts_combine_as_spatial_inertias_add() -> None:
    rng = np.random.default_rng(2)
    shapes: list[Shape] = [Box((0.1, 0.2, 0.3)), Cone(0.1, 0.4), Capsule(0.05, 0.2), Sphere(0.1)]
    parts = [shape_inertia(shape, rng.uniform(0.5, 2.0), pose(rng)) for shape in shapes]
    total = sum(as_matrix(part) for part in parts)
    np.testing.assert_allclose(as_matrix(combined_inertia(parts)), total, atol=1e-13)


@pytest.mark.parametrize("shape", [Plane(), HeightField(np.zeros((2, 2))), "box"])
def test_what_is_no_solid_is_refused(shape: Shape) -> None:
    with pytest.raises(TypeError, match="shape: expected one of Box"):
        shape_volume(shape)
    with pytest.raises(TypeError, match="shape: expected one of Box"):
        shape_inertia(shape, 1.0)


@pytest.mark.parametrize("mass", [0.0, -1.0, np.nan, np.inf])
def test_a_mass_that_is_not_positive_is_refused(mass: float) -> None:
    with pytest.raises(ValueError, match="mass: expected"):
        shape_inertia(Sphere(1.0), mass)


def test_parts_without_mass_are_refused() -> None:
    for parts in ([], [Inertia(0.0)]):
        with pytest.raises(ValueError, match="inertias: expected parts with mass"):
            combined_inertia(parts)
