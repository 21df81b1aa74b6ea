"""The neutral description of robots: what readers produce and what the tree is compiled from."""

from __future__ import annotations

from kido.description._axes import joint_axes, planar_axes
from kido.description._inertia import Inertia
from kido.description._joint import JointDescription
from kido.description._joint_coordinate import Coordinate
from kido.description._joint_part import Calibration, JointDynamics, JointLimits, Mimic, Safety
from kido.description._joint_spec import JointAxis, JointSpec, Primitive, PrimitiveType
from kido.description._joint_type import EULER_ORDERS, JointType
from kido.description._link import LinkDescription, Material, ShapePlacement
from kido.description._robot import Diagnostic, RobotDescription
from kido.description._shape_inertia import combined_inertia, shape_inertia, shape_volume

__all__ = [
    "EULER_ORDERS",
    "Calibration",
    "Coordinate",
    "Diagnostic",
    "Inertia",
    "JointAxis",
    "JointDescription",
    "JointDynamics",
    "JointLimits",
    "JointSpec",
    "JointType",
    "LinkDescription",
    "Material",
    "Mimic",
    "Primitive",
    "PrimitiveType",
    "RobotDescription",
    "Safety",
    "ShapePlacement",
    "combined_inertia",
    "joint_axes",
    "planar_axes",
    "shape_inertia",
    "shape_volume",
]
