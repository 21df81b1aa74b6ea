"""Skeletons, constraints and costs of postures that several tests walk through."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import kido
from kido.ik import (
    AngleBetweenVectorsConstraint,
    AngleBetweenVectorsCost,
    CenterOfMassConstraint,
    CenterOfMassCost,
    ConstraintViolation,
    FunctionConstraint,
    FunctionCost,
    GazeTargetConstraint,
    GazeTargetCost,
    JointCouplingConstraint,
    LoopClosureConstraint,
    MinimumDistanceLowerBoundConstraint,
    MinimumDistanceUpperBoundConstraint,
    OrientationConstraint,
    OrientationCost,
    PointToLineDistanceConstraint,
    PointToLineDistanceCost,
    PointToPointDistanceConstraint,
    PointToPointDistanceCost,
    PolyhedronConstraint,
    PositionConstraint,
    PositionCost,
    PostureConstraint,
    PostureCost,
    PostureProblem,
    ShapeDistanceConstraint,
    ShapePlace,
    StaticEquilibriumConstraint,
    SupportContact,
)
from kido.math import so3_exp
from kido.skeleton import ShapeNode, Skeleton

Array = NDArray[np.float64]


def two_skeletons() -> tuple[Skeleton, Skeleton]:
    """A humanoid with a free root, and an arm."""
    return kido.gallery.make("humanoid"), kido.gallery.make("arm7")


def integrated(skeletons: tuple[Skeleton, ...], q: Array, v: Array) -> Array:
    """Positions of all after velocities that last a second."""
    parts, first = [], 0
    for skeleton in skeletons:
        part = slice(first, first + skeleton.num_dofs)
        parts.append(skeleton.tree.integrate(q[part], v[part], 1.0))
        first += skeleton.num_dofs
    return np.concatenate(parts)


def squares(q: Array) -> Array:
    return np.array([q @ q, np.sin(q[0])])


def constraints(humanoid: Skeleton, arm: Skeleton, rng: np.random.Generator) -> list[PostureConstraint]:
    """One or more of every class, with bounds that hold them off zero."""

    def u() -> Array:
        return rng.normal(size=3)

    hand, tool, torso = humanoid.body("right_hand"), arm.bodies[-1], humanoid.body("torso")
    nodes = [humanoid.nodes(ShapeNode)[k] for k in (4, 12, 20, 30, 35)] + [arm.nodes(ShapeNode)[-1]]
    shapes = [ShapePlace.of(node) for node in nodes]
    pairs = [(a, b) for a in range(6) for b in range(a)]
    contacts = [
        SupportContact(hand, u(), normal=u(), friction=0.7, min_normal_force=1.0, normal_frame=arm.bodies[3]),
        SupportContact(humanoid.body("left_foot"), u()),
    ]
    return [
        PositionConstraint(hand, -np.ones(3), np.ones(3), point=u(), relative_to=tool),
        OrientationConstraint(hand, 0.3, rotation=so3_exp(u()), relative_to=tool),
        PolyhedronConstraint(
            hand, rng.normal(size=(3, 3)), rng.normal(size=(4, 9)), np.ones(4), relative_to=torso
        ),
        GazeTargetConstraint(hand, u(), u(), 0.3, source=u(), target_frame=tool),
        AngleBetweenVectorsConstraint(hand, u(), u(), 0.2, 1.0, other_frame=tool),
        AngleBetweenVectorsConstraint(hand, u(), u(), 2.2, np.pi, other_frame=tool),
        PointToPointDistanceConstraint(hand, 0.1, 0.5, point=u(), other_frame=tool, other_point=u()),
        PointToLineDistanceConstraint(hand, u(), 0.1, 0.5, point=u(), line_frame=tool, line_point=u()),
        ShapeDistanceConstraint(humanoid.nodes(ShapeNode)[0], arm.nodes(ShapeNode)[-1], 0.1),
        MinimumDistanceLowerBoundConstraint(shapes, pairs, 0.1, 0.4),
        MinimumDistanceUpperBoundConstraint(shapes, pairs, 0.1, 0.4),
        CenterOfMassConstraint(-np.ones(3), np.ones(3), relative_to=hand),
        CenterOfMassConstraint(
            [-1, -1], [1, 1], A=rng.normal(size=(2, 3)), relative_to=tool, skeleton=humanoid
        ),
        JointCouplingConstraint({humanoid.dofs[0]: 1.0, humanoid.dofs[4]: 0.5, arm.dofs[2]: -2.0}, 0.0, 1.0),
        LoopClosureConstraint(hand, tool, "weld"),
        LoopClosureConstraint(hand, tool, "ball"),
        LoopClosureConstraint(hand, tool, "hinge", axis=u()),
        StaticEquilibriumConstraint(contacts, skeleton=humanoid),
        StaticEquilibriumConstraint([SupportContact(tool, u())], skeleton=arm, torque_limits=30.0),
        FunctionConstraint(squares, [0.0, 0.0], [1.0, 1.0]),
    ]


def cost_product(q: Array) -> float:
    return float(q @ q * q[0])


def costs(humanoid: Skeleton, arm: Skeleton, rng: np.random.Generator) -> list[kido.ik.PostureCostTerm]:
    """One or more of every class."""

    def u() -> Array:
        return rng.normal(size=3)

    hand, tool = humanoid.body("right_hand"), arm.bodies[-1]
    n = humanoid.num_dofs + arm.num_dofs
    W = rng.normal(size=(n, n))
    return [
        PositionCost(hand, u(), np.diag([1.0, 2.0, 3.0]), point=u(), relative_to=tool),
        OrientationCost(hand, 2.0, rotation=so3_exp(u()), relative_to=tool),
        AngleBetweenVectorsCost(hand, u(), u(), 1.5, other_frame=tool),
        GazeTargetCost(hand, u(), u(), 1.5, source=u(), target_frame=tool),
        PointToPointDistanceCost(hand, 2.0, point=u(), other_frame=tool, other_point=u()),
        PointToLineDistanceCost(hand, u(), 2.0, point=u(), line_frame=tool, line_point=u()),
        CenterOfMassCost(u(), relative_to=hand),
        PostureCost(rng.uniform(-1, 1, n), rng.uniform(0, 1, n)),
        PostureCost(rng.uniform(-1, 1, n), W @ W.T),
        FunctionCost(cost_product),
    ]


def part(kind: type) -> object:
    """A constraint or cost of a class."""
    pair, rng = two_skeletons(), np.random.default_rng(0)
    return next(one for one in (*constraints(*pair, rng), *costs(*pair, rng)) if isinstance(one, kind))


POSTURES: dict[str, Callable[[], object]] = {
    **{
        name: lambda kind=kind: part(kind)  # type: ignore[misc]
        for name, kind in vars(kido.ik).items()
        if isinstance(kind, type) and issubclass(kind, (PostureConstraint, kido.ik.PostureCostTerm))
    },
    "ConstraintViolation": lambda: ConstraintViolation(0, "position", 0.1, "m"),
    "PostureProblem": lambda: PostureProblem(kido.gallery.arm7()),
    "PostureResult": lambda: PostureProblem(kido.gallery.arm7()).solve(),
    "ShapePlace": lambda: ShapePlace.of(kido.gallery.humanoid().nodes(ShapeNode)[0]),
    "SupportContact": lambda: SupportContact(kido.gallery.arm7().bodies[-1], np.zeros(3)),
}
"""Objects of the classes for postures, by their names."""
