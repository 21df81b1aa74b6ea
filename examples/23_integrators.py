"""The energy of a swinging double pendulum, by each integrator and by one of our own."""

import numpy as np

import kido
from kido.values import value
from kido.world import CustomIntegrator, Integrator, SmoothMotion


@value
class VelocityVerlet(CustomIntegrator):
    """Leapfrog with velocities at whole steps, of order 2."""

    def advance(self, motion: SmoothMotion) -> tuple[np.ndarray, np.ndarray]:
        q, v, h = motion.positions, motion.velocities, motion.time_step
        first = motion.accelerations(q, v)
        q = motion.integrate(q, v + 0.5 * h * first, h)
        second = motion.accelerations(q, v + h * first)
        return q, v + 0.5 * h * (first + second)


def drift(integrator: Integrator | CustomIntegrator) -> float:
    """Largest change of the energy [J] in five seconds."""
    pendulum = kido.gallery.double_pendulum()
    pendulum.damping = [0.0, 0.0]
    pendulum.positions = [1.0, 0.5]
    world = kido.World([pendulum], integrator=integrator)
    before, largest = world.energy, 0.0
    for _ in range(50):
        world.step(100)
        largest = max(largest, abs(world.energy - before))
    return largest


drifts = {}
for integrator in (*Integrator, VelocityVerlet()):
    name = integrator.value if isinstance(integrator, Integrator) else type(integrator).__name__
    drifts[name] = drift(integrator)
    print(f"{name:22s} {drifts[name]:.2e} J")
assert drifts["Runge-Kutta 4"] < drifts["implicit midpoint"] < drifts["semi-implicit Euler"]
assert drifts["VelocityVerlet"] < 0.1 * drifts["semi-implicit Euler"]
