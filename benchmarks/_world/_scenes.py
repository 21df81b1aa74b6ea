"""Scenes: what is simulated, how long, and what is to be reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import kido
from benchmarks import _robots
from benchmarks._world._setup import FRICTION, Closure, Setup
from kido import ActuatorType, Inertia, gallery
from kido.shape import Box, Capsule, Cylinder, HeightField, Mesh, Shape, Sphere

_SURFACE = kido.Surface(friction=FRICTION)
_SETTLING = 1.5
_PITCH = 0.155
"""Distance of the bodies of a pile at the start [m]."""
_LARGEST_TURN = 0.35  # [rad]


@dataclass(frozen=True)
class Scene:
    """What is simulated.

    Attributes:
        make: it, anew; takes a folder for files.
        settle: seconds that pass before anything is measured.
        duration: seconds that are measured.
        target: how many times as fast as the fastest peer kido is to be.
        most_depth: largest depth, or gap of a loop [m].
        single: whether each step is a call of its own from Python.
    """

    make: Callable[[Path], Setup]
    settle: float
    duration: float
    target: float
    most_depth: float
    single: bool = False


def _empty(folder: Path) -> Setup:
    return Setup([_ground()])


def _ground() -> kido.Skeleton:
    return gallery.ground(surface=_SURFACE)


def _free(
    shape: Shape,
    position: object,
    turn: object = (0.0, 0.0, 0.0),
    name: str = "body",
    mass: float = 1.0,
) -> kido.Skeleton:
    if isinstance(shape, Mesh):
        made = _solid(shape, mass, name)
    else:
        made = gallery.rigid_body(shape, mass, name=name, surface=_SURFACE)
    made.positions = np.concatenate([np.asarray(turn, float), np.asarray(position, float)])
    return made


def _solid(mesh: Mesh, mass: float, name: str) -> kido.Skeleton:
    """A body of uniform density whose center of mass is the origin of the mesh."""
    solid = trimesh.load_mesh(mesh.path)
    moment = solid.moment_inertia * (mass / solid.volume)
    made = kido.Skeleton(name)
    inertia = Inertia(mass, (0.0, 0.0, 0.0), 0.5 * (moment + moment.T))
    body = made.add_body(name, joint=kido.FreeJoint(f"{name}_joint"), inertia=inertia)
    kido.ShapeNode(body, name, mesh, surface=_SURFACE)
    return made


def _box(folder: Path) -> Setup:
    return Setup([_ground(), _free(Box((0.2, 0.2, 0.2)), (0.0, 0.0, 0.1))])


def _stack(folder: Path) -> Setup:
    return towers(1)


def towers(count: int) -> Setup:
    """Stacks of ten boxes, in rows and columns."""
    box, side = Box((0.2, 0.2, 0.2)), int(np.ceil(np.sqrt(count)))
    made = [_ground()]
    for k in range(count):
        x, y = 0.6 * (k % side), 0.6 * (k // side)
        made += [_free(box, (x, y, 0.1 + 0.2 * i), name=f"box{k}_{i}") for i in range(10)]
    return Setup(made)


def _pile(count: int, *shapes: Shape) -> Callable[[Path], Setup]:
    """Shapes within cubes of 10 cm, in layers, turned and moved without overlap, that fall."""

    def make(folder: Path) -> Setup:
        rng = np.random.default_rng(0)
        side = 5 if count <= 100 else 8
        made = [_ground()]
        for k in range(count):
            layer, row, column = k // side**2, k // side % side, k % side
            place = np.array([column, row, 0.0]) * _PITCH + np.append(
                rng.uniform(-0.007, 0.007, 2), 0.08 + _PITCH * layer
            )
            turn = rng.standard_normal(3) * 0.2
            turn *= min(1.0, _LARGEST_TURN / np.linalg.norm(turn))
            made.append(_free(shapes[k % len(shapes)], place, turn, f"body{k}"))
        return Setup(made)

    return make


def _hulls(folder: Path) -> Setup:
    """500 hulls of 32 corners near a sphere of 5 cm, of four kinds."""
    rng, meshes = np.random.default_rng(1), []
    for kind in range(4):
        points = rng.standard_normal((32, 3))
        points *= 0.05 / np.linalg.norm(points, axis=1, keepdims=True)
        points -= _centroid(points)
        hull, path = ConvexHull(points), folder / f"hull{kind}.obj"
        vertices = "".join("v {:.17g} {:.17g} {:.17g}\n".format(*point) for point in points)
        faces = "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in _outward(points, hull.simplices))
        path.write_text(vertices + faces)
        meshes.append(Mesh(path))
    return _pile(500, *meshes)(folder)


def _centroid(points: np.ndarray) -> np.ndarray:
    """Center of volume of the hull of points."""
    triangles = points[ConvexHull(points).simplices]
    volumes = np.abs(np.einsum("ij,ij->i", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2])))
    return np.asarray(volumes @ triangles.sum(1) / 4.0 / volumes.sum())


def _outward(points: np.ndarray, simplices: np.ndarray) -> list[list[int]]:
    """Triangles whose corners go round as seen from outside."""
    found = []
    for a, b, c in simplices:
        normal = np.cross(points[b] - points[a], points[c] - points[a])
        found.append([a, b, c] if normal @ points[a] > 0 else [a, c, b])
    return found


def _ragdoll(folder: Path) -> Setup:
    robot = _passive("robot")
    q = robot.positions.copy()
    q[:3], q[5] = (0.1, 0.3, 0.0), q[5] + 0.2
    robot.positions = q
    return Setup([_ground(), robot])


def _heap(folder: Path) -> Setup:
    """Twenty ragdolls, lying in the air without overlap, two by two in five layers."""
    made = [_ground()]
    for k in range(20):
        robot = _passive(f"robot{k}")
        lying = Rotation.from_euler("zy", (0.1 * np.sin(3.0 * k), np.pi / 2 + 0.1 * np.cos(k)))
        q = robot.positions.copy()
        q[:3] = lying.as_rotvec()
        q[3:6] = 1.8 * (k % 2), 0.8 * (k // 2 % 2), 0.4 + 0.6 * (k // 4)
        robot.positions = q
        made.append(robot)
    return Setup(made)


def _passive(name: str) -> kido.Skeleton:
    robot = gallery.humanoid()
    robot.name = name
    for body in robot.bodies:
        for node in body.nodes(kido.ShapeNode):
            node.surface = _SURFACE
    return robot


def _chain(folder: Path) -> Setup:
    """Ten rods of 0.1 m and 0.1 kg that swing from level."""
    return Setup([_rods("chain", [0.1] * 10)])


def _rods(name: str, lengths: list[float]) -> kido.Skeleton:
    """Rods one after the other, turned about y, of 1 kg/m."""
    made, rod, at = kido.Skeleton(name), None, 0.0
    for i, length in enumerate(lengths):
        across = length * (length**2 + 0.02**2) / 12
        inertia = Inertia(length, (length / 2, 0, 0), np.diag([length * 0.02**2 / 6, across, across]))
        joint = kido.RevoluteJoint(f"joint{i}", (0, 1, 0), T_parent_joint=(at, 0, 0))
        rod, at = made.add_body(f"rod{i}", rod, joint, inertia=inertia), length
    return made


@dataclass(frozen=True)
class _Stance:
    """How a robot stands: feet, half the height of a sole under the ankle, bent joints."""

    feet: tuple[str, str]
    sole: tuple[float, float, float]
    center: tuple[float, float, float]
    bent: dict[str, float]


_STANCES = {
    "g1": _Stance(
        ("left_ankle_roll_link", "right_ankle_roll_link"),
        (0.18, 0.06, 0.01),
        (0.035, 0.0, -0.03),
        {"{}_hip_pitch_joint": -0.3, "{}_knee_joint": 0.6, "{}_ankle_pitch_joint": -0.3},
    ),
    "talos": _Stance(
        ("leg_left_6_link", "leg_right_6_link"),
        (0.21, 0.13, 0.02),
        (0.0, 0.0, -0.097),
        {"leg_{}_3_joint": -0.3, "leg_{}_4_joint": 0.6, "leg_{}_5_joint": -0.3},
    ),
}


def _terrain() -> kido.Skeleton:
    """Waves of 2 m and 2 cm on a grid of 256 x 256 heights, the same from either side."""
    x = np.linspace(-6.4, 6.4, 256)
    heights = 0.01 * np.cos(np.pi * x)[:, None] * np.cos(np.pi * x)
    made = kido.Skeleton("terrain")
    body = made.add_body("terrain", None, kido.WeldJoint("terrain_joint"))
    made.mobile = False
    kido.ShapeNode(body, "terrain", HeightField(heights, (12.8 / 255, 12.8 / 255)), surface=_SURFACE)
    return made


def _standing(name: str, ground: Callable[[], kido.Skeleton] = _ground) -> Callable[[Path], Setup]:
    """A robot with boxes for soles, all of whose joints are servos that stand still."""
    stance = _STANCES[name]

    def make(folder: Path) -> Setup:
        robot = kido.load(_robots.write(name, folder, shipped=False).path, root="free")
        for foot in stance.feet:
            _add_box(robot.body(foot), stance.sole, stance.center)
        for joint, angle in stance.bent.items():
            for side in ("left", "right"):
                robot.dof(joint.format(side)).position = angle
        soles = [robot.body(foot).shape_nodes[0] for foot in stance.feet]
        lowest = min(node.transform()[2, 3] - stance.sole[2] / 2 for node in soles)
        robot.dof(5).position -= lowest
        for joint in robot.joints:
            if joint.num_dofs == 1:
                joint.actuator = ActuatorType.SERVO
                joint.force_lower_limits, joint.force_upper_limits = [-300.0], [300.0]
        floor = ground()
        robot.dof(5).position += max(_height(node) for node in floor.body(0).shape_nodes)
        return Setup([floor, robot])

    return make


def _height(node: kido.ShapeNode) -> float:
    return float(np.max(node.shape.heights)) if isinstance(node.shape, HeightField) else 0.0


def _grasp(folder: Path) -> Setup:
    """A finger that presses a hull of 0.2 kg against another with 20 N, in the air."""
    gripper = kido.Skeleton("gripper")
    palm = gripper.add_body("palm", None, kido.WeldJoint("mount", T_parent_joint=(0.0, 0.0, 1.0)))
    slide = kido.PrismaticJoint("slide", (-1.0, 0.0, 0.0), T_parent_joint=(0.04, 0.0, 0.0))
    finger = gripper.add_body("finger", palm, slide, inertia=Inertia(0.1, (0, 0, 0), np.eye(3) * 1e-4))
    for body, x in ((palm, -0.04), (finger, 0.0)):
        _add_box(body, (0.02, 0.04, 0.04), (x, 0.0, 0.0))
    slide.actuator = ActuatorType.SERVO
    slide.commands = [0.05]
    slide.force_lower_limits, slide.force_upper_limits = [-20.0], [20.0]
    path = folder / "block.obj"
    corners = np.array([[x, y, z] for x in (-0.03, 0.03) for y in (-0.02, 0.02) for z in (-0.03, 0.03)])
    vertices = "".join("v {} {} {}\n".format(*corner) for corner in corners.tolist())
    triangles = _outward(corners, ConvexHull(corners).simplices)
    path.write_text(vertices + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles))
    return Setup([gripper, _free(Mesh(path), (0.0, 0.0, 1.0), name="block", mass=0.2)])


def _add_box(body: kido.BodyNode, size: tuple[float, ...], center: tuple[float, ...]) -> None:
    kido.ShapeNode(body, f"{body.name}_box", Box(size), center, surface=_SURFACE)


def _four_bar(folder: Path) -> Setup:
    """Bars of 0.4, 1.0 and 0.8 m on a ground of 1 m, the crank upright at first."""
    linkage = _rods("linkage", [0.4, 1.0, 0.8])
    linkage.positions = _assembled(0.4, 1.0, 0.8)
    closure = Closure(linkage.body("rod2"), np.array([0.8, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    return Setup([linkage], (closure,))


def _assembled(crank: float, coupler: float, rocker: float) -> list[float]:
    """Angles of the three joints with the crank upright."""
    start, end = np.array([0.0, crank]), np.array([1.0, 0.0])
    across = np.linalg.norm(end - start)
    along = (coupler**2 - rocker**2 + across**2) / (2 * across)
    u = (end - start) / across
    corner = start + along * u + np.sqrt(coupler**2 - along**2) * np.array([-u[1], u[0]])
    absolute = [-np.arctan2(v[1], v[0]) for v in (start, corner - start, end - corner)]
    return [float(absolute[0]), *np.diff(absolute).tolist()]


_BOX, _BALL = Box((0.1, 0.1, 0.1)), Sphere(0.05)
_ROUND = Capsule(0.03, 0.06), Cylinder(0.04, 0.08)

SCENES = {
    "empty world": Scene(_empty, 0.0, 2.0, 1.0, 0.0, single=True),
    "one box": Scene(_box, 0.5, 2.0, 1.2, 1e-4, single=True),
    "stack of 10": Scene(_stack, 0.5, 2.0, 3.5, 1e-4),
    "100 boxes at rest": Scene(_pile(100, _BOX), _SETTLING, 0.5, 3.5, 1e-4),
    "500 boxes at rest": Scene(_pile(500, _BOX), _SETTLING, 0.2, 3.5, 1e-4),
    "500 boxes falling": Scene(_pile(500, _BOX), 0.0, 0.4, 2.5, 1e-3),
    "500 spheres falling": Scene(_pile(500, _BALL), 0.0, 0.5, 4.0, 1e-3),
    "500 hulls falling": Scene(_hulls, 0.0, 0.4, 2.0, 1e-3),
    "200 capsules and cylinders falling": Scene(_pile(200, *_ROUND), 0.0, 0.5, 2.0, 1e-3),
    "ragdoll falling": Scene(_ragdoll, 0.0, 2.0, 1.7, 1e-3),
    "20 ragdolls falling": Scene(_heap, 0.0, 0.5, 5.0, 1e-3),
    "20 ragdolls at rest": Scene(_heap, 6.0, 0.2, 3.5, 2e-4),
    "G1 standing": Scene(_standing("g1"), 0.5, 1.0, 2.0, 1e-3),
    "Talos standing": Scene(_standing("talos"), 0.5, 1.0, 2.0, 1e-3),
    "G1 on a height field": Scene(_standing("g1", _terrain), 0.5, 1.0, 2.0, 1e-3),
    "gripper": Scene(_grasp, 0.5, 2.0, 2.0, 1e-4),
    "chain of 10 links": Scene(_chain, 0.0, 5.0, 1.5, 0.0),
    "four-bar": Scene(_four_bar, 0.0, 5.0, 1.0, 1e-6),
}
