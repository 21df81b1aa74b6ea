"""Every gradient method in every situation: it leads downhill, rests where there is no error, is limited and
counts in positions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from _ik_situations import SITUATIONS, Array, pose_of
from scipy.spatial.transform import Rotation

import kido
from kido import InverseKinematics
from kido.ik import (
    DampedLeastSquares,
    ErrorMethod,
    GradientMethod,
    JacobianInverse,
    JacobianPseudoinverse,
    JacobianTranspose,
    SelectivelyDampedLeastSquares,
    StatefulGradientMethod,
)


@dataclass(frozen=True)
class Steepest(GradientMethod):
    """A method of a user's own: half the steepest descent."""

    component_clamp: float = 0.2  # type: ignore[assignment]
    component_weights: Any = ()

    def compute_gradient(self, ik: InverseKinematics, error: Array, jacobian: Array) -> Array:
        return 0.5 * jacobian.T @ error


@dataclass(frozen=True)
class HeavyBall(StatefulGradientMethod):
    """A method of a user's own that keeps a state."""

    component_clamp: float = 0.2  # type: ignore[assignment]
    component_weights: Any = ()

    def initial_state(self, ik: InverseKinematics) -> Array:
        return np.zeros(len(ik.dofs))

    def compute_step(
        self, ik: InverseKinematics, error: Array, jacobian: Array, state: Array
    ) -> tuple[Array, Array]:
        step = 0.5 * jacobian.T @ error + 0.7 * state
        return step, step


class OneFunction(GradientMethod):
    """The least that a user's own method has."""

    def compute_gradient(self, ik: InverseKinematics, error: Array, jacobian: Array) -> Array:
        return np.linalg.pinv(jacobian, rcond=1e-3) @ error


@dataclass(frozen=True)
class Mixed(ErrorMethod):
    """As many components as dofs: how far these and the node are from where they shall be."""

    wanted: Array = field(compare=False)
    target: Array = field(compare=False)

    def compute_error(self, ik: InverseKinematics) -> Array:
        apart = ik.transform()[:3, 3] - self.target
        return ik.positions - self.wanted + 0.3 * np.resize(apart, len(self.wanted))


METHODS: dict[str, Callable[..., GradientMethod]] = {
    "transpose": JacobianTranspose,
    "transpose of fixed gain": lambda **limits: JacobianTranspose(gain=0.05, **limits),
    "inverse": JacobianInverse,
    "pseudoinverse": JacobianPseudoinverse,
    "damped": DampedLeastSquares,
    "strongly damped": lambda **limits: DampedLeastSquares(1.0, **limits),
    "selectively damped": SelectivelyDampedLeastSquares,
    "a user's own": Steepest,
    "a user's own with state": HeavyBall,
}
everywhere = pytest.mark.parametrize("situation", SITUATIONS)
every_method = pytest.mark.parametrize("name", METHODS)


def at_rest(situation: str, name: str, **limits: Any) -> InverseKinematics:
    """A module without error; where its Jacobian has to be square, it is."""
    ik = SITUATIONS[situation]()
    ik.gradient_method = METHODS[name](**limits)
    if name == "inverse":
        ik.error_method = Mixed(ik.positions, ik.transform()[:3, 3])
    else:
        ik.target.set_transform(ik.transform())
    return ik


def disturbed(situation: str, name: str, size: float = 0.1, **limits: Any) -> InverseKinematics:
    """The module where its dofs are up to `size` [rad, m] away from there."""
    ik = at_rest(situation, name, **limits)
    rng = np.random.default_rng(len(situation))
    ik.positions = ik.positions + rng.uniform(-size, size, len(ik.dofs))
    return ik


@everywhere
@every_method
def test_the_velocities_lead_up_the_error(situation: str, name: str) -> None:
    ik = disturbed(situation, name)
    _, J = ik.weighted_error_and_jacobian()
    rng = np.random.default_rng(0)
    for scale in (1e-6, 1e-2, 1.0, 100.0):
        error = scale * J @ rng.uniform(-1.0, 1.0, len(ik.dofs))
        before = error.copy(), J.copy()
        velocities = ik.gradient_method.compute_gradient(ik, error, J)
        assert velocities.shape == (len(ik.dofs),)
        assert velocities @ J.T @ error > 0.0
        np.testing.assert_array_equal(error, before[0])
        np.testing.assert_array_equal(J, before[1])


@everywhere
@every_method
def test_there_is_no_step_where_there_is_no_error(situation: str, name: str) -> None:
    ik = at_rest(situation, name)
    np.testing.assert_allclose(ik.gradient(), 0.0, atol=1e-12)
    error, J = ik.weighted_error_and_jacobian()
    np.testing.assert_array_equal(ik.gradient_method.compute_gradient(ik, np.zeros_like(error), J), 0.0)


@everywhere
@every_method
def test_a_finite_step_against_the_gradient_lowers_the_error(situation: str, name: str) -> None:
    ik = disturbed(situation, name, component_clamp=math.inf)
    before = np.linalg.norm(ik.weighted_error())
    ik.positions = ik.positions - 0.5 * ik.gradient()
    assert np.linalg.norm(ik.weighted_error()) < before


@everywhere
@every_method
def test_asking_leaves_the_skeleton_alone(situation: str, name: str) -> None:
    ik = disturbed(situation, name)
    before = ik.node.skeleton.positions, ik.target.transform()
    first = ik.gradient()
    np.testing.assert_array_equal(ik.gradient(), first)
    np.testing.assert_array_equal(ik.node.skeleton.positions, before[0])
    np.testing.assert_array_equal(ik.target.transform(), before[1])


@everywhere
@every_method
def test_components_are_weighted_and_then_clamped(situation: str, name: str) -> None:
    free = disturbed(situation, name, component_clamp=math.inf).gradient()
    weights = np.linspace(0.0, 2.0, len(free))
    largest = 0.5 * float(np.abs(weights * free).max())
    ik = disturbed(situation, name, component_clamp=largest, component_weights=weights)
    expected = np.clip(weights * free, -largest, largest)
    assert (np.abs(expected) == largest).any() and (np.abs(expected) < largest).any()
    np.testing.assert_allclose(ik.gradient(), expected, rtol=1e-12)


@every_method
def test_components_beyond_the_weights_count_fully_and_weights_beyond_the_dofs_not_at_all(name: str) -> None:
    free = disturbed("panda", name, component_clamp=math.inf).gradient()
    few = disturbed("panda", name, component_clamp=math.inf, component_weights=[0.0, 0.5])
    np.testing.assert_allclose(few.gradient(), [0.0, 0.5 * free[1], *free[2:]], rtol=1e-12)
    many = disturbed("panda", name, component_clamp=math.inf, component_weights=np.full(30, 3.0))
    np.testing.assert_allclose(many.gradient(), 3.0 * free, rtol=1e-12)


@every_method
def test_without_a_clamp_of_its_own_no_component_is_above_the_default(name: str) -> None:
    ik = at_rest("panda", name)
    ik.positions = [1.3, 0.9, -1.2, -0.6, -1.1, 2.9, 1.5]
    assert np.abs(ik.gradient()).max() <= 0.2


@every_method
def test_the_gradient_of_a_ball_joint_turns_it_by_the_velocity(name: str) -> None:
    ik = disturbed("ball_joints", name, 0.3, component_clamp=math.inf)
    velocities = ik.gradient_method.compute_gradient(ik, *ik.weighted_error_and_jacobian())
    q, moved = ik.positions, ik.positions - ik.gradient()
    for ball in (slice(0, 3), slice(4, 7)):
        expected = Rotation.from_rotvec(q[ball]) * Rotation.from_rotvec(-velocities[ball])
        np.testing.assert_allclose(
            Rotation.from_rotvec(moved[ball]).as_matrix(), expected.as_matrix(), atol=1e-12
        )
    np.testing.assert_allclose(moved[3], q[3] - velocities[3], rtol=1e-12)


@every_method
def test_the_gradient_of_a_free_joint_moves_it_along_its_own_axes(name: str) -> None:
    ik = disturbed("free_humanoid", name, component_clamp=math.inf)
    root = [i for i, dof in enumerate(ik.dofs) if isinstance(dof.joint, kido.FreeJoint)]
    velocities = 1e-5 * ik.gradient_method.compute_gradient(ik, *ik.weighted_error_and_jacobian())[root]
    turn, place = np.split(ik.positions[root], 2)
    R = Rotation.from_rotvec(turn)
    rate = (ik.positions - _scaled(ik, 1e-5).gradient() - ik.positions)[root]
    turned = R.inv() * Rotation.from_rotvec(turn + rate[:3])
    np.testing.assert_allclose(turned.as_rotvec(), -velocities[:3], atol=1e-9)
    np.testing.assert_allclose(R.inv().apply(rate[3:]), -velocities[3:], atol=1e-9)
    assert np.linalg.norm(place) > 0.1 and np.linalg.norm(velocities) > 1e-9


class _Scaled(GradientMethod):
    def __init__(self, method: GradientMethod, factor: float) -> None:
        self.method, self.factor = method, factor

    def compute_gradient(self, ik: InverseKinematics, error: Array, jacobian: Array) -> Array:
        return self.factor * self.method.compute_gradient(ik, error, jacobian)


def _scaled(ik: InverseKinematics, factor: float) -> InverseKinematics:
    ik.gradient_method = _Scaled(ik.gradient_method, factor)
    return ik


# ---- methods of a user's own


@everywhere
def test_one_function_is_all_that_a_method_needs(situation: str) -> None:
    ik = disturbed(situation, "damped")
    ik.gradient_method = OneFunction()
    result = ik.solve_and_apply()
    assert result.success, result.message
    np.testing.assert_allclose(ik.error, 0.0, atol=2e-6)


@pytest.mark.parametrize("name", METHODS)
def test_a_clone_has_the_same_method(name: str) -> None:
    ik = disturbed("panda", name)
    copy = InverseKinematics.of(ik.node.skeleton.clone().body(ik.node.name))
    assert copy is not ik and copy.gradient_method == ik.gradient_method
    np.testing.assert_allclose(copy.gradient(), ik.gradient(), rtol=1e-12)


class Given(GradientMethod):
    """Gives what it was given."""

    def __init__(self, gradient: Any, weights: Any = ()) -> None:
        self.gradient, self.given_weights = gradient, weights

    @property
    def component_weights(self) -> Any:
        return self.given_weights

    def compute_gradient(self, ik: InverseKinematics, error: Array, jacobian: Array) -> Any:
        return self.gradient


@pytest.mark.parametrize("ask", ["gradient", "solve", "solve_and_apply"])
@pytest.mark.parametrize(
    ("bad", "error", "got"),
    [
        (np.zeros(6), ValueError, r"got \(6,\)"),
        (np.zeros(8), ValueError, r"got \(8,\)"),
        (np.zeros((7, 1)), ValueError, r"got \(7, 1\)"),
        (1.0, ValueError, r"got \(\)"),
        (None, TypeError, "got None"),
        ("up", TypeError, "got 'up'"),
    ],
)
def test_what_is_no_gradient_is_refused_by_the_name_of_the_method(
    bad: Any, error: type[Exception], got: str, ask: str
) -> None:
    ik = disturbed("panda", "damped")
    ik.gradient_method = Given(bad)
    before = ik.node.skeleton.positions
    with pytest.raises(error, match=rf"Given\.compute_gradient: expected .*\(7,\).*{got}"):
        getattr(ik, ask)()
    np.testing.assert_array_equal(ik.node.skeleton.positions, before)


@pytest.mark.parametrize("bad", [np.ones((2, 2)), 1.0, "many"])
def test_what_are_no_weights_is_refused_by_the_name_of_the_method(bad: Any) -> None:
    ik = disturbed("panda", "damped")
    ik.gradient_method = Given(np.zeros(7), bad)
    error = TypeError if isinstance(bad, str) else ValueError
    with pytest.raises(error, match=r"Given\.component_weights: expected "):
        ik.solve()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_gradient_that_is_not_finite_is_refused_by_the_name_of_the_method(bad: float) -> None:
    ik = disturbed("panda", "damped")
    ik.gradient_method = Given([0.0] * 6 + [bad])
    before = ik.node.skeleton.positions
    with pytest.raises(
        ValueError, match=rf"^Given\.compute_gradient: expected finite numbers .*, got .*{bad}"
    ):
        ik.solve_and_apply()
    np.testing.assert_array_equal(ik.node.skeleton.positions, before)


@pytest.mark.parametrize("bad", ["damped", DampedLeastSquares, lambda *_: 0.0])
def test_what_is_no_method_is_refused(bad: Any) -> None:
    ik = disturbed("panda", "selectively damped")
    with pytest.raises(TypeError, match=r"^gradient_method: expected (a )?GradientMethod, got"):
        ik.gradient_method = bad
    assert ik.gradient_method == SelectivelyDampedLeastSquares()


def test_none_is_the_default_method() -> None:
    ik = disturbed("panda", "selectively damped")
    ik.gradient_method = None  # type: ignore[assignment]
    assert ik.gradient_method == DampedLeastSquares()


def test_the_default_is_that_of_dart() -> None:
    ik = InverseKinematics.of(SITUATIONS["panda"]().node)
    assert ik.gradient_method == DampedLeastSquares(0.05, component_clamp=0.2)
    pose = pose_of((0.1, 0.2, 0.3), (0.1, 0.0, 0.2))
    ik.target.set_transform(ik.transform() @ pose)
    error, J = ik.weighted_error_and_jacobian()
    expected = J.T @ np.linalg.inv(J @ J.T + 0.05**2 * np.eye(6)) @ error
    np.testing.assert_allclose(ik.gradient(), np.clip(expected, -0.2, 0.2), rtol=1e-9)
