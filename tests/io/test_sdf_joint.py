from __future__ import annotations

import math

import numpy as np
import pytest
from _sdf_text import joint, link, notes, read, read_joint, read_model
from scipy.spatial.transform import Rotation

import kido
from kido.description import (
    ClosureDescription,
    ClosureType,
    CouplingDescription,
    DofReference,
    JointType,
    Mimic,
)
from kido.errors import ModelFileError
from kido.io import read_sdf_string

AXIS = "<axis><xyz>0 0 1</xyz></axis>"

TYPES = [
    ("revolute", JointType.REVOLUTE, AXIS),
    ("continuous", JointType.REVOLUTE, AXIS),
    ("prismatic", JointType.PRISMATIC, AXIS),
    ("screw", JointType.SCREW, AXIS + "<screw_thread_pitch>0.1</screw_thread_pitch>"),
    ("universal", JointType.UNIVERSAL, AXIS + "<axis2><xyz>1 0 0</xyz></axis2>"),
    ("revolute2", JointType.UNIVERSAL, AXIS + "<axis2><xyz>1 0 0</xyz></axis2>"),
    ("ball", JointType.BALL, ""),
    ("fixed", JointType.WELD, ""),
]


@pytest.mark.parametrize(("kind", "expected", "inside"), TYPES)
def test_joint_types(kind: str, expected: JointType, inside: str) -> None:
    found = read_joint(kind, inside)
    assert found.type is expected
    assert (found.parent, found.child, found.line) == ("a", "b", 3)


def test_the_frame_of_a_joint_is_that_of_the_child_unless_it_has_a_pose() -> None:
    assert np.array_equal(read_joint("fixed").T_child_joint, np.eye(4))
    assert read_joint("fixed").T_parent_joint[:3, 3].tolist() == [1.0, 0.0, 0.0]
    moved = read_joint("fixed", "<pose>0 2 0 0 0 0</pose>")
    assert moved.T_child_joint[:3, 3].tolist() == [0.0, 2.0, 0.0]
    assert moved.T_parent_joint[:3, 3].tolist() == [1.0, 2.0, 0.0]
    on_parent = read_joint("fixed", "<pose relative_to='a'>0 2 0 0 0 0</pose>")
    assert on_parent.T_parent_joint[:3, 3].tolist() == [0.0, 2.0, 0.0]
    assert on_parent.T_child_joint[:3, 3].tolist() == [-1.0, 2.0, 0.0]


TURNED = "<pose>0 0 0 0.3 0.2 0.1</pose>"
R_JOINT = Rotation.from_euler("xyz", [0.3, 0.2, 0.1]).as_matrix()


@pytest.mark.parametrize(
    ("version", "flag", "in_model"),
    [
        ("1.4", "", True),
        ("1.5", "", False),
        ("1.5", "<use_parent_model_frame>true</use_parent_model_frame>", True),
        ("1.6", "<use_parent_model_frame>0</use_parent_model_frame>", False),
        ("1.6", "<use_parent_model_frame>1</use_parent_model_frame>", True),
        ("1.7", "", False),
        ("1.11", "<use_parent_model_frame>1</use_parent_model_frame>", False),
    ],
)
def test_the_frame_of_an_axis_depends_on_the_version(version: str, flag: str, in_model: bool) -> None:
    inside = f"{TURNED}<axis><xyz>0 3 4</xyz>{flag}<limit><lower>-1</lower><upper>1</upper></limit></axis>"
    expected = R_JOINT.T @ [0.0, 0.6, 0.8] if in_model else [0.0, 0.6, 0.8]
    assert np.allclose(read_joint("revolute", inside, version).axes[0], expected, rtol=0.0, atol=1e-15)


def test_an_axis_is_expressed_in_the_frame_that_it_names() -> None:
    turned = "<frame name='f' attached_to='a'><pose>5 6 7 0 0 1.5707963267948966</pose></frame>"
    axis = "<pose relative_to='a'/><axis><xyz expressed_in='f'>1 0 0</xyz></axis>"
    robot = read_model(link("a") + link("b") + turned + joint("j", "revolute", "a", "b", axis))
    assert np.allclose(robot.joint("j").axes[0], [0.0, 1.0, 0.0], rtol=0.0, atol=1e-15)


def test_both_axes_of_a_universal_joint_turn_and_have_limits() -> None:
    inside = """<axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis>
    <axis2><xyz>0 1 0</xyz><limit><lower>-3</lower><upper>4</upper></limit>
    <dynamics><damping>5</damping></dynamics></axis2>"""
    found = read_joint("universal", inside)
    assert found.axes.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert found.limits.lower.tolist() == [-1.0, -3.0] and found.limits.upper.tolist() == [2.0, 4.0]
    assert found.dynamics.damping.tolist() == [0.0, 5.0]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("<screw_thread_pitch>0.25</screw_thread_pitch>", 0.25),
        ("<thread_pitch>8</thread_pitch>", -2.0 * math.pi / 8.0),
        ("<thread_pitch>8</thread_pitch><screw_thread_pitch>-0.5</screw_thread_pitch>", -0.5),
    ],
)
def test_the_pitch_of_a_screw(told: str, expected: float) -> None:
    found = read_joint("screw", AXIS + told)
    assert found.pitch == pytest.approx(expected, rel=1e-15)


def test_a_right_handed_screw_moves_along_its_axis() -> None:
    screw = joint("j", "screw", "world", "a", AXIS + "<screw_thread_pitch>0.25</screw_thread_pitch>")
    skeleton = kido.Skeleton.from_description(read_model(link("a") + screw))
    skeleton.positions = [math.pi]
    assert skeleton.body("a").transform()[2, 3] == pytest.approx(0.125, rel=1e-15)


LIMITS = [
    ("", (-math.inf, math.inf, math.inf, math.inf)),
    ("<limit/>", (-math.inf, math.inf, math.inf, math.inf)),
    ("<limit><lower>-1e16</lower><upper>1e16</upper></limit>", (-math.inf, math.inf, math.inf, math.inf)),
    ("<limit><lower>-inf</lower><upper>inf</upper></limit>", (-math.inf, math.inf, math.inf, math.inf)),
    ("<limit><lower>-2</lower><upper>3</upper></limit>", (-2.0, 3.0, math.inf, math.inf)),
    ("<limit><effort>-1</effort><velocity>-1</velocity></limit>", (-math.inf, math.inf, math.inf, math.inf)),
    ("<limit><effort>4</effort><velocity>5</velocity></limit>", (-math.inf, math.inf, 5.0, 4.0)),
]


@pytest.mark.parametrize(("told", "expected"), LIMITS)
def test_limits(told: str, expected: tuple[float, ...]) -> None:
    limits = read_joint("revolute", f"<axis><xyz>0 0 1</xyz>{told}</axis>").limits
    assert (limits.lower[0], limits.upper[0], limits.velocity[0], limits.effort[0]) == expected


def test_continuous_joints_have_no_limits_of_position() -> None:
    told = "<limit><lower>-2</lower><upper>3</upper><effort>4</effort></limit>"
    limits = read_joint("continuous", f"<axis><xyz>0 0 1</xyz>{told}</axis>").limits
    assert (limits.lower[0], limits.upper[0], limits.effort[0]) == (-math.inf, math.inf, 4.0)


def test_dynamics() -> None:
    told = "<damping>1</damping><friction>2</friction><spring_reference>-3</spring_reference>"
    told += "<spring_stiffness>4</spring_stiffness>"
    dynamics = read_joint("prismatic", f"<axis><xyz>0 0 1</xyz><dynamics>{told}</dynamics></axis>").dynamics
    assert (dynamics.damping[0], dynamics.friction[0]) == (1.0, 2.0)
    assert (dynamics.rest_position[0], dynamics.stiffness[0]) == (-3.0, 4.0)


def test_joints_to_the_world_are_root_joints() -> None:
    robot = read_model(link("a", "<pose>1 2 3 0 0 0</pose>") + joint("j", "revolute", "world", "a", AXIS))
    (root,) = robot.root_joints
    assert (root.name, root.parent, root.child) == ("j", None, "a")
    assert root.T_parent_joint[:3, 3].tolist() == [1.0, 2.0, 3.0]


def test_before_1_7_a_joint_may_have_the_world_for_its_child() -> None:
    robot = read_model(link("a") + joint("j", "revolute", "a", "world", AXIS), "1.6")
    (root,) = robot.root_joints
    assert (root.parent, root.child, root.axes.tolist()) == (None, "a", [[0.0, 0.0, -1.0]])
    with pytest.raises(ModelFileError, match="child: expected a link or frame, got the world"):
        read_model(link("a") + joint("j", "revolute", "a", "world", AXIS), "1.7")


def test_links_that_hang_on_nothing_are_free_and_those_of_static_models_stand() -> None:
    text = f"<model name='m'>{{}}{link('a')}{link('b', '<pose>0 0 4 0 0 0</pose>')}</model>"
    free, static = (read(text.format(told)).robot("m") for told in ("", "<static>true</static>"))
    assert [j.type for j in free.robot.root_joints] == [JointType.FREE] * 2
    assert [j.name for j in free.robot.root_joints] == ["root_joint", "root_joint_2"]
    assert free.robot.root_joints[1].T_parent_joint[2, 3] == 4.0
    assert free.mobile and not static.mobile
    assert [j.type for j in static.robot.root_joints] == [JointType.WELD] * 2


@pytest.mark.parametrize(("root", "expected"), [("fixed", JointType.WELD), ("free", JointType.FREE)])
def test_the_root_can_be_chosen(root: str, expected: JointType) -> None:
    assert read_model(link("a"), root=root).root_joints[0].type is expected


def test_an_unknown_root_is_refused() -> None:
    with pytest.raises(ValueError, match="root: expected 'fixed', 'free' or None, got 'loose'"):
        read_model(link("a"), root="loose")


MIMIC = (
    "<mimic joint='{}'{}><multiplier>2</multiplier><offset>0.5</offset><reference>0.25</reference></mimic>"
)


def chain(kind: str, first: str, second: str) -> str:
    ends = link("a") + link("b") + link("c")
    return ends + joint("lead", kind, "a", "b", first) + joint("j", "revolute", "b", "c", second)


def test_mimics_follow_with_multiplier_offset_and_reference() -> None:
    mimic = MIMIC.format("lead", "")
    robot = read_model(chain("revolute", AXIS, f"<axis><xyz>0 0 1</xyz>{mimic}</axis>"))
    assert robot.joint("j").mimic == Mimic("lead", 2.0, 0.0)
    assert notes(robot) == []


def test_a_mimic_of_a_second_axis_is_a_coupling() -> None:
    both = AXIS + "<axis2><xyz>1 0 0</xyz></axis2>"
    mimic = MIMIC.format("lead", " axis='axis2'")
    text = chain("universal", both, f"<axis><xyz>0 0 1</xyz>{mimic}</axis>")
    scene = read(f"<model name='m'>{text}</model>")
    (coupling,) = scene.constraints
    assert isinstance(coupling, CouplingDescription)
    assert (coupling.follower, coupling.leader) == (DofReference("m", "j", 0), DofReference("m", "lead", 1))
    assert coupling.coefficients.tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    ("mimic", "why"),
    [
        (MIMIC.format("none", ""), "the joint 'none' is not there"),
        (MIMIC.format("lead", " axis='axis2'"), "the joint 'lead', of type revolute, has no such axis"),
    ],
)
def test_mimics_that_cannot_be_followed_are_reported(mimic: str, why: str) -> None:
    robot = read_model(chain("revolute", AXIS, f"<axis><xyz>0 0 1</xyz>{mimic}</axis>"))
    assert robot.joint("j").mimic is None
    assert notes(robot, "mimic") == [f"<joint name='j'>: axis/mimic: left out: {why}"]


GEARS = """{links}
<joint name='one' type='revolute'><parent>{one[0]}</parent><child>{one[1]}</child>
<axis><xyz>0 0 {sign}</xyz></axis></joint>
<joint name='two' type='revolute'><parent>base</parent><child>q</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name='gear' type='gearbox'><parent>p</parent><child>q</child><gearbox_ratio>4</gearbox_ratio>
<gearbox_reference_body>base</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis>
<axis2><xyz>0 {second} 0</xyz></axis2></joint>"""


@pytest.mark.parametrize(
    ("one", "sign", "second", "expected"),
    [
        (("base", "p"), 1, 1, -4.0),
        (("base", "p"), -1, 1, 4.0),
        (("base", "p"), 3, 0.2, -4.0),
        (("base", "p"), 1, -1, 4.0),
        (("p", "base"), 1, 1, 4.0),
    ],
)
def test_gearboxes_are_couplings(one: tuple[str, str], sign: int, second: float, expected: float) -> None:
    """theta_2 = -ratio theta_1, both angles about the axes of the gearbox on its reference body."""
    links = link("base") + link("p") + link("q")
    scene = read(f"<model name='m'>{GEARS.format(links=links, one=one, sign=sign, second=second)}</model>")
    (coupling,) = scene.constraints
    assert isinstance(coupling, CouplingDescription)
    assert (coupling.follower, coupling.leader) == (DofReference("m", "two"), DofReference("m", "one"))
    assert coupling.coefficients.tolist() == [0.0, expected]


def test_gearboxes_without_revolute_joints_are_reported() -> None:
    links = link("base") + link("p") + link("q")
    text = GEARS.format(links=links, one=("base", "p"), sign=1, second=1).replace("0 1 0", "1 0 0", 1)
    scene = read(f"<model name='m'>{text}</model>")
    assert scene.constraints == ()
    assert "a gearbox is read where" in notes(scene.robots[0].robot, "ignored")[0]


SQUARE = """<link name='a'>{0}</link><link name='b'><pose>1 0 0 0 0 0</pose>{0}</link>
<link name='c'><pose>1 1 0 0 0 0</pose>{0}</link><link name='d'><pose>0 1 0 0 0 0.5</pose>{0}</link>
"""
POINTS_UP = "<axis><xyz expressed_in='__model__'>0 0.6 0.8</xyz>{}</axis>"


def square(last: str, limits: str = "") -> str:
    """A loop of four links; the last joint closes it at d."""
    links = link("a") + link("b", "<pose>1 0 0 0 0 0</pose>") + link("c", "<pose>1 1 0 0 0 0</pose>")
    links += link("d", "<pose>0 1 0 0 0 0.5</pose>")
    up = POINTS_UP.format("")
    joints = joint("ab", "revolute", "a", "b", up) + joint("bc", "revolute", "b", "c", up)
    joints += joint("cd", "revolute", "c", "d", up)
    return f"<model name='m'><pose>5 6 7 0 0 1</pose>{links}{joints}" + joint(
        "ad", last, "a", "d", POINTS_UP.format(limits) if last != "ball" else ""
    )


@pytest.mark.parametrize("last", ["revolute", "ball", "fixed"])
def test_a_second_joint_of_a_link_closes_a_loop_where_it_is(last: str) -> None:
    scene = read(f"{square(last)}</model>")
    robot = scene.robots[0].robot
    (closure,) = scene.constraints
    assert isinstance(closure, ClosureDescription)
    expected = {"revolute": ClosureType.REVOLUTE, "ball": ClosureType.BALL, "fixed": ClosureType.WELD}
    assert (closure.name, closure.type) == ("m::ad", expected[last])
    assert (closure.first.owner, closure.first.link, closure.second.link) == ("m", "a", "d")
    assert [j.name for j in robot.joints] == ["root_joint", "ab", "bc", "cd"]
    skeleton = kido.Skeleton.from_description(scene.single_robot())
    first, second = (
        skeleton.body(str(end.link)).transform() @ end.T_link_frame for end in (closure.first, closure.second)
    )
    assert np.allclose(first, second, rtol=0.0, atol=1e-14)
    T_world_m = scene.robots[0].T_world_robot
    assert np.allclose(first[:3, 3], (T_world_m @ [0.0, 1.0, 0.0, 1.0])[:3], rtol=0.0, atol=1e-14)
    if last == "revolute":
        assert np.allclose(first[:3, 2], T_world_m[:3, :3] @ [0.0, 0.6, 0.8], rtol=0.0, atol=1e-14)
    assert f"closes a loop: a {expected[last]} closure of the scene" in notes(robot, "substituted")[0]


def test_limits_of_a_joint_that_closes_a_loop_are_reported() -> None:
    scene = read(f"{square('revolute', '<limit><upper>1</upper></limit>')}</model>")
    assert "limits, dynamics, mimic: ignored" in notes(scene.robots[0].robot, "ignored")[0]


def test_loops_to_the_world_are_closed_in_the_world() -> None:
    text = f"<model name='m'><pose>5 6 7 0 0 1</pose>{link('a')}{link('b', '<pose>1 0 0 0 0 0</pose>')}"
    text += joint("foot", "fixed", "world", "a") + joint("j", "revolute", "a", "b", AXIS)
    scene = read(text + joint("tip", "ball", "world", "b") + "</model>")
    (closure,) = scene.constraints
    assert isinstance(closure, ClosureDescription)
    expected = [5.0 + math.cos(1.0), 6.0 + math.sin(1.0), 7.0]
    assert closure.first.link is None
    assert np.allclose(closure.first.T_link_frame[:3, 3], expected, rtol=0.0, atol=1e-14)


def test_joints_that_no_closure_replaces_stay_in_the_tree() -> None:
    scene = read(f"{square('prismatic')}</model>")
    assert [one.name for one in scene.constraints] == ["m::cd"]
    assert scene.robots[0].robot.joint("ad").type is JointType.PRISMATIC


def test_loops_that_no_closure_can_close_are_reported() -> None:
    two = "".join(joint(name, "prismatic", "a", "b", AXIS) for name in ("j", "k"))
    text = f"<model name='m'>{link('a')}{link('b')}{two}</model>"
    with pytest.warns(kido.errors.ModelWarning, match="no closure of a loop is of type prismatic"):
        scene = read_sdf_string(f"<sdf version='1.9'>{text}</sdf>")
    assert scene.constraints == ()
    assert [one.kind for one in scene.robots[0].robot.diagnostics] == ["closure"]


def test_a_circle_of_joints_is_cut_at_its_last_joint() -> None:
    ring = joint("ab", "revolute", "a", "b", AXIS) + joint("bc", "revolute", "b", "c", AXIS)
    ring += joint("ca", "revolute", "c", "a", AXIS)
    scene = read(f"<model name='m'>{link('a')}{link('b')}{link('c')}{ring}</model>")
    assert [one.name for one in scene.constraints] == ["m::ca"]
    assert scene.robots[0].robot.root_joints[0].child == "a"


def test_a_loop_is_cut_where_the_file_says() -> None:
    cut = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
    text = square("revolute").replace("<child>d</child>", f"<child>d</child>{cut}", 1)
    assert [one.name for one in read(f"{text}</model>").constraints] == ["m::cd"]


def test_initial_positions_are_a_state() -> None:
    axis = "<axis><xyz>0 0 1</xyz><initial_position>0.3</initial_position></axis>"
    text = f"<model name='m'>{link('a')}{link('b')}{joint('j', 'revolute', 'a', 'b', axis)}</model>"
    scene = read(text, "1.8")
    (state,) = scene.state("initial").joints
    assert scene.initial_state == "initial"
    assert (state.owner, state.joint, state.positions.tolist()) == ("m", "j", [0.3])  # type: ignore[union-attr]
    newer = read(text)
    assert newer.initial_state is None
    assert "axis/initial_position: ignored" in notes(newer.robots[0].robot)[0]


WRONG = [
    ("<joint type='fixed'/>", "<joint>: name: expected a value, but it is missing"),
    (
        "<joint name='j'><parent>a</parent><child>b</child></joint>",
        "type: expected a value, but it is missing",
    ),
    (joint("j", "spring", "a", "b"), "type: expected one of revolute, continuous, "),
    ("<joint name='j' type='fixed'><child>b</child></joint>", "expected a <parent> element, got none"),
    ("<joint name='j' type='fixed'><parent>a</parent></joint>", "expected a <child> element, got none"),
    ("<joint name='j' type='fixed'><parent/><child>b</child></joint>", "parent: expected a text, got none"),
    (joint("j", "fixed", "a", "x"), "no frame named 'x' in 'm'; valid names: "),
    (joint("j", "fixed", "a", "a"), "expected two different links, got twice 'a'"),
    (
        joint("j", "revolute", "a", "b", "<axis><xyz>0 0 0</xyz></axis>"),
        "axis/xyz: expected a nonzero vector",
    ),
    (joint("j", "revolute", "a", "b", "<axis><xyz>0 1</xyz></axis>"), "axis/xyz: expected 3 finite numbers"),
    (
        joint("j", "revolute", "a", "b", "<axis><xyz expressed_in='x'>0 0 1</xyz></axis>"),
        "axis/xyz: no frame named 'x'",
    ),
    (
        joint("j", "revolute", "a", "b", "<axis><limit><lower>2</lower><upper>1</upper></limit></axis>"),
        "expected lower <= upper",
    ),
    (
        joint("j", "revolute", "a", "b", "<axis><limit><lower>nan</lower></limit></axis>"),
        "axis/limit/lower: expected a number, got 'nan'",
    ),
    (
        joint("j", "revolute", "a", "b", "<axis><dynamics><damping>-1</damping></dynamics></axis>"),
        "axis/dynamics/damping: expected no negative number, got -1",
    ),
    (
        joint("j", "screw", "a", "b", AXIS + "<thread_pitch>0</thread_pitch>"),
        "expected a nonzero number [rad/m]",
    ),
    (joint("j", "fixed", "a", "b", "<pose relative_to='j'/>"), "relative_to: poses form a cycle at 'j'"),
    (joint("j", "fixed", "a", "b", "<pose>1 2</pose>"), "pose: expected 6 finite numbers, got '1 2'"),
    (
        joint("j", "gearbox", "a", "b", AXIS),
        "expected a <gearbox_reference_body> element, got none",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_joints_name_line_and_element(text: str, message: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        read_model(f"{link('a')}{link('b')}\n{text}")
    assert message in str(caught.value)
    assert caught.value.line == 4
    assert str(caught.value.element).startswith("<joint")


def test_what_is_not_honoured_of_a_joint_is_reported() -> None:
    feedback = "<provide_feedback>false</provide_feedback>"
    inside = f"""<physics><ode><cfm_damping>1</cfm_damping></ode>{feedback}</physics>
<axis><xyz>0 0 1</xyz><limit><stiffness>1</stiffness></limit></axis>
<axis2><xyz>0 0 1</xyz></axis2>"""
    robot = read_model(f"{link('a')}{link('b')}" + joint("j", "revolute", "a", "b", f"\n{inside}"))
    assert [(one.message, one.line, one.kind, one.subject) for one in robot.diagnostics] == [
        ("<joint name='j'>: physics/ode: ignored", 4, "ignored", "j"),
        ("<joint name='j'>: axis2: ignored", 6, "ignored", "j"),
        ("<joint name='j'>: axis/limit/stiffness: ignored: '1'", 5, "ignored", "j"),
    ]
