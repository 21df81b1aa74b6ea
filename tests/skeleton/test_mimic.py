"""Mimic joints follow their leaders, whichever way positions and velocities are set."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import kido
from _robots import robot_files
from kido.description import Mimic
from kido.errors import EditError
from kido.io import read_urdf_string
from kido.skeleton import SkeletonProperties

PANDA = "panda_description/urdf/panda.urdf"
LEADER, FOLLOWER = "panda_finger_joint1", "panda_finger_joint2"


def load(**options: bool) -> kido.Skeleton:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kido.errors.ModelWarning)
        return kido.load(robot_files()[PANDA], **options)


@pytest.fixture
def panda() -> kido.Skeleton:
    return load()


def hand(*joints: kido.Joint) -> kido.Skeleton:
    """A body with joints side by side, the mimics among them enforced."""
    robot = kido.Skeleton("hand")
    palm = robot.add_body("palm", joint=kido.WeldJoint())
    for joint in joints:
        robot.add_body(f"{joint.name}_body", palm, joint)
    robot.mimic_enforced = True
    return robot


def turn(name: str, *follows: object) -> kido.Joint:
    mimic = Mimic(*follows) if follows else None  # type: ignore[arg-type]
    return kido.RevoluteJoint(name, mimic=mimic, actuator="mimic" if follows else "force")


def set_all(robot: kido.Skeleton, value: float) -> None:
    q = np.full(robot.num_dofs, 0.123)
    q[robot.dof(LEADER).index] = value
    robot.positions = q


ROUTES: dict[str, Callable[[kido.Skeleton, float], object]] = {
    "skeleton": set_all,
    "name": lambda robot, value: setattr(robot, "positions", {LEADER: value}),
    "joint": lambda robot, value: setattr(robot.joint(LEADER), "positions", [value]),
    "dof": lambda robot, value: setattr(robot.dof(LEADER), "position", value),
    "selection": lambda robot, value: setattr(
        kido.Group("fingers", dofs=[robot.dof(LEADER)]), "positions", [value]
    ),
    "configuration": lambda robot, value: robot.set_configuration(
        kido.skeleton.SkeletonConfiguration([LEADER], positions=[value])
    ),
}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("route", ROUTES)
def test_the_finger_of_panda_follows_by_every_route(panda: kido.Skeleton, route: str, compiled: bool) -> None:
    if compiled:
        panda.tree  # noqa: B018 - positions of a compiled skeleton take another way
    else:
        panda.body(0).mass = 3.0
    ROUTES[route](panda, 0.031)
    assert panda.dof(LEADER).position == panda.dof(FOLLOWER).position == 0.031
    ROUTES[route](panda, 0.012)
    assert panda.dof(FOLLOWER).position == 0.012


def test_reset_and_integration_move_followers(panda: kido.Skeleton) -> None:
    panda.joint(LEADER).initial_positions = 0.02
    panda.joint(FOLLOWER).initial_positions = 0.035
    panda.reset_positions()
    assert panda.dof(FOLLOWER).position == 0.02
    panda.joint(FOLLOWER).reset_positions()
    assert panda.dof(FOLLOWER).position == 0.02
    panda.velocities = {LEADER: 0.1, FOLLOWER: -5.0}
    assert panda.dof(FOLLOWER).velocity == 0.1
    panda.integrate_positions(0.01)
    assert panda.dof(FOLLOWER).position == panda.dof(LEADER).position == pytest.approx(0.021)
    panda.accelerations = np.arange(9.0)
    panda.integrate_velocities(0.01)
    assert panda.dof(FOLLOWER).velocity == panda.dof(LEADER).velocity == pytest.approx(0.17)


def test_results_of_inverse_kinematics_move_followers(panda: kido.Skeleton) -> None:
    target = panda.body("panda_leftfinger")
    module = kido.InverseKinematics.of(target)
    module.dofs = target.dependent_dofs
    q = np.array([0.1, -0.6, 0.2, -2.0, 0.1, 1.5, 0.7, 0.02, 0.02])
    panda.positions = q
    goal = target.transform()
    panda.positions = np.array([0.0, -0.5, 0.0, -1.8, 0.0, 1.4, 0.8, 0.0, 0.0])
    module.target.set_transform(goal)
    assert module.solve_and_apply().success
    np.testing.assert_allclose(target.transform(), goal, atol=1e-6)
    assert panda.dof(FOLLOWER).position == panda.dof(LEADER).position


def test_poses_of_fingers_are_those_of_pinocchio_with_mimic_joints(panda: kido.Skeleton) -> None:
    model = pin.buildModelFromUrdf(str(robot_files()[PANDA]), mimic=True)
    assert (model.nq, panda.num_dofs) == (8, 9)
    data = model.createData()
    q = np.array([0.1, -0.6, 0.2, -2.0, 0.1, 1.5, 0.7, 0.027])
    v = np.linspace(-0.5, 0.5, 8)
    pin.forwardKinematics(model, data, q, v)
    pin.updateFramePlacements(model, data)
    panda.positions = [*q, -7.0]
    panda.velocities = [*v, 9.0]
    for finger in ("panda_leftfinger", "panda_rightfinger"):
        frame = model.getFrameId(finger)
        np.testing.assert_allclose(panda.body(finger).transform(), data.oMf[frame].homogeneous, atol=1e-12)
        velocity = pin.getFrameVelocity(model, data, frame)
        expected = np.concatenate([velocity.angular, velocity.linear])
        np.testing.assert_allclose(panda.body(finger).spatial_velocity(), expected, atol=1e-12)


def test_without_mimic_fingers_move_alone_until_it_is_enforced() -> None:
    robot = load(mimic=False)
    robot.positions = {LEADER: 0.03}
    robot.velocities = {LEADER: 0.2}
    assert (robot.dof(FOLLOWER).position, robot.dof(FOLLOWER).velocity) == (0.0, 0.0)
    assert not robot.mimic_enforced
    robot.mimic_enforced = True
    assert (robot.dof(FOLLOWER).position, robot.dof(FOLLOWER).velocity) == (0.03, 0.2)
    robot.mimic_enforced = False
    robot.positions = {FOLLOWER: 0.01}
    assert robot.dof(FOLLOWER).position == 0.01


def test_what_is_written_to_a_follower_has_no_effect(panda: kido.Skeleton) -> None:
    panda.positions = {LEADER: 0.03}
    panda.joint(FOLLOWER).positions = 0.01
    panda.dof(FOLLOWER).velocity = 4.0
    assert (panda.dof(FOLLOWER).position, panda.dof(FOLLOWER).velocity) == (0.03, 0.0)


def test_followers_of_followers_stand_where_the_chain_says() -> None:
    robot = hand(turn("c", "b", 3.0, -0.5), turn("b", "a", -2.0, 0.25), turn("a"), turn("d", "c", 0.5))
    robot.positions = {"a": 0.1}
    robot.velocities = {"a": 1.0}
    b = -2.0 * 0.1 + 0.25
    c = 3.0 * b - 0.5
    np.testing.assert_allclose(robot.positions, [c, b, 0.1, 0.5 * c], rtol=1e-15)
    np.testing.assert_allclose(robot.velocities, [-6.0, -2.0, 1.0, -3.0], rtol=1e-15)


def test_a_follower_that_is_driven_otherwise_moves_alone() -> None:
    robot = hand(turn("a"), turn("b", "a", 2.0))
    robot.positions = {"a": 0.5}
    robot.joint("b").actuator = "force"
    robot.positions = {"a": 0.1, "b": 0.3}
    assert robot.positions.tolist() == [0.1, 0.3]
    robot.joint("b").actuator = "mimic"
    assert robot.positions.tolist() == [0.1, 0.2]
    robot.joint("b").mimic = Mimic("a", -1.0)
    assert robot.positions.tolist() == [0.1, -0.1]


def test_joints_of_several_dofs_follow_dof_by_dof() -> None:
    follower = kido.UniversalJoint("b", mimic=Mimic("a", 2.0, 0.1), actuator="mimic")
    robot = hand(kido.UniversalJoint("a"), follower)
    robot.joint("a").positions = [0.1, -0.3]
    np.testing.assert_allclose(follower.positions, [0.3, -0.5], rtol=1e-15)


def test_a_cycle_is_refused_and_leaves_the_joint_as_it_was() -> None:
    robot = hand(turn("a", "b"), turn("b", "c"), turn("c"))
    with pytest.raises(EditError, match="mimic joints form a cycle: "):
        robot.joint("c").apply_options({"mimic": Mimic("a"), "actuator": "mimic"})
    assert robot.joint("c").actuator is kido.ActuatorType.FORCE
    robot.joint("c").mimic = None
    robot.positions = {"c": 0.2}
    assert robot.positions.tolist() == [0.2, 0.2, 0.2]
    robot.mimic_enforced = False
    robot.joint("c").mimic = Mimic("a")
    robot.joint("c").actuator = "mimic"
    with pytest.raises(EditError, match="mimic joints form a cycle: a -> b -> c -> a"):
        robot.mimic_enforced = True
    assert not robot.mimic_enforced


@pytest.mark.parametrize(
    ("leader", "follower", "message"),
    [
        (kido.UniversalJoint, kido.RevoluteJoint, "expected the same number of dofs, got 1 and 2"),
        (kido.BallJoint, kido.BallJoint, "rotation vectors of ball and free joints"),
        (kido.BallJoint, kido.EulerJoint, "rotation vectors of ball and free joints"),
    ],
)
def test_joints_that_cannot_follow_are_refused(
    leader: type[kido.Joint], follower: type[kido.Joint], message: str
) -> None:
    with pytest.raises(EditError, match=f"joint 'b' cannot follow 'a': {message}"):
        hand(leader("a"), follower("b", mimic=Mimic("a"), actuator="mimic"))


def test_edits_keep_followers_with_their_leaders() -> None:
    robot = hand(turn("a"), turn("b", "a", 2.0))
    robot.positions = {"a": 0.25}
    robot.add_body("first", None, turn("z"))
    robot.joint("a").name = "leader"
    robot.positions = {"leader": 0.5}
    assert robot.dof("b").position == 1.0
    alone = robot.body("b_body").split()
    alone.positions = [0.7]
    assert alone.positions.tolist() == [0.7]
    alone.body(0).move_to(robot.body("palm"))
    assert robot.dof("b").position == 1.0
    robot.body("a_body").remove()
    robot.positions = {"b": 0.3}
    assert robot.dof("b").position == 0.3


def strays() -> tuple[kido.Skeleton, kido.Skeleton]:
    """Two robots whose joints a and b follow each other once they meet."""
    return hand(turn("a", "b")), hand(turn("b", "a"))


EDITS: dict[str, Callable[[kido.Skeleton, kido.Skeleton], object]] = {
    "add_body": lambda robot, other: robot.add_body("more", None, turn("b", "a")),
    "move_to": lambda robot, other: other.body("b_body").move_to(robot.body("palm")),
    "copy_to": lambda robot, other: other.body("b_body").copy_to(robot.body("palm")),
    "move_to with a joint": lambda robot, other: other.body("b_body").move_to(
        robot.body("palm"), joint=turn("b", "a")
    ),
    "change_parent_joint_type": lambda robot, other: robot.body("palm").change_parent_joint_type(
        turn("b", "a")
    ),
    "name": lambda robot, other: setattr(robot.body("palm").parent_joint, "name", "b"),
    "properties": lambda robot, other: setattr(other, "properties", replace_mimic(other, Mimic("b"))),
}


def replace_mimic(robot: kido.Skeleton, mimic: Mimic) -> SkeletonProperties:
    """Properties of a robot whose last joint follows otherwise."""
    properties = robot.properties
    last = properties.bodies[-1]
    return replace(
        properties, bodies=(*properties.bodies[:-1], replace(last, joint=replace(last.joint, mimic=mimic)))
    )


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_after_which_joints_would_follow_in_a_cycle_changes_nothing(edit: str) -> None:
    robot, other = strays()
    if edit == "name":
        robot.body("palm").change_parent_joint_type(turn("z", "a"))
    before = [(part.properties, part.state, part.bodies) for part in (robot, other)]
    told = []
    robot.structure_changed.connect(told.append)
    other.structure_changed.connect(told.append)
    with pytest.raises(EditError, match="mimic joints form a cycle: "):
        EDITS[edit](robot, other)
    assert [(part.properties, part.state, part.bodies) for part in (robot, other)] == before
    assert not told
    robot.positions = robot.positions + 0.25
    assert robot.dof("a").position == 0.25


def test_a_joint_that_gets_the_name_of_a_missing_leader_leads() -> None:
    robot = hand(turn("a", "b", 2.0), turn("c"))
    robot.positions = {"a": 0.1, "c": 0.5}
    assert robot.dof("a").position == 0.1
    robot.joint("c").name = "b"
    assert robot.dof("a").position == 1.0
    robot.positions = {"b": 0.25}
    assert robot.dof("a").position == 0.5


def test_a_joint_of_another_type_follows_on() -> None:
    robot = hand(turn("a"), turn("b", "a", 2.0))
    robot.joint("b").limits_enforced = False
    changed = robot.body("b_body").change_parent_joint_type(kido.PrismaticJoint)
    assert changed.mimic == Mimic("a", 2.0)
    assert not changed.limits_enforced
    robot.positions = {"a": 0.25}
    assert robot.dof("b").position == 0.5
    with pytest.raises(EditError, match="joint 'b' cannot follow 'a': expected the same number of dofs"):
        robot.body("b_body").change_parent_joint_type(kido.UniversalJoint)
    assert robot.joint("b") is changed
    with pytest.raises(EditError, match="joint 'b' cannot follow 'a': expected the same number of dofs"):
        robot.body("a_body").change_parent_joint_type(kido.UniversalJoint)


def test_copies_pickles_and_properties_keep_the_rule(panda: kido.Skeleton) -> None:
    for kept in (
        panda.clone(),
        copy.deepcopy(panda),
        pickle.loads(pickle.dumps(panda)),
        kido.Skeleton.from_properties(panda.properties),
    ):
        kept.positions = {LEADER: 0.015}
        assert kept.mimic_enforced
        assert kept.dof(FOLLOWER).position == 0.015
    loose = load(mimic=False)
    loose.properties = panda.properties
    assert loose.mimic_enforced
    assert not kido.Skeleton().mimic_enforced


def test_a_chain_of_thousands_of_followers_is_followed_without_recursion() -> None:
    count = 2000
    links = "".join(f"<link name='l{i}'/>" for i in range(count + 1))
    joints = "".join(
        f"<joint name='j{i}' type='continuous'><parent link='l0'/><child link='l{i}'/>"
        f"<mimic joint='j{i + 1}' multiplier='-1'/></joint>"
        for i in range(1, count)
    )
    last = f"<joint name='j{count}' type='continuous'><parent link='l0'/><child link='l{count}'/></joint>"
    description = read_urdf_string(f"<robot name='r'>{links}{joints}{last}</robot>")
    robot = kido.Skeleton.from_description(description)
    robot.positions = {f"j{count}": 0.5}
    assert robot.dof("j1").position == -0.5
    assert robot.dof("j2").position == 0.5


def test_a_loaded_follower_with_an_offset_starts_where_its_leader_says() -> None:
    text = """<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
      <joint name='lead' type='continuous'><parent link='a'/><child link='b'/></joint>
      <joint name='follow' type='continuous'><parent link='a'/><child link='c'/>
        <mimic joint='lead' multiplier='2' offset='0.75'/></joint></robot>"""
    description = read_urdf_string(text)
    robot = kido.Skeleton.from_description(description)
    assert robot.positions.tolist() == [0.0, 0.75]
    assert kido.Skeleton.from_description(description, mimic=False).positions.tolist() == [0.0, 0.0]


def test_other_positions_of_a_robot_without_mimics_are_left_alone() -> None:
    robot = kido.gallery.arm()
    robot.mimic_enforced = True
    q = np.linspace(-0.5, 0.5, robot.num_dofs)
    robot.positions = q
    assert robot.positions.tolist() == q.tolist()
