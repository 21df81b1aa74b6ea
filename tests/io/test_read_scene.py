"""Files that hold several robots, and how one of them is chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

import kido
from kido.errors import DescriptionError, UnknownNameError
from kido.io import read, read_scene, read_urdf

TEXT = "<robot name='{}'><link name='a'/><link name='b'/>{}</robot>"
PAIR = """<sdf version="1.9"><world name="pair"><gravity>0 0 -1.62</gravity>
<physics name="fine" type="ode"><max_step_size>0.004</max_step_size></physics>{}</world></sdf>"""
MODEL = """<model name="{}"><pose>{} 0 0 0 0 0</pose><link name="a"/><link name="b"/>
<joint name="j" type="continuous"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis></joint>
<joint name="base" type="fixed"><parent>world</parent><child>a</child></joint></model>"""
JOINT = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"


@pytest.fixture
def one(tmp_path: Path) -> Path:
    file = tmp_path / "one.urdf"
    file.write_text(TEXT.format("one", JOINT))
    return file


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """A file that holds two robots, on the moon."""
    models = MODEL.format("left", 0) + MODEL.format("right", 5)
    file = tmp_path / "pair.sdf"
    file.write_text(PAIR.format(models))
    return file


def test_a_file_of_one_robot_is_a_scene_of_it(one: Path) -> None:
    scene = read_scene(one, root="free")
    assert (scene.name, scene.source) == ("one", one)
    assert [placed.name for placed in scene.robots] == ["one"]
    assert scene.single_robot() == read(one, root="free") == read_urdf(one, root="free")
    assert kido.load(one, robot="one").num_dofs == 1


def test_of_a_file_of_several_robots_one_is_chosen_by_name(several: Path) -> None:
    for call in (read, kido.load, kido.load_tree):
        with pytest.raises(DescriptionError, match=r"got 2: 'left', 'right'; robot='left' chooses that one"):
            call(several)
        with pytest.raises(UnknownNameError, match="no robot named 'wright' in 'pair'; did you mean 'right'"):
            call(several, robot="wright")
    robot = kido.load(several, robot="right")
    assert (
        robot.name
        == read(several, robot="right").name
        == kido.load_tree(several, robot="right").name
        == "right"
    )
    assert robot.body("b").transform()[0, 3] == 5.0


def test_gravity_and_time_step_are_those_of_the_file_unless_given(several: Path, one: Path) -> None:
    moon = kido.load(several, robot="left")
    assert (moon.gravity[2], moon.time_step) == (-1.62, 0.004)
    assert kido.load_tree(several, robot="left").gravity[2] == -1.62
    other = kido.load(several, robot="left", gravity=(0, 0, -3.7), time_step=0.01)
    assert (other.gravity[2], other.time_step) == (-3.7, 0.01)
    earth = kido.load(one)
    assert (earth.gravity[2], earth.time_step) == (-9.81, 1e-3)
