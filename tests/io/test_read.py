from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kido.errors import ModelFileError
from kido.io import read, read_urdf

TEXT = "<robot name='r'><link name='a'/></robot>"


@pytest.mark.parametrize("name", ["arm.urdf", "arm.URDF"])
def test_suffix_chooses_the_reader_and_options_reach_it(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(TEXT)
    assert read(str(file), root="free") == read_urdf(file, root="free")


@pytest.mark.parametrize("name", ["arm.dae", "arm"])
def test_unknown_suffixes_list_the_known_ones(name: str) -> None:
    with pytest.raises(ValueError, match=rf"path: expected a file with suffix .*\.urdf.*, got '{name}'"):
        read(name)


def test_xacro_says_how_to_expand(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="expand them first"):
        read(tmp_path / "arm.xacro")


def test_unknown_options_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(TEXT)
    with pytest.raises(TypeError, match="unexpected keyword argument 'rot'"):
        read(file, rot="free")


def test_readers_import_neither_scipy_nor_trimesh() -> None:
    code = "import sys, kido.io; print(sorted({'scipy', 'trimesh'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
