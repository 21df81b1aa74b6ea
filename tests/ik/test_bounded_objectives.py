"""Objectives beside regions: they are lowered within the bounds, whoever knows the error."""

from __future__ import annotations

import numpy as np
import pytest
from _hinges import with_hinges
from _poses import pose, turned
from scipy.optimize import nnls

import kido
from kido import InverseKinematics, SearchSettings, gallery
from kido.ik import (
    CompositeIK,
    ErrorBounds,
    ErrorMethod,
    LookAt,
    OrientationError,
    PointToPlane,
    PositionError,
    TaskSpaceRegion,
)
from kido.optimize import QuadraticFunction
from kido.typing import FloatArray

BENT = np.array([0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1])
NEAR = 1e-5


class Height(ErrorMethod):
    """The node between two heights [m], as a user writes it."""

    def __init__(self, low: float, high: float) -> None:
        super().__init__(weights=[2.0])
        self.low, self.high = low, high

    def compute_error(self, ik: InverseKinematics) -> FloatArray:
        z = ik.transform()[2, 3]
        return np.array([z - np.clip(z, self.low, self.high)])

    def compute_jacobian(self, ik: InverseKinematics) -> FloatArray:
        return ik.jacobian()[5:] * float(self.compute_error(ik)[0] != 0.0)

    def compute_bounds(self, ik: InverseKinematics) -> ErrorBounds:
        z = ik.transform()[2, 3]
        return ErrorBounds(ik.jacobian()[5:], np.array([self.low - z]), np.array([self.high - z]))

    def lengths(self, ik: InverseKinematics, error: FloatArray) -> tuple[float, float]:
        return 0.0, abs(float(error[0]))


REGIONS = {
    "box": TaskSpaceRegion([0.05] * 3, [0.03, 0.01, 0.02], from_center=False),
    "box with a free angle": TaskSpaceRegion([0.05, np.inf, 0.1], [0.03, 0.0, 0.02], from_center=False),
    "some components without weight": TaskSpaceRegion([0.1] * 3, [0.02] * 3, weights=[1, 0, 1, 0, 1, 2]),
    "plane": PointToPlane(-0.01, 0.02),
    "cone": LookAt((1.0, 0.0, 0.0), half_angle=0.3),
}


def module(robot: kido.Skeleton, method: ErrorMethod) -> InverseKinematics:
    robot.positions = BENT
    tool = robot.end_effector("tool")
    result = InverseKinematics(tool)
    result.settings = SearchSettings(time_budget=60.0)
    T = tool.transform() @ pose(turned(0.3, 0.2, -0.4), (0.05, 0.1, -0.05))
    if isinstance(method, LookAt):
        T[:3, 3] += T[:3, 0] + 0.5 * T[:3, 1]
    result.target.set_transform(T)
    result.error_method = method
    result.objective = QuadraticFunction(BENT - 0.1, np.array([1.0, 2.0, 0.5, 1.0, 1.5, 1.0, 3.0]))
    return result


@pytest.mark.parametrize("name", REGIONS)
def test_joints_of_the_users_own_lead_to_the_same_minimum_within_a_region(name: str) -> None:
    robot = gallery.arm7()
    built_in, own = (module(one, REGIONS[name]).solve() for one in (robot, with_hinges(robot, 1, 4)))
    assert built_in.success and own.success
    assert built_in.stationarity is not None and own.stationarity is not None
    assert max(built_in.stationarity, own.stationarity) <= 1e-6
    assert np.abs(built_in.positions - (BENT - 0.1)).max() > 0.01
    np.testing.assert_allclose(own.positions, built_in.positions, atol=NEAR)


def test_a_method_of_the_users_own_with_bounds_does_what_a_region_does() -> None:
    robot = gallery.arm7()
    known = module(robot, TaskSpaceRegion([np.inf] * 3, [[-np.inf] * 2 + [-0.02], [np.inf] * 2 + [0.03]]))
    z = known.target.transform()[2, 3]
    own = module(robot, Height(z - 0.02, z + 0.03))
    own.error_method.check(own)
    expected, got = known.solve(), own.solve()
    assert expected.success and got.success
    np.testing.assert_allclose(got.positions, expected.positions, atol=NEAR)


def test_a_class_that_changes_the_error_does_not_keep_its_bounds() -> None:
    class Lower(PointToPlane):
        def compute_error(self, ik: InverseKinematics) -> FloatArray:
            error = super().compute_error(ik)
            error[5] = ik.transform()[2, 3] - ik.target.transform()[2, 3] + 0.05
            return error

        def compute_jacobian(self, ik: InverseKinematics) -> FloatArray:
            J = np.zeros((6, len(ik.dofs)))
            J[5] = ik.jacobian()[5]
            return J

    ik = module(gallery.arm7(), Lower())
    result = ik.solve()
    assert result.success
    ik.positions = result.positions
    assert ik.transform()[2, 3] == pytest.approx(ik.target.transform()[2, 3] - 0.05, abs=1e-6)


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ("none", r"compute_bounds: expected ErrorBounds, got 'none'"),
        (ErrorBounds(np.zeros((2, 7)), np.zeros(1), np.zeros(1)), r"compute_bounds.jacobian: .*\(1, 7\)"),
        (ErrorBounds(np.zeros((1, 7)), np.zeros(2), np.zeros(1)), r"compute_bounds.lower: .*\(1,\)"),
        (ErrorBounds(np.zeros((1, 7)), np.ones(1), np.zeros(1)), r"compute_bounds: expected lower <= upper"),
        (ErrorBounds(np.full((1, 7), np.nan), np.zeros(1), np.ones(1)), r"compute_bounds.jacobian: .*finite"),
        (
            ErrorBounds(np.zeros((1, 7)), np.full(1, np.nan), np.ones(1)),
            r"compute_bounds: expected lower <= ",
        ),
    ],
)
def test_wrong_bounds_are_named(bounds: object, words: str) -> None:
    class Wrong(Height):
        def compute_bounds(self, ik: InverseKinematics) -> ErrorBounds:
            return bounds  # type: ignore[return-value]

    ik = module(gallery.arm7(), Wrong(0.0, 5.0))
    before = ik.node.skeleton.positions
    with pytest.raises((TypeError, ValueError), match=words):
        ik.solve()
    np.testing.assert_array_equal(ik.node.skeleton.positions, before)


@pytest.mark.parametrize("users_own", [False, True])
@pytest.mark.parametrize("size", [1.0, 300.0])
def test_three_slides_go_to_the_nearest_point_of_a_box(size: float, users_own: bool) -> None:
    """Sources: the projection on a box, and a rotation that the objective alone decides."""
    robot = kido.Skeleton("gantry")
    body = None
    for i, axis in enumerate(np.eye(3)):
        body = robot.add_body(f"slide{i}", body, kido.PrismaticJoint(f"q{i}", axis=axis))
    body = robot.add_body(
        "hand", body, kido.RevoluteJoint("turn", axis=(0, 0, 1), T_parent_joint=(0.3, 0, 0))
    )
    robot.position_lower_limits, robot.position_upper_limits = -2.0 * size, 2.0 * size
    if users_own:
        robot = with_hinges(robot, 3)
    ik = InverseKinematics(robot.body("hand"))
    ik.target.set_translation((0.5 * size, -0.4 * size, 0.6 * size))
    ik.error_method = TaskSpaceRegion([np.inf] * 3, np.array([0.1, 0.2, 0.3]) * size, from_center=False)
    center = np.array([0.1, 0.2, 0.7, 0.0]) * size + [0.0, 0.0, 0.0, 0.4]
    ik.objective = QuadraticFunction(center, [1.0, 2.0, 1.0, 1.0])
    result = ik.solve()
    assert result.success
    assert result.stationarity is not None and result.stationarity <= 1e-6
    expected = [0.4 * size - 0.3, -0.2 * size, 0.7 * size, 0.4]
    np.testing.assert_allclose(result.positions, expected, atol=2e-6 * size)


def test_positions_alone_have_no_bounds() -> None:
    ik = module(gallery.arm7(), PositionError())
    assert ik.error_method.compute_bounds(ik) is None
    assert not ik.has_bounds


KINDS = ("from the middle", "from the edges", "position", "plane", "cone")


def random_method(kind: str, rng: np.random.Generator) -> ErrorMethod:
    lengths, angles = rng.uniform(0.001, 0.1, 3), rng.uniform(0.01, 0.3, 3)
    match kind:
        case "from the middle" | "from the edges":
            return TaskSpaceRegion(angles, lengths, from_center=kind == "from the middle")
        case "position":
            return TaskSpaceRegion([np.inf] * 3, lengths)
        case "plane":
            return PointToPlane(-0.05, 0.05)
        case _:
            return LookAt((0.0, 0.0, 1.0), rng.uniform(0.05, 0.5))


@pytest.mark.parametrize("joints", [6, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_random_regions_are_kept_and_their_objectives_at_a_minimum(kind: str, joints: int) -> None:
    rng = np.random.default_rng(joints)
    robot = gallery.arm7() if joints == 7 else gallery.arm()
    tool, low, high = robot.end_effector("tool"), robot.position_lower_limits, robot.position_upper_limits
    for _ in range(20):
        start = rng.uniform(0.7 * low, 0.7 * high)
        robot.positions = np.clip(start + rng.uniform(-0.6, 0.6, joints), low, high)
        target = tool.transform()
        target[:3, 3] += 3.0 * target[:3, 2] * (kind == "cone")  # m: no arm reaches the tip of the cone
        robot.positions = start
        ik = InverseKinematics(tool)
        ik.target.set_transform(target)
        ik.error_method = random_method(kind, rng)
        center = rng.uniform(0.8 * low, 0.8 * high)
        ik.objective = QuadraticFunction(center, rng.uniform(0.5, 2.0, joints))
        result = ik.solve()
        assert result.success
        assert result.stationarity is not None and result.stationarity <= 1e-6
        assert is_minimum(ik, result.positions)
        assert max(ik.error_lengths(ik.counted_error)) <= 1e-6


def is_minimum(ik: InverseKinematics, q: FloatArray) -> bool:
    """Whether no step to first order lowers the objective: nonnegative multipliers, by Lawson and Hanson."""
    ik.positions = q
    bounds = ik.error_method.compute_bounds(ik)
    assert bounds is not None and isinstance(ik.objective, QuadraticFunction)
    active = [J for J, at in zip(bounds.jacobian, bounds.lower, strict=True) if at > -1e-6]
    active += [-J for J, at in zip(bounds.jacobian, bounds.upper, strict=True) if at < 1e-6]
    low, high = ik.position_limits
    active += [*np.eye(len(q))[q < low + 1e-9], *-np.eye(len(q))[q > high - 1e-9]]
    gradient = ik.objective.gradient(q)
    rest = nnls(np.array(active).T, gradient)[1] if active else np.linalg.norm(gradient)
    return bool(rest <= 1e-5 * max(1.0, float(np.linalg.norm(gradient))))


@pytest.mark.parametrize("seed", range(4))
def test_cones_within_which_all_is_hold_nothing(seed: int) -> None:
    """Beside them an orientation and a line of sight leave one dof of six for the objective."""
    rng = np.random.default_rng(seed)
    robot = gallery.arm()
    reached = rng.uniform(0.3, 1.2, 6)
    found = []
    for half_angles in ({}, {"forearm": 0.9, "wrist": 0.9}):
        robot.positions = reached
        modules = []
        for name in ("pitch", "flange", *half_angles):
            module = InverseKinematics(robot.body(name))
            module.use_whole_body()
            module.error_method = LookAt((0.0, 0.0, 1.0), half_angle=half_angles.get(name, 0.0))
            target = module.transform()
            target[:3, 3] += 2.0 * target[:3, 2]
            if name == "pitch":
                module.error_method = OrientationError()
            module.target.set_transform(target)
            modules.append(module)
        robot.positions = reached + 0.05
        settings = SearchSettings(max_starts=1, time_budget=60.0)
        whole = CompositeIK(robot, modules, settings=settings)
        whole.objective = QuadraticFunction(reached + np.linspace(-0.3, 0.3, 6))
        result = whole.solve()
        assert result.success and result.is_optimal, result.message
        found.append(result.positions)
    assert np.abs(found[0] - reached).max() > 0.01
    np.testing.assert_allclose(*found, atol=NEAR)
