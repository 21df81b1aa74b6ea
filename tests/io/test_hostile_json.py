"""Texts of JSON that nobody wrote by accident: an error at the call, with the place, or what they say."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _effort import examples
from _processes import output_of

import kido
from kido.errors import ModelFileError, SavedFileError
from kido.shape import Box, Mesh

PAGE = 4000


@pytest.fixture
def text(tmp_path: Path) -> str:
    """A robot with a box and a mesh, as a file has it."""
    robot = kido.Skeleton("robot")
    body = robot.add_body("body", joint=kido.RevoluteJoint("hinge", axis=(0, 0, 1)))
    body.add_shape_node(Box((0.25, 0.5, 0.75)))
    (tmp_path / "thing.stl").write_text("solid a\nendsolid a\n")
    body.add_shape_node(Mesh(tmp_path / "thing.stl"))
    kido.save(robot, tmp_path / "robot.json")
    return (tmp_path / "robot.json").read_text()


def refusal(folder: Path, content: str | bytes) -> SavedFileError:
    """The error of a file, which comes at the call, soon, and is a page at most."""
    file = folder / "hostile.json"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    started = time.process_time()
    with pytest.raises(SavedFileError) as caught:
        kido.load(file)
    assert time.process_time() - started < 10.0
    assert str(caught.value).startswith(str(file))
    assert len(str(caught.value)) < PAGE
    return caught.value


def around(text: str, old: str, new: str) -> str:
    """The text with the first of something replaced, which is there."""
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("1e999", "expected a finite number, got '1e999'"),
        ("-1E+0400", "expected a finite number, got '-1E\\+0400'"),
        ("1" + "0" * 400 + ".0", "expected a finite number"),
        ("NaN", "NaN is no number in JSON"),
        ("-Infinity", "-Infinity is no number in JSON"),
        ("1" * 100_000, "expected a number, got 100000 digits"),
    ],
)
def test_numbers_that_cannot_be_held_are_refused_at_their_place(
    number: str, words: str, text: str, tmp_path: Path
) -> None:
    error = refusal(tmp_path, around(text, "0.75", number))
    assert error.place.startswith("value.")
    assert "size" in error.place
    with pytest.raises(SavedFileError, match=words):
        raise error


def test_numbers_at_the_edge_of_double_precision_are_read(text: str, tmp_path: Path) -> None:
    file = tmp_path / "edge.json"
    for number in ("1.7976931348623157e308", "1e-400", "7.5e0000001", "1" + "0" * 308 + ".0"):
        file.write_text(around(text, "0.75", number))
        shape = kido.load(file).nodes(kido.ShapeNode)[0].shape if number[0] != "1" else None
        if isinstance(shape, Box):
            assert shape.size[2] == float(number)


def test_what_is_wrong_twice_is_refused_for_either(text: str, tmp_path: Path) -> None:
    broken = around(text, "0.75", "NaN").rstrip()[:-1] + ",\n"
    assert refusal(tmp_path, broken).message.startswith("expected JSON: ")
    nested = around(text, "0.75", "NaN").rstrip()[:-1] + ', "more": ' + "[" * 100_000
    assert refusal(tmp_path, nested).message == "expected less nesting"


def test_a_key_that_stands_twice_is_refused_and_named(text: str, tmp_path: Path) -> None:
    error = refusal(tmp_path, around(text, '"size":', '"size": 3, "size":'))
    assert error.message == "expected each key once, got 'size' 2 times"
    assert error.place == "value.properties.bodies[0].nodes[0].properties.shape"
    for more in (
        '"size" : 3, "size" :',
        '"size"\n: 3, "size":',
        '"siz\\u0065": [3], "size":',
        '"a": "\\":", "size": 3, "size":',
    ):
        assert "each key once, got 'size'" in refusal(tmp_path, around(text, '"size":', more)).message
    hidden = '"a": [1, {"b": 1, "b": 2}], "size":'
    assert "each key once, got 'b'" in refusal(tmp_path, around(text, '"size":', hidden)).message
    error = refusal(tmp_path, around(text, '"version":', '"version": 1, "version":'))
    assert (error.place, error.message) == ("", "expected each key once, got 'version' 2 times")


@pytest.mark.parametrize("version", ["2", "0", "true", '"1"', "null", "[1]", "1e30", '"' + "1" * 10**6 + '"'])
def test_files_of_another_version_are_refused(version: str, text: str, tmp_path: Path) -> None:
    error = refusal(tmp_path, around(text, '"version": 1', f'"version": {version}'))
    assert error.place == "version"
    assert "written by another version of kido" in error.message


def parts(part: Any) -> Iterator[tuple[Any, Any]]:
    """Every key of every object."""
    waiting = [part]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield from ((part, key) for key in list(part))
        waiting += [*(part.values() if isinstance(part, dict) else part if isinstance(part, list) else ())]


HOSTILE = (
    *(None, True, -1, 10**400, 1e308, -1e308, 5e-324, "x" * 2**20, "", "\0", "\ud800", "../../etc/passwd"),
    *([], {}, [[]], {"$float": "nan"}, {"$float": "x" * 2**20}, {"$array": [[1, [2]]]}, {"$path": "\0"}),
    *({"$path": "x" * 2**20}, {"$list": {}}, {"$dict": [[[], 1]]}, {"$array": [], "shape": [0, 2**62]}),
    *({"$array": [10**400]}, {"$array": [1], "dtype": "object"}, {"$enum": "kido.JointType", "name": None}),
)


def test_a_value_of_another_kind_anywhere_is_refused_or_harmless(text: str, tmp_path: Path) -> None:
    """A key of the file gets a hostile value, or is left out."""
    file = tmp_path / "robot.json"
    document = json.loads(text)
    keys = list(parts(document))
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(examples(200)):
        part, key = keys[int(rng.integers(len(keys)))]
        choice = int(rng.integers(len(HOSTILE) + 1))
        kept = part.pop(key)
        if choice < len(HOSTILE):
            part[key] = HOSTILE[choice]
        file.write_text(json.dumps(document))
        started = time.process_time()
        try:
            robot = kido.load(file)
            assert all(len(str(note)) < PAGE for note in robot.diagnostics)
        except (SavedFileError, ModelFileError) as error:
            assert len(str(error)) < PAGE
            assert str(error).startswith(str(file))
            refused += 1
        assert time.process_time() - started < 10.0, (key, choice)
        part[key] = kept
    assert refused > 20


def test_more_lists_than_memory_is_for_are_refused_before_they_are_made(tmp_path: Path) -> None:
    error = refusal(tmp_path, b'{"format": "kido", "version": 1, "value": [' + b"[]," * 2**23 + b"[]]}")
    assert "expected at most 8388608 lists and objects, got 8388611" in error.message
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 16 * 2**20  # KiB


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "latin-1"])
def test_other_encodings_are_read_or_refused(encoding: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.json"
    file.write_bytes(around(text, '"robot"', '"Rücken"').encode(encoding))
    if encoding == "latin-1":
        assert "expected JSON: 'utf-8' codec can't decode" in refusal(tmp_path, file.read_bytes()).message
    else:
        assert kido.load(file).name == "Rücken"


def test_numbers_are_checked_in_every_encoding(text: str, tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        error = refusal(tmp_path, around(text, "0.75", "1e999").encode(encoding))
        assert error.message == "expected a finite number, got '1e999'"


def test_a_name_that_is_half_a_character_is_refused_or_printed(text: str, tmp_path: Path) -> None:
    (tmp_path / "hostile.json").write_text(around(text, '"kido.', '"\\ud800'))
    error = refusal(tmp_path, (tmp_path / "hostile.json").read_text())
    str(error).encode()


def test_only_meshes_are_enclosed_whatever_a_file_names(text: str, tmp_path: Path) -> None:
    """Who loads a file of others and hands out the robot with its meshes hands out no other file."""
    secret = tmp_path / "secret"
    secret.write_text("a password")
    (tmp_path / "folder").mkdir()
    for name in (str(secret), "../secret", "../folder/../secret"):
        file = tmp_path / "folder" / "robot.json"
        file.write_text(around(text, '"thing.stl"', json.dumps(name)))
        robot = kido.load(file)
        with pytest.raises(ValueError, match=r"meshes: '.*secret' is no mesh of suffix \.stl"):
            kido.save(robot, tmp_path / "out.json", meshes="content")
        assert not (tmp_path / "out.json").exists()


KILLED = """
import os, signal, sys
from pathlib import Path
import kido

def half(self, data, write=Path.write_bytes):
    write(self, data[: len(data) // 2])
    os.kill(os.getpid(), signal.SIGKILL)

Path.write_bytes = half
kido.load(sys.argv[1], mesh_folder=sys.argv[2])
"""
"""Is killed while it writes the mesh."""


@pytest.fixture
def enclosing(tmp_path: Path) -> Path:
    """A robot whose file has its mesh."""
    mesh = tmp_path / "thing.stl"
    mesh.write_bytes(b"solid a" + b" " * 200_000)
    robot = kido.Skeleton("robot")
    robot.add_body("body").add_shape_node(Mesh(mesh))
    kido.save(robot, tmp_path / "robot.json", meshes="content")
    return tmp_path / "robot.json"


def test_a_process_that_is_killed_while_it_writes_a_mesh_leaves_no_half_of_it(enclosing: Path) -> None:
    folder = enclosing.parent / "meshes"
    with pytest.raises(AssertionError, match="exit status -9"):
        output_of(KILLED, str(enclosing), str(folder))
    assert list(folder.glob("*.stl")) == []
    shape = kido.load(enclosing, mesh_folder=folder).nodes(kido.ShapeNode)[0].shape
    assert isinstance(shape, Mesh) and shape.path is not None
    assert shape.path.stat().st_size == 200_007


def test_threads_that_load_one_file_at_once_write_its_mesh_once_each(enclosing: Path) -> None:
    for k in range(20):
        folder = enclosing.parent / f"meshes{k}"
        load = partial(kido.load, mesh_folder=folder)
        with ThreadPoolExecutor(8) as threads:
            robots = list(threads.map(load, [enclosing] * 8))
        assert len({robot.nodes(kido.ShapeNode)[0].shape for robot in robots}) == 1
        assert [file.stat().st_size for file in folder.iterdir()] == [200_007]
