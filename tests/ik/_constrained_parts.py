"""Objects of the classes for velocities, waypoints, global search and quadratic programs, by their names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kido import FrameNode, Skeleton, gallery
from kido.ik import (
    AccelerationLimit,
    ActiveLimit,
    AxisAlignmentTask,
    BodySphereBarrier,
    CartesianPositionLimit,
    CartesianVelocityLimit,
    CenterOfMassTask,
    CollisionAvoidance,
    ConstraintRelaxingIK,
    DifferentialIK,
    DifferentialIKIntegrator,
    DifferentialIKParameters,
    DifferentialIKResult,
    DifferentialIKStatus,
    DifferentialTask,
    FrameTask,
    FrameVelocityTask,
    GlobalIK,
    JointCouplingTask,
    LinearVelocityConstraint,
    LookAtTask,
    ManipulabilityTask,
    OrientationTask,
    PositionTask,
    PostureRegion,
    PostureTask,
    RelaxedPosture,
    StatusChange,
    Waypoint,
    differential_ik,
    follow_path,
)
from kido.optimize import QuadraticProgram

__all__ = ["CONSTRAINED"]

_X = (1.0, 0.0, 0.0)


def robot() -> Skeleton:
    return gallery.arm()


def tool() -> FrameNode:
    return robot().end_effector("tool")


def parameters() -> DifferentialIKParameters:
    return DifferentialIKParameters(6, time_step=0.1)


def velocities() -> DifferentialIK:
    arm = robot()
    return DifferentialIK(arm, [FrameTask(arm.end_effector("tool"))])


def result() -> DifferentialIKResult:
    q = np.zeros(6)
    return differential_ik(q, q, np.zeros(6), np.eye(6), parameters())


def search() -> GlobalIK:
    made = GlobalIK(robot())
    made.add_world_position_constraint(made.skeleton.end_effector("tool"), (0.5, 0.0, 0.5))
    return made


def relaxing() -> ConstraintRelaxingIK:
    arm = robot()
    return ConstraintRelaxingIK(arm, arm.end_effector("tool"))


def integrator() -> DifferentialIKIntegrator:
    arm = robot()
    return DifferentialIKIntegrator(arm, arm.end_effector("tool"), parameters())


def program() -> QuadraticProgram:
    return QuadraticProgram(np.eye(2), np.zeros(2))


CONSTRAINED: dict[str, Callable[[], object]] = {
    "AccelerationLimit": lambda: AccelerationLimit(1.0),
    "ActiveLimit": lambda: ActiveLimit("position", 0, "upper"),
    "AxisAlignmentTask": lambda: AxisAlignmentTask(tool(), _X, _X),
    "BodySphereBarrier": lambda: BodySphereBarrier(*robot().bodies[1:3], 0.1),
    "CartesianPositionLimit": lambda: CartesianPositionLimit(tool(), -1.0, 1.0),
    "CartesianVelocityLimit": lambda: CartesianVelocityLimit(tool(), -1.0, 1.0),
    "CenterOfMassTask": lambda: CenterOfMassTask(_X),
    "CollisionAvoidance": lambda: CollisionAvoidance([], 0.1),
    "ConstraintRelaxingIK": relaxing,
    "DifferentialIK": velocities,
    "DifferentialIKConvergence": lambda: velocities().converge(),
    "DifferentialIKIntegrator": integrator,
    "DifferentialIKParameters": parameters,
    "DifferentialIKResult": result,
    "DifferentialIKStep": lambda: velocities().solve(dt=0.1),
    "DifferentialIKSteps": lambda: velocities().solve_batch(np.zeros((2, 6)), dt=0.1),
    "DifferentialTask": lambda: DifferentialTask(1),
    "FrameTask": lambda: FrameTask(tool()),
    "FrameVelocityTask": lambda: FrameVelocityTask(tool()),
    "GlobalIK": search,
    "GlobalIKRelaxation": lambda: search().relaxation(),
    "GlobalIKResult": lambda: search().solve(),
    "JointCouplingTask": lambda: JointCouplingTask({"waist": 1.0}),
    "JointPath": lambda: follow_path(tool(), np.zeros((0, 4, 4))),
    "LinearVelocityConstraint": lambda: LinearVelocityConstraint(np.eye(2)),
    "LookAtTask": lambda: LookAtTask(tool(), _X, _X),
    "ManipulabilityTask": lambda: ManipulabilityTask(tool()),
    "OrientationTask": lambda: OrientationTask(tool()),
    "PositionTask": lambda: PositionTask(tool()),
    "PostureRegion": lambda: PostureRegion(np.zeros((1, 2, 6))),
    "PostureTask": lambda: PostureTask(np.zeros(6)),
    "QuadraticProgram": program,
    "QuadraticResult": lambda: program().solve(),
    "RelaxedPosture": lambda: RelaxedPosture(False, (), np.zeros((0, 4, 4))),
    "StatusChange": lambda: StatusChange(0.0, DifferentialIKStatus.STUCK),
    "Waypoint": lambda: Waypoint(np.eye(4)),
    "WaypointPath": lambda: relaxing().solve([]),
    "WaypointResult": lambda: relaxing().solve([Waypoint(np.eye(4), 10.0)]).results[0],
}
