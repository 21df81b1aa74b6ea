"""Skeletons that have something of everything, and all that they answer."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from _random_trees import Array, random_inertia, random_transform

import kido
from kido.description import EULER_ORDERS, Material, Mimic, planar_axes
from kido.errors import NoEffectWarning
from kido.shape import Box, Mesh
from kido.skeleton import (
    Addon,
    FrameNode,
    Joint,
    JointOptions,
    Node,
    Skeleton,
    TranslationalJoint2D,
    UserJoint,
)
from kido.typing import frozen_array
from kido.values import Value


class Mode(Enum):
    OFF = 0
    ON = 1


@dataclass(frozen=True)
class Spot:
    """A plain dataclass with an array, which has no usable == of its own."""

    place: Array = field(default_factory=lambda: np.zeros(3))
    weight: float = 1.0


@dataclass(frozen=True)
class Everything:
    """Fields of every kind that can be saved."""

    mode: Mode = Mode.ON
    spots: tuple[Spot, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    items: list[Any] = field(default_factory=list)
    path: Path = Path("somewhere/file")
    kind: type = Spot
    flags: Array = field(default_factory=lambda: np.array([True, False]))
    grid: Array = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int16))
    small: np.float32 = field(default_factory=lambda: np.float32(0.1))
    number: float = float("nan")
    text: str | None = 'quotes " and ünïcode'


class Grid(Addon):
    """An addon of a user's own, whose arguments are not those of Addon."""

    Properties: ClassVar[type | None] = Everything
    State: ClassVar[type | None] = Spot

    def __init__(self, owner: Any, size: int) -> None:
        super().__init__(owner, Everything(counts={"size": size}), Spot(np.arange(3.0)))


class Tag(Addon):
    """An addon with nothing."""


class Sensor(Node):
    """A node of a user's own."""

    @dataclass(frozen=True)
    class Properties:
        gain: float = 1.0

    @dataclass(frozen=True)
    class State:
        reading: float = 0.0

    def __init__(self, body: Any, name: str, gain: float) -> None:
        super().__init__(body, name, self.Properties(gain))


class Camera(FrameNode):
    """A node of a user's own with a place."""

    @dataclass(frozen=True, slots=True, eq=False, init=False)
    class Properties(Value):
        transform: Array
        angle: float

        def __init__(self, transform: Any = None, angle: float = 0.5) -> None:
            T = np.eye(4) if transform is None else transform
            self._assign(transform=frozen_array("transform", T, (4, 4)), angle=float(angle))


class Cam(UserJoint):
    """A turn by q about z, which lifts by `gain` q^2."""

    num_dofs: ClassVar[int] = 1

    @dataclass(frozen=True)
    class Properties:
        gain: float = 1.0

    def __init__(self, gain: float, **options: Any) -> None:
        super().__init__(f"cam {gain}", self.Properties(gain), **options)

    def transform_of(self, q: Array) -> Array:
        c, s = np.cos(q[0]), np.sin(q[0])
        lift = self.properties.gain * q[0] ** 2
        return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, lift], [0, 0, 0, 1]])

    def jacobian_of(self, q: Array) -> Array:
        return np.array([[0, 0, 1, 0, 0, 2 * self.properties.gain * q[0]]]).T

    def jacobian_derivative_of(self, q: Array, v: Array) -> Array:
        return np.array([[0, 0, 0, 0, 0, 2 * self.properties.gain * v[0]]]).T


USER_TYPES = (Grid, Tag, Sensor, Camera, Cam, Spot, Mode)

MAKERS: tuple[Callable[[np.random.Generator], Joint], ...] = (
    lambda rng: kido.FreeJoint(),
    lambda rng: kido.RevoluteJoint("knee", rng.normal(size=3)),
    lambda rng: kido.PrismaticJoint(None, rng.normal(size=3)),
    lambda rng: kido.ScrewJoint(None, rng.normal(size=3), 0.3),
    lambda rng: kido.WeldJoint(),
    lambda rng: kido.UniversalJoint(None, rng.normal(size=3), rng.normal(size=3)),
    lambda rng: kido.BallJoint(),
    lambda rng: kido.PlanarJoint(None, planar_axes(rng.normal(size=3))),
    lambda rng: kido.TranslationalJoint(),
    lambda rng: TranslationalJoint2D(None, "yz"),
    *(lambda rng, order=order: kido.EulerJoint(None, order) for order in EULER_ORDERS[::3]),
)


def options(rng: np.random.Generator, n: int) -> JointOptions:
    """Something else than the default for every option of a joint of n dofs."""
    return {
        "T_parent_joint": random_transform(rng),
        "T_child_joint": random_transform(rng),
        "position_lower_limits": rng.uniform(-3, -2, n),
        "position_upper_limits": np.where(rng.uniform(size=n) < 0.5, rng.uniform(2, 3, n), np.inf),
        "velocity_lower_limits": rng.uniform(-9, -8, n),
        "velocity_upper_limits": rng.uniform(8, 9, n),
        "acceleration_lower_limits": rng.uniform(-50, -40, n),
        "acceleration_upper_limits": rng.uniform(40, 50, n),
        "force_lower_limits": rng.uniform(-80, -70, n),
        "force_upper_limits": rng.uniform(70, 80, n),
        "initial_positions": rng.uniform(-1, 1, n),
        "initial_velocities": rng.uniform(-1, 1, n),
        "rest_positions": rng.uniform(-1, 1, n),
        "spring_stiffness": rng.uniform(0, 5, n),
        "damping": rng.uniform(0, 2, n),
        "coulomb_friction": rng.uniform(0, 2, n),
        "armature": np.linspace(0.1, 0.3, n),
        "limit_stiffness": np.linspace(100.0, 200.0, n),
        "limit_damping": np.linspace(1.0, 2.0, n),
        "limit_frequency": np.linspace(3.0, 5.0, n),
        "limit_damping_ratio": np.linspace(0.5, 1.0, n),
        "limits_enforced": bool(rng.integers(2)),
    }


def everything(seed: int = 0, *, user_joint: bool = True) -> Skeleton:
    """All types of joints on three roots, nodes and addons on every host, and numbers everywhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoEffectWarning)
        return _everything(seed, user_joint)


def _everything(seed: int, user_joint: bool) -> Skeleton:
    rng = np.random.default_rng(seed)
    robot = Skeleton("everything", gravity=(0.3, -1.0, -9.0), time_step=0.01)
    makers = (*MAKERS, lambda _: Cam(0.2)) if user_joint else MAKERS
    for i, make in enumerate(makers):
        joint = make(rng)
        joint.apply_options(options(rng, joint.num_dofs))
        parent = None if i in (0, 4, 8) else robot.bodies[rng.integers(0 if i < 4 else 4, len(robot.bodies))]
        robot.add_body(f"body{i}", parent, joint, inertia=random_inertia(rng))
    robot.joint("knee").mimic = Mimic("body2_joint", 0.5, 0.1)
    robot.joint("knee").actuator = "mimic"
    robot.joint("body2_joint").actuator = "velocity"
    robot.joint("body6_joint").actuator = "passive"
    robot.joint("body3_joint").dof_names = ("thread",)
    robot.body("body5").collidable = False
    if user_joint:
        robot.body("body5").gravity_mode = False
    robot.self_collision_check = robot.adjacent_body_check = True
    robot.mobile = False
    attach(robot, rng)
    set_numbers(robot, rng)
    return robot


def attach(robot: Skeleton, rng: np.random.Generator) -> None:
    """Nodes of every kind, and addons on every host."""
    body = robot.body("body1")
    hand = body.add_end_effector("hand", random_transform(rng))
    hand.create_addon(kido.Support, rng.normal(size=(4, 3)), True)
    kido.Marker(body, "dot", (0.1, 0.2, 0.3), rgba=(0.1, 0.2, 0.3, 1.0), constraint="hard")
    red = Material("red", (1, 0, 0, 1), "red.png")
    kido.ShapeNode(body, "hull", Box((1, 2, 3)), random_transform(rng), material=red, collision=False)
    robot.body("body4").add_shape_node(Mesh("skin.stl", "package://skin.stl", (1, 2, -1)), name="skin")
    Sensor(robot.body("body2"), "hand", 3.0).state = Sensor.State(0.7)
    robot.body("body2").add_end_effector("moved", (0.1, 0.0, 0.0)).move_on_body(random_transform(rng))
    camera = Camera(body, "eye", random_transform(rng), properties=Camera.Properties(None, 0.9))
    for size, host in enumerate((robot, body, body.parent_joint, camera)):
        host.create_addon(Grid, size)
        host.create_addon(Tag)


def set_numbers(robot: Skeleton, rng: np.random.Generator) -> None:
    """Everything that changes in time."""
    n = robot.num_dofs
    robot.positions = rng.uniform(-1, 1, n)
    robot.velocities = rng.uniform(-1, 1, n)
    robot.accelerations = rng.uniform(-1, 1, n)
    robot.forces = rng.uniform(-1, 1, n)
    robot.joint("body2_joint").commands = 0.3
    robot.constraint_impulses = rng.uniform(-1, 1, n)
    for body in robot.bodies[::2]:
        body.external_wrench = rng.uniform(-1, 1, 6)
    for addon in robot.addons:
        if isinstance(addon, Grid):
            addon.state = Spot(rng.normal(size=3), float(rng.normal()))


def answers(robot: Skeleton) -> list[Any]:
    """Answers of a skeleton, kinematics and dynamics alike."""
    found: list[Any] = [robot.name, robot.gravity, robot.time_step, repr(robot)]
    found += [robot.tree.forward_kinematics(robot.positions)]
    found += [robot.mobile, robot.self_collision_check, robot.adjacent_body_check]
    found += [[dof.name for dof in robot.dofs], robot.position_upper_limits, robot.commands, robot.forces]
    for body in robot.bodies:
        frames = (body, *body.nodes(FrameNode))
        found += [body.name, body.index, body.mass, body.gravity_mode, body.collidable, body.external_wrench]
        found += [frame.name for frame in frames] + [frame.transform() for frame in frames]
        found += [frame.spatial_velocity(relative_to=robot.bodies[-1]) for frame in frames]
        found += [frame.spatial_acceleration() for frame in frames]
        found += [body.jacobian(), body.parent_joint.name, type(body.parent_joint), body.parent_joint.mimic]
        found += [body.parent_joint.actuator, body.parent_joint.limits_enforced]
        found += [[(type(node), node.name) for node in body.nodes()]]
    found += [robot.mass_matrix, robot.augmented_mass_matrix, robot.coriolis_and_gravity_forces]
    found += [robot.external_forces, robot.constraint_forces, robot.spring_forces, robot.com()]
    found += [robot.kinetic_energy, robot.potential_energy]
    moving = robot.clone()
    moving.compute_forward_dynamics()
    return [*found, moving.accelerations, moving.forces]


def assert_same_bits(one: list[Any], other: list[Any]) -> None:
    """Every answer is the same to the last bit."""
    assert len(one) == len(other)
    for index, (a, b) in enumerate(zip(one, other, strict=True)):
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), index
        else:
            assert a == b, index
