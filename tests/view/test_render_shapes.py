"""Pictures of each kind of shape."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from _look import GREEN, SIZE, block, box_of, covered, dominated, project, reddish

import kido
from _robots import robot_files
from kido.errors import ModelWarning
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Shape, Sphere

CAMERA = ((1.6, -1.1, 0.9), (0.0, 0.0, 0.0), (0.2, 0.0, 1.0))
TURN = np.linspace(0.0, 2.0 * np.pi, 721)
RING = np.stack([np.cos(TURN), np.sin(TURN), np.zeros_like(TURN)], axis=-1)
DIRECTIONS = np.random.default_rng(0).normal(size=(40_000, 3))
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)
UP = np.array([0.0, 0.0, 1.0])

SOLIDS: dict[str, tuple[Shape, np.ndarray]] = {
    "box": (
        Box((0.5, 0.2, 0.3)),
        np.array([[x, y, z] for x in (-0.25, 0.25) for y in (-0.1, 0.1) for z in (-0.15, 0.15)]),
    ),
    "sphere": (Sphere(0.2), 0.2 * DIRECTIONS),
    "ellipsoid": (Ellipsoid((0.3, 0.1, 0.2)), DIRECTIONS * (0.3, 0.1, 0.2)),
    "cylinder": (Cylinder(0.15, 0.5), np.concatenate([0.15 * RING + 0.25 * UP, 0.15 * RING - 0.25 * UP])),
    "capsule": (
        Capsule(0.1, 0.4),
        np.concatenate([0.1 * DIRECTIONS + 0.2 * UP, 0.1 * DIRECTIONS - 0.2 * UP]),
    ),
    "cone": (Cone(0.2, 0.5), np.concatenate([0.2 * RING - 0.25 * UP, [0.25 * UP]])),
}
"""Solids, and points on them of which they are the hull."""


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_cover_the_pixels_that_their_formula_says(name: str) -> None:
    shape, hull = SOLIDS[name]
    image = kido.render(block(shape), size=SIZE, camera=CAMERA, ground=False)
    pixels = project(hull, CAMERA, SIZE)
    assert np.abs(box_of(covered(image)) - [pixels.min(axis=0), pixels.max(axis=0)]).max() < 1.5


def test_collision_shapes_are_drawn_when_asked_for() -> None:
    skeleton = block(Sphere(0.2), collision=False)
    kido.ShapeNode(skeleton.bodies[0], "hull", Box((0.4, 0.4, 0.4)), (0, 0, 1), visual=False)
    camera = ((5.0, 0.0, 0.5), (0, 0, 0.5), (0, 0, 1))
    seen = kido.render(skeleton, size=SIZE, camera=camera, ground=False)
    touching = kido.render(skeleton, size=SIZE, camera=camera, ground=False, collision=True)
    assert abs(box_of(covered(seen)).mean(axis=0)[1] - project((0, 0, 0), camera, SIZE)[1]) < 1.0
    assert abs(box_of(covered(touching)).mean(axis=0)[1] - project((0, 0, 1), camera, SIZE)[1]) < 1.0


TETRAHEDRON = np.array([[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.5]])
FACES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]


def write_obj(path: Path, points: np.ndarray = TETRAHEDRON) -> Path:
    lines = [f"v {x} {y} {z}" for x, y, z in points] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_stl(path: Path) -> Path:
    facets = []
    for face in FACES:
        corners = "".join(f"vertex {x} {y} {z}\n" for x, y, z in TETRAHEDRON[face])
        facets.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet\n")
    path.write_text(f"solid t\n{''.join(facets)}endsolid t\n")
    return path


def write_dae(path: Path, unit: float) -> Path:
    numbers = " ".join(f"{x / unit}" for x in TETRAHEDRON.ravel())
    indices = " ".join(str(i) for face in FACES for i in face)
    path.write_text(f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><unit meter="{unit}" name="unit"/><up_axis>Z_UP</up_axis></asset>
 <library_effects><effect id="paint"><profile_COMMON><technique sid="common"><phong>
  <diffuse><color>0 0.8 0 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
 <library_materials><material id="green"><instance_effect url="#paint"/></material></library_materials>
 <library_geometries><geometry id="g"><mesh>
  <source id="p">
   <float_array id="a" count="12">{numbers}</float_array>
   <technique_common><accessor source="#a" count="4" stride="3">
    <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
   </accessor></technique_common>
  </source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <triangles count="4" material="m">
   <input semantic="VERTEX" source="#v" offset="0"/><p>{indices}</p>
  </triangles>
 </mesh></geometry></library_geometries>
 <library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g">
  <bind_material><technique_common>
   <instance_material symbol="m" target="#green"/>
  </technique_common></bind_material>
 </instance_geometry></node></visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>""")
    return path


def assert_covers(image: np.ndarray, points: np.ndarray) -> None:
    pixels = project(points, CAMERA, SIZE)
    assert np.abs(box_of(covered(image)) - [pixels.min(axis=0), pixels.max(axis=0)]).max() < 1.5


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (0.5, 1.5, 0.8), (1.0, -1.0, 1.0)])
@pytest.mark.parametrize("suffix", ["obj", "stl", "dae"])
def test_meshes_stand_where_their_points_are(tmp_path: Path, suffix: str, scale: tuple) -> None:
    path = tmp_path / f"mesh.{suffix}"
    if suffix == "dae":
        write_dae(path, 0.01)
    else:
        (write_obj if suffix == "obj" else write_stl)(path)
    image = kido.render(block(Mesh(path, scale=scale)), size=SIZE, camera=CAMERA, ground=False)
    assert_covers(image, TETRAHEDRON * scale)
    assert reddish(image).sum() > 0.5 * covered(image).sum()


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (0.5, 1.5, 0.8), (1.0, -1.0, 1.0)])
def test_meshes_without_a_file_stand_where_their_points_are(scale: tuple) -> None:
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    mesh = Mesh(None, "tetrahedron", scale, vertices=TETRAHEDRON, triangles=faces)
    image = kido.render(block(mesh), size=SIZE, camera=CAMERA, ground=False)
    assert_covers(image, TETRAHEDRON * scale)


def test_a_mesh_without_material_has_the_colors_of_its_file(tmp_path: Path) -> None:
    green = block(Mesh(write_dae(tmp_path / "green.dae", 1.0)), rgba=None)
    grey = block(Mesh(write_obj(tmp_path / "grey.obj")), rgba=None)
    image = kido.render(green, size=SIZE, camera=CAMERA, ground=False)
    assert dominated(image, 1).sum() > 0.9 * covered(image).sum()
    plain = kido.render(grey, size=SIZE, camera=CAMERA, ground=False).astype(int)
    shown = plain[covered(plain)]
    assert len(shown) > 500
    assert np.ptp(shown, axis=-1).max() < 30


def test_a_mesh_that_changed_is_read_again(tmp_path: Path) -> None:
    path = write_obj(tmp_path / "mesh.obj")
    thing = block(Mesh(path))
    assert_covers(kido.render(thing, size=SIZE, camera=CAMERA, ground=False), TETRAHEDRON)
    write_obj(path, 0.5 * TETRAHEDRON)
    os.utime(path, ns=(10**18, 10**18))
    assert_covers(kido.render(thing, size=SIZE, camera=CAMERA, ground=False), 0.5 * TETRAHEDRON)


BROKEN = {
    "missing": None,
    "empty.stl": b"",
    "cut.stl": b"\0" * 80 + b"\xff\0\0\0" + b"\0" * 10,
    "text.dae": b"<COLLADA><broken>",
    "words.obj": b"v one two three\nf 1 2 3\n",
    "points.obj": b"v 0 0 0\nv 1 0 0\n",
    "infinite.obj": b"v 0 0 0\nv 1 0 0\nv 0 inf 0\nf 1 2 3\n",
    "mesh.unknown": b"what is this",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_mesh_that_cannot_be_drawn_warns_and_the_rest_is_drawn(tmp_path: Path, name: str) -> None:
    path = None if BROKEN[name] is None else tmp_path / name
    if path is not None:
        path.write_bytes(BROKEN[name] or b"")
    skeleton = block(Box((0.2, 0.2, 0.2)), rgba=GREEN)
    kido.ShapeNode(skeleton.bodies[0], "bad", Mesh(path, "package://robot/bad.stl"))
    with pytest.warns(ModelWarning, match="mesh of 'bad' is drawn as a box"):
        image = kido.render(skeleton, size=SIZE, camera=CAMERA, ground=False)
    assert dominated(image, 1).sum() > 100


def test_a_robot_of_real_meshes_is_drawn_without_a_warning() -> None:
    robot = kido.load(robot_files()["panda_description/urdf/panda.urdf"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        image = kido.render(robot, size=SIZE, camera="side", ground=False).astype(int)
    (_, top), (_, bottom) = box_of(covered(image))
    assert bottom - top > 0.8 * SIZE[1]
    shown = image[covered(image)]
    assert (shown.mean(axis=-1) < 90).any()
    assert (shown.mean(axis=-1) > 150).any()
