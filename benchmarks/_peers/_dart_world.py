"""dartpy: scenes, as skeletons in a world."""

from __future__ import annotations

import tempfile
from pathlib import Path

import dartpy
import numpy as np
from numpy.typing import NDArray

import kido
from benchmarks._world._setup import (
    FRICTION,
    Setup,
    UnsupportedSceneError,
    has_free_root,
    hinges,
    servos,
    shapes_of,
)
from benchmarks._world._urdf import urdf
from kido.shape import Box, Capsule, Cylinder, Mesh, Shape, Sphere

FloatArray = NDArray[np.float64]

_MANY = 150
"""Bodies from which on the tuned solver is that without matrices."""


class DartWorld:
    """A scene with DART's defaults, sleeping off; tuned: Bullet's detector, large piles without matrices.

    The default detector has no capsules: scenes with them have Bullet's in both cases.
    """

    library = "dartpy"

    def __init__(self, setup: Setup, tuned: bool) -> None:
        setup.refuse_terrain()
        shapes = [node.shape for skeleton in setup.skeletons for node in shapes_of(skeleton)]
        if any(isinstance(shape, Mesh) for shape in shapes):
            raise UnsupportedSceneError("convex hulls")
        self._setup = setup
        self._world = world = dartpy.simulation.World()
        world.setTimeStep(setup.step)
        world.setGravity([0.0, 0.0, -9.81])
        self._configure(tuned or any(isinstance(shape, Capsule) for shape in shapes), tuned)
        if setup.has_ground:
            self._add_ground()
        self._skeletons = [
            self._add_body(s) if s in setup.bodies else self._add_tree(s) for s in setup.moving
        ]
        self._close()
        self._step = world.step

    def step(self, count: int) -> None:
        step = self._step
        for _ in range(count):
            step(False)

    step_each = step

    def positions(self) -> list[FloatArray]:
        return [
            np.asarray(skeleton.getPositions())[order]
            for skeleton, order in zip(self._skeletons, self._orders, strict=True)
        ]

    @property
    def _orders(self) -> list[list[int]]:
        orders = []
        for own, skeleton in zip(self._setup.moving, self._skeletons, strict=True):
            root = list(range(6)) if has_free_root(own) else []
            orders.append([*root, *(skeleton.getJoint(j.name).getIndexInSkeleton(0) for j in hinges(own))])
        return orders

    def _configure(self, bullet: bool, tuned: bool) -> None:
        world, solver = self._world, self._world.getConstraintSolver()
        if bullet:
            world.setCollisionDetector(dartpy.collision.BulletCollisionDetector())
        sleeping = world.getDeactivationOptions()
        sleeping.mEnabled = False
        world.setDeactivationOptions(sleeping)
        if tuned and len(self._setup.moving) > _MANY:
            options = solver.getMatrixFreeContactSolverOptions()
            options.mEnabled = True
            solver.setMatrixFreeContactSolverOptions(options)

    def _add_ground(self) -> None:
        ground = dartpy.dynamics.Skeleton("ground")
        _, body = ground.createWeldJointAndBodyNodePair()
        self._add_shape(body, dartpy.dynamics.BoxShape([100.0, 100.0, 1.0]), _translation((0.0, 0.0, -0.5)))
        ground.setMobile(False)
        self._world.addSkeleton(ground)

    def _add_body(self, own: kido.Skeleton) -> dartpy.dynamics.Skeleton:
        skeleton = dartpy.dynamics.Skeleton(own.name)
        joint, body = skeleton.createFreeJointAndBodyNodePair()
        inertia = own.body(0).inertia
        body.setInertia(dartpy.dynamics.Inertia(inertia.mass, inertia.com, inertia.moment))
        for node in shapes_of(own):
            self._add_shape(body, _shape(node.shape), np.asarray(node.relative_transform))
        joint.setPositions(own.positions)
        self._world.addSkeleton(skeleton)
        return skeleton

    def _add_tree(self, own: kido.Skeleton) -> dartpy.dynamics.Skeleton:
        loader, options = dartpy.utils.DartLoader(), dartpy.utils.DartLoaderOptions()
        kinds = dartpy.utils.DartLoaderRootJointType
        options.mDefaultRootJointType = kinds.FLOATING if has_free_root(own) else kinds.FIXED
        loader.setOptions(options)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tree.urdf"
            path.write_text(urdf(own, collision=False))
            skeleton = loader.parseSkeleton(str(path))
        skeleton.setName(own.name)
        for node in shapes_of(own):
            body = skeleton.getBodyNode(node.body.name)
            self._add_shape(body, _shape(node.shape), np.asarray(node.relative_transform))
        if has_free_root(own):
            skeleton.getRootJoint().setPositions(own.positions[:6])
        for joint in hinges(own):
            made = skeleton.getJoint(joint.name)
            made.setPosition(0, joint.positions[0])
            made.setLimitEnforcement(joint.has_position_limit(0))
            made.setDampingCoefficient(0, joint.damping[0])
            made.setCoulombFriction(0, 0.0)
        for servo in servos(own):
            made = skeleton.getJoint(servo.joint.name)
            made.setActuatorType(dartpy.dynamics.ActuatorType.SERVO)
            made.setForceLowerLimit(0, -servo.effort)
            made.setForceUpperLimit(0, servo.effort)
            made.setCommand(0, servo.velocity)
        self._world.addSkeleton(skeleton)
        return skeleton

    def _close(self) -> None:
        self._closures = []
        for closure in self._setup.closures:
            skeleton = self._skeletons[self._setup.moving.index(closure.body.skeleton)]
            body = skeleton.getBodyNode(closure.body.name)
            made = dartpy.constraint.BallJointConstraint(body, closure.place)
            self._world.getConstraintSolver().addConstraint(made)
            self._closures.append(made)

    def _add_shape(self, body: dartpy.dynamics.BodyNode, shape: object, T: FloatArray) -> None:
        node = body.createShapeNode(shape)
        node.createCollisionAspect()
        aspect = node.createDynamicsAspect()
        aspect.setFrictionCoeff(FRICTION)
        aspect.setRestitutionCoeff(0.0)
        node.setRelativeTransform(dartpy.math.Isometry3(T))


def _translation(place: tuple[float, float, float]) -> FloatArray:
    T = np.eye(4)
    T[:3, 3] = place
    return T


def _shape(shape: Shape) -> object:
    shapes = dartpy.dynamics
    match shape:
        case Box():
            return shapes.BoxShape(shape.size)
        case Sphere():
            return shapes.SphereShape(shape.radius)
        case Capsule():
            return shapes.CapsuleShape(shape.radius, shape.length)
        case Cylinder():
            return shapes.CylinderShape(shape.radius, shape.length)
    raise UnsupportedSceneError(str(shape))
