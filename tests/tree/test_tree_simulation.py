"""Conservation of energy and momentum: trees stepped in time by classical Runge-Kutta."""

from __future__ import annotations

import numpy as np
import pytest
from _random_trees import Robot, assert_near, build
from scipy.spatial.transform import Rotation

import kido
from kido.description import Inertia, JointDescription, JointType, LinkDescription, RobotDescription


def step(tree: kido.Tree, q: np.ndarray, v: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """One classical Runge-Kutta step, of positions as seen from the start of the step (Munthe-Kaas)."""
    still = np.zeros_like(v)

    def slope(shift: np.ndarray, velocity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        at = tree.integrate(q, shift)
        back = (
            tree.difference(q, tree.integrate(at, velocity, 1e-4))
            - tree.difference(q, tree.integrate(at, velocity, -1e-4))
        ) / 2e-4
        return back, tree.forward_dynamics(at, velocity, still)

    x1, a1 = slope(still, v)
    x2, a2 = slope(0.5 * dt * x1, v + 0.5 * dt * a1)
    x3, a3 = slope(0.5 * dt * x2, v + 0.5 * dt * a2)
    x4, a4 = slope(dt * x3, v + dt * a3)
    shift = dt / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4)
    return tree.integrate(q, shift), v + dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)


def energy(tree: kido.Tree, q: np.ndarray, v: np.ndarray) -> float:
    return float(tree.kinetic_energy(q, v) + tree.potential_energy(q))


def drift(robot: Robot, q: np.ndarray, v: np.ndarray, dt: float, duration: float) -> float:
    start = energy(robot.tree, q, v)
    for _ in range(round(duration / dt)):
        q, v = step(robot.tree, q, v, dt)
    return abs(energy(robot.tree, q, v) - start)


def one_free_body(gravity: tuple[float, float, float]) -> kido.Tree:
    moment = np.diag([0.1, 0.25, 0.3])
    link = LinkDescription("stone", Inertia(2.0, (0.1, -0.2, 0.05), moment))
    joint = JointDescription("root", "free", None, "stone")
    return kido.Tree.from_description(RobotDescription("stone", [link], [joint]), gravity=gravity)


@pytest.mark.parametrize(
    "joint_type", [JointType.REVOLUTE, JointType.UNIVERSAL, JointType.BALL, JointType.FREE]
)
def test_energy_of_a_swinging_chain_drifts_with_the_fourth_power_of_the_step(joint_type: JointType) -> None:
    joints = [(joint_type, "xyz"), (JointType.REVOLUTE, "xyz"), (JointType.PRISMATIC, "xyz")]
    robot = build(joints, [-1, 0, 1], [False] * 3, seed=4)
    q, v, _ = robot.state()
    coarse, fine = (drift(robot, q, v, dt, duration=0.3) for dt in (0.02, 0.01))
    assert coarse < 1e-2 * max(1.0, abs(energy(robot.tree, q, v)))
    assert fine < coarse / 10.0 or fine < 1e-9


def test_a_free_body_falls_with_gravity() -> None:
    """Its center of mass does, however the body turns."""
    tree = one_free_body((0.0, 0.0, -9.81))
    q, v = np.array([0.3, -0.5, 0.8, 1.0, 2.0, 3.0]), np.array([1.0, -2.0, 0.5, 0.3, 0.2, -0.1])
    a = tree.forward_dynamics(q, v, np.zeros(6))
    assert_near(tree.com_acceleration(q, v, a), [0.0, 0.0, -9.81], 1e-13)
    start, speed = tree.center_of_mass(q), tree.com_velocity(q, v)
    for _ in range(50):
        q, v = step(tree, q, v, 0.01)
    expected = start + 0.5 * speed + 0.5 * tree.gravity * 0.5**2
    assert_near(tree.center_of_mass(q), expected, 1e-6)
    assert_near(tree.com_velocity(q, v), speed + 0.5 * tree.gravity, 1e-6)


def test_a_free_body_without_forces_precesses_and_keeps_momentum_and_energy() -> None:
    tree = one_free_body((0.0, 0.0, 0.0))
    q, v = np.array([0.3, -0.5, 0.8, 1.0, 2.0, 3.0]), np.array([1.0, -2.0, 0.5, 0.3, 0.2, -0.1])
    momentum, kinetic = tree.momentum(q, v), tree.kinetic_energy(q, v)
    spin = v[:3].copy()
    for _ in range(100):
        q, v = step(tree, q, v, 0.01)
    assert np.linalg.norm(v[:3] - spin) > 0.1
    assert_near(tree.momentum(q, v), momentum, 1e-7)
    assert_near(tree.kinetic_energy(q, v), kinetic, 1e-8)


def test_euler_equations_of_a_free_body() -> None:
    """I dw/dt + w x I w = torque about the center of mass, in body axes."""
    moment = np.diag([0.1, 0.25, 0.3])
    link = LinkDescription("stone", Inertia(2.0, (0.0, 0.0, 0.0), moment))
    root = JointDescription("root", "free", None, "stone")
    tree = kido.Tree.from_description(RobotDescription("stone", [link], [root]), gravity=(0.0, 0.0, -9.81))
    q, v = np.array([0.3, -0.5, 0.8, 1.0, 2.0, 3.0]), np.array([1.0, -2.0, 0.5, 0.3, 0.2, -0.1])
    tau = np.array([0.2, 0.1, -0.3, 1.0, 2.0, 3.0])
    w = v[:3]
    angular = np.linalg.solve(moment, tau[:3] - np.cross(w, moment @ w))
    R = Rotation.from_rotvec(q[:3]).as_matrix()
    linear = tau[3:] / 2.0 + R.T @ [0.0, 0.0, -9.81] - np.cross(w, v[3:])
    assert_near(tree.forward_dynamics(q, v, tau), np.concatenate([angular, linear]), 1e-13)
    wrench = np.concatenate([tau[:3], tau[3:]])[None]
    assert_near(tree.forward_dynamics(q, v, np.zeros(6), wrench), np.concatenate([angular, linear]), 1e-13)


def test_a_pendulum_has_the_acceleration_of_the_textbook() -> None:
    """Point mass m at distance l below a hinge along y: theta'' = -g sin(theta) / l."""
    link = LinkDescription("bob", Inertia(1.5, (0.0, 0.0, -0.7)))
    joint = JointDescription("hinge", "revolute", None, "bob", axes=(0.0, 1.0, 0.0))
    tree = kido.Tree.from_description(RobotDescription("pendulum", [link], [joint]))
    for angle in (-2.0, 0.0, 0.3, 1.5):
        a = tree.forward_dynamics([angle], [3.0], [0.0])
        assert_near(a, [-9.81 * np.sin(angle) / 0.7], 1e-13)
        assert_near(tree.gravity_forces([angle]), [1.5 * 9.81 * 0.7 * np.sin(angle)], 1e-13)
        assert_near(tree.potential_energy([angle]), -1.5 * 9.81 * 0.7 * np.cos(angle), 1e-13)
        assert_near(tree.mass_matrix([angle]), [[1.5 * 0.49]], 1e-13)
