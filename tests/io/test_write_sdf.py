"""SDFormat that is written, read by DART; what it cannot say is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import dartpy as dart
import numpy as np
import pytest
from _random_trees import Robot, every_joint, random_transform, robots
from hypothesis import given
from lxml import etree

import kido
from kido.description import (
    ActuatorType,
    Attachment,
    ClosureDescription,
    FrameDescription,
    Inertia,
    JointDescription,
    JointDynamics,
    JointLimits,
    JointType,
    LinkDescription,
    LinkReference,
    Material,
    Mimic,
    ObjectPlacement,
    RobotDescription,
    RobotPlacement,
    SceneDescription,
    SensorDescription,
    ShapePlacement,
)
from kido.io import sdf_string, write_sdf
from kido.shape import Box, Capsule, Cone, Ellipsoid, HeightField, Mesh, Plane, Sphere, Surface

LEFT_OUT = {JointType.SCREW: JointType.REVOLUTE, JointType.FREE: JointType.BALL}
"""Joints that DART reads otherwise than SDFormat says, or that hang on other links."""


def pair(**options: Any) -> RobotDescription:
    rng = np.random.default_rng(3)
    given: dict[str, Any] = {
        "type": "revolute",
        "axes": (1.0, 2.0, 2.0),
        "T_parent_joint": random_transform(rng),
        "T_child_joint": random_transform(rng),
    }
    joint = JointDescription(name="elbow", parent="upper", child="lower", **(given | options))
    upper, lower = Inertia(2.0, (0.1, 0, 0), np.eye(3)), Inertia(1.0, (0, 0.2, 0), np.eye(3))
    links = [LinkDescription("upper", upper), LinkDescription("lower", lower)]
    return RobotDescription("pair", links, [JointDescription("root_joint", "weld", None, "upper"), joint])


def with_link(**parts: Any) -> RobotDescription:
    link = LinkDescription("part", Inertia(1.0, (0, 0, 0), np.eye(3)), **parts)
    return RobotDescription("one", [link], [JointDescription("root_joint", "weld", None, "part")])


def dart_skeleton(robot: RobotDescription, folder: Path) -> dart.dynamics.Skeleton:
    path = folder / "robot.sdf"
    write_sdf(robot, path, version="1.6")
    skeleton = dart.utils.SdfParser.readSkeleton(str(path))
    assert skeleton is not None
    return skeleton


def assert_dart_agrees(robot: RobotDescription, folder: Path, seed: int = 0) -> None:
    """Poses of the links of the file that DART reads, dofs by name."""
    __tracebackhide__ = True
    skeleton, tree = dart_skeleton(robot, folder), kido.Tree.from_description(robot)
    names = [skeleton.getDof(i).getName() for i in range(skeleton.getNumDofs())]
    assert sorted(names) == sorted(tree.dof_names)
    order = [tree.dof_names.index(name) for name in names]
    rng = np.random.default_rng(seed)
    for _ in range(2):
        q = rng.uniform(-1.0, 1.0, tree.num_dofs)
        skeleton.setPositions(q[order])
        for name, T in zip(tree.body_names, tree.forward_kinematics(q), strict=True):
            got = skeleton.getBodyNode(name).getWorldTransform().matrix()
            np.testing.assert_allclose(got, T, rtol=0, atol=1e-12)


def simplified(robot: Robot) -> RobotDescription:
    """The robot without the joints that DART has otherwise, and with mass everywhere."""
    links = [
        link if link.inertia is not None else replace(link, inertia=Inertia(1.0, moment=np.eye(3)))
        for link in robot.description.links
    ]
    joints = [
        replace(joint, type=LEFT_OUT[joint.type], limits=None, dynamics=None)
        if joint.type in LEFT_OUT
        else joint
        for joint in robot.description.joints
    ]
    return RobotDescription("random", links, joints)


@given(robots(max_bodies=4))
def test_dart_places_links_of_random_trees_alike(
    tmp_path_factory: pytest.TempPathFactory, robot: Robot
) -> None:
    assert_dart_agrees(simplified(robot), tmp_path_factory.mktemp("random"))


def test_dart_places_links_of_every_joint_alike(tmp_path: Path) -> None:
    assert_dart_agrees(simplified(every_joint(2)), tmp_path)


def test_dart_sees_the_same_masses_limits_and_dynamics(tmp_path: Path) -> None:
    limits = JointLimits(-0.5, 1 / 3)
    robot = pair(limits=limits, dynamics=JointDynamics(0.1, 0.2, 0.3, 0.4))
    skeleton = dart_skeleton(robot, tmp_path)
    dof = skeleton.getDof("elbow")
    assert (dof.getPositionLowerLimit(), dof.getPositionUpperLimit()) == (-0.5, 1 / 3)
    assert dof.getDampingCoefficient() == 0.1
    assert dof.getCoulombFriction() == 0.2
    assert (dof.getSpringStiffness(), dof.getRestPosition()) == (0.3, 0.4)
    tree = kido.Tree.from_description(robot)
    skeleton.setPositions([0.7])
    np.testing.assert_allclose(skeleton.getMassMatrix(), tree.mass_matrix([0.7]), rtol=1e-12)
    assert skeleton.getMass() == 3.0


def test_dart_reads_a_world_of_several_models(tmp_path: Path) -> None:
    T = random_transform(np.random.default_rng(0))
    crate = LinkDescription(
        "crate", Inertia(2.0, moment=np.eye(3)), collisions=[ShapePlacement("c", Box((1, 1, 1)))]
    )
    scene = SceneDescription(
        "room",
        [RobotPlacement(pair(), "left", T), RobotPlacement(pair(), "right")],
        [ObjectPlacement(crate, T), ObjectPlacement(replace(crate, name="wall"), T, fixed=True)],
        gravity=(0.0, 1.0, -3.7),
        time_step=0.004,
    )
    path = tmp_path / "room.sdf"
    assert write_sdf(scene, path, version="1.6") == ()
    world = dart.utils.SdfParser.readWorld(str(path))
    assert world.getTimeStep() == 0.004
    np.testing.assert_array_equal(world.getGravity(), [0.0, 1.0, -3.7])
    assert [world.getSkeleton(i).getName() for i in range(4)] == ["left", "right", "crate", "wall"]
    left, fixed = world.getSkeleton("left"), world.getSkeleton("wall")
    np.testing.assert_allclose(left.getBodyNode("upper").getWorldTransform().matrix(), T, atol=1e-15)
    np.testing.assert_allclose(fixed.getBodyNode(0).getWorldTransform().matrix(), T, atol=1e-15)
    assert (left.isMobile(), fixed.isMobile(), world.getSkeleton("crate").getNumDofs()) == (True, False, 6)


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (pair(limits=JointLimits(acceleration=3.0)), "'elbow'>: the acceleration limit [3.0] is not written"),
        (pair(dynamics=JointDynamics(armature=3.0)), "armature [3.0]"),
        (pair(actuator=ActuatorType.SERVO), "actuator type servo"),
        (pair(dof_names=["bend"]), "bend"),
        (pair(calibration=kido.description.Calibration(0.1)), "calibration"),
        (pair(safety=kido.description.Safety(0.1)), "safety"),
        (pair(type="ball", axes=(), limits=JointLimits(-1, np.inf)), "the lower limit [-1.0, -1.0, -1.0]"),
        (pair(type="free", axes=()), "free in the world"),
        (
            with_link(frames=[FrameDescription("tip", None, "site")]),
            "<site 'tip'>: a site is written as a frame",
        ),
        (with_link(frames=[FrameDescription("part")]), "named 'part_2'"),
        (with_link(visuals=[ShapePlacement("hill", HeightField(np.zeros((2, 2))))]), "no heightfield"),
        (with_link(visuals=[ShapePlacement("v", Sphere(1.0), None, Material("red"))]), "name of a material"),
        (
            with_link(collisions=[ShapePlacement("pad", Sphere(1.0), surface=Surface(rolling_friction=0.1))]),
            "rolling",
        ),
        (
            with_link(collisions=[ShapePlacement("pad", Sphere(1.0), surface=Surface(velocity=(1, 0, 0)))]),
            "velocity",
        ),
        (with_link(collisions=[ShapePlacement("pad", Sphere(1.0), category=2)]), "not both"),
    ],
)
def test_what_sdf_cannot_say_is_told(robot: RobotDescription, words: str) -> None:
    told = sdf_string(robot).diagnostics
    assert any(words in diagnostic.message for diagnostic in told), told


def test_old_versions_lack_frames_mimics_and_later_shapes() -> None:
    shapes = (Capsule(1.0, 1.0), Cone(1.0, 1.0), Ellipsoid((1, 1, 1)))
    frames = [FrameDescription("tip")]
    robot = with_link(visuals=[ShapePlacement(None, shape) for shape in shapes], frames=frames)
    assert sdf_string(robot).diagnostics == ()
    assert len(sdf_string(robot, version="1.6").diagnostics) == 4
    follower = JointDescription("wrist", "revolute", "lower", "hand", axes=(0, 0, 1), mimic=Mimic("elbow"))
    chain = RobotDescription("c", [*pair().links, LinkDescription("hand")], [*pair().joints, follower])
    assert sdf_string(chain).diagnostics == ()
    assert "follows 'elbow'" in sdf_string(chain, version="1.6").diagnostics[0].message


def test_the_rest_of_a_scene_is_told() -> None:
    ends = Attachment("pair", "upper"), Attachment("pair", "lower")
    links = LinkReference("pair", "upper"), LinkReference("pair", "lower")
    scene = SceneDescription(
        "room",
        [RobotPlacement(pair(), adjacent_collision=True)],
        options={"solver": "PGS"},
        constraints=[ClosureDescription("loop", "weld", *ends)],
        exclusions=[kido.description.ContactExclusion(*links)],
        sensors=[
            SensorDescription("eye", "camera", ends[0], rate=30.0, options={"fovy": 1.0}),
            SensorDescription("angle", "jointpos", joint=kido.description.JointReference("pair", "elbow")),
        ],
        states=[kido.description.NamedState("home")],
        initial_state="home",
    )
    written = sdf_string(scene)
    told = [diagnostic.subject for diagnostic in written.diagnostics]
    expected = {"solver", "loop", "pair/upper - pair/lower", "home", "room", "angle", "pair", "eye"}
    assert set(told) == expected
    assert len(told) == len(expected)
    sensor = etree.fromstring(written.text.encode()).find(".//link[@name='upper']/sensor")
    assert (sensor.get("type"), sensor.findtext("update_rate")) == ("camera", "30")


def test_meshes_say_whether_they_touch_as_their_hulls() -> None:
    meshes = [ShapePlacement(None, Mesh(None, "a.stl", convex=convex)) for convex in (True, False)]
    written = sdf_string(with_link(collisions=meshes))
    found = etree.fromstring(written.text.encode()).findall(".//mesh")
    assert [mesh.get("optimization") for mesh in found] == ["convex_hull", None]
    assert "convex hull" in sdf_string(with_link(collisions=meshes), version="1.6").diagnostics[0].message


def test_turned_planes_off_the_origin_are_moved_along_their_turned_normals() -> None:
    # A quarter turn about y: the normal z of the shape is x of the link.
    origin = np.array([[0.0, 0, 1, 1], [0, 1, 0, 2], [-1, 0, 0, 3], [0, 0, 0, 1]])
    text = sdf_string(with_link(collisions=[ShapePlacement("ground", Plane((0, 0, 1.0), 0.3), origin)])).text
    pose = etree.fromstring(text.encode()).findtext(".//collision/pose")
    assert pose is not None
    np.testing.assert_allclose([float(x) for x in pose.split()], [1.3, 2, 3, 0, np.pi / 2, 0], atol=1e-12)


def test_planes_off_the_origin_are_moved() -> None:
    plane = Plane((0, 0, 2.0), 0.3)
    text = sdf_string(with_link(collisions=[ShapePlacement("ground", plane)])).text
    collision = etree.fromstring(text.encode()).find(".//collision")
    assert collision.findtext("pose") == "0 0 0.3 0 0 0"
    assert collision.findtext("geometry/plane/normal") == "0 0 1"


def test_objects_named_world_are_renamed_and_read_back() -> None:
    floor = LinkDescription("world", collisions=[ShapePlacement("floor", Plane())])
    written = sdf_string(SceneDescription("room", objects=[ObjectPlacement(floor, fixed=True)]))
    assert [note.message.partition(":")[0] for note in written.diagnostics] == [
        "<robot 'world'>",
        "<link 'world'>",
    ]
    (placed,) = kido.io.read_sdf_string(written.text).robots
    assert (placed.name, placed.mobile) == ("world_2", False)


def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"version: expected one of 1\.6, 1\.11, got '2'"):
        write_sdf(pair(), tmp_path / "a.sdf", version="2")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="model: expected"):
        write_sdf(3, tmp_path / "a.sdf")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_limits_that_readers_take_for_none_are_told() -> None:
    limits = JointLimits([-1e16], [9e15], [2e16], [np.inf])
    written = sdf_string(pair(limits=limits))
    told = [str(each) for each in written.diagnostics if each.kind == "substituted"]
    assert len(told) == 2
    assert "the lower limit -1e+16 is none" in told[0]
    assert "the velocity limit 2e+16 is none" in told[1]


@pytest.mark.parametrize("version", ["1.6", "1.11"])
@pytest.mark.parametrize("pitch", [0.25, -3.0])
def test_screws_of_every_version_read_back(version: str, pitch: float) -> None:
    screw = pair(type="screw", pitch=pitch)
    back = kido.io.read_sdf_string(sdf_string(screw, version=version).text).robots[0].robot
    np.testing.assert_allclose(back.joint("elbow").pitch, pitch, rtol=1e-14)
