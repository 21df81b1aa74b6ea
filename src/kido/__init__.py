"""Articulated bodies: kinematics, dynamics, inverse kinematics and contact simulation."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # without `typing`, which the command would wait for
if TYPE_CHECKING:
    from typing import Any

    from kido import (
        collision,
        constraint,
        description,
        errors,
        frame,
        gallery,
        ik,
        io,
        lcp,
        math,
        optimize,
        recording,
        shape,
        skeleton,
        values,
        view,
        world,
    )
    from kido._core import num_threads, set_num_threads
    from kido._load import load, load_tree
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
    from kido.description import Inertia
    from kido.frame import WORLD, FixedFrame, Frame, SimpleFrame, WorldFrame
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
    from kido.io import save
    from kido.recording import Recording, load_recording, record
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
        Support,
        TranslationalJoint,
        TranslationalJoint2D,
        UniversalJoint,
        UserJoint,
        WeldJoint,
    )
    from kido.tree import Tree
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
    "values",
    "view",
    "world",
]

_MODULES = (
    "_core",
    "collision",
    "constraint",
    "description",
    "errors",
    "frame",
    "gallery",
    "ik",
    "io",
    "lcp",
    "math",
    "optimize",
    "recording",
    "shape",
    "skeleton",
    "tree",
    "typing",
    "values",
    "view",
    "world",
)
_HOMES = {
    "kido._core": (
        "num_threads",
        "set_num_threads",
    ),
    "kido._load": (
        "load",
        "load_tree",
    ),
    "kido._load_world": (
        "load_report",
        "load_world",
    ),
    "kido.constraint": (
        "BallConstraint",
        "CylindricalConstraint",
        "DistanceConstraint",
        "GearConstraint",
        "RevoluteConstraint",
        "RopeConstraint",
        "RowConstraint",
        "Rows",
        "Softness",
        "SpringConstraint",
        "WeldConstraint",
    ),
    "kido.description": ("Inertia",),
    "kido.frame": (
        "FixedFrame",
        "Frame",
        "SimpleFrame",
        "WORLD",
        "WorldFrame",
    ),
    "kido.ik": (
        "CompositeIK",
        "IKResult",
        "IKResults",
        "IKStatus",
        "InverseKinematics",
        "SearchSettings",
        "WholeBodyIK",
        "analytical_ik",
    ),
    "kido.io": ("save",),
    "kido.recording": (
        "Recording",
        "load_recording",
        "record",
    ),
    "kido.shape": ("Surface",),
    "kido.skeleton": (
        "ActuatorType",
        "Addon",
        "BallJoint",
        "BodyNode",
        "Branch",
        "Chain",
        "DegreeOfFreedom",
        "EndEffector",
        "EulerJoint",
        "ExpansionPolicy",
        "FrameNode",
        "FreeJoint",
        "Group",
        "Joint",
        "Linkage",
        "LinkageCriteria",
        "LinkageTarget",
        "LinkageTerminal",
        "Marker",
        "Node",
        "PlanarJoint",
        "PrismaticJoint",
        "RevoluteJoint",
        "ScrewJoint",
        "ShapeNode",
        "Skeleton",
        "Support",
        "TranslationalJoint",
        "TranslationalJoint2D",
        "UniversalJoint",
        "UserJoint",
        "WeldJoint",
    ),
    "kido.tree": ("Tree",),
    "kido.view": (
        "Viewer",
        "film",
        "render",
    ),
    "kido.world": (
        "Contact",
        "World",
        "contact_inverse_dynamics",
        "rollout",
    ),
}
_HOME_OF = {name: f"kido.{name}" for name in _MODULES} | {
    name: home for home, names in _HOMES.items() for name in names
}
"""Names, and the modules that have them, each imported when one of its names is first used: `import kido`
costs nothing, and no command waits for what it does not need."""


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'kido' has no attribute {name!r}")
    module = import_module(_HOME_OF[name])
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
