"""What kido and DART make of one SKEL file, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dartpy as dart
import numpy as np

import kido
from kido.description import JointDescription, JointType, LinkDescription, SceneDescription, ShapePlacement
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere

TOLERANCE = 1e-12
SHAPES: dict[str, Callable[[Any], Shape]] = {
    "BoxShape": lambda s: Box(s.getSize()),
    "SphereShape": lambda s: Sphere(s.getRadius()),
    "EllipsoidShape": lambda s: Ellipsoid(s.getRadii()),
    "CylinderShape": lambda s: Cylinder(s.getRadius(), s.getHeight()),
    "CapsuleShape": lambda s: Capsule(s.getRadius(), s.getHeight()),
    "ConeShape": lambda s: Cone(s.getRadius(), s.getHeight()),
    "PlaneShape": lambda s: Plane(s.getNormal(), s.getOffset()),
    "MeshShape": lambda s: Mesh(None, Path(s.getMeshPath()).name, s.getScale()),
}


def dart_world(path: Path) -> Any:
    """The world that DART reads."""
    return dart.utils.SkelParser.readWorld(dart.common.Uri(str(path)))


def disagreements(scene: SceneDescription, world: Any) -> Iterator[str]:
    """Where the description is not what DART's world is: "skeleton/body: quantity"."""
    yield from _differing("", {"gravity": (scene.gravity, world.getGravity())})
    if scene.time_step is not None:
        yield from _differing("", {"time_step": (scene.time_step, world.getTimeStep())})
    theirs = [world.getSkeleton(i) for i in range(world.getNumSkeletons())]
    ours = [placed.name for placed in scene.robots]
    if ours != [skeleton.getName() for skeleton in theirs]:
        yield f"names of skeletons: {ours}"
    for placed, skeleton in zip(scene.robots, theirs, strict=True):
        if placed.mobile != skeleton.isMobile():
            yield f"{placed.name}: mobile"
        if placed.self_collision != skeleton.isEnabledSelfCollisionCheck():
            yield f"{placed.name}: self_collision"
        robot = placed.placed()
        names = [joint.child for joint in robot.depth_first_joints()]
        if sorted(names) != sorted(body.getName() for body in skeleton.getBodyNodes()):
            yield f"{placed.name}: bodies {names}"
        for joint in robot.joints:
            where = f"{placed.name}/{joint.child}"
            body = skeleton.getBodyNode(joint.child)
            yield from _differing(where, _of_joint(joint, body.getParentJoint()))
            yield from _differing(where, _of_link(robot.link(joint.child), body))
        yield from _differing_motion(scene, placed.name, skeleton)


def started(scene: SceneDescription, name: str) -> kido.Skeleton:
    """A robot of the scene as it begins."""
    step = 0.001 if scene.time_step is None else scene.time_step
    robot = scene.single_robot(name)
    skeleton = kido.Skeleton.from_description(robot, gravity=scene.gravity, time_step=step)
    if scene.initial_state is not None:
        state = scene.state(scene.initial_state)
        if any(joint.owner == name for joint in state.joints):
            skeleton.set_named_state(state)
    return skeleton


def _differing(where: str, pairs: dict[str, tuple[Any, Any]]) -> Iterator[str]:
    for what, (ours, theirs) in pairs.items():
        if isinstance(ours, Plane) and isinstance(theirs, Plane):  # each computes the offset in its order
            ours, theirs = [*ours.normal, ours.offset], [*theirs.normal, theirs.offset]
            same = np.allclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE)
        elif isinstance(ours, str | bool | list | Shape) or ours is None:
            same = ours == theirs
        else:
            a, b = np.asarray(ours), np.asarray(theirs)
            same = a.shape == b.shape and np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE)
        if not same:
            yield f"{where}: {what}: {ours} is not {theirs}"


def _of_joint(joint: JointDescription, other: Any) -> dict[str, tuple[Any, Any]]:
    each = range(joint.num_dofs)
    limits, dynamics = joint.limits, joint.dynamics
    names = joint.dof_names or joint.type.spec.dof_names(joint.name, joint.euler_order)
    pairs: dict[str, tuple[Any, Any]] = {
        "name": (joint.name, other.getName()),
        "type": (_type_name(joint.type), other.getType()),
        "T_parent_joint": (joint.T_parent_joint, other.getTransformFromParentBodyNode().matrix()),
        "T_child_joint": (joint.T_child_joint, other.getTransformFromChildBodyNode().matrix()),
        "lower": (limits.lower, other.getPositionLowerLimits()),
        "upper": (limits.upper, other.getPositionUpperLimits()),
        "velocity_lower": (limits.lowest_velocity, other.getVelocityLowerLimits()),
        "velocity": (limits.velocity, other.getVelocityUpperLimits()),
        "effort_lower": (limits.lowest_effort, other.getForceLowerLimits()),
        "effort": (limits.effort, other.getForceUpperLimits()),
        "acceleration_lower": (limits.lowest_acceleration, other.getAccelerationLowerLimits()),
        "acceleration": (limits.acceleration, other.getAccelerationUpperLimits()),
        "damping": (dynamics.damping, [other.getDampingCoefficient(i) for i in each]),
        "friction": (dynamics.friction, [other.getCoulombFriction(i) for i in each]),
        "stiffness": (dynamics.stiffness, [other.getSpringStiffness(i) for i in each]),
        "rest_position": (dynamics.rest_position, [other.getRestPosition(i) for i in each]),
        "dof_names": (list(names), [other.getDofName(i) for i in each]),
        "actuator": ((joint.actuator or kido.ActuatorType.FORCE).name, other.getActuatorType().name),
    }
    if joint.type is JointType.PLANAR:  # DART leaves the last dof its standing name
        pairs["dof_names"] = (list(names[:2]), [other.getDofName(i) for i in range(2)])
        pairs["axes"] = (joint.axes, [other.getTranslationalAxis1(), other.getTranslationalAxis2()])
    elif joint.type is JointType.UNIVERSAL:
        pairs["axes"] = (joint.axes, [other.getAxis1(), other.getAxis2()])
    elif joint.type.num_axes == 1:
        pairs["axes"] = (joint.axes[0], other.getAxis())
    return pairs


def _type_name(kind: JointType) -> str:
    names = {JointType.TRANSLATIONAL2D: "TranslationalJoint2D"}
    return names.get(kind, f"{kind.capitalize()}Joint")


def _of_link(link: LinkDescription, body: Any) -> dict[str, tuple[Any, Any]]:
    inertia = link.inertia
    assert inertia is not None
    mass = body.getInertia().getMass()
    nodes = [n for n in body.getShapeNodes() if n.getShape() is None or n.getShape().getType() in SHAPES]
    pairs: dict[str, tuple[Any, Any]] = {
        "mass": (inertia.mass, mass),
        "com": (inertia.com, body.getInertia().getLocalCOM()),
        "moment": (inertia.moment, body.getInertia().getMoment()),
        "gravity": (link.gravity, body.getGravityMode()),
    }
    for role, placements in (("visual", link.visuals), ("collision", link.collisions)):
        visual = role == "visual"
        own = [n for n in nodes if n.hasVisualAspect() == visual and n.hasCollisionAspect() != visual]
        pairs[f"number of {role} shapes"] = (str(len(placements)), str(len(own)))
        for index, (placed, node) in enumerate(zip(placements, own, strict=False)):
            for what, pair in _of_shape(placed, node, visual).items():
                pairs[f"{role} {index}: {what}"] = pair
    return pairs


def _of_shape(placed: ShapePlacement, node: Any, visual: bool) -> dict[str, tuple[Any, Any]]:
    shape = placed.shape
    own = Mesh(None, Path(shape.uri).name, shape.scale) if isinstance(shape, Mesh) else shape
    theirs = node.getShape()
    pairs: dict[str, tuple[Any, Any]] = {
        "shape": (own, SHAPES[theirs.getType()](theirs)),
        "origin": (placed.origin, node.getRelativeTransform().matrix()),
    }
    if visual and placed.material is not None:
        pairs["color"] = (placed.material.rgba, node.getVisualAspect().getRGBA())
    if not visual:
        pairs["collidable"] = (placed.category != 0, node.getCollisionAspect().isCollidable())
    return pairs


def _differing_motion(scene: SceneDescription, name: str, theirs: Any) -> Iterator[str]:
    """Poses, velocities, accelerations of the bodies as the scene begins, no joint driven."""
    ours = started(scene, name)
    for joint, other in zip(ours.joints, (theirs.getJoint(joint.name) for joint in ours.joints), strict=True):
        joint.actuator = kido.ActuatorType.FORCE
        other.setActuatorType(dart.dynamics.ActuatorType.FORCE)
    if ours.num_dofs:
        ours.compute_forward_dynamics()
        theirs.computeForwardDynamics()
    for body in ours.bodies:
        other = theirs.getBodyNode(body.name)
        yield from _differing(
            f"{name}/{body.name}",
            {
                "T_world_body": (body.transform(), other.getWorldTransform().matrix()),
                "linear velocity": (body.linear_velocity(), other.getLinearVelocity()),
                "angular velocity": (body.angular_velocity(), other.getAngularVelocity()),
                "linear acceleration": (body.linear_acceleration(), other.getLinearAcceleration()),
                "angular acceleration": (body.angular_acceleration(), other.getAngularAcceleration()),
            },
        )
