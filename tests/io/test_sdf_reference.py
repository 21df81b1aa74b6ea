"""SDFormat against Drake, which reads it with libsdformat, against DART, and against the robot as URDF."""

from __future__ import annotations

import json
import warnings
from importlib.metadata import files
from pathlib import Path
from typing import Any

import dartpy as dart
import numpy as np
import pytest

import kido
from kido.description import ClosureDescription, CouplingDescription, SceneDescription
from kido.errors import ModelFileError, ModelWarning
from kido.io import read_scene, read_sdf, read_sdf_string, read_urdf_string

DATA = Path(__file__).with_name("data") / "sdf"
REFERENCE: dict[str, Any] = json.loads((DATA / "workcell.json").read_text())
TOLERANCE = {"rtol": 0.0, "atol": 1e-13}
PACKAGED = {
    Path(str(file)).name: Path(str(file.locate()))
    for file in files("example-robot-data") or ()
    if file.suffix in (".sdf", ".world")
}


@pytest.fixture(scope="module")
def workcell() -> SceneDescription:
    return read_sdf(DATA / "workcell.sdf", packages=DATA / "models")


def skeletons(scene: SceneDescription) -> dict[str, kido.Skeleton]:
    return {placed.name: kido.Skeleton.from_description(placed.placed()) for placed in scene.robots}


def test_links_stand_and_move_as_in_drake(workcell: SceneDescription) -> None:
    compared = 0
    for name, skeleton in skeletons(workcell).items():
        for state, positions in (("start", {}), ("moved", REFERENCE["positions"][name])):
            for joint, values in positions.items():
                skeleton.joint(joint).positions = values
            for body in skeleton.bodies:
                expected = REFERENCE[state][f"{name}::{body.name}"]
                assert np.allclose(body.transform(), expected, **TOLERANCE), (state, name, body.name)
                compared += 1
    assert compared == len(REFERENCE["start"]) + len(REFERENCE["moved"]) == 34


def test_inertias_are_those_of_drake(workcell: SceneDescription) -> None:
    for placed in workcell.robots:
        for link in placed.robot.links:
            expected = REFERENCE["inertias"][f"{placed.name}::{link.name}"]
            assert link.inertia is not None
            mass, com, moment = link.inertia.mass, link.inertia.com, link.inertia.moment
            about_origin = moment + mass * ((com @ com) * np.eye(3) - np.outer(com, com))
            assert mass == pytest.approx(expected["mass"], rel=1e-15)
            assert np.allclose(com, expected["com"], **TOLERANCE)
            assert np.allclose(about_origin, expected["moment_at_origin"], **TOLERANCE)


def test_frames_stand_as_in_drake(workcell: SceneDescription) -> None:
    found = {
        f"{placed.name}::{frame.name}": body.transform() @ frame.origin
        for placed, skeleton in zip(workcell.robots, skeletons(workcell).values(), strict=True)
        for body in skeleton.bodies
        for frame in placed.robot.link(body.name).frames
    }
    for name, expected in REFERENCE["frames"].items():
        assert np.allclose(found[name], expected, **TOLERANCE), name
    assert len(REFERENCE["frames"]) == 8


INERTIAL = """<inertial><pose>0.1 0.2 0.3 0 0 0</pose><mass>3</mass><inertia><ixx>0.03</ixx><ixy>0.001</ixy>
<ixz>0.002</ixz><iyy>0.04</iyy><iyz>0.003</iyz><izz>0.05</izz></inertia></inertial>"""
TWO_LINKS = """<sdf version="{version}"><model name="m"><pose>1 2 3 0.1 0.2 0.3</pose>
<link name="a"><pose>0.1 0 0 0.4 0 0</pose>{inertial}</link>
<link name="b"><pose>0.5 0.1 0.2 0 0.7 0.2</pose>{inertial}</link>
<joint name="j" type="{kind}"><pose>0.1 0.2 0.3 0.3 0.2 0.1</pose><parent>a</parent><child>b</child>{inside}
<axis><xyz>0 0.6 0.8</xyz><use_parent_model_frame>{flag}</use_parent_model_frame>
<limit><lower>-2</lower><upper>2</upper></limit><dynamics><damping>0.1</damping><friction>0.2</friction>
<spring_reference>0.3</spring_reference><spring_stiffness>4</spring_stiffness></dynamics></axis>{more}</joint>
</model></sdf>"""
AXIS_2 = "<axis2><xyz>1 0 0</xyz><use_parent_model_frame>{flag}</use_parent_model_frame><limit/></axis2>"


@pytest.mark.parametrize("version", ["1.5", "1.6"])
@pytest.mark.parametrize("flag", [0, 1])
@pytest.mark.parametrize(
    ("kind", "positions"), [("revolute", [0.8]), ("prismatic", [0.3]), ("universal", [0.8, -0.4])]
)
def test_two_links_move_as_in_dart(
    tmp_path: Path, version: str, flag: int, kind: str, positions: list[float]
) -> None:
    """Inertias are not turned: DART leaves out how the pose of an inertial is."""
    more = AXIS_2.format(flag=flag) if kind == "universal" else ""
    text = TWO_LINKS.format(version=version, inertial=INERTIAL, kind=kind, flag=flag, more=more, inside="")
    file = tmp_path / "two.sdf"
    file.write_text(text)
    skeleton, reference = kido.load(file), dart.utils.SdfParser.readSkeleton(str(file))
    assert skeleton.num_dofs == reference.getNumDofs() == 6 + len(positions)
    skeleton.joint("j").positions = positions
    for number, position in enumerate(positions):
        reference.getJoint("j").setPosition(number, position)
    for body in skeleton.bodies:
        expected = reference.getBodyNode(body.name).getWorldTransform().matrix()
        assert np.allclose(body.transform(), expected, **TOLERANCE), body.name
    assert np.allclose(skeleton.mass_matrix[6:, 6:], reference.getMassMatrix()[6:, 6:], rtol=0.0, atol=1e-12)
    own, joint = skeleton.joint("j"), reference.getJoint("j")
    assert own.spring_stiffness[0] == joint.getSpringStiffness(0) == 4.0
    assert own.rest_positions[0] == joint.getRestPosition(0) == 0.3
    assert own.damping[0] == joint.getDampingCoefficient(0) == 0.1
    assert own.coulomb_friction[0] == joint.getCoulombFriction(0) == 0.2


URDF = """<robot name="arm">
<link name="base"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="3"/>
<inertia ixx="0.03" ixy="0.001" ixz="0.002" iyy="0.04" iyz="0.003" izz="0.05"/></inertial></link>
<link name="fore"><inertial><mass value="1"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial>
<collision name="c"><origin xyz="0.1 0 0" rpy="0 1.5 0"/>
<geometry><cylinder radius="0.1" length="0.4"/></geometry>
</collision></link>
<link name="hand"><inertial><mass value="0.5"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="fore"/>
<origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/><axis xyz="0 0.6 0.8"/>
<limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.1" friction="0.2"/></joint>
<joint name="slide" type="prismatic"><parent link="fore"/><child link="hand"/>
<origin xyz="0.4 0 0" rpy="0 0.5 0"/><axis xyz="1 0 0"/><limit lower="0" upper="0.1" effort="5" velocity="1"/>
<mimic joint="turn" multiplier="0.05" offset="0.01"/></joint></robot>"""

SDF = """<sdf version="1.11"><model name="arm">
<link name="base"><inertial><pose>0.1 0.2 0.3 0.3 0.2 0.1</pose><mass>3</mass><inertia><ixx>0.03</ixx>
<ixy>0.001</ixy><ixz>0.002</ixz><iyy>0.04</iyy><iyz>0.003</iyz><izz>0.05</izz></inertia></inertial></link>
<link name="fore"><pose relative_to="turn"/><inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.02</iyy>
<izz>0.015</izz></inertia></inertial><collision name="c"><pose>0.1 0 0 0 1.5 0</pose>
<geometry><cylinder>
<radius>0.1</radius><length>0.4</length></cylinder></geometry></collision></link>
<link name="hand"><pose relative_to="slide"/><inertial><mass>0.5</mass><inertia><ixx>0.01</ixx>
<iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>
<joint name="anchor" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="turn" type="revolute"><pose relative_to="base">0.1 0.2 0.3 0.3 0.2 0.1</pose>
<parent>base</parent>
<child>fore</child><axis><xyz>0 0.6 0.8</xyz><limit><lower>-1</lower><upper>2</upper><effort>30</effort>
<velocity>4</velocity></limit><dynamics><damping>0.1</damping><friction>0.2</friction></dynamics></axis></joint>
<joint name="slide" type="prismatic"><pose relative_to="fore">0.4 0 0 0 0.5 0</pose><parent>fore</parent>
<child>hand</child><axis><xyz>1 0 0</xyz><limit><lower>0</lower><upper>0.1</upper><effort>5</effort>
<velocity>1</velocity></limit><mimic joint="turn">
<multiplier>0.05</multiplier><offset>0.01</offset></mimic></axis>
</joint></model></sdf>"""


def test_the_same_robot_as_urdf_and_as_sdf_is_the_same_tree() -> None:
    urdf, sdf = read_urdf_string(URDF), read_sdf_string(SDF).single_robot()
    assert sdf.diagnostics == ()
    assert sdf.links[0] == urdf.links[0].__class__(**{**vars_of(urdf.links[0]), "line": sdf.links[0].line})
    for name in ("turn", "slide"):
        own, other = sdf.joint(name), urdf.joint(name)
        assert (own.type, own.parent, own.child, own.mimic) == (
            other.type,
            other.parent,
            other.child,
            other.mimic,
        )
        assert np.allclose(own.T_parent_joint, other.T_parent_joint, **TOLERANCE)
        assert np.allclose(own.T_child_joint, np.eye(4), **TOLERANCE)
        assert np.allclose(own.axes, other.axes, **TOLERANCE)
        assert (own.limits, own.dynamics) == (other.limits, other.dynamics)
    own_tree, other_tree = kido.Tree.from_description(sdf), kido.Tree.from_description(urdf)
    q = np.array([0.7, 0.05])
    assert own_tree.dof_names == other_tree.dof_names
    assert np.allclose(own_tree.mass_matrix(q), other_tree.mass_matrix(q), **TOLERANCE)
    assert np.allclose(
        own_tree.inverse_dynamics(q, q, q), other_tree.inverse_dynamics(q, q, q), rtol=0.0, atol=1e-12
    )


def vars_of(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def test_the_package_has_the_files_that_are_read() -> None:
    assert len(PACKAGED) >= 5


@pytest.mark.parametrize("name", sorted(name for name in PACKAGED if name.endswith(".sdf")))
def test_files_of_example_robot_data_are_read(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        scene = read_scene(PACKAGED[name])
    robot = scene.single_robot()
    assert robot.name == "cassie" and len(robot.links) >= 23
    assert np.isfinite(kido.Tree.from_description(robot).mass_matrix(np.zeros(len_dofs(robot)))).all()
    loops = [one for one in scene.constraints if isinstance(one, ClosureDescription)]
    assert {one.name.partition("::")[2].partition("-")[2] for one in loops} >= {"plantar-foot-joint"}
    for closure in loops:
        self_check(scene, closure)


def len_dofs(robot: Any) -> int:
    return sum(joint.num_dofs for joint in robot.joints)


def self_check(scene: SceneDescription, closure: ClosureDescription) -> None:
    """The frames of a closure coincide where the model begins."""
    skeleton = kido.Skeleton.from_description(scene.single_robot())
    skeleton.positions = np.zeros(skeleton.num_dofs)
    ends = [
        skeleton.body(end.link).transform() @ end.T_link_frame if end.link else end.T_link_frame
        for end in (closure.first, closure.second)
    ]
    assert np.allclose(ends[0], ends[1], rtol=0.0, atol=1e-12)


def test_gearboxes_of_cassie_couple_the_motors_with_the_joints() -> None:
    with pytest.warns(ModelWarning):
        scene = read_scene(PACKAGED["cassie.sdf"])
    gears = [one for one in scene.constraints if isinstance(one, CouplingDescription)]
    ratios = sorted(round(-1.0 / one.coefficients[1]) for one in gears)
    assert ratios == sorted([25, 25, 16, 16, 50] * 2)


def test_an_xml_declaration_inside_of_a_file_is_refused() -> None:
    with pytest.raises(ModelFileError, match=r"cassie\.world:17: not well-formed XML"):
        read_scene(PACKAGED["cassie.world"])
