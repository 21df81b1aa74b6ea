"""Closures that stand far from being met, of robots that lie on the ground."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido import World, gallery

POSITIONS = [
    -0.01, 0.04, 0.39, -0.1, 0.0, 0.06, 0.8, 3.0, -0.96,
    -0.75, 0.89, -2.5, 0.37, 2.18, -2.56, -0.41, 1.95, -2.58,
]  # fmt: skip


@pytest.mark.parametrize("time_step", [1e-3, 2e-3])
@pytest.mark.parametrize("turn", [0.1, 0.4, 1.0])
@pytest.mark.parametrize("down", [0.0, 0.1, 0.4])
def test_a_hip_that_is_welded_elsewhere_draws_the_robot_there_and_does_not_throw_it(
    down: float, turn: float, time_step: float
) -> None:
    robot = gallery.quadruped()
    robot.positions = POSITIONS
    world = World([gallery.ground(), robot], time_step=time_step)
    world.step(100)
    hip = robot.body("rear_left_hip")
    frame = np.eye(4)
    frame[:3, :3] = kido.math.so3_exp([turn, 0.3 * turn, turn])
    frame[:3, 3] = (0.0, 0.1, -down)
    world.constraints.add(kido.WeldConstraint.from_frames(hip, None, second_frame=hip.transform() @ frame))
    for _ in range(300):
        world.step()
        assert np.abs(robot.velocities).max() < 300.0
        assert world.kinetic_energy < 2e3  # the robot weighs 12 kg


def test_a_gear_that_stands_far_off_does_not_throw_what_a_closure_holds() -> None:
    robot = gallery.wheeled_base()
    world = World([robot], gravity=(0.0, 0.0, 0.0), time_step=5e-3)
    one, other = robot.dofs[0], robot.dofs[-1]
    wheel = next(body for body in robot.bodies if "wheel" in body.name)
    world.constraints.add(kido.WeldConstraint(wheel))
    world.constraints.add(kido.GearConstraint(one, other, ratio=3.0, offset=1.9))
    for _ in range(300):
        world.step()
        assert np.abs(robot.velocities).max() < 300.0
