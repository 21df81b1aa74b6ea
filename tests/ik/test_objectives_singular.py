"""Objectives beside singular positions, where the positions that keep a target turn sharply: answers are at
minima, which the self-motion of the arm confirms, and quickly found."""

from __future__ import annotations

import numpy as np
import pytest
from _poses import Array
from test_objectives import Distance, residual, seven

from kido import InverseKinematics, gallery
from kido.ik import GradientMethod, JacobianTranspose, LookAt, SelectivelyDampedLeastSquares
from kido.optimize import Function, ModularFunction, QuadraticFunction

ELBOW, SHOULDER, WRIST = 3, 1, 5


def near_singular(ik: InverseKinematics, joints: tuple[int, ...], count: int, seed: int) -> list[Array]:
    """Targets reached where some joints are 1e-2 to 1e-7 rad from straight."""
    lower, upper = ik.position_limits
    rng = np.random.default_rng(seed)
    targets = []
    for _ in range(count):
        q = rng.uniform(lower, upper)
        for joint in joints:
            q[joint] = rng.normal() * 10.0 ** -rng.integers(2, 7)
        with ik.at(q):
            targets.append(ik.transform().copy())
    return targets


def apart(T: Array, S: Array) -> Array:
    """Rotation vector and translation from T to S (6,), in world axes, for small rotations."""
    R = S[:3, :3] @ T[:3, :3].T
    turned = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return np.concatenate([turned, S[:3, 3] - T[:3, 3]])


def world_rows(ik: InverseKinematics) -> Array:
    """Jacobian (6, n) of `apart` by central differences."""
    q, step = ik.positions.copy(), 1e-6
    columns = []
    for j in range(len(q)):
        ends = []
        for sign in (1.0, -1.0):
            moved = q.copy()
            moved[j] += sign * step
            with ik.at(moved):
                ends.append(ik.transform().copy())
        columns.append(apart(ends[1], ends[0]) / (2.0 * step))
    return np.array(columns).T


def self_motion(ik: InverseKinematics, start: Array, step: float, count: int) -> list[Array]:
    """Positions that keep the pose of the start, each a step from the one before, both ways."""
    with ik.at(start):
        kept = ik.transform().copy()
    curve = []
    for sign in (1.0, -1.0):
        q, along = start.copy(), np.zeros(len(start))
        for _ in range(count):
            with ik.at(q):
                tangent = np.linalg.svd(world_rows(ik))[2][-1]
            if not along.any():
                along = sign * tangent
            along = tangent * np.sign(tangent @ along)
            q = q + step * along
            for _ in range(6):
                with ik.at(q):
                    q = q + np.linalg.lstsq(world_rows(ik), apart(ik.transform(), kept), rcond=None)[0]
            curve.append(q)
    return curve


@pytest.mark.parametrize("weight", [1.0, 1e4])
@pytest.mark.parametrize(
    "joints",
    [(ELBOW,), (ELBOW, WRIST), (ELBOW, SHOULDER), (SHOULDER, ELBOW, WRIST)],
    ids=["elbow", "elbow and wrist", "elbow and shoulder", "all"],
)
def test_all_answers_beside_singular_positions_are_minima(joints: tuple[int, ...], weight: float) -> None:
    ik = seven()
    lower, upper = ik.position_limits
    ik.objective = objective = Distance(0.3 * lower + 0.2 * upper, weight)
    for target in near_singular(ik, joints, 60, seed=len(joints)):
        ik.target.set_transform(target)
        result = ik.solve()
        assert result.success and result.is_optimal, result.message
        assert max(result.angular_error, result.linear_error) <= 1e-6
        assert residual(ik, result.positions, objective.gradient(result.positions)) <= 1e-6


@pytest.mark.parametrize("start", [np.zeros(7), np.linspace(-1.0, 1.2, 7)], ids=["straight", "bent"])
def test_the_self_motion_of_a_nearly_straight_arm_leads_to_nothing_lower(start: Array) -> None:
    ik = seven()
    lower, upper = ik.position_limits
    ik.objective = objective = Distance(0.3 * lower + 0.2 * upper)
    higher = 0.0
    for target in near_singular(ik, (ELBOW,), 12, seed=9):
        ik.target.set_transform(target)
        ik.positions = start
        result = ik.solve()
        assert result.is_optimal
        least = objective.value(result.positions)
        curve = self_motion(ik, result.positions, 5e-3, 12)
        curve = [q for q in curve if np.all((q >= lower) & (q <= upper))]
        values = np.array([objective.value(q) for q in curve])
        assert np.all(values >= least - 1e-6)
        higher = max(higher, float(np.max(values, initial=least) - least))
    assert higher > 1e-4  # the curve leads away


class Counted(Function):
    """Counts how often a function is asked for its value."""

    def __init__(self, function: Function) -> None:
        self.function, self.count = function, 0

    def value(self, x: Array) -> float:
        self.count += 1
        return self.function.value(x)

    def gradient(self, x: Array) -> Array:
        return self.function.gradient(x)


def test_a_descent_that_leads_nowhere_ends_soon() -> None:
    ik = seven()
    slow = Counted(Distance(np.full(7, 0.3)))
    # A value that has nothing to do with the gradient, as of a wrong derivative: no step is long lower.
    ik.objective = noisy = Counted(ModularFunction(lambda x: float(np.sin(1e7 * x.sum())), lambda x: x - 0.3))
    for target in near_singular(ik, (ELBOW, WRIST), 10, seed=4):
        ik.target.set_transform(target)
        noisy.count = 0
        result = ik.solve()
        assert result.success and noisy.count <= 460
    ik.objective = slow
    for target in near_singular(ik, (ELBOW,), 40, seed=5):
        ik.target.set_transform(target)
        slow.count = 0
        assert ik.solve().is_optimal and slow.count <= 120


def test_a_gradient_that_is_no_number_ends_the_descent_before_it() -> None:
    ik = seven()
    inside = np.linspace(0.2, 0.8, 7)

    def gradient(x: Array) -> Array:
        return np.full(7, np.nan) if x[0] < 0.1 else x

    with ik.at(inside):
        ik.target.set_transform(ik.transform())
    ik.positions = inside
    ik.objective = ModularFunction(lambda x: 0.5 * float(x @ x), gradient)
    result = ik.solve()
    assert result.success and result.positions[0] >= 0.1 and np.all(np.isfinite(result.positions))
    assert 0.5 * float(result.positions @ result.positions) <= 0.5 * float(inside @ inside)


@pytest.mark.parametrize("method", [SelectivelyDampedLeastSquares(), JacobianTranspose(), None])
def test_an_objective_at_the_tip_of_a_line_of_sight_is_lowered_by_numbers(
    method: GradientMethod | None,
) -> None:
    """The node comes to the target that it looks at: rows grow without bounds, and depend on each other."""
    robot = gallery.arm()
    ik = InverseKinematics.of(robot.bodies[-1])
    ik.error_method = LookAt((0.0, 0.0, 1.0))
    if method is not None:
        ik.gradient_method = method
    rng = np.random.default_rng(0)
    lower, upper = np.maximum(ik.position_limits[0], -1.0), np.minimum(ik.position_limits[1], 1.0)
    for _ in range(60):
        ik.positions = rng.uniform(lower, upper)
        ik.target.set_transform(ik.transform())
        ik.positions = rng.uniform(lower, upper)
        ik.objective = QuadraticFunction(rng.uniform(-1.0, 1.0, 6))
        result = ik.solve()
        assert result.success, result.message
        lowered, ik.objective = ik.objective, None
        assert lowered.value(result.positions) <= lowered.value(ik.solve().positions) + 1e-9
