"""Checks of error methods and gradient methods: all of kido's pass, and each that is wrong is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from _checks import assert_named_by_check
from _ik_situations import SITUATIONS
from _parts import ERROR_METHODS, GRADIENT_METHODS

import kido
from kido import InverseKinematics, gallery
from kido.ik import (
    CenterOfMass,
    ClosedFormMethod,
    DampedLeastSquares,
    ErrorBounds,
    ErrorMethod,
    GradientMethod,
    JacobianTranspose,
    LookAt,
    PointToLine,
    PointToPlane,
    PoseError,
    PoseRegion,
    PositionError,
    Posture,
    TaskSpaceRegion,
)

INF = np.inf
METHODS: dict[str, ErrorMethod] = {
    **ERROR_METHODS,
    "default": TaskSpaceRegion(),
    "wide, from its middle": TaskSpaceRegion((0.1, 0.1, 0.2), (0.1, 0.05, 0.05)),
    "partly free": TaskSpaceRegion((0.1, INF, 0.2), (INF, 0.05, 0.05)),
    "beyond half a turn": TaskSpaceRegion([[3.0, -1.0, -1.0], [4.0, 1.0, 1.0]]),
    "weighted pose": PoseError(weights=(0.4, 0.4, 0.0, 1.0, 1.0, 1.0)),
    "cone": LookAt((0.0, 0.6, 0.8), 0.3),
    "above a plane": PointToPlane(0.1, INF),
    "piece of a line": PointToLine(-0.1, 0.2),
    "position along two axes": PositionError(linear_weights=(1.0, 0.0, 1.0)),
    "center of mass anywhere": CenterOfMass(),
}


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("name", METHODS)
def test_every_error_method_of_kido_passes_and_leaves_the_module(name: str, situation: str) -> None:
    ik = SITUATIONS[situation]()
    method = METHODS[name]
    if name == "posture":
        method = Posture(0.9 * ik.positions + 0.01)
    robot = ik.node.skeleton
    before = robot.positions, ik.target.relative_transform, ik.properties
    method.check(ik, samples=4)
    np.testing.assert_array_equal(robot.positions, before[0])
    np.testing.assert_array_equal(ik.target.relative_transform, before[1])
    assert ik.properties is before[2]


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("name", GRADIENT_METHODS)
def test_every_gradient_method_of_kido_passes_and_leaves_the_module(name: str, situation: str) -> None:
    ik = SITUATIONS[situation]()
    if name == "inverse":
        ik = module()
    robot = ik.node.skeleton
    before = robot.positions, ik.target.relative_transform, ik.properties
    GRADIENT_METHODS[name].check(ik, samples=4)
    np.testing.assert_array_equal(robot.positions, before[0])
    np.testing.assert_array_equal(ik.target.relative_transform, before[1])
    assert ik.properties is before[2]


def test_closed_forms_pass() -> None:
    ik = InverseKinematics.of(kido.load("examples/arm.urdf").body("tool"))
    ClosedFormMethod().check(ik)
    ik.gradient_method = ClosedFormMethod()
    ik.check()


@pytest.mark.parametrize("name", GRADIENT_METHODS)
@pytest.mark.parametrize("method", ERROR_METHODS)
def test_every_pair_of_methods_passes(method: str, name: str) -> None:
    ik = module()
    error_method = Posture(ik.positions + 0.3) if method == "posture" else METHODS[method]
    ik.error_method, ik.gradient_method = error_method, GRADIENT_METHODS[name]
    ik.check(samples=3)


def module() -> InverseKinematics:
    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    ik.positions = [0.3, 0.4, -0.8, 0.5, 0.6, 0.2]
    ik.target.set_translation((0.3, 0.1, 0.4))
    return ik


# ---- wrong error methods


class Place(ErrorMethod):
    """The node's place relative to the target's, as a user writes it, rightly."""

    def compute_error(self, ik: InverseKinematics) -> Any:
        return np.r_[np.zeros(3), ik.transform()[:3, 3] - ik.target.transform()[:3, 3]]

    def compute_jacobian(self, ik: InverseKinematics) -> Any:
        J = ik.jacobian().copy()
        J[:3] = 0.0
        return J


class Upside(Place):
    def compute_jacobian(self, ik: InverseKinematics) -> Any:
        return -super().compute_jacobian(ik)


class DesiredMinusPresent(Place):
    def compute_error(self, ik: InverseKinematics) -> Any:
        return -super().compute_error(ik)


class OneColumn(Place):
    def compute_jacobian(self, ik: InverseKinematics) -> Any:
        J = super().compute_jacobian(ik)
        J[4, 2] *= -1.0
        return J


class Doubled(Place):
    def compute_jacobian(self, ik: InverseKinematics) -> Any:
        return 2.0 * super().compute_jacobian(ik)


class InBodyAxes(Place):
    def compute_jacobian(self, ik: InverseKinematics) -> Any:
        J = super().compute_jacobian(ik)
        return np.r_[J[:3], ik.transform()[:3, :3].T @ J[3:]]


class Narrow(Place):
    def compute_jacobian(self, ik: InverseKinematics) -> Any:
        return super().compute_jacobian(ik)[3:]


class Growing(Place):
    def compute_error(self, ik: InverseKinematics) -> Any:
        return super().compute_error(ik)[: 6 if ik.positions[0] == 0.3 else 5]


class Holey(Place):
    def compute_error(self, ik: InverseKinematics) -> Any:
        return np.where(ik.positions[0] > 0.3, np.nan, super().compute_error(ik))


class Noisy(Place):
    calls = 0

    def compute_error(self, ik: InverseKinematics) -> Any:
        Noisy.calls += 1
        return super().compute_error(ik) + 1e-9 * Noisy.calls


class Moving(Place):
    def compute_error(self, ik: InverseKinematics) -> Any:
        error = super().compute_error(ik)
        ik.positions = ik.positions + 1e-9
        return error


class Dragging(Place):
    def compute_jacobian(self, ik: InverseKinematics) -> Any:
        ik.target.set_translation((0.0, 0.0, 1.0))
        return super().compute_jacobian(ik)


class Steps(Place):
    def compute_error(self, ik: InverseKinematics) -> Any:
        return super().compute_error(ik).round(1) + 1.0


class BadWeights(Place):
    weights = np.r_[np.ones(5), -1.0]  # type: ignore[assignment]


class BadClamp(Place):
    length_clamp = 0.0  # type: ignore[assignment]


class BadLengths(Place):
    def lengths(self, ik: InverseKinematics, error: Any) -> Any:
        return float(error[5]), -1.0


class BadDesired(Place):
    def desired_transform(self, ik: InverseKinematics) -> Any:
        return 2.0 * np.eye(4)


class BadConstraint(Place):
    def compute_constraint(self, ik: InverseKinematics) -> Any:
        return -self.compute_error(ik)


class Regional(Place):
    """With its region, rightly."""

    region_weights = (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    limits = ((-INF, -INF, -INF, 0.0, 0.0, 0.0), (INF, INF, INF, 0.0, 0.0, 0.0))

    def region(self, ik: InverseKinematics) -> PoseRegion:
        lower, upper = np.array(self.limits)
        return PoseRegion(lower, upper, np.array(self.region_weights), self.axes(ik))


class TooLarge(Regional):
    limits = ((-INF, -INF, -INF, -0.2, 0.0, 0.0), (INF, INF, INF, 0.2, 0.0, 0.0))


class TooFree(Regional):
    region_weights = (0.0, 0.0, 0.0, 1.0, 0.0, 1.0)


class TooNarrow(Regional):
    region_weights = (1.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    limits = ((0.0, -INF, -INF, 0.0, 0.0, 0.0), (0.0, INF, INF, 0.0, 0.0, 0.0))


class Between(ErrorMethod):
    """The node between two heights, rightly."""

    signs = (1.0, 1.0)
    highest = 0.5

    def compute_error(self, ik: InverseKinematics) -> Any:
        z = ik.transform()[2, 3]
        return np.array([z - np.clip(z, -1.0, 0.5), 0.0])

    def compute_bounds(self, ik: InverseKinematics) -> Any:
        z, (first, second) = ik.transform()[2, 3], self.signs
        J = np.stack([first * ik.jacobian()[5], np.zeros(len(ik.dofs))])
        lower = np.array([-1.0 - second * z, -INF])
        return ErrorBounds(J, lower, np.array([self.highest - second * z, INF]))


class WrongWay(Between):
    signs = (-1.0, 1.0)


class TooHigh(Between):
    highest = 2.0


class TooLow(Between):
    highest = -0.5


WRONG: list[tuple[type[ErrorMethod], str]] = [
    (WrongWay, r"compute_bounds.jacobian: row 0, dof .*compute_bounds give, got .*opposite sign"),
    (TooHigh, r"compute_bounds: expected no error within them, got \["),
    (TooLow, r"compute_bounds: expected an error beyond them, got \["),
    (Upside, r"compute_jacobian: row \d, dof '\w+': expected .* got .*opposite sign"),
    (DesiredMinusPresent, r"compute_jacobian: row \d, dof '\w+': expected .* got .*opposite sign"),
    (
        OneColumn,
        r"compute_jacobian: row 4, dof 'elbow': expected .* give, got -?[\d.]+; at the",
    ),
    (Doubled, r"compute_jacobian: row \d, dof .* 2 times as large"),
    (InBodyAxes, r"compute_jacobian: row \d, dof '\w+': expected"),
    (Narrow, r"compute_jacobian: expected shape \(6, 6\), got \(3, 6\)"),
    (Growing, r"compute_error: expected shape \(6,\), got \(5,\)"),
    (Holey, r"compute_error: expected finite numbers"),
    (Noisy, r"compute_error: expected the same at the same positions, got \["),
    (Moving, r"compute_error: expected the positions of the skeleton to be left"),
    (Dragging, r"compute_jacobian: expected the target to be left"),
    (Steps, r"compute_error: expected an error with a derivative, got one that jumps|compute_jacobian: row"),
    (BadWeights, r"weights: expected numbers of 0 or above, got \["),
    (BadClamp, r"length_clamp: expected a number above 0, got 0"),
    (BadLengths, r"lengths: expected two norms of 0 or above, got \("),
    (BadDesired, r"desired_transform: "),
    (
        BadConstraint,
        r"compute_constraint_jacobian: row \d, dof .*compute_constraint give, got .*opposite sign",
    ),
    (TooLarge, r"region: expected no error within it, got \["),
    (TooFree, r"region: expected no error within it, got \["),
    (TooNarrow, r"region: expected an error outside of it, got none at \["),
]


@pytest.mark.parametrize(("kind", "message"), WRONG, ids=lambda given: getattr(given, "__name__", ""))
def test_an_error_method_that_is_wrong_is_named(kind: type[ErrorMethod], message: str) -> None:
    ik = module()
    assert_named_by_check(ik, kind(), rf"{kind.__name__}\.{message}")
    ik.error_method = kind()
    with pytest.raises((TypeError, ValueError), match=rf"^{kind.__name__}\."):
        ik.check()


MOVED = {"moving_target"}
"""Situations that the methods below do not think of: their target stands."""


@pytest.mark.parametrize("kind", [Place, Regional])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_an_error_method_of_a_users_own_that_is_right_passes(kind: type, situation: str) -> None:
    ik = SITUATIONS[situation]()
    if situation in MOVED:
        assert_named_by_check(ik, kind(), rf"{kind.__name__}\.compute_jacobian: ")
    else:
        kind().check(ik)
        assert_named_by_check(ik, Upside(), r"Upside\.compute_jacobian: .*opposite sign")


@pytest.mark.parametrize("situation", SITUATIONS)
def test_bounds_of_a_users_own_that_are_right_pass(situation: str) -> None:
    ik = SITUATIONS[situation]()
    Between().check(ik)
    assert_named_by_check(ik, WrongWay(), r"WrongWay\.compute_bounds.jacobian: .*opposite sign")


def test_a_jacobian_by_positions_is_told_from_one_by_velocities() -> None:
    class ByPositions(Place):
        def compute_jacobian(self, ik: InverseKinematics) -> Any:
            robot, q, columns = ik.node.skeleton, ik.node.skeleton.positions, []
            for i in ik.dof_indices:
                errors = []
                for sign in (1e-6, -1e-6):
                    robot.positions = q + sign * np.eye(len(q))[i]
                    errors.append(self.compute_error(ik))
                columns.append((errors[0] - errors[1]) / 2e-6)
            robot.positions = q
            return np.stack(columns, axis=-1)

    ByPositions().check(module())
    with pytest.raises(ValueError, match=r"by positions: it shall be that by velocities"):
        ByPositions().check(SITUATIONS["ball_joints"]())


def test_small_robots_are_checked_as_well() -> None:
    arm = kido.Skeleton("small")
    body = None
    for i in range(3):
        joint = kido.RevoluteJoint(f"j{i}", axis=np.eye(3)[i], T_parent_joint=(1e-4, 2e-4, 1e-4))
        body = arm.add_body(f"b{i}", body, joint)
    assert body is not None
    ik = InverseKinematics.of(
        body.add_end_effector("tip", [[1, 0, 0, 2e-4], [0, 1, 0, 1e-4], [0, 0, 1, 0], [0, 0, 0, 1]])
    )
    ik.target.set_translation((1e-4, 1e-4, 5e-4))
    Place().check(ik)
    with pytest.raises(ValueError, match=r"^Upside\.compute_jacobian: .*opposite sign"):
        Upside().check(ik)


# ---- wrong gradient methods


class Right(GradientMethod):
    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        return np.linalg.lstsq(jacobian, error, rcond=1e-6)[0]


class Uphill(Right):
    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        return -super().compute_gradient(ik, error, jacobian)


class Overshooting(Right):
    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        return 3.0 * super().compute_gradient(ik, error, jacobian)


class Swapped(Right):
    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        return super().compute_gradient(ik, error, jacobian)[::-1]


class Resting(Right):
    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        return np.zeros(len(ik.dofs))


class Wide(Right):
    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        return error[:3]


class Endless(Right):
    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        return np.full(len(ik.dofs), np.nan)


class Random(Right):
    calls = 0

    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        Random.calls += 1
        return super().compute_gradient(ik, error, jacobian) * (1.0 - 1e-6 * Random.calls)


class Wandering(Right):
    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        ik.positions = ik.positions + 1e-6
        return super().compute_gradient(ik, error, jacobian)


class BadDirect(Right):
    def solve_directly(self, ik: InverseKinematics) -> Any:
        return ik.positions


class LeavingDirect(Right):
    def solve_directly(self, ik: InverseKinematics) -> Any:
        ik.positions = ik.positions + 1e-6


WRONG_STEPS: list[tuple[Callable[[], GradientMethod], str]] = [
    (
        Uphill,
        r"Uphill\.compute_gradient: expected a step that lowers the error, .*opposite sign",
    ),
    (Overshooting, r"Overshooting\.compute_gradient: expected a step that lowers .*too large"),
    (Swapped, r"Swapped\.compute_gradient: expected a step that lowers the error"),
    (Resting, r"Resting\.compute_gradient: expected steps that lower the error, got none at all"),
    (Wide, r"Wide\.compute_gradient: expected shape \(6,\), got \(3,\)"),
    (Endless, r"Endless\.compute_gradient: expected finite numbers"),
    (Random, r"Random\.compute_gradient: expected the same at the same positions"),
    (Wandering, r"Wandering\.compute_gradient: expected the positions of the skeleton to be left"),
    (BadDirect, r"BadDirect\.solve_directly: expected an IKResult or None"),
    (LeavingDirect, r"LeavingDirect\.solve_directly: expected the skeleton to be left"),
    (
        lambda: JacobianTranspose(gain=1e3),
        r"JacobianTranspose\.compute_gradient: expected a step that lowers",
    ),
]


@pytest.mark.parametrize(("make", "message"), WRONG_STEPS)
def test_a_gradient_method_that_is_wrong_is_named(make: Callable[[], GradientMethod], message: str) -> None:
    ik = module()
    assert_named_by_check(ik, make(), message)
    ik.gradient_method = make()
    with pytest.raises((TypeError, ValueError), match=rf"^{message}"):
        ik.check()


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_gradient_method_of_a_users_own_that_is_right_passes(situation: str) -> None:
    Right().check(SITUATIONS[situation]())
    Right(component_weights=(0.5,), component_clamp=0.1).check(SITUATIONS[situation]())
    assert_named_by_check(SITUATIONS[situation](), Uphill(), r"Uphill\.compute_gradient: .*opposite sign")


def test_a_check_of_a_module_names_what_is_wrong_with_what_it_has() -> None:
    ik = module()
    ik.gradient_method = DampedLeastSquares(0.01)
    ik.check()
    ik.error_method = Upside()
    with pytest.raises(ValueError, match=r"^Upside"):
        ik.check()


@pytest.mark.parametrize("method", [PoseError(), DampedLeastSquares(), JacobianTranspose()])
@pytest.mark.parametrize("wrong", [3, None, "tool", InverseKinematics])
def test_a_check_for_what_is_no_module_says_so(method: Any, wrong: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^ik: expected an inverse kinematics module, got (int|NoneType|str|type)$"
    ):
        method.check(wrong)
