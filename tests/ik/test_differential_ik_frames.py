"""Frames that get velocities and poses: against Drake on random robots, and by what their Jacobians say."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from _effort import examples
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import kido
from kido.errors import ModelWarning
from kido.ik import DifferentialIKIntegrator, DifferentialIKParameters, DifferentialIKStatus, differential_ik

Array = NDArray[np.float64]


def random_urdf(rng: np.random.Generator, joints: int) -> str:
    """A tree of revolute and prismatic joints along oblique axes; body i carries one or two others."""
    parts = ['<robot name="robot"><link name="l0">', INERTIAL, "</link>"]
    for i in range(1, joints + 1):
        parent = max(0, i - int(rng.integers(1, 3)))
        xyz, rpy, axis = rng.uniform(-0.4, 0.4, 3), rng.uniform(-1.5, 1.5, 3), rng.normal(size=3)
        kind = "prismatic" if rng.random() < 0.25 else "revolute"
        vectors = [" ".join(repr(float(x)) for x in v) for v in (xyz, rpy, axis / np.linalg.norm(axis))]
        parts.append(
            f'<link name="l{i}">{INERTIAL}</link><joint name="j{i}" type="{kind}"><parent link="l{parent}"/>'
            f'<child link="l{i}"/><origin xyz="{vectors[0]}" rpy="{vectors[1]}"/><axis xyz="{vectors[2]}"/>'
            '<limit lower="-3" upper="3" velocity="10" effort="10"/></joint>'
        )
    return "".join([*parts, "</robot>"])


INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


class Twins:
    """One robot in kido and in Drake, in the same random state; dofs of both by joints' names."""

    def __init__(self, rng: np.random.Generator, joints: int) -> None:
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import MultibodyPlant

        urdf = random_urdf(rng, joints)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            self.robot = kido.Skeleton.from_description(kido.io.read_urdf_string(urdf))
        self.plant: Any = MultibodyPlant(0.0)
        Parser(self.plant).AddModelsFromString(urdf, "urdf")
        self.plant.WeldFrames(self.plant.world_frame(), self.plant.GetFrameByName("l0"))
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()
        names = [self.robot.dofs[i].joint.name for i in range(self.robot.num_dofs)]
        self.order = [self.plant.GetJointByName(name).position_start() for name in names]
        q, v = rng.uniform(-1.5, 1.5, joints), rng.uniform(-0.3, 0.3, joints)
        self.robot.positions, self.robot.velocities = q, v
        self.plant.SetPositions(self.context, self.theirs(q))
        self.plant.SetVelocities(self.context, self.theirs(v))

    def theirs(self, x: Array) -> Array:
        out = np.empty_like(x)
        out[self.order] = x
        return out

    def mine(self, x: Array) -> Array:
        return np.asarray(x)[self.order]


def parameters_of(rng: np.random.Generator, twins: Twins, dt: float) -> tuple[DifferentialIKParameters, Any]:
    from pydrake.multibody import inverse_kinematics as drake

    n = twins.robot.num_dofs
    flags = rng.random(6) < 0.7
    flags[int(rng.integers(6))] = True
    q, speed = np.asarray(twins.robot.positions), rng.uniform(0.3, 2.0, n)
    nominal, gain = rng.uniform(-1.0, 1.0, n), 0.4 * np.eye(n)
    mine = DifferentialIKParameters(
        n,
        time_step=dt,
        nominal_positions=nominal,
        centering_gain=gain,
        velocity_limits=(-speed, speed),
        position_limits=(q - 1.0, q + 1.0),
        velocity_flags=flags,
        angular_speed_limit=1.0,
        translational_velocity_limits=(np.full(3, -0.5), np.full(3, 0.6)),
    )
    theirs = drake.DifferentialInverseKinematicsParameters(n, n)
    theirs.set_time_step(dt)
    theirs.set_nominal_joint_position(twins.theirs(nominal))
    theirs.set_joint_centering_gain(gain)
    theirs.set_joint_velocity_limits((twins.theirs(-speed), twins.theirs(speed)))
    theirs.set_joint_position_limits((twins.theirs(q - 1.0), twins.theirs(q + 1.0)))
    theirs.set_end_effector_velocity_flag(flags)
    theirs.set_end_effector_angular_speed_limit(1.0)
    theirs.set_end_effector_translational_velocity_limits(np.full(3, -0.5), np.full(3, 0.6))
    return mine, theirs


@pytest.mark.parametrize("relative", [False, True], ids=["world", "moving frame"])
@pytest.mark.parametrize("is_pose", [False, True], ids=["velocity", "pose"])
def test_frames_move_as_in_drake(relative: bool, is_pose: bool) -> None:
    """By the motion of the frame, which is unique where velocities are not."""
    from pydrake.math import RigidTransform
    from pydrake.multibody import inverse_kinematics as drake

    rng, compared, further = np.random.default_rng(2 * relative + is_pose), 0, 0
    for _ in range(examples(40)):
        twins = Twins(rng, int(rng.integers(3, 9)))
        dt = float(rng.choice([0.05, 0.5]))
        mine, theirs = parameters_of(rng, twins, dt)
        frame, base = twins.robot.bodies[-1], twins.robot.bodies[1] if relative else None
        target: Array = rng.normal(size=6) * 0.5
        wanted: Any = target
        if is_pose:
            T = np.array(frame.transform(relative_to=base))
            T[:3, :3] = T[:3, :3] @ Rotation.from_rotvec(rng.normal(size=3) * 0.4).as_matrix()
            T[:3, 3] += rng.normal(size=3) * 0.2
            target, wanted = T, RigidTransform(T)
        result = differential_ik(twins.robot, frame, target, mine, relative_to=base)
        frames = [twins.plant.GetFrameByName(f.name) for f in (base, frame) if f is not None]
        expected = drake.DoDifferentialInverseKinematics(twins.plant, twins.context, wanted, *frames, theirs)
        assert result.status is not DifferentialIKStatus.NO_SOLUTION
        if expected.joint_velocities is None:
            continue
        J = twins.robot.jacobian(frame, relative_to=base)[np.flatnonzero(mine.velocity_flags)]
        moves, theirs_moves = J @ result.velocities, J @ twins.mine(expected.joint_velocities)
        compared += 1
        if np.allclose(moves, theirs_moves, rtol=1e-7, atol=2e-2):
            continue
        # OSQP has stopped early: within the limits, kido's frame moves faster in the same direction.
        further += 1
        assert (np.abs(result.velocities) <= mine.velocity_limits[1] + 1e-9).all()
        speeds = np.linalg.norm(moves), np.linalg.norm(theirs_moves)
        assert speeds[0] > speeds[1]
        np.testing.assert_allclose(moves / speeds[0], theirs_moves / speeds[1], atol=1e-3)
    assert compared > examples(20)
    assert further <= 0.02 * compared


def test_the_frame_moves_along_the_direction() -> None:
    rng = np.random.default_rng(5)
    for _ in range(examples(30)):
        twins = Twins(rng, 8)
        mine, _ = parameters_of(rng, twins, 0.1)
        mine.velocity_flags = (True,) * 6
        frame, base = twins.robot.bodies[-1], twins.robot.bodies[2]
        V = rng.normal(size=6)
        result = differential_ik(twins.robot, frame, V, mine, relative_to=base)
        R = np.kron(np.eye(2), np.asarray(frame.transform(relative_to=base))[:3, :3])
        J = R @ twins.robot.jacobian(frame, relative_to=base)
        np.testing.assert_allclose(J @ result.velocities, result.alpha * V, atol=1e-9)
        low, high = mine.velocity_limits  # type: ignore[misc]
        assert np.all(result.velocities >= low) and np.all(result.velocities <= high)


def floating_arm() -> kido.Skeleton:
    """An arm of two joints on a free base and a ball."""
    robot = kido.Skeleton("arm")
    base = robot.add_body("base", joint=kido.skeleton.FreeJoint("free"))
    middle = robot.add_body("middle", joint=kido.skeleton.BallJoint("ball"), parent=base)
    robot.add_body("arm", joint=kido.skeleton.RevoluteJoint("hinge", axis=(0.0, 1.0, 0.0)), parent=middle)
    return robot


def test_position_limits_hold_for_rotation_vectors_too() -> None:
    """q + N v dt, with rates of rotation vectors and of the base's origin by finite differences."""
    rng = np.random.default_rng(7)
    for _ in range(examples(20)):
        robot = floating_arm()
        n = robot.num_dofs
        q = rng.uniform(-1.0, 1.0, n)
        robot.positions = q
        reach = 0.05
        parameters = DifferentialIKParameters(n, time_step=1e-4, position_limits=(q - reach, q + reach))
        V = rng.normal(size=6) * 1e4
        result = differential_ik(robot, robot.bodies[-1], V, parameters)
        assert result.success
        moved = robot.tree.integrate(q, result.velocities * 1e-4, 1e-3) - q
        change = moved / 1e-3
        assert np.abs(change).max() <= reach * (1.0 + 1e-2)
        assert np.abs(change).max() >= reach * (1.0 - 1e-2)
        assert any(limit.kind == "position" for limit in result.active_limits)


def test_several_frames_are_scaled_together() -> None:
    rng = np.random.default_rng(8)
    twins = Twins(rng, 8)
    robot, n = twins.robot, 8
    parameters = DifferentialIKParameters(n, velocity_limits=(np.full(n, -0.1), np.full(n, 0.1)))
    parameters.velocity_flags = (False,) * 3 + (True,) * 3
    frames = [robot.bodies[-1], robot.bodies[-2]]
    v = rng.normal(size=n)
    V = [robot.jacobian(frame, in_coordinates_of=kido.WORLD) @ v for frame in frames]
    result = differential_ik(robot, frames, V, parameters)
    for frame, wanted in zip(frames, V, strict=True):
        linear = robot.jacobian(frame, in_coordinates_of=kido.WORLD)[3:] @ result.velocities
        np.testing.assert_allclose(linear, result.alpha * wanted[3:], atol=1e-9)
    assert 0.0 < result.alpha < 1.0


def test_a_frame_that_the_robot_does_not_move_is_refused() -> None:
    twins = Twins(np.random.default_rng(9), 3)
    parameters = DifferentialIKParameters(3)
    with pytest.raises(ValueError, match="frame: expected one that robot moves"):
        differential_ik(twins.robot, kido.SimpleFrame("other"), np.zeros(6), parameters)
    with pytest.raises(ValueError, match="target: expected a velocity"):
        differential_ik(twins.robot, twins.robot.bodies[-1], np.zeros(5), parameters)
    with pytest.raises(ValueError, match="parameters: expected those of a robot with 3 dofs, got of 4"):
        differential_ik(twins.robot, twins.robot.bodies[-1], np.zeros(6), DifferentialIKParameters(4))
    with pytest.raises(TypeError, match="relative_to: expected a Frame"):
        differential_ik(twins.robot, twins.robot.bodies[-1], np.zeros(6), parameters, relative_to="l1")  # type: ignore[arg-type,call-overload]
    with pytest.raises(ValueError, match="target: expected as many targets"):
        differential_ik(twins.robot, [twins.robot.bodies[-1]], [], parameters)
    with pytest.raises(TypeError, match="frame: expected a Frame, or several, got 'l1'"):
        differential_ik(twins.robot, "l1", np.zeros(6), parameters)  # type: ignore[arg-type,call-overload]
    with pytest.raises(TypeError, match="expected relative_to beside these, got 'base'"):
        differential_ik(twins.robot, twins.robot.bodies[-1], np.zeros(6), parameters, base=None)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="parameters: expected DifferentialIKParameters"):
        differential_ik(twins.robot, twins.robot.bodies[-1], np.zeros(6), None)  # type: ignore[arg-type,call-overload]


@pytest.mark.parametrize("several", [False, True])
def test_the_integrator_follows_a_target(several: bool) -> None:
    robot = Twins(np.random.default_rng(11), 7).robot
    hand = robot.bodies[-1]
    T = np.array(hand.transform())
    goal = robot.tree.integrate(robot.positions, np.full(7, 0.1))
    start = np.array(robot.positions)
    robot.positions = goal
    T = np.array(hand.transform())
    robot.positions = start
    limit = np.full(7, 0.5)
    parameters = DifferentialIKParameters(7, time_step=0.05, velocity_limits=(-limit, limit))
    follower = DifferentialIKIntegrator(robot, [hand] if several else hand, parameters)
    for _ in range(60):
        before = np.array(robot.positions)
        result = follower.step([T] if several else T)
        assert np.abs(robot.positions - before).max() <= 0.5 * 0.05 * (1.0 + 1e-12)
        np.testing.assert_array_equal(robot.velocities, result.velocities)
    np.testing.assert_allclose(hand.transform(), T, atol=1e-6)
    assert follower.steps == 60
    assert follower.result is result
    assert follower.changes[0].time == 0.0


def test_the_integrator_stands_still_where_there_is_no_solution() -> None:
    robot = Twins(np.random.default_rng(12), 4).robot
    hand, T = robot.bodies[-1], np.eye(4)
    q = np.array(robot.positions)
    parameters = DifferentialIKParameters(
        4,
        time_step=0.1,
        position_limits=(q + 1.0, q + 2.0),
        velocity_limits=(np.full(4, -1.0), np.full(4, 1.0)),
    )
    follower = DifferentialIKIntegrator(robot, hand, parameters)
    result = follower.step(T)
    assert result.status is DifferentialIKStatus.NO_SOLUTION
    np.testing.assert_array_equal(robot.positions, q)
    assert [change.status for change in follower.changes] == [DifferentialIKStatus.NO_SOLUTION]
    parameters.position_limits = None
    assert follower.step(T).status is not DifferentialIKStatus.NO_SOLUTION
    assert follower.changes[-1].time == pytest.approx(0.1)
    assert math.isfinite(result.alpha)
