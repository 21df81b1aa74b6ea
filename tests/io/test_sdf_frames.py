"""Frames, nested models and includes that are merged; poses computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from _sdf_text import BALL, joint, link, notes, read, read_model
from scipy.spatial.transform import Rotation

import kido
from kido.description import JointType, RobotDescription
from kido.errors import ModelFileError


def pose(x: float, y: float, z: float, yaw: float = 0.0) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("z", yaw).as_matrix()
    T[:3, 3] = x, y, z
    return T


def placed(name: str, at: str, more: str = "") -> str:
    return link(name, f"<pose {more}>{at}</pose>")


def link_poses(robot: RobotDescription) -> dict[str, np.ndarray]:
    skeleton = kido.Skeleton.from_description(robot)
    return {body.name: body.transform() for body in skeleton.bodies}


def test_poses_are_relative_to_frames_links_and_joints() -> None:
    text = placed("a", "1 2 3 0 0 0.5")
    text += placed("b", "1 0 0 0 0 0", "relative_to='a'")
    text += placed("c", "0 0 1 0 0 0", "relative_to='f'")
    text += placed("d", "0 0 2 0 0 0", "relative_to='j'")
    text += "<frame name='f' attached_to='b'><pose>0 1 0 0 0 0.2</pose></frame>"
    text += "<frame name='g' attached_to='f'><pose relative_to='__model__'>9 9 9 0 0 0</pose></frame>"
    text += joint("j", "fixed", "a", "b", "<pose>0 5 0 0 0 0</pose>")
    robot = read_model(text)
    found = link_poses(robot)
    T_a = pose(1, 2, 3, 0.5)
    T_b = T_a @ pose(1, 0, 0)
    T_f = T_b @ pose(0, 1, 0, 0.2)
    expected = {"a": T_a, "b": T_b, "c": T_f @ pose(0, 0, 1), "d": T_b @ pose(0, 5, 0) @ pose(0, 0, 2)}
    for name, T in expected.items():
        assert np.allclose(found[name], T, rtol=0.0, atol=1e-14), name
    f, g = robot.link("b").frames
    assert (f.name, f.kind, g.name) == ("f", "frame", "g")
    assert np.allclose(f.origin, pose(0, 1, 0, 0.2), rtol=0.0, atol=1e-14)
    assert np.allclose(T_b @ g.origin, pose(9, 9, 9), rtol=0.0, atol=1e-14)


def test_shapes_and_sensors_may_be_relative_to_any_frame_of_the_model() -> None:
    text = placed("a", "1 2 3 0 0 0.5", "") + "<frame name='f'><pose>4 2 4 0 0 1.3</pose></frame>"
    text = text.replace(
        "</link>", f"<visual name='v'><pose relative_to='f'>1 0 0 0 0 0</pose>{BALL}</visual></link>"
    )
    origin = read_model(text).link("a").visuals[0].origin
    expected = np.linalg.inv(pose(1, 2, 3, 0.5)) @ pose(4, 2, 4, 1.3) @ pose(1, 0, 0)
    assert np.allclose(origin, expected, rtol=0.0, atol=1e-14)


def test_before_1_7_poses_name_their_frame_otherwise() -> None:
    text = placed("a", "1 0 0 0 0 0") + placed("b", "0 2 0 0 0 0", "frame='a'")
    assert link_poses(read_model(text, "1.6"))["b"][:3, 3].tolist() == [1.0, 2.0, 0.0]
    newer = read_model(text, "1.7")
    assert link_poses(newer)["b"][:3, 3].tolist() == [0.0, 2.0, 0.0]
    assert notes(newer) == ["<link name='b'>: pose: frame: ignored: 'a'"]


def test_before_1_7_frames_that_are_not_there_are_reported() -> None:
    text = placed("a", "1 0 0 0 0 0", "frame='world'") + placed("b", "0 2 0 0 0 0", "frame='m::a'")
    text += joint("j", "fixed", "a", "b", "<pose frame='x'>0 0 3 0 0 0</pose>")
    text = text.replace(
        "</link>", f"<visual name='v'><pose frame='y'>0 0 4 0 0 0</pose>{BALL}</visual></link>", 1
    )
    robot = read_model(text, "1.6")
    assert link_poses(robot)["b"][:3, 3].tolist() == [0.0, 2.0, 0.0]
    assert robot.joint("j").T_child_joint[2, 3] == 3.0
    assert robot.link("a").visuals[0].origin[2, 3] == 4.0
    assert sorted(notes(robot)) == [
        "<joint name='j'>: pose: frame: ignored: 'x'",
        "<link name='a'>: pose: frame: ignored: 'world'",
        "<link name='a'>: visual: pose: frame: ignored: 'y'",
        "<link name='b'>: pose: frame: ignored: 'm::a'",
    ]


NESTED = """<model name='{name}' {more}><pose {to}>0 0 1 0 0 0.5</pose>
<link name='base'><inertial><mass>1</mass><inertia/></inertial></link>
<link name='tip'><pose>1 0 0 0 0 0</pose><inertial><mass>1</mass><inertia/></inertial></link>
<frame name='mount' attached_to='tip'><pose>0 0 0.5 0 0 0</pose></frame>
<joint name='j' type='revolute'><parent>base</parent><child>tip</child><axis><xyz>0 0 1</xyz></axis></joint>
</model>"""


def test_links_of_nested_models_have_scoped_names_and_their_place() -> None:
    text = placed("a", "1 0 0 0 0 0") + NESTED.format(name="n", more="", to="relative_to='a'")
    text += joint("k", "fixed", "a", "n::base") + "<frame name='f' attached_to='n::mount'/>"
    text += placed("b", "0 0 1 0 0 0", "relative_to='n::mount'")
    robot = read_model(text)
    assert [one.name for one in robot.links] == ["a", "b", "n::base", "n::tip"]
    assert {one.name for one in robot.joints} == {"root_joint", "root_joint_2", "k", "n::j"}
    found = link_poses(robot)
    T_n = pose(1, 0, 0) @ pose(0, 0, 1, 0.5)
    assert np.allclose(found["n::tip"], T_n @ pose(1, 0, 0), rtol=0.0, atol=1e-14)
    assert np.allclose(found["b"], T_n @ pose(1, 0, 1.5), rtol=0.0, atol=1e-14)
    assert [frame.name for frame in robot.link("n::tip").frames] == ["f", "n::mount"]
    assert robot.joint("n::j").parent == "n::base"


def test_a_placement_frame_stands_where_the_pose_says() -> None:
    robot = read_model(link("a") + NESTED.format(name="n", more="placement_frame='mount'", to=""))
    expected = pose(0, 0, 1, 0.5) @ pose(-1, 0, -0.5)
    assert np.allclose(link_poses(robot)["n::base"], expected, rtol=0.0, atol=1e-14)


def test_joints_may_join_frames_and_models() -> None:
    text = "<frame name='f' attached_to='a'><pose>0 1 0 0 0 0</pose></frame>" + link("a")
    text += NESTED.format(name="n", more="canonical_link='tip'", to="")
    text += joint("k", "revolute", "f", "n", "<axis><xyz>0 0 1</xyz></axis>")
    found = read_model(text).joint("k")
    assert (found.parent, found.child) == ("a", "n::tip")
    assert np.allclose(found.T_parent_joint, pose(0, 0, 1, 0.5), rtol=0.0, atol=1e-14)
    assert np.allclose(found.T_child_joint, pose(-1, 0, 0), rtol=0.0, atol=1e-14)


def test_links_of_static_nested_models_stand() -> None:
    nested = NESTED.format(name="n", more="", to="").replace("<link", "<static>1</static><link", 1)
    scene = read(f"<model name='m'>{link('a')}{nested}</model>")
    robot = scene.robots[0].robot
    assert [j.type for j in robot.root_joints] == [JointType.FREE, JointType.WELD]
    assert scene.robots[0].mobile


def test_old_models_may_give_a_link_and_a_joint_the_same_name() -> None:
    text = placed("a", "1 0 0 0 0 0") + placed("b", "2 0 0 0 0 0")
    robot = read_model(text + joint("a", "fixed", "a", "b"), "1.6")
    assert robot.joint("a").parent == "a"
    with pytest.raises(ModelFileError, match="expected unique names, got 'a' twice: a link and a joint"):
        read_model(text + joint("a", "fixed", "a", "b"), "1.7")


@pytest.mark.parametrize("name", ["world", "__model__"])
def test_names_of_the_world_and_the_model_are_reserved(name: str) -> None:
    with pytest.raises(ModelFileError, match=f"<link name='{name}'>: name: '{name}' is reserved"):
        read_model(link(name))
    text = link("a") + link(name) + joint("j", "fixed", name, "a")
    assert (
        f"name: '{name}' names the world or the model itself"
        in notes(read_model(link(name), "1.6"), "name")[0]
    )
    if name == "world":
        assert read_model(text, "1.6").joint("j").parent is None


def chain(length: int) -> str:
    frames = "".join(
        f"<frame name='f{i}' attached_to='f{i + 1}'><pose>0.001 0 0 0 0 0</pose></frame>"
        for i in range(length)
    )
    return f"{link('a')}{frames}<frame name='f{length}' attached_to='a'/>"


def test_long_chains_of_frames_are_resolved() -> None:
    robot = read_model(chain(20_000))
    assert robot.link("a").frames[0].origin[0, 3] == pytest.approx(20.0, rel=1e-9)


WRONG = [
    ("<frame name='f' attached_to='x'/>", "no frame named 'x' in 'm'; valid names: 'a', 'f'"),
    ("<frame name='f'><pose relative_to='x'/></frame>", "no frame named 'x' in 'm'"),
    ("<frame name='f'><pose relative_to='n::x'/></frame>", "no frame named 'n::x' in 'm'"),
    ("<frame name='f' attached_to='f'/>", "cycle at 'f'"),
    ("<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>", "cycle at"),
    (
        "<frame name='f'><pose relative_to='g'/></frame><frame name='g'><pose relative_to='f'/></frame>",
        "relative_to: poses form a cycle at 'f'",
    ),
    ("<frame name='a'/>", "expected unique names, got 'a' twice: a link and a frame"),
    ("<frame/>", "<frame>: name: expected a value, but it is missing"),
    ("<model name='n'><frame name='f'/></model>", "<frame name='f'>: model 'n' has no link"),
    ("<model name='n' placement_frame='x'><link name='b'/></model>", "no frame named 'x' in 'n'"),
    (
        "<model name='n' canonical_link='c'><link name='b'/></model>",
        "<model name='n'>: canonical_link: no frame named 'c' in 'n'; valid names: 'b'",
    ),
    ("<model><link name='b'/></model>", "<model>: name: expected a value, but it is missing"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_frames_name_line_and_element(text: str, message: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        read_model(f"{link('a')}\n{text}")
    assert message in str(caught.value)
    assert caught.value.line == 4


def test_models_nest_so_deep_and_no_deeper() -> None:
    def nested(depth: int) -> str:
        start = "".join(f"<model name='m{i}'>" for i in range(depth))
        return f"{start}{link('a')}{'</model>' * depth}"

    scene = read(nested(60))
    assert scene.robots[0].robot.links[0].name == "::".join(f"m{i}" for i in range(1, 60)) + "::a"
    with pytest.raises(ModelFileError, match="expected at most 64 models inside of each other"):
        read(nested(80))
