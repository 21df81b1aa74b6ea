"""Velocities of robots whose dofs follow others or are locked, by the program of any Jacobian and limits."""

from __future__ import annotations

import numpy as np
import pytest
from _effort import examples
from numpy.testing import assert_allclose

import kido
from kido.description import Mimic
from kido.ik import (
    DifferentialIK,
    DifferentialIKIntegrator,
    DifferentialIKParameters,
    DifferentialIKResult,
    DifferentialIKStatus,
    FrameVelocityTask,
    differential_ik,
)


def arm(multiplier: float = -0.5) -> kido.Skeleton:
    """Seven joints, the fifth of which follows the second."""
    robot = kido.gallery.make("arm7")
    joints = [dof.joint for dof in robot.dofs]
    joints[4].mimic = Mimic(joints[1].name, multiplier, 0.1)
    joints[4].actuator = "mimic"
    robot.mimic_enforced = True
    robot.positions = 0.1 * np.arange(1.0, 8.0)
    return robot


def jacobian(robot: kido.Skeleton) -> np.ndarray:
    """Of the last body, in axes of the world."""
    return robot.bodies[-1].jacobian(in_coordinates_of=kido.WORLD)


def parameters(**others: object) -> DifferentialIKParameters:
    return DifferentialIKParameters(
        time_step=0.01,
        velocity_limits=(np.full(7, -2.0), np.full(7, 2.0)),
        nominal_positions=np.full(7, 0.3),
        centering_gain=0.2 * np.eye(7),
        **others,  # type: ignore[arg-type]
    )


def asked(robot: kido.Skeleton, given: DifferentialIKParameters, V: np.ndarray) -> DifferentialIKResult:
    return differential_ik(robot, robot.bodies[-1], V, given)


def test_followers_go_with_their_leaders() -> None:
    robot, given = arm(), parameters()
    V = jacobian(robot) @ np.array([0.2, 0.3, -0.1, 0.2, -0.15, 0.1, 0.3])
    found = asked(robot, given, V)
    v = found.velocities
    assert found.success and v is not None
    assert_allclose(v[4], -0.5 * v[1], atol=1e-12)
    assert_allclose(jacobian(robot) @ v, found.alpha * V, atol=1e-9)
    assert found.alpha == pytest.approx(1.0)
    # The same as with the coupling stated.
    free = parameters()
    free.add_linear_velocity_constraint(np.eye(7)[[4]] + 0.5 * np.eye(7)[[1]], [0.0], [0.0])
    robot.mimic_enforced = False
    expected = asked(robot, free, V)
    assert_allclose(v, expected.velocities, atol=1e-9)
    assert found.sides[3].shape == (0,) and expected.sides[3].shape == (1,)
    # And of nobody, once none follows.
    assert abs(asked(robot, given, V).velocities[4] + 0.5 * asked(robot, given, V).velocities[1]) > 1e-3


def test_locked_dofs_stand_still_and_come_back() -> None:
    robot, given = kido.gallery.make("arm7"), parameters()
    robot.positions = 0.1 * np.arange(1.0, 8.0)
    V = np.array([0.1, 0.0, 0.1, 0.05, 0.0, 0.1])
    before = asked(robot, given, V)
    robot.dofs[2].joint.actuator = "locked"
    found = asked(robot, given, V)
    assert found.success and found.velocities[2] == pytest.approx(0.0, abs=1e-12)
    assert_allclose(jacobian(robot) @ found.velocities, found.alpha * V, atol=1e-9)
    robot.dofs[2].joint.actuator = "force"
    assert_allclose(asked(robot, given, V).velocities, before.velocities, atol=0.0)
    given.position_limits = np.full(7, 2.0), np.full(7, 3.0)  # where no step leads
    assert asked(robot, given, V).status is DifferentialIKStatus.NO_SOLUTION
    given.position_limits = None
    for dof in robot.dofs:
        dof.joint.actuator = "locked"
    assert asked(robot, given, V).status is DifferentialIKStatus.STUCK


def test_limits_of_followers_and_settings_of_parameters_hold() -> None:
    robot, given = arm(multiplier=4.0), parameters()
    V = np.array([0.5, 0.3, 0.1, 0.5, 0.0, 0.6])
    v = asked(robot, given, V).velocities
    assert np.abs(v).max() <= 2.0 + 1e-9 and v[4] == pytest.approx(4.0 * v[1])
    given.velocity_limits = (np.full(7, -0.1), np.full(7, 0.1))
    slower = asked(robot, given, V).velocities
    assert np.abs(slower).max() <= 0.1 + 1e-9 and slower[4] == pytest.approx(4.0 * slower[1])
    robot.dofs[4].joint.mimic = Mimic(robot.dofs[1].joint.name, 2.0, 0.1)
    again = asked(robot, given, V).velocities
    assert again[4] == pytest.approx(2.0 * again[1])


def test_rows_of_users_come_first() -> None:
    robot, given = arm(), parameters()
    given.add_linear_velocity_constraint(np.eye(7)[[0]], [-0.01], [0.01])
    found = asked(robot, given, np.array([0.0, 0.0, 0.5, 0.0, 0.2, 0.0]))
    assert abs(found.velocities[0]) <= 0.01 + 1e-9 and found.sides[3].shape == (1,)
    assert all(limit.number == 0 for limit in found.active_limits if limit.kind == "linear velocity")


def test_an_integrator_keeps_followers_where_they_belong() -> None:
    robot = arm()
    follower = DifferentialIKIntegrator(robot, robot.bodies[-1], parameters())
    q = np.array(robot.positions)
    goal = robot.tree.transform(q + np.array([0.2, 0.2, -0.1, 0.2, -0.1, 0.1, 0.3]), 6)
    for _ in range(400):
        follower.step(goal)
    assert_allclose(robot.positions[4], -0.5 * robot.positions[1] + 0.1, atol=1e-9)
    assert_allclose(robot.bodies[-1].transform(), goal, atol=1e-6)


def test_parameters_of_another_robot_are_refused() -> None:
    robot = arm()
    with pytest.raises(ValueError, match="7 velocities"):
        differential_ik(robot, robot.bodies[-1], np.zeros(6), DifferentialIKParameters(3, time_step=0.01))


def test_followers_of_followers_go_with_the_first_leader() -> None:
    robot = arm()
    robot.dofs[6].joint.mimic = Mimic(robot.dofs[4].joint.name, 2.0, 0.0)
    robot.dofs[6].joint.actuator = "mimic"
    wanted = np.array([0.2, 0.3, -0.1, 0.2, -0.15, 0.1, -0.3])
    found = asked(robot, parameters(), jacobian(robot) @ wanted)
    assert found.success and found.alpha == pytest.approx(1.0)
    assert_allclose(found.velocities, wanted, atol=1e-9)


def test_a_leader_that_does_not_follow_whom_it_names_is_the_first() -> None:
    robot = arm()
    robot.dofs[1].joint.mimic = Mimic(robot.dofs[0].joint.name, 3.0, 0.0)  # its actuator is another
    assert dict(robot.dof_couplings) == {4: (1, -0.5, 0.1)}
    wanted = np.array([0.2, 0.3, -0.1, 0.2, -0.15, 0.1, 0.3])
    found = asked(robot, parameters(), jacobian(robot) @ wanted)
    assert_allclose(found.velocities[4], -0.5 * found.velocities[1], atol=1e-12)
    step = DifferentialIK(robot, [FrameVelocityTask(robot.bodies[-1], jacobian(robot) @ wanted)]).solve(
        dt=0.01
    )
    assert_allclose(step.velocities[4], -0.5 * step.velocities[1], atol=1e-12)
    assert_allclose(jacobian(robot) @ step.velocities, jacobian(robot) @ wanted, atol=1e-6)


PAIRS = ((-1, -3), (-1, 3), (-1, -2), (-3, 3))
WANTED = np.array([0.2, 0.3, -0.1, 0.2, -0.15, 0.1, 0.3])


def asked_of(
    robot: kido.Skeleton, pair: tuple[int, int], given: DifferentialIKParameters
) -> DifferentialIKResult:
    """Velocities of two bodies as where dofs move as wanted: twelve rows, which leave nothing free."""
    bodies = [robot.bodies[i] for i in pair]
    return differential_ik(
        robot, bodies, [robot.jacobian(body, in_coordinates_of=kido.WORLD) @ WANTED for body in bodies], given
    )


@pytest.mark.parametrize("pair", PAIRS)
def test_followers_go_where_the_rows_of_several_frames_leave_nothing_free(pair: tuple[int, int]) -> None:
    robot = arm()
    found = asked_of(robot, pair, parameters())
    assert found.success and found.alpha == pytest.approx(1.0)
    for i in pair:
        J = robot.jacobian(robot.bodies[i], in_coordinates_of=kido.WORLD)
        assert_allclose(J @ found.velocities, J @ WANTED, atol=1e-9)


@pytest.mark.parametrize("pair", PAIRS)
def test_equations_that_hold_within_rounding_do_not_forbid_the_step(pair: tuple[int, int]) -> None:
    robot, given = arm(), parameters()
    robot.mimic_enforced = False
    given.add_linear_velocity_constraint(np.eye(7)[[4]] + 0.5 * np.eye(7)[[1]], 0.0, 0.0)
    found = asked_of(robot, pair, given)
    assert found.success and found.alpha == pytest.approx(1.0)
    assert_allclose(found.velocities[4], -0.5 * found.velocities[1], atol=1e-9)
    # An equation that they contradict does.
    given.add_linear_velocity_constraint(np.eye(7)[[0]], 0.0, 0.0)
    assert asked_of(robot, pair, given).status is DifferentialIKStatus.STUCK


@pytest.mark.parametrize("pair", PAIRS)
def test_a_dof_whose_velocity_is_limited_to_zero_does_not_forbid_the_step(pair: tuple[int, int]) -> None:
    robot, given = arm(), parameters()
    robot.mimic_enforced = False
    still = WANTED.copy()
    still[2] = 0.0
    most = np.where(still == 0.0, 0.0, 2.0)
    given.velocity_limits = (-most, most)
    bodies = [robot.bodies[i] for i in pair]
    found = differential_ik(
        robot, bodies, [robot.jacobian(body, in_coordinates_of=kido.WORLD) @ still for body in bodies], given
    )
    assert found.success and found.alpha == pytest.approx(1.0) and found.velocities[2] == 0.0


def test_posture_of_followers_is_served_as_with_the_coupling_stated() -> None:
    robot = arm()
    given = parameters()
    given.centering_gain = np.diag(np.linspace(0.1, 2.0, 7))
    V = np.zeros(6)
    coupled = asked(robot, given, V)
    robot.mimic_enforced = False
    given.add_linear_velocity_constraint(np.eye(7)[[4]] + 0.5 * np.eye(7)[[1]], 0.0, 0.0)
    stated = asked(robot, given, V)
    # Six rows and an equation leave nothing free: of three components, something.
    assert_allclose(coupled.velocities, stated.velocities, atol=1e-9)
    given.velocity_flags = [False, False, False, True, True, True]
    stated = asked(robot, given, V)
    given.clear_linear_velocity_constraints()
    robot.mimic_enforced = True
    coupled = asked(robot, given, V)
    assert np.abs(coupled.velocities).max() > 1e-3
    assert_allclose(coupled.velocities, stated.velocities, atol=1e-9)


def test_limits_that_velocities_reach_are_told_of_the_dofs_that_have_them() -> None:
    robot, given = arm(multiplier=-4.0), parameters()
    given.velocity_limits = (np.full(7, -0.1), np.full(7, 0.1))
    found = asked(robot, given, np.array([0.5, 0.3, 0.1, 0.5, 0.0, 0.6]))
    v = found.velocities
    told = {(limit.number, limit.side) for limit in found.active_limits if limit.kind == "velocity"}
    reached = {(i, "lower" if v[i] < 0.0 else "upper") for i in range(7) if abs(abs(v[i]) - 0.1) < 1e-12}
    assert told == reached and told
    # The follower, and its leader not.
    held = DifferentialIKParameters(velocity_limits=(np.full(7, -2.0), np.full(7, 2.0)), time_step=0.01)
    held.velocity_limits = ([-2.0] * 4 + [-0.01] + [-2.0] * 2, [2.0] * 4 + [0.02] + [2.0] * 2)
    V = jacobian(robot) @ (np.eye(7)[1] - 4.0 * np.eye(7)[4])
    (limit,) = asked(robot, held, V).active_limits
    assert limit == ("velocity", 4, "lower")
    (limit,) = asked(robot, held, -V).active_limits
    assert limit == ("velocity", 4, "upper")


def test_a_locked_ball_joint_stands_still_beyond_its_limits_too() -> None:
    robot = kido.gallery.chain(4, [kido.BallJoint, kido.RevoluteJoint])
    n = robot.num_dofs
    robot.positions = 0.2 * np.arange(1.0, n + 1.0)
    given = DifferentialIKParameters(
        time_step=0.1,
        position_limits=(np.full(n, -0.5), np.full(n, 0.5)),
        velocity_flags=[False] * 3 + [True] * 3,
    )
    V = np.array([0.0, 0.0, 0.0, 0.01, 0.02, 0.0])
    assert asked(robot, given, V).status is DifferentialIKStatus.NO_SOLUTION
    for joint in robot.joints[2:]:
        joint.actuator = "locked"
    robot.positions = [0.2, 0.3, 0.1, 0.3, 1.0, 1.2, 1.4, 1.6]
    found = asked(robot, given, V)
    assert found.success
    assert_allclose(found.velocities[4:], 0.0, atol=0.0)
    assert_allclose((jacobian(robot) @ found.velocities)[3:], found.alpha * V[3:], atol=1e-9)


class Coupled:
    """A random chain whose joints turn, slide or are balls, some of them locked or following others."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        kinds = [
            [kido.RevoluteJoint, kido.PrismaticJoint, kido.BallJoint][k]
            for k in rng.choice(3, 7, p=(0.6, 0.2, 0.2))
        ]
        self.robot = robot = kido.gallery.chain(7, kinds)
        robot.positions = rng.uniform(-0.6, 0.6, robot.num_dofs)
        robot.velocities = rng.uniform(-0.3, 0.3, robot.num_dofs)
        singles = [joint for joint in robot.joints if joint.num_dofs == 1]
        self.factor = {}
        for leader, follower in zip(singles[:-1:2], singles[1::2], strict=False):
            if rng.random() < 0.7:
                self.factor[follower.dofs[0].index] = leader.dofs[0].index, float(rng.normal())
                follower.mimic = Mimic(leader.name, self.factor[follower.dofs[0].index][1], 0.0)
                follower.actuator = "mimic"
        self.locked = [joint for joint in robot.joints if joint.mimic is None and rng.random() < 0.15]
        for joint in self.locked:
            joint.actuator = "locked"
        robot.mimic_enforced = True

    def coupling(self) -> np.ndarray:
        """T (dofs, unknowns) with orthonormal columns."""
        T = np.eye(self.robot.num_dofs)
        for follower, (leader, factor) in self.factor.items():
            T[follower] = factor * T[leader]
        still = [dof.index for joint in self.locked for dof in joint.dofs]
        T = np.delete(T, [*still, *self.factor], axis=1)
        return T / np.linalg.norm(T, axis=0)

    def rates(self) -> np.ndarray:
        """N (dofs, dofs), by central differences."""
        tree, q, n = self.robot.tree, np.array(self.robot.positions), self.robot.num_dofs
        columns = [
            tree.integrate(q, 1e-5 * row, 1.0) - tree.integrate(q, -1e-5 * row, 1.0) for row in np.eye(n)
        ]
        return np.array(columns).T / 2e-5

    def limits(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        n, rng = self.robot.num_dofs, self.rng
        q, v = np.array(self.robot.positions), np.array(self.robot.velocities)
        given = {"velocity_limits": (-rng.uniform(0.3, 1.0, n), rng.uniform(0.3, 1.0, n))}
        if rng.random() < 0.6:
            given["position_limits"] = q - rng.uniform(0.0, 0.1, n), q + rng.uniform(0.0, 0.1, n)
        if rng.random() < 0.4:
            most = np.abs(v) / 0.1 + rng.uniform(0.1, 5.0, n)
            given["acceleration_limits"] = -most, most
        return given


@pytest.mark.parametrize("seed", range(examples(60)))
def test_coupled_robots_do_what_the_program_of_their_unknowns_says(seed: int) -> None:
    case = Coupled(seed)
    robot, rng, T = case.robot, case.rng, case.coupling()
    q, v = np.array(robot.positions), np.array(robot.velocities)
    n, m = T.shape
    limits = case.limits()
    common = {
        "time_step": 0.1,
        "nominal_positions": rng.uniform(-0.5, 0.5, n),
        "centering_gain": rng.normal(size=(n, n)),
    }
    given = DifferentialIKParameters(**common, **limits)
    rows, bound = rng.normal(size=(2, n)), rng.uniform(0.1, 1.0, 2)
    given.add_linear_velocity_constraint(rows, -bound, bound)
    body, V = robot.bodies[-1], rng.normal(size=6) * rng.choice([0.01, 0.3])
    J = body.jacobian(in_coordinates_of=kido.WORLD)
    if m < 6:
        V = J @ T @ rng.normal(size=m)
    found = differential_ik(robot, body, V, given)

    N = case.rates()
    reduced = DifferentialIKParameters(n, m, **common)
    reduced.add_linear_velocity_constraint(rows @ T, -bound, bound)
    moves = T.any(axis=1)
    reduced.add_linear_velocity_constraint(T[moves], *(limit[moves] for limit in limits["velocity_limits"]))
    if "acceleration_limits" in limits:
        lower, upper = (v + 0.1 * limit for limit in limits["acceleration_limits"])
        reduced.add_linear_velocity_constraint(T[moves], lower[moves], upper[moves])
    if "position_limits" in limits:
        turning = (np.abs(N @ T) > 1e-9).any(axis=1)
        lower, upper = ((limit - q) / 0.1 for limit in limits["position_limits"])
        reduced.add_linear_velocity_constraint((N @ T)[turning], lower[turning], upper[turning])
    expected = differential_ik(q, T.T @ v, V, J @ T, reduced, N=N @ T, N_inverse=T.T @ np.linalg.inv(N))
    assert found.status is expected.status
    assert found.alpha == pytest.approx(expected.alpha, abs=1e-6)
    if expected.velocities is not None:
        assert_allclose(found.velocities, T @ expected.velocities, atol=1e-6)
