"""Poses of bodies by products of elementary motions, distances of poses, and arms to move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import kido

Array = NDArray[np.float64]

PLACED = 1e-6
"""Tolerance of the default settings [rad, m]."""

ROUNDING = 1e-12
"""Error that judging by another route adds [rad, m]."""


def pose(rotation: Rotation | None = None, position: Sequence[float] | Array = (0.0, 0.0, 0.0)) -> Array:
    T = np.eye(4)
    T[:3, 3] = position
    if rotation is not None:
        T[:3, :3] = rotation.as_matrix()
    return T


def turned(*rotation_vector: float) -> Rotation:
    return Rotation.from_rotvec(rotation_vector)


def motion(joint: kido.Joint, q: Array) -> Array:
    """The motion (4, 4) of a joint by its positions."""
    match joint:
        case kido.WeldJoint():
            return np.eye(4)
        case kido.RevoluteJoint():
            return pose(Rotation.from_rotvec(joint.axis * q[0]))
        case kido.PrismaticJoint():
            return pose(position=joint.axis * q[0])
        case kido.ScrewJoint():
            return pose(
                Rotation.from_rotvec(joint.axis * q[0]), joint.axis * joint.pitch * q[0] / (2 * np.pi)
            )
        case kido.UniversalJoint():
            return pose(Rotation.from_rotvec(joint.axis1 * q[0]) * Rotation.from_rotvec(joint.axis2 * q[1]))
        case kido.EulerJoint():
            return pose(Rotation.from_euler(joint.order.upper(), q))
        case kido.BallJoint():
            return pose(Rotation.from_rotvec(q))
        case kido.FreeJoint():
            return pose(Rotation.from_rotvec(q[:3]), q[3:])
        case kido.PlanarJoint():
            normal = np.cross(joint.axis1, joint.axis2)
            return pose(Rotation.from_rotvec(normal * q[2]), joint.axis1 * q[0] + joint.axis2 * q[1])
        case kido.TranslationalJoint():
            return pose(position=q)
    raise NotImplementedError(type(joint).__name__)


def placed(node: kido.BodyNode | kido.FrameNode, q: Array) -> Array:
    """Pose (4, 4) of a body or node at positions (num_dofs,) of its skeleton."""
    T = np.eye(4)
    body = node if isinstance(node, kido.BodyNode) else node.body
    for carrier in reversed(list(body.ancestors())):
        joint = carrier.parent_joint
        own = np.array(q[joint.dof_indices.start : joint.dof_indices.stop])  # SciPy wants one it may write
        T = T @ joint.T_parent_joint @ motion(joint, own) @ np.linalg.inv(joint.T_child_joint)
    return T if node is body else T @ node.relative_transform


def gap(T: Array, S: Array) -> tuple[float, float]:
    """Angle [rad] and distance [m] between two poses (4, 4)."""
    turn = Rotation.from_matrix(T[:3, :3]) * Rotation.from_matrix(S[:3, :3]).inv()
    return float(turn.magnitude()), float(np.linalg.norm(T[:3, 3] - S[:3, 3]))


def with_positions(ik: kido.InverseKinematics, positions: Array) -> Array:
    """Positions (num_dofs,) of the skeleton with other ones of the module's dofs."""
    q = ik.owner.skeleton.positions.copy()
    q[[dof.index for dof in ik.dofs]] = positions
    return q


def drawn(ik: kido.InverseKinematics, count: int, seed: int = 0) -> Array:
    """Random positions (count, k) of the module's dofs, within their limits."""
    rng = np.random.default_rng(seed)
    lower = np.array([max(dof.position_lower_limit, -np.pi) for dof in ik.dofs])
    upper = np.array([min(dof.position_upper_limit, np.pi) for dof in ik.dofs])
    return rng.uniform(lower, upper, (count, len(ik.dofs)))


def reachable(ik: kido.InverseKinematics, count: int, seed: int = 0) -> Array:
    """Poses (count, 4, 4) of the node at random positions of the module's dofs."""
    return np.array([placed(ik.owner, with_positions(ik, q)) for q in drawn(ik, count, seed)])


def assert_there(ik: kido.InverseKinematics, result: kido.IKResult, target: Array) -> None:
    """Solved, within the limits, and at the target by the product of elementary motions."""
    __tracebackhide__ = True
    assert result.success, result.message
    lower = [dof.position_lower_limit for dof in ik.dofs]
    upper = [dof.position_upper_limit for dof in ik.dofs]
    assert (result.positions >= lower).all() and (result.positions <= upper).all()
    angle, distance = gap(placed(ik.owner, with_positions(ik, result.positions)), target)
    np.testing.assert_allclose([angle, distance], [result.angular_error, result.linear_error], atol=1e-9)
    assert angle <= PLACED + 1e-9 and distance <= PLACED + ROUNDING


def planar_arm(*lengths: float) -> kido.Skeleton:
    """Links along x of the given lengths [m] on revolute joints about z; an end effector `tip`."""
    arm = kido.Skeleton("planar")
    body, offset = None, 0.0
    for i, length in enumerate(lengths):
        joint = kido.RevoluteJoint(f"q{i}", T_parent_joint=(offset, 0.0, 0.0))
        body = arm.add_body(f"link{i}", body, joint)
        offset = length
    assert body is not None
    body.add_end_effector("tip", (offset, 0.0, 0.0))
    return arm


def two_wrists(tool: float = 0.0) -> kido.BodyNode:
    """The last body of an arm whose first three axes meet in a shoulder, and last three in a wrist, with an
    elbow between; its origin stands `tool` [m] beyond the wrist."""
    robot, body = kido.Skeleton("two wrists"), None
    for i, (axis, rise) in enumerate(zip("zyzyzyz", (0.36, 0.0, 0.42, 0.0, 0.4, 0.0, tool), strict=True)):
        joint = kido.RevoluteJoint(f"q{i}", np.eye(3)["xyz".index(axis)], T_parent_joint=(0.0, 0.0, rise))
        body = robot.add_body(f"link{i}", body, joint)
    assert body is not None
    robot.position_lower_limits, robot.position_upper_limits = -2.9, 2.9
    return body


def with_joints(*joints: kido.Joint, seed: int = 0) -> kido.Skeleton:
    """A chain of bodies on joints that are placed at random, ending in `hand`, an end effector."""
    rng = np.random.default_rng(seed)
    chain = kido.Skeleton("chain")
    body = None
    for i, joint in enumerate(joints):
        joint.T_parent_joint = pose(Rotation.random(rng=rng), rng.uniform(-0.4, 0.4, 3))
        joint.T_child_joint = pose(Rotation.random(rng=rng), rng.uniform(-0.2, 0.2, 3))
        body = chain.add_body(f"body{i}", body, joint)
    assert body is not None
    body.add_end_effector("hand", pose(Rotation.random(rng=rng), (0.1, 0.0, 0.2)))
    return chain


def revolutes(count: int) -> list[kido.Joint]:
    """Revolute joints about x, y, z in turn."""
    return [kido.RevoluteJoint(f"r{i}", axis=np.eye(3)[i % 3]) for i in range(count)]


def random_start(ik: kido.InverseKinematics, start: int, seed: int = 0) -> Array:
    """Positions (k,) of a random start within limits: numbers of SplitMix64, mixed twice."""
    low, high = ik.position_limits
    parts = []
    for dof in range(len(low)):
        z = (seed + 0x9E3779B97F4A7C15 * (1 + dof + 4096 * start)) % 2**64
        for _ in range(2):
            z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
            z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
            z ^= z >> 31
        parts.append((z >> 11) * 2.0**-53)
    return np.asarray(low + (high - low) * np.array(parts))
