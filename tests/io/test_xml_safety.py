from __future__ import annotations

import importlib
import time
import zipfile
from pathlib import Path

import pytest

from kido.errors import ModelFileError
from kido.io import read_urdf, read_urdf_string

ROBOT = "<robot name='r'><link name='a'/></robot>"
BOMB = "<!DOCTYPE r [<!ENTITY a0 'lol'>" + "".join(
    f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 12)
)
DOCTYPE_REFUSED = "a document type declaration .* is refused"


def read_bytes(folder: Path, data: bytes) -> object:
    file = folder / "robot.urdf"
    file.write_bytes(data)
    return read_urdf(file)


@pytest.mark.parametrize(
    "text",
    [
        f"{BOMB}]><robot name='r'><link name='a'>&a11;</link></robot>",
        f"{BOMB}]><robot name='&a11;'><link name='a'/></robot>",
        f"<?xml version='1.0'?>\n<!-- a --><?pi a?>{BOMB}]><robot name='&a11;'/>",
        f"<!DOCTYPE robot>{ROBOT}",
        f"<!DOCTYPE robot SYSTEM 'http://localhost:9/robot.dtd'>{ROBOT}",
    ],
    ids=["in text", "in an attribute", "after a comment", "plain", "external"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_document_types_are_refused_at_once(tmp_path: Path, text: str, encoding: str) -> None:
    data = text.encode(encoding)
    start = time.process_time()
    stopped_by_parser = "|not well-formed XML: .*entit" if encoding == "utf-16" else ""
    with pytest.raises(ModelFileError, match=DOCTYPE_REFUSED + stopped_by_parser):
        read_bytes(tmp_path, data)
    assert time.process_time() - start < 5.0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("content", [None, "<link name='leaked'", "<link name='leaked'/>"])
def test_external_entities_are_not_opened(tmp_path: Path, encoding: str, content: str | None) -> None:
    """Opening would fail differently for a missing file and for one with half an element."""
    secret = tmp_path / "secret.txt"
    if content is not None:
        secret.write_text(content)
    entity = f"<!DOCTYPE r [<!ENTITY e SYSTEM '{secret.as_uri()}'>]>"
    text = f"{entity}<robot name='r'><link name='a'/>&e;</robot>"
    with pytest.raises(ModelFileError, match=DOCTYPE_REFUSED):
        read_bytes(tmp_path, text.encode(encoding))


@pytest.mark.parametrize(
    "data",
    [
        ROBOT.encode(),
        b"\xef\xbb\xbf<?xml version='1.0' encoding='utf-8'?>" + ROBOT.encode(),
        f"<?xml version='1.0' encoding='utf-16'?>{ROBOT}".encode("utf-16"),
        b"<?xml version='1.0' encoding='iso-8859-1'?><!-- \xe9 -->" + ROBOT.encode(),
        f"<!-- <!DOCTYPE --><?pi <!DOCTYPE ?>{ROBOT}<!-- end -->".encode(),
        b"<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'><!-- x --><link name='a'/></robot>",
        b"<robot name='r' xmlns='http://www.ros.org'><link name='a'/></robot>",
        b"<robot name='r' xmlns:s='urn:s'><s:link name='b'/><link name='a'/></robot>",
        b"<robot name='r'><sensor:camera/><link name='a'/></robot>",
        b"<robot name='r' xmlns='urn:r'><sensor:camera sensor:x='1'/><link name='a'/></robot>",
        b"<robot name='r' xmlns='urn:r' xmlns:a='urn:r'><a:link name='b'/><link name='a'/></robot>",
        b"<robot name='r'><?pi?><link name='a'><![CDATA[x]]></link></robot>",
        b"<?xml version='0.0' ?>" + ROBOT.encode(),
        b"<?xml version='2.7' ?>" + ROBOT.encode(),
    ],
    ids=[
        "plain",
        "bom",
        "utf-16",
        "latin",
        "comments",
        "xacro namespace",
        "default",
        "other",
        "undeclared",
        "undeclared in default",
        "prefixed default",
        "pi",
        "version 0.0",
        "version 2.7",
    ],
)
def test_unusual_but_sound_xml_loads(tmp_path: Path, data: bytes) -> None:
    robot = read_bytes(tmp_path, data)
    assert [link.name for link in robot.links] == ["a"]  # type: ignore[attr-defined]


def test_strings_may_declare_any_encoding() -> None:
    robot = read_urdf_string(
        "<?xml version='1.0' encoding='utf-16'?><robot name='é'><link name='a'/></robot>"
    )
    assert robot.name == "é"


@pytest.mark.parametrize("kind", ["gzip", "bz2", "lzma", "zipfile"])
def test_compressed_files_are_named(tmp_path: Path, kind: str) -> None:
    text = b"<robot name='r'><link name='a'/></robot>"
    if kind == "zipfile":
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
            archive.writestr("a.urdf", text)
        data = (tmp_path / "a.zip").read_bytes()
    else:
        data = importlib.import_module(kind).compress(text)
    with pytest.raises(
        ModelFileError, match=r"robot\.urdf: compressed \((gzip|bzip2|xz|zip)\): expected XML"
    ):
        read_bytes(tmp_path, data)


@pytest.mark.parametrize("data", [b"", b" \n\t "])
def test_empty_files_are_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ModelFileError, match=r"robot\.urdf: the file is empty"):
        read_bytes(tmp_path, data)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"<robot name='r'>\n<link name='a'>\n", 3),
        (b"<robot name='r'>\n<link name='a'/>\n</robt>", 3),
        (b"<robot name='r'>\n<link name='a' name='b'/></robot>", 2),
        (b"<robot name='r'>\n<link name=a/></robot>", 2),
        (b"<robot name='r'>\n\xff</robot>", 2),
        (b"solid stl\nfacet", 1),
        (b"<robot name='r'>\n<link name='&undefined;'/></robot>", 2),
        (b"<robot name='r'>\n<sensor:camera/>\n<link name='a'></robot>", 3),
        (b"\x00\x01\x02", None),
    ],
    ids=[
        "truncated",
        "misspelt",
        "twice",
        "unquoted",
        "bytes",
        "stl",
        "entity",
        "undeclared prefix",
        "binary",
    ],
)
def test_what_is_not_xml_names_the_line(tmp_path: Path, data: bytes, line: int | None) -> None:
    with pytest.raises(ModelFileError, match="not well-formed XML: ") as caught:
        read_bytes(tmp_path, data)
    assert line is None or caught.value.line == line


def test_deep_nesting_is_refused() -> None:
    deep = "<x>" * 100_000
    with pytest.raises(ModelFileError, match="not well-formed XML"):
        read_urdf_string(f"<robot name='r'>{deep}")


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(ModelFileError, match="not text"):
        read_urdf_string("<robot name='\ud800'/>")


def test_missing_files_and_folders_raise_the_errors_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_urdf(tmp_path / "none.urdf")
    with pytest.raises(IsADirectoryError):
        read_urdf(tmp_path)


XACRO = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:include filename='a'/></robot>"


@pytest.mark.parametrize("text", [XACRO, XACRO.replace(" xmlns:xacro='http://www.ros.org/wiki/xacro'", "")])
def test_xacro_macros_say_how_to_expand_them(text: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        read_urdf_string(text, name="robots/arm.urdf")
    command = "expand them first: xacro arm.urdf > arm_expanded.urdf (pip install xacro)"
    expected = f"robots/arm.urdf:2: <xacro:include>: xacro macros are not expanded; {command}"
    assert str(caught.value) == expected


def test_xacro_files_say_how_to_expand_them(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf.xacro"
    file.write_text(ROBOT)
    with pytest.raises(ModelFileError, match=r"xacro arm\.urdf\.xacro > arm\.urdf \(pip install xacro\)"):
        read_urdf(file)
