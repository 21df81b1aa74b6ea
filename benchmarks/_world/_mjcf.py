"""Scenes as text for MuJoCo."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import kido
from benchmarks._world._setup import Setup, hull_points, quaternion, servos, shapes_of
from kido.shape import Box, Capsule, Cylinder, HeightField, Mesh, Plane, Shape, Sphere


def mjcf(setup: Setup, options: str, geom: str) -> str:
    """Bodies with hinges, slides and free joints; those of one skeleton do not touch."""
    shapes = dict.fromkeys(node.shape for s in setup.skeletons for node in shapes_of(s))
    meshes = [shape for shape in shapes if isinstance(shape, Mesh)]
    assets = "".join(
        f'<mesh name="mesh{i}" vertex="{_text(hull_points(mesh).ravel())}"/>' for i, mesh in enumerate(meshes)
    )
    fields = [shape for shape in shapes if isinstance(shape, HeightField)]
    assets += "".join(_height_field(field, f"field{i}") for i, field in enumerate(fields))
    names = {mesh: f"mesh{i}" for i, mesh in enumerate(meshes)}
    writer = _Writer(setup, names, {id(field): f"field{i}" for i, field in enumerate(fields)})
    bodies = "".join(writer.skeleton(skeleton, i) for i, skeleton in enumerate(setup.skeletons))
    return (
        f'<mujoco><compiler angle="radian" autolimits="true"/><option {options}/><size memory="400M"/>'
        f"<default><geom {geom}/></default><asset>{assets}</asset><worldbody>{bodies}{_places(setup)}"
        f"</worldbody><equality>{_connects(setup)}</equality>"
        f"<actuator>{''.join(_actuators(s) for s in setup.trees)}</actuator></mujoco>"
    )


class _Writer:
    def __init__(self, setup: Setup, meshes: dict[Mesh, str], fields: dict[int, str]) -> None:
        self._setup = setup
        self._meshes = meshes
        self._fields = fields

    def skeleton(self, skeleton: kido.Skeleton, index: int) -> str:
        bit = 1 << index % 30
        masks = f'contype="{bit}" conaffinity="{(2**31 - 1) & ~bit}"'
        if index >= 30 or skeleton.num_bodies == 1:
            masks = 'contype="1" conaffinity="2147483647"'
        roots = [body for body in skeleton.bodies if body.parent_body is None]
        return "".join(self._body(skeleton, body, masks) for body in roots)

    def _body(self, skeleton: kido.Skeleton, body: kido.BodyNode, masks: str) -> str:
        joint, inertia = body.parent_joint, body.inertia
        T = joint.T_parent_joint @ np.linalg.inv(joint.T_child_joint)
        geoms = "".join(self._geom(node, masks) for node in shapes_of(skeleton) if node.body is body)
        sites = "".join(
            f'<site name="loop{i}" pos="{_text(closure.point)}"/>'
            for i, closure in enumerate(self._setup.closures)
            if closure.body is body
        )
        children = "".join(self._body(skeleton, child, masks) for child in body.child_bodies)
        if joint.num_dofs == 0 and body.parent_body is None:
            inside = f"{geoms}{sites}{children}"
            return f"<body {_pose(T)}>{inside}</body>" if children else inside
        if isinstance(joint, kido.FreeJoint):
            T = body.transform()
        J = inertia.moment
        own = (
            f'<inertial pos="{_text(inertia.com)}" mass="{inertia.mass}" '
            f'fullinertia="{_text((J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))}"/>'
        )
        name = f"{skeleton.name}/{body.name}"
        return f'<body name="{name}" {_pose(T)}>{own}{_joint(joint)}{geoms}{sites}{children}</body>'

    def _geom(self, node: kido.ShapeNode, masks: str) -> str:
        pose = _pose(node.relative_transform)
        if isinstance(node.shape, Mesh):
            return f'<geom type="mesh" mesh="{self._meshes[node.shape]}" {pose} {masks}/>'
        if isinstance(node.shape, HeightField):
            T = node.relative_transform.copy()
            T[:3, 3] += T[:3, 2] * np.min(node.shape.heights)
            return f'<geom type="hfield" hfield="{self._fields[id(node.shape)]}" {_pose(T)} {masks}/>'
        kind, size = _size(node.shape)
        return f'<geom type="{kind}" size="{_text(size)}" {pose} {masks}/>'


def _height_field(field: HeightField, name: str) -> str:
    """Heights above the lowest one, on 1 m of ground; the same where rows count from the last."""
    heights = np.asarray(field.heights) - np.min(field.heights)
    rows, columns = heights.shape
    most = max(float(heights.max()), 1e-6)
    size = (field.spacing[0] * (columns - 1) / 2, field.spacing[1] * (rows - 1) / 2, most, 1.0)
    elevation = _text((heights / most).ravel())
    grid = f'nrow="{rows}" ncol="{columns}" size="{_text(size)}"'
    return f'<hfield name="{name}" {grid} elevation="{elevation}"/>'


def _joint(joint: kido.Joint) -> str:
    name = f'name="{joint.skeleton.name}/{joint.name}"'
    if isinstance(joint, kido.FreeJoint):
        return f"<freejoint {name}/>"
    if joint.num_dofs == 0:
        return ""
    assert isinstance(joint, kido.RevoluteJoint | kido.PrismaticJoint)
    kind = "hinge" if isinstance(joint, kido.RevoluteJoint) else "slide"
    T = joint.T_child_joint
    low, high = joint.position_lower_limits[0], joint.position_upper_limits[0]
    limits = f' range="{low} {high}"' if np.isfinite([low, high]).all() else ""
    axis = T[:3, :3] @ joint.axis
    damping = f' damping="{joint.damping[0]}"'
    return f'<joint {name} type="{kind}" pos="{_text(T[:3, 3])}" axis="{_text(axis)}"{limits}{damping}/>'


def _actuators(skeleton: kido.Skeleton) -> str:
    """Servos that stand still keep positions, as MuJoCo's users let robots stand; others keep velocities."""
    found = ""
    for servo in servos(skeleton):
        effort = f'forcerange="{-servo.effort} {servo.effort}"'
        joint = f'joint="{skeleton.name}/{servo.joint.name}"'
        if servo.velocity == 0.0:
            found += f'<position {joint} kp="2000" kv="100" {effort}/>'
        else:
            found += f'<velocity {joint} kv="1000" {effort}/>'
    return found


def _places(setup: Setup) -> str:
    return "".join(
        f'<site name="place{i}" pos="{_text(closure.place)}"/>' for i, closure in enumerate(setup.closures)
    )


def _connects(setup: Setup) -> str:
    return "".join(f'<connect site1="loop{i}" site2="place{i}"/>' for i in range(len(setup.closures)))


def _size(shape: Shape) -> tuple[str, Iterable[float]]:
    match shape:
        case Sphere():
            return "sphere", (shape.radius,)
        case Capsule():
            return "capsule", (shape.radius, shape.length / 2)
        case Cylinder():
            return "cylinder", (shape.radius, shape.length / 2)
        case Box():
            return "box", shape.size / 2
        case Plane():
            return "plane", (50.0, 50.0, 1.0)
    raise TypeError(shape)


def _pose(T: np.ndarray) -> str:
    return f'pos="{_text(T[:3, 3])}" quat="{_text(quaternion(T[:3, :3]))}"'


def _text(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)
