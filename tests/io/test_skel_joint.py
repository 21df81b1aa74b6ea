"""The <joint> element of SKEL files."""

from __future__ import annotations

import math

import numpy as np
import pytest
from _skel import read_robot, read_world

import kido
from kido.description import ActuatorType, JointDescription, JointType
from kido.errors import ModelFileError

BODIES = "<body name='a'><transformation>0 0 1 0 0 0</transformation></body><body name='b'/>"
ENDS = "<parent>a</parent><child>b</child>"
AXIS = "<axis><xyz>1 0 0</xyz></axis>"
AXIS2 = "<axis2><xyz>0 0 1</xyz></axis2>"
INSIDE = {
    "revolute": AXIS,
    "prismatic": AXIS,
    "screw": AXIS,
    "universal": AXIS + AXIS2,
    "euler": "<axis_order>xyz</axis_order>",
}
CORNER = math.pi / 2


def joint_of(kind: str, inside: str | None = None, attributes: str = "") -> JointDescription:
    if inside is None:
        inside = INSIDE.get(kind, "")
    joint = f"<joint name='j' type='{kind}' {attributes}>{ENDS}{inside}</joint>"
    return read_robot(BODIES + joint).joint("j")


def moved(kind: str, inside: str, positions: list[float]) -> kido.Skeleton:
    """A robot of one joint at positions [rad, m]."""
    joint = f"<joint name='j' type='{kind}'><parent>world</parent><child>b</child>{inside}</joint>"
    robot = kido.Skeleton.from_description(read_robot(f"<body name='b'/>{joint}"))
    robot.positions = positions
    return robot


@pytest.mark.parametrize("kind", list(JointType))
def test_every_type_of_joint_is_read(kind: JointType) -> None:
    joint = joint_of(kind)
    assert (joint.type, joint.parent, joint.child, joint.line) == (kind, "a", "b", 2)
    assert np.allclose(joint.T_parent_joint[:3, 3], [0, 0, -1], rtol=0, atol=1e-15)
    assert joint.pitch == (0.1 if kind is JointType.SCREW else 0.0)
    assert joint.actuator is None and joint.mimic is None


def test_screws_move_by_their_pitch_in_a_turn() -> None:
    robot = moved("screw", "<axis><xyz>0 2 0</xyz><pitch>0.5</pitch></axis>", [-CORNER])
    T = robot.body("b").transform()
    assert np.allclose(T[:3, 3], [0.0, -0.125, 0.0], rtol=0, atol=1e-15)
    assert np.allclose(T[:3, 0], [0.0, 0.0, 1.0], rtol=0, atol=1e-15)


PLANES = {
    "": ((1, 0, 0), (0, 1, 0), ("_x", "_y")),
    "<plane type='xy'/>": ((1, 0, 0), (0, 1, 0), ("_x", "_y")),
    "<plane type='yz'/>": ((0, 1, 0), (0, 0, 1), ("_y", "_z")),
    "<plane type='zx'/>": ((0, 0, 1), (1, 0, 0), ("_z", "_x")),
}


@pytest.mark.parametrize("plane", PLANES)
def test_planes_say_along_what_a_joint_moves(plane: str) -> None:
    first, second, endings = PLANES[plane]
    flat = moved("translational2d", plane, [0.25, -0.5]).body("b").transform()
    assert np.allclose(flat[:3, 3], np.multiply(first, 0.25) - np.multiply(second, 0.5), rtol=0, atol=1e-15)
    turned = moved("planar", plane, [0.25, -0.5, CORNER]).body("b").transform()
    assert np.allclose(turned[:3, 3], flat[:3, 3], rtol=0, atol=1e-15)
    assert np.allclose(turned[:3, :3] @ first, second, rtol=0, atol=1e-15)
    names = joint_of("planar", plane).dof_names or ("j_x", "j_y", "j_rot")
    assert names == (f"j{endings[0]}", f"j{endings[1]}", "j_rot")
    assert joint_of("translational2d", plane).dof_names == (f"j{endings[0]}", f"j{endings[1]}")


def test_arbitrary_planes_are_made_orthogonal() -> None:
    plane = """<plane type='arbitrary'><translation_axis1><xyz>0 0 2</xyz></translation_axis1>
               <translation_axis2><xyz>0 3 {}</xyz></translation_axis2></plane>"""
    joint = joint_of("planar", plane.format(0))
    assert joint.axes.tolist() == [[0, 0, 1], [0, 1, 0]]
    assert joint.dof_names == ("j_1", "j_2", "j_rot")
    inside = f"{BODIES}<joint name='j' type='translational2d'>{ENDS}{plane.format(3)}</joint>"
    robot = read_robot(inside)
    assert np.allclose(robot.joint("j").axes, [[0, 0, 1], [0, 1, 0]], rtol=0, atol=1e-15)
    found = [d for d in robot.diagnostics if "second axis" in d.message]
    assert [(d.kind, d.line, d.subject) for d in found] == [("substituted", 2, "j")]


@pytest.mark.parametrize("order", ["xyz", "zyx", "yxz", "zxz"])
def test_euler_joints_turn_about_their_axes_in_order(order: str) -> None:
    """DART's reader knows two orders and takes the first for all others."""
    robot = moved("euler", f"<axis_order>{order}</axis_order>", [0.3, -0.5, 0.7])
    expected = kido.math.euler_to_matrix([0.3, -0.5, 0.7], order.upper())
    assert np.allclose(robot.body("b").transform()[:3, :3], expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("actuator", [a for a in ActuatorType if a is not ActuatorType.MIMIC])
def test_actuators_are_kept(actuator: ActuatorType) -> None:
    assert joint_of("ball", attributes=f"actuator='{actuator}'").actuator is actuator


def test_a_mimic_without_a_leader_is_driven_by_forces_and_says_so() -> None:
    robot = read_robot(f"{BODIES}<joint name='j' type='ball' actuator='mimic'>{ENDS}</joint>")
    assert robot.joint("j").actuator is ActuatorType.FORCE
    assert ("mimic", "j") in [(d.kind, d.subject) for d in robot.diagnostics]


def test_limits_and_passive_forces_come_from_the_axes_then_from_the_dofs() -> None:
    inside = """<axis_order>xyz</axis_order>
      <axis><damping>1</damping><limit><lower>-1</lower><upper>inf</upper></limit></axis>
      <axis2><damping>2</damping><dynamics><damping>3</damping><friction>4</friction></dynamics>
        <limit><upper>2</upper></limit></axis2>
      <axis3><dynamics><spring_stiffness>5</spring_stiffness>
        <spring_rest_position>-0.5</spring_rest_position></dynamics></axis3>
      <dof local_index='2' name='third'><position lower='-3' upper='+3'/><velocity lower='-4' upper='5'/>
        <acceleration lower='-6' upper='7'/><force lower='-8' upper='9'/><damping>10</damping>
        <friction>11</friction><spring_stiffness>12</spring_stiffness>
        <spring_rest_position>0.25</spring_rest_position></dof>
      <dof local_index='0'><position upper='1.5'/></dof>"""
    joint = joint_of("euler", inside)
    limits, dynamics, inf = joint.limits, joint.dynamics, math.inf
    assert limits.lower.tolist() == [-1, -inf, -3] and limits.upper.tolist() == [1.5, 2, 3]
    assert limits.lowest_velocity.tolist() == [-inf, -inf, -4] and limits.velocity.tolist() == [inf, inf, 5]
    assert limits.lowest_acceleration.tolist() == [-inf, -inf, -6]
    assert limits.acceleration.tolist() == [inf, inf, 7]
    assert limits.lowest_effort.tolist() == [-inf, -inf, -8] and limits.effort.tolist() == [inf, inf, 9]
    assert dynamics.damping.tolist() == [1, 3, 10] and dynamics.friction.tolist() == [0, 4, 11]
    assert dynamics.stiffness.tolist() == [0, 0, 12] and dynamics.rest_position.tolist() == [0, 0, 0.25]
    assert joint.dof_names == ("j_x", "j_y", "third")


def test_symmetric_bounds_of_velocity_are_one_number() -> None:
    joint = joint_of("revolute", AXIS + "<dof><velocity lower='-4' upper='4'/></dof>")
    assert joint.limits.velocity_lower is None and joint.limits.velocity.tolist() == [4]


def test_what_a_joint_does_not_have_is_reported() -> None:
    inside = """<transformation>0 0 0 0 0 0</transformation><axis><damping>1</damping></axis>
      <dof local_index='0'><acceleration initial='1' upper='2'/><force initial='3'/></dof>
      <gearing ratio='3'/><!-- nothing --> stray"""
    robot = read_robot(f"{BODIES}<joint\nname='j' type='ball' colour='red'>{ENDS}{inside}</joint>")
    found = [(d.kind, d.message, d.subject) for d in robot.diagnostics if d.kind == "ignored"]
    place = "<joint name='j'>: "
    assert sorted(found) == sorted(
        ("ignored", place + text, "j")
        for text in (
            "attribute 'colour' ignored",
            "text 'stray' ignored",
            "axis: ignored",
            "gearing: ignored",
            "dof/acceleration: attribute 'initial' ignored",
            "dof/force: attribute 'initial' ignored",
        )
    )


def test_a_second_element_where_one_counts_is_reported() -> None:
    robot = read_robot(f"{BODIES}<joint name='j' type='weld'>{ENDS}\n<child>a</child></joint>")
    last = robot.diagnostics[-1]
    assert (last.message, last.line) == ("<joint name='j'>: child: ignored: there is one before it", 3)


def test_initial_positions_and_velocities_are_a_state_of_the_scene() -> None:
    first = (
        f"<joint name='j' type='revolute'>{ENDS}{AXIS}<init_pos>0.5</init_pos><init_vel>-2</init_vel></joint>"
    )
    root = """<joint name='root' type='ball'><parent>world</parent><child>a</child>
      <dof local_index='1'><position initial='0.3'/></dof></joint>"""
    scene = read_world(f"<skeleton name='r'>{BODIES}{first}{root}</skeleton>")
    assert scene.initial_state == "initial"
    states = {state.joint: state for state in scene.state("initial").joints}
    assert states["j"].positions is not None and states["j"].positions.tolist() == [0.5]
    assert states["j"].velocities is not None and states["j"].velocities.tolist() == [-2]
    assert states["root"].positions is not None and states["root"].positions.tolist() == [0, 0.3, 0]
    assert states["root"].velocities is None and states["root"].commands is None
    quiet = read_world(f"<skeleton name='r'>{BODIES}</skeleton>")
    assert quiet.initial_state is None and quiet.states == ()


def test_initial_positions_beyond_the_limits_are_reported() -> None:
    axis = "<axis><xyz>1 0 0</xyz><limit><lower>-0.2</lower><upper>0.4</upper></limit></axis>"
    for position in (-0.3, -0.1, 0.3, 0.5):
        inside = f"{axis}<init_pos>{position}</init_pos>"
        robot = read_robot(f"{BODIES}<joint name='j' type='revolute'>{ENDS}{inside}</joint>")
        found = [d.message for d in robot.diagnostics if d.kind == "limit"]
        text = "<joint name='j'>: initial position of dof 0 is beyond the limits"
        assert found == ([text] if position in (-0.3, 0.5) else [])


def test_bodies_that_no_joint_carries_are_free() -> None:
    robot = read_robot(
        "<body name='a'><transformation>1 2 3 0 0 0.5</transformation></body><body name='b'/>"
        "<joint name='root' type='weld'><parent>a</parent><child>b</child></joint>"
    )
    root = robot.root_joints[0]
    assert (root.name, root.type, root.child) == ("root(1)", JointType.FREE, "a")
    assert root.T_parent_joint[:3, 3].tolist() == [1, 2, 3]
    assert root.T_parent_joint[1, 0] == pytest.approx(math.sin(0.5))
    assert "no joint carries it: free joint 'root(1)'" in [
        d.message.split(": ", 1)[1] for d in robot.diagnostics
    ]


def test_names_of_joints_become_unique() -> None:
    joints = "".join(
        f"<joint {name} type='weld'><parent>world</parent><child>{child}</child></joint>"
        for name, child in (("name='j'", "a"), ("name='j'", "b"), ("name='j(1)'", "c"), ("", "d"))
    )
    robot = read_robot("".join(f"<body name='{name}'/>" for name in "abcd") + joints)
    assert {joint.child: joint.name for joint in robot.joints} == {
        "a": "j",
        "b": "j(1)",
        "c": "j(1)(1)",
        "d": "joint",
    }
    assert len([d for d in robot.diagnostics if d.kind == "name"]) == 3


def test_names_of_dofs_become_unique() -> None:
    """A joint's first dof has the joint's name, or one that another dof may have."""
    joints = "".join(
        f"\n<joint name='{name}' type='{kind}'><parent>world</parent><child>{child}</child>{inside}</joint>"
        for name, kind, child, inside in (
            ("j", "revolute", "a", f"{AXIS}<dof name='q'/>"),
            ("q", "prismatic", "b", AXIS),
            ("k", "ball", "c", "<dof local_index='0' name='q'/><dof local_index='2' name='q'/>"),
        )
    )
    robot = read_robot("".join(f"<body name='{name}'/>" for name in "abc") + joints)
    assert [joint.dof_names for joint in robot.joints] == [("q",), ("q(1)",), ("q(2)", "k_y", "q(3)")]
    found = [(d.line, d.subject, d.message.split(": ", 1)[1]) for d in robot.diagnostics if d.kind == "name"]
    assert found == [
        (4, "q", "dof 'q': name taken before, becomes 'q(1)'"),
        (5, "k", "dof 'q': name taken before, becomes 'q(2)'"),
        (5, "k", "dof 'q': name taken before, becomes 'q(3)'"),
    ]
    names = [dof.name for dof in kido.Skeleton.from_description(robot).dofs]
    assert names == ["q", "q(1)", "q(2)", "k_y", "q(3)"]


def test_a_body_may_be_called_world() -> None:
    robot = read_robot(
        "<body name='world'/><body name='b'/><joint name='j' type='weld'>"
        "<parent>world</parent><child>b</child></joint>"
    )
    assert robot.joint("j").parent == "world"


WRONG = [
    ("type='hinge'", ENDS, "", "type: expected one of weld, revolute, "),
    ("", ENDS, "", "type: expected a value, but it is missing"),
    ("type='weld' actuator='motor'", ENDS, "", "actuator: expected one of force, passive, servo, "),
    ("type='weld'", "<child>b</child>", "", "expected a <parent> element, got none"),
    ("type='weld'", "<parent>a</parent>", "", "expected a <child> element, got none"),
    ("type='weld'", "<parent/><child>b</child>", "", "parent: expected a value, but it is empty"),
    ("type='weld'", "<parent>c</parent><child>b</child>", "", "parent: no body named 'c'"),
    ("type='weld'", "<parent>a</parent><child>world</child>", "", "child: no body named 'world'"),
    ("type='revolute'", ENDS, "", "expected a <axis> element, got none"),
    ("type='revolute'", ENDS, "<axis/>", "axis: expected a <xyz> element, got none"),
    ("type='revolute'", ENDS, "<axis><xyz>0 0 0</xyz></axis>", "axis: xyz: expected a nonzero"),
    ("type='revolute'", ENDS, "<axis><xyz>0 0 inf</xyz></axis>", "axis/xyz: expected 3 finite numbers, got"),
    (
        "type='revolute'",
        ENDS,
        "<axis><xyz>1 0</xyz></axis>",
        "axis/xyz: expected 3 finite numbers, got '1 0'",
    ),
    ("type='universal'", ENDS, AXIS, "expected a <axis2> element, got none"),
    ("type='euler'", ENDS, "", "expected a <axis_order> element, got none"),
    ("type='euler'", ENDS, "<axis_order>XYZ</axis_order>", "axis_order: expected one of xyz, xzy, "),
    ("type='ball'", ENDS, "<init_pos>1 2</init_pos>", "init_pos: expected 3 finite numbers, got '1 2'"),
    ("type='free'", ENDS, "<init_vel>1 2 3</init_vel>", "init_vel: expected 6 finite numbers, got '1 2 3'"),
    ("type='ball'", ENDS, "<dof name='x'/>", "dof: local_index: expected a value, but it is missing"),
    (
        "type='ball'",
        ENDS,
        "<dof local_index='3'/>",
        "dof: local_index: expected a whole number below 3, got '3'",
    ),
    (
        "type='ball'",
        ENDS,
        "<dof local_index='-1'/>",
        "local_index: expected a whole number below 3, got '-1'",
    ),
    (
        "type='ball'",
        ENDS,
        f"<dof local_index='{'9' * 5000}'/>",
        "local_index: expected a whole number below 3",
    ),
    (
        "type='ball'",
        ENDS,
        "<dof local_index='1'><position lower='a'/></dof>",
        "lower: expected a number, got 'a'",
    ),
    (
        "type='ball'",
        ENDS,
        "<dof local_index='1'><position initial='inf'/></dof>",
        "dof/position: initial: expected a finite number, got 'inf'",
    ),
    ("type='revolute'", ENDS, f"{AXIS}<dof><position lower='2' upper='1'/></dof>", "expected lower <= upper"),
    (
        "type='revolute'",
        ENDS,
        f"{AXIS}<dof><damping>-1</damping></dof>",
        "damping: expected no negative number",
    ),
    ("type='planar'", ENDS, "<plane type='xz'/>", "plane: type: expected one of xy, yz, zx, arbitrary, got"),
    ("type='planar'", ENDS, "<plane/>", "plane: type: expected a value, but it is missing"),
    ("type='planar'", ENDS, "<plane type='arbitrary'/>", "plane: expected a <translation_axis1> element"),
    (
        "type='weld'",
        ENDS,
        "<transformation>0 0 0</transformation>",
        "transformation: expected 6 finite numbers",
    ),
]


@pytest.mark.parametrize(("attributes", "ends", "inside", "message"), WRONG)
def test_wrong_joints_name_line_and_element(attributes: str, ends: str, inside: str, message: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        read_robot(f"{BODIES}\n<joint name='j' {attributes}>{ends}{inside}</joint>", name="a.skel")
    assert message in caught.value.message
    assert caught.value.element == "<joint name='j'>"
    assert (caught.value.file, caught.value.line) == ("a.skel", 3)


def test_joints_that_make_no_tree_are_refused() -> None:
    def read(*ends: tuple[str, str]) -> None:
        joints = "".join(
            f"\n<joint name='j{i}' type='weld'><parent>{parent}</parent><child>{child}</child></joint>"
            for i, (parent, child) in enumerate(ends)
        )
        read_robot(BODIES + joints)

    with pytest.raises(ModelFileError, match="links form a cycle: ") as caught:
        read(("a", "b"), ("b", "a"))
    assert caught.value.element == "<body name='b'>"
    with pytest.raises(ModelFileError, match="expected to be the child of one joint, got 'j0', 'j1'"):
        read(("a", "b"), ("world", "b"))
