"""Model files of packages that robotics uses agree with MuJoCo's compiled models of them."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from pathlib import Path

import mujoco
import numpy as np
import pytest
from _mujoco_scene import Twins

import kido
from kido.errors import ModelWarning


def package(name: str) -> Path:
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


FILES = [
    *sorted((package("dm_control") / "suite").glob("*.xml")),
    *sorted((package("gymnasium") / "envs" / "mujoco" / "assets").glob("*.xml")),
    *(package("dm_control") / "locomotion" / "walkers" / "assets").rglob("humanoid*.xml"),
    *(package("dm_control") / "locomotion").rglob("rodent.xml"),
    *(package("dm_control") / "locomotion").rglob("boxhead.xml"),
    *(package("dm_control") / "third_party").rglob("jaco*.xml"),
    *sorted((package("dm_control") / "mujoco" / "testing" / "assets").glob("[achs]*.xml")),
    package("dm_control") / "mjcf" / "test_assets" / "model_with_assetdir.xml",
    *sorted((package("mujoco") / "testdata").glob("m*.xml")),
]


def test_there_are_files() -> None:
    assert len(FILES) > 45


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file_of_a_package_agrees_with_its_compiled_model(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        twins = Twins.of_file(path)
    twins.check()
    assert mujoco.mj_getTotalmass(twins.model) == pytest.approx(
        sum(link.inertia.mass for robot in twins.robots.values() for link in robot.links if link.inertia)
    )
    assert twins.model.nu == len(twins.scene.actuators)
    assert twins.model.nsensor + twins.model.ncam == len(twins.scene.sensors)


@pytest.mark.parametrize("path", FILES[:33], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file_of_a_package_becomes_a_world_that_moves(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        world = kido.load_world(path)
    world.step(10)
    for skeleton in world.skeletons:
        assert np.isfinite(skeleton.positions).all()
        assert np.abs(skeleton.velocities).max(initial=0.0) < 100.0
