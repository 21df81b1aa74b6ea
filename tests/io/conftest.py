from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from kido.description import RobotDescription
from kido.errors import ModelWarning
from kido.io import read_urdf_string

ReadQuietly = Callable[..., RobotDescription]


@pytest.fixture
def read_body() -> ReadQuietly:
    """Reads a URDF given by what stands inside <robot>; ModelWarnings are left to the diagnostics."""

    def read(body: str, **options: object) -> RobotDescription:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            return read_urdf_string(f"<robot name='r'>\n{body}\n</robot>", **options)  # type: ignore[arg-type]

    return read


@pytest.fixture
def read_joint(read_body: ReadQuietly) -> Callable[..., RobotDescription]:
    """Reads a robot of two links, "a" and "b", joined by "j" of a type and inner elements."""

    def read(kind: str, inside: str = "", more: str = "") -> RobotDescription:
        ends = "<parent link='a'/><child link='b'/>"
        joint = f"<joint name='j' type='{kind}'>{ends}\n{inside}</joint>"
        return read_body(f"<link name='a'/>\n<link name='b'/>\n{joint}{more}")

    return read


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No ROS packages but those that the test names."""
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)


@pytest.fixture
def package(tmp_path: Path, clean_environment: None) -> Path:
    """A ROS package "arm" with meshes/hand.stl, under a folder that holds nothing else."""
    folder = tmp_path / "space" / "arm"
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "hand.stl").write_bytes(b"solid")
    return folder
