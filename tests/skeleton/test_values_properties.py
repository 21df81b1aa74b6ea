"""All that does not change in time, as a value, and skeletons built of it."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from _random_trees import Robot, every_joint, robots
from _valued_skeletons import (
    Cam,
    Camera,
    Everything,
    Grid,
    Sensor,
    Tag,
    answers,
    assert_same_bits,
    everything,
    options,
    set_numbers,
)
from hypothesis import given

import kido
from kido.description import Inertia, Mimic
from kido.errors import NameTakenError
from kido.shape import Sphere
from kido.skeleton import Skeleton, SkeletonProperties, TranslationalJoint2D

pytestmark = pytest.mark.filterwarnings("ignore::kido.errors.NoEffectWarning")


@pytest.mark.parametrize("user_joint", [False, True])
def test_a_skeleton_built_of_its_values_answers_bit_for_bit_like_the_original(user_joint: bool) -> None:
    robot = everything(user_joint=user_joint)
    twin = Skeleton.from_properties(robot.properties, robot.state)
    assert twin.properties == robot.properties and twin.state == robot.state
    assert_same_bits(answers(twin), answers(robot))


def check_twin(sample: Robot) -> None:
    robot = Skeleton.from_description(sample.description, gravity=(1.0, 2.0, 3.0), time_step=0.5)
    robot.positions, robot.velocities, robot.accelerations = sample.state()
    twin = Skeleton.from_properties(robot.properties, robot.state)
    assert twin.tree == robot.tree
    assert twin.properties == robot.properties and twin.state == robot.state
    for body, other in zip(robot.bodies, twin.bodies, strict=True):
        assert body.transform().tobytes() == other.transform().tobytes()
        assert body.spatial_acceleration().tobytes() == other.spatial_acceleration().tobytes()


@given(robots())
def test_any_tree_is_rebuilt_exactly(sample: Robot) -> None:
    check_twin(sample)


def test_a_tree_with_every_type_of_joint_is_rebuilt_exactly() -> None:
    check_twin(every_joint())


def test_a_rebuilt_skeleton_is_edited_like_the_original() -> None:
    robot = everything()
    twin = Skeleton.from_properties(robot.properties, robot.state)
    for each in (robot, twin):
        each.body("body3").move_to(each.body("body8"))
        each.joint("body1_joint" if each.has_joint("body1_joint") else "knee").name = "elbow"
        each.body("body9").remove()
        each.joint("body6_joint").name = "socket"
    assert_same_bits(answers(twin), answers(robot))
    assert twin.joint("socket").dof_names == ("socket_x", "socket_y", "socket_z")
    assert twin.joint("body3_joint").dof_names == ("thread",)


def test_without_a_state_a_skeleton_begins_at_its_initial_numbers() -> None:
    robot = everything()
    twin = Skeleton.from_properties(robot.properties)
    assert (twin.positions == robot.initial_positions).all()
    assert (twin.velocities == robot.initial_velocities).all()
    assert (
        not twin.forces.any()
        and not twin.constraint_impulses.any()
        and not twin.body("body0").external_force().any()
    )
    assert twin.node(Sensor, "hand").state == Sensor.State()


def test_user_classes_are_rebuilt_without_their_init() -> None:
    robot = everything()
    twin = Skeleton.from_properties(robot.properties, robot.state)
    assert twin.node(Sensor, "hand").properties.gain == 3.0
    assert twin.node(Camera, "eye").properties.angle == 0.9
    assert twin.body("body1").addon(Grid).properties.counts == {"size": 1}
    assert twin.body("body1").addon(Grid).owner is twin.body("body1")
    assert isinstance(twin.joints[-1], Cam) or any(isinstance(joint, Cam) for joint in twin.joints)


def test_twins_share_nothing_that_can_be_changed() -> None:
    robot = everything()
    properties, state = robot.properties, robot.state
    twin = Skeleton.from_properties(properties, state)
    set_numbers(twin, np.random.default_rng(4))
    twin.bodies[0].mass = 77.0
    twin.damping = np.full(twin.num_dofs, 3.0)
    twin.body("body2").remove()
    assert robot.properties == properties and robot.state == state


def reorder_euler(robot: Skeleton) -> None:
    next(joint for joint in robot.joints if isinstance(joint, kido.EulerJoint)).order = "zyx"


def give_options(robot: Skeleton) -> None:
    rng = np.random.default_rng(8)
    for joint in robot.joints:
        new = options(rng, joint.num_dofs)
        joint.set_position_limits(-9.0, 9.0)
        joint.apply_options(new)


def joint_of(kind: type) -> Callable[[Skeleton], Any]:
    return lambda robot: next(joint for joint in robot.joints if type(joint) is kind)


CHANGES: dict[str, Callable[[Skeleton], Any]] = {
    "name": lambda robot: setattr(robot, "name", "other"),
    "gravity": lambda robot: setattr(robot, "gravity", (0.0, 0.0, 1.0)),
    "time step": lambda robot: setattr(robot, "time_step", 0.5),
    "mobile": lambda robot: setattr(robot, "mobile", True),
    "self collision": lambda robot: setattr(robot, "self_collision_check", False),
    "adjacent bodies": lambda robot: setattr(robot, "adjacent_body_check", False),
    "mass": lambda robot: setattr(robot.bodies[2], "mass", 9.0),
    "com": lambda robot: setattr(robot.bodies[2], "local_com", (0.0, 0.0, 0.5)),
    "massless": lambda robot: setattr(robot.bodies[2], "inertia", None),
    "gravity mode": lambda robot: setattr(robot.body("body2"), "gravity_mode", False),
    "collidable": lambda robot: setattr(robot.body("body5"), "collidable", True),
    "all of all joints": give_options,
    "limits above the old ones": lambda robot: robot.joint("knee").set_position_limits(10.0, 11.0),
    "axis": lambda robot: setattr(robot.joint("knee"), "axis", (1.0, 1.0, 0.0)),
    "pitch": lambda robot: setattr(joint_of(kido.ScrewJoint)(robot), "pitch", 0.7),
    "plane": lambda robot: joint_of(TranslationalJoint2D)(robot).set_plane("zx"),
    "axis of universal": lambda robot: setattr(
        joint_of(kido.UniversalJoint)(robot), "axis2", (0.0, 0.0, 1.0)
    ),
    "order": reorder_euler,
    "actuator": lambda robot: setattr(robot.joint("body2_joint"), "actuator", "acceleration"),
    "mimic": lambda robot: setattr(robot.joint("knee"), "mimic", Mimic("body2_joint", 0.25)),
    "no mimic": lambda robot: setattr(robot.joint("knee"), "mimic", None),
    "dof name": lambda robot: setattr(robot.dof("thread"), "name", "lead"),
    "user joint": lambda robot: setattr(joint_of(Cam)(robot), "properties", Cam.Properties(0.9)),
    "user node": lambda robot: setattr(robot.node(Sensor, "hand"), "properties", Sensor.Properties(9.0)),
    "place of node": lambda robot: setattr(robot.node(Camera, "eye"), "relative_transform", (1.0, 2.0, 3.0)),
    "shape": lambda robot: setattr(robot.node(kido.ShapeNode, "hull"), "shape", Sphere(0.1)),
    "marker": lambda robot: setattr(robot.node(kido.Marker, "dot"), "rgba", (0.0, 0.0, 0.0, 1.0)),
    "support": lambda robot: setattr(robot.end_effector("hand").support, "geometry", [(1.0, 2.0, 3.0)]),
    "addon of skeleton": lambda robot: setattr(robot.addon(Grid), "properties", Everything(text=None)),
    "addon of body": lambda robot: setattr(robot.body("body1").addon(Grid), "properties", Everything()),
    "addon of joint": lambda robot: setattr(robot.joint("knee").addon(Grid), "properties", Everything()),
    "addon of node": lambda robot: setattr(
        robot.node(Camera, "eye").addon(Grid), "properties", Everything(number=1.0)
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_property_is_part_of_the_value_and_is_brought_back(change: Callable[[Skeleton], Any]) -> None:
    robot = everything()
    properties, before = robot.properties, answers(robot)
    change(robot)
    assert robot.properties != properties
    changed, after = robot.properties, answers(robot)
    robot.properties = properties
    assert robot.properties == properties
    assert_same_bits(answers(robot), before)
    robot.properties = changed
    assert robot.properties == changed
    assert_same_bits(answers(robot), after)


def test_the_state_stays_where_properties_are_set() -> None:
    robot, other = everything(), everything()
    give_options(other)
    state = robot.state
    robot.properties = other.properties
    assert robot.properties == other.properties
    assert robot.state == state


def test_commands_of_joints_that_take_none_any_more_are_zeroed() -> None:
    robot, other = everything(), everything()
    other.joint("body2_joint").actuator = "locked"
    assert robot.joint("body2_joint").commands[0] == 0.3
    robot.properties = other.properties
    assert robot.joint("body2_joint").commands[0] == 0.0


def edited(edit: Callable[[Skeleton], Any]) -> SkeletonProperties:
    robot = everything()
    edit(robot)
    return robot.properties


def another_joint(robot: Skeleton) -> None:
    robot.body("body2").change_parent_joint_type(kido.RevoluteJoint)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            lambda robot: setattr(robot.body("body2"), "name", "palm"),
            "expected body 'body2' on .*, got body 'palm'",
        ),
        (
            lambda robot: robot.body("body2").move_to(None),
            "expected body 'body2' on 'body.', got .* 'the world'",
        ),
        (lambda robot: robot.bodies[-1].remove(), "expected body 'body13' on 'body9', got nothing more"),
        (lambda robot: robot.add_body("more"), "expected nothing more, got body 'more' on 'the world'"),
        (another_joint, "expected PrismaticJoint 'body2_joint', got RevoluteJoint 'body2_joint'"),
        (lambda robot: setattr(robot.joint("knee"), "name", "ankle"), "got RevoluteJoint 'ankle'"),
        (lambda robot: robot.remove_addon(Tag), "expected Tag of the skeleton, got body 'body0'"),
        (lambda robot: robot.bodies[2].create_addon(Tag), "got Tag of body"),
        (lambda robot: robot.joint("knee").remove_addon(Grid), "expected Grid of joint 'knee', got Tag"),
        (
            lambda robot: robot.end_effector("hand").remove(),
            "expected EndEffector 'hand' of 'body1', got Marker",
        ),
        (
            lambda robot: robot.end_effector("hand").remove_addon(kido.Support),
            "expected Support of EndEffector 'hand'",
        ),
    ],
)
def test_properties_of_another_structure_are_refused_before_anything_changes(
    edit: Callable[[Skeleton], Any], message: str
) -> None:
    robot = everything()
    properties, state = robot.properties, robot.state
    other = dataclasses.replace(edited(edit), name="other", time_step=0.7)
    with pytest.raises(ValueError, match=f"properties: .*{message}"):
        robot.properties = other
    assert robot.properties == properties and robot.state == state


def with_joint(value: SkeletonProperties, index: int, /, **changes: Any) -> SkeletonProperties:
    """The same properties but for one joint."""
    bodies = list(value.bodies)
    joint = dataclasses.replace(bodies[index].joint, **changes)
    bodies[index] = dataclasses.replace(bodies[index], joint=joint)
    return dataclasses.replace(value, bodies=tuple(bodies))


def test_two_dofs_of_one_name_are_refused_before_anything_changes() -> None:
    robot = everything()
    properties, knee = robot.properties, robot.joint("knee").index
    twins = with_joint(dataclasses.replace(properties, name="other"), knee, dof_names=("thread",))
    with pytest.raises(NameTakenError, match="'other' has a dof named 'thread' already"):
        robot.properties = twins
    with pytest.raises(NameTakenError, match="'other' has a dof named 'thread' already"):
        Skeleton.from_properties(twins)
    assert robot.properties == properties


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"damping": -1.0}, ValueError, r"damping: expected no number below 0"),
        ({"damping": [1.0, 2.0]}, ValueError, r"damping: expected shape \(1,\)"),
        ({"initial_positions": np.nan}, ValueError, "initial_positions: expected finite numbers"),
        (
            {"position_lower_limits": 99.0, "position_upper_limits": 1.0},
            ValueError,
            "position_lower_limits: expected lower <= upper",
        ),
        ({"axes": (0.0, 0.0, 0.0)}, ValueError, "axes: expected a nonzero vector"),
        ({"axes": np.eye(3)}, ValueError, r"axes: expected shape \(1, 3\)"),
        ({"T_child_joint": 2.0 * np.eye(4)}, ValueError, "T_child_joint: "),
        ({"pitch": np.inf}, ValueError, "pitch: expected finite numbers"),
        ({"order": "xyy"}, ValueError, "order: expected one of xyz"),
        ({"actuator": "motor"}, ValueError, "motor"),
        ({"mimic": "knee"}, TypeError, "mimic: expected a Mimic or None, got 'knee'"),
        ({"dof_names": ("a", "b")}, ValueError, "dof_names: expected 1 names"),
        ({"properties": 3}, TypeError, "properties of a RevoluteJoint: expected None, got 3"),
        ({"kind": kido.Joint}, TypeError, "kind: expected a type of joints, got Joint"),
        ({"kind": int}, TypeError, "kind: expected a class that derives from Joint, got <class 'int'>"),
        ({"kind": Cam}, TypeError, "properties of a Cam: expected a Cam.Properties, got None"),
        ({"name": ""}, ValueError, "name: expected a nonempty string"),
        ({"addons": (3,)}, TypeError, "addons: expected a tuple of AddonProperties"),
        ({"speed": 3.0}, TypeError, "unknown argument 'speed'; numbers of dofs are position_lower_limits"),
    ],
)
def test_malformed_properties_of_a_joint_are_refused(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    robot = everything()
    with pytest.raises(error, match=message):
        with_joint(robot.properties, robot.joint("knee").index, **changes)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"inertia": Inertia(-1.0)}, ValueError, "inertia: mass is negative"),
        ({"inertia": 1.0}, TypeError, "inertia: expected an Inertia, got 1.0"),
        ({"joint": None}, TypeError, "joint: expected a JointProperties, got None"),
        ({"nodes": [3]}, TypeError, "nodes: expected a NodeProperties, got 3"),
        ({"name": ""}, ValueError, "name: expected a nonempty string"),
    ],
)
def test_malformed_properties_of_a_body_are_refused(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        dataclasses.replace(everything().properties.bodies[0], **changes)


def test_bodies_have_different_names_and_stand_after_their_parents() -> None:
    properties = everything().properties
    root, child = properties.bodies[:2]
    with pytest.raises(ValueError, match=f"expected {child.name!r} after its parent {root.name!r}"):
        dataclasses.replace(properties, bodies=(child, root))
    with pytest.raises(ValueError, match=f"expected different names, got two named {root.name!r}"):
        dataclasses.replace(properties, bodies=(root, root))
    with pytest.raises(ValueError, match="expected joints of different names"):
        dataclasses.replace(properties, bodies=(root, dataclasses.replace(root, name="other")))
    hand = next(body for body in properties.bodies if body.name == "body1").nodes[0]
    with pytest.raises(ValueError, match="nodes of one type of different names"):
        dataclasses.replace(properties, bodies=(dataclasses.replace(root, nodes=(hand, hand)),))


def test_malformed_properties_of_a_skeleton_are_refused() -> None:
    with pytest.raises(ValueError, match="time_step: expected a positive number"):
        SkeletonProperties("robot", time_step=0.0)
    with pytest.raises(ValueError, match="gravity: expected shape"):
        SkeletonProperties("robot", gravity=(1.0, 2.0))
    with pytest.raises(TypeError, match="bodies: expected a BodyProperties, got 3"):
        SkeletonProperties("robot", [3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="properties: expected SkeletonProperties, got int"):
        Skeleton().properties = 3  # type: ignore[assignment]
    with pytest.raises(TypeError, match="properties: expected SkeletonProperties, got int"):
        Skeleton.from_properties(3)  # type: ignore[arg-type]


def test_properties_are_equal_by_content_hashed_pickled_and_read_only() -> None:
    one, other = everything().properties, everything().properties
    assert one == other and hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != everything(seed=1).properties
    with pytest.raises(ValueError, match="read-only"):
        one.bodies[1].joint.damping[0] = 3.0


def test_an_edited_value_makes_an_edited_skeleton() -> None:
    robot = everything()
    knee = robot.joint("knee").index
    stiff = Skeleton.from_properties(with_joint(robot.properties, knee, spring_stiffness=50.0))
    assert stiff.joint("knee").spring_stiffness.tolist() == [50.0]
