"""The classes of kido that files of values name."""

from __future__ import annotations

from kido.description import Inertia, Material, Mimic
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Sphere
from kido.skeleton._joints._actuator import ActuatorType
from kido.skeleton._joints._ball import BallJoint
from kido.skeleton._joints._euler import EulerJoint
from kido.skeleton._joints._free import FreeJoint
from kido.skeleton._joints._planar import PlanarJoint
from kido.skeleton._joints._prismatic import PrismaticJoint
from kido.skeleton._joints._revolute import RevoluteJoint
from kido.skeleton._joints._screw import ScrewJoint
from kido.skeleton._joints._translational import TranslationalJoint
from kido.skeleton._joints._translational2d import TranslationalJoint2D
from kido.skeleton._joints._universal import UniversalJoint
from kido.skeleton._joints._weld import WeldJoint
from kido.skeleton._nodes._end_effector import EndEffector, Support
from kido.skeleton._nodes._frame_node import FrameNode
from kido.skeleton._nodes._marker import Marker, MarkerConstraint
from kido.skeleton._nodes._shape_node import ShapeNode

__all__ = ["DESCRIBED_TYPES", "EXTENSION_TYPES"]

EXTENSION_TYPES: tuple[type, ...] = (FrameNode, EndEffector, Support, Marker, ShapeNode)
"""Nodes and addons, which bring their State and Properties."""

DESCRIBED_TYPES: tuple[type, ...] = (
    *(WeldJoint, RevoluteJoint, PrismaticJoint, ScrewJoint, UniversalJoint, EulerJoint, BallJoint),
    *(PlanarJoint, TranslationalJoint, TranslationalJoint2D, FreeJoint),
    *(Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Sphere),
    *(ActuatorType, Inertia, MarkerConstraint, Material, Mimic),
)
"""Joints, and what joints, bodies and nodes hold."""
