"""Differences of two models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from _random_trees import Robot, random_transform, robots
from hypothesis import given

import kido
from kido import description as d
from kido.shape import Box, Mesh, Sphere


def scene(**changes: Any) -> d.SceneDescription:
    """Two robots, a crate, a weld, a gear, a state."""
    links = [
        d.LinkDescription(
            "upper",
            d.Inertia(2.0, (0.1, 0.0, 0.0), np.eye(3)),
            [d.ShapePlacement("look", Mesh("meshes/a.stl"), material=d.Material(rgba=(1, 0, 0, 1)))],
            [d.ShapePlacement("solid", Box((1, 2, 3)), surface=kido.Surface(0.5))],
            frames=[d.FrameDescription("camera")],
        ),
        d.LinkDescription("lower", d.Inertia(1.0)),
    ]
    joints = [
        d.JointDescription(
            "shoulder", "revolute", None, "upper", axes=(0, 1, 0), limits=d.JointLimits(-1, 1)
        ),
        d.JointDescription("elbow", "screw", "upper", "lower", axes=(0, 1, 0), pitch=0.1),
    ]
    arm = d.RobotDescription("arm", links, joints)
    content: dict[str, Any] = {
        "robots": [d.RobotPlacement(arm, "left"), d.RobotPlacement(arm, "right")],
        "objects": [d.ObjectPlacement(d.LinkDescription("crate", d.Inertia(3.0)))],
        "constraints": [
            d.ClosureDescription("grip", "weld", d.Attachment("left", "lower"), d.Attachment()),
            d.CouplingDescription(
                "gear", d.DofReference("left", "elbow"), d.DofReference("left", "shoulder"), (0.0, 2.0)
            ),
        ],
        "states": [d.NamedState("home", [d.JointState("left", "elbow", (0.5,))])],
    }
    return d.SceneDescription("room", **{**content, **changes})


def edited(change: Callable[[d.RobotDescription], d.RobotDescription]) -> d.SceneDescription:
    """The scene with another left arm."""
    left, right = scene().robots
    return scene(robots=[replace(left, robot=change(left.robot)), right])


def link(**changes: Any) -> Callable[[d.RobotDescription], d.RobotDescription]:
    """A change of the upper link."""
    return lambda arm: replace(arm, links=(replace(arm.links[0], **changes), arm.links[1]))


def joint(index: int, **changes: Any) -> Callable[[d.RobotDescription], d.RobotDescription]:
    """A change of a joint."""

    def change(arm: d.RobotDescription) -> d.RobotDescription:
        joints = list(arm.joints)
        joints[index] = replace(joints[index], **changes)
        return replace(arm, joints=tuple(joints))

    return change


def shape(**changes: Any) -> Callable[[d.RobotDescription], d.RobotDescription]:
    """A change of the collision shape."""
    return link(collisions=[replace(scene().robots[0].robot.links[0].collisions[0], **changes)])


UPPER, SHOULDER, ELBOW = (
    "robot 'left': link 'upper'",
    "robot 'left': joint 'shoulder'",
    "robot 'left': joint 'elbow'",
)
CASES: list[tuple[d.SceneDescription, str, float | None]] = [
    (scene(gravity=(0, 0, -9.0)), "gravity", 0.81),
    (scene(time_step=0.1), "time step", 0.099),
    (scene(objects=[]), "object 'crate'", None),
    (scene(constraints=scene().constraints[:1]), "constraint 'gear'", None),
    (scene(states=[]), "state 'home'", None),
    (edited(link(inertia=d.Inertia(2.5, (0.1, 0.0, 0.0), np.eye(3)))), f"{UPPER}: mass", 0.5),
    (edited(link(inertia=d.Inertia(2.0, (0.1, 0.2, 0.0), np.eye(3)))), f"{UPPER}: center of mass", 0.2),
    (edited(link(gravity=False)), f"{UPPER}: gravity", None),
    (edited(link(frames=[])), f"{UPPER}: frame 'camera'", None),
    (edited(shape(shape=Box((1, 2, 4)))), f"{UPPER}: collision 0: size", 1.0),
    (edited(shape(surface=None)), f"{UPPER}: collision 0: friction", 0.5),
    (edited(joint(0, limits=d.JointLimits(-1, 3))), f"{SHOULDER}: limits of upper", 2.0),
    (edited(joint(0, limits=d.JointLimits(-1))), f"{SHOULDER}: limits of upper", np.inf),
    (edited(joint(0, dynamics=d.JointDynamics(0.3))), f"{SHOULDER}: damping", 0.3),
    (edited(joint(0, mimic=d.Mimic("elbow"))), f"{SHOULDER}: mimic", None),
    (edited(joint(0, actuator="servo")), f"{SHOULDER}: actuator", None),
    (edited(joint(0, safety=d.Safety(k_position=3.0))), f"{SHOULDER}: safety controller", None),
    (edited(joint(0, calibration=d.Calibration(0.1))), f"{SHOULDER}: calibration", None),
    (edited(joint(0, T_parent_joint=np.diag([1.0, -1, -1, 1]))), f"{SHOULDER}: pose at zero", 2.0),
    (edited(joint(1, pitch=0.4)), f"{ELBOW}: pitch", 0.3),
    (edited(joint(1, axes=(0, -1, 0))), f"{ELBOW}: axes", 2.0),
]


@pytest.mark.parametrize(("other", "place", "amount"), CASES, ids=[case[1] for case in CASES])
def test_each_difference_is_found_at_its_place(
    other: d.SceneDescription, place: str, amount: float | None
) -> None:
    (found,) = d.differences(scene(), other)
    assert found.place == place
    assert found.amount == (None if amount is None else pytest.approx(amount))
    (back,) = d.differences(other, scene())
    assert (back.first, back.second, back.amount) == (found.second, found.first, found.amount)


def test_a_scene_does_not_differ_from_itself() -> None:
    assert d.differences(scene(), scene()) == ()


@given(robots())
def test_how_a_joint_is_written_does_not_matter(robot: Robot) -> None:
    """A revolute joint may be moved along its axis, and turned about it, with both of its frames."""
    moved = []
    for one in robot.description.joints:
        shift = np.eye(4)
        if one.type in (d.JointType.REVOLUTE, d.JointType.SCREW):
            shift[:3, 3] = 0.7 * one.axes[0]
        elif one.type in (d.JointType.WELD, d.JointType.PRISMATIC):
            shift = random_transform(robot.rng)
        frames = one.T_parent_joint @ shift, one.T_child_joint @ shift
        axes = one.axes @ shift[:3, :3]
        moved.append(replace(one, T_parent_joint=frames[0], T_child_joint=frames[1], axes=axes))
    scenes = [
        d.SceneDescription.of_robot(replace(robot.description, joints=joints))
        for joints in (robot.description.joints, tuple(moved))
    ]
    assert d.differences(*scenes, tolerance=1e-9) == ()
    q = robot.positions()
    trees = [kido.Tree.from_description(scene.robots[0].robot) for scene in scenes]
    np.testing.assert_allclose(trees[0].mass_matrix(q), trees[1].mass_matrix(q), atol=1e-9)


def test_tolerance_is_relative_above_one_and_absolute_below() -> None:
    small = edited(link(inertia=d.Inertia(2.0002, (0.1, 0.0, 0.0), np.eye(3))))
    assert d.differences(scene(), small, tolerance=1.1e-4) == ()
    assert len(d.differences(scene(), small, tolerance=0.9e-4)) == 1


def test_single_robots_are_compared_whatever_their_names() -> None:
    left = scene().robots[0].robot
    one, other = (d.SceneDescription.of_robot(replace(left, name=name)) for name in ("a", "b"))
    assert d.differences(one, other) == ()


def test_references_to_single_robots_are_compared_whatever_their_names() -> None:
    robot = scene().robots[0].robot
    gear = d.CouplingDescription(
        "gear", d.DofReference("a", "elbow"), d.DofReference("a", "shoulder"), (0, 2)
    )
    grip = d.ClosureDescription("grip", "weld", d.Attachment("a", "lower"), d.Attachment())
    home = d.NamedState("home", [d.JointState("a", "elbow", (0.5,))])
    first = d.SceneDescription("s", [d.RobotPlacement(robot, "a")], constraints=[gear, grip], states=[home])
    second = d.SceneDescription(
        "s",
        [d.RobotPlacement(robot, "b")],
        constraints=[
            replace(gear, follower=d.DofReference("b", "elbow"), leader=d.DofReference("b", "shoulder")),
            replace(grip, first=d.Attachment("b", "lower")),
        ],
        states=[replace(home, joints=[d.JointState("b", "elbow", (0.6,))])],
    )
    (found,) = d.differences(first, second)
    assert found.place == "state 'home': joint 'elbow' of 'a': positions"


def test_a_body_alone_is_compared_whether_it_is_a_robot_or_an_object() -> None:
    thing = d.ObjectPlacement(d.LinkDescription("crate", d.Inertia(3.0)))
    robot = d.RobotPlacement(thing.placed(), "crate")
    as_object, as_robot = scene(objects=[thing]), scene(robots=[*scene().robots, robot], objects=[])
    assert d.differences(as_object, as_robot) == d.differences(as_robot, as_object) == ()
    heavy = replace(thing, link=replace(thing.link, inertia=d.Inertia(4.0)))
    (found,) = d.differences(as_robot, scene(objects=[heavy]))
    assert (found.place, found.amount) == ("robot 'crate': link 'crate': mass", 1.0)


def test_what_touches_what_is_compared_and_not_how_it_is_said() -> None:
    found = d.differences(scene(), edited(shape(category=2, collides_with=2)))
    assert [(one.place.split(":")[0], one.first, one.second) for one in found] == [
        ("robot 'left'", "shapes of kind 0 touch 0, what is beside", "shapes of kind 0 touch nothing"),
        (
            "robot 'right'",
            "shapes of kind 0 touch 0, what is beside",
            "shapes of kind 1 touch what is beside",
        ),
    ]
    left, right = scene().robots
    bits = {"category": 0b110, "collides_with": 0b111}
    other = replace(left, robot=shape(**bits)(left.robot))
    assert d.differences(scene(robots=[left, right]), scene(robots=[other, right])) == ()


def test_the_order_of_robots_does_not_matter() -> None:
    def arranged(*names: str) -> d.SceneDescription:
        links = {
            "left": d.LinkDescription("l", collisions=[d.ShapePlacement(None, Box((1, 1, 1)), category=2)]),
            "right": d.LinkDescription(
                "r", collisions=[d.ShapePlacement(None, Box((1, 1, 1)), collides_with=4)]
            ),
        }
        robots = {
            name: d.RobotDescription(
                name, [link], [d.JointDescription(f"{name}_root", "free", None, link.name)]
            )
            for name, link in links.items()
        }
        return d.SceneDescription("s", [d.RobotPlacement(robots[name]) for name in names])

    assert d.differences(arranged("left", "right"), arranged("right", "left")) == ()


def test_whether_links_of_a_robot_touch_each_other_may_be_said_by_bits() -> None:
    def robot(self_collision: bool, category: int = 1, collides_with: int = 0xFFFFFFFF) -> d.SceneDescription:
        bits = {"category": category, "collides_with": collides_with}
        solid = [replace(scene().robots[0].robot.links[0].collisions[0], **bits)]
        arm = scene().robots[0].robot
        arm = replace(arm, links=[replace(link, collisions=solid) for link in arm.links])
        return d.SceneDescription("a", [d.RobotPlacement(arm, self_collision=self_collision)])

    assert d.differences(robot(False), robot(True, 2, 1)) == ()
    assert len(d.differences(robot(False), robot(True))) == 3  # two shapes, and whether neighbors touch
    assert d.differences(robot(False, 2, 2), robot(True, 2, 4)) == ()
    assert d.differences(robot(False), robot(False, 2, 2))


def test_rules_of_surfaces_count_where_these_are_not_alike() -> None:
    rules = kido.world.SurfaceRules(friction="maximum")
    assert d.differences(scene(), scene(surface_rules=rules)) == ()
    slippery = edited(shape(surface=kido.Surface(0.1)))
    (found,) = d.differences(slippery, replace(slippery, surface_rules=rules))
    assert (found.place, found.first, found.second) == ("friction of two surfaces", "minimum", "maximum")


def test_an_empty_link_world_stands_for_the_world() -> None:
    arm = scene().robots[0].robot
    fixed = d.JointDescription("fix", "weld", None, "world")
    shoulder = replace(arm.joints[0], parent="world")
    links, joints = [d.LinkDescription("world"), *arm.links], [fixed, shoulder, arm.joints[1]]
    with_world = d.SceneDescription.of_robot(d.RobotDescription("arm", links, joints))
    assert d.differences(d.SceneDescription.of_robot(arm), with_world) == ()
    raised = [replace(fixed, T_parent_joint=np.diag([1.0, -1, -1, 1])), *joints[1:]]
    heavy = [d.LinkDescription("world", d.Inertia(1.0)), *links[1:]]
    for other in (d.RobotDescription("arm", links, raised), d.RobotDescription("arm", heavy, joints)):
        assert d.differences(d.SceneDescription.of_robot(arm), d.SceneDescription.of_robot(other))


def test_a_robot_under_another_name_is_compared_with_the_one_that_has_its_links() -> None:
    left, right = scene().robots
    lamp = replace(
        left.robot,
        name="lamp",
        links=[replace(link, name=f"lamp_{link.name}") for link in left.robot.links],
        joints=[
            replace(joint, child=f"lamp_{joint.child}", parent=joint.parent and f"lamp_{joint.parent}")
            for joint in left.robot.joints
        ],
    )
    crate = scene().objects[0]
    lone = [d.RobotPlacement(lamp, "lamp"), left]
    first = scene(robots=lone, states=scene().states)
    heavy = replace(crate, link=replace(crate.link, inertia=d.Inertia(4.0)))
    moved = [replace(left, name="arm"), d.RobotPlacement(lamp, "light")]
    content = {
        "constraints": [
            d.ClosureDescription("grip", "weld", d.Attachment("arm", "lower"), d.Attachment()),
            d.CouplingDescription(
                "gear", d.DofReference("arm", "elbow"), d.DofReference("arm", "shoulder"), (0.0, 2.0)
            ),
        ],
        "states": [d.NamedState("home", [d.JointState("arm", "elbow", (0.5,))])],
    }
    found = d.differences(first, scene(robots=moved, objects=[heavy], **content))
    assert sorted((one.place, one.first, one.second) for one in found) == [
        ("object 'crate': link 'crate': mass", "3.", "4."),
        ("robot 'lamp': name", "'lamp'", "'light'"),
        ("robot 'left': name", "'left'", "'arm'"),
    ]
    other = [replace(left, robot=lamp, name="arm"), right]
    found = d.differences(scene(), scene(robots=other, constraints=[], states=[]))
    told = {(one.first, one.second) for one in found}
    assert {("there", "missing"), ("missing", "there")} <= told


def test_a_joint_under_another_name_is_compared_with_the_one_that_holds_the_same_link() -> None:
    first = d.SceneDescription.of_robot(scene().robots[0].robot)
    arm = first.robots[0].robot
    shoulder, elbow = arm.joints
    other = replace(elbow, name="knee", pitch=0.2)
    second = d.SceneDescription.of_robot(replace(arm, joints=(shoulder, other)))
    found = d.differences(first, second)
    assert [(one.place.rpartition(": ")[2], one.first, one.second) for one in found] == [
        ("name", "'elbow'", "'knee'"),
        ("pitch", "0.1", "0.2"),
    ]
    assert {one.place.rpartition(": ")[0] for one in found} == {"robot 'arm': joint 'elbow'"}
    turned = replace(other, type="revolute", pitch=0.0)
    third = d.SceneDescription.of_robot(replace(arm, joints=(shoulder, turned)))
    assert {(one.first, one.second) for one in d.differences(first, third)} == {
        ("there", "missing"),
        ("missing", "there"),
    }


def test_arguments_are_checked() -> None:
    for wrong in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="tolerance"):
            d.differences(scene(), scene(), tolerance=wrong)
    with pytest.raises(TypeError, match="second: expected a SceneDescription"):
        d.differences(scene(), scene().robots[0].robot)  # type: ignore[arg-type]
    assert "by 0.81" in str(d.differences(scene(), scene(gravity=(0, 0, -9.0)))[0])


def test_meshes_are_told_by_their_files_names_and_shapes_by_their_type() -> None:
    look = scene().robots[0].robot.links[0].visuals[0]
    far = edited(link(visuals=[replace(look, shape=Mesh("other/folder/a.stl"))]))
    ball = edited(link(visuals=[replace(look, shape=Sphere(0.1))]))
    assert d.differences(scene(), far) == ()
    assert {one.place.rpartition(": ")[2] for one in d.differences(scene(), ball)} == {
        "shape",
        "file",
        "scale",
        "radius",
    }


def test_a_time_step_that_is_not_told_is_the_one_that_kido_takes() -> None:
    assert d.differences(scene(), scene(time_step=d.DEFAULT_TIME_STEP)) == ()
    assert kido.World.from_description(scene()).time_step == d.DEFAULT_TIME_STEP


def test_poses_and_numbers_are_shown_without_what_rounding_leaves() -> None:
    turn = np.array([[0.0, -1.0, 0.0, 0.1], [1.0, 0.0, 5e-17, 4e-17], [0.0, 0.0, 1.0, 0.2], [0, 0, 0, 1.0]])
    crate = d.ObjectPlacement(scene().objects[0].link, turn)
    moved = [found for found in d.differences(scene(), scene(objects=[crate])) if "pose" in found.place]
    assert [found.second for found in moved] == ["at [0.1, 0., 0.2] turned by [0., 0., 1.570796]"]
    small = d.differences(scene(gravity=(0, 1e-16, -9.0)), scene())
    assert small[0].first == "[0., 0., -9.]"
