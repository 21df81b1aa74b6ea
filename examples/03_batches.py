"""A hundred thousand robots at once: every method takes any leading shape."""

import time
from pathlib import Path

import numpy as np

import kido

arm = kido.load_tree(Path(__file__).parent / "arm.urdf")
rng = np.random.default_rng(3)

# Random positions within the limits, one in each row; the poses of the tool for all of them in one call.
q = arm.random_positions(rng, 100_000)
start = time.perf_counter()
poses = arm.transform(q, "tool")
print(f"{len(q)} poses of the tool in {1e3 * (time.perf_counter() - start):.1f} ms, shape {poses.shape}")

# No point is further from the shoulder than the arm is long, and some come close to that.
reach = np.linalg.norm(poses[:, :3, 3] - [0.0, 0.0, 0.3], axis=-1)
print(f"reach of the tool: {reach.min():.3f} to {reach.max():.3f} m")
assert reach.max() <= 0.92 + 1e-12
assert reach.max() > 0.90

# A sample of a batch has the same bits as a call for it alone.
assert (poses[4711] == arm.transform(q[4711], "tool")).all()

# Leading axes broadcast as in NumPy: 50 positions x 20 velocities of each.
positions = q[:50, None, :]
velocities = rng.normal(size=(20, arm.num_dofs))
energies = arm.kinetic_energy(positions, velocities)
print("kinetic energies:", energies.shape)
assert energies.shape == (50, 20)
M = arm.mass_matrix(q[7])
np.testing.assert_allclose(energies[7, 3], velocities[3] @ M @ velocities[3] / 2)

# Results can go to an array that is there already; then the call allocates nothing.
accelerations = np.empty_like(q)
v, tau = rng.normal(size=(2, *q.shape))
start = time.perf_counter()
arm.forward_dynamics(q, v, tau, out=accelerations)
seconds = time.perf_counter() - start
print(f"forward dynamics of all in {1e3 * seconds:.1f} ms, {len(q) / seconds:,.0f} per second")
np.testing.assert_allclose(arm.inverse_dynamics(q, v, accelerations), tau, atol=1e-8)

# Work is shared between threads; how many does not change a bit of the result.
kido.set_num_threads(1)
assert (arm.forward_dynamics(q, v, tau) == accelerations).all()
