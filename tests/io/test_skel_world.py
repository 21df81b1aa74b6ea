"""The <skel>, <world>, <physics> and <skeleton> elements."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from _skel import FREE, doubts, read_quietly, read_world

import kido
from kido.description import EARTH_GRAVITY, SceneDescription
from kido.errors import DescriptionError, ModelFileError, ModelWarning
from kido.io import read, read_scene, read_skel, read_skel_string

DATA = Path(__file__).with_name("data")
BODY = "<body name='a'/>"


def physics(inside: str) -> SceneDescription:
    return read_world(f"<physics>{inside}</physics>")


def test_physics_are_kept() -> None:
    detector = "\n<collision_detector>bullet</collision_detector>"
    scene = physics(f"<time_step>0.005</time_step><gravity>1 -2 3</gravity>{detector}")
    assert scene.name == "w"
    assert scene.time_step == 0.005
    assert scene.gravity.tolist() == [1, -2, 3]
    assert dict(scene.options) == {"collision_detector": "bullet"}
    assert [(d.kind, d.line) for d in scene.diagnostics] == [("ignored", 3)]


def test_physics_that_are_not_told_are_those_of_the_earth() -> None:
    for scene in (read_world(""), physics("")):
        assert scene.time_step is None and tuple(scene.gravity) == EARTH_GRAVITY
        assert scene.robots == () and dict(scene.options) == {} and scene.diagnostics == ()


def test_skeletons_stand_at_their_places_under_names_of_their_own() -> None:
    place = "<transformation>1 2 3 0 0 1.5707963267948966</transformation>"
    inside = f"<skeleton name='r'>{place}<mobile>FALSE</mobile>{BODY}{FREE}</skeleton>\n"
    more = f"<skeleton name='r'><self_collide>1</self_collide>{BODY}{FREE}</skeleton>"
    more += f"<skeleton>{BODY}{FREE}</skeleton>"
    scene = read_world(inside + more)
    first, second, third = scene.robots
    assert (first.name, second.name, third.name) == ("r", "r(1)", "skeleton")
    assert (first.mobile, second.mobile) == (False, True)
    assert (first.self_collision, second.self_collision) == (False, True)
    assert first.T_world_robot[:3, 3].tolist() == [1, 2, 3]
    assert np.allclose(first.T_world_robot[:3, 0], [0, 1, 0], rtol=0, atol=1e-15)
    assert (second.T_world_robot == np.eye(4)).all()
    names = [(d.kind, d.line, d.message) for d in doubts(scene) if d.kind == "name"]
    assert names == [
        ("name", 3, "<skeleton name='r'>: name: taken before, becomes 'r(1)'"),
        ("name", 3, "<skeleton>: name: missing, taken as 'skeleton'"),
    ]


def test_children_stand_in_the_frame_of_their_parents_wherever_the_skeleton_is() -> None:
    """A child one meter ahead of a parent that is turned to the left is one meter to its right."""
    bodies = """<body name='b'><transformation>1 0 0 0 0 0</transformation></body>
      <body name='a'><transformation>0 0 0 0 0 1.5707963267948966</transformation></body>"""
    joints = """<joint name='j' type='weld'><parent>a</parent><child>b</child></joint>
      <joint name='k' type='weld'><parent>world</parent><child>a</child></joint>"""
    scene = read_world(
        f"<skeleton name='r'><transformation>0 0 5 0 0 0.5</transformation>{bodies}{joints}</skeleton>"
    )
    joint = scene.robot("r").robot.joint("j")
    assert np.allclose(joint.T_parent_joint[:3, 3], [0, -1, 0], rtol=0, atol=1e-15)
    robot = kido.Skeleton.from_description(scene.single_robot())
    place = robot.body("b").transform()
    assert np.allclose(place[:3, 3], [np.cos(0.5), np.sin(0.5), 5], rtol=0, atol=1e-15)


def test_diagnostics_of_a_skeleton_are_the_robots() -> None:
    scene = read_world(f"<sun/><skeleton name='r' color='red'>{BODY}{FREE}</skeleton>")
    assert [d.message for d in scene.diagnostics] == ["<world name='w'>: sun: ignored"]
    messages = [d.message for d in scene.robots[0].robot.diagnostics if d.kind == "ignored"]
    assert messages == ["<skeleton name='r'>: attribute 'color' ignored"]


def test_skeletons_may_stand_alone() -> None:
    scene = read_quietly(f"<skel><skeleton name='r'>{BODY}{FREE}</skeleton></skel>")
    assert (scene.name, scene.time_step, [placed.name for placed in scene.robots]) == ("world", None, ["r"])


def test_worlds_without_a_name_are_called_as_their_file(tmp_path: Path) -> None:
    file = tmp_path / "room.skel"
    file.write_text("<skel version='1.0'><world/></skel>")
    assert read_skel(file).name == "room"
    assert read_skel(file).source == file


def test_empty_skeletons_warn() -> None:
    with pytest.warns(ModelWarning, match="<skeleton name='r'>: the skeleton has no bodies"):
        read_skel_string("<skel><skeleton name='r'/></skel>")


def test_very_many_ignored_elements_are_counted() -> None:
    scene = read_world("<x/>" * 100_000)
    assert len(scene.diagnostics) == 501
    assert scene.diagnostics[-1].message == "<skel>: 99500 more elements and attributes are ignored"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot/>", "<robot>: expected a <skel> element, got <robot>"),
        ("<skel/>", "<skel>: expected a <world> or <skeleton> element, got none"),
        (
            "<skel><world><physics><time_step>0</time_step></physics></world></skel>",
            "<world>: physics/time_step: expected a positive number [s], got 0",
        ),
        (
            "<skel><world><physics><gravity>0 1</gravity></physics></world></skel>",
            "<world>: physics/gravity: expected 3 finite numbers, got '0 1'",
        ),
        (
            "<skel><world><physics><collision_detector/></physics></world></skel>",
            "<world>: physics/collision_detector: expected a value, but it is empty",
        ),
        (
            "<skel><skeleton name='r'><mobile>no</mobile></skeleton></skel>",
            "<skeleton name='r'>: mobile: expected true, false, 1 or 0, got 'no'",
        ),
    ],
)
def test_wrong_worlds_name_line_and_element(text: str, message: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        read_quietly(text, name="a.skel")
    assert str(caught.value) == f"a.skel:1: {message}"


def test_the_suffix_chooses_the_reader() -> None:
    path = DATA / "joints.skel"
    scene = read_scene(path)
    assert scene == read_skel(path)
    assert read(path, robot="cart").name == "cart"
    with pytest.raises(DescriptionError, match="expected one robot, got 2: 'crane', 'cart'"):
        kido.load(path)
    robot = kido.load(path, robot="crane")
    assert (robot.time_step, robot.gravity.tolist()) == (0.002, [0.5, -9.0, 0.25])
    assert kido.load_tree(path, robot="crane").body_names == tuple(body.name for body in robot.bodies)


def test_worlds_begin_as_the_file_says() -> None:
    world = kido.load_world(DATA / "joints.skel")
    assert [skeleton.name for skeleton in world.skeletons] == ["crane", "cart"]
    assert (world.time_step, world.gravity.tolist()) == (0.002, [0.5, -9.0, 0.25])
    wrist = world.skeletons[0].joint("wrist")
    assert (wrist.positions.tolist(), wrist.velocities.tolist()) == ([0.7], [-1.3])
    assert wrist.initial_positions.tolist() == [0.7]
    detector = [d for d in world.diagnostics if "collision_detector" in d.message]
    assert [d.line for d in detector] == [8]
    shelf = kido.load_world(DATA / "shapes.skel").skeletons
    assert [skeleton.mobile for skeleton in shelf] == [False] + [True] * 5


def test_descriptions_are_kept_in_kidos_own_files(tmp_path: Path) -> None:
    for name in ("joints", "shapes"):
        scene = read_skel(DATA / f"{name}.skel")
        scene.save(tmp_path / "scene.json")
        assert SceneDescription.load(tmp_path / "scene.json") == scene
