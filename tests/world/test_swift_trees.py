"""Trees whose joints turn farther in a step than it resolves: they gain no energy, and do not fly apart."""

from __future__ import annotations

import numpy as np
import pytest

from kido import FreeJoint, Inertia, Joint, RevoluteJoint, Skeleton, World


def chain(count: int, free: bool = False) -> Skeleton:
    """Links of 0.2 m and 0.3 kg about axes along y and x in turn, from a point of the world, or free."""
    made, body = Skeleton("chain"), None
    for i in range(count):
        axis = (0, 1, 0) if i % 2 else (1, 0, 0)
        joint: Joint = RevoluteJoint(f"joint{i}", axis, T_parent_joint=(0.0, 0.0, -0.2 if i else 0.0))
        joint = FreeJoint("root") if free and i == 0 else joint
        inertia = Inertia(0.3, (0.0, 0.0, -0.1), np.diag([1e-3, 1e-3, 1e-4]))
        body = made.add_body(f"link{i}", body, joint, inertia=inertia)
    return made


@pytest.mark.parametrize("time_step", [2e-3, 5e-3])
def test_a_chain_that_whirls_faster_than_steps_resolve_gains_no_energy(time_step: float) -> None:
    for seed in range(4):
        made = chain(5)
        rng = np.random.default_rng(seed)
        made.velocities = rng.uniform(-1.5, 1.5, made.num_dofs) / time_step
        world = World([made], gravity=(0.0, 0.0, 0.0), time_step=time_step)
        before = world.kinetic_energy
        for _ in range(100):
            world.step(5)
            assert world.kinetic_energy < 2.0 * before


@pytest.mark.parametrize("time_step", [2e-3, 5e-3])
def test_a_free_chain_that_whirls_gains_no_energy_and_falls_along_its_parabola(time_step: float) -> None:
    for seed in range(4):
        made = chain(5, free=True)
        rng = np.random.default_rng(seed)
        velocities = rng.uniform(-1.5, 1.5, made.num_dofs) / time_step
        velocities[3:6] = rng.uniform(-3.0, 3.0, 3)
        made.velocities = velocities
        world = World([made], time_step=time_step)
        before, momentum, height = world.energy, made.linear_momentum(), made.mass * 9.81
        for _ in range(20):
            world.step(5)
            assert world.energy < 1.02 * before
            fallen = momentum + np.array([0.0, 0.0, -height * world.time])
            np.testing.assert_allclose(made.linear_momentum(), fallen, atol=0.02 * np.linalg.norm(momentum))


@pytest.mark.parametrize("time_step", [2e-3, 5e-3])
def test_a_chain_that_flies_whirls_as_one_that_does_not(time_step: float) -> None:
    for seed in range(4):
        rates, energies = [], []
        for speed in (0.0, 30.0):
            made = chain(5, free=True)
            velocities = np.random.default_rng(seed).uniform(-1.0, 1.0, made.num_dofs) / time_step
            velocities[3:6] = speed * np.array([1.0, -1.0, 0.5])
            made.velocities = velocities
            world = World([made], gravity=(0.0, 0.0, 0.0), time_step=time_step)
            world.step(3)
            momentum = made.linear_momentum()
            rates.append(made.velocities[6:])
            energies.append(world.kinetic_energy - 0.5 * momentum @ momentum / made.mass)
        np.testing.assert_allclose(rates[1], rates[0], atol=1e-6)
        np.testing.assert_allclose(energies[1], energies[0], rtol=1e-9)


def test_a_wheel_that_turns_fast_keeps_its_bits() -> None:
    made = Skeleton("rotor")
    inertia = Inertia(1.0, (0, 0, 0), np.diag([0.1, 0.1, 0.2]))
    made.add_body("rotor", None, RevoluteJoint("axle", (0, 0, 1)), inertia=inertia)
    made.velocities = [2000.0]
    world = World([made])
    world.step(1000)
    np.testing.assert_array_equal(made.velocities, [2000.0])
