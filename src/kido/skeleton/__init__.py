"""Skeletons: bodies and joints that answer any question at any time, and can be edited, extended and
copied."""

from __future__ import annotations

from kido.skeleton._actuator import ActuatorType
from kido.skeleton._addon import Addon, AddonManager, Extension
from kido.skeleton._body import BodyNode
from kido.skeleton._branch import Branch
from kido.skeleton._chain import Chain
from kido.skeleton._criteria import ExpansionPolicy, LinkageCriteria, LinkageTarget, LinkageTerminal
from kido.skeleton._dof import DegreeOfFreedom
from kido.skeleton._end_effector import EndEffector, Support
from kido.skeleton._extended_tree import ExtendedTree
from kido.skeleton._frame_node import FrameNode, Placed
from kido.skeleton._free_joints import BallJoint, FreeJoint
from kido.skeleton._group import Group
from kido.skeleton._joint import Joint, JointOptions
from kido.skeleton._joint_types import (
    EulerJoint,
    PlanarJoint,
    PrismaticJoint,
    RevoluteJoint,
    ScrewJoint,
    TranslationalJoint,
    TranslationalJoint2D,
    UniversalJoint,
    WeldJoint,
)
from kido.skeleton._linkage import Linkage
from kido.skeleton._marker import Marker, MarkerConstraint
from kido.skeleton._node import Node
from kido.skeleton._selection import Selection
from kido.skeleton._shape_node import ShapeNode
from kido.skeleton._signal import Connection, Signal
from kido.skeleton._skeleton import Skeleton
from kido.skeleton._skeleton_configuration import SkeletonConfiguration
from kido.skeleton._skeleton_properties import SkeletonProperties
from kido.skeleton._skeleton_state import SkeletonState
from kido.skeleton._user_joint import UserJoint

__all__ = [
    "ActuatorType",
    "Addon",
    "AddonManager",
    "BallJoint",
    "BodyNode",
    "Branch",
    "Chain",
    "Connection",
    "DegreeOfFreedom",
    "EndEffector",
    "EulerJoint",
    "ExpansionPolicy",
    "ExtendedTree",
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
    "Placed",
    "PlanarJoint",
    "PrismaticJoint",
    "RevoluteJoint",
    "ScrewJoint",
    "Selection",
    "ShapeNode",
    "Signal",
    "Skeleton",
    "SkeletonConfiguration",
    "SkeletonProperties",
    "SkeletonState",
    "Support",
    "TranslationalJoint",
    "TranslationalJoint2D",
    "UniversalJoint",
    "UserJoint",
    "WeldJoint",
]
