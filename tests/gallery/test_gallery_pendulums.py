"""Pendulums, chains and the cart-pole, beside the equations of textbooks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import kido
from kido import gallery

G = 9.81
BALL = 0.4 / 144.0
"""Moment of a bob about its center, per mass and length squared: a ball of a twelfth of the length."""


@pytest.mark.parametrize("angle", [-2.0, 0.0, 0.7])
def test_a_pendulum_obeys_its_equation(angle: float) -> None:
    length, mass = 0.8, 2.5
    robot = gallery.pendulum(length, mass)
    robot.positions = [angle]
    np.testing.assert_allclose(robot.mass_matrix, [[mass * length**2 * (1.0 + BALL)]], rtol=1e-12)
    np.testing.assert_allclose(robot.gravity_forces, [mass * G * length * np.sin(angle)], atol=1e-12)


def test_positive_angles_swing_a_pendulum_towards_x() -> None:
    robot = gallery.pendulum(2.0)
    robot.positions = [0.5]
    np.testing.assert_allclose(robot.com(), [2.0 * np.sin(0.5), 0.0, -2.0 * np.cos(0.5)], atol=1e-14)


def test_damping_brakes_the_pivots() -> None:
    for robot in (
        gallery.pendulum(damping=0.3),
        gallery.double_pendulum(damping=0.3),
        gallery.chain(damping=0.3),
    ):
        robot.velocities = np.full(robot.num_dofs, 2.0)
        np.testing.assert_allclose(robot.damping_forces, -0.6)


def test_a_double_pendulum_obeys_its_equations() -> None:
    (l1, l2), (m1, m2) = lengths, masses = (0.7, 0.4), (1.5, 2.0)
    robot = gallery.double_pendulum(lengths, masses)
    a, b = robot.positions = np.array([0.6, -1.1])
    first, second = m1 * l1**2 * (1.0 + BALL) + m2 * l1**2, m2 * l2**2 * (1.0 + BALL)
    both = m2 * l1 * l2 * np.cos(b)
    M = [[first + second + 2.0 * both, second + both], [second + both, second]]
    np.testing.assert_allclose(robot.mass_matrix, M, rtol=1e-12)
    lower = m2 * G * l2 * np.sin(a + b)
    np.testing.assert_allclose(
        robot.gravity_forces, [(m1 + m2) * G * l1 * np.sin(a) + lower, lower], rtol=1e-12
    )


def test_a_cart_pole_obeys_its_equations() -> None:
    length, cart, pole = 0.6, 1.2, 0.4
    robot = gallery.cart_pole(length, cart, pole)
    robot.positions = [0.3, 0.8]
    half = length / 2.0
    about_pivot = robot.body("pole").moment_of_inertia[1, 1] + pole * half**2
    across = pole * half * np.cos(0.8)
    np.testing.assert_allclose(robot.mass_matrix, [[cart + pole, across], [across, about_pivot]], rtol=1e-12)
    np.testing.assert_allclose(robot.gravity_forces, [0.0, -pole * G * half * np.sin(0.8)], atol=1e-12)
    np.testing.assert_allclose(about_pivot, pole * length**2 / 3.0, rtol=0.1)


def test_only_the_cart_of_a_cart_pole_is_driven() -> None:
    robot = gallery.cart_pole()
    robot.commands = {"rail": 5.0}
    with pytest.raises(ValueError, match="pivot"):
        robot.commands = {"pivot": 5.0}
    robot.compute_forward_dynamics()
    assert robot.accelerations[0] > 0.0
    assert robot.accelerations[1] < 0.0


def test_a_chain_hangs_down_and_its_joints_swing_it_towards_x() -> None:
    robot = gallery.chain(5, length=0.3, mass=0.1)
    last = robot.body("link_5")
    np.testing.assert_allclose(last.transform()[:3, 3], [0.0, 0.0, -1.2], atol=1e-14)
    robot.positions = {"joint_1": np.pi / 2}
    np.testing.assert_allclose(last.transform()[:3, 3], [1.2, 0.0, 0.0], atol=1e-14)
    np.testing.assert_allclose(robot.com(), [0.75, 0.0, 0.0], atol=1e-14)


def test_a_chain_takes_types_of_joints_in_turn() -> None:
    kinds = [kido.BallJoint, partial(kido.RevoluteJoint, axis=(0, 1, 0)), kido.UniversalJoint]
    robot = gallery.chain(7, kinds)
    assert [type(joint) for joint in robot.joints[:4]] == [
        kido.BallJoint,
        kido.RevoluteJoint,
        kido.UniversalJoint,
        kido.BallJoint,
    ]
    assert robot.num_dofs == 3 + 1 + 2 + 3 + 1 + 2 + 3
    assert robot.joint("joint_5").name == "joint_5"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            partial(gallery.pendulum, length=-1.0),
            r"length: expected a positive finite number \[m\], got -1.0",
        ),
        (partial(gallery.pendulum, mass=np.nan), r"mass: expected a positive finite number \[kg\], got nan"),
        (partial(gallery.pendulum, damping=-1.0), "damping"),
        (partial(gallery.double_pendulum, lengths=(1.0, 0.0)), "length: expected"),
        (partial(gallery.cart_pole, pole_mass=0.0), "pole_mass: expected"),
        (partial(gallery.cart_pole, pole_length=np.inf), "pole_length: expected"),
        (partial(gallery.chain, 0), "num_bodies: expected at least 1, got 0"),
        (partial(gallery.chain, 3, []), "joints: expected at least one"),
        (partial(gallery.chain, length=0.0), "length: expected"),
    ],
)
def test_numbers_that_cannot_be_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_a_chain_refuses_what_makes_no_joint() -> None:
    with pytest.raises(TypeError, match="joints: expected what makes a Joint, got one that makes str"):
        gallery.chain(3, str)  # type: ignore[arg-type]
