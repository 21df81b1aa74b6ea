from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kido.description import JointType, RobotDescription
from kido.errors import ModelFileError, ModelWarning
from kido.io import read_urdf, read_urdf_string

Read = Callable[..., RobotDescription]


def weld(name: str, parent: str, child: str) -> str:
    return f"\n<joint name='{name}' type='fixed'><parent link='{parent}'/><child link='{child}'/></joint>"


def links(names: str) -> str:
    return "".join(f"\n<link name='{name}'/>" for name in names.split())


@pytest.mark.parametrize(("root", "joint_type"), [("fixed", JointType.WELD), ("free", JointType.FREE)])
def test_root_link_is_attached_to_the_world(read_body: Read, root: str, joint_type: JointType) -> None:
    robot = read_body(links("b a") + weld("j", "a", "b"), root=root)
    (joint,) = robot.root_joints
    assert (joint.name, joint.type, joint.child) == ("root_joint", joint_type, "a")
    assert np.array_equal(joint.T_parent_joint, np.eye(4))


def test_root_joint_evades_taken_names(read_body: Read) -> None:
    body = links("a b c") + weld("root_joint", "a", "b") + weld("root_joint_2", "b", "c")
    assert read_body(body).root_joints[0].name == "root_joint_3"


def test_other_roots_are_refused(read_body: Read) -> None:
    with pytest.raises(ValueError, match="root: expected 'fixed' or 'free', got 'floating'"):
        read_body(links("a"), root="floating")


def test_an_empty_world_link_stays_fixed_and_says_so() -> None:
    text = f"<robot name='r'>{links('world a')}{weld('j', 'world', 'a')}</robot>"
    assert read_urdf_string(text).root_joints[0].type is JointType.WELD
    with pytest.warns(ModelWarning, match="link 'world' stands for the world and stays fixed"):
        robot = read_urdf_string(text, root="free")
    assert robot.root_joints[0].type is JointType.WELD
    assert robot.link("world").name == "world"
    assert [(d.kind, d.subject) for d in robot.diagnostics] == [("root", None)]


MASS = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"


@pytest.mark.parametrize(
    "body",
    [
        "<link name='world'/>",
        f"<link name='world'>{MASS}</link>{links('a')}{weld('j', 'world', 'a')}",
        "<link name='world'><collision><geometry><sphere radius='1'/></geometry></collision></link>"
        f"{links('a')}{weld('j', 'world', 'a')}",
    ],
    ids=["alone", "with mass", "with shape"],
)
def test_a_world_link_that_is_a_body_can_be_free(read_body: Read, body: str) -> None:
    assert read_body(body, root="free").root_joints[0].type is JointType.FREE


def test_order_of_the_file_is_kept(read_body: Read) -> None:
    robot = read_body(weld("k", "a", "c") + links("c a b") + weld("j", "a", "b"))
    assert [link.name for link in robot.links] == ["c", "a", "b"]
    assert [joint.name for joint in robot.joints] == ["root_joint", "k", "j"]


def test_elements_of_other_tools_are_ignored_and_reported(read_body: Read) -> None:
    gazebo = "<gazebo reference='a'><link name='x'/></gazebo>"
    transmission = "<transmission name='t'><joint name='j'/></transmission>"
    robot = read_body(f"{gazebo}\n{transmission}\n<sensor/><link name='a'><self_collide/>\n<visual2/></link>")
    assert [link.name for link in robot.links] == ["a"]
    assert [(note.kind, note.line, note.message) for note in robot.diagnostics] == [
        ("ignored", 2, "<gazebo>: ignored: 'a'"),
        ("ignored", 3, "<transmission name='t'>: ignored: 't'"),
        ("ignored", 4, "<sensor>: ignored"),
        ("ignored", 4, "<link name='a'>: self_collide: ignored"),
        ("ignored", 5, "<link name='a'>: visual2: ignored"),
    ]


MASS = "<mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
BOX = "<geometry><box size='1 1 1'/></geometry>"
ENDS = "<parent link='a'/><child link='b'/>"
LIMIT = "<limit lower='0' upper='1' velocity='1' effort='1'/>"


@pytest.mark.parametrize(
    ("of_link", "of_joint", "message"),
    [
        ("<inertial>" + MASS + "<pose/></inertial>", "", "inertial/pose: ignored"),
        (f"<inertial>{MASS}</inertial><inertial>{MASS}</inertial>", "", "only the first <inertial> is read"),
        (f"<collision>{BOX}<material name='m'/></collision>", "", "collision/material: ignored: 'm'"),
        (f"<visual>{BOX}<origin xyz='0 0 0' rpi='0 0 0'/></visual>", "", "origin: rpi: ignored: '0 0 0'"),
        (
            "<visual><geometry><box size='1 1 1'/><sphere radius='1'/></geometry></visual>",
            "",
            "sphere: ignored: only the first shape is read",
        ),
        (f"<visual>{BOX}word</visual>", "", "visual: ignored: the text 'word'"),
        ("", "<dynamics damping='1' stiffness='2'/>", "dynamics: stiffness: ignored: '2'"),
        ("", LIMIT, "limit: ignored: only the first <limit> is read"),
        ("", "<mimick joint='x'/>", "mimick: ignored"),
    ],
)
def test_what_a_reader_passes_over_is_reported(
    read_body: Read, of_link: str, of_joint: str, message: str
) -> None:
    joint = f"<joint name='j' type='revolute'>{ENDS}<axis xyz='0 0 1'/>{LIMIT}\n{of_joint}</joint>"
    robot = read_body(f"<link name='a'>\n{of_link}</link><link name='b'/>{joint}")
    (note,) = robot.diagnostics
    assert note.kind == "ignored"
    assert message in note.message
    assert note.line == (3 if of_link else 4)
    assert note.subject == ("a" if of_link else "j")


def test_limits_of_joints_that_have_none_are_reported(read_body: Read) -> None:
    for kind, told in (("floating", 1), ("planar", 1), ("fixed", 0), ("continuous", 0)):
        joint = f"<joint name='j' type='{kind}'>{ENDS}<axis xyz='0 0 1'/>{LIMIT}</joint>"
        robot = read_body(f"<link name='a'/><link name='b'/>{joint}")
        assert len(robot.diagnostics) == told


def test_very_many_ignored_elements_are_counted(read_body: Read) -> None:
    robot = read_body("<link name='a'/>" + "<gazebo/>" * 2000)
    assert len(robot.diagnostics) == 501
    assert robot.diagnostics[-1].message == "<robot name='r'>: 1500 more elements and attributes are ignored"


def test_a_robot_without_name_is_named_after_its_file(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text("<robot><link name='a'/></robot>")
    robot = read_urdf(file)
    assert robot.name == "arm"
    assert robot.source == file
    assert [d.kind for d in robot.diagnostics] == ["name"]
    assert read_urdf_string("<robot><link name='a'/></robot>").name == "robot"


def test_a_robot_without_links_warns() -> None:
    with pytest.warns(ModelWarning, match="the robot has no links"):
        robot = read_urdf_string("<robot name='r'/>")
    assert robot.links == robot.joints == ()


WRONG = [
    (links("a b a") + weld("j", "a", "b"), 5, "<link name='a'>", "expected unique names, got 2 links"),
    (
        links("a b c") + weld("j", "a", "b") + weld("j", "b", "c"),
        7,
        "<joint name='j'>",
        "expected unique names",
    ),
    (
        links("a bob") + weld("j", "a", "bo"),
        5,
        "<joint name='j'>",
        "child: no link named 'bo'; did you mean 'bob'?",
    ),
    (links("a bob") + weld("j", "bo", "a"), 5, "<joint name='j'>", "parent: no link named 'bo'"),
    (links("b") + weld("j", "world", "b"), 4, "<joint name='j'>", "parent: no link named 'world'"),
    (links("a b a"), 5, "<link name='a'>", "expected unique names, got 2 links"),
    (links("a b"), 4, "<link name='b'>", "expected one root link, got 'a', 'b'"),
    (links("a b") + weld("j", "a", "b") + weld("k", "a", "b"), 4, "<link name='b'>", "child of one joint"),
    (links("a b") + weld("j", "a", "b") + weld("k", "b", "a"), None, None, "links form a cycle"),
    (links("a b c") + weld("j", "c", "b") + weld("k", "b", "c"), None, None, "links form a cycle"),
    (links("a") + weld("j", "a", "a"), 3, "<link name='a'>", "links form a cycle: a -> a"),
]


@pytest.mark.parametrize(("body", "line", "element", "message"), WRONG)
def test_what_is_no_tree_is_refused_at_its_line(
    read_body: Read, body: str, line: int | None, element: str | None, message: str
) -> None:
    with pytest.raises(ModelFileError) as caught:
        read_body(body)
    assert message in caught.value.message
    if line is not None:
        assert (caught.value.line, caught.value.element) == (line, element)


def test_mimic_cycles_are_refused_at_their_joint(read_joint: Read) -> None:
    with pytest.raises(ModelFileError, match="<joint name='j'>: mimic joints form a cycle: j -> j"):
        read_joint("continuous", "<mimic joint='j'/>")


def test_another_root_element_is_refused() -> None:
    with pytest.raises(ModelFileError, match="<string>:1: <sdf>: expected a <robot> element, got <sdf>"):
        read_urdf_string("<sdf/>")


def test_reading_twice_gives_equal_robots(read_body: Read) -> None:
    body = links("a b") + weld("j", "a", "b")
    assert read_body(body) == read_body(body)
