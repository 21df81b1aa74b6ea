"""Rapier: scenes of free bodies."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("RAYON_NUM_THREADS", "1")
import rapier3d

import kido
from benchmarks._world._setup import (
    FRICTION,
    Setup,
    UnsupportedSceneError,
    free_positions,
    hull_points,
    shapes_of,
)
from kido.shape import Box, Capsule, Cylinder, Mesh, Shape, Sphere

FloatArray = NDArray[np.float64]

_UPRIGHT = (np.pi / 2, 0.0, 0.0)
"""Capsules and cylinders of Rapier stand along y."""


class RapierWorld:
    """A scene with Rapier's defaults, sleeping off; tuned: one iteration, stiff contacts, margins of 2 mm."""

    library = "rapier3d"

    def __init__(self, setup: Setup, tuned: bool) -> None:
        if setup.trees:
            raise UnsupportedSceneError("trees")
        world = rapier3d.PhysicsWorld(gravity=(0.0, 0.0, -9.81))
        world.physics_pipeline.counters.disable()
        parameters = world.integration_parameters
        parameters.dt = setup.step
        if tuned:
            parameters.num_solver_iterations = 1
            parameters.normalized_prediction_distance = 0.002
            parameters.normalized_allowed_linear_error = 1e-5
            parameters.contact_softness = rapier3d.SpringCoefficients(250.0, 10.0)
            parameters.static_contact_softness = rapier3d.SpringCoefficients(500.0, 10.0)
        if setup.has_ground:
            ground = rapier3d.Collider.halfspace((0.0, 0.0, 1.0)).friction(FRICTION).restitution(0.0)
            world.add_body(rapier3d.RigidBody.fixed(), [ground])
        self._world = world
        self._handles = [self._add(skeleton) for skeleton in setup.bodies]

    def step(self, count: int) -> None:
        step = self._world.step
        for _ in range(count):
            step()

    step_each = step

    def positions(self) -> list[FloatArray]:
        found = []
        for handle in self._handles:
            body = self._world.rigid_bodies[handle]
            place, turn = body.translation, body.rotation
            found.append(free_positions((place.x, place.y, place.z), (turn.w, turn.i, turn.j, turn.k)))
        return found

    def _add(self, own: kido.Skeleton) -> object:
        inertia, q = own.body(0).inertia, own.positions
        (node,) = shapes_of(own)
        x, y, z = np.diag(inertia.moment).tolist()
        moments = (x, z, y) if isinstance(node.shape, Cylinder) else (x, y, z)
        mass = rapier3d.MassProperties((0.0, 0.0, 0.0), inertia.mass, moments)
        collider = _collider(node.shape).mass_properties(mass).friction(FRICTION).restitution(0.0)
        body = rapier3d.RigidBody.dynamic().translation(tuple(q[3:].tolist()))
        body = body.rotation(tuple(q[:3].tolist())).can_sleep(False)
        return self._world.add_body(body, [collider])


def _collider(shape: Shape) -> object:
    make = rapier3d.Collider
    match shape:
        case Box():
            return make.cuboid(*(shape.size / 2).tolist())
        case Sphere():
            return make.ball(shape.radius)
        case Capsule():
            return make.capsule_z(shape.length / 2, shape.radius)
        case Cylinder():
            return make.cylinder(shape.length / 2, shape.radius).rotation(_UPRIGHT)
        case Mesh():
            return make.convex_hull(hull_points(shape))
    raise UnsupportedSceneError(str(shape))
