"""Values and derivatives of constraints and costs of postures beside Drake's, at random postures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from _effort import examples
from _posture_twins import JOINTS, Twins
from numpy.typing import NDArray

from kido.ik import (
    AngleBetweenVectorsConstraint,
    AngleBetweenVectorsCost,
    CenterOfMassConstraint,
    GazeTargetConstraint,
    MinimumDistanceLowerBoundConstraint,
    MinimumDistanceUpperBoundConstraint,
    OrientationConstraint,
    OrientationCost,
    PointToLineDistanceConstraint,
    PointToPointDistanceConstraint,
    PolyhedronConstraint,
    PositionConstraint,
    PositionCost,
    ShapeDistanceConstraint,
)
from kido.math import so3_exp
from kido.skeleton import ShapeNode

Array = NDArray[np.float64]


def compare(mine: tuple[Array, Array], theirs: tuple[Array, Array]) -> None:
    np.testing.assert_allclose(mine[0], theirs[0], atol=1e-11)
    np.testing.assert_allclose(mine[1], theirs[1], atol=1e-10)


def both(twins: Twins, constraint: Any) -> tuple[Array, Array]:
    return constraint.value(twins.robot, twins.q), constraint.jacobian(twins.robot, twins.q)


def random_pair(rng: np.random.Generator) -> tuple[Twins, int, int]:
    a, b = rng.choice(np.arange(1, JOINTS + 1), 2, replace=False)
    return Twins(rng), int(a), int(b)


SEEDS = range(examples(8))


@pytest.mark.parametrize("seed", SEEDS)
def test_positions_and_polyhedra(seed: int) -> None:
    from pydrake.multibody import inverse_kinematics as drake

    rng = np.random.default_rng(seed)
    t, a, b = random_pair(rng)
    p, low = rng.normal(size=3), -np.ones(3)
    mine = PositionConstraint(t.robot.body(f"l{b}"), low, -low, point=p, relative_to=t.robot.body(f"l{a}"))
    theirs = drake.PositionConstraint(t.plant, t.frame(a), low, -low, t.frame(b), p, t.context)
    compare(both(t, mine), t.look(theirs))
    points, A, bound = rng.normal(size=(4, 3)), rng.normal(size=(5, 12)), rng.normal(size=5)
    mine = PolyhedronConstraint(t.robot.body(f"l{b}"), points, A, bound, relative_to=t.robot.body(f"l{a}"))
    theirs = drake.PolyhedronConstraint(t.plant, t.frame(a), t.frame(b), points.T, A, bound, t.context)
    compare(both(t, mine), t.look(theirs))
    np.testing.assert_array_equal(mine.bounds(t.robot).upper, theirs.upper_bound())


@pytest.mark.parametrize("seed", SEEDS)
def test_orientations_and_directions(seed: int) -> None:
    """Drake has traces and cosines where kido has angles."""
    from pydrake.math import RotationMatrix
    from pydrake.multibody import inverse_kinematics as drake

    rng = np.random.default_rng(seed)
    t, a, b = random_pair(rng)
    R = so3_exp(rng.normal(size=3))
    A, B = t.robot.body(f"l{a}"), t.robot.body(f"l{b}")
    angle, slope = both(t, OrientationConstraint(B, 0.4, rotation=R, relative_to=A))
    theirs = drake.OrientationConstraint(
        t.plant, t.frame(a), RotationMatrix(R), t.frame(b), RotationMatrix(), 0.4, t.context
    )
    compare((2.0 * np.cos(angle) + 1.0, -2.0 * np.sin(angle) * slope), t.look(theirs))
    np.testing.assert_allclose(theirs.lower_bound(), 2.0 * np.cos(0.4) + 1.0)

    u, v = rng.normal(size=3), rng.normal(size=3)
    angle, slope = both(t, AngleBetweenVectorsConstraint(A, u, v, 0.2, 0.8, other_frame=B))
    theirs = drake.AngleBetweenVectorsConstraint(t.plant, t.frame(a), u, t.frame(b), v, 0.2, 0.8, t.context)
    compare((np.cos(angle), -np.sin(angle) * slope), t.look(theirs))

    source, target, half = rng.normal(size=3), rng.normal(size=3), 0.3
    mine = GazeTargetConstraint(A, u, target, half, source=source, target_frame=B)
    angle, slope = both(t, mine)
    theirs = drake.GazeTargetConstraint(t.plant, t.frame(a), source, u, t.frame(b), target, half, t.context)
    (along, excess), slopes = t.look(theirs)
    # n.p and (n.p)^2 - cos(half)^2 |p|^2 tell the length of the way p, and so the angle
    squared = (along**2 - excess) / np.cos(half) ** 2
    rates = (2.0 * along * slopes[0] - slopes[1]) / np.cos(half) ** 2
    cosine = along / np.sqrt(squared)
    compare(
        (np.cos(angle), -np.sin(angle) * slope),
        (np.array([cosine]), slopes[:1] / np.sqrt(squared) - 0.5 * cosine * rates[None] / squared),
    )
    holds = bool(
        ((t.look(theirs)[0] >= theirs.lower_bound()) & (t.look(theirs)[0] <= theirs.upper_bound())).all()
    )
    assert holds == (mine.violation(t.robot, t.q) == 0.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_distances_of_points(seed: int) -> None:
    """Drake has squares where kido has distances."""
    from pydrake.multibody import inverse_kinematics as drake

    rng = np.random.default_rng(seed)
    t, a, b = random_pair(rng)
    A, B = t.robot.body(f"l{a}"), t.robot.body(f"l{b}")
    p, r, n = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    d, slope = both(t, PointToPointDistanceConstraint(A, 0.1, 0.5, point=p, other_frame=B, other_point=r))
    theirs = drake.PointToPointDistanceConstraint(t.plant, t.frame(a), p, t.frame(b), r, 0.1, 0.5, t.context)
    compare((d * d, 2.0 * d * slope), t.look(theirs))
    d, slope = both(t, PointToLineDistanceConstraint(A, n, 0.1, 0.5, point=p, line_frame=B, line_point=r))
    theirs = drake.PointToLineDistanceConstraint(
        t.plant, t.frame(a), p, t.frame(b), r, n, 0.1, 0.5, t.context
    )
    compare((d * d, 2.0 * d * slope), t.look(theirs))


@pytest.mark.parametrize("seed", SEEDS)
def test_centres_of_mass(seed: int) -> None:
    from pydrake.multibody import inverse_kinematics as drake

    rng = np.random.default_rng(seed)
    t, a, _ = random_pair(rng)
    mine = CenterOfMassConstraint(-np.ones(3), np.ones(3), relative_to=t.robot.body(f"l{a}"))
    theirs = drake.ComPositionConstraint(t.plant, None, t.frame(a), t.context)
    value, slope = t.look(theirs, np.zeros(3))  # where a centre is said to be at 0
    found = both(t, mine)
    sign = np.sign(found[0] @ value)
    compare(found, (sign * value, sign * slope))
    A = rng.normal(size=(4, 3))
    mine = CenterOfMassConstraint(-np.ones(4), np.ones(4), A=A, relative_to=t.robot.body(f"l{a}"))
    theirs = drake.ComInPolyhedronConstraint(t.plant, None, t.frame(a), A, -np.ones(4), np.ones(4), t.context)
    compare(both(t, mine), t.look(theirs))


@pytest.mark.parametrize("seed", SEEDS)
def test_costs(seed: int) -> None:
    from pydrake.math import RotationMatrix
    from pydrake.multibody import inverse_kinematics as drake

    rng = np.random.default_rng(seed)
    t, a, b = random_pair(rng)
    A, B = t.robot.body(f"l{a}"), t.robot.body(f"l{b}")
    p, r, u = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    C = rng.normal(size=(3, 3))
    R = so3_exp(rng.normal(size=3))

    def found(cost: Any) -> tuple[Array, Array]:
        return np.array([cost.value(t.robot, t.q)]), cost.gradient(t.robot, t.q)[None]

    mine = PositionCost(B, p, C @ C.T, point=r, relative_to=A)
    compare(
        found(mine), t.look(drake.PositionCost(t.plant, t.frame(a), p, t.frame(b), r, C @ C.T, t.context))
    )
    mine = OrientationCost(B, 1.7, rotation=R, relative_to=A)
    theirs = drake.OrientationCost(
        t.plant, t.frame(a), RotationMatrix(R), t.frame(b), RotationMatrix(), 1.7, t.context
    )
    compare(found(mine), t.look(theirs))
    mine = AngleBetweenVectorsCost(A, p, u, 0.9, other_frame=B)
    theirs = drake.AngleBetweenVectorsCost(t.plant, t.frame(a), p, t.frame(b), u, 0.9, t.context)
    compare(found(mine), t.look(theirs))


@pytest.mark.parametrize("seed", SEEDS)
def test_distances_of_shapes(seed: int) -> None:
    from pydrake.multibody import inverse_kinematics as drake

    rng = np.random.default_rng(seed)
    t, a, b = random_pair(rng)
    inspector = t.scene.model_inspector()
    nodes = {f"ball{i}": t.robot.body(f"l{i}").shape_nodes[0] for i in range(1, JOINTS + 1)}
    assert all(isinstance(node, ShapeNode) for node in nodes.values())

    def ball(i: int) -> Any:
        return t.plant.GetCollisionGeometriesForBody(t.plant.GetBodyByName(f"l{i}"))[0]

    mine = ShapeDistanceConstraint(nodes[f"ball{a}"], nodes[f"ball{b}"], 0.1)
    theirs = drake.DistanceConstraint(t.plant, (ball(a), ball(b)), t.context, 0.1, np.inf)
    compare(both(t, mine), t.look(theirs))

    names = {ball(i): f"ball{i}" for i in range(1, JOINTS + 1)}
    candidates = [(nodes[names[x]], nodes[names[y]]) for x, y in inspector.GetCollisionCandidates()]
    shapes = list(nodes.values())
    pairs = [(shapes.index(x), shapes.index(y)) for x, y in candidates]
    distances = np.array([ShapeDistanceConstraint(x, y, 0.0).value(t.robot, t.q)[0] for x, y in candidates])
    for bound in (distances.min() - 0.03, distances.min() + 0.05, distances.min() + 0.3):
        low = MinimumDistanceLowerBoundConstraint(shapes, pairs, bound, bound + 0.1)
        other = drake.MinimumDistanceLowerBoundConstraint(
            t.plant, bound, t.context, influence_distance_offset=0.1
        )
        value, slope = low.penalty(t.robot, t.q)
        compare((np.array([value]), slope[None]), t.look(other))
        high = MinimumDistanceUpperBoundConstraint(shapes, pairs, bound, bound + 0.1)
        other = drake.MinimumDistanceUpperBoundConstraint(
            t.plant, bound, t.context, influence_distance_offset=0.1
        )
        value, slope = high.penalty(t.robot, t.q)
        compare((np.array([value]), slope[None]), t.look(other))
