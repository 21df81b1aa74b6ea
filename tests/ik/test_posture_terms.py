"""Constraints and costs of postures by themselves: derivatives, bounds, formulas."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from _posture_parts import Array, constraints, costs, integrated, two_skeletons

from kido.ik import (
    AngleBetweenVectorsConstraint,
    CenterOfMassConstraint,
    GazeTargetConstraint,
    MinimumDistanceLowerBoundConstraint,
    MinimumDistanceUpperBoundConstraint,
    OrientationConstraint,
    PointToPointDistanceConstraint,
    PostureConstraint,
    PostureProblem,
    StaticEquilibriumConstraint,
)
from kido.ik._posture._layout import Layout
from kido.ik._posture._program import Program

STEP = 1e-6
CONSTRAINTS, COSTS = 20, 10


def by_differences(f, skeletons, q: Array, extras: Array) -> Array:
    """Derivative of f(q, extras) by velocities and extras."""
    columns = []
    for i in range(len(q)):
        v = np.zeros(len(q))
        v[i] = STEP
        up, down = f(integrated(skeletons, q, v), extras), f(integrated(skeletons, q, -v), extras)
        columns.append((np.atleast_1d(up) - np.atleast_1d(down)) / (2.0 * STEP))
    for i in range(len(extras)):
        d = np.zeros(len(extras))
        d[i] = STEP
        columns.append((np.atleast_1d(f(q, extras + d)) - np.atleast_1d(f(q, extras - d))) / (2.0 * STEP))
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("which", range(CONSTRAINTS))
def test_the_jacobian_of_a_constraint_is_the_derivative_of_its_value(which: int) -> None:
    rng = np.random.default_rng(which)
    both = two_skeletons()
    constraint = constraints(*both, rng)[which]
    for _ in range(2):
        q, extras = rng.uniform(-1, 1, 43), rng.normal(size=constraint.num_extras)

        def value(q: Array, extras: Array) -> Array:
            return constraint.value(both, q, forces=extras)

        J = constraint.jacobian(both, q, forces=extras)
        np.testing.assert_allclose(J, by_differences(value, both, q, extras), atol=3e-6)
        assert np.abs(J).max() > 1e-3


@pytest.mark.parametrize("which", range(COSTS))
def test_the_gradient_of_a_cost_is_the_derivative_of_its_value(which: int) -> None:
    rng = np.random.default_rng(which)
    both = two_skeletons()
    cost = costs(*both, rng)[which]
    for _ in range(2):
        q = rng.uniform(-1, 1, 43)
        found = by_differences(lambda q, _: cost.value(both, q), both, q, np.zeros(0))[0]
        gradient = cost.gradient(both, q)
        np.testing.assert_allclose(gradient, found, rtol=1e-6, atol=1e-6)
        assert np.abs(gradient).max() > 1e-3


@pytest.mark.parametrize("which", range(CONSTRAINTS))
def test_all_rows_that_native_code_has_of_a_constraint_have_their_derivative(which: int) -> None:
    rng = np.random.default_rng(100 + which)
    both = two_skeletons()
    constraint = constraints(*both, rng)[which]
    program = Program(Layout(both, follows=False), (constraint,), (), with_limits=False)
    q, extras = rng.uniform(-1, 1, 43), rng.normal(size=constraint.num_extras)

    def rows(q: Array, extras: Array) -> Array:
        return program.look(q, extras)[0]

    _, J, lower, upper, _, _ = program.look(q, extras)
    found = by_differences(rows, both, q, extras)
    counted = np.isfinite(lower) | np.isfinite(upper)  # pairs of shapes far from each other have no row
    if constraint.num_extras or not isinstance(constraint, MinimumDistanceLowerBoundConstraint):
        counted[:] = True
    np.testing.assert_allclose(J[counted], found[counted], atol=3e-6)


def test_values_are_geometry() -> None:
    rng = np.random.default_rng(1)
    both = two_skeletons()
    humanoid, arm = both
    q = rng.uniform(-1, 1, 43)
    made = {type(one).__name__: one for one in constraints(*both, rng)}
    humanoid.positions, arm.positions = q[:36], q[36:]
    T = {}
    for name in ("PositionConstraint", "GazeTargetConstraint", "PointToLineDistanceConstraint"):
        one = made[name]
        T[name] = humanoid.body("right_hand").transform() @ one.frame.pose
    tool = arm.bodies[-1].transform()

    one = made["PositionConstraint"]
    world = T["PositionConstraint"] @ np.append(one.point, 1.0)
    np.testing.assert_allclose(one.value(both), (np.linalg.inv(tool) @ world)[:3], atol=1e-12)

    one = made["GazeTargetConstraint"]
    source = T["GazeTargetConstraint"] @ np.append(one.source, 1.0)
    way = (tool @ np.append(one.target, 1.0) - source)[:3]
    axis = T["GazeTargetConstraint"][:3, :3] @ one.axis
    np.testing.assert_allclose(np.cos(one.value(both)), way @ axis / np.linalg.norm(way), atol=1e-12)

    one = made["PointToLineDistanceConstraint"]
    point = (T["PointToLineDistanceConstraint"] @ np.append(one.point, 1.0))[:3]
    start, n = (tool @ np.append(one.line_point, 1.0))[:3], tool[:3, :3] @ one.direction
    np.testing.assert_allclose(one.value(both), np.linalg.norm(np.cross(point - start, n)), atol=1e-12)


def test_the_centre_of_mass_counts_bodies_that_are_fixed_to_the_world() -> None:
    humanoid, arm = two_skeletons()
    center = (humanoid.mass * humanoid.com() + arm.mass * arm.com()) / (humanoid.mass + arm.mass)
    constraint = CenterOfMassConstraint(center, center)
    np.testing.assert_allclose(constraint.value([humanoid, arm]), center, atol=1e-12)
    of_one = CenterOfMassConstraint(center, center, skeleton=arm)
    np.testing.assert_allclose(of_one.value([humanoid, arm]), arm.com(), atol=1e-12)


def test_forces_balance_weight_and_its_moment() -> None:
    both = two_skeletons()
    humanoid, _ = both
    rng = np.random.default_rng(2)
    constraint = next(one for one in constraints(*both, rng) if isinstance(one, StaticEquilibriumConstraint))
    e = 100.0 * rng.normal(size=(2, 3))
    points = [
        (humanoid.body(name).transform() @ np.append(contact.point, 1.0))[:3]
        for name, contact in zip(("right_hand", "left_foot"), constraint.contacts, strict=True)
    ]
    up = np.array([0.0, 0.0, humanoid.mass * 9.81])
    moment = sum(np.cross(p - humanoid.com(), f) for p, f in zip(points, e, strict=True))
    value = constraint.value(both, forces=e.ravel())
    np.testing.assert_allclose(value[:6], np.concatenate([e.sum(axis=0) - up, moment]), atol=1e-9)
    normal = both[1].bodies[3].transform()[:3, :3] @ constraint.contacts[0].normal
    part = e[0] @ normal
    np.testing.assert_allclose(value[6], part, atol=1e-9)
    np.testing.assert_allclose(value[7], 0.7 * part - np.linalg.norm(e[0] - part * normal), atol=1e-9)


def test_an_angle_that_shall_be_half_a_turn_is_one_with_the_opposite() -> None:
    _, arm = two_skeletons()
    tool = arm.bodies[-1]
    upside_down = AngleBetweenVectorsConstraint(tool, (0, 0, 1), (0, 0, 1), np.pi, np.pi)
    assert upside_down.bounds(arm) == (np.pi, np.pi)
    problem = PostureProblem(arm)
    problem.add(upside_down)
    result = problem.solve()
    assert result.success, result
    problem.set_positions(result)
    np.testing.assert_allclose(tool.transform()[2, 2], -1.0, atol=1e-9)


@pytest.mark.parametrize("bound", [0.0, 1e-3, 0.3, 1.0])
def test_angles_within_a_bound_are_told_to_native_code_as_a_box_around_the_same_ball(bound: float) -> None:
    rng = np.random.default_rng(3)
    _, arm = two_skeletons()
    tool = arm.bodies[-1]
    made: list[PostureConstraint] = [
        OrientationConstraint(tool, bound, rotation=tool.transform()[:3, :3]),
        GazeTargetConstraint(tool, (0, 0, 1), tool.transform()[:3, 3] + tool.transform()[:3, 2], bound),
        PointToPointDistanceConstraint(tool, 0.0, bound, other_point=tool.transform()[:3, 3]),
    ]
    q0 = np.array(arm.positions)
    for constraint in made:
        program = Program(Layout((arm,), follows=False), (constraint,), (), with_limits=False)
        for size in (1e-9, 1e-4, 0.01, 0.1, 0.3):
            q = q0 + rng.uniform(-size, size, len(q0))
            rows, _, lower, upper, _, _ = program.look(q, np.zeros(0))
            held = bool(((rows >= lower - 1e-12) & (rows <= upper + 1e-12)).all())
            assert held == (constraint.violation(arm, q) <= 1e-12)


def test_terms_are_values() -> None:
    rng = np.random.default_rng(4)
    both = two_skeletons()
    for term in (*constraints(*both, rng), *costs(*both, rng)):
        again = pickle.loads(pickle.dumps(term))
        assert again == term
        assert hash(again) == hash(term)
        assert term.text
        with pytest.raises(AttributeError):
            term.nothing = 1


def test_penalties_of_distances_hold_where_the_bound_does() -> None:
    rng = np.random.default_rng(5)
    both = two_skeletons()
    made = constraints(*both, rng)
    lower = next(one for one in made if isinstance(one, MinimumDistanceLowerBoundConstraint))
    upper = next(one for one in made if isinstance(one, MinimumDistanceUpperBoundConstraint))
    seen = set()
    for _ in range(40):
        q = rng.uniform(-0.4, 0.4, 43)
        for bound in (-0.02, 0.0, 0.05):
            low = MinimumDistanceLowerBoundConstraint(lower.shapes, lower.pairs, bound, bound + 0.1)
            high = MinimumDistanceUpperBoundConstraint(upper.shapes, upper.pairs, bound, bound + 0.1)
            if low.penalty(both, q)[0] <= 1.0:
                assert low.violation(both, q) == 0.0
                seen.add("lower")
            if high.penalty(both, q)[0] >= 1.0:
                assert high.violation(both, q) == 0.0
                seen.add("upper")
            slope = by_differences(lambda q, _, low=low: low.penalty(both, q)[0], both, q, np.zeros(0))[0]
            np.testing.assert_allclose(low.penalty(both, q)[1], slope, atol=2e-4)
    assert "upper" in seen
