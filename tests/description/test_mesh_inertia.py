"""Mass properties of meshes: against solids, trimesh and MuJoCo; what bounds no volume is refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import trimesh
from _random_trees import random_transform

from kido.description import combined_inertia, shape_inertia, shape_volume
from kido.errors import ModelFileError
from kido.shape import Box, Mesh

SHAPES = {
    "box": trimesh.creation.box((0.2, 0.4, 0.6)),
    "cone": trimesh.creation.cone(0.3, 0.5, sections=17),
    "ring": trimesh.creation.annulus(0.1, 0.2, 0.3, sections=16),
    "ball": trimesh.creation.icosphere(subdivisions=2, radius=0.4),
}


def inline(shape: Any, **options: Any) -> Mesh:
    return Mesh(None, "shape", vertices=shape.vertices, triangles=shape.faces, **options)


@pytest.mark.parametrize("name", SHAPES)
def test_moments_are_those_of_trimesh(name: str) -> None:
    shape = SHAPES[name].copy()
    shape.apply_transform(random_transform(np.random.default_rng(1)))
    mesh = inline(shape)
    inertia = shape_inertia(mesh, shape_volume(mesh) * 700.0)
    shape.density = 700.0
    np.testing.assert_allclose(shape_volume(mesh), shape.volume, rtol=1e-12)
    np.testing.assert_allclose(inertia.com, shape.center_mass, atol=1e-12)
    np.testing.assert_allclose(inertia.moment, shape.moment_inertia, rtol=1e-9, atol=1e-12)


def test_a_box_of_triangles_is_a_box() -> None:
    T = random_transform(np.random.default_rng(0))
    mesh, box = inline(SHAPES["box"]), Box((0.2, 0.4, 0.6))
    for content in ("closed", "hull"):
        found, expected = shape_inertia(mesh, 3.0, T, mesh=content), shape_inertia(box, 3.0, T)
        np.testing.assert_allclose(found.com, expected.com, atol=1e-15)
        np.testing.assert_allclose(found.moment, expected.moment, atol=1e-15)
    assert shape_volume(mesh) == pytest.approx(shape_volume(box))


def test_scaled_and_mirrored_meshes_have_positive_volumes() -> None:
    mesh = inline(SHAPES["cone"], scale=(2.0, 3.0, -1.0))
    assert shape_volume(mesh) == pytest.approx(6.0 * SHAPES["cone"].volume)
    assert shape_inertia(mesh, 1.0).com[2] == pytest.approx(-SHAPES["cone"].center_mass[2])


def test_mujoco_finds_the_same_moments_in_a_file(tmp_path: Path) -> None:
    shape = SHAPES["ring"].copy()
    shape.apply_transform(random_transform(np.random.default_rng(2)))
    shape.export(tmp_path / "ring.obj", digits=17)
    text = f"""<mujoco><asset><mesh name="m" file="{tmp_path}/ring.obj" inertia="exact"/></asset>
      <worldbody><body><freejoint/><geom type="mesh" mesh="m" density="700"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    mesh = Mesh(tmp_path / "ring.obj")
    inertia = shape_inertia(mesh, shape_volume(mesh) * 700.0)
    assert inertia.mass == pytest.approx(model.body_mass[1], rel=1e-5)
    np.testing.assert_allclose(inertia.com, model.body_ipos[1], atol=1e-6)
    principal = np.sort(np.linalg.eigvalsh(inertia.moment))
    np.testing.assert_allclose(principal, np.sort(model.body_inertia[1]), rtol=1e-5)


def test_a_shell_is_the_sum_of_thin_plates() -> None:
    """The sides of a box, as boxes of a thickness that vanishes."""
    size, thin = np.array([0.2, 0.4, 0.6]), 1e-7
    plates = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            plate, T = size.copy(), np.eye(4)
            plate[axis], T[axis, 3] = thin, sign * size[axis] / 2.0
            plates.append(shape_inertia(Box(plate), float(plate.prod() / thin), T))
    whole = combined_inertia(plates)
    mesh = inline(SHAPES["box"])
    assert shape_volume(mesh, mesh="shell") == pytest.approx(whole.mass)
    shell = shape_inertia(mesh, whole.mass, mesh="shell")
    np.testing.assert_allclose(shell.moment, whole.moment, rtol=1e-9, atol=1e-12)


def test_what_is_open_or_inside_out_has_no_volume_but_a_hull() -> None:
    shape = SHAPES["box"]
    opened = Mesh(None, "lid.stl", vertices=shape.vertices, triangles=shape.faces[1:])
    with pytest.raises(ValueError, match=r"mesh 'lid\.stl': .* 11 with 3 open sides; mesh='hull' takes"):
        shape_volume(opened)
    with pytest.raises(ValueError, match="open sides"):
        shape_inertia(opened, 1.0)
    assert shape_volume(opened, mesh="hull") == pytest.approx(0.048)
    inverted = Mesh(None, "bag", vertices=shape.vertices, triangles=shape.faces[:, ::-1])
    with pytest.raises(
        ValueError, match=r"mesh 'bag': the volume is -0\.048 m\^3: its triangles are wound inwards"
    ):
        shape_volume(inverted)
    flat = Mesh(None, "flat", vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles=[[0, 1, 2]])
    with pytest.raises(ValueError, match="mesh 'flat'"):
        shape_volume(flat, mesh="hull")
    assert shape_volume(flat, mesh="shell") == 0.5


def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="mesh: expected one of closed, hull, shell, got 'solid'"):
        shape_volume(inline(SHAPES["box"]), mesh="solid")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mass: expected a positive number"):
        shape_inertia(inline(SHAPES["box"]), 0.0)
    with pytest.raises(ModelFileError, match="No such file"):
        shape_volume(Mesh(tmp_path / "none.stl"))
    with pytest.raises(ValueError, match="file was not found"):
        shape_volume(Mesh(None, "none.stl"))


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "part.stl"
    SHAPES["box"].export(path)
    first = shape_volume(Mesh(path))
    SHAPES["ball"].export(path)
    assert shape_volume(Mesh(path)) == pytest.approx(SHAPES["ball"].volume, rel=1e-5) != first


def test_a_file_that_was_replaced_is_read_again_though_its_time_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "part.stl"
    for name in ("box", "ball", "ring"):
        SHAPES[name].export(path)
        os.utime(path, (1e9, 1e9))
        assert shape_volume(Mesh(path)) == pytest.approx(SHAPES[name].volume, rel=1e-5)
        assert shape_inertia(Mesh(path), 1.0).com == pytest.approx(SHAPES[name].center_mass, abs=1e-6)
    path.unlink()
    with pytest.raises(ModelFileError, match="No such file"):
        shape_volume(Mesh(path))


def test_moments_of_a_scaled_box_are_those_of_its_sides(tmp_path: Path) -> None:
    SHAPES["box"].export(tmp_path / "box.ply")
    for scale in ((-1.0, 2.0, 3.0), (-1.0, -2.0, -3.0), (0.001, 0.002, 5.0)):
        found = shape_inertia(Mesh(tmp_path / "box.ply", scale=scale), 3.0)
        expected = shape_inertia(Box(np.abs(scale) * (0.2, 0.4, 0.6)), 3.0)
        np.testing.assert_allclose(found.moment, expected.moment, rtol=1e-6, atol=1e-12)
