from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from _looped import looped
from _sdf_text import joint, link, notes, read_model, sdf
from _sdf_text import read as read_text

import kido
from kido.description import Attachment, JointReference, JointType, SceneDescription
from kido.errors import ModelFileError, ModelWarning, UnknownNameError
from kido.io import read, read_scene, read_sdf_string

AXIS = "<axis><xyz>0 0 1</xyz></axis>"


def world(inside: str, version: str = "1.11", **options: object) -> SceneDescription:
    return read_text(f"<world name='w'>\n{inside}\n</world>", version, **options)


def model(name: str, inside: str = "", links: str = link("a")) -> str:
    return f"<model name='{name}'>{inside}{links}</model>"


@pytest.mark.parametrize(
    ("version", "inside", "gravity"),
    [
        ("1.11", "", (0.0, 0.0, -9.8)),
        ("1.11", "<gravity>1 2 3</gravity>", (1.0, 2.0, 3.0)),
        ("1.5", "<physics><gravity>1 2 3</gravity></physics>", (1.0, 2.0, 3.0)),
        ("1.5", "<gravity>4 5 6</gravity><physics><gravity>1 2 3</gravity></physics>", (4.0, 5.0, 6.0)),
        ("1.6", "<physics><gravity>1 2 3</gravity></physics>", (0.0, 0.0, -9.8)),
    ],
)
def test_gravity(version: str, inside: str, gravity: tuple[float, ...]) -> None:
    scene = world(inside, version)
    assert scene.gravity.tolist() == list(gravity)
    ignored = version == "1.6" or "4 5 6" in inside
    assert len(notes(scene, "ignored")) == int(ignored)


def test_physics_gives_the_time_step_and_options() -> None:
    inside = """<physics type='ode' name='p'><max_step_size>0.004</max_step_size>
    <real_time_factor>2</real_time_factor><ode><solver><type>quick</type><iters>50</iters></solver>
    <constraints><cfm>1e-5</cfm></constraints></ode></physics>"""
    scene = world(inside)
    assert scene.time_step == 0.004
    assert dict(scene.options) == {
        "physics@name": "p",
        "physics@type": "ode",
        "real_time_factor": 2,
        "ode/solver/type": "quick",
        "ode/solver/iters": 50,
        "ode/constraints/cfm": 1e-5,
    }


def test_of_several_physics_the_default_counts() -> None:
    text = "<physics{}><max_step_size>{}</max_step_size></physics>"
    assert world(text.format("", 0.1) + text.format("", 0.2)).time_step == 0.1
    scene = world(text.format("", 0.1) + text.format(" default='1'", 0.2))
    assert scene.time_step == 0.2
    assert notes(scene) == ["<world name='w'>: physics: ignored: another <physics> is the default"]


def test_without_a_world_gravity_is_that_of_earth() -> None:
    scene = read_text(model("m"))
    assert (scene.name, scene.gravity.tolist(), scene.time_step) == ("m", [0.0, 0.0, -9.81], None)


def test_models_without_a_world_are_robots_of_a_scene_named_as_the_file(tmp_path: Path) -> None:
    file = tmp_path / "pair.sdf"
    file.write_text(sdf(model("m", "<pose>1 0 0 0 0 0</pose>") + model("n"), "1.7"))
    scene = read_scene(file)
    assert (scene.name, [one.name for one in scene.robots]) == ("pair", ["m", "n"])
    assert scene.robots[0].T_world_robot[0, 3] == 1.0
    assert read(file, robot="m").root_joints[0].T_parent_joint[0, 3] == 1.0
    assert kido.load(file, robot="n").num_dofs == 6


def test_models_stand_relative_to_frames_of_the_world_and_other_models() -> None:
    inside = "<frame name='f'><pose>0 0 1 0 0 0</pose></frame>"
    inside += model("m", "<pose relative_to='f'>1 0 0 0 0 0</pose>")
    inside += model("n", "<pose relative_to='m::g'>0 1 0 0 0 0</pose>").replace(
        "</model>", "<frame name='g' attached_to='a'><pose>9 0 0 0 0 0</pose></frame></model>"
    )
    inside = inside.replace("</model>", "<frame name='g'><pose>5 0 0 0 0 0</pose></frame></model>", 1)
    scene = world(inside)
    assert scene.robot("m").T_world_robot[:3, 3].tolist() == [1.0, 0.0, 1.0]
    assert scene.robot("n").T_world_robot[:3, 3].tolist() == [6.0, 1.0, 1.0]


def test_before_1_7_models_may_name_frames_that_are_not_there() -> None:
    scene = world(model("m", "<pose frame='nowhere'>1 0 0 0 0 0</pose>"), "1.6")
    assert scene.robot("m").T_world_robot[:3, 3].tolist() == [1.0, 0.0, 0.0]
    assert notes(scene.robot("m").robot) == ["<model name='m'>: pose: frame: ignored: 'nowhere'"]


def test_frames_of_the_world_on_links_are_frames_of_these() -> None:
    inside = model("m", "<pose>1 0 0 0 0 0</pose>")
    inside += "<frame name='f' attached_to='m::a'><pose>0 2 0 0 0 0</pose></frame><frame name='g'/>"
    scene = world(inside)
    (frame,) = scene.robot("m").robot.link("a").frames
    assert (frame.name, frame.origin[:3, 3].tolist()) == ("f", [0.0, 2.0, 0.0])
    assert notes(scene) == ["<frame name='g'>: a frame on the world: its name is not kept"]


def test_joints_of_the_world_hold_a_model() -> None:
    inside = model("m", "<pose>1 2 3 0 0 0</pose>")
    scene = world(inside + joint("j", "revolute", "world", "m::a", AXIS))
    (placed,) = scene.robots
    (root,) = placed.robot.root_joints
    assert (root.name, root.type, root.child) == ("j", JointType.REVOLUTE, "a")
    assert np.allclose(root.T_child_joint, np.eye(4), rtol=0.0, atol=1e-15)
    skeleton = kido.Skeleton.from_description(placed.placed())
    assert np.allclose(skeleton.body("a").transform()[:3, 3], [1.0, 2.0, 3.0], rtol=0.0, atol=1e-15)


def test_models_that_a_joint_of_the_world_joins_are_one_robot() -> None:
    inside = model("m", "<pose>1 0 0 0 0 0</pose>") + model("n", "<pose>0 2 0 0 0 0.5</pose>") + model("o")
    inside += joint("j", "prismatic", "m::a", "n::a", AXIS) + "<frame name='f' attached_to='n'/>"
    scene = world(inside)
    assert [one.name for one in scene.robots] == ["m", "o"]
    robot = scene.robot("m").robot
    assert [one.name for one in robot.links] == ["m::a", "n::a"]
    assert (robot.joint("j").parent, robot.joint("j").child) == ("m::a", "n::a")
    assert [one.name for one in robot.link("n::a").frames] == ["f"]
    skeleton = kido.Skeleton.from_description(scene.robot("m").placed())
    assert np.allclose(skeleton.body("m::a").transform()[:3, 3], [1.0, 0.0, 0.0], rtol=0.0, atol=1e-15)
    assert np.allclose(skeleton.body("n::a").transform()[:3, 3], [0.0, 2.0, 0.0], rtol=0.0, atol=1e-15)


SENSOR = """<sensor name='eye' type='camera'><pose>0 0 1 0 0 0</pose><update_rate>30</update_rate>
<camera><image><width>640</width></image><clip><near>0.1</near></clip></camera><always_on>true</always_on>
<plugin name='p' filename='libp.so'/></sensor>"""


def test_sensors_are_kept_with_their_place_and_options() -> None:
    told = joint("j", "fixed", "a", "b", "<sensor name='ft' type='force_torque'/>")
    scene = world(model("m", "", link("a", SENSOR) + link("b") + told))
    camera, force = scene.sensor("m::a::eye"), scene.sensor("m::j::ft")
    T = np.eye(4)
    T[2, 3] = 1.0
    assert camera.place == Attachment("m", "a", T)
    assert (camera.type, camera.rate, camera.line) == ("camera", 30.0, 3)
    assert dict(camera.options) == {"camera/image/width": 640, "camera/clip/near": 0.1, "always_on": True}
    assert (force.joint, force.rate) == (JointReference("m", "j"), None)
    assert notes(scene.robot("m").robot) == ["<link name='a'>: sensor/plugin: ignored: p"]


def test_options_of_the_same_name_are_numbered() -> None:
    told = "<sensor name='s' type='ray'><n type='a'><x>1 2 3</x></n><n type='b'><x>nan</x></n></sensor>"
    scene = world(model("m", "", link("a", told)))
    assert dict(scene.sensors[0].options) == {
        "n@type": "a",
        "n/x": (1.0, 2.0, 3.0),
        "n#2@type": "b",
        "n#2/x": "nan",
    }


def test_one_of_several_worlds_is_read() -> None:
    text = f"<world name='v'>{model('m')}</world>\n<world name='w'>{model('n')}</world>{model('o')}"
    first, second = read_text(text), read_text(text, world="w")
    assert [one.name for one in first.robots] == ["m"]
    assert [one.name for one in second.robots] == ["n"]
    assert notes(first) == [
        "<world name='w'>: ignored: world='w' reads it instead",
        "<model name='o'>: ignored: a model beside a world",
    ]
    with pytest.raises(UnknownNameError, match="no world named 'x'"):
        read_text(text, world="x")


IGNORED = (
    "<light name='sun' type='point'/>",
    "<actor name='walker'/>",
    "<gui/>",
    "<scene/>",
    "<state world_name='w'/>",
)
MORE_IGNORED = ("<plugin name='p'/>", "<wind/>", "<atmosphere/>", "<spherical_coordinates/>", "<population/>")


@looped("element", [(one,) for one in (*IGNORED, *MORE_IGNORED)])
def test_what_is_not_honoured_of_a_world_is_reported(element: str) -> None:
    (found,) = world(element).diagnostics
    assert (found.kind, found.line, "ignored" in found.message) == ("ignored", 3, True)


def test_elements_of_other_namespaces_are_reported() -> None:
    text = "<model name='m' xmlns:d='drake.mit.edu' d:x='1'><d:joint name='q'/><link name='a'/></model>"
    found = notes(read_text(text, "1.9").robots[0].robot, "ignored")
    assert found == [
        "<model name='m'>: {drake.mit.edu}x: ignored: '1'",
        "<model name='m'>: {drake.mit.edu}joint: ignored: q",
    ]


def test_models_without_links_warn() -> None:
    with pytest.warns(ModelWarning, match="the model has no links"):
        read_sdf_string(sdf("<model name='m'/>"))


@pytest.mark.parametrize("version", ["1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12"])
def test_versions(version: str) -> None:
    assert read_model(link("a"), version).diagnostics == ()


def test_newer_versions_are_read_as_the_newest_known() -> None:
    assert notes(read_text(model("m"), "1.13"), "version")[0].endswith(
        "1.13 is read as 1.12, the newest that is known"
    )


NAMELESS = "<sensor name='s'/>"
STILL = "<physics><max_step_size>0</max_step_size></physics>"
NOWHERE = model("m") + joint("j", "fixed", "world", "m::x")
WRONG = [
    ("<robot name='r'/>", "<robot name='r'>: expected an <sdf> element, got <robot>"),
    ("<sdf/>", "<sdf>: version: expected a value, but it is missing"),
    ("<sdf version='1.3'/>", "<sdf>: version: expected at least 1.4, got 1.3"),
    ("<sdf version='new'/>", "<sdf>: version: expected a version as 1.11, got 'new'"),
    ("<sdf version='1.9'><world/></sdf>", "<world>: name: expected a value, but it is missing"),
    ("<sdf version='1.9'><world name='w'><gravity>0 0</gravity></world></sdf>", "gravity: expected 3 finite"),
    (
        f"<sdf version='1.9'><world name='w'>{STILL}</world></sdf>",
        "physics/max_step_size: expected a positive number [s], got 0",
    ),
    (
        f"<sdf version='1.9'><world name='w'>{NOWHERE}</world></sdf>",
        "<joint name='j'>: no frame named 'x' in 'm'",
    ),
    (
        f"<sdf version='1.9'><world name='w'>{joint('j', 'fixed', 'world', '__model__')}</world></sdf>",
        "expected at least one link, got twice the world",
    ),
    (
        f"<sdf version='1.9'><model name='m'>{link('a', NAMELESS)}</model></sdf>",
        "type: expected a value",
    ),
    (
        f"<sdf version='1.9'><model name='m'>{link('a')}{link('a')}</model></sdf>",
        "got 'a' twice: a link and a link",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_files_name_line_and_element(text: str, message: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        read_sdf_string(text, name="w.sdf")
    assert str(caught.value).startswith("w.sdf:1: <")
    assert message in str(caught.value)


def test_a_world_of_many_models_has_them_all() -> None:
    text = "".join(model(f"m{i}", f"<pose>{i} 0 0 0 0 0</pose>") for i in range(2000))
    scene = world(text)
    assert [one.T_world_robot[0, 3] for one in scene.robots] == list(map(float, range(2000)))


def test_a_world_takes_models_of_a_merged_model_but_no_links(tmp_path: Path) -> None:
    pair = model("pair", "", model("m", "<pose>1 0 0 0 0 0</pose>") + model("n"))
    (tmp_path / "pair.sdf").write_text(sdf(pair))
    (tmp_path / "one.sdf").write_text(sdf(model("one")))
    text = "<include merge='true'><uri>{}.sdf</uri><pose>0 0 5 0 0 0</pose></include>"
    scene = world(text.format("pair"), directory=tmp_path)
    places = {one.name: one.T_world_robot[:3, 3].tolist() for one in scene.robots}
    assert places == {"m": [1.0, 0.0, 5.0], "n": [0.0, 0.0, 5.0]}
    with pytest.raises(ModelFileError, match="merge: expected a model without links"):
        world(text.format("one"), directory=tmp_path)
