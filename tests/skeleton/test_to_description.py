"""Descriptions of live skeletons."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from _random_trees import Robot, every_joint, robots
from hypothesis import given

import kido
from kido import description as d
from kido.errors import DescriptionError
from kido.shape import Box, Sphere


def two_links() -> d.RobotDescription:
    """A robot in which everything that a description can say of a skeleton is said once."""
    slippery = kido.Surface(0.1, 0.5)
    box = d.ShapePlacement("hull", Box((1, 2, 3)), np.diag([1.0, -1.0, -1.0, 1.0]), d.Material("red"))
    base = d.LinkDescription(
        "base",
        d.Inertia(2.0, (0.1, 0.0, 0.0), np.eye(3)),
        [box, d.ShapePlacement("look", Sphere(0.2))],
        [replace(box, surface=slippery), d.ShapePlacement("foot", Sphere(0.1), surface=slippery)],
        frames=[d.FrameDescription("camera"), d.FrameDescription("dot", kind="marker")],
        gravity=False,
    )
    arm = d.LinkDescription("arm", d.Inertia(1.0, moment=np.eye(3)))
    root = d.JointDescription("root", "free", None, "base")
    wrist = d.JointDescription(
        "wrist",
        "revolute",
        "base",
        "arm",
        axes=(0, 1, 0),
        limits=d.JointLimits(0.2, 1.0, 3.0, 4.0, 5.0),
        dynamics=d.JointDynamics(0.1, 0.2, 0.3, 0.4),
        actuator="servo",
        dof_names=["q"],
    )
    return d.RobotDescription("two", [base, arm], [root, wrist])


def test_what_was_built_of_a_description_is_described_as_it_was() -> None:
    description = two_links()
    assert kido.Skeleton.from_description(description).to_description() == description


@given(robots())
def test_random_skeletons_are_described_as_they_were(robot: Robot) -> None:
    skeleton = kido.Skeleton.from_description(robot.description)
    again = kido.Skeleton.from_description(skeleton.to_description())
    assert again.properties == skeleton.properties
    assert again.state == skeleton.state


def test_every_joint_is_described() -> None:
    robot = every_joint()
    again = kido.Skeleton.from_description(robot.description).to_description()
    q = robot.positions()
    one, other = kido.Tree.from_description(robot.description), kido.Tree.from_description(again)
    assert [x.type for x in again.joints] == [x.type for x in robot.description.depth_first_joints()]
    np.testing.assert_array_equal(one.mass_matrix(q), other.mass_matrix(q))


def test_surfaces_gravity_frames_and_actuators_of_a_description_are_those_of_the_skeleton() -> None:
    robot = kido.Skeleton.from_description(two_links())
    surfaces = {node.name: node.surface.friction for node in robot.nodes(kido.ShapeNode)}
    assert surfaces == {"hull": 0.1, "foot": 0.1, "look": 1.0}
    hull = robot.node(kido.ShapeNode, "hull")
    assert (hull.visual, hull.collision) == (True, True)
    assert [body.gravity_mode for body in robot.bodies] == [False, True]
    assert type(robot.node(kido.FrameNode, "camera")) is kido.FrameNode
    assert robot.node(kido.Marker, "dot").body is robot.body("base")
    assert robot.joint("wrist").actuator is kido.ActuatorType.SERVO
    assert robot.positions[-1] == 0.2


def test_gravity_does_not_act_on_links_that_say_so_in_trees_too() -> None:
    robot = two_links()
    tree = kido.Tree.from_description(robot)
    lifted = tree.inverse_dynamics(np.zeros(7), np.zeros(7), np.zeros(7))
    assert lifted[5] == pytest.approx(9.81, rel=1e-12)  # of the arm's kilogram alone
    skeleton = kido.Skeleton.from_description(robot)
    skeleton.positions = np.zeros(7)
    np.testing.assert_allclose(skeleton.gravity_forces, lifted, atol=1e-12)


def test_an_edited_skeleton_is_described_as_it_is_now() -> None:
    robot = kido.Skeleton.from_description(two_links())
    robot.body("arm").mass = 7.0
    robot.body("arm").parent_joint.position_upper_limits = 0.9
    robot.node(kido.FrameNode, "camera").move_on_body((0.0, 0.0, 1.0))
    tool = robot.add_body("tool", robot.body("arm"), kido.WeldJoint(name="flange"))
    tool.collidable = False
    tool.add_shape_node(Box((1, 1, 1)))
    described = robot.to_description()
    assert described.link("arm").inertia.mass == 7.0
    assert described.joint("wrist").limits.upper.tolist() == [0.9]
    assert described.link("base").frames[0].origin[2, 3] == 1.0
    assert described.joint("flange").type is d.JointType.WELD
    assert not kido.Skeleton.from_description(described).body("tool").collidable


def test_what_no_description_holds_is_listed() -> None:
    robot = kido.Skeleton.from_description(two_links())
    tip = robot.body("arm").add_end_effector("tip")
    tip.create_addon(kido.Support)
    robot.joint("wrist").velocity_lower_limits = -1.0
    robot.joint("wrist").force_lower_limits = -5.0
    robot.joint("wrist").force_upper_limits = -2.0
    robot.joint("wrist").limits_enforced = False
    robot.joint("wrist").limit_stiffness = 5.0
    robot.joint("wrist").mimic = d.Mimic("gone")
    robot.body("base").add_shape_node(Box((1, 1, 1)), name="idle", visual=False, collision=False)
    described = robot.to_description()
    assert [(x.kind, x.message) for x in described.diagnostics] == [
        ("ignored", "shape 'idle': is neither seen nor touched: not in the description"),
        ("ignored", "EndEffector 'tip': its Support is not in the description"),
        ("ignored", "EndEffector 'tip': is a frame in the description"),
        ("ignored", "joint 'wrist': its limits hold in the description: `limits_enforced` is not in it"),
        ("ignored", "joint 'wrist': limit_stiffness: not in the description"),
        (
            "substituted",
            "joint 'wrist': force limits [-5.0] to [-2.0]: the upper ones become at least zero",
        ),
        ("ignored", "joint 'wrist': follows nobody: there is no joint 'gone'"),
    ]
    limits = described.joint("wrist").limits
    assert (limits.lowest_velocity.tolist(), limits.velocity.tolist()) == ([-1.0], [3.0])
    assert (limits.lowest_effort.tolist(), limits.effort.tolist()) == ([-5.0], [0.0])


def test_a_joint_of_ones_own_is_refused() -> None:
    robot = kido.gallery.four_bar()
    with pytest.raises(DescriptionError, match=r"joint .*: a FourBarJoint moves as its own class says"):
        robot.to_description()


def test_calibrations_and_names_taken_twice_are_diagnosed(tmp_path: Path) -> None:
    robot = two_links()
    arm = replace(robot.link("arm"), frames=[d.FrameDescription("camera", line=7)])
    wrist = replace(robot.joint("wrist"), calibration=d.Calibration(0.1), line=3)
    twice = d.RobotDescription(
        "two", [robot.links[0], arm], [robot.joints[0], wrist], source=tmp_path / "two.urdf"
    )
    built = kido.Skeleton.from_description(twice)
    assert [(x.kind, x.line, x.subject) for x in built.diagnostics] == [
        ("ignored", 3, "wrist"),
        ("name", 7, "camera"),
    ]
    assert str(built.diagnostics[0]).startswith(f"{tmp_path / 'two.urdf'}:3: ")
    assert built.node(kido.FrameNode, "camera(1)").body.name == "arm"


def test_a_named_state_moves_what_it_names_and_puts_the_rest_at_rest() -> None:
    robot = kido.Skeleton.from_description(two_links())
    robot.velocities = np.ones(7)
    state = d.NamedState("up", [d.JointState("two", "wrist", (0.7,), (0.3,), (0.2,))])
    robot.set_named_state(state)
    assert robot.positions.tolist() == [0.0] * 6 + [0.7]
    assert robot.velocities.tolist() == [0.0] * 6 + [0.3]
    assert robot.commands.tolist() == [0.0] * 6 + [0.2]
    assert robot.joint_states() == list(state.joints)
    robot.set_named_state(state, owner="nobody")
    assert robot.positions.tolist() == [0.0] * 6 + [0.2]
    assert robot.joint_states() == []


def test_a_state_of_other_joints_changes_nothing() -> None:
    robot = kido.Skeleton.from_description(two_links())
    robot.positions = np.full(7, 0.5)
    before = robot.state
    for joint, error in (("elbow", kido.errors.UnknownNameError), ("root", DescriptionError)):
        with pytest.raises(error):
            robot.set_named_state(d.NamedState("up", [d.JointState("two", joint, (0.7,))]))
    with pytest.raises(TypeError, match="state: expected a NamedState"):
        robot.set_named_state(json.loads("{}"))
    robot.joint("wrist").actuator = "passive"
    with pytest.raises(ValueError, match="commands"):
        robot.set_named_state(d.NamedState("up", [d.JointState("two", "wrist", commands=(0.7,))]))
    assert robot.state == before
