"""Mesh files of every format: coordinates, units, nodes, and files that are broken or hostile."""

from __future__ import annotations

import json
import os
import struct
import time
import warnings
from importlib.metadata import files
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from kido.errors import KidoError, ModelFileError
from kido.shape import Mesh, load_triangles, upright_transform
from kido.shape._mesh_file import MAX_MESH_BYTES, read_mesh_scene

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
VOLUME = 1.0

COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="{unit}"/><up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p">
<float_array id="pa" count="12">0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles>
</mesh></geometry></library_geometries>
{library}
<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
NODE = '<node id="n"><translate>0.5 0 0</translate>{scale}<instance_geometry url="#g"/></node>'


def collada(unit: str = "1", up: str = "Z_UP", nodes: str = NODE.format(scale=""), library: str = "") -> str:
    return COLLADA.format(unit=unit, up=up, nodes=nodes, library=library)


def written(folder: Path, name: str, data: bytes | str) -> Mesh:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return Mesh(path)


def volume(mesh: Mesh) -> float:
    """Signed: positive where the triangles are wound outwards."""
    surface = load_triangles(mesh)
    return float(np.linalg.det(surface.vertices[surface.triangles]).sum() / 6.0)


def binary_stl(corners: np.ndarray, count: int | None = None, header: bytes = b"") -> bytes:
    rows = b"".join(np.zeros(3, "<f4").tobytes() + c.astype("<f4").tobytes() + b"\0\0" for c in corners)
    told = len(corners) if count is None else count
    return header.ljust(80, b"\0") + struct.pack("<I", told) + rows


@pytest.mark.parametrize("format", ["stl", "stl_ascii", "obj", "ply", "glb", "gltf", "off", "dae"])
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (2.0, 1.0, -0.5)])
def test_every_format_has_the_same_points_and_is_wound_outwards(
    format: str, scale: tuple[float, float, float], tmp_path: Path
) -> None:
    shape = trimesh.Trimesh(CORNERS, FACES, process=False)
    exported: Any = shape.export(file_type=format)
    name = f"mesh.{format.partition('_')[0]}"
    if isinstance(exported, dict):
        for file, data in exported.items():
            (tmp_path / file).write_bytes(data)
        mesh = Mesh(tmp_path / "model.gltf", scale=scale)
    else:
        mesh = written(tmp_path, name, exported)
        mesh = Mesh(mesh.path, scale=scale)
    surface = load_triangles(mesh)
    found = np.unique(np.round(surface.vertices, 7), axis=0)
    expected = CORNERS * scale
    np.testing.assert_allclose(found, expected[np.lexsort(expected.T[::-1])], atol=1e-7)
    assert volume(mesh) == pytest.approx(VOLUME * abs(np.prod(scale)))
    assert surface.is_watertight
    assert not surface.vertices.flags.writeable


def test_units_and_nodes_of_a_dae_count_and_its_up_axis_does_not(tmp_path: Path) -> None:
    for up in ("X_UP", "Y_UP", "Z_UP"):
        mesh = written(tmp_path, "mesh.dae", collada("0.001", up))
        points = load_triangles(mesh).vertices
        expected = (CORNERS + np.array([0.5, 0, 0])) * 1e-3
        np.testing.assert_allclose(np.unique(points, axis=0), np.unique(expected, axis=0), atol=1e-12)
    mirrored = written(tmp_path, "mesh.dae", collada(nodes=NODE.format(scale="<scale>-1 1 1</scale>")))
    assert volume(mirrored) == pytest.approx(VOLUME)


@pytest.mark.parametrize(
    ("up", "right", "upwards"),
    [("X_UP", (0, -1, 0), (1, 0, 0)), ("Y_UP", (1, 0, 0), (0, 1, 0)), ("Z_UP", (1, 0, 0), (0, 0, 1))],
)
def test_meshes_can_be_stood_upright(
    up: str, right: tuple[int, ...], upwards: tuple[int, ...], tmp_path: Path
) -> None:
    """Right and up axes are those of the table in the specification of COLLADA 1.4.1, at <up_axis>."""
    T = upright_transform(written(tmp_path, "mesh.dae", collada(up=up)))
    assert (T[:3, :3] @ right).tolist() == [1.0, 0.0, 0.0]
    assert (T[:3, :3] @ upwards).tolist() == [0.0, 0.0, 1.0]
    assert np.linalg.det(T) == 1.0
    assert T[:3, 3].tolist() == [0.0, 0.0, 0.0]


def test_the_up_axis_follows_from_the_format_where_no_file_tells_it(tmp_path: Path) -> None:
    untold = written(tmp_path, "mesh.dae", collada().replace("<up_axis>Z_UP</up_axis>", "<!-- up_axis -->"))
    glb = written(tmp_path, "mesh.glb", b"any")
    for mesh in (untold, glb):
        assert (upright_transform(mesh)[:3, :3] @ (0, 1, 0)).tolist() == [0.0, 0.0, 1.0]
    inline = Mesh(None, "m", vertices=CORNERS, triangles=FACES)
    for mesh in (written(tmp_path, "mesh.stl", b"any"), inline):
        assert upright_transform(mesh).tolist() == np.eye(4).tolist()
    for text, words in ((collada(up="W_UP"), "up_axis: expected X_UP"), ("<a", "no COLLADA file")):
        with pytest.raises(ModelFileError, match=words):
            upright_transform(written(tmp_path, "mesh.dae", text))
    with pytest.raises(ValueError, match="not found"):
        upright_transform(Mesh(None, "a.dae"))


def test_meshes_of_real_robots_stand_as_those_of_pinocchio() -> None:
    """Its collision library leaves out the up axis of DAE files, and so do viewers of robots."""
    installed = (Path(str(file.locate())) for file in files("example-robot-data") or ())
    checked = {"Y_UP": 0, "Z_UP": 0}
    for path in sorted(path for path in installed if path.suffix == ".dae")[::9]:
        up = next((name for name in checked if name.encode() in path.read_bytes()[:20_000]), None)
        if up is None or checked[up] >= 6:
            continue
        theirs = coal.MeshLoader().load(str(path), np.ones(3))
        points = np.array([theirs.vertex(i) for i in range(theirs.num_vertices)])
        ours = load_triangles(Mesh(path)).vertices
        np.testing.assert_allclose(np.ptp(ours, axis=0), np.ptp(points, axis=0), atol=1e-6)
        np.testing.assert_allclose(ours.min(axis=0), points.min(axis=0), atol=1e-6)
        checked[up] += 1
    assert min(checked.values()) >= 3


def test_holes_are_counted() -> None:
    closed = Mesh(None, "m", vertices=CORNERS, triangles=FACES)
    opened = Mesh(None, "m", vertices=CORNERS, triangles=FACES[1:])
    flipped = Mesh(None, "m", vertices=CORNERS, triangles=[*FACES[1:], FACES[0][::-1]])
    assert load_triangles(closed).open_edges == 0
    assert load_triangles(opened).open_edges == 3
    assert load_triangles(flipped).open_edges == 3


def test_an_stl_that_begins_as_a_text_is_binary_by_its_length(tmp_path: Path) -> None:
    mesh = written(tmp_path, "mesh.stl", binary_stl(CORNERS[FACES], header=b"solid of a bad program"))
    assert len(load_triangles(mesh).triangles) == 4


def test_a_binary_stl_of_another_length_that_begins_as_a_text_is_binary(tmp_path: Path) -> None:
    data = binary_stl(CORNERS[FACES], header=b"solid of a bad program")
    assert len(load_triangles(written(tmp_path, "mesh.stl", data + b"more")).triangles) == 4
    with pytest.raises(ModelFileError, match="cut off: 4 triangles need 284 bytes, there are 283"):
        load_triangles(written(tmp_path, "mesh.stl", data[:-1]))


TEXT = trimesh.exchange.stl.export_stl_ascii(trimesh.Trimesh(CORNERS, FACES, process=False))


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("\n", "\r"),
        TEXT.upper(),
        "\ufeff" + TEXT,
        "solid facet vertex" + TEXT.partition("solid")[2],
    ],
)
def test_texts_of_stl_are_read_however_their_lines_end(text: str, tmp_path: Path) -> None:
    assert volume(written(tmp_path, "mesh.stl", text)) == pytest.approx(VOLUME)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7, 0.9])
def test_a_text_of_stl_that_is_cut_off_is_no_empty_mesh(share: float, tmp_path: Path) -> None:
    mesh = written(tmp_path, "mesh.stl", TEXT[: int(share * len(TEXT))])
    with pytest.raises(ModelFileError, match=r"cut off or broken: \d facets"):
        load_triangles(mesh)


POINTS = "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 1 2 3\nv 0 2 3\n"
SIDES = "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
BACK = "f -8 -5 -6 -7\nf -4 -3 -2 -1\nf -8 -7 -3 -4\nf -7 -6 -2 -3\nf -6 -5 -1 -2\nf -5 -8 -4 -1\n"
LOOKS = "vt 0 0\nvn 0 0 1\n"


@pytest.mark.parametrize(
    ("text", "boxes"),
    [
        (POINTS + SIDES, 1),
        (POINTS + BACK, 1),
        ((POINTS + SIDES).replace(" ", "\t"), 1),
        (POINTS + SIDES.replace("f 1 4", "f 1 \\\n 4"), 1),
        ("mtllib none.mtl\nusemtl red\n" + POINTS + SIDES.replace("f 3", "usemtl blue\nf 3"), 1),
        (POINTS + LOOKS + SIDES.replace("f 1 ", "f 1/1/1 ").replace("f 2 ", "f 2//1 "), 1),
        (POINTS + LOOKS + BACK.replace("f -8 ", "f -8/-1/-1 "), 1),
        ("o a\n" + POINTS + BACK + "o b\n" + POINTS.replace("v ", "v 1") + BACK, 2),
        (POINTS + SIDES.replace("f 1 4", "f 0 4"), 0),
    ],
)
def test_faces_of_obj_are_quads_of_points_counted_from_either_end(
    text: str, boxes: int, tmp_path: Path
) -> None:
    """A box of 1 by 2 by 3 m; two of them stand 10 m from each other."""
    mesh = written(tmp_path, "mesh.obj", text)
    if not boxes:
        with pytest.raises(ModelFileError, match="expected indices from 1 in its faces, got 0"):
            load_triangles(mesh)
        return
    surface = load_triangles(mesh)
    assert (len(surface.triangles), surface.is_watertight) == (12 * boxes, True)
    assert volume(mesh) == pytest.approx(6.0 * boxes)
    assert np.ptp(surface.vertices, axis=0).tolist() == [1.0 + 10.0 * (boxes - 1), 2.0, 3.0]


NAN = CORNERS[FACES].copy()
NAN[1, 1, 1] = np.nan
GLTF: dict[str, Any] = {"asset": {"version": "2.0"}}


def glb(tree: dict[str, Any]) -> bytes:
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    return b"glTF" + struct.pack("<II", 2, 20 + len(text)) + struct.pack("<I", len(text)) + b"JSON" + text


def unfolding(levels: int) -> str:
    """Nodes each of which holds the next one twice."""
    inner = "".join(
        f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>'
        for k in range(levels)
    )
    last = f'<node id="n{levels}"><instance_geometry url="#g"/></node>'
    return f"<library_nodes>{inner}{last}</library_nodes>"


ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>'

HOSTILE: dict[str, tuple[str, bytes | str, str]] = {
    "claims 2^32 triangles": ("a.stl", binary_stl(CORNERS[FACES], 2**32 - 1), "4294967295 triangles need"),
    "cut off": (
        "a.stl",
        binary_stl(CORNERS[FACES])[:-1],
        "cut off: 4 triangles need 284 bytes, there are 283",
    ),
    "no header": ("a.stl", b"\0" * 10, "cut off"),
    "NaN": ("a.stl", binary_stl(NAN), "expected finite coordinates, got 1 points"),
    "infinite": ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 inf 0\nf 1 2 3\n", "finite"),
    "no such point": ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99\n", ""),
    "gigantic face": ("a.obj", "v 0 0 0\n" * 9 + "f" + " 1" * 200_000, "faces of at most 10000 corners"),
    "ply without header": ("a.ply", b"ply\n", "header"),
    "ply of many points": (
        "a.ply",
        "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n",
        "cut off",
    ),
    "ply of a text": ("a.ply", "ply\nformat ascii 1.0\nelement vertex x\nend_header\n", "cut off"),
    "glb that is cut off": ("a.glb", glb(GLTF)[:-9], "cut off"),
    "glb of zeros": (
        "a.glb",
        glb(GLTF | {"accessors": [{"count": 10**12}]}),
        "expected data for 1000000000000",
    ),
    "glb of nodes in each other": (
        "a.glb",
        glb(GLTF | {"nodes": [{"children": [0]}]}),
        "stand in each other",
    ),
    "gltf that is no JSON": ("a.gltf", "[" * 100_000, "JSON"),
    "gltf of a file elsewhere": (
        "a.gltf",
        json.dumps(
            GLTF
            | {
                "buffers": [{"uri": "../../../../../../etc/passwd", "byteLength": 100}],
                "bufferViews": [{"buffer": 0, "byteLength": 36}],
                "accessors": [{"bufferView": 0, "count": 3, "type": "VEC3", "componentType": 5126}],
                "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
                "nodes": [{"mesh": 0}],
                "scenes": [{"nodes": [0]}],
            }
        ),
        "outside",
    ),
    "dae of entities": ("a.dae", collada().replace("<COLLADA", ENTITIES + "<COLLADA"), "document type"),
    "dae in UTF-16": ("a.dae", collada().encode("utf-16"), "UTF-8"),
    "dae that unfolds": (
        "a.dae",
        collada(nodes='<node id="top"><instance_node url="#n0"/></node>', library=unfolding(60)),
        "at most 100000 nodes",
    ),
    "dae of nodes in each other": (
        "a.dae",
        collada(nodes='<node id="a"><instance_node url="#a"/></node>'),
        "stand in each other",
    ),
    "empty": ("a.obj", b"", ""),
    "another format": ("a.step", b"ISO-10303-21;", "expected a mesh of suffix .stl"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_broken_and_hostile_files_are_errors_in_bounded_time(case: str, tmp_path: Path) -> None:
    name, data, words = HOSTILE[case]
    mesh = written(tmp_path, name, data)
    start = time.process_time()
    if case == "empty":
        assert len(load_triangles(mesh).triangles) == 0
        return
    with pytest.raises(ModelFileError) as caught:
        load_triangles(mesh)
    assert time.process_time() - start < 5.0
    assert words in str(caught.value)
    assert str(mesh.path) in str(caught.value)
    assert len(str(caught.value)) < 2000


def test_pipes_folders_missing_and_gigantic_files_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.stl")
    (tmp_path / "folder.stl").mkdir()
    with open(tmp_path / "large.stl", "wb") as file:
        file.truncate(MAX_MESH_BYTES + 1)
    for name, words in (
        ("pipe", "regular file"),
        ("folder", "regular file"),
        ("none", "No such"),
        ("large", "MiB"),
    ):
        with pytest.raises(ModelFileError, match=words):
            load_triangles(Mesh(tmp_path / f"{name}.stl"))
    with pytest.raises(ValueError, match=r"mesh 'a\.stl': the file was not found"):
        load_triangles(Mesh(None, "a.stl"))


SAMPLES = {
    "stl": binary_stl(CORNERS[FACES]),
    "obj": trimesh.Trimesh(CORNERS, FACES, process=False).export(file_type="obj").encode(),
    "ply": trimesh.Trimesh(CORNERS, FACES, process=False).export(file_type="ply"),
    "glb": trimesh.Trimesh(CORNERS, FACES, process=False).export(file_type="glb"),
    "dae": collada().encode(),
    "off": trimesh.Trimesh(CORNERS, FACES, process=False).export(file_type="off").encode(),
}


@pytest.mark.parametrize("suffix", SAMPLES)
@settings(max_examples=60)
@given(data=st.data())
def test_changed_files_load_or_are_errors(
    suffix: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sample = bytearray(SAMPLES[suffix])
    for _ in range(data.draw(st.integers(0, 4))):
        position = data.draw(st.integers(0, len(sample) - 1))
        sample[position] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(sample)))
    mesh = written(tmp_path_factory.getbasetemp(), f"changed.{suffix}", bytes(sample[:cut]))
    start = time.process_time()
    try:
        surface = load_triangles(mesh)
    except KidoError:
        pass
    else:
        assert np.isfinite(surface.vertices).all()
        assert surface.triangles.size == 0 or surface.triangles.max() < len(surface.vertices)
    assert time.process_time() - start < 5.0


def test_what_a_parser_does_with_a_newer_numpy_is_no_error_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "box.obj"
    trimesh.creation.box().export(path)
    load = trimesh.load_scene

    def warning(*arguments: Any, **options: Any) -> Any:
        warnings.warn("setting the shape is deprecated", DeprecationWarning, stacklevel=2)
        return load(*arguments, **options)

    monkeypatch.setattr(trimesh, "load_scene", warning)
    assert len(read_mesh_scene(path).geometry) == 1
