"""Joints, nodes and addons as users write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kido
from kido.skeleton import Addon, Node, UserJoint

Array = NDArray[np.float64]


class Cam(UserJoint):
    """A follower that goes up and down along z as the cam turns by q."""

    @dataclass(frozen=True)
    class Properties:
        """`lift`: largest height [m]."""

        lift: float = 0.1

    num_dofs = 1

    def transform_of(self, q: Array) -> Array:
        T = np.eye(4)
        T[2, 3] = self.properties.lift * np.sin(q[0])
        return T

    def jacobian_of(self, q: Array) -> Array:
        return np.array([[0.0], [0.0], [0.0], [0.0], [0.0], [self.properties.lift * np.cos(q[0])]])

    def jacobian_derivative_of(self, q: Array, v: Array) -> Array:
        return np.array([[0.0]] * 5 + [[-self.properties.lift * np.sin(q[0]) * v[0]]])


class Coupler(UserJoint):
    """Turns about z by q0 + q1^2, and slides along the turned x by q1."""

    num_dofs = 2

    def transform_of(self, q: Array) -> Array:
        angle = q[0] + q[1] ** 2
        c, s = np.cos(angle), np.sin(angle)
        return np.array(
            [[c, -s, 0.0, c * q[1]], [s, c, 0.0, s * q[1]], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
        )

    def jacobian_of(self, q: Array) -> Array:
        J = np.zeros((6, 2))
        J[2] = 1.0, 2.0 * q[1]
        J[3] = 0.0, 1.0
        J[4] = q[1] * J[2]
        return J

    def jacobian_derivative_of(self, q: Array, v: Array) -> Array:
        dJ = np.zeros((6, 2))
        dJ[2, 1] = 2.0 * v[1]
        dJ[4] = v[1], 4.0 * q[1] * v[1]
        return dJ


class Thermometer(Node):
    """A node of a user, with what it is and what it last read."""

    @dataclass(frozen=True)
    class Properties:
        """`gain` of the amplifier."""

        gain: float = 1.0

    @dataclass(frozen=True)
    class State:
        """`reading` [K]."""

        reading: float = 293.0


class Luggage(Addon):
    """An addon of a user, with notes that only `copied_from` carries."""

    @dataclass(frozen=True)
    class Properties:
        """`label` on it."""

        label: str = ""

    @dataclass(frozen=True)
    class State:
        """`weight` [kg]."""

        weight: float = 0.0

    def __init__(self, owner: Any, label: str = "", weight: float = 0.0) -> None:
        super().__init__(owner, self.Properties(label), self.State(weight))
        self.notes: list[str] = []

    def copied_from(self, original: Luggage) -> None:
        self.notes = [*original.notes, "copied"]


def hand_of_the_specification() -> kido.Skeleton:
    """Seven links of an arm, three fingers of three; the palm is the last link of the arm."""
    hand = kido.Skeleton("hand")
    link = None
    for i in range(7):
        name = "palm" if i == 6 else f"arm{i}"
        joint = kido.RevoluteJoint(axis=np.eye(3)[i % 3], T_parent_joint=(0.0, 0.0, 0.1))
        link = hand.add_body(name, link, joint)
    palm = hand.body("palm")
    for finger in range(3):
        link = palm
        for i in range(3):
            joint = kido.RevoluteJoint(axis=(0.0, 1.0, 0.0), T_parent_joint=(0.02 * finger, 0.0, 0.05))
            link = hand.add_body(f"finger{finger}_{i}", link, joint)
    return hand
