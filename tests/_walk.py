"""One robot with everything that kido has: every joint, shape, node, addon and actuator, springs, flags and
wrenches, and inverse kinematics in every setting. And every edit that it can go through."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import _valued_skeletons
import numpy as np
from _random_trees import random_inertia, random_transform
from _valued_skeletons import Grid, Sensor, Tag, everything

import kido
from kido.description import Material, Mimic
from kido.errors import NoEffectWarning
from kido.ik import (
    CenterOfMass,
    CompositeIK,
    DampedLeastSquares,
    ErrorMethod,
    GradientMethod,
    HierarchicalIK,
    IKFunction,
    IKQuery,
    InverseKinematics,
    JacobianInverse,
    JacobianPseudoinverse,
    JacobianTranspose,
    LookAt,
    OrientationError,
    PointToLine,
    PointToPlane,
    PoseError,
    PositionError,
    Posture,
    SearchSettings,
    SelectivelyDampedLeastSquares,
    TaskSpaceRegion,
    WholeBodyIK,
)
from kido.optimize import (
    GaussNewtonSolver,
    GradientDescentSolver,
    LevenbergMarquardtSolver,
    ModularFunction,
    SciPySolver,
    Solver,
)
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from kido.skeleton import ActuatorType

SHAPES: tuple[Shape, ...] = (
    Box((0.1, 0.2, 0.3)),
    Capsule(0.1, 0.4),
    Cone(0.1, 0.2),
    Cylinder(0.1, 0.3),
    Ellipsoid((0.1, 0.2, 0.3)),
    Mesh("skin.stl", "package://skin.stl", (1, 2, -1)),
    Plane((0.0, 0.6, 0.8), 0.1),
    Sphere(0.2),
)

FEW = SearchSettings(max_starts=2, max_iterations=20, mirrors=1, seed=3, time_budget=1e6)


@dataclass(frozen=True)
class Slanted(ErrorMethod):
    """An error method of a user's own."""

    axis: tuple[float, float, float] = (0.6, 0.0, 0.8)

    def compute_error(self, ik: IKQuery) -> Any:
        away = ik.transform()[:3, 3] - ik.target.transform()[:3, 3]
        return np.array([away @ np.array(self.axis)])


@dataclass(frozen=True)
class Lazy(GradientMethod):
    """A gradient method of a user's own."""

    gain: float = 0.3

    def compute_gradient(self, ik: IKQuery, error: Any, jacobian: Any) -> Any:
        return self.gain * np.linalg.pinv(jacobian) @ error


class Low(IKFunction):
    """Height of the module's node."""

    def __init__(self, ik: Any) -> None:
        self.ik = ik

    def value(self, x: Any) -> float:
        with self.ik.at(x):
            return float(self.ik.transform()[2, 3])

    def copied_to(self, ik: Any) -> Low:
        return Low(ik)


def near_zero(x: Any) -> float:
    """Half the square of the positions."""
    return 0.5 * float(x @ x)


def itself(x: Any) -> Any:
    """The gradient of that."""
    return x


USER_TYPES = (*_valued_skeletons.USER_TYPES, Slanted, Lazy)

ERROR_METHODS: tuple[ErrorMethod, ...] = (
    TaskSpaceRegion(None, ((-0.1, -0.2, 0.0), (0.1, 0.0, 0.3)), from_center=False),
    TaskSpaceRegion(weights=(0.4, 0.0, 0.4, 1.0, 1.0, 0.0)),
    PoseError(length_clamp=0.5),
    PositionError(linear_weights=(1.0, 2.0, 1.0)),
    OrientationError(),
    PointToLine(-0.1, 0.2),
    PointToPlane(-0.1, 0.2, weight=0.7),
    LookAt((0.0, 0.6, 0.8), 0.1),
    CenterOfMass(),
    Posture({"arm1": 0.3, "arm2": -0.4}),
    Slanted(),
)

GRADIENT_METHODS: tuple[GradientMethod, ...] = (
    DampedLeastSquares(),
    DampedLeastSquares(0.2, component_clamp=0.3, component_weights=(1.0, 0.5)),
    JacobianPseudoinverse(1e-6),
    JacobianInverse(),
    JacobianTranspose(0.1),
    SelectivelyDampedLeastSquares(0.5),
    Lazy(),
)

SOLVERS: tuple[Solver | None, ...] = (
    None,
    None,
    GradientDescentSolver(max_iterations=5, seed=4),
    None,
    LevenbergMarquardtSolver(max_iterations=5),
    GaussNewtonSolver(max_iterations=5),
    SciPySolver(max_iterations=5, tolerance=1e-6),
)


def whole_robot() -> kido.Skeleton:
    """The skeleton of other tests with everything but inverse kinematics, and two arms that have that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoEffectWarning)
        robot, rng = everything(), np.random.default_rng(5)
        for shape in SHAPES:
            body = robot.body(f"body{int(rng.integers(3))}")
            body.add_shape_node(shape, random_transform(rng), material=Material("blue", (0, 0, 1, 0.5)))
        _add_arm(robot, "arm", None, rng)
        _add_arm(robot, "limb", robot.body("arm0"), rng)
        for joint, actuator in zip(robot.joints[20:], ActuatorType, strict=False):
            joint.actuator = actuator
            joint.coulomb_friction = 0.2
    robot.joint("limb4").mimic = Mimic("limb3", -0.5, 0.2)
    robot.body("arm3").external_wrench = rng.normal(size=6)
    robot.body("limb2").gravity_mode = robot.body("limb3").collidable = False
    robot.positions = robot.random_positions(rng) * 0.3
    robot.velocities = rng.normal(size=robot.num_dofs)
    _add_modules(robot, rng)
    return robot


def _add_arm(robot: kido.Skeleton, name: str, parent: kido.BodyNode | None, rng: np.random.Generator) -> None:
    for i in range(6):
        joint = kido.RevoluteJoint(
            f"{name}{i}",
            np.roll((0.0, 0.0, 1.0), i),
            T_parent_joint=(0.1, 0.05, 0.3),
            position_lower_limits=-2.5,
            position_upper_limits=2.0,
            spring_stiffness=rng.uniform(0.0, 3.0),
            damping=rng.uniform(0.0, 2.0),
            armature=rng.uniform(0.0, 0.2),
        )
        parent = robot.add_body(f"{name}{i}", parent, joint, inertia=random_inertia(rng))


def _add_modules(robot: kido.Skeleton, rng: np.random.Generator) -> None:
    """A module in every setting, on bodies and nodes of the arms."""
    for i, method in enumerate(ERROR_METHODS):
        body = robot.body(f"{('arm', 'limb')[i % 2]}{3 + i % 3}")
        node = body if i in (0, 1) else body.add_end_effector(f"task{i}", random_transform(rng))
        ik = InverseKinematics.of(node)
        ik.error_method = method
        ik.settings = FEW
        ik.target.set_transform(ik.transform() @ _small(rng))
        ik.gradient_method = GRADIENT_METHODS[i % len(GRADIENT_METHODS)]
        _solve_by(ik, SOLVERS[i % len(SOLVERS)])
        ik.hierarchy_level, ik.active = i % 3, i != 6
        ik.offset = rng.normal(size=3) * 0.05
        ik.is_required = None if i % 4 else bool(i % 8)
        if i in (3, 9):
            ik.dofs = ["arm1", robot.dof("arm2"), "arm0"]
        elif i % 2:
            ik.use_whole_body()
        if i in (2, 5):
            carrier = robot.body("limb1") if i == 2 else robot.end_effector("task4")
            ik.target = kido.SimpleFrame("held", carrier, random_transform(rng))
            ik.target.relative_spatial_velocity = rng.normal(size=6)
        if i in (4, 7):
            ik.reference_frame = kido.WORLD if i == 4 else robot.end_effector("task2")
        if i in (0, 8):
            ik.objective = ModularFunction(near_zero, itself)
        if i in (1, 8):
            ik.null_space_objective = Low(ik)
        if i in (6, 10):
            ik.problem.upper_bounds = ik.problem.upper_bounds - 0.1
            ik.problem.inequality_constraints.add(ModularFunction(near_zero, itself))


def _solve_by(ik: InverseKinematics | HierarchicalIK, solver: Any) -> None:
    """Set the solver beside settings that only the search has, which warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoEffectWarning)
        ik.solver = solver


def _small(rng: np.random.Generator) -> Any:
    T = np.eye(4)
    T[:3, :3] = kido.math.so3_exp(rng.normal(size=3) * 0.1)
    T[:3, 3] = rng.normal(size=3) * 0.05
    return T


def hierarchies(robot: kido.Skeleton) -> tuple[HierarchicalIK, ...]:
    """Hierarchies of the robot's modules: all of them, and some with an objective and a solver."""
    whole = WholeBodyIK(robot, settings=FEW)
    some = CompositeIK(
        robot, [robot.end_effector(f"task{i}").addon(InverseKinematics) for i in (2, 3)], settings=FEW
    )
    some.objective = ModularFunction(near_zero, itself)
    _solve_by(some, SciPySolver(max_iterations=3))
    return whole, some


Edit = Callable[[kido.Skeleton], object]

EDITS: dict[str, Edit] = {}
"""Everything that can be done to a skeleton, by what it is."""


def edit(function: Edit) -> Edit:
    """Enter a function as an edit."""
    EDITS[function.__name__.replace("_", " ")] = function
    return function


@edit
def rename_everything(robot: kido.Skeleton) -> None:
    robot.name = "walker"
    for part in (*robot.bodies, *robot.joints, *robot.nodes()):
        part.name = f"new {part.name}"
    robot.dofs[3].name = "third"


@edit
def set_every_number(robot: kido.Skeleton) -> None:
    rng, n = np.random.default_rng(11), robot.num_dofs
    for name in ("positions", "velocities", "accelerations", "forces", "initial_positions", "rest_positions"):
        setattr(robot, name, rng.uniform(-0.5, 0.5, n))
    for name in ("damping", "armature", "spring_stiffness", "constraint_impulses"):
        setattr(robot, name, rng.uniform(0.1, 1.0, n))
    for name in ("velocity", "acceleration", "force"):
        setattr(robot, f"{name}_upper_limits", rng.uniform(1.0, 2.0, n))
        setattr(robot, f"{name}_lower_limits", rng.uniform(-2.0, -1.0, n))
    robot.gravity, robot.time_step = (0.0, 1.0, -3.0), 0.02


@edit
def set_bodies(robot: kido.Skeleton) -> None:
    rng = np.random.default_rng(12)
    for body in robot.bodies[1::3]:
        body.inertia = random_inertia(rng)
        body.gravity_mode, body.collidable = not body.gravity_mode, not body.collidable
        body.external_wrench = rng.normal(size=6)
    robot.bodies[2].inertia = None
    robot.bodies[5].mass *= 2.0


@edit
def set_joints(robot: kido.Skeleton) -> None:
    rng = np.random.default_rng(13)
    for joint in robot.joints[::4]:
        joint.T_parent_joint = random_transform(rng)
        joint.limits_enforced = not joint.limits_enforced
        if joint.num_dofs:
            joint.actuator = "acceleration"
    robot.joint("arm2").axis = (0.6, 0.8, 0.0)
    robot.joint("body3_joint").pitch = 0.7
    robot.joint("body11_joint").order = "yxz"
    robot.joint("limb5").mimic = Mimic("limb4", 0.5)
    robot.joint("limb5").actuator = "mimic"
    cam = robot.joint("cam 0.2")
    cam.properties = type(cam.properties)(0.4)


@edit
def set_flags(robot: kido.Skeleton) -> None:
    robot.mimic_enforced = not robot.mimic_enforced  # may be refused: then nothing has changed
    robot.mobile, robot.self_collision_check, robot.adjacent_body_check = True, False, False


@edit
def set_nodes(robot: kido.Skeleton) -> None:
    rng = np.random.default_rng(14)
    for node in robot.nodes(kido.FrameNode)[::2]:
        node.relative_transform = random_transform(rng)
    robot.end_effector("task3").move_on_body((0.1, 0.2, 0.3))
    robot.end_effector("hand").support.active = False
    robot.node(kido.ShapeNode, "hull").shape = Sphere(0.3)
    robot.end_effector("moved").reset_relative_transform()
    robot.node(Sensor, "hand").state = Sensor.State(0.1)


@edit
def change_what_is_attached(robot: kido.Skeleton) -> None:
    robot.end_effector("task10").remove()
    robot.node(kido.Marker, "dot").remove()
    robot.body("arm5").add_marker("new", (0.1, 0.0, 0.0))
    for owner in (robot, robot.body("arm2"), robot.joint("arm2"), robot.end_effector("task4")):
        owner.create_addon(Grid, 3)
    robot.remove_addon(Tag)


@edit
def move_targets(robot: kido.Skeleton) -> None:
    rng = np.random.default_rng(15)
    for ik in modules(robot):
        ik.target.set_transform(ik.transform() @ _small(rng))
    ik.target = kido.SimpleFrame("late", robot.body("arm2"), random_transform(rng))


@edit
def change_modules(robot: kido.Skeleton) -> None:
    for i, ik in enumerate(modules(robot)):
        ik.error_method = ERROR_METHODS[(3 * i + 1) % 9]
        ik.gradient_method = GRADIENT_METHODS[(i + 3) % len(GRADIENT_METHODS)]
        _solve_by(ik, SOLVERS[(i + 2) % len(SOLVERS)])
        ik.objective = None if i % 2 else Low(ik)
        ik.hierarchy_level, ik.active = (i + 1) % 3, True
        ik.reset_problem()
        if i % 3:
            ik.use_chain()


@edit
def swap_a_branch(robot: kido.Skeleton) -> None:
    robot.body("limb0").move_to(robot.body("arm1"))


@edit
def move_to_the_world_on_another_joint(robot: kido.Skeleton) -> None:
    robot.body("body1").move_to(None, joint=kido.BallJoint)


@edit
def add_bodies(robot: kido.Skeleton) -> None:
    robot.add_body("tip", robot.body("arm5"), kido.UniversalJoint("wrist", damping=0.3))
    robot.add_body("floor", None, kido.WeldJoint(T_parent_joint=(0.0, 0.0, -1.0)))


def _part(robot: kido.Skeleton) -> kido.BodyNode:
    """The branch of the second arm, to which no module refers but its own, nor the other way round."""
    for ik in modules(robot):
        ik.target, ik.reference_frame = None, None
        ik.use_chain()
    return robot.body("limb0")


@edit
def remove_a_branch(robot: kido.Skeleton) -> None:
    _part(robot).remove()


@edit
def split_a_branch_off(robot: kido.Skeleton) -> kido.Skeleton:
    return _part(robot).split("limb")


@edit
def look_at_what_a_branch_was_split_off(robot: kido.Skeleton) -> None:
    _part(robot).split("limb")


@edit
def split_a_branch_off_and_put_it_back(robot: kido.Skeleton) -> None:
    robot.body("limb0").split("limb").body("limb0").move_to(robot.body("arm0"))


@edit
def copy_a_branch_beside_itself(robot: kido.Skeleton) -> None:
    robot.body("limb0").copy_to(robot.body("arm0"))


@edit
def copy_a_tree_into_the_world(robot: kido.Skeleton) -> None:
    robot.body("arm0").copy_to(skeleton=robot)


@edit
def make_a_skeleton_of_a_copied_branch(robot: kido.Skeleton) -> kido.Skeleton:
    return _part(robot).copy_as("limb")


@edit
def change_joint_types(robot: kido.Skeleton) -> None:
    robot.body("limb5").change_parent_joint_type(kido.FreeJoint)
    robot.body("arm3").change_parent_joint_type(kido.PrismaticJoint("slider", (0.0, 1.0, 0.0)))
    robot.body("body0").change_parent_joint_type(kido.WeldJoint)


def modules(robot: kido.Skeleton) -> list[InverseKinematics]:
    """All modules, in the order of bodies and nodes."""
    return list(WholeBodyIK(robot).modules)
