"""What is computed of meshes once: by content, bounded, whole or not at all, switched off at will."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import trimesh
from _processes import output_of

import kido.collision._kept_hull as kept
import kido.shape._decompose as parts
from kido.collision import native_shape
from kido.errors import MissingDependencyError
from kido.shape import Mesh, MeshCache, decompose, mesh_cache


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MeshCache:
    """An empty cache that kido uses."""
    monkeypatch.setenv("KIDO_CACHE", str(tmp_path / "cache"))
    found = mesh_cache()
    assert found is not None
    return found


def entries(cache: MeshCache) -> list[Path]:
    return sorted(cache.directory.iterdir()) if cache.directory.exists() else []


def test_arrays_come_back_with_every_bit(cache: MeshCache) -> None:
    arrays = {"a": np.random.default_rng(0).standard_normal((5, 3)), "b": np.array([2**60], dtype=np.int64)}
    key = cache.key("test", arrays["a"])
    assert cache.load(key) is None
    cache.store(key, arrays)
    found = cache.load(key)
    assert found is not None
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def test_keys_differ_by_purpose_shape_content_and_settings() -> None:
    a = np.arange(6.0)
    keys = {
        MeshCache.key("x", a),
        MeshCache.key("y", a),
        MeshCache.key("x", a.reshape(2, 3)),
        MeshCache.key("x", a + 0.0, a),
        MeshCache.key("x", a.astype(np.float32)),
        MeshCache.key("x", np.nextafter(a, 9.0)),
        MeshCache.key("x", a, n=1),
        MeshCache.key("x", a, n=2),
    }
    assert len(keys) == 8
    assert MeshCache.key("x", a, n=1) == MeshCache.key("x", np.arange(6.0), n=1)


def test_entries_that_are_cut_off_or_changed_count_as_absent(cache: MeshCache) -> None:
    key = cache.key("test")
    cache.store(key, {"a": np.arange(1000.0)})
    (entry,) = entries(cache)
    whole = entry.read_bytes()
    for damaged in (b"", whole[:20], whole[:-1], whole[:100] + b"\1" + whole[101:], b"\0" * 5000):
        entry.write_bytes(damaged)
        assert cache.load(key) is None
    cache.store(key, {"a": np.arange(3.0)})
    found = cache.load(key)
    assert found is not None and found["a"].tolist() == [0, 1, 2]


def test_all_entries_together_are_bounded_and_the_oldest_go(tmp_path: Path) -> None:
    cache = MeshCache(tmp_path, 30_000)
    keys = [cache.key("test", n=k) for k in range(5)]
    for number, key in enumerate(keys):
        cache.store(key, {"a": np.full(1000, float(number))})
        for entry in entries(cache):  # time goes on
            status = entry.stat()
            os.utime(entry, ns=(status.st_atime_ns, status.st_mtime_ns - 10**9))
    assert [cache.load(key) is not None for key in keys] == [False, False, True, True, True]
    assert sum(entry.stat().st_size for entry in entries(cache)) <= 30_000
    cache.store(cache.key("large"), {"a": np.zeros(10_000)})
    assert cache.load(cache.key("large")) is None
    assert cache.load(keys[-1]) is not None
    cache.clear()
    assert entries(cache) == []


def test_what_an_interrupted_program_left_is_removed(cache: MeshCache) -> None:
    cache.directory.mkdir()
    old, fresh = cache.directory / "a.kido-part", cache.directory / "b.kido-part"
    for part in (old, fresh):
        part.write_bytes(b"half")
    os.utime(old, (0, 0))
    cache.store(cache.key("test"), {"a": np.zeros(3)})
    assert not old.exists()
    assert fresh.exists()
    assert cache.load(cache.key("test")) is not None


def test_a_folder_that_cannot_be_written_keeps_nothing_and_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = MeshCache(tmp_path / "file" / "cache")
    cache.store("key", {"a": np.zeros(1)})
    assert cache.load("key") is None
    for wrong in (-1, 0.5, True):
        with pytest.raises((TypeError, ValueError), match="max_bytes"):
            MeshCache(tmp_path, wrong)  # type: ignore[arg-type]


def test_the_environment_says_where_and_whether(monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("off", "0", "OFF", "no", "false"):
        monkeypatch.setenv("KIDO_CACHE", word)
        assert mesh_cache() is None
    for told, base, expected in (("/a", "/x", "/a"), ("", "/x", "/x/kido"), ("", "", "/home/me/.cache/kido")):
        monkeypatch.setenv("KIDO_CACHE", told)
        monkeypatch.setenv("XDG_CACHE_HOME", base)
        monkeypatch.setenv("HOME", "/home/me")
        found = mesh_cache()
        assert found is not None and str(found.directory) == expected


def many_points(path: Path) -> Mesh:
    trimesh.creation.icosphere(subdivisions=3, radius=0.5).export(path)
    return Mesh(path)


def test_hulls_are_computed_once_for_a_content(
    cache: MeshCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = []
    compute = kept.convex_hull

    def counted(points: np.ndarray) -> object:
        computed.append(len(points))
        return compute(points)

    monkeypatch.setattr(kept, "convex_hull", counted)
    first = native_shape(many_points(tmp_path / "a.stl")).compiled
    second = native_shape(many_points(tmp_path / "b.stl")).compiled
    assert len(computed) == 1
    assert first.radius == second.radius
    points = np.random.default_rng(0).standard_normal((600, 3))
    fresh, again = kept.kept_hull(points), kept.kept_hull(points)
    assert len(computed) == 2
    np.testing.assert_array_equal(fresh.vertices, again.vertices)
    np.testing.assert_array_equal(fresh.planes, again.planes)
    np.testing.assert_array_equal(fresh.edges, again.edges)
    assert (fresh.faces, fresh.inner_radius) == (again.faces, again.inner_radius)
    monkeypatch.setenv("KIDO_CACHE", "off")
    kept.kept_hull(points)
    assert len(computed) == 3


def ring(path: Path) -> Mesh:
    """A ring, whose hull is four times as large."""
    trimesh.creation.annulus(0.3, 0.5, 0.2, sections=6).export(path)
    return Mesh(path)


def test_a_ring_decomposes_into_convex_parts_of_its_volume(cache: MeshCache, tmp_path: Path) -> None:
    mesh = ring(tmp_path / "ring.stl")
    found = decompose(mesh, max_parts=16, iterations=10)
    assert 3 <= len(found) <= 16
    solids = [trimesh.Trimesh(part.vertices, part.triangles.astype(int)) for part in found]
    assert all(solid.is_watertight for solid in solids)
    volume = sum(solid.convex_hull.volume for solid in solids)
    assert volume == pytest.approx(trimesh.load_mesh(mesh.path).volume, rel=0.15)
    assert all(part.convex and part.path is None for part in found)
    assert [part.uri for part in found] == [f"{mesh.uri}#{k}" for k in range(len(found))]
    assert native_shape(found[0]).compiled.kind == "hull"


def test_decompositions_are_computed_once(
    cache: MeshCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesh = ring(tmp_path / "ring.stl")
    first = decompose(mesh, max_parts=8, iterations=2)
    monkeypatch.setattr(parts, "_parts", lambda *_: pytest.fail("computed again"))
    assert decompose(mesh, max_parts=8, iterations=2) == first


def test_decompose_names_what_is_wrong_or_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = ring(tmp_path / "ring.stl")
    for name, value in (("max_parts", 0), ("max_parts", 2.5), ("iterations", 0), ("concavity", 2.0)):
        with pytest.raises((TypeError, ValueError), match=name):
            decompose(mesh, **{name: value})
    (tmp_path / "points.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n")
    with pytest.raises(ValueError, match="expected triangles, got none"):
        decompose(Mesh(tmp_path / "points.obj"))
    monkeypatch.setitem(__import__("sys").modules, "coacd", None)
    monkeypatch.setenv("KIDO_CACHE", "off")
    with pytest.raises(MissingDependencyError, match=r"pip install 'kido\[decomposition\]'"):
        decompose(mesh)


SHARES = """
import sys
import numpy as np
from kido.shape import MeshCache

cache, rng = MeshCache(sys.argv[1], 200_000), np.random.default_rng(int(sys.argv[2]))
found = 0
for _ in range(400):
    number = int(rng.integers(12))
    key, arrays = MeshCache.key("test", n=number), {"a": np.full(1000 * (1 + number % 5), float(number))}
    kept = cache.load(key)
    if kept is None:
        cache.store(key, arrays)
    else:
        found += 1
        np.testing.assert_array_equal(kept["a"], arrays["a"])
    if rng.random() < 0.01:
        cache.clear()
print(found)
"""
"""Uses a folder that is too small for all that is put into it, and sometimes empties it."""

KILLED = """
import os, signal, sys
import numpy as np
from kido.shape import MeshCache

step = sys.argv[2]
real = getattr(os, step)

def killed(*arguments):
    if step == "replace" or str(arguments[0]).endswith(".kido-part"):
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments)

setattr(os, step, killed)
MeshCache(sys.argv[1]).store(MeshCache.key("test"), {"a": np.arange(1000.0)})
"""
"""Is killed while it writes an entry."""


def test_several_processes_share_a_folder(tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(lambda k: int(output_of(SHARES, str(tmp_path), str(k))), range(3)))
    assert min(found) > 20
    cache = MeshCache(tmp_path, 200_000)
    assert all(entry.suffix == ".kido-mesh" for entry in entries(cache))
    for number in range(12):
        kept = cache.load(cache.key("test", n=number))
        assert kept is None or set(kept["a"]) == {number}


@pytest.mark.parametrize("step", ["open", "replace"])
def test_a_process_that_is_killed_while_it_writes_an_entry_breaks_none(step: str, cache: MeshCache) -> None:
    with pytest.raises(AssertionError, match="exit status -9"):
        output_of(KILLED, str(cache.directory), step)
    key = cache.key("test")
    assert cache.load(key) is None
    assert len(entries(cache)) == (step == "replace")
    cache.store(key, {"a": np.arange(3.0)})
    found = cache.load(key)
    assert found is not None and found["a"].tolist() == [0, 1, 2]
    for part in cache.directory.glob("*.kido-part"):
        os.utime(part, (0, 0))
    cache.store(cache.key("other"), {"a": np.zeros(3)})
    assert sorted(entry.suffix for entry in entries(cache)) == [".kido-mesh", ".kido-mesh"]
