"""PyBullet: scenes, in a server of their own."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pybullet
from numpy.typing import NDArray

import kido
from benchmarks._world._setup import (
    FRICTION,
    Setup,
    UnsupportedSceneError,
    free_positions,
    has_free_root,
    hinges,
    hull_points,
    quaternion,
    servos,
    shapes_of,
)
from benchmarks._world._urdf import urdf
from kido.shape import Box, Capsule, Cylinder, Mesh, Shape, Sphere

FloatArray = NDArray[np.float64]

_TUNED = {"numSolverIterations": 200, "solverResidualThreshold": 0.0, "enableFileCaching": 0}
_STILL = {"linearDamping": 0.0, "angularDamping": 0.0, "rollingFriction": 0.0, "spinningFriction": 0.0}


class BulletWorld:
    """A scene with Bullet's defaults, sleeping off as they are; tuned: 200 iterations instead of 50."""

    library = "pybullet"

    def __init__(self, setup: Setup, tuned: bool) -> None:
        setup.refuse_terrain()
        self._setup = setup
        self._client = pybullet.connect(pybullet.DIRECT)
        self._call("setTimeStep", setup.step)
        self._call("setGravity", 0.0, 0.0, -9.81)
        if tuned:
            self._call("setPhysicsEngineParameter", **_TUNED)
        self._shapes: dict[Shape, int] = {}
        if setup.has_ground:
            plane = self._call("createCollisionShape", pybullet.GEOM_PLANE)
            ground = self._call("createMultiBody", 0, plane)
            self._call("changeDynamics", ground, -1, lateralFriction=1.0, restitution=0.0)
        self._bodies = [self._add_body(s) if s in setup.bodies else self._add_tree(s) for s in setup.moving]
        for closure in setup.closures:
            self._close(closure)

    def step(self, count: int) -> None:
        step, client = pybullet.stepSimulation, self._client
        for _ in range(count):
            step(client)

    step_each = step

    def positions(self) -> list[FloatArray]:
        return [self._positions(*pair) for pair in zip(self._setup.moving, self._bodies, strict=True)]

    def __del__(self) -> None:
        pybullet.disconnect(self._client)

    def _call(self, name: str, *arguments: object, **named: object) -> object:
        return getattr(pybullet, name)(*arguments, physicsClientId=self._client, **named)

    def _positions(self, own: kido.Skeleton, body: int) -> FloatArray:
        joints = [self._call("getJointState", body, self._joints(body)[j.name])[0] for j in hinges(own)]
        if not has_free_root(own):
            return np.array(joints)
        place, (x, y, z, w) = self._call("getBasePositionAndOrientation", body)
        T = np.eye(4)
        q = free_positions(place, (w, x, y, z))
        T[:3, :3] = kido.math.so3_exp(q[:3])
        q[3:] -= T[:3, :3] @ self._base_com(own)
        return np.concatenate([q, joints])

    def _base_com(self, own: kido.Skeleton) -> FloatArray:
        return np.asarray(own.body(0).inertia.com)

    def _joints(self, body: int) -> dict[str, int]:
        count = self._call("getNumJoints", body)
        return {self._call("getJointInfo", body, i)[1].decode(): i for i in range(count)}

    def _add_body(self, own: kido.Skeleton) -> int:
        (node,) = shapes_of(own)
        inertia, q = own.body(0).inertia, own.positions
        w, x, y, z = quaternion(kido.math.so3_exp(q[:3]))
        if node.shape not in self._shapes:
            self._shapes[node.shape] = self._shape(node.shape)
        shape = self._shapes[node.shape]
        body = self._call("createMultiBody", inertia.mass, shape, -1, q[3:].tolist(), [x, y, z, w])
        # Bullet takes principal moments: those of the scenes' bodies stand along their axes, or nearly so.
        moments = np.diag(inertia.moment).tolist()
        self._call(
            "changeDynamics", body, -1, lateralFriction=FRICTION, localInertiaDiagonal=moments, **_STILL
        )
        return int(body)

    def _add_tree(self, own: kido.Skeleton) -> int:
        q = own.positions
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tree.urdf"
            path.write_text(urdf(own, collision=True))
            body = self._call(
                "loadURDF",
                str(path),
                useFixedBase=not has_free_root(own),
                flags=pybullet.URDF_USE_INERTIA_FROM_FILE,
            )
        if has_free_root(own):
            R = kido.math.so3_exp(q[:3])
            w, x, y, z = quaternion(R)
            place = q[3:6] + R @ self._base_com(own)
            self._call("resetBasePositionAndOrientation", body, place.tolist(), [x, y, z, w])
        joints = self._joints(body)
        for i in range(-1, len(joints)):
            self._call("changeDynamics", body, i, lateralFriction=FRICTION, **_STILL)
        for joint in hinges(own):
            at = joints[joint.name]
            self._call("resetJointState", body, at, joint.positions[0])
            self._call("setJointMotorControl2", body, at, pybullet.VELOCITY_CONTROL, force=0)
            self._call("changeDynamics", body, at, jointDamping=joint.damping[0])
        for servo in servos(own):
            self._call(
                "setJointMotorControl2",
                body,
                joints[servo.joint.name],
                pybullet.VELOCITY_CONTROL,
                targetVelocity=servo.velocity,
                force=servo.effort,
            )
        return int(body)

    def _close(self, closure: object) -> None:
        body = self._bodies[self._setup.moving.index(closure.body.skeleton)]
        count = self._call("getNumJoints", body)
        names = {self._call("getJointInfo", body, i)[12].decode(): i for i in range(count)}
        point = closure.point - closure.body.inertia.com
        link, place = names[closure.body.name], closure.place.tolist()
        made = self._call(
            "createConstraint",
            body,
            link,
            -1,
            -1,
            pybullet.JOINT_POINT2POINT,
            [0, 0, 0],
            point.tolist(),
            place,
        )
        self._call("changeConstraint", made, maxForce=1e6)

    def _shape(self, shape: Shape) -> int:
        match shape:
            case Box():
                given = {"shapeType": pybullet.GEOM_BOX, "halfExtents": (shape.size / 2).tolist()}
            case Sphere():
                given = {"shapeType": pybullet.GEOM_SPHERE, "radius": shape.radius}
            case Capsule():
                given = {
                    "shapeType": pybullet.GEOM_CAPSULE,
                    "radius": shape.radius,
                    "height": shape.length,
                }
            case Cylinder():
                given = {
                    "shapeType": pybullet.GEOM_CYLINDER,
                    "radius": shape.radius,
                    "height": shape.length,
                }
            case Mesh():
                given = {"shapeType": pybullet.GEOM_MESH, "vertices": hull_points(shape).tolist()}
            case _:
                raise UnsupportedSceneError(str(shape))
        return int(self._call("createCollisionShape", **given))
