"""Pendulums that swing for ten seconds, and those in a row that pass on what they are given."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from _scenes import G, push, put, velocity

import kido
from kido import Inertia, Skeleton, Surface, World, gallery
from kido.world import Integrator

LENGTH, THICKNESS = 0.5, 0.02  # [m]
RANGE = 2.0 * G * (0.5 * LENGTH + 1.5 * LENGTH)
"""Between the lowest and the highest potential energy of the double pendulum [J]."""


def rods() -> Skeleton:
    """Two rods of 0.5 m and 1 kg, level."""
    made, rod = Skeleton("rods"), None
    across = (LENGTH**2 + THICKNESS**2) / 12.0
    inertia = Inertia(1.0, (LENGTH / 2, 0.0, 0.0), np.diag([THICKNESS**2 / 6.0, across, across]))
    for i in range(2):
        joint = kido.RevoluteJoint(f"joint_{i}", (0, 1, 0), T_parent_joint=(LENGTH * i, 0, 0))
        rod = made.add_body(f"rod_{i}", rod, joint, inertia=inertia)
    return made


def energy_error(integrator: Integrator, seconds: float = 10.0) -> float:
    """Largest change of the energy, asked every 10 ms, over its range."""
    world = World([rods()], integrator=integrator)
    start, largest = world.energy, 0.0
    for _ in range(round(seconds / 0.01)):
        world.step(10)
        largest = max(largest, abs(world.energy - start))
    return largest / RANGE


@pytest.mark.parametrize(
    "integrator, least, most",
    [
        (Integrator.RUNGE_KUTTA_4, 1.3e-8, 1.5e-8),
        (Integrator.IMPLICIT_MIDPOINT, 1e-5, 1e-4),
        (Integrator.SEMI_IMPLICIT_EULER, 3e-2, 5e-2),
    ],
)
def test_a_double_pendulum_keeps_its_energy_as_its_integrator_allows(
    integrator: Integrator, least: float, most: float
) -> None:
    assert least < energy_error(integrator) < most


def test_a_double_pendulum_swings_as_that_of_mujoco() -> None:
    """Two codes of the classical method of Runge and Kutta differ by rounding, which chaos amplifies."""
    body = (
        '<body name="{name}" pos="{x} 0 0"><joint type="hinge" axis="0 1 0"/><geom type="box" '
        'size="{half} 0.01 0.01" pos="{half} 0 0" mass="1" contype="0" conaffinity="0"/>{inner}</body>'
    )
    inner = body.format(name="second", x=LENGTH, half=LENGTH / 2, inner="")
    outer = body.format(name="first", x=0, half=LENGTH / 2, inner=inner)
    option = '<option timestep="0.001" integrator="RK4" gravity="0 0 -9.81"/>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{outer}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    pendulum = rods()
    world = World([pendulum], integrator=Integrator.RUNGE_KUTTA_4)
    for _ in range(20):
        mujoco.mj_step(model, data, nstep=100)
        world.step(100)
        np.testing.assert_allclose(pendulum.positions, data.qpos, atol=1e-9)
        np.testing.assert_allclose(pendulum.velocities, data.qvel, atol=1e-8)


def cradle(gap: float, time_step: float, speed: float = 1.0) -> list[float]:
    """Speeds [m/s] of five elastic balls in a row once the first was given one."""
    surface = Surface(friction=0.0, restitution=1.0)
    balls = [gallery.ball(0.05, name=f"ball_{i}", surface=surface) for i in range(5)]
    for i, ball in enumerate(balls):
        put(ball, ((0.1 + gap) * i, 0.0, 0.0))
    push(put(balls[0], (-0.3, 0.0, 0.0)), (speed, 0.0, 0.0))
    World(balls, gravity=(0.0, 0.0, 0.0), time_step=time_step).step(round(0.8 / time_step))
    return [float(velocity(ball)[0]) for ball in balls]


@pytest.mark.parametrize("time_step", [1e-3, 2e-3])
def test_a_row_of_balls_a_little_apart_passes_all_of_its_momentum(time_step: float) -> None:
    np.testing.assert_allclose(cradle(6.0 * time_step, time_step), [0.0, 0.0, 0.0, 0.0, 1.0], atol=1e-3)


@pytest.mark.parametrize("gap", [0.0, 1e-4])
def test_a_row_of_balls_keeps_momentum_and_gains_no_energy(gap: float) -> None:
    speeds = np.array(cradle(gap, 1e-3))
    assert speeds.sum() == pytest.approx(1.0, abs=1e-12)
    assert (speeds**2).sum() < 1.0 + 1e-6


@pytest.mark.parametrize("gap", [0.0, 1e-4])
@pytest.mark.parametrize("time_step", [1e-3, 2e-3, 5e-3])
def test_newtons_cradle_passes_momentum(gap: float, time_step: float) -> None:
    np.testing.assert_allclose(cradle(gap, time_step), [0.0, 0.0, 0.0, 0.0, 1.0], atol=1e-3)
