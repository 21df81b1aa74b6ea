"""Inverse kinematics: positions of joints that bring bodies to targets."""

from __future__ import annotations

from kido.ik._analytical._analytical import Analytical
from kido.ik._analytical._analytical_ik import AnalyticalIK, analytical_ik
from kido.ik._analytical._closed_form_method import ClosedFormMethod
from kido.ik._analytical._extra_dofs import ExtraDofUtilization
from kido.ik._analytical._ikfast_method import IKFastMethod
from kido.ik._analytical._result import AnalyticalResult, AnalyticalResults
from kido.ik._analytical._solution import AnalyticalSolution, Validity
from kido.ik._closed_form import ClosedForm, ClosedFormSolutions
from kido.ik._error_methods._center_of_mass import CenterOfMass
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._look_at import LookAt
from kido.ik._error_methods._orientation_error import OrientationError
from kido.ik._error_methods._point_to_line import PointToLine
from kido.ik._error_methods._point_to_plane import PointToPlane
from kido.ik._error_methods._pose_error import PoseError
from kido.ik._error_methods._position_error import PositionError
from kido.ik._error_methods._posture import Posture
from kido.ik._error_methods._region import PoseRegion
from kido.ik._error_methods._task_space_region import TaskSpaceRegion
from kido.ik._gradient_methods._damped_least_squares import DampedLeastSquares
from kido.ik._gradient_methods._gradient_method import GradientMethod
from kido.ik._gradient_methods._jacobian_inverse import JacobianInverse
from kido.ik._gradient_methods._jacobian_pseudoinverse import JacobianPseudoinverse
from kido.ik._gradient_methods._jacobian_transpose import JacobianTranspose
from kido.ik._gradient_methods._selectively_damped import SelectivelyDampedLeastSquares
from kido.ik._hierarchy._composite import CompositeIK
from kido.ik._hierarchy._hierarchical import HierarchicalIK
from kido.ik._hierarchy._hierarchy_result import HierarchyResult, TaskResult
from kido.ik._hierarchy._hierarchy_step import HierarchyStep
from kido.ik._hierarchy._whole_body import WholeBodyIK
from kido.ik._ik_function import IKFunction, IKMultiFunction
from kido.ik._ikfast import IKFastLibrary
from kido.ik._ikfast_type import IKFastType
from kido.ik._module import InverseKinematics
from kido.ik._properties import IKProperties
from kido.ik._query import IKQuery
from kido.ik._result import IKResult, IKResults, IKStatus
from kido.ik._search._settings import SearchSettings
from kido.ik._wrapping import wrapped_into_limits

__all__ = [
    "Analytical",
    "AnalyticalIK",
    "AnalyticalResult",
    "AnalyticalResults",
    "AnalyticalSolution",
    "CenterOfMass",
    "ClosedForm",
    "ClosedFormMethod",
    "ClosedFormSolutions",
    "CompositeIK",
    "DampedLeastSquares",
    "ErrorMethod",
    "ExtraDofUtilization",
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
    "InverseKinematics",
    "JacobianInverse",
    "JacobianPseudoinverse",
    "JacobianTranspose",
    "LookAt",
    "OrientationError",
    "PointToLine",
    "PointToPlane",
    "PoseError",
    "PoseRegion",
    "PositionError",
    "Posture",
    "SearchSettings",
    "SelectivelyDampedLeastSquares",
    "TaskResult",
    "TaskSpaceRegion",
    "Validity",
    "WholeBodyIK",
    "analytical_ik",
    "wrapped_into_limits",
]
