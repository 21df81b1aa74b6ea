"""What is written in one format and read back is the same robot or scene."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _random_trees import Robot, random_transform, robots
from _written import assert_same_motion, bare, lost
from hypothesis import given

import kido
from _robots import robot_files
from kido import description as d
from kido.description import JointType, RobotDescription, SceneDescription
from kido.errors import ModelWarning
from kido.io import (
    ModelText,
    mjcf_string,
    read_mjcf_string,
    read_sdf_string,
    read_urdf,
    sdf_string,
)
from kido.math import so3_exp
from kido.shape import Box, Capsule, Cylinder, Ellipsoid, Plane, Sphere, Surface, SurfaceRules

WRITERS: dict[str, Callable[[Any], ModelText]] = {"sdf": sdf_string, "mjcf": mjcf_string}
READERS: dict[str, Callable[[str], SceneDescription]] = {"sdf": read_sdf_string, "mjcf": read_mjcf_string}
BOTH = pytest.mark.parametrize("format", sorted(WRITERS))
UNIT = d.Inertia(1.0, moment=np.eye(3))
ROBOTS = ("panda.urdf", "ur5_robot.urdf", "g1_29dof_rev_1_0.urdf", "talos_full_v2.urdf", "anymal.urdf")


def read_back(format: str, model: RobotDescription | SceneDescription) -> SceneDescription:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return READERS[format](WRITERS[format](model).text)


def real(name: str) -> RobotDescription:
    path = next(path for known, path in robot_files().items() if known.endswith(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = bare(read_urdf(path))
    joints = [replace(joint, safety=None, calibration=None) for joint in robot.joints]
    return RobotDescription(robot.name, robot.links, joints)


def said_by_sdf(robot: Robot) -> RobotDescription:
    """The robot with free joints as ball joints."""
    joints = [
        replace(joint, type="ball", limits=None, dynamics=None) if joint.type is JointType.FREE else joint
        for joint in robot.description.joints
    ]
    return RobotDescription("random", robot.description.links, joints)


def said_by_mjcf(robot: Robot) -> RobotDescription:
    """The robot on one root, with screws as hinges and free joints as ball joints."""
    types = {JointType.SCREW: JointType.REVOLUTE, JointType.FREE: JointType.BALL}
    joints = []
    for joint in robot.description.joints:
        kind = types.get(joint.type, joint.type)
        parent = "base" if joint.parent is None else joint.parent
        joints.append(replace(joint, parent=parent, type=kind, limits=None, dynamics=None))
    root = d.JointDescription("root_joint", "weld", None, "base", random_transform(robot.rng))
    links = [d.LinkDescription("base", UNIT), *robot.description.links]
    return RobotDescription("random", links, [root, *joints])


@given(robots(geared=False))
def test_sdf_of_random_trees_moves_alike(robot: Robot) -> None:
    said = said_by_sdf(robot)
    assert lost(sdf_string(said).diagnostics) == ()
    (back,) = read_back("sdf", said).robots
    assert_same_motion(said, back.robot)


@given(robots())
def test_mjcf_of_random_trees_moves_alike(robot: Robot) -> None:
    said = said_by_mjcf(robot)
    (back,) = read_back("mjcf", said).robots
    empty = {told.subject for told in mjcf_string(said).diagnostics if "empty link" in told.message}
    assert all(said.link(str(name)).inertia is None for name in empty)
    assert_same_motion(said, back.robot, left_out=empty)


@BOTH
@pytest.mark.parametrize("root", ["fixed", "free"])
@pytest.mark.parametrize("name", ROBOTS)
def test_real_robots_read_back(format: str, root: Any, name: str) -> None:
    robot = real(name).with_root(root)
    (back,) = read_back(format, robot).robots
    assert back.name == robot.name
    assert {joint.name for joint in robot.joints if joint.num_dofs} == {
        joint.name for joint in back.robot.joints if joint.num_dofs
    }
    assert_same_motion(robot, back.robot, left_out=("world",))
    for mine in robot.links:
        if mine.name == "world":  # the world itself
            assert "world" not in [link.name for link in back.robot.links]
            continue
        theirs = back.robot.link(mine.name)
        assert (theirs.inertia or d.Inertia(0.0)) == (mine.inertia or d.Inertia(0.0))
    for joint in robot.joints:
        if joint.num_dofs == 1:
            other = back.robot.joint(joint.name)
            assert_same_joint(joint, other, format)


@BOTH
def test_a_world_link_that_a_scene_names_stays(format: str) -> None:
    """One that sensors or closures are on, or that has something, is a link of another name."""
    links = [d.LinkDescription("world"), d.LinkDescription("arm", d.Inertia(1.0, moment=np.eye(3)))]
    joints = [
        d.JointDescription("fix", "weld", None, "world"),
        d.JointDescription("turn", "revolute", "world", "arm", axes=(0, 0, 1)),
    ]
    robot = d.RobotDescription("robot", links, joints)
    sensor = d.SensorDescription("eye", "camera", d.Attachment("robot", "world"))
    plain = d.SceneDescription("robot", [d.RobotPlacement(robot)])
    (dropped,) = read_back(format, plain).robots
    assert [link.name for link in dropped.robot.links] == ["arm"]
    (kept,) = read_back(format, replace(plain, sensors=[sensor])).robots
    assert len(kept.robot.links) == 2


def assert_same_joint(one: d.JointDescription, other: d.JointDescription, format: str) -> None:
    assert other.dynamics == one.dynamics
    np.testing.assert_allclose(other.axes, one.axes, rtol=0, atol=3e-16)
    names = ("lower", "upper", "effort") if format == "mjcf" else ("lower", "upper", "effort", "velocity")
    for name in names:
        np.testing.assert_array_equal(getattr(other.limits, name), getattr(one.limits, name))


def scene() -> SceneDescription:
    rng = np.random.default_rng(5)
    shapes = (Box((1, 2, 1 / 3)), Sphere(0.1), Cylinder(0.2, 0.3), Capsule(0.2, 0.3), Ellipsoid((1, 2, 3)))
    surface = Surface(1 / 3, torsional_friction=0.0)
    collisions = [
        d.ShapePlacement(f"c{i}", shape, random_transform(rng), surface=surface)
        for i, shape in enumerate(shapes)
    ]
    frames = [d.FrameDescription("handle", random_transform(rng), "site")]
    upper = d.LinkDescription("upper", UNIT, (), collisions, frames=frames, gravity=False)
    lower = d.LinkDescription("lower", d.Inertia(1.0, (0, 0.1, 0), np.diag([1.0, 2.0, 2.5])))
    limits, dynamics = d.JointLimits(-1 / 3, 1.5, effort=2.0), d.JointDynamics(0.1, 0.2, 0.3, 0.4)
    joints = [
        d.JointDescription("root_joint", "weld", None, "upper"),
        d.JointDescription(
            "elbow",
            "revolute",
            "upper",
            "lower",
            random_transform(rng),
            axes=(0, 0, 1),
            limits=limits,
            dynamics=dynamics,
        ),
    ]
    arm = RobotDescription("arm", [upper, lower], joints)
    ground = d.LinkDescription("ground", collisions=[d.ShapePlacement("plane", Plane((0, 0, 1), 0.2))])
    return SceneDescription(
        "arm",
        [d.RobotPlacement(arm, "arm", random_transform(rng), self_collision=True)],
        [
            d.ObjectPlacement(d.LinkDescription("crate", UNIT), random_transform(rng)),
            d.ObjectPlacement(ground, fixed=True),
        ],
        gravity=(0.1, 0.2, -3.0),
        time_step=1 / 300,
    )


@BOTH
def test_scenes_read_back(format: str) -> None:
    rules = SurfaceRules(friction="maximum" if format == "mjcf" else "minimum")
    before = replace(scene(), surface_rules=rules)
    assert [x for x in WRITERS[format](before).diagnostics if x.subject != "handle"] == []
    after = read_back(format, before)
    assert (after.name, after.time_step) == (before.name, before.time_step)
    assert after.surface_rules == rules
    np.testing.assert_array_equal(after.gravity, before.gravity)
    mine, theirs = before.robot("arm"), after.robot("arm")
    assert (theirs.name, theirs.self_collision, theirs.mobile) == ("arm", True, True)
    assert_same_motion(before.single_robot("arm"), after.single_robot("arm"))
    a, b = mine.robot.link("upper"), theirs.robot.link("upper")
    assert [(x.name, x.shape) for x in b.collisions] == [(x.name, x.shape) for x in a.collisions]
    for x, y in zip(a.collisions, b.collisions, strict=True):
        np.testing.assert_allclose(y.origin, x.origin, rtol=0, atol=1e-15)
        assert y.surface is not None
        assert y.surface.friction == 1 / 3
    assert b.gravity is False
    np.testing.assert_allclose(b.frames[0].origin, a.frames[0].origin, rtol=0, atol=1e-15)
    assert_same_joint(mine.robot.joint("elbow"), theirs.robot.joint("elbow"), format)
    crate, ground = after.single_robot("crate"), after.single_robot("ground")
    assert (crate.joints[0].type, ground.joints[0].type) == (JointType.FREE, JointType.WELD)
    place = before.object("crate").T_world_link
    np.testing.assert_allclose(crate.joints[0].T_parent_joint, place, rtol=0, atol=1e-15)
    plane = ground.links[0].collisions[0]
    assert isinstance(plane.shape, Plane)
    top = plane.origin @ [*(plane.shape.normal * plane.shape.offset), 1.0]
    assert top[2] == pytest.approx(0.2)


@pytest.mark.parametrize("kind", ["weld", "revolute", "ball"])
def test_loops_read_back_from_sdf(kind: str) -> None:
    base = scene()
    arm = base.single_robot("arm")
    T_upper, T_lower = kido.Tree.from_description(arm).forward_kinematics([0.0])
    place = random_transform(np.random.default_rng(7))
    T_world_arm = base.robot("arm").T_world_robot
    bar = d.LinkDescription("bar", UNIT)
    joint = d.JointDescription("hook", "revolute", "upper", "bar", axes=(0, 0, 1))
    robot = base.robot("arm").robot
    robot = RobotDescription("arm", [*robot.links, bar], [*robot.joints, joint])
    ends = (
        d.Attachment("arm", "bar", place),
        d.Attachment("arm", "lower", np.linalg.inv(T_lower) @ T_upper @ place),
    )
    loop = d.ClosureDescription("loop", kind, *ends)
    before = SceneDescription("room", [d.RobotPlacement(robot, "arm", T_world_arm)], constraints=[loop])
    assert [told.subject for told in sdf_string(before).diagnostics] == ["handle"]
    (found,) = read_back("sdf", before).constraints
    assert isinstance(found, d.ClosureDescription)
    assert found.type == kind
    mine = {end.link: end.T_link_frame for end in ends}
    for end in (found.first, found.second):
        expected = mine[end.link or ""]
        np.testing.assert_allclose(end.T_link_frame[:3, 3], expected[:3, 3], atol=1e-14)
        np.testing.assert_allclose(end.T_link_frame[:3, 2], expected[:3, 2], atol=1e-14)
    apart = replace(loop, second=d.Attachment("arm", "lower"))
    told = sdf_string(replace(before, constraints=[apart])).diagnostics
    assert "coincide at rest" in told[0].message


def test_relations_and_states_read_back_from_mjcf() -> None:
    base = scene()
    ends = (
        d.Attachment("arm", "lower", random_transform(np.random.default_rng(1))),
        d.Attachment("crate", "crate"),
    )
    states = d.NamedState(
        "high",
        [
            d.JointState("arm", "elbow", [0.3], [0.1]),
            d.JointState("crate", "root_joint", [0.1, 0.2, 0.3, 1, 2, 3], [1, 2, 3, 4, 5, 6]),
        ],
        0.25,
    )
    links = d.LinkReference("arm", "upper"), d.LinkReference("crate", "crate")
    before = replace(
        base,
        constraints=[d.ClosureDescription("glue", "weld", *ends, options={"solref": (0.1, 1.0)})],
        exclusions=[d.ContactExclusion(*links)],
        sensors=[d.SensorDescription("angle", "jointpos", joint=d.JointReference("arm", "elbow"))],
        states=[states],
    )
    after = read_back("mjcf", before)
    (mine,), (theirs,) = before.constraints, after.constraints
    assert (theirs.name, theirs.options, theirs.active) == (mine.name, mine.options, True)
    assert isinstance(theirs, d.ClosureDescription)
    np.testing.assert_allclose(theirs.first.T_link_frame, ends[0].T_link_frame, rtol=0, atol=1e-15)
    assert (theirs.first.link, theirs.second.owner) == ("lower", "crate")
    assert before.exclusions[0] in after.exclusions
    assert [(s.name, s.type, s.joint) for s in after.sensors] == [
        ("angle", "jointpos", before.sensors[0].joint)
    ]
    back = {(state.owner, state.joint): state for state in after.state("high").joints}
    assert after.state("high").time == 0.25
    for state in states.joints:
        found = back[state.owner, state.joint]
        np.testing.assert_allclose(found.positions, state.positions, rtol=0, atol=1e-14)
        np.testing.assert_allclose(found.velocities, state.velocities, rtol=0, atol=1e-14)


@BOTH
def test_live_worlds_begin_where_they_were(format: str, tmp_path: Path) -> None:
    """Free bodies are where the world has them now, and count their positions from there."""
    arm = scene().robot("arm").robot
    rng = np.random.default_rng(2)
    q, v = rng.uniform(-1.0, 1.0, (2, 6))
    crate = d.ObjectPlacement(d.LinkDescription("crate", UNIT), random_transform(rng))
    other = d.NamedState("other", [d.JointState("crate", "root_joint", rng.uniform(-1.0, 1.0, 6), v)])
    begin = d.NamedState("begin", [d.JointState("crate", "root_joint", q)])
    before = SceneDescription(
        "room", [d.RobotPlacement(arm)], [crate], states=[other, begin], initial_state="begin"
    )
    after = read_back(format, before)
    place = before.single_robot("crate").joints[0].T_parent_joint
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = so3_exp(q[:3]), q[3:]
    crates = after.single_robot("crate")
    np.testing.assert_allclose(crates.joints[0].T_parent_joint, place @ T, rtol=0, atol=1e-14)
    if format == "mjcf":
        (found,) = after.states
        skeletons = [kido.Skeleton.from_description(one.single_robot("crate")) for one in (before, after)]
        for skeleton, state in zip(skeletons, (other, found), strict=True):
            told = next(joint for joint in state.joints if joint.owner == "crate")
            skeleton.positions, skeleton.velocities = told.positions, told.velocities
        one, two = (skeleton.body("crate") for skeleton in skeletons)
        np.testing.assert_allclose(two.transform(), one.transform(), rtol=0, atol=1e-13)
        np.testing.assert_allclose(two.linear_velocity(), one.linear_velocity(), rtol=0, atol=1e-13)
        np.testing.assert_allclose(two.angular_velocity(), one.angular_velocity(), rtol=0, atol=1e-13)


KNOWN = {
    d.LinkDescription: "name inertia visuals collisions line frames gravity soft",
    d.JointDescription: "name type parent child T_parent_joint T_child_joint axes pitch euler_order limits"
    " dynamics mimic calibration safety dof_names actuator line",
    d.ShapePlacement: "name shape origin material surface category collides_with",
    d.FrameDescription: "name origin kind line",
    d.Material: "name rgba texture",
    d.Mimic: "joint multiplier offset coupled",
    d.RobotDescription: "name links joints diagnostics source",
    d.RobotPlacement: "robot name T_world_robot mobile self_collision adjacent_collision",
    d.ObjectPlacement: "link T_world_link fixed",
    d.SceneDescription: "name robots objects gravity time_step options constraints surface_rules exclusions"
    " contact_pairs sensors actuators states initial_state diagnostics source",
    d.SensorDescription: "name type place joint rate options line",
    kido.shape.Mesh: "path uri scale convex vertices triangles",
}


@pytest.mark.parametrize("kind", KNOWN, ids=lambda kind: kind.__name__)
def test_writers_know_every_field_of_a_description(kind: type) -> None:
    """A new field has to be written, or reported, by every writer."""
    assert {field.name for field in fields(kind) if not field.name.startswith("_")} == set(
        KNOWN[kind].split()
    )


def test_files_of_every_format_are_chosen_by_their_readers(tmp_path: Path) -> None:
    robot = real("panda.urdf")
    for suffix, write in (
        (".sdf", kido.io.write_sdf),
        (".xml", kido.io.write_mjcf),
        (".urdf", kido.io.write_urdf),
    ):
        path = tmp_path / f"panda{suffix}"
        write(robot, path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            assert_same_motion(robot, kido.io.read(path))


@pytest.mark.parametrize("suffix", [".urdf", ".sdf"])
def test_meshes_without_a_file_get_one_beside_the_model(suffix: str, tmp_path: Path) -> None:
    corners = np.array([[0.0, 0, 0], [1 / 3, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    mesh = kido.shape.Mesh(None, "../a b#0", (2.0, 1.0, 1.0), vertices=corners, triangles=faces)
    twice = [d.ShapePlacement("one", mesh), d.ShapePlacement("two", replace(mesh, scale=(1.0, 1.0, 1.0)))]
    link = d.LinkDescription("part", UNIT, (), twice)
    robot = RobotDescription("one", [link], [d.JointDescription("root_joint", "weld", None, "part")])
    told = kido.save(robot, tmp_path / f"robot{suffix}")
    assert [note.message for note in told] == [
        "<mesh 'a_b_0'>: its triangles are in 'robot_meshes/a_b_0.obj'"
    ]
    assert lost(told) == ()
    (file,) = (tmp_path / "robot_meshes").iterdir()
    assert file.name == "a_b_0.obj"
    back = kido.io.read(tmp_path / f"robot{suffix}").link("part").collisions
    for placed, found in zip(twice, back, strict=True):
        mine, theirs = (kido.shape.load_triangles(one.shape) for one in (placed, found))
        np.testing.assert_array_equal(np.unique(theirs.vertices, axis=0), np.unique(mine.vertices, axis=0))
        assert kido.description.shape_volume(found.shape) == kido.description.shape_volume(placed.shape)
    with pytest.raises(FileNotFoundError):
        kido.save(robot, tmp_path / "none" / f"robot{suffix}")
    with pytest.raises(IsADirectoryError):
        kido.io.write_urdf(robot, tmp_path / "robot_meshes")
    assert not (tmp_path / "robot_meshes_meshes").exists()
