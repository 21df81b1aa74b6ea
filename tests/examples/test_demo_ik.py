from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
import pytest

from _urdf import joint, link
from examples.demo.humanoid import Humanoid, humanoid_of
from examples.demo.robots import example_robots
from examples.demo.route import HOPS, POSES_PER_HOP, reachable_poses, route
from examples.demo.whole_body_ik import box_tasks, crouching
from kido.description import RobotDescription
from kido.ik import InverseKinematics, WholeBodyIK
from kido.io import read, read_urdf_string
from kido.skeleton import Skeleton
from kido.typing import FloatArray

ABOVE = '<origin xyz="0 0 0.5"/>'
BOX_PLACE, BOX_TURN, BOX_WIDTH = np.array([0.36, -0.12, 0.52]), -0.45, 0.22  # [m], [rad], [m]


def about_y(lower: float, upper: float) -> str:
    return f'<axis xyz="0 1 0"/><limit lower="{lower}" upper="{upper}" velocity="1" effort="50"/>'


def planar_arm() -> InverseKinematics:
    """The module of a tip that turns about y, 0.5 m above an elbow 0.5 m above a shoulder."""
    parts = [
        *map(link, ("base", "upper", "lower", "tip")),
        joint("shoulder", "revolute", "base", "upper", about_y(-0.4, 0.2)),
        joint("elbow", "revolute", "upper", "lower", ABOVE + about_y(-2.0, 1.0)),
        joint("nail", "fixed", "lower", "tip", ABOVE),
    ]
    skeleton = Skeleton.from_description(read_urdf_string(f'<robot name="arm">{"".join(parts)}</robot>'))
    return InverseKinematics.of(skeleton.body("tip"))


def angles_of(poses: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shoulder and elbow (k,) [rad] of the planar arm for poses (k, 4, 4) of its tip [m]."""
    whole = np.arctan2(poses[:, 0, 2], poses[:, 2, 2])
    elbow_place = poses[:, :3, 3] - 0.5 * poses[:, :3, 2]
    shoulder = np.arctan2(elbow_place[:, 0], elbow_place[:, 2])
    return shoulder, whole - shoulder


def g1() -> tuple[RobotDescription, Humanoid]:
    file = example_robots()[1].file
    robot = read(file, root="free")
    humanoid = humanoid_of(robot)
    assert humanoid is not None
    return robot, humanoid


def poses_by_pinocchio(skeleton: Skeleton, positions: FloatArray, names: tuple[str, ...]) -> list[FloatArray]:
    """Poses (4, 4) [m] of bodies of the G1, its root as position and quaternion."""
    model = pin.buildModelFromUrdf(str(example_robots()[1].file), pin.JointModelFreeFlyer())
    data, q = model.createData(), pin.neutral(model)
    root = pin.exp3(positions[:3])
    q[:7] = [*positions[3:6], *pin.Quaternion(root).coeffs()]
    for dof in skeleton.dofs[6:]:
        q[model.joints[model.getJointId(dof.name)].idx_q] = positions[dof.index]
    pin.framesForwardKinematics(model, data, q)
    return [data.oMf[model.getFrameId(name)].homogeneous for name in names]


def test_a_route_goes_from_side_to_side_with_hops_in_between() -> None:
    module = planar_arm()
    module.positions = [0.0, 0.5]
    poses = route(module)
    assert len(poses) == HOPS * POSES_PER_HOP + 1
    shoulder, elbow = angles_of(poses)
    np.testing.assert_allclose(shoulder, np.linspace(-0.2, 0.2, len(poses)), atol=1e-12)
    np.testing.assert_allclose(elbow[::POSES_PER_HOP], 0.5 + 0.5 * 0.17, atol=1e-12)
    assert elbow.min() == pytest.approx(0.5 - 0.5 * 0.07, abs=1e-3)
    highest = np.flatnonzero((elbow[1:-1] < elbow[:-2]) & (elbow[1:-1] < elbow[2:]))
    assert len(highest) == HOPS


def test_a_route_from_a_limit_does_not_pass_it() -> None:
    module = planar_arm()
    module.positions = [0.2, 1.0]
    shoulder, elbow = angles_of(route(module))
    np.testing.assert_allclose(shoulder, 0.2, atol=1e-12)
    np.testing.assert_allclose(elbow, 1.0, atol=1e-12)


def test_random_targets_fill_the_ranges_of_the_joints() -> None:
    module = planar_arm()
    shoulder, elbow = angles_of(reachable_poses(module, np.random.default_rng(3), 500))
    for angles, lower, upper in ((shoulder, -0.4, 0.2), (elbow, -2.0, 1.0)):
        assert lower <= angles.min() < lower + 0.05 * (upper - lower)
        assert upper - 0.05 * (upper - lower) < angles.max() <= upper


def test_a_route_leaves_the_skeleton_where_it_is() -> None:
    module = planar_arm()
    module.positions = [0.1, -0.3]
    route(module)
    reachable_poses(module, np.random.default_rng(3), 10)
    np.testing.assert_array_equal(module.positions, [0.1, -0.3])


def test_a_humanoid_is_known_by_its_names_and_its_free_root() -> None:
    robot, _ = g1()
    assert humanoid_of(robot.with_root("fixed")) is None
    assert humanoid_of(read(example_robots()[0].file, root="free")) is None


def test_a_crouching_humanoid_stands_on_the_floor_with_bent_knees() -> None:
    robot, humanoid = g1()
    skeleton = crouching(robot, humanoid)
    poses = poses_by_pinocchio(skeleton, skeleton.positions, humanoid.feet)
    for pose in poses:
        np.testing.assert_allclose(pose[:3, 2], [0.0, 0.0, 1.0], atol=1e-6)
        assert pose[2, 3] == pytest.approx(humanoid.sole, abs=1e-4)
    assert skeleton.dof("left_knee_joint").position == 1.0


def test_the_humanoid_stands_takes_the_box_and_looks_at_it() -> None:
    robot, humanoid = g1()
    skeleton = crouching(robot, humanoid)
    tasks = box_tasks(skeleton, humanoid)
    assert [task.hierarchy_level for task in tasks] == [0, 0, 1, 1, 2]
    result = WholeBodyIK(skeleton).solve()
    assert result.success
    assert (skeleton.tree.lower_limits <= result.positions).all()
    assert (result.positions <= skeleton.tree.upper_limits).all()

    *limbs, eye = poses_by_pinocchio(skeleton, result.positions, humanoid.bodies)
    for foot in limbs[:2]:
        np.testing.assert_allclose(foot[:3, :3], np.eye(3), atol=1e-5)
        assert foot[2, 3] == pytest.approx(humanoid.sole, abs=1e-5)
    across = np.array([-math.sin(BOX_TURN), math.cos(BOX_TURN), 0.0])
    for side, hand in zip((1.0, -1.0), limbs[2:], strict=True):
        palm = hand[:3, 3] + humanoid.palm * hand[:3, 0]
        np.testing.assert_allclose(palm, BOX_PLACE + side * (0.5 * BOX_WIDTH + 0.025) * across, atol=1e-5)
        np.testing.assert_allclose(hand[:3, 1], across, atol=1e-5)
    sight = BOX_PLACE - eye[:3, 3]
    np.testing.assert_allclose(eye[:3, 0], sight / np.linalg.norm(sight), atol=1e-5)
