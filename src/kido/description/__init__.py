"""The neutral description of robots and scenes: what readers produce, and what trees are compiled from."""

from kido.description._actuator import ActuatorType
from kido.description._actuator_description import ActuatorDescription
from kido.description._angle_unit import degrees_of
from kido.description._axes import joint_axes, planar_axes
from kido.description._constraint import (
    ClosureDescription,
    ClosureType,
    ConstraintDescription,
    CouplingDescription,
)
from kido.description._contact_rule import ContactExclusion, ContactPair
from kido.description._difference import Difference, differences
from kido.description._inertia import Inertia
from kido.description._joint import JointDescription
from kido.description._joint_coordinate import Coordinate
from kido.description._joint_part import Calibration, JointDynamics, JointLimits, Mimic, Safety
from kido.description._joint_spec import JointAxis, JointSpec, Primitive, PrimitiveType
from kido.description._joint_type import EULER_ORDERS, JointType
from kido.description._link import FrameDescription, LinkDescription, Material, ShapePlacement
from kido.description._named_state import JointState, NamedState
from kido.description._named_values import NamedValues
from kido.description._placement import OBJECT_JOINT, ObjectPlacement, RobotPlacement
from kido.description._reference import (
    Attachment,
    DofReference,
    JointReference,
    LinkReference,
    ShapeReference,
)
from kido.description._robot import Diagnostic, RobotDescription
from kido.description._scene import DEFAULT_TIME_STEP, EARTH_GRAVITY, SceneDescription
from kido.description._sensor import SensorDescription
from kido.description._shape_inertia import combined_inertia, shape_inertia, shape_volume
from kido.description._soft import SoftDescription
from kido.description._soft_skin import SoftSkin
from kido.description._transform import frozen_transform

__all__ = [
    "DEFAULT_TIME_STEP",
    "EARTH_GRAVITY",
    "EULER_ORDERS",
    "OBJECT_JOINT",
    "ActuatorDescription",
    "ActuatorType",
    "Attachment",
    "Calibration",
    "ClosureDescription",
    "ClosureType",
    "ConstraintDescription",
    "ContactExclusion",
    "ContactPair",
    "Coordinate",
    "CouplingDescription",
    "Diagnostic",
    "Difference",
    "DofReference",
    "FrameDescription",
    "Inertia",
    "JointAxis",
    "JointDescription",
    "JointDynamics",
    "JointLimits",
    "JointReference",
    "JointSpec",
    "JointState",
    "JointType",
    "LinkDescription",
    "LinkReference",
    "Material",
    "Mimic",
    "NamedState",
    "NamedValues",
    "ObjectPlacement",
    "Primitive",
    "PrimitiveType",
    "RobotDescription",
    "RobotPlacement",
    "Safety",
    "SceneDescription",
    "SensorDescription",
    "ShapePlacement",
    "ShapeReference",
    "SoftDescription",
    "SoftSkin",
    "combined_inertia",
    "degrees_of",
    "differences",
    "frozen_transform",
    "joint_axes",
    "planar_axes",
    "shape_inertia",
    "shape_volume",
]
