"""Hostile SKEL files: an error, in bounded time."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from _skel import FREE, read_quietly, visual

from kido.errors import ModelFileError
from kido.io import read_skel, read_skel_string

WORLD = "<skel><world name='w'/></skel>"
BOMB = "<!DOCTYPE r [<!ENTITY a0 'lol'>" + "".join(
    f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 12)
)
DOCTYPE_REFUSED = "a document type declaration .* is refused"


def read_bytes(folder: Path, data: bytes) -> object:
    file = folder / "world.skel"
    file.write_bytes(data)
    return read_skel(file)


@pytest.mark.parametrize(
    "text",
    [
        f"{BOMB}]><skel><world name='w'>&a11;</world></skel>",
        f"{BOMB}]><skel><world name='&a11;'/></skel>",
        f"<?xml version='1.0'?>\n<!-- a --><?pi a?>{BOMB}]><skel><world name='&a11;'/></skel>",
        f"<!DOCTYPE skel>{WORLD}",
        f"<!DOCTYPE skel SYSTEM 'http://localhost:9/skel.dtd'>{WORLD}",
    ],
    ids=["in text", "in an attribute", "after a comment", "plain", "external"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_document_types_are_refused_at_once(tmp_path: Path, text: str, encoding: str) -> None:
    start = time.process_time()
    stopped_by_parser = "|not well-formed XML: .*entit" if encoding == "utf-16" else ""
    with pytest.raises(ModelFileError, match=DOCTYPE_REFUSED + stopped_by_parser):
        read_bytes(tmp_path, text.encode(encoding))
    assert time.process_time() - start < 5.0


@pytest.mark.parametrize("content", [None, "<body name='leaked'", "<body name='leaked'/>"])
def test_external_entities_are_not_opened(tmp_path: Path, content: str | None) -> None:
    secret = tmp_path / "secret.txt"
    if content is not None:
        secret.write_text(content)
    entity = f"<!DOCTYPE r [<!ENTITY e SYSTEM '{secret.as_uri()}'>]>"
    with pytest.raises(ModelFileError, match=DOCTYPE_REFUSED):
        read_bytes(tmp_path, f"{entity}<skel><skeleton name='r'>&e;</skeleton></skel>".encode())


@pytest.mark.parametrize(
    "data",
    [
        WORLD.encode(),
        b"\xef\xbb\xbf<?xml version='1.0' encoding='utf-8'?>" + WORLD.encode(),
        f"<?xml version='1.0' encoding='utf-16'?>{WORLD}".encode("utf-16"),
        f"<!-- <!DOCTYPE --><?pi <!DOCTYPE ?>{WORLD}<!-- end -->".encode(),
        b"<skel xmlns='urn:dart'><world name='w'/></skel>",
        b"<skel xmlns:s='urn:s'><s:world name='b'/><world name='w'/></skel>",
        b"<skel><gui:camera/><world name='w'/></skel>",
        b"<skel><?pi?><world name='w'><![CDATA[x]]></world></skel>",
    ],
    ids=["plain", "bom", "utf-16", "comments", "default", "other", "undeclared", "cdata"],
)
def test_unusual_but_sound_xml_loads(tmp_path: Path, data: bytes) -> None:
    assert read_bytes(tmp_path, data).name == "w"  # type: ignore[attr-defined]


def test_numbers_may_be_interrupted_by_comments() -> None:
    mass = "<inertia><mass> <!-- heavy -->\n2.5<![CDATA[0]]> </mass></inertia>"
    scene = read_quietly(f"<skel><skeleton name='r'><body name='a'>{mass}</body>{FREE}</skeleton></skel>")
    inertia = scene.robots[0].robot.link("a").inertia
    assert inertia is not None and inertia.mass == 2.5


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"<skel>\n<world>", "not well-formed XML: "),
        (b"<skel><world name=w/></skel>", "not well-formed XML: "),
        (b"<skel>\xff</skel>", "not well-formed XML: "),
        (b"\x00\x01\x02", "not well-formed XML: "),
        (b"<skel>" + b"<x>" * 100_000, "not well-formed XML: "),
    ],
    ids=["empty", "truncated", "unquoted", "bytes", "binary", "deep"],
)
def test_what_is_not_xml_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        read_bytes(tmp_path, data)


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(ModelFileError, match="not text"):
        read_skel_string("<skel name='\ud800'/>")


def test_only_regular_files_of_bounded_size_are_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.skel"
    os.mkfifo(pipe)
    with pytest.raises(ModelFileError, match="expected a regular file, got a named pipe"):
        read_skel(pipe)
    file = tmp_path / "large.skel"
    file.write_text(WORLD)
    with pytest.raises(ModelFileError, match="max_bytes lets larger ones be read"):
        read_skel(file, max_bytes=10)
    assert read_skel(file, max_bytes=100).name == "w"
    with pytest.raises(FileNotFoundError):
        read_skel(tmp_path / "none.skel")
    with pytest.raises(IsADirectoryError):
        read_skel(tmp_path)


def test_meshes_that_are_no_files_are_missing(tmp_path: Path) -> None:
    """A named pipe would keep its reader waiting."""
    os.mkfifo(tmp_path / "pipe.obj")
    for name in ("pipe.obj", "/dev/zero", "."):
        inside = f"<inertia><mass>1</mass></inertia>{visual(f'<mesh><file_name>{name}</file_name></mesh>')}"
        text = f"<skel><skeleton name='r'><body name='a'>{inside}</body>{FREE}</skeleton></skel>"
        robot = read_quietly(text, directory=tmp_path).robots[0].robot
        assert [d.kind for d in robot.diagnostics] == ["mesh", "substituted"]


FEW = "<skel><skeleton name='r'><body name='a'/><body name='b'/>{}</skeleton></skel>"
MANY = 5_000
LARGE = {
    "ignored elements": f"<skel><world>{'<x/>' * MANY}</world></skel>",
    "skeletons of one name": f"<skel><world>{'''<skeleton name='r'/>''' * MANY}</world></skel>",
    "joints of one name": FEW.format(
        "<joint name='j' type='weld'><parent>a</parent><child>b</child></joint>" * MANY
    ),
    "dofs": FEW.format(
        "<joint name='j' type='ball'><parent>a</parent><child>b</child>"
        + "<dof local_index='0'/>" * MANY
        + "</joint>"
    ),
    "numbers": FEW.format(f"<transformation>{'1 ' * 10 * MANY}</transformation>"),
    "one name": FEW.format(f"<joint name='{'j' * 50 * MANY}' type='none'/>"),
}


@pytest.mark.parametrize("case", LARGE)
def test_large_files_take_time_by_their_size(case: str) -> None:
    start = time.process_time()
    try:
        read_quietly(LARGE[case])
    except ModelFileError as error:
        assert len(str(error)) < 2_000
    assert time.process_time() - start < 10.0


def test_long_chains_are_read() -> None:
    count = 1_000
    bodies = "".join(f"<body name='b{i}'/>" for i in range(count))
    joints = "".join(
        f"<joint name='j{i}' type='weld'><parent>b{i + 1}</parent><child>b{i}</child></joint>"
        for i in range(count - 1)
    )
    robot = read_quietly(f"<skel><skeleton name='r'>{bodies}{joints}</skeleton></skel>").robots[0].robot
    assert [joint.child for joint in robot.depth_first_joints()[:2]] == [f"b{count - 1}", f"b{count - 2}"]
