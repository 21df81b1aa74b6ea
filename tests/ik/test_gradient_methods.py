"""Gradient methods by their formulas, and what they do near singular positions and on a whole arm."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from _poses import Array, drawn, gap, placed, planar_arm, reachable

from kido import InverseKinematics, gallery
from kido.ik import (
    DampedLeastSquares,
    ErrorMethod,
    GradientMethod,
    JacobianInverse,
    JacobianPseudoinverse,
    JacobianTranspose,
    SelectivelyDampedLeastSquares,
    StepLimits,
    TaskSpaceRegion,
)
from kido.optimize import GradientDescentSolver

SHAPES = [(6, 6), (6, 7), (6, 4), (3, 5), (2, 2)]
METHODS: dict[str, Callable[..., GradientMethod]] = {
    "transpose": JacobianTranspose,
    "inverse": JacobianInverse,
    "pseudoinverse": JacobianPseudoinverse,
    "damped": DampedLeastSquares,
    "selectively damped": SelectivelyDampedLeastSquares,
}
every_method = pytest.mark.parametrize("make", METHODS.values(), ids=METHODS.keys())
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


@pytest.fixture
def ik() -> InverseKinematics:
    return InverseKinematics.of(gallery.arm().end_effector("tool"))


def drawn_system(shape: tuple[int, int], seed: int = 0) -> tuple[Array, Array]:
    """A random Jacobian of this shape, and a random error."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape), rng.standard_normal(shape[0])


def with_singular_values(*values: float) -> Array:
    """A square matrix with these singular values, turned at random."""
    rng = np.random.default_rng(1)
    n = len(values)
    U, V = (np.linalg.qr(rng.standard_normal((n, n)))[0] for _ in range(2))
    return np.asarray(U @ np.diag(values) @ V.T)


def step(ik: InverseKinematics, method: GradientMethod, J: Array, e: Array) -> Array:
    return method.compute_gradient(ik, e, J)


# ---- formulas


@every_shape
def test_the_transpose_is_scaled_by_its_gain(ik: InverseKinematics, shape: tuple[int, int]) -> None:
    J, e = drawn_system(shape)
    np.testing.assert_allclose(step(ik, JacobianTranspose(gain=0.3), J, e), 0.3 * e @ J, rtol=1e-13)


@every_shape
def test_the_transpose_without_gain_overshoots_no_part_of_the_error(
    ik: InverseKinematics, shape: tuple[int, int]
) -> None:
    J, e = drawn_system(shape)
    U, s, _ = np.linalg.svd(J, full_matrices=False)
    g = step(ik, JacobianTranspose(), J, e)
    left = U.T @ (e - J @ g)
    np.testing.assert_allclose(left, (1.0 - (s / s[0]) ** 2) * (U.T @ e), atol=1e-12)


def test_the_inverse_makes_the_error(ik: InverseKinematics) -> None:
    J, e = drawn_system((6, 6))
    np.testing.assert_allclose(step(ik, JacobianInverse(), J, e), np.linalg.inv(J) @ e, rtol=1e-10)


@pytest.mark.parametrize("shape", [(6, 7), (6, 4), (3, 5)], ids=str)
def test_the_inverse_names_the_sizes_that_do_not_fit(ik: InverseKinematics, shape: tuple[int, int]) -> None:
    J, e = drawn_system(shape)
    expected = rf"^JacobianInverse: expected as many dofs .* got {shape[1]} dofs and {shape[0]} components"
    with pytest.raises(ValueError, match=expected):
        step(ik, JacobianInverse(), J, e)


def test_the_inverse_names_the_sizes_of_an_arm_with_seven_joints() -> None:
    ik = InverseKinematics.of(gallery.arm7().end_effector("tool"))
    ik.gradient_method = JacobianInverse()
    before = ik.owner.skeleton.positions
    with pytest.raises(ValueError, match=r"^JacobianInverse: .* got 7 dofs and 6 components"):
        ik.gradient()
    ik.target.set_translation((0.3, 0.2, 0.5))
    with pytest.raises(ValueError, match=r"^JacobianInverse: .* got 7 dofs and 6 components"):
        ik.solve_and_apply()
    np.testing.assert_array_equal(ik.owner.skeleton.positions, before)


def test_the_inverse_is_the_pseudoinverse_where_there_is_none(ik: InverseKinematics) -> None:
    J, e = with_singular_values(2.0, 1.0, 0.5, 0.0), np.array([1.0, -2.0, 0.5, 0.3])
    np.testing.assert_allclose(
        step(ik, JacobianInverse(), J, e), np.linalg.pinv(J, rcond=1e-12) @ e, atol=1e-12
    )


@pytest.mark.parametrize("ratio", [1.1e-9, 1e-3])
def test_the_inverse_goes_on_above_its_tolerance(ik: InverseKinematics, ratio: float) -> None:
    J, e = with_singular_values(2.0, 1.0, 2.0 * ratio), np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(J @ step(ik, JacobianInverse(), J, e), e, rtol=1e-5)


@every_shape
def test_the_pseudoinverse_is_that_of_numpy(ik: InverseKinematics, shape: tuple[int, int]) -> None:
    J, e = drawn_system(shape)
    np.testing.assert_allclose(step(ik, JacobianPseudoinverse(), J, e), np.linalg.pinv(J) @ e, rtol=1e-10)


@pytest.mark.parametrize(("small", "counts"), [(0.99e-3, False), (1.01e-3, True)])
def test_singular_values_below_the_tolerance_count_as_zero(
    ik: InverseKinematics, small: float, counts: bool
) -> None:
    J = with_singular_values(2.0, 1.0, 2.0 * small)
    e = np.linalg.svd(J)[0][:, 2]
    g = step(ik, JacobianPseudoinverse(rank_tolerance=1e-3), J, e)
    np.testing.assert_allclose(np.linalg.norm(g), 1.0 / (2.0 * small) if counts else 0.0, atol=1e-9)


@every_shape
@pytest.mark.parametrize("damping", [1e-6, 1e-4, 0.05, 2.0])
def test_damped_least_squares_weigh_steps_against_what_is_left(
    ik: InverseKinematics, shape: tuple[int, int], damping: float
) -> None:
    J, e = drawn_system(shape)
    stacked = np.concatenate([J, damping * np.eye(shape[1])])
    expected = np.linalg.lstsq(stacked, np.concatenate([e, np.zeros(shape[1])]), rcond=None)[0]
    np.testing.assert_allclose(step(ik, DampedLeastSquares(damping), J, e), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("relative", [0.9, 1.1])
def test_damping_is_the_same_on_both_sides_of_where_rounding_would_hide_it(
    ik: InverseKinematics, relative: float
) -> None:
    J, e = with_singular_values(1.0, 0.5, 1e-4), np.array([1.0, -2.0, 0.5])
    damping = relative * math.sqrt(1e-9 * float(np.sum(J * J)))
    U, s, Vt = np.linalg.svd(J)
    expected = Vt.T @ (s / (s**2 + damping**2) * (U.T @ e))
    np.testing.assert_allclose(step(ik, DampedLeastSquares(damping), J, e), expected, rtol=1e-8)


@pytest.mark.parametrize("damping", [0.0, 1e-200, 1e-12])
def test_hardly_any_damping_is_the_pseudoinverse_also_where_rank_is_lost(
    ik: InverseKinematics, damping: float
) -> None:
    J, e = with_singular_values(2.0, 1.0, 0.5, 0.0), np.array([1.0, -2.0, 0.5, 0.3])
    got = step(ik, DampedLeastSquares(damping), J, e)
    np.testing.assert_allclose(got, np.linalg.pinv(J, rcond=1e-12) @ e, atol=1e-9)


def clamped(x: Array, largest: float) -> Array:
    """ClampMaxAbs of Buss and Kim."""
    most = max(abs(x))
    return x if most <= largest else x * largest / most


def by_the_paper(J: Array, e: Array, gamma_max: float = np.pi / 4) -> Array:
    """Selectively damped least squares for one effector, as the paper writes it."""
    U, s, Vt = np.linalg.svd(J)
    rho = [np.linalg.norm(J[:, j]) for j in range(J.shape[1])]
    total = np.zeros(J.shape[1])
    for i, sigma in enumerate(s):
        if sigma == 0.0:
            continue
        alpha, v = U[:, i] @ e, Vt[i]
        N = np.linalg.norm(U[:, i])
        M = sum(abs(v[j]) * rho[j] for j in range(J.shape[1])) / sigma
        total += clamped(alpha / sigma * v, min(1.0, N / M) * gamma_max)
    return clamped(total, gamma_max)


@every_shape
@pytest.mark.parametrize("size", [1e-3, 0.3, 3.0, 300.0])
def test_selective_damping_is_that_of_the_paper(
    ik: InverseKinematics, shape: tuple[int, int], size: float
) -> None:
    for seed in range(5):
        J, e = drawn_system(shape, seed)
        got = step(ik, SelectivelyDampedLeastSquares(), J, size * e)
        np.testing.assert_allclose(got, by_the_paper(J, size * e), atol=1e-12)
        got = step(ik, SelectivelyDampedLeastSquares(0.1), J, size * e)
        np.testing.assert_allclose(got, by_the_paper(J, size * e, 0.1), atol=1e-12)


def test_selective_damping_is_the_pseudoinverse_where_nothing_is_clamped(ik: InverseKinematics) -> None:
    J, e = with_singular_values(2.0, 1.0, 0.5), np.array([1.0, -2.0, 0.5])
    got = step(ik, SelectivelyDampedLeastSquares(), J, 0.01 * e)
    np.testing.assert_allclose(got, np.linalg.inv(J) @ (0.01 * e), rtol=1e-12)


@pytest.mark.parametrize("small", [1e-3, 1e-9, 1e-13, 1e-17, 1e-300, 0.0])
def test_selective_damping_lets_go_of_what_is_lost_and_keeps_the_rest(
    ik: InverseKinematics, small: float
) -> None:
    J = with_singular_values(2.0, 1.0, small)
    U, _, Vt = np.linalg.svd(J)
    e = U @ np.array([0.02, -0.03, 1.0])
    g = Vt @ step(ik, SelectivelyDampedLeastSquares(), J, e)
    np.testing.assert_allclose(g[:2], [0.01, -0.03], rtol=1e-6)
    assert abs(g[2]) <= np.pi / 4 * max(small, 1e-13)


@every_method
def test_a_jacobian_of_zeros_gives_no_step(ik: InverseKinematics, make: Callable[..., Any]) -> None:
    np.testing.assert_array_equal(step(ik, make(), np.zeros((6, 6)), np.ones(6)), np.zeros(6))


# ---- settings


@every_method
def test_clamp_and_weights_are_one_value(make: Callable[..., Any]) -> None:
    method = make(component_clamp=0.3, component_weights=[1.0, 0.5])
    limits = method.step_limits
    assert limits == StepLimits(component_clamp=0.3, component_weights=(1.0, 0.5))
    assert method.step_limits is limits
    other = replace(method, component_clamp=0.1)
    assert other.step_limits == StepLimits(component_clamp=0.1, component_weights=(1.0, 0.5))
    assert pickle.loads(pickle.dumps(method)).step_limits == limits and copy(method).step_limits == limits


def test_limits_weigh_components_and_then_clamp_them() -> None:
    step = np.array([1.0, -1.0, 4.0])
    limits = StepLimits(component_clamp=2.5, component_weights=(2.0, 3.0))
    np.testing.assert_array_equal(limits.limited(step), [2.0, -2.5, 2.5])
    np.testing.assert_array_equal(limits.limited(step[:1]), [2.0])
    np.testing.assert_array_equal(StepLimits().limited(step), step)
    np.testing.assert_array_equal(step, [1.0, -1.0, 4.0])


@every_method
def test_methods_are_values(make: Callable[..., Any]) -> None:
    method = make(component_clamp=0.3, component_weights=[1.0, 0.5])
    assert method == make(component_clamp=0.3, component_weights=(1.0, 0.5))
    assert method != make(component_clamp=0.4, component_weights=(1.0, 0.5))
    assert pickle.loads(pickle.dumps(method)) == method and hash(method) == hash(
        make(component_clamp=0.3, component_weights=(1.0, 0.5))
    )
    assert not method.component_weights.flags.writeable
    with pytest.raises(AttributeError):
        method.component_clamp = 1.0


@every_method
@pytest.mark.parametrize(
    ("name", "bad"),
    [
        *(("component_clamp", bad) for bad in (0.0, -1.0, math.nan)),
        *(("component_weights", bad) for bad in ([-1.0], [math.nan], [[1.0]], 1.0)),
    ],
)
def test_limits_out_of_range_are_refused_by_name(make: Callable[..., Any], name: str, bad: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: expected .*, got"):
        make(**{name: bad})


@pytest.mark.parametrize(
    ("make", "name", "bad"),
    [
        *((DampedLeastSquares, "damping", bad) for bad in (-0.1, math.inf, math.nan)),
        *((JacobianPseudoinverse, "rank_tolerance", bad) for bad in (-0.1, math.inf, math.nan)),
        *((JacobianTranspose, "gain", bad) for bad in (0.0, -0.1, math.inf, math.nan)),
        *((SelectivelyDampedLeastSquares, "largest_change", bad) for bad in (0.0, -1.0, math.inf, math.nan)),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(make: Callable[..., Any], name: str, bad: float) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: expected a finite number .*, got"):
        make(**{name: bad})


@every_method
def test_what_is_no_number_is_refused_by_name(make: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=r"^component_clamp: expected a number, got '1'"):
        make(component_clamp="1")


# ---- near singular positions


class PlanarPosition(ErrorMethod):
    """Where a tip in the plane is, less where it shall be [m]."""

    def __init__(self, *target: float) -> None:
        self.target = np.array(target)

    def compute_error(self, ik: InverseKinematics) -> Array:
        return ik.transform()[:2, 3] - self.target

    def compute_jacobian(self, ik: InverseKinematics) -> Array:
        return ik.jacobian()[3:5]


def planar(positions: list[float], target: tuple[float, float]) -> InverseKinematics:
    """An arm of links of 1 m, and a wish for the position of its tip."""
    ik = InverseKinematics.of(planar_arm(*[1.0] * len(positions)).end_effector("tip"))
    ik.error_method = PlanarPosition(*target)
    ik.positions = positions
    return ik


def descended(ik: InverseKinematics, steps: int) -> tuple[Array, Array]:
    """Positions (steps + 1, k) and distances (steps + 1,) on the way against the gradient."""
    positions, distances = [ik.positions], [np.linalg.norm(ik.error)]
    for _ in range(steps):
        ik.positions = ik.positions - ik.gradient()
        positions.append(ik.positions)
        distances.append(np.linalg.norm(ik.error))
    return np.array(positions), np.array(distances)


def longest_step(positions: Array) -> float:
    return float(np.abs(np.diff(positions, axis=0)).max())


STRETCHED = [
    pytest.param([0.0, 1e-4], (3.0, 0.3), id="2R"),
    pytest.param([0.0, 1e-4, -1e-4], (4.0, 0.5), id="3R"),
    pytest.param([0.4, -0.9], (2.5, -0.8), id="2R from afar"),
    pytest.param([0.4, -0.9, 1.1], (3.5, 1.8), id="3R from afar"),
]


@pytest.mark.parametrize(("start", "target"), STRETCHED)
def test_selective_damping_comes_to_rest_at_the_stretched_pose(
    start: list[float], target: tuple[float, float]
) -> None:
    ik = planar(start, target)
    ik.gradient_method = SelectivelyDampedLeastSquares(component_clamp=math.inf)
    positions, distances = descended(ik, 400)
    assert longest_step(positions) <= np.pi / 4 + 1e-12
    assert longest_step(positions[200:]) < 1e-3 and longest_step(positions[350:]) < 2e-4
    assert (np.diff(distances[20:]) <= 1e-9).all()
    np.testing.assert_allclose(distances[-1], np.hypot(*target) - len(start), atol=1e-3)


@pytest.mark.parametrize(("start", "target"), STRETCHED)
def test_the_pseudoinverse_is_thrown_about_by_the_stretched_pose(
    start: list[float], target: tuple[float, float]
) -> None:
    ik = planar(start, target)
    ik.gradient_method = JacobianPseudoinverse(component_clamp=math.inf)
    positions, _ = descended(ik, 400)
    assert longest_step(positions) > 20.0
    assert longest_step(positions[350:]) > 1.0


def test_the_step_of_selective_damping_does_not_grow_towards_the_stretched_pose() -> None:
    ik = planar([0.0, 1.0], (3.0, 0.0))
    largest: dict[str, list[float]] = {"selectively damped": [], "pseudoinverse": []}
    for bend in (1.0, 0.1, 1e-2, 1e-3, 1e-5):
        ik.positions = [-0.5 * bend, bend]
        for name, steps in largest.items():
            ik.gradient_method = METHODS[name](component_clamp=math.inf)
            steps.append(float(np.abs(ik.gradient()).max()))
    assert (np.diff(largest["selectively damped"]) < 0.0).all() and largest["selectively damped"][-1] < 1e-4
    assert (np.diff(largest["pseudoinverse"]) > 0.0).all() and largest["pseudoinverse"][-1] > 1e4


@every_method
def test_a_folded_arm_with_the_target_in_the_direction_that_is_lost_gives_finite_steps(
    make: Callable[..., Any],
) -> None:
    ik = planar([0.0, 0.0], (3.0, 0.0))
    ik.gradient_method = make()
    assert np.isfinite(ik.gradient()).all()
    np.testing.assert_allclose(ik.gradient(), 0.0, atol=1e-12)


# ---- on a whole arm


@pytest.mark.parametrize(
    ("make", "iterations"),
    [
        (JacobianInverse, 100),
        (JacobianPseudoinverse, 100),
        (DampedLeastSquares, 1500),
        (SelectivelyDampedLeastSquares, 100),
    ],
)
def test_every_method_finds_poses_of_an_arm_with_six_joints(
    make: Callable[..., Any], iterations: int
) -> None:
    finds(make(), iterations)


@every_method
def test_every_method_finds_positions_of_an_arm_with_six_joints(make: Callable[..., Any]) -> None:
    finds(make(), 500, TaskSpaceRegion(angular=(math.inf,) * 3))


def away_from_singular(ik: InverseKinematics, count: int) -> Array:
    """Positions (count, k) well inside the limits, where the node can move in all directions."""
    found = []
    for q in 0.7 * drawn(ik, 200, 9):
        with ik.at(q):
            J = ik.jacobian()
        if min(np.linalg.svd(J)[1].min() / 0.15, np.linalg.svd(J[3:])[1].min() / 0.2) > 1.0:
            found.append(q)
    assert len(found) >= count
    return np.array(found[:count])


def finds(method: GradientMethod, iterations: int, error_method: ErrorMethod | None = None) -> None:
    """Targets near the start are met, within the limits, by the problem's solver; the arm stays."""
    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    ik.gradient_method = method
    if error_method is not None:
        ik.error_method = error_method
    ik.solver = GradientDescentSolver(step_size=1.0, max_iterations=iterations)
    rng = np.random.default_rng(3)
    for wanted in away_from_singular(ik, 6):
        target = placed(ik.owner, wanted)
        ik.target.set_transform(target)
        start = wanted + rng.uniform(-0.2, 0.2, 6)
        ik.owner.skeleton.positions = start
        result = ik.solve()
        assert result.success, result.message
        np.testing.assert_array_equal(ik.positions, start)
        angle, distance = gap(placed(ik.owner, result.positions), target)
        assert distance < 2e-6 and (angle < 2e-6 or error_method is not None)
        assert (result.positions >= ik.position_limits[0]).all()
        assert (result.positions <= ik.position_limits[1]).all()


def test_the_transpose_lowers_the_error_at_every_step() -> None:
    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    ik.gradient_method = JacobianTranspose()
    ik.target.set_transform(reachable(ik, 1, 5)[0])
    ik.owner.skeleton.positions = drawn(ik, 1, 5)[0] + 0.1
    distances = []
    for _ in range(100):
        distances.append(np.linalg.norm(ik.weighted_error()))
        ik.positions = ik.positions - ik.gradient()
    assert (np.diff(distances) < 0.0).all() and distances[-1] < 0.2 * distances[0]
