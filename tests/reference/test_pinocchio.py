"""Every robot of example-robot-data against Pinocchio, on a fixed and on a free root."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from _looped import looped
from _pinocchio_map import FRAMES, Array, Pair, State, pair, spatial

from _robots import robot, robot_files
from kido.errors import SingularMassError

TOLERANCE = {
    "kinematics": 1e-11,
    "dynamics": 1e-10,
    "inverse": 1e-10,
    "derivatives": 1e-10,
}
"""Largest difference, relative to the largest number of the reference (or to 1 where that is smaller)."""

LOSS = 1e-17
"""Error of Pinocchio's inverses besides, times the condition of the mass matrix: 1e-9 on a free iCub, whose
condition is 3e9; there kido's inverse is within 2e-11 of the exact one."""


def can_float(name: str) -> bool:
    """Whether a free root changes the robot: a file whose root link is an empty "world" keeps it fixed."""
    return robot(name, "free").num_dofs == robot(name).num_dofs + 6


def condition(both: Pair, state: State) -> float:
    return float(np.linalg.cond(both.mass_matrix(state))) if both.tree.num_dofs else 1.0


def cases() -> list[tuple[str, str]]:
    """Every robot on a fixed root, and on a free one where it has that."""
    free = [(name, "free") for name in robot_files() if can_float(name)]
    return [*((name, "fixed") for name in robot_files()), *free]


robots = looped("name, root", cases)


def assert_close(got: Array, expected: Array, kind: str, loss: float = 0.0) -> None:
    __tracebackhide__ = True
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    error = float(np.abs(got - expected).max(initial=0.0)) / scale
    assert error <= max(TOLERANCE[kind], loss), f"relative error {error:.2e}"


def bodies_to_ask(both: Pair) -> list[tuple[int, int]]:
    """The body with the longest chain, the last and one between, each with Pinocchio's frame."""
    supports = [len(both.model.supports[both.model.frames[frame].parentJoint]) for frame in both.body_frames]
    deepest = int(np.argmax(supports))
    return [(body, both.body_frames[body]) for body in {deepest, len(supports) // 2, len(supports) - 1}]


def move(both: Pair, state: State) -> None:
    pin.forwardKinematics(both.model, both.data, state.pin_q, state.pin_v, state.pin_a)
    pin.updateFramePlacements(both.model, both.data)


def test_the_package_has_the_robots_that_are_compared() -> None:
    assert len(robot_files()) >= 60


@robots
def test_dofs_and_mass_are_those_of_pinocchio(name: str, root: str) -> None:
    both = pair(name, root)
    assert both.tree.num_dofs == both.model.nv
    assert both.tree.num_links == both.model.njoints - 1
    assert (both.dof_map.sum(axis=0) == 1.0).all() and (both.dof_map.sum(axis=1) == 1.0).all()
    expected = sum(inertia.mass for inertia in list(both.model.inertias)[1:])
    assert both.tree.total_mass == pytest.approx(expected, rel=1e-13)


@robots
def test_poses_of_all_bodies(name: str, root: str) -> None:
    both = pair(name, root)
    state = both.state(1)
    move(both, state)
    expected = np.array([both.data.oMf[frame].homogeneous for frame in both.body_frames])
    assert_close(both.tree.forward_kinematics(state.q), expected, "kinematics")


@pytest.mark.parametrize("frame", FRAMES)
@robots
def test_velocities_and_both_accelerations_of_all_bodies(name: str, root: str, frame: str) -> None:
    both = pair(name, root)
    state = both.state(2)
    move(both, state)
    questions = {
        "velocity": (pin.getFrameVelocity, both.tree.body_velocities(state.q, state.v, frame=frame)),
        "spatial": (
            pin.getFrameAcceleration,
            both.tree.body_accelerations(state.q, state.v, state.a, frame=frame, classic=False),
        ),
        "classic": (
            pin.getFrameClassicalAcceleration,
            both.tree.body_accelerations(state.q, state.v, state.a, frame=frame, classic=True),
        ),
    }
    for ask, got in questions.values():
        vectors = [ask(both.model, both.data, body, FRAMES[frame]).vector for body in both.body_frames]
        assert_close(got, np.array([spatial(vector) for vector in vectors]), "kinematics")


@pytest.mark.parametrize("frame", FRAMES)
@robots
def test_jacobians_and_their_derivatives(name: str, root: str, frame: str) -> None:
    """Pinocchio's derivative in world axes at the body is elementwise, as kido's classic one is.

    That in body axes is another quantity than kido's: there what it says of the acceleration is compared.
    """
    both = pair(name, root)
    state = both.state(3)
    if both.tree.num_dofs == 0:  # Pinocchio reads past the end of its columns
        assert both.tree.jacobian(state.q, 0, frame=frame).shape == (6, 0)
        return
    for body, pin_frame in bodies_to_ask(both):
        pin.computeJointJacobiansTimeVariation(both.model, both.data, state.pin_q, state.pin_v)
        J = pin.getFrameJacobian(both.model, both.data, pin_frame, FRAMES[frame])
        dJ = pin.getFrameJacobianTimeVariation(both.model, both.data, pin_frame, FRAMES[frame])
        assert_close(both.tree.jacobian(state.q, body, frame=frame), both.columns(J), "kinematics")
        got = both.tree.jacobian_derivative(state.q, state.v, body, frame=frame, classic=frame == "world")
        if frame != "body":
            assert_close(got, both.columns(dJ), "kinematics")
        pin.forwardKinematics(both.model, both.data, state.pin_q, state.pin_v, 0.0 * state.pin_a)
        for classic, ask in ((False, pin.getFrameAcceleration), (True, pin.getFrameClassicalAcceleration)):
            got = both.tree.jacobian_derivative(state.q, state.v, body, frame=frame, classic=classic)
            expected = spatial(ask(both.model, both.data, pin_frame, FRAMES[frame]).vector)
            assert_close(got @ state.v, expected, "kinematics")


@robots
def test_velocity_of_an_offset_point_is_that_of_a_frame_placed_there(name: str, root: str) -> None:
    both = pair(name, root)
    state, offset = both.state(4), np.array([0.1, -0.2, 0.3])
    move(both, state)
    for body, pin_frame in bodies_to_ask(both):
        frame = both.model.frames[pin_frame]
        placement = frame.placement * pin.SE3(np.eye(3), offset)
        for kind, reference in FRAMES.items():
            expected = pin.getFrameVelocity(both.model, both.data, frame.parentJoint, placement, reference)
            got = both.tree.velocity(state.q, state.v, body, offset=offset, frame=kind)
            assert_close(got, spatial(expected.vector), "kinematics")
            ask = pin.getFrameClassicalAcceleration
            expected = ask(both.model, both.data, frame.parentJoint, placement, reference)
            got = both.tree.acceleration(state.q, state.v, state.a, body, offset=offset, frame=kind)
            assert_close(got, spatial(expected.vector), "kinematics")


@robots
def test_inverse_dynamics_bias_gravity_and_mass_matrix(name: str, root: str) -> None:
    both = pair(name, root)
    state, model, data = both.state(5), both.model, both.data
    tau = pin.rnea(model, data, state.pin_q, state.pin_v, state.pin_a)
    assert_close(both.tree.inverse_dynamics(state.q, state.v, state.a), both.forces(tau), "dynamics")
    bias = pin.nonLinearEffects(model, data, state.pin_q, state.pin_v)
    assert_close(both.tree.bias_forces(state.q, state.v), both.forces(bias), "dynamics")
    gravity = pin.computeGeneralizedGravity(model, data, state.pin_q)
    assert_close(both.tree.gravity_forces(state.q), both.forces(gravity), "dynamics")
    assert_close(both.tree.mass_matrix(state.q), both.mass_matrix(state), "dynamics")


@robots
def test_wrenches_from_outside_act_as_pinocchios_forces_on_joints(name: str, root: str) -> None:
    both = pair(name, root)
    state = both.state(6)
    wrenches = np.random.default_rng(7).uniform(-1.0, 1.0, (both.tree.num_bodies, 6))
    forces = pin.StdVec_Force()
    forces.extend([pin.Force.Zero() for _ in range(both.model.njoints)])
    for wrench, frame in zip(wrenches, both.body_frames, strict=True):
        placement, joint = both.model.frames[frame].placement, both.model.frames[frame].parentJoint
        forces[joint] = forces[joint] + placement.act(pin.Force(spatial(wrench)))
    tau = pin.rnea(both.model, both.data, state.pin_q, state.pin_v, state.pin_a, forces)
    got = both.tree.inverse_dynamics(state.q, state.v, state.a, wrenches)
    assert_close(got, both.forces(tau), "dynamics")
    if both.has_inverse:
        a = pin.aba(both.model, both.data, state.pin_q, state.pin_v, state.pin_a, forces)
        got = both.tree.forward_dynamics(state.q, state.v, state.a, wrenches)
        assert_close(got, both.forces(a), "inverse")


@robots
def test_forward_dynamics_and_inverse_mass_matrix(name: str, root: str) -> None:
    """A massless leaf leaves no acceleration to find; Pinocchio returns what is not finite or right."""
    both = pair(name, root)
    state = both.state(8)
    if not both.has_inverse:
        with pytest.raises(SingularMassError):
            both.tree.forward_dynamics(state.q, state.v, state.a)
        with pytest.raises(SingularMassError):
            both.tree.inverse_mass_matrix(state.q)
        with pytest.raises(SingularMassError):
            both.tree.forward_dynamics_derivatives(state.q, state.v, state.a)
        return
    a = pin.aba(both.model, both.data, state.pin_q, state.pin_v, state.pin_a)
    assert_close(both.tree.forward_dynamics(state.q, state.v, state.a), both.forces(a), "inverse")
    upper = np.triu(pin.computeMinverse(both.model, both.data, state.pin_q))
    inverse = both.matrix(upper + np.triu(upper, 1).T)
    assert_close(both.tree.inverse_mass_matrix(state.q), inverse, "inverse", LOSS * condition(both, state))


@robots
def test_energies(name: str, root: str) -> None:
    both = pair(name, root)
    state = both.state(9)
    kinetic = pin.computeKineticEnergy(both.model, both.data, state.pin_q, state.pin_v)
    potential = pin.computePotentialEnergy(both.model, both.data, state.pin_q)
    assert_close(both.tree.kinetic_energy(state.q, state.v), np.array(kinetic), "dynamics")
    assert_close(both.tree.potential_energy(state.q), np.array(potential), "dynamics")


@robots
def test_center_of_mass_and_centroidal_momentum(name: str, root: str) -> None:
    both = pair(name, root)
    state, model, data, tree = both.state(10), both.model, both.data, both.tree
    if tree.num_dofs == 0:
        return
    pin.centerOfMass(model, data, state.pin_q, state.pin_v, state.pin_a)
    assert_close(tree.center_of_mass(state.q), data.com[0], "kinematics")
    assert_close(tree.com_velocity(state.q, state.v), data.vcom[0], "kinematics")
    assert_close(tree.com_acceleration(state.q, state.v, state.a), data.acom[0], "kinematics")
    J = pin.jacobianCenterOfMass(model, data, state.pin_q)
    assert_close(tree.com_jacobian(state.q), J @ both.dof_map, "kinematics")
    pin.ccrba(model, data, state.pin_q, state.pin_v)
    assert_close(tree.centroidal_momentum(state.q, state.v), spatial(data.hg.vector), "dynamics")
    assert_close(tree.centroidal_momentum_matrix(state.q), both.columns(data.Ag), "dynamics")


@robots
def test_derivatives_of_inverse_dynamics(name: str, root: str) -> None:
    both = pair(name, root)
    state = both.state(11)
    dq, dv, _ = pin.computeRNEADerivatives(both.model, both.data, state.pin_q, state.pin_v, state.pin_a)
    got = both.tree.inverse_dynamics_derivatives(state.q, state.v, state.a)
    for mine, expected in zip(got[:2], (dq, dv), strict=True):
        assert_close(mine, both.matrix(expected), "derivatives")
    assert_close(got[2], both.mass_matrix(state), "derivatives")


@robots
def test_derivatives_of_forward_dynamics(name: str, root: str) -> None:
    both = pair(name, root)
    if not both.has_inverse:
        return
    state = both.state(12)
    loss = LOSS * condition(both, state)
    reference = pin.computeABADerivatives(both.model, both.data, state.pin_q, state.pin_v, state.pin_a)
    got = both.tree.forward_dynamics_derivatives(state.q, state.v, state.a)
    for mine, expected in zip(got[:2], reference[:2], strict=True):
        assert_close(mine, both.matrix(expected), "derivatives", loss)
    inverse = np.linalg.inv(both.mass_matrix(state)) if both.tree.num_dofs else np.zeros((0, 0))
    assert_close(got[2], inverse, "derivatives", loss)


@robots
def test_integrate_and_difference(name: str, root: str) -> None:
    both = pair(name, root)
    state, dt = both.state(13), 0.7
    arrived = pin.integrate(both.model, state.pin_q, dt * state.pin_v)
    got = both.tree.integrate(state.q, state.v, dt)
    assert pin.isSameConfiguration(both.model, both.positions(got), arrived, 1e-12)
    other = both.state(14)
    expected = pin.difference(both.model, state.pin_q, other.pin_q)
    assert_close(both.tree.difference(state.q, other.q), both.forces(expected), "kinematics")
