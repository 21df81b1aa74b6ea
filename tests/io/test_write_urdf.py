"""URDF that is written: read back, by Pinocchio as well; what it cannot say is told."""

from __future__ import annotations

import os
import stat
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from _random_trees import Robot, every_joint, random_transform, robots
from _written import assert_same_motion, bare, lost
from hypothesis import given

import kido
from _robots import robot_files
from kido.description import (
    ActuatorType,
    FrameDescription,
    Inertia,
    JointDescription,
    JointDynamics,
    JointLimits,
    JointType,
    LinkDescription,
    Material,
    Mimic,
    ObjectPlacement,
    RobotDescription,
    RobotPlacement,
    SceneDescription,
    ShapePlacement,
)
from kido.errors import DescriptionError, ModelWarning
from kido.io import ModelText, read_urdf, read_urdf_string, urdf_string, write_urdf
from kido.shape import Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere, Surface

FILES = robot_files()
MESHES = {name: path for name, path in FILES.items() if "g1" in name or "talos" in name or "panda" in name}
SUBSTITUTED = (JointType.BALL, JointType.SCREW)


def read_file(path: Path) -> RobotDescription:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read_urdf(path)


def read_back(written: ModelText) -> RobotDescription:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read_urdf_string(written.text)


def expressible(robot: Robot) -> RobotDescription:
    """The robot with its ball joints as Euler joints and its screws as revolute joints."""
    types = {JointType.BALL: JointType.EULER, JointType.SCREW: JointType.REVOLUTE}
    joints = [replace(joint, type=types.get(joint.type, joint.type)) for joint in robot.description.joints]
    return RobotDescription("random", robot.description.links, joints)


def pair(**options: object) -> RobotDescription:
    """Two links on a joint about an axis askew, with offsets on one side."""
    rng = np.random.default_rng(3)
    given: dict[str, object] = {
        "type": "revolute",
        "axes": (1.0, 2.0, 2.0),
        "T_parent_joint": random_transform(rng),
    }
    joint = JointDescription(name="elbow", parent="upper", child="lower", **(given | options))  # type: ignore[arg-type]
    links = [
        LinkDescription("upper", Inertia(2.0, (0.1, 0, 0), np.eye(3))),
        LinkDescription("lower", Inertia(1.0, (0, 0.2, 0), np.eye(3))),
    ]
    return RobotDescription("pair", links, [JointDescription("root_joint", "weld", None, "upper"), joint])


def with_link(**parts: object) -> RobotDescription:
    link = LinkDescription("part", Inertia(1.0, (0, 0, 0), np.eye(3)), **parts)  # type: ignore[arg-type]
    return RobotDescription("one", [link], [JointDescription("root_joint", "weld", None, "part")])


@pytest.mark.parametrize("name", FILES)
def test_files_of_robots_read_back_as_equal_descriptions(name: str, tmp_path: Path) -> None:
    before = read_file(FILES[name])
    diagnostics = write_urdf(before, tmp_path / "robot.urdf", names="absolute")
    after = read_file(tmp_path / "robot.urdf")
    assert not [d for d in diagnostics if d.kind == "ignored" and "collision" not in d.message]
    assert_equal_but_for_rounding(bare(before), bare(after))


def assert_equal_but_for_rounding(one: RobotDescription, other: RobotDescription) -> None:
    assert [joint.name for joint in one.joints] == [joint.name for joint in other.joints]
    for mine, theirs in zip(one.joints, other.joints, strict=True):
        off = np.abs(mine.T_parent_joint - theirs.T_parent_joint).max()
        assert off <= 4.5e-16
        assert replace(theirs, T_parent_joint=mine.T_parent_joint) == mine
    for a, b in zip(one.links, other.links, strict=True):
        assert (a.name, a.inertia, a.gravity) == (b.name, b.inertia, b.gravity)
        shapes = zip((*a.visuals, *a.collisions), (*b.visuals, *b.collisions), strict=True)
        for mine_, theirs_ in shapes:
            assert mine_.shape == theirs_.shape
            assert np.abs(mine_.origin - theirs_.origin).max() <= 4.5e-16


@given(robots(geared=False))
def test_random_trees_of_joints_that_urdf_can_say_move_alike(robot: Robot) -> None:
    written = urdf_string(expressible(robot))
    assert lost(written.diagnostics) == ()
    assert_same_motion(expressible(robot), read_back(written))


def test_every_joint_moves_alike() -> None:
    robot = every_joint(4, geared=False)
    assert_same_motion(expressible(robot), read_back(urdf_string(expressible(robot))))


@pytest.mark.parametrize(
    "name", ["ur_description/urdf/ur5_robot.urdf", "talos_data/robots/talos_full_v2.urdf"]
)
def test_pinocchio_sees_the_same_robot(name: str, tmp_path: Path) -> None:
    path = next(path for known, path in FILES.items() if known.endswith(name.rpartition("/")[2]))
    write_urdf(read_file(path), tmp_path / "robot.urdf")
    before, after = (pin.buildModelFromUrdf(str(file)) for file in (path, tmp_path / "robot.urdf"))
    assert list(before.names) == list(after.names)
    q = pin.randomConfiguration(before, -np.ones(before.nq), np.ones(before.nq))
    M, N = (pin.crba(model, model.createData(), q) for model in (before, after))
    np.testing.assert_allclose(N, M, rtol=0, atol=1e-12)


def test_pinocchio_moves_a_chain_as_kido_moves_the_joint(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    robot = pair(type="universal", axes=[(1, 0, 2), (0, 3, 1)], T_child_joint=random_transform(rng))
    write_urdf(robot, tmp_path / "robot.urdf")
    model = pin.buildModelFromUrdf(str(tmp_path / "robot.urdf"))
    limits = model.upperPositionLimit
    assert limits.shape == (4,)  # two continuous joints, each by cosine and sine
    angles = np.array([0.3, -0.9])
    q = np.array([np.cos(0.3), np.sin(0.3), np.cos(-0.9), np.sin(-0.9)])
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    expected = kido.Tree.from_description(robot).transform(angles, "lower")
    got = data.oMf[model.getFrameId("lower")].homogeneous
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-14)


def test_limits_dynamics_mimic_calibration_and_safety_read_back() -> None:
    robot = pair(
        T_parent_joint=None,
        limits=JointLimits(-0.1, 0.30000000000000004, 1 / 3, 7.0),
        dynamics=JointDynamics(damping=0.1, friction=1e-300),
        calibration=kido.description.Calibration(None, 0.7),
        safety=kido.description.Safety(-1.0, 1.0, 20.0, 1 / 7),
    )
    follower = JointDescription(
        "wrist", "prismatic", "lower", "hand", axes=(0, 0, 1), mimic=Mimic("elbow", -2 / 3, 0.1)
    )
    robot = RobotDescription("pair", [*robot.links, LinkDescription("hand")], [*robot.joints, follower])
    written = urdf_string(robot)
    assert written.diagnostics == ()
    assert bare(read_back(written)) == bare(robot)


def test_limits_on_one_side_and_none_at_all_read_back_as_infinite() -> None:
    for kind in ("revolute", "prismatic"):
        for limits in (
            JointLimits(upper=0.5),
            JointLimits(lower=-1.0, velocity=2.0),
            JointLimits(),
            JointLimits(effort=3.0),
        ):
            back = read_back(urdf_string(pair(type=kind, limits=limits)))
            assert back.joint("elbow").limits == limits.for_dofs(1)


def test_shapes_with_poses_and_materials_read_back() -> None:
    rng = np.random.default_rng(1)
    shapes = [
        Box((1, 2, 1 / 3)),
        Sphere(0.1),
        Cylinder(0.2, 0.3),
        Capsule(0.2, 0.3),
        Mesh(None, "package://a/b.stl", (1, -1, 2)),
    ]
    red = Material("red", (1.0, 0.1, 1 / 3, 0.5))
    visuals = [ShapePlacement(f"v{i}", shape, random_transform(rng), red) for i, shape in enumerate(shapes)]
    collisions = [ShapePlacement(f"c{i}", shape) for i, shape in enumerate(shapes)]
    robot = with_link(visuals=visuals, collisions=collisions)
    written = urdf_string(robot)
    back = bare(read_back(written)).links[0]
    assert written.diagnostics == ()
    assert back.collisions == bare(robot).links[0].collisions
    for mine, theirs in zip(robot.links[0].visuals, back.visuals, strict=True):
        assert theirs.material == red
        assert np.abs(mine.origin - theirs.origin).max() < 1e-15


def test_roots_that_are_not_welded_in_place_hang_on_a_link_that_stands_for_the_world() -> None:
    robot = pair()
    free = robot.with_root("free")
    written = urdf_string(free)
    assert written.diagnostics == ()
    back = read_back(written)
    assert back.link("world").inertia is None
    assert back.joint("root_joint").type is JointType.FREE
    assert_same_motion(free, back)


def test_frames_are_empty_links_and_reported() -> None:
    place = random_transform(np.random.default_rng(0))
    robot = with_link(frames=[FrameDescription("tip", place, "site"), FrameDescription("part", place)])
    written = urdf_string(robot)
    back = read_back(written)
    assert [d.kind for d in written.diagnostics] == ["substituted"] * 2
    tree = kido.Tree.from_description(back)
    for name in ("tip", "part_2"):
        np.testing.assert_allclose(tree.transform([], name), place, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (pair(limits=JointLimits(acceleration=3.0)), "'elbow'>: the acceleration limit [3.0] is not written"),
        (pair(dynamics=JointDynamics(stiffness=3.0)), "stiffness [3.0]"),
        (pair(dynamics=JointDynamics(rest_position=3.0)), "rest position"),
        (pair(dynamics=JointDynamics(armature=3.0)), "armature"),
        (pair(actuator=ActuatorType.SERVO), "actuator type servo"),
        (pair(dof_names=["bend"]), "bend"),
        (pair(type="ball", axes=()), "ball joint"),
        (pair(type="screw", pitch=0.1), "turn and a slide"),
        (with_link(gravity=False), "gravity does not act"),
        (
            with_link(visuals=[ShapePlacement("egg", Ellipsoid((1, 2, 3)))]),
            "<visual 'egg'>: not written: URDF has no ellipsoid",
        ),
        (with_link(collisions=[ShapePlacement("pad", Sphere(1.0), surface=Surface(0.3))]), "its surface"),
        (with_link(collisions=[ShapePlacement("pad", Sphere(1.0), category=2)]), "categories"),
        (with_link(collisions=[ShapePlacement("pad", Sphere(1.0), material=Material("red"))]), "material"),
        (with_link(collisions=[ShapePlacement("pad", Mesh(None, "a.stl", convex=False))]), "triangles"),
    ],
)
def test_what_urdf_cannot_say_is_told(robot: RobotDescription, words: str) -> None:
    (diagnostic,) = lost(urdf_string(robot).diagnostics)
    assert words in diagnostic.message
    read_back(urdf_string(robot))


def test_the_rest_of_a_scene_is_told() -> None:
    crate = ObjectPlacement(LinkDescription("crate"))
    scene = SceneDescription(
        "room",
        [RobotPlacement(pair(), "left", self_collision=True), RobotPlacement(pair(), "right")],
        [crate],
        gravity=(0, 0, -1),
        time_step=0.1,
        options={"solver": "PGS"},
    )
    with pytest.raises(DescriptionError, match="robot='left' chooses"):
        urdf_string(scene)
    written = urdf_string(scene, robot="left")
    assert [d.subject for d in written.diagnostics] == ["room", "room", "solver", "left", "right", "crate"]
    assert read_back(written).name == "left"
    assert read_back(urdf_string(scene, robot="crate")).name == "crate"


def test_screws_turn_and_slide_by_their_pitch() -> None:
    robot = pair(type="screw", pitch=0.7, T_child_joint=random_transform(np.random.default_rng(5)))
    back = read_back(urdf_string(robot))
    skeleton = kido.Skeleton.from_description(back)
    skeleton.positions = {"elbow": 0.9}
    expected = kido.Tree.from_description(robot).transform([0.9], "lower")
    np.testing.assert_allclose(skeleton.body("lower").transform(), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", [next(iter(MESHES))])
def test_names_of_meshes_are_relative_absolute_of_packages_or_as_given(name: str, tmp_path: Path) -> None:
    robot = read_file(MESHES[name])
    shapes = [
        placed.shape for link in robot.links for placed in link.visuals if isinstance(placed.shape, Mesh)
    ]
    folder = shapes[0].path.parent
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    for names in ("relative", "absolute", "uri"):
        write_urdf(robot, deep / "robot.urdf", names=names)
        text = (deep / "robot.urdf").read_text()
        if names == "uri":
            assert f'filename="{shapes[0].uri}"' in text
            continue
        found = read_file(deep / "robot.urdf").link(robot.links[0].name)
        assert ("../" in text) == (names == "relative")
        assert [p.shape.path.resolve() for p in found.visuals] == [
            p.shape.path.resolve() for p in robot.links[0].visuals
        ]
    text = urdf_string(robot, packages={"meshes": folder}).text
    assert f"package://meshes/{shapes[0].path.name}" in text
    with pytest.raises(ValueError, match="names: expected one of relative, absolute, uri, got 'short'"):
        urdf_string(robot, names="short")  # type: ignore[arg-type]


def test_a_failed_write_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "robot.urdf"
    place.write_text("before")
    bad = replace(pair(), name="nul\0")
    with pytest.raises(DescriptionError, match="a text that XML can hold"):
        write_urdf(bad, place)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(OSError, match="No space"):
            write_urdf(pair(), place)
    assert place.read_text() == "before"
    assert list(tmp_path.iterdir()) == [place]


def test_files_keep_their_permissions_and_links_stay_links(tmp_path: Path) -> None:
    place, link = tmp_path / "robot.urdf", tmp_path / "link.urdf"
    place.write_text("before")
    place.chmod(0o640)
    link.symlink_to(place)
    assert write_urdf(pair(), link) == ()
    assert link.is_symlink()
    assert stat.S_IMODE(place.stat().st_mode) == 0o640
    assert read_file(place).name == "pair"


def test_folders_pipes_and_wrong_arguments_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.urdf")
    with pytest.raises(IsADirectoryError):
        write_urdf(pair(), tmp_path)
    with pytest.raises(FileExistsError, match="regular file"):
        write_urdf(pair(), tmp_path / "pipe.urdf")
    with pytest.raises(FileNotFoundError):
        write_urdf(pair(), tmp_path / "none" / "robot.urdf")
    with pytest.raises(TypeError, match="model: expected a SceneDescription or a RobotDescription"):
        write_urdf("robot", tmp_path / "robot.urdf")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="path: expected a path"):
        write_urdf(pair(), 3)  # type: ignore[arg-type]


def test_planar_joints_keep_axes_that_do_not_follow_from_the_normal() -> None:
    axes = random_transform(np.random.default_rng(2))[:2, :3]
    robot = pair(type="planar", axes=axes, T_child_joint=random_transform(np.random.default_rng(4)))
    written = urdf_string(robot)
    assert [note.kind for note in written.diagnostics] == ["equivalent"]
    assert 'type="planar"' in written.text
    assert_same_motion(robot, read_back(written))


def test_a_robot_without_links_reads_back_as_one() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        empty = read_urdf_string("<robot name='empty'/>")
        written = urdf_string(empty)
        back = read_back(written)
    assert not written.diagnostics
    assert back.name == "empty"
    assert not back.links
    assert not back.joints
