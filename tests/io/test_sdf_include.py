"""Files that SDFormat files include: where they are found, what the <include> says, and how includes end."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from _sdf_text import joint, link, notes, read, sdf

from kido.description import JointType, differences
from kido.errors import ModelFileError, ModelWarning
from kido.io import read_sdf, read_sdf_string, read_urdf

VARIABLES = ("SDF_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH")


@pytest.fixture(autouse=True)
def no_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """No folders of models but those that a test names."""
    for variable in (*VARIABLES, "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder with a model "box" in a folder that does not see it."""
    folder = tmp_path / "models" / "box"
    folder.mkdir(parents=True)
    (folder / "model.config").write_text("<model><sdf version='1.9'>box.sdf</sdf></model>")
    frame = "<frame name='top'><pose>0 0 1 0 0 0</pose></frame>"
    text = f"<model name='box'><pose>0 0 7 0 0 0</pose>{link('a')}{frame}"
    (folder / "box.sdf").write_text(sdf(f"{text}</model>", "1.9"))
    (tmp_path / "worlds").mkdir()
    return tmp_path / "models"


def include(uri: str, more: str = "", attributes: str = "") -> str:
    return f"<include {attributes}><uri>{uri}</uri>{more}</include>"


def world(inside: str) -> str:
    return f"<world name='w'>\n{inside}</world>"


@pytest.mark.parametrize(
    "uri", ["model://box", "model://box/box.sdf", "model://box/", "package://box", "box"]
)
def test_models_are_found_in_the_folders_that_are_named(models: Path, uri: str) -> None:
    scene = read(world(include(uri)), packages=models)
    assert [one.name for one in scene.robots] == ["box"]
    assert scene.robots[0].robot.links[0].line == 2


def test_a_mapping_says_where_a_model_is(models: Path) -> None:
    assert read(world(include("model://crate")), packages={"crate": models / "box"}).robots[0].name == "box"


@pytest.mark.parametrize("variable", VARIABLES)
def test_models_are_found_in_the_folders_of_simulators(
    models: Path, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, f"/nowhere:{models}")
    assert read(world(include("model://box"))).robots[0].name == "box"


@pytest.mark.parametrize("uri", ["../models/box", "../models/box/box.sdf", "{}/box", "file://{}/box/box.sdf"])
def test_names_may_be_relative_to_the_file_or_absolute(models: Path, uri: str) -> None:
    file = models.parent / "worlds" / "w.world"
    file.write_text(sdf(world(include(uri.format(models)))))
    assert read_sdf(file).robots[0].name == "box"


def test_relative_names_in_an_included_file_start_there(models: Path) -> None:
    (models / "box" / "box.stl").touch()
    mesh = "<visual name='v'><geometry><mesh><uri>{}box.stl</uri></mesh></geometry></visual>"
    text = link("a", mesh.format("") + mesh.format("model://box/"))
    (models / "box" / "box.sdf").write_text(sdf(f"<model name='box'>{text}</model>"))
    scene = read(world(include("model://box")), packages=models)
    found = {placed.shape.path for placed in scene.robots[0].robot.links[0].visuals}  # type: ignore[attr-defined]
    assert found == {models / "box" / "box.stl"}


def test_the_newest_version_that_is_known_is_read(models: Path) -> None:
    listed = {"99.0": "future.sdf", "1.4": "old.sdf", "1.9": "box.sdf", "1.8": "older.sdf"}
    files = "".join(f"<sdf version='{version}'>{name}</sdf>" for version, name in listed.items())
    manifest = f"<model>{files}</model>"
    (models / "box" / "model.config").write_text(manifest)
    assert read(world(include("model://box")), packages=models).robots[0].name == "box"


def test_an_include_gives_name_pose_and_more(models: Path) -> None:
    more = "<name>crate</name><pose>1 2 3 0 0 0</pose><static>true</static>"
    (placed,) = read(world(include("model://box", more)), packages=models).robots
    assert (placed.name, placed.robot.name, placed.mobile) == ("crate", "crate", False)
    assert placed.T_world_robot[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert placed.robot.root_joints[0].type is JointType.WELD


def test_without_a_pose_the_model_stands_where_its_file_says(models: Path) -> None:
    (placed,) = read(world(include("model://box")), packages=models).robots
    assert placed.T_world_robot[:3, 3].tolist() == [0.0, 0.0, 7.0]


def test_the_placement_frame_of_an_include(models: Path) -> None:
    more = "<placement_frame>top</placement_frame><pose>1 2 3 0 0 0</pose>"
    (placed,) = read(world(include("model://box", more)), packages=models).robots
    assert placed.T_world_robot[:3, 3].tolist() == [1.0, 2.0, 2.0]
    with pytest.raises(ModelFileError, match="placement_frame: expected a <pose> beside it, got none"):
        read(world(include("model://box", "<placement_frame>top</placement_frame>")), packages=models)


def test_models_included_by_models_are_nested(models: Path) -> None:
    inside = link("a") + include("model://box", "<name>b</name><pose relative_to='a'>0 0 2 0 0 0</pose>")
    inside += joint("j", "fixed", "a", "b::top")
    robot = read(f"<model name='m'>{inside}</model>", packages=models).robots[0].robot
    assert [one.name for one in robot.links] == ["a", "b::a"]
    assert robot.joint("j").T_parent_joint[:3, 3].tolist() == [0.0, 0.0, 3.0]


def test_a_merged_model_is_part_of_the_model_that_includes_it(models: Path) -> None:
    inner = (
        "<pose>0 0 1 0 0 0</pose>"
        + link("b", "<pose>0 1 0 0 0 0</pose>")
        + "<frame name='f' attached_to='b'/>"
    )
    inner += (
        "<frame name='origin'/>"
        + link("c")
        + joint("k", "revolute", "__model__", "c", "<axis><xyz expressed_in='__model__'>1 0 0</xyz></axis>")
    )
    (models / "box" / "box.sdf").write_text(sdf(f"<model name='box'>{inner}</model>"))
    more = "<pose relative_to='a'>0 0 5 0 0 1.5707963267948966</pose>"
    text = link("a", "<pose>1 0 0 0 0 0</pose>") + include("model://box", more, "merge='true'")
    text += joint("j", "fixed", "a", "f")
    robot = read(f"<model name='m'>{text}</model>", packages=models).robots[0].robot
    assert [one.name for one in robot.links] == ["a", "b", "c"]
    assert (robot.joint("j").child, robot.joint("k").parent) == ("b", "b")
    assert np.allclose(robot.joint("j").T_parent_joint[:3, 3], [-1.0, 0.0, 5.0], rtol=0.0, atol=1e-15)
    assert np.allclose(robot.joint("k").axes[0], [1.0, 0.0, 0.0], rtol=0.0, atol=1e-15)
    assert [[frame.name for frame in one.frames] for one in robot.links] == [[], ["f", "origin"], []]


@pytest.mark.parametrize(
    "uri", ["model://gone", "https://fuel.gazebosim.org/1.0/x", "model://", "model://.."]
)
def test_missing_models_are_left_out_with_a_warning(models: Path, uri: str) -> None:
    with pytest.warns(ModelWarning, match="left out: model not found"):
        scene = read_sdf_string(sdf(world(include(uri))), packages=models)
    assert scene.robots == ()
    (found,) = scene.diagnostics
    assert (found.kind, found.line) == ("include", 3)


def test_lights_are_reported(models: Path) -> None:
    (models / "box" / "box.sdf").write_text(sdf("<light name='sun' type='directional'/>"))
    scene = read(world(include("model://box")), packages=models)
    assert scene.robots == ()
    assert notes(scene) == ["<light name='sun'>: ignored: sun"]


INERTIAL = "<inertial><mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
LIMIT = "<limit lower='-1' upper='2' velocity='3' effort='4'/>"
ROBOT = f"""<robot name='arm'>
<link name='a'>{INERTIAL}<visual><geometry><mesh filename='package://arm/hand.stl' scale='2 2 2'/></geometry>
  </visual></link>
<link name='b'>{INERTIAL}<collision><geometry><box size='1 2 3'/></geometry></collision></link>
<link name='c'/>
<joint name='j' type='revolute'><origin xyz='0 0 1' rpy='0.1 0.2 0.3'/><parent link='a'/><child link='b'/>
  <axis xyz='0 1 0'/>{LIMIT}</joint>
<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>
</robot>"""


@pytest.fixture
def arm(models: Path) -> Path:
    """A robot in URDF, in a folder of models."""
    (models / "arm").mkdir()
    (models / "arm" / "hand.stl").write_bytes(b"solid")
    (models / "arm" / "arm.urdf").write_text(ROBOT)
    return models / "arm" / "arm.urdf"


def test_robots_in_urdf_are_the_same_robots(models: Path, arm: Path) -> None:
    more = "<name>left</name><pose>1 2 3 0 0 0</pose>"
    scene = read(world(include("model://arm/arm.urdf", more)), packages=models)
    (placed,) = scene.robots
    assert placed.name == "left"
    assert placed.T_world_robot[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert placed.robot.root_joints[0].type is JointType.FREE
    alone = read_urdf(arm, root="free", packages=models)
    expected = replace(scene, robots=[replace(placed, robot=alone)])
    found = [str(one) for one in differences(expected, scene)]
    assert [one for one in found if "/ 65535" not in one] == []  # whose bits are all those of SDF
    assert placed.robot.link("a").visuals[0].shape.path == models / "arm" / "hand.stl"


def test_robots_in_urdf_may_stand_nest_and_merge(models: Path, arm: Path) -> None:
    static = read(world(include("model://arm/arm.urdf", "<static>1</static>")), packages=models)
    assert static.robots[0].robot.root_joints[0].type is JointType.WELD
    inside = include("model://arm/arm.urdf", "<name>grip</name><pose>0 0 5 0 0 0</pose>")
    fixed = joint("hold", "fixed", "base", "grip::a")
    nested = read(f"<model name='m'>{link('base')}{inside}{fixed}</model>", packages=models).robots[0].robot
    assert [one.name for one in nested.links] == ["base", "grip::a", "grip::b", "grip::c"]
    assert nested.joint("hold").parent == "base"
    merged = include("model://arm/arm.urdf", attributes="merge='true'")
    flat = read(f"<model name='m'>{merged}</model>", packages=models).robots[0].robot
    assert [one.name for one in flat.links] == ["a", "b", "c"]


def test_an_empty_root_link_world_of_urdf_is_the_world(models: Path, arm: Path) -> None:
    anchor = "<joint name='w' type='fixed'><parent link='world'/><child link='a'/></joint>"
    arm.write_text(ROBOT.replace("</robot>", f"<link name='world'/>{anchor}</robot>"))
    robot = read(world(include("model://arm/arm.urdf")), packages=models).robots[0].robot
    assert [(one.name, one.type) for one in robot.root_joints] == [("w", JointType.WELD)]
    assert [one.name for one in robot.links] == ["a", "b", "c"]


def test_what_is_doubtful_in_urdf_names_file_and_line(models: Path, arm: Path) -> None:
    arm.write_text(ROBOT.replace("hand.stl", "none.stl").replace("izz='1'", "izz='9'", 1))
    with pytest.warns(ModelWarning) as caught:
        scene = read_sdf_string(sdf(world(include("model://arm/arm.urdf"))), packages=models)
    assert len(caught) == 2
    found = scene.robots[0].robot.diagnostics
    assert [(note.kind, note.file, note.line) for note in found] == [
        ("inertia", str(arm), 2),
        ("mesh", str(arm), 2),
    ]
    arm.write_text(ROBOT.replace("<parent link='b'/>", "<parent link='x'/>"))
    with pytest.raises(ModelFileError, match=r"arm\.urdf:8: <joint name='k'>: parent: no link named 'x'"):
        read(world(include("model://arm/arm.urdf")), packages=models)


def test_meshes_of_urdf_outside_of_the_roots_are_refused(models: Path, arm: Path) -> None:
    elsewhere = models.parent / "worlds" / "hand.stl"
    elsewhere.write_bytes(b"solid")
    arm.write_text(ROBOT.replace("package://arm/hand.stl", str(elsewhere)))
    text = world(include("model://arm/arm.urdf"))
    assert read(text, packages=models).robots[0].robot.link("a").visuals[0].shape.path == elsewhere
    with pytest.raises(ModelFileError, match="expected a file below one of the roots"):
        read(text, packages=models, roots=[models])


def test_what_is_doubtful_in_an_included_file_names_that_file(models: Path) -> None:
    (models / "box" / "box.sdf").write_text(
        sdf(f"<model name='box'>\n{link('a')}\n<plugin name='p'/></model>")
    )
    scene = read(world(include("model://box")), packages=models)
    (found,) = scene.robots[0].robot.diagnostics
    assert (found.file, found.line) == (str(models / "box" / "box.sdf"), 4)


def test_what_is_wrong_in_an_included_file_names_that_file(models: Path) -> None:
    (models / "box" / "box.sdf").write_text(sdf("<model name='box'>\n<link/></model>"))
    with pytest.raises(ModelFileError) as caught:
        read(world(include("model://box")), packages=models)
    assert (caught.value.file, caught.value.line) == (str(models / "box" / "box.sdf"), 3)


@pytest.mark.parametrize(
    "uri", ["model://box/../secret.sdf", "model://../secret.sdf", "package://box/../../secret.sdf"]
)
def test_names_of_models_do_not_lead_out_of_their_folder(models: Path, uri: str) -> None:
    (models / "secret.sdf").write_text(sdf("<model name='secret'><link name='a'/></model>"))
    (models.parent / "secret.sdf").write_text(sdf("<model name='secret'><link name='a'/></model>"))
    assert read(world(include(uri)), packages=models).robots == ()


def test_manifests_do_not_lead_out_of_their_folder(models: Path) -> None:
    (models / "secret.sdf").write_text(sdf("<model name='secret'><link name='a'/></model>"))
    (models / "box" / "model.config").write_text("<model><sdf version='1.9'>../secret.sdf</sdf></model>")
    with pytest.raises(ModelFileError, match="model file not found"):
        read(world(include("model://box")), packages=models)


@pytest.mark.parametrize("uri", ["{}/secret.sdf", "../secret.sdf", "file://{}/secret.sdf", "link.sdf"])
def test_nothing_is_opened_outside_of_the_roots(models: Path, uri: str) -> None:
    outside = models.parent
    (outside / "secret.sdf").write_text(sdf("<model name='secret'><link name='a'/></model>"))
    (models / "link.sdf").symlink_to(outside / "secret.sdf")
    text = sdf(world(include(uri.format(outside))))
    assert read_sdf_string(text, directory=models).robots[0].name == "secret"
    with pytest.raises(ModelFileError, match="expected a file below one of the roots"):
        read_sdf_string(text, directory=models, roots=models)
    assert read(world(include("box")), directory=models, roots=[models]).robots[0].name == "box"


def test_meshes_outside_of_the_roots_are_refused(models: Path) -> None:
    (models.parent / "a.stl").touch()
    mesh = link("a", "<visual name='v'><geometry><mesh><uri>../a.stl</uri></mesh></geometry></visual>")
    with pytest.raises(
        ModelFileError, match="<link name='a'>: visual/geometry/mesh: expected a file below one"
    ):
        read(f"<model name='m'>{mesh}</model>", directory=models, roots=models)


def test_models_that_include_themselves_are_refused(models: Path) -> None:
    text = link("a") + include("model://box", "<name>b</name>")
    (models / "box" / "box.sdf").write_text(sdf(f"<model name='box'>{text}</model>"))
    with pytest.raises(ModelFileError, match="expected at most 64 includes inside of each other") as caught:
        read(world(include("model://box")), packages=models)
    assert caught.value.file == str(models / "box" / "box.sdf")


def test_includes_that_multiply_are_refused(models: Path) -> None:
    """Ten includes of ten includes of ten: each file counts as often as it is included."""
    for level in range(10):
        inside = "".join(include(f"m{level + 1}.sdf", f"<name>n{i}</name>") for i in range(10))
        (models / f"m{level}.sdf").write_text(sdf(f"<model name='m'>{link('a')}{inside}</model>"))
    with pytest.raises(ModelFileError, match=r"expected included files of at most 0\.9537 MiB together"):
        read(world(include("m0.sdf")), directory=models, max_bytes=1_000_000)


def test_named_pipes_are_not_opened(models: Path) -> None:
    os.mkfifo(models / "pipe.sdf")
    with pytest.raises(ModelFileError, match="expected a regular file, got a named pipe"):
        read(world(include("pipe.sdf")), directory=models)


WRONG = [
    (include("model://empty"), "expected a file with a <model>, got none: 'model://empty'"),
    ("<include/>", "<include>: expected a <uri> element, got none"),
    ("<include><uri/></include>", "<include>: uri: expected a text, got none"),
    (include("model://box") * 2, "expected unique names, got 'box' twice: a model and a model"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_includes_name_line_and_element(models: Path, text: str, message: str) -> None:
    (models / "empty").mkdir()
    (models / "empty" / "model.sdf").write_text(sdf(""))
    with pytest.raises(ModelFileError) as caught:
        read(world(text), packages=models)
    assert message in str(caught.value)
