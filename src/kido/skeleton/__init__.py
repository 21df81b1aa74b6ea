"""Skeletons: bodies and joints that answer any question at any time, and can be edited, extended and
copied."""

from kido.skeleton._answers._support import convex_hull, plane_axes
from kido.skeleton._appearance import Appearance
from kido.skeleton._body import BodyNode
from kido.skeleton._dof import DegreeOfFreedom
from kido.skeleton._joints._actuator import ActuatorType
from kido.skeleton._joints._ball import BallJoint
from kido.skeleton._joints._euler import EulerJoint
from kido.skeleton._joints._free import FreeJoint
from kido.skeleton._joints._joint import Joint, JointOptions
from kido.skeleton._joints._planar import PlanarJoint
from kido.skeleton._joints._prismatic import PrismaticJoint
from kido.skeleton._joints._revolute import RevoluteJoint
from kido.skeleton._joints._screw import ScrewJoint
from kido.skeleton._joints._translational import TranslationalJoint
from kido.skeleton._joints._translational2d import TranslationalJoint2D
from kido.skeleton._joints._universal import UniversalJoint
from kido.skeleton._joints._user_joint import UserJoint
from kido.skeleton._joints._weld import WeldJoint
from kido.skeleton._nodes._addon import Addon, AddonManager, Extension
from kido.skeleton._nodes._frame_node import FrameNode
from kido.skeleton._nodes._node import Node, addons_of
from kido.skeleton._nodes._node_properties import MarkerConstraint, Placed
from kido.skeleton._nodes._shipped_nodes import EndEffector, Marker, ShapeNode, Support
from kido.skeleton._notebook import notebook_pictures
from kido.skeleton._selections._branch import Branch
from kido.skeleton._selections._chain import Chain
from kido.skeleton._selections._criteria import (
    ExpansionPolicy,
    LinkageCriteria,
    LinkageTarget,
    LinkageTerminal,
)
from kido.skeleton._selections._group import Group
from kido.skeleton._selections._linkage import Linkage
from kido.skeleton._selections._selection import Selection
from kido.skeleton._signal import Connection, Signal
from kido.skeleton._simulation_view import EDITS, SimulationView
from kido.skeleton._skeleton import Skeleton
from kido.skeleton._soft_body import SkinNode, SoftBodyNode
from kido.skeleton._soften import soften
from kido.skeleton._values._saved_skeleton import PartContent, SavedModel, SavedSkeleton
from kido.skeleton._values._skeleton_configuration import SkeletonConfiguration
from kido.skeleton._values._skeleton_properties import SkeletonProperties
from kido.skeleton._values._skeleton_state import SkeletonState

__all__ = [
    "EDITS",
    "ActuatorType",
    "Addon",
    "AddonManager",
    "Appearance",
    "BallJoint",
    "BodyNode",
    "Branch",
    "Chain",
    "Connection",
    "DegreeOfFreedom",
    "EndEffector",
    "EulerJoint",
    "ExpansionPolicy",
    "Extension",
    "FrameNode",
    "FreeJoint",
    "Group",
    "Joint",
    "JointOptions",
    "Linkage",
    "LinkageCriteria",
    "LinkageTarget",
    "LinkageTerminal",
    "Marker",
    "MarkerConstraint",
    "Node",
    "PartContent",
    "Placed",
    "PlanarJoint",
    "PrismaticJoint",
    "RevoluteJoint",
    "SavedModel",
    "SavedSkeleton",
    "ScrewJoint",
    "Selection",
    "ShapeNode",
    "Signal",
    "SimulationView",
    "Skeleton",
    "SkeletonConfiguration",
    "SkeletonProperties",
    "SkeletonState",
    "SkinNode",
    "SoftBodyNode",
    "Support",
    "TranslationalJoint",
    "TranslationalJoint2D",
    "UniversalJoint",
    "UserJoint",
    "WeldJoint",
    "addons_of",
    "convex_hull",
    "notebook_pictures",
    "plane_axes",
    "soften",
]
