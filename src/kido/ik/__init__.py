"""Inverse kinematics: positions of joints that bring bodies to targets."""

from kido.ik._analytical._analytical import Analytical
from kido.ik._analytical._analytical_ik import AnalyticalIK, analytical_ik
from kido.ik._analytical._closed_form import ClosedForm, ClosedFormSolutions
from kido.ik._analytical._closed_form_method import ClosedFormMethod
from kido.ik._analytical._ikfast_library import IKFastLibrary, IKFastType
from kido.ik._analytical._ikfast_method import IKFastMethod
from kido.ik._analytical._options import ExtraDofUtilization
from kido.ik._analytical._result import AnalyticalResult, AnalyticalResults
from kido.ik._analytical._solution import AnalyticalSolution, Validity
from kido.ik._coordinates import wrapped_into_limits
from kido.ik._differential._barriers import BodySphereBarrier, CollisionAvoidance, DifferentialBarrier
from kido.ik._differential._differential_ik import DifferentialIK
from kido.ik._differential._differential_task import CustomTask, DifferentialTask
from kido.ik._differential._frame_tasks import (
    AxisAlignmentTask,
    FrameTask,
    FrameVelocityTask,
    LookAtTask,
    OrientationTask,
    PositionTask,
)
from kido.ik._differential._integrator import DifferentialIKIntegrator, StatusChange
from kido.ik._differential._limits import (
    AccelerationLimit,
    CartesianPositionLimit,
    CartesianVelocityLimit,
    ConfigurationLimit,
    DifferentialLimit,
    RowsLimit,
    VelocityLimit,
)
from kido.ik._differential._linear_velocity_constraint import LinearVelocityConstraint
from kido.ik._differential._parameters import DifferentialIKParameters
from kido.ik._differential._scaled_step import (
    ActiveLimit,
    DifferentialIKResult,
    DifferentialIKStatus,
    differential_ik,
)
from kido.ik._differential._step_result import (
    ConvergenceStatus,
    DifferentialIKConvergence,
    DifferentialIKStep,
    DifferentialIKSteps,
)
from kido.ik._differential._whole_body_tasks import (
    CenterOfMassTask,
    DampingTask,
    JointCouplingTask,
    ManipulabilityTask,
    MomentumTask,
    PostureTask,
)
from kido.ik._error_methods._center_of_mass import CenterOfMass
from kido.ik._error_methods._error_bounds import ErrorBounds
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._look_at import LookAt
from kido.ik._error_methods._point_errors import PointToLine, PointToPlane, PositionError
from kido.ik._error_methods._pose_error import OrientationError, PoseError
from kido.ik._error_methods._posture import Posture
from kido.ik._error_methods._region import PoseRegion
from kido.ik._error_methods._task_space_region import TaskSpaceRegion
from kido.ik._global._global_ik import GlobalIK
from kido.ik._global._region_search import PostureRegion
from kido.ik._global._relaxation._options import (
    IntervalBinning,
    RelaxationApproach,
    RelaxationOptions,
    RelaxationSolver,
)
from kido.ik._global._relaxation._relaxation import GlobalIKRelaxation, RelaxedPosture
from kido.ik._global._result import GlobalIKResult, GlobalIKStatus
from kido.ik._gradient_methods._damped_methods import DampedLeastSquares, SelectivelyDampedLeastSquares
from kido.ik._gradient_methods._gradient_method import GradientMethod, StatefulGradientMethod
from kido.ik._gradient_methods._jacobian_methods import (
    JacobianInverse,
    JacobianPseudoinverse,
    JacobianTranspose,
)
from kido.ik._gradient_methods._step_limits import StepLimits
from kido.ik._hierarchy._hierarchical import HierarchicalIK
from kido.ik._hierarchy._hierarchies import CompositeIK, WholeBodyIK
from kido.ik._hierarchy._hierarchy_search import HierarchyResult, TaskResult
from kido.ik._hierarchy._hierarchy_step import HierarchyStep
from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._module._properties import IKProperties
from kido.ik._posture._costs import (
    AngleBetweenVectorsCost,
    CenterOfMassCost,
    GazeTargetCost,
    OrientationCost,
    PointToLineDistanceCost,
    PointToPointDistanceCost,
    PositionCost,
    PostureCost,
)
from kido.ik._posture._custom import FunctionConstraint, FunctionCost
from kido.ik._posture._direction_constraints import AngleBetweenVectorsConstraint, GazeTargetConstraint
from kido.ik._posture._equilibrium import StaticEquilibriumConstraint, SupportContact
from kido.ik._posture._frame_place import FramePlace
from kido.ik._posture._point_distances import PointToLineDistanceConstraint, PointToPointDistanceConstraint
from kido.ik._posture._pose_constraints import (
    LoopClosureConstraint,
    OrientationConstraint,
    PolyhedronConstraint,
    PositionConstraint,
)
from kido.ik._posture._posture_problem import PostureProblem
from kido.ik._posture._result import ConstraintViolation, PostureResult, PostureStatus
from kido.ik._posture._shape_distances import (
    MinimumDistanceLowerBoundConstraint,
    MinimumDistanceUpperBoundConstraint,
    ShapeDistanceConstraint,
    ShapePlace,
)
from kido.ik._posture._term import PostureConstraint, PostureCostTerm
from kido.ik._posture._whole_body import CenterOfMassConstraint, JointCouplingConstraint
from kido.ik._problem._ik_function import IKFunction, IKMultiFunction
from kido.ik._query import IKQuery
from kido.ik._result import IKResult, IKResults, IKStatus
from kido.ik._search._settings import SearchSettings
from kido.ik._waypoints._constraint_relaxing_ik import ConstraintRelaxingIK
from kido.ik._waypoints._follow_path import follow_path
from kido.ik._waypoints._joint_path import JointPath
from kido.ik._waypoints._waypoint import Waypoint
from kido.ik._waypoints._waypoint_result import WaypointPath, WaypointResult, WaypointStatus

__all__ = [
    "AccelerationLimit",
    "ActiveLimit",
    "Analytical",
    "AnalyticalIK",
    "AnalyticalResult",
    "AnalyticalResults",
    "AnalyticalSolution",
    "AngleBetweenVectorsConstraint",
    "AngleBetweenVectorsCost",
    "AxisAlignmentTask",
    "BodySphereBarrier",
    "CartesianPositionLimit",
    "CartesianVelocityLimit",
    "CenterOfMass",
    "CenterOfMassConstraint",
    "CenterOfMassCost",
    "CenterOfMassTask",
    "ClosedForm",
    "ClosedFormMethod",
    "ClosedFormSolutions",
    "CollisionAvoidance",
    "CompositeIK",
    "ConfigurationLimit",
    "ConstraintRelaxingIK",
    "ConstraintViolation",
    "ConvergenceStatus",
    "CustomTask",
    "DampedLeastSquares",
    "DampingTask",
    "DifferentialBarrier",
    "DifferentialIK",
    "DifferentialIKConvergence",
    "DifferentialIKIntegrator",
    "DifferentialIKParameters",
    "DifferentialIKResult",
    "DifferentialIKStatus",
    "DifferentialIKStep",
    "DifferentialIKSteps",
    "DifferentialLimit",
    "DifferentialTask",
    "ErrorBounds",
    "ErrorMethod",
    "ExtraDofUtilization",
    "FramePlace",
    "FrameTask",
    "FrameVelocityTask",
    "FunctionConstraint",
    "FunctionCost",
    "GazeTargetConstraint",
    "GazeTargetCost",
    "GlobalIK",
    "GlobalIKRelaxation",
    "GlobalIKResult",
    "GlobalIKStatus",
    "GradientMethod",
    "HierarchicalIK",
    "HierarchyResult",
    "HierarchyStep",
    "IKFastLibrary",
    "IKFastMethod",
    "IKFastType",
    "IKFunction",
    "IKMultiFunction",
    "IKProperties",
    "IKQuery",
    "IKResult",
    "IKResults",
    "IKStatus",
    "IntervalBinning",
    "InverseKinematics",
    "JacobianInverse",
    "JacobianPseudoinverse",
    "JacobianTranspose",
    "JointCouplingConstraint",
    "JointCouplingTask",
    "JointPath",
    "LinearVelocityConstraint",
    "LookAt",
    "LookAtTask",
    "LoopClosureConstraint",
    "ManipulabilityTask",
    "MinimumDistanceLowerBoundConstraint",
    "MinimumDistanceUpperBoundConstraint",
    "MomentumTask",
    "OrientationConstraint",
    "OrientationCost",
    "OrientationError",
    "OrientationTask",
    "PointToLine",
    "PointToLineDistanceConstraint",
    "PointToLineDistanceCost",
    "PointToPlane",
    "PointToPointDistanceConstraint",
    "PointToPointDistanceCost",
    "PolyhedronConstraint",
    "PoseError",
    "PoseRegion",
    "PositionConstraint",
    "PositionCost",
    "PositionError",
    "PositionTask",
    "Posture",
    "PostureConstraint",
    "PostureCost",
    "PostureCostTerm",
    "PostureProblem",
    "PostureRegion",
    "PostureResult",
    "PostureStatus",
    "PostureTask",
    "RelaxationApproach",
    "RelaxationOptions",
    "RelaxationSolver",
    "RelaxedPosture",
    "RowsLimit",
    "SearchSettings",
    "SelectivelyDampedLeastSquares",
    "ShapeDistanceConstraint",
    "ShapePlace",
    "StatefulGradientMethod",
    "StaticEquilibriumConstraint",
    "StatusChange",
    "StepLimits",
    "SupportContact",
    "TaskResult",
    "TaskSpaceRegion",
    "Validity",
    "VelocityLimit",
    "Waypoint",
    "WaypointPath",
    "WaypointResult",
    "WaypointStatus",
    "WholeBodyIK",
    "analytical_ik",
    "differential_ik",
    "follow_path",
    "wrapped_into_limits",
]
