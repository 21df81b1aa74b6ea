"""Motion of frames from their poses alone or from the textbook, to compare their answers with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from _random_trees import Array, random_transform, skew
from scipy.spatial.transform import RigidTransform

import kido

STEP = 2e-3
"""Time between poses [s]."""
TIMES = tuple(STEP * k for k in (-2, -1, 0, 1, 2))
VELOCITY = 3e-9
"""Relative tolerance of first differences: at 4 rad/s they are off by h^4 4^5 / 30, some 5e-10."""
ACCELERATION = 1e-8
"""Relative tolerance of second differences: off by h^4 4^6 / 90, and by rounding, some 1e-9 in all."""

_FIRST = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / (12.0 * STEP)
_SECOND = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / (12.0 * STEP**2)


@dataclass(frozen=True)
class Motion:
    """Motion of a point that turns with a frame, as an observer in a base sees it, in the base's axes."""

    T: Array
    angular: Array
    linear: Array
    angular_acceleration: Array
    linear_acceleration: Array

    def spatial_velocity(self) -> Array:
        """(6,) in the frame's own axes."""
        R = self.T[:3, :3]
        return np.concatenate([R.T @ self.angular, R.T @ self.linear])

    def spatial_acceleration(self) -> Array:
        """(6,) in the frame's own axes: the rate of each component of the spatial velocity."""
        R = self.T[:3, :3]
        linear = self.linear_acceleration - np.cross(self.angular, self.linear)
        return np.concatenate([R.T @ self.angular_acceleration, R.T @ linear])


def motion_from_poses(frame: Array, base: Array, offset: Array) -> Motion:
    """Differences of world poses (5, 4, 4) at `TIMES`."""
    T = np.linalg.inv(base) @ frame
    first, second = np.tensordot(_FIRST, T, 1), np.tensordot(_SECOND, T, 1)
    point = np.array([*offset, 1.0])
    R = T[2, :3, :3]
    return Motion(
        T[2],
        vee(first[:3, :3] @ R.T),
        (first @ point)[:3],
        vee(second[:3, :3] @ R.T),  # R'' R^T is [alpha] + [omega]^2, the second of which is symmetric
        (second @ point)[:3],
    )


def posed(R: Array, p: Array) -> Array:
    """The transform of a rotation and a translation."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def vee(M: Array) -> Array:
    """The vector (3,) whose cross product is the antisymmetric part of M."""
    return 0.5 * np.array([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])


def adjoint_inverse(T: Array) -> Array:
    """The matrix (6, 6) that turns twists in the coordinates of a parent to those of its child at T."""
    R, p = T[:3, :3], T[:3, 3]
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ skew(p), R.T]])


def motion_product(a: Array, b: Array) -> Array:
    """Lie bracket (6,) of two twists."""
    return np.concatenate([np.cross(a[:3], b[:3]), np.cross(a[:3], b[3:]) + np.cross(a[3:], b[:3])])


def path(T: Array, V: Array, A: Array) -> Callable[[float], Array]:
    """A motion whose pose, spatial velocity and spatial acceleration at time 0 are T, V and A."""
    return lambda t: T @ RigidTransform.from_exp_coords(V * t + 0.5 * A * t * t).as_matrix()


class Orbit(kido.Frame):
    """A frame as a user writes it: it runs round a circle, x outward, y ahead, faster and faster."""

    def __init__(self, name: str, parent: kido.Frame | None = None) -> None:
        super().__init__(name, parent)
        self.radius, self.speed, self.rate, self.time = 0.5, 1.3, 0.7, 0.0

    @property
    def relative_transform(self) -> Array:
        angle = self.speed * self.time + 0.5 * self.rate * self.time**2
        c, s = np.cos(angle), np.sin(angle)
        r = self.radius
        return np.array([[c, -s, 0.0, r * c], [s, c, 0.0, r * s], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])

    @property
    def relative_spatial_velocity(self) -> Array:
        spin = self.speed + self.rate * self.time
        return np.array([0.0, 0.0, spin, 0.0, self.radius * spin, 0.0])

    @property
    def relative_spatial_acceleration(self) -> Array:
        return np.array([0.0, 0.0, self.rate, 0.0, self.radius * self.rate, 0.0])


class Cam(kido.UserJoint):
    """Runs round an ellipse, turning to and fro."""

    num_dofs = 1

    def transform_of(self, q: Array) -> Array:
        x, angle = q[0], np.sin(q[0])
        T = np.eye(4)
        T[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        T[:2, 3] = [0.3 * np.cos(x), 0.5 * np.sin(x)]
        return T

    def jacobian_of(self, q: Array) -> Array:
        x = q[0]
        slide = self.transform_of(q)[:3, :3].T @ [-0.3 * np.sin(x), 0.5 * np.cos(x), 0.0]
        return np.array([[0.0, 0.0, np.cos(x), *slide]]).T

    def jacobian_derivative_of(self, q: Array, v: Array) -> Array:
        x, S = q[0], self.jacobian_of(q)[:, 0]
        bend = self.transform_of(q)[:3, :3].T @ [-0.3 * np.cos(x), -0.5 * np.sin(x), 0.0]
        slide = bend - np.cross(S[:3], S[3:])
        return np.array([[0.0, 0.0, -np.sin(x), *slide]]).T * v[0]


class Sensor(kido.FrameNode):
    """A node of a user's own."""


KINDS = (
    "world",
    "simple frame",
    "fixed frame",
    "user's frame",
    "root body",
    "body",
    "body of a user's joint",
    "end effector",
    "shape node",
    "marker",
    "user's node",
)
"""Every kind of frame; a scene has one of each, and some more."""


class Scene:
    """Frames of every kind that stand on each other and all move at once."""

    def __init__(self, seed: int) -> None:
        rng = self.rng = np.random.default_rng(seed)
        self.paths: dict[kido.SimpleFrame, Callable[[float], Array]] = {}
        carrier = self.simple("carrier", kido.WORLD)
        fixed = kido.FixedFrame("fixed", carrier, random_transform(rng))
        skeleton = self.skeleton = random_skeleton(rng)
        body = skeleton.body("body3")
        effector = kido.EndEffector(body, "hand", random_transform(rng))
        shape = kido.ShapeNode(body, "shape", kido.shape.Sphere(0.1), random_transform(rng))
        simple = self.simple("simple", fixed)
        rider = self.simple("rider", effector)
        self.orbit = Orbit("orbit", rider)
        self.frames: dict[str, kido.Frame] = {
            "world": kido.WORLD,
            "carrier": carrier,
            "simple frame": simple,
            "fixed frame": fixed,
            "user's frame": self.orbit,
            "on the user's frame": kido.FixedFrame("on orbit", self.orbit, random_transform(rng)),
            "root body": skeleton.body("body0"),
            "body": body,
            "body of a user's joint": skeleton.body("cam"),
            "end effector": effector,
            "shape node": shape,
            "marker": kido.Marker(skeleton.body("cam"), "marker", random_transform(rng)),
            "user's node": Sensor(skeleton.body("body0"), "sensor", random_transform(rng)),
            "rider": rider,
        }
        n = skeleton.num_dofs
        self.q, self.v, self.a = (rng.uniform(-1.0, 1.0, n) for _ in range(3))
        skeleton.velocities, skeleton.accelerations = self.v, self.a
        skeleton.positions = self.q

    def simple(self, name: str, parent: kido.Frame) -> kido.SimpleFrame:
        """A SimpleFrame with a path and, from it, velocity and acceleration."""
        T, V, A = random_transform(self.rng), *self.rng.uniform(-1.0, 1.0, (2, 6))
        frame = kido.SimpleFrame(name, parent, T)
        frame.relative_spatial_velocity = V
        frame.relative_spatial_acceleration = A
        self.paths[frame] = path(T, V, A)
        return frame

    def move(self, time: float) -> None:
        """Put everything where it is at a time [s]; velocities and accelerations stay those of time 0."""
        for frame, at in self.paths.items():
            frame.relative_transform = at(time)
        v = self.v + 0.5 * self.a * time
        self.skeleton.positions = self.skeleton.tree.integrate(self.q, v, time)
        self.orbit.time = time

    @cached_property
    def poses(self) -> dict[str, Array]:
        """World poses (5, 4, 4) of all frames at `TIMES`."""
        poses: dict[str, list[Array]] = {name: [] for name in self.frames}
        for time in TIMES:
            self.move(time)
            for name, frame in self.frames.items():
                poses[name].append(frame.transform())
        self.move(0.0)
        return {name: np.array(T) for name, T in poses.items()}

    def motion(self, frame: str, base: str, offset: Array | None = None) -> Motion:
        """Motion of a frame's point by the poses, seen from a base."""
        point = np.zeros(3) if offset is None else offset
        return motion_from_poses(self.poses[frame], self.poses[base], point)

    def rotation(self, frame: str) -> Array:
        """A frame's axes in the world, at time 0."""
        return self.poses[frame][2, :3, :3]


def random_skeleton(rng: np.random.Generator) -> kido.Skeleton:
    """Bodies on a free, a ball, a planar, a euler and a screw joint, and on a joint of a user's own."""
    skeleton = kido.Skeleton("robot")
    joints = [kido.FreeJoint(), kido.BallJoint(), kido.PlanarJoint(), kido.EulerJoint(), kido.ScrewJoint()]
    body = None
    for index, joint in enumerate(joints):
        place(joint, rng)
        body = skeleton.add_body(f"body{index}", body, joint)
    cam = Cam()
    place(cam, rng)
    skeleton.add_body("cam", skeleton.body("body1"), cam)
    return skeleton


def place(joint: kido.Joint, rng: np.random.Generator) -> None:
    """Put a joint anywhere on both of its bodies."""
    joint.T_parent_joint, joint.T_child_joint = random_transform(rng), random_transform(rng)
