"""Every URDF of example-robot-data against Pinocchio, which merges fixed joints and adds no root joint."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import files
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

from kido.description import JointDescription, JointType, RobotDescription
from kido.errors import ModelWarning
from kido.io import read_urdf, read_urdf_string
from kido.shape import Mesh

EMPTY = "ur3.urdf"
"""A file of the package whose robot has no links; Pinocchio refuses it."""

ROBOTS = {
    str(file).partition("robots/")[2]: Path(str(file.locate()))
    for file in files("example-robot-data") or ()
    if file.suffix == ".urdf"
}
NAMES = sorted(name for name in ROBOTS if Path(name).name != EMPTY)
KINDS_OF_DOUBT = {"inertia", "limit", "mimic", "mesh", "material", "name"}


@cache
def robot(name: str) -> RobotDescription:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read_urdf(ROBOTS[name])


@cache
def model(name: str) -> pin.Model:
    return pin.buildModelFromUrdf(str(ROBOTS[name]))


def position_of(joint: JointDescription, reference: pin.JointModel, q: np.ndarray) -> float:
    """The position of a joint of one degree of freedom; Pinocchio has continuous ones as cosine and sine."""
    part = q[reference.idx_q : reference.idx_q + reference.nq]
    return float(part[0]) if reference.nq == 1 else float(np.arctan2(part[1], part[0]))


def motion(joint: JointDescription, position: float) -> np.ndarray:
    pose = np.eye(4)
    if joint.type is JointType.REVOLUTE:
        pose[:3, :3] = Rotation.from_rotvec(position * joint.axes[0]).as_matrix()
    elif joint.type is JointType.PRISMATIC:
        pose[:3, 3] = position * joint.axes[0]
    else:
        assert joint.type is JointType.WELD
    return pose


def link_poses(description: RobotDescription, reference: pin.Model, q: np.ndarray) -> dict[str, np.ndarray]:
    poses: dict[str | None, np.ndarray] = {None: np.eye(4)}
    for joint in description.depth_first_joints():
        is_mobile = joint.type is not JointType.WELD
        position = (
            position_of(joint, reference.joints[reference.getJointId(joint.name)], q) if is_mobile else 0.0
        )
        pose = poses[joint.parent] @ joint.T_parent_joint @ motion(joint, position)
        poses[joint.child] = pose @ np.linalg.inv(joint.T_child_joint)
    return {name: pose for name, pose in poses.items() if name is not None}


def moment_about_origin(mass: float, com: np.ndarray, moment: np.ndarray) -> np.ndarray:
    return np.asarray(moment + mass * ((com @ com) * np.eye(3) - np.outer(com, com)))


def test_the_package_has_the_robots_that_are_compared() -> None:
    assert len(NAMES) >= 60


@pytest.mark.parametrize("name", NAMES)
def test_links_and_joints_have_the_names_of_the_reference(name: str) -> None:
    frames = {frame.name for frame in model(name).frames if frame.type == pin.FrameType.BODY}
    assert {link.name for link in robot(name).links} == frames - {"universe"}
    mobile = [joint.name for joint in robot(name).joints if joint.type is not JointType.WELD]
    assert sorted(mobile) == sorted(list(model(name).names)[1:])


@pytest.mark.parametrize("name", NAMES)
def test_link_poses_agree_with_the_reference(name: str) -> None:
    reference, data = model(name), model(name).createData()
    rng = np.random.default_rng(7)
    for _ in range(3):
        v = rng.uniform(-1.5, 1.5, reference.nv)
        q = pin.integrate(reference, pin.neutral(reference), v)
        pin.framesForwardKinematics(reference, data, q)
        for link, pose in link_poses(robot(name), reference, q).items():
            expected = data.oMf[reference.getFrameId(link, pin.FrameType.BODY)].homogeneous
            assert np.allclose(pose, expected, rtol=0.0, atol=1e-12), link


@pytest.mark.parametrize("name", NAMES)
def test_limits_and_dynamics_agree_with_the_reference(name: str) -> None:
    reference = model(name)
    for joint in robot(name).joints:
        if joint.type is JointType.WELD:
            continue
        other = reference.joints[reference.getJointId(joint.name)]
        limits, dynamics = joint.limits, joint.dynamics
        if other.nq == 1:
            assert limits.lower[0] == reference.lowerPositionLimit[other.idx_q], joint.name
            assert limits.upper[0] == reference.upperPositionLimit[other.idx_q], joint.name
        else:
            assert np.isinf([limits.lower[0], limits.upper[0]]).all()
        if np.isfinite(limits.velocity[0]):
            assert limits.velocity[0] == reference.velocityLimit[other.idx_v], joint.name
            assert limits.effort[0] == reference.effortLimit[other.idx_v], joint.name
        assert dynamics.damping[0] == reference.damping[other.idx_v], joint.name
        assert dynamics.friction[0] == reference.upperDryFrictionLimit[other.idx_v], joint.name


@pytest.mark.parametrize("name", NAMES)
def test_masses_agree_with_the_reference_body_by_body(name: str) -> None:
    """All links that move as one are compared as one, about the origin of the joint that moves them."""
    reference = model(name)
    masses = np.zeros(reference.njoints)
    firsts, moments = np.zeros((reference.njoints, 3)), np.zeros((reference.njoints, 3, 3))
    for link in robot(name).links:
        if link.inertia is None:
            continue
        frame = reference.frames[reference.getFrameId(link.name, pin.FrameType.BODY)]
        R, p = frame.placement.rotation, frame.placement.translation
        joint, mass, com = frame.parentJoint, link.inertia.mass, R @ link.inertia.com + p
        masses[joint] += mass
        firsts[joint] += mass * com
        moments[joint] += moment_about_origin(mass, com, R @ link.inertia.moment @ R.T)
    for joint, inertia in enumerate(reference.inertias):
        expected = moment_about_origin(inertia.mass, inertia.lever, inertia.inertia)
        scale = max(1.0, float(np.abs(expected).max()))
        assert np.isclose(masses[joint], inertia.mass, rtol=1e-13)
        assert np.allclose(firsts[joint], inertia.mass * inertia.lever, rtol=0.0, atol=1e-12 * scale)
        assert np.allclose(moments[joint], expected, rtol=0.0, atol=1e-12 * scale)


@pytest.mark.parametrize("name", NAMES)
def test_one_warning_a_kind_and_only_known_doubts(name: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        description = read_urdf(ROBOTS[name], root="free")
    assert all(warning.category is ModelWarning for warning in caught)
    kinds = {diagnostic.kind for diagnostic in description.diagnostics}
    assert kinds <= KINDS_OF_DOUBT | {"root", "ignored"}
    assert len(caught) == len(kinds & {"inertia", "mesh", "mimic", "root"})


def test_meshes_of_the_package_are_found() -> None:
    missing = [
        shape.uri
        for name in NAMES
        for link in robot(name).links
        for shape in (placement.shape for placement in (*link.visuals, *link.collisions))
        if isinstance(shape, Mesh) and shape.path is None
    ]
    assert all(uri.startswith("file:///usr/Romeo/") for uri in missing)


def test_the_robot_without_links_loads_with_a_warning() -> None:
    (path,) = (path for name, path in ROBOTS.items() if Path(name).name == EMPTY)
    with pytest.warns(ModelWarning, match="the robot has no links"):
        assert read_urdf(path).links == ()


def test_floating_and_planar_joints_have_the_place_of_the_reference() -> None:
    ends = "<parent link='{}'/><child link='{}'/><origin xyz='1 2 3' rpy='0.3 0.2 0.1'/>"
    joints = f"<joint name='j' type='floating'>{ends.format('a', 'b')}</joint>"
    joints += f"<joint name='k' type='planar'>{ends.format('b', 'c')}<axis xyz='0 0 1'/></joint>"
    text = f"<robot name='r'><link name='a'/><link name='b'/><link name='c'/>{joints}</robot>"
    description, reference = read_urdf_string(text), pin.buildModelFromXML(text)
    for name, num_dofs in (("j", 6), ("k", 3)):
        joint_id = reference.getJointId(name)
        expected = reference.jointPlacements[joint_id].homogeneous
        assert np.allclose(description.joint(name).T_parent_joint, expected, atol=1e-15)
        assert description.joint(name).num_dofs == reference.joints[joint_id].nv == num_dofs
