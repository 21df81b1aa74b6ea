"""SAPIEN: scenes, on PhysX on the processor."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import sapien

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

_TO_X = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
"""Capsules and cylinders of PhysX lie along x."""
_UPRIGHT = (0.7071067811865476, 0.0, -0.7071067811865476, 0.0)


class SapienWorld:
    """A scene with SAPIEN's defaults, sleeping off; tuned: margins of 2 mm, four iterations."""

    library = "sapien"

    def __init__(self, setup: Setup, tuned: bool) -> None:
        setup.refuse_terrain()
        if setup.closures:
            raise UnsupportedSceneError("loop closures")
        self._setup, physics = setup, sapien.physx
        scene, body, shape = physics.PhysxSceneConfig(), physics.PhysxBodyConfig(), physics.PhysxShapeConfig()
        scene.gravity = [0.0, 0.0, -9.81]
        body.sleep_threshold = 0.0
        body.solver_position_iterations = 4 if tuned else 10
        shape.contact_offset = 0.002 if tuned else shape.contact_offset
        physics.set_scene_config(scene)
        physics.set_body_config(body)
        physics.set_shape_config(shape)
        self._system = physics.PhysxCpuSystem()
        self._scene = sapien.Scene([self._system])
        self._scene.set_timestep(setup.step)
        self._material = physics.PhysxMaterial(FRICTION, FRICTION, 0.0)
        if setup.has_ground:
            self._add_ground()
        self._made = [
            self._add_body(s) if s in setup.bodies else self._add_tree(s, i)
            for i, s in enumerate(setup.moving)
        ]

    def step(self, count: int) -> None:
        step = self._system.step
        for _ in range(count):
            step()

    step_each = step

    def positions(self) -> list[FloatArray]:
        return [self._positions(*pair) for pair in zip(self._setup.moving, self._made, strict=True)]

    def _positions(self, own: kido.Skeleton, made: object) -> FloatArray:
        if own in self._setup.bodies:
            pose = made.entity.pose
            return free_positions(pose.p, pose.q)
        names = [joint.name for joint in made.get_active_joints()]
        q = made.get_qpos()
        joints = [q[names.index(joint.name)] for joint in hinges(own)]
        if not has_free_root(own):
            return np.array(joints, float)
        pose = made.get_root_pose()
        return np.concatenate([free_positions(pose.p, pose.q), joints])

    def _add_ground(self) -> None:
        entity, body = sapien.Entity(), sapien.physx.PhysxRigidStaticComponent()
        body.attach(sapien.physx.PhysxCollisionShapePlane(self._material))
        entity.add_component(body)
        entity.set_pose(sapien.Pose([0, 0, 0], _UPRIGHT))
        self._scene.add_entity(entity)

    def _add_body(self, own: kido.Skeleton) -> object:
        entity, body = sapien.Entity(), sapien.physx.PhysxRigidDynamicComponent()
        for shape in self._shapes(own, own.body(0)):
            body.attach(shape)
        _set_mass(body, own.body(0).inertia)
        entity.add_component(body)
        q = own.positions
        entity.set_pose(sapien.Pose(q[3:], quaternion(kido.math.so3_exp(q[:3]))))
        self._scene.add_entity(entity)
        return body

    def _add_tree(self, own: kido.Skeleton, index: int) -> object:
        loader = self._scene.create_urdf_loader()
        loader.fix_root_link = not has_free_root(own)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = Path(folder) / "tree.urdf"
            path.write_text(urdf(own, collision=False))
            made = loader.load(str(path))
        links = {link.name: link for link in made.get_links()}
        for body in own.bodies:
            link = links[body.name]
            for shape in self._shapes(own, body):
                shape.set_collision_groups([1, 1, 1 << index % 30, 0])
                link.attach(shape)
            _set_mass(link, body.inertia)
        self._set_joints(own, made)
        return made

    def _set_joints(self, own: kido.Skeleton, made: object) -> None:
        joints = {joint.name: joint for joint in made.get_active_joints()}
        for joint in hinges(own):
            joints[joint.name].set_friction(0.0)
            joints[joint.name].set_drive_properties(0.0, float(joint.damping[0]))
        for servo in servos(own):
            drive = joints[servo.joint.name]
            stands = servo.velocity == 0.0
            stiffness, damping = (1e4, 1e3) if stands else (0.0, 1e4)
            drive.set_drive_properties(stiffness, damping, servo.effort)
            drive.set_drive_target(float(servo.joint.positions[0]))
            drive.set_drive_velocity_target(servo.velocity)
        names = list(joints)
        q = np.zeros(len(names))
        for joint in hinges(own):
            q[names.index(joint.name)] = joint.positions[0]
        made.set_qpos(q)
        if has_free_root(own):
            root = own.positions[:6]
            made.set_root_pose(sapien.Pose(root[3:], quaternion(kido.math.so3_exp(root[:3]))))

    def _shapes(self, own: kido.Skeleton, body: kido.BodyNode) -> Iterator[object]:
        for node in shapes_of(own):
            if node.body is not body:
                continue
            shape, turn = self._shape(node.shape)
            T = node.relative_transform
            shape.set_local_pose(sapien.Pose(T[:3, 3], quaternion(T[:3, :3] @ turn)))
            yield shape

    def _shape(self, shape: Shape) -> tuple[object, FloatArray]:
        physics, material = sapien.physx, self._material
        match shape:
            case Box():
                return physics.PhysxCollisionShapeBox((shape.size / 2).tolist(), material), np.eye(3)
            case Sphere():
                return physics.PhysxCollisionShapeSphere(shape.radius, material), np.eye(3)
            case Capsule():
                return physics.PhysxCollisionShapeCapsule(shape.radius, shape.length / 2, material), _TO_X
            case Cylinder():
                return physics.PhysxCollisionShapeCylinder(shape.radius, shape.length / 2, material), _TO_X
            case Mesh():
                points, ones = hull_points(shape).astype(np.float32), np.ones(3, np.float32)
                return physics.PhysxCollisionShapeConvexMesh(points, ones, material), np.eye(3)
        raise UnsupportedSceneError(str(shape))


def _set_mass(body: object, inertia: kido.Inertia) -> None:
    moments, axes = np.linalg.eigh(inertia.moment)
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    body.set_mass(inertia.mass)
    body.set_cmass_local_pose(sapien.Pose(inertia.com, quaternion(axes)))
    body.set_inertia(moments)
    body.set_linear_damping(0.0)
    body.set_angular_damping(0.0)
