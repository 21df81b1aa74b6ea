from __future__ import annotations

import pickle

import numpy as np
import pytest

from kido.description import (
    Diagnostic,
    JointDescription,
    JointDynamics,
    JointLimits,
    JointType,
    LinkDescription,
    Mimic,
    RobotDescription,
)
from kido.errors import DescriptionError, UnknownNameError


def robot(edges: str, extra_links: str = "", mimics: dict[str, str] | None = None) -> RobotDescription:
    """Robot of edges like "w>a a>b"; w is the world, the joint of an edge is named after it."""
    joints = []
    for edge in edges.split():
        parent, child = edge.split(">")
        leader = (mimics or {}).get(edge)
        mimic = None if leader is None else Mimic(leader)
        where = None if parent == "w" else parent
        joints.append(JointDescription(edge, "revolute", where, child, axes=[0.0, 0.0, 1.0], mimic=mimic))
    names = dict.fromkeys(joint.child for joint in joints)
    return RobotDescription("r", [LinkDescription(name) for name in [*names, *extra_links.split()]], joints)


def test_joints_come_depth_first_with_siblings_in_file_order() -> None:
    made = robot("a>b w>a b>d a>c w>e b>f e>g")
    assert [j.name for j in made.depth_first_joints()] == ["w>a", "a>b", "b>d", "b>f", "a>c", "w>e", "e>g"]


def test_a_chain_of_thousands_is_walked_without_recursion() -> None:
    edges = " ".join(f"l{i}>l{i + 1}" for i in range(5000))
    ordered = robot(f"w>l0 {edges}").depth_first_joints()
    assert [joint.child for joint in ordered] == [f"l{i}" for i in range(5001)]


def test_root_joints_are_those_on_the_world() -> None:
    assert [joint.name for joint in robot("a>b w>a w>c").root_joints] == ["w>a", "w>c"]


def test_a_robot_without_links_is_empty_but_valid() -> None:
    assert RobotDescription("r", [], []).depth_first_joints() == ()


def test_links_and_joints_are_found_by_name() -> None:
    made = robot("w>a a>b")
    assert made.link("b") is made.links[1]
    assert made.joint("a>b") is made.joints[1]


def test_unknown_names_suggest_valid_ones() -> None:
    made = robot("w>hand")
    with pytest.raises(UnknownNameError, match="no link named 'hnad' in 'r'; did you mean 'hand'"):
        made.link("hnad")
    with pytest.raises(UnknownNameError, match="no joint named 'w>hnd' in 'r'; did you mean 'w>hand'"):
        made.joint("w>hnd")


@pytest.mark.parametrize(
    ("edges", "extra_links", "message"),
    [
        ("w>a a>b b>b", "", "link 'b': expected to be the child of one joint, got 'a>b', 'b>b'"),
        ("w>a x>b", "", "joint 'x>b': parent: no link named 'x'"),
        ("w>a", "b", "link 'b': not attached"),
        ("w>a", "a", "link 'a': expected unique names, got 2 links"),
        ("w>a w>b a>c b>c", "", "link 'c': expected to be the child of one joint, got 'a>c', 'b>c'"),
        ("w>a b>c c>d d>b d>e", "", "links form a cycle: d -> b -> c -> d|b -> c -> d -> b|c -> d -> b -> c"),
        ("a>b b>a", "", "links form a cycle: (a -> b -> a|b -> a -> b)"),
        ("a>a", "", "links form a cycle: a -> a"),
    ],
)
def test_what_is_no_tree_is_refused_by_name(edges: str, extra_links: str, message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        robot(edges, extra_links)


def test_cycles_below_branches_name_only_the_links_of_the_cycle() -> None:
    with pytest.raises(DescriptionError, match="links form a cycle") as caught:
        robot("w>a d>e b>c c>d d>b e>f")
    assert set(caught.value.message.split(": ")[1].split(" -> ")) == {"b", "c", "d"}


def test_unknown_children_are_refused_by_name() -> None:
    joint = JointDescription("j", "weld", None, "hnd")
    with pytest.raises(DescriptionError, match="joint 'j': child: no link named 'hnd'; did you mean 'hand'"):
        RobotDescription("r", [LinkDescription("hand")], [joint])


def test_repeated_joint_names_are_refused() -> None:
    joints = [JointDescription("j", "weld", None, "a"), JointDescription("j", "weld", "a", "b")]
    with pytest.raises(DescriptionError, match="joint 'j': expected unique names, got 2 joints"):
        RobotDescription("r", [LinkDescription("a"), LinkDescription("b")], joints)


def test_mimics_may_be_chained() -> None:
    made = robot("w>a a>b b>c", mimics={"w>a": "a>b", "a>b": "b>c"})
    assert made.joint("w>a").mimic == Mimic("a>b")


@pytest.mark.parametrize(
    ("mimics", "message"),
    [
        ({"w>a": "b>d"}, "joint 'w>a': mimic: no joint named 'b>d'"),
        ({"w>a": "w>a"}, "mimic joints form a cycle: w>a -> w>a"),
        ({"w>a": "a>b", "a>b": "w>a"}, "mimic joints form a cycle: w>a -> a>b -> w>a"),
    ],
)
def test_mimics_that_lead_nowhere_are_refused(mimics: dict[str, str], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        robot("w>a a>b b>c", mimics=mimics)


@pytest.mark.parametrize(("root", "joint_type"), [("free", JointType.FREE), ("fixed", JointType.WELD)])
def test_with_root_replaces_only_the_joints_on_the_world(root: str, joint_type: JointType) -> None:
    made = robot("a>b w>a w>c")
    rooted = made.with_root(root)  # type: ignore[arg-type]
    assert [joint.type for joint in rooted.joints] == [JointType.REVOLUTE, joint_type, joint_type]
    assert rooted.joint("w>a").num_dofs == joint_type.num_dofs
    assert rooted.joint("w>a").limits.lower.shape == (joint_type.num_dofs,)
    assert rooted.joints[0] is made.joints[0]


def test_with_root_keeps_the_place() -> None:
    pose = np.eye(4)
    pose[:3, 3] = 1.0, 2.0, 3.0
    joint = JointDescription("j", "weld", None, "a", pose, np.linalg.inv(pose))
    rooted = RobotDescription("r", [LinkDescription("a")], [joint]).with_root("free").joint("j")
    assert np.array_equal(rooted.T_parent_joint, pose)
    assert np.array_equal(rooted.T_child_joint, np.linalg.inv(pose))


@pytest.mark.parametrize(("root", "joint_type"), [("free", "free"), ("fixed", "weld")])
def test_with_root_leaves_a_joint_that_is_already_so(root: str, joint_type: str) -> None:
    joint = JointDescription("j", joint_type, None, "a", dynamics=JointDynamics(0.5), line=3)
    rooted = RobotDescription("r", [LinkDescription("a")], [joint]).with_root(root)  # type: ignore[arg-type]
    assert rooted.joint("j") is joint


def test_with_root_refuses_other_words() -> None:
    with pytest.raises(ValueError, match="root: expected 'free' or 'fixed', got 'floating'"):
        robot("w>a").with_root("floating")  # type: ignore[arg-type]


def test_robots_pickle_and_compare_by_value() -> None:
    made = robot("w>a a>b")
    copy = pickle.loads(pickle.dumps(made))
    assert copy == made
    assert hash(copy) == hash(made)
    assert [joint.name for joint in copy.depth_first_joints()] == ["w>a", "a>b"]
    assert copy.link("b") == made.link("b")
    assert robot("w>a a>c") != made


def test_limits_take_part_in_comparison() -> None:
    links = [LinkDescription("a")]
    tight, wide = (
        RobotDescription(
            "r",
            links,
            [JointDescription("j", "revolute", None, "a", axes=[1, 0, 0], limits=JointLimits(-x, x))],
        )
        for x in (1.0, 2.0)
    )
    assert tight != wide


def test_diagnostics_read_as_file_line_message() -> None:
    assert str(Diagnostic("odd", "a.urdf", 3)) == "a.urdf:3: odd"
    assert str(Diagnostic("odd", "a.urdf")) == "a.urdf: odd"
    assert str(Diagnostic("odd")) == "odd"
