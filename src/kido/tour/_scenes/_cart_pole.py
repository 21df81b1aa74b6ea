"""A pole that is balanced on a cart."""

from __future__ import annotations

import numpy as np

from kido import gallery
from kido.shape import Box
from kido.skeleton import Skeleton
from kido.tour._parts import DARK, STEEL, fixed
from kido.tour._stage import Stage
from kido.typing import FloatArray
from kido.view import Orbit, Viewer
from kido.world import World

__all__ = ["cart_pole"]

_HEIGHT = 0.5
"""Of the rail [m]."""
_REACH = 1.25
"""Of the cart from the middle of the rail [m]."""
_NEAR = 0.4
"""Largest distance from its goal that the cart looks at [m]."""
_WEIGHTS, _EFFORT = (4.0, 20.0, 1.0, 1.0), 0.05
"""Of position [m], angle [rad] and their rates, and of the force, in what is least."""


def cart_pole() -> Stage:
    """Linear feedback that is optimal near the top, from derivatives of the dynamics."""
    robot = gallery.cart_pole(pole_length=1.0)
    robot.joint("rail").T_parent_joint = _raised(_HEIGHT)
    robot.joint("rail").set_position_limits(-_REACH, _REACH)
    world = World([*_rail(), robot], time_step=1e-3)
    control = _Regulator(world, robot)
    robot.positions = [-0.7, 0.12]

    def panel(viewer: Viewer) -> None:
        viewer.add_slider("goal of the cart [m]", -0.7, 0.7, value=0.0, on_change=control.set_goal)
        viewer.add_button("Tap the pole", lambda: control.tap(0.08))
        viewer.add_plot("force of the cart [N]", lambda: robot.commands[0])

    return Stage(what=world, camera=Orbit(-68.0, 10.0, 1.1), panel=panel, picture_time=0.55)


class _Regulator:
    """Force on the cart by state feedback, whose gains solve the Riccati equation of the state at rest."""

    def __init__(self, world: World, robot: Skeleton) -> None:
        self._robot, self._goal, self._taps = robot, 0.0, 0.0
        self._gains = _gains(robot, world.time_step)
        self._most = float(robot.force_upper_limits[0])
        world.signals.before("detect").connect(self._act)

    def set_goal(self, goal: float) -> None:
        """Set the place where the cart is to be [m]."""
        self._goal = goal

    def tap(self, impulse: float) -> None:
        """Hit the upper end of the pole at the next step [N s], towards the middle of the rail."""
        self._taps = -impulse if self._robot.positions[0] > 0.0 else impulse

    def _act(self, world: World) -> None:
        robot = self._robot
        state = np.array([*robot.positions, *robot.velocities])
        state[0] = np.clip(state[0] - self._goal, -_NEAR, _NEAR)
        robot.commands = {"rail": float(np.clip(-self._gains @ state, -self._most, self._most))}
        if self._taps:
            force = self._taps / world.time_step
            robot.body("pole").add_external_force((force, 0.0, 0.0), (0.0, 0.0, 1.0))
            self._taps = 0.0


def _gains(robot: Skeleton, dt: float) -> FloatArray:
    """Gains (4,) of the discrete linear quadratic regulator, by iterating the Riccati equation."""
    zero = np.zeros(2)
    by_q, by_v, by_force = robot.tree.forward_dynamics_derivatives(zero, zero, zero)
    A, B = np.eye(4), np.zeros((4, 1))
    A[:2, 2:] = dt * np.eye(2)
    A[2:, :2], A[2:, 2:] = dt * by_q, np.eye(2) + dt * by_v
    B[2:, 0] = dt * by_force[:, 0]
    P = Q = np.diag(_WEIGHTS)
    for _ in range(6000):
        K = np.linalg.solve(B.T @ P @ B + _EFFORT, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
    return np.asarray(K[0])


def _raised(height: float) -> FloatArray:
    T = np.eye(4)
    T[2, 3] = height
    return T


def _rail() -> list[Skeleton]:
    parts = [fixed("rail bar", Box((2.0 * _REACH + 0.4, 0.06, 0.05)), (0.0, 0.0, _HEIGHT - 0.085), STEEL)]
    for x in (-_REACH - 0.25, _REACH + 0.25):
        parts.append(
            fixed(f"post {x}", Box((0.1, 0.3, _HEIGHT - 0.11)), (x, 0.0, 0.5 * _HEIGHT - 0.055), DARK)
        )
    return parts
