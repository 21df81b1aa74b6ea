from __future__ import annotations

import os
from pathlib import Path

import pytest

import kido
from kido.errors import ModelFileError
from kido.io import read

TEXT = "<robot name='r'><link name='a'/></robot>"


def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    pipe = tmp_path / "arm.urdf"
    os.mkfifo(pipe)
    with pytest.raises(ModelFileError, match=r"arm\.urdf: expected a regular file, got a named pipe$"):
        read(pipe)


def test_a_device_that_never_ends_is_refused(tmp_path: Path) -> None:
    endless = tmp_path / "arm.urdf"
    endless.symlink_to("/dev/zero")
    with pytest.raises(ModelFileError, match="expected a regular file, got a character device"):
        read(endless)


def test_a_directory_and_a_missing_file_keep_their_own_errors(tmp_path: Path) -> None:
    folder = tmp_path / "arm.urdf"
    folder.mkdir()
    with pytest.raises(IsADirectoryError, match=r"arm\.urdf"):
        read(folder)
    with pytest.raises(FileNotFoundError, match=r"none\.urdf"):
        read(tmp_path / "none.urdf")


def test_a_huge_file_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    huge = tmp_path / "arm.urdf"
    huge.write_text(TEXT)
    os.truncate(huge, 100 * 2**20)  # zeros to the end, which take no place on the disk
    with pytest.raises(
        ModelFileError, match=r"arm\.urdf: expected a model of at most 32 MiB, got 100\.0 MiB"
    ):
        read(huge)


def test_a_file_that_just_fits_is_read(tmp_path: Path) -> None:
    full = tmp_path / "arm.urdf"
    comment = f"<!--{'x' * 1016}-->\n"
    assert len(comment) == 1024
    full.write_text(TEXT.ljust(1023) + "\n" + comment * (32 * 2**10 - 1))
    assert full.stat().st_size == 32 * 2**20
    assert [link.name for link in read(full).links] == ["a"]


def test_the_size_that_is_read_can_be_set(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(TEXT)
    size = path.stat().st_size
    assert kido.load(path, max_bytes=size).num_bodies == 1
    with pytest.raises(
        ModelFileError, match=r"at most 3\.815e-06 MiB, .*; max_bytes lets larger ones be read"
    ):
        kido.load(path, max_bytes=4)
    for wrong, error in (
        (0, ValueError),
        (-1, ValueError),
        (1.5, TypeError),
        (True, TypeError),
        (None, TypeError),
    ):
        with pytest.raises(error, match=r"max_bytes: expected a(n| positive) integer, got "):
            read(path, max_bytes=wrong)


def test_a_manifest_that_never_ends_is_no_package(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "package.xml")
    mesh = "<visual><geometry><mesh filename='package://arms/hand.stl'/></geometry></visual>"
    arm = tmp_path / "arm.urdf"
    arm.write_text(f"<robot name='r'><link name='a'>{mesh}</link></robot>")
    with pytest.warns(UserWarning, match="mesh files not found"):
        read(arm, packages=[tmp_path])
