"""Where the parts of a mesh file stand: nodes of GLB and DAE, several scenes, layouts of PLY."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from test_mesh_files import COLLADA, CORNERS, FACES, written

from kido.errors import ModelFileError
from kido.math import quaternion_to_matrix
from kido.shape import Mesh, load_triangles


def glb(nodes: list[dict[str, Any]], roots: list[int], **more: Any) -> bytes:
    """A GLB file of one mesh, which nodes name."""
    points, index = CORNERS.astype("<f4").tobytes(), FACES.astype("<u2").tobytes()
    low, high = CORNERS.min(axis=0).tolist(), CORNERS.max(axis=0).tolist()
    tree: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": len(points) + len(index)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(index)},
        ],
        "accessors": [
            {"bufferView": 0, "count": 4, "type": "VEC3", "componentType": 5126, "min": low, "max": high},
            {"bufferView": 1, "count": 12, "type": "SCALAR", "componentType": 5123},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "nodes": nodes,
        "scenes": [{"nodes": roots}],
        "scene": 0,
        **more,
    }
    text, data = json.dumps(tree).encode(), points + index
    text, data = text + b" " * (-len(text) % 4), data + b"\0" * (-len(data) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def transform(rotation: np.ndarray, translation: tuple[float, ...]) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, translation
    return T


def assert_points(mesh: Mesh, *transforms: np.ndarray) -> None:
    """The mesh is the sample in each of some places."""
    points = np.concatenate([CORNERS @ T[:3, :3].T + T[:3, 3] for T in transforms])
    found = load_triangles(mesh)
    assert len(found.triangles) == len(transforms) * len(FACES)
    used = np.unique(np.round(found.vertices, 6), axis=0)
    np.testing.assert_allclose(used, np.unique(np.round(points, 6), axis=0), atol=2e-6)


QUARTER = np.sqrt(0.5)
ABOUT_Z = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])


def test_nodes_of_a_glb_stand_in_each_other(tmp_path: Path) -> None:
    """Column-major matrices, quaternions with the scalar last; scale before rotation before translation."""
    outer = transform(ABOUT_Z, (1.0, 2.0, 3.0))
    nodes = [
        {"translation": [1, 2, 3], "rotation": [0, 0, QUARTER, QUARTER], "children": [1]},
        {"translation": [0, 0, 5], "scale": [2, 3, 4], "mesh": 0, "children": [2]},
        {"matrix": outer.T.ravel().tolist(), "mesh": 0},
    ]
    inner = transform(np.diag([2.0, 3.0, 4.0]), (0.0, 0.0, 5.0))
    mesh = written(tmp_path, "mesh.glb", glb(nodes, [0]))
    np.testing.assert_allclose(quaternion_to_matrix([0, 0, QUARTER, QUARTER]), ABOUT_Z, atol=1e-12)
    assert_points(mesh, outer @ inner, outer @ inner @ outer)


def test_of_several_scenes_of_a_glb_the_one_that_it_shows_is_read(tmp_path: Path) -> None:
    nodes = [{"mesh": 0}, {"mesh": 0, "translation": [7, 0, 0]}]
    scenes = [{"nodes": [0]}, {"nodes": [1]}]
    moved = transform(np.eye(3), (7.0, 0.0, 0.0))
    for scene, place in ((0, np.eye(4)), (1, moved)):
        mesh = written(tmp_path, f"{scene}.glb", glb(nodes, [], scenes=scenes, scene=scene))
        assert_points(mesh, place)


def scenes_of_dae(shown: str) -> str:
    """A file of two scenes, one of which is shown."""
    text = COLLADA.format(
        unit="0.5",
        up="Y_UP",
        library="",
        nodes='<node><instance_geometry url="#g"/></node>',
    )
    other = (
        '<visual_scene id="other"><node><matrix>0 -1 0 4 1 0 0 0 0 0 1 0 0 0 0 1</matrix>'
        '<node><rotate>1 0 0 90</rotate><scale>1 1 2</scale><instance_geometry url="#g"/></node></node>'
        "</visual_scene></library_visual_scenes>"
    )
    return text.replace("</library_visual_scenes>", other).replace('url="#s"', f'url="#{shown}"')


def test_of_several_scenes_of_a_dae_the_one_that_it_shows_is_read_in_its_unit(tmp_path: Path) -> None:
    half = np.diag([0.5, 0.5, 0.5, 1.0])
    assert_points(written(tmp_path, "s.dae", scenes_of_dae("s")), half)
    about_x = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    nested = transform(ABOUT_Z, (4.0, 0.0, 0.0)) @ transform(about_x @ np.diag([1.0, 1.0, 2.0]), (0, 0, 0))
    assert_points(written(tmp_path, "other.dae", scenes_of_dae("other")), half @ nested)


PLY = """ply
format {format} 1.0
comment made by hand
element vertex 4
property {real} x
property {real} y
property {real} z
property uchar red
element face {faces}
property list uchar {index} vertex_indices
end_header
"""


@pytest.mark.parametrize("real", ["float", "double"])
@pytest.mark.parametrize("index", ["int", "uint", "ushort"])
@pytest.mark.parametrize("format", ["ascii", "binary_little_endian", "binary_big_endian"])
@pytest.mark.parametrize("face", ["triangles", "quads"])
def test_every_layout_of_a_ply_has_the_same_points(
    format: str, real: str, index: str, face: str, tmp_path: Path
) -> None:
    corners = [[0, 1, 2, 3], [3, 2, 1, 0]] if face == "quads" else FACES.tolist()
    header = PLY.format(format=format, real=real, index=index, faces=len(corners)).encode()
    if format == "ascii":
        rows = [" ".join(map(str, [*point, 200])) for point in CORNERS.tolist()]
        rows += [" ".join(map(str, [len(face), *face])) for face in corners]
        data = "\n".join([*rows, ""]).encode()
    else:
        order, code = (">" if "big" in format else "<"), {"float": "f", "double": "d"}[real]
        whole = {"int": "i", "uint": "I", "ushort": "H"}[index]
        data = b"".join(struct.pack(f"{order}3{code}B", *point, 200) for point in CORNERS)
        data += b"".join(struct.pack(f"{order}B{len(face)}{whole}", len(face), *face) for face in corners)
    found = load_triangles(written(tmp_path, "mesh.ply", header + data))
    if face == "quads":
        assert len(found.triangles) == 4
        np.testing.assert_allclose(np.unique(found.vertices, axis=0), np.unique(CORNERS, axis=0), atol=1e-7)
    else:
        np.testing.assert_allclose(found.vertices[found.triangles], CORNERS[FACES], atol=1e-7)
    for cut in (4, 8):
        with pytest.raises(ModelFileError):
            load_triangles(written(tmp_path, "cut.ply", (header + data)[:-cut]))


def test_a_row_of_a_ply_that_is_too_short_is_not_left_out(tmp_path: Path) -> None:
    rows = [" ".join(map(str, [*point, 200])) for point in CORNERS.tolist()]
    faces = [" ".join(map(str, [3, *face])) for face in FACES.tolist()]
    header = PLY.format(format="ascii", real="float", index="int", faces=4)
    for number, row in ((2, "3 0"), (2, "4 0 1 2"), (2, "x 0 1 2"), (2, "-3 0 1 2"), (4, "3")):
        wrong = [*faces[: number - 1], row, *faces[number:]]
        with pytest.raises(ModelFileError, match=f"expected 4 rows, number {number} is too short"):
            load_triangles(written(tmp_path, "mesh.ply", header + "\n".join([*rows, *wrong, ""])))


def msh(points: np.ndarray, faces: np.ndarray, normals: int = 0, texture: int = 0) -> bytes:
    """A file of MuJoCo's own format."""
    numbers = struct.pack("<4i", len(points), normals, texture, len(faces))
    return (
        numbers
        + points.astype("<f4").tobytes()
        + bytes(12 * normals + 8 * texture)
        + faces.astype("<i4").tobytes()
    )


@pytest.mark.parametrize(("normals", "texture"), [(0, 0), (4, 0), (4, 4)])
def test_an_msh_has_points_and_triangles_or_their_hull(normals: int, texture: int, tmp_path: Path) -> None:
    data = msh(CORNERS, FACES, normals, texture)
    found = load_triangles(written(tmp_path, "mesh.msh", data))
    assert found.vertices.tolist() == CORNERS.tolist()
    assert found.triangles.tolist() == FACES.tolist()
    hull = load_triangles(written(tmp_path, "hull.msh", msh(CORNERS, FACES[:0], normals, texture)))
    corners = hull.vertices[hull.triangles]
    assert hull.is_watertight
    assert np.linalg.det(corners).sum() / 6.0 == pytest.approx(1.0)
    mesh = trimesh.Trimesh(CORNERS, FACES)
    assert mesh.volume == pytest.approx(1.0)
    mirrored = load_triangles(Mesh(tmp_path / "mesh.msh", scale=(-2.0, 1.0, 1.0)))
    assert np.linalg.det(mirrored.vertices[mirrored.triangles]).sum() / 6.0 == pytest.approx(2.0)
    for wrong, words in (
        (data[:-1], "expected .* bytes, got"),
        (data[:7], "cut off"),
        (struct.pack("<4i", -1, 0, 0, 0), "cut off or broken"),
        (struct.pack("<4i", 2**31 - 1, 2**31 - 1, 2**31 - 1, 2**31 - 1), "cut off or broken"),
        (msh(CORNERS, FACES + 1, normals, texture), "triangles of no point of 4"),
        (msh(CORNERS[:3], FACES[:0]), "no convex hull"),
    ):
        with pytest.raises(ModelFileError, match=words):
            load_triangles(written(tmp_path, "wrong.msh", wrong))
