"""Articulated bodies: kinematics, dynamics, inverse kinematics and contact simulation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kido import description, errors, frame, io, math, shape, skeleton, values
from kido._core import num_threads, set_num_threads
from kido._load import load, load_tree
from kido.description import Inertia, SoftSkin
from kido.frame import WORLD, FixedFrame, Frame, SimpleFrame, WorldFrame
from kido.io import save
from kido.shape import Surface
from kido.skeleton import (
    ActuatorType,
    Addon,
    BallJoint,
    BodyNode,
    Branch,
    Chain,
    DegreeOfFreedom,
    EndEffector,
    EulerJoint,
    ExpansionPolicy,
    FrameNode,
    FreeJoint,
    Group,
    Joint,
    Linkage,
    LinkageCriteria,
    LinkageTarget,
    LinkageTerminal,
    Marker,
    Node,
    PlanarJoint,
    PrismaticJoint,
    RevoluteJoint,
    ScrewJoint,
    ShapeNode,
    Skeleton,
    SoftBodyNode,
    Support,
    TranslationalJoint,
    TranslationalJoint2D,
    UniversalJoint,
    UserJoint,
    WeldJoint,
    soften,
)
from kido.tree import Tree

if TYPE_CHECKING:
    from kido import collision, constraint, gallery, ik, lcp, optimize, recording, view, world
    from kido._load_world import load_report, load_world
    from kido.constraint import (
        BallConstraint,
        CylindricalConstraint,
        DistanceConstraint,
        GearConstraint,
        RevoluteConstraint,
        RopeConstraint,
        RowConstraint,
        Rows,
        Softness,
        SpringConstraint,
        WeldConstraint,
    )
    from kido.ik import (
        CompositeIK,
        IKResult,
        IKResults,
        IKStatus,
        InverseKinematics,
        SearchSettings,
        WholeBodyIK,
        analytical_ik,
    )
    from kido.recording import Recording, load_recording, record
    from kido.view import Viewer, film, render
    from kido.world import Contact, World, contact_inverse_dynamics, rollout

__version__ = "0.1.0"

__all__ = [
    "WORLD",
    "ActuatorType",
    "Addon",
    "BallConstraint",
    "BallJoint",
    "BodyNode",
    "Branch",
    "Chain",
    "CompositeIK",
    "Contact",
    "CylindricalConstraint",
    "DegreeOfFreedom",
    "DistanceConstraint",
    "EndEffector",
    "EulerJoint",
    "ExpansionPolicy",
    "FixedFrame",
    "Frame",
    "FrameNode",
    "FreeJoint",
    "GearConstraint",
    "Group",
    "IKResult",
    "IKResults",
    "IKStatus",
    "Inertia",
    "InverseKinematics",
    "Joint",
    "Linkage",
    "LinkageCriteria",
    "LinkageTarget",
    "LinkageTerminal",
    "Marker",
    "Node",
    "PlanarJoint",
    "PrismaticJoint",
    "Recording",
    "RevoluteConstraint",
    "RevoluteJoint",
    "RopeConstraint",
    "RowConstraint",
    "Rows",
    "ScrewJoint",
    "SearchSettings",
    "ShapeNode",
    "SimpleFrame",
    "Skeleton",
    "SoftBodyNode",
    "SoftSkin",
    "Softness",
    "SpringConstraint",
    "Support",
    "Surface",
    "TranslationalJoint",
    "TranslationalJoint2D",
    "Tree",
    "UniversalJoint",
    "UserJoint",
    "Viewer",
    "WeldConstraint",
    "WeldJoint",
    "WholeBodyIK",
    "World",
    "WorldFrame",
    "analytical_ik",
    "collision",
    "constraint",
    "contact_inverse_dynamics",
    "description",
    "errors",
    "film",
    "frame",
    "gallery",
    "ik",
    "io",
    "lcp",
    "load",
    "load_recording",
    "load_report",
    "load_tree",
    "load_world",
    "math",
    "num_threads",
    "optimize",
    "record",
    "recording",
    "render",
    "rollout",
    "save",
    "set_num_threads",
    "shape",
    "skeleton",
    "soften",
    "values",
    "view",
    "world",
]

_LATER = {
    "collision": "kido.collision",
    "constraint": "kido.constraint",
    "view": "kido.view",
    "world": "kido.world",
    "gallery": "kido.gallery",
    "ik": "kido.ik",
    "lcp": "kido.lcp",
    "optimize": "kido.optimize",
    "BallConstraint": "kido.constraint",
    "CylindricalConstraint": "kido.constraint",
    "DistanceConstraint": "kido.constraint",
    "RevoluteConstraint": "kido.constraint",
    "RopeConstraint": "kido.constraint",
    "GearConstraint": "kido.constraint",
    "RowConstraint": "kido.constraint",
    "Rows": "kido.constraint",
    "Softness": "kido.constraint",
    "SpringConstraint": "kido.constraint",
    "WeldConstraint": "kido.constraint",
    "CompositeIK": "kido.ik",
    "IKResult": "kido.ik",
    "IKResults": "kido.ik",
    "IKStatus": "kido.ik",
    "InverseKinematics": "kido.ik",
    "SearchSettings": "kido.ik",
    "WholeBodyIK": "kido.ik",
    "analytical_ik": "kido.ik",
    "film": "kido.view",
    "Recording": "kido.recording",
    "load_recording": "kido.recording",
    "record": "kido.recording",
    "recording": "kido.recording",
    "Viewer": "kido.view",
    "render": "kido.view",
    "Contact": "kido.world",
    "World": "kido.world",
    "contact_inverse_dynamics": "kido.world",
    "load_report": "kido._load_world",
    "load_world": "kido._load_world",
    "rollout": "kido.world",
}
"""Names whose modules are imported when they are first used, to keep `import kido` short."""

values.search_in(
    "kido.constraint", "kido.world", "kido.ik", "kido.gallery", "kido.optimize", "kido.lcp", "kido.view"
)


skeleton.notebook_pictures.make = lambda what: import_module("kido.view").notebook_png(what)


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'kido' has no attribute {name!r}")
    module = import_module(_LATER[name])
    value = module if module.__name__ == f"kido.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
