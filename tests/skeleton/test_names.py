"""Names: unique, looked up, changed, and changed by edits where they are taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from _own_extensions import Thermometer, hand_of_the_specification
from _rebuilt import answers, assert_same_answers, check_structure

import kido
from kido.description import Mimic
from kido.errors import NameTakenError, UnknownNameError


@pytest.fixture
def arm() -> kido.Skeleton:
    skeleton = kido.Skeleton("arm")
    base = skeleton.add_body("base", joint=kido.WeldJoint())
    upper = skeleton.add_body("upper", base, kido.RevoluteJoint("shoulder"))
    lower = skeleton.add_body("lower", upper, kido.UniversalJoint("elbow"))
    lower.add_end_effector("hand")
    lower.add_marker("m")
    Thermometer(lower, "t")
    return skeleton


def listening(skeleton: kido.Skeleton) -> list[tuple[Any, str, str]]:
    """Everything that name_changed tells from now on."""
    heard: list[tuple[Any, str, str]] = []
    skeleton.name_changed.connect(lambda *told: heard.append(told))
    return heard


DOF_NAMES: dict[type[kido.Joint], tuple[str, ...]] = {
    kido.WeldJoint: (),
    kido.RevoluteJoint: ("j",),
    kido.PrismaticJoint: ("j",),
    kido.ScrewJoint: ("j",),
    kido.UniversalJoint: ("j_1", "j_2"),
    kido.TranslationalJoint2D: ("j_1", "j_2"),
    kido.EulerJoint: ("j_x", "j_y", "j_z"),
    kido.BallJoint: ("j_x", "j_y", "j_z"),
    kido.TranslationalJoint: ("j_x", "j_y", "j_z"),
    kido.FreeJoint: ("j_rot_x", "j_rot_y", "j_rot_z", "j_pos_x", "j_pos_y", "j_pos_z"),
}
"""DART's names; DART leaves the third dof of a planar joint out."""


@pytest.mark.parametrize("kind", DOF_NAMES, ids=lambda kind: kind.__name__)
def test_dofs_have_the_names_that_dart_gives(kind: type[kido.Joint]) -> None:
    assert kind("j").dof_names == DOF_NAMES[kind]


def test_dof_names_follow_an_euler_joints_order_and_stay_different() -> None:
    joint = kido.EulerJoint("j", "zyx")
    assert joint.dof_names == ("j_z", "j_y", "j_x")
    joint.order = "zxz"
    assert len(set(joint.dof_names)) == 3


def test_a_joint_without_a_name_is_named_after_its_body(arm: kido.Skeleton) -> None:
    assert arm.body("base").parent_joint.name == "base_joint"
    assert arm.joint("base_joint").child_body is arm.body("base")


LOOKUPS: dict[str, tuple[Callable[[kido.Skeleton], Callable[[str], object]], str, str]] = {
    "body": (lambda s: s.body, "uper", "upper"),
    "joint": (lambda s: s.joint, "sholder", "shoulder"),
    "dof": (lambda s: s.dof, "elbow_3", "elbow_1"),
    "end effector": (lambda s: s.end_effector, "hnd", "hand"),
    "node of a body": (lambda s: lambda name: s.body("lower").node(kido.EndEffector, name), "hnd", "hand"),
    "dof of a joint": (lambda s: s.joint("elbow").dof, "elbow_3", "elbow_1"),
}


@pytest.mark.parametrize("what", LOOKUPS)
def test_an_unknown_name_raises_with_the_nearest_ones(arm: kido.Skeleton, what: str) -> None:
    lookup, wrong, near = LOOKUPS[what]
    with pytest.raises(UnknownNameError, match=f"no .* named '{wrong}' .*did you mean .*'{near}'"):
        lookup(arm)(wrong)


@pytest.mark.parametrize("attribute", ["positions", "damping", "commands"])
def test_setting_by_an_unknown_dof_name_changes_nothing(arm: kido.Skeleton, attribute: str) -> None:
    before = answers(arm)
    with pytest.raises(UnknownNameError, match="did you mean 'shoulder'"):
        setattr(arm, attribute, {"elbow_1": 0.5, "sholder": 0.1})
    with pytest.raises(UnknownNameError, match="'elbow_3'"):
        setattr(arm.joint("elbow"), attribute, {"elbow_1": 0.5, "elbow_3": 0.1})
    assert_same_answers(answers(arm), before)


@pytest.mark.parametrize("lookup", ["body", "joint", "dof"])
@pytest.mark.parametrize(
    ("key", "error"), [(99, IndexError), (-1, IndexError), (True, TypeError), (1.0, TypeError)]
)
def test_an_index_that_does_not_exist_raises(
    arm: kido.Skeleton, lookup: str, key: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match=f"{lookup}: expected"):
        getattr(arm, lookup)(key)


def test_has_tells_which_names_there_are(arm: kido.Skeleton) -> None:
    assert arm.has_body("upper") and not arm.has_body("shoulder")
    assert arm.has_joint("shoulder") and not arm.has_joint("upper")
    assert arm.has_dof("elbow_2") and not arm.has_dof("elbow")


def test_renaming_is_followed_by_lookups_and_told(arm: kido.Skeleton) -> None:
    heard = listening(arm)
    body, joint, node = arm.body("lower"), arm.joint("elbow"), arm.end_effector("hand")
    body.name, joint.name, node.name = "forearm", "hinge", "palm"
    assert heard == [(body, "lower", "forearm"), (joint, "elbow", "hinge"), (node, "hand", "palm")]
    assert arm.body("forearm") is body and not arm.has_body("lower")
    assert arm.joint("hinge") is joint and not arm.has_joint("elbow")
    assert arm.end_effector("palm") is node
    assert joint.dof_names == ("hinge_1", "hinge_2") and arm.has_dof("hinge_2") and not arm.has_dof("elbow_2")
    check_structure(arm)


def test_a_listener_finds_the_part_under_its_new_name(arm: kido.Skeleton) -> None:
    found: list[bool] = []
    arm.name_changed.connect(lambda part, old, new: found.append(part.name == new))
    arm.body("lower").name = "forearm"
    arm.end_effector("hand").name = "palm"
    arm.joint("elbow").name = "hinge"
    arm.body("upper").copy_to(arm.body("base"))
    assert len(found) == 10 and all(found)


def test_a_disconnected_listener_hears_nothing(arm: kido.Skeleton) -> None:
    heard: list[object] = []
    connection = arm.name_changed.connect(lambda *told: heard.append(told))
    connection.disconnect()
    connection.disconnect()
    arm.body("lower").name = "forearm"
    assert heard == []


def test_renaming_to_the_same_name_tells_nothing(arm: kido.Skeleton) -> None:
    heard = listening(arm)
    for part in (arm.body("lower"), arm.joint("elbow"), arm.end_effector("hand")):
        part.name = str(part.name)
    assert heard == []


TAKEN: dict[str, Callable[[kido.Skeleton], object]] = {
    "a body of a taken name": lambda s: s.add_body("upper", joint=kido.WeldJoint("free")),
    "a joint of a taken name": lambda s: s.add_body("free", joint=kido.WeldJoint("elbow")),
    "a joint named after its body": lambda s: s.add_body("base", joint=kido.WeldJoint()),
    "a dof of a taken name": lambda s: s.add_body("free", joint=kido.RevoluteJoint("elbow_1")),
    "a dof that was named": lambda s: s.add_body("free", joint=kido.RevoluteJoint(dof_names=("shoulder",))),
    "a node of a taken name": lambda s: s.body("base").add_end_effector("hand"),
    "renaming a body": lambda s: setattr(s.body("upper"), "name", "lower"),
    "renaming a joint": lambda s: setattr(s.joint("elbow"), "name", "shoulder"),
    "renaming a joint so that its dofs collide": lambda s: setattr(s.joint("shoulder"), "name", "elbow_1"),
    "renaming a dof": lambda s: setattr(s.dof("shoulder"), "name", "elbow_1"),
    "naming dofs": lambda s: setattr(s.joint("elbow"), "dof_names", ("a", "shoulder")),
    "naming dofs by an option": lambda s: s.joint("elbow").apply_options(
        {"damping": 3.0, "dof_names": ("a", "shoulder")}
    ),
    "renaming a node": lambda s: setattr(s.body("base").add_end_effector("other"), "name", "hand"),
}


@pytest.mark.parametrize("what", TAKEN)
def test_a_taken_name_is_refused_and_nothing_changes(arm: kido.Skeleton, what: str) -> None:
    if what == "renaming a node":
        with pytest.raises(NameTakenError, match="'arm' has an EndEffector named 'hand' already"):
            TAKEN[what](arm)
        assert arm.node(kido.EndEffector, "other").body is arm.body("base")
        return
    before, heard = answers(arm), listening(arm)
    with pytest.raises(NameTakenError, match=r"'arm' has an? .* named .* already"):
        TAKEN[what](arm)
    assert_same_answers(answers(arm), before)
    assert heard == []
    check_structure(arm)


def test_a_joint_that_was_refused_can_be_used_under_another_name(arm: kido.Skeleton) -> None:
    joint = kido.RevoluteJoint()
    with pytest.raises(NameTakenError):
        arm.add_body("upper", joint=joint)
    assert arm.add_body("tool", joint=joint).parent_joint.name == "tool_joint"


WRONG: list[tuple[Any, type[Exception], str]] = [
    ("", ValueError, "name: expected a nonempty string, got ''"),
    (3, TypeError, "name: expected a string, got int"),
    (None, TypeError, "name: expected a string, got NoneType"),
]


@pytest.mark.parametrize(("name", "error", "message"), WRONG)
def test_what_is_no_name_is_refused(
    arm: kido.Skeleton, name: Any, error: type[Exception], message: str
) -> None:
    before = answers(arm)
    node = arm.end_effector("hand")
    for part in (arm, arm.body("upper"), arm.joint("elbow"), arm.dof("elbow_1"), node, kido.BallJoint()):
        with pytest.raises(error, match=message):
            part.name = name
    with pytest.raises(error, match=message):
        arm.add_body(name)
    with pytest.raises(error, match=message):
        kido.Skeleton(name)
    with pytest.raises(error, match=message):
        kido.EndEffector(arm.body("upper"), name)
    assert_same_answers(answers(arm), before)


def test_a_copy_in_the_same_skeleton_gets_new_names_and_they_are_told(arm: kido.Skeleton) -> None:
    heard = listening(arm)
    copy = arm.body("lower").copy_to(arm.body("base"))
    assert copy.name == "lower(1)" and copy.parent_joint.name == "elbow(1)"
    assert copy.parent_joint.dof_names == ("elbow(1)_1", "elbow(1)_2")
    assert [node.name for node in copy.nodes()] == ["hand(1)", "m(1)", "t(1)"]
    told = {(type(part).__name__, old, new) for part, old, new in heard}
    assert told == {
        ("BodyNode", "lower", "lower(1)"),
        ("UniversalJoint", "elbow", "elbow(1)"),
        ("EndEffector", "hand", "hand(1)"),
        ("Marker", "m", "m(1)"),
        ("Thermometer", "t", "t(1)"),
    }
    assert arm.body("lower").name == "lower"
    check_structure(arm)


def test_a_body_that_moves_into_a_skeleton_with_its_names_is_renamed(arm: kido.Skeleton) -> None:
    other = arm.clone("other")
    here, there = listening(arm), listening(other)
    other.body("lower").move_to(arm.body("base"))
    assert arm.body("lower(1)").parent_body is arm.body("base")
    assert len(here) == 5 and there == []
    check_structure(arm)
    check_structure(other)


def test_new_names_differ_from_those_that_come_with_them(arm: kido.Skeleton) -> None:
    source = kido.Skeleton("source")
    first = source.add_body("lower", joint=kido.RevoluteJoint("elbow"))
    second = source.add_body("lower(1)", first, kido.RevoluteJoint("elbow(1)"))
    first.add_end_effector("hand")
    second.add_end_effector("hand(1)")
    first.move_to(arm.body("base"))
    check_structure(arm)
    assert arm.has_body("lower(1)") and arm.has_body("lower(1)(1)")


def test_new_dof_names_of_one_joint_differ_from_each_other() -> None:
    skeleton = kido.Skeleton()
    skeleton.add_body("a", joint=kido.RevoluteJoint("a", dof_names=("x",)))
    other = kido.Skeleton()
    moving = other.add_body("b", joint=kido.UniversalJoint("b", dof_names=("x", "x(1)")))
    moving.move_to(skeleton=skeleton)
    assert moving.parent_joint.dof_names == ("x(1)", "x(1)(1)")
    check_structure(skeleton)


def test_a_new_joint_keeps_its_own_dof_names_where_the_old_one_had_none(arm: kido.Skeleton) -> None:
    arm.body("base").remove()
    body = arm.add_body("a", joint=kido.WeldJoint("a"))
    body.change_parent_joint_type(kido.UniversalJoint("b"))
    assert arm.joint("b").dof_names == ("b_1", "b_2")


def test_names_are_free_again_after_removal(arm: kido.Skeleton) -> None:
    arm.body("upper").remove()
    assert not arm.has_dof("shoulder") and not arm.has_joint("elbow") and not arm.has_body("lower")
    arm.add_body("upper", arm.body("base"), kido.RevoluteJoint("shoulder")).add_end_effector("hand")
    check_structure(arm)


def test_a_clone_keeps_all_names(arm: kido.Skeleton) -> None:
    copy = arm.clone()
    assert [body.name for body in copy.bodies] == ["base", "upper", "lower"]
    assert [node.name for node in copy.nodes()] == ["hand", "m", "t"]
    copy.body("lower").name = "forearm"
    assert arm.body("lower").name == "lower"


def test_joints_that_are_mimicked_are_found_after_renaming() -> None:
    gripper = kido.Skeleton("gripper")
    left = gripper.add_body("left", joint=kido.PrismaticJoint("left"))
    right = gripper.add_body("right", left, kido.PrismaticJoint("right", mimic=Mimic("left", -1.0)))
    left.parent_joint.name = "leader"
    assert right.parent_joint.mimic == Mimic("leader", -1.0)
    copy = left.copy_to()
    assert copy.child_bodies[0].parent_joint.mimic == Mimic("leader(1)", -1.0)
    assert right.parent_joint.mimic == Mimic("leader", -1.0)


def test_nodes_of_different_types_can_share_a_name(arm: kido.Skeleton) -> None:
    marker = arm.body("base").add_marker("hand")
    assert arm.node(kido.Marker, "hand") is marker
    assert arm.node(kido.EndEffector, "hand").body is arm.body("lower")


def test_structure_changes_are_told_once_all_is_done() -> None:
    hand, other = hand_of_the_specification(), kido.Skeleton("other")
    heard: list[tuple[str, int]] = []
    for skeleton in (hand, other):

        def listen(told: kido.Skeleton) -> None:
            check_structure(hand)
            check_structure(other)
            heard.append((told.name, told.num_bodies))

        skeleton.structure_changed.connect(listen)
    hand.body("finger0_0").move_to(skeleton=other)
    assert heard == [("hand", 13), ("other", 3)]
    hand.body("palm").remove()
    hand.body("arm0").copy_to(skeleton=other, recursive=False)
    hand.body("arm1").change_parent_joint_type(kido.BallJoint)
    hand.body("arm5").move_to()
    hand.add_body("tool")
    assert heard[2:] == [("hand", 6), ("other", 4), ("hand", 6), ("hand", 6), ("hand", 7)]
