"""Edits of the structure of skeletons: what moves, what stays, what is refused."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from _moving_skeletons import branched, set_moving
from _own_extensions import Cam, hand_of_the_specification
from _rebuilt import answers, assert_same_answers, check_structure, rebuilt

import kido
from kido.errors import EditError, RemovedError
from kido.skeleton import ActuatorType

pytestmark = pytest.mark.filterwarnings("ignore::kido.errors.NoEffectWarning")


@pytest.fixture
def hand() -> kido.Skeleton:
    return set_moving(hand_of_the_specification(), 1)


def test_bodies_stand_depth_first_in_the_order_in_which_they_were_added() -> None:
    skeleton = kido.Skeleton()
    a = skeleton.add_body("a")
    b = skeleton.add_body("b", a, kido.WeldJoint())
    skeleton.add_body("c", a, kido.BallJoint())
    skeleton.add_body("d")
    skeleton.add_body("e", b, kido.RevoluteJoint())
    skeleton.add_body("f", a, kido.WeldJoint())
    assert [body.name for body in skeleton.bodies] == ["a", "b", "e", "c", "f", "d"]
    assert [body.tree_index for body in skeleton.bodies] == [0, 0, 0, 0, 0, 1]
    assert [joint.dof_indices for joint in skeleton.joints[2:4]] == [range(6, 7), range(7, 10)]
    check_structure(skeleton)


def test_a_body_that_is_added_in_between_leaves_the_numbers_of_others(hand: kido.Skeleton) -> None:
    before = {dof.name: (dof.position, dof.velocity) for dof in hand.dofs}
    new = hand.add_body("thumb", hand.body("arm5"), kido.BallJoint(positions=(0.1, 0.2, 0.3)))
    assert new.index == 16 and hand.num_dofs == 19
    other = hand.add_body("ring", hand.body("finger0_1"), kido.RevoluteJoint(positions=0.7))
    assert other.index == 10 and hand.positions[other.parent_joint.dof_indices[0]] == 0.7
    assert {dof.name: (dof.position, dof.velocity) for dof in hand.dofs if dof.name in before} == before
    check_structure(hand)


def test_moving_keeps_positions_and_velocities_and_the_pose_relative_to_the_joint(
    hand: kido.Skeleton,
) -> None:
    finger, palm = hand.body("finger1_0"), hand.body("palm")
    before = finger.transform(relative_to=palm)
    twist = finger.spatial_velocity(relative_to=palm)
    q = [b.parent_joint.positions for b in finger.subtree()]
    finger.move_to(hand.body("arm2"))
    assert finger.parent_body is hand.body("arm2") and finger not in palm.child_bodies
    assert np.allclose(finger.transform(relative_to=hand.body("arm2")), before, atol=1e-14)
    assert np.allclose(finger.spatial_velocity(relative_to=hand.body("arm2")), twist, atol=1e-14)
    assert [b.parent_joint.positions for b in finger.subtree()] == q
    check_structure(hand)


def test_moving_to_the_world_makes_a_tree(hand: kido.Skeleton) -> None:
    hand.body("finger1_0").move_to()
    assert hand.num_trees == 2 and hand.root_bodies[1].name == "finger1_0"
    assert [body.name for body in hand.tree_bodies(1)] == ["finger1_0", "finger1_1", "finger1_2"]
    assert hand.body("finger1_2").tree_index == 1
    check_structure(hand)


def test_moving_to_another_skeleton_takes_numbers_properties_and_attachments_along(
    hand: kido.Skeleton,
) -> None:
    other = branched(3)
    finger, tip = hand.body("finger1_0"), hand.body("finger1_2")
    marker, lens = tip.add_marker("tip", (0.0, 0.0, 0.1)), kido.SimpleFrame("lens", tip)
    tip.parent_joint.damping = 3.0
    tip.external_wrench = np.arange(6.0)
    relative = tip.transform(relative_to=finger)
    twist = tip.spatial_velocity(relative_to=finger)
    finger.move_to(other.bodies[2])
    assert hand.num_bodies == 13 and finger.skeleton is other and marker.skeleton is other
    assert np.allclose(tip.transform(relative_to=finger), relative, atol=1e-14)
    assert np.allclose(tip.spatial_velocity(relative_to=finger), twist, atol=1e-13)
    assert np.array_equal(lens.transform(), tip.transform())
    assert tip.parent_joint.damping == 3.0 and np.array_equal(tip.external_wrench, np.arange(6.0))
    for skeleton in (hand, other):
        check_structure(skeleton)
        assert_same_answers(answers(skeleton), answers(rebuilt(skeleton)))


def test_moving_with_a_joint_puts_that_in_place_of_the_old_one(hand: kido.Skeleton) -> None:
    finger = hand.body("finger1_0")
    old, joint = finger.parent_joint, kido.BallJoint("ball", positions=(0.1, 0.2, 0.3))
    finger.move_to(hand.body("arm3"), joint=joint)
    assert finger.parent_joint is joint and joint.child_body is finger
    assert hand.num_dofs == 18 and np.array_equal(joint.positions, (0.1, 0.2, 0.3))
    with pytest.raises(RemovedError):
        _ = old.skeleton


def test_split_makes_a_skeleton_with_the_same_settings(hand: kido.Skeleton) -> None:
    hand.gravity, hand.time_step, hand.self_collision_check = (1.0, 2.0, 3.0), 0.01, True
    palm = hand.body("palm")
    pose = palm.transform(relative_to=hand.body("arm5"))
    made = palm.split("gripper", joint=kido.FreeJoint("free"))
    assert made.name == "gripper" and made.num_bodies == 10 and hand.num_bodies == 6
    assert palm.skeleton is made and palm.parent_body is None and made.num_dofs == 6 + 9
    assert np.array_equal(made.gravity, (1.0, 2.0, 3.0)) and made.time_step == 0.01
    assert made.self_collision_check and made.mobile
    made.joint("free").set_transform(pose)
    assert np.allclose(palm.transform(), pose, atol=1e-14)
    check_structure(made)
    check_structure(hand)


def test_split_names_the_skeleton_after_the_body_where_no_name_is_given(hand: kido.Skeleton) -> None:
    assert hand.body("finger0_1").split().name == "finger0_1"


def test_a_copy_leaves_the_original_and_shares_nothing_that_changes(hand: kido.Skeleton) -> None:
    before = answers(hand.body("palm").copy_as("reference"))
    palm = hand.body("palm")
    copy = palm.copy_to(hand.body("arm0"))
    assert [b.name for b in copy.subtree()] == [f"{b.name}(1)" for b in palm.subtree()]
    assert hand.num_bodies == 26 and hand.num_dofs == 26
    for new in copy.subtree():
        new.mass = 7.0
        new.parent_joint.positions = 0.9
        new.parent_joint.damping = 5.0
        new.parent_joint.axis = (1.0, 0.0, 0.0)
    assert_same_answers(answers(palm.copy_as("reference")), before)
    check_structure(hand)


def test_a_copy_of_one_body_carries_nothing(hand: kido.Skeleton) -> None:
    copy = hand.body("palm").copy_to(recursive=False)
    assert copy.child_bodies == () and copy.parent_body is None
    assert hand.body("palm").copy_as("one", recursive=False).num_bodies == 1


def test_a_body_can_be_copied_onto_itself(hand: kido.Skeleton) -> None:
    finger = hand.body("finger0_0")
    copy = finger.copy_to(hand.body("finger0_2"))
    assert copy.parent_body is hand.body("finger0_2") and len(finger.subtree()) == 6
    check_structure(hand)


def test_copy_as_makes_an_independent_skeleton(hand: kido.Skeleton) -> None:
    copy = hand.body("palm").copy_as("gripper", joint=kido.WeldJoint())
    assert copy.num_bodies == 10 and copy.num_dofs == 9 and hand.num_bodies == 16
    assert copy.joint(0).name == "palm_joint"
    hand.positions = np.zeros(16)
    assert copy.positions.any()


def test_changing_the_joint_by_type_keeps_name_offsets_and_actuator(hand: kido.Skeleton) -> None:
    palm = hand.body("palm")
    old = palm.parent_joint
    old.actuator, old.T_child_joint = "velocity", (0.0, 0.1, 0.0)
    new = palm.change_parent_joint_type(kido.UniversalJoint)
    assert type(new) is kido.UniversalJoint and new.name == "palm_joint"
    assert np.array_equal(new.T_parent_joint[:3, 3], (0.0, 0.0, 0.1))
    assert np.array_equal(new.T_child_joint[:3, 3], (0.0, 0.1, 0.0))
    assert new.actuator is ActuatorType.VELOCITY and not new.positions.any()
    assert hand.num_dofs == 17 and palm.transform().shape == (4, 4)
    check_structure(hand)


def test_a_clone_answers_the_same_and_is_independent(hand: kido.Skeleton) -> None:
    hand.mobile, hand.adjacent_body_check = False, True
    copy = hand.clone()
    expected = answers(hand)
    assert_same_answers(answers(copy), expected)
    assert not copy.mobile and copy.adjacent_body_check and copy.name == "hand"
    copy.positions = np.zeros(16)
    copy.damping = 2.0
    copy.body("palm").mass = 9.0
    copy.body("finger0_0").remove()
    copy.gravity = (0.0, 0.0, 0.0)
    assert_same_answers(answers(hand), expected)
    assert_same_answers(answers(copy), answers(rebuilt(copy)))
    assert hand.clone("other").name == "other"


def test_changing_the_original_leaves_a_clone(hand: kido.Skeleton) -> None:
    copy = hand.clone()
    expected = answers(copy)
    hand.positions = np.zeros(16)
    hand.spring_stiffness = 3.0
    hand.body("palm").local_com = (0.1, 0.0, 0.0)
    hand.joint(2).axis = (1.0, 1.0, 0.0)
    hand.body("finger2_0").remove()
    assert_same_answers(answers(copy), expected)


def test_a_clone_of_an_empty_skeleton_is_empty() -> None:
    copy = kido.Skeleton("nothing").clone()
    assert copy.num_bodies == copy.num_dofs == 0 and copy.mass_matrix.shape == (0, 0)


Edit = Callable[[kido.Skeleton], object]

REFUSED: dict[str, tuple[Edit, type[Exception], str]] = {
    "a body onto itself": (
        lambda s: s.body("palm").move_to(s.body("palm")),
        EditError,
        "'palm' cannot be moved to itself",
    ),
    "a body onto what it carries": (
        lambda s: s.body("palm").move_to(s.body("finger0_2"), joint=kido.BallJoint()),
        EditError,
        "'palm' cannot be moved to 'finger0_2', which it carries",
    ),
    "a joint that is in use": (
        lambda s: s.add_body("new", joint=s.joint(0)),
        EditError,
        "joint 'arm0_joint' carries 'arm0' already",
    ),
    "a joint that is in use, in a move": (
        lambda s: s.body("palm").move_to(joint=s.body("palm").parent_joint),
        EditError,
        "carries 'palm' already",
    ),
    "a joint that is in use, in a change": (
        lambda s: s.body("palm").change_parent_joint_type(s.joint(0)),
        EditError,
        "carries 'arm0' already",
    ),
    "a joint that is in use, in copies": (
        lambda s: s.body("palm").copy_to(joint=s.joint(0)),
        EditError,
        "carries 'arm0' already",
    ),
    "a joint that is in use, in a split": (
        lambda s: s.body("palm").split(joint=s.joint(0)),
        EditError,
        "carries 'arm0' already",
    ),
    "a removed joint": (lambda s: s.add_body("new", joint=_removed_joint()), RemovedError, "joint 'old'"),
    "no joint": (
        lambda s: s.add_body("new", joint="revolute"),
        TypeError,
        "joint: expected a Joint, got str",
    ),  # type: ignore[arg-type]
    "a class of joints": (
        lambda s: s.add_body("new", joint=kido.BallJoint),  # type: ignore[arg-type]
        TypeError,
        "joint: expected a Joint, got type",
    ),
    "no joint type": (
        lambda s: s.body("palm").change_parent_joint_type(int),  # type: ignore[type-var]
        TypeError,
        "joint: expected a Joint or a type of joints, got <class 'int'>",
    ),
    "the base of joints": (
        lambda s: s.body("palm").change_parent_joint_type(kido.Joint),
        TypeError,
        "Joint is the base of the joints",
    ),
    "a parent of another skeleton": (
        lambda s: s.add_body("new", _body_of("other")),
        EditError,
        "parent: 'b' belongs to 'other', not to 'hand'",
    ),
    "a parent of another skeleton than the given one": (
        lambda s: s.body("palm").move_to(_body_of("other"), skeleton=s),
        EditError,
        "parent: 'b' belongs to 'other', not to 'hand'",
    ),
    "a removed parent": (lambda s: s.body("palm").move_to(_removed_body()), RemovedError, "body 'old'"),
    "a removed parent of a new body": (
        lambda s: s.add_body("new", _removed_body()),
        RemovedError,
        "body 'old'",
    ),
    "no parent": (
        lambda s: s.body("palm").move_to("arm0"),  # type: ignore[arg-type]
        TypeError,
        "parent: expected a BodyNode or None, got str",
    ),
    "no parent of a copy": (
        lambda s: s.body("palm").copy_to(kido.WORLD),  # type: ignore[arg-type]
        TypeError,
        "parent: expected a BodyNode or None, got WorldFrame",
    ),
    "no skeleton": (
        lambda s: s.body("palm").move_to(skeleton="hand"),  # type: ignore[arg-type]
        TypeError,
        "skeleton: expected a Skeleton or None, got str",
    ),
    "an empty name of a split": (lambda s: s.body("palm").split(""), ValueError, "name: expected a nonempty"),
    "no inertia": (
        lambda s: s.add_body("new", inertia=1.0),  # type: ignore[arg-type]
        TypeError,
        "inertia: expected an Inertia or None, got float",
    ),
    "an inertia that no body can have": (
        lambda s: s.add_body("new", inertia=kido.description.Inertia(-1.0)),
        ValueError,
        "inertia: expected one that a body can have, but mass is negative: -1 kg",
    ),
    "another frame as parent": (
        lambda s: s.body("palm").set_parent_frame(kido.WORLD),
        kido.errors.FrameError,
        "'palm' is a body: move_to moves it",
    ),
}


def _body_of(name: str) -> kido.BodyNode:
    body = kido.Skeleton(name).add_body("b")
    KEPT.append(body)
    return body


def _removed_body() -> kido.BodyNode:
    body = _body_of("other")
    body.name = "old"
    body.remove()
    return body


def _removed_joint() -> kido.Joint:
    body = _body_of("other")
    joint = body.parent_joint
    joint.name = "old"
    body.remove()
    return joint


KEPT: list[Any] = []


@pytest.mark.parametrize("what", REFUSED)
def test_an_edit_that_cannot_be_done_is_refused_and_changes_nothing(hand: kido.Skeleton, what: str) -> None:
    edit, error, message = REFUSED[what]
    before, heard = answers(hand), []
    hand.structure_changed.connect(heard.append)
    with pytest.raises(error, match=message):
        edit(hand)
    assert heard == []
    assert_same_answers(answers(hand), before)
    check_structure(hand)


@pytest.mark.parametrize("what", ["parent", "inertia", "name"])
def test_a_joint_stays_usable_where_adding_its_body_was_refused(hand: kido.Skeleton, what: str) -> None:
    joint = kido.RevoluteJoint(positions=0.4)
    wrong: dict[str, Any] = {
        "parent": {"name": "new", "parent": _body_of("other")},
        "inertia": {"name": "new", "inertia": kido.description.Inertia(-1.0)},
        "name": {"name": "palm"},
    }
    with pytest.raises((EditError, ValueError)):
        hand.add_body(joint=joint, **wrong[what])
    body = hand.add_body("new", joint=joint)
    assert body.mass == 1.0 and joint.name == "new_joint" and joint.positions == 0.4


ALLOWED_BODY = {"is_world", "name"}
ALLOWED_JOINT = {"name", "type", "num_dofs", "coordinates", "dof_names", "dofs"}
ALLOWED_DOF = {"name", "joint", "index_in_joint", "coordinate"}


def _use(owner: Any, name: str) -> None:
    value = getattr(owner, name)
    if callable(value) and name in CALLS:
        result = value(*CALLS[name])
        if hasattr(result, "__next__"):
            list(result)


PLAIN_CALLS = (
    *("transform", "spatial_velocity", "linear_velocity", "angular_velocity"),
    *("spatial_acceleration", "linear_acceleration", "angular_acceleration"),
    *("jacobian", "linear_jacobian", "angular_jacobian", "jacobian_spatial_derivative"),
    *("jacobian_classic_derivative", "linear_jacobian_derivative", "angular_jacobian_derivative"),
    *("com", "com_linear_velocity", "com_linear_acceleration", "com_spatial_velocity"),
    *("com_spatial_acceleration", "linear_momentum", "angular_momentum"),
    *("nodes", "subtree", "ancestors", "remove", "move_to", "split", "copy_to", "copy", "problems"),
    *("clear_external_forces", "external_force", "reset_positions", "reset_velocities"),
)
"""Methods that are called without arguments."""

CALLS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(PLAIN_CALLS, ()),
    "copy_as": ("new",),
    "node": (kido.EndEffector, "tip"),
    "add_end_effector": ("new",),
    "add_marker": ("new",),
    "add_external_force": ((1.0, 0.0, 0.0),),
    "set_external_force": ((1.0, 0.0, 0.0),),
    "add_external_torque": ((1.0, 0.0, 0.0),),
    "apply_impulse": ((1.0, 0.0, 0.0),),
    "add_constraint_impulse": ((1.0, 0.0, 0.0),),
    "change_parent_joint_type": (kido.BallJoint,),
    "set_parent_frame": (kido.WORLD,),
    "add_shape_node": (kido.shape.Sphere(1.0),),
    "depends_on": (0,),
    "set_position_limits": (-1.0, 1.0),
    "has_position_limit": (0,),
    "relative_transform_at": (0.0,),
    "relative_jacobian_at": (0.0,),
    "is_cyclic": (0,),
    "addon": (kido.skeleton.Support,),
    "has_addon": (kido.skeleton.Support,),
    "create_addon": (kido.skeleton.Support,),
    "remove_addon": (kido.skeleton.Support,),
}
"""Arguments of the methods."""

OTHERS = {"apply_options", "dof", "descends_from", "set_plane"}
"""Methods with tests of their own, or that ask the methods above."""


def _public(owner: object) -> list[str]:
    return [name for name in dir(type(owner)) if not name.startswith("_") and name not in OTHERS]


@pytest.mark.parametrize(
    "kind", [kido.RevoluteJoint, kido.EulerJoint, kido.ScrewJoint, kido.UniversalJoint, Cam]
)
def test_whatever_is_asked_of_what_was_removed_raises(kind: type[kido.Joint]) -> None:
    skeleton = kido.Skeleton()
    body = skeleton.add_body("gone", skeleton.add_body("base"), kind("j"))
    body.add_end_effector("tip")
    joint, dof = body.parent_joint, body.parent_joint.dofs[0]
    body.remove()
    own = {"transform_of", "jacobian_of", "jacobian_derivative_of", "check", "copied_from", "rotation_of"}
    own |= {"State", "Properties", "state"}
    for owner, allowed in ((body, ALLOWED_BODY), (joint, ALLOWED_JOINT | own), (dof, ALLOWED_DOF)):
        for name in set(_public(owner)) - allowed:
            with pytest.raises(RemovedError, match=r"'(gone|j)' belongs to no skeleton"):
                _use(owner, name)
                pytest.fail(f"{owner!r}.{name} can be used")


def test_setting_what_was_removed_raises() -> None:
    skeleton = kido.Skeleton()
    body = skeleton.add_body("gone", joint=kido.RevoluteJoint("j"))
    joint, dof, inertia = body.parent_joint, body.parent_joint.dofs[0], body.inertia
    body.remove()
    sets: list[tuple[object, str, Any]] = [
        *(
            (joint, name, 0.5)
            for name in ("positions", "velocities", "forces", "damping", "initial_positions")
        ),
        *((joint, name, np.eye(4)) for name in ("T_parent_joint", "T_child_joint")),
        (joint, "name", "new"),
        (joint, "axis", (1.0, 0.0, 0.0)),
        (joint, "actuator", "servo"),
        (joint, "limits_enforced", False),
        (joint, "mimic", None),
        (joint, "dof_names", ("new",)),
        *((dof, name, 0.5) for name in ("position", "command", "damping", "position_upper_limit")),
        (dof, "name", "new"),
        *((body, name, value) for name, value in (("name", "new"), ("mass", 2.0), ("inertia", inertia))),
        *((body, name, False) for name in ("gravity_mode", "collidable")),
        (body, "local_com", np.zeros(3)),
        (body, "moment_of_inertia", np.eye(3)),
        (body, "external_wrench", np.ones(6)),
    ]
    for owner, name, value in sets:
        with pytest.raises(RemovedError):
            setattr(owner, name, value)


def test_frames_on_a_removed_body_say_so_until_they_are_attached_elsewhere(hand: kido.Skeleton) -> None:
    tip = hand.body("finger0_2")
    lens = kido.SimpleFrame("lens", tip)
    tip.remove()
    with pytest.raises(RemovedError, match="'finger0_2'"):
        lens.transform()
    with pytest.raises(RemovedError):
        kido.SimpleFrame("other", tip)
    lens.set_parent_frame(hand.body("palm"))
    assert np.array_equal(lens.transform(), hand.body("palm").transform())


def test_a_body_can_be_removed_only_once(hand: kido.Skeleton) -> None:
    body = hand.body("palm")
    body.remove()
    assert hand.num_bodies == 6 and hand.num_dofs == 6
    with pytest.raises(RemovedError):
        body.remove()
    with pytest.raises(RemovedError):
        hand.body("arm0").move_to(body)


def test_what_was_removed_is_freed(hand: kido.Skeleton) -> None:
    finger = hand.body("finger0_0")
    finger.add_end_effector("tip")
    frame = kido.SimpleFrame("lens", hand.body("finger0_1"))
    hand.compute_forward_kinematics()
    parts = [finger, finger.parent_joint, hand.body("finger0_1"), hand.end_effector("tip"), frame]
    references = [weakref.ref(part) for part in parts]
    finger.remove()
    del finger, parts, frame
    gc.collect()
    assert [reference() for reference in references] == [None] * 5
    assert hand.body("finger1_2").transform().shape == (4, 4)


def test_a_skeleton_is_freed_with_all_its_parts() -> None:
    skeleton = branched()
    skeleton.add_body("cam", skeleton.bodies[1], Cam()).add_marker("m")
    answers(skeleton)
    clone = skeleton.clone()
    answers(clone)
    parts = [skeleton, *skeleton.bodies, *skeleton.joints, *skeleton.nodes()]
    references = [weakref.ref(part) for part in parts]
    del skeleton, parts
    gc.collect()
    assert not any(reference() for reference in references)
    answers(clone)


def test_a_body_keeps_its_skeleton() -> None:
    body = kido.Skeleton("kept").add_body("b")
    gc.collect()
    assert body.skeleton.name == "kept" and body.transform().shape == (4, 4)


def test_a_chain_of_a_thousand_bodies_can_be_built_and_edited() -> None:
    chain, body = kido.Skeleton("chain"), None
    for i in range(1000):
        joint = kido.RevoluteJoint(f"joint{i}", (0.0, 1.0, 0.0), T_parent_joint=(0.0, 0.0, 0.01))
        body = chain.add_body(f"body{i}", body, joint)
    assert chain.body(999).transform()[2, 3] == pytest.approx(10.0, abs=1e-12)
    chain.body(500).move_to(chain.body(249))
    assert chain.body("body999").transform()[2, 3] == pytest.approx(7.5, abs=1e-12)
    half = chain.body("body500").split()
    assert half.num_bodies == 500 and chain.num_bodies == 500
    check_structure(half)
    copy = half.bodies[0].copy_to(chain.body("body499"))
    assert chain.num_bodies == 1000 and chain.bodies[-1].transform()[2, 3] == pytest.approx(10.0, abs=1e-12)
    copy.remove()
    check_structure(chain)


# ---- joints of a type, made by the edit that needs them


def _arm_of_two() -> kido.Skeleton:
    arm = kido.Skeleton("arm")
    upper = arm.add_body("upper", joint=kido.RevoluteJoint("shoulder", T_parent_joint=(0.0, 0.0, 0.2)))
    arm.add_body("lower", upper, kido.RevoluteJoint("elbow", T_parent_joint=(0.3, 0.0, 0.0)))
    arm.joint("elbow").actuator = "passive"
    return arm


def _moved(arm: kido.Skeleton) -> kido.BodyNode:
    arm.body("lower").move_to(None, joint=kido.EulerJoint)
    return arm.body("lower")


@pytest.mark.parametrize(
    "edit",
    [
        _moved,
        lambda arm: arm.body("lower").split("part", joint=kido.EulerJoint).body(0),
        lambda arm: arm.body("lower").copy_to(None, joint=kido.EulerJoint),
        lambda arm: arm.body("lower").copy_as("part", joint=kido.EulerJoint).body(0),
    ],
    ids=["move_to", "split", "copy_to", "copy_as"],
)
def test_a_joint_of_a_type_takes_over_name_offsets_and_actuator(
    edit: Callable[[kido.Skeleton], kido.BodyNode],
) -> None:
    body = edit(_arm_of_two())
    joint = body.parent_joint
    assert type(joint) is kido.EulerJoint
    assert joint.name.startswith("elbow")
    assert (joint.T_parent_joint[:3, 3] == [0.3, 0.0, 0.0]).all()
    assert joint.actuator is kido.ActuatorType.PASSIVE
    assert body.parent_body is None
    assert body.skeleton.num_dofs >= 3


def test_what_is_no_type_of_joints_is_refused_and_nothing_moves() -> None:
    arm = _arm_of_two()
    with pytest.raises(TypeError, match="joint: expected a Joint or a type of joints, got"):
        arm.body("lower").move_to(None, joint=kido.BodyNode)  # type: ignore[arg-type]
    assert arm.body("lower").parent_body is arm.body("upper")
