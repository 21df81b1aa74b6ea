"""Triangles in memory: the same as those of the file, whatever becomes of it."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import trimesh

from kido import _core
from kido.errors import ModelFileError
from kido.shape import Mesh, load_triangles
from kido.shape._recent_files import RecentFiles, mark_of
from kido.shape._stl import binary_stl_points

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def stl(corners: np.ndarray) -> bytes:
    rows = np.zeros(len(corners), RECORD)
    rows["normal"], rows["corners"], rows["attribute"] = 7.0, corners, 0xFFFF
    return bytes(80) + len(corners).to_bytes(4, "little") + rows.tobytes()


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were written a moment ago count as old."""
    monkeypatch.setattr("kido.shape._recent_files._SETTLED", -(10**18))


@pytest.fixture
def mesh(tmp_path: Path) -> Mesh:
    path = tmp_path / "mesh.stl"
    path.write_bytes(stl(CORNERS[FACES]))
    return Mesh(path, scale=(1.0, -2.0, 0.5))


def test_corners_are_those_of_the_file() -> None:
    rng = np.random.default_rng(3)
    corners = rng.normal(size=(37, 3, 3)).astype("<f4")
    scale = (0.001, -3.0, 1e30)
    found = binary_stl_points(stl(corners), scale)
    assert found is not None
    points, wrong = found
    assert wrong == 0
    np.testing.assert_array_equal(points, corners.reshape(-1, 3).astype(float) * scale)
    none = binary_stl_points(stl(corners[:0]))
    assert none is not None
    assert none[0].shape == (0, 3)


def test_corners_that_are_not_finite_are_counted(tmp_path: Path) -> None:
    corners = np.ones((4, 3, 3))
    corners[0, 1, 2], corners[2, 0], corners[3, 2, 0] = np.nan, np.inf, -np.inf
    found = binary_stl_points(stl(corners))
    assert found is not None
    assert found[1] == 3
    path = tmp_path / "mesh.stl"
    path.write_bytes(stl(corners))
    for _ in range(2):
        with pytest.raises(ModelFileError, match=r"finite coordinates, got 3 points that are not"):
            load_triangles(Mesh(path))


def test_native_code_reads_no_more_than_there_is() -> None:
    data = stl(CORNERS[FACES])
    for count in (5, 2**40, 2**63):
        with pytest.raises(ValueError, match="shorter"):
            _core.binary_stl_points(data, count, (1.0, 1.0, 1.0))
    with pytest.raises(ValueError, match="scale"):
        _core.binary_stl_points(data, 1, (1.0, 1.0))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shorter"):
        _core.binary_stl_points(b"", 0, (1.0, 1.0, 1.0))


@pytest.mark.usefixtures("settled")
def test_a_file_that_stays_as_it_is_is_read_once(mesh: Mesh) -> None:
    first = load_triangles(mesh)
    assert load_triangles(Mesh(mesh.path, scale=mesh.scale)) is first
    assert not first.vertices.flags.writeable
    assert not first.triangles.flags.writeable
    np.testing.assert_array_equal(first.vertices[first.triangles[:, ::-1]].reshape(-1, 3), first.vertices)
    other = load_triangles(Mesh(mesh.path))
    np.testing.assert_array_equal(other.vertices * mesh.scale, first.vertices)


def test_a_file_that_was_just_written_is_read_again(mesh: Mesh) -> None:
    """Its times are too coarse to tell whether it is written once more."""
    assert mesh.path is not None
    first = load_triangles(mesh)
    times = mesh.path.stat()
    mesh.path.write_bytes(stl(2.0 * CORNERS[FACES]))
    os.utime(mesh.path, ns=(times.st_atime_ns, times.st_mtime_ns))
    np.testing.assert_array_equal(load_triangles(mesh).vertices, 2.0 * first.vertices)


@pytest.mark.usefixtures("settled")
def test_a_changed_file_is_read_again_though_size_and_time_are_the_same(mesh: Mesh, tmp_path: Path) -> None:
    assert mesh.path is not None
    first = load_triangles(mesh)
    times = mesh.path.stat()
    other = tmp_path / "other.stl"
    other.write_bytes(stl(2.0 * CORNERS[FACES]))
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    other.replace(mesh.path)
    np.testing.assert_array_equal(load_triangles(mesh).vertices, 2.0 * first.vertices)
    mesh.path.write_bytes(stl(CORNERS[FACES])[:-1])
    with pytest.raises(ModelFileError, match="cut off"):
        load_triangles(mesh)
    mesh.path.unlink()
    with pytest.raises(ModelFileError, match="No such file"):
        load_triangles(mesh)


@pytest.mark.usefixtures("settled")
def test_a_relative_path_means_the_file_that_it_leads_to_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for k, name in enumerate(("a", "b")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mesh.stl").write_bytes(stl((1.0 + k) * CORNERS[FACES]))
    for k, name in enumerate(("a", "b", "a")):
        monkeypatch.chdir(tmp_path / name)
        assert load_triangles(Mesh("mesh.stl")).vertices.max() == 3.0 * (1.0 + k % 2)


@pytest.mark.usefixtures("settled")
def test_a_mesh_that_names_other_files_is_read_again(tmp_path: Path) -> None:
    shape = trimesh.Trimesh(CORNERS, FACES, process=False)
    exported = shape.export(file_type="gltf")
    for file, data in exported.items():
        (tmp_path / file).write_bytes(data)
    mesh = Mesh(tmp_path / "model.gltf")
    first = load_triangles(mesh)
    for file, data in shape.apply_scale(2.0).export(file_type="gltf").items():
        if file.endswith(".bin"):
            (tmp_path / file).write_bytes(data)
    np.testing.assert_allclose(load_triangles(mesh).vertices, 2.0 * first.vertices)


@pytest.mark.usefixtures("settled")
def test_nothing_is_kept_where_the_environment_says_so(mesh: Mesh, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load_triangles(mesh)
    monkeypatch.setenv("KIDO_CACHE", "off")
    assert load_triangles(mesh) is not first
    monkeypatch.delenv("KIDO_CACHE")
    assert load_triangles(mesh) is first


@pytest.mark.usefixtures("settled")
def test_the_values_used_longest_ago_make_room(tmp_path: Path) -> None:
    kept: RecentFiles[int] = RecentFiles(100)
    marks = {}
    for k in range(4):
        path = tmp_path / str(k)
        path.write_bytes(b"a")
        marks[k] = {str(path): mark_of(path)}
        if k < 3:
            kept.keep(k, k, 33, marks[k])
    assert kept.find(0) == 0
    kept.keep(3, 3, 34, marks[3])
    assert [kept.find(k) for k in range(4)] == [0, None, 2, 3]
    kept.keep(1, 1, 101, marks[1])
    assert [kept.find(k) for k in range(4)] == [0, None, 2, 3]
    kept.keep(1, 1, 1, {"no file": None})
    assert kept.find(1) is None
    (tmp_path / "0").unlink()
    assert [kept.find(k) for k in range(4)] == [None, None, 2, 3]
    kept.clear()
    assert kept.find(2) is None


@pytest.mark.usefixtures("settled")
def test_threads_share_what_is_kept(tmp_path: Path) -> None:
    meshes = []
    for k in range(8):
        path = tmp_path / f"{k}.stl"
        path.write_bytes(stl((1.0 + k) * CORNERS[FACES]))
        meshes.append(Mesh(path))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(load_triangles, meshes * 50))
    assert [each.vertices.max() for each in found] == [3.0 * (1.0 + k) for k in range(8)] * 50
